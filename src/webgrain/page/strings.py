"""Characters and words: code points of the text of a page, words in any script, and a bounded cache."""

from __future__ import annotations

import re
import sys
from codecs import utf_32_le_decode
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, wraps
from typing import TypeVar, TypeVarTuple

import numpy as np

from webgrain.base.arrays import Bool, Int8, Int32, UInt8, UInt32
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.nodetext import has_letters
from webgrain.page.page import of_last_page
from webgrain.page.thresholds import LONGEST_KEY

Arguments = TypeVarTuple("Arguments")
T = TypeVar("T")

_WIDE = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF))


def name_set(names: str) -> frozenset[str]:
    """Return the set of the names in a text, separated by spaces."""
    return frozenset(names.split())


def collapsed(texts: Sequence[str]) -> list[str]:
    """Return texts with a single space for white space, and none at the edges.

    >>> collapsed([" The  boat", "Dusk"])
    ['The boat', 'Dusk']
    """
    joined = "\n".join(texts)
    if joined.count("\n") == len(texts) - 1 and " ".join(joined.split()) == joined.replace("\n", " "):
        return [*texts]  # there are only single spaces between words
    return [" ".join(text.split()) for text in texts]


_SPECIAL = re.compile(r"(?P<code>[\x00-\x1f\x7f]|^[0-9]|(?<=^-)[0-9])|^-\Z|[\x20-,./:-@\[-^`{-~]")
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)


def css_name(name: str) -> str:
    """Write any string as a CSS identifier (CSSOM, 2.1)."""
    return _SPECIAL.sub(lambda m: f"\\{ord(m[0]):x} " if m["code"] else f"\\{m[0]}", name)


def unescape(identifier: str) -> str:
    r"""Read a CSS identifier, the inverse of `css_name`: ``md\:flex`` is ``md:flex``."""
    if "\\" not in identifier:
        return identifier
    return _ESCAPED.sub(lambda m: chr(min(int(m[1], 16), 0x10FFFF)) if m[1] else m[2], identifier)


def closing_bracket(text: str, place: int, most: int = sys.maxsize) -> int:
    """Return the place of the bracket that closes the one before ``place``, or the end of the text.

    most: the number of characters in which it is searched.

    >>> closing_bracket("(a (b) c) d", 1)
    8
    """
    depth = 1
    for match in _BRACKET.finditer(text, place, min(place + most, len(text))):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return len(text)


_BRACKET = re.compile(r"[()]")


def code_points(text: str) -> UInt32:
    """Return the characters of a text as an array (c,) of code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def text_from(codes: UInt32) -> str:
    """Return the text of code points (c,).

    >>> text_from(code_points("搜索"))
    '搜索'
    """
    text, _ = utf_32_le_decode(codes, "surrogatepass", True)  # type: ignore[arg-type]
    return text


@of_last_page
def text_codes(dom: Dom) -> UInt32:
    """Return the code points (c,) of the text of a page."""
    return code_points(dom.text)


@cached_on_page
def has_text(dom: Dom) -> Bool:
    """(n,) True at text nodes that are more than white space (as defined by `str.isspace`); read-only.

    >>> from webgrain.page.parsing import parse_html
    >>> has_text(parse_html("<p>a<p>&nbsp; ")).tolist()  # html, head, body, p, text, p, text
    [False, False, False, False, True, False, False]
    """
    mask: Bool = has_letters(text_codes(dom), dom.text_start, letters_table())
    mask.setflags(write=False)
    return mask


@cache
def letters_table(wide: int = 1) -> Int8:
    """(65 537,) weights of characters by code point; the last entry is for all code points beyond U+FFFF.

    White space has the weight -1; letters, digits and underscores 1; wide characters ``wide``; others 0.

    >>> letters_table(wide=2)[[ord(character) for character in "a, 新"]].tolist()
    [1, 0, -1, 2]
    """
    # Beyond the first plane nearly all characters of texts are letters; no white space is beyond U+3000.
    table = np.zeros(0x10001, np.int8)
    table[0x10000] = 1
    characters = np.arange(0x10000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for pattern, weight in ((r"\w+", 1), (r"\s+", -1)):
        for match in re.finditer(pattern, characters):
            table[match.start() : match.end()] = weight
    for first, last in _WIDE:
        table[first : last + 1] *= wide
    table.setflags(write=False)
    return table


# Scripts that are written without spaces: each character is a word.
_UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Han
)
# Accents and vowel signs: parts of words, although not letters.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0dff"
_LETTERS = rf"(?:(?![{_UNSPACED}_])[\w{_MARKS}])+"
_WORD = rf"[{_UNSPACED}]|{_LETTERS}"
"""An expression that is compiled at its first use, which takes several milliseconds."""

_LETTER, _ALONE = 1, 2
_PLANES = 0x40000
"""No letters have this code point or a higher one; the code point below it is not a letter either."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, in order; in scripts without spaces, the characters.

    >>> words_of("The Čapek's R.U.R., 搜索 logs_2 हिन्दी")
    ['the', 'čapek', 's', 'r', 'u', 'r', '搜', '索', 'logs', '2', 'हिन्दी']
    """
    return re.findall(_WORD, text.lower())


def word_spans(codes: UInt32) -> tuple[Int32, Int32]:
    """Return the start and the end of each word (w,) of a text (c,) of code points; words as in `words_of`.

    >>> text = "Two words, 搜索"
    >>> [text[a:b] for a, b in zip(*word_spans(code_points(text)))]
    ['Two', 'words', '搜', '索']
    """
    kinds = _letter_kinds()[np.minimum(codes, _PLANES - 1)]
    same = np.zeros(len(kinds) + 1, bool)  # True where a word continues
    same[1:-1] = (kinds[1:] == _LETTER) & (kinds[:-1] == _LETTER)
    start, end = (np.flatnonzero((kinds > 0) & ~cut) for cut in (same[:-1], same[1:]))
    return start.astype(np.int32), (end + 1).astype(np.int32)


@cache
def _letter_kinds() -> UInt8:
    """Return for each code point `_LETTER`, `_ALONE` (a word by itself) or 0."""
    text = np.arange(_PLANES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.zeros(_PLANES, np.uint8)
    for value, pattern in ((_LETTER, _LETTERS), (_ALONE, f"[{_UNSPACED}]+")):
        for match in re.finditer(pattern, text):
            kinds[match.start() : match.end()] = value
    return kinds


def bounded_cache(size: int) -> Callable[[Callable[[*Arguments], T]], Callable[[*Arguments], T]]:
    """Decorate a function of strings, tuples and sets (or None): cache ``size`` results for short arguments.

    >>> @bounded_cache(2)
    ... def letters(text):
    ...     return list(text)
    >>> letters("ab") is letters("ab"), letters("ab" * LONGEST_KEY) is letters("ab" * LONGEST_KEY)
    (True, False)
    """

    def wrap(function: Callable[[*Arguments], T]) -> Callable[[*Arguments], T]:
        cached = lru_cache(maxsize=size)(function)

        @wraps(function)
        def call(*args: *Arguments) -> T:
            length = 0
            for argument in args:
                if argument:
                    length += len(argument)  # type: ignore[arg-type]
            return cached(*args) if length <= LONGEST_KEY else function(*args)

        return call

    return wrap
