"""Train the trees that estimate which texts of a page are boilerplate, and evaluate them on left-out sites.

    python experiments/training/alone.py build/alone
    python experiments/training/singlepage.py build/left-out.jsonl
    WEBGRAIN_DATA=data python experiments/training/boilerplate.py [--write]

The pages of each type of a bench site are halved. A template is learnt from at most 15 pages of one half; the
texts of the site are those of this half of all types. Of the other half, at most 8 articles and 4 pages with
a list are examples, each twice: with these texts, and with those of the half that has the page, as the pages
of a sample are read. The truth of a text is whether at least half of its words are, in order, in the title,
main text, comments or records of the page. Every fifth example is also used without its template. What the
reader finds of the blocks, and of the pages of the site, is that of models that have not seen the site: the
first two commands write them.

The table shows, for the articles of each left-out site: precision, the share of the words called boilerplate
that are not content, and recall, the share of the words that are not content that are called boilerplate; by
the noise confidence of the template alone (above .75), by the trees (above the threshold of the package), and
by the trees if the page is one of the sample. The last lines show the threshold that all sites give
(`least_threshold`), and the means of the sites if their threshold is chosen without them.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.bench import BenchSite, bench_names, folds, read_bench
from experiments.datasets.noise import noise_truths
from experiments.results import table, write_results
from experiments.training.domains import FOLDS as MODEL_FOLDS
from experiments.training.domains import LEFT_OUT, left_out_models
from webgrain.base.arrays import Bool, Float32, Float64, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.trees import BoostedTrees, learn_trees, write_trees
from webgrain.extraction import boilerplate, single
from webgrain.extraction.boilerplate import FORMAT, BoilerplateTexts, boilerplate_names
from webgrain.extraction.single import Models, site_texts
from webgrain.extraction.thresholds import BOILERPLATE
from webgrain.page.page import Page
from webgrain.templates.sitetemplate import SiteTemplate

LEARN, JUDGE, LEAST = 15, {"article": 8, "index": 4}, 3
NOISE = 0.75
PRECISION = 0.98
THRESHOLDS = tuple(step / 100 for step in range(70, 96))
"""Precision that the threshold of the package is chosen for, and thresholds among which it is chosen."""
FOLDS = 5
OF_INDEX = 0.5
"""Weight of the pages with a list of a site; that of its articles is 1."""
WITHOUT = 5
"""One in this number of examples is also used without a template; odd, so that both of a page take turns."""


class Example(NamedTuple):
    """The texts of a page: site, role, features (t, f), words (t,), and whether each is boilerplate (t,).

    of_sample: whether the texts of the site contain those of the page.
    """

    site: str
    role: str
    of_sample: bool
    x: Float32
    words: Int64
    truth: Bool


def all_examples(folder: Path = LEFT_OUT) -> list[Example]:
    """Return the examples of all sites; folder: of `left_out_models`."""
    names = bench_names()
    group = dict(zip(names, (folds(names) % MODEL_FOLDS).tolist(), strict=True))
    models = left_out_models(folder)
    sites = (site for site in read_bench() if site.trust["text"])
    return [one for site in sites for one in examples(site, models[group[site.name]])]


def examples(site: BenchSite, models: Models) -> list[Example]:
    """Return the examples of a site; models: those of the reader that have not seen it."""
    with patch.object(single, "trained_models", lambda: models):
        return list(_examples(site))


def _examples(site: BenchSite) -> Iterator[Example]:
    """Yield the examples of a site, by the models of the package."""
    by_type: dict[str, list[Page]] = defaultdict(list)
    for page in site.pages():
        by_type[site.types[page.id]].append(page)
    for pages in by_type.values():
        random.Random(0).shuffle(pages)
    first = site_texts(page for pages in by_type.values() for page in pages[: len(pages) // 2])
    second = site_texts(page for pages in by_type.values() for page in pages[len(pages) // 2 :])
    for pages in by_type.values():
        learn, rest = pages[: len(pages) // 2][:LEARN], pages[len(pages) // 2 :]
        judged = [page for role in JUDGE for page in _usable(site, rest, role)[: JUDGE[role]]]
        if len(learn) < LEAST or not judged:
            continue
        try:
            method = SiteTemplate().fit(learn)
        except ParameterError:
            continue
        truths = noise_truths(judged, [_content(site, page) for page in judged], code=False)
        for page, truth in zip(judged, truths, strict=True):
            for texts in (first, second):
                known = BoilerplateTexts.of(page, texts)
                if known is not None and len(truth.node):
                    x = known.features(method.noise(page))[np.searchsorted(known.node, truth.node)]
                    role = site.roles[page.id]
                    yield Example(site.name, role, texts is second, x, truth.words, truth.noise)


def _usable(site: BenchSite, pages: Sequence[Page], role: str) -> list[Page]:
    """Return the pages of a role whose content is known."""
    own = [page for page in pages if site.roles[page.id] == role]
    if role == "article":
        return [page for page in own if site.truth[page.id].get("text")]
    return [
        page for page in own if site.trust["list"] and len(site.truth[page.id].get("records") or ()) >= LEAST
    ]


def _content(site: BenchSite, page: Page) -> list[str]:
    record = site.truth[page.id]
    rows = [str(value) for row in record.get("records") or () for value in row.values()]
    return [record.get("title") or "", record.get("text") or "", *(record.get("comments") or ()), *rows]


def train(found: Sequence[Example]) -> BoostedTrees:
    """Return trained trees; each site has the same weight."""
    total: dict[tuple[str, str], int] = defaultdict(int)
    for one in found:
        total[one.site, one.role] += int(one.words.sum())
    noise, rows = boilerplate_names().index("noise"), list[tuple[Float32, Bool, Float64]]()
    for number, one in enumerate(found):
        weight = one.words / total[one.site, one.role] * (1.0 if one.role == "article" else OF_INDEX)
        rows.append((one.x, one.truth, weight))
        if number % WITHOUT == 0:
            x = one.x.copy()
            x[:, noise] = np.nan
            rows.append((x, one.truth, weight))
    x, truth, weight = (np.concatenate(column) for column in zip(*rows, strict=True))
    return learn_trees(
        x,
        truth.astype(np.float64),
        weight,
        boilerplate_names(),
        max_iter=80,
        learning_rate=0.08,
        max_leaf_nodes=12,
        min_samples_leaf=40,
        l2_regularization=5.0,
        max_features=0.4,
        max_bins=63,
    )


def parts_of(found: Sequence[Example]) -> dict[str, int]:
    """Return the part of each site: the sites of a part are left out together."""
    names = sorted({one.site for one in found})
    fold = folds(names)
    part = np.random.default_rng(0).permutation(fold.max() + 1)[fold] % FOLDS
    return dict(zip(names, part.tolist(), strict=True))


def left_out(found: Sequence[Example]) -> list[Float64]:
    """Return the probabilities of the texts of each example, by trees learnt without its site."""
    of = parts_of(found)
    models = [train([one for one in found if of[one.site] != k]) for k in range(FOLDS)]
    return [models[of[one.site]].probability(one.x) for one in found]


Shares = dict[str, tuple[float, float]]


def shares(found: Sequence[Example], called: Sequence[Bool], of_sample: bool = False) -> Shares:
    """Return precision and recall of the words of the articles of each site; of_sample: of which examples."""
    total: dict[str, Float64] = defaultdict(lambda: np.zeros(3))
    for one, own in zip(found, called, strict=True):
        if one.role == "article" and one.of_sample == of_sample:
            both = one.words[own & one.truth].sum()
            total[one.site] += both, one.words[own].sum(), one.words[one.truth].sum()
    return {
        name: (both / all_called if all_called else 1.0, both / true)
        for name, (both, all_called, true) in total.items()
        if true
    }


def by_trees(found: Sequence[Example], probability: Sequence[Float64], threshold: float) -> list[Shares]:
    """Return the shares of the sites by the trees, and by the trees in samples; probability: `left_out`."""
    called = [own > threshold for own in probability]
    return [shares(found, called), shares(found, called, of_sample=True)]


def evaluate(found: Sequence[Example], probability: Sequence[Float64]) -> list[Shares]:
    """Return the shares of the sites by the noise confidence, by the trees, and by the trees in samples."""
    noise = boilerplate_names().index("noise")
    by_noise = shares(found, [one.x[:, noise] > NOISE for one in found])
    return [by_noise, *by_trees(found, probability, BOILERPLATE)]


def least_threshold(of_thresholds: Mapping[float, Sequence[Shares]], names: Sequence[str]) -> float:
    """Return the lowest threshold at which some sites have `PRECISION`, in samples and outside of them.

    The highest if there is none. of_thresholds: of `by_trees`; names: of the sites.
    """
    for threshold, scores in of_thresholds.items():
        means = [np.mean([of_site[name][0] for name in names if name in of_site]) for of_site in scores]
        if min(means) >= PRECISION:
            return threshold
    return max(of_thresholds)


def print_thresholds(found: Sequence[Example], probability: Sequence[Float64]) -> None:
    """Print the threshold that all sites give, and the scores by thresholds of the other parts."""
    of_thresholds = {threshold: by_trees(found, probability, threshold) for threshold in THRESHOLDS}
    of = parts_of(found)
    print(f"threshold of all sites {least_threshold(of_thresholds, sorted(of))}")
    rows = []
    for part in range(FOLDS):
        threshold = least_threshold(of_thresholds, [name for name in of if of[name] != part])
        outside, inside = of_thresholds[threshold]
        rows += [(*outside[name], *inside[name]) for name in outside if of[name] == part and name in inside]
    print("by thresholds of other sites:", *(f"{value:.3f}" for value in np.mean(rows, axis=0)))


def main() -> None:
    """Print the table; write the model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="replace the model of the package")
    write = parser.parse_args().write
    found = all_examples()
    probability = left_out(found)
    methods = evaluate(found, probability)
    print("| site | noise: precision | recall | trees: precision | recall | in samples: precision | recall |")
    print("|---|---|---|---|---|---|---|")
    scores = {name: np.concatenate([of_site[name] for of_site in methods]) for name in methods[0]}
    scores["mean"] = np.mean(list(scores.values()), axis=0)
    for name, values in scores.items():
        print(f"| {name} |", " | ".join(f"{value:.3f}" for value in values), "|")
    print_thresholds(found, probability)
    rows = [[name, *values.tolist()] for name, values in scores.items()]
    names = ("noise: ", "", "in samples: ")
    columns = ["site", *(f"{name}{measure}" for name in names for measure in ("precision", "recall"))]
    data = "Words of the articles of the sites of the bench; each site was left out of training."
    command = "python experiments/training/boilerplate.py"
    write_results("boilerplate", data, command, {"sites": table(columns, rows)})
    if write:
        path = Path(boilerplate.__file__).parent / "trained" / "boilerplate.model"
        write_trees(path, {"boilerplate": train(found)}, FORMAT)


if __name__ == "__main__":
    main()
