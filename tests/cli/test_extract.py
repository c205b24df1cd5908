from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.papers.articles import article, listing, title_of

from webgrain.base.failures import Failure
from webgrain.cli import extract as commands
from webgrain.engines.local import Pool
from webgrain.extraction.document import METADATA_FIELDS
from webgrain.page import turns
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.text import page_text
from webgrain.site import thresholds
from webgrain.site.texts import page_of_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Webgrain = Callable[..., Any]
FIELDS = [
    "page", "url", "notes", "verdict", "kind", "kinds", "title", "text", "comments", "code", "sub",
    *METADATA_FIELDS, "content", "layout", "confidence", "evidence",
]  # fmt: skip


MANGLED = ("--mangle", "[a-z]+")
HOSTS = ("many.org", "few.org")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A folder with ten articles and two lists of them."""
    folder = tmp_path / "pages"
    folder.mkdir()
    articles = [article(number, comments=number % 3) for number in range(10)]
    for page in [*articles, *(listing(number, articles[number::2]) for number in range(2))]:
        assert page.source is not None
        (folder / page.id).write_bytes(page.source.body)
    return folder


def test_learn_and_extract(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    model, pattern = tmp_path / "m.json", tmp_path / "m.pat"
    done = webgrain("learn", "layouts", pages, "-o", model, "--pattern", pattern, *MANGLED)
    assert (done.code, done.out) == (0, "")
    assert "patterns from 12 pages" in done.err
    assert json.loads(model.read_text("utf-8"))["estimator"] == "Webstemmer"
    done = webgrain("extract", "--model", model, pages / "article-3.html", "--format", "jsonl")
    [record] = done.records
    assert list(record) == FIELDS
    assert (record["verdict"], record["title"]) == ("article", title_of(article(3)))
    assert record["content"]["kind"] == "document"
    assert webgrain("extract", "--model", pattern, pages, "--format", "jsonl").code == 0


def test_a_site_is_learnt_from_the_input(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    archive = tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(pages.iterdir()):
            packed.write(path, path.name)
    records = webgrain("extract", archive, "--format", "jsonl").records
    assert {record["evidence"] for record in records} == {"site and single page"}
    assert all(title_of(article(number)) in [record["title"] for record in records] for number in range(10))
    alone = webgrain("extract", archive, "--format", "jsonl", "--single").records
    assert {record["evidence"] for record in alone} == {"single page"}


def test_the_decisions_about_a_page_are_lines(webgrain: Webgrain, pages: Path) -> None:
    done = webgrain("extract", pages / "article-1.html", "--single", "--format", "decisions")
    rows = [line.split("\t") for line in done.out.splitlines()]
    head = rows.index(["part", "main", "alone", "comment", "alike", "place", "text"])
    parts = [row[0] for row in rows[head + 1 :]]
    assert parts.count("title") == 1
    assert "main" in parts


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize("form", ["jsonl", "text", "markdown", "webstemmer"])
def test_several_processes_write_the_same_as_one(
    webgrain: Webgrain, pages: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "_BATCH", 2)
    monkeypatch.setattr(commands, "_ROUND", 1)  # three rounds of two batches
    (pages / "article-5.html").write_text("<title>Nothing</title>", "utf-8")
    (pages / "bad.zip").write_bytes(b"PK\x03\x04 no archive")
    call = ("extract", pages, pages / "bad.zip", "--single", "--format", form)
    one, two = webgrain(*call, "--workers", 1), webgrain(*call, "--workers", 2)
    assert (one.code, one.out, one.err) == (two.code, two.out, two.err)
    assert title_of(article(3)) in one.out
    assert "bad.zip: read: " in one.err


def test_a_batch_that_kills_its_process_is_a_failure_of_each_of_its_pages(
    webgrain: Webgrain, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(pool: object, task: object, batches: list[Any]) -> Iterator[Any]:
        yield from ((batch, Failure("batch", "run", "it ended.")) for batch in batches)

    monkeypatch.setattr(Pool, "map", lose)
    done = webgrain("extract", pages, "--single", "--workers", 2, "--format", "jsonl")
    assert (done.code, {record["error"] for record in done.records}) == (2, {"it ended."})
    assert len({record["page"] for record in done.records}) == 12


def test_a_large_page_is_a_batch_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_BATCH_BYTES", 100)
    sources = [Source(str(number), b"x" * size) for number, size in enumerate((10, 200, 10, 20))]
    assert [len(batch) for batch in commands._batches(sources)] == [2, 2]


@pytest.mark.parametrize(
    ("name", "url", "site", "below"),
    [
        ("all/a.org/b/c.html", None, "a.org", "b/c.html"),
        ("xa.org.html", None, "", "xa.org.html"),
        ("a.org/b.html", "http://c.org/d", "c.org", "a.org/b.html"),
        ("b/c.html", None, "", "b/c.html"),
    ],
)
def test_a_page_in_the_folder_of_a_host_has_an_id_below_it(
    name: str, url: str | None, site: str, below: str
) -> None:
    found, page = page_of_site(parse(Source(name, b"<p>Text", url=url)))
    assert (found, page.id) == (site, below)


def test_a_host_of_few_pages_is_not_learnt(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    for number, host in enumerate(("many.org",) * 10 + ("few.org",) * 9):
        (tmp_path / host).mkdir(exist_ok=True)
        body = (pages / f"article-{number % 10}.html").read_bytes()
        (tmp_path / host / f"{number}.html").write_bytes(body)
    records = webgrain("extract", tmp_path / "many.org", tmp_path / "few.org", "--format", "jsonl").records
    evidence = {
        (host, record["evidence"]) for record in records for host in HOSTS if f"/{host}/" in record["page"]
    }
    assert evidence == {("many.org", "site and single page"), ("few.org", "single page")}


def test_a_site_is_learnt_from_some_of_its_pages(
    webgrain: Webgrain, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "TEXT_PAGES", 3)
    records = webgrain("extract", pages, "--format", "jsonl").records
    assert {record["evidence"] for record in records} == {"single page"}  # three pages are not enough
    monkeypatch.setattr(thresholds, "LEAST_TEXT_PAGES", 3)
    records = webgrain("extract", pages, "--format", "jsonl").records
    assert {record["evidence"] for record in records} == {"site and single page"}


def test_layouts_are_learnt_from_the_input(webgrain: Webgrain, pages: Path) -> None:
    done = webgrain("extract", pages, "--preset", "original", *MANGLED, "--format", "webstemmer")
    assert done.out.count("!MATCHED: ") == 10
    assert f"TITLE: {title_of(article(3))}\n" in done.out


def test_a_file_for_each_article(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    for form, ending in (("markdown", "md"), ("html", "html")):
        assert webgrain("extract", pages, "--format", form, "-o", tmp_path / form).code == 0
        assert len(list((tmp_path / form).glob(f"*.{ending}"))) == 12
    assert (tmp_path / "markdown" / "article-3.html.md").read_text("utf-8").startswith("# ")
    (pages / "empty.html").write_text("<title>Nothing</title>", "utf-8")
    done = webgrain("extract", pages, "-o", tmp_path / "text")
    assert (tmp_path / "text" / "articles.txt").read_text("utf-8").count("==> ") == 12
    assert "1 page without main text left out; --format jsonl has all pages.\n" in done.err


def test_front_matter(webgrain: Webgrain, pages: Path) -> None:
    yaml = pytest.importorskip("yaml")
    page = pages / "article-3.html"
    done = webgrain("extract", page, "--format", "markdown", "--front-matter")
    start, head, body = done.out.split("---\n", 2)
    assert (start, yaml.safe_load(head)["title"]) == ("", title_of(article(3)))
    assert body.startswith("\n# ")
    assert webgrain("extract", page, "--front-matter").code == 2


def test_text_is_title_and_text_and_a_page_that_is_not_alone_has_its_name(
    webgrain: Webgrain, pages: Path, tmp_path: Path
) -> None:
    model = tmp_path / "m.json"
    webgrain("learn", "layouts", pages, "-o", model, *MANGLED)
    one, two = (pages / f"article-{number}.html" for number in (3, 4))
    alone = webgrain("extract", "--model", model, one).out
    assert alone.startswith(f"{title_of(article(3))}\n\n")
    both = webgrain("extract", "--model", model, one, two).out
    assert both.startswith(f"==> {one} <==\n\n{alone}\n==> {two} <==\n\n{title_of(article(4))}\n\n")


def test_a_page_without_a_model_is_read_by_itself(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<h1>Auk</h1>" + "<p>The boat came back in the spring." * 9, "utf-8")
    assert webgrain("extract", tmp_path / "page.html").out.startswith("Auk\n\nThe boat came back")


def test_a_pattern_file_gives_the_lines_of_its_program(
    webgrain: Webgrain, pages: Path, tmp_path: Path
) -> None:
    pattern = tmp_path / "m.pat"
    webgrain("learn", "layouts", pages, "-o", tmp_path / "m.json", "--pattern", pattern, *MANGLED)
    assert webgrain("extract", "--model", pattern, pages).out.count("MATCHED: article-") == 10
    assert "MATCHED" not in webgrain("extract", "--model", pattern, pages, "--format", "text").out


def test_thresholds_need_no_learning(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    webgrain("learn", "layouts", pages, "-o", model, *MANGLED)
    lines = ("extract", "--model", model, pages, "--format", "webstemmer")
    assert "!MATCHED" in webgrain(*lines, "--strict").out
    assert "MAIN-" not in webgrain(*lines, "--main-threshold", 99999).out
    assert webgrain("extract", "--model", model, pages, "--match-threshold", 2).code == 2


def test_mistakes(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    for arguments in (
        ("extract", pages, "--model", tmp_path / "bad.json"),
        ("extract", pages, "--model", tmp_path / "none.json"),
        ("extract", pages, "--model", tmp_path / "bad.json", "--preset", "original"),
        ("extract", pages, "--cluster-threshold", 0.5),
        ("extract", pages, "--match-threshold", 0.5),
        ("extract", pages, "--single", "--preset", "original"),
        ("extract", pages, "--workers", 2),
        ("extract", pages, "--format", "decisions"),
        ("learn", "layouts", pages, "-o", tmp_path / "no" / "m.json"),
        ("learn", "layouts", pages, "-o", tmp_path / "m.json", "--mangle", "(a+)+"),
        ("extract",),
    ):
        done = webgrain(*arguments)
        assert done.code == 2
        assert "Traceback" not in done.err


def test_a_broken_archive_is_a_single_failure(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 no archive")
    done = webgrain("extract", pages, tmp_path / "bad.zip", "--format", "jsonl")
    assert done.code == 0
    assert [record["stage"] for record in done.records if "stage" in record] == ["read"]
    assert webgrain("extract", pages, tmp_path / "bad.zip", "--strict").code == 1


def test_text(webgrain: Webgrain, site: Path) -> None:
    done = webgrain("text", site)
    assert done.out == "Home News\nWelcome\nThe first paragraph.\nThe second.\nImprint\n\nOne\nTwo\n"
    assert webgrain("text", site / "news" / "one.html").out == "One\nTwo\n"


def test_a_shortened_page_is_noted(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<i>" * 600 + "x")
    done = webgrain("text", tmp_path / "deep.html")
    assert done.err.startswith(f"webgrain: {tmp_path / 'deep.html'}: The page is nested 602 deep: ")


def test_empty_layouts_are_not_written(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = webgrain("learn", "layouts", tmp_path / "empty", "-o", tmp_path / "layouts.json")
    assert (done.code, done.err) == (2, "webgrain: There is no page to learn layouts from.\n")
    assert not (tmp_path / "layouts.json").exists()


def test_model_of_another_kind_is_an_error(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    webgrain("types", pages, "-o", tmp_path / "types.json")
    done = webgrain("extract", "--model", tmp_path / "types.json", pages)
    assert done.code == 2
    assert "is a webgrain page types file, expected a model from webgrain audit" in done.err


def test_empty_folder_prints_one_line(webgrain: Webgrain, tmp_path: Path) -> None:
    done = webgrain("extract", tmp_path)
    assert (done.code, done.err) == (2, "webgrain: The input contains no page.\n")


@pytest.mark.parametrize("form", ["text", "jsonl", "webstemmer"])
def test_folder_in_place_of_the_articles_is_an_error(
    webgrain: Webgrain, pages: Path, tmp_path: Path, form: str
) -> None:
    name = "articles.jsonl" if form == "jsonl" else "articles.txt"
    (tmp_path / "out" / name).mkdir(parents=True)
    done = webgrain("extract", pages, "-o", tmp_path / "out", "--format", form)
    assert done.code == 2
    assert done.err == (
        f"webgrain: Expected the name of a file in an existing folder, got {tmp_path / 'out' / name}.\n"
    )


def test_a_folder_of_several_hosts_is_read_as_each_of_them(
    webgrain: Webgrain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "TEXT_PAGES", 11)  # of 12 pages: some are drawn
    folders = [tmp_path / "all" / f"h{k}.example.org" for k in range(4)]
    for k, folder in enumerate(folders):
        folder.mkdir(parents=True)
        for number in range(12 if k % 2 else 3):
            page = article(number + 20 * k, comments=number % 3)
            assert page.source is not None
            (folder / page.id).write_bytes(page.source.body)
    every = webgrain("extract", tmp_path / "all", "--format", "jsonl").records
    single = [
        record | {"page": f"{folder.name}/{record['page']}"}
        for folder in folders
        for record in webgrain("extract", folder, "--format", "jsonl").records
    ]
    assert {record["page"]: record for record in every} == {record["page"]: record for record in single}
    assert {record["evidence"] for record in every} == {"site and single page", "single page"}


def test_archives_of_textcrawler_are_learnt_with_their_links(
    webgrain: Webgrain, pages: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "site.200511210103.zip"
    base = "200511210103/www.a.org"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(pages.glob("article-*")):
            packed.write(path, f"{base}/{path.name}")
        links = [(f"{base}/article-{k}.html", [title_of(article(k))]) for k in range(10)]
        packed.writestr("linkinfo", "".join(f"{link!r}\n" for link in links))
    done = webgrain("extract", archive, "--preset", "original", *MANGLED, "--format", "webstemmer")
    assert done.code == 0
    assert f"!MATCHED: {base}/article-3.html" in done.out
    assert f"TITLE: {title_of(article(3))}" in done.out
    one = webgrain("extract", archive, "--single", "--only", "article-3", "--format", "jsonl").records
    assert [record["url"] for record in one] == ["http://www.a.org/article-3.html"]
    listed = tmp_path / "list.html"
    listed.write_text("<ul>" + "".join(f"<li><a href=/{k}>Story {k}</a>" for k in range(30)) + "</ul>")
    assert webgrain("extract", listed, "--mark-index").code == 2


def test_what_is_read_and_written_can_be_chosen(webgrain: Webgrain, tmp_path: Path) -> None:
    text = "The lamp on the mole is lit at dusk, and nobody knows who pays for it. " * 4
    page = tmp_path / "lamp.html"
    page.write_text(
        f"<title>Lamp</title><h1>Lamp</h1><p>{text}<a href=http://example.org/>Map</a>"
        f"<img src=http://example.org/a.png><p class=ad>{text}Buy it.<div id=b><p>Short.</div>"
    )
    single = ("extract", "--single", "--format", "markdown", page)
    whole = webgrain(*single).out
    assert "[Map](http://example.org/)![](http://example.org/a.png)" in whole
    assert "Buy it." in whole
    plain = webgrain(*single, "--exclude", ".ad", "--no-links", "--no-images").out
    assert "example.org" not in plain
    assert "Map" in plain
    assert "Buy it." not in plain
    done = webgrain(*single, "--include", "#b", "--include", "#c")
    assert (done.code, done.out.strip().splitlines()[-1]) == (0, "Short.")
    sizes = [
        len(webgrain("extract", "--single", page, "--favor", what).out)
        for what in ("precision", "balance", "recall")
    ]
    assert sizes == sorted(sizes)


def test_a_page_without_included_elements_has_a_note(webgrain: Webgrain, pages: Path) -> None:
    page = pages / "article-2.html"
    note = "No element matches include, #missing, so there is no text."
    done = webgrain("extract", "--single", page, "--include", "#missing")
    assert done.code == 2
    assert note in done.err
    done = webgrain("extract", "--single", page, "--include", "#missing", "--chunks")
    assert (done.code, done.out) == (0, "")
    assert note in done.err
    [record] = webgrain("extract", "--single", page, "--include", "#missing", "--format", "jsonl").records
    assert (record["text"], record["notes"]) == ("", [note])


def test_wrong_selectors_are_mistakes(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    done = webgrain("extract", pages, "--exclude", "p:hover")
    assert (done.code, done.out) == (2, "")
    assert done.err == "webgrain: --exclude must be CSS selectors; 'p:hover' is not supported.\n"
    done = webgrain("extract", pages, "--preset", "documented", "--favor", "recall")
    assert done.code == 2
    assert "have no effect on layouts of Webstemmer" in done.err


def test_chunks(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    [record, *rest] = webgrain("extract", pages, "--chunks", "--max-tokens", "20").records
    assert list(record) == ["id", "page", "url", "number", "headings", "text", "tokens", "xpath"]
    assert all(each["tokens"] <= 20 for each in (record, *rest))
    assert {each["page"] for each in (record, *rest)} >= {f"article-{number}.html" for number in range(10)}
    page = pages / "article-2.html"
    alone = webgrain("extract", "--single", page, "--chunks").records
    both = webgrain("extract", "--single", page, "--chunks", "--comments").records
    assert len(" ".join(each["text"] for each in both)) > len(" ".join(each["text"] for each in alone))
    folder = tmp_path / "out"
    assert webgrain("extract", page, "--chunks", "--chunk-text", "markdown", "-o", folder).code == 0
    assert (folder / "chunks.jsonl").read_text("utf-8").count("\n") >= 1


def test_chunks_as_a_table(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    assert webgrain("extract", pages, "--chunks", "--format", "parquet", "-o", tmp_path / "out").code == 0
    table = pq.read_table(tmp_path / "out" / "chunks.parquet")
    assert table.column_names[:3] == ["id", "page", "url"]
    assert json.loads(table["headings"][0].as_py())
    assert table["number"][0].as_py() == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--chunks", "--format", "text"), "--chunks needs --format jsonl, csv or parquet"),
        (("--max-tokens", "9"), "--max-tokens needs --chunks"),
        (("--chunk-text", "text"), "--chunk-text needs --chunks"),
    ],
)
def test_wrong_options_of_chunks(
    webgrain: Webgrain, pages: Path, given: tuple[str, ...], message: str
) -> None:
    done = webgrain("extract", pages, *given)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_file_is_no_folder(webgrain: Webgrain, pages: Path, tmp_path: Path) -> None:
    done = webgrain("extract", pages, "--format", "html", "-o", tmp_path / "out.html")
    assert (done.code, done.out) == (2, "")
    assert "--format html writes a file per page: name a folder after -o, or write >" in done.err
    assert not (tmp_path / "out.html").exists()


def test_a_name_that_ends_in_md_is_a_file_of_all_pages(
    webgrain: Webgrain, pages: Path, tmp_path: Path
) -> None:
    path = tmp_path / "new.md"
    assert webgrain("extract", "--single", pages, "-o", path).code == 0
    assert path.read_text("utf-8") == webgrain("extract", "--single", pages, "--format", "markdown").out
    assert webgrain("extract", "--single", pages, "--format", "text", "-o", path).code == 2


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("jsonl", "new.jsonl"),
        ("text", "new.txt"),
        ("parquet", "a.parquet"),
        ("markdown", "a.md"),
        ("csv", "a.csv"),
    ],
)
def test_the_ending_of_a_format_names_a_file(
    webgrain: Webgrain, pages: Path, tmp_path: Path, form: str, name: str
) -> None:
    path = tmp_path / name
    assert webgrain("extract", "--single", pages, "--format", form, "-o", path).code == 0
    assert path.is_file()
    if form != "parquet":
        assert path.read_text("utf-8") == webgrain("extract", "--single", pages, "--format", form).out
    other = "other.txt" if form == "csv" else "other.csv"
    wrong = webgrain("extract", "--single", pages, "--format", form, "-o", tmp_path / other)
    assert (wrong.code, f"{other} has not the ending of" in wrong.err) == (2, True)
    (tmp_path / "folder.jsonl").mkdir()
    assert webgrain("extract", "--single", pages, "--format", form, "-o", tmp_path / "folder.jsonl").code == 0
    stems = [file.stem for file in (tmp_path / "folder.jsonl").iterdir()]
    assert len(stems) > 1 if form == "markdown" else stems == ["articles"]


@pytest.mark.parametrize("command", ["segment", "dupes", "extract"])
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_the_name_of_a_file_chooses_the_format(
    webgrain: Webgrain, pages: Path, tmp_path: Path, command: str, ending: str
) -> None:
    path = tmp_path / f"new.{ending}"
    done = webgrain(command, pages, "-o", path)
    assert done.code == 0
    assert path.is_file()
    if command != "dupes":  # these pages have no pairs
        beginning = {"jsonl": b"{", "csv": b"page,", "parquet": b"PAR1"}[ending]
        assert path.read_bytes().startswith(beginning)


@pytest.mark.parametrize("command", ["segment", "dupes", "extract", "table"])
@pytest.mark.parametrize("name", ["new.jsonl.gz", "new.json", "new.xlsx", "new.tsv", "new.docx"])
def test_the_name_of_a_file_that_no_command_writes(
    webgrain: Webgrain, pages: Path, tmp_path: Path, command: str, name: str
) -> None:
    done = webgrain(command, pages, "-o", tmp_path / name)
    assert (done.code, done.out) == (2, "")
    assert f"{name}" in done.err
    assert list(tmp_path.glob("new*")) == []


@pytest.mark.parametrize("command", ["segment", "dupes", "extract"])
def test_a_hyphen_is_stdout(
    webgrain: Webgrain, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    there = sorted(tmp_path.iterdir())
    assert webgrain(command, pages, "-o", "-").out == webgrain(command, pages).out
    assert sorted(tmp_path.iterdir()) == there


@pytest.mark.parametrize("command", ["segment", "dupes"])
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_records_and_failures_are_in_the_named_file(
    webgrain: Webgrain, pages: Path, tmp_path: Path, command: str, form: str
) -> None:
    path = tmp_path / f"new.{form}"
    done = webgrain(command, pages, "--format", form, "-o", path)
    assert done.code == 0
    assert path.read_text("utf-8") == webgrain(command, pages, "--format", form).out
    other = "csv" if form == "jsonl" else "jsonl"
    assert webgrain(command, pages, "--format", other, "-o", tmp_path / f"x.{form}").code == 2


@pytest.mark.parametrize(
    "call",
    [
        ("text",),
        ("extract", "--format", "jsonl"),
        ("extract", "--single", "--workers", 1, "--format", "markdown"),
        ("extract", "--chunks", "--exclude", "h2"),
        ("segment",),
        ("table", "--list", "all"),
    ],
)
def test_pages_that_take_turns_give_what_each_gives_alone(
    webgrain: Webgrain, pages: Path, monkeypatch: pytest.MonkeyPatch, call: tuple[object, ...]
) -> None:
    (pages / "article-5.html").write_text("<title>Nothing</title>", "utf-8")
    command, *options = call
    in_turns = webgrain(command, pages, *options)
    assert in_turns.code == 0
    monkeypatch.setattr(turns, "MOST_PAGES", 1)
    alone = webgrain(command, pages, *options)
    assert (in_turns.out, in_turns.err) == (alone.out, alone.err)


def test_of_pages_that_take_turns_one_that_fails_is_one_failure(
    webgrain: Webgrain, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(page: Page) -> str:
        if page.id == "article-3.html":
            raise ValueError("no text")
        return page_text(page)

    whole = webgrain("text", pages).out
    monkeypatch.setattr("webgrain.page.text.page_text", read)
    done = webgrain("text", pages)
    lines = [line for line in done.err.splitlines() if "article-3" in line]
    assert lines == ["webgrain: article-3.html: text: internal error: ValueError: no text"]
    missing = f"{page_text(article(3))}"
    assert done.out == whole.replace(f"{missing}\n", "")


def test_a_model_of_a_site_is_watched_in_the_order_of_the_pages(
    webgrain: Webgrain, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert webgrain("audit", pages, "-o", tmp_path / "audit", "--workers", 1).code == 0
    call = ("extract", "--model", tmp_path / "audit" / "site-model.json", pages, "--format", "jsonl")
    in_turns, seen = webgrain(*call), webgrain("table", *call[1:4], "--list", "all")
    monkeypatch.setattr(turns, "MOST_PAGES", 1)
    alone = webgrain(*call)
    assert (in_turns.code, in_turns.out, in_turns.err) == (alone.code, alone.out, alone.err)
    assert seen.out == webgrain("table", *call[1:4], "--list", "all").out
