"""The characters of a page as numbers, and what they are: white space, letters, wide letters."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.nodetext import has_letters
from webgrain.page.paths import code_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.dom import Dom

_WIDE = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF))


@lru_cache(maxsize=1)  # several methods read one page, one after the other
def codes_of(dom: Dom) -> NDArray[np.uint32]:
    """Return the characters (c,) of the text of a page."""
    return code_points(dom.text)


@lru_cache(maxsize=1)
def codes_of_values(dom: Dom) -> NDArray[np.uint32]:
    """Return the characters (c,) of the values of all attributes of a page."""
    return code_points(dom.values)


@lru_cache(maxsize=1)
def has_characters(dom: Dom) -> NDArray[np.bool_]:
    """(n,) True at text nodes with more than white space, as `str.isspace` has it; read-only.

    >>> from webgrain.page.parse import parse_html
    >>> has_characters(parse_html("<p>a<p>&nbsp; ")).tolist()  # html, head, body, p, text, p, text
    [False, False, False, False, True, False, False]
    """
    found: NDArray[np.bool_] = has_letters(codes_of(dom), dom.text_start, letters_table())
    found.setflags(write=False)
    return found


@cache
def letters_table(wide: int = 1) -> NDArray[np.int8]:
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
