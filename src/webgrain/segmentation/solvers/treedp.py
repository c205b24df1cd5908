# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Dynamic programs over a tree in document order: loops without recursion, for trees of any depth.

`tree_labels` finds the cheapest cut of a tree. With C the cost of a node as one segment and X the cost of
being open, the value of the subtree of u is F_u = min(C_u, X_u + sum_{q child of u} F_q).

`block_chances` computes the probabilities of a random tree of blocks, which the learnt cut uses. A node is
reached if all nodes above it are open. A closed node is in one block; with a probability it reaches out: then
it belongs to the remaining segment of an open node above. The remaining segment of an open node reaches out
with another probability. With o, s, r for ``opened``, ``joins``, ``passes``:

    reach[u]   probability that all nodes above u are open cover[u]   probability that u or a node above is
    reached and closed, so all leaves below u are in one block out[u]     expected number of leaves below u
    that reach out of u if u is reached:
               (1 - o) s leaves[u] + o r sum of out[children]
    left[u]    expected number of pairs of leaves of different children of u that remain together:
               reach o times the pairs of out[children], taken as independent
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])

FEW = 16
"""Children that are sorted one by one."""


def tree_labels(parent: Ints, end: Ints, invisible: Doubles, best_label: Ints, best: Doubles):
    """Return labels (n,) int32 of least energy without pairs, and the energy; ties are visible."""
    n: cython.Py_ssize_t = parent.shape[0]
    labels = np.full(n, -1, np.int32)
    label_of: IntBuffer = labels
    below: DoubleBuffer = np.zeros(n)
    value: cython.double = 0.0
    for u in range(n - 1, -1, -1):
        value = best[u]
        label_of[u] = best_label[u]
        if end[u] > u + 1 and invisible[u] + below[u] < value:
            value = invisible[u] + below[u]
            label_of[u] = -1
        if u > 0:
            below[parent[u]] += value
    for u in range(1, n):
        above = parent[u]
        if label_of[above] >= 0:
            label_of[u] = label_of[above]
    return labels, value


def cut_tops(parent: Ints, end: Ints, cost: Doubles):
    """Return the nodes (t,) int64 that are segments in the cut of least cost; open nodes cost nothing."""
    n: cython.Py_ssize_t = parent.shape[0]
    labels, _ = tree_labels(parent, end, np.zeros(n), np.arange(n, dtype=np.int32), cost)
    label: Ints = labels
    tops = np.empty(n, np.int64)
    top: cython.longlong[::1] = tops
    size = 0
    for u in range(n):
        if label[u] == u:
            top[size] = u
            size += 1
    return tops[:size]


def joined_labels(labels: Ints, groups: object):
    """Return labels (n,) int32 of a cut whose segments are joined; the label is the first node of a part.

    labels (n,): of the cut, -1 at open nodes; groups (n,) int64: of `joined_children`. Parts of a joined
    segment between which other segments are have different labels.
    """
    n: cython.Py_ssize_t = labels.shape[0]
    joined = np.full(n, -1, np.int32)
    out: IntBuffer = joined
    group: cython.longlong[::1] = memoryview(np.array(groups))
    previous: cython.longlong = -1
    name = -1
    for u in range(n):
        if labels[u] == u:
            target: cython.longlong = group[u]
            while target != group[target]:
                target = group[target]
            following: cython.longlong = u
            while group[following] != target:  # later searches are short
                further: cython.longlong = group[following]
                group[following] = target
                following = further
            if target != previous:
                name = u
            previous = target
        if labels[u] >= 0:
            out[u] = name
    return joined


def block_chances(parent: Ints, leaves: Doubles, opened: Doubles, joins: Doubles, passes: Doubles):
    """Return reach, cover, out, left (n,) float64.

    parent (n,) int32: -1 at the root, else < own index; leaves (n,): below each node; opened, joins, passes
    (n,): probabilities, ``opened`` 0 at leaves; see the module.

    >>> chance = np.array([0.5, 0.0, 0.0])
    >>> reach, cover, out, left = block_chances(
    ...     np.array([-1, 0, 0], np.int32), np.array([2.0, 1, 1]), chance, 0 * chance + 0.5, chance)
    >>> reach.tolist(), cover.tolist(), out.tolist(), left.tolist()
    ([1.0, 0.5, 0.5], [0.5, 1.0, 1.0], [0.75, 0.5, 0.5], [0.125, 0.0, 0.0])
    """
    n: cython.Py_ssize_t = parent.shape[0]
    reach, cover, out, left = np.ones(n), np.zeros(n), np.zeros(n), np.zeros(n)
    reach_of: DoubleBuffer = reach
    cover_of: DoubleBuffer = cover
    out_of: DoubleBuffer = out
    left_of: DoubleBuffer = left
    below: DoubleBuffer = np.zeros(n)
    squares: DoubleBuffer = np.zeros(n)
    for u in range(n):
        if u > 0:
            above = parent[u]
            reach_of[u] = reach_of[above] * opened[above]
            cover_of[u] = cover_of[above]
        cover_of[u] += reach_of[u] * (1.0 - opened[u])
    for u in range(n - 1, -1, -1):
        out_of[u] = (1.0 - opened[u]) * joins[u] * leaves[u] + opened[u] * passes[u] * below[u]
        left_of[u] = reach_of[u] * opened[u] * (below[u] * below[u] - squares[u]) / 2
        if u > 0:
            below[parent[u]] += out_of[u]
            squares[parent[u]] += out_of[u] * out_of[u]
    return reach, cover, out, left


def pairs_together(parent: Ints, end: Ints, leaves: Doubles, cover: Doubles):
    """Return pairs and together (n,) float64: all pairs of leaves below a node, and those in one block.

    parent, end (n,) int32; leaves, cover (n,): as in `block_chances`.

    >>> tree = np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32)
    >>> pairs, together = pairs_together(*tree, np.array([2.0, 1, 1]), np.array([0.5, 1.0, 1.0]))
    >>> pairs.tolist(), together.tolist()
    ([1.0, 0.0, 0.0], [0.5, 0.0, 0.0])
    """
    n: cython.Py_ssize_t = parent.shape[0]
    pairs, together = np.zeros(n), np.zeros(n)
    pairs_of: DoubleBuffer = pairs
    together_of: DoubleBuffer = together
    meeting: DoubleBuffer = np.zeros(n)  # pairs with the node as lowest common ancestor
    before: DoubleBuffer = np.zeros(n + 1)  # sums over the nodes before each
    for u in range(n):
        pairs_of[u] = leaves[u] * (leaves[u] - 1.0) / 2.0
        meeting[u] += pairs_of[u]
        if u > 0:
            meeting[parent[u]] -= pairs_of[u]
    for u in range(n):
        before[u + 1] = before[u] + meeting[u] * cover[u]
    for u in range(n):
        together_of[u] = before[end[u]] - before[u]
    return pairs, together


def joined_children(
    end: Ints,
    labels: Ints,
    leaves: object,
    chances: object,
    expected: object,
    rate: cython.double,
):
    """Return the node (n,) int64 whose segment each node joins, by the labels (n,) int32 of a cut.

    end (n,) int32: one past each subtree. leaves (n,): below each node. chances: ``opened``, ``joins`` and
    ``passes`` (n,); expected: ``reach``, ``cover`` and the expected share (n,) of the leaves of a node that
    reach out of it.

    From the bottom up, the children of an open node with the greatest shares join each other, while the
    probability that the next one belongs to them exceeds the rate. Together they may join others in the
    parent.
    """
    opened_array, joins_array, passes_array = chances
    reach_array, cover_array, out_array = expected
    n: cython.Py_ssize_t = labels.shape[0]
    group = np.array(labels, np.int64)
    joined: cython.longlong[::1] = memoryview(group)
    opened: Doubles = memoryview(opened_array)
    joins: Doubles = memoryview(joins_array)
    passes: Doubles = memoryview(passes_array)
    reach: Doubles = memoryview(reach_array)
    cover: Doubles = memoryview(cover_array)
    shares = np.array(out_array)
    share: DoubleBuffer = memoryview(shares)
    size: DoubleBuffer = memoryview(np.array(leaves, np.float64))
    segment: cython.longlong[::1] = memoryview(np.arange(n))
    order_array = np.zeros(n, np.int64)
    order: cython.longlong[::1] = memoryview(order_array)
    mass: cython.double
    reaching: cython.double
    mean: cython.double
    following: cython.longlong
    for u in range(n - 1, -1, -1):
        if labels[u] >= 0 or end[u] == u + 1:
            continue
        count = 0
        following = u + 1
        while following < end[u]:
            order[count] = following
            count += 1
            following = end[following]
        if count > FEW:
            of_node = order_array[:count].copy()
            order_array[:count] = of_node[np.argsort(-shares[of_node], kind="stable")]
        else:
            for i in range(1, count):
                following = order[i]
                j = i
                while j > 0 and share[order[j - 1]] < share[following]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = following
        mass = size[order[0]]
        reaching = share[order[0]] * size[order[0]]
        mean = reaching / mass
        joined[segment[order[0]]] = segment[order[0]]
        i = 1
        while i < count:
            following = order[i]
            if not cover[u] + reach[u] * opened[u] * share[following] * mean > rate:
                break
            joined[segment[following]] = segment[order[0]]
            mass += size[following]
            reaching += share[following] * size[following]
            mean = reaching / mass
            i += 1
        segment[u] = segment[order[0]]
        size[u] = mass
        share[u] = (1.0 - opened[u]) * joins[u]
        share[u] += opened[u] * passes[u] * mean
    return group
