"""Which knowledge of the layout LearntCut and the roles need: ``python -m experiments.layout_choice``.

Cut and roles are trained and scored on the labelled modern pages of both data sets, in folds of whole sites,
with pages of three kinds:

    none        the tree alone
    html        the tree without the nodes that HTML and style sheets hide: the default
    chromium    boxes and styles of Chromium

Leaves differ: without a layout, also hidden ones are leaves. So each variant is scored on its own leaves and
on the leaves that Chromium shows. Differences to the default are paired: by page for the ARI with the
standard error over sites, and for macro-F1 by sampling sites with replacement.

``python -m experiments.layout_choice curve`` computes the learning curve: the ARI on left-out sites of a cut
learnt from some of the other sites. `WEBGRAIN_DATA` names the folder of the data sets.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets.blocks import block_examples, family_of, read_records
from experiments.results import read_results, run, table, write_results
from webgrain.base.metrics import f1_by_class
from webgrain.evaluation.datasets import Example
from webgrain.evaluation.evaluate import fit_examples, folds_by_site, score
from webgrain.evaluation.training import FREQUENT, concatenate, fine_rows, marked_rows
from webgrain.io.labels import truth_of
from webgrain.segmentation import segmenter
from webgrain.segmentation.learntcut import LearntCut
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from webgrain.page.segmentation import Segmentation

SETS = {"blocks": "183 pages of 47 sites", "pages-2": "pages of 123 new sites"}
FOLDS = 5
CURVE_FOLDS = 10
SIZES = (12, 24, 47, 80, 120)
"""Numbers of sites of the learning curve; the last point is all sites of the other folds."""
SAMPLES = 500
"""Samples of sites for the standard errors of macro-F1."""
VARIANTS = ("none", "html", "chromium")
REFERENCE = "html"


@dataclass
class Variant:
    """The scores of one variant: of each page, the ARI on its own leaves and on those of Chromium, and roles.

    roles: for each page, pairs of the true and the predicted role of its marked segments.
    """

    own: NDArray[np.float64]
    shown: NDArray[np.float64]
    roles: list[list[tuple[str, str]]]


def tree_alone(example: Example) -> Example:
    """Return an example whose hidden nodes are not known."""
    page = replace(example.page, hidden=None)
    return Example(page, truth_of(page, example.segments), example.segments, example.annotator)


def examples_of(variant: str) -> list[Example]:
    """Return the labelled pages of both sets with the layout of a variant."""
    layout = Layout("chromium" if variant == "chromium" else "none")
    examples = [example for data in SETS for example in block_examples(layout, data=data)]
    return [tree_alone(example) for example in examples] if variant == "none" else examples


def segment_left_out(
    examples: Sequence[Example], folds: NDArray[np.int64], most: int | None = None
) -> list[Segmentation]:
    """Return the segmentation of each page by a cut that was learnt from the pages of other folds.

    most: number of sites to learn from; None: all of the other folds. The sites are taken in the order of a
    random permutation, the same for all numbers.
    """
    sites = np.array([family_of(example) for example in examples])
    order = np.random.default_rng(0).permutation(np.unique(sites))
    segmentations: dict[int, Segmentation] = {}
    for fold in np.unique(folds).tolist():
        others = set(sites[folds != fold].tolist())
        learnt = [site for site in order.tolist() if site in others][:most]
        known = np.flatnonzero(np.isin(sites, learnt)).tolist()
        method = fit_examples(LearntCut(), [examples[k] for k in known])
        for k in np.flatnonzero(folds == fold).tolist():
            segmentations[k] = method.predict(examples[k].page)
        print(f"fold {fold}: {len(learnt)} sites", file=sys.stderr, flush=True)
    return [segmentations[k] for k in range(len(examples))]


def roles_left_out(examples: Sequence[Example], folds: NDArray[np.int64]) -> list[list[tuple[str, str]]]:
    """Return true and predicted roles of the marked segments of each page; models are of other folds."""
    marked = [marked_rows(example) for example in examples]
    fine = [fine_rows(example) for example in examples]
    pairs: dict[int, list[tuple[str, str]]] = {}
    for fold in np.unique(folds).tolist():
        others = np.flatnonzero(folds != fold).tolist()
        rows = concatenate([*(marked[k] for k in others), *(fine[k] for k in others)])
        model = segmenter.fit_roles(rows.features, rows.roles)
        assert model is not None
        for k in np.flatnonzero(folds == fold).tolist():
            names = model.roles(marked[k].features).names
            known = zip(marked[k].roles, names, strict=True)
            pairs[k] = [(true, name) for true, name in known if true is not None]
    return [pairs[k] for k in range(len(examples))]


def judge_variant(variant: str, reference: Sequence[Example]) -> Variant:
    """Return the scores of a variant; reference: the pages with the layout of Chromium."""
    examples = examples_of(variant)
    folds = folds_by_site([family_of(example) for example in examples], FOLDS)
    cuts = segment_left_out(examples, folds)
    own, shown = ari_of(cuts, examples), ari_of(cuts, reference)
    return Variant(own, shown, roles_left_out(examples, folds))


def ari_of(cuts: Sequence[Segmentation], examples: Sequence[Example]) -> NDArray[np.float64]:
    """Return the fine ARI of each page; nan for a page with fewer than two true segments."""
    scores = []
    for cut, example in zip(cuts, examples, strict=True):
        true = example.truth.fine[example.truth.fine >= 0]
        is_scored = len(np.unique(true)) > 1
        scores.append(score(cut.labels, example.truth, "fine").ari if is_scored else np.nan)
    return np.array(scores)


def macro_f1(pages: Iterable[list[tuple[str, str]]], roles: frozenset[str]) -> float:
    """Return the mean F1 of roles."""
    pairs = [pair for page in pages for pair in page]
    f1 = f1_by_class([true for true, _ in pairs], [name for _, name in pairs])
    return float(np.mean([f1.get(role, 0.0) for role in sorted(roles)]))


def difference(
    first: NDArray[np.float64], second: NDArray[np.float64], sites: NDArray[np.str_]
) -> tuple[float, float]:
    """Return the mean difference over pages and its standard error over sites.

    >>> difference(np.array([1.0, 0.5]), np.array([0.5, 0.5]), np.array(["a", "b"]))
    (0.25, 0.25)
    """
    change = first - second
    mean = float(change.mean())
    sums = np.array([(change[sites == site] - mean).sum() for site in np.unique(sites)])
    n_sites = len(sums)
    error = np.sqrt((sums**2).sum() * n_sites / max(n_sites - 1, 1)) / len(change)
    return mean, float(error)


def difference_of_roles(
    first: list[list[tuple[str, str]]], second: list[list[tuple[str, str]]], sites: NDArray[np.str_]
) -> tuple[float, float, float]:
    """Return the macro-F1 of the first, its difference to the second, and the standard error over sites."""
    counts: dict[str, int] = defaultdict(int)
    for page in first:
        for true, _ in page:
            counts[true] += 1
    roles = frozenset(role for role, number in counts.items() if number >= FREQUENT)
    value = macro_f1(first, roles)
    change = value - macro_f1(second, roles)
    rng = np.random.default_rng(0)
    names = np.unique(sites)
    members = {name: np.flatnonzero(sites == name).tolist() for name in names.tolist()}
    changes = []
    for _ in range(SAMPLES):
        drawn = [k for name in rng.choice(names, len(names)).tolist() for k in members[name]]
        changes.append(
            macro_f1([first[k] for k in drawn], roles) - macro_f1([second[k] for k in drawn], roles)
        )
    return value, change, float(np.std(changes))


def compare_variants() -> str | None:
    """Score all variants, and print and write the table."""
    reference = examples_of("chromium")
    first_set = read_records()
    sets = np.array([0 if example.page.id in first_set else 1 for example in reference])
    sites = np.array([family_of(example) for example in reference])
    variants = {name: judge_variant(name, reference) for name in VARIANTS}
    is_scored = ~np.isnan([[*variant.own] for variant in variants.values()]).any(axis=0)
    is_scored &= ~np.isnan(variants[REFERENCE].shown)
    rows = []
    for number, data in [(None, "both"), *enumerate(SETS)]:
        chosen = np.flatnonzero(is_scored & ((sets == number) if number is not None else True))
        for name, variant in variants.items():
            other = variants[REFERENCE]
            own = difference(variant.own[chosen], other.own[chosen], sites[chosen])
            shown = difference(variant.shown[chosen], other.shown[chosen], sites[chosen])
            roles = difference_of_roles(
                [variant.roles[k] for k in chosen], [other.roles[k] for k in chosen], sites[chosen]
            )
            rows.append(
                [f"{data}, {name}", len(chosen), float(variant.own[chosen].mean()), *own,
                 float(variant.shown[chosen].mean()), *shown, *roles]
            )  # fmt: skip
            print(rows[-1], flush=True)
    columns = ["pages, layout", "pages"]
    columns += ["ARI", "difference", "error"]
    columns += ["ARI of shown leaves", "difference of shown", "error of shown"]
    columns += ["macro-F1", "difference of macro-F1", "error of macro-F1"]
    _write("layouts", table(columns, rows))
    return None


def learning_curve() -> str | None:
    """Compute, print and write the learning curve over sites."""
    examples = examples_of(REFERENCE)
    sites = [family_of(example) for example in examples]
    folds = folds_by_site(sites, CURVE_FOLDS)
    first_set = read_records()
    old = np.array([example.page.id in first_set for example in examples])
    rows = []
    for size in (*SIZES, None):
        cuts = segment_left_out(examples, folds, size)
        ari = ari_of(cuts, examples)
        number = size or round(len(set(sites)) * (CURVE_FOLDS - 1) / CURVE_FOLDS)
        means = [float(np.nanmean(values)) for values in (ari, ari[old], ari[~old])]
        rows.append([number, *means, float(np.nanmedian(ari))])
        print(rows[-1], flush=True)
    _write("curve", table(["sites", "ARI", "first set", "second set", "median"], rows))
    return None


def _write(name: str, content: dict[str, object]) -> None:
    try:
        tables = read_results("layouts")["tables"]
    except FileNotFoundError:
        tables = {}
    data = "Labelled modern pages of both sets; their sites were left out of training."
    write_results("layouts", data, "python -m experiments.layout_choice", {**tables, name: content})


if __name__ == "__main__":
    run(learning_curve if sys.argv[1:] == ["curve"] else compare_variants)
