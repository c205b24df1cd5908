# cython: boundscheck=False, wraparound=False, initializedcheck=False
# mypy: ignore-errors
"""Matching of a tree with a template, from the top down in one pass.

A template node has entries, sorted by tag: a symbol, its names as bits, and the child node that it stands
for. A node of the tree takes the entry of its symbol, or else the entry of its tag with the most similar
names. If a symbol has several entries, each stands for one place among the siblings with that symbol; in a
tree with another number of such siblings the most similar shape decides. A node without an entry is looked
for one level below in the template (a wrapper is missing), and nodes below a node that is not there either
are looked for at its place by their symbols, if they have names (an additional wrapper).
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled


MOST_WRAPPERS = 3
"""Additional wrappers in a row."""


@cython.cfunc
def _count(bits: cython.ulonglong) -> cython.int:
    n: cython.int = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


@cython.cfunc
def _first(keys: cython.const[cython.longlong][::1], key: cython.longlong) -> cython.Py_ssize_t:
    """Return the first index whose key is not less."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = keys.shape[0]
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@cython.cfunc
def _likeness(one: cython.ulonglong, other: cython.ulonglong) -> cython.double:
    return (_count(one & other) + 1.0) / (_count(one | other) + 1.0)


def match_tree(nodes, entries, deeper, n_tags: cython.longlong, n_symbols: cython.longlong):
    """Return the template node (k,) int32 of each node of a tree in document order, -1 if it has none.

    nodes: parent, tag, symbol (k,) int32, place among the siblings of the same symbol and their number (k,)
    int32, names, shape (k,) uint64; the root is node 0 of the template; -1 is a tag or symbol that the
    template lacks. entries: key (e,) int64, ascending, the template node above times ``n_tags`` plus the tag;
    symbol (e,) int32, ascending among equal keys; names, shape (e,) uint64; target (e,) int32. deeper: key
    (d,) int64, ascending, the template node times ``n_symbols`` plus the symbol; target (d,) int32 two levels
    below.
    """
    parent, tag, symbol, place, number, names, shape = nodes
    n: cython.Py_ssize_t = len(parent)
    found = np.full(n, -1, np.int32)
    # The template node below which the children of each node are looked for, and the wrappers in between.
    under = np.full(n, -1, np.int32)
    away = np.zeros(n, np.int32)
    at: cython.int[::1] = found
    context: cython.int[::1] = under
    skipped: cython.int[::1] = away
    above: cython.const[cython.int][::1] = parent
    tags: cython.const[cython.int][::1] = tag
    symbols: cython.const[cython.int][::1] = symbol
    places: cython.const[cython.int][::1] = place
    numbers: cython.const[cython.int][::1] = number
    bits: cython.const[cython.ulonglong][::1] = names
    shapes: cython.const[cython.ulonglong][::1] = shape
    keys: cython.const[cython.longlong][::1] = entries[0]
    entry_symbol: cython.const[cython.int][::1] = entries[1]
    entry_bits: cython.const[cython.ulonglong][::1] = entries[2]
    entry_shape: cython.const[cython.ulonglong][::1] = entries[3]
    entry_target: cython.const[cython.int][::1] = entries[4]
    deep_keys: cython.const[cython.longlong][::1] = deeper[0]
    deep_target: cython.const[cython.int][::1] = deeper[1]
    v: cython.Py_ssize_t
    e: cython.Py_ssize_t
    first: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    t: cython.int
    key: cython.longlong
    best: cython.int
    like: cython.double
    most: cython.double
    mine: cython.ulonglong
    other: cython.ulonglong
    if n:
        at[0] = 0
        context[0] = 0
    for v in range(1, n):
        t = context[above[v]]
        if t < 0:
            continue
        mine = bits[v]
        if skipped[above[v]] and not mine:
            continue  # a node without names is ambiguous
        best = -1
        most = -1.0
        key = t * n_tags + tags[v]
        e = _first(keys, key) if tags[v] >= 0 else keys.shape[0]
        while e < keys.shape[0] and keys[e] == key:
            other = entry_bits[e]
            if entry_symbol[e] == symbols[v]:
                first = e
                while e < keys.shape[0] and keys[e] == key and entry_symbol[e] == symbols[v]:
                    e += 1
                if e - first == numbers[v]:
                    best = entry_target[first + places[v]]
                    break
                most = -1.0
                for slot in range(first, e):
                    like = _likeness(entry_shape[slot], shapes[v])
                    if like > most:
                        most = like
                        best = entry_target[slot]
                break
            if skipped[above[v]] == 0 and (mine & other or not mine or not other):
                like = _likeness(mine, other)
                if like > most:
                    most = like
                    best = entry_target[e]
            e += 1
        if best < 0 and mine and symbols[v] >= 0:
            key = t * n_symbols + symbols[v]
            e = _first(deep_keys, key)
            if e < deep_keys.shape[0] and deep_keys[e] == key:
                best = deep_target[e]
        at[v] = best
        if best >= 0:
            context[v] = best
        elif skipped[above[v]] < MOST_WRAPPERS:
            context[v] = t
            skipped[v] = skipped[above[v]] + 1
    return found
