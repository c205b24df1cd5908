"""Where to draw the segments of a page: as few boxes as tell them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from webgrain.errors import ParameterError
from webgrain.page.leaves import leaf_kinds
from webgrain.records import Box, Segment, as_box

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webgrain.page.dom import Dom
    from webgrain.page.page import Page

Corners = NDArray[np.floating[Any]]


def boxes(page: Page, segments: Sequence[Segment]) -> list[tuple[Box, ...]]:
    """Return for each segment the boxes that show where it is on a page with a layout.

    A box is around the largest part of a segment that holds no leaf of another one; a segment of which
    nothing can be seen in this layout has none. Raises `ParameterError` for a page without a layout.

    >>> import numpy as np
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.records import segments
    >>> from webgrain.render.estimate import estimate
    >>> from webgrain.results import Segmentation
    >>> page = parse(Source("a", b"<p>One<p>Two<p>Three<p>Four"))
    >>> page = page.with_view(estimate(page.dom))
    >>> labels = np.array([-1, -1, -1, 0, 0, 0, 0, 1, 1, 0, 0], np.int32)
    >>> [len(found) for found in boxes(page, segments(page, Segmentation(labels, "by hand")))]
    [2, 1]
    """
    if page.view is None:
        raise ParameterError(f"Boxes need a page with a layout, {page.id!r} has none.")
    place = _Place(page.dom, page.view.box, np.flatnonzero(leaf_kinds(page)))
    for segment in segments:
        place.take(segment)
    return [tuple(as_box(corners) for corners in place.boxes(segment)) for segment in segments]


class _Place:
    """The leaves that can be seen, where they stand, and whose they are."""

    def __init__(self, dom: Dom, box: NDArray[np.float32], leaf: NDArray[np.intp]) -> None:
        self._dom = dom
        self._leaf = leaf
        xy, size = box[leaf, :2], box[leaf, 2:]
        self._corners = np.concatenate([xy, xy + size], 1)
        self._centre = xy + size / 2
        self._owner = np.full(len(leaf), -1)

    def take(self, segment: Segment) -> None:
        """Note which leaves are those of a segment."""
        for root in segment.roots:
            self._owner[self._below(root)] = segment.id

    def boxes(self, segment: Segment) -> list[Corners]:
        """Corners of the boxes of a segment; neighbours that may be one are one."""
        found: list[Corners] = []
        for corners in self._parts(segment):
            both = _around(np.stack([found[-1], corners])) if found else corners
            if found and not self._holds_others(both, segment):
                found[-1] = both
            else:
                found.append(corners)
        return found

    def _parts(self, segment: Segment) -> Iterator[Corners]:
        waiting = list(reversed(segment.roots))
        while waiting:
            node = waiting.pop()
            leaves = self._below(node)
            if leaves.start == leaves.stop:
                continue
            corners = _around(self._corners[leaves])
            if leaves.stop - leaves.start > 1 and self._holds_others(corners, segment):
                waiting += reversed(list(self._dom.children(node)))
            else:
                yield corners

    def _holds_others(self, corners: Corners, segment: Segment) -> bool:
        inside = ((self._centre > corners[:2]) & (self._centre < corners[2:])).all(1)
        return bool((inside & (self._owner >= 0) & (self._owner != segment.id)).any())

    def _below(self, node: int) -> slice:
        return slice(*np.searchsorted(self._leaf, [node, self._dom.end[node]]).tolist())


def _around(corners: Corners) -> Corners:
    """Corners (4,) around all of (k, 4)."""
    return np.concatenate([corners[:, :2].min(0), corners[:, 2:].max(0)])
