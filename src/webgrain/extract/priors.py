"""What is known of main content beyond what few labelled pages teach: some places lower its probability.

The trees have seen few footers with a paragraph in them, few reviews below a product. Each rule says of a
kind of place how much of the probability is left there; where several hold, the strongest counts. What is
left is never nothing: on a page with nothing else it is the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom

    Floats = NDArray[np.float64]

OUTSIDE = 0.3, ("hint footer element", "hint nav element", "hint aside element", "hint share")
"""What is left in the elements that HTML has for what is not the page's own; by which hints they are told."""
DIALOG = 0.5, ("hint modal", "hint dialog element")
"""The same in dialogs, tooltips and notices."""
COMMENTS = 0.3, ("hint comment",)
"""The same in comments, unless most of what the page says are comments, as in a forum."""
PRODUCT = 0.3, (*DIALOG[1], *COMMENTS[1], "hint review", "hint related", "hint cart", "hint form element")
"""The same in reviews, related products and forms on the page of a product."""

_MOST = 0.5
"""Share of the expected main content from which on comments are what a page is for."""


def lowered(probability: Floats, x: Floats, names: Sequence[str], letters: Floats, product: bool) -> Floats:
    """Return the probabilities (b,) of blocks, lowered where they stand in some places.

    x: (b, f) the features by ``names``; letters: (b,); product: whether the page sells one thing.

    >>> hints = ["hint footer element", "hint comment"]
    >>> names = list(dict.fromkeys([*hints, *OUTSIDE[1], *DIALOG[1], *PRODUCT[1]]))
    >>> x = np.zeros((3, len(names)))
    >>> x[1, 0] = x[2, 1] = 1.0
    >>> lowered(np.full(3, 0.5), x, names, np.array([9.0, 9.0, 3.0]), False).tolist()
    [0.5, 0.15, 0.15]
    """
    column = {name: k for k, name in enumerate(names)}
    left = np.ones(len(x))
    for share, hints in (OUTSIDE, DIALOG, *((PRODUCT,) if product else ())):
        left = np.where(_within(x, hints, column), np.minimum(left, share), left)
    said, commented = letters * probability, _within(x, COMMENTS[1], column)
    if said[commented].sum() <= _MOST * said.sum():
        left = np.where(commented, np.minimum(left, COMMENTS[0]), left)
    return probability * left


def is_product(dom: Dom) -> bool:
    """Whether the markup says that a page sells one thing: Open Graph or schema.org.

    >>> from webgrain.page.parse import parse_html
    >>> is_product(parse_html("<meta property=og:type content=product>"))
    True
    """
    text = dom.text
    if '"Product"' in text and '"Offer"' in text and '"ItemList"' not in text:
        return True
    if "property" not in dom.names or "og:type" not in dom.values:
        return False
    named = np.flatnonzero(dom.attr_name == dom.names.index("property"))
    owners = np.searchsorted(dom.attr_start, named, side="right") - 1
    metas = [dom.attributes(node) for node in owners.tolist()]
    kinds = [meta.get("content") for meta in metas if meta["property"] == "og:type"]
    return any(kind is not None and kind.endswith("product") for kind in kinds)


def _within(x: Floats, hints: Sequence[str], column: dict[str, int]) -> NDArray[np.bool_]:
    """(b,) True where one of the hints holds."""
    found: NDArray[np.bool_] = np.any(x[:, [column[hint] for hint in hints]] > 0, axis=1)
    return found
