"""Exact dominance pruning: which blocks (subtree, label) can be part of an optimum.

A labelling is a frontier of blocks: subtrees that hold all leaves, each with one label. With F and M, the
costs of blocks and of subtrees without the pairs (`blocks`), no optimum has a block of s with label a if

    F_s(a) > min_b F_s(b) + weight of the pairs leaving s    or
    F_s(a) > M_s          + weight of the pairs touching s

since s could have the label b, or the labels of M_s, and the pairs elsewhere would cost what they did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels import blocks
from webgrain.kernels._compiled import warn_once
from webgrain.kernels.lca import LeafAncestors
from webgrain.kernels.subtrees import subtree_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.kernels.labeltable import LabelTable
    from webgrain.kernels.treepotts import TreePotts

    Blocks = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]


def unpruned_blocks(problem: TreePotts, table: LabelTable, slack: float) -> Blocks:
    """List the blocks that may be part of an optimum: first (S + 1,) int64, label int32 and F, by slot.

    slack: what rounding can make of a cost; blocks so near to the limit stay. Time K S, memory that of the
    result. Source: the dead-end elimination of Desmet et al. 1992, for subtrees.

    >>> from webgrain.kernels.labeltable import label_table
    >>> from webgrain.kernels.treepotts import TreePotts
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[9.0, 9], [0, 5], [5, 0]]), np.array([1.0, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> first, label, _ = unpruned_blocks(star, label_table(star), 0.0)
    >>> first.tolist(), label.tolist()  # the leaves keep a label each, the root has no block
    ([0, 1, 2, 2], [0, 1])
    """
    warn_once(blocks.COMPILED)
    costs = (table.above, table.leaf_cost, table.gain_first, table.gain_slot, table.gain_value)
    uniform, best = blocks.least_costs(*costs)
    leaving, touching = pair_weights(problem, table)
    limit = np.minimum(uniform + leaving, best + touching) + slack
    listed: Blocks = blocks.list_blocks(*costs, limit)
    return listed


def pair_weights(problem: TreePotts, table: LabelTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weight of the pairs with one leaf below each slot (S,), and of those with one or two (S,).

    >>> from webgrain.kernels.labeltable import label_table
    >>> from webgrain.kernels.treepotts import TreePotts
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32), np.zeros((3, 1)),
    ...                  np.zeros(3), np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> [weights.tolist() for weights in pair_weights(star, label_table(star))]  # two leaves, the root
    [[2.0, 2.0, 0.0], [2.0, 2.0, 2.0]]
    """
    n, weight = len(problem.parent), table.weight
    p, q = np.sort(table.pairs, axis=1).T
    meeting = LeafAncestors(problem.parent, problem.end, table.leaves).meet(p, q)[0]
    ends = subtree_sum(np.bincount(problem.pairs.ravel(), np.repeat(weight, 2), n), problem.end)
    inside = subtree_sum(np.bincount(meeting, weight, n), problem.end)
    leaving, touching = np.empty(len(table.above)), np.empty(len(table.above))
    leaving[table.slot] = ends - 2 * inside  # the nodes of a slot hold the same leaves
    touching[table.slot] = ends - inside
    return leaving, touching
