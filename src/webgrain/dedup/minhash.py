"""Banded min-hash: signatures whose agreement estimates the resemblance of texts, and the keys that find it.

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

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.dedup.words import WIDTH, shingles
from webgrain.estimator import Estimator, check_integer, check_number
from webgrain.kernels import minhash as kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Signature = NDArray[np.uint16]

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

    def signature(self, text: str) -> Signature:
        """Return the signature (hashes,) of a text; see `signature_of`."""
        return self.signature_of(shingles(text, self.width))

    def signature_of(self, hashed: NDArray[np.uint64]) -> Signature:
        """Return the signature (hashes,) of shingles; that of none resembles nothing but means nothing."""
        least = kernel.least_hashes if kernel.COMPILED else least_by_numpy
        signature: Signature = least(hashed, *self._functions).astype(np.uint16)
        return signature

    def similarity(self, a: Signature, b: Signature) -> NDArray[np.float64]:
        """Return the estimated resemblance (...) of signatures (..., hashes)."""
        equal: NDArray[np.float64] = np.mean(a == b, axis=-1, dtype=np.float64)
        return equal

    def keys(self, signatures: Signature) -> NDArray[np.uint32]:
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
    def _functions(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Odd factors (hashes,) and terms (hashes,) of the hash functions."""
        numbers = np.random.default_rng(self.random_state).integers(
            2**32, size=(2, self.hashes), dtype=np.uint32
        )
        return numbers[0] | np.uint32(1), numbers[1]


def least_by_numpy(hashed: Any, factors: Any, terms: Any) -> NDArray[np.uint32]:
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
