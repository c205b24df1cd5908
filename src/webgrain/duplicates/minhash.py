"""The words of a text and its shingles, the runs of so many words, as hashes.

A text is lower-cased, what is no letter or digit is removed, and white space ends a word, as section 5.2 of
Chakrabarti, Kumar, Punera, WWW 2008, has it. Two additions: marks that belong to a letter stay (vowels of
Indic scripts are such marks), and in scripts without spaces each character is a word, so that a shingle is a
window of characters there.

Banded min-hash: signatures whose agreement estimates the resemblance of texts, and the keys that find it.

Sources: Broder, On the resemblance and containment of documents, SEQUENCES 1997 (min-hash); Indyk, Motwani,
Approximate nearest neighbors, STOC 1998 (bands); Li, König, b-bit minwise hashing, WWW 2010 (16 bits of a
hash are enough).

    here                  shape, unit
    J                     resemblance of two texts: shared shingles over all shingles of both, 0..1
    signature             (hashes,) uint16: the lower half of the least value of each hash function
    bands, rows           a key per band, made of ``rows`` hashes; two texts meet when a key is equal
    1 - (1 - J^rows)^bands  probability that they meet

The bands are the most selective ones with which texts at the threshold meet with probability `FOUND`.
The estimate has a standard error of sqrt(J (1 - J) / hashes), at most 0.044 for 128 hashes; half a hash in a
thousand agrees by chance.

Cost: words + hashes * shingles steps a text, 2 * hashes bytes a signature.
"""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32, UInt8, UInt16, UInt32, UInt64
from webgrain.duplicates import minhashkernel as kernel
from webgrain.errors import ParameterError
from webgrain.estimator import Estimator, check_integer, check_number
from webgrain.page.kernels.purepython import warn_once

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


def words(text: str) -> UInt64:
    """Return a hash (w,) of each word of a text.

    >>> a, b = words("Don't panic!"), words("dont  PANIC")
    >>> len(a), bool((a == b).all()), len(words("東京"))
    (2, True, 2)
    """
    return _hashed(text.lower())[0]


def located_words(text: str) -> tuple[UInt64, Int32]:
    """Return a hash (w,) of each word of a text, and where it ends (w,) in the text.

    >>> located_words("Don't panic!")[1].tolist()
    [5, 11]
    """
    lower = text.lower()
    if len(lower) != len(text):  # a few letters become two
        lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return _hashed(lower)


def shingles(text: str, width: int = WIDTH) -> UInt64:
    """Return a hash of each run of ``width`` words (at least 1) of a text, in order and with repetitions.

    A text of fewer words has one shingle, all of it; one without a word has none.

    >>> len(shingles("a rose is a rose is a rose", 4)), len(shingles("a rose", 4)), len(shingles("..."))
    (5, 1, 0)
    """
    return shingles_of(words(text), width)


def shingles_of(hashed: UInt64, width: int = WIDTH) -> UInt64:
    """Return the shingles of words (w,) that are hashed already; see `shingles`."""
    if width < 1:
        raise ParameterError(f"width must be at least 1, got {width}.")
    runs: UInt64 = kernel.shingle_hashes(hashed, width)
    return runs


def in_sorted(values: NDArray[Any], known: NDArray[Any]) -> Bool:
    """Return which of the values (n,) are among the known ones (k,), ascending; faster than `numpy.isin`.

    >>> in_sorted(np.array([5, 1, 9]), np.array([1, 5, 7])).tolist()
    [True, True, False]
    """
    if not len(known):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: Bool = known[place] == values
    return found


def _hashed(lower: str) -> tuple[UInt64, Int32]:
    warn_once(kernel.COMPILED)
    codes = np.frombuffer(lower.encode("utf-32-le", "surrogatepass"), np.uint32)
    hashed: tuple[UInt64, Int32] = kernel.word_hashes(codes, _kinds())
    return hashed


@functools.cache
def _kinds() -> UInt8:
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


FOUND = 0.99
"""Probability with which two texts whose resemblance is the threshold are to meet in some band."""

_BLOCK = 256


@dataclass(kw_only=True, eq=False)
class MinHash(Estimator):
    """Near-duplicates by banded min-hash.

    Attributes:
        threshold: resemblance from which texts are duplicates, .2..1.
        hashes: hash functions, that is, values in a signature.
        width: words of a shingle.
        random_state: seed of the hash functions.

    >>> method = MinHash(threshold=0.8)
    >>> method.bands, method.rows, round(float(method.probability(0.8)), 3)
    (21, 6, 0.998)
    >>> a, b = method.signature("one two three"), method.signature("One, two, three!")
    >>> float(method.similarity(a, b))
    1.0
    """

    threshold: float = 0.8
    hashes: int = 128
    width: int = WIDTH
    random_state: int = 0

    def __post_init__(self) -> None:
        check_number(self, "threshold", low=0.2, high=1.0)
        check_integer(self, "hashes", low=16)
        check_integer(self, "width", low=1)
        check_integer(self, "random_state", low=0)

    @property
    def bands(self) -> int:
        """Number of bands."""
        return self.hashes // self.rows

    @cached_property
    def rows(self) -> int:
        """Hashes in a band: as many as leave a probability of `FOUND` at the threshold."""
        meeting = [rows for rows in range(1, 33) if self._meet(self.threshold, rows) >= FOUND]
        return max(meeting, default=1)

    def probability(self, resemblance: Any) -> Any:
        """Return the probability that two texts of such a resemblance (a number or an array) meet."""
        return self._meet(resemblance, self.rows)

    def _meet(self, resemblance: Any, rows: int) -> Any:
        return 1 - (1 - np.asarray(resemblance, np.float64) ** rows) ** (self.hashes // rows)

    def signature(self, text: str) -> UInt16:
        """Return the signature (hashes,) of a text; see `signature_of`."""
        return self.signature_of(shingles(text, self.width))

    def signature_of(self, hashed: UInt64) -> UInt16:
        """Return the signature (hashes,) of shingles; that of none resembles nothing but means nothing."""
        least = kernel.least_hashes if kernel.COMPILED else least_by_numpy
        signature: UInt16 = least(hashed, *self._functions).astype(np.uint16)
        return signature

    def similarity(self, a: UInt16, b: UInt16) -> Float64:
        """Return the estimated resemblance (...) of signatures (..., hashes)."""
        equal: Float64 = np.mean(a == b, axis=-1, dtype=np.float64)
        return equal

    def keys(self, signatures: UInt16) -> UInt32:
        """Return the keys (bands, n) of signatures (n, hashes); 0 is never a key.

        >>> method = MinHash()
        >>> method.keys(np.stack([method.signature("some words"), method.signature("others")])).shape
        (21, 2)
        """
        rows = signatures[:, : self.bands * self.rows].reshape(len(signatures), self.bands, self.rows)
        key = np.zeros(rows.shape[:2], np.uint64)
        for row in range(self.rows):
            key = (key ^ rows[:, :, row]) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(32)
        return np.ascontiguousarray(np.maximum(key.astype(np.uint32), 1).T)

    @cached_property
    def _functions(self) -> tuple[UInt32, UInt32]:
        """Odd factors (hashes,) and terms (hashes,) of the hash functions."""
        numbers = np.random.default_rng(self.random_state).integers(
            2**32, size=(2, self.hashes), dtype=np.uint32
        )
        return numbers[0] | np.uint32(1), numbers[1]


def least_by_numpy(hashed: Any, factors: Any, terms: Any) -> UInt32:
    """Do what `kernel.least_hashes` does, some 15 times slower: for where no compiler is.

    >>> method, text = MinHash(), shingles("a few words are enough to see that both are the same")
    >>> bool((least_by_numpy(text, *method._functions).astype(np.uint16) == method.signature_of(text)).all())
    True
    """
    upper = (np.asarray(hashed) >> np.uint64(32)).astype(np.uint32)
    factor, term = np.asarray(factors)[:, None], np.asarray(terms)[:, None]
    least = np.full(len(factor), 0xFFFFFFFF, np.uint32)
    for at in range(0, len(upper), _BLOCK):
        np.minimum(least, (factor * upper[at : at + _BLOCK] + term).min(axis=1), out=least)
    return least
