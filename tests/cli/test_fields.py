"""``webgrain fields``."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from tests.fields.test_fields import product

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Webgrain


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop" / "bowls"
    folder.mkdir(parents=True)
    for number in range(8):
        (folder / f"{number}.html").write_text(product(number), encoding="utf-8")
    return folder.parent


def test_the_fields_are_printed(webgrain: Webgrain, shop: Path) -> None:
    done = webgrain("fields", shop)
    heading, *lines = done.out.splitlines()
    assert heading.endswith("[bowls]")
    assert lines[0].split()[:4] == ["title", "text", "100%", "h1"]
    assert any("price_old" in line for line in lines)


def test_fields_are_printed_with_the_names_of_their_columns(
    webgrain: Webgrain, shop: Path, tmp_path: Path
) -> None:
    for path in sorted((shop / "bowls").iterdir()):
        number = int(path.stem)
        label = f"<dl><dt>Page</dt><dd>{'abcdefgh'[number]} {number * 7}</dd></dl>"
        path.write_text(path.read_text(encoding="utf-8").replace("</h1>", f"</h1>{label}"), encoding="utf-8")
    printed = webgrain("fields", shop).out
    webgrain("fields", shop, "-o", tmp_path / "bowls.csv")
    [columns, *_] = csv.reader((tmp_path / "bowls.csv").read_text().splitlines())
    assert "page_2" in columns
    assert [line.split()[0] for line in printed.splitlines()[1:]] == columns[2:]


def test_a_csv_file_has_a_row_for_each_page(webgrain: Webgrain, shop: Path, tmp_path: Path) -> None:
    target = tmp_path / "bowls.csv"
    done = webgrain("fields", shop, "-o", target)
    assert (done.code, done.out) == (0, f"{target}: 8 pages\n")
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert [row["page"] for row in rows] == [f"bowls/{number}.html" for number in range(8)]
    assert rows[3]["price"] == "13,50 €"


def test_a_folder_has_a_file_for_each_type(webgrain: Webgrain, shop: Path, tmp_path: Path) -> None:
    assert webgrain("fields", shop, "-o", tmp_path / "tables").code == 0
    [file] = (tmp_path / "tables").iterdir()
    assert file.name == "bowls.jsonl"
    record = json.loads(file.read_text().splitlines()[0])
    assert record["breadcrumb"] == ["Home", "Bowls 0"]


def test_a_stored_model_reads_new_pages(webgrain: Webgrain, shop: Path, tmp_path: Path) -> None:
    webgrain("fields", shop, "--save", tmp_path / "site.json")
    new = tmp_path / "new" / "bowls"
    new.mkdir(parents=True)
    (new / "77.html").write_text(product(77))
    done = webgrain("fields", new.parent, "--model", tmp_path / "site.json", "-o", tmp_path / "new.jsonl")
    assert done.code == 0
    [row] = map(json.loads, (tmp_path / "new.jsonl").read_text().splitlines())
    assert row["price"] == "87,50 €"


def test_pages_without_fields_are_explained(webgrain: Webgrain, shop: Path, tmp_path: Path) -> None:
    webgrain("fields", shop, "--save", tmp_path / "site.json")
    other = tmp_path / "other.html"
    other.write_text("<!doctype html><title>Tides</title><table><tr><td>High water<td>9:14</table>")
    done = webgrain("fields", other, "--model", tmp_path / "site.json", "-o", tmp_path / "new.jsonl")
    assert (done.code, done.out) == (0, f"{tmp_path / 'new.jsonl'}: 0 pages\n")
    assert done.err.startswith("webgrain: No page is in a table: of 1 page, none has a type of the model")


def test_pages_of_types_that_are_not_chosen_are_explained(
    webgrain: Webgrain, shop: Path, tmp_path: Path
) -> None:
    (shop / "news").mkdir()
    for number in range(8):
        day = f"<title>Day {number}</title><article><h2>Day {number}</h2><time>{number + 1} May 2024</time>"
        texts = "".join(f"<p class=story>Words {number} of a story.</p>" for _ in range(6))
        (shop / "news" / f"{number}.html").write_text(day + texts + "</article>", encoding="utf-8")
    webgrain("fields", shop, "--save", tmp_path / "site.json")
    stored = ("--model", tmp_path / "site.json", "-o", tmp_path / "new.jsonl", "--type", "bowls")
    done = webgrain("fields", shop / "news", *stored)
    assert done.code == 0
    assert done.err.startswith("webgrain: No page is in a table: the pages are of other types (Lists of news")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--type", "news"], "there is no such type with fields; there are bowls"),
        (["-o", "bowls.xlsx"], "expected a file that ends in .jsonl, .csv or .parquet, or a folder"),
        (["--model", "a.json", "--save", "b.json"], "cannot be combined with --model"),
        (["--marks", "missing.jsonl"], "The marks missing.jsonl cannot be read"),
    ],
)
def test_mistakes_are_one_sentence(webgrain: Webgrain, shop: Path, options: list[str], message: str) -> None:
    done = webgrain("fields", shop, *options)
    assert done.code == 2
    assert message in done.err


MAKERS = ("Ann", "Bea", "Cleo", "Dora", "Eve", "Flo", "Gil", "Hal")


def _marks(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_fields_are_learnt_from_marked_pages(webgrain: Webgrain, shop: Path, tmp_path: Path) -> None:
    for path in sorted((shop / "bowls").iterdir()):
        number = int(path.stem)
        maker = f"<div class=m><b>by</b> <i>{MAKERS[number]} &amp; Co</i></div>"
        path.write_text(path.read_text(encoding="utf-8").replace("</h1>", f"</h1>{maker}"), encoding="utf-8")
    records = [
        {"page": f"bowls/{number}.html", "fields": {"maker": f"{MAKERS[number]} & Co"}} for number in (0, 3)
    ]
    marks = _marks(tmp_path / "marks.jsonl", *records)
    target, model = tmp_path / "bowls.csv", tmp_path / "site.json"
    assert "maker" not in webgrain("fields", shop).out
    assert webgrain("fields", shop, "--marks", marks, "-o", target, "--save", model).code == 0
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert [row["maker"] for row in rows] == [f"{name} & Co" for name in MAKERS]
    assert "maker" in webgrain("fields", shop, "--model", model).out
    again = webgrain("fields", shop, "--model", model, "--marks", marks, "--save", tmp_path / "again.json")
    assert (again.code, "maker" in again.out) == (0, True)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"page": "bowls/77.html", "fields": {"maker": "Ann"}}, "there is no page 'bowls/77.html'"),
        ({"page": "bowls/7.html", "fields": {"maker": "not on the page"}}, "correct: "),
        ({"page": "bowls/7.html"}, "it lacks 'fields'"),
        ({"page": "bowls/7.html", "fields": {}}, "line 1 is no record of marks"),
        ({"page": "bowls/7.html", "fields": {"price": 7}}, "line 1 is no record of marks"),
        ({"page": "bowls/7.html", "fields": "price"}, "line 1 is no record of marks"),
        (["bowls/7.html"], "line 1 is no record of marks"),
    ],
)
def test_wrong_marks_are_one_sentence(
    webgrain: Webgrain, shop: Path, tmp_path: Path, record: object, message: str
) -> None:
    done = webgrain("fields", shop, "--marks", _marks(tmp_path / "marks.jsonl", record))
    assert done.code != 0
    assert message in done.err
    assert len(done.err.splitlines()) == 1
