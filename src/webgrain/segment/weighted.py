"""What GCuts and CClus share: costs from weights, parameters that go with them, and how both are learnt.

    page, weights --prepare--> costs
    costs, parameters --cut--> labels

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3.

Departure: the parameters are chosen by cross-validation over all training pages: on the few pages of one
validation set it is chance which value comes out first. For the paper's protocol, learn the weights on some
pages and fit a method that has them on others: ``GCuts(weights=fit_weights(training)).fit(validation)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from webgrain.errors import ParameterError
from webgrain.estimator import Estimator, check_number
from webgrain.results import Segmentation, canonical
from webgrain.segment.costs import Emphasis, Weights
from webgrain.segment.learning import samples_of, weights_from
from webgrain.segment.models import NAMES, TRAINED, find_weights
from webgrain.segment.selection import choose, mean_ari

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.segment.learning import Sample

    Labels = NDArray[np.integer]

FOLDS = 4
"""Parts of the training pages of which each is segmented by what was learnt from the others."""


class Cut(NamedTuple):
    """Labels (n,) over the nodes of a page, -1 for none, their energy and a lower bound of it."""

    labels: NDArray[np.int32]
    energy: float
    lower_bound: float | None = None


@dataclass(kw_only=True, eq=False)
class Weighted(Estimator):
    """Base of the methods whose costs come from weights.

    Attributes:
        weights: `Weights` or the name of some: ``trained``, or ``uniform`` (the paper's NL).
        visual, content, structure: what these views of a page weigh beside what was learnt, >= 0.
        weights_: what `fit` has learnt.

    """

    weights: Weights | str = TRAINED
    visual: float = 1.0
    content: float = 1.0
    structure: float = 1.0
    weights_: Weights | None = field(default=None, init=False, repr=False)

    method: ClassVar[str]
    """Name of the method."""
    usual: ClassVar[Mapping[str, float]]
    """Parameters that go with weights, and their values where the weights do not tell them."""
    grids: ClassVar[Mapping[str, tuple[float, ...]]]
    """Values of these that `fit` tries."""

    def __post_init__(self) -> None:
        for view in Emphasis._fields:
            check_number(self, view, low=0.0)
        if not isinstance(self.weights, Weights) and self.weights not in NAMES:
            names = ", ".join(map(repr, NAMES))
            raise ParameterError(f"weights must be a Weights or one of {names}, got {self.weights!r}.")

    def fit(self, pages: Sequence[Page], truths: Sequence[Labels]) -> Self:
        """Learn from pages and their true segments, as `webgrain.segment.learning.fit_weights` takes them.

        Learnt are the weights, unless some other than ``trained`` were given, and those of the parameters
        that were not given: the values of best mean ARI, on pages that the weights were not learnt from.
        """
        samples = samples_of(pages, truths)
        if self.weights == TRAINED:
            learnt, used = weights_from(samples), _held_out(samples)
        else:
            used = [find_weights(self.weights, page) for page in pages]
            learnt = used[0]
        chosen = self._choose([self.prepare(*it) for it in zip(pages, used, strict=True)], truths, learnt)
        self.weights_ = replace(learnt, parameters={**learnt.parameters, self.method: chosen})
        return self

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of ``page``: an id per node, -1 for the invisible ones."""
        weights = self._weights_for(page)
        values = self.values(weights)
        cut = self.cut(self.prepare(page, weights), values)
        told = self.describe() | values | {"weights": weights.name}
        return Segmentation(
            canonical(cut.labels), self.method, told, energy=cut.energy, lower_bound=cut.lower_bound
        )

    def values(self, weights: Weights) -> dict[str, float]:
        """Return the parameters that go with weights: as given, as the weights tell, or as usual."""
        told = {**self.usual, **weights.parameters.get(self.method, {})}
        given = {name: getattr(self, name) for name in self.usual}
        return {name: told[name] if value is None else value for name, value in given.items()}

    def prepare(self, page: Page, weights: Weights) -> Any:
        """Return the costs of a page, as far as no parameter counts in them."""
        raise NotImplementedError

    def cut(self, costs: Any, values: Mapping[str, float]) -> Cut:
        """Return the segments of a page from its costs and the values of the parameters."""
        raise NotImplementedError

    def _choose(self, costs: Sequence[Any], truths: Sequence[Labels], weights: Weights) -> dict[str, float]:
        open_ones = {name: grid for name, grid in self.grids.items() if getattr(self, name) is None}

        def score(values: Mapping[str, float]) -> float:
            return mean_ari([self.cut(one, values).labels for one in costs], truths)

        return choose(score, open_ones, self.values(weights))

    def _weights_for(self, page: Page) -> Weights:
        return self.weights_ or find_weights(self.weights, page)

    def _emphasis(self) -> Emphasis:
        return Emphasis(self.visual, self.content, self.structure)


def _held_out(samples: Sequence[Sample]) -> list[Weights]:
    """Return weights for each page that were learnt from others, of a page alone from itself.

    Pages that follow each other are held out together: often they are of one site.
    """
    fold = np.arange(len(samples)) * min(FOLDS, len(samples)) // len(samples)
    others = [[sample for sample, own in zip(samples, fold, strict=True) if own != k] for k in range(FOLDS)]
    learnt = [weights_from(rest or samples) for rest in others[: fold[-1] + 1]]
    return [learnt[k] for k in fold]
