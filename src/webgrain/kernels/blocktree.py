# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Chances of leaves to be together in a random tree of blocks: two passes, without recursion.

A node in document order is reached when all above it are open. What is closed is in one block, and reaches
out with a chance: then it belongs to what is left over of an open node above. What is left over of an open
node reaches further out with another chance. With o, s, r for ``opened``, ``joins``, ``passes``:

    reach[u]   chance that all above u are open
    cover[u]   chance that a node among u and those above is reached and closed, so all below u is one block
    out[u]     leaves below u, on average, that reach out of u when u is reached:
               (1 - o) s leaves[u] + o r sum of out[children]
    left[u]    pairs of leaves from different children of u that are left over together, on average:
               reach o times the pairs of out[children], as if these were independent
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled


def block_chances(
    parent: cython.const[cython.int][::1],
    leaves: cython.const[cython.double][::1],
    opened: cython.const[cython.double][::1],
    joins: cython.const[cython.double][::1],
    passes: cython.const[cython.double][::1],
):
    """Return reach, cover, out, left (n,) float64.

    parent (n,) int32: -1 at the root, else < own index; leaves (n,): below each node; opened, joins, passes
    (n,): chances, ``opened`` 0 at leaves.

    >>> chance = np.array([0.5, 0.0, 0.0])
    >>> reach, cover, out, left = block_chances(
    ...     np.array([-1, 0, 0], np.int32), np.array([2.0, 1, 1]), chance, 0 * chance + 0.5, chance)
    >>> reach.tolist(), cover.tolist(), out.tolist(), left.tolist()
    ([1.0, 0.5, 0.5], [0.5, 1.0, 1.0], [0.75, 0.5, 0.5], [0.125, 0.0, 0.0])
    """
    n: cython.Py_ssize_t = parent.shape[0]
    reach, cover, out, left = np.ones(n), np.zeros(n), np.zeros(n), np.zeros(n)
    reach_of: cython.double[::1] = reach
    cover_of: cython.double[::1] = cover
    out_of: cython.double[::1] = out
    left_of: cython.double[::1] = left
    below: cython.double[::1] = np.zeros(n)
    squares: cython.double[::1] = np.zeros(n)
    u: cython.Py_ssize_t
    above: cython.Py_ssize_t
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
