"""The outline of a page: its visible leaves, and the units of which it consists.

A leaf is a text node, an image, a form control, an embedded object, or an element whose only visible content
is a background image (`webgrain.page.leaves`). A unit is an element with at least one leaf, together with the
elements around or in it that have the same leaves: a chain. So each unit is a leaf, or has two children or
more.

Cost: linear in the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Int8, Int32
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import units_above, units_of_nodes
from webgrain.page.leaves import leaf_kinds
from webgrain.page.page import Page


@dataclass(frozen=True, slots=True, eq=False)
class Outline(ReadOnly):
    """The units of a page; ``u`` units and ``l`` leaves in document order, all arrays read-only.

    Attributes:
        node, last: (u,) int32, the first and the last node of the chain of a unit, as nodes of the Dom.
        parent: (u,) int32, the unit above, -1 at the root; end: (u,) int32, one past the units below.
        low, high: (u,) int32, the leaves ``low:high`` are in a unit.
        level: (u,) int32, number of units above.
        leaf: (l,) int32, the unit that is each leaf.
        kind: (l,) int8, the kind of each leaf, into `webgrain.page.leaves.LEAF_KINDS`.

    >>> from webgrain.page.parsing import parse
    >>> outline = leaf_outline(parse("<ul><li><a>One</a><li>Two <img src=x></ul><p>Three"))
    >>> outline.parent.tolist(), outline.end.tolist()  # html body; ul, li a, li, text, img; p
    ([-1, 0, 1, 1, 3, 3, 0], [7, 6, 3, 6, 5, 6, 7])
    """

    node: Int32
    last: Int32
    parent: Int32
    end: Int32
    low: Int32
    high: Int32
    level: Int32
    leaf: Int32
    kind: Int8

    def __len__(self) -> int:
        return len(self.node)

    @property
    def leaves(self) -> Int32:
        """(u,) number of leaves of each unit."""
        return self.high - self.low

    @property
    def children(self) -> NDArray[np.intp]:
        """(u,) number of children of each unit."""
        return np.bincount(self.parent[1:], minlength=len(self))

    @property
    def inner(self) -> NDArray[np.intp]:
        """The units with two leaves or more: those with children."""
        return (self.leaves > 1).nonzero()[0]

    def units_of(self, dom: Dom) -> tuple[Int32, Int32]:
        """Return the unit (n,) of each node of the Dom, -1 for none, and that of the nearest one with leaves.

        The nearest node is the node itself or above it.

        >>> from webgrain.page.parsing import parse
        >>> page = parse("<p>One<p hidden>Two<p>Three")  # html, head, body, p, text, p, text, p, text
        >>> [units.tolist() for units in leaf_outline(page).units_of(page.dom)]
        [[0, -1, 0, 1, 1, -1, -1, 2, 2], [0, 0, 0, 1, 1, 0, 0, 2, 2]]
        """
        units: tuple[Int32, Int32] = units_of_nodes(dom.parent, self.node, self.last)
        return units

    def __repr__(self) -> str:
        return f"Outline({len(self)} units, {len(self.leaf)} leaves)"


@cached_on_page
def leaf_outline(page: Page) -> Outline:
    """Return the outline of a page.

    >>> from webgrain.page.parsing import parse
    >>> leaf_outline(parse("<p>One <b>two</b>"))
    Outline(3 units, 2 leaves)
    """
    dom, kinds = page.dom, leaf_kinds(page)
    leaves = kinds.nonzero()[0].astype(np.int32)
    node, last, parent, end, low, high, level = units_above(dom.parent, dom.end, leaves)
    leaf = (high - low == 1).nonzero()[0].astype(np.int32)
    return Outline(node, last, parent, end, low, high, level, leaf, kinds[leaves])
