"""The baselines of KeyClus: path shingles, pq-grams, and k-means of tag and class counts.

Sources: Buttler, A short survey of document structure similarity algorithms, IC 2004; Augsten, Böhlen,
Gamper, Approximate matching of hierarchical data using pq-grams, VLDB 2005; both as in Chakrabarti, Mehta,
The paths more taken, WWW 2010, section 4.1, with the m/k variant. Tag and class counts with k-means are a
common way to group pages by template; the number of types must be known.

    paper            here                  shape, unit
    k                `Shingler.shingles`   paths, or pq-grams, in a shingle
    m < k            shared                elements that the shingles of a cluster have in common; None: all k
    p, q             p, q                  nodes upwards from a node, children beside each other
    index of a tree  `gram_set`            (g,) uint64 keys; a set, as for paths
    distance         `gram_distance`       0..1

Departures:
  - With ``attributes=False``, paths consist of tags alone.
  - Texts are left out of pq-grams, because they are no steps of paths.
Unclear: which of the most common m-subsets a page with several belongs to. Here the most common one.

Cost: the hashes of all paths, and all subsets of each shingle for m/k; a few array operations for each p and
q.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from webgrain.base.arrays import Float64, Int32, Int64, UInt64
from webgrain.base.errors import ParameterError, require
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import path_keys
from webgrain.page.paths import places, step_of, tag_key, text_key
from webgrain.page.segmentation import renumbered
from webgrain.papers.keyclus import min_hashes, page_paths


def path_set(dom: Dom, *, attributes: bool = True) -> UInt64:
    """Return the keys of the distinct paths of a page; attributes: with ids and classes, else by tags alone.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<p class=a>1<p class=b>2")
    >>> len(path_set(dom)), len(path_set(dom, attributes=False))  # html, head, body, and p
    (5, 4)
    """
    table = places(dom)
    if attributes:
        return page_paths(table)
    tags = np.array([tag_key(dom.name(node)) for node in table.first.tolist()], np.uint64)
    return np.unique(path_keys(table.up, tags, np.array([0, len(table.up)])))


class Shingler:
    """The shingles of the pages of a site, for many seeds and sizes.

    sets: the keys of the paths or pq-grams of each page.

    >>> sets = [np.array(keys, np.uint64) for keys in ([1, 2, 3], [1, 2, 3], [7, 8])]
    >>> clusters_of(Shingler(sets).shingles(2, 0)).tolist()
    [0, 0, 1]
    """

    def __init__(self, sets: Sequence[UInt64]) -> None:
        self._pages = len(sets)
        self._start = np.append(0, np.cumsum([len(keys) for keys in sets])).astype(np.int64)
        joined = np.concatenate([np.empty(0, np.uint64), *sets])
        self._key, self._element = np.unique(joined, return_inverse=True)
        self._page = np.repeat(np.arange(self._pages), np.diff(self._start))

    def shingles(self, size: int, random_state: int, first: Sequence[int] = ()) -> Int64:
        """Return the shingles (p, size) of the pages as numbers of elements; -1 fills those of small sets.

        They are the elements with the smallest hashes, smallest first, so that the columns up to any number
        are the shingles of that size. Elements with the keys ``first`` precede all others, in their order:
        the two-step shingles of KeyClus. `ParameterError` for a size below 1.
        """
        if size < 1:
            raise ParameterError(f"The size of a shingle must be at least 1, got {size}.")
        number = len(self._key)
        by_hash = np.array(min_hashes(self._key, number, random_state), np.uint64)
        rank = np.empty(number, np.int64)
        rank[np.searchsorted(self._key, by_hash)] = np.arange(number)
        known = [key for key in first if len(self._key[self._key == np.uint64(key)])]
        rank[np.searchsorted(self._key, np.array(known, np.uint64))] = np.arange(len(known)) - len(known)
        order = np.argsort(self._page * np.int64(2 * number + 1) + rank[self._element] + number)
        place = np.arange(len(order)) - self._start[self._page]
        table = np.full((self._pages, size), -1, np.int64)
        kept = place < size
        table[self._page[kept], place[kept]] = self._element[order[kept]]
        return table


def clusters_of(shingles: Int64, shared: int | None = None, tabs: UInt64 | None = None) -> Int32:
    """Return the clusters (p,) of pages with equal shingles (p, k), and equal contents of tabs (p, t).

    shared: number of elements that shingles of one cluster have in common; None: all. `ParameterError` unless
    1 <= shared < k.
    """
    size = shingles.shape[1]
    if shared is not None:
        if not 1 <= shared < size:
            raise ParameterError(f"Expected 1 <= shared < size, got shared={shared} and size={size}.")
        return _by_subsets(shingles, shared)
    rows = shingles if tabs is None else np.concatenate([shingles, tabs.view(np.int64)], axis=1)
    return renumbered(np.unique(rows, axis=0, return_inverse=True)[1].ravel().astype(np.int32))


def _by_subsets(shingles: Int64, shared: int) -> Int32:
    """Return the clusters (p,) of pages by the most common subset of their shingles."""
    rows = [tuple(sorted(x for x in row if x >= 0)) for row in shingles.tolist()]
    subsets = [list(combinations(row, shared)) for row in rows]
    count = Counter(part for parts in subsets for part in parts)
    chosen = [  # a shingle that is too small stands for itself
        max(parts, key=lambda part: (count[part], part)) if parts else row
        for parts, row in zip(subsets, rows, strict=True)
    ]
    known: dict[tuple[int, ...], int] = {}
    return renumbered(np.array([known.setdefault(part, len(known)) for part in chosen], np.int32))


def gram_set(dom: Dom, p: int = 2, q: int = 3, *, attributes: bool = False) -> UInt64:
    """Return the keys of the distinct pq-grams of a page; attributes: with ids and classes.

    `ParameterError` unless p and q are at least 1.

    >>> from webgrain.page.parsing import parse_html
    >>> len(gram_set(parse_html("<p>"), 1, 1))  # (html, head), (html, body), (head, -), (body, p), (p, -)
    5
    """
    if min(p, q) < 1:
        raise ParameterError(f"p and q must be at least 1, got {p} and {q}.")
    if attributes:
        keys = [0 if dom.tag[i] == 0 else text_key(step_of(dom, i).css) for i in range(len(dom))]
        label = np.array(keys, np.uint64)
    else:
        label = np.array([tag_key(tag) for tag in dom.tags], np.uint64)[dom.tag]
    return np.unique(pq_grams(dom.parent, label, p, q))


def pq_grams(parent: Int32, label: UInt64, p: int, q: int) -> UInt64:
    """Return the keys (g,) of all pq-grams: ``p`` nodes from a node upwards, ``q`` adjacent children of it.

    parent (n,) as in a Dom; label (n,) uint64, 0 for nodes that are left out. The children of a node have
    ``q - 1`` empty places on either side; a node without children has one gram, all places empty.
    """
    nodes = np.flatnonzero(label)
    stem, above = np.zeros(len(nodes), np.uint64), nodes
    for _ in range(p):
        stem = _mix(stem, 1540483477, np.where(above >= 0, label[above], np.uint64(0)))
        above = np.where(above >= 0, parent[above], -1)
    row = np.full(len(label), -1)
    row[nodes] = np.arange(len(nodes))
    child = nodes[parent[nodes] >= 0]
    child = child[np.argsort(row[parent[child]], kind="stable")]
    number = np.bincount(row[parent[child]], minlength=len(nodes))
    # Row k of places: q - 1 empty ones, the children of node k, q - 1 empty ones; a gram for each window.
    grams = np.where(number > 0, number + q - 1, 1)
    width = np.where(number > 0, number + 2 * (q - 1), q)
    start = np.cumsum(width) - width
    places = np.zeros(int(width.sum()), np.uint64)
    rank = np.arange(len(child)) - np.repeat(np.cumsum(number) - number, number)
    places[np.repeat(start, number) + q - 1 + rank] = label[child]
    own = np.repeat(np.arange(len(nodes)), grams)
    first = start[own] + np.arange(len(own)) - np.repeat(np.cumsum(grams) - grams, grams)
    key = stem[own]
    for k in range(q):
        key = _mix(key, 1597334677, places[first + k])
    return key


def gram_distance(a: UInt64, b: UInt64) -> float:
    """Return the pq-gram distance of two sets, 0..1: 1 - 2 |a ∩ b| / (|a| + |b|).

    >>> gram_distance(np.array([1, 2], np.uint64), np.array([2, 3], np.uint64))
    0.5
    """
    return 1 - 2 * len(np.intersect1d(a, b)) / max(len(a) + len(b), 1)


def tag_class_clusters(pages: Sequence[Dom], k: int, random_state: int = 0) -> Int32:
    """Return the clusters (p,) of pages by k-means of their tag and class counts; needs the extra ``learn``.

    `ParameterError` unless 1 <= k <= pages.
    """
    if not 1 <= k <= len(pages):
        raise ParameterError(f"k must be in 1..{len(pages)}, the number of pages, got {k}.")
    cluster = require("sklearn.cluster", "learn", "k-means")
    return renumbered(cluster.KMeans(k, n_init=4, random_state=random_state).fit_predict(_tag_table(pages)))


def _tag_table(pages: Sequence[Dom]) -> Float64:
    """Return the pages (p, f) by the logarithms of the counts of each ``tag.class``, rows of unit length."""
    counts = [
        Counter(
            f"{step.tag}.{name}"
            for node in np.flatnonzero(~dom.is_text).tolist()
            for step in [step_of(dom, node)]
            for name in step.classes or ("",)
        )
        for dom in pages
    ]
    number = Counter(name for own in counts for name in own)
    columns = {name: k for k, name in enumerate(name for name, n in number.items() if n > 1)}
    table = np.zeros((len(pages), len(columns)))
    for row, own in zip(table, counts, strict=True):
        for name, times in own.items():
            if name in columns:
                row[columns[name]] = np.log1p(times)
    return table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)


def _mix(key: UInt64, factor: int, label: UInt64) -> UInt64:
    return (key ^ (key >> np.uint64(31))) * np.uint64(factor) + label + np.uint64(1)
