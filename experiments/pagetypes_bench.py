"""Page types of the bench: each site is left out of the training of the model of pairs, with its fold.

Columns: adjusted Rand index; types of the truth and found; AUC and calibration error of the confidence that
the type of a page is right (the most frequent true type of its group); the share of pages that get the
same label by the models of two random halves of the site: without, and with the labels of the first model
given to the second (``previous``); and the share of pages whose type has the same name by both models, from
addresses alone.

    python experiments/pagetypes_bench.py [--parts N] [SITE ...]

--parts: the sites are left out in N parts, which takes less time; the results are not written then.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.bench import read_bench
from experiments.results import table, write_results
from experiments.training.pagetypes import cross_fit, sampled_pairs
from webgrain.base.metrics import ari
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.pagetypes.traits import PageTraits
from webgrain.pagetypes.typenames import TypeFacts, name_types


def auc(right: np.ndarray, confidence: np.ndarray) -> float:
    """Return the probability that a right page has a higher confidence than a wrong one; nan for none."""
    if right.all() or not right.any():
        return float("nan")
    yes, no = confidence[right], confidence[~right]
    return float(np.mean((yes[:, None] > no) + 0.5 * (yes[:, None] == no)))


def calibration_error(right: np.ndarray, confidence: np.ndarray) -> float:
    """Return the mean difference of confidence and share of right pages in ten bins, weighted by pages."""
    number = np.minimum((confidence * 10).astype(int), 9)
    bins = [number == k for k in range(10) if (number == k).any()]
    return float(sum(abs(right[own].mean() - confidence[own].mean()) * own.mean() for own in bins))


def is_right(truth: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return which pages have the most frequent true type of their group."""
    most = {label: np.bincount(truth[labels == label]).argmax() for label in np.unique(labels)}
    return np.array([most[label] == type_ for label, type_ in zip(labels, truth, strict=True)])


def labels_by(model: TypeModel, traits: list[PageTraits]) -> list[str]:
    """Return the label of the type of each page."""
    numbers, _ = model.assign_traits(traits)
    return [model.rules[number].label if number >= 0 else OTHER for number in numbers.tolist()]


def names_of(method: PageTypes, urls: Mapping[str, str]) -> dict[str, str]:
    """Return the display name of each type by its label; urls: of the pages by id."""
    addresses: dict[str, list[str]] = defaultdict(list)
    types = method.clustering_.types
    for page, number in zip(method.clustering_.pages, method.labels_.tolist(), strict=True):
        addresses[types[number].label].append(urls[page])
    names = name_types({label: TypeFacts(of_type) for label, of_type in addresses.items()})
    return names | {OTHER: OTHER}


def halves(counts: PathCounts, urls: Mapping[str, str], random_state: int = 0) -> tuple[float, float, float]:
    """Return the shares of the pages with the same label, inherited label and name by models of two halves.

    counts: of all pages of the site; urls: of the pages by id.
    """
    order = np.random.default_rng(random_state).permutation(len(counts))
    first, second = (counts.part(np.sort(half).tolist()) for half in (order[::2], order[1::2]))
    one, other = PageTypes().fit_counts(first), PageTypes().fit_counts(second)
    heir = PageTypes().fit_counts(second, previous=one.model_)
    labels = [labels_by(method.model_, counts.traits) for method in (one, other, heir)]
    of_types = [names_of(method, urls) for method in (one, other)]
    names = [
        [of_type.get(label, label) for label in of_pages]
        for of_type, of_pages in zip(of_types, labels[:2], strict=True)
    ]
    pairs = (labels[0], labels[1]), (labels[0], labels[2]), (names[0], names[1])
    same, inherited, named = (float(np.mean([a == b for a, b in zip(*pair, strict=True)])) for pair in pairs)
    return same, inherited, named


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sites", nargs="*", metavar="SITE", help="those that are evaluated; all without one")
    parser.add_argument("--parts", type=int, metavar="N", help="leave the sites out in N parts")
    options = parser.parse_args()
    sites = {site.name: site for site in read_bench() if site.trust["types"]}
    counts = {name: PathCounts() for name in sites}
    urls: dict[str, dict[str, str]] = {name: {} for name in sites}
    for name, site in sites.items():
        for page in site.pages():
            counts[name].add(page)
            urls[name][page.id] = page.url or page.id
    types = {name: [site.types[id_] for id_ in counts[name].ids] for name, site in sites.items()}
    pairs = {name: sampled_pairs(counts[name].traits, types[name]) for name in sites}
    models = cross_fit(pairs, options.parts)
    rows, every = [], []
    print(f"{'site':14}    ARI  types      AUC  error  labels  inherited  names")
    for name in options.sites or sites:
        with patch("webgrain.pagetypes.similarity.trained_pairs", lambda model=models[name]: model):
            found = PageTypes().fit_counts(counts[name]).clustering_
            truth = np.unique(types[name], return_inverse=True)[1]
            known = ~np.isnan(found.confidence)
            right = is_right(truth, found.labels)[known]
            confidence = found.confidence[known]
            every.append(np.stack([right, confidence]))
            row = [ari(truth, found.labels), auc(right, confidence), calibration_error(right, confidence)]
            row += halves(counts[name], urls[name])
        rows.append(row)
        number = f"{truth.max() + 1}/{len(found.types)}"
        print(f"{name:14}{row[0]:7.2f}  {number:7}" + "".join(f"{x:7.2f}" for x in row[1:]), flush=True)
    mean = np.nanmean(rows, axis=0)
    print(f"{'mean':14}{mean[0]:7.3f}  {'':7}" + "".join(f"{x:7.3f}" for x in mean[1:]))
    right, confidence = np.concatenate(every, axis=1)
    pooled = calibration_error(right, confidence)
    print(f"pages of all sites: calibration error {pooled:.3f}, right {right.mean():.3f}")
    if options.sites or options.parts:
        return
    columns = ["site", "ARI", "AUC", "calibration error", "labels", "inherited labels", "names"]
    named = zip([*sites, "mean"], [*rows, mean], strict=True)
    lines = [[name, *(None if np.isnan(x) else float(x) for x in row)] for name, row in named]
    lines.append(["pages of all sites", None, None, pooled, None, None, None])
    data = "Page types of the sites of the bench; each site was left out of training."
    command = "python experiments/pagetypes_bench.py"
    write_results("pagetypes", data, command, {"sites": table(columns, lines)})


if __name__ == "__main__":
    main()
