"""LearntCut: the cut of a page with the best expected agreement with segments that people mark.

The method is our own. The energy is that of GCuts (`webgrain.papers.gcuts`) with learnt costs of
parent-child edges in place of D and V, so a dynamic program finds its minimum.

    page --unit_features--> x --BlockModel--> chances --expect--> costs --cut, join_remaining--> segments

**Model.** People mark elements as blocks, and blocks in blocks; a leaf belongs to the innermost block. The
leaves of a block that are in none of its inner blocks often lie apart; together they are a segment too, its
remaining segment. Four probabilities of each unit (a node with its chain of only children) describe this.
Boosted trees over `unit_features` give their log odds, or a logistic regression if there are few pages.

    opened   the leaves of the unit are in more than one segment
    joins    if they are in one segment: this segment reaches out of the unit
    passes   if they are in several segments: one of them reaches out of the unit
    marked   people mark the unit as a block, whether with other blocks in it or not

Siblings that look alike (`alike_siblings`) have the mean of their log odds, so that the posts of a thread
are treated alike. The first three define a random tree of blocks
(`webgrain.segmentation.solvers.treedp.block_chances`): ``reach`` is the probability that all units above a
unit are opened.

**Cut.** A closed unit is a segment. The expected agreement of a cut with the segments that people mark is the
mean of an expected F1 and an expected Rand index, with the weight `INDEX_WEIGHT` of the index.

F1: a segment is right if people mark its unit and nothing in it, which has about the probability R = reach
(1 - opened) marked. M is the sum of ``marked`` over the units, the expected number of marked blocks. A part
that belongs to a remaining segment above with the probability ``out`` counts as 1 - out segments, and an
opened unit as its remaining segment, with the probability that a child is part of it. With n the sum of
these numbers, the expected F1 is about

    2 R / (n + M)      R: sum over the units of the cut

Index: the first three probabilities give the probability P_ij that leaves i and j are in one segment. Let A
be the sum of P_ij over the pairs of leaves below a unit, B the number of these pairs, N the number of all
pairs of the page and C the sum of P_ij over them. The adjusted Rand index, with expectations in place of
unknown values, is

    (a - b C / N) / ((b + C) / 2 - b C / N)      a, b: sums of A and B over the units of the cut

Both are ratios of sums over the units of a cut. The cut that is best if the agreement changed as it does near
a given cut has the least sum of

    price of a segment * n - R + price of a pair * (rate B - A)

where the price of a segment is half the F1, and the rate is C / N + index (1 / 2 - C / N) (`Prices`). For the
F1 or the index alone, these steps are Dinkelbach's method (Management Science 13, 1967). They begin with the
cut that has the greatest index, and end when the agreement no longer grows. Afterwards the remaining segment
of each opened unit is put together greedily (`join_remaining`); this step is not part of the energy.

    paper of GCuts (section 3)     here                     shape, unit
    leaf(N)                        outline.low, .high       the leaves of a unit
    D of an invisible node         Costs.opened             (u,) of a unit that contains several segments
    V_uq of an invisible parent    Costs.closed             (u,) of a unit that is a segment

**Granularity** g moves the prices: below 1/2, with f = g / (1 - g), R and A count f times and B counts f * f
times; above, with f = (1 - g) / g, R and A count f times and n counts f * f times. A higher granularity only
opens units: relative to R and A, B counts more and n counts less. Opening u saves B_u minus the pairs in the
segments below, which is not negative, and adds to n at least nothing. So segments of different granularities
are nested:

    coarser than the best    the best segments with leaves in a unit that is closed become one segment
    finer than the best      a segment whose unit is opened is replaced by the segments in it

**Learning.** Boosted trees if there are at least `MIN_TREE_PAGES` pages, else logistic regressions with a
penalty on the squared weights of standardised features; every page has the same weight. For ``opened``, units
whose ancestors are all opened weigh `REACHED_WEIGHT` times as much as others, since the cut decides between
them.

Departure: `RATE_SHIFT` is added to the rate of the first cut, because the index is not linear in the
probabilities, and expectations in place of facts favour too large segments.
Departure: the weights are not learnt for the Rand index of the cut, although its gradient is a pass over the
tree. On the few available labelled pages this is not better on other pages.
Cost: features see `webgrain.segmentation.features.units`; a cut is linear in the units, for each of about
ten steps; remaining segments c log c for c children of opened units; learning takes a second for 80
pages, and 20 s with boosted trees for 183.

A file of a model is readable JSON:

    {"format": "webgrain block model", "version": 3, "name": "mine",
     "opened": {"bias": -2.0, "features": {"leaves": {"weight": 0.3, "mean": 2.1, "deviation": 0.9}, ...}},
     "joins": ..., "passes": ..., "marked": ...}

With boosted trees in place of a regression:

     "opened": {"names": ["leaves", ...],
                "trees": {"bias": -1.3, "root": "0 31 ...", "feature": "7 -1 ...", ...}}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64, Int8, Int32
from webgrain.base.errors import ParameterError, require
from webgrain.base.estimator import real
from webgrain.base.modelfile import intact, read_model, write_model
from webgrain.base.purepython import warn_once
from webgrain.base.readonly import freeze
from webgrain.base.trees import BoostedTrees, learn_trees, odds_of, trees_from_dict, trees_to_dict
from webgrain.page.leaves import folded_parts
from webgrain.page.outline import Outline, leaf_outline
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.page.segmentation import Segmentation, renumbered
from webgrain.page.turns import Steps
from webgrain.segmentation import thresholds
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.style import over_spans
from webgrain.segmentation.features.unitkernel import group_means
from webgrain.segmentation.features.units import (
    TREE_FEATURES,
    UNIT_FEATURES,
    alike_siblings,
    page_unit_features,
    unit_features,
)
from webgrain.segmentation.method import (
    TRAINED,
    Labels,
    SegmentationMethod,
    check_boxes,
    check_labels,
    check_views,
    rendering,
    training_pages,
)
from webgrain.segmentation.solvers.treedp import (
    COMPILED,
    best_prices,
    best_rate,
    block_chances,
    joined_children,
    joined_labels,
    pairs_together,
    tree_labels,
)

FORMAT = "webgrain block model"
VERSION = 3

CHANCES = ("opened", "joins", "passes", "marked")
DECIDED = CHANCES[:3]
"""What the pages of a type decide about a node, see `decisions`."""

_COLUMNS = ("weight", "mean", "deviation")
_NAMES = {len(known): tuple(one.name for one in known) for known in (UNIT_FEATURES, TREE_FEATURES)}
"""Names of the features by their number: with boxes and without."""
MOST_ODDS = 30.0  # greater log odds, and smaller ones, count as these
NEVER = -20.7  # the log odds of a probability of about 1e-9
TINY = 1e-9  # least denominator, and least probability of which there is a logarithm
_LARGEST = 1e100  # greatest number in a model: no sum or quotient overflows


@dataclass(kw_only=True, eq=False, repr=False)
class LearntCut(SegmentationMethod):
    """Segmentation by the cut of the tree with the best expected agreement with people.

    Attributes:
        granularity: 0..1; 0: the page is one segment, 0.5: as people mark, 1: every part is a segment.
        model: `BlockModel`, or ``trained`` for the shipped models.
        model_: what `fit` has learnt.

    >>> page = as_page("<ul><li>One<li>Two<li>Three</ul><ul><li>Four<li>Five<li>Six</ul>")
    >>> labels = np.where(page.dom.is_text, np.arange(len(page.dom)) > 9, -1)
    >>> method = LearntCut().fit([page], [labels])
    >>> len(method.predict(page)), method.score([page], [labels])
    (2, 1.0)
    >>> [len(segments) for segments in method.hierarchy(page, [0.0, 1.0])]
    [1, 6]
    """

    granularity: float = real(0.5, low=0.0, high=1.0)
    model: BlockModel | str = TRAINED
    model_: BlockModel | None = field(default=None, init=False, repr=False)

    method = "learntcut"
    learnt = "model"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.model, BlockModel) and self.model != TRAINED:
            raise ParameterError(f"model must be a BlockModel or {TRAINED!r}, got {self.model!r}.")

    def fit(
        self, pages: Iterable[PageLike], labels: Sequence[Labels], marked: Sequence[Bool] | None = None
    ) -> Self:
        """Learn from pages and their true segments: an array (n,) per page, -1 for unknown segments.

        marked: for each page, whether people marked each unit (u,) of its `leaf_outline` as a block, with
        other blocks in it or not; None: the units that are a segment.
        """
        self.model_ = fit_blocks(training_pages(pages, labels), labels, marked)
        return self

    def hierarchy(
        self, page: PageLike, granularities: Sequence[float], decided: Int8 | None = None
    ) -> list[Segmentation]:
        """Return the segments of ``page`` at several granularities; finer segments are parts of coarser.

        decided (n, 3): of nodes about which the pages of the type have decided, see `decisions`.
        """
        page = as_page(page)
        model = self.model_ or find_blocks(self.model, page)
        parts = _Parts(page, model, decided) if len(leaf_outline(page)) else None
        result = []
        for granularity in granularities:
            method = self if granularity == self.granularity else replace(self, granularity=granularity)
            params = method.describe() | {"model": model.name}
            labels, energy = np.full(len(page.dom), -1, np.int32), 0.0
            if parts:
                labels, energy = parts.segments(granularity)
            result.append(
                Segmentation(renumbered(labels), self.method, params, energy=energy, lower_bound=energy)
            )
        return result

    def steps(self, page: Page, decided: Int8 | None = None) -> Steps[Segmentation]:
        """Return the segments of a page, as `hierarchy` does with its granularity, in steps."""
        if len(leaf_outline(page)):
            yield "outline"
            model = self.model_ or find_blocks(self.model, page)
            check_boxes(page, model.has_boxes)
            _ = facts_of(page, model.has_boxes)
            yield "facts"
            _ = page.cached(page_chances, model)
            yield "chances"
        [segmentation] = self.hierarchy(page, [self.granularity], decided)
        yield "cut"
        return segmentation

    def _segment(self, page: Page) -> Segmentation:
        return self.hierarchy(page, [self.granularity])[0]

    @staticmethod
    def to_values(learnt: Any) -> dict[str, Any]:
        """Return a model as plain values."""
        return blocks_to_dict(learnt)

    @staticmethod
    def from_values(values: Mapping[str, Any]) -> BlockModel:
        """Return a model from plain values."""
        return blocks_from_dict(values)


class Chances(NamedTuple):
    """The probabilities (m,) of the units of one page, see the module; ``opened`` is 0 at leaves."""

    opened: Float64
    joins: Float64
    passes: Float64
    marked: Float64


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """A probability of units by a logistic regression: bias + sum of weight * standardised feature.

    weight, mean, deviation: (f,) by `UNIT_FEATURES`, or by `TREE_FEATURES` if it was learnt without boxes;
    the latter two of the training units; bias: a number.

    >>> zero, one = np.zeros(len(UNIT_FEATURES)), np.ones(len(UNIT_FEATURES))
    >>> Regression(zero, zero, one, 0.5).odds(zero[None]).tolist()
    [0.5]
    """

    weight: Float64
    mean: Float64
    deviation: Float64
    bias: float

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            column = getattr(self, name)
            if column.shape != self.weight.shape or not (np.abs(column) <= _LARGEST).all():
                raise ParameterError(f"Regression: expected a finite {name} for each unit feature.")
        if self.weight.ndim != 1 or len(self.weight) not in _NAMES:
            raise ParameterError(
                f"Regression: expected a weight for each unit feature, got {self.weight.shape}."
            )
        if not (self.deviation >= 1 / _LARGEST).all() or not np.isfinite(self.bias):
            raise ParameterError("Regression: expected deviations above 0 and a finite bias.")
        freeze(self)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return _NAMES[len(self.weight)]

    def odds(self, x: Float32 | Float64) -> Float64:
        """Return the log odds (u,) for rows of features ``x`` (u, f)."""
        odds: Float64 = _standardised(x, self.mean, self.deviation) @ self.weight + self.bias
        return odds


UnitChance = Regression | BoostedTrees
"""A learnt probability of units; both have the log odds `odds` and the ``names`` of the features."""


def _standardised(x: Float32 | Float64, mean: Float64, deviation: Float64) -> Float64:
    """Return features (u, f) in standard deviations from the mean (f,), clipped at `MAX_DEVIATIONS`."""
    most = thresholds.MAX_DEVIATIONS
    standardised: Float64 = ((x - mean) / deviation).clip(-most, most)
    return standardised


@dataclass(frozen=True, slots=True, eq=False)
class BlockModel:
    """The learnt probabilities. name: stored in records; opened, joins, passes, marked: see the module."""

    name: str
    opened: UnitChance
    joins: UnitChance
    passes: UnitChance
    marked: UnitChance

    def __post_init__(self) -> None:
        if len({len(getattr(self, name).names) for name in CHANCES}) > 1:
            raise ParameterError("BlockModel: expected probabilities of the same features.")

    @property
    def has_boxes(self) -> bool:
        """Whether the model was learnt from pages with boxes."""
        return len(self.opened.names) == len(UNIT_FEATURES)

    def odds(self, outline: Outline, x: Float32 | Float64) -> Float64:
        """Return the log odds (3, u) of the units of a page by `DECIDED`, from their features ``x`` (u, f).

        Leaves are not opened, and siblings of leaves that look like them rarely: so leaves have `NEVER`.
        """
        odds, inner = np.full((len(DECIDED), len(outline)), NEVER), outline.inner
        odds[0, inner] = self.opened.odds(x[inner])
        if isinstance(self.joins, BoostedTrees) and isinstance(self.passes, BoostedTrees):
            odds[1:] = odds_of((self.joins, self.passes), x)
        else:
            odds[1:] = self.joins.odds(x), self.passes.odds(x)
        return odds


def probability_of(odds: Float64) -> Float64:
    """Return the probabilities with these log odds, which count as at most `MOST_ODDS`.

    >>> probability_of(np.zeros(1)).tolist()
    [0.5]
    """
    probability: Float64 = 1.0 / (1.0 + np.exp(-odds.clip(-MOST_ODDS, MOST_ODDS)))
    return probability


def decisions(page: Page, labels: Labels) -> Int8:
    """Return what segments decide about the nodes (n, 3) of a page, by `DECIDED`: 1: yes, 0: no, -1: neither.

    labels (n,): the segment of each node of the page.

    >>> page = as_page("<p>One<p>Two<p>Three")  # html, head, body, p, text, p, text, p, text
    >>> decisions(page, np.array([-1, -1, -1, 0, 0, 0, 0, 1, 1])).T.tolist()
    [[1, -1, 1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, 1, 1, 1, 1, 0, 0], [-1, -1, -1, -1, -1, -1, -1, -1, -1]]
    """
    outline = leaf_outline(page)
    of_nodes = np.full((len(page.dom), len(DECIDED)), -1, np.int8)
    if len(outline):
        mixed, reaches, known = _truth(outline, np.asarray(labels)[outline.leaf_node])
        below = _below(outline, mixed)
        asked = np.stack([outline.leaves > 1, below & ~mixed, below & mixed]) & (known > 0)
        chosen = np.where(asked, np.stack([mixed, reaches, reaches]), -1)
        unit, _ = outline.units_of(page.dom)
        of_nodes[unit >= 0] = chosen.T[unit[unit >= 0]]
    return of_nodes


def with_decisions(chances: Chances, outline: Outline, decided: Int8) -> Chances:
    """Return probabilities that follow decisions (n, 3) about nodes of the page, where there are any.

    The last node of a unit's chain decides whether it is opened, the first whether a segment leaves it.
    """
    known = np.stack([decided[outline.last, 0], decided[outline.node, 1], decided[outline.node, 2]])
    of_pages = np.where(known > 0, thresholds.SURE, 1.0 - thresholds.SURE)
    opened, joins, passes = np.where(known >= 0, of_pages, np.stack(chances[: len(DECIDED)]))
    return Chances(opened * (outline.leaves > 1), joins, passes, chances.marked)


class Expected(NamedTuple):
    """Expectations for the units of one page, arrays (u,).

    Attributes:
        together: A, pairs of leaves below a unit that are in one block; pairs: B, all of them.
        right: R, the probability that a unit is reached and closed, and that people mark it.
        alone: the expected number of segments of a closed unit, which may be part of a remaining segment
            above; remaining: of an opened unit, the probability that it has a remaining segment.
        reach: probability that a unit is reached; cover: that it or a unit above is one block.
        out: share of a unit's leaves in the remaining segment of the unit above, if it is reached.
        total: C, pairs of leaves of the page that are in one segment, a block or a remaining segment.
        marks: M, the expected number of marked units.

    """

    together: Float64
    pairs: Float64
    right: Float64
    alone: Float64
    remaining: Float64
    reach: Float64
    cover: Float64
    out: Float64
    total: float
    marks: float


class Costs(NamedTuple):
    """The costs (u,) of each unit of a cut: ``closed`` as a segment, ``opened`` if it contains several."""

    closed: Float64
    opened: Float64


class Prices(NamedTuple):
    """What the cost of a cut consists of, relative to a segment that people mark.

    segment: of each segment; pair: of a pair of leaves below a unit that is closed, multiplied with ``rate``;
    what a pair of leaves in one block is worth.
    """

    segment: float
    pair: float
    rate: float

    def costs(self, expected: Expected, granularity: float = 0.5) -> Costs:
        """Return the costs of units at a granularity in 0..1, see the module."""
        coarse = min(1.0, (1.0 - granularity) / max(granularity, TINY))
        fine = min(1.0, granularity / max(1.0 - granularity, TINY))
        segment, worth = self.segment * coarse * coarse, coarse * fine
        pairs = self.rate * fine * fine * expected.pairs - worth * expected.together
        closed = segment * expected.alone - worth * expected.right + self.pair * pairs
        return Costs(closed, segment * expected.remaining)


def expect(outline: Outline, chances: Chances) -> Expected:
    """Return the expectations of units with these probabilities.

    >>> outline = leaf_outline(as_page("<div><p>1<p>2</div><p>3"))
    >>> opened = np.array([1.0, 0.5, 0.0, 0.0, 0.0])  # the page, the div, its two parts, the last part
    >>> expected = expect(outline, Chances(opened, 0 * opened, 0 * opened, 0 * opened + 1.0))
    >>> expected.together.tolist(), expected.right.tolist()
    ([0.5, 0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.5, 0.5, 1.0])
    """
    warn_once(COMPILED)
    opened, joins, passes, marked = chances
    leaves, parent = outline.leaves.astype(np.float64), outline.parent
    reach, cover, out, left = block_chances(parent, leaves, opened, joins, passes)
    pairs, together = pairs_together(parent, outline.end, leaves, cover)
    out /= leaves
    stays = np.log(np.maximum(1.0 - out, TINY))
    remaining = 1.0 - np.exp(np.bincount(parent[1:], stays[1:], len(outline)))
    alone = 1.0 - out
    alone[0] = 1.0
    right = reach * (1.0 - opened) * marked
    total = float(together[0] + left.sum())
    return Expected(together, pairs, right, alone, remaining, reach, cover, out, total, float(marked.sum()))


def cut(outline: Outline, costs: Costs) -> Int32:
    """Return labels (u,) of the cut of least cost: the unit that is the segment; -1 at opened units."""
    units = np.arange(len(outline), dtype=np.int32)
    labels: Int32
    labels, _ = tree_labels(outline.parent, outline.end, costs.opened, units, costs.closed)
    return labels


def energy(labels: Int32, costs: Costs) -> float:
    """Return the energy of a cut: its cost, minus that of the page as one segment."""
    closed = costs.closed[labels == np.arange(len(labels))].sum()
    return float(closed + costs.opened[labels < 0].sum() - costs.closed[0])


def best_cut(outline: Outline, expected: Expected) -> tuple[Prices, float]:
    """Return the prices at which the cut of least cost has the greatest expected agreement, and the rate.

    The steps start at the cut with the greatest expected index, whose rate this is. Each step takes the cut
    that is best if the agreement changes with the segments as it does near the cut before, and they end when
    the agreement no longer grows.
    """
    tree, total = (outline.parent, outline.end), max(expected.total, TINY)
    pairs, steps = (expected.pairs, expected.together), thresholds.MAX_RATE_STEPS
    rate = best_rate(tree, *pairs, total, thresholds.RATE_SHIFT, thresholds.MAX_RATE, steps)
    counts = expected.right, expected.alone, expected.remaining
    totals = total, expected.marks
    prices = best_prices(tree, *pairs, counts, totals, rate, thresholds.INDEX_WEIGHT, steps)
    return Prices(*prices), rate


def join_remaining(
    outline: Outline, chances: Chances, expected: Expected, labels: Int32, rate: float
) -> Int32:
    """Return labels (u,) of a cut in which the remaining leaves of each opened unit are one segment.

    From the bottom up, the children of an opened unit that probably belong to its remaining segment are
    joined, the most probable first, while the probability exceeds ``rate``. The result may be joined with
    others further up. Parts that are not adjacent, because leaves of other segments are between them, are
    segments of their own. A joined segment has the label of its first unit.
    """
    known = expected.reach, expected.cover, expected.out
    group = joined_children(outline.end, labels, outline.leaves, chances[: len(DECIDED)], known, rate)
    joined: Int32 = joined_labels(labels, group)
    return joined


def page_chances(page: Page, model: BlockModel) -> Chances:
    """Return the probabilities (u,) of the units of a page; siblings that look alike have the same."""
    facts = facts_of(page, model.has_boxes)
    odds = model.odds(facts.outline, page_unit_features(page, model.has_boxes))
    opened, joins, passes = probability_of(group_means(odds, alike_siblings(facts)))
    opened *= facts.outline.leaves > 1
    return Chances(opened, joins, passes, page.cached(page_marks, model.marked))


def page_marks(page: Page, chance: UnitChance) -> Float64:
    """Return the probability (u,) that people mark each unit; siblings that look alike have the same."""
    has_boxes = len(chance.names) == len(UNIT_FEATURES)
    odds = chance.odds(page_unit_features(page, has_boxes))
    [even] = group_means(odds[None], alike_siblings(facts_of(page, has_boxes)))
    return probability_of(even)


class _Parts:
    """The units of a page, their expectations, and the best segments (u,) of units."""

    def __init__(self, page: Page, model: BlockModel, decided: Int8 | None = None) -> None:
        check_boxes(page, model.has_boxes)
        self._page, outline = page, leaf_outline(page)
        chances = page.cached(page_chances, model)
        if decided is not None:
            chances = with_decisions(chances, outline, decided)
        self._outline, self.expected = outline, expect(outline, chances)
        self.prices, rate = best_cut(outline, self.expected)
        self._cut = cut(outline, self.prices.costs(self.expected))
        joined = rate if model.has_boxes else max(rate, thresholds.JOINED)
        self._best = join_remaining(outline, chances, self.expected, self._cut, joined)

    def segments(self, granularity: float) -> tuple[Int32, float]:
        """Return the labels (n,) of the nodes of the Dom and the energy of the cut."""
        costs = self.prices.costs(self.expected, granularity)
        labels = cut(self._outline, costs)
        value = energy(labels, costs)
        if granularity < 0.5:
            labels = _joined(labels, self._best)
        else:
            labels = np.where((labels == self._cut) & (labels >= 0), self._best, labels)
        return _with_hidden(self._page, self._outline, labels), value


def _joined(coarse: Int32, best: Int32) -> Int32:
    """Join the segments ``best`` (m,) that meet in one unit of a coarser cut (m,), transitively.

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


def _with_hidden(page: Page, outline: Outline, labels: Int32) -> Int32:
    """Return labels (n,) of the Dom from those of units (u,); hidden nodes take that of the element around.

    A segment consists of whole elements, including parts that are hidden, such as folded-away menus. A folded
    part (`folded_parts`) outside of all segments, such as a tab, takes the label of what opens it.
    """
    _, nearest = outline.units_of(page.dom)
    spread: Int32 = labels[nearest]
    opener = folded_parts(page)
    folded = np.flatnonzero((spread < 0) & (opener >= 0))
    spread[folded] = spread[opener[folded]]
    return spread


class TrainingPage(NamedTuple):
    """The training data of one page; arrays (u,) over its units.

    x (u, f): features; mixed: the leaves are in several segments; reaches: a segment reaches out of the unit;
    known: number of leaves whose segment is known; marked: people mark the unit.
    """

    outline: Outline
    x: Float32
    mixed: Bool
    reaches: Bool
    known: Float64
    marked: Bool


Rows = tuple[Float32, Bool, Float64]
"""Features, truth and weights of some units of a page."""


def fit_blocks(
    pages: Sequence[Page],
    labels: Sequence[Labels],
    marked: Sequence[Bool] | None = None,
    *,
    name: str = "learnt",
) -> BlockModel:
    """Return a model learnt from pages and their true segments; deterministic.

    pages: rendered in the same way as the pages to segment; labels: an array (n,) per page, the segment of
    each leaf, -1 if unknown; marked: see `LearntCut.fit`.

    If there is nothing to learn from, for example because all leaves are in one segment, a probability is the
    share of units. Raises `ParameterError` without pages or for wrong labels, and `MissingExtraError` without
    SciPy.
    """
    check_labels(pages, labels)
    check_views(pages)
    n_features = len(TREE_FEATURES if pages[0].view is None else UNIT_FEATURES)
    of_pages = [None] * len(pages) if marked is None else marked
    training = [
        training_page(*known)
        for known in zip(pages, labels, of_pages, strict=True)
        if len(leaf_outline(known[0]).inner)
    ]
    opened, joins, passes, marks = list[Rows](), list[Rows](), list[Rows](), list[Rows]()
    for page in training:
        below, inner = _below(page.outline, page.mixed), page.outline.inner
        weight = np.where((page.outline.parent < 0) | below, thresholds.REACHED_WEIGHT, 1.0)
        opened.append((page.x[inner], page.mixed[inner], weight[inner]))
        asked = below & (page.known > 0)
        for rows, units in ((joins, asked & ~page.mixed), (passes, asked & page.mixed)):
            rows.append((page.x[units], page.reaches[units], np.ones(units.sum())))
        if page.marked.any():
            marks.append((page.x, page.marked, np.ones(len(page.marked))))
    return BlockModel(
        name,
        fit_chance(opened, n_features, thresholds.OPENED_PENALTY),
        fit_chance(joins, n_features, thresholds.OUTSIDE_PENALTY),
        fit_chance(passes, n_features, thresholds.OUTSIDE_PENALTY),
        fit_chance(marks, n_features, thresholds.OPENED_PENALTY),
    )


def training_page(page: Page, labels: Labels, marked: Bool | None = None) -> TrainingPage:
    """Return the training data of a page with visible leaves; labels, marked as for `fit_blocks`."""
    facts = facts_of(page, page.view is not None)
    mixed, reaches, known = _truth(facts.outline, np.asarray(labels)[facts.nodes])
    if marked is None:
        marked = ~mixed & ~reaches & (known > 0)
    elif np.shape(marked) != mixed.shape:
        raise ParameterError(
            f"marked must have a value for each unit of {page.id}, an array of shape {mixed.shape}, "
            f"got {np.shape(marked)}."
        )
    return TrainingPage(facts.outline, unit_features(facts), mixed, reaches, known, np.asarray(marked, bool))


def _truth(outline: Outline, label: Labels) -> tuple[Bool, Bool, Float64]:
    """Return ``mixed``, ``reaches`` and ``known`` of a `TrainingPage` from the segments (l,) of leaves."""
    known, place = label >= 0, np.arange(len(label))
    _, number = np.unique(np.where(known, label, -1 - place), return_inverse=True)
    first, last = np.full(len(label), len(label)), np.zeros(len(label), np.int64)
    np.minimum.at(first, number, place)
    np.maximum.at(last, number, place)
    spans = outline.low, outline.high
    greatest = over_spans(np.maximum, np.where(known, number, -1), *spans)
    least = over_spans(np.minimum, np.where(known, number, len(label)), *spans)
    begins = over_spans(np.minimum, first[number], *spans)
    reaches = (begins < outline.low) | (over_spans(np.maximum, last[number], *spans) >= outline.high)
    before = np.append(0, np.cumsum(known))
    return least < greatest, reaches, (before[outline.high] - before[outline.low]).astype(np.float64)


def _below(outline: Outline, mixed: Bool) -> Bool:
    """Return the units (u,) whose parent has several segments."""
    return mixed[np.maximum(outline.parent, 0)] & (outline.parent >= 0)


def fit_chance(pages: Sequence[Rows], n_features: int, penalty: float) -> UnitChance:
    """Return a probability from the features, the truth and the weights of units of each page.

    The pages have equal weight. If all units are in one class, the probability is constant, about their
    share. penalty: of a regression, see `fit_regression`.
    """
    empty = np.zeros((0, n_features), np.float32)
    x = np.concatenate([empty, *(rows for rows, _, _ in pages)])
    y = np.concatenate([np.zeros(0, bool), *(truth for _, truth, _ in pages)])
    if len(np.unique(y)) < 2:
        zero, yes = np.zeros(n_features), float(y.sum())
        return Regression(zero, zero, zero + 1.0, float(np.log((yes + 1.0) / (len(y) - yes + 1.0))))
    even = [weight / weight.sum() for _, _, weight in pages if len(weight)]
    row_weight = np.concatenate(even) / len(even)
    if len(pages) < thresholds.MIN_TREE_PAGES:
        return fit_regression(x, y, row_weight, penalty)
    settings = dict[str, Any](thresholds.TREES)
    return learn_trees(x, y.astype(np.float64), row_weight, _NAMES[n_features], **settings)


def fit_regression(x: Float32, y: Bool, row_weight: Float64, penalty: float) -> Regression:
    """Return the logistic regression of the truth (r,) of weighted rows of features (r, f).

    It minimises the log loss plus half the penalty times the squared weights.
    """
    mean, deviation = x.mean(axis=0, dtype=np.float64), x.std(axis=0, dtype=np.float64)
    deviation = np.where(deviation > 1e-9, deviation, 1e9)  # constant features have no weight
    z = np.column_stack([_standardised(x, mean, deviation), np.ones(len(x))])
    sign = np.where(y, 1.0, -1.0)

    def loss(weight: Float64) -> tuple[float, Float64]:
        signed = sign * (z @ weight)
        free = np.append(weight[:-1], 0.0)
        slope = -row_weight * sign * np.exp(-np.logaddexp(0.0, signed))
        value = float(row_weight @ np.logaddexp(0.0, -signed)) + 0.5 * penalty * float(free @ free)
        return value, slope @ z + penalty * free

    optimize = require("scipy.optimize", "learn", "learning to segment")
    start = np.zeros(z.shape[1])
    best = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 150}).x
    return Regression(best[:-1].copy(), mean, deviation, float(best[-1]))


def write_blocks(path: Path, model: BlockModel) -> None:
    """Write a model to a file, with six digits of each number."""
    write_model(path, FORMAT, VERSION, blocks_to_dict(model))


def read_blocks(path: Path) -> BlockModel:
    """Return the model in a file; `InputError` if it cannot be read or does not contain a model."""
    values, _ = read_model(path, FORMAT, VERSION)
    with intact(path, FORMAT):
        return blocks_from_dict(values)


def blocks_to_dict(model: BlockModel) -> dict[str, Any]:
    """Return a model as plain values, for `blocks_from_dict`."""
    return {"name": model.name} | {name: chance_to_dict(getattr(model, name)) for name in CHANCES}


def blocks_from_dict(values: Mapping[str, Any]) -> BlockModel:
    """Return a model from plain values; wrong values raise one of `webgrain.base.modelfile.DAMAGED`."""
    if "marked" not in values:
        raise ValueError("it has no probability that a unit is marked: learn it again with this version")
    return BlockModel(str(values["name"]), *(chance_from_dict(values[name]) for name in CHANCES))


def find_blocks(model: BlockModel | str, page: Page) -> BlockModel:
    """Return the given model, or the shipped one for ``page``."""
    return model if isinstance(model, BlockModel) else trained_blocks(rendering(page))


@cache
def trained_blocks(layout: str) -> BlockModel:
    """Return the shipped model for pages of a layout, ``html`` or ``chromium``."""
    return read_blocks(Path(__file__).with_name("trained") / f"blocks-{layout}.json")


def chance_to_dict(chance: UnitChance) -> dict[str, Any]:
    """Return a probability as plain values, for `chance_from_dict`."""
    if isinstance(chance, BoostedTrees):
        return {"names": list(chance.names), "trees": trees_to_dict(chance)}
    columns = [[float(f"{value:.6g}") for value in getattr(chance, name).tolist()] for name in _COLUMNS]
    rows = zip(chance.names, *columns, strict=True)
    features = {name: dict(zip(_COLUMNS, row, strict=True)) for name, *row in rows}
    return {"bias": float(f"{chance.bias:.6g}"), "features": features}


def chance_from_dict(values: Any) -> UnitChance:
    """Return a probability from plain values; wrong values raise one of `webgrain.base.modelfile.DAMAGED`."""
    features = values["features" if "features" in values else "names"]
    names = _NAMES.get(len(features))
    if names is None or set(features) != set(names):
        raise ValueError("it has other features: learn it again with this version")
    if "names" in values:
        return trees_from_dict(values["trees"], tuple(features))
    if "trees" in values:
        raise ValueError("it has the mean of two models: learn it again with this version")
    rows = [[features[feature][name] for name in _COLUMNS] for feature in names]
    weight, mean, deviation = np.ascontiguousarray(np.array(rows, np.float64).T)
    return Regression(weight, mean, deviation, float(values["bias"]))
