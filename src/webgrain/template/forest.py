"""The nodes of a page as a template knows them: the visible ones, each by its tag and its marks.

The marks of a node are its id and its classes. Many belong to one page only (``post-4711``,
``id="introduction"``) and would keep apart what is alike: digits are taken as 0, and a template keeps the
marks that enough of its pages have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.page.dom import freeze
from webgrain.page.leaves import VisibleTree, visible_tree

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom
    from webgrain.page.page import Page

    Marks = frozenset[str]

_DIGITS = re.compile(r"[0-9]+")

MOST_MARKS = 64
"""Marks of one node that count; a hostile page may have any number."""


class Symbol(NamedTuple):
    """What a node is known by: its tag and some of its marks, sorted; an id is ``#name``.

    >>> print(Symbol("div", ("#main", "wide")))
    div#main.wide
    """

    tag: str
    marks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.tag + "".join(mark if mark[0] == "#" else f".{mark}" for mark in self.marks)


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """The visible tree of a page with the marks of its k nodes.

    Attributes:
        page, tree: the page and its visible tree.
        kind: (k,) int32 into ``kinds``, the distinct pairs of a tag and marks.
        shape: (k,) uint64, the tags of a node's children and grandchildren, as bits.
    """

    page: Page
    tree: VisibleTree
    kind: NDArray[np.int32]
    kinds: tuple[tuple[str, Marks], ...]
    shape: NDArray[np.uint64]

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.tree)

    def child_lists(self) -> list[list[int]]:
        """Return the children of each node, in order."""
        children: list[list[int]] = [[] for _ in range(len(self))]
        for node, above in enumerate(self.tree.parent.tolist()):
            if above >= 0:
                children[above].append(node)
        return children

    def symbols(self, known: Collection[str]) -> list[Symbol]:
        """Return the symbol of each of ``kinds``, with the marks that are known."""
        return [
            Symbol(tag, tuple(sorted(mark for mark in marks if mark in known))) for tag, marks in self.kinds
        ]


def marked(page: Page | Marked) -> Marked:
    """Return the visible tree of a page with its marks; what has them already as it is.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> found = marked(parse(Source("a", b"<p id=p7 class='b a'>One<p>Two")))
    >>> [(tag, sorted(marks)) for tag, marks in found.kinds]
    [('#text', []), ('html', []), ('body', []), ('p', []), ('p', ['#p0', 'a', 'b'])]
    >>> found.kind.tolist()
    [1, 2, 4, 0, 3, 0]
    """
    if isinstance(page, Marked):
        return page
    dom, tree = page.dom, visible_tree(page)
    of_node, attributes = _attributes(dom)
    key = dom.tag[tree.node].astype(np.int64) * len(attributes) + of_node[tree.node]
    found, kind = np.unique(key, return_inverse=True)
    marks = [_marks(*pair) for pair in attributes]
    kinds = [(dom.tags[k // len(marks)], marks[k % len(marks)]) for k in found.tolist()]
    return Marked(page, tree, kind.astype(np.int32), tuple(kinds), _shape(dom, tree))


def _attributes(dom: Dom) -> tuple[NDArray[np.int64], list[tuple[str | None, str | None]]]:
    """Return the distinct pairs of an id and a class, the first without both, and which one a node has."""
    ids, classes = dom.column("id"), dom.column("class")
    places: dict[tuple[str | None, str | None], int] = {(None, None): 0}
    of_node = np.zeros(len(dom), np.int64)
    names = [dom.names.index(name) for name in ("id", "class") if name in dom.names]
    named = np.flatnonzero(np.isin(dom.attr_name, names))
    for node in np.unique(np.searchsorted(dom.attr_start, named, side="right") - 1).tolist():
        pair = ids[node], classes[node]
        of_node[node] = places.setdefault(pair, len(places))
    return of_node, list(places)


def _marks(id_: str | None, classes: str | None) -> Marks:
    marks = [f"#{''.join(id_.split())}"] if id_ and not id_.isspace() else []
    return frozenset(_DIGITS.sub("0", mark) for mark in (marks + (classes or "").split())[:MOST_MARKS])


def _shape(dom: Dom, tree: VisibleTree) -> NDArray[np.uint64]:
    code = np.array([sum(map(ord, name)) for name in dom.tags], np.int64)[dom.tag[tree.node]]
    shape = np.zeros(len(tree), np.uint64)
    child = np.arange(1, len(tree))
    parent = tree.parent[child]
    np.bitwise_or.at(shape, parent, _bit(code[child]))
    child = child[tree.parent[parent] >= 0]
    parent = tree.parent[child]
    np.bitwise_or.at(shape, tree.parent[parent], _bit(code[parent] * 31 + code[child]))
    return shape


def _bit(code: NDArray[np.int64]) -> NDArray[np.uint64]:
    mixed = code * 0x9E3779B1 % 2**32 >> 26  # six bits that depend on all (Knuth's multiplicative hash)
    bits: NDArray[np.uint64] = np.left_shift(np.uint64(1), mixed.astype(np.uint64))
    return bits
