"""Tables 1 and 2 of Chakrabarti, Mehta, WWW 2010: ARI, number and sizes of clusters by shingle size.

All logs are pseudo-queries made of anchor texts; no search log that comes with its pages is public. As in the
paper: 50 seeds of the min-hashes, shingles of 1 to 8 elements, and for each site the size with the best mean
ARI, which is chosen with the truth in hand. A cluster is large if it has 20 pages or more.

The published methods: KeyClus and path shingles on raw paths, m/k path shingles (2/4, 3/4 and 6/8), and
pq-grams, for which p and q are chosen with the truth, too. Ours: KeyClus without the paths of nearly all
pages (`max_presence`), on raw paths and on the paths of the site; path shingles on tag paths and on the paths
of the site; PageTypes, whose model has not seen the sites of the bench, and has no log; k-means of tag and
class counts, which knows the number of types.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.keyclus_common import (
    Labelled,
    bench_sites,
    development_sites,
    path_sets,
    with_site_paths,
)
from experiments.metrics import mean_of
from experiments.results import table
from experiments.training.pagetypes import cross_fit, sampled_pairs
from experiments.typebaselines import Shingler, clusters_of, gram_set, path_set, tag_class_clusters
from webgrain.base.arrays import Int32, UInt64
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.pagetypes.similarity import PairModels
from webgrain.papers.keyclus import KeyClus, RawCounts

SEEDS = 50
SIZES = range(1, 9)
MK = ((2, 4), (3, 4), (6, 8))
PQ = ((1, 2), (2, 3), (3, 3))
GOOD = 0.9
"""ARI from which the paper counts a site."""
LARGE = 20
"""Pages of a large cluster, as in table 2."""
WITHOUT_FRAME = 0.98
"""Share of the pages above which a path is no key path (ours)."""


METHODS = (
    "KeyClus",
    "path shingles",
    "m/k path shingles",
    "pq-grams",
    "KeyClus, max_presence",
    "KeyClus, site paths",
    "path shingles, tags",
    "path shingles, site paths",
    "k-means",
    "PageTypes",
)
"""The published ones, and ours."""


class Found(NamedTuple):
    """Of a clustering: ARI, number of clusters and of large ones, share of the pages in the others."""

    ari: float
    clusters: float
    large: float
    in_small: float


Runs = dict[str, list[Found]]
"""The clusterings of a method by seed, for each size (``"1"``) or pair (``"6/8"``)."""


def found(site: Labelled, labels: Int32) -> Found:
    """Return the figures of a clustering."""
    size = np.bincount(labels)
    large = size >= LARGE
    return Found(site.score(labels), len(size), int(large.sum()), float(1 - size[large].sum() / len(labels)))


def by_size(
    site: Labelled, shingler: Shingler, seeds: int, first: Sequence[int] = (), tabs: UInt64 | None = None
) -> Runs:
    """Return the clusterings by the shingles of all sizes."""
    runs: Runs = {str(size): [] for size in SIZES}
    for seed in range(seeds):
        table = shingler.shingles(max(SIZES), seed, first)
        for size in SIZES:
            runs[str(size)].append(found(site, clusters_of(table[:, :size], tabs=tabs)))
    return runs


def by_subsets(site: Labelled, shingler: Shingler, seeds: int) -> Runs:
    """Return the clusterings by m of k elements of the shingles."""
    runs: Runs = {f"{shared}/{size}": [] for shared, size in MK}
    for seed in range(seeds):
        table = shingler.shingles(max(SIZES), seed)
        for shared, size in MK:
            runs[f"{shared}/{size}"].append(found(site, clusters_of(table[:, :size], shared)))
    return runs


def by_key_paths(
    site: Labelled, counts: RawCounts, shingler: Shingler, seeds: int, **params: Any
) -> tuple[Runs, float]:
    """Return the clusterings of KeyClus, and the share of the pages without a key path."""
    model = KeyClus(**params).fit_counts(counts).model_
    sets = path_sets(counts)
    tabs = np.zeros((len(sets), len(model.tabs)), np.uint64)
    for page, keys in enumerate(sets):
        for k, tab in enumerate(model.tabs):
            at = np.flatnonzero(keys == np.uint64(tab))
            tabs[page, k] = counts.content[page][at[0]] if len(at) else np.uint64(2**64 - 1)
    ranked = np.array(model.ranked, np.uint64)
    uncovered = float(np.mean([not np.isin(keys, ranked).any() for keys in sets]))
    return by_size(site, shingler, seeds, model.ranked, tabs), uncovered


def best_runs(runs: Mapping[str, list[Found]]) -> tuple[str, list[Found]]:
    """Return the size with the best mean ARI, and its clusterings."""
    return max(runs.items(), key=lambda item: float(np.mean([one.ari for one in item[1]])))


def methods_of(site: Labelled, seeds: int) -> tuple[dict[str, Runs], dict[str, float]]:
    """Return the clusterings of all methods with shingles, and the shares of the pages without a key path."""
    counts = site.counts()
    shared = with_site_paths(counts)
    raw, general = Shingler(path_sets(counts)), Shingler(path_sets(shared))
    tags = Shingler([path_set(page.dom, attributes=False) for page in site.pages])
    runs, uncovered = dict[str, Runs](), dict[str, float]()
    for name, own, shingler, params in (
        ("KeyClus", counts, raw, {}),
        ("KeyClus, max_presence", counts, raw, {"max_presence": WITHOUT_FRAME}),
        ("KeyClus, site paths", shared, general, {"max_presence": WITHOUT_FRAME}),
    ):
        runs[name], uncovered[name] = by_key_paths(site, own, shingler, seeds, **params)
    runs["path shingles"] = by_size(site, raw, seeds)
    runs["m/k path shingles"] = by_subsets(site, raw, seeds)
    grams = [by_size(site, Shingler([gram_set(page.dom, *pq) for page in site.pages]), seeds) for pq in PQ]
    runs["pq-grams"] = max(grams, key=lambda one: np.mean([x.ari for x in best_runs(one)[1]]))
    runs["path shingles, tags"] = by_size(site, tags, seeds)
    runs["path shingles, site paths"] = by_size(site, general, seeds)
    return runs, uncovered


def figures(runs: Sequence[Found]) -> dict[str, float]:
    """Return the mean figures of the clusterings, and the standard deviation of their ARI."""
    means = dict(zip(Found._fields, np.mean(runs, axis=0).tolist(), strict=True))
    return means | {"sd": float(np.std([one.ari for one in runs]))}


def measure_sites(sites: Iterable[Labelled], models: Mapping[str, PairModels], seeds: int) -> dict[str, Any]:
    """Return the figures of each site, and the means of the sites: with the best size, and of each size.

    models: of PageTypes by site; the model of the package for other sites.
    """
    rows, all_sizes, shares = {}, [], []
    for site in sites:
        runs, uncovered = methods_of(site, seeds)
        best = {name: best_runs(own) for name, own in runs.items()}
        row = {name: {"size": size, **figures(own)} for name, (size, own) in best.items()}
        k_means = tag_class_clusters([page.dom for page in site.pages], int(site.truth.max()) + 1)
        row["k-means"] = figures([found(site, k_means)])
        row["PageTypes"] = figures([found(site, page_types(site, models.get(site.name)))])
        row["true types"] = figures([found(site, site.truth.astype(np.int32))])
        rows[site.name] = {"pages": len(site.pages), **row}
        all_sizes.append({name: {size: figures(x) for size, x in own.items()} for name, own in runs.items()})
        shares.append(uncovered)
        print(" ".join(f"{name} {one['ari']:.2f}" for name, one in row.items()), file=sys.stderr, flush=True)
    return {
        "sites": rows,
        "best size": mean_of([{k: v for k, v in row.items() if k != "pages"} for row in rows.values()]),
        "sizes": mean_of(all_sizes),
        "without a key path": mean_of(shares),
    }


def page_types(site: Labelled, model: PairModels | None) -> Int32:
    """Return the types that PageTypes finds with a model; None: with the model of the package."""
    counts = PathCounts()
    for page in site.pages:
        counts.add(page)
    if model is None:
        return PageTypes().fit_counts(counts).labels_
    with patch("webgrain.pagetypes.similarity.trained_pairs", lambda: model):
        return PageTypes().fit_counts(counts).labels_


def left_out_models() -> dict[str, PairModels]:
    """Return the model of PageTypes for each site of the bench, learnt without the sites of its fold."""
    pairs = {}
    for site in bench_sites():
        counts = PathCounts()
        for page in site.pages:
            counts.add(page)
        pairs[site.name] = sampled_pairs(counts.traits, site.types)
    print("PageTypes: models of the folds", file=sys.stderr, flush=True)
    return cross_fit(pairs)


def measure(seeds: int = SEEDS) -> dict[str, Any]:
    """Return the figures of the development sites and of the bench."""
    return {
        "development": measure_sites(development_sites(), {}, seeds),
        "bench": measure_sites(bench_sites(), left_out_models(), seeds),
    }


def tables(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of the result file."""
    out = {}
    for group in ("bench", "development"):
        own = result[group]
        good = {name: sum(row[name]["ari"] >= GOOD for row in own["sites"].values()) for name in METHODS}
        rows = [mean_row(name, own["best size"][name], good.get(name)) for name in (*METHODS, "true types")]
        out[f"{group}-best-size"] = table(BEST, rows)
        names = [name for name in METHODS if name in own["sizes"] and "1" in own["sizes"][name]]
        rows = [[name, *(own["sizes"][name][str(size)]["ari"] for size in SIZES)] for name in names]
        out[f"{group}-sizes"] = table(["shingles of", *map(str, SIZES)], rows)
        rows = [[name, share] for name, share in own["without a key path"].items()]
        out[f"{group}-uncovered"] = table(["method", "pages without a key path"], rows)
        columns = ["site", "pages", "types", *METHODS]
        rows = [
            [site, row["pages"], int(row["true types"]["clusters"]), *(row[name]["ari"] for name in METHODS)]
            for site, row in own["sites"].items()
        ]
        out[f"{group}-sites"] = table(columns, rows)
        names = [name for name in METHODS if name in own["sizes"]]
        rows = [
            [
                site,
                *(f"{row[name]['size']}: {row[name]['clusters']:.0f}" for name in names),
                int(row["PageTypes"]["clusters"]),
            ]
            for site, row in own["sites"].items()
        ]
        out[f"{group}-clusters"] = table(["site", *names, "PageTypes"], rows)
    return out


BEST = [
    "method", "ARI", "± over seeds", "sites from .9", "best size", "clusters", "large", "pages in small ones"
]  # fmt: skip


def mean_row(name: str, own: Mapping[str, Any], good: int | None) -> list[Any]:
    """Return the row of a method in the table of means; good: number of sites with a high ARI."""
    sizes = own.get("size", {})
    most = max(sizes, key=lambda size: sizes[size]) if sizes else ""
    size = f"{most} (on {sizes[most]} of {sum(sizes.values())} sites)" if sizes else None
    sd = own["sd"] if sizes else None
    return [
        name,
        own["ari"],
        sd,
        good,
        size,
        f"{own['clusters']:.1f}",
        f"{own['large']:.1f}",
        own["in_small"],
    ]
