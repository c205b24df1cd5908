"""Parameters of a method chosen on labelled pages that its weights were not learnt from.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Learning lambda values from validation set": the value of best accuracy (here the mean adjusted Rand index).

Departure: several parameters are chosen, each in turn with the others kept, until none changes; that may end
at values which are the best one by one, but not together.

Cost: a prediction per page and value, in each round.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from webgrain.errors import ParameterError
from webgrain.metrics.partition import ari
from webgrain.segment.cclus import CClus
from webgrain.segment.gcuts import GCuts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.page.page import Page

    Labels = NDArray[np.integer]

M = TypeVar("M", GCuts, CClus)


def choose_parameters(
    method: M,
    grids: Mapping[str, Sequence[float]],
    pages: Sequence[Page],
    truths: Sequence[Labels],
    *,
    max_rounds: int = 3,
) -> M:
    """Return the method with the parameters of greatest mean ARI; ``method`` itself stays as it is.

    grids: values to try by name of the parameter; the value that ``method`` has is tried too, and kept where
    no other is better. pages, truths: as `webgrain.segment.learning.fit_weights` takes them, other pages than
    those. `ParameterError` without pages, where a truth is not of its page, or for a wrong grid.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul><li>One<li>Two<li>Three</ul><p>Four"))
    >>> truth = np.where(page.dom.is_text, 0, -1)  # all one segment
    >>> choose_parameters(CClus(lam=0.0), {"lam": [0.0, 1e6]}, [page], [truth]).lam
    1000000.0
    """
    _check(method, grids, pages, truths)
    scores: dict[tuple[float, ...], float] = {}

    def score(candidate: M) -> float:
        key = tuple(getattr(candidate, name) for name in grids)
        if key not in scores:
            scores[key] = mean_ari(candidate, pages, truths)
        return scores[key]

    for _ in range(max_rounds):
        before = method
        for name, grid in grids.items():
            best = max((_with(method, name, value) for value in grid), key=score)
            method = best if score(best) > score(method) else method
        if method is before:
            break
    return method


def mean_ari(method: GCuts | CClus, pages: Sequence[Page], truths: Sequence[Labels]) -> float:
    """Return the mean ARI over pages, on leaves whose segment is known; one without a label is alone.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>One<p>Two"))
    >>> mean_ari(CClus(lam=0.0), [page], [np.arange(len(page.dom))])
    1.0
    """
    values = []
    for page, truth in zip(pages, truths, strict=True):
        labels = method.predict(page).labels
        known = truth >= 0
        alone = labels.max(initial=-1) + 1 + np.arange(len(labels))
        values.append(ari(truth[known], np.where(labels >= 0, labels, alone)[known]))
    return float(np.mean(values))


def _with(method: M, name: str, value: float) -> M:
    changed: dict[str, Any] = {name: value}
    return replace(method, **changed)


def _check(
    method: GCuts | CClus,
    grids: Mapping[str, Sequence[float]],
    pages: Sequence[Page],
    truths: Sequence[Labels],
) -> None:
    if not len(pages) or len(pages) != len(truths):
        raise ParameterError(
            f"choose_parameters expects pages and a truth for each, got {len(pages)}, {len(truths)}."
        )
    for page, truth in zip(pages, truths, strict=True):
        if np.shape(truth) != (len(page.dom),):
            raise ParameterError(
                f"choose_parameters expects a label per node of {page.id}, {len(page.dom)}, "
                f"got {np.shape(truth)}."
            )
    for name, grid in grids.items():
        if name not in method.get_params() or not len(grid):
            raise ParameterError(f"choose_parameters expects values for parameters, got {name}: {grid}.")
