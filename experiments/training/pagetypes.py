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
from webgrain.base.errors import require
from webgrain.base.modelfile import write_model
from webgrain.pagetypes.pagetypes import PageTypes, confidence_features, find_groups, model_of_groups
from webgrain.pagetypes.similarity import (
    FORMAT,
    VERSION,
    PairModel,
    PairModels,
    TraitMatrix,
    all_columns,
    average_linkage,
    group_pair_features,
    pair_features,
)
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
STRENGTH, GROUP_STRENGTH = 0.01, 0.003
"""Inverse of the L2 penalty: for pairs of pages, and of groups."""
GROUPINGS, GROUP_POWER = (0.6, 0.7, 0.8, 0.9), 0.5
"""Probabilities of merging of the groups, and power of the sizes of a pair of groups in its weight."""


Rows = tuple["NDArray", "NDArray", "NDArray"]
"""Features (r, f), targets (r,) and weights (r,)."""


@dataclass(frozen=True)
class Pairs:
    """A site: the traits of its pages, the names and the features (f, n, n) of pairs, the types (n,)."""

    columns: tuple[TraitMatrix, ...]
    names: list[str]
    features: NDArray[np.float32]
    types: NDArray[np.int64]


def pairs_of(traits: Sequence[PageTraits], types: Sequence[str]) -> Pairs:
    """Return the pairs of the pages of a site."""
    columns = all_columns(traits)
    return Pairs(columns, *pair_features(traits, columns), np.unique(list(types), return_inverse=True)[1])


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
    return _logistic(sites[0][0].names, rows, STRENGTH)


def _logistic(names: Sequence[str], rows: Sequence[Rows], strength: float) -> PairModel:
    x, y, weight = (np.concatenate(part) for part in zip(*rows, strict=True))
    mean, scale = np.average(x, axis=0, weights=weight), x.std(0) + 1e-6
    linear = require("sklearn.linear_model", "learn", "learning which pages are of the same type")
    model = linear.LogisticRegression(C=strength, max_iter=1000)
    model.fit((x - mean) / scale, y, sample_weight=50 * weight)
    weights = model.coef_[0] / scale
    return PairModel(tuple(names), weights, float(model.intercept_[0] - weights @ mean))


def _rows(site: Pairs, rng: np.random.Generator) -> Rows:
    i, j = np.triu_indices(len(site.types), 1)
    if len(i) > MOST_PAIRS:
        drawn = rng.permutation(len(i))[:MOST_PAIRS]
        i, j = i[drawn], j[drawn]
    size = np.bincount(site.types)
    weight = (size[site.types[i]] * size[site.types[j]]) ** -SIZE_POWER
    same = site.types[i] == site.types[j]
    share = np.sqrt(min(len(site.types), FULL) / FULL)
    return site.features[:, i, j].T.astype(np.float64), same, share * weight / weight.sum()


def group_rows(samples: Sequence[Pairs], model: PairModel) -> tuple[list[str], list[Rows]]:
    """Return the names of the features of pairs of groups, and the rows of a site that the model left out.

    The groups are those at several probabilities of merging. Each pair is two rows, of the same type and not,
    weighted by the share of the pairs of pages of which that is true.
    """
    names, rows = list[str](), list[Rows]()
    for site in samples:
        probability = model.probability(site.names, site.features)
        for least in GROUPINGS:
            groups = np.unique(average_linkage(probability, least), return_inverse=True)[1]
            names, features = group_pair_features(
                (site.names, site.features), probability, site.columns, groups
            )
            number = np.zeros((groups.max() + 1, site.types.max() + 1))
            np.add.at(number, (groups, site.types), 1)
            size = number.sum(1)
            same = (number / size[:, None]) @ (number / size[:, None]).T
            i, j = np.triu_indices(len(size), 1)
            own = (size[i] * size[j]) ** GROUP_POWER
            own *= np.sqrt(min(len(groups), FULL) / FULL) / max(own.sum(), 1.0)
            x = features[:, i, j].T.astype(np.float64)
            weight = np.concatenate([own * same[i, j], own * (1 - same[i, j])])
            rows.append((np.concatenate([x, x]), np.repeat([True, False], len(x)), weight))
    return names, rows


def cross_fit(sites: Mapping[str, Sequence[Pairs]], parts: int | None = None) -> dict[str, PairModels]:
    """Return for each site the models learnt without the sites of its fold.

    parts: number of folds, which takes less time; None: each family of sites is one.
    """
    number_of = folds(sorted(sites)) if parts is None else folds(sorted(sites)) % parts
    fold = dict(zip(sorted(sites), number_of.tolist(), strict=True))
    pages = {
        number: fit([sites[name] for name in fold if fold[name] != number])
        for number in sorted(set(fold.values()))
    }
    rows = {name: group_rows(sites[name], pages[fold[name]]) for name in fold}
    groups = {number: fit_groups([rows[name] for name in fold if fold[name] != number]) for number in pages}
    return {name: PairModels(pages[number], groups[number]) for name, number in fold.items()}


def fit_groups(rows: Sequence[tuple[list[str], list[Rows]]]) -> PairModel:
    """Return the model of pairs of groups learnt from the rows of sites."""
    return _logistic(rows[0][0], [one for _, own in rows for one in own], GROUP_STRENGTH)


def fit_confidence(
    sites: Mapping[str, tuple[Sequence[PageTraits], Sequence[str]]], models: Mapping[str, PairModels]
) -> NDArray[np.float64]:
    """Return the weights (4,) of the confidence: traits and types of the pages of each site.

    models: those that each site was left out of, by which its groups are found. A page is right if it has
    the most frequent type of its group.
    """
    rows, right, weight = [], [], []
    for name, (traits, types) in sites.items():
        truth = np.unique(list(types), return_inverse=True)[1]
        groups = find_groups(traits, PageTypes().least, models[name])
        own = groups.types >= 0
        model = model_of_groups(traits, np.arange(len(traits)), groups)
        fits = model.classifier.fit_of(traits)
        rows.append(confidence_features(*model.numbers(fits, np.maximum(groups.types, 0)))[:, own].T)
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
    MODEL.parent.mkdir(exist_ok=True)
    write(MODEL, *learn(sites))


def learn(
    sites: Mapping[str, tuple[Sequence[PageTraits], Sequence[str]]],
) -> tuple[PairModels, NDArray[np.float64]]:
    """Return the models and the weights of the confidence; traits and types of the pages of each site."""
    pairs = {name: sampled_pairs(*site) for name, site in sites.items()}
    models = cross_fit(pairs)
    rows = [group_rows(pairs[name], models[name].pages) for name in sorted(sites)]
    return PairModels(fit(list(pairs.values())), fit_groups(rows)), fit_confidence(sites, models)


def write(path: Path, models: PairModels, confidence: NDArray[np.float64]) -> None:
    """Write the models of pairs and the weights of the confidence to a file."""
    content: dict[str, object] = {"confidence": [float(f"{value:.5g}") for value in confidence]}
    for name, model in zip(models._fields, models, strict=True):
        weights = {key: float(f"{value:.5g}") for key, value in zip(model.names, model.weight, strict=True)}
        content[name] = {"bias": float(f"{model.bias:.5g}"), "weights": weights}
    write_model(path, FORMAT, VERSION, content)


if __name__ == "__main__":
    main()
