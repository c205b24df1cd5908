from __future__ import annotations

import pytest
from experiments.metrics import same_title, token_f1

from webgrain.metrics import tokens


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't stop", ["don", "t", "stop"]),
        ("ABC_def 1.2", ["abc", "def", "1", "2"]),
        ("五四chen科学院", ["五", "四", "chen", "科", "学", "院"]),
        ("ひらカナ한국어", ["ひ", "ら", "カ", "ナ", "한국어"]),
        (" \n", []),
    ],
)
def test_tokens(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_repeated_tokens_count_as_often_as_they_stand() -> None:
    assert token_f1("a a b", "a b b").f1 == pytest.approx(2 / 3)
    assert token_f1("a", "").f1 == 0.0
    assert token_f1("", "a").f1 == 0.0
    assert token_f1("", "").f1 == 1.0


def test_titles() -> None:
    assert same_title("A\u00a0Title", " a title ")
    assert not same_title("A title", "A title!")
