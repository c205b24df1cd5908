"""Synthetic texts with planted near-duplicates, for benchmarks and tests; no memory but for the last text.

Every text is made of words drawn by Zipf's law. A share of them are copies of an earlier text with words
replaced here and there, and another share has only a half of an earlier text, which no search should call a
duplicate.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.base.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

COPIES, HALVES = 0.1, 0.05
"""Shares of texts that are near-copies of an earlier text, and that have a half of one."""

EDITED = 0.005
"""Share of the words of a copy that are replaced: it then shares 94 % of its shingles with the original."""

_VOCABULARY = 50_000


@dataclass(frozen=True, slots=True)
class MadeText:
    """A text, and of which earlier text it is a copy or has a half; None for its own."""

    id: str
    text: str
    copy_of: str | None = None
    half_of: str | None = None


def make_texts(n: int, words: int = 1000, random_state: int = 0) -> Iterator[MadeText]:
    """Yield ``n`` texts of ``words`` words each; the same arguments give the same texts.

    >>> made = list(make_texts(50, words=20))
    >>> len(made), len(made[0].text.split()), sum(text.copy_of is not None for text in made) > 0
    (50, 20, True)
    """
    if n < 0 or words < 2:
        raise ParameterError(f"Expected n of at least 0 and at least 2 words, got {n} and {words}.")
    for k in range(n):
        rng = np.random.default_rng((random_state, k))
        draw, earlier = rng.random(), int(rng.integers(max(1, k)))
        own = _words(rng, words)
        if not k or draw >= COPIES + HALVES or _drawn(random_state, earlier) < COPIES + HALVES:
            yield MadeText(str(k), _joined(own))
            continue
        other = _own_words(random_state, earlier, words)
        if draw < COPIES:
            text = np.where(rng.random(words) < EDITED, own, other)
            yield MadeText(str(k), _joined(text), copy_of=str(earlier))
        else:
            half = np.concatenate([other[: words // 2], own[words // 2 :]])
            yield MadeText(str(k), _joined(half), half_of=str(earlier))


def _drawn(random_state: int, k: int) -> float:
    """Return what was drawn for an earlier text: only texts of their own are copied."""
    return float(np.random.default_rng((random_state, k)).random()) if k else 1.0


def _own_words(random_state: int, k: int, words: int) -> NDArray[np.int64]:
    rng = np.random.default_rng((random_state, k))
    rng.random(), rng.integers(max(1, k))
    return _words(rng, words)


def _words(rng: np.random.Generator, words: int) -> NDArray[np.int64]:
    """Draw words, by number, about as often as 1 / (number + 1)."""
    numbers: NDArray[np.int64] = (_VOCABULARY ** rng.random(words) - 1).astype(np.int64)
    return numbers


def _joined(numbers: NDArray[np.int64]) -> str:
    return " ".join(map(_spelt().__getitem__, numbers.tolist()))


@functools.cache
def _spelt() -> list[str]:
    """Spell the words: pronounceable, longer the rarer they are."""
    syllables = [consonant + vowel for consonant in "bdfghklmnprstvz" for vowel in "aeiou"]
    spelt = []
    for number in range(_VOCABULARY):
        rest, word = number, ""
        while rest or not word:
            rest, last = divmod(rest, len(syllables))
            word += syllables[last]
        spelt.append(word)
    return spelt
