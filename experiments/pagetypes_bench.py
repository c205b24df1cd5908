"""Page types of the bench: each site is left out of the training of the model of pairs, with its fold.

Columns: adjusted Rand index; types of the truth and found; AUC and calibration error of the confidence that
the type of a page is right (the most frequent true type of its group); and the share of pages that get the
same label by the models of two random halves of the site: without, and with the labels of the first model
given to the second (``previous``).

    python experiments/pagetypes_bench.py [SITE ...]
"""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.bench import read_bench
from experiments.results import table, write_results
from experiments.training.pagetypes import cross_fit, sampled_pairs
from webgrain.base.metrics import ari
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PathCounts


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


def halves(pages: list, random_state: int = 0) -> tuple[float, float]:
    """Return the share of pages with the same label by models of two halves, without and with previous."""
    order = np.random.default_rng(random_state).permutation(len(pages))
    first, second = ([pages[k] for k in np.sort(some)] for some in (order[::2], order[1::2]))
    one = PageTypes().fit(first)
    found = [one.predict(page).type for page in pages]
    shares = []
    for previous in (None, one.model_):
        other = PageTypes().fit(second, previous=previous)
        again = [other.predict(page).type for page in pages]
        shares.append(float(np.mean([a == b for a, b in zip(found, again, strict=True)])))
    return shares[0], shares[1]


def main() -> None:
    """Print the table."""
    sites = {site.name: site for site in read_bench() if site.trust["types"]}
    pages = {name: list(site.pages()) for name, site in sites.items()}
    counts = {}
    for name, own in pages.items():
        counts[name] = PathCounts()
        for page in own:
            counts[name].add(page)
    types = {name: [sites[name].types[page.id] for page in own] for name, own in pages.items()}
    models = cross_fit({name: sampled_pairs(counts[name].traits, types[name]) for name in sites})
    rows, every = [], []
    print(f"{'site':14}    ARI  types      AUC  error  labels  inherited")
    for name in sys.argv[1:] or sites:
        with patch("webgrain.pagetypes.similarity.trained_pairs", lambda model=models[name]: model):
            found = PageTypes().fit_counts(counts[name]).clustering_
            truth = np.unique(types[name], return_inverse=True)[1]
            known = ~np.isnan(found.confidence)
            right = is_right(truth, found.labels)[known]
            confidence = found.confidence[known]
            every.append(np.stack([right, confidence]))
            row = [ari(truth, found.labels), auc(right, confidence), calibration_error(right, confidence)]
            row += halves(pages[name])
        rows.append(row)
        number = f"{truth.max() + 1}/{len(found.types)}"
        print(f"{name:14}{row[0]:7.2f}  {number:7}" + "".join(f"{x:7.2f}" for x in row[1:]), flush=True)
    mean = np.nanmean(rows, axis=0)
    print(f"{'mean':14}{mean[0]:7.3f}  {'':7}" + "".join(f"{x:7.3f}" for x in mean[1:]))
    right, confidence = np.concatenate(every, axis=1)
    pooled = calibration_error(right, confidence)
    print(f"pages of all sites: calibration error {pooled:.3f}, right {right.mean():.3f}")
    if sys.argv[1:]:
        return
    columns = ["site", "ARI", "AUC", "calibration error", "labels", "inherited labels"]
    named = zip([*sites, "mean"], [*rows, mean], strict=True)
    lines = [[name, *(None if np.isnan(x) else float(x) for x in row)] for name, row in named]
    lines.append(["pages of all sites", None, None, pooled, None, None])
    data = "Page types of the sites of the bench; each site was left out of training."
    command = "python experiments/pagetypes_bench.py"
    write_results("pagetypes", data, command, {"sites": table(columns, lines)})


if __name__ == "__main__":
    main()
