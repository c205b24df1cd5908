"""``webgrain table``."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from tests.lists.test_lists import shop

from webgrain.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr("sys.argv", ["webgrain", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_text(shop(4).replace("A useful", "=A useful"))
    (pages / "b.html").write_text(shop(5))
    return pages


def test_a_row_per_item_as_csv(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.csv"
    assert run(monkeypatch, "table", str(folder), "-o", str(target)) in (0, None)
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert len(rows) == 9
    assert rows[0]["name"].startswith("'=A useful")  # no formula
    assert {row["list"] for row in rows} == {"1"}
    assert [row["item"] for row in rows if row["page"].endswith("b.html")] == ["1", "2", "3", "4", "5"]


def test_parquet_and_json_lines(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run(monkeypatch, "table", str(folder), "-o", str(tmp_path / "out.parquet"))
    run(monkeypatch, "table", str(folder), "-o", str(tmp_path / "out.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    table = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["name"] for row in table] == [row["name"] for row in lines]
    assert lines[0]["name"].startswith("=A useful")


def test_selectors_of_all_lists(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "table", str(folder / "b.html"), "--selectors", "--list", "all", "--format", "jsonl")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0]["items"] == "div"
    assert [row["list"] for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--list", "0"), "--list must be"), (("-o", "x.csv", "--format", "parquet"), "contradicts")],
)
def test_wrong_options(
    folder: Path,
    arguments: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, "table", str(folder), *arguments) == 2
    assert message in capsys.readouterr().err


def test_pages_without_a_list_end_with_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.html").write_text("<p>One paragraph.")
    assert run(monkeypatch, "table", str(tmp_path / "a.html")) == 2
    assert "No page has a list" in capsys.readouterr().err
