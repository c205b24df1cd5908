"""The title of a page: the heading that agrees best with ``<title>`` and with what links to the page say."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from webgrain.articleblocks import PERMALINKS
from webgrain.metrics.extraction import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom

AGREES = 0.6
"""Likeness to a link or ``<title>`` from which on a heading agrees with it."""
HEADINGS = ("h1", "h2", "h3")
MOST_HEADINGS, MOST_LINKS = 8, 5
"""Headings and texts of links that are compared, at most."""
LONGEST = 300
"""Letters that a title has at most."""


def find_title(
    dom: Dom,
    blocks: LayoutBlocks,
    anchors: Mapping[str, int] | None = None,
    noise: NDArray[np.floating] | None = None,
    known: str = "",
) -> tuple[str, int]:
    """Return the title of a page, empty for none, and its block; -1 where it stands in none but ``<title>``.

    anchors: texts of links to the page, with their numbers; noise: (b,) of the blocks, 0..1: the more of it a
    heading is the less it counts; known: the title by other evidence, for where no heading agrees.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<title>Site</title><h2>News</h2><h2>The boat</h2><p>Text."))
    >>> find_title(page.dom, layout_blocks(page), {"The boat": 3, "Read more": 1})
    ('The boat', 2)
    """
    names, named = tags_and_title(dom, blocks)
    short = [k for k, name in enumerate(names) if name in HEADINGS and len(blocks.texts[k]) <= LONGEST]
    worth = {k: 1.0 if noise is None else 1.0 - float(noise[k]) for k in short[:MOST_HEADINGS]}
    said = [(1.0, named), *_shares(anchors or {})]
    words = [(share, Counter(tokens(text))) for share, text in said]
    scored = [(_agreement(blocks.texts[k], named, words) * worth[k], names[k] == "h1", -k) for k in worth]
    if scored and (best := max(scored))[0] > 0:
        return blocks.texts[-best[2]].rstrip(PERMALINKS), -best[2]
    if known or named:
        return known or named, -1
    most = said[1][1] if len(said) > 1 else ""
    return next(((blocks.texts[k].rstrip(PERMALINKS), k) for k in worth), (most, -1))


def tags_and_title(dom: Dom, blocks: LayoutBlocks) -> tuple[list[str], str]:
    """Return the tag that holds each block, and what the ``<title>`` says, empty for none."""
    names = [dom.name(node) for node in blocks.element[blocks.holder].tolist()]
    return names, next((blocks.texts[k] for k, name in enumerate(names) if name == "title"), "")[:LONGEST]


def _shares(anchors: Mapping[str, int]) -> Iterator[tuple[float, str]]:
    """Give the most frequent texts of links, and the share of the links that have each."""
    total = max(sum(anchors.values()), 1)
    for text in sorted(anchors, key=lambda text: (-anchors[text], text))[:MOST_LINKS]:
        yield anchors[text] / total, text


def _agreement(text: str, named: str, said: Sequence[tuple[float, Counter[str]]]) -> float:
    """Return how far a heading agrees with ``<title>`` (0..1) and with links (0..1), taken together.

    named: the ``<title>``; said: shares and tokens, those of the ``<title>`` first.
    """
    own, whole, words = text.casefold(), named.casefold(), Counter(tokens(text))
    likeness = [2.0 * (words & other).total() / max((words + other).total(), 1) for _, other in said]
    if own and (whole.startswith(own) or whole.endswith(own)):
        likeness[0] = 1.0
    return sum(share * like for (share, _), like in zip(said, likeness, strict=True) if like >= AGREES)
