"""Train the trees that decide whether a page fits a template, and evaluate them on left-out sites.

    python experiments/training/templates.py [--write]

For each type of at least 20 pages of each bench site, a template is learnt from 15 and from 5 pages. Other
pages of the type are examples, pages of the other types of the site are counterexamples; each type has the
same weight. The table shows for each site, which was left out of training and of the choice of the threshold:
the share of the type's own other pages that are accepted, and of the pages of other types that are rejected.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.bench import BenchSite, folds, read_bench
from webgrain.base.arrays import Bool, Float64, Int64
from webgrain.base.trees import BoostedTrees, learn_trees, write_trees
from webgrain.page.page import Page
from webgrain.templates import acceptance
from webgrain.templates.acceptance import FORMAT, FitFeatures, input_names, inputs, usual
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.statistics import learn_statistics
from webgrain.templates.structure import learn_structure

LEARN, LEAST, MOST, OTHERS = (15, 5), 20, 30, 6
REJECTED = 0.03
"""Share of the pages of a type that may be rejected."""
FOLDS = 8


class Examples(NamedTuple):
    """Matches with a template: its site, number of pages learnt from, inputs (p, 3 f), own (p,) bool."""

    site: str
    learnt: int
    inputs: Float64
    own: Bool


def examples(site: BenchSite) -> list[Examples]:
    """Return the matches of the pages of a site with the templates of its types."""
    by_type: dict[str, list[Page]] = defaultdict(list)
    sources = list(site.pages())
    random.Random(0).shuffle(sources)
    for page in sources:
        if len(by_type[site.types[page.id]]) < MOST:
            by_type[site.types[page.id]].append(page)
    found = []
    for kind, pages in by_type.items():
        others = [page for other, some in by_type.items() if other != kind for page in some[-OTHERS:]]
        for n in LEARN if len(pages) >= LEAST and others else ():
            template, places = learn_structure(pages[:n])
            statistics = learn_statistics(template, pages[:n], places)
            template = replace(template, statistics=statistics)
            features, matcher = FitFeatures(template), TemplateMatcher(template)
            typical = usual(features.left_out(pages[:n], places))
            rest = pages[LEARN[0] :]
            rows = np.array([features.of(page, matcher.align(page)) for page in (*rest, *others)])
            own = np.arange(len(rows)) < len(rest)
            found.append(Examples(site.name, n, inputs(rows, typical), own))
    return found


def stacked(found: list[Examples]) -> tuple[Float64, Float64, Float64]:
    """Return inputs, labels and weights of all examples."""
    weight = [np.where(one.own, 1 / one.own.sum(), 1 / (~one.own).sum()) for one in found]
    return (
        np.concatenate([one.inputs for one in found]),
        np.concatenate([one.own for one in found]).astype(float),
        np.concatenate(weight),
    )


def train(found: list[Examples]) -> BoostedTrees:
    """Return trained trees."""
    return learn_trees(
        *stacked(found),
        input_names(),
        max_iter=60,
        learning_rate=0.1,
        max_leaf_nodes=8,
        min_samples_leaf=40,
        l2_regularization=1.0,
        max_features=0.3,
    )


def threshold(probability: Float64, own: Bool, weight: Float64) -> float:
    """Return the probability that all but `REJECTED` of the pages of a type reach."""
    order = np.argsort(probability[own])
    share = np.cumsum(weight[own][order])
    return float(probability[own][order][np.searchsorted(share, REJECTED * share[-1])])


def evaluate(found: list[Examples]) -> tuple[dict[str, Float64], float]:
    """Return the pages accepted and rejected by left-out site, for templates of 15 pages; the threshold."""
    names = sorted({one.site for one in found})
    fold = folds(names)
    part = np.random.default_rng(0).permutation(fold.max() + 1)[fold] % FOLDS
    of = dict(zip(names, part.tolist(), strict=True))
    probability = {}
    for k in range(FOLDS):
        model = train([one for one in found if of[one.site] != k])
        for number, one in enumerate(found):
            if of[one.site] == k:
                probability[number] = model.probability(one.inputs)
    rows: dict[str, list[Float64]] = defaultdict(list)
    used: Int64 = np.array([of[one.site] for one in found])
    for k in range(FOLDS):
        least = _threshold(found, probability, used != k)
        for number in np.flatnonzero(used == k).tolist():
            one, accepted = found[number], probability[number] >= least
            if one.learnt == LEARN[0]:
                rows[one.site].append(np.array([accepted[one.own].mean(), 1 - accepted[~one.own].mean()]))
    table = {name: np.mean(some, axis=0) for name, some in sorted(rows.items())}
    return table, _threshold(found, probability, np.ones(len(found), bool))


def _threshold(found: list[Examples], probability: dict[int, Float64], used: Bool) -> float:
    chosen = [k for k in np.flatnonzero(used).tolist() if found[k].learnt == LEARN[0]]
    _, own, weight = stacked([found[k] for k in chosen])
    return threshold(np.concatenate([probability[k] for k in chosen]), own > 0, weight)


def main() -> None:
    """Print the table; write the model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="replace the model of the package",
    )
    write = parser.parse_args().write
    found = [one for site in read_bench() if site.trust["types"] for one in examples(site)]
    table, least = evaluate(found)
    print(f"{'site':16} {'own accepted':>13} {'others rejected':>16}")
    for name, row in table.items():
        print(f"{name:16} {row[0]:13.3f} {row[1]:16.3f}")
    mean = np.mean(list(table.values()), axis=0)
    print(f"{'mean of sites':16} {mean[0]:13.3f} {mean[1]:16.3f}")
    print(f"threshold {least!r}")
    if write:
        path = Path(acceptance.__file__).parent / "trained" / "acceptance.model"
        write_trees(path, {"accepted": train(found)}, FORMAT)


if __name__ == "__main__":
    main()
