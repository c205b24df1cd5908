"""Template: a regular expression over trees, as arrays.

A node of a template is a TAG, which stands for an element or a leaf of a page, or an operator over its
children: SEQ, one after the other; STAR, repeated, or missing; OPT, or missing; ALT, one of them. The
children of a TAG are the parts of what the element holds, in order.

    (A)*B(C)?D(E|F)    a STAR of A, then B, an OPT of C, then D, and an ALT of E and F

What an element of the page may be is decided by its symbol. Within one TAG a symbol means one child TAG, so a
page is matched from the top down without search.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.crx import Factor
from webgrain.page.dom import freeze

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.template.forest import Symbol

    Int32 = NDArray[np.int32]

TAG, SEQ, STAR, OPT, ALT = range(5)
OPS = ("tag", "seq", "star", "opt", "alt")
"""Names of the operators, by number."""

Noise = tuple[str, str]
"""A feature of a leaf: ``text``, ``link``, ``image``, ``word`` or ``other``, and its value."""


@dataclass(frozen=True, eq=False)
class Template:
    """A regular expression over trees; ``m`` nodes in document order, a node before what is below it.

    Attributes:
        op: (m,) int8 into `OPS`; parent: (m,) int32, -1 at the root; end: (m,) int32, one past the subtree.
        symbols: (m,) the symbols that a TAG stands for, the first one names it; empty for an operator.
        places: (m,) where among the siblings of its symbol a TAG stands, from 0; empty for anywhere.
        shape: (m,) uint64, at a TAG the tags of its children and grandchildren as bits.
        page_support: (m,) int32, the pages that have the node.
        listing: (m,) bool, at a STAR of which some page repeats an item: not only orders differ.
        n_pages: the pages that it was learnt from; known: the marks that count.
        noise: by leaf TAG, how sure each of its features is noise, 0..1.
        floor: `Match.known` and `Match.present` of a page of this kind, at least.
    """

    op: NDArray[np.int8]
    parent: Int32
    end: Int32
    symbols: tuple[tuple[Symbol, ...], ...]
    places: tuple[tuple[int, ...], ...]
    shape: NDArray[np.uint64]
    page_support: Int32
    listing: NDArray[np.bool_]
    n_pages: int
    known: frozenset[str]
    noise: Mapping[int, Mapping[Noise, float]]
    floor: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.op)

    def __str__(self) -> str:
        """Return it in the notation of the paper, what an element holds in brackets after it."""
        return self._text(0) if len(self) else ""

    @property
    def support(self) -> NDArray[np.float64]:
        """(m,) node support: the share of the pages that have the node."""
        share: NDArray[np.float64] = self.page_support / max(self.n_pages, 1)
        return share

    @cached_property
    def owner(self) -> Int32:
        """(m,) the nearest TAG above each node, -1 at the root."""
        owner = np.full(len(self), -1, np.int32)
        for node in range(1, len(self)):
            above = self.parent[node]
            owner[node] = above if self.op[above] == TAG else owner[above]
        return owner

    @cached_property
    def factors(self) -> tuple[tuple[Factor, ...], ...]:
        """(m,) what each TAG may hold, an expression over TAGs; empty for an operator and a leaf."""
        return tuple(
            tuple(self._factor(part) for part in self.children(node)) if self.op[node] == TAG else ()
            for node in range(len(self))
        )

    @cached_property
    def list_of(self) -> Int32:
        """(m,) the outermost STAR of its parent's content that a TAG is in, if that is a list; -1 else."""
        star = np.full(len(self), -1, np.int32)
        for node in np.flatnonzero((self.op == STAR) & self.listing).tolist():
            star[[tag for tag in self.tags(node) if star[tag] < 0]] = node
        return star

    @cached_property
    def worded(self) -> frozenset[int]:
        """The leaf TAGs whose texts are compared word by word: some word is among their noise."""
        return frozenset(
            node for node, shares in self.noise.items() if any(kind == "word" for kind, _ in shares)
        )

    def children(self, node: int) -> Iterator[int]:
        """Children of a node in order."""
        child = node + 1
        while child < self.end[node]:
            yield child
            child = int(self.end[child])

    def name(self, node: int) -> str:
        """Name of a node: the symbol of a TAG, else its operator."""
        return str(self.symbols[node][0]) if self.op[node] == TAG else OPS[self.op[node]]

    def tags(self, node: int) -> list[int]:
        """Return the TAGs that a part of an element's content is made of, itself if it is one."""
        found, work = [], [node]
        while work:
            node = work.pop()
            if self.op[node] == TAG:
                found.append(node)
            else:
                work.extend(reversed(list(self.children(node))))
        return found

    def _factor(self, node: int) -> Factor:
        repeated, optional = bool(self.op[node] == STAR), bool(self.op[node] == OPT)
        inner = node + 1 if repeated or optional else node
        record = tuple(map(self._factor, self.children(inner))) if self.op[inner] == SEQ else ()
        return Factor(tuple(self.tags(inner)), optional, repeated, bool(self.listing[node]), record)

    def _text(self, root: int) -> str:
        """Write a subtree, without recursion: pages may be deep."""
        out: list[str] = []
        work: list[int | str] = [root]
        while work:
            node = work.pop()
            if isinstance(node, str):
                out.append(node)
                continue
            inside = list(self.children(node))
            before, between, after = self._signs(node, bool(inside))
            out.append(before)
            work.append(after)
            for child in reversed(inside):
                work += [child, between]
            if inside:
                work.pop()
        return "".join(out)

    def _signs(self, node: int, has_children: bool) -> tuple[str, str, str]:
        op = int(self.op[node])
        if op == TAG:
            name = self.name(node)
            return (f"{name}[", " ", "]") if has_children else (name, "", "")
        if op == ALT and self.op[self.parent[node]] != TAG:  # in the brackets of a STAR or OPT
            return "", "|", ""
        return {SEQ: ("", " ", ""), STAR: ("(", "", ")*"), OPT: ("(", "", ")?"), ALT: ("(", "|", ")")}[op]


def subtree_ends(parent: Sequence[int]) -> list[int]:
    """Return one past the subtree of each node (m,) from the parents, which stand before their children.

    >>> subtree_ends([-1, 0, 1, 0])
    [4, 3, 3, 4]
    """
    end = list(range(1, len(parent) + 1))
    for node in range(len(parent) - 1, 0, -1):
        end[parent[node]] = max(end[parent[node]], end[node])
    return end
