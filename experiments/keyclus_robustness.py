"""KeyClus against its search log and its parameters: ARI by noise, share of pages with queries, settings.

The logs are pseudo-queries made of anchor texts. A row for each change, with the means over the development
sites and over the bench.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.keyclus_accuracy import WITHOUT_FRAME
from experiments.keyclus_common import Labelled, Queries, bench_sites, development_sites
from experiments.metrics import mean_of
from experiments.results import table
from webgrain.page.paths import places
from webgrain.page.strings import words_of
from webgrain.papers.keyclus import KeyClus, RawCounts, read_query_words

SEEDS = 1
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


def with_queries(counts: RawCounts, site: Labelled, queries: Queries) -> RawCounts:
    """Return the counts of a site with other queries."""
    texts = {}
    for number, page in enumerate(site.pages):
        words = Counter(word for query in queries.get(page.id, ()) for word in words_of(query))
        if words:
            texts[number] = read_query_words(page.dom, places(page.dom), words)
    return replace(counts, texts=texts)


def scores(site: Labelled, seeds: range) -> dict[str, float]:
    """Return the ARI of KeyClus after each change."""

    def score(counts: RawCounts, **params: Any) -> float:
        return site.score(KeyClus(**params).fit_counts(counts).labels_)

    logged = site.counts()
    own = with_queries(logged, site, site.own_queries())
    found = {name: score(logged, **params) for name, params in SETTINGS.items()}
    found["anchor texts, titles, headings"] = score(own)
    found["the same, max_presence=0.98"] = score(own, max_presence=WITHOUT_FRAME)
    for changed, shares, text in ((noisy, NOISE, "of the rows moved"), (fewer, COVERAGE, "of the pages")):
        for share in shares:
            logs = [with_queries(logged, site, changed(site, share, seed)) for seed in seeds]
            runs = [score(log, max_presence=WITHOUT_FRAME) for log in logs]
            found[f"max_presence=0.98, {share:.0%} {text}"] = float(np.mean(runs))
    return found


def measure(seeds: int = SEEDS) -> dict[str, dict[str, float]]:
    """Return the mean ARI of the development sites and of the bench after each change."""
    groups = {"development": development_sites(), "bench": bench_sites()}
    return {name: mean_of([scores(site, range(seeds)) for site in sites]) for name, sites in groups.items()}


def tables(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of the result file."""
    rows = [[name, own, result["bench"][name]] for name, own in result["development"].items()]
    return {"changes": table(["change", "development sites", "bench"], rows)}
