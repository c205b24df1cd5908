"""Certified minimiser of the energy of a labelled tree: labels, and a proof of how good they are.

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
from typing import TYPE_CHECKING, Literal

import numpy as np

from webgrain.errors import ParameterError
from webgrain.kernels import dual
from webgrain.kernels._compiled import warn_once
from webgrain.kernels.expansion import TOLERANCE, move_graph, tree_dp
from webgrain.kernels.labeltable import label_table
from webgrain.kernels.pruning import unpruned_blocks
from webgrain.kernels.treepotts import energy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.kernels.labeltable import LabelTable
    from webgrain.kernels.moves import MoveGraph
    from webgrain.kernels.treepotts import TreePotts

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

    labels: NDArray[np.int32]
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

    >>> from webgrain.kernels.treepotts import TreePotts
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

    def expand(
        self, graph: MoveGraph, labels: NDArray[np.int32], order: NDArray[np.int32] | None = None
    ) -> None:
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

    def _affords(self, table: LabelTable, first: NDArray[np.int64]) -> bool:
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
