"""The text of a page as a reader takes it in: white space collapsed, code left out, words kept whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter

import numpy as np

from webgrain.arrays import Int32, Int64
from webgrain.errors import ParameterError
from webgrain.page.leaves import shown
from webgrain.page.page import DISPLAY, Page
from webgrain.page.strings import has_characters

# What no reader sees as text, in any rendering.
_NO_TEXT = frozenset(
    ("script", "style", "noscript", "template", "noframes", "noembed", "iframe", "datalist", "head")
)
# Elements that stand within a line, so that a word may go on across their tags; all others end it.
INLINE = frozenset(
    (
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "del",
            "dfn",
            "em",
            "font",
        ),
        *("i", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "rt", "ruby", "s", "samp", "slot", "small"),
        *("span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)
_APART = frozenset(("br", "hr", "img", "input", "select", "textarea", "button", "video", "audio", "canvas"))
_INLINE_DISPLAY = [DISPLAY.index(value) for value in ("none", "inline", "contents")]


def visible_text(page: Page, node: int = 0, *, separator: str = " ", alt: bool = False) -> str:
    """Text of one node with all that is below it; see `texts_of`.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<h1>The <i>mes</i>sage</h1><script>1</script><p>is   short."))
    >>> visible_text(page), visible_text(page, separator="|")
    ('The message is short.', 'The message|is short.')
    """
    return texts_of(page, [[node]], separator=separator, alt=alt)[0]


def text_of(page: Page, nodes: Sequence[int], *, separator: str = " ", alt: bool = False) -> str:
    """Text of several nodes taken together, in document order; see `texts_of`, which is faster for many.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> text_of(parse(Source("a", b"<p>One<b>by<i>one</i></b><p>two<p>three")), [8, 5, 11])
    'byone three'
    """
    return texts_of(page, [nodes], separator=separator, alt=alt)[0]


def texts_of(
    page: Page, groups: Sequence[Sequence[int]], *, separator: str = " ", alt: bool = False
) -> list[str]:
    """Text of each group of nodes; ParameterError for a node that is not in the Dom.

    Only what can be seen counts (`webgrain.page.leaves.shown`). White space is collapsed; what stands in
    different blocks is kept apart by ``separator``, what stands in one is not. alt: images count with their
    alternative text.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>One <img alt=two><p hidden>three<p>four"))
    >>> texts_of(page, [[2], [3]], alt=True)
    ['One two four', 'One two']
    """
    dom = page.dom
    owner, pieces = _pieces(page, alt)
    block = _blocks(page)[owner].tolist()
    nodes = np.array([node for group in groups for node in group], np.int64)
    if len(nodes) and not (nodes.min() >= 0 and nodes.max() < len(dom)):
        raise ParameterError(f"Nodes from 0 to {len(dom) - 1} were expected, got {nodes.tolist()}.")
    spans = iter(np.searchsorted(owner, np.stack([nodes, dom.end[nodes]], axis=1)).tolist())
    texts = []
    for group in groups:
        own = sorted({i for first, last in islice(spans, len(group)) for i in range(first, last)})
        texts.append(separator.join(_lines([block[i] for i in own], [pieces[i] for i in own])))
    return texts


def _lines(blocks: list[int], pieces: list[str]) -> Iterator[str]:
    """Text of each block, without those that have none."""
    for _, line in groupby(zip(blocks, pieces, strict=True), key=itemgetter(0)):
        words = "".join(piece for _, piece in line).split()
        if words:
            yield " ".join(words)


def _pieces(page: Page, alt: bool) -> tuple[Int32, list[str]]:
    """Nodes (p,) that bring text, and what they bring."""
    dom = page.dom
    silent = np.array([tag in _NO_TEXT for tag in dom.tags])[dom.tag]
    # A space between two words may have no box of its own.
    brings = dom.is_text & (shown(page) | ~has_characters(dom)) & ~dom.inside(silent)
    described = dom.column("alt") if alt and "img" in dom.tags else []
    if described:
        brings |= (
            np.array([bool(text) for text in described]) & (dom.tag == dom.tags.index("img")) & shown(page)
        )
    owner = np.flatnonzero(brings).astype(np.int32)
    starts, stops = dom.text_start[owner].tolist(), dom.text_start[owner + 1].tolist()
    pieces = [
        dom.text[start:stop] or described[node] or ""
        for node, start, stop in zip(owner.tolist(), starts, stops, strict=True)
    ]
    return owner, pieces


def _blocks(page: Page) -> Int64:
    """(n,) the same number for nodes between which no block begins or ends."""
    dom = page.dom
    if page.view is None:
        breaks = np.array([tag not in INLINE and tag != "#text" for tag in dom.tags])[dom.tag]
    else:
        apart = np.array([tag in _APART for tag in dom.tags])[dom.tag]
        breaks = (apart | ~np.isin(page.view.display, _INLINE_DISPLAY)) & ~dom.is_text
    ends = np.bincount(dom.end[breaks], minlength=len(dom) + 1)[: len(dom)]
    return np.cumsum(breaks) + np.cumsum(ends)
