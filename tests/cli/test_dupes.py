from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from webgrain.io.read import read
from webgrain.layouts.sitelayouts import SiteLayouts, write_layouts
from webgrain.page.page import Page
from webgrain.pipeline import pages as layout_pages
from webgrain.templates.regextree import RegexTree
from webgrain.templates.template import write_template

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]
NEWS = "".join(f"<p>The {k}th sentence of a piece of news that is told twice in this town." for k in range(9))


def page(frame: str, content: str) -> str:
    menu = "".join(f"<li><a href={k}>{frame} number {k}</a>" for k in range(30))
    return f"<!doctype html><nav><ul>{menu}</ul></nav><main>{content}</main><footer>{frame}</footer>"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Pages a and b say the same in other frames; c is a copy of b; d is something else in the frame of a."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    other = NEWS.replace("piece", "bit").replace("town", "city").replace("told", "sung")
    texts = {
        "a": page("Ours", NEWS),
        "b": page("Theirs", NEWS),
        "c": page("Theirs", NEWS),
        "d": page("Ours", other),
    }
    for name, html in texts.items():
        (folder / f"{name}.html").write_text(html)
    return folder


def pairs(done: Any) -> dict[tuple[str, str], str]:
    return {(r["a"][0], r["b"][0]): r["verdict"] for r in done.records if "verdict" in r}


EXPECTED = {("a", "b"): "same-content", ("a", "c"): "same-content", ("b", "c"): "identical"}


def test_pairs(webgrain: Webgrain, crawl: Path) -> None:
    done = webgrain("dupes", crawl)
    assert (done.code, done.err) == (0, "")
    assert pairs(done) == EXPECTED
    assert {r["representative"] for r in done.records} == {"a.html"}
    assert done.out == webgrain("dupes", crawl).out


def test_all(webgrain: Webgrain, crawl: Path) -> None:
    assert pairs(webgrain("dupes", crawl, "--same-template")) == EXPECTED | {("a", "d"): "same-template"}


def test_by_page_or_content(webgrain: Webgrain, crawl: Path) -> None:
    assert pairs(webgrain("dupes", crawl, "--by", "page")) == {("b", "c"): "identical"}
    assert pairs(webgrain("dupes", crawl, "--by", "content")) == EXPECTED
    assert pairs(webgrain("dupes", crawl, "--content", "landmark")) == EXPECTED


def test_the_main_content_by_a_model(webgrain: Webgrain, tmp_path: Path) -> None:
    """Two sites of three articles each; the first article of both is the same."""
    for site in ("ours", "theirs"):
        (tmp_path / site).mkdir()
        for k, name in enumerate(("a", "b", "c")):
            own = "" if k == 0 else f" And {site} {name} has said so."
            text = "".join(f"<p>{name} sentence {i} of the {k + 2}nd piece of news.{own}" for i in range(9))
            menu = "".join(f"<li>{site} entry {i}" for i in range(60))
            html = f"<title>{name}</title><ul>{menu}</ul><div id=main><h1>Title {name}</h1>{text}</div>"
            (tmp_path / site / f"{name}.html").write_text(html)
    pages = [
        page
        for site in ("ours", "theirs")
        for page in layout_pages(read([tmp_path / site]))
        if isinstance(page, Page)
    ]
    write_layouts(tmp_path / "layouts.json", SiteLayouts().fit(pages[:3]))
    write_template(tmp_path / "template.json", RegexTree().fit(pages[:3]).template_)
    (record,) = webgrain(
        "dupes", tmp_path / "ours", tmp_path / "theirs", "--layouts", tmp_path / "layouts.json"
    ).records
    assert (record["verdict"], record["content_similarity"]) == ("same-content", 1.0)
    assert (record["a"][-11:], record["b"][-13:]) == ("ours/a.html", "theirs/a.html")
    copy = (tmp_path / "ours" / "a.html").read_text().replace("sentence 8", "phrase 8")
    (tmp_path / "ours" / "d.html").write_text(copy)
    (record,) = webgrain("dupes", tmp_path / "ours", "--template", tmp_path / "template.json").records
    assert (record["verdict"], record["frame_similarity"]) == ("near-duplicate", 1.0)
    assert not any("ul" in path for path in record["a_content"])  # the menu is noise
    assert webgrain("dupes", tmp_path / "ours", "--layouts", tmp_path / "no.json").code == 2


def test_an_index_is_kept_and_asked(webgrain: Webgrain, crawl: Path, tmp_path: Path) -> None:
    index = tmp_path / "dupes.db"
    assert webgrain("dupes", crawl / "a.html", crawl / "d.html", "--index", index).records == []
    added = webgrain("dupes", crawl / "b.html", "--index", index)
    assert list(pairs(added).values()) == ["same-content"]
    assert webgrain("dupes", crawl / "d.html", "--index", index).records == []
    assert webgrain("dupes", "--index", index).records == added.records


def test_against_an_older_index(webgrain: Webgrain, crawl: Path, tmp_path: Path) -> None:
    index = tmp_path / "old.db"
    webgrain("dupes", crawl / "a.html", "--index", index)
    before = index.read_bytes()
    done = webgrain("dupes", crawl / "b.html", crawl / "d.html", "--against", index)
    assert [(r["a_older"], r["verdict"]) for r in done.records] == [(True, "same-content")]
    assert index.read_bytes() == before


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_a_folder_has_fixed_names(webgrain: Webgrain, crawl: Path, tmp_path: Path, kind: str) -> None:
    (crawl / "broken.html").write_bytes(b"GIF89a\x00")
    (crawl / "empty.html").write_text("<p>")
    done = webgrain("dupes", crawl, "--format", kind, "-o", tmp_path / "out")
    assert (done.code, done.out) == (0, "")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [f"failures.{kind}", f"pairs.{kind}"]
    if kind == "csv":
        lines = (tmp_path / "out" / "pairs.csv").read_text(encoding="utf-8").splitlines()
        rows = list(csv.DictReader(lines))
        assert [row["verdict"] for row in rows] == list(EXPECTED.values())
    if kind == "jsonl":
        lines = (tmp_path / "out" / "failures.jsonl").read_text().splitlines()
        assert [(r["page"], r["stage"]) for r in map(json.loads, lines)] == [
            ("broken.html", "read"),
            ("empty.html", "dupes"),
        ]


def test_a_failed_page_is_a_record(webgrain: Webgrain, crawl: Path) -> None:
    (crawl / "empty.html").write_text("<p>")
    done = webgrain("dupes", crawl)
    failed = [r for r in done.records if "stage" in r]
    assert [(r["page"], r["error"]) for r in failed] == [("empty.html", "there is no text on the page.")]
    assert done.err == "webgrain: empty.html: dupes: there is no text on the page.\n"
    assert pairs(done) == EXPECTED
    assert webgrain("dupes", crawl, "--strict").code == 1


def test_one_word_pages(webgrain: Webgrain, tmp_path: Path) -> None:
    for name, text in {"a": "Yes", "b": "yes.", "c": "No"}.items():
        (tmp_path / f"{name}.html").write_text(text)
    assert pairs(webgrain("dupes", tmp_path)) == {("a", "b"): "near-duplicate"}


def test_mistakes_are_said_in_one_sentence(webgrain: Webgrain, crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("<html>" * 999)
    sqlite3.connect(tmp_path / "v.db").execute("PRAGMA user_version = 9").connection.close()
    webgrain("dupes", crawl, "--index", tmp_path / "x.db")
    mistakes = {
        ("--index", tmp_path / "no.db"): "is damaged, or no index of duplicates: file is not a database.",
        ("--index", tmp_path / "no" / "a.db"): "cannot be read or written: unable to open database file.",
        ("--against", tmp_path / "none.db"): "There is no index ",
        ("--threshold", "1.5"): "--threshold must be in 0.2..1, got 1.5.",
        ("--index", tmp_path / "x.db", "--threshold", "0.5"): "it cannot answer for {'threshold': 0.5",
    }
    for options, expected in mistakes.items():
        done = webgrain("dupes", crawl, *options)
        assert (done.code, done.out) == (2, ""), options
        assert expected in done.err
        assert done.err.count("\n") == 1
    done = webgrain("dupes", "--by", "page")
    assert (done.code, done.err) == (2, "webgrain: Name at least one input, or an index with --index.\n")
    done = webgrain("dupes", "--index", tmp_path / "none.db")
    assert (done.code, done.err) == (2, f"webgrain: There is no index {tmp_path / 'none.db'}.\n")
    assert not (tmp_path / "none.db").exists()


def test_the_curve_is_printed(webgrain: Webgrain) -> None:
    done = webgrain("dupes", "--curve", "--threshold", "0.9")
    first, _, *rows = done.out.splitlines()
    assert (done.code, first) == (0, "threshold 0.9: 12 bands of 10 hashes")
    assert [row.split()[:2] for row in rows][::10] == [
        ["0.00", "0.000"],
        ["0.50", "0.012"],
        ["1.00", "1.000"],
    ]
