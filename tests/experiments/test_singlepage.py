"""Learning what is main content."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.training import singlepage
from experiments.training.alignment import true_shares
from experiments.training.domains import FOLDS, fold_of
from experiments.training.singlepage import Example, block_rows, example_of, fit

from webgrain.base import trees
from webgrain.base.errors import ParameterError
from webgrain.columns.blocks import block_names
from webgrain.page.page import Source

SENTENCE = "The keeper of the north mole lights lamp {} at dusk, and nobody knows who pays him for it."


def made(k: int, paragraphs: int = 6) -> Example:
    """A page on which what is in <td> is main content, and what is in <p> is not."""
    text = [SENTENCE.format(f"{k}-{i}") for i in range(paragraphs)]
    others = "".join(
        f"<p>Another page says this of harbour {k}-{i}, and of its ropes and stones." for i in range(6)
    )
    cells = "".join(f"<tr><td>{one}</td></tr>" for one in text)
    html = f"<title>Page</title>{others}<table>{cells}</table>"
    found = example_of(
        Source(str(k), html.encode()),
        "\n".join(text),
        group=str(k),
        fold=k % FOLDS,
        role="article",
        forum=False,
        site=False,
        title="",
    )
    assert found is not None
    return found


def test_short_blocks_are_true_only_where_their_neighbours_are():
    texts = ["News", "Lamps of the north", "News", "and oil", "Lamps"]
    assert true_shares(texts, "Lamps of the north News and oil").tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


def test_a_block_can_be_partly_in_the_truth():
    texts = ["one two three four five seven eight nine"]
    assert true_shares(texts, "one two three four five").tolist() == [pytest.approx(5 / 8)]


def test_a_block_in_another_order_is_true():
    first, second = (
        SENTENCE.format("a"),
        "But the boats come back at night, and all of them find the harbour.",
    )
    assert true_shares([first, second], f"{second} {first}").min() > 0.9


def test_a_text_that_is_repeated_is_true_once():
    headline = "The boats of the north come back"
    texts = [headline, SENTENCE.format("a"), "More of this", headline]
    assert true_shares(texts, f"{headline} {SENTENCE.format('a')}").tolist() == [1.0, 1.0, 0.0, 0.0]


def test_blocks_without_words_go_with_those_before():
    assert true_shares(["*", "one two three", "*"], "one two three").tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(("texts", "truth"), [([], "a"), (["a"], ""), (["*"], "a")])
def test_nothing_is_true_without_words(texts: list[str], truth: str):
    assert true_shares(texts, truth).tolist() == [0.0] * len(texts)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(singlepage.SETTINGS, "main", (20, 15, 0.2, 1.0))


@pytest.mark.usefixtures("few")
def test_what_is_learnt_holds_for_other_pages():
    rows = block_rows([made(k) for k in range(30)], "main")
    model = fit(rows, "main", block_names())
    new = made(99)
    assert np.array_equal(model.probability(new.x) > 0.5, new.main > 0.5)
    again = fit(rows, "main", block_names())
    assert np.array_equal(model.value, again.value)


@pytest.mark.usefixtures("few")
def test_the_arrays_give_what_the_learner_gives(monkeypatch: pytest.MonkeyPatch):
    learners = []
    whole = trees.as_arrays
    monkeypatch.setattr(
        trees, "as_arrays", lambda learner, names: learners.append(learner) or whole(learner, names)
    )
    x, truth, weight = block_rows([made(k, 3 + k % 4) for k in range(30)], "main")
    x[::3, ::2] = np.nan
    model = fit((x, truth, weight), "main", block_names())
    assert np.allclose(model.probability(x), learners[0].predict_proba(x)[:, 1], atol=1e-5)


@pytest.mark.parametrize("truth", [0.0, 1.0])
def test_blocks_of_one_kind_are_an_error(truth: float):
    x, _, weight = block_rows([made(1)], "main")
    with pytest.raises(ParameterError, match="rows of one kind only"):
        fit((x, np.full(len(x), truth), weight), "main", block_names())


def test_fitting_without_pages_is_an_error():
    with pytest.raises(ParameterError, match="at least one page"):
        block_rows([], "main")


def test_folds_depend_on_the_domain():
    folds = [fold_of(f"{k}.com") for k in range(500)]
    assert set(folds) == set(range(FOLDS))
    assert min(np.bincount(folds)) > 60
