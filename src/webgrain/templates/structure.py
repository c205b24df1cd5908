"""Structure: the template of some pages, from their elements alone.

The children of all nodes that a TAG represents are strings over symbols, and one expression is learnt from
these strings (`webgrain.templates.crx`), from the root down. So the order of the pages does not matter, and
the template accepts every page that it was learnt from. A symbol is an element with a tag and the ids and
classes that enough pages share, or several such elements with similar subtrees.

Cost: a few steps for each node of each page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from math import ceil

import numpy as np

from webgrain.base.arrays import Int32, Int64, UInt64
from webgrain.templates.crx import TAG, ExpressionPart, learn_expression, separate_symbols
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.template import (
    FREE,
    ITEM_TAGS,
    Symbol,
    Template,
    TypedTree,
    known_symbol,
    shape_row,
    subtree_ends,
    tree_shapes,
)
from webgrain.templates.thresholds import (
    COMMON_NAMES,
    MAX_KINDS,
    RATHER_SIMILAR,
    SIMILAR,
    SIMILAR_ITEMS,
    USUAL,
)
from webgrain.templates.treematch import SHAPE_WORDS, shared_bits


def learn_structure(pages: Sequence[TypedTree], mark_support: float = 0.2) -> tuple[Template, list[Int32]]:
    """Return the template of pages, without noise, and the template node of each node of each page.

    Each page must have a visible node. The template has ``page_support``, the number of the pages with each
    of its nodes. mark_support: share of the pages that must have an id or class for it to count, at least two
    pages.

    >>> pages = ["<ul><li>1<li>2</ul><b>x</b>", "<ul><li>1</ul><p>y</p><b>x</b>"]
    >>> from webgrain.templates.template import typed_tree
    >>> print(learn_structure([typed_tree(html) for html in pages])[0])
    html[body[ul[(li[#text])*] (p[#text])? b[#text]]]
    """
    least = max(min(2, len(pages)), ceil(mark_support * len(pages)))
    count = Counter(name for page in pages for name in frozenset().union(*(names for _, names in page.types)))
    known = frozenset(name for name, n in count.items() if n >= least)
    forest = Forest(pages, known)
    root = _Node(TAG, forest.start[:-1][np.diff(forest.start) > 0])
    work = [root] if len(root.places) else []
    while work:
        work.extend(_make_content(forest, work.pop()))
    template = _to_arrays(root, forest, known)
    places = [alignment.at for alignment in map(TemplateMatcher(template).align, pages)]
    return _with_supports(template, places), places


class Forest:
    """The trees of all pages, one after the other; n nodes.

    Attributes:
        start: (p + 1,) the first node of each page; page: (n,) the page of each node.
        table: the symbols in alphabetical order; symbol: (n,) numbers in it; is_free: whether the shape of an
            element with each symbol does not count.
        shape: (n, 4) uint64, the shapes of the subtrees.
        count: (n,) number of children of each node.
    """

    def __init__(self, pages: Sequence[TypedTree], known: frozenset[str]) -> None:
        types = dict.fromkeys(chain.from_iterable(page.types for page in pages))
        symbols = {type_: known_symbol(*type_, known) for type_ in types}
        self.table = sorted(set(symbols.values()))
        number_of_symbol = {symbol: k for k, symbol in enumerate(self.table)}
        number = {type_: number_of_symbol[symbol] for type_, symbol in symbols.items()}
        self.start = np.cumsum([0, *map(len, pages)])
        self.page = np.repeat(np.arange(len(pages)), np.diff(self.start))
        numbers = [np.array([number[type_] for type_ in page.types], np.int64) for page in pages]
        self.symbol = np.concatenate([rows[page.type] for rows, page in zip(numbers, pages, strict=True)])
        shape_rows = np.array([*map(shape_row, self.table)], np.uint64).reshape(-1, 1 + 2 * SHAPE_WORDS)
        shapes = [tree_shapes(page, shape_rows[rows]) for page, rows in zip(pages, numbers, strict=True)]
        self.shape = np.concatenate(shapes)
        self.is_free = np.array([symbol.tag in FREE for symbol in self.table], bool)
        parent = np.concatenate([page.tree.parent for page in pages]).astype(np.int64)
        parent[parent >= 0] += self.start[self.page][parent >= 0]
        self.count = np.bincount(parent[parent >= 0], minlength=len(parent))
        self._order = np.argsort(parent, kind="stable")[int((parent < 0).sum()) :]
        self._first = np.cumsum(self.count) - self.count

    def children(self, nodes: Int64) -> Int64:
        """Return the children of some nodes, concatenated."""
        count = self.count[nodes]
        skipped = self._first[nodes] - (np.cumsum(count) - count)
        children: Int64 = self._order[np.arange(count.sum()) + np.repeat(skipped, count)]
        return children

    def are_equal(self, nodes: Int64) -> bool:
        """Return whether some nodes have the same symbol, and the same shape unless it does not count."""
        first = nodes[0]
        symbol = self.symbol[first]
        if (self.symbol[nodes] != symbol).any():
            return False
        return bool(self.is_free[symbol]) or not (self.shape[nodes] != self.shape[first]).any()


@dataclass(slots=True)
class _Node:
    """A template node during learning; places: the nodes of the forest that it stands for."""

    op: int
    places: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    children: list[_Node] = field(default_factory=list)
    is_list: bool = False


def _make_content(forest: Forest, node: _Node) -> list[_Node]:
    """Set the content of a TAG, the expression of the strings of children; return the TAGs in it."""
    count = forest.count[node.places]
    if not count.any():
        return []
    child = forest.children(node.places)
    if forest.are_equal(child):
        if (count == 1).all():
            node.children = [_Node(TAG, child)]
            return node.children
        flat = [0] * len(child)
    else:
        flat = _classes(forest, child, np.repeat(np.arange(len(count)), count)).tolist()
    rows = [tuple(flat[a:b]) for a, b in pairwise([0, *np.cumsum(count).tolist()])]
    strings = Counter(rows)
    separated = separate_symbols({string: strings[string] for string in sorted(strings)})
    names = np.fromiter((name for row in rows for name in separated[row]), np.int64, len(child))
    order = np.argsort(names, kind="stable")
    distinct, starts = np.unique(names[order], return_index=True)
    places = np.split(child[order], starts[1:])
    tags = {name: _Node(TAG, nodes) for name, nodes in zip(distinct.tolist(), places, strict=True)}
    again: Counter[tuple[int, ...]] = Counter()
    for string, times in strings.items():
        again[separated[string]] += times
    node.children = [_make_part(part, tags) for part in learn_expression(again)]
    return list(tags.values())


def _make_part(part: ExpressionPart, tags: Mapping[int, _Node]) -> _Node:
    """Return a part of an expression as a part of the template."""
    if part.op == TAG:
        return tags[part.symbol]
    return _Node(part.op, children=[_make_part(inner, tags) for inner in part.parts], is_list=part.is_list)


def _classes(forest: Forest, child: Int64, row: Int64) -> Int64:
    """Return the classes (c,) of the children of some nodes (rows): those of one class are one TAG.

    Children with one tag are a class if they have similar subtrees; common names make them more similar, and
    different names are never of one class. Children that never are side by side may be less similar.
    """
    symbol = forest.symbol[child]
    symbols, number = np.unique(symbol, return_inverse=True)
    bits = np.where(forest.is_free[symbol, None], np.uint64(0), forest.shape[child])
    first, variant, times = _variants(symbol, bits)
    if len(first) > MAX_KINDS:
        first, variant, times = _variants(symbol, bits[:, :0])
    if len(first) > MAX_KINDS:
        tags: dict[str, int] = {}
        symbol = np.array([tags.setdefault(forest.table[k].tag, k) for k in symbols.tolist()])[number]
        first, variant, times = _variants(symbol, bits[:, :0])
    rows_with: list[set[int]] = [set() for _ in range(len(first))]
    for in_row, k in zip(row.tolist(), variant.tolist(), strict=True):
        rows_with[k].add(in_row)
    symbol_of = [forest.table[k] for k in forest.symbol[child[first]].tolist()]
    shapes = bits[first]
    order = sorted(range(len(first)), key=lambda k: (-times[k], symbol_of[k], shapes[k].tolist()))
    leaders: dict[str, list[int]] = defaultdict(list)
    leader = np.zeros(len(first), np.int64)
    for k in order:
        tag = symbol_of[k].tag
        names = frozenset(symbol_of[k].names)
        rivals = leaders[tag]
        best = -1
        most = 0.0
        if rivals:
            both = np.bitwise_count(shapes[rivals] & shapes[k]).sum(axis=1)
            either = np.bitwise_count(shapes[rivals] | shapes[k]).sum(axis=1)
            likeness = np.where(either > 0, both / np.maximum(either, 1), 1.0).tolist()
            for rival, like in zip(rivals, likeness, strict=True):
                rival_names = symbol_of[rival].names
                common = names.intersection(rival_names)
                if names and rival_names and not common:
                    continue
                like += COMMON_NAMES * len(common) / max(len(names.union(rival_names)), 1)
                beside = not rows_with[k].isdisjoint(rows_with[rival])
                least = (SIMILAR_ITEMS if tag in ITEM_TAGS else SIMILAR) if beside else RATHER_SIMILAR
                if like >= least and like > most:
                    best, most = rival, like
        if best < 0:
            rivals.append(k)
        else:
            rows_with[best] |= rows_with[k]
        leader[k] = best if best >= 0 else k
    rank = np.zeros(len(first), np.int64)
    rank[order] = np.arange(len(first))
    classes: Int64 = rank[leader][variant]
    return classes


def _variants(symbol: Int64, bits: UInt64) -> tuple[Int64, Int64, Int64]:
    """Return the distinct children by symbol and bits: the first of each, the number (c,), the sizes."""
    key = symbol.astype(np.uint64)
    for words in bits.T:
        key = (key ^ words) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    _, first, variant, times = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first, variant, times


def _to_arrays(root: _Node, forest: Forest, known: frozenset[str]) -> Template:
    """Return the template as arrays, without supports."""
    nodes: list[_Node] = []
    parent: list[int] = []
    work = [(root, -1)]
    while work:
        node, above = work.pop()
        work.extend((child, len(nodes)) for child in reversed(node.children))
        nodes.append(node)
        parent.append(above)
    start = np.cumsum([0, *(len(node.places) for node in nodes)])
    places = np.concatenate([node.places for node in nodes])
    symbols, times = _symbols_of(forest, places, start)
    return Template(
        op=np.array([node.op for node in nodes], np.int8),
        parent=np.array(parent, np.int32),
        end=np.array(subtree_ends(parent), np.int32),
        symbols=symbols,
        symbol_support=times,
        shape=shared_bits(forest.shape, places, start, USUAL),
        page_support=np.zeros(len(nodes), np.int32),
        is_list=np.array([node.is_list for node in nodes]),
        n_pages=len(forest.start) - 1,
        known=known,
        noise={},
    )


def _symbols_of(
    forest: Forest, places: Int64, start: Int64
) -> tuple[tuple[tuple[Symbol, ...], ...], tuple[tuple[int, ...], ...]]:
    """Return the symbols of each template node, the most frequent first, and the pages that have each.

    places: the nodes of the forest at each template node, one after the other; start (m + 1,): of each.
    """
    n_pages, n_symbols = len(forest.start), len(forest.table)
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    pairs = owner * n_symbols + forest.symbol[places]
    pairs, pages = np.unique(np.unique(pairs * n_pages + forest.page[places]) // n_pages, return_counts=True)
    owner, symbol = np.divmod(pairs, n_symbols)
    order = np.lexsort((symbol, -pages, owner))
    cut = np.searchsorted(owner, np.arange(len(start))).tolist()
    names = [forest.table[number] for number in symbol[order].tolist()]
    counts = pages[order].tolist()
    spans = list(pairwise(cut))
    return tuple(tuple(names[a:b]) for a, b in spans), tuple(tuple(counts[a:b]) for a, b in spans)


def _with_supports(template: Template, places: Sequence[Int32]) -> Template:
    """Return the template with the number of pages that have each of its nodes."""
    has_node = np.zeros((len(template), len(places)), bool)
    for number, at in enumerate(places):
        has_node[at[at >= 0], number] = True
    for k in range(len(template) - 1, 0, -1):
        if template.op[above := template.parent[k]] != TAG:
            has_node[above] |= has_node[k]
    return replace(template, page_support=has_node.sum(axis=1).astype(np.int32))
