"""Tables 1 and 2 of the paper on the available sites: ARI and number of types of all methods, by site.

All logs are pseudo-queries made of anchor texts; no search log that comes with its pages is public. KeyClus
runs as published, and with ``max_presence``. PageTypes runs without a log, as `webgrain types` does. The
baselines are the means over some seeds for shingles of one path, as KeyClus has; ``--tuned`` chooses their
setting with the truth in hand, as the paper does. k-means knows the number of types.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.keyclus_common import Labelled, bench_sites, development_sites
from experiments.typebaselines import gram_set, path_set, shingle_clusters, tag_class_clusters
from webgrain.pagetypes.keyclus import KeyClus
from webgrain.pagetypes.pagetypes import PageTypes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webgrain.arrays import UInt64

SIZES = range(1, 9)
MK = ((2, 4), (3, 4), (6, 8))
PQ = ((1, 2), (2, 3), (3, 3))
METHODS = ("PageTypes", "KeyClus", "max_presence", "path shingles", "m/k", "pq-grams", "k-means")

Found = tuple[float, float]  # ARI, and number of types


def shingles(
    site: Labelled, sets: Sequence[UInt64], size: int, seeds: int, shared: int | None = None
) -> Found:
    """Return the mean ARI and number of types of shingle clusters over seeds."""
    runs = [shingle_clusters(sets, size, seed, shared) for seed in range(seeds)]
    return float(np.mean([site.score(run) for run in runs])), float(np.mean([run.max() + 1 for run in runs]))


def baselines(site: Labelled, seeds: int, tuned: bool) -> dict[str, Found]:
    """Return the figures of the baselines; tuned: with the best setting for the site."""
    kinds = (True, False) if tuned else (True,)
    sizes, mk, pq = (SIZES, MK, PQ) if tuned else ((1,), ((6, 8),), ((2, 3),))
    sets = [[path_set(page.dom, attributes=kind) for page in site.pages] for kind in kinds]
    grams = [[gram_set(page.dom, p, q) for page in site.pages] for p, q in pq]
    k_means = tag_class_clusters([page.dom for page in site.pages], site.types)
    return {
        "path shingles": max(shingles(site, own, size, seeds) for own in sets for size in sizes),
        "m/k": max(shingles(site, own, k, seeds, m) for own in sets for m, k in mk),
        "pq-grams": max(shingles(site, own, size, seeds) for own in grams for size in sizes),
        "k-means": (site.score(k_means), float(site.types)),
    }


def measure(site: Labelled, seeds: int, tuned: bool) -> dict[str, Found]:
    """Return ARI and number of types of all methods."""
    fitted = {
        "PageTypes": site.fit(PageTypes, site.own_queries()),
        "KeyClus": site.fit(KeyClus),
        "max_presence": site.fit(KeyClus, max_presence=0.98),
    }
    found = {name: (site.score(one.labels_), float(len(one.clustering_))) for name, one in fitted.items()}
    return found | baselines(site, seeds, tuned)


def table(title: str, sites: Iterable[Labelled], seeds: int, tuned: bool) -> None:
    """Print a table with a row for each site and their mean."""
    print(f"\n| {title} (pages, types) | " + " | ".join(METHODS) + " |")
    print("|---|" + "---|" * len(METHODS))
    scores: list[list[float]] = []
    for site in sites:
        found = measure(site, seeds, tuned)
        scores.append([found[name][0] for name in METHODS])
        cells = [f"{ari:.2f} / {types:.0f}" for ari, types in (found[name] for name in METHODS)]
        print(f"| {site.name} ({len(site.pages)}, {site.types}) | {' | '.join(cells)} |", flush=True)
    print("| **mean** | " + " | ".join(f"{mean:.2f}" for mean in np.mean(scores, axis=0)) + " |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="seeds of the min-hashes of the baselines")
    parser.add_argument(
        "--tuned", action="store_true", help="the best setting of the baselines for each site"
    )
    asked = parser.parse_args()
    table("development site", development_sites(), asked.seeds, asked.tuned)
    table("bench site", bench_sites(), asked.seeds, asked.tuned)


if __name__ == "__main__":
    main()
