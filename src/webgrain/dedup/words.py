"""The words of a text and its shingles, the runs of so many words, as hashes.

A text is lower-cased, what is no letter or digit is removed, and white space ends a word, as section 5.2 of
Chakrabarti, Kumar, Punera, WWW 2008, has it. Two additions: marks that belong to a letter stay (vowels of
Indic scripts are such marks), and in scripts without spaces each character is a word, so that a shingle is a
window of characters there.
"""

from __future__ import annotations

import functools
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.errors import ParameterError
from webgrain.kernels import minhash as kernel
from webgrain.kernels._compiled import warn_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

WIDTH = 6
"""Words of a shingle, as in the paper."""

_LAST = 0x32400  # no letter has a greater code point, as of Unicode 16
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # ideographs outside of their blocks
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Chinese characters
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)


def words(text: str) -> Hashes:
    """Return a hash (w,) of each word of a text.

    >>> a, b = words("Don't panic!"), words("dont  PANIC")
    >>> len(a), bool((a == b).all()), len(words("東京"))
    (2, True, 2)
    """
    return _hashed(text.lower())[0]


def located_words(text: str) -> tuple[Hashes, NDArray[np.int32]]:
    """Return a hash (w,) of each word of a text, and where it ends (w,) in the text.

    >>> located_words("Don't panic!")[1].tolist()
    [5, 11]
    """
    lower = text.lower()
    if len(lower) != len(text):  # a few letters become two
        lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return _hashed(lower)


def shingles(text: str, width: int = WIDTH) -> Hashes:
    """Return a hash of each run of ``width`` words (at least 1) of a text, in order and with repetitions.

    A text of fewer words has one shingle, all of it; one without a word has none.

    >>> len(shingles("a rose is a rose is a rose", 4)), len(shingles("a rose", 4)), len(shingles("..."))
    (5, 1, 0)
    """
    return shingles_of(words(text), width)


def shingles_of(hashed: Hashes, width: int = WIDTH) -> Hashes:
    """Return the shingles of words (w,) that are hashed already; see `shingles`."""
    if width < 1:
        raise ParameterError(f"width must be at least 1, got {width}.")
    runs: Hashes = kernel.shingle_hashes(hashed, width)
    return runs


def in_sorted(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which of the values (n,) are among the known ones (k,), ascending; faster than `numpy.isin`.

    >>> in_sorted(np.array([5, 1, 9]), np.array([1, 5, 7])).tolist()
    [True, True, False]
    """
    if not len(known):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: NDArray[np.bool_] = known[place] == values
    return found


def _hashed(lower: str) -> tuple[Hashes, NDArray[np.int32]]:
    warn_once(kernel.COMPILED)
    codes = np.frombuffer(lower.encode("utf-32-le", "surrogatepass"), np.uint32)
    hashed: tuple[Hashes, NDArray[np.int32]] = kernel.word_hashes(codes, _kinds())
    return hashed


@functools.cache
def _kinds() -> NDArray[np.uint8]:
    """Return what each character is to the kernel."""
    kinds = np.full(_LAST, kernel.REMOVED, np.uint8)
    for code in range(_LAST):
        character = chr(code)
        if character.isspace():
            kinds[code] = kernel.SPACE
        elif unicodedata.category(character)[0] in "LNM":
            kinds[code] = kernel.PART
    for first, last in _WITHOUT_SPACES:
        block = kinds[first : last + 1]
        block[block == kernel.PART] = kernel.ALONE
    return kinds
