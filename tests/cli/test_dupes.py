from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]
NEWS = "".join(f"<p>The {k}th sentence of a piece of news that is told twice in this town." for k in range(9))


def page(frame: str, content: str) -> str:
    menu = "".join(f"<li><a href={k}>{frame} number {k}</a>" for k in range(30))
    return f"<!doctype html><nav><ul>{menu}</ul></nav><main>{content}</main><footer>{frame}</footer>"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Pages a and b have the same content, c is a copy of b, and d has other content in the frame of a."""
    folder = tmp_path / "crawl"
    other = NEWS.replace("piece", "bit").replace("town", "city").replace("told", "sung")
    texts = {
        "a": page("Ours", NEWS),
        "b": page("Theirs", NEWS),
        "c": page("Theirs", NEWS),
        "d": page("Ours", other),
    }
    for name, html in texts.items():
        site = folder / ("theirs.org" if name in "bc" else "ours.org")
        site.mkdir(exist_ok=True, parents=True)
        (site / f"{name}.html").write_text(html)
    return folder


def pairs(done: Any) -> dict[tuple[str, str], str]:
    return {(r["a"][-6], r["b"][-6]): r["verdict"] for r in done.records if "verdict" in r}


EXPECTED = {("a", "b"): "near-duplicate", ("a", "c"): "near-duplicate", ("b", "c"): "same-page"}


def test_pairs(webgrain: Webgrain, crawl: Path) -> None:
    done = webgrain("dupes", crawl)
    assert (done.code, done.err) == (0, "")
    assert pairs(done) == EXPECTED
    assert {r["representative"] for r in done.records} == {"ours.org/a.html"}
    assert done.out == webgrain("dupes", crawl).out


def test_same_template_and_too_little_text(webgrain: Webgrain, crawl: Path) -> None:
    found = pairs(webgrain("dupes", crawl, "--same-template"))
    assert found == EXPECTED | {("a", "d"): "same-template"}


def test_what_differs_is_in_the_record(webgrain: Webgrain, crawl: Path) -> None:
    record = webgrain("dupes", crawl).records[0]
    assert record["a_only"].startswith("Ours number 0")
    assert record["b_only"].startswith("Theirs number 0")
    assert 0.2 < record["similarity"] < 1
    assert record["a_specific"] > 50


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_the_list_of_pages_to_keep(webgrain: Webgrain, crawl: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"keep.{kind}"
    assert webgrain("dupes", crawl, "--clusters", file).code == 0
    if kind == "parquet":
        rows = pytest.importorskip("pyarrow.parquet").read_table(file).to_pylist()
    elif kind == "csv":
        rows = [
            row | {"keep": row["keep"] == "true"} for row in csv.DictReader(file.read_text().splitlines())
        ]
    else:
        rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(row["page"][-6:], row["keep"]) for row in rows] == [
        ("a.html", True),
        ("d.html", True),
        ("b.html", False),
        ("c.html", False),
    ]


def test_the_published_test(webgrain: Webgrain, crawl: Path) -> None:
    done = webgrain("dupes", crawl, "--method", "shingles")
    assert pairs(done) == dict.fromkeys(EXPECTED, "near-duplicate")
    assert all(4 <= record["similarity"] <= 8 for record in done.records)
    failed = webgrain("dupes", crawl, "--method", "shingles", "--index", crawl / "a.db")
    assert (failed.code, failed.err) == (
        2,
        "webgrain: --method shingles needs inputs and takes no index.\n",
    )


def test_an_index_can_be_saved_and_queried(webgrain: Webgrain, crawl: Path, tmp_path: Path) -> None:
    index = tmp_path / "dupes.db"
    assert (
        webgrain("dupes", crawl / "ours.org/a.html", crawl / "ours.org/d.html", "--index", index).records
        == []
    )
    added = webgrain("dupes", crawl / "theirs.org/b.html", "--index", index)
    assert list(pairs(added).values()) == ["near-duplicate"]
    assert webgrain("dupes", crawl / "ours.org/d.html", "--index", index).records == []
    [stored] = webgrain("dupes", "--index", index).records
    assert stored == added.records[0] | {"a_only": None, "b_only": None}  # an index has no texts


def test_against_an_older_index(webgrain: Webgrain, crawl: Path, tmp_path: Path) -> None:
    index = tmp_path / "old.db"
    webgrain("dupes", crawl / "ours.org/a.html", "--index", index)
    before = index.read_bytes()
    done = webgrain("dupes", crawl / "theirs.org/b.html", crawl / "ours.org/d.html", "--against", index)
    assert [(r["a_older"], r["verdict"]) for r in done.records] == [(True, "near-duplicate")]
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


def test_strict_changes_the_exit_code_only(webgrain: Webgrain, crawl: Path, tmp_path: Path) -> None:
    (crawl / "empty.html").write_text("<p>")
    keep = tmp_path / "keep.csv"
    done = webgrain("dupes", crawl, "--format", "csv", "--clusters", keep, "--strict")
    assert (done.code, done.out.count("\n")) == (1, 5)  # names of columns, a failure, three pairs
    assert keep.read_text().count("\n") == 5


def test_one_word_pages(webgrain: Webgrain, tmp_path: Path) -> None:
    for name, text in {"a": "Yes", "b": "yes.", "c": "No"}.items():
        (tmp_path / f"{name}.html").write_text(text)
    assert pairs(webgrain("dupes", tmp_path)) == {("a", "b"): "same-page"}


def test_wrong_arguments_give_one_sentence(webgrain: Webgrain, crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("<html>" * 999)
    sqlite3.connect(tmp_path / "v.db").execute("PRAGMA user_version = 9").connection.close()
    webgrain("dupes", crawl, "--index", tmp_path / "x.db")
    mistakes = {
        ("--index", tmp_path / "no.db"): "is damaged, or no index of duplicates: file is not a database.",
        ("--index", tmp_path / "no" / "a.db"): "cannot be read or written: unable to open database file.",
        ("--against", tmp_path / "none.db"): "There is no index ",
        ("--threshold", "1.5"): "threshold must be above 0 and at most 1, got 1.5.",
        ("--clusters", tmp_path / "keep.txt"): "--clusters needs an input and a file that ends in .jsonl,",
    }
    for options, expected in mistakes.items():
        done = webgrain("dupes", crawl, *options)
        assert (done.code, done.out) == (2, ""), options
        assert expected in done.err
        assert done.err.count("\n") == 1
    done = webgrain("dupes", "--same-template")
    assert (done.code, done.err) == (2, "webgrain: Name at least one input, or an index with --index.\n")
    done = webgrain("dupes", "--index", tmp_path / "none.db")
    assert (done.code, done.err) == (2, f"webgrain: There is no index {tmp_path / 'none.db'}.\n")
    assert not (tmp_path / "none.db").exists()
