"""The paper's own duplicate test: two texts are duplicates when their least shingles are shared.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 5.2,
after Broder, Glassman, Manasse, Zweig, Syntactic clustering of the web, WWW6, 1997.

    paper                              here             value
    window size                        width            6 words
    shingles with minimum hash values  kept             8
    at least 4 out of the 8 shared     shared           4
    signature                          signature(text)  (<= kept,) uint64, ascending

Which text: that of the largest segment, of all informative segments, or of the page
(`webgrain.site.duplicates`).

Departures:
  - Marks of letters stay, and in scripts without spaces a character is a word: `webgrain.duplicates.minhash`.
Unclear: which hash. Here one of 64 bits, the same on every machine.
Unclear: whether a shingle that comes twice is kept twice. Here a signature is a set.
Unclear: texts of fewer than 4 shingles, thus of fewer than 9 words. Here they are duplicates of nothing.

Cost: linear in the text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from webgrain.arrays import UInt64
from webgrain.duplicates.minhash import WIDTH, shingles
from webgrain.estimator import Estimator, check_integer


@dataclass(kw_only=True, eq=False)
class Shingles(Estimator):
    """Duplicates by shared least shingles.

    Attributes:
        width: words of a shingle.
        kept: least hash values in a signature.
        shared: of these, how many two duplicates have in common at least.

    >>> method = Shingles()
    >>> a = method.signature("the quick brown fox jumps over the lazy dog and runs away home")
    >>> b = method.signature("The quick, brown fox jumps over the lazy dog, and runs away to sea!")
    >>> method.similarity(a, b), method.is_duplicate(a, b)
    (6, True)
    """

    width: int = WIDTH
    kept: int = 8
    shared: int = 4

    def __post_init__(self) -> None:
        check_integer(self, "width", low=1)
        check_integer(self, "kept", low=1)
        check_integer(self, "shared", low=1)

    def signature(self, text: str) -> UInt64:
        """Return the least ``kept`` hash values of the shingles of a text, ascending."""
        return np.unique(shingles(text, self.width))[: self.kept]

    def similarity(self, a: UInt64, b: UInt64) -> int:
        """Return how many shingles two signatures share."""
        return len(np.intersect1d(a, b, assume_unique=True))

    def is_duplicate(self, a: UInt64, b: UInt64) -> bool:
        """Return whether two signatures share enough shingles."""
        return self.similarity(a, b) >= self.shared
