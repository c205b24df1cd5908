"""The published duplicate test: two texts are duplicates if they share enough of their smallest shingles.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 5.2,
after Broder, Glassman, Manasse, Zweig, Syntactic clustering of the web, WWW6, 1997.

    paper                              here             value
    window size                        width            6 words
    shingles with minimum hash values  kept             8
    at least 4 out of the 8 shared     shared           4
    signature                          signature(text)  (<= kept,) uint64, ascending

The text is that of the largest segment, of all informative segments, or of the page (table 2 of the paper;
see `webgrain.site.duplicates`).

Departures:
  - Combining marks are kept, and each character of a script without spaces is a word: see
    `webgrain.duplicates.words`.
Ambiguities:
  - The hash function is not specified. We use a 64-bit hash that is the same on every machine.
  - It is not specified whether a repeated shingle is kept twice. Here a signature is a set.
  - Texts of fewer than 4 shingles, that is of fewer than 9 words, are not mentioned. Here they have no
    duplicates.

Cost: linear in the length of the text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from webgrain.arrays import UInt64
from webgrain.duplicates.words import WIDTH, shingles
from webgrain.estimator import Estimator, integer


@dataclass(kw_only=True, eq=False, repr=False)
class Shingles(Estimator):
    """Duplicates by shared smallest shingles.

    Attributes:
        width: words per shingle.
        kept: hash values per signature, the smallest ones.
        shared: number of hash values that two duplicates have in common at least.

    >>> method = Shingles()
    >>> a = method.signature("the quick brown fox jumps over the lazy dog and runs away home")
    >>> b = method.signature("The quick, brown fox jumps over the lazy dog, and runs away to sea!")
    >>> method.similarity(a, b), method.is_duplicate(a, b)
    (6, True)
    """

    width: int = integer(WIDTH, low=1)
    kept: int = integer(8, low=1)
    shared: int = integer(4, low=1)

    def signature(self, text: str) -> UInt64:
        """Return the ``kept`` smallest hash values of the shingles of a text, ascending."""
        return np.unique(shingles(text, self.width))[: self.kept]

    def similarity(self, a: UInt64, b: UInt64) -> int:
        """Return the number of hash values that two signatures share."""
        return len(np.intersect1d(a, b, assume_unique=True))

    def is_duplicate(self, a: UInt64, b: UInt64) -> bool:
        """Return whether two signatures share at least ``shared`` hash values."""
        return self.similarity(a, b) >= self.shared
