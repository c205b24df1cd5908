"""Learning of `BlockModel` from labelled pages.

Source: regularised logistic regression, and for ``opened`` half of the way from there to the weights that
maximise the expected adjusted Rand index itself (`webgrain.segment.blockindex`):

    loss = (1 - DIRECT) * log loss + DIRECT * (1 - mean index) + PENALTY / 2 * |weights|²

Departures: half of the way, since the index alone overfits what few labelled pages there are, and the log
loss alone is worse at choosing how fine a cut is. Pages weigh the same, however large; units that are reached
when all above are rightly opened weigh `REACHED` times as much as others.
Cost: two L-BFGS runs over the units of all pages; 1 s for 80 pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain._extras import require
from webgrain.errors import ParameterError
from webgrain.page.leaves import visible_tree
from webgrain.segment.blockindex import ExpectedIndex
from webgrain.segment.blockmodel import BlockModel, UnitLogistic, standardised
from webgrain.segment.traits import Traits
from webgrain.segment.unitfeatures import UNIT_FEATURES, unit_features
from webgrain.segment.units import units_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.segment.units import Units

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Labels = NDArray[np.integer]
    Loss = Callable[[Floats], tuple[float, Floats]]
    """From the odds of rows to a loss and its derivatives."""

PENALTY = 0.1
"""Of the squared weights of standardised features of ``opened``, next to a loss per unit."""

OUTSIDE_PENALTY = 0.3
"""The same for ``joins`` and ``passes``."""

DIRECT = 0.8
"""Weight of the expected index, next to the log loss."""

REACHED = 3.0
"""Weight of units that are reached when all above are rightly opened, next to 1 for others."""

MAX_STEPS = 150
"""Steps of L-BFGS, at most."""


class Marked(NamedTuple):
    """What one page gives to learn from; arrays (m,) over its units.

    x (m, f): features; mixed: leaves of several segments; reaches: a segment reaches out of the unit; known:
    leaves whose segment is known; together, pairs: pairs of those, in one segment, and all.
    """

    units: Units
    x: Floats
    mixed: Bools
    reaches: Bools
    known: Floats
    together: Floats
    pairs: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Units of several pages to learn one chance from: features (r, f), truth (r,) and weight (r,), sum 1."""

    x: Floats
    true: Bools
    weight: Floats


def fit_blocks(pages: Sequence[Page], truths: Sequence[Labels], *, name: str = "learnt") -> BlockModel:
    """Return a model learnt from pages and their true segments; the same for the same input.

    pages: laid out as the pages will be that the model is for; truths: an array (n,) per page, the segment of
    each node of its Dom that is a leaf, -1 where it is not known, as `Truth.over` makes it.

    Where there is nothing to learn from - all leaves in one segment, say - a chance is the share of units.
    `ParameterError` without pages, or where a truth is not of its page; `MissingExtraError` without SciPy.

    >>> from webgrain.page.parse import parse
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
    known = counts.sum(axis=1)
    return Marked(
        units=units,
        x=unit_features(traits, units),
        mixed=(counts > 0).sum(axis=1) > 1,
        reaches=((counts > 0) & (counts < counts[:1])).sum(axis=1) > 0,
        known=known,
        together=(counts * (counts - 1) / 2).sum(axis=1),
        pairs=known * (known - 1) / 2,
    )


def _fit_opened(pages: Sequence[Marked]) -> UnitLogistic:
    kept = [page.units.inner for page in pages]
    weight = [_reached(page)[places] for page, places in zip(pages, kept, strict=True)]
    rows = _rows(pages, kept, [page.mixed[places] for page, places in zip(pages, kept, strict=True)], weight)
    if len(np.unique(rows.true)) < 2:
        return _constant(rows)
    index = ExpectedIndex(pages)

    def direct(odds: Floats) -> tuple[float, Floats]:
        chance = _chance(odds)
        value, slope = index(chance)
        loss, step = log_loss(odds)
        mean = DIRECT * (1.0 - float(value.mean())) + (1.0 - DIRECT) * loss
        return mean, (1.0 - DIRECT) * step - DIRECT / len(pages) * slope * chance * (1.0 - chance)

    log_loss = _log_loss(rows)
    scale = _Scale(rows.x)
    start = scale.minimise(log_loss, PENALTY)
    end = scale.minimise(direct, PENALTY, start)
    return scale.logistic((start + end) / 2)


def _fit_out(pages: Sequence[Marked], mixed: bool) -> UnitLogistic:
    """Return the chance that a segment reaches out of a unit, of those of several segments or of one."""
    below_mixed = [page.mixed[np.maximum(page.units.parent, 0)] & (page.units.parent >= 0) for page in pages]
    kept = [
        np.flatnonzero((page.mixed == mixed) & below & (page.known > 0))
        for page, below in zip(pages, below_mixed, strict=True)
    ]
    rows = _rows(
        pages,
        kept,
        [page.reaches[places] for page, places in zip(pages, kept, strict=True)],
        [np.ones(len(places)) for places in kept],
    )
    if len(np.unique(rows.true)) < 2:
        return _constant(rows)
    scale = _Scale(rows.x)
    return scale.logistic(scale.minimise(_log_loss(rows), OUTSIDE_PENALTY))


def _rows(
    pages: Sequence[Marked],
    kept: Sequence[NDArray[np.intp]],
    true: Sequence[Bools],
    weight: Sequence[Floats],
) -> Rows:
    """Return the kept units of all pages; the weights of each page sum up to the same."""
    x = np.concatenate([page.x[places] for page, places in zip(pages, kept, strict=True)] or [_NOTHING])
    even = [one / one.sum() for one in weight if len(one)]
    weights = np.concatenate(even) / len(even) if even else np.zeros(0)
    return Rows(x, np.concatenate([*true, np.zeros(0, bool)]), weights)


_NOTHING = np.zeros((0, len(UNIT_FEATURES)))


def _reached(page: Marked) -> Floats:
    above = page.units.parent
    return np.where((above < 0) | page.mixed[np.maximum(above, 0)], REACHED, 1.0)


def _constant(rows: Rows) -> UnitLogistic:
    """Return a chance that does not depend on features: about the share of the rows."""
    yes = float(rows.true.sum())
    zero = np.zeros(len(UNIT_FEATURES))
    return UnitLogistic(zero, zero, zero + 1.0, float(np.log((yes + 1.0) / (len(rows.true) - yes + 1.0))))


def _log_loss(rows: Rows) -> Loss:
    def loss(odds: Floats) -> tuple[float, Floats]:
        signed = np.where(rows.true, odds, -odds)
        return float(rows.weight @ np.logaddexp(0.0, -signed)), rows.weight * (_chance(odds) - rows.true)

    return loss


def _chance(odds: Floats) -> Floats:
    chance: Floats = 1.0 / (1.0 + np.exp(-odds.clip(-30.0, 30.0)))
    return chance


class _Scale:
    """Standardised rows (r, f) of features, and the weights of least loss on them."""

    def __init__(self, x: Floats) -> None:
        self.mean, deviation = x.mean(axis=0), x.std(axis=0)
        self.deviation = np.where(deviation > 1e-9, deviation, 1e9)  # what never changes weighs nothing
        self._z = np.column_stack([standardised(x, self.mean, self.deviation), np.ones(len(x))])

    def minimise(self, loss: Loss, penalty: float, start: Floats | None = None) -> Floats:
        """Return the weights and the bias (f + 1,) of least loss; ``penalty`` is on the squared weights."""
        z = self._z

        def value(weight: Floats) -> tuple[float, Floats]:
            lost, slope = loss(z @ weight)
            free = np.append(weight[:-1], 0.0)
            return lost + 0.5 * penalty * float(free @ free), slope @ z + penalty * free

        optimize = require("scipy.optimize", "learn", "learning to segment")
        first = np.zeros(z.shape[1]) if start is None else start
        found = optimize.minimize(value, first, jac=True, method="L-BFGS-B", options={"maxiter": MAX_STEPS})
        weight: Floats = found.x
        return weight

    def logistic(self, weight: Floats) -> UnitLogistic:
        """Return the model with these weights and this bias (f + 1,)."""
        return UnitLogistic(weight[:-1].copy(), self.mean, self.deviation, float(weight[-1]))
