"""Layout blocks: a page as the sequence of its texts, each with the element that holds it.

A block is the text between two breaks. Which elements break a text, and which stand as steps in the path to
it, is a matter of rules: `ELEMENTS` knows HTML as it is now, `WEBSTEMMER` is the list of the program of 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webgrain.page.dom import freeze
from webgrain.page.leaves import has_characters, shown
from webgrain.page.text import INLINE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.dom import Dom, Int32
    from webgrain.page.page import Page

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
_WIDE = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF))


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


@lru_cache(maxsize=1)  # several methods read one page, one after the other
def layout_blocks(page: Page, rules: BlockRules = ELEMENTS) -> LayoutBlocks:
    """Return the layout blocks of a page, in order: what can be seen, and its ``<title>``.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<title>T</title><div>One <b>two</b><p>three<a href=x>four</a></div>"))
    >>> blocks = layout_blocks(page)
    >>> blocks.texts, blocks.weight.tolist(), blocks.weight_noanchor.tolist()
    (('T', 'One two', 'threefour'), [1, 6, 9], [1, 6, 5])
    """
    dom = page.dom
    steps = np.array([rules.is_step(tag) for tag in dom.tags])[dom.tag]
    spoken = _spoken(page)
    text, start, words = _spoken_text(dom, spoken, rules.wide)
    node = np.flatnonzero(spoken & (np.diff(start) > 0))
    breaks = steps | _is(dom, frozenset(("br", "hr")))
    ends = np.bincount(dom.end[breaks], minlength=len(dom) + 1)[: len(dom)]
    run = (np.cumsum(breaks) + np.cumsum(ends))[node]
    opens = np.flatnonzero(np.diff(run, prepend=-1))
    first, last = node[opens], node[np.append(opens[1:], len(node)) - 1] if len(node) else node
    texts = [" ".join(text[a:b].split()) for a, b in zip(start[first], start[last + 1], strict=True)]
    anchored = dom.ancestor_sum(_is(dom, frozenset(("a",)))) > 0
    free = np.where(anchored[node], 0, words[node])
    weight, plain = (np.add.reduceat(w, opens) if len(opens) else w for w in (words[node], free))
    keep = np.flatnonzero(np.array([bool(t) for t in texts], bool) & (weight >= rules.least))
    element, up, rank = _steps(dom, steps)
    return LayoutBlocks(
        element,
        up,
        _ranked(rank, _above(dom, steps, dom.parent[first[keep]])),
        first[keep].astype(np.int32),
        last[keep].astype(np.int32),
        tuple(texts[i] for i in keep.tolist()),
        weight[keep].astype(np.int32),
        plain[keep].astype(np.int32),
    )


def letter_weights(text: str, wide: int = 1) -> NDArray[np.int8]:
    """(c,) 1 at the letters, digits and underscores of a text, ``wide`` at those as wide as two, else 0.

    >>> letter_weights("a, 新", wide=2).tolist()
    [1, 0, 0, 2]
    """
    if text.isascii():
        codes = np.frombuffer(text.encode("ascii"), np.uint8)
    else:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    weights: NDArray[np.int8] = _letter_table(wide).take(codes, mode="clip")
    return weights


@cache
def _letter_table(wide: int) -> NDArray[np.int8]:
    """By code point; beyond the first plane nearly everything that is text is a letter."""
    table = np.array([chr(code).isalnum() or code == 0x5F for code in range(0x10000)] + [True], np.int8)
    for first, last in _WIDE:
        table[first : last + 1] *= wide
    return table


def _is(dom: Dom, tags: frozenset[str]) -> NDArray[np.bool_]:
    return np.array([tag in tags for tag in dom.tags])[dom.tag]


def _spoken(page: Page) -> NDArray[np.bool_]:
    """(n,) True at the text nodes that count."""
    dom = page.dom
    silent = dom.ancestor_sum(_is(dom, _SILENT)) > 0
    titled = (dom.ancestor_sum(_is(dom, frozenset(("title",)))) > 0) & ~silent
    space = dom.is_text & ~silent & ~has_characters(dom)  # it may have no box of its own
    return dom.is_text & ((shown(page) & ~silent) | titled | (space & ~_in_head(dom)))


def _in_head(dom: Dom) -> NDArray[np.bool_]:
    return dom.ancestor_sum(_is(dom, frozenset(("head",)))) > 0


def _spoken_text(
    dom: Dom, spoken: NDArray[np.bool_], wide: int
) -> tuple[str, NDArray[np.int64], NDArray[np.int64]]:
    """Text of the nodes that count, where each node's begins in it (n + 1,), and what it weighs (n,)."""
    changes = np.diff(spoken[dom.is_text].astype(np.int8), prepend=0, append=0)
    offsets = np.append(dom.text_start[:-1][dom.is_text], len(dom.text))
    opened, closed = offsets[changes > 0].tolist(), offsets[changes < 0].tolist()
    text = "".join([dom.text[start:stop] for start, stop in zip(opened, closed, strict=True)])
    start = np.concatenate([[0], np.cumsum(np.where(spoken, np.diff(dom.text_start), 0))])
    letters = np.concatenate([[0], np.cumsum(letter_weights(text, wide), dtype=np.int64)])
    return text, start, np.diff(letters[start])


def _steps(dom: Dom, steps: NDArray[np.bool_]) -> tuple[Int32, Int32, Int32]:
    """Return the elements that are steps, the step above each, and the rank (n,) of each node among them."""
    element = np.flatnonzero(steps).astype(np.int32)
    rank = (np.cumsum(steps) - 1).astype(np.int32)
    above = _above(dom, steps, dom.parent[element])
    return element, _ranked(rank, above), rank


def _ranked(rank: Int32, node: Int32) -> Int32:
    """Rank of each node, -1 for none."""
    return np.where(node >= 0, rank[np.maximum(node, 0)], np.int32(-1))


def _above(dom: Dom, steps: NDArray[np.bool_], node: Int32) -> Int32:
    """Return the nearest step at or above each node, -1 where there is none."""
    node = node.copy()
    while len(climb := np.flatnonzero((node >= 0) & ~steps[node])):
        node[climb] = dom.parent[node[climb]]
    return node
