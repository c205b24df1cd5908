"""The rule for exit codes: a command without a result ends with 2 and states the reason on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.conftest import Webgrain, webgrain
from tests.crawler.conftest import Reply, Site, new_site, site

from webgrain.cli.app import app
from webgrain.io.archives import read_warc
from webgrain.page.page import Limits
from webgrain.papers.regextree import RegexTree
from webgrain.templates.template import write_template

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["new_site", "site", "webgrain"]

COMMANDS = (
    "segment {input}",
    "show {input}",
    "text {input}",
    "extract {input}",
    "extract {input} --format markdown",
    "types {input}",
    "dupes {input}",
    "compare {input} {input}",
    "audit {input} -o {folder}/audit",
    "corpus {input} -o {folder}/corpus.jsonl --work {folder}/work",
    "fields {input}",
    "sections --template {template} {input}",
    "table {input}",
    "template drift --template {template} {input}",
    "template repair --template {template} {input}",
    "learn template {input} -o {folder}/template.json",
    "learn site {input} -o {folder}/site.json",
    "learn layouts {input} -o {folder}/layouts.json",
    "review types {input} -o {folder}/verdicts.jsonl",
    "render {input} -o {folder}/pages.parquet",
    "label {input}",
    "eval segments {input}",
    "eval extraction {input}",
    "learn segments {input} -o {folder}/weights.zip",
    "template show {input}",
    "template diff {template} {input}",
    "data list {input}",
    "data fetch bench --catalogue {input}",
    "data build {input} --folder {folder}",
    "crawl-state list {input}",
    "crawl-state drop {input} https://a.example/",
)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A template file."""
    from webgrain.page.parsing import parse

    path = tmp_path_factory.mktemp("template") / "t.json"
    pages = [parse(f"<h1>{k}</h1><ul><li>a{k}<li>b{k}<li>c{k}</ul>") for k in range(4)]
    write_template(path, RegexTree().fit(pages).template_)
    return path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["picture.html", "missing.html", "empty"])
def test_no_result_ends_with_two_and_a_reason(
    webgrain: Webgrain, tmp_path: Path, template: Path, command: str, name: str
) -> None:
    (tmp_path / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "empty").mkdir()
    given = command.format(input=tmp_path / name, folder=tmp_path, template=template)
    done = webgrain(*given.split())
    assert (done.code, bool(done.err)) == (2, True)
    assert "Traceback" not in done.err


def test_the_rule_is_tested_for_each_command() -> None:
    top: Any = app()
    names = {
        f"{name} {member}".strip()
        for name, command in top.commands.items()
        for member in getattr(command, "commands", {"": None})
    }
    tested = {name for name in names for command in COMMANDS if command.startswith(f"{name} ")}
    assert names - tested == {"crawl", "doctor"}  # `crawl` below; `doctor` has no input


@pytest.mark.parametrize("command", ["text {input}", "extract {input}", "extract {input} --format html"])
def test_pages_without_text_are_no_result(webgrain: Webgrain, tmp_path: Path, command: str) -> None:
    (tmp_path / "a.html").write_bytes(b"<div hidden>x</div><img src=x>")
    done = webgrain(*command.format(input=tmp_path / "a.html").split())
    assert (done.code, done.out.strip()) == (2, "")
    assert "text" in done.err


def test_pages_without_lists_are_no_result(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<h1>only</h1>")
    done = webgrain("table", tmp_path / "a.html", "--format", "jsonl")
    assert (done.code, done.out, done.err) == (2, "", "webgrain: No page has a list.\n")


def test_one_page_of_two_is_a_result(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "b.html").write_bytes(b"<p>some words")
    assert webgrain("segment", tmp_path).code == 0
    assert webgrain("segment", tmp_path, "--strict").code == 1


def test_no_duplicates_are_a_result(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<p>some words of one page that nobody else has")
    (tmp_path / "b.html").write_bytes(b"<p>quite another text, about other things altogether")
    assert webgrain("dupes", tmp_path).code == 0


def crawl_of(site: Site, folder: Path, *more: str) -> list[object]:
    return ["crawl", site.url + "/", "-o", folder / "site.warc", "--delay", "0", "--no-robots", *more]


@pytest.mark.usefixtures("forked")
def test_a_crawl_without_a_page_is_no_result(webgrain: Webgrain, site: Site, tmp_path: Path) -> None:
    done = webgrain(*crawl_of(site, tmp_path, "--allow-private"))
    assert done.code == 2
    assert "404" in done.err


@pytest.mark.usefixtures("forked")
def test_a_private_host_names_the_option(webgrain: Webgrain, site: Site, tmp_path: Path) -> None:
    site.add("/")
    done = webgrain(*crawl_of(site, tmp_path))
    assert done.code == 2
    assert "--allow-private" in done.err
    assert site.asked == []


@pytest.mark.usefixtures("forked")
def test_a_finished_crawl_can_be_repeated(webgrain: Webgrain, site: Site, tmp_path: Path) -> None:
    site.add("/", "/missing")
    site.pages["/missing"] = Reply(b"<p>not here", 404)
    assert webgrain(*crawl_of(site, tmp_path, "--allow-private")).code == 0
    asked = len(site.asked)
    done = webgrain(*crawl_of(site, tmp_path, "--allow-private"))
    assert (done.code, len(site.asked)) == (0, asked)
    assert "is complete" in done.err
    archive = tmp_path / "site.warc"
    assert b"HTTP/1.1 404 Not Found" in archive.read_bytes()
    assert b"<p>not here" in archive.read_bytes()
    assert len(list(read_warc(archive, "site", Limits()))) == 1  # an error is recorded, but no page


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("show {page} --depth 0", "--depth must be at least 1"),
        ("crawl http://a.example/ -o {page}.warc --depth -1", "--depth must be at least 0, got -1."),
        ("dupes {page} --threshold 7", "--threshold must be above 0 and at most 1, got 7.0."),
        ("segment {page} --granularity 7", "--granularity must be in 0..1, got 7.0."),
    ],
)
def test_a_wrong_value_names_its_option(
    webgrain: Webgrain, tmp_path: Path, command: str, reason: str
) -> None:
    (tmp_path / "a.html").write_bytes(b"<p>some words")
    done = webgrain(*command.format(page=tmp_path / "a.html").split())
    assert (done.code, done.err.startswith(f"webgrain: {reason}")) == (2, True), done.err


def test_a_path_passed_as_html_is_an_error() -> None:
    from webgrain import segment
    from webgrain.base.errors import ParameterError
    from webgrain.extraction.single import SinglePage

    for call in (segment, SinglePage().predict):
        with pytest.raises(ParameterError, match=r"looks like a file path .*'site/a\.html'"):
            call("site/a.html")


@pytest.mark.filterwarnings("default:Hidden files")
def test_long_names_of_hidden_pages_are_cut(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / f".{'x' * 240}.html").write_bytes(b"<p>some words")
    (tmp_path / "a.html").write_bytes(b"<p>some words")
    assert f": .{'x' * 99}.\n" in webgrain("segment", tmp_path).err


@pytest.mark.filterwarnings("default:Hidden files")
def test_hidden_pages_are_named(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / ".hidden.html").write_bytes(b"<p>some words")
    (tmp_path / "a.html").write_bytes(b"<p>some words")
    done = webgrain("segment", tmp_path)
    assert ".hidden.html" in done.err
    assert [record["page"] for record in done.records] == ["a.html"]
