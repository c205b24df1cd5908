"""Blocks that stand alike, at the same path in elements of the same classes, and blocks that say the same.

What stands alike is mostly of one kind: the posts of a thread, the cards of a list, the paragraphs of a text.
So their probabilities are brought together. What a page says twice - quoted in an answer, or once for narrow
and once for wide screens - is said once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.extract.spans import Spans
    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

EVENED = 0.8
"""How far the log odds of a block go to the mean of those that stand alike."""
LEAST = 1e-4
"""Probability of the least likely block, for its log odds."""
LONG = 40
"""Characters from which on a text that is said again is left out."""
_WHOLE = frozenset(("pre", "code", "td", "th"))
"""Elements whose texts belong together: a line of code or a cell is never left out."""


def standing_alike(dom: Dom, spans: Spans, looks: Ints, steps: int) -> Ints:
    """Return the group of each block (b,): those with the same names and classes of so many elements.

    looks: (n,) a number for each value of ``class``.
    """
    step = dom.tag.astype(np.uint64) * np.uint64(1_000_003) + looks.astype(np.uint64)
    key, node = np.zeros(len(spans.holder), np.uint64), spans.holder
    for _ in range(steps):
        key = (key * np.uint64(1_099_511_628_211)) ^ (step[node] + np.uint64(1))
        node = spans.parent[node]
    return np.unique(key, return_inverse=True)[1]


def evened(probability: Floats, group: Ints, letters: Floats) -> Floats:
    """Return the probabilities (b,), each brought near those of its group, which count by their letters.

    >>> evened(np.array([0.9, 0.5, 0.1]), np.array([0, 0, 1]), np.array([60.0, 20.0, 9.0])).round(2).tolist()
    [0.85, 0.79, 0.1]
    """
    sure = probability.clip(LEAST, 1.0 - LEAST)
    odds, weight = np.log(sure / (1.0 - sure)), letters.clip(1.0)
    mean = (np.bincount(group, weight * odds) / np.bincount(group, weight))[group]
    found: Floats = 1.0 / (1.0 + np.exp(-(odds + EVENED * (mean - odds))))
    return found


def said_once(dom: Dom, blocks: LayoutBlocks, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the chosen blocks without those that say at length what one elsewhere before them has said.

    Code, cells of tables and what an author says again in the same place stay.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.page import Page
    >>> from webgrain.page.parse import parse_html
    >>> said = "<p>The lamp is lit at dusk, and nobody knows who pays."
    >>> page = Page("a", parse_html(f"{said}<blockquote>{said}</blockquote><p>I do.<p>I do."))
    >>> said_once(page.dom, layout_blocks(page), np.arange(4)).tolist()
    [0, 2, 3]
    """
    holders = blocks.element[blocks.holder].tolist()
    said, kept = dict[str, int](), list[int]()
    for k in chosen.tolist():
        text, holder = blocks.texts[k], holders[k]
        around = int(dom.parent[holder])
        if len(text) < LONG or dom.name(holder) in _WHOLE or said.setdefault(text, around) == around:
            kept.append(k)
    return np.array(kept, np.intp)
