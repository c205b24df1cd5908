"""Learning of `BlockModel` from labelled pages.

Source: logistic regression with a penalty on the squared weights of standardised features. Each page weighs
the same, however large. Units that are reached when all above are rightly opened weigh `REACHED` times as
much as others for ``opened``: those are the ones that the choice is between.

Departure: the weights are not learnt for the Rand index of the cut itself, though its gradient is a pass over
the tree. On the few labelled pages there are, that is no better on others.
Cost: three L-BFGS runs over the units of all pages; less than a second for 80 pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain._extras import require
from webgrain.errors import ParameterError
from webgrain.page.leaves import visible_tree
from webgrain.segment.blockmodel import BlockModel, UnitLogistic, standardised
from webgrain.segment.traits import Traits
from webgrain.segment.unitfeatures import UNIT_FEATURES, unit_features
from webgrain.segment.units import units_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.segment.units import Units

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Labels = NDArray[np.integer]

PENALTY = 0.1
"""Of the squared weights of standardised features of ``opened``, next to a loss per unit."""

OUTSIDE_PENALTY = 0.3
"""The same for ``joins`` and ``passes``."""

REACHED = 3.0
"""Weight of units that are reached when all above are rightly opened, next to 1 for others."""

MAX_STEPS = 150
"""Steps of L-BFGS, at most."""


class Marked(NamedTuple):
    """What one page gives to learn from; arrays (m,) over its units.

    x (m, f): features; mixed: leaves of several segments; reaches: a segment reaches out of the unit; known:
    leaves whose segment is known.
    """

    units: Units
    x: Floats
    mixed: Bools
    reaches: Bools
    known: Floats


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


def _fit(rows: Rows, penalty: float) -> UnitLogistic:
    """Return the chance of least log loss, plus half the penalty times the squared weights."""
    if len(np.unique(rows.true)) < 2:
        return _constant(rows)
    mean, deviation = rows.x.mean(axis=0), rows.x.std(axis=0)
    deviation = np.where(deviation > 1e-9, deviation, 1e9)  # what never changes weighs nothing
    z = np.column_stack([standardised(rows.x, mean, deviation), np.ones(len(rows.x))])
    sign = np.where(rows.true, 1.0, -1.0)

    def loss(weight: Floats) -> tuple[float, Floats]:
        signed = sign * (z @ weight)
        free = np.append(weight[:-1], 0.0)
        slope = -rows.weight * sign * np.exp(-np.logaddexp(0.0, signed))
        lost = float(rows.weight @ np.logaddexp(0.0, -signed)) + 0.5 * penalty * float(free @ free)
        return lost, slope @ z + penalty * free

    optimize = require("scipy.optimize", "learn", "learning to segment")
    start = np.zeros(z.shape[1])
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MAX_STEPS})
    return UnitLogistic(found.x[:-1].copy(), mean, deviation, float(found.x[-1]))
