"""The command ``webgrain corpus``."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.cli.conftest import Webgrain
from tests.papers.articles import article


def body_of(number: int) -> bytes:
    """Return the HTML of an article."""
    source = article(number).source
    assert source is not None
    return source.body


def test_command(webgrain: Webgrain, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.html").write_bytes(body_of(number))
    (folder / "copy.html").write_bytes(body_of(3))
    output = tmp_path / "corpus.jsonl"
    done = webgrain("corpus", folder, "-o", output, "--workers", 1)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{output}: 12 documents of 13 pages, ")
    assert "left out: near-duplicate" in done.out
    assert len(output.read_text("utf-8").splitlines()) == 12
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.jsonl", "site"]
    wrong = webgrain("corpus", folder, "-o", tmp_path / "corpus.md")
    assert (wrong.code, "ends in .parquet, .jsonl or .csv" in wrong.err) == (2, True)
    wrong = webgrain("corpus", folder, "-o", output, "--kind", "poem")
    assert (wrong.code, "A kind must be one of" in wrong.err) == (2, True)


def test_wrong_inputs_leave_nothing(webgrain: Webgrain, tmp_path: Path) -> None:
    """A mistake neither replaces a file nor leaves a folder that refuses the corrected command."""
    folder = tmp_path / "site"
    folder.mkdir()
    output = tmp_path / "corpus.csv"
    output.write_text("an earlier corpus", "utf-8")
    for arguments, message in (
        ((tmp_path / "sight", "-o", output), "sight does not exist"),
        ((folder, "-o", output), "The input contains no page"),
        ((folder, "-o", folder / "corpus.csv"), "must not be inside the input"),
        ((folder, "-o", output, "--dropped", output), "the corpus is written to this file"),
        ((folder, output, "-o", output), "is an input"),
        (("-", "-o", output), "stdin holds only one page"),
    ):
        wrong = webgrain("corpus", *arguments)
        assert (wrong.code, message in wrong.err) == (2, True), wrong.err
        assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.csv", "site"]
        assert not any(folder.iterdir())
    assert output.read_text("utf-8") == "an earlier corpus"


def test_failures_are_named(webgrain: Webgrain, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n", "utf-8")
    dropped = tmp_path / "dropped.csv"
    done = webgrain("corpus", table, "-o", tmp_path / "corpus.csv", "--dropped", dropped, "--workers", 1)
    assert (done.code, "0 documents of 1 page" in done.out) == (2, True)
    assert "table.csv: read: " in done.err
    with dropped.open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert row["reason"] == "read"
    assert row["error"]


def test_a_folder_of_work_belongs_to_a_selection(webgrain: Webgrain, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.html").write_bytes(body_of(number))
    call = ("corpus", folder, "-o", tmp_path / "corpus.csv", "--work", tmp_path / "work", "--workers", 1)
    assert "2 documents of 2 pages" in webgrain(*call, "--only", "[01]").out
    assert "2 documents of 2 pages" in webgrain(*call, "--only", "[01]", "--min-length", 2).out
    wrong = webgrain(*call)
    assert wrong.code == 2
    assert "contains a different corpus (input was" in wrong.err
