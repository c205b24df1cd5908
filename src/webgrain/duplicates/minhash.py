"""Banded min-hash: signatures that estimate the similarity of texts, and keys to find similar ones.

Sources: Broder, On the resemblance and containment of documents, SEQUENCES 1997 (min-hash); Indyk, Motwani,
Approximate nearest neighbors, STOC 1998 (bands); Li, König, b-bit minwise hashing, WWW 2010 (16 bits of a
hash are enough).

Words: a text is lower-cased, characters other than letters and digits are removed, and white space separates
words (Chakrabarti, Kumar, Punera, WWW 2008, section 5.2). Departures: combining marks are kept, because the
vowels of Indic scripts are such marks; in scripts without spaces each character is a word, so that a shingle
is a window of characters.

    symbol                  shape, unit
    shingles                (s,) uint64 hashes of all sequences of ``width`` words
    J                       similarity (resemblance) of two texts: |A and B| / |A or B| of their shingles
    signature               (hashes,) uint16: lower half of the smallest value of each hash function
    bands, rows             a key per band, computed from ``rows`` values; two texts meet if a key is equal
    1 - (1 - J^rows)^bands  probability that two texts meet

``rows`` is the largest number with which texts at the threshold meet with `MEETING_PROBABILITY`. The estimate
of J has a standard error of sqrt(J (1 - J) / hashes), at most 0.044 for 128 hashes. Two different values of
16 bits agree by chance with probability 2^-16.

Cost: words + hashes * shingles operations per text, 2 * hashes bytes per signature.
"""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32, UInt8, UInt16, UInt32, UInt64
from webgrain.duplicates import minhashkernel as kernel
from webgrain.duplicates.thresholds import MEETING_PROBABILITY
from webgrain.errors import ParameterError
from webgrain.estimator import Estimator, check_integer, check_number
from webgrain.page.kernels.purepython import warn_once

WIDTH = 6
"""Words per shingle, as in Chakrabarti, Kumar, Punera, WWW 2008."""


def shingles(text: str, width: int = WIDTH) -> UInt64:
    """Return the hash of each sequence of ``width`` words of a text, in order and with repetitions.

    A text of fewer words has one shingle, which contains all of them; a text without words has none.

    >>> len(shingles("a rose is a rose is a rose", 4)), len(shingles("a rose", 4)), len(shingles("..."))
    (5, 1, 0)
    """
    return shingles_of(words(text), width)


def shingles_of(word_hashes: UInt64, width: int = WIDTH) -> UInt64:
    """Return the shingles of words (w,) that are already hashed; see `shingles`."""
    if width < 1:
        raise ParameterError(f"width must be at least 1, got {width}.")
    hashes: UInt64 = kernel.shingle_hashes(word_hashes, width)
    return hashes


def words(text: str) -> UInt64:
    """Return the hash (w,) of each word of a text.

    >>> a, b = words("Don't panic!"), words("dont  PANIC")
    >>> len(a), bool((a == b).all()), len(words("東京"))
    (2, True, 2)
    """
    return _hash_words(text.lower())[0]


def located_words(text: str) -> tuple[UInt64, Int32]:
    """Return the hash (w,) of each word of a text and the position (w,) in the text where it ends.

    >>> located_words("Don't panic!")[1].tolist()
    [5, 11]
    """
    lower = text.lower()
    if len(lower) != len(text):  # a few letters become two, which would move the positions
        lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return _hash_words(lower)


def _hash_words(lower: str) -> tuple[UInt64, Int32]:
    warn_once(kernel.COMPILED)
    codes = np.frombuffer(lower.encode("utf-32-le", "surrogatepass"), np.uint32)
    hashes: tuple[UInt64, Int32] = kernel.word_hashes(codes, _character_kinds())
    return hashes


_LAST = 0x32400  # no letter has a greater code point, as of Unicode 16
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # ideographs outside their blocks
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Chinese characters
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)


@functools.cache
def _character_kinds() -> UInt8:
    """Return the kind of each character, as defined in the kernel."""
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


@dataclass(kw_only=True, eq=False, repr=False)
class MinHash(Estimator):
    """Near-duplicates by banded min-hash.

    Attributes:
        threshold: similarity from which two texts are duplicates, 0.2..1.
        hashes: number of hash functions, which is the number of values in a signature.
        width: words per shingle.
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

    @property
    def rows(self) -> int:
        """Number of values per band."""
        return _rows(self.threshold, self.hashes)

    def probability(self, similarity: Any) -> Any:
        """Return the probability that two texts of a similarity (a number or an array) meet."""
        return _meeting_probability(similarity, self.hashes, self.rows)

    def signature(self, text: str) -> UInt16:
        """Return the signature (hashes,) of a text."""
        return self.signature_of(shingles(text, self.width))

    def signature_of(self, hashed: UInt64) -> UInt16:
        """Return the signature (hashes,) of shingles. The signature of an empty set is meaningless."""
        smallest = kernel.least_hashes if kernel.COMPILED else smallest_by_numpy
        values = smallest(hashed, *hash_functions(self.hashes, self.random_state))
        signature: UInt16 = values.astype(np.uint16)
        return signature

    def similarity(self, a: UInt16, b: UInt16) -> Float64:
        """Return the estimated similarity (...) of signatures (..., hashes)."""
        equal: Float64 = np.mean(a == b, axis=-1, dtype=np.float64)
        return equal

    def keys(self, signatures: UInt16) -> UInt32:
        """Return the keys (bands, n) of signatures (n, hashes). A key is never 0.

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


def _meeting_probability(similarity: Any, hashes: int, rows: int) -> Any:
    return 1 - (1 - np.asarray(similarity, np.float64) ** rows) ** (hashes // rows)


@functools.cache
def _rows(threshold: float, hashes: int) -> int:
    enough = [n for n in range(1, 33) if _meeting_probability(threshold, hashes, n) >= MEETING_PROBABILITY]
    return max(enough, default=1)


@functools.cache
def hash_functions(hashes: int, random_state: int) -> tuple[UInt32, UInt32]:
    """Return odd factors (hashes,) and terms (hashes,) of hash functions.

    >>> [len(values) for values in hash_functions(16, random_state=0)]
    [16, 16]
    """
    numbers = np.random.default_rng(random_state).integers(2**32, size=(2, hashes), dtype=np.uint32)
    return numbers[0] | np.uint32(1), numbers[1]


def smallest_by_numpy(hashed: Any, factors: Any, terms: Any) -> UInt32:
    """Compute ``kernel.least_hashes`` with numpy, about 15 times slower; used without compiled kernels.

    >>> method, text = MinHash(), shingles("a few words are enough to see that both are the same")
    >>> slow = smallest_by_numpy(text, *hash_functions(128, random_state=0)).astype(np.uint16)
    >>> bool((slow == method.signature_of(text)).all())
    True
    """
    upper = (np.asarray(hashed) >> np.uint64(32)).astype(np.uint32)
    factor, term = np.asarray(factors)[:, None], np.asarray(terms)[:, None]
    smallest = np.full(len(factor), 0xFFFFFFFF, np.uint32)
    for start in range(0, len(upper), 256):  # blocks that fit into the cache of the processor
        np.minimum(smallest, (factor * upper[start : start + 256] + term).min(axis=1), out=smallest)
    return smallest


def in_sorted(values: NDArray[Any], known: NDArray[Any]) -> Bool:
    """Return which of the values (n,) are among the sorted known values (k,); faster than `numpy.isin`.

    >>> in_sorted(np.array([5, 1, 9]), np.array([1, 5, 7])).tolist()
    [True, True, False]
    """
    if not len(known):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: Bool = known[place] == values
    return found
