"""PageTypes against the log and its parameters: ARI by noise, share of pages with queries, decay, weight.

Also what `KeyClus`, the published method, gives, tabs and no log at all. Mean over the
sites at hand; the logs are anchor texts, no searches.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.sites import LabelledSite, read_sites
from experiments.keyclus_common import Counted, arguments, count_site, row
from webgrain.evaluation.datasets import data_folder
from webgrain.pagetypes.keyclus import KeyClus
from webgrain.pagetypes.pathcounts import PseudoQueries

NOISE = (0.2, 0.8)
COVERAGE = (0.0, 0.1, 0.3)
SETTINGS = {
    "default": {},
    "fold=False": {"fold": False},
    "tabs": {"tabs": True},
    "presence_weight=0": {"presence_weight": 0.0},
    "presence_weight=2": {"presence_weight": 2.0},
    "rank": {"method": KeyClus},
    "rank, presence 0": {"method": KeyClus, "presence_weight": 0.0},
    "rank, decay=0.9": {"method": KeyClus, "decay": 0.9},
    "rank, decay=1": {"method": KeyClus, "decay": 1.0},
    "rank, content 0.9": {"method": KeyClus, "content_dependence": 0.9},
}


def noisy(site: LabelledSite, share: float, seed: int) -> dict[str, dict[str, int]]:
    """Return the queries with a share of them moved to another page."""
    rng, names = np.random.default_rng(seed), list(site.types)
    out: dict[str, dict[str, int]] = {}
    for page, queries in site.queries.items():
        for query, clicks in queries.items():
            to = names[int(rng.integers(len(names)))] if rng.random() < share else page
            out.setdefault(to, {})[query] = clicks
    return out


def fewer(site: LabelledSite, share: float, seed: int) -> dict[str, dict[str, int]]:
    """Return the queries of a share of the pages that have any."""
    rng = np.random.default_rng(seed)
    return {page: queries for page, queries in site.queries.items() if rng.random() < share}


def pseudo(site: LabelledSite) -> Counted:
    """Count a site without its log."""
    names = PseudoQueries()
    for page in site.pages():
        names.add(page)
    return count_site(site, names.queries())


def score(counted: Counted, **params: object) -> float:
    """Return the ARI of PageTypes, or another method, with these parameters."""
    return counted.score(counted.fit(**params).clustering_.labels)


def main() -> None:
    """Print the table: a row for each change, a column for each site, and the mean."""
    seeds = range(arguments(__doc__, 1).seeds)
    sites = read_sites(data_folder() / "sites")
    table: dict[str, list[float]] = {}
    for site in sites:
        counted = count_site(site)
        for name, params in SETTINGS.items():
            table.setdefault(name, []).append(score(counted, **params))
        table.setdefault("no log", []).append(score(pseudo(site)))
        for share in NOISE:
            runs = [score(count_site(site, noisy(site, share, seed))) for seed in seeds]
            table.setdefault(f"{share:.0%} of the rows moved", []).append(float(np.mean(runs)))
        for share in COVERAGE:
            runs = [score(count_site(site, fewer(site, share, seed))) for seed in seeds]
            table.setdefault(f"{share:.0%} of the pages asked for", []).append(float(np.mean(runs)))
    print(" " * 26 + "".join(f"{site.name[:8]:>9}" for site in sites) + "     mean")
    for name, scores in table.items():
        print(row(name, [*scores, float(np.mean(scores))]))


if __name__ == "__main__":
    main()
