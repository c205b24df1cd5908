"""The characters of a page as numbers, and what they are: white space, letters, wide letters.

Words of a text in any script: what is compared between pages and queries.

Remembering what the pages of a site have in common, such as sets of tags and names of classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache, wraps
from typing import TypeVar, TypeVarTuple

import numpy as np

from webgrain.arrays import Bool, Int8, Int32, UInt8, UInt32
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.nodetext import has_letters
from webgrain.page.paths import code_points

_WIDE = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF))


def codes_of(dom: Dom) -> UInt32:
    """Return the characters (c,) of the text of a page."""
    return code_points(dom.text)


def codes_of_values(dom: Dom) -> UInt32:
    """Return the characters (c,) of the values of all attributes of a page."""
    return code_points(dom.values)


@cached_on_page
def has_characters(dom: Dom) -> Bool:
    """(n,) True at text nodes with more than white space, as `str.isspace` has it; read-only.

    >>> from webgrain.page.parsing import parse_html
    >>> has_characters(parse_html("<p>a<p>&nbsp; ")).tolist()  # html, head, body, p, text, p, text
    [False, False, False, False, True, False, False]
    """
    found: Bool = has_letters(codes_of(dom), dom.text_start, letters_table())
    found.setflags(write=False)
    return found


@cache
def letters_table(wide: int = 1) -> Int8:
    """(65 537,) what characters weigh by code point, the last entry for all beyond: -1 is white space.

    Letters, digits and underscores weigh 1, those as wide as two ``wide``, others nothing.

    >>> letters_table(wide=2)[[ord(character) for character in "a, 新"]].tolist()
    [1, 0, -1, 2]
    """
    # Beyond the first plane nearly everything that is text is a letter; no white space is beyond U+3000.
    table = np.array([chr(code).isalnum() or code == 0x5F for code in range(0x10000)] + [True], np.int8)
    for first, last in _WIDE:
        table[first : last + 1] *= wide
    table[[code for code in range(0x3001) if chr(code).isspace()]] = -1
    table.setflags(write=False)
    return table


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


def word_spans(codes: UInt32) -> tuple[Int32, Int32]:
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
def _kinds() -> UInt8:
    """Return for each code point whether it is a letter, a word alone, or none of both."""
    text = np.arange(_PLANES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.zeros(_PLANES, np.uint8)
    for kind, pattern in ((_LETTER, _LETTERS), (_ALONE, f"[{_UNSPACED}]+")):
        for found in re.finditer(pattern, text):
            kinds[found.start() : found.end()] = kind
    return kinds


Given = TypeVarTuple("Given")
T = TypeVar("T")

LONGEST = 500
"""Letters or tags of all arguments up to which a result is remembered: a hostile page may have any number."""


def remembered(most: int) -> Callable[[Callable[[*Given], T]], Callable[[*Given], T]]:
    """Let a function of texts and sets of texts, None for none, remember as many results as ``most``.

    >>> @remembered(2)
    ... def letters(text):
    ...     return list(text)
    >>> letters("ab") is letters("ab"), letters("ab" * LONGEST) is letters("ab" * LONGEST)
    (True, False)
    """

    def wrap(function: Callable[[*Given], T]) -> Callable[[*Given], T]:
        cached = lru_cache(maxsize=most)(function)

        @wraps(function)
        def call(*args: *Given) -> T:
            size = 0
            for given in args:
                if given:
                    size += len(given)  # type: ignore[arg-type]
            return cached(*args) if size <= LONGEST else function(*args)

        return call

    return wrap
