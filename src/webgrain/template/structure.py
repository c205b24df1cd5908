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
from itertools import combinations, pairwise
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.crx import Factor, learn_expression
from webgrain.template.expression import ALT, OPT, SEQ, STAR, TAG, Template, subtree_ends
from webgrain.template.rows import Forest, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.template.forest import Marked, Symbol

    Int32 = NDArray[np.int32]
    Int64 = NDArray[np.int64]

ALIKE = 0.5
"""Least likeness of the shapes of two symbols that are one TAG though they stand side by side."""

RATHER_ALIKE = 0.3
"""The same where they never do, and only one of them has marks; and for two places of one symbol."""

MOST_SYMBOLS = 256
"""Symbols of one tag below one TAG; where there are more, they are all taken for one."""

MOST_TAGS = 1024
"""Tags of all symbols below one TAG; where there are more, all symbols are taken for one."""


@dataclass(slots=True)
class _Node:
    """A node of the template while it is made; places: the nodes of the forest that it stands for."""

    op: int
    places: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    symbols: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()
    children: list[_Node] = field(default_factory=list)
    listing: bool = False


def learn_structure(pages: Sequence[Marked], mark_support: float = 0.2) -> tuple[Template, list[Int32]]:
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
    forest = Forest(pages, known)
    root = _tag(forest, forest.start[:-1][np.diff(forest.start) > 0])
    work = [root] if len(root.places) else []
    while work:
        work.extend(_content(forest, work.pop()))
    return _flatten(root, forest, known)


def _known_marks(pages: Iterable[Marked], least: int) -> frozenset[str]:
    count = Counter(mark for page in pages for mark in frozenset().union(*(marks for _, marks in page.kinds)))
    return frozenset(mark for mark, n in count.items() if n >= least)


def _tag(forest: Forest, places: Int64, slots: tuple[int, ...] = ()) -> _Node:
    symbols, times = np.unique(forest.symbol[places], return_counts=True)
    return _Node(TAG, places, tuple(symbols[np.lexsort((symbols, -times))].tolist()), slots)


def _content(forest: Forest, node: _Node) -> list[_Node]:
    """Make what stands below a TAG; return the TAGs in it."""
    rows = Rows(forest, node.places)
    if not len(rows.child):
        return []
    kind = _kinds(forest, rows)
    names = np.array([kind[symbol] for symbol in rows.symbols.tolist()])[rows.symbol]
    shared = Counter(kind.values())
    slots: dict[int, list[int]] = defaultdict(list)
    for symbol, places in rows.places().items():
        if shared[kind[symbol]] == 1:
            for slot, one in enumerate(_slots(rows, symbol, places, sum(map(len, slots.values())))):
                slots[one].append(slot)
                names[places[:, slot]] = one
    order = np.argsort(names, kind="stable")
    found, starts = np.unique(names[order], return_index=True)
    tags = {
        one: _tag(forest, places, tuple(slots.get(one, ())))
        for one, places in zip(found.tolist(), np.split(rows.child[order], starts[1:]), strict=True)
    }
    node.children = [_part(factor, tags) for factor in learn_expression(rows.strings(names))]
    return list(tags.values())


def _slots(rows: Rows, symbol: int, places: Int64, taken: int) -> list[int]:
    """Return the TAG of each place of a symbol if it is several TAGs, one after the other; else nothing.

    Two unmarked ``div``, one always a menu and the other always a text, are two TAGs. The first has the
    number of the symbol, others have negative ones; a place that is like the one before has the same.
    """
    numbers = [symbol]
    for before, after in pairwise(np.bitwise_or.reduce(rows.shape[places], axis=0).tolist()):
        alike = _likeness(before, after) >= RATHER_ALIKE
        numbers.append(numbers[-1] if alike else -1 - taken - len(numbers))
    return numbers if len(set(numbers)) > 1 else []


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


def _kinds(forest: Forest, rows: Rows) -> dict[int, int]:
    """Return for each symbol in rows of children the least symbol that it is one TAG with."""
    shape = dict(zip(rows.symbols.tolist(), rows.shapes(), strict=True))
    kind = {symbol: symbol for symbol in shape}
    by_tag: dict[str, list[int]] = defaultdict(list)
    for symbol in kind:
        by_tag[forest.table[symbol].tag].append(symbol)
    if len(by_tag) > MOST_TAGS:
        return dict.fromkeys(kind, min(kind))
    for symbols in by_tag.values():
        if len(symbols) > MOST_SYMBOLS:
            kind.update(dict.fromkeys(symbols, symbols[0]))
            continue
        inside = _inside(rows, symbols)
        for one, other in combinations(symbols, 2):
            likeness = _likeness(shape[one], shape[other])
            together = not inside[one].isdisjoint(inside[other])
            if _one_tag(forest.table[one], forest.table[other], likeness, together):
                _join(kind, one, other)
    return {symbol: _least(kind, symbol) for symbol in kind}


def _inside(rows: Rows, symbols: Sequence[int]) -> dict[int, set[int]]:
    """Return the rows that have each symbol, where they are several."""
    if len(symbols) < 2:
        return {}
    row, symbol, _ = rows.pairs
    return {one: set(row[rows.symbols[symbol] == one].tolist()) for one in symbols}


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


def _flatten(root: _Node, forest: Forest, known: frozenset[str]) -> tuple[Template, list[Int32]]:
    """Return the template as arrays, and where the nodes of the pages are in it."""
    nodes, parent = _in_order(root)
    seen = _seen(nodes, parent, forest)
    assigned = np.full(len(forest.page), -1, np.int32)
    for k, node in enumerate(nodes):
        assigned[node.places] = k
    template = Template(
        op=np.array([node.op for node in nodes], np.int8),
        parent=np.array(parent, np.int32),
        end=np.array(subtree_ends(parent), np.int32),
        symbols=tuple(tuple(forest.table[symbol] for symbol in node.symbols) for node in nodes),
        places=tuple(node.slots for node in nodes),
        shape=np.array([np.bitwise_or.reduce(forest.shape[node.places]) for node in nodes], np.uint64),
        page_support=seen.sum(axis=1).astype(np.int32),
        listing=np.array([node.listing for node in nodes]),
        n_pages=seen.shape[1],
        known=known,
        noise={},
    )
    return template, np.split(assigned, forest.start[1:-1])


def _in_order(root: _Node) -> tuple[list[_Node], list[int]]:
    """Return the nodes of a template, each before what is below it, and the parents, -1 at the root."""
    nodes, parent = list[_Node](), list[int]()
    work = [(root, -1)]
    while work:
        node, above = work.pop()
        work.extend((child, len(nodes)) for child in reversed(node.children))
        nodes.append(node)
        parent.append(above)
    return nodes, parent


def _seen(nodes: Sequence[_Node], parent: Sequence[int], forest: Forest) -> NDArray[np.bool_]:
    """(m, pages) True where a page has a node of the template; an operator, where it has what is below."""
    seen = np.zeros((len(nodes), len(forest.start) - 1), bool)
    for k in reversed(range(len(nodes))):
        seen[k, forest.page[nodes[k].places]] = True
        if parent[k] >= 0 and nodes[parent[k]].op != TAG:
            seen[parent[k]] |= seen[k]
    return seen
