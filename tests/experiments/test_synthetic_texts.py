from __future__ import annotations

import pytest
from experiments.datasets.synthetic_texts import EDITED, make_texts

from webgrain.base.errors import ParameterError
from webgrain.duplicates.shingles import shingles


def resemblance(a: str, b: str) -> float:
    x, y = (set(shingles(text).tolist()) for text in (a, b))
    return len(x & y) / len(x | y)


def test_planted_texts_have_the_expected_resemblance() -> None:
    made = {text.id: text for text in make_texts(300, words=400, random_state=2)}
    copies = [resemblance(text.text, made[text.copy_of].text) for text in made.values() if text.copy_of]
    halves = [resemblance(text.text, made[text.half_of].text) for text in made.values() if text.half_of]
    kept = (1 - EDITED) ** 6
    assert len(copies) > 15
    assert len(halves) > 5
    assert sum(copies) / len(copies) == pytest.approx(kept / (2 - kept), abs=0.03)
    assert max(halves) < 0.45
    texts = [text.text for text in made.values() if not (text.copy_of or text.half_of)][:40]
    assert max(resemblance(a, b) for k, a in enumerate(texts) for b in texts[:k]) < 0.05


def test_they_are_the_same_each_time_and_longer_runs_go_on() -> None:
    assert list(make_texts(30, words=9)) == list(make_texts(40, words=9))[:30]
    assert list(make_texts(30, words=9)) != list(make_texts(30, words=9, random_state=1))


def test_a_wrong_call_is_an_error() -> None:
    with pytest.raises(
        ParameterError, match="Expected n of at least 0 and at least 2 words, got -1 and 1000"
    ):
        list(make_texts(-1))
