"""Parameters of a method chosen on labelled pages.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Learning lambda values from validation set": the value of best accuracy (here the mean adjusted Rand index).

Departure: several parameters are chosen, in steps from a usual value as long as they pay. That may end at
values which are not the best of all; but the best of many values on few pages is chance anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.metrics.partition import ari

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Labels = NDArray[np.integer]


def choose(
    score: Callable[[Mapping[str, float]], float],
    grids: Mapping[str, Sequence[float]],
    start: Mapping[str, float],
    max_rounds: int = 2,
) -> dict[str, float]:
    """Return the parameters that no step to a neighbouring value improves, or where ``max_rounds`` end.

    score: of values by name; grids: values of each, ascending; start: a value for each name. In a round each
    parameter in turn walks its grid up or down as long as that is better; each combination is scored once.

    >>> choose(lambda at: -abs(at["x"] - 3) - abs(at["y"]), {"x": [1, 2, 4], "y": [0, 1]}, {"x": 1, "y": 1})
    {'x': 2, 'y': 0}
    """
    scores: dict[tuple[float, ...], float] = {}

    def of(values: Mapping[str, float]) -> float:
        key = tuple(values.values())
        if key not in scores:
            scores[key] = score(values)
        return scores[key]

    best = dict(start)
    for _ in range(max_rounds):
        before = best
        for name, grid in grids.items():
            above = [best | {name: value} for value in grid if value > best[name]]
            below = [best | {name: value} for value in reversed(grid) if value < best[name]]
            for steps in (above, below):
                for step in steps:
                    if of(step) <= of(best):
                        break
                    best = step
        if best == before:
            break
    return best


def mean_ari(labels: Sequence[Labels], truths: Sequence[Labels]) -> float:
    """Return the mean ARI over pages, on nodes whose segment is known; one without a label is alone.

    labels, truths: arrays (n,) over the nodes of each page, -1 for none.

    >>> mean_ari([np.array([-1, 0, 0, 1])], [np.array([-1, 5, 5, 7])])
    1.0
    """
    values = []
    for found, truth in zip(labels, truths, strict=True):
        known = np.asarray(truth) >= 0
        alone = found.max(initial=-1) + 1 + np.arange(len(found))
        values.append(ari(np.asarray(truth)[known], np.where(found >= 0, found, alone)[known]))
    return float(np.mean(values))
