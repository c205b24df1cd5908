"""The energy of a labelled tree as a function of its leaf labels alone.

Given the labels f of the leaves, internal nodes follow as is best, and the energy of `treepotts` is

    E(f) = constant + sum_leaves leaf_cost[f_p, p] - sum_{slots s, all leaves below labelled a} gain_s(a)
           + sum_{pairs} w_pq [f_p != f_q],   constant = sum of X over internal nodes

A slot is a leaf, or a node with several children; a chain of only children is one slot with the node it ends
in. Only slots with several children have gains, only positive ones are kept: they are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels import treedp
from webgrain.kernels._compiled import warn_once

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.kernels.treepotts import TreePotts


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """E(f) in arrays: n nodes, l leaves, K labels, S <= 2 l - 1 slots, m pairs.

    leaves (l,) int32: the nodes; pairs (m, 2) int32: places in ``leaves``; weight (m,); slot (n,) int32: of
    each node; above (S,) int32: the slot above, -1 at the root, the last slot; leaf_cost (K, l); the gains by
    label: those of a are at gain_first[a]:gain_first[a + 1] of gain_slot int32 and gain_value. Slots are
    numbered leaves first, in document order, then from below to above.
    """

    constant: float
    leaves: NDArray[np.int32]
    pairs: NDArray[np.int32]
    weight: NDArray[np.float64]
    slot: NDArray[np.int32]
    above: NDArray[np.int32]
    leaf_cost: NDArray[np.float64]
    gain_first: NDArray[np.int32]
    gain_slot: NDArray[np.int32]
    gain_value: NDArray[np.float64]


def label_table(problem: TreePotts) -> LabelTable:
    """Tabulate the costs of all leaf labels: time n K, memory l K float64 beside the problem's own.

    >>> from webgrain.kernels.treepotts import TreePotts
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([2.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> table = label_table(star)
    >>> table.constant, (0 + table.leaf_cost).tolist(), table.gain_value.tolist()  # the gains are the root's
    (2.5, [[0.0, 5.0], [5.0, 0.0]], [1.5, 1.5])
    """
    warn_once(treedp.COMPILED)
    parent, end = np.ascontiguousarray(problem.parent), np.ascontiguousarray(problem.end)
    leaves, inner = problem.leaves, ~problem.is_leaf
    number = np.zeros(len(parent), np.int32)
    number[leaves] = np.arange(len(leaves))
    slot, above = treedp.contract(parent, end, len(leaves))
    unary, invisible = np.ascontiguousarray(problem.unary), np.ascontiguousarray(problem.invisible)
    gains = treedp.label_gains(parent, end, unary, invisible, slot, len(leaves), len(above))
    weight = np.ascontiguousarray(problem.weight)
    constant = float(problem.invisible[inner].sum())
    return LabelTable(constant, leaves, number[problem.pairs], weight, slot, above, *gains)
