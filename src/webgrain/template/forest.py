"""The nodes of a page as a template knows them: the visible ones, each by its tag and its marks.

The marks of a node are its id and its classes. Many belong to one page only (``post-4711``,
``id="introduction"``) and would keep apart what is alike: digits are taken as 0, and a template keeps the
marks that enough of its pages have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.kernels.treepass import shapes
from webgrain.page.dom import freeze
from webgrain.page.kinds import kinds_of
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.remember import remembered

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


def symbol_of(tag: str, marks: Marks, known: Collection[str]) -> Symbol:
    """Return the symbol of a tag with those of the marks that are known."""
    return Symbol(tag, tuple(sorted(mark for mark in marks if mark in known)))


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
        return [symbol_of(tag, marks, known) for tag, marks in self.kinds]


def marked(page: Page | Marked) -> Marked:
    """Return the visible tree of a page with its marks; what has them already as it is.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> found = marked(parse(Source("a", b"<p id=p7 class='b a'>One<p>Two")))
    >>> [(tag, sorted(marks)) for tag, marks in found.kinds]
    [('html', []), ('body', []), ('p', ['#p0', 'a', 'b']), ('#text', []), ('p', [])]
    >>> found.kind.tolist()
    [0, 1, 2, 3, 4, 3]
    """
    if isinstance(page, Marked):
        return page
    dom, tree, kinds = page.dom, visible_tree(page), kinds_of(page.dom)
    kind = kinds.of[tree.node]
    there = np.bincount(kind, minlength=len(kinds.ids)) > 0
    seen, rank = np.flatnonzero(there), (np.cumsum(there) - 1).astype(np.int32)
    tags, marks = kinds.tag.tolist(), kinds.each(_marks)
    known = [(dom.tags[tags[k]], marks[k]) for k in seen.tolist()]
    return Marked(page, tree, rank[kind], tuple(known), _shape(dom, tree))


@lru_cache(maxsize=4096)  # the pages of a site have the same ones
def _marks(id_: str | None, classes: str | None) -> Marks:
    marks = [f"#{''.join(id_.split())}"] if id_ and not id_.isspace() else []
    return frozenset(_DIGITS.sub("0", mark) for mark in (marks + (classes or "").split())[:MOST_MARKS])


def _shape(dom: Dom, tree: VisibleTree) -> NDArray[np.uint64]:
    found: NDArray[np.uint64] = shapes(tree.parent, _codes(dom.tags)[dom.tag[tree.node]])
    return found


@remembered(16)
def _codes(tags: tuple[str, ...]) -> NDArray[np.int64]:
    return np.array([sum(map(ord, name)) for name in tags], np.int64)
