"""Minimisers of the energy of a labelled tree: the exact tree program and exact alpha-expansion.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.2;
alpha-expansion after Boykov, Veksler, Zabih 2001, agreement of groups after Kohli, Kumar, Torr 2007.

Departures: the printed move graph misses the exact minimum when parents are nested, when a parent is
invisible now, or when internal nodes have costs; the graph of `moves` is exact for costs of any sign. It
contains the move to the invisible label and its inverse, so there is no such move. The start may be the tree
program instead of one arbitrary label. Cycles end after K moves in a row that gained nothing.

Cost: O(n K) to prepare, then per label O(leaves) plus what the cut visits; memory n K + leaves K float64.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from webgrain.arrays import Int32
from webgrain.errors import ParameterError
from webgrain.page.kernels.purepython import warn_once
from webgrain.segmentation.solvers import moves, treedp
from webgrain.segmentation.solvers.treepotts import LabelTable, TreePotts, check_leaf_labels, label_table

# A move has to gain more than rounding can.
TOLERANCE = 1e-7


def tree_dp(problem: TreePotts) -> tuple[Int32, float]:
    """Labels (n,) int32 of least energy when the pairs are left out, and that energy, a lower bound of E.

    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([9.0]))
    >>> labels, value = tree_dp(star)
    >>> labels.tolist(), value
    ([-1, 0, 1], 0.5)
    """
    warn_once(treedp.COMPILED)
    label, cost = treedp.best_labels(problem.parent, np.ascontiguousarray(problem.unary))
    labels, value = treedp.tree_labels(problem.parent, problem.end, problem.invisible, label, cost)
    return labels, float(value)


def complete(problem: TreePotts, labels: Int32) -> Int32:
    """Labels (n,) int32 of least energy among those that agree with the given ones at every leaf.

    labels (n,) int32, read at leaves only; a tie is visible. `ParameterError` for a leaf without a label.

    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([9.0]))
    >>> complete(star, np.array([-1, 0, 0], np.int32)).tolist()
    [-1, 0, 0]
    """
    check_leaf_labels(problem, labels)
    n = len(labels)
    common, gain = np.empty(n, np.int32), np.empty(n)
    treedp.common_labels(
        problem.parent, problem.end, np.ascontiguousarray(problem.unary), problem.invisible,
        np.ascontiguousarray(labels), common, gain,
    )  # fmt: skip
    completed: Int32 = treedp.visible_labels(problem.parent, common, gain)
    return completed


def expansion_move(problem: TreePotts, labels: Int32, alpha: int) -> tuple[float, Int32]:
    """One exact move: every leaf keeps its label or takes alpha, internal nodes follow as is best.

    labels (n,) int32, read at leaves only; alpha in 0..K-1. Returns the value of the minimum cut, that is
    the energy of the best labelling in reach, and that labelling (n,) int32. Raises `ParameterError` for a
    leaf without a label or another alpha.

    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> value, labels = expansion_move(star, np.array([0, 0, 0], np.int32), 1)
    >>> value, labels.tolist()
    (2.5, [-1, 0, 1])
    """
    check_leaf_labels(problem, labels)
    if not 0 <= alpha < problem.n_labels:
        raise ParameterError(f"alpha: expected a label in 0..{problem.n_labels - 1}, got {alpha}.")
    graph = move_graph(problem, label_table(problem))
    before = graph.load(np.ascontiguousarray(labels))
    value = before - graph.move(alpha, 0.0)
    return float(value), graph.current()


def expansion(
    problem: TreePotts,
    start: Literal["dp", "label"] | Int32 = "dp",
    order: Int32 | None = None,
    max_cycles: int = 50,
) -> tuple[Int32, float]:
    """Labels (n,) int32 that no alpha-move improves, and their energy.

    start: ``dp``, the exact tree program; ``label``, the first label of the order everywhere, as in the
    paper; or labels (n,) int32, read at leaves. order (any,) int32: the labels to try, in this order, in each
    cycle; 0..K-1 by default. max_cycles: the most cycles. Every move that is taken lowers the energy by more
    than 1e-7. Raises `ParameterError` for other values.

    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([9.0]))
    >>> labels, value = expansion(star, start="label")
    >>> labels.tolist(), value
    ([-1, 0, 0], 5.5)
    """
    order = np.arange(problem.n_labels, dtype=np.int32) if order is None else _checked_order(problem, order)
    if max_cycles < 1:
        raise ParameterError(f"max_cycles: expected 1 at least, got {max_cycles}.")
    first = _start_labels(problem, start, order)
    graph = move_graph(problem, label_table(problem))
    graph.load(first)
    value = graph.expand(order, max_cycles, TOLERANCE)
    return graph.current(), float(value)


def _start_labels(problem: TreePotts, start: str | Int32, order: Int32) -> Int32:
    if isinstance(start, np.ndarray):
        check_leaf_labels(problem, start)
        return np.ascontiguousarray(start)
    if start == "dp":
        return tree_dp(problem)[0]
    if start == "label":
        return np.full(len(problem.parent), order[0], np.int32)
    raise ParameterError(f"start: expected 'dp', 'label' or labels, got {start!r}.")


def _checked_order(problem: TreePotts, order: Int32) -> Int32:
    labels = np.ascontiguousarray(order, dtype=np.int32)
    if labels.ndim != 1 or not labels.size or labels.min() < 0 or labels.max() >= problem.n_labels:
        raise ParameterError(f"order: expected labels in 0..{problem.n_labels - 1}, got {order!r}.")
    return labels


def move_graph(problem: TreePotts, table: LabelTable) -> moves.MoveGraph:
    """Return the kernel's graph of all moves of a problem with this table; it has no labels yet.

    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
    >>> leaf = TreePotts(np.array([-1], np.int32), np.array([1], np.int32), np.array([[3.0, 2]]), np.zeros(1),
    ...                  np.empty((0, 2), np.int32), np.empty(0))
    >>> graph = move_graph(leaf, label_table(leaf))
    >>> graph.load(np.zeros(1, np.int32)), graph.expand(np.arange(2, dtype=np.int32), 50, 0.0)
    (3.0, 2.0)
    """
    warn_once(moves.COMPILED)
    return moves.MoveGraph(
        np.ascontiguousarray(problem.parent), np.ascontiguousarray(problem.end),
        np.ascontiguousarray(problem.unary), np.ascontiguousarray(problem.invisible), table,
    )  # fmt: skip
