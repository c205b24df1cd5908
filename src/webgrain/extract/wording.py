"""What the texts of blocks look like: marks, digits, capitals, function words, and repeated texts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

POINT, COMMA, DIGIT, CAPITAL, MONEY, MARK, SPACE = range(1, 8)
_CLASSES = {POINT: ".!?;:。", COMMA: ",、，", MONEY: "$€£¥", MARK: "|»«>/•·→›"}
_CODES = 0x3000  # code points from here on are letters here

_COMMON = """
the of and to in a is that for it with as on you are this be your at have from or was by an not we can but
will they if our their which i has more when all one so what there about who my he his she been were had me do
"""
_FUNCTION_WORDS = frozenset(_COMMON.split())
"""The commonest words of English: a text with many of them is running text."""
_LOOKED_AT = 160  # characters of a text whose words are looked at


def _classes() -> NDArray[np.int8]:
    table = np.zeros(_CODES, np.int8)
    for code in range(_CODES):
        character = chr(code)
        table[code] = (
            DIGIT * character.isdigit() or CAPITAL * character.isupper() or SPACE * character.isspace()
        )
    for number, characters in _CLASSES.items():
        for character in characters:
            if ord(character) < _CODES:
                table[ord(character)] = number
    return table


_CLASS = _classes()


class Wording(NamedTuple):
    """Numbers (b,) of each text.

    characters, words; points, commas, money: how many; digits, capitals: shares of the characters; marks:
    per word; function_words: share of the first words; repeats: blocks of the same text; likeness: to the
    title.
    """

    characters: Floats
    words: Floats
    points: Floats
    commas: Floats
    money: Floats
    digits: Floats
    capitals: Floats
    marks: Floats
    function_words: Floats
    repeats: Floats
    likeness: Floats


def wording(texts: Sequence[str], title: str) -> Wording:
    """Return what texts look like, white space collapsed, next to a title.

    >>> told = wording(["A cup of tea, please.", "TEA"], "Tea")
    >>> told.words.tolist(), told.commas.tolist(), told.likeness.tolist()
    ([5.0, 1.0], [1.0, 0.0], [0.0, 1.0])
    """
    size = np.array([len(text) for text in texts], np.float64)
    counts = _counts(texts, size)
    words, length = counts[:, SPACE] + 1.0, size.clip(1.0)
    running, likeness = _first_words(texts, title)
    often = Counter(texts)
    return Wording(
        size,
        words,
        counts[:, POINT],
        counts[:, COMMA],
        counts[:, MONEY],
        counts[:, DIGIT] / length,
        counts[:, CAPITAL] / length,
        counts[:, MARK] / words,
        running,
        np.array([often[text] for text in texts], np.float64),
        likeness,
    )


def _first_words(texts: Sequence[str], title: str) -> tuple[Floats, Floats]:
    """Share of function words in the first words of each text (b,), and their likeness to a title."""
    of_title = set(title.lower().split())
    running, likeness = np.zeros((2, len(texts)))
    for i, text in enumerate(texts):
        own = text[:_LOOKED_AT].lower().split()
        running[i] = sum(map(_FUNCTION_WORDS.__contains__, own)) / max(len(own), 1)
        if of_title and not of_title.isdisjoint(own):
            likeness[i] = len(of_title.intersection(own)) / len(of_title.union(own))
    return running, likeness


def _counts(texts: Sequence[str], size: Floats) -> Floats:
    """(b, 8) how many characters of each class a text has."""
    codes = np.frombuffer("\n".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    owner = np.repeat(np.arange(len(texts)), size.astype(np.int64) + 1)[: len(codes)]
    found = np.where(codes < _CODES, _CLASS.take(codes, mode="clip"), 0)
    found[np.cumsum(size[:-1] + 1).astype(np.int64) - 1] = 0  # the line ends between texts
    return np.bincount(owner * 8 + found, minlength=8 * len(texts)).reshape(-1, 8).astype(np.float64)
