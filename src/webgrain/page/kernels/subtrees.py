"""Sums over subtrees and ancestors in a tree in document order: the subtree of node i is ``i:end[i]``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Int32


def subtree_sum(x: NDArray[Any], end: Int32) -> NDArray[Any]:
    """Sum of ``x`` (n, ...) over the subtree of every node: one cumulative sum and one difference.

    end (n,): one past each subtree. Sums of numbers that are not floating are int64, others float64.

    >>> subtree_sum(np.array([1, 2, 3]), np.array([3, 2, 3], np.int32)).tolist()  # a root, two children
    [6, 2, 3]
    """
    dtype = np.int64 if x.dtype.kind in "bui" else np.float64
    total = np.zeros((len(x) + 1, *x.shape[1:]), dtype)
    np.cumsum(x, axis=0, dtype=dtype, out=total[1:])
    sums: NDArray[Any] = total[end] - total[:-1]
    return sums


def ancestor_sum(x: NDArray[Any], end: Int32) -> NDArray[Any]:
    """Sum of ``x`` (n,) over the proper ancestors of every node: what was opened less what was closed.

    end and the type of the sums as in `subtree_sum`.

    >>> ancestor_sum(np.array([1, 2, 3]), np.array([3, 3, 3], np.int32)).tolist()  # a chain
    [0, 1, 3]
    """
    closed = np.bincount(end, weights=x, minlength=len(x) + 1)[: len(x)]
    total: NDArray[Any] = np.cumsum(x, dtype=np.float64) - x - np.cumsum(closed)
    return total.astype(np.int64) if x.dtype.kind in "bui" else total
