"""Records out, whatever is in them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from webgrain.base.errors import InputError, ParameterError
from webgrain.io.write import FORMATS, open_writer

RECORDS = [
    {"page": "a.html", "energy": 1.5, "segments": [{"id": 0, "box": [0.0, 1.0, 2.0, 3.0]}]},
    {"page": "ü.html", "energy": None, "segments": []},
    {"page": "b.html", "stage": "read", "error": "It is no HTML."},
]


def write(kind: str, path: Path, *records: Any) -> Path:
    with open_writer(kind, path) as writer:
        for record in records:
            writer.write(record)
    return path


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_json_keeps_records_as_they_are(tmp_path: Path) -> None:
    assert lines(write("jsonl", tmp_path / "a", *RECORDS)) == RECORDS


def test_a_table_has_the_columns_of_all_records(tmp_path: Path) -> None:
    table = cells(write("csv", tmp_path / "a.csv", *RECORDS))
    assert list(table[0]) == ["page", "energy", "segments", "stage", "error"]
    assert table[0]["segments"] == json.dumps(RECORDS[0]["segments"])
    assert table[1]["page"] == "ü.html"
    assert (table[2]["stage"], table[2]["energy"]) == ("read", "")
    rows = pq.read_table(write("parquet", tmp_path / "a.parquet", *RECORDS)).to_pylist()
    assert [row["energy"] for row in rows] == [1.5, None, None]
    assert [row["error"] for row in rows] == [None, None, "It is no HTML."]
    assert json.loads(rows[0]["segments"]) == RECORDS[0]["segments"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_without_records_has_its_columns(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    with open_writer(kind, path, ["page", "error"]):
        pass
    found = pq.read_table(path).column_names if kind == "parquet" else path.read_text().split(",")
    assert [name.strip() for name in found] == ["page", "error"]


def test_parquet_columns_have_the_type_of_their_values(tmp_path: Path) -> None:
    first = {"yes": True, "count": 1, "x": 1, "mixed": 1, "none": None, "text": "a", "large": 2**70}
    second = {"yes": None, "count": 2, "x": 0.5, "mixed": "one", "none": None, "text": None, "large": 1}
    table = pq.read_table(write("parquet", tmp_path / "a", first, second))
    types = {field.name: str(field.type) for field in table.schema}
    assert types == {
        "yes": "bool", "count": "int64", "x": "double", "mixed": "string", "none": "string",
        "text": "string", "large": "string",
    }  # fmt: skip
    assert table["mixed"].to_pylist() == ["1", "one"]
    assert table["large"].to_pylist() == [str(2**70), "1"]


def test_long_tables_are_complete(tmp_path: Path) -> None:
    records = [{"k": k, f"column {k % 3}": k} for k in range(2500)]
    assert [int(row["k"]) for row in cells(write("csv", tmp_path / "a", *records))] == list(range(2500))
    assert pq.read_table(write("parquet", tmp_path / "b", *records))["k"].to_pylist() == list(range(2500))


@pytest.mark.parametrize("kind", FORMATS)
def test_no_records(kind: str, tmp_path: Path) -> None:
    path = write(kind, tmp_path / "a")
    assert path.exists()
    if kind == "parquet":
        assert pq.read_table(path).num_rows == 0


@pytest.mark.parametrize("kind", FORMATS)
def test_odd_texts_and_numbers(kind: str, tmp_path: Path) -> None:
    record = {
        "lone": "a\udc80b", "pair": "\ud83d\ude00", "nul": "a\0b", "lines": "a\r\nb\u2028c\n",
        "quote": '"\',;',
        "nan": float("nan"), "deep": {"x": [float("inf"), np.float32(0.5)]}, "array": np.arange(2),
        "number": np.int32(7), "path": Path("a/b"),
    }  # fmt: skip
    path = write(kind, tmp_path / "a", record)
    if kind == "jsonl":
        (found,) = (json.loads(line) for line in path.read_bytes().decode("utf-8").split("\n")[:-1])
        assert found["deep"] == {"x": [None, 0.5]}
        assert (found["array"], found["number"], found["nan"]) == ([0, 1], 7, None)
    else:
        (found,) = cells(path) if kind == "csv" else pq.read_table(path).to_pylist()
        assert json.loads(found["deep"]) == {"x": [None, 0.5]}
        assert str(found["number"]) == "7"
    assert found["lone"] == "a\ufffdb"
    assert found["pair"] == "\U0001f600"
    for name in ("nul", "lines", "quote"):
        assert found[name] == record[name]
    assert found["path"] == "a/b"


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1", "-", "=1", "-1-1"]
)
def test_spreadsheets_run_no_cell_of_a_page(text: str, tmp_path: Path) -> None:
    path = write("csv", tmp_path / "a", {"text": text})
    assert cells(path)[0]["text"] == "'" + text
    path = write("jsonl", tmp_path / "b", {"text": text})
    assert lines(path) == [{"text": text}]


@pytest.mark.parametrize("value", [-1, -1.5, "-1", "+2.5", "a=b", "", "'", 1e-9])
def test_numbers_and_other_texts_stay(value: object, tmp_path: Path) -> None:
    assert cells(write("csv", tmp_path / "a", {"a": value, "b": 1}))[0]["a"] == str(value)


def test_an_interrupted_run_leaves_the_lines_that_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with suppress(KeyboardInterrupt), open_writer("jsonl", path) as writer:
        writer.write({"new": 1})
        assert lines(path) == [{"new": 1}]
        raise KeyboardInterrupt
    assert lines(path) == [{"new": 1}]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_an_interrupted_run_leaves_the_old_table(kind: str, tmp_path: Path) -> None:
    path = write("jsonl", tmp_path / "a", {"old": 1})

    def write_half() -> None:
        with open_writer(kind, path) as writer:
            writer.write({"new": 1})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert lines(path) == [{"old": 1}]
    assert os.listdir(tmp_path) == ["a"]


def test_wrong_calls_raise(tmp_path: Path) -> None:
    with (
        pytest.raises(ParameterError, match="one of jsonl, csv, parquet, got 'xml'"),
        open_writer("xml", "-"),
    ):
        pass
    with pytest.raises(InputError, match="is a folder"), open_writer("csv", tmp_path):
        pass
    with pytest.raises(InputError, match="cannot be written"), open_writer("csv", tmp_path / "no/a"):
        pass
    with (
        open_writer("jsonl", tmp_path / "a") as writer,
        pytest.raises(ParameterError, match="holds a object"),
    ):
        writer.write({"a": object()})


@pytest.mark.parametrize("kind", FORMATS)
def test_standard_output(kind: str, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    write(kind, Path("-"), {"a": "ü"}, {"a": "b"})
    out, err = capfdbinary.readouterr()
    assert err == b""
    if kind == "parquet":
        (tmp_path / "a").write_bytes(out)
        assert pq.read_table(tmp_path / "a").to_pylist() == [{"a": "ü"}, {"a": "b"}]
    else:
        assert out.decode() == ('{"a": "ü"}\n{"a": "b"}\n' if kind == "jsonl" else "a\nü\nb\n")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_reader_that_stops_ends_the_block_without_a_message(kind: str) -> None:
    program = (
        "import os, sys\nfrom webgrain.io.write import open_writer\n"
        f"with open_writer({kind!r}, '-') as w:\n"
        "    for k in range(1000): w.write({'k': k, 'text': os.urandom(200).hex()})\n"
        "print('on it goes', file=sys.stderr)"
    )
    command = f'"{sys.executable}" -c "$PROGRAM" | head -c 10 > /dev/null'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "PROGRAM": program},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b"on it goes\n"
