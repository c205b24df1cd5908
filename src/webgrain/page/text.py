"""The text of a page as a reader sees it: text of nodes, and text blocks.

Only visible nodes count (`webgrain.page.leaves.visible_nodes`); white space is collapsed, the contents of
scripts and styles are left out, and words that continue across inline elements stay whole.

A text block is the text between two elements that break a line. `BlockRules` decides which elements break a
text and which are steps of the path to it: `ELEMENTS` follows HTML, `WEBSTEMMER` is the list of the program
of 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64, UInt32, UInt64
from webgrain.base.errors import ParameterError
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import cached_on_page
from webgrain.page.kernels.nodetext import ANCHOR, BREAK, HEAD, SILENT, STEP, TITLE, cut_blocks, join_lines
from webgrain.page.kernels.treepass import span_keys, texts_outside
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import DISPLAY, Page
from webgrain.page.strings import (
    bounded_cache,
    code_points,
    has_text,
    letters_table,
    name_set,
    text_codes,
    text_from,
)
from webgrain.page.tagtables import TagSet, TagTable

NO_TEXT = name_set("script style noscript template")
"""Elements whose contents are no text of the page."""
_SILENT = NO_TEXT | name_set("noframes noembed iframe datalist")
_UNSEEN = _SILENT | {"head"}
INLINE = name_set(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp "
    "rt rtc ruby s samp slot small span strike strong sub sup time tt u var wbr"
)
"""Elements within a line: a word may continue across their tags. `is_inline` has others; the rest ends it."""
_SEPARATE = name_set("br hr img input select textarea button video audio canvas")
_IS_UNSEEN = TagSet(*_UNSEEN)
_IS_SEPARATE = TagSet(*_SEPARATE)
_INLINE_DISPLAY = [DISPLAY.index(value) for value in ("none", "inline", "contents")]


def is_inline(tag: str) -> bool:
    """Whether an element is within a line, as are those of other vocabularies and formulas of MathJax.

    Word processors write elements of other vocabularies.

    >>> is_inline("b"), is_inline("p"), is_inline("st1:place"), is_inline("mjx-container")
    (True, False, True, True)
    """
    return tag in INLINE or ":" in tag or tag.startswith("mjx-")


_IS_BREAK = TagTable(lambda tag: not is_inline(tag) and tag != "#text", np.bool_)


def visible_text(page: Page, node: int = 0, *, separator: str = " ", alt: bool = False) -> str:
    """Text of one node and its descendants; see `texts_of`.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<h1>The <i>mes</i>sage</h1><script>1</script><p>is   short.")
    >>> visible_text(page), visible_text(page, separator="|")
    ('The message is short.', 'The message|is short.')
    """
    return texts_of(page, [[node]], separator=separator, alt=alt)[0]


def text_of(page: Page, nodes: Sequence[int], *, separator: str = " ", alt: bool = False) -> str:
    """Text of a set of nodes and their descendants, in document order; `texts_of` is faster for many sets.

    >>> from webgrain.page.parsing import parse
    >>> text_of(parse("<p>One<b>by<i>one</i></b><p>two<p>three"), [8, 5, 11])
    'byone three'
    """
    return texts_of(page, [nodes], separator=separator, alt=alt)[0]


def texts_of(
    page: Page, groups: Sequence[Sequence[int]], *, separator: str = " ", alt: bool = False
) -> list[str]:
    """Text of each set of nodes; raises ParameterError for a node that is not in the Dom.

    separator: put between texts of different blocks. alt: include the alternative text of images.

    >>> from webgrain.page.parsing import parse
    >>> texts_of(parse("<p>One <img alt=two><p hidden>three<p>four"), [[2], [3]], alt=True)
    ['One two four', 'One two']
    """
    dom = page.dom
    nodes = np.array([node for group in groups for node in group], np.int64)
    if len(nodes) and not (nodes.min() >= 0 and nodes.max() < len(dom)):
        raise ParameterError(f"Expected nodes from 0 to {len(dom) - 1}, got {nodes.tolist()}.")
    owner, pieces = _pieces(page)
    codes = text_codes(dom)
    if alt:
        owner, pieces, codes = _with_alternatives(page, owner, pieces, codes)
    group = np.repeat(np.arange(len(groups)), list(map(len, groups)))
    spans = np.stack([group, owner.searchsorted(nodes), owner.searchsorted(dom.end[nodes])]).astype(np.int32)
    if len(nodes) > len(groups):
        spans = np.ascontiguousarray(spans[:, np.lexsort(spans[1::-1])])
    is_character = len(separator) == 1
    code = ord(separator if is_character else "\n")
    joined, at = join_lines(codes, letters_table(), pieces, spans, len(groups), code)
    text = text_from(joined)
    texts = [text[first:last] for first, last in pairwise(at.tolist())]
    return texts if is_character else [text.replace("\n", separator) for text in texts]


class TextSpans(NamedTuple):
    """Pieces of the text of a page; those of one line are not separated.

    Attributes:
        start, stop: (p,) the characters of each piece in the text of the Dom.
        line: (p,) equal for pieces of one line, not decreasing.
    """

    start: Int32
    stop: Int32
    line: Int64


def visible_spans(page: Page) -> TextSpans:
    """Return the visible text of a page, as `visible_text` without alternative texts.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<h1>The <i>mes</i>sage</h1><p>is short.")
    >>> [page.dom.text[a:b] for a, b, _ in zip(*visible_spans(page))]
    ['The ', 'mes', 'sage', 'is short.']
    """
    _, (start, stop, line) = _pieces(page)
    return TextSpans(start, stop, line.astype(np.int64))


@cached_on_page
def _pieces(page: Page) -> tuple[Int64, Int32]:
    """Return the text nodes (p,) that are read; where each begins and ends, and its line (3, p)."""
    dom = page.dom
    # White space between two words may have no box, so it counts even if it is not visible.
    is_read = dom.is_text & (visible_nodes(page) | ~has_text(dom)) & ~dom.inside(_IS_UNSEEN.of_nodes(dom))
    owner = is_read.nonzero()[0]
    start = dom.text_start
    pieces = np.stack([start[owner], start[owner + 1], _block_numbers(page)[owner]]).astype(np.int32)
    owner.setflags(write=False)
    pieces.setflags(write=False)
    return owner, pieces


def _with_alternatives(page: Page, owner: Int64, pieces: Int32, codes: UInt32) -> tuple[Int64, Int32, UInt32]:
    """Return nodes, pieces and characters with the alternative texts of visible images; see `_pieces`."""
    images = page.dom.find_tag("img")
    images = images[visible_nodes(page)[images]]
    texts = [text or "" for text in page.dom.values_at("alt", images)]
    nodes = images[np.array([text != "" for text in texts], np.bool_)]
    end = len(codes) + np.cumsum([len(text) for text in texts if text], dtype=np.int64)
    of_images = np.stack([np.append(len(codes), end)[:-1], end, _block_numbers(page)[nodes]]).astype(np.int32)
    order = np.argsort(np.concatenate([owner, nodes]), kind="stable")
    every = np.concatenate([pieces, of_images], axis=1)[:, order]
    return (
        np.concatenate([owner, nodes])[order],
        np.ascontiguousarray(every),
        np.concatenate([codes, code_points("".join(texts))]),
    )


def _block_numbers(page: Page) -> Int64:
    """(n,) equal for two nodes if no block begins or ends between them."""
    dom = page.dom
    if page.view is None:
        breaks = _IS_BREAK.of_nodes(dom)
    else:
        separate = _IS_SEPARATE.of_nodes(dom)
        breaks = (separate | ~np.isin(page.view.display, _INLINE_DISPLAY)) & ~dom.is_text
    ends = np.bincount(dom.end[breaks], minlength=len(dom) + 1)[: len(dom)]
    return np.cumsum(breaks) + np.cumsum(ends)


# Elements within a line that hold no text of the line and do not end it.
_ATOMS = name_set("img input select textarea button svg math canvas picture source")
_BLOCK_SILENT = _SILENT | {"select", "textarea"}
_WITHIN = INLINE | _ATOMS | _BLOCK_SILENT | {"br", "#text"}
_BITS = {**dict.fromkeys(_BLOCK_SILENT, SILENT), "title": TITLE, "head": HEAD, "a": ANCHOR}


@dataclass(frozen=True, slots=True)
class BlockRules:
    """Which elements break a text and are steps of a path.

    Attributes:
        steps: names of these elements; None: all elements except those within a line.
        least: least number of letters and digits of a block.
        wide: weight of a Chinese, Japanese or Korean character.
    """

    steps: frozenset[str] | None = None
    least: int = 0
    wide: int = 2

    def is_step(self, tag: str) -> bool:
        """Whether an element is a step of the path."""
        return tag in self.steps if self.steps is not None else tag not in _WITHIN and not is_inline(tag)


ELEMENTS = BlockRules()
WEBSTEMMER = BlockRules(
    steps=name_set(
        "title p h1 h2 h3 h4 h5 h6 tr td th dt dd li ul ol dl dir menu pre div center font span blockquote "
        "table address"
    ),
    least=5,
    wide=1,
)


@dataclass(frozen=True, slots=True, eq=False)
class TextBlocks(ReadOnly):
    """The text blocks of a page and the elements above them; all arrays read-only.

    Attributes:
        element: (e,) int32, the elements that are steps of paths, as nodes of the Dom in document order.
        up: (e,) int32, the step above each, as an index into ``element``; -1 at the first.
        holder: (b,) int32, the nearest step above each block, as an index into ``element``; -1 for none.
        first, last: (b,) int32, the first and last text node of each block.
        texts: the b texts, white space collapsed.
        weight: (b,) int32, number of letters, digits and underscores; wide characters count more than once.
        weight_noanchor: (b,) int32, the same for the characters outside links; ``<a name>`` is no link.
    """

    element: Int32
    up: Int32
    holder: Int32
    first: Int32
    last: Int32
    texts: tuple[str, ...]
    weight: Int32
    weight_noanchor: Int32

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"TextBlocks({len(self)} blocks)"


_IS_NOT_READ = TagSet(*NO_TEXT, "textarea", "select", "option", "head", "title")


class VisibleTexts(NamedTuple):
    """The visible texts of a page outside of controls: shown (n,), their nodes (k,), and their keys (k,)."""

    shown: Bool
    node: Int64
    key: UInt64


@cached_on_page
def visible_texts(page: Page) -> VisibleTexts:
    """Return the visible texts of a page; equal texts have equal keys.

    >>> from webgrain.page.parsing import parse
    >>> visible_texts(parse("<p>a<option>b</option>")).node.tolist()
    [4]
    """
    dom = page.dom
    silent = _IS_NOT_READ.values(dom.tags).view(np.uint8)
    visible = visible_nodes(page)
    flags = visible.view(np.uint8), has_text(dom).view(np.uint8)
    shown: Bool = texts_outside(dom.parent, dom.tag, silent, *flags)
    node, start = shown.nonzero()[0], dom.text_start
    key: UInt64 = span_keys(text_codes(dom), start[node], start[node + 1], len(dom.text))
    return VisibleTexts(shown, node, key)


@cached_on_page
def text_blocks(page: Page, rules: BlockRules = ELEMENTS) -> TextBlocks:
    """Return the visible text blocks of a page and its ``<title>``, in document order.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<title>T</title><div>One <b>two</b><p>three<a href=x>four</a></div>")
    >>> blocks = text_blocks(page)
    >>> blocks.texts, blocks.weight.tolist(), blocks.weight_noanchor.tolist()
    (('T', 'One two', 'threefour'), [1, 6, 9], [1, 6, 5])
    """
    dom = page.dom
    bits = _element_bits(rules.steps).of_nodes(dom)
    bits[~dom.links()] &= ~np.uint8(ANCHOR)
    element, up, holder, first, last, weight, plain, codes, start = cut_blocks(
        (dom.parent, dom.end, dom.tag),
        text_codes(dom),
        dom.text_start,
        visible_nodes(page).view(np.uint8),
        bits,
        letters_table(rules.wide),
        rules.least,
    )
    text = text_from(codes)
    texts = tuple([text[a:b] for a, b in pairwise(start.tolist())])
    return TextBlocks(element, up, holder, first, last, texts, weight, plain)


def page_text(page: Page) -> str:
    """Return all visible text of a page, one block per line.

    >>> from webgrain.page.parsing import parse
    >>> print(page_text(parse("<title>T</title><p>One <b>two</b><p>three")))
    One two
    three
    <BLANKLINE>
    """
    blocks, dom = text_blocks(page), page.dom
    tags = dom.tag[blocks.element[blocks.holder]].tolist()
    lines = (text for text, tag in zip(blocks.texts, tags, strict=True) if dom.tags[tag] != "title")
    return "".join(f"{line}\n" for line in lines)


@bounded_cache(16)
def _element_bits(steps: frozenset[str] | None) -> TagTable:
    """Return the properties of the elements of each tag, as bits of `cut_blocks`."""
    rules = BlockRules(steps)

    def bits(tag: str) -> int:
        breaks = BREAK if tag in ("br", "hr") else 0
        return (STEP | BREAK if rules.is_step(tag) else breaks) | _BITS.get(tag, 0)

    return TagTable(bits, np.uint8)
