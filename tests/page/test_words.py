"""Words found as spans are those that the pattern finds."""

from __future__ import annotations

import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webgrain.page.strings import code_points, word_spans, words_of

LETTERS = st.sampled_from("aZ9_ .,-éßİΣ\u0301\u0945搜索ไท\U00020000\U0003134f\U0001f600\0\u00a0")


@given(st.text(LETTERS | st.characters()))
def test_spans_are_those_of_the_pattern(text: str) -> None:
    lower = text.lower()
    spans = zip(*(side.tolist() for side in word_spans(code_points(lower))), strict=True)
    assert [lower[start:end] for start, end in spans] == words_of(text)


def test_every_character_is_classified_like_the_pattern() -> None:
    # The planes from 4 have no letters, so that some of their characters are enough.
    points = np.r_[:0x40000, 0x40000 : sys.maxunicode + 1 : 97].astype("<u4")
    text = " ".join(points.tobytes().decode("utf-32-le", "surrogatepass"))
    assert len(word_spans(code_points(text.lower()))[0]) == len(words_of(text))
