"""The energy of a labelled tree with Potts costs between leaves: problem, value, parent-child costs.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, sections 3
and 4.2. Nodes stand in document order, the subtree of node u is ``u:end[u]``.

    paper               here               shape, unit
    D_p(alpha)          unary[p, alpha]    (n, K) cost of label alpha at node p
    xi                  label -1           the invisible label, for internal nodes only
    D_u(xi) + V_uq      invisible[u]       (n,) cost of u being invisible, of either sign
    V_pq (leaves)       pairs, weight      (m, 2) leaves, each pair once; (m,) cost >= 0 of different labels

    E(S) = sum_{visible p} D_p(S_p) + sum_{S_u = xi} X_u + sum_{pairs} w_pq [S_p != S_q]

A labelling is feasible when every leaf is visible and every child has its parent's label unless the parent is
invisible. So x_q <= x_u for x = [S = xi] and a child q of u, hence x_u x_q = x_q: every cost of a
parent-child edge is a cost of single nodes being invisible, and folds into X (`fold_parent_child`).

The energy of a labelled tree as a function of its leaf labels alone.

Given the labels f of the leaves, internal nodes follow as is best, and the energy of `treepotts` is

    E(f) = constant + sum_leaves leaf_cost[f_p, p] - sum_{slots s, all leaves below labelled a} gain_s(a)
           + sum_{pairs} w_pq [f_p != f_q],   constant = sum of X over internal nodes

A slot is a leaf, or a node with several children; a chain of only children is one slot with the node it ends
in. Only slots with several children have gains, only positive ones are kept: they are few.

Lowest common ancestors of leaves, in constant time each, for whole arrays of pairs.

In document order the lowest common ancestor of two neighbouring leaves is the parent of the node that follows
the first one, and that of any two leaves is the least of those in between: a range minimum, answered from a
table of the minima of all stretches of 1, 2, 4, ... (Bender, Farach-Colton, The LCA problem revisited, 2000).

    l leaves, m pairs: time and memory l log l to build, time m to ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32, Int64
from webgrain.errors import ParameterError
from webgrain.page.kernels.purepython import warn_once
from webgrain.segmentation.solvers import treedp

INVISIBLE = -1


@dataclass(frozen=True, slots=True, eq=False)
class TreePotts:
    """A tree of n nodes, K labels, and the costs of labelling it; checked once, here.

    parent (n,) int32: -1 at the root, node 0, else < own index; end (n,) int32: one past the subtree;
    unary (n, K) float64, K >= 1; invisible (n,) float64, ignored at leaves; pairs (m, 2) int32 of different
    leaves, each unordered pair once; weight (m,) float64, >= 0. The arrays are kept, not copied.

    Raises `ParameterError` for arrays of another shape or type, costs that are not finite, a negative weight,
    or indices that are no tree in document order.

    >>> chain = TreePotts(np.array([-1, 0], np.int32), np.array([2, 2], np.int32), np.array([[1.0], [2.0]]),
    ...                   np.zeros(2), np.empty((0, 2), np.int32), np.empty(0))
    >>> chain.leaves.tolist(), chain.n_labels
    ([1], 1)
    """

    parent: Int32
    end: Int32
    unary: Float64
    invisible: Float64
    pairs: Int32
    weight: Float64

    def __post_init__(self) -> None:
        _check_array("parent", self.parent, np.int32, (None,))
        n = len(self.parent)
        _check_array("end", self.end, np.int32, (n,))
        _check_array("unary", self.unary, np.float64, (n, None))
        _check_array("invisible", self.invisible, np.float64, (n,))
        _check_array("weight", self.weight, np.float64, (None,))
        _check_array("pairs", self.pairs, np.int32, (len(self.weight), 2))
        if not self.unary.size:
            raise ParameterError(f"unary: expected a node and a label at least, got {self.unary.shape}.")
        _check_tree(self.parent, self.end)
        _check_costs(self)
        _check_pairs(self)

    @property
    def n_labels(self) -> int:
        """K, the number of visible labels."""
        return int(self.unary.shape[1])

    @property
    def is_leaf(self) -> Bool:
        """(n,) whether a node has no children."""
        return np.equal(self.end, np.arange(1, len(self.end) + 1))

    @property
    def leaves(self) -> Int32:
        """(number of leaves,) the nodes without children, in document order."""
        return np.flatnonzero(self.is_leaf).astype(np.int32)


def energy(problem: TreePotts, labels: Int32) -> float:
    """E of a labelling, by its definition and by nothing that the solvers use.

    labels (n,) int32 in -1..K-1, -1 invisible. Raises `ParameterError` when the labelling is not feasible.
    Source: eq. (1) with the constraints (3)-(8).

    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> energy(star, np.array([-1, 0, 1], np.int32)), energy(star, np.array([0, 0, 0], np.int32))
    (2.5, 6.0)
    """
    check_labels(problem, labels)
    visible = np.flatnonzero(labels != INVISIBLE)
    cut = labels[problem.pairs[:, 0]] != labels[problem.pairs[:, 1]]
    return float(
        problem.unary[visible, labels[visible]].sum()
        + problem.invisible[labels == INVISIBLE].sum()
        + problem.weight[cut].sum()
    )


def check_labels(problem: TreePotts, labels: Int32) -> None:
    """Raise `ParameterError` unless the labelling (n,) int32 is feasible, naming the first node that is not.

    Source: constraints (3) and (4).

    >>> leaf = TreePotts(np.array([-1], np.int32), np.array([1], np.int32), np.zeros((1, 2)), np.zeros(1),
    ...                  np.empty((0, 2), np.int32), np.empty(0))
    >>> check_labels(leaf, np.array([-1], np.int32))
    Traceback (most recent call last):
    webgrain.errors.ParameterError: labels: expected every leaf in 0..1, got -1 at leaf 0.
    """
    check_leaf_labels(problem, labels)
    if labels.min() < INVISIBLE or labels.max() >= problem.n_labels:
        got = f"{labels.min()}..{labels.max()}"
        raise ParameterError(f"labels: expected values in -1..{problem.n_labels - 1}, got {got}.")
    above = labels[problem.parent[1:]]
    wrong = np.flatnonzero((above != INVISIBLE) & (above != labels[1:])) + 1
    if len(wrong):
        child = wrong[0]
        raise ParameterError(
            "labels: expected a child to have its visible parent's label, "
            f"got {labels[child]} at node {child} below {above[child - 1]}."
        )


def check_leaf_labels(problem: TreePotts, labels: Int32) -> None:
    """Raise `ParameterError` unless labels (n,) int32 give every leaf a visible label.

    Source: constraint (3).

    >>> leaf = TreePotts(np.array([-1], np.int32), np.array([1], np.int32), np.zeros((1, 2)), np.zeros(1),
    ...                  np.empty((0, 2), np.int32), np.empty(0))
    >>> check_leaf_labels(leaf, np.array([1], np.int32))
    """
    _check_array("labels", labels, np.int32, problem.parent.shape)
    wrong = np.flatnonzero(problem.is_leaf & ((labels <= INVISIBLE) | (labels >= problem.n_labels)))
    if len(wrong):
        got = f"{labels[wrong[0]]} at leaf {wrong[0]}"
        raise ParameterError(f"labels: expected every leaf in 0..{problem.n_labels - 1}, got {got}.")


def fold_parent_child(
    parent: Int32,
    cost_edge: Float64,
    cost_invisible: Float64,
    reading: Literal["edge", "parent"] = "edge",
) -> Float64:
    """Cost X (n,) of each node being invisible, its share of the parent-child costs included; 0 at leaves.

    parent (n,) int32; cost_edge (n,) float64: c_uq of the edge between node q and its parent u, stored at q
    (the root's is ignored); cost_invisible (n,) float64: D_u(xi). `ParameterError` for another reading.

    Unclear: whether c_uq is paid by each edge from an invisible parent to a visible child (``edge``, eq. (7):
    V(xi, xi) = 0), or by all edges below an invisible parent (``parent``, the printed graph of section 4.2).
        edge     X_u = D_u(xi) + sum_{q child of u} c_uq - c_{parent(u),u}
        parent   X_u = D_u(xi) + sum_{q child of u} c_uq

    >>> chain = np.array([-1, 0, 1], np.int32)
    >>> fold_parent_child(chain, np.array([9.0, 2, 3]), np.zeros(3)).tolist()
    [2.0, 1.0, 0.0]
    >>> fold_parent_child(chain, np.array([9.0, 2, 3]), np.zeros(3), reading="parent").tolist()
    [2.0, 3.0, 0.0]
    """
    if reading not in ("edge", "parent"):
        raise ParameterError(f"reading: expected 'edge' or 'parent', got {reading!r}.")
    n = len(parent)
    folded = cost_invisible + np.bincount(parent[1:], weights=cost_edge[1:], minlength=n)
    if reading == "edge":
        folded[1:] -= cost_edge[1:]
    folded[np.bincount(parent[1:], minlength=n) == 0] = 0.0
    return folded


def _check_array(name: str, array: Any, dtype: type, shape: tuple[int | None, ...]) -> None:
    """Check type and shape; None in the shape stands for any length."""
    got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
    fits = isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == len(shape)
    if not fits or any(want not in (None, has) for want, has in zip(shape, np.shape(array), strict=True)):
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        raise ParameterError(f"{name}: expected an array {np.dtype(dtype)} ({wanted}), got {got}.")


def _check_tree(parent: Int32, end: Int32) -> None:
    """With these sums and bounds the subtree of u is u:end[u], by induction from the leaves."""
    n, above = len(parent), parent[1:]
    index = np.arange(n)
    ordered = parent[0] == -1 and end[0] == n and bool(np.all((above >= 0) & (above < index[1:])))
    if ordered:
        size = end - index
        inside = (index[1:] < end[above]) & (end[1:] <= end[above])
        sums = np.bincount(above, weights=size[1:], minlength=n) + 1 == size
        ordered = bool(inside.all() and sums.all())
    if not ordered:
        raise ParameterError("parent, end: expected one tree in document order, got other indices.")


def _check_costs(problem: TreePotts) -> None:
    inner = problem.invisible[~problem.is_leaf]
    for name, cost in (("unary", problem.unary), ("invisible", inner), ("weight", problem.weight)):
        if not np.isfinite(cost).all():
            raise ParameterError(f"{name}: expected finite costs, got an infinite one or NaN.")
    if problem.weight.min(initial=0.0) < 0:
        raise ParameterError(f"weight: expected none below 0, got {problem.weight.min()}.")


def _check_pairs(problem: TreePotts) -> None:
    n, pairs = len(problem.parent), problem.pairs
    if pairs.min(initial=0) < 0 or pairs.max(initial=0) >= n:
        raise ParameterError(f"pairs: expected nodes in 0..{n - 1}, got {pairs.min()}..{pairs.max()}.")
    if not problem.is_leaf[pairs].all():
        raise ParameterError("pairs: expected leaves only, got an internal node.")
    low, high = pairs.min(axis=1, initial=n), pairs.max(axis=1, initial=0)
    if (low == high).any() or len(np.unique(low.astype(np.int64) * n + high)) < len(pairs):
        raise ParameterError("pairs: expected two different leaves and each pair once, got a repetition.")


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """E(f) in arrays: n nodes, l leaves, K labels, S <= 2 l - 1 slots, m pairs.

    leaves (l,) int32: the nodes; pairs (m, 2) int32: places in ``leaves``; weight (m,); slot (n,) int32: of
    each node; above (S,) int32: the slot above, -1 at the root, the last slot; leaf_cost (K, l); the gains by
    label: those of a are at gain_first[a]:gain_first[a + 1] of gain_slot int32 and gain_value. Slots are
    numbered leaves first, in document order, then from below to above.
    """

    constant: float
    leaves: Int32
    pairs: Int32
    weight: Float64
    slot: Int32
    above: Int32
    leaf_cost: Float64
    gain_first: Int32
    gain_slot: Int32
    gain_value: Float64


def label_table(problem: TreePotts) -> LabelTable:
    """Tabulate the costs of all leaf labels: time n K, memory l K float64 beside the problem's own.

    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
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


class LeafAncestors:
    """Lowest common ancestors of the leaves of a tree, and the two branches below them.

    parent (n,): -1 at the root; end (n,): one past the subtree; leaves (l,): the nodes without children; all
    in document order.

    >>> tree = LeafAncestors(np.array([-1, 0, 1, 1, 0]), np.array([5, 4, 3, 4, 5]), np.array([2, 3, 4]))
    >>> [x.tolist() for x in tree.meet(np.array([0, 0]), np.array([1, 2]))]  # leaves 2 3, leaves 2 4
    [[1, 0], [2, 1], [3, 4]]
    """

    def __init__(
        self, parent: NDArray[np.integer], end: NDArray[np.integer], leaves: NDArray[np.integer]
    ) -> None:
        self._after = leaves[:-1].astype(np.int64) + 1
        between = parent[self._after].astype(np.int64)
        place = np.arange(len(between))
        self._length = max(len(between), 1)
        # The place within the key breaks ties: the first and the last leaf after which a new branch begins.
        self._first = _minima(between * self._length + place)
        self._last = _minima(between * self._length + (self._length - 1 - place))
        child = np.flatnonzero(end[1:] < end[parent[1:]]) + 1
        self._previous = np.full(len(parent) + 1, -1, np.int64)
        self._previous[end[child]] = child

    def meet(self, p: NDArray[np.integer], q: NDArray[np.integer]) -> tuple[Int64, Int64, Int64]:
        """Return (m,) the common ancestor of leaves p < q and its children that hold p and q.

        p, q (m,): places in ``leaves``, not nodes.
        """
        level = np.frexp((q - p).astype(np.float64))[1] - 1
        other = q - (1 << level)
        first = np.minimum(self._first[level, p], self._first[level, other])
        last = np.minimum(self._last[level, p], self._last[level, other])
        node, place = np.divmod(first, self._length)
        left = self._previous[self._after[place]]
        return node, left, self._after[self._length - 1 - last % self._length]


def _minima(keys: Int64) -> Int64:
    """Row j holds the minimum of the 2**j keys from each place on."""
    rows = [keys]
    while (step := 1 << (len(rows) - 1)) * 2 <= len(keys):
        shifted = np.concatenate([rows[-1][step:], rows[-1][-step:]])
        rows.append(np.minimum(rows[-1], shifted))
    return np.stack(rows)
