"""Train the model of pairs of pages that comes with webgrain, and its calibration: ``make train``.

    python experiments/training/pagetypes.py

    pages --page_traits, pair_features--> features of pairs, same type or not --fit--> weights

The model is learnt from all sites of the bench, each as a whole and as small random samples of its pages.
`cross_fit` learns a model per fold of the sites for the evaluation. All sites have the same total weight;
pairs of large types count less, so that small types have an influence.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.bench import folds, read_bench
from webgrain.errors import require
from webgrain.modelfile import write_model
from webgrain.pagetypes.pagetypes import PageTypes, confidence_features, find_groups, model_of
from webgrain.pagetypes.similarity import FORMAT, VERSION, PairModel, all_columns, pair_features
from webgrain.pagetypes.traits import page_traits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.pagetypes.traits import PageTraits

MODEL = Path(__file__).parents[2] / "src" / "webgrain" / "pagetypes" / "trained" / "pairs.json"
MOST_PAIRS = 1500
"""Number of pairs of a site, drawn at random, that are used for training."""
SIZE_POWER = 0.25
"""Power of the sizes of the types of a pair by which its weight is divided."""
SAMPLES = (60, 25, 10, 6)
"""Numbers of pages of the samples."""
FULL = 250
"""Pages from which a sample has the full weight; smaller ones have a smaller weight, by the root."""
STRENGTH = 0.01
"""Inverse of the L2 penalty."""


@dataclass(frozen=True)
class Pairs:
    """A site: the names of the features, the features (f, n, n) of its pages, and the types (n,)."""

    names: list[str]
    features: NDArray[np.float32]
    types: NDArray[np.int64]


def pairs_of(traits: Sequence[PageTraits], types: Sequence[str]) -> Pairs:
    """Return the pairs of the pages of a site."""
    names, features = pair_features(traits, all_columns(traits))
    return Pairs(names, features, np.unique(list(types), return_inverse=True)[1])


def sampled_pairs(traits: Sequence[PageTraits], types: Sequence[str]) -> list[Pairs]:
    """Return the pairs of all pages of a site, and those of samples."""
    rng = np.random.default_rng(0)
    draws = [range(len(traits))]
    draws += [rng.permutation(len(traits))[:most].tolist() for most in SAMPLES if most < len(traits)]
    return [pairs_of([traits[k] for k in some], [types[k] for k in some]) for some in draws]


def fit(sites: Sequence[Sequence[Pairs]], random_state: int = 0) -> PairModel:
    """Return the model learnt from sites with their samples; the same for the same input."""
    rng = np.random.default_rng(random_state)
    rows = [_rows(some, rng) for samples in sites for some in samples]
    x, y, weight = (np.concatenate(part) for part in zip(*rows, strict=True))
    mean, scale = np.average(x, axis=0, weights=weight), x.std(0) + 1e-6
    linear = require("sklearn.linear_model", "learn", "learning which pages are of the same type")
    model = linear.LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit((x - mean) / scale, y, sample_weight=50 * weight)
    weights = model.coef_[0] / scale
    return PairModel(tuple(sites[0][0].names), weights, float(model.intercept_[0] - weights @ mean))


def _rows(site: Pairs, rng: np.random.Generator) -> tuple[NDArray, NDArray, NDArray]:
    i, j = np.triu_indices(len(site.types), 1)
    if len(i) > MOST_PAIRS:
        drawn = rng.permutation(len(i))[:MOST_PAIRS]
        i, j = i[drawn], j[drawn]
    size = np.bincount(site.types)
    weight = (size[site.types[i]] * size[site.types[j]]) ** -SIZE_POWER
    same = site.types[i] == site.types[j]
    share = np.sqrt(min(len(site.types), FULL) / FULL)
    return site.features[:, i, j].T.astype(np.float64), same, share * weight / weight.sum()


def cross_fit(sites: Mapping[str, Sequence[Pairs]]) -> dict[str, PairModel]:
    """Return for each site the model learnt without the sites of its fold."""
    names = sorted(sites)
    fold = folds(names)
    return {
        name: model
        for number in np.unique(fold).tolist()
        for model in [fit([sites[name] for name, k in zip(names, fold, strict=True) if k != number])]
        for name, k in zip(names, fold, strict=True)
        if k == number
    }


def fit_confidence(sites: Mapping[str, tuple[Sequence[PageTraits], Sequence[str]]]) -> NDArray[np.float64]:
    """Return the weights (4,) of the confidence: traits and types of the pages of each site.

    The groups of each site are found by a model that the site was left out of. A page is right if it has the
    most frequent type of its group.
    """
    models = cross_fit({name: sampled_pairs(*site) for name, site in sites.items()})
    rows, right, weight = [], [], []
    for name, (traits, types) in sites.items():
        truth = np.unique(list(types), return_inverse=True)[1]
        groups = find_groups(traits, PageTypes().least, models[name])
        own = groups.types >= 0
        model = model_of(traits, np.arange(len(traits)), groups)
        rows.append(confidence_features(*model.numbers(traits, np.maximum(groups.types, 0)))[:, own].T)
        most = {k: np.bincount(truth[groups.types == k]).argmax() for k in np.unique(groups.types[own])}
        right.append([most[k] == type_ for k, type_ in zip(groups.types[own], truth[own], strict=True)])
        weight.append(np.full(own.sum(), 200 / max(own.sum(), 1)))
    linear = require("sklearn.linear_model", "learn", "learning the confidence of page types")
    model = linear.LogisticRegression(C=10, max_iter=500)
    model.fit(np.concatenate(rows)[:, 1:], np.concatenate(right), sample_weight=np.concatenate(weight))
    return np.concatenate([model.intercept_, model.coef_[0]])


def main() -> None:
    """Write the model."""
    sites = {}
    for site in read_bench():
        if site.trust["types"]:
            pages = list(site.pages())
            sites[site.name] = [page_traits(page) for page in pages], [site.types[page.id] for page in pages]
    model = fit([sampled_pairs(*site) for site in sites.values()])
    MODEL.parent.mkdir(exist_ok=True)
    write(MODEL, model, fit_confidence(sites))


def write(path: Path, model: PairModel, confidence: NDArray[np.float64]) -> None:
    """Write the model of pairs and the weights of the confidence to a file."""
    weights = {name: float(f"{value:.5g}") for name, value in zip(model.names, model.weight, strict=True)}
    content = {
        "bias": float(f"{model.bias:.5g}"),
        "weights": weights,
        "confidence": [float(f"{value:.5g}") for value in confidence],
    }
    write_model(path, FORMAT, VERSION, content)


if __name__ == "__main__":
    main()
