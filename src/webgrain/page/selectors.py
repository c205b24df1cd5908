"""Selectors: many simple CSS selectors, matched with all nodes of a page at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.selectors import Matcher, attribute_tokens, token_hash
from webgrain.kernels.stylesheet import read_selectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom

    Int32 = NDArray[np.int32]
    Tokens = tuple[Int32, NDArray[np.int64]]

MOST_COMPOUNDS = 16
"""Compounds of a selector, at most; one with more matches nothing."""
COMPARISONS = 2_000_000
"""Comparisons of a node with a part of a selector on a page, and 200 more per node; then nothing matches."""


class Selectors:
    """Selectors made ready to be matched with many pages.

    They are made of tags, ids and classes, with ``>`` and spaces between; any other matches nothing.

    >>> from webgrain.page.parse import parse_html
    >>> dom = parse_html("<div class=a><nav><p>x</nav></div><p>y")
    >>> found = Selectors(["div > p", ".a p", "p:hover"]).find(dom)
    >>> [array.tolist() for array in found]  # html, head, body, div, nav, p, text, p, text
    [[5], [1]]
    """

    def __init__(self, css: Sequence[str]) -> None:
        text = "\n".join(css)
        ends = np.cumsum([len(one) + 1 for one in css], dtype=np.int64)
        spans = np.stack([np.append(0, ends[:-1]), ends - 1], axis=1) if len(css) else np.zeros((0, 2))
        self._rank, _, keys, self._chain = read_selectors(
            text, spans.astype(np.int32), len(css), MOST_COMPOUNDS
        )
        order = np.argsort(keys, kind="stable")
        self._key, first = np.unique(keys[order], return_index=True)
        self._start = np.append(first, len(keys)).astype(np.int32)
        self._waiting = order.astype(np.int32)

    def find(self, dom: Dom) -> tuple[Int32, Int32]:
        """Return the pairs that match: nodes (k,), ascending, and the number (k,) of a selector each."""
        tag = np.array([0, *map(token_hash, dom.tags[1:])], np.int64)[dom.tag]
        start, token = _tokens(dom, "class", ".")
        id_start, id_token = _tokens(dom, "id", "#")
        identity = np.zeros(len(dom), np.int64)
        has = np.flatnonzero(np.diff(id_start))
        identity[has] = id_token[id_start[has]]
        matcher = Matcher(  # type: ignore[no-untyped-call]
            dom.parent, tag, identity, start, token, self._chain, COMPARISONS + 200 * len(dom)
        )
        pairs: tuple[Int32, Int32] = matcher.match(self._key, self._start, self._waiting, self._rank)
        return pairs


def _tokens(dom: Dom, name: str, mark: str) -> Tokens:
    number = dom.names.index(name) if name in dom.names else -1
    found = np.flatnonzero(dom.attr_name == number)
    owner = np.searchsorted(dom.attr_start, found, side="right") - 1
    tokens: Tokens = attribute_tokens(dom.values, dom.value_start, found, owner, len(dom), mark)
    return tokens
