"""Learning the model of the page alone from pages with whole texts, and from short texts."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.training import alone, singlepage
from experiments.training.alone import WEIGHTS, known_blocks, learnt, rows_of
from experiments.training.domains import group_of

from webgrain.evaluation.extraction import ReferencePage
from webgrain.page.page import Source

SENTENCE = "The keeper of the north mole lights lamp {} at dusk, and nobody knows who pays him for it."
MENU = "<title>Lamps</title><ul><li><a href=a>Harbours</a><li><a href=b>Boats</a></ul>"


def page(text: str, address: str = "https://www.example.org/a") -> Source:
    return Source(address, f"{MENU}<p>{text}".encode(), url=address)


def test_the_blocks_of_a_whole_text_are_known():
    [one] = learnt("readability", "a", 1, page(SENTENCE.format(1)), SENTENCE.format(1))
    assert one.main.tolist() == [0.0, 0.0, 0.0, 1.0]


def test_only_the_blocks_of_short_texts_are_known():
    snippets = ReferencePage(page(SENTENCE.format(1)), included=("keeper of the north",), excluded=("Boats",))
    [one] = learnt("trafilatura", "a", 1, snippets.source, None, snippets)
    assert np.array_equal(one.main, [0.0, np.nan, 0.0, 1.0], equal_nan=True)
    x, truth, weight = rows_of([one])
    assert len(x) == len(truth) == 3
    assert weight.sum() == pytest.approx(WEIGHTS["trafilatura"])


def test_nothing_is_learnt_from_a_page_without_blocks_or_truth():
    assert not list(learnt("wcxb", "a", 0, Source("a", b""), "One"))
    assert not list(learnt("wcxb", "a", 0, page("One"), None))


def test_a_text_that_must_be_included_is_known_if_it_is_there_once():
    no_title = np.zeros(3, bool)
    assert np.isnan(known_blocks(["One", "One", "Two"], no_title, ["One"], [])).all()
    assert known_blocks(["One", "One", "Two"], no_title, [], ["One"])[:2].tolist() == [0.0, 0.0]
    assert np.isnan(known_blocks(["One", "Two"], np.array([True, False]), ["One"], [])).all()


def test_pages_of_a_domain_share_its_weight():
    pages = [
        one
        for k in range(3)
        for one in learnt("pages-2", "ab"[k // 2], 0, page(SENTENCE.format(k)), SENTENCE.format(k))
    ]
    weight = rows_of(pages)[2].reshape(3, -1).sum(axis=1)
    assert weight.tolist() == pytest.approx([1.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("address", "head", "group"),
    [
        ("https://www.example.org/a", "", "example.org"),
        (None, "<link rel=canonical href=https://a.example.net/b>", "example.net"),
        (None, "", "name"),
        ("https://transitoargentina.example/a.html", "", "transito-ar"),
    ],
)
def test_the_group_of_a_page_is_its_domain_or_site(address: str | None, head: str, group: str):
    assert group_of(Source("name", f"{head}<p>One".encode(), url=address)) == group


def test_what_is_learnt_holds_for_other_pages(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(singlepage.SETTINGS, "alone", (20, 15, 0.2, 1.0))
    pages = [
        one
        for k in range(40)
        for one in learnt("wcxb", str(k), k % 4, page(SENTENCE.format(k)), SENTENCE.format(k))
    ]
    model = singlepage.fit(rows_of(pages), alone.NAME, alone.model_names()[alone.NAME])
    [new] = learnt("wcxb", "new", 0, page(SENTENCE.format(99)), SENTENCE.format(99))
    assert (model.probability(new.x) > 0.5).tolist() == [False, False, False, True]
