"""Whether pages of a type that a site did not have become a new type: ARI on the sites of the bench.

The types of a site are learnt from half of its pages, without those of its second largest type; then the
other pages are added (`webgrain.pagetypes.newtypes`). Control: the same without leaving out a type. Printed
for each site and in the mean: the ARI of the added pages by the types before, after the addition, and by
types that are learnt from all pages at once; the share of learnt pages that keep their label; the shares of
the pages of the left-out type, and of other added pages, that have a new type.

    python -m experiments.new_types [SITE...]
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import NamedTuple

import numpy as np

from experiments.datasets.bench import BenchSite, path_number, read_bench
from webgrain.base.arrays import Int64
from webgrain.base.metrics import ari
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.newtypes import LearntPages, NewPage, find_new_types
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel
from webgrain.pagetypes.pathcounts import PathCounts

LEAST_PAGES = 10  # of a type that is left out


class Scores(NamedTuple):
    """What is printed of a site."""

    before: float
    added: float
    together: float
    same_label: float
    left_out: float
    others: float


def main(names: list[str]) -> None:
    """Print the scores of each site and their means."""
    rows: dict[bool, list[Scores]] = {True: [], False: []}
    for site in read_bench(names or None):
        counts = PathCounts()
        for page in site.pages():
            counts.add(page)
        for without in (True, False):
            if scores := scores_of(site, counts, without=without):
                rows[without].append(scores)
                print(site.name, "left out" if without else "control", *(f"{score:.3f}" for score in scores))
    for without, scores_of_sites in rows.items():
        table = np.array(scores_of_sites)
        change = table[:, 1] - table[:, 0]
        print("left out" if without else "control", len(table), table.mean(0).round(3).tolist())
        print(int((change > 0.02).sum()), "sites gain and", int((change < -0.02).sum()), "lose more than .02")


def scores_of(site: BenchSite, counts: PathCounts, *, without: bool) -> Scores | None:
    """Return the scores of a site; None if its types are uncertain or it has only one large type."""
    types = [site.types[name] for name in counts.ids]
    large = [type_ for type_, pages in Counter(types).most_common() if pages >= LEAST_PAGES]
    if not site.trust["types"] or len(large) < 2:
        return None
    is_left_out = np.array([type_ == large[1] for type_ in types])
    first = np.array([path_number(name) % 2 == 1 for name in counts.ids]) & ~(is_left_out & without)
    learnt, added = np.flatnonzero(first).tolist(), np.flatnonzero(~first).tolist()
    model: TypeModel = PageTypes().fit_counts(counts.part(learnt)).model_
    together: TypeModel = PageTypes().fit_counts(counts).model_
    rows = zip(counts.ids, counts.traits, counts.words, strict=True)
    pages = [NewPage(name, None, traits, words) for name, traits, words in rows]
    known = LearntPages.of([pages[k] for k in learnt], numbers(model, counts, learnt))
    grown = find_new_types(model, known, [pages[k] for k in added])
    truth = np.unique([types[k] for k in added], return_inverse=True)[1]
    before, after = labels(model, counts, learnt), labels(grown.model, counts, learnt)
    is_new = np.array([label in grown.labels for label in labels(grown.model, counts, added)])
    return Scores(
        *(ari(truth, numbers(one, counts, added)) for one in (model, grown.model, together)),
        float(np.mean([old == new for old, new in zip(before, after, strict=True)])),
        float(is_new[is_left_out[added]].mean()),
        float(is_new[~is_left_out[added]].mean()),
    )


def numbers(model: TypeModel, counts: PathCounts, pages: list[int]) -> Int64:
    """Return the numbers of the types of some pages."""
    return model.assign_traits([counts.traits[page] for page in pages])[0]


def labels(model: TypeModel, counts: PathCounts, pages: list[int]) -> list[str]:
    """Return the labels of the types of some pages."""
    assigned = numbers(model, counts, pages).tolist()
    return [model.rules[number].label if number >= 0 else OTHER for number in assigned]


if __name__ == "__main__":
    main(sys.argv[1:])
