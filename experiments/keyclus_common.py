"""What the experiments on KeyClus share: sites with their pages, true types, pseudo-queries and paths.

Three kinds of paths are compared:

    raw paths     with all ids and classes, as in the paper
    tag paths     tags alone
    site paths    with the ids and classes that several pages of the site share (ours)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.datasets.bench import BenchSite, read_bench
from experiments.datasets.sites import LabelledSite, read_sites
from webgrain.base.metrics import ari
from webgrain.evaluation.datasets import data_folder
from webgrain.page.kernels.treepass import path_keys
from webgrain.page.page import Page
from webgrain.pagetypes.pseudoqueries import PseudoQueries
from webgrain.papers.keyclus import RawCounts, find_shared_values, with_shared_values

Queries = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Labelled:
    """A site in memory.

    Attributes:
        name: of the site; pages: parsed.
        truth: (p,) the numbers of the types of the pages.
        queries: pseudo-queries made of the anchor texts of other pages.
        types: the type of each page (p,).
    """

    name: str
    pages: list[Page]
    truth: NDArray[np.int64]
    queries: Queries
    types: list[str]

    def score(self, labels: ArrayLike) -> float:
        """Return the ARI of labels of its pages."""
        return ari(self.truth, labels)

    def counts(self, queries: Queries | None = None) -> RawCounts:
        """Return the raw paths of the pages with their queries; None: those of the site."""
        counts, queries = RawCounts(), self.queries if queries is None else queries
        for page in self.pages:
            counts.add(page, queries.get(page.id))
        return counts

    def own_queries(self) -> Queries:
        """Return the pseudo-queries that webgrain makes of the pages without a search log."""
        names = PseudoQueries()
        for page in self.pages:
            names.add(page)
        return names.queries()


def labelled(site: LabelledSite | BenchSite) -> Labelled:
    """Read the pages of a site."""
    print(f"{site.name}: {len(site)} pages", file=sys.stderr, flush=True)
    pages = list(site.pages())
    types = [site.types[page.id] for page in pages]
    return Labelled(site.name, pages, np.unique(types, return_inverse=True)[1], site.queries, types)


def development_sites() -> Iterator[Labelled]:
    """Yield the sites on which the former PageTypes was developed."""
    yield from map(labelled, read_sites(data_folder() / "sites"))


def bench_sites() -> Iterator[Labelled]:
    """Yield the sites of the bench."""
    yield from map(labelled, (site for site in read_bench() if site.trust["types"]))


def with_site_paths(counts: RawCounts) -> RawCounts:
    """Return counts in which paths have only the ids and classes that pages of the site share."""
    return with_shared_values(counts, find_shared_values(counts))


def path_sets(counts: RawCounts) -> list[NDArray[np.uint64]]:
    """Return the keys of the paths of each page."""
    return [
        path_keys(up, step, np.array([0, len(up)])) for up, step in zip(counts.up, counts.step, strict=True)
    ]
