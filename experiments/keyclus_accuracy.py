"""Tables 1 and 2 of the paper on the available sites: ARI of PageTypes, KeyClus and the baselines.

PageTypes and KeyClus run with their defaults. The others are tuned on each site, with the truth in hand:
shingle size, p and q, ids and classes or not; k-means knows the number of types. All logs are anchor texts,
no searches.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.keyclus_common import Counted, arguments, counted_sites, row
from experiments.tagclasses import tag_class_clusters
from webgrain.pagetypes.baselines import gram_set, path_sets, shingle_clusters
from webgrain.pagetypes.keyclus import KeyClus
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.sitepaths import site_paths

SIZES = range(1, 9)
MK = ((2, 4), (3, 4), (6, 8))
PQ = ((1, 2), (2, 3), (3, 3))


def best(counted: Counted, sets, choices, seeds: int) -> tuple[float, float, str, float]:
    """Return mean and deviation of the ARI at the best choice, that choice, and the clusters of 20 pages."""
    found = []
    for size, shared in choices:
        runs = [shingle_clusters(sets, size, seed, shared) for seed in range(seeds)]
        scores = [counted.score(labels) for labels in runs]
        large = np.mean([(np.bincount(labels) >= 20).sum() for labels in runs])
        name = f"{shared}/{size}" if shared else str(size)
        found.append((float(np.mean(scores)), float(np.std(scores)), name, float(large)))
    return max(found)


def baselines(counted: Counted, seeds: int) -> dict[str, tuple[float, float, str, float]]:
    """Return the figures of the baselines, each with its best setting."""
    site = site_paths(counted.counts)
    sets = {kind: path_sets(site, attributes=kind) for kind in (False, True)}
    plain = [(size, None) for size in SIZES]
    pages = list(counted.site.pages())
    grams = {(p, q): [gram_set(page.dom, p, q) for page in pages] for p, q in PQ}
    k = int(counted.truth.max()) + 1
    grouped = (tag_class_clusters(counted.counts, k, seed) for seed in range(min(seeds, 5)))
    practice = [counted.score(labels) for labels in grouped]
    return {
        "path shingles": max(best(counted, sets[kind], plain, seeds) for kind in sets),
        "m/k": max(best(counted, sets[kind], [(k, m) for m, k in MK], seeds) for kind in sets),
        "pq-grams": max(best(counted, grams[pq], plain, seeds) for pq in grams),
        "tag.class k-means": (float(np.mean(practice)), float(np.std(practice)), f"k={k}", float(k)),
    }


def main() -> None:
    """Print the tables."""
    seeds = arguments(__doc__, 50).seeds
    names = ("PageTypes", "KeyClus", "path shingles", "m/k", "pq-grams", "tag.class k-means")
    means: dict[str, list[float]] = {name: [] for name in names}
    print("ARI, mean ± deviation over seeds (best setting; clusters of at least 20 pages)")
    for counted in counted_sites():
        found = {}
        for name, method in {"KeyClus": KeyClus, "PageTypes": PageTypes}.items():
            runs = [counted.fit(method, random_state=seed).clustering_ for seed in range(seeds)]
            scores = [counted.score(run.labels) for run in runs]
            sizes = np.bincount(runs[0].labels)
            found[name] = (np.mean(scores), np.std(scores), "default", (sizes >= 20).sum())
        found |= baselines(counted, seeds)
        print(counted.site.name, f"({counted.truth.max() + 1} types)")
        for name, (mean, deviation, choice, large) in found.items():
            means[name].append(mean)
            print(f"  {name:20}{mean:6.2f} ± {deviation:.3f}  ({choice}; {large:.1f})", flush=True)
        no_path = sum(kind.share for kind in runs[0].types if kind.key_path is None)
        small = sizes[sizes < 20].sum() / sizes.sum()
        print(f"  pages in clusters under 20: {small:.1%}; without a key path: {no_path:.1%}")
    print(row("mean over sites", []))
    for name, scores in means.items():
        print(row(name, [float(np.mean(scores))]))


if __name__ == "__main__":
    main()
