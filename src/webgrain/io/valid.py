"""Is a stored page what a page must be? Nothing read from a file reaches compiled code unchecked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from webgrain.errors import ReadError
from webgrain.page.dom import TEXT, Dom
from webgrain.page.view import DISPLAY, POSITION, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webgrain.page.page import Page

Ints = NDArray[np.int32]


def check(page: Page) -> None:
    """Raise `ReadError` unless the arrays of a page are a tree in document order, all indices in range.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> check(parse(Source("a.html", b"<p>Hi")))
    """
    fault = next(_dom_faults(page.dom), None)
    if fault is None and page.view is not None:
        fault = next(_view_faults(page.view, len(page.dom)), None)
    if fault is not None:
        raise ReadError(f"The stored page is damaged: {fault}.")


def _dom_faults(dom: Dom) -> Iterator[str]:
    n, m = len(dom), len(dom.attr_name)
    starts = (dom.text_start, n + 1), (dom.attr_start, n + 1), (dom.value_start, m + 1)
    if n == 0 or any(len(array) != length for array, length in ((dom.end, n), (dom.tag, n), *starts)):
        yield "its columns differ in length"
    elif not _is_tree(dom.parent, dom.end):
        yield "its nodes are no tree in document order"
    elif dom.tags[:1] != ("#text",) or not _within(dom.tag, 0, len(dom.tags)):
        yield "a tag is out of range"
    elif not np.all(dom.is_leaf[dom.tag == TEXT]):
        yield "a text has children"
    elif not _within(dom.attr_name, 0, len(dom.names)):
        yield "an attribute name is out of range"
    elif not (
        _is_partition(dom.text_start, len(dom.text))
        and _is_partition(dom.attr_start, m)
        and _is_partition(dom.value_start, len(dom.values))
    ):
        yield "its offsets do not rise from nothing to all"


def _is_tree(parent: Ints, end: Ints) -> bool:
    """Tell whether every subtree is a slice: a node lies in the slices of its ancestors and in no others."""
    n = len(parent)
    node = np.arange(n)
    if parent[0] != -1 or end[0] != n or not (_within(parent[1:], 0, n) and _within(end, 1, n + 1)):
        return False
    above, below = parent[1:], node[1:]
    nested = np.all(above < below) and np.all(end > node) and np.all(end[1:] <= end[above])
    # Slices opened before a node less those closed by then: one for each of its ancestors.
    depth = node - np.cumsum(np.bincount(end, minlength=n + 1))[:n]
    return bool(nested and np.all(depth[1:] == depth[above] + 1))


def _within(index: NDArray[np.integer], low: int, high: int) -> bool:
    return bool(np.all((index >= low) & (index < high)))


def _is_partition(start: Ints, total: int) -> bool:
    return bool(start[0] == 0 and start[-1] == total and np.all(start[1:] >= start[:-1]))


def _view_faults(view: View, n: int) -> Iterator[str]:
    rows = (
        view.box, view.visible, view.display, view.position, view.font, view.font_size, view.font_weight,
        view.italic, view.color, view.background, view.painter, view.background_image,
    )  # fmt: skip
    if any(len(array) != n for array in rows) or len(view.viewport) != 2:
        yield "the columns of its view differ in length"
    elif not (np.isfinite(view.box).all() and np.isfinite(view.font_size).all()):
        yield "a box or a font size is no number"
    elif not np.isfinite([view.width, view.height]).all():
        yield "the size of the page is no number"
    elif not (
        _within(view.display, 0, len(DISPLAY))
        and _within(view.position, 0, len(POSITION))
        and _within(view.font, 0, len(view.fonts))
    ):
        yield "a style is out of range"
    elif not (_within(view.painter, -1, n) and np.all(view.painter <= np.arange(n))):
        yield "the painter of a background is out of range"
