"""The cut of a page that is expected to agree best with what people would mark.

    paper of GCuts (section 3)     here                     shape, unit
    leaf(N)                        units.low, units.high    the leaves of a unit
    D, V                           0                        -
    c_uq of an invisible parent    cost                     (m,) of a unit that is a segment

With the chance P_ij that leaves i and j are in one segment, A the sum of P_ij over the pairs below a unit, B
the number of these pairs, N that of all pairs of the page and C the sum of P_ij over them, the adjusted Rand
index of a cut, with the expectations put in for what is not known, is

    (a - b C / N) / ((b + C) / 2 - b C / N)      a, b: sums of A and B over the units of the cut

a ratio of linear functions, which Dinkelbach's method maximises (Management Science 13, 1967): for a ratio
theta take the cut of least sum of cost = rate B - A, rate = C / N + theta (1 / 2 - C / N) + `SHIFT`, until
theta stays. That is the energy of GCuts: its tree DP minimises it exactly (`problem` shows it).

The chances come from a random tree of blocks (`webgrain.kernels.blocktree`). After the cut, what is left over
of each opened unit is put together (`leftovers`).

As the rate goes up, units are only ever opened: opening u is better than closing it where the least cost
below u is less than rate B_u - A_u, and the difference, as a function of the rate, has the slope B_u less the
pairs in the segments below, which is not negative. So cuts by rate are nested (`rate_at`).

Departure: `SHIFT` is added since chances that are put in for facts favour too large segments: the index is
not linear in them. It was found by cross-validation.
Cost: linear in the units, for each of some five steps; the leftovers c log c for c children of opened units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels._compiled import warn_once
from webgrain.kernels.blocktree import COMPILED, block_chances
from webgrain.kernels.subtrees import subtree_sum
from webgrain.kernels.treedp import tree_labels
from webgrain.kernels.treepotts import TreePotts, fold_parent_child
from webgrain.page.dom import freeze

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.blockmodel import Chances
    from webgrain.segment.units import Units

    Floats = NDArray[np.float64]
    Labels = NDArray[np.int32]

SHIFT = 0.1
"""Added to the chance from which on leaves are better put together."""

HIGHEST = 0.9
"""Chance from which on leaves are put together in any case, be the page one segment almost for sure."""

MAX_STEPS = 30
"""Steps of Dinkelbach's method, at most; five are usual."""


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What is expected of the units of one page, arrays (m,) read-only.

    Attributes:
        together: A, pairs of leaves below a unit that are in one block; pairs: B, all of them.
        reach: chance that a unit is reached; cover: that a unit among it and those above is one segment.
        out: share of a unit's leaves that belong to what is left over of the unit above, when it is reached.
        total: C, pairs of leaves of the page that are in one segment, be it a block or what is left over.

    """

    together: Floats
    pairs: Floats
    reach: Floats
    cover: Floats
    out: Floats
    total: float

    def __post_init__(self) -> None:
        freeze(self)

    def cost(self, rate: float) -> Floats:
        """Return the cost (m,) of each unit as a segment."""
        cost: Floats = rate * self.pairs - self.together
        return cost


def expect(units: Units, chances: Chances) -> Expected:
    """Return what is expected of units with these chances.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.blockmodel import Chances
    >>> from webgrain.segment.units import units_of
    >>> units = units_of(visible_tree(parse(Source("a", b"<div><p>1<p>2</div><p>3"))))
    >>> opened = np.array([1.0, 0.5, 0.0, 0.0, 0.0])  # the page, the div, its two parts, the last
    >>> expect(units, Chances(opened, 0 * opened, 0 * opened)).together.tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0]
    """
    warn_once(COMPILED)
    leaves = units.leaves.astype(np.float64)
    reach, cover, out, left = block_chances(_parent(units), leaves, *chances)
    pairs = leaves * (leaves - 1.0) / 2.0
    meeting = pairs - units.over_children(pairs)  # pairs whose lowest common ancestor the unit is
    together = subtree_sum(meeting * cover, units.end)
    return Expected(together, pairs, reach, cover, out / leaves, float(together[0] + left.sum()))


def problem(units: Units, cost: Floats) -> TreePotts:
    """Return the energy of cuts: of one label, D and V 0, ``cost`` (m,) on edges from invisible parents.

    Its value is the cost of the segments less that of the page as one.
    """
    n, parent = len(units), _parent(units)
    page = np.zeros(n)
    page[0] = -cost[0]
    return TreePotts(
        parent=parent,
        end=units.end.astype(np.int32),
        unary=np.zeros((n, 1)),
        invisible=fold_parent_child(parent, cost, page),
        pairs=np.empty((0, 2), np.int32),
        weight=np.empty(0),
    )


def cut(units: Units, cost: Floats) -> Labels:
    """Return the labels (m,) of the cut of least cost: the unit that is the segment; -1 at opened units."""
    places = np.arange(len(units), dtype=np.int32)
    labels, _ = tree_labels(_parent(units), units.end.astype(np.int32), np.zeros(len(units)), places, cost)
    best: Labels = labels
    return best


def best_rate(units: Units, expected: Expected) -> float:
    """Return the rate at which the cut of least cost has the greatest expected index."""
    total, among = max(expected.total, 1e-9), max(float(expected.pairs[0]), 1.0)
    chance, theta = total / among, 0.0
    for _ in range(MAX_STEPS):
        rate = min(chance + theta * (0.5 - chance) + SHIFT, HIGHEST)
        labels = cut(units, expected.cost(rate))
        tops = np.flatnonzero(labels == np.arange(len(labels)))
        a, b = float(expected.together[tops].sum()), float(expected.pairs[tops].sum())
        ratio = (a - b * chance) / max((b + total) / 2 - b * chance, 1e-9)
        if ratio <= theta + 1e-9:
            break
        theta = ratio
    return rate


def rate_at(granularity: float, neutral: float) -> float:
    """Return the rate of a granularity in 0..1: 0 at 0, ``neutral`` at 0.5, 1 at 1, linear in between.

    At 0 the page is one segment, and at 1 every unit is opened.

    >>> rate_at(0.25, 0.4), rate_at(0.5, 0.4), rate_at(1.0, 0.4)
    (0.2, 0.4, 1.0)
    """
    if granularity <= 0.5:
        return 2.0 * granularity * neutral
    return neutral + (2.0 * granularity - 1.0) * (1.0 - neutral)


def leftovers(units: Units, chances: Chances, expected: Expected, labels: Labels, rate: float) -> Labels:
    """Return labels (m,) of a cut in which what is left over of each opened unit is one segment.

    From the bottom up: those of an opened unit's children join that are likely to be left over together, the
    most likely first, as long as the chance exceeds ``rate``; together they may join others further up. What
    is put together has the label of the first of its units.
    """
    group = labels.copy()
    share, leaves = expected.out.copy(), units.leaves.astype(np.float64)
    first = np.arange(len(units))  # the segment that a unit offers to its parent
    for u in np.flatnonzero(labels < 0)[::-1].tolist():
        child = units.child[units.first[u] : units.last[u]]
        child = child[np.argsort(-share[child], kind="stable")]
        mass = np.cumsum(leaves[child])
        mean = np.cumsum(share[child] * leaves[child]) / mass
        chance = expected.cover[u] + expected.reach[u] * chances.opened[u] * share[child[1:]] * mean[:-1]
        n = 1 + int(np.append(chance > rate, False).argmin())
        group[first[child[:n]]] = first[child[0]]
        first[u], leaves[u] = first[child[0]], mass[n - 1]
        share[u] = (1.0 - chances.opened[u]) * chances.joins[u]
        share[u] += chances.opened[u] * chances.passes[u] * mean[n - 1]
    return _resolved(labels, group)


def _resolved(labels: Labels, group: Labels) -> Labels:
    """Follow where each segment was put, (m,), to where that one was put, and so on."""
    segments = np.flatnonzero(labels >= 0)
    put = group[labels[segments]]
    while (put != group[put]).any():
        put = group[put]
    resolved = labels.copy()
    resolved[segments] = put
    return resolved


def _parent(units: Units) -> Labels:
    return units.parent.astype(np.int32)
