"""The structure of a template, learnt from the trees of pages.

What stands below a TAG is learnt from all the nodes of all pages that it stands for: the rows of their
children are strings over symbols, these make an expression (`webgrain.kernels.crx`), and each symbol of the
expression is a TAG of its own, for those children. So the template has every page that it was learnt from,
and the order of the pages plays no part.

Cost: a few steps for each node of each page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, pairwise
from math import ceil
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.crx import Factor, learn_expression
from webgrain.template.expression import ALT, OPT, SEQ, STAR, TAG, Template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.template.forest import Marked, Symbol

    Place = tuple[int, int]

ALIKE = 0.5
"""Least likeness of the shapes of two symbols that are one TAG though they stand side by side."""

RATHER_ALIKE = 0.3
"""The same where they never do, and only one of them has marks; and for two places of one symbol."""

MOST_PLACES = 8
"""Siblings of one symbol, always as many, that may be a TAG each."""

MOST_SYMBOLS = 256
"""Symbols of one tag below one TAG; where there are more, they are all taken for one."""

MOST_TAGS = 1024
"""Tags of all symbols below one TAG; where there are more, all symbols are taken for one."""


@dataclass(slots=True)
class _Node:
    """A node of the template while it is made; places: the nodes (page, node) that it stands for."""

    op: int
    places: list[Place] = field(default_factory=list)
    symbols: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()
    children: list[_Node] = field(default_factory=list)
    listing: bool = False


class _Trees:
    """The trees of the pages, their nodes known by symbols that are numbered in the order of their names."""

    def __init__(self, pages: Sequence[Marked], known: frozenset[str]) -> None:
        symbols = [page.symbols(known) for page in pages]
        self.table = sorted({symbol for one in symbols for symbol in one})
        number = {symbol: k for k, symbol in enumerate(self.table)}
        self.symbol = [
            np.array([number[s] for s in own], np.int64)[page.kind].tolist()
            for own, page in zip(symbols, pages, strict=True)
        ]
        self.shape = [page.shape.tolist() for page in pages]
        self.children = [page.child_lists() for page in pages]


def learn_structure(
    pages: Sequence[Marked], mark_support: float = 0.2
) -> tuple[Template, list[NDArray[np.int32]]]:
    """Return the template of pages, without noise, and the template node of each node of each page.

    mark_support: the share of the pages that must have a mark for it to count, two pages at least.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.forest import marked
    >>> pages = ["<ul><li>1<li>2</ul><b>x</b>", "<ul><li>1</ul><p>y</p><b>x</b>"]
    >>> print(learn_structure([marked(parse(Source("a", html.encode()))) for html in pages])[0])
    html[body[ul[(li[#text])*] (p[#text])? b[#text]]]
    """
    known = _known_marks(pages, max(min(2, len(pages)), ceil(mark_support * len(pages))))
    trees = _Trees(pages, known)
    root = _tag(trees, [(k, 0) for k, page in enumerate(pages) if len(page)])
    work = [root] if root.places else []
    while work:
        node = work.pop()
        below = _content(trees, node)
        work.extend(below)
    return _flatten(root, trees, pages, known)


def _known_marks(pages: Iterable[Marked], least: int) -> frozenset[str]:
    count = Counter(mark for page in pages for mark in frozenset().union(*(marks for _, marks in page.kinds)))
    return frozenset(mark for mark, n in count.items() if n >= least)


def _tag(trees: _Trees, places: list[Place], slots: tuple[int, ...] = ()) -> _Node:
    count = Counter(trees.symbol[page][node] for page, node in places)
    symbols = sorted(count, key=lambda symbol: (-count[symbol], symbol))
    return _Node(TAG, places, tuple(symbols), slots)


def _content(trees: _Trees, node: _Node) -> list[_Node]:
    """Make what stands below a TAG; return the TAGs in it."""
    if not any(trees.children[page][place] for page, place in node.places):
        return []
    rows = [_Row(trees, place) for place in node.places]
    kind = _kinds(trees, rows)
    shared = Counter(kind.values())
    slots = _slots(rows, [symbol for symbol, one in kind.items() if shared[one] == 1])
    places: dict[int, list[Place]] = defaultdict(list)
    strings = []
    for row in rows:
        string = [slots.get(item, kind[item[0]]) for item in row.items]
        strings.append(string)
        for one, child in zip(string, row.children, strict=True):
            places[one].append((row.page, child))
    of_slot: dict[int, list[int]] = defaultdict(list)
    for (_, slot), one in slots.items():
        of_slot[one].append(slot)
    tags = {one: _tag(trees, found, tuple(of_slot[one])) for one, found in places.items()}
    node.children = [_part(factor, tags) for factor in learn_expression(strings)]
    return list(tags.values())


class _Row:
    """The children of a node, each known by its symbol and its place among those of that symbol."""

    def __init__(self, trees: _Trees, place: Place) -> None:
        self.page = place[0]
        self.children = trees.children[self.page][place[1]]
        self.symbols = [trees.symbol[self.page][child] for child in self.children]
        self.shapes = [trees.shape[self.page][child] for child in self.children]
        self.count: Counter[int] = Counter()
        self.items = []
        for symbol in self.symbols:
            self.items.append((symbol, self.count[symbol]))
            self.count[symbol] += 1


def _slots(rows: Sequence[_Row], symbols: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return the TAG of each place of those symbols that are several TAGs, one after the other.

    Two unmarked ``div``, one always a menu and the other always a text, are two TAGs. The first has the
    number of the symbol, others have negative ones; a place that is like the one before has the same.
    """
    slots: dict[tuple[int, int], int] = {}
    for symbol, shapes in _shapes_by_place(rows, symbols).items():
        numbers = [symbol]
        for before, after in pairwise(shapes):
            numbers.append(
                numbers[-1] if _likeness(before, after) >= RATHER_ALIKE else -1 - len(slots) - len(numbers)
            )
        if len(set(numbers)) > 1:
            slots |= {(symbol, slot): number for slot, number in enumerate(numbers)}
    return slots


def _shapes_by_place(rows: Sequence[_Row], symbols: Sequence[int]) -> dict[int, list[int]]:
    """Return the shapes of those symbols of which each row that has them has the same few, by their place."""
    counts: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        for symbol, n in row.count.items():
            counts[symbol].add(n)
    shapes = {
        symbol: [0] * max(counts[symbol])
        for symbol in symbols
        if len(counts[symbol]) == 1 and 2 <= max(counts[symbol]) <= MOST_PLACES
    }
    for row in rows if shapes else ():
        for (symbol, place), bits in zip(row.items, row.shapes, strict=True):
            if symbol in shapes:
                shapes[symbol][place] |= bits
    return shapes


def _part(factor: Factor, tags: Mapping[int, _Node]) -> _Node:
    """Return a factor as a part of a template."""
    if factor.record:
        inner = _Node(SEQ, children=[_part(part, tags) for part in factor.record])
    elif len(factor.symbols) > 1:
        inner = _Node(ALT, children=[tags[symbol] for symbol in factor.symbols])
    else:
        inner = tags[factor.symbols[0]]
    if factor.repeated:
        return _Node(STAR, children=[inner], listing=factor.mixed)
    return _Node(OPT, children=[inner]) if factor.optional else inner


def _kinds(trees: _Trees, rows: Sequence[_Row]) -> dict[int, int]:
    """Return for each symbol in rows of children the least symbol that it is one TAG with."""
    shape: dict[int, int] = defaultdict(int)
    inside: dict[int, set[int]] = defaultdict(set)
    for k, row in enumerate(rows):
        for symbol, bits in zip(row.symbols, row.shapes, strict=True):
            shape[symbol] |= bits
            inside[symbol].add(k)
    kind = {symbol: symbol for symbol in sorted(shape)}
    by_tag: dict[str, list[int]] = defaultdict(list)
    for symbol in kind:
        by_tag[trees.table[symbol].tag].append(symbol)
    if len(by_tag) > MOST_TAGS:
        return dict.fromkeys(kind, min(kind))
    for symbols in by_tag.values():
        if len(symbols) > MOST_SYMBOLS:
            kind.update(dict.fromkeys(symbols, symbols[0]))
            continue
        for one, other in combinations(symbols, 2):
            likeness = _likeness(shape[one], shape[other])
            together = not inside[one].isdisjoint(inside[other])
            if _one_tag(trees.table[one], trees.table[other], likeness, together):
                _join(kind, one, other)
    return {symbol: _least(kind, symbol) for symbol in kind}


def _one_tag(one: Symbol, other: Symbol, likeness: float, together: bool) -> bool:
    """Return whether two symbols of one tag, seen side by side or not, are taken for the same."""
    shared = not set(one.marks).isdisjoint(other.marks)
    if one.marks and other.marks and not shared:
        return False
    return likeness >= (ALIKE if together else 0.0 if shared else RATHER_ALIKE)


def _likeness(one: int, other: int) -> float:
    either = (one | other).bit_count()
    return (one & other).bit_count() / either if either else 1.0


def _least(kind: Mapping[int, int], symbol: int) -> int:
    while kind[symbol] != symbol:
        symbol = kind[symbol]
    return symbol


def _join(kind: dict[int, int], one: int, other: int) -> None:
    one, other = sorted((_least(kind, one), _least(kind, other)))
    kind[other] = one


def _shape(trees: _Trees, node: _Node) -> int:
    return reduce(or_, (trees.shape[page][place] for page, place in node.places), 0)


def _flatten(
    root: _Node, trees: _Trees, pages: Sequence[Marked], known: frozenset[str]
) -> tuple[Template, list[NDArray[np.int32]]]:
    """Return the template as arrays, and where the nodes of the pages are in it."""
    nodes: list[_Node] = []
    parent: list[int] = []
    work = [(root, -1)]
    while work:
        node, above = work.pop()
        work.extend((child, len(nodes)) for child in reversed(node.children))
        nodes.append(node)
        parent.append(above)
    assigned = [np.full(len(page), -1, np.int32) for page in pages]
    seen = np.zeros((len(nodes), len(pages)), bool)
    end = np.arange(1, len(nodes) + 1, dtype=np.int32)
    for k in reversed(range(len(nodes))):
        for page, place in nodes[k].places:
            assigned[page][place] = k
            seen[k, page] = True
        if parent[k] >= 0:
            end[parent[k]] = max(end[parent[k]], end[k])
            if nodes[parent[k]].op != TAG:
                seen[parent[k]] |= seen[k]
    template = Template(
        op=np.array([node.op for node in nodes], np.int8),
        parent=np.array(parent, np.int32),
        end=end,
        symbols=tuple(tuple(trees.table[symbol] for symbol in node.symbols) for node in nodes),
        places=tuple(node.slots for node in nodes),
        shape=np.array([_shape(trees, node) for node in nodes], np.uint64),
        page_support=seen.sum(axis=1).astype(np.int32),
        listing=np.array([node.listing for node in nodes]),
        n_pages=len(pages),
        known=known,
        noise={},
    )
    return template, assigned
