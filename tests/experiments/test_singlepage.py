"""Learning what is main content."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.datasets.maincontent import MainPage
from experiments.training import singlepage
from experiments.training.singlepage import LOWERS, RAISES, fit, fold_of, rows_of, true_shares

from webgrain.errors import ParameterError
from webgrain.extraction.features import feature_names
from webgrain.extraction.single import SinglePage
from webgrain.page.page import Source
from webgrain.page.parsing import parse

SAYS = "The keeper of the north mole lights lamp {} at dusk, and nobody knows who pays him for it."


def made(k, paragraphs=6):
    """A page on which what is in <td> is main content, and what is in <p> is not."""
    text = [SAYS.format(f"{k}-{i}") for i in range(paragraphs)]
    others = "".join(
        f"<p>Another page says this of harbour {k}-{i}, and of its ropes and stones." for i in range(6)
    )
    cells = "".join(f"<tr><td>{one}</td></tr>" for one in text)
    html = f"<title>Page</title>{others}<table>{cells}</table>"
    return MainPage(Source(str(k), html.encode(), url=f"http://{k}.example/"), "article", "", "\n".join(text))


def test_short_blocks_are_true_only_where_their_neighbours_are():
    texts = ["News", "Lamps of the north", "News", "and oil", "Lamps"]
    assert true_shares(texts, "Lamps of the north News and oil").tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]


def test_a_block_can_be_true_in_part():
    assert true_shares(["one two three four five"], "one two three four six").tolist() == [
        pytest.approx(2 / 3)
    ]


def test_blocks_without_words_go_with_those_before():
    assert true_shares(["*", "one two three", "*"], "one two three").tolist() == [0.0, 1.0, 1.0]


def test_what_is_learnt_holds_for_other_pages(monkeypatch):
    monkeypatch.setattr(singlepage, "TREES", 20)
    rows = [rows_of(made(k)) for k in range(30)]
    model = fit(rows)
    article = SinglePage(model=model).predict(parse(made(99).source))
    assert article.text.count("keeper") == 6
    assert "harbour" not in article.text
    again = fit(rows)
    assert np.array_equal(model.value, again.value)


def test_the_arrays_give_what_the_learner_gives(monkeypatch):
    monkeypatch.setattr(singlepage, "TREES", 5)
    learners = []
    whole = singlepage._as_arrays
    monkeypatch.setattr(singlepage, "_as_arrays", lambda learner: learners.append(learner) or whole(learner))
    rows = [rows_of(made(k, 3 + k % 4)) for k in range(30)]
    model = fit(rows)
    x = rows[0].x
    assert np.allclose(model.probability(x), learners[0].predict_proba(x)[:, 1])


@pytest.mark.parametrize("truth", [0.0, 1.0])
def test_blocks_of_one_kind_teach_nothing(truth):
    rows = rows_of(made(1))
    with pytest.raises(ParameterError, match="blocks of one kind only"):
        fit([singlepage.Rows(rows.x, np.full(len(rows.x), truth), rows.letters)])


def test_no_pages_teach_nothing():
    with pytest.raises(ParameterError, match="blocks of one kind only"):
        fit([])


def test_folds_are_told_by_the_domain():
    folds = [fold_of(f"{k}.com") for k in range(500)]
    assert set(folds) == set(range(5))
    assert min(np.bincount(folds)) > 60


def test_directions_are_of_hints_that_there_are():
    hints = {name.removeprefix("hint ") for name in feature_names() if name.startswith("hint ")}
    assert hints.issuperset((*LOWERS, *RAISES))
    assert not set(LOWERS) & set(RAISES)
