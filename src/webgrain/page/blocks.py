"""Layout blocks: a page as the sequence of its texts, each with the element that holds it.

A block is the text between two breaks. Which elements break a text, and which stand as steps in the path to
it, is a matter of rules: `ELEMENTS` knows HTML as it is now, `WEBSTEMMER` is the list of the program of 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from webgrain.arrays import Int32, UInt8
from webgrain.page.dom import cached_on_page, freeze
from webgrain.page.kernels.nodetext import ANCHOR, BREAK, HEAD, SILENT, STEP, TITLE, cut_blocks
from webgrain.page.leaves import shown
from webgrain.page.page import Page
from webgrain.page.strings import codes_of, letters_table, remembered
from webgrain.page.text import INLINE

# What stands in a line as a word does: it neither holds text nor ends it.
_ATOMS = frozenset(
    ("img", "input", "select", "textarea", "button", "svg", "math", "canvas", "picture", "source")
)
_SILENT = frozenset(
    (
        "script",
        "style",
        "noscript",
        "template",
        "noframes",
        "noembed",
        "iframe",
        "datalist",
        "select",
        "textarea",
    )
)
_WITHIN = INLINE | _ATOMS | _SILENT | {"br", "#text"}
_BREAKS = frozenset(("br", "hr"))
_BITS = {**dict.fromkeys(_SILENT, SILENT), "title": TITLE, "head": HEAD, "a": ANCHOR}


@dataclass(frozen=True, slots=True)
class BlockRules:
    """Which elements break a text and are steps of a path.

    Attributes:
        steps: names of the elements that are both; None: all that do not stand within a line.
        least: letters and digits that a block must have to count.
        wide: what a Chinese, Japanese or Korean letter weighs.
    """

    steps: frozenset[str] | None = None
    least: int = 0
    wide: int = 2

    def is_step(self, tag: str) -> bool:
        """Whether an element is a step of the path."""
        if self.steps is not None:
            return tag in self.steps
        return tag not in _WITHIN


ELEMENTS = BlockRules()
WEBSTEMMER = BlockRules(
    steps=frozenset(
        (
            *(
                "title",
                "p",
                "h1",
                "h2",
                "h3",
                "h4",
                "h5",
                "h6",
                "tr",
                "td",
                "th",
                "dt",
                "dd",
                "li",
                "ul",
                "ol",
            ),
            *("dl", "dir", "menu", "pre", "div", "center", "font", "span", "blockquote", "table", "address"),
        )
    ),
    least=5,
    wide=1,
)


@dataclass(frozen=True, slots=True, eq=False)
class LayoutBlocks:
    """The blocks of a page and the elements above them; all arrays read-only.

    Attributes:
        element: (e,) int32, the elements that are steps, as nodes of the Dom in document order.
        up: (e,) int32, the step above each, as an index into ``element``; -1 at the first.
        holder: (b,) int32, the nearest step above each block, as an index into ``element``; -1 for none.
        first, last: (b,) int32, the first and last text node of each block.
        texts: the b texts, white space collapsed.
        weight: (b,) int32, letters, digits and underscores, wide ones more than once; weight_noanchor: those
            outside links.
    """

    element: Int32
    up: Int32
    holder: Int32
    first: Int32
    last: Int32
    texts: tuple[str, ...]
    weight: Int32
    weight_noanchor: Int32

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.texts)


@cached_on_page
def layout_blocks(page: Page, rules: BlockRules = ELEMENTS) -> LayoutBlocks:
    """Return the layout blocks of a page, in order: what can be seen, and its ``<title>``.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<title>T</title><div>One <b>two</b><p>three<a href=x>four</a></div>"))
    >>> blocks = layout_blocks(page)
    >>> blocks.texts, blocks.weight.tolist(), blocks.weight_noanchor.tolist()
    (('T', 'One two', 'threefour'), [1, 6, 9], [1, 6, 5])
    """
    dom = page.dom
    element, up, holder, first, last, weight, plain, codes, start = cut_blocks(
        (dom.parent, dom.end, dom.tag),
        codes_of(dom),
        dom.text_start,
        shown(page).view(np.uint8),
        _bits(dom.tags, rules.steps),
        letters_table(rules.wide),
        rules.least,
    )
    text = codes.tobytes().decode("utf-32-le", "surrogatepass")
    texts = tuple([text[a:b] for a, b in pairwise(start.tolist())])
    return LayoutBlocks(element, up, holder, first, last, texts, weight, plain)


@remembered(16)
def _bits(tags: tuple[str, ...], steps: frozenset[str] | None) -> UInt8:
    """(t,) what the elements of each tag are, as bits of `cut_blocks`."""
    rules = BlockRules(steps)
    own = {tag: STEP | BREAK if rules.is_step(tag) else BREAK * (tag in _BREAKS) for tag in tags}
    return np.array([own[tag] | _BITS.get(tag, 0) for tag in tags], np.uint8)
