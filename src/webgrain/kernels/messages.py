# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Where the messages of `dual` lie: candidates of leaves, arcs of pairs, one message per arc and candidate.

Rows of different lengths lie one behind the other, row i at first[i]:first[i + 1].
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled


def list_candidates(
    above: cython.const[cython.int][::1],
    block_first: cython.const[cython.longlong][::1],
    block_label: cython.const[cython.int][::1],
    n_leaves: cython.Py_ssize_t,
    n_labels: cython.Py_ssize_t,
):
    """Return the candidates of each leaf, the labels of the blocks of it and of the slots above it.

    first (leaves + 1,) int64, label (any,) int32, and how many blocks were read.
    """
    seen: cython.int[::1] = np.empty(n_labels, np.int32)
    firsts = np.zeros(n_leaves + 1, np.int64)
    first: cython.longlong[::1] = firsts
    labels = np.empty(0, np.int32)
    label: cython.int[::1] = labels
    filling: cython.bint
    count: cython.Py_ssize_t = 0
    steps: cython.longlong = 0
    b: cython.Py_ssize_t
    p: cython.int
    v: cython.int
    for filling in (False, True):  # the first pass counts
        if filling:
            labels = np.empty(count, np.int32)
            label = labels
        count = steps = 0
        seen[:] = -1
        for p in range(n_leaves):
            v = p
            while v >= 0:
                steps += block_first[v + 1] - block_first[v]
                for b in range(block_first[v], block_first[v + 1]):
                    if seen[block_label[b]] != p:
                        seen[block_label[b]] = p
                        if filling:
                            label[count] = block_label[b]
                        count += 1
                v = above[v]
            first[p + 1] = count
    return firsts, labels, steps


def list_arcs(pairs, weight, n_leaves):
    """Make each pair an arc at both of its leaves, sorted by leaf.

    Returns first (leaves + 1,) int64, the other leaf (2 m,) int32, the arc back (2 m,) int32, weight (2 m,).
    """
    m = len(pairs)
    tail, head = np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
    by_tail = np.argsort(tail, kind="stable")
    place = np.empty(2 * m, np.int32)
    place[by_tail] = np.arange(2 * m)
    first = np.zeros(n_leaves + 1, np.int64)
    np.cumsum(np.bincount(tail, minlength=n_leaves), out=first[1:])
    twin = np.ascontiguousarray(np.roll(place, m)[by_tail])
    return first, head[by_tail].astype(np.int32), twin, np.concatenate([weight, weight])[by_tail]


def list_messages(candidate_first, arc_first):
    """Return first (2 m + 1,) int64: an arc has one message for each candidate of its leaf."""
    length = np.repeat(np.diff(candidate_first), np.diff(arc_first))
    first = np.zeros(len(length) + 1, np.int64)
    np.cumsum(length, out=first[1:])
    return first


def list_partners(
    candidate_first: cython.const[cython.longlong][::1],
    candidate: cython.const[cython.int][::1],
    arc_first: cython.const[cython.longlong][::1],
    arc_leaf: cython.const[cython.int][::1],
    arc_twin: cython.const[cython.int][::1],
    message_first: cython.const[cython.longlong][::1],
    n_labels: cython.Py_ssize_t,
):
    """Return the partner (messages,) int32 of each message: that of the arc back for the same label.

    Where the other leaf has no such candidate, it is the number of messages.
    """
    n_messages: cython.Py_ssize_t = message_first[arc_leaf.shape[0]]
    partners = np.full(n_messages, n_messages, np.int32)
    partner: cython.int[::1] = partners
    place: cython.int[::1] = np.full(n_labels, -1, np.int32)
    p: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.int
    arc: cython.Py_ssize_t
    back: cython.Py_ssize_t
    for p in range(candidate_first.shape[0] - 1):
        for i in range(candidate_first[p], candidate_first[p + 1]):
            place[candidate[i]] = i - candidate_first[p]
        for arc in range(arc_first[p], arc_first[p + 1]):
            back = message_first[arc_twin[arc]]
            j = candidate_first[arc_leaf[arc]]
            for i in range(candidate_first[arc_leaf[arc] + 1] - j):
                k = place[candidate[j + i]]
                if k >= 0:
                    partner[back + i] = message_first[arc] + k
        for i in range(candidate_first[p], candidate_first[p + 1]):
            place[candidate[i]] = -1
    return partners


def keep_messages(
    message: cython.const[cython.double][::1],
    old_message_first: cython.const[cython.longlong][::1],
    old_candidate_first: cython.const[cython.longlong][::1],
    old_candidate: cython.const[cython.int][::1],
    message_first: cython.const[cython.longlong][::1],
    candidate_first: cython.const[cython.longlong][::1],
    candidate: cython.const[cython.int][::1],
    arc_first: cython.const[cython.longlong][::1],
    n_labels: cython.Py_ssize_t,
):
    """Return the messages of the candidates that are left, with one more place behind them."""
    messages = np.zeros(message_first[message_first.shape[0] - 1] + 1)
    kept: cython.double[::1] = messages
    place: cython.int[::1] = np.zeros(n_labels, np.int32)
    p: cython.Py_ssize_t
    i: cython.Py_ssize_t
    arc: cython.Py_ssize_t
    for p in range(candidate_first.shape[0] - 1):
        for i in range(old_candidate_first[p], old_candidate_first[p + 1]):
            place[old_candidate[i]] = i - old_candidate_first[p]
        for arc in range(arc_first[p], arc_first[p + 1]):
            for i in range(candidate_first[p + 1] - candidate_first[p]):
                kept[message_first[arc] + i] = message[
                    old_message_first[arc] + place[candidate[candidate_first[p] + i]]
                ]
    return messages
