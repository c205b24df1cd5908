"""Train the trees that decide whether a page fits a template, and evaluate them on left-out sites.

    python experiments/training/templates.py [--write]

For each type of at least 20 pages of each bench site, a template is learnt from 15 and from 5 pages. Other
pages of the type are examples. Counterexamples are pages of the other types of the site, and pages of the
type in another order (`experiments.reordering`); each type has the same weight. The table shows for each
site, which was left out of training and of the choice of the threshold, the share of pages that are accepted:
the type's own other pages, pages of other types, and pages of the type with all, the frame or the content in
reverse order.

If few pages of a type are not accepted, those below a lower probability are reported as misfits. The second
table shows, for such probabilities, the means over left-out sites of the reported shares of the pages of a
type and of pages of other types, and the number of sites of which more than 2 % of their own pages, and more
than one page, are reported. In the last row, the probability for each site is the highest without such a site
in the other parts, or the lowest.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.bench import BenchSite, folds, read_bench
from experiments.reordering import REVERSALS, is_changed
from webgrain.base.arrays import Bool, Float64, Int64
from webgrain.base.trees import BoostedTrees, learn_trees, write_trees
from webgrain.page.page import Page
from webgrain.site.thresholds import FITTING
from webgrain.templates import acceptance
from webgrain.templates.acceptance import FORMAT, FitFeatures, input_names, inputs, usual
from webgrain.templates.likelihood import choices_of_pages, learn_choices
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.statistics import learn_statistics
from webgrain.templates.structure import learn_structure
from webgrain.templates.thresholds import ACCEPTED

LEARN, LEAST, MOST, OTHERS = (15, 5), 20, 30, 6
GROUPS = ("own", "others", *REVERSALS)
WEIGHT = 0.15
"""Weight of the pages of a type in each order; that of its pages, and of those of other types, is 1."""
REJECTED = 0.03
"""Share of the pages of a type that may be rejected."""
FOLDS = 8
MISFITS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
"""Probabilities below which a page may be reported as a misfit."""
MOST_FALSE = 0.02
"""Share of the pages of a site that may be misfits, at most."""


class Examples(NamedTuple):
    """Matches with a template: its site, number of pages learnt from, and pages of each of the `GROUPS`.

    inputs (p, 3 f); group (p,); exact (p,) whether the page is in the language of the template.
    """

    site: str
    learnt: int
    inputs: Float64
    group: Int64
    exact: Bool

    @property
    def own(self) -> Bool:
        """(p,) whether a page is of the type, in its own order."""
        own: Bool = self.group == 0
        return own


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
            choices = learn_choices(template, choices_of_pages(template, pages[:n], places))
            template = replace(template, statistics=statistics, choices=choices)
            features, matcher = FitFeatures(template), TemplateMatcher(template)
            typical = usual(features.left_out(pages[:n], places))
            rest = pages[LEARN[0] :]
            reversals = [reversal(rest[:OTHERS]) for reversal in map(_reversal, REVERSALS)]
            groups = (rest, others, *reversals)
            compared = [page for group in groups for page in group]
            alignments = list(map(matcher.align, compared))
            rows = np.array(list(map(features.of, compared, alignments)))
            number = np.repeat(np.arange(len(groups)), list(map(len, groups)))
            exact = np.array([alignment.exact for alignment in alignments])
            found.append(Examples(site.name, n, inputs(rows, typical), number, exact))
    return found


def _reversal(name: str) -> Callable[[Sequence[Page]], list[Page]]:
    """Return the function that gives pages in reverse order, without those that are the same in both."""

    def reversal(pages: Sequence[Page]) -> list[Page]:
        pairs = [(page, REVERSALS[name](page)) for page in pages]
        return [other for page, other in pairs if is_changed(page, other)]

    return reversal


def stacked(found: list[Examples]) -> tuple[Float64, Float64, Float64]:
    """Return inputs, labels and weights of all examples.

    Pages in reverse order that are in the language of the template do not count.
    """
    weight = []
    for one in found:
        number = np.bincount(one.group, minlength=len(GROUPS))[one.group]
        weight.append(np.where(one.group > 1, WEIGHT * ~one.exact, 1.0) / number)
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


def parts_of(found: list[Examples]) -> dict[str, int]:
    """Return the part of each site: the sites of a part are left out together."""
    names = sorted({one.site for one in found})
    fold = folds(names)
    part = np.random.default_rng(0).permutation(fold.max() + 1)[fold] % FOLDS
    return dict(zip(names, part.tolist(), strict=True))


def left_out(found: list[Examples]) -> dict[int, Float64]:
    """Return the probabilities of the examples, by their number, by trees learnt without their site."""
    of = parts_of(found)
    probability = {}
    for k in range(FOLDS):
        model = train([one for one in found if of[one.site] != k])
        for number, one in enumerate(found):
            if of[one.site] == k:
                probability[number] = model.probability(one.inputs)
    return probability


def evaluate(found: list[Examples], probability: dict[int, Float64]) -> tuple[dict[str, Float64], float]:
    """Return the share of the pages of each group that are accepted, by left-out site, and the threshold.

    Of templates of 15 pages; NaN: no page. probability: of `left_out`.
    """
    of = parts_of(found)
    rows: dict[str, list[Float64]] = defaultdict(list)
    used: Int64 = np.array([of[one.site] for one in found])
    for k in range(FOLDS):
        least = _threshold(found, probability, used != k)
        for number in np.flatnonzero(used == k).tolist():
            one = found[number]
            accepted = one.exact | (probability[number] >= least)
            if one.learnt == LEARN[0]:
                size = np.bincount(one.group, minlength=len(GROUPS))
                share = np.bincount(one.group, accepted, len(GROUPS)) / np.maximum(size, 1)
                rows[one.site].append(np.where(size > 0, share, np.nan))
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # sites without pages of a group
        table = {name: np.nanmean(some, axis=0) for name, some in sorted(rows.items())}
    return table, _threshold(found, probability, np.ones(len(found), bool))


def _threshold(found: list[Examples], probability: dict[int, Float64], used: Bool) -> float:
    chosen = [k for k in np.flatnonzero(used).tolist() if found[k].learnt == LEARN[0]]
    _, own, weight = stacked([found[k] for k in chosen])
    return threshold(np.concatenate([probability[k] for k in chosen]), own > 0, weight)


class Misfits(NamedTuple):
    """The pages of a site that are reported as misfits, by each of the probabilities `MISFITS`.

    reported (t,): those of its types, of which there are ``pages``; right (t,): those of other types, of
    which there are ``others``.
    """

    reported: Float64
    pages: int
    right: Float64
    others: int

    @property
    def is_wrong(self) -> Bool:
        """(t,) whether too many pages of its types are reported."""
        wrong: Bool = self.reported > max(1.0, MOST_FALSE * self.pages)
        return wrong


def misfits(found: list[Examples], probability: dict[int, Float64]) -> dict[str, Misfits]:
    """Return the misfits of each site by templates of 15 pages; probability: of `left_out`."""
    sums: dict[str, Float64] = defaultdict(lambda: np.zeros((4, len(MISFITS))))
    for number, one in enumerate(found):
        if one.learnt != LEARN[0]:
            continue
        fits = one.exact | (probability[number] >= ACCEPTED)
        is_other = one.group == GROUPS.index("others")
        is_below = ~fits & (probability[number] < np.array(MISFITS)[:, None])
        is_exception = (~fits & one.own).sum() <= max(1.0, (1.0 - FITTING) * one.own.sum())
        sums[one.site][0] += (is_below & one.own).sum(axis=1) * is_exception
        sums[one.site][1] += one.own.sum()
        sums[one.site][2] += (is_below & is_other).sum(axis=1)
        sums[one.site][3] += is_other.sum()
    return {
        name: Misfits(reported, int(pages[0]), right, int(others[0]))
        for name, (reported, pages, right, others) in sums.items()
        if pages[0]
    }


def print_misfits(of_sites: dict[str, Misfits], of: dict[str, int]) -> None:
    """Print the second table; of: the parts of the sites."""
    shares = {}
    for name, one in of_sites.items():
        shares[name] = one.reported / one.pages, one.right / one.others, one.is_wrong
    rows = [(f"{t:g}", [np.array(row)[:, k] for row in shares.values()]) for k, t in enumerate(MISFITS)]
    chosen = []
    for name, row in shares.items():
        wrong = sum(one.is_wrong for other, one in of_sites.items() if of[other] != of[name])
        k = max(np.flatnonzero(wrong == 0).tolist(), default=0)
        chosen.append(np.array(row)[:, k])
    print(f"{'below':8}{'own':>8}{'worst':>8}{'others':>8}{'sites':>8}")
    for name, values in [*rows, ("chosen", chosen)]:
        own, others, wrong = np.array(values).T
        print(f"{name:8}{own.mean():8.4f}{own.max():8.4f}{others.mean():8.4f}{int(wrong.sum()):8}")


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
    probability = left_out(found)
    table, least = evaluate(found, probability)
    print(f"{'site':16}", *(f"{name:>8}" for name in GROUPS))
    for name, row in table.items():
        print(f"{name:16}", *(f"{x:8.3f}" for x in row))
    print(f"{'mean of sites':16}", *(f"{x:8.3f}" for x in np.nanmean(list(table.values()), axis=0)))
    print(f"threshold {least!r}")
    print_misfits(misfits(found, probability), parts_of(found))
    if write:
        path = Path(acceptance.__file__).parent / "trained" / "acceptance.model"
        write_trees(path, {"accepted": train(found)}, FORMAT)


if __name__ == "__main__":
    main()
