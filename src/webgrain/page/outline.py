"""The outline of a page: its visible leaves, and the elements above them as a tree.

A leaf is a text node, an image, a form control, an embedded object, or an element whose only visible content
is a background image (`webgrain.page.leaves`). A unit is an element with at least one leaf, or a leaf. There
are two outlines of a page:

    visible_tree    each element is a unit by itself
    leaf_outline    elements with the same leaves, a chain, are one unit: each is a leaf, or has two children
                    or more

Methods that compare elements read the first one, methods that decide about parts of a page the second one.

Cost: linear in the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Int8, Int32
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import units_above, units_of_nodes
from webgrain.page.leaves import leaf_kinds
from webgrain.page.page import Page


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The units of a page; ``u`` units and ``l`` leaves in document order, all arrays read-only.

    Attributes:
        node, last: (u,) int32, the first and the last node of the chain of a unit, as nodes of the Dom.
        parent: (u,) int32, the unit above, -1 at the root; end: (u,) int32, one past the units below.
        low, high: (u,) int32, the leaves ``low:high`` are in a unit.
        level: (u,) int32, number of units above.
        kind: (u,) int8, into `webgrain.page.leaves.LEAF_KINDS`, 0 at units that are no leaf.
        leaf: (l,) int32, the unit that is each leaf; leaf_node: (l,) int32, its node; leaf_kind: (l,) int8,
            its kind.
        size: number of nodes of the Dom.

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
    kind: Int8
    leaf: Int32
    leaf_node: Int32
    leaf_kind: Int8
    size: int

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
        """The units with two leaves or more."""
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

    def to_dom(self, labels: NDArray[np.integer[Any]]) -> Int32:
        """Return the labels (n,) of the nodes of the Dom by those (u,) of the first nodes of the units.

        They are -1 at all other nodes.
        """
        of_nodes = np.full(self.size, -1, np.int32)
        of_nodes[self.node] = labels
        return of_nodes

    def __repr__(self) -> str:
        return f"Outline({len(self)} units, {len(self.leaf)} leaves)"


@cached_on_page
def leaf_outline(page: Page) -> Outline:
    """Return the outline of a page in which elements with the same leaves are one unit.

    >>> from webgrain.page.parsing import parse
    >>> leaf_outline(parse("<p>One <b>two</b>"))
    Outline(3 units, 2 leaves)
    """
    return _outline(page, True)


@cached_on_page
def visible_tree(page: Page) -> Outline:
    """Return the outline of a page in which each element with a leaf is a unit.

    >>> from webgrain.page.parsing import parse
    >>> tree = visible_tree(parse("<div><p>One<p>Two</div><div></div>"))
    >>> len(tree), tree.parent.tolist()  # html, body, div, p, text, p, text
    (7, [-1, 0, 1, 2, 3, 2, 5])
    """
    return _outline(page, False)


def _outline(page: Page, chains: bool) -> Outline:
    """Return an outline; chains: whether elements with the same leaves are one unit."""
    dom = page.dom
    rows, leaf, kind = units_above(dom.parent, dom.end, leaf_kinds(page), chains)
    rows.setflags(write=False)
    node, last, parent, end, low, high, level = rows
    leaf_node, leaf_kind = last[leaf], kind[leaf]
    for array in (kind, leaf, leaf_node, leaf_kind):
        array.setflags(write=False)
    of_units = node, last, parent, end, low, high, level, kind
    return Outline(*of_units, leaf, leaf_node, leaf_kind, len(dom))
