"""The energy of a labelled tree with Potts costs between leaves, and its certified minimisation.

Nodes are in document order; the subtree of node u is ``u:end[u]``. A labelling f gives every node a label
0..K-1 or `INVISIBLE`. It is feasible if every leaf is visible and every child has the label of its parent
unless the parent is invisible. A label may be allowed only in the subtree of one node, its top. With w_pq
the weights of the pairs of leaves,

    E(f) = sum_{visible p} unary[p, f_p] + sum_{invisible u} invisible[u] + sum_{pairs} w_pq [f_p != f_q]

**Labels of the leaves alone** (`label_table`). Given the labels of the leaves, the best labels of the inner
nodes follow by dynamic programming, and the energy is

    E(f) = constant + sum_leaves leaf_cost[f_p, p] - sum_{slots s, all leaves below labelled a} gain_s(a)
           + sum_{pairs} w_pq [f_p != f_q],   constant = sum of ``invisible`` over inner nodes

A slot is a leaf, or a node with several children; a chain of only children shares the slot of its last node.
Only slots with several children have gains, and only the positive gains are stored: they are few.

**Certified minimisation** (`minimise`).

 1. `tree_dp` minimises the energy without the pairs. This gives labels and a first lower bound.
 2. Blocks (slot, label) that no optimum contains are removed (`unpruned_blocks`; dead-end elimination, Desmet
    et al. 1992). With F_s(a) the cost of label a below slot s, without the pairs, no optimum has a block of
    label a at s if

        F_s(a) > min_b F_s(b) + weight of the pairs leaving s

    since a block of label b would cost less whatever the pairs elsewhere cost.
 3. Sweeps of dual ascent raise the lower bound (`webgrain.papers.solvers.dual`). The labels of the best
    tree after a sweep, improved by the given local search, give an upper bound.
 4. The search ends when the bounds differ by less than ``rel``, or at a limit. At a limit, the local search
    runs over all labels, and the remaining gap is returned.

The lower bound holds at any time. The largest possible rounding error is subtracted: with A the sum of the
largest costs of all nodes, weights and messages, every sum errs by less than 16 (n + m) 2^-53 A. So the bound
never exceeds the optimum, and gaps below about 1e-10 are not reached.

Sources: the energy is that of Chakrabarti, Kumar, Punera, WWW 2008 (`webgrain.papers.gcuts`); the
relaxation is Lagrangean decomposition, Guignard, Kim 1987. Cost: the number of entries of D, at most n K, to
prepare; a sweep takes about 4 steps per message (one for each pair and candidate label of its leaves) and 2
per leaf and block above it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.purepython import warn_once
from webgrain.page.dom import subtree_sum
from webgrain.papers.solvers import dual, innerlabels
from webgrain.segmentation.solvers import treedp

INVISIBLE = -1

TOLERANCE = 1e-7
"""A move must lower the energy by more than this; rounding errors are smaller."""

MAX_MESSAGES = 2**25
"""Messages kept at once (400 MB); if there would be more, no sweeps are made."""

MAX_SWEEP_STEPS = 10**9
"""Steps of all sweeps together, each a few nanoseconds."""

MAX_EXCESS = 0.1
"""Labels whose energy exceeds the best one by more than this share are not improved by local search."""

EARLY = 8
"""The bounds are compared after each of the first EARLY sweeps, then after half as many more each time."""

LabelBlocks = tuple[Int64, Int32, Float64]


@dataclass(frozen=True, slots=True, eq=False)
class TreePotts:
    """A tree of n nodes, K labels, and the costs of its labellings; made by `GCuts`.

    parent (n,) int32: -1 at the root, node 0, otherwise less than the own index; end (n,) int32: one past the
    subtree; unary (n, K) float64, K >= 1; invisible (n,) float64, ignored at leaves; pairs (m, 2) int32 of
    different leaves, each unordered pair once; weight (m,) float64, >= 0; tops (K,) int32: the node in whose
    subtree each label is allowed, at least one of them the root. With tops, unary (any,) contains the costs
    of the nodes ``tops[a]:end[tops[a]]`` for label 0, then 1, ... The arrays are not copied.

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
    tops: Int32 | None = None

    def __post_init__(self) -> None:
        costs = (self.unary, self.invisible[~self.is_leaf], self.weight)
        if not all(np.isfinite(cost).all() for cost in costs):
            raise ParameterError("Expected finite costs, got an infinite one or NaN: lam is too large.")

    @property
    def n_labels(self) -> int:
        """K, the number of visible labels."""
        return int(self.unary.shape[1]) if self.tops is None else len(self.tops)

    def costs(self) -> tuple[Int32, Int64, Float64]:
        """Return tops (K,), first (K + 1,), and the costs of label a at first[a]:first[a + 1]."""
        if self.tops is None:
            n, k = self.unary.shape
            return np.zeros(k, np.int32), np.arange(k + 1) * n, self.unary.T.ravel()
        first = np.append(0, np.cumsum(self.end[self.tops] - self.tops, dtype=np.int64))
        return np.ascontiguousarray(self.tops), first, np.ascontiguousarray(self.unary)

    @property
    def is_leaf(self) -> Bool:
        """(n,) whether a node has no children."""
        return np.equal(self.end, np.arange(1, len(self.end) + 1))

    @property
    def leaves(self) -> Int32:
        """(number of leaves,) the nodes without children, in document order."""
        return np.flatnonzero(self.is_leaf).astype(np.int32)


def labelling_energy(problem: TreePotts, labels: Int32) -> float:
    """Return E of a labelling by its definition, independently of the solvers.

    labels (n,) int32 in -1..K-1. Raises `ParameterError` if the labelling is not feasible.

    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> [labelling_energy(star, np.array(labels, np.int32)) for labels in ([-1, 0, 1], [0, 0, 0])]
    [2.5, 6.0]
    """
    check_labelling(problem, labels)
    tops, first, unary = problem.costs()
    visible = np.flatnonzero(labels != INVISIBLE)
    label = labels[visible]
    cut = labels[problem.pairs[:, 0]] != labels[problem.pairs[:, 1]]
    return float(
        unary[first[label] + visible - tops[label]].sum()
        + problem.invisible[labels == INVISIBLE].sum()
        + problem.weight[cut].sum()
    )


def check_labelling(problem: TreePotts, labels: Int32) -> None:
    """Raise `ParameterError` unless the labelling (n,) int32 is feasible; names the first wrong node."""
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
    """Raise `ParameterError` unless labels (n,) int32 give every leaf a visible label."""
    if labels.dtype != np.int32 or labels.shape != problem.parent.shape:
        wanted = f"an array int32 ({len(problem.parent)})"
        raise ParameterError(f"labels: expected {wanted}, got {labels.dtype} {labels.shape}.")
    wrong = np.flatnonzero(problem.is_leaf & ((labels <= INVISIBLE) | (labels >= problem.n_labels)))
    if len(wrong):
        got = f"{labels[wrong[0]]} at leaf {wrong[0]}"
        raise ParameterError(f"labels: expected every leaf in 0..{problem.n_labels - 1}, got {got}.")
    if problem.tops is not None:
        leaves = problem.leaves
        top = problem.tops[labels[leaves]]
        outside = leaves[(leaves < top) | (leaves >= problem.end[top])]
        if len(outside):
            raise ParameterError(f"labels: expected allowed labels, got others at leaves {outside[:3]}.")


def tree_dp(problem: TreePotts) -> tuple[Int32, float]:
    """Return labels (n,) int32 of least energy without the pairs, and that energy, a lower bound of E.

    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([9.0]))
    >>> labels, value = tree_dp(star)
    >>> labels.tolist(), value
    ([-1, 0, 1], 0.5)
    """
    warn_once(treedp.COMPILED)
    label, cost = innerlabels.best_subtree_labels(problem.parent, *problem.costs())
    labels, value = treedp.tree_labels(problem.parent, problem.end, problem.invisible, label, cost)
    return labels, float(value)


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """E as a function of the leaf labels: l leaves, K labels, S <= 2 l - 1 slots, m pairs; see the module.

    leaves (l,) int32: the nodes; pairs (m, 2) int32: places in ``leaves``; weight (m,); slot (n,) int32: of
    each node; above (S,) int32: the slot above, -1 at the root, the last slot; leaf_cost: of label a, at
    leaf_first[a]:leaf_first[a + 1], for the leaf slots where it is allowed, the first of them leaf_low[a];
    the gains of label a are at gain_first[a]:gain_first[a + 1] of gain_slot int32 and gain_value, the costs
    without the pairs if all leaves below have the label in gain_sum. Slots are numbered leaves first, in
    document order, then bottom-up.
    """

    constant: float
    leaves: Int32
    pairs: Int32
    weight: Float64
    slot: Int32
    above: Int32
    leaf_low: Int32
    leaf_first: Int64
    leaf_cost: Float64
    gain_first: Int32
    gain_slot: Int32
    gain_value: Float64
    gain_sum: Float64


def label_table(problem: TreePotts) -> LabelTable:
    """Return the costs of all leaf labels; takes the time of reading ``unary``, and at most as much memory.

    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([2.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> table = label_table(star)
    >>> table.constant, (0 + table.leaf_cost).tolist(), table.gain_value.tolist()  # the gains of the root
    (2.5, [0.0, 5.0, 5.0, 0.0], [1.5, 1.5])
    """
    warn_once(innerlabels.COMPILED)
    parent, end, invisible = map(np.ascontiguousarray, (problem.parent, problem.end, problem.invisible))
    leaves, is_leaf = problem.leaves, problem.is_leaf
    before = np.append(0, np.cumsum(is_leaf))
    slot, above = innerlabels.contract(parent, end, len(leaves))
    tops, first, unary = problem.costs()
    leaf_first = np.append(0, np.cumsum(before[end[tops]] - before[tops]))
    gains = innerlabels.label_gains(parent, end, tops, first, unary, invisible, slot, len(leaves), leaf_first)
    return LabelTable(
        float(invisible[~is_leaf].sum()), leaves, before[problem.pairs].astype(np.int32),
        np.ascontiguousarray(problem.weight), slot, above, before[tops].astype(np.int32), leaf_first, *gains,
    )  # fmt: skip


class LeafAncestors:
    """Lowest common ancestors of leaves, and the two branches below them, for arrays of pairs.

    In document order, the lowest common ancestor of two consecutive leaves is the parent of the node after
    the first one, and that of any two leaves is the least of those between them: a range minimum, looked up
    in a table of the minima of all ranges of length 1, 2, 4, ... (Bender, Farach-Colton, The LCA problem
    revisited, 2000). Time and memory l log l to build for l leaves, and constant time per pair.

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
    """Return rows of which row j holds the minimum of the 2**j keys from each place on."""
    rows = [keys]
    while (step := 1 << (len(rows) - 1)) * 2 <= len(keys):
        shifted = np.concatenate([rows[-1][step:], rows[-1][-step:]])
        rows.append(np.minimum(rows[-1], shifted))
    return np.stack(rows)


def leaving_weight(problem: TreePotts, table: LabelTable) -> Float64:
    """Return the weight (S,) of the pairs with one leaf below each slot.

    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32), np.zeros((3, 1)),
    ...                  np.zeros(3), np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> leaving_weight(star, label_table(star)).tolist()  # two leaves, the root
    [2.0, 2.0, 0.0]
    """
    n = len(problem.parent)
    weight = table.weight
    p, q = np.sort(table.pairs, axis=1).T
    meeting = LeafAncestors(problem.parent, problem.end, table.leaves).meet(p, q)[0]
    ends = np.bincount(problem.pairs.ravel(), np.repeat(weight, 2), n)
    leaving = np.empty(len(table.above))  # the nodes of a slot hold the same leaves
    leaving[table.slot] = subtree_sum(ends - 2 * np.bincount(meeting, weight, n), problem.end)
    return leaving


def unpruned_blocks(problem: TreePotts, table: LabelTable, slack: float) -> LabelBlocks:
    """Return the blocks that may be part of an optimum: first (S + 1,) int64, label int32 and F, by slot.

    slack: the largest rounding error of a cost; blocks within it of the limit are kept.

    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[9.0, 9], [0, 5], [5, 0]]), np.array([1.0, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([2.0]))
    >>> first, label, _ = unpruned_blocks(star, label_table(star), 0.0)
    >>> first.tolist(), label.tolist()  # each leaf keeps one label, the root has no block
    ([0, 1, 2, 2], [0, 1])
    """
    number = np.arange(problem.n_labels, dtype=np.int32)
    count = np.diff(table.leaf_first)
    shift = (table.leaf_first[:-1] - table.leaf_low).astype(np.int32)
    leaf_slot = np.arange(table.leaf_first[-1], dtype=np.int32) - np.repeat(shift, count)
    slot = np.concatenate([leaf_slot, table.gain_slot])
    label = np.concatenate([np.repeat(number, count), np.repeat(number, np.diff(table.gain_first))])
    cost = np.concatenate([table.leaf_cost, table.gain_sum])
    limit = np.full(len(table.above), np.inf)
    np.minimum.at(limit, slot, cost)
    limit += leaving_weight(problem, table) + slack
    kept = np.flatnonzero(cost <= limit[slot])
    kept = kept[np.argsort(slot[kept], kind="stable")]
    first = np.zeros(len(limit) + 1, np.int64)
    np.cumsum(np.bincount(slot[kept], minlength=len(limit)), out=first[1:])
    return first, label[kept], cost[kept]


@dataclass(slots=True, eq=False)
class Minimum:
    """The result of a minimisation.

    labels: (n,) int32, feasible; energy: of the labels; lower_bound: no labelling has less energy; sweeps:
    the number of sweeps of dual ascent.
    """

    labels: Int32
    energy: float
    lower_bound: float
    sweeps: int = 0

    @property
    def gap(self) -> float:
        """The greatest possible distance to the optimum, relative to the energy; inf for an energy of 0.

        >>> Minimum(np.zeros(1, np.int32), energy=2.0, lower_bound=1.5).gap
        0.25
        """
        if self.energy <= self.lower_bound:
            return 0.0
        return (self.energy - self.lower_bound) / abs(self.energy) if self.energy else np.inf


class LocalSearch(Protocol):
    """A search for labels of less energy from given ones, such as `webgrain.papers.gcuts.Expansion`."""

    energy: float
    """That of the current labels."""

    def start(self, labels: Int32) -> None:
        """Make labels (n,), read at leaves only, the current ones."""

    def run(self, order: Int32) -> None:
        """Improve the current labels by changes to the labels ``order``."""

    def labels(self) -> Int32:
        """Return the current labels (n,), completed at inner nodes."""


def minimise(
    problem: TreePotts,
    search: Callable[[TreePotts, LabelTable], LocalSearch],
    *,
    rel: float = 1e-5,
    max_sweeps: int = 200,
) -> Minimum:
    """Return labels of low energy and a proven lower bound; the same on every machine.

    search: makes the local search of a problem; rel: gap at which the search ends; max_sweeps: greatest
    number of sweeps.

    >>> from webgrain.papers.gcuts import Expansion
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([9.0]))
    >>> minimum = minimise(star, Expansion)
    >>> minimum.labels.tolist(), minimum.energy, minimum.gap <= 1e-5
    ([-1, 0, 0], 5.5, True)
    """
    labels, bound = tree_dp(problem)
    rounding = 16 * (len(problem.parent) + len(problem.weight)) * 2.0**-53
    size = _size(problem)
    best = Minimum(labels, labelling_energy(problem, labels), bound - rounding * size)
    if best.gap <= rel:
        return best
    table = label_table(problem)
    local = search(problem, table)

    def improve(labels: Int32, tried: Int32) -> None:
        local.start(labels)
        if local.energy > best.energy + MAX_EXCESS * abs(best.energy):
            return
        local.run(tried)
        improved = local.labels()
        value = labelling_energy(problem, improved)
        if value < best.energy:
            best.labels, best.energy = improved, value

    last = labels[table.leaves]
    improve(labels, np.unique(last))
    ascent, affordable = _dual_ascent(problem, table, unpruned_blocks(problem, table, rounding * size))
    max_sweeps = min(max_sweeps, affordable)
    while ascent is not None and best.gap > rel and best.sweeps < max_sweeps:
        for _ in range(min(max_sweeps - best.sweeps, 1 if best.sweeps < EARLY else best.sweeps // 2)):
            ascent.sweep()
            best.sweeps += 1
        bound, messages = ascent.bound()
        slack = rounding * (size + messages)
        best.lower_bound = max(best.lower_bound, float(table.constant + bound - slack))
        if not np.array_equal(ascent.labels(), last):
            last = ascent.labels()
            labels = best.labels.copy()
            labels[table.leaves] = last
            improve(labels, np.unique(last))
    if best.gap > rel:
        improve(best.labels, np.arange(problem.n_labels, dtype=np.int32))
    return best


def _dual_ascent(
    problem: TreePotts, table: LabelTable, blocks: LabelBlocks
) -> tuple[dual.DualAscent | None, int]:
    """Return the dual ascent, and the number of its sweeps within `MAX_SWEEP_STEPS`; 0 if it is too large."""
    before = np.append(0, np.cumsum(problem.is_leaf))
    leaves = np.empty(len(table.above), np.int64)
    leaves[table.slot] = before[problem.end] - before[:-1]
    steps = 2 * int(leaves @ np.diff(blocks[0]))
    if steps > MAX_SWEEP_STEPS:
        return None, 0
    candidates = dual.list_candidates(table.above, *blocks[:2], len(table.leaves), problem.n_labels)
    messages = int(np.diff(candidates[0])[table.pairs].sum())
    if messages > MAX_MESSAGES:
        return None, 0
    ascent = dual.DualAscent(table.above, problem.n_labels, table.pairs, table.weight, blocks, candidates)
    return ascent, MAX_SWEEP_STEPS // (steps + 4 * messages)


def _size(problem: TreePotts) -> float:
    """Return a limit of any sum of costs: the greatest cost of each node, and all weights."""
    largest = np.abs(problem.unary).max() * len(problem.parent)
    return float(largest + np.abs(problem.invisible[~problem.is_leaf]).sum() + problem.weight.sum())
