"""What the experiments on labelled pages share: pages, two ways of learning and judging, sweeps of lambda.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 5.1.

    paper's protocol    pages in parts of 25:25:50 %: weights from the first, parameters from the second,
                        judged on the third; here over `SPLITS` random splits, since one is a lottery
    cross-validation    weights and parameters from four fifths of the pages, judged on the fifth
"""

from __future__ import annotations

import argparse
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.evaluation.datasets import load_examples
from webgrain.evaluation.evaluate import folds_by_site, score, site_of
from webgrain.pipeline import Layout
from webgrain.segmentation.cclus import CClus
from webgrain.segmentation.costs import TRAINED
from webgrain.segmentation.gcuts import GCuts
from webgrain.segmentation.learning import fit_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.arrays import Int32
    from webgrain.evaluation.datasets import Example
    from webgrain.page.page import Page
    from webgrain.segmentation.learning import WeightedMethod

    Floats = NDArray[np.float64]

SPLITS = 3
LAMS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
FIGURES = Path(__file__).parents[1] / "docs" / "figures"

METHODS: Mapping[str, Callable[..., WeightedMethod]] = {
    "GCuts": GCuts,
    "GCuts-NP": lambda **given: GCuts(parent_child_edges=False, **given),
    "GCuts-NL": lambda **given: GCuts(**{"weights": "uniform", **given}),
    "CClus": CClus,
    "CClus-NL": lambda **given: CClus(**{"weights": "uniform", **given}),
    "CClus, local search": lambda **given: CClus(local_search=True, **given),
}


class Judged(NamedTuple):
    """A method that was learnt, and the pages that it has not seen, as places in the data."""

    method: WeightedMethod
    pages: list[int]


class Data:
    """The labelled pages of the data folder (WEBGRAIN_DATA), and what was learnt from them so far."""

    def __init__(self, render: str) -> None:
        self.examples: list[Example] = load_examples(None, Layout(render=render))
        self.folds = folds_by_site([site_of(example.page) for example in self.examples])

    def some(self, places: Sequence[int]) -> tuple[list[Page], list[Int32]]:
        """Return pages and their true segments over the nodes of each."""
        examples = [self.examples[k] for k in places]
        truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
        return [example.page for example in examples], truths

    @cache  # noqa: B019 - one for each run
    def by_folds(self, name: str) -> list[Judged]:
        """Return a method as learnt from all folds but one, for each fold."""
        print(f"{name}: cross-validation", file=sys.stderr, flush=True)
        out = []
        for fold in np.unique(self.folds):
            learnt, held_out = np.flatnonzero(self.folds != fold), np.flatnonzero(self.folds == fold)
            out.append(Judged(METHODS[name]().fit(*self.some(learnt)), held_out.tolist()))
        return out

    @cache  # noqa: B019
    def by_splits(self, name: str) -> list[Judged]:
        """Return a method as the paper learns it, for each random split of the pages."""
        print(f"{name}: the paper's protocol", file=sys.stderr, flush=True)
        out = []
        for seed in range(SPLITS):
            order = np.random.default_rng(seed).permutation(len(self.examples))
            training, validation, test = np.split(order, [len(order) // 4, len(order) // 2])
            method = METHODS[name]()
            if method.weights == TRAINED:
                method = METHODS[name](weights=self._weights(tuple(training.tolist())))
            out.append(Judged(method.fit(*self.some(validation)), test.tolist()))
        return out

    @cache  # noqa: B019
    def scores(self, judged: Callable[[str], list[Judged]], name: str) -> Floats:
        """Return ARI and NMI (p, 2) of the pages that are judged, of one method after the other."""
        return np.concatenate([self._scores(one, [{}])[0] for one in judged(name)])

    def sweep(self, judged: Callable[[str], list[Judged]], name: str) -> Floats:
        """Return the mean ARI and NMI (len(LAMS), 2) of the pages that are judged, for each lambda."""
        changes = [{"lam": lam} for lam in LAMS]
        return np.concatenate([self._scores(one, changes) for one in judged(name)], axis=1).mean(axis=1)

    def chosen(self, judged: Callable[[str], list[Judged]], name: str) -> list[float]:
        """Return the lambdas that were chosen, one for each fold or split."""
        return [one.method.weights_.parameters[one.method.method]["lam"] for one in judged(name)]

    @cache  # noqa: B019
    def _weights(self, places: tuple[int, ...]):
        return fit_weights(*self.some(places))

    def _scores(self, judged: Judged, changes: Sequence[Mapping[str, float]]) -> Floats:
        """Return ARI and NMI (c, p, 2) for each change of the parameters."""
        method, weights = judged.method, judged.method.weights_
        out = np.empty((len(changes), len(judged.pages), 2))
        for column, k in enumerate(judged.pages):
            example = self.examples[k]
            costs = method.prepare(example.page, weights)
            for row, changed in enumerate(changes):
                labels = method.cut(costs, method.values(weights) | dict(changed)).labels
                out[row, column] = score(labels, example.truth, "fine")[:2]
        return out


def run(draw: Callable[[Data, Path], None], description: str) -> None:
    """Read the command line, learn, print a table and draw the figure."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--render", choices=("chromium", "estimate"), default="chromium")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder of the pictures")
    args = parser.parse_args()
    args.figures.mkdir(parents=True, exist_ok=True)
    draw(Data(args.render), args.figures)


def row(data: Data, name: str) -> str:
    """Return two lines of a table: by cross-validation and in the paper's protocol."""
    parts = []
    for judged, lams in ((data.by_folds, "folds"), (data.by_splits, "splits")):
        values = data.scores(judged, name)
        error = values.std(axis=0, ddof=1) / np.sqrt(min(len(values), len(data.examples)))
        ari, nmi = (f"{mean:.3f} ± {off:.3f}" for mean, off in zip(values.mean(axis=0), error, strict=True))
        low, high = np.mean(values[:, 0] < 0.3), np.mean(values[:, 0] > 0.6)
        chosen = "/".join(f"{lam:g}" for lam in data.chosen(judged, name))
        parts.append(f"{ari}  {nmi}  {low:4.0%} {high:4.0%}  lambda of {lams}: {chosen}")
    return f"{name:20} {parts[0]}\n{'':20} {parts[1]}"
