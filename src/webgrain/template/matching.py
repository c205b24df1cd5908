"""Pages matched with a template: which template node each node of a page is, and how well that fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.crx import accepts
from webgrain.kernels.treematch import match_tree
from webgrain.kernels.treepass import sibling_numbers
from webgrain.page.dom import freeze
from webgrain.template.expression import TAG
from webgrain.template.forest import marked, symbol_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.template.expression import Template
    from webgrain.template.forest import Marked, Marks, Symbol

    Int32 = NDArray[np.int32]

CORE = 0.9
"""Node support from which on a node is missed where it is absent."""

REMEMBERED = 2**14
"""Kinds of nodes whose symbols are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A page matched with a template.

    Attributes:
        template: the template; labels: (n,) int32 its node for each node of the page's Dom, -1 for none.
        known: share of the page's visible nodes that have one; present: share of the template nodes of
            support `CORE` that the page has; 0..1 both.
        missing: the uppermost template nodes of support `CORE` that the page lacks.
        unknown: the uppermost visible nodes of the page that have no template node.
    """

    template: Template
    labels: Int32
    known: float
    present: float
    missing: tuple[int, ...]
    unknown: tuple[int, ...]

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def score(self) -> float:
        """How well page and template fit, 0..1: the harmonic mean of ``known`` and ``present``."""
        return harmonic(self.known, self.present)

    @property
    def accepted(self) -> bool:
        """Whether the page is of the template's kind: it fits about as well as those it was learnt from."""
        known, present = self.template.floor
        return self.known >= known and self.present >= present


def harmonic(one: float, other: float) -> float:
    """Return the harmonic mean of two numbers, 0 where both are 0."""
    return 2.0 * one * other / (one + other) if one + other else 0.0


class Matcher:
    """A template made ready to be matched with many pages.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.structure import learn_structure
    >>> page = parse(Source("a", b"<h1>One</h1><p>two<p>three"))
    >>> template, _ = learn_structure([marked(page)])
    >>> Matcher(template).match(page).score
    1.0
    >>> other = Matcher(template).match(parse(Source("b", b"<h1>One</h1><ul><li>two</ul>")))
    >>> round(other.known, 2), round(other.present, 2), [template.name(node) for node in other.missing]
    (0.57, 0.67, ['p'])
    """

    def __init__(self, template: Template) -> None:
        self.template = template
        below = [
            (int(template.owner[node]), symbol, node)
            for node in range(1, len(template))
            if template.op[node] == TAG
            for symbol in template.symbols[node]
        ]
        symbols = sorted({symbol for own in template.symbols for symbol in own})
        self._symbol = {symbol: k for k, symbol in enumerate(symbols)}
        self._tag = {tag: k for k, tag in enumerate(sorted({symbol.tag for symbol in symbols}))}
        self._bit = {mark: 1 << k % 64 for k, mark in enumerate(sorted(template.known))}
        self._kinds: dict[tuple[str, Marks], tuple[int, int, int]] = {}
        self._core = (template.op == TAG) & (template.support >= CORE)
        self._entries = self._sorted_entries(below)
        self._deeper = self._two_levels(below)

    def match(self, page: Page | Marked) -> Match:
        """Return the match of a page; one without a visible node has score 0."""
        one = marked(page)
        return self.matched(one, self.place(one))

    def matched(self, page: Marked, at: Int32) -> Match:
        """Return the match of a page whose nodes have been placed."""
        template, tree = self.template, page.tree
        present = np.zeros(len(template), bool)
        present[at[at >= 0]] = True
        lost = self._core & ~present
        missing = np.flatnonzero(lost & ((template.owner < 0) | present[template.owner]))
        unknown = np.flatnonzero((at < 0) & ((tree.parent < 0) | (at[tree.parent] >= 0)))
        return Match(
            template,
            tree.to_dom(at),
            float((at >= 0).mean()) if len(at) else 0.0,
            float(1.0 - lost.sum() / max(self._core.sum(), 1)) if len(at) else 0.0,
            tuple(missing.tolist()),
            tuple(tree.node[unknown].tolist()),
        )

    def place(self, page: Marked) -> Int32:
        """Return the template node (k,) of each node of the visible tree, -1 where there is none."""
        if not len(page) or not len(self.template):
            return np.full(len(page), -1, np.int32)
        if len(self._kinds) > REMEMBERED:
            self._kinds.clear()
        tag, symbol, marks = zip(*map(self._of_kind, page.kinds), strict=True)
        parent, own = page.tree.parent, np.array(symbol, np.int32)[page.kind]
        tags, bits = np.array(tag, np.int32)[page.kind], np.array(marks, np.uint64)[page.kind]
        nodes = (parent, tags, own, *sibling_numbers(parent, own), bits, page.shape)
        found: Int32 = match_tree(nodes, self._entries, self._deeper, len(self._tag), len(self._symbol))
        return found

    def accepts(self, page: Page | Marked) -> bool:
        """Return whether the whole page is in the language of the template.

        >>> from webgrain.page.parse import parse
        >>> from webgrain.page.page import Source
        >>> from webgrain.template.structure import learn_structure
        >>> pages = [parse(Source("a", html)) for html in (b"<p>a<p>b", b"<p>a<b>c", b"<b>c</b><p>a")]
        >>> matcher = Matcher(learn_structure([marked(page) for page in pages[:2]])[0])
        >>> [matcher.accepts(page) for page in pages]
        [True, True, False]
        """
        tree = marked(page)
        at = self.place(tree)
        if (at < 0).any():
            return False
        parent = tree.tree.parent
        if (self.template.owner[at[1:]] != at[parent[1:]]).any():
            return False
        factors, placed = self.template.factors, at.tolist()
        strings = ([placed[child] for child in row] for row in tree.child_lists())
        return all(accepts(factors[own], string) for own, string in zip(placed, strings, strict=True))

    def _of_kind(self, kind: tuple[str, Marks]) -> tuple[int, int, int]:
        """Return the numbers of tag and symbol of nodes of a kind, -1 for none, and its marks as bits."""
        tag, marks = kind
        known = tag if tag in self._tag else "", marks & self.template.known
        if known not in self._kinds:
            symbol = symbol_of(*known, self.template.known)
            numbers = self._tag.get(symbol.tag, -1), self._symbol.get(symbol, -1)
            self._kinds[known] = (*numbers, self._bits(symbol))
        return self._kinds[known]

    def _bits(self, symbol: Symbol) -> int:
        bits = 0
        for mark in symbol.marks:
            bits |= self._bit[mark]
        return bits

    def _sorted_entries(self, below: Iterable[tuple[int, Symbol, int]]) -> tuple[NDArray[np.generic], ...]:
        rows = sorted(
            (owner * len(self._tag) + self._tag[symbol.tag], self._symbol[symbol], place, node)
            for owner, symbol, node in below
            for place in self.template.places[node] or (0,)
        )
        key, number, _, target = (
            (np.array(column, np.int64) for column in zip(*rows, strict=True))
            if rows
            else (np.zeros(0, np.int64),) * 4
        )
        bits = np.array([self._bits(symbol) for symbol in self._symbol], np.uint64)
        return (
            key,
            number.astype(np.int32),
            bits[number],
            self.template.shape[target],
            target.astype(np.int32),
        )

    def _two_levels(self, below: Iterable[tuple[int, Symbol, int]]) -> tuple[NDArray[np.generic], ...]:
        """Return where a symbol with marks stands two levels below a TAG, if in one place only."""
        places: dict[int, set[int]] = {}
        for owner, symbol, node in below:
            above = int(self.template.owner[owner])
            if symbol.marks and above >= 0:
                places.setdefault(above * len(self._symbol) + self._symbol[symbol], set()).add(node)
        alone = sorted((key, min(nodes)) for key, nodes in places.items() if len(nodes) == 1)
        return np.array([key for key, _ in alone], np.int64), np.array([node for _, node in alone], np.int32)
