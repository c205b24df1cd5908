"""``webgrain eval extraction``: tables and records of the extraction of webgrain and the baselines."""

from __future__ import annotations

import csv
import io
import json
import lzma
import tarfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from webgrain.evaluation.extraction import MEASURES

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]

STORY = " ".join(f"Sentence number {k} is about the weather of the last week." for k in range(12))
ITEMS = [f"Day {k} was wet in the morning and cold in the afternoon, with some wind." for k in range(4)]
LIST = f"<ul>{''.join(f'<li>{item}</li>' for item in ITEMS)}</ul>"
PAGE = (
    "<html lang=en><title>Rain | News</title><body><nav><a href=/>Home</a> <a href=/a>About us</a></nav>"
    f"<main><h1>Rain</h1><p>{STORY}</p>{LIST}</main>"
)
PROGRAMS = ["webgrain", "all visible text", "largest container"]


@pytest.fixture
def truths(tmp_path: Path) -> Path:
    (tmp_path / "rain.html").write_text(PAGE)
    (tmp_path / "empty.html").write_text("")
    records = [
        {"page": "rain.html", "text": f"{STORY} {' '.join(ITEMS)}", "html": f"<p>{STORY}</p>{LIST}",
         "title": "Rain", "language": "en", "authors": []},
        {"page": "empty.html", "text": ""},
    ]  # fmt: skip
    (tmp_path / "truths.jsonl").write_text("\n".join(map(json.dumps, records)))
    return tmp_path / "truths.jsonl"


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    """Two suites of a page each."""
    records: dict[str, dict[str, Any]] = {
        "trafilatura": {"w": ["number 3"], "wo": ["Home"], "annot": True, "title": "Rain"},
        "goose3": {"begin": "Sentence number&nbsp;0", "language": "en"},
    }
    for name, record in records.items():
        with tarfile.open(tmp_path / f"{name}.tar.xz", "w:xz") as archive:
            member = tarfile.TarInfo("0000.html")
            member.size = len(PAGE)
            archive.addfile(member, io.BytesIO(PAGE.encode()))
        with lzma.open(tmp_path / f"{name}.jsonl.xz", "wt") as file:
            json.dump({"page": "0000.html", "url": None, "id": "a", **record}, file)
    return tmp_path


def test_tables(webgrain: Webgrain, truths: Path) -> None:
    ended = webgrain("eval", "extraction", truths)
    assert (ended.code, ended.err) == (0, "")
    tables = [table.splitlines() for table in ended.out.strip().split("\n\n")]
    names = [table[0].partition("  ")[0] for table in tables]
    assert names == ["text", "recall of elements", "precision of elements", "metadata"]
    assert [line.partition("  ")[0] for line in tables[0][1:]] == PROGRAMS
    assert [line.partition("  ")[0] for line in tables[1][1:]] == PROGRAMS[:2]
    assert tables[0][1].split()[1] == "2"
    assert tables[0][1].split()[2:] == ["1.000"] * 3 + [".000"] * 5
    assert tables[1][0].split()[-1] == "item"
    assert tables[1][1].split()[-1] == "1.000"


def test_records(webgrain: Webgrain, truths: Path) -> None:
    records = webgrain("eval", "extraction", truths, "--format", "jsonl").records
    rows = {row["program"]: row for row in records}
    assert list(rows) == PROGRAMS
    assert set(MEASURES) < set(rows["webgrain"])
    assert rows["all visible text"]["recall"] == rows["webgrain"]["title"] == 1.0
    assert rows["webgrain"]["precision"] == 1.0 > rows["all visible text"]["precision"]
    assert (rows["webgrain"]["item_true"], rows["webgrain"]["item_right"]) == (4, 4)
    assert rows["webgrain"]["author_invented"] == 0.0
    assert rows["largest container"]["title"] is None
    table = webgrain("eval", "extraction", truths, "--format", "csv").out
    assert [row["program"] for row in csv.DictReader(io.StringIO(table))] == PROGRAMS


def test_rows_for_pages(webgrain: Webgrain, truths: Path) -> None:
    rows = webgrain("eval", "extraction", truths, "--format", "jsonl", "--pages").records
    assert [(row["page"], row["program"]) for row in rows[:3]] == [("rain.html", name) for name in PROGRAMS]
    assert [row["page"] for row in rows[3:]] == ["empty.html"] * 3
    assert rows[0]["error"] is None
    assert rows[3]["f1"] == 1.0


def test_suites(webgrain: Webgrain, suites: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = webgrain("eval", "extraction", suites, "--format", "jsonl").records
    assert [row["suite"] for row in rows] == ["trafilatura"] * 3 + ["goose3"] * 3
    assert (rows[0]["snippet_f1"], rows[0]["title"], rows[0]["date_invented"]) == (1.0, 1.0, 0.0)
    assert rows[1]["snippet_f1"] == pytest.approx(2 / 3)
    assert rows[3]["opening"] == 1.0
    (suites / "main-content").mkdir()
    (suites / "main-content" / "suites").symlink_to(suites)
    monkeypatch.setenv("WEBGRAIN_DATA", str(suites))
    assert webgrain("eval", "extraction", "--suite", "goose3", "--format", "jsonl").records == rows[3:]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("truths.jsonl", "--suite", "goose3"),
            "--suite must be omitted for the file of truths truths.jsonl.",
        ),
        ((".", "--suite", "goose"), "--suite must be one of readability, trafilatura,"),
        ((".", "--suite", "htmldate"), "htmldate.jsonl.xz cannot be read: No such file or directory."),
        (("nowhere",), "There are no known pages at nowhere"),
        (("--pages",), "--pages needs --format csv or jsonl."),
        ((".",), "There are no suites in ."),
        (("rain.html",), "rain.html, line 1 is no record of truths"),
        (("none.jsonl",), "The data contains no page."),
    ],
)
def test_mistakes(
    webgrain: Webgrain,
    truths: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(truths.parent)
    (truths.parent / "none.jsonl").touch()
    ended = webgrain("eval", "extraction", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
