"""Candidates: everything on a page that repeats, from which the lists of the page are chosen.

An item is a range of nodes in document order: an element, several siblings, or a line of text. The items of a
candidate have the same key. The keys of an element are hashes of:

* the tags from the root to it, or from one of its three lowest ancestors to it, and that ancestor;
* the same with one of its classes, for the path from the root and from its parent;
* the same with the tag of its first child, or with the fact that it contains a link;
* its tag and one of its classes, wherever it is;
* the STAR of the template that it is an item of, if the template of the page is known.

If other siblings follow the elements of a candidate, as ``dd`` follows ``dt``, there is a second candidate
whose items extend to the next element. The lines between ``<br>`` within an element are candidates, and so
are the groups of lines between blank lines.

Cost: about twenty sorts of the elements, independent of the number of lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Int64, UInt64
from webgrain.lists.thresholds import MAX_CANDIDATES, MAX_CLASSES, MIN_ITEMS
from webgrain.page.dom import TEXT, Dom
from webgrain.page.kernels.treepass import depths
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import TAG_KEYS, class_keys, element_types

_HEIGHTS = 3
ELEMENTS, EXTENDED, LINES = range(3)
"""Kinds of items: an element; an element and the siblings that follow it; a line, or several lines."""

_LINKED, _FIRST_TAG = np.uint64(11), np.uint64(13)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The c candidates of a page with i items in all.

    Attributes:
        start, stop: (i,) int64, the first node of each item, and one past its last node.
        offset: (c + 1,) int64, the items of candidate k are ``offset[k]:offset[k + 1]``.
        kind: (c,) int64: `ELEMENTS`, `EXTENDED` or `LINES`.
    """

    start: Int64
    stop: Int64
    offset: Int64
    kind: Int64

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def owner(self) -> Int64:
        """(i,) the candidate of each item."""
        return np.repeat(np.arange(len(self)), np.diff(self.offset))

    def items(self, candidate: int) -> tuple[Int64, Int64]:
        """Return the first nodes and the ends of the items of a candidate."""
        items = slice(self.offset[candidate], self.offset[candidate + 1])
        return self.start[items], self.stop[items]

    def take(self, chosen: Int64) -> Candidates:
        """Return some of the candidates."""
        size = np.diff(self.offset)[chosen]
        offset = np.append(0, np.cumsum(size))
        item = np.arange(offset[-1]) + np.repeat(self.offset[chosen] - offset[:-1], size)
        return Candidates(self.start[item], self.stop[item], offset, self.kind[chosen])


def find_candidates(page: Page, star: Int64 | None = None) -> Candidates:
    """Return the candidates of a page.

    star: (n,) the STAR of the template that each node is an item of, -1 for none; None: no template is known.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<dl><dt>One<dd>1<dt>Two<dd>2</dl>")
    >>> found = find_candidates(page)
    >>> [found.items(k)[0].tolist() for k in range(len(found))]  # html, head, body, dl, dt, text, dd, ...
    [[4, 8], [6, 10], [4, 8], [6, 10]]
    """
    dom, tree = page.dom, visible_tree(page)
    if not len(tree.node):
        return Candidates(*(np.zeros(n, np.int64) for n in (0, 0, 1, 0)))
    key, member = _keys(dom, tree, star)
    order = np.lexsort((member, key))
    key, member = key[order], member[order]
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))[: len(key)]
    size = np.diff(np.append(first, len(key)))
    member, size = member[np.repeat(size >= MIN_ITEMS, size)], size[size >= MIN_ITEMS]
    kept = _distinct(tree, member, size)
    member, size = member[np.repeat(kept, size)], size[kept]
    parts: list[_Part] = [(tree.node[member], dom.end[tree.node[member]], size, ELEMENTS)]
    parts += [_extended(dom, tree, member, size), *_lines(dom, tree)]
    sizes = np.concatenate([part[2] for part in parts])
    candidates = Candidates(
        np.concatenate([part[0] for part in parts]).astype(np.int64),
        np.concatenate([part[1] for part in parts]).astype(np.int64),
        np.append(0, np.cumsum(sizes)),
        np.repeat([part[3] for part in parts], [len(part[2]) for part in parts]),
    )
    if len(candidates) <= MAX_CANDIDATES:
        return candidates
    letters = np.add.reduceat(
        dom.text_start[candidates.stop] - dom.text_start[candidates.start], candidates.offset[:-1]
    )
    return candidates.take(np.sort(np.argsort(-letters, kind="stable")[:MAX_CANDIDATES]))


def mixed_key(a: UInt64, b: UInt64 | np.uint64) -> UInt64:
    """Combine two keys; the result depends on their order."""
    x: UInt64 = (a ^ (a >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15) + b
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return x ^ (x >> np.uint64(32))


def _keys(dom: Dom, tree: VisibleTree, star: Int64 | None) -> tuple[UInt64, Int64]:
    """Return the keys of the elements of the visible tree, and the element of each key."""
    parent = np.maximum(tree.parent, 0).astype(np.int64)
    tag = TAG_KEYS.of_nodes(dom)[tree.node]
    inner = np.flatnonzero(tree.kind == 0)
    first_tag = np.zeros(len(tag), np.uint64)
    first_tag[inner] = tag[np.minimum(inner + 1, len(tag) - 1)]
    link = np.append(0, np.cumsum(dom.links()[tree.node]))
    element = np.flatnonzero(dom.tag[tree.node] != TEXT)[1:]  # without the root
    linked = element[link[tree.end[element]] > link[element]]
    classes, with_class = _classes(dom, tree, element)
    path, above = _path_keys(tree, tag), tag.copy()
    bases, place = [path], parent.copy()
    for _ in range(_HEIGHTS):
        bases.append(mixed_key(above, place.astype(np.uint64)))
        above, place = mixed_key(above[parent], tag), parent[place]
    pairs = [(mixed_key(tag[with_class], classes), with_class)]
    for base in bases:
        pairs.append((base[element], element))
        pairs.append((mixed_key(base[linked], _LINKED), linked))
        pairs.append((mixed_key(mixed_key(base[element], _FIRST_TAG), first_tag[element]), element))
    pairs += [(mixed_key(base[with_class], classes), with_class) for base in bases[:2]]
    if star is not None:
        item = element[star[tree.node[element]] >= 0]
        pairs.append((star[tree.node[item]].astype(np.uint64), item))
    return np.concatenate([key for key, _ in pairs]), np.concatenate([node for _, node in pairs])


def _path_keys(tree: VisibleTree, tag: UInt64) -> UInt64:
    """Return a key (k,) of the tags from the root to each node."""
    depth = depths(tree.parent)
    order, key = np.argsort(depth, kind="stable"), tag.copy()
    levels = np.searchsorted(depth[order], np.arange(1, depth.max(initial=0) + 2))
    for start, stop in pairwise(levels.tolist()):
        level = order[start:stop]
        key[level] = mixed_key(key[tree.parent[level]], tag[level])
    return key


def _classes(dom: Dom, tree: VisibleTree, element: Int64) -> tuple[UInt64, Int64]:
    """Return the keys of the classes of elements, without digits, and the element of each."""
    types = element_types(dom)
    of = types.of[tree.node[element]]
    used = list(set(of.tolist()))
    keys = dict(zip(used, class_keys([types.classes[k] or "" for k in used], MAX_CLASSES), strict=True))
    count = np.array([len(keys[k]) for k in of.tolist()], np.int64)
    return np.array([key for k in of.tolist() for key in keys[k]], np.uint64), np.repeat(element, count)


def _distinct(tree: VisibleTree, member: Int64, size: Int64) -> Bool:
    """Whether the items of each group are apart, and no earlier group has items with the same leaves."""
    if not len(size):
        return np.zeros(0, bool)
    first = np.append(0, np.cumsum(size))
    nested = np.append(member[1:] < tree.end[member[:-1]], False)
    nested[first[1:] - 1] = False
    leaves = np.append(0, np.cumsum(tree.kind > 0)).astype(np.uint64)
    span = mixed_key(leaves[member] + np.uint64(1), leaves[tree.end[member]])
    distinct = np.zeros(len(size), bool)
    distinct[np.unique(np.add.reduceat(span, first[:-1]), return_index=True)[1]] = True
    apart: Bool = np.add.reduceat(nested, first[:-1]) == 0
    return distinct & apart


_Part = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]], NDArray[np.integer[Any]], int]
"""First nodes and ends of the items of some candidates, the number of items of each, and their kind."""


def _extended(dom: Dom, tree: VisibleTree, member: Int64, size: Int64) -> _Part:
    """Return the groups whose elements are followed by other siblings, with these siblings.

    The last item in a parent has at most as many leaves as the largest item of its group.
    """
    group, end = np.repeat(np.arange(len(size)), size), tree.end[member].astype(np.int64)
    following = np.append(member[1:], 0)
    same = np.append(group[1:] == group[:-1], False)[: len(member)]
    same &= tree.parent[member] == tree.parent[following]
    longer = np.bincount(group, same & (following > end), len(size)) > 0
    leaves = np.append(0, np.cumsum(tree.kind > 0))
    most = np.zeros(len(size), np.int64)
    np.maximum.at(most, group[same], (leaves[following] - leaves[member])[same])
    stop = np.where(same, following, end)
    for k in np.flatnonzero(~same & longer[group]).tolist():
        limit, above = leaves[member[k]] + most[group[k]], int(tree.end[tree.parent[member[k]]])
        while stop[k] < above and leaves[tree.end[stop[k]]] <= limit:
            stop[k] = tree.end[stop[k]]
    # An item ends after its last leaf.
    node_end = np.append(tree.node, len(dom.tag))[stop]
    longest = longer[group]
    node_end = np.minimum(node_end, dom.end[tree.node[tree.parent[member]]])
    return tree.node[member[longest]], node_end[longest], size[longer], EXTENDED


def _lines(dom: Dom, tree: VisibleTree) -> Iterator[_Part]:
    """Yield the lines between the ``<br>`` within each element, and the groups between blank lines."""
    breaks = dom.find_tag("br")
    breaks = breaks[np.argsort(dom.parent[breaks], kind="stable")]
    leaf = tree.node[tree.kind > 0].astype(np.int64)
    for lines in np.split(breaks, np.flatnonzero(np.diff(dom.parent[breaks])) + 1) if len(breaks) else []:
        above = int(dom.parent[lines[0]])
        edge = np.searchsorted(leaf, np.concatenate([[above], lines, [dom.end[above]]]))
        blank = np.flatnonzero(np.diff(edge) == 0)
        for cut in [edge, *([np.unique(np.append(edge[blank], edge[[0, -1]]))] if len(blank) else [])]:
            line = np.flatnonzero(np.diff(cut))
            if len(line) >= MIN_ITEMS:
                start = leaf[cut[line]]
                while (inside := dom.parent[start] != above).any():  # the child of the element
                    start = np.where(inside, dom.parent[start], start)
                yield start, leaf[cut[line + 1] - 1] + 1, np.array([len(line)]), LINES
