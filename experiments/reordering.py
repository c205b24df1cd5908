"""Pages in another order: the children of some elements are reversed or exchanged.

A page in another order has all elements and texts of the page, so only its order differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.templates.template import children, node_types

CONTENT = 0.6
"""Share of the leaves that an element with the content of a page has, at least."""
LEAST = 3
"""Children that are reversed, at least."""

Order = Callable[[int, list[int]], Sequence[int]]


def reordered(page: Page, order: Order) -> Page:
    """Return a page with the children of each node of its visible tree in another order.

    Only its visible tree, and what is computed from it, is in the other order.
    """
    tree = visible_tree(page)
    nodes: list[int] = []
    work = [0]
    while work:
        node = work.pop()
        nodes.append(node)
        work.extend(reversed(order(node, list(children(tree.end, node)))))
    old = np.array(nodes)
    new = np.empty(len(old), np.int32)
    new[old] = np.arange(len(old))
    parent = np.where(tree.parent[old] >= 0, new[tree.parent[old]], -1).astype(np.int32)
    end = (np.arange(len(old)) + (tree.end - np.arange(len(tree)))[old]).astype(np.int32)
    kind = tree.kind[old]
    leaf = np.flatnonzero(kind).astype(np.int32)
    before = np.append(0, np.cumsum(kind > 0)).astype(np.int32)
    changed = replace(
        tree,
        node=tree.node[old],
        last=tree.last[old],
        parent=parent,
        end=end,
        low=before[:-1],
        high=before[end],
        level=tree.level[old],
        kind=kind,
        leaf=leaf,
        leaf_node=tree.last[old][leaf],
        leaf_kind=kind[leaf],
    )
    result = replace(page)
    result.remember(visible_tree, changed)
    return result


def reversed_page(page: Page) -> Page:
    """Return a page in which the children of each element are reversed."""
    return reordered(page, lambda _, nodes: nodes[::-1])


def reversed_frame(page: Page) -> Page:
    """Return a page in which the children of the uppermost element with several of them are reversed."""
    return _reversed_at(page, _elements(page)[0])


def reversed_content(page: Page) -> Page:
    """Return a page in which the children of the innermost element with most of the leaves are reversed."""
    return _reversed_at(page, _elements(page)[-1])


def _reversed_at(page: Page, element: int) -> Page:
    return reordered(page, lambda node, nodes: nodes[::-1] if node == element else nodes)


def _elements(page: Page) -> list[int]:
    """Return the elements with several children and most of the leaves, from above; at least one."""
    tree = visible_tree(page)
    leaves = tree.leaves
    elements: list[int] = []
    node = 0
    while True:
        below = list(children(tree.end, node))
        if len(below) >= LEAST:
            elements.append(node)
        largest = max(below, key=lambda child: (leaves[child], -child), default=-1)
        if largest < 0 or (elements and leaves[largest] < CONTENT * leaves[0]):
            return elements or [0]
        node = largest


def is_changed(page: Page, other: Page) -> bool:
    """Return whether two orders of a page differ in the types of its elements."""
    same_ends = np.array_equal(visible_tree(page).end, visible_tree(other).end)
    first, second = (
        np.array([hash(x) for x in types.types])[types.of] for types in map(node_types, (page, other))
    )
    return not (same_ends and np.array_equal(first, second))


REVERSALS = {"all": reversed_page, "frame": reversed_frame, "content": reversed_content}
