"""Containers of the main content have no gaps: the text blocks that belong to those that a method has chosen.

A method judges each block by itself. Its mistakes are single blocks within containers, so containers are
completed:

===============  =========================================================================================
code             all of it, if a block of it is content
table of data,   the rows, or terms and definitions, between two with content, with the caption and the head;
definition list  all of it, if at least `TABLE` of its letters are content
list, quote,     all of it, if at least `WHOLE` of its letters are content
folded part
all of these     all of it, if the blocks before and behind it, in the element around it, are content, and so
                 are at least `BESIDE` of the letters beside it
figure           with its caption, if at least `BESIDE` of the letters beside it, in the element around it,
                 are content
heading          behind content, if the text below it and at least `BESIDE` of the letters of its section are
                 content; the section ends at the next heading of its level or a higher one, or with the
                 element around the heading
===============  =========================================================================================

The shares are chosen on pages that no model was trained on: half of the test pages of Readability,
newspaper4k and trafilatura, and 216 labelled pages.

The element around a container is the nearest one with more text. `webgrain.documents.gapkernel` marks the
blocks.

Cost: linear in the nodes and blocks, and of the nested definition lists.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool
from webgrain.documents.gapkernel import GapFiller
from webgrain.documents.parttable import node_bits
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page
from webgrain.page.strings import has_text, name_set
from webgrain.page.tagtables import TagTable
from webgrain.page.text import NO_TEXT, TextBlocks

TABLE = 0.3
WHOLE = 0.5
BESIDE = 0.8
"""Least shares of the letters (chosen by figures on left-out pages, see the module)."""

_ELEMENTS = (
    "pre", "table", "dl", "ul ol blockquote details", "figure figcaption", "tr", "th", "dt", "dd",
    "h1", "h2", "h3", "h4", "h5", "h6",
)  # fmt: skip
"""The elements that the kernel knows, by number from 1."""
_NUMBER = {tag: number for number, tags in enumerate(_ELEMENTS, 1) for tag in tags.split()}
_UNREAD, _HEAD = 16, 32
_IS_UNREAD = NO_TEXT | name_set("textarea select option head title")


def _what(tag: str) -> int:
    """Return what an element is, as bits of the kernel."""
    return _NUMBER.get(tag, 0) | _UNREAD * (tag in _IS_UNREAD) | _HEAD * (tag == "head")


_WHAT = TagTable(_what, np.uint8)


def without_gaps(
    page: Page,
    blocks: TextBlocks,
    chosen: Sequence[int] | NDArray[np.integer],
    refused: Bool | None = None,
) -> NDArray[np.intp]:
    """Return the chosen blocks, and those that belong to the same containers, in order.

    refused: (b,) blocks that are not added, such as the title and comments; None: there are none.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<p>a<pre>b</pre><p>c<dl><dt>d<dd>e<dt>f<dd>g</dl>")
    >>> without_gaps(page, text_blocks(page), [0, 2, 4, 5]).tolist()
    [0, 1, 2, 3, 4, 5, 6]
    >>> page = parse("<div><p>Text<figure><img src=x><figcaption>Caption</figcaption></figure><p>More</div>")
    >>> without_gaps(page, text_blocks(page), [0, 2]).tolist()
    [0, 1, 2]
    >>> page = parse("<p>Text<h2>Heading</h2><p>More")
    >>> without_gaps(page, text_blocks(page), [0, 2]).tolist()
    [0, 1, 2]
    """
    dom = page.dom
    content = bytearray(len(blocks.texts))
    is_content = np.frombuffer(content, np.uint8)
    is_content[chosen] = 1
    filler = GapFiller(  # type: ignore[no-untyped-call]
        (dom.parent, dom.end),
        _WHAT.of_nodes(dom),
        node_bits(page),
        (visible_nodes(page).view(np.uint8), has_text(dom).view(np.uint8)),
        (blocks.first, blocks.last, blocks.weight, blocks.element[blocks.holder]),
        content,
    )
    filler.parts()  # type: ignore[no-untyped-call]
    filler.containers(WHOLE, TABLE, BESIDE)
    filler.figures(BESIDE)
    filler.headings(BESIDE)
    if refused is not None:
        is_content[refused] = 0
        is_content[chosen] = 1
    return is_content.nonzero()[0]
