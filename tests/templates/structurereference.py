"""The structure of templates in Python and with array operations, as the reference of the kernel."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np

from webgrain.page.outline import visible_tree
from webgrain.templates.crx import TAG, learn_expression, separate_symbols
from webgrain.templates.matchkernel import SHAPE_WORDS
from webgrain.templates.structure import _make_part as make_part
from webgrain.templates.structure import _Node as Node
from webgrain.templates.template import FREE, ITEM_TAGS, known_symbol, node_types, shape_row, tree_shapes
from webgrain.templates.thresholds import COMMON_NAMES, MAX_KINDS, RATHER_SIMILAR, SIMILAR, SIMILAR_ITEMS


class Forest:
    """The trees of all pages, one after the other."""

    def __init__(self, pages, known):
        symbols = [[known_symbol(*type_, known) for type_ in node_types(page).types] for page in pages]
        self.table = sorted({symbol for of_page in symbols for symbol in of_page})
        number = {symbol: k for k, symbol in enumerate(self.table)}
        self.start = np.cumsum([0, *(len(visible_tree(page)) for page in pages)])
        self.page = np.repeat(np.arange(len(pages)), np.diff(self.start))
        numbers = (np.array([number[symbol] for symbol in of_page], np.int64) for of_page in symbols)
        self.symbol = np.concatenate(
            [rows[node_types(page).of] for rows, page in zip(numbers, pages, strict=True)]
        )
        shapes = (
            np.array([*map(shape_row, of_page)], np.uint64).reshape(-1, 1 + 2 * SHAPE_WORDS)
            for of_page in symbols
        )
        self.shape = np.concatenate(list(map(tree_shapes, pages, shapes)))
        parent = np.concatenate([visible_tree(page).parent for page in pages]).astype(np.int64)
        parent[parent >= 0] += self.start[self.page][parent >= 0]
        self.count = np.bincount(parent[parent >= 0], minlength=len(parent))
        self._order = np.argsort(parent, kind="stable")[int((parent < 0).sum()) :]
        self._first = np.cumsum(self.count) - self.count

    def children(self, nodes):
        """Return the children of some nodes, concatenated."""
        count = self.count[nodes]
        skipped = self._first[nodes] - (np.cumsum(count) - count)
        return self._order[np.arange(count.sum()) + np.repeat(skipped, count)]

    def are_equal(self, nodes):
        """Return whether some nodes have the same symbol, and the same shape unless it does not count."""
        first = nodes[0]
        symbol = self.symbol[first]
        if (self.symbol[nodes] != symbol).any():
            return False
        return self.table[symbol].tag in FREE or not (self.shape[nodes] != self.shape[first]).any()


def make_content(forest, node):
    """Set the content of a TAG, the expression of the strings of children; return the TAGs in it."""
    count = forest.count[node.places]
    if not count.any():
        return []
    child = forest.children(node.places)
    if forest.are_equal(child):
        if (count == 1).all():
            node.children = [Node(TAG, child)]
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
    tags = {name: Node(TAG, nodes) for name, nodes in zip(distinct.tolist(), places, strict=True)}
    again = Counter()
    for string, times in strings.items():
        again[separated[string]] += times
    node.children = [make_part(part, tags) for part in learn_expression(again)]
    return list(tags.values())


def _classes(forest, child, row):
    """Return the classes (c,) of the children of some nodes (rows): those of one class are one TAG.

    Children with one tag are a class if they have similar subtrees; common names make them more similar, and
    different names are never of one class. Children that never are side by side may be less similar.
    """
    symbol = forest.symbol[child]
    symbols, number = np.unique(symbol, return_inverse=True)
    free = np.array([forest.table[k].tag in FREE for k in symbols.tolist()])
    bits = np.where(free[number, None], np.uint64(0), forest.shape[child])
    first, variant, times = _variants(symbol, bits)
    if len(first) > MAX_KINDS:
        first, variant, times = _variants(symbol, bits[:, :0])
    if len(first) > MAX_KINDS:
        tags = {}
        symbol = np.array([tags.setdefault(forest.table[k].tag, k) for k in symbols.tolist()])[number]
        first, variant, times = _variants(symbol, bits[:, :0])
    rows_with = [set() for _ in range(len(first))]
    for in_row, k in zip(row.tolist(), variant.tolist(), strict=True):
        rows_with[k].add(in_row)
    symbol_of = [forest.table[k] for k in forest.symbol[child[first]].tolist()]
    shapes = bits[first]
    order = sorted(range(len(first)), key=lambda k: (-times[k], symbol_of[k], shapes[k].tolist()))
    leaders = defaultdict(list)
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
    return rank[leader][variant]


def _variants(symbol, bits):
    """Return the distinct children by symbol and bits: the first of each, the number (c,), the sizes."""
    key = symbol.astype(np.uint64)
    for words in bits.T:
        key = (key ^ words) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    _, first, variant, times = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first, variant, times
