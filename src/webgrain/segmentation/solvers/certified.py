"""Exact dominance pruning: which blocks (subtree, label) can be part of an optimum.

A labelling is a frontier of blocks: subtrees that hold all leaves, each with one label. With F and M, the
costs of blocks and of subtrees without the pairs (`blocks`), no optimum has a block of s with label a if

    F_s(a) > min_b F_s(b) + weight of the pairs leaving s    or
    F_s(a) > M_s          + weight of the pairs touching s

since s could have the label b, or the labels of M_s, and the pairs elsewhere would cost what they did.

Certified minimiser of the energy of a labelled tree: labels, and a proof of how good they are.

    1. The tree program: the optimum without pairs, and a first lower bound (`expansion.tree_dp`). It is the
       optimum, and the search ends, where no pair has weight.
    2. Blocks (subtree, label) that are part of no optimum are left out (`pruning`).
    3. Sweeps of dual ascent raise the lower bound (`dual`). After a sweep the labels of the best tree, and
       the expansion over them alone, give an upper bound; blocks with which no labelling can cost less
       than that are dropped for good.
    4. It ends when the bounds are within `rel`; or at a limit, with an expansion over all labels and the gap
       that is left.

The lower bound holds for any messages, so whenever it is asked for. What rounding can have added is
subtracted: with A the sum of the largest costs of all nodes, of all weights and messages, any sum here errs
by less than 16 (n + m) 2^-53 A. So it never exceeds the optimum, and gaps below about 1e-10 are not reached.

Source: the relaxation is that of Lagrangean decomposition, Guignard, Kim 1987; fixing by reduced costs is
common in integer programming. Cost of a sweep: about 4 steps per message, one for each pair and candidate
label of its leaves, and 2 per leaf and block above it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np

from webgrain.arrays import Float64, Int32, Int64
from webgrain.errors import ParameterError
from webgrain.page.dom import subtree_sum
from webgrain.page.kernels.purepython import warn_once
from webgrain.segmentation.solvers import blocks, dual
from webgrain.segmentation.solvers.expansion import TOLERANCE, move_graph, tree_dp
from webgrain.segmentation.solvers.moves import MoveGraph
from webgrain.segmentation.solvers.treepotts import LabelTable, LeafAncestors, TreePotts, energy, label_table

Blocks = tuple[Int64, Int32, Float64]


def unpruned_blocks(problem: TreePotts, table: LabelTable, slack: float) -> Blocks:
    """List the blocks that may be part of an optimum: first (S + 1,) int64, label int32 and F, by slot.

    slack: what rounding can make of a cost; blocks so near to the limit stay. Time K S, memory that of the
    result. Source: the dead-end elimination of Desmet et al. 1992, for subtrees.

    >>> from webgrain.segmentation.solvers.treepotts import label_table
    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
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


def pair_weights(problem: TreePotts, table: LabelTable) -> tuple[Float64, Float64]:
    """Weight of the pairs with one leaf below each slot (S,), and of those with one or two (S,).

    >>> from webgrain.segmentation.solvers.treepotts import label_table
    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
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


MAX_MESSAGES = 2**25
"""Messages that are kept at once, 400 MB; beyond, the lightest pairs do not raise the bound, and where more
than half of them could not, there are no sweeps."""

FAR = 0.1
"""Labels whose energy is so much above the best, relative to it, are not worth an expansion."""

EARLY = 8
"""Sweeps that are each followed by a look at both bounds; later, each EARLY-th is."""


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Labels of low energy, and what is known of the optimum.

    labels: (n,) int32, feasible; energy: theirs; lower_bound: no labelling has a lower energy; sweeps: of
    dual ascent that were made.
    """

    labels: Int32
    energy: float
    lower_bound: float
    sweeps: int

    @property
    def gap(self) -> float:
        """How far the energy can be from the optimum, relative to the energy; inf for an energy of 0.

        >>> Minimum(np.zeros(1, np.int32), energy=2.0, lower_bound=1.5, sweeps=0).gap
        0.25
        """
        return _gap(self.energy, self.lower_bound)


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop: all limits but the time give the same result on every machine.

    rel: gap that is small enough, >= 0; max_sweeps: of dual ascent, >= 0; max_steps: of all sweeps
    together, a step taking a few nanoseconds; time_limit: seconds, looked at between sweeps; None: no limit.
    Raises `ParameterError` for other values.

    >>> Limits(rel=-1.0)
    Traceback (most recent call last):
    webgrain.errors.ParameterError: rel: expected 0 at least, got -1.0.
    """

    rel: float = 1e-5
    max_sweeps: int = 200
    max_steps: float = 1e9
    time_limit: float | None = None

    def __post_init__(self) -> None:
        for name in ("rel", "max_sweeps", "max_steps", "time_limit"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ParameterError(f"{name}: expected 0 at least, got {value}.")


def minimise(
    problem: TreePotts,
    method: Literal["certified", "expansion"] = "certified",
    limits: Limits | None = None,
) -> Minimum:
    """Minimise the energy, and prove how low it can be.

    method: ``certified``, as the module says; ``expansion``, alpha-expansion over all labels from the tree
    program, whose value is the lower bound. limits: `Limits` of the certified search, its defaults when None.
    Raises `ParameterError` for another method.

    >>> from webgrain.segmentation.solvers.treepotts import TreePotts
    >>> star = TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([9.0]))
    >>> minimum = minimise(star)
    >>> minimum.labels.tolist(), minimum.energy, minimum.gap <= 1e-5
    ([-1, 0, 0], 5.5, True)
    """
    if method not in ("certified", "expansion"):
        raise ParameterError(f"method: expected 'certified' or 'expansion', got {method!r}.")
    limits = limits or Limits()
    search = _Search(problem, limits)
    if not search.proven:
        table = label_table(problem)
        graph = move_graph(problem, table)
        if method == "certified":
            search.expand(graph, search.labels)
            search.ascend(table, graph)
        if not search.proven:
            search.expand(graph, search.labels, np.arange(problem.n_labels, dtype=np.int32))
    return Minimum(search.labels, search.energy, search.lower_bound, search.sweeps)


class _Search:
    """The best labels and the best bound so far; begins with those of the tree program."""

    def __init__(self, problem: TreePotts, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        self.begin = time.perf_counter()
        self.rounding = 16 * (len(problem.parent) + len(problem.weight)) * 2.0**-53
        self.size = _size(problem)
        self.labels, bound = tree_dp(problem)
        self.energy = energy(problem, self.labels)
        self.lower_bound = bound - self.rounding * self.size
        self.tried = self.labels[problem.leaves]
        self.sweeps = self.steps = 0

    @property
    def proven(self) -> bool:
        return _gap(self.energy, self.lower_bound) <= self.limits.rel

    def expand(self, graph: MoveGraph, labels: Int32, order: Int32 | None = None) -> None:
        """Take labels (n,), read at leaves, after expansion over some labels or else their own, if better."""
        if graph.load(labels) > self.energy + FAR * abs(self.energy):
            return
        graph.expand(np.unique(labels[self.problem.leaves]) if order is None else order, 50, TOLERANCE)
        found = graph.current()
        value = energy(self.problem, found)
        if value < self.energy:
            self.labels, self.energy = found, value

    def ascend(self, table: LabelTable, graph: MoveGraph) -> None:
        """Sweep until the bounds meet or a limit is reached."""
        blocks = unpruned_blocks(self.problem, table, self.rounding * self.size)
        if self.proven or not self._affords(table, blocks[0]):
            return
        warn_once(dual.COMPILED)
        ascent = dual.DualAscent(
            table.above, self.problem.n_labels, table.pairs, table.weight, *blocks, MAX_MESSAGES
        )
        while not self.proven and self._may_sweep(ascent):
            for _ in range(1 if self.sweeps < EARLY else EARLY):
                if self._may_sweep(ascent):
                    self.steps += ascent.steps()
                    self.sweeps += 1
                    ascent.sweep()
            self._compare(ascent, table, graph)

    def _affords(self, table: LabelTable, first: Int64) -> bool:
        """Tell from the blocks by slot whether sweeps fit into time and memory."""
        before = np.concatenate([[0], np.cumsum(self.problem.is_leaf)])
        leaves = np.empty(len(table.above), np.int64)
        leaves[table.slot] = before[self.problem.end] - before[:-1]
        length = np.diff(first)
        return bool(
            leaves @ length <= self.limits.max_steps and length[table.pairs].sum() <= 2 * MAX_MESSAGES
        )

    def _may_sweep(self, ascent: dual.DualAscent) -> bool:
        limits = self.limits
        late = limits.time_limit is not None and time.perf_counter() - self.begin > limits.time_limit
        few = self.sweeps < limits.max_sweeps and self.steps + ascent.steps() <= limits.max_steps
        return few and not late

    def _compare(self, ascent: dual.DualAscent, table: LabelTable, graph: MoveGraph) -> None:
        """Renew both bounds, and drop what cannot be below the upper one."""
        bound, messages = ascent.bound()
        slack = self.rounding * (self.size + messages)
        self.lower_bound = max(self.lower_bound, table.constant + bound - slack)
        labels = self.labels.copy()
        labels[table.leaves] = ascent.labels()
        if not np.array_equal(labels[table.leaves], self.tried):
            self.tried = labels[table.leaves]
            self.expand(graph, labels)
        ascent.fix(self.energy - table.constant + slack)


def _gap(value: float, lower_bound: float) -> float:
    if value <= lower_bound:
        return 0.0
    return (value - lower_bound) / abs(value) if value else np.inf


def _size(problem: TreePotts) -> float:
    """Sum the largest costs of all nodes and the weights: no sum of costs of a labelling is larger."""
    unary, inner = problem.unary, ~problem.is_leaf
    largest = np.maximum(unary.max(axis=1), -unary.min(axis=1)).sum()  # no temporary array of n K
    return float(largest + np.abs(problem.invisible[inner]).sum() + problem.weight.sum())
