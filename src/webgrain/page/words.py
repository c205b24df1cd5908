"""Words of a text in any script: what is compared between pages and queries."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int32 = NDArray[np.int32]

# Scripts that are written without spaces: a character stands for a word.
_UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Han
)
# Accents and vowel signs, which are no letters of their own.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_LETTERS = rf"(?:(?![{_UNSPACED}_])[\w{_MARKS}])+"
_WORD = re.compile(rf"[{_UNSPACED}]|{_LETTERS}")

_LETTER, _ALONE = 1, 2
_PLANES = 0x40000
"""Beyond these code points there are no letters; the last one never is any."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, in order; of scripts without spaces the characters.

    >>> words_of("The Čapek's R.U.R., 搜索 logs_2 हिन्दी")
    ['the', 'čapek', 's', 'r', 'u', 'r', '搜', '索', 'logs', '2', 'हिन्दी']
    """
    return _WORD.findall(text.lower())


def word_spans(codes: NDArray[np.uint32]) -> tuple[Int32, Int32]:
    """Return where the words (w,) of a text (c,) of code points begin and end; they are those of `words_of`.

    >>> text = "Two words, 搜索"
    >>> [text[a:b] for a, b in zip(*word_spans(np.array([*map(ord, text)], np.uint32)))]
    ['Two', 'words', '搜', '索']
    """
    kind = _kinds()[np.minimum(codes, _PLANES - 1)]
    same = np.zeros(len(kind) + 1, bool)  # whether a word goes on at each place
    same[1:-1] = (kind[1:] == _LETTER) & (kind[:-1] == _LETTER)
    start, end = (np.flatnonzero((kind > 0) & ~cut) for cut in (same[:-1], same[1:]))
    return start.astype(np.int32), (end + 1).astype(np.int32)


@cache
def _kinds() -> NDArray[np.uint8]:
    """Return for each code point whether it is a letter, a word alone, or none of both."""
    text = np.arange(_PLANES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.zeros(_PLANES, np.uint8)
    for kind, pattern in ((_LETTER, _LETTERS), (_ALONE, f"[{_UNSPACED}]+")):
        for found in re.finditer(pattern, text):
            kinds[found.start() : found.end()] = kind
    return kinds
