"""KeyClus against its search log and its parameters: ARI by noise, share of pages with queries, settings.

The logs are pseudo-queries made of anchor texts. A row for each change, with the means over the development
sites and over the bench.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.keyclus_common import Labelled, Queries, arguments, bench_sites, development_sites, row
from webgrain.pagetypes.keyclus import KeyClus
from webgrain.pagetypes.rawpaths import RawCounts

NOISE = (0.2, 0.8)
COVERAGE = (0.0, 0.1, 0.3)
SETTINGS = {
    "as published": {},
    "tabs=False": {"tabs": False},
    "shingle_size=2": {"shingle_size": 2},
    "presence_weight=0": {"presence_weight": 0.0},
    "presence_weight=2": {"presence_weight": 2.0},
    "recall_weight=0": {"recall_weight": 0.0},
    "recall_weight=1": {"recall_weight": 1.0},
    "dependence=0.9": {"dependence": 0.9},
    "dependence=1": {"dependence": 1.0},
    "top=30": {"top": 30},
    "top=300": {"top": 300},
    "decay=0.9": {"decay": 0.9},
    "content_dependence=0.9": {"content_dependence": 0.9},
    "repeated=0.2": {"repeated": 0.2},
    "max_presence=0.98": {"max_presence": 0.98},
    "both": {"max_presence": 0.98, "repeated": 0.2},
}


def noisy(site: Labelled, share: float, seed: int) -> Queries:
    """Return the queries with a share of them moved to another page."""
    rng = np.random.default_rng(seed)
    out: dict[str, dict[str, int]] = {}
    for page, queries in site.queries.items():
        for query, clicks in queries.items():
            other = site.pages[int(rng.integers(len(site.pages)))].id
            out.setdefault(other if rng.random() < share else page, {})[query] = clicks
    return out


def fewer(site: Labelled, share: float, seed: int) -> Queries:
    """Return the queries of a share of the pages that have any."""
    rng = np.random.default_rng(seed)
    return {page: queries for page, queries in site.queries.items() if rng.random() < share}


def scores(site: Labelled, seeds: range) -> dict[str, float]:
    """Return the ARI of KeyClus after each change."""

    def count(queries: Queries) -> RawCounts:
        counts = RawCounts()
        for page in site.pages:
            counts.add(page, queries.get(page.id))
        return counts

    def score(counts: RawCounts, **params: object) -> float:
        return site.score(KeyClus(**params).fit_counts(counts).labels_)

    logged, own = count(site.queries), count(site.own_queries())
    found = {name: score(logged, **params) for name, params in SETTINGS.items()}
    found["anchor texts, titles, headings"] = score(own)
    found["the same, max_presence=0.98"] = score(own, max_presence=0.98)
    for share in NOISE:
        runs = [score(count(noisy(site, share, seed)), max_presence=0.98) for seed in seeds]
        found[f"max_presence=0.98, {share:.0%} of the rows moved"] = float(np.mean(runs))
    for share in COVERAGE:
        runs = [score(count(fewer(site, share, seed)), max_presence=0.98) for seed in seeds]
        found[f"max_presence=0.98, {share:.0%} of the pages"] = float(np.mean(runs))
    return found


def main() -> None:
    """Print the table."""
    seeds = range(arguments(__doc__, 1).seeds)
    means = []
    for sites in (development_sites(), bench_sites()):
        found = [scores(site, seeds) for site in sites]
        means.append({name: float(np.mean([one[name] for one in found])) for name in found[0]})
    print(" " * 44 + "development    bench")
    for name in means[0]:
        print(row(f"{name:44}", [mean[name] for mean in means]))


if __name__ == "__main__":
    main()
