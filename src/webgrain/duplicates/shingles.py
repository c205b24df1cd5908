"""The published duplicate test: two texts are duplicates if they share enough of their smallest shingles.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 5.2,
after Broder, Glassman, Manasse, Zweig, Syntactic clustering of the web, WWW6, 1997.

    paper                              here             value
    window size                        width            6 words
    shingles with minimum hash values  kept             8
    at least 4 out of the 8 shared     shared           4
    signature                          signature(text)  (<= kept,) uint64, ascending

A text is lower-cased, characters other than letters and digits are removed, and white space separates words.
A shingle is the hash of a sequence of words. The text is that of the largest segment, of all informative
segments, or of the page (table 2 of the paper; see `webgrain.site.duplicates`).

Departures:
  - Combining marks are kept, because the vowels of Indic scripts are such marks.
  - In scripts without spaces each character is a word, so that a shingle is a window of characters.
Ambiguities:
  - The hash function is not specified. We use a 64-bit hash that is the same on every machine.
  - It is not specified whether a repeated shingle is kept twice. Here a signature is a set.
  - Texts of fewer than 4 shingles, that is of fewer than 9 words, are not mentioned. Here they have no
    duplicates.

Cost: linear in the length of the text.
"""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass

import numpy as np

from webgrain.base.arrays import Int32, UInt8, UInt64
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import Estimator, integer
from webgrain.base.purepython import warn_once
from webgrain.duplicates import wordkernel as kernel
from webgrain.page.page import Page
from webgrain.page.strings import code_points
from webgrain.page.text import TextSpans, visible_spans, visible_text

WIDTH = 6
"""Words per shingle, as in Chakrabarti, Kumar, Punera, WWW 2008."""


def shingles(text: str, width: int = WIDTH) -> UInt64:
    """Return the hash of each sequence of ``width`` words of a text, in order and with repetitions.

    A text of fewer words has one shingle, which contains all of them; a text without words has none.

    >>> len(shingles("a rose is a rose is a rose", 4)), len(shingles("a rose", 4)), len(shingles("..."))
    (5, 1, 0)
    """
    return shingles_of(hashed_words(text), width)


def shingles_of(word_hashes: UInt64, width: int = WIDTH) -> UInt64:
    """Return the shingles of words (w,) that are already hashed; see `shingles`."""
    if width < 1:
        raise ParameterError(f"width must be at least 1, got {width}.")
    hashes: UInt64 = kernel.shingle_hashes(word_hashes, width)
    return hashes


def hashed_words(text: str) -> UInt64:
    """Return the hash (w,) of each word of a text.

    >>> a, b = hashed_words("Don't panic!"), hashed_words("dont  PANIC")
    >>> len(a), bool((a == b).all()), len(hashed_words("東京"))
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


def words_of_page(page: Page) -> UInt64:
    """Return the hash (w,) of each word of the visible text of a page, as `hashed_words` of its lines.

    >>> from webgrain.page.parsing import parse
    >>> words = words_of_page(parse("<h1>The <i>mes</i>sage</h1><p>is short."))
    >>> bool((words == hashed_words("The message is short.")).all())
    True
    """
    text = page.dom.text
    lower = text.lower()
    if len(lower) != len(text) or _SIGMA in text:  # how a letter is lowered depends on those around it
        return hashed_words(visible_text(page, separator="\n"))
    return _hash_pieces(lower, visible_spans(page))[0]


_SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"


def _hash_words(lower: str) -> tuple[UInt64, Int32]:
    whole = TextSpans(np.zeros(1, np.int32), np.array([len(lower)], np.int32), np.zeros(1, np.int64))
    return _hash_pieces(lower, whole)


def _hash_pieces(lower: str, pieces: TextSpans) -> tuple[UInt64, Int32]:
    warn_once(kernel.COMPILED)
    hashes: tuple[UInt64, Int32] = kernel.word_hashes(code_points(lower), _character_kinds(), *pieces)
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
