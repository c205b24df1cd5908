"""Attacks on memory, time and disk: the size of records, the limits of a page, archives, charsets."""

from __future__ import annotations

import io
import json
import resource
import tracemalloc
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.cli.conftest import Webgrain, webgrain

from webgrain.base.failures import Failure
from webgrain.cli.app import app
from webgrain.cli.doctor import page_limits
from webgrain.cli.options import InputOptions
from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.engines.guard import Guard, limits, run_step
from webgrain.extraction.document import Document, document_record
from webgrain.extraction.single import SinglePage
from webgrain.io.read import read
from webgrain.page.page import Limits, Source
from webgrain.page.parsing import find_charset, parse
from webgrain.page.segmentation import Segmentation, segmentation_record
from webgrain.pagetypes.pagetypes import PageTypes

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["webgrain"]

DEEP = b"<div>" * 500 + b"<p>x" * 5_000


def test_the_addresses_of_a_record_are_limited() -> None:
    page = parse(Source("a", DEEP))
    labels = np.where(page.dom.is_text, np.arange(len(page.dom)), -1).astype(np.int32)
    tracemalloc.start()
    record = segmentation_record(page, Segmentation(labels, "by hand"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(json.dumps(record)) < 5e6  # without the limit 40 MB
    assert peak < 35e6
    assert record["notes"] == [*page.notes, "The addresses of 4,960 nodes are left out: they are too long."]
    assert len(record["segments"]) == 5_000
    assert [len(segment["xpath"]) for segment in record["segments"]].count(1) == 40


def test_the_addresses_of_an_article_are_limited() -> None:
    page = parse(Source("a", DEEP))
    nodes = np.flatnonzero(page.dom.is_text).tolist()
    parts = tuple(Part("paragraph", node, ("x",)) for node in nodes)
    record = document_record(Document(page, Article("article", "", parts)))
    assert len(json.dumps(record)) < 5e6  # without the limit 20 MB
    assert "are left out" in record["notes"][-1]
    assert record["content"]["children"][-1]["xpath"] is None


@pytest.mark.parametrize(
    "url", ["https://a.example/" + "a" * 50_000 + "/x", "https://a.example/" + "a/" * 25_000 + "x"]
)
def test_a_long_address_is_not_repeated_in_full(url: str) -> None:
    """The address of a page is a part of each of its links, and its folders are traits of its type."""
    words = "Some sentence of words, and the rest of it, which goes on and never does stop"
    html = f"<title>Words</title><h1>Words</h1>{f'<p>{words}, <a href=x>a link</a>, and so on. ' * 500}"
    page = parse(Source("a", html.encode(), url))
    document = Document(page, SinglePage().predict(page))
    assert document.markdown.count("[a link](https://a.example/") == 500
    assert len(document.markdown) < 2e6  # without the limit 25 MB
    assert len(json.dumps(document_record(document))) < 3e6
    assert PageTypes().fit([page, page, page]).clustering_ is not None


def reading_commands() -> list[str]:
    """Return the commands that read pages."""
    command: Any = app()
    found = []
    for name, each in command.commands.items():
        members = getattr(each, "commands", {"": each})
        for member, one in members.items():
            if "urls" in {parameter.name for parameter in one.params}:
                found.append(f"{name} {member}".strip())
    return found


def test_each_command_that_reads_pages_has_the_limits_of_a_page() -> None:
    assert len(reading_commands()) > 10
    top: Any = app()
    for path in reading_commands():
        if path == "crawl":  # its URLs are no inputs
            continue
        command = top
        for name in path.split():
            command = command.commands[name]
        assert {"page_seconds", "page_memory"} <= {parameter.name for parameter in command.params}, path


# The interruption may fall into a callback of the garbage collector; Python reports this, and it comes again.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("command", ["segment", "show", "text", "extract", "dupes"])
def test_a_slow_page_fails_in_each_command(webgrain: Webgrain, tmp_path: Path, command: str) -> None:
    (tmp_path / "slow.html").write_bytes(b"<p>some words " * 100_000)
    (tmp_path / "fast.html").write_bytes(b"<title>t</title><h1>t</h1>" + b"<p>some words of text here. " * 9)
    webgrain(command, tmp_path / "fast.html")  # what is loaded only once
    done = webgrain(command, tmp_path, "--page-seconds", "0.02")
    assert "it takes longer than 0.02 s." in done.err


def test_a_page_that_needs_much_memory_fails() -> None:
    with limits(Guard(megabytes=64)):
        failure = run_step(Source("a", b""), "count", lambda page: np.ones(2**28).sum())
    assert isinstance(failure, Failure)
    assert failure.error == "it needs more than 64 MB of memory."


def test_limits_of_inputs_are_options() -> None:
    assert InputOptions(["a"], page_seconds=3, page_memory=7).guard == Guard(3, 7)


@pytest.mark.parametrize("at", [1, 500, 5_000])
@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0"])
def test_a_byte_order_mark_inside_a_page_changes_nothing(at: int, mark: bytes) -> None:
    body = b"<p>" + b"a" * at + mark + b"<p>the end</p>" * 20
    assert not find_charset(body).startswith("utf-16")
    assert parse(Source("a", body)).dom.text.endswith("the end")


def test_a_wrong_header_does_not_destroy_the_markup() -> None:
    assert parse(Source("a", b"<p>one<p>two", charset="utf-16")).dom.text == "onetwo"


@pytest.mark.parametrize(
    "body",
    [b"\xff\xfe<p>one<p>two", b"\xfe\xff<p>one<p>two", b"<meta charset=iso-2022-jp>\x1b$B<p>one<p>two"],
)
def test_a_charset_without_the_markup_is_not_believed(body: bytes) -> None:
    assert parse(Source("a", body)).dom.text.endswith("onetwo")


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_accepted_where_it_is_evident(charset: str) -> None:
    text = "<!DOCTYPE html><p>Grüße<p>中文"
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[charset]
    body = text.encode(charset)
    assert find_charset(mark + body) == find_charset(body, charset) == find_charset(body) == charset
    assert parse(Source("a", body)).dom.text == "Grüße中文"


def overlapping(path: Path, members: int, size: int) -> None:
    """Write an archive whose members all unpack the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0000.html", b"<p>" + b"x" * size)
    data = content.getvalue()
    directory = data.index(b"PK\x01\x02")
    entry = data[directory : data.index(b"PK\x05\x06")]
    entries = b"".join(entry.replace(b"0000.html", b"%04d.html" % k) for k in range(members))
    end = bytearray(data[data.index(b"PK\x05\x06") :])
    end[8:10] = end[10:12] = members.to_bytes(2, "little")
    end[12:16] = len(entries).to_bytes(4, "little")
    # The local header has one name; readers that do not compare it unpack the same data for each member.
    path.write_bytes(data[:directory] + entries + bytes(end))


def test_overlapping_members_fail(tmp_path: Path) -> None:
    overlapping(tmp_path / "a.zip", 1_000, 1_000_000)
    found = list(read(tmp_path / "a.zip"))
    assert len(found) <= 1_000
    assert not [page for page in found if not isinstance(page, Failure)]
    assert "zip bomb" in found[0].error  # type: ignore[union-attr]


def test_an_archive_beyond_the_size_limit_is_an_error(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for k in range(60):
            archive.writestr(f"{k:02}.html", b"<p>" + b"x" * 300_000)
    found = list(read(tmp_path / "a.zip", limits=Limits(bytes=400_000)))
    total = sum(len(page.body) for page in found if isinstance(page, Source))
    assert total <= 400_000 + 100 * (tmp_path / "a.zip").stat().st_size
    assert len(found) < 60
    assert "Reading stops" in found[-1].error  # type: ignore[union-attr]


def test_the_temporary_file_of_a_killed_run_is_removed(webgrain: Webgrain, tmp_path: Path) -> None:
    import subprocess
    import sys

    target = tmp_path / "out" / "records.csv"
    target.parent.mkdir()
    code = (
        "import os, sys, pathlib\nfrom webgrain.io.local import replacing\n"
        "with replacing(pathlib.Path(sys.argv[1])) as part:\n part.write_text('x'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(target)], check=False)
    assert len(list(target.parent.iterdir())) == 1
    from webgrain.io.local import replacing

    with replacing(target) as running, replacing(target) as part:  # a run at the same time keeps its file
        assert sorted(path.suffix for path in target.parent.iterdir()) == [".part", ".part"]
        assert running.exists()
        part.write_text("new")
    assert [path.name for path in target.parent.iterdir()] == ["records.csv"]


def test_a_system_without_limits_is_reported(
    webgrain: Webgrain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on other systems: the page is processed, and one sentence names the limits that do not exist."""
    (tmp_path / "a.html").write_bytes(b"<title>t</title><h1>t</h1>" + b"<p>some words of text here. " * 9)
    with_limits = webgrain("extract", tmp_path / "a.html", "--page-memory", 100)
    monkeypatch.delattr("signal.setitimer")
    monkeypatch.setattr("webgrain.engines.guard.memory_of", lambda process="self": None)
    done = webgrain("extract", tmp_path / "a.html", "--page-memory", 100)
    sentence = "This system cannot limit the time (it needs Unix) and the memory (it needs Linux) of a page."
    assert (done.code, done.out, done.err) == (0, with_limits.out, f"{with_limits.err}webgrain: {sentence}\n")
    assert sentence not in webgrain("extract", tmp_path / "a.html").err
    assert page_limits().found == "no limit of time (it needs Unix) and memory (it needs Linux)"


def test_results_of_an_earlier_run_are_replaced(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<title>t</title><h1>t</h1>" + b"<p>some words of text here. " * 9)
    target = tmp_path / "new.jsonl"
    target.write_text("of an earlier run\n" * 1_000)
    assert webgrain("extract", tmp_path / "a.html", "-o", target).code == 0
    [record] = map(json.loads, target.read_text(encoding="utf-8").splitlines())
    assert record["title"] == "t"


def test_a_full_disk_names_the_file(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<title>t</title>" + b"<p>some words of text here. " * 900)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        done = webgrain("extract", tmp_path / "a.html", "--format", "jsonl", "-o", tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.code == 2
    assert "articles.jsonl: File too large" in done.err
