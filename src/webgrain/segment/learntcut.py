"""LearntCut: the cut of a page that is expected to agree best with the blocks people would mark.

    page --unit_features--> x --BlockModel--> chances --expect--> costs --cut, leftovers--> segments

The energy is that of GCuts (Chakrabarti, Kumar, Punera, WWW 2008, section 3) with learnt costs of
parent-child edges in place of D and V, so its minimum is found exactly (`webgrain.segment.blockcut`).

Granularity moves the rate at which pairs of leaves cost. The cut at a higher rate opens more units and closes
none; segments follow it, so they are nested too:

    coarser than the best    segments of which a unit holds leaves that is closed there, are one
    finer than the best      a unit that is opened there is no segment any more, the segments in it are

Unclear: nothing; the method is our own.
Cost: see `webgrain.segment.unitfeatures` and `webgrain.segment.blockcut`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from webgrain.errors import ParameterError
from webgrain.estimator import Estimator, check_number
from webgrain.page.leaves import visible_tree
from webgrain.results import Segmentation, canonical
from webgrain.segment.blockcut import best_rate, cut, expect, leftovers, problem, rate_at
from webgrain.segment.blockfiles import TRAINED, find_blocks
from webgrain.segment.blockfit import fit_blocks
from webgrain.segment.blockmodel import BlockModel
from webgrain.segment.traits import Traits
from webgrain.segment.unitfeatures import unit_features
from webgrain.segment.units import units_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.kernels.treepotts import TreePotts
    from webgrain.page.leaves import VisibleTree
    from webgrain.page.page import Page
    from webgrain.segment.blockcut import Expected
    from webgrain.segment.blockmodel import Chances
    from webgrain.segment.units import Units

    Labels = NDArray[np.int32]


@dataclass(kw_only=True, eq=False)
class LearntCut(Estimator):
    """Segmentation by the cut of the tree that is expected to be right.

    Attributes:
        granularity: 0..1, from the page as one segment to a segment for every part; 0.5: as people mark.
        model: `BlockModel`, or ``trained``, those that come with webgrain.
        model_: what `fit` has learnt.

    >>> from webgrain.page.parse import parse
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
        """Learn from pages and their true segments, as `webgrain.segment.blockfit.fit_blocks` takes them."""
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

    def segments(self, granularity: float) -> tuple[Labels, float]:
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


def _with_hidden(page: Page, tree: VisibleTree, labels: Labels) -> Labels:
    """Spread labels (k,) over the Dom; what cannot be seen has the label of what it stands in.

    A segment is all that is in some elements: that a part of it is folded away, or seems to be, is no reason
    to leave it out.
    """
    nearest = np.maximum(page.dom.parent, 0)
    nearest[tree.node] = tree.node
    while (nearest != nearest[nearest]).any():
        nearest = nearest[nearest]
    spread: Labels = tree.to_dom(labels)[nearest]
    return spread


def _joined(coarse: Labels, best: Labels) -> Labels:
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
