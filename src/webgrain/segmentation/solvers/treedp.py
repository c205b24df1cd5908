# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Dynamic programs over a tree in document order: loops without recursion, for trees of any depth.

`tree_labels` finds the cheapest cut of a tree. With C the cost of a node as one segment and X the cost of
being open, the value of the subtree of u is F_u = min(C_u, X_u + sum_{q child of u} F_q).

`best_rate` and `best_prices` find the costs of the learnt cut: they repeat this program with costs that
depend on the cut before.

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

TINY = 1e-9
"""Least denominator, and least gain of a further step."""

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


@cython.cfunc
def close_units(
    parent: Ints, end: Ints, opened: DoubleBuffer, closed: DoubleBuffer, below: DoubleBuffer, state: IntBuffer
) -> cython.void:
    """Write the state (n,) of each node in the cut of least cost: 1 a segment, 0 open, -1 within a segment.

    opened, closed (n,): the cost of each state; below (n,): overwritten.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    value: cython.double = 0.0
    for u in range(n):
        below[u] = 0.0
    for u in range(n - 1, -1, -1):
        value = closed[u]
        state[u] = 1
        if end[u] > u + 1 and opened[u] + below[u] < value:
            value = opened[u] + below[u]
            state[u] = 0
        if u > 0:
            below[parent[u]] += value
    for u in range(1, n):
        if state[parent[u]] != 0:
            state[u] = -1


@cython.cfunc
def sum_at(values: Doubles, state: IntBuffer, chosen: cython.int) -> cython.double:
    """Return the sum of the values (n,) of the nodes in a state."""
    total: cython.double = 0.0
    for u in range(state.shape[0]):
        if state[u] == chosen:
            total += values[u]
    return total


def best_rate(
    tree: object,
    pairs: Doubles,
    together: Doubles,
    total: cython.double,
    shift: cython.double,
    most: cython.double,
    steps: cython.int,
):
    """Return the rate at which the cut with the least sum of rate B - A has the greatest index.

    tree: ``parent`` and ``end`` (n,) int32; pairs, together (n,): B and A of each node; total: C, above 0;
    shift: added to each rate; most: the greatest rate; steps: at most. See `webgrain.segmentation.learntcut`.
    """
    parent: Ints = memoryview(tree[0])
    end: Ints = memoryview(tree[1])
    n: cython.Py_ssize_t = parent.shape[0]
    opened: DoubleBuffer = np.zeros(n)
    closed: DoubleBuffer = np.empty(n)
    below: DoubleBuffer = np.empty(n)
    state: IntBuffer = np.empty(n, np.int32)
    chance: cython.double = total / (pairs[0] if pairs[0] > 1.0 else 1.0)
    theta: cython.double = 0.0
    rate: cython.double = 0.0
    for _ in range(steps):
        rate = chance + theta * (0.5 - chance) + shift
        rate = rate if rate < most else most
        for u in range(n):
            closed[u] = rate * pairs[u] - together[u]
        close_units(parent, end, opened, closed, below, state)
        a: cython.double = sum_at(together, state, 1)
        b: cython.double = sum_at(pairs, state, 1)
        scale: cython.double = (b + total) / 2.0 - b * chance
        index: cython.double = (a - b * chance) / (scale if scale > TINY else TINY)
        if index <= theta + TINY:
            break
        theta = index
    return rate


def best_prices(
    tree: object,
    pairs: Doubles,
    together: Doubles,
    counts: object,
    totals: object,
    rate: cython.double,
    weight: cython.double,
    steps: cython.int,
):
    """Return the prices of a segment and of a pair, and the rate, of the cut with the greatest agreement.

    tree, pairs, together: as in `best_rate`; counts: ``right``, ``alone`` and ``remaining`` (n,); totals: C,
    above 0, and M; rate: of the cut from which the steps start; weight: the share of the index; steps: at
    most. See `webgrain.segmentation.learntcut`.
    """
    parent: Ints = memoryview(tree[0])
    end: Ints = memoryview(tree[1])
    right: Doubles = memoryview(counts[0])
    alone: Doubles = memoryview(counts[1])
    remaining: Doubles = memoryview(counts[2])
    total: cython.double = totals[0]
    marks: cython.double = totals[1]
    n: cython.Py_ssize_t = parent.shape[0]
    opened: DoubleBuffer = np.zeros(n)
    closed: DoubleBuffer = np.empty(n)
    below: DoubleBuffer = np.empty(n)
    state: IntBuffer = np.empty(n, np.int32)
    chance: cython.double = total / (pairs[0] if pairs[0] > 1.0 else 1.0)
    chosen = (0.0, 1.0, rate)
    prices = chosen
    best: cython.double = -2.0  # less than the least mean of an index and F1
    for u in range(n):
        closed[u] = rate * pairs[u] - together[u]
    for step in range(steps + 1):
        close_units(parent, end, opened, closed, below, state)
        a: cython.double = sum_at(together, state, 1)
        b: cython.double = sum_at(pairs, state, 1)
        segments: cython.double = sum_at(alone, state, 1) + sum_at(remaining, state, 0) + marks
        scale: cython.double = (b + total) / 2.0 - b * chance
        scale = scale if scale > TINY else TINY
        index: cython.double = (a - b * chance) / scale
        f1: cython.double = 2.0 * sum_at(right, state, 1) / segments
        agreement: cython.double = weight * index + (1.0 - weight) * f1
        if step > 0:  # the first cut is only where the steps start
            if agreement <= best + TINY:
                break
            best = agreement
            chosen = prices
        segment: cython.double = f1 / 2.0
        pair: cython.double = weight / (1.0 - weight) * segments / (2.0 * scale)
        following: cython.double = chance + index * (0.5 - chance)
        prices = (segment, pair, following)
        for u in range(n):
            opened[u] = segment * remaining[u]
            closed[u] = segment * alone[u] - right[u] + pair * (following * pairs[u] - together[u])
    return chosen


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
