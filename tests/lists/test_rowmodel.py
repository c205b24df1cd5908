"""Rows of lists that are no records: their probability, and that they are left out."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from experiments.training.lists import RowExamples, fit_rows, write_rows
from tests.lists.reading import read_list
from tests.uncompiled import uncompiled

from webgrain.base.errors import InputError
from webgrain.lists import columnkernel, records, rowmodel
from webgrain.lists.candidates import ELEMENTS, Candidates
from webgrain.lists.records import KnownSelectors, Listing, read_lists
from webgrain.lists.rowmodel import RowModel, row_features, trained_rows
from webgrain.page.page import Page
from webgrain.page.parsing import parse

PAGER = "<div class=pager><i>2</i></div>"


def post(k: int) -> str:
    return (
        f"<div class=post><h2><a href=/{k}>The story of number {k}</a></h2>"
        f"<p>What happened on day {k} of the journey to the sea, in a few words.</p>"
        f"<b class=by>Ann {k}</b></div>"
    )


def posts(html: str) -> tuple[Page, np.ndarray]:
    """Return a page and the elements inside its main element."""
    page = parse(f"<main>{html}</main>")
    main = int(np.flatnonzero(page.dom.tagged("main"))[0])
    return page, np.array(list(page.dom.children(main)))


def read(html: str) -> Listing | None:
    page, start = posts(html)
    return read_list(page, start, page.dom.end[start].astype(np.int64), ELEMENTS)


@pytest.mark.parametrize("place", [0, 3, 6])
def test_a_pager_between_the_items_is_left_out(place: int) -> None:
    items = [post(k) for k in range(6)]
    listing = read("".join([*items[:place], PAGER, *items[place:]]))
    assert listing is not None
    assert [row["name"] for row in listing.records()] == [f"The story of number {k}" for k in range(6)]
    assert listing.items == "div.post"
    assert len(listing.row_probabilities) == 6
    assert min(listing.row_probabilities) > 0.9


def test_an_item_that_lacks_a_field_is_a_record_of_lower_probability() -> None:
    heading = "<h2><a href=/9>The story of number 9</a></h2>"
    short = f"<div class=post>{heading}<p>A few words on the sea.</p></div>"
    listing = read("".join(map(post, range(6))) + short)
    assert listing is not None
    *others, last = listing.row_probabilities
    assert len(others) == 6
    assert records.RECORD < last < min(others)


def test_only_rows_of_the_first_list_are_left_out() -> None:
    page, start = posts("".join(map(post, range(6))) + PAGER)
    both = np.concatenate([start, start])
    stop = page.dom.end[both].astype(np.int64)
    lists = Candidates(both, stop, np.array([0, 7, 14]), np.array([ELEMENTS, ELEMENTS]))
    first, second = read_lists(page, lists, [0.9, 0.5], KnownSelectors())
    assert len(first.rows) == 6
    assert len(second.rows) == 7
    assert second.row_probabilities[-1] < records.RECORD


def test_a_list_keeps_its_rows_if_no_list_would_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "RECORD", 1.1)
    listing = read("".join(map(post, range(6))))
    assert listing is not None
    assert len(listing.rows) == 6


def test_records_of_lists_have_the_probability_of_each_row() -> None:
    listing = read("".join(map(post, range(4))))
    assert listing is not None
    record = listing.to_dict()
    assert record["row_probabilities"] == list(listing.row_probabilities)
    assert len(record["row_probabilities"]) == len(record["records"])
    assert json.loads(listing.to_json()) == record


def test_a_pickled_list_has_the_probabilities() -> None:
    listing = read("".join(map(post, range(4))))
    assert listing is not None
    assert pickle.loads(pickle.dumps(listing)).row_probabilities == listing.row_probabilities


@pytest.mark.parametrize(
    "kernel", [columnkernel, uncompiled("lists.columnkernel")], ids=["compiled", "uncompiled"]
)
def test_what_rows_lack_is_that_of_array_operations(kernel: ModuleType) -> None:
    random = np.random.default_rng(0)
    for items, columns in ((2, 1), (5, 3), (30, 8), (3, 40)):
        place = np.flatnonzero(random.random(items * columns) < 0.7)
        length = random.integers(0, 90, len(place))
        values = np.stack([place, 0 * place, length, 0 * place]).astype(np.int32)
        has, characters = np.zeros(items * columns, bool), np.zeros(items * columns)
        has[place], characters[place] = True, length
        has, characters = has.reshape(items, columns), characters.reshape(items, columns)
        usual = has.sum(0) >= 0.6 * items
        lacks = (~has & usual).sum(1) / max(usual.sum(), 1)
        result = kernel.lacks_and_characters(items, columns, values, 0.6)
        np.testing.assert_allclose(result, [lacks, characters.sum(1)], atol=1e-12)


def test_without_usual_columns_no_row_lacks_any() -> None:
    sparse = np.array([[0], [0], [4], [0]], np.int32)
    assert row_features(4, 1, sparse)[:, 0].tolist() == [0.0] * 4


def test_rows_that_lack_more_and_are_shorter_are_less_probable() -> None:
    model = trained_rows()
    assert (model.weight < 0).all()
    probability = model.probability(np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 2.5]]))
    assert probability[0] > 0.99
    assert (np.diff(probability) < 0).all()
    assert probability[2] < records.RECORD


def test_a_damaged_model_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "trained").mkdir()
    content = '{"format": "webgrain rows of lists", "version": 1, "weights": {"lacks": 1}, "bias": 0}'
    (tmp_path / "trained" / "rows.json").write_text(content)
    monkeypatch.setattr(rowmodel, "files", lambda _: tmp_path)
    with pytest.raises(InputError, match=r"rows\.json contains damaged weights of rows: it lacks 'shorter'"):
        rowmodel.trained_rows.__wrapped__()


def test_a_model_is_a_logistic_function() -> None:
    model = RowModel(np.array([-2.0, -1.0]), 1.0)
    assert model.probability(np.array([[0.5, 0.0], [0.0, 0.0]])).round(4).tolist() == [0.5, 0.7311]


def test_weights_are_learnt_from_rows(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    lists = []
    for site in ("a", "b"):
        for _ in range(30):
            is_record = random.random(20) < 0.9
            lacks = np.where(is_record, random.random(20) * 0.3, 0.6 + random.random(20) * 0.4)
            lists.append(RowExamples(site, np.stack([lacks, random.random(20)], axis=1), is_record))
    model = fit_rows(lists)
    assert model.weight[0] < -5
    assert abs(model.weight[1]) < 1
    write_rows(tmp_path / "rows.json", model)
    assert '"lacks": -' in (tmp_path / "rows.json").read_text()
