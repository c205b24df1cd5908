"""Structure: the template of some pages, from their elements alone.

The children of all nodes that a TAG represents are strings over symbols, and one expression is learnt from
these strings (`webgrain.templates.crx`), from the root down. So the order of the pages does not matter, and
the template accepts every page that it was learnt from. A symbol is an element with a tag and the ids and
classes that enough pages share, or several such elements with similar subtrees.

Cost: a few steps for each node of each page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from math import ceil

import numpy as np

from webgrain.base.arrays import Int32, Int64
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.templates.contentkernel import are_equal, children_of, grouped, kinds_of, similar_kinds
from webgrain.templates.crx import TAG, ExpressionPart, learn_expression, separate_symbols
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.matchkernel import SHAPE_WORDS, shared_bits
from webgrain.templates.template import (
    FREE,
    ITEM_TAGS,
    Symbol,
    Template,
    known_symbol,
    node_types,
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


def learn_structure(pages: Sequence[Page], mark_support: float = 0.2) -> tuple[Template, list[Int32]]:
    """Return the template of pages, without noise, and the template node of each node of each page.

    Each page must have a visible node. The template has ``page_support``, the number of the pages with each
    of its nodes. mark_support: share of the pages that must have an id or class for it to count, at least two
    pages.

    >>> pages = ["<ul><li>1<li>2</ul><b>x</b>", "<ul><li>1</ul><p>y</p><b>x</b>"]
    >>> from webgrain.page.parsing import as_page
    >>> print(learn_structure([as_page(html) for html in pages])[0])
    html[body[ul[(li[#text])*] (p[#text])? b[#text]]]
    """
    least = max(min(2, len(pages)), ceil(mark_support * len(pages)))
    types = [node_types(page).types for page in pages]
    count = Counter(name for of_page in types for name in frozenset().union(*(names for _, names in of_page)))
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
        tag: (s,) the number of the tag of each symbol, negative for an item of a list.
        name_start, names: symbol k has the names ``names[name_start[k]:name_start[k + 1]]``, as numbers.
        shape: (n, 4) uint64, the shapes of the subtrees.
        count: (n,) number of children of each node.
    """

    def __init__(self, pages: Sequence[Page], known: frozenset[str]) -> None:
        types_of_pages = list(map(node_types, pages))
        types = dict.fromkeys(chain.from_iterable(of_page.types for of_page in types_of_pages))
        symbols = {type_: known_symbol(*type_, known) for type_ in types}
        self.table = sorted(set(symbols.values()))
        number_of_symbol = {symbol: k for k, symbol in enumerate(self.table)}
        number = {type_: number_of_symbol[symbol] for type_, symbol in symbols.items()}
        self.start = np.cumsum([0, *(len(of_page.of) for of_page in types_of_pages)])
        self.page = np.repeat(np.arange(len(pages)), np.diff(self.start))
        numbers = [np.array([number[type_] for type_ in page.types], np.int64) for page in types_of_pages]
        symbols_of_pages = [rows[page.of] for rows, page in zip(numbers, types_of_pages, strict=True)]
        self.symbol = np.concatenate(symbols_of_pages)
        shape_rows = np.array([*map(shape_row, self.table)], np.uint64).reshape(-1, 1 + 2 * SHAPE_WORDS)
        shapes = [tree_shapes(page, shape_rows[rows]) for page, rows in zip(pages, numbers, strict=True)]
        self.shape = np.concatenate(shapes)
        self.is_free = np.array([symbol.tag in FREE for symbol in self.table], bool)
        tags = {tag: k for k, tag in enumerate(sorted({symbol.tag for symbol in self.table}), 1)}
        signed = [-tags[tag] if tag in ITEM_TAGS else tags[tag] for tag, _ in self.table]
        self.tag = np.array(signed, np.int64)
        name_number = {name: k for k, name in enumerate(sorted(known))}
        numbers_of_names = [[name_number[name] for name in symbol.names] for symbol in self.table]
        self.name_start = np.cumsum([0, *map(len, numbers_of_names)])
        self.names = np.array([*chain.from_iterable(numbers_of_names)], np.int64)
        parent = np.concatenate([visible_tree(page).parent for page in pages]).astype(np.int64)
        parent[parent >= 0] += self.start[self.page][parent >= 0]
        self.count = np.bincount(parent[parent >= 0], minlength=len(parent))
        self._order = np.argsort(parent, kind="stable")[int((parent < 0).sum()) :]
        self._first = np.cumsum(self.count) - self.count

    def children(self, nodes: Int64) -> tuple[Int64, Int64]:
        """Return the children of some nodes, one after the other, and where those of each node begin."""
        children: tuple[Int64, Int64] = children_of(nodes, self._first, self.count, self._order)
        return children

    def are_equal(self, nodes: Int64) -> bool:
        """Return whether some nodes have the same symbol, and the same shape unless it does not count."""
        return bool(are_equal(nodes, self.symbol, self.is_free.view(np.uint8), self.shape))


@dataclass(slots=True)
class _Node:
    """A template node during learning; places: the nodes of the forest that it stands for."""

    op: int
    places: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    children: list[_Node] = field(default_factory=list)
    is_list: bool = False


def _make_content(forest: Forest, node: _Node) -> list[_Node]:
    """Set the content of a TAG, the expression of the strings of children; return the TAGs in it."""
    child, offset = forest.children(node.places)
    rows = len(offset) - 1
    if not len(child):
        return []
    if forest.are_equal(child):
        if len(child) == rows and (np.diff(offset) == 1).all():
            node.children = [_Node(TAG, child)]
            return node.children
        flat = [0] * len(child)
    else:
        flat = _classes(forest, child, offset).tolist()
    strings = Counter([tuple(flat[a:b]) for a, b in pairwise(offset.tolist())])
    if len(strings) == 1 and len(set(flat)) * rows == len(flat):
        columns = child.reshape(rows, -1).T.copy()
        node.children = [_Node(TAG, places) for places in columns]
        return node.children
    separated = separate_symbols({string: strings[string] for string in sorted(strings)})
    again: Counter[tuple[int, ...]] = Counter()
    for string, times in strings.items():
        again[separated[string]] += times
    if again != strings:
        rows_of = (tuple(flat[a:b]) for a, b in pairwise(offset.tolist()))
        flat = [name for row in rows_of for name in separated[row]]
    tags = _tags(child, flat)
    node.children = [_make_part(part, tags) for part in learn_expression(again)]
    return list(tags.values())


def _tags(child: Int64, names: Sequence[int]) -> dict[int, _Node]:
    """Return the TAG of each name of children (c,), with the children that have it."""
    order, offset = grouped(np.array(names, np.int64), max(names) + 1)
    places = child[order]
    spans = enumerate(pairwise(offset.tolist()))
    return {name: _Node(TAG, places[a:b]) for name, (a, b) in spans if a < b}


def _make_part(part: ExpressionPart, tags: Mapping[int, _Node]) -> _Node:
    """Return a part of an expression as a part of the template."""
    if part.op == TAG:
        return tags[part.symbol]
    return _Node(part.op, children=[_make_part(inner, tags) for inner in part.parts], is_list=part.is_list)


def _classes(forest: Forest, child: Int64, offset: Int64) -> Int64:
    """Return the classes (c,) of the children of some nodes: those of one class are one TAG.

    offset (r + 1,): where the children of each node begin. Children with one tag are a class if they have
    similar subtrees; common names make them more similar, and different names are never of one class.
    Children that never are side by side may be less similar.
    """
    of_child = forest.symbol[child]
    nodes = forest.is_free.view(np.uint8), forest.shape
    kind, first, times = kinds_of(child, of_child, *nodes, True)
    if len(first) > MAX_KINDS:
        kind, first, times = kinds_of(child, of_child, *nodes, False)
    is_by_tag = len(first) > MAX_KINDS
    if is_by_tag:
        kind, first, times = kinds_of(child, np.abs(forest.tag)[of_child], *nodes, False)
    symbol = of_child[first]
    shape = forest.shape[child[first]]
    shape[forest.is_free[symbol]] = 0
    order = np.lexsort((*shape.T[::-1], symbol, -times))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    classes: Int64 = rank[kind]
    if is_by_tag:  # no two of them are alike
        return classes
    symbol = symbol[order]
    rows = offset, classes
    leader = similar_kinds(
        symbol, forest.tag[symbol], shape[order], forest.name_start, forest.names, rows, _SIMILARITY
    )
    leaders: Int64 = leader[classes].astype(np.int64)
    return leaders


_SIMILARITY = SIMILAR, SIMILAR_ITEMS, RATHER_SIMILAR, COMMON_NAMES


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
