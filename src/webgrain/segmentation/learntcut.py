"""What is learnt of units: the chance that one is opened, and that it belongs with what is outside of it.

Source: logistic regression over `unit_features`. People mark blocks, and blocks in blocks; a leaf belongs to
the innermost one. So what of a block lies in none of its inner blocks is left over, often scattered, and is a
segment too. Three chances tell all that:

    opened   the leaves of the unit are of more than one segment
    joins    a unit of one segment: that segment reaches out of the unit
    passes   a unit of several segments: one of them reaches out of the unit

Cost: a product of matrices.

The cut of a page that is expected to agree best with what people would mark.

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

The chances come from a random tree of blocks (`webgrain.segmentation.solvers.blocks`). After the cut,
what is left over
of each opened unit is put together (`leftovers`).

As the rate goes up, units are only ever opened: opening u is better than closing it where the least cost
below u is less than rate B_u - A_u, and the difference, as a function of the rate, has the slope B_u less the
pairs in the segments below, which is not negative. So cuts by rate are nested (`rate_at`).

Departure: `SHIFT` is added since chances that are put in for facts favour too large segments: the index is
not linear in them. It was found by cross-validation.
Cost: linear in the units, for each of some five steps; the leftovers c log c for c children of opened units.

Learning of `BlockModel` from labelled pages.

Source: logistic regression with a penalty on the squared weights of standardised features. Each page weighs
the same, however large. Units that are reached when all above are rightly opened weigh `REACHED` times as
much as others for ``opened``: those are the ones that the choice is between.

Departure: the weights are not learnt for the Rand index of the cut itself, though its gradient is a pass over
the tree. On the few labelled pages there are, that is no better on others.
Cost: three L-BFGS runs over the units of all pages; less than a second for 80 pages.

Block models as files: JSON that a person can read, and those that come with webgrain.

{"format": "webgrain block model", "version": 1, "name": "mine",
 "opened": {"bias": -2.0, "features": {"leaves": {"weight": 0.3, "mean": 2.1, "deviation": 0.9}, ...}},
 "joins": ..., "passes": ...}

LearntCut: the cut of a page that is expected to agree best with the blocks people would mark.

    page --unit_features--> x --BlockModel--> chances --expect--> costs --cut, leftovers--> segments

The energy is that of GCuts (Chakrabarti, Kumar, Punera, WWW 2008, section 3) with learnt costs of
parent-child edges in place of D and V, so its minimum is found exactly (`webgrain.segmentation.learntcut`).

Granularity moves the rate at which pairs of leaves cost. The cut at a higher rate opens more units and closes
none; segments follow it, so they are nested too:

    coarser than the best    segments of which a unit holds leaves that is closed there, are one
    finer than the best      a unit that is opened there is no segment any more, the segments in it are

Unclear: nothing; the method is our own.
Cost: see `webgrain.segmentation.features.units` and `webgrain.segmentation.learntcut`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32
from webgrain.errors import InputError, ParameterError, require
from webgrain.estimator import Estimator, check_number
from webgrain.modelfile import read_model, write_model
from webgrain.page.dom import freeze, subtree_sum
from webgrain.page.kernels.purepython import warn_once
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.page import Page
from webgrain.results import Segmentation, canonical
from webgrain.segmentation.features.nodes import Traits
from webgrain.segmentation.features.units import UNIT_FEATURES, Units, unit_features, units_of
from webgrain.segmentation.solvers.blocks import COMPILED, block_chances
from webgrain.segmentation.solvers.treedp import tree_labels
from webgrain.segmentation.solvers.treepotts import TreePotts, fold_parent_child

Labels = NDArray[np.integer]


LARGEST = 1e100
"""What the numbers of a model may be at most, so that no sum or quotient of them overflows."""

FARTHEST = 4.0
"""Standard deviations from the mean from which on a feature counts no more."""


class Chances(NamedTuple):
    """The chances (m,) of the units of one page, see the module; ``opened`` is 0 at leaves."""

    opened: Float64
    joins: Float64
    passes: Float64


@dataclass(frozen=True, slots=True, eq=False)
class UnitLogistic:
    """The chance 1 / (1 + exp(-bias - sum of weight * standardised feature)).

    weight, mean, deviation: (f,) by `UNIT_FEATURES`, the latter two of the units learnt from; bias: a number.

    >>> zero, one = np.zeros(len(UNIT_FEATURES)), np.ones(len(UNIT_FEATURES))
    >>> UnitLogistic(zero, zero, one, 0.0).chance(zero[None]).tolist()
    [0.5]
    """

    weight: Float64
    mean: Float64
    deviation: Float64
    bias: float

    def __post_init__(self) -> None:
        for name in ("weight", "mean", "deviation"):
            column = getattr(self, name)
            if column.shape != (len(UNIT_FEATURES),) or not (np.abs(column) <= LARGEST).all():
                raise ParameterError(f"UnitLogistic: expected a finite {name} for each unit feature.")
        if not (self.deviation >= 1 / LARGEST).all() or not np.isfinite(self.bias):
            raise ParameterError("UnitLogistic: expected deviations above 0 and a finite bias.")
        freeze(self)

    def chance(self, x: Float64) -> Float64:
        """Return the chance (m,) for rows of features ``x`` (m, f)."""
        odds = standardised(x, self.mean, self.deviation) @ self.weight + self.bias
        chance: Float64 = 1.0 / (1.0 + np.exp(-odds.clip(-30.0, 30.0)))
        return chance


@dataclass(frozen=True, slots=True, eq=False)
class BlockModel:
    """Learnt chances. name: told in records; opened, joins, passes: see the module."""

    name: str
    opened: UnitLogistic
    joins: UnitLogistic
    passes: UnitLogistic

    def chances(self, units: Units, x: Float64) -> Chances:
        """Return the chances of the units of a page, from their features ``x`` (m, f)."""
        opened = np.zeros(len(units))
        opened[units.inner] = self.opened.chance(x[units.inner])
        return Chances(opened, self.joins.chance(x), self.passes.chance(x))


def standardised(x: Float64, mean: Float64, deviation: Float64) -> Float64:
    """Return features (m, f) in standard deviations from the mean, `FARTHEST` at most."""
    z: Float64 = ((x - mean) / deviation).clip(-FARTHEST, FARTHEST)
    return z


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

    together: Float64
    pairs: Float64
    reach: Float64
    cover: Float64
    out: Float64
    total: float

    def __post_init__(self) -> None:
        freeze(self)

    def cost(self, rate: float) -> Float64:
        """Return the cost (m,) of each unit as a segment."""
        cost: Float64 = rate * self.pairs - self.together
        return cost


def expect(units: Units, chances: Chances) -> Expected:
    """Return what is expected of units with these chances.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.learntcut import Chances
    >>> from webgrain.segmentation.features.units import units_of
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


def problem(units: Units, cost: Float64) -> TreePotts:
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


def cut(units: Units, cost: Float64) -> Int32:
    """Return the labels (m,) of the cut of least cost: the unit that is the segment; -1 at opened units."""
    places = np.arange(len(units), dtype=np.int32)
    labels, _ = tree_labels(_parent(units), units.end.astype(np.int32), np.zeros(len(units)), places, cost)
    best: Int32 = labels
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


def leftovers(units: Units, chances: Chances, expected: Expected, labels: Int32, rate: float) -> Int32:
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


def _resolved(labels: Int32, group: Int32) -> Int32:
    """Follow where each segment was put, (m,), to where that one was put, and so on."""
    segments = np.flatnonzero(labels >= 0)
    put = group[labels[segments]]
    while (put != group[put]).any():
        put = group[put]
    resolved = labels.copy()
    resolved[segments] = put
    return resolved


def _parent(units: Units) -> Int32:
    return units.parent.astype(np.int32)


PENALTY = 0.1
"""Of the squared weights of standardised features of ``opened``, next to a loss per unit."""

OUTSIDE_PENALTY = 0.3
"""The same for ``joins`` and ``passes``."""

REACHED = 3.0
"""Weight of units that are reached when all above are rightly opened, next to 1 for others."""

BLOCKFIT_MAX_STEPS = 150
"""Steps of L-BFGS, at most."""


class Marked(NamedTuple):
    """What one page gives to learn from; arrays (m,) over its units.

    x (m, f): features; mixed: leaves of several segments; reaches: a segment reaches out of the unit; known:
    leaves whose segment is known.
    """

    units: Units
    x: Float64
    mixed: Bool
    reaches: Bool
    known: Float64


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Units of several pages to learn one chance from: features (r, f), truth (r,) and weight (r,), sum 1."""

    x: Float64
    true: Bool
    weight: Float64


def fit_blocks(pages: Sequence[Page], truths: Sequence[Labels], *, name: str = "learnt") -> BlockModel:
    """Return a model learnt from pages and their true segments; the same for the same input.

    pages: laid out as the pages will be that the model is for; truths: an array (n,) per page, the segment of
    each node of its Dom that is a leaf, -1 where it is not known, as `Truth.over` makes it.

    Where there is nothing to learn from - all leaves in one segment, say - a chance is the share of units.
    `ParameterError` without pages, or where a truth is not of its page; `MissingExtraError` without SciPy.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul><li>One<li>Two<li>Three</ul><ul><li>Four<li>Five<li>Six</ul>"))
    >>> truth = np.where(page.dom.is_text, np.arange(len(page.dom)) > 9, -1)
    >>> model = fit_blocks([page], [truth])
    >>> units = units_of(visible_tree(page))
    >>> x = unit_features(Traits(page, visible_tree(page)), units)
    >>> model.chances(units, x).opened.round()[:2].tolist()  # the page, the first list
    [1.0, 0.0]
    """
    if not len(pages) or len(pages) != len(truths):
        raise ParameterError(
            f"fit_blocks expects pages and a truth for each, got {len(pages)}, {len(truths)}."
        )
    told = list(zip(pages, truths, strict=True))
    for page, truth in told:
        if np.shape(truth) != (len(page.dom),):
            raise ParameterError(
                f"fit_blocks expects a label per node of {page.id}, {len(page.dom)}, got {np.shape(truth)}."
            )
    marked = [mark(page, truth) for page, truth in told if len(visible_tree(page))]
    marked = [page for page in marked if len(page.units.inner)]
    return BlockModel(
        name, opened=_fit_opened(marked), joins=_fit_out(marked, False), passes=_fit_out(marked, True)
    )


def mark(page: Page, truth: Labels) -> Marked:
    """Return what a page with something to see gives to learn from; truth as `fit_blocks` takes it."""
    traits = Traits(page, visible_tree(page))
    tree, units = traits.tree, units_of(traits.tree)
    label = np.asarray(truth)[tree.node[tree.leaves]]
    segments, number = np.unique(label, return_inverse=True)
    member = (number[:, None] == np.arange(len(segments))) & (label >= 0)[:, None]
    counts = units.over_leaves(member).astype(np.float64)
    return Marked(
        units=units,
        x=unit_features(traits, units),
        mixed=(counts > 0).sum(axis=1) > 1,
        reaches=((counts > 0) & (counts < counts[:1])).sum(axis=1) > 0,
        known=counts.sum(axis=1),
    )


def _fit_opened(pages: Sequence[Marked]) -> UnitLogistic:
    kept = [page.units.inner for page in pages]
    true = [page.mixed[places] for page, places in zip(pages, kept, strict=True)]
    weight = [_reached(page)[places] for page, places in zip(pages, kept, strict=True)]
    return _fit(_rows(pages, kept, true, weight), PENALTY)


def _fit_out(pages: Sequence[Marked], mixed: bool) -> UnitLogistic:
    """Return the chance that a segment reaches out of a unit, of those of several segments or of one."""
    below_mixed = [page.mixed[np.maximum(page.units.parent, 0)] & (page.units.parent >= 0) for page in pages]
    kept = [
        np.flatnonzero((page.mixed == mixed) & below & (page.known > 0))
        for page, below in zip(pages, below_mixed, strict=True)
    ]
    true = [page.reaches[places] for page, places in zip(pages, kept, strict=True)]
    return _fit(_rows(pages, kept, true, [np.ones(len(places)) for places in kept]), OUTSIDE_PENALTY)


def _rows(
    pages: Sequence[Marked],
    kept: Sequence[NDArray[np.intp]],
    true: Sequence[Bool],
    weight: Sequence[Float64],
) -> Rows:
    """Return the kept units of all pages; the weights of each page sum up to the same."""
    x = np.concatenate([page.x[places] for page, places in zip(pages, kept, strict=True)] or [_NOTHING])
    even = [one / one.sum() for one in weight if len(one)]
    weights = np.concatenate(even) / len(even) if even else np.zeros(0)
    return Rows(x, np.concatenate([*true, np.zeros(0, bool)]), weights)


_NOTHING = np.zeros((0, len(UNIT_FEATURES)))


def _reached(page: Marked) -> Float64:
    above = page.units.parent
    return np.where((above < 0) | page.mixed[np.maximum(above, 0)], REACHED, 1.0)


def _constant(rows: Rows) -> UnitLogistic:
    """Return a chance that does not depend on features: about the share of the rows."""
    yes = float(rows.true.sum())
    zero = np.zeros(len(UNIT_FEATURES))
    return UnitLogistic(zero, zero, zero + 1.0, float(np.log((yes + 1.0) / (len(rows.true) - yes + 1.0))))


def _fit(rows: Rows, penalty: float) -> UnitLogistic:
    """Return the chance of least log loss, plus half the penalty times the squared weights."""
    if len(np.unique(rows.true)) < 2:
        return _constant(rows)
    mean, deviation = rows.x.mean(axis=0), rows.x.std(axis=0)
    deviation = np.where(deviation > 1e-9, deviation, 1e9)  # what never changes weighs nothing
    z = np.column_stack([standardised(rows.x, mean, deviation), np.ones(len(rows.x))])
    sign = np.where(rows.true, 1.0, -1.0)

    def loss(weight: Float64) -> tuple[float, Float64]:
        signed = sign * (z @ weight)
        free = np.append(weight[:-1], 0.0)
        slope = -rows.weight * sign * np.exp(-np.logaddexp(0.0, signed))
        lost = float(rows.weight @ np.logaddexp(0.0, -signed)) + 0.5 * penalty * float(free @ free)
        return lost, slope @ z + penalty * free

    optimize = require("scipy.optimize", "learn", "learning to segment")
    start = np.zeros(z.shape[1])
    found = optimize.minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": BLOCKFIT_MAX_STEPS}
    )
    return UnitLogistic(found.x[:-1].copy(), mean, deviation, float(found.x[-1]))


FORMAT = "webgrain block model"
VERSION = 1

TRAINED = "trained"
"""Name of the models that come with webgrain: one for pages rendered by a browser, one for all others."""

_CHANCES = ("opened", "joins", "passes")
_COLUMNS = ("weight", "mean", "deviation")


def write_blocks(path: Path, model: BlockModel) -> None:
    """Write a model to a file; what `read_blocks` makes of it gives the same chances."""
    write_model(path, FORMAT, VERSION, blocks_told(model))


def read_blocks(path: Path) -> BlockModel:
    """Return the model in a file; `InputError` where it cannot be read or holds none."""
    return blocks_from(path, read_model(path, FORMAT, VERSION)[0])


def blocks_told(model: BlockModel) -> dict[str, Any]:
    """Return plain values that stand for a model, see `blocks_from`."""
    return {"name": model.name} | {it: _told(getattr(model, it)) for it in _CHANCES}


def blocks_from(path: Path, told: Mapping[str, Any]) -> BlockModel:
    """Return the model that ``told`` stands for; `InputError`, naming ``path``, for none."""
    try:
        return BlockModel(str(told["name"]), *(_logistic(told[it]) for it in _CHANCES))
    except KeyError as error:
        raise InputError(f"{path}: the model lacks {error}.") from error
    except (TypeError, ValueError, AttributeError, OverflowError, ParameterError) as error:
        raise InputError(f"{path} holds a damaged {FORMAT}: {error}") from error


def find_blocks(model: BlockModel | str, page: Page) -> BlockModel:
    """Return the model of that name for ``page``, or the given one."""
    if isinstance(model, BlockModel):
        return model
    return _trained("chromium" if page.view is not None and page.view.source == "chromium" else "estimate")


@cache
def _trained(layout: str) -> BlockModel:
    with as_file(files("webgrain.segmentation") / "trained" / f"blocks-{layout}.json") as path:
        return read_blocks(path)


def _told(chance: UnitLogistic) -> dict[str, Any]:
    columns = np.stack([chance.weight, chance.mean, chance.deviation], axis=1).tolist()
    names = [feature.name for feature in UNIT_FEATURES]
    features = {
        name: dict(zip(_COLUMNS, (float(f"{value:.6g}") for value in row), strict=True))
        for name, row in zip(names, columns, strict=True)
    }
    return {"bias": float(f"{chance.bias:.6g}"), "features": features}


def _logistic(told: Any) -> UnitLogistic:
    features = told["features"]
    columns = np.array([[features[f.name][it] for it in _COLUMNS] for f in UNIT_FEATURES], np.float64)
    weight, mean, deviation = np.ascontiguousarray(columns.T)
    return UnitLogistic(weight, mean, deviation, float(told["bias"]))


@dataclass(kw_only=True, eq=False)
class LearntCut(Estimator):
    """Segmentation by the cut of the tree that is expected to be right.

    Attributes:
        granularity: 0..1, from the page as one segment to a segment for every part; 0.5: as people mark.
        model: `BlockModel`, or ``trained``, those that come with webgrain.
        model_: what `fit` has learnt.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul><li>One<li>Two<li>Three</ul><ul><li>Four<li>Five<li>Six</ul>"))
    >>> truth = np.where(page.dom.is_text, np.arange(len(page.dom)) > 9, -1)
    >>> method = LearntCut().fit([page], [truth])
    >>> len(method.predict(page)), len(replace(method, granularity=0.0, model=method.model_).predict(page))
    (2, 1)
    """

    granularity: float = 0.5
    model: BlockModel | str = TRAINED
    model_: BlockModel | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_number(self, "granularity", low=0.0, high=1.0)
        if not isinstance(self.model, BlockModel) and self.model != TRAINED:
            raise ParameterError(f"model must be a BlockModel or {TRAINED!r}, got {self.model!r}.")

    def fit(self, pages: Sequence[Page], truths: Sequence[NDArray[np.integer]]) -> Self:
        """Learn from pages and their true segments, as `fit_blocks` takes them."""
        self.model_ = fit_blocks(pages, truths)
        return self

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of ``page``: an id per node, -1 for what is opened or cannot be seen."""
        return self.hierarchy(page, [self.granularity])[0]

    def hierarchy(self, page: Page, granularities: Sequence[float]) -> list[Segmentation]:
        """Return the segments of ``page`` at several granularities; the higher are within the lower.

        At each, more units are opened than at a lower one, and none is closed.
        """
        model = self.model_ or find_blocks(self.model, page)
        steps = [replace(self, granularity=one) for one in granularities]
        told = [step.describe() | {"model": model.name} for step in steps]
        if not len(visible_tree(page)):
            nothing = np.full(len(page.dom), -1, np.int32)
            return [Segmentation(nothing, "learntcut", one, energy=0.0, lower_bound=0.0) for one in told]
        parts = _Parts(page, model)
        found = []
        for step, params in zip(steps, told, strict=True):
            labels, energy = parts.segments(step.granularity)
            found.append(
                Segmentation(canonical(labels), "learntcut", params, energy=energy, lower_bound=energy)
            )
        return found

    def problem(self, page: Page) -> TreePotts:
        """Return the energy of cuts of ``page``, over its units; ParameterError where nothing can be seen."""
        if not len(visible_tree(page)):
            raise ParameterError(f"There is nothing to be seen on {page.id}, so it has no energy.")
        parts = _Parts(page, self.model_ or find_blocks(self.model, page))
        return problem(parts.units, parts.expected.cost(rate_at(self.granularity, parts.rate)))


class _Parts:
    """A page in parts: its units, what is expected of them, and its best segments (m,) of units."""

    def __init__(self, page: Page, model: BlockModel) -> None:
        traits = Traits(page, visible_tree(page))
        self._page, self._tree = page, traits.tree
        self.units: Units = units_of(traits.tree)
        self.chances: Chances = model.chances(self.units, unit_features(traits, self.units))
        self.expected: Expected = expect(self.units, self.chances)
        self.rate = best_rate(self.units, self.expected)
        self._cut = cut(self.units, self.expected.cost(self.rate))
        self._best = leftovers(self.units, self.chances, self.expected, self._cut, self.rate)

    def segments(self, granularity: float) -> tuple[Int32, float]:
        """Return the labels (n,) of the nodes of the Dom and the energy of the cut."""
        cost = self.expected.cost(rate_at(granularity, self.rate))
        labels = cut(self.units, cost)
        closed = np.flatnonzero(labels == np.arange(len(labels)))
        energy = float(cost[closed].sum() - cost[0])
        if granularity < 0.5:
            labels = _joined(labels, self._best)
        else:
            same = (labels == self._cut) & (labels >= 0)
            labels = np.where(same, self._best, labels)
        of_nodes = np.repeat(labels, self.units.bottom - self.units.top + 1)
        return _with_hidden(self._page, self._tree, of_nodes), energy


def _with_hidden(page: Page, tree: VisibleTree, labels: Int32) -> Int32:
    """Spread labels (k,) over the Dom; what cannot be seen has the label of what it stands in.

    A segment is all that is in some elements: that a part of it is folded away, or seems to be, is no reason
    to leave it out.
    """
    nearest = np.maximum(page.dom.parent, 0)
    nearest[tree.node] = tree.node
    while (nearest != nearest[nearest]).any():
        nearest = nearest[nearest]
    spread: Int32 = tree.to_dom(labels)[nearest]
    return spread


def _joined(coarse: Int32, best: Int32) -> Int32:
    """Join segments ``best`` (m,) that meet in one unit of a coarser cut (m,), and what meets in those.

    >>> _joined(np.array([-1, 1, 1, 1, 4]), np.array([-1, -1, 2, 3, 3])).tolist()
    [-1, 1, 1, 1, 1]
    """
    labels = coarse.copy()
    both = np.flatnonzero((coarse >= 0) & (best >= 0))
    while True:
        least = np.full(len(labels), len(labels), labels.dtype)
        np.minimum.at(least, best[both], labels[both])
        of_coarse = np.full(len(labels), len(labels), labels.dtype)
        np.minimum.at(of_coarse, coarse[both], least[best[both]])
        joined = np.where(coarse >= 0, of_coarse[np.maximum(coarse, 0)], -1)
        if (joined == labels).all():
            return joined
        labels = joined
