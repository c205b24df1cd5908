"""What the experiments on page types share: whole sites with their pages, truth and pseudo-queries."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.bench import read_bench
from experiments.datasets.sites import read_sites
from webgrain.evaluation.datasets import data_folder
from webgrain.metrics import ari
from webgrain.pagetypes.keyclus import KeyClus
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PseudoQueries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from experiments.datasets.bench import BenchSite
    from experiments.datasets.sites import LabelledSite
    from webgrain.page.page import Page

Queries = "Mapping[str, Mapping[str, int]]"


@dataclass(frozen=True)
class Labelled:
    """A site in memory.

    Attributes:
        name: of the site; pages: parsed.
        truth: (p,) the numbers of the types of the pages.
        queries: pseudo-queries made of the anchor texts of other pages.
        names: of the types.
    """

    name: str
    pages: list[Page]
    truth: NDArray[np.int64]
    queries: Queries
    names: tuple[str, ...] = ()

    @property
    def types(self) -> int:
        """Number of types."""
        return int(self.truth.max()) + 1

    def score(self, labels: ArrayLike) -> float:
        """Return the ARI of labels of its pages."""
        return ari(self.truth, labels)

    def fit(
        self, method: type[PageTypes | KeyClus], queries: Queries | None = None, **params: object
    ) -> PageTypes | KeyClus:
        """Return a method with these parameters, fitted; queries: None: those of the site."""
        return method(**params).fit(self.pages, self.queries if queries is None else queries)

    def own_queries(self) -> Queries:
        """Return the pseudo-queries that webgrain makes of the pages without a search log."""
        names = PseudoQueries()
        for page in self.pages:
            names.add(page)
        return names.queries()


def labelled(site: LabelledSite | BenchSite) -> Labelled:
    """Read the pages of a site."""
    pages = list(site.pages())
    names, truth = np.unique([site.types[page.id] for page in pages], return_inverse=True)
    return Labelled(site.name, pages, truth, site.queries, tuple(names.tolist()))


def development_sites() -> Iterator[Labelled]:
    """Yield the sites on which the former PageTypes was developed."""
    yield from map(labelled, read_sites(data_folder() / "sites"))


def bench_sites(names: Iterable[str] | None = None) -> Iterator[Labelled]:
    """Yield the sites of the bench with these names, or all."""
    yield from map(labelled, read_bench(None if names is None else list(names)))


def arguments(description: str | None, seeds: int) -> argparse.Namespace:
    """Return what was asked for on the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seeds", type=int, default=seeds, help=f"seeds of the min-hashes [{seeds}]")
    return parser.parse_args()


def row(name: str, cells: list[float], digits: int = 2) -> str:
    """Return a row of a table."""
    return f"{name:26}" + "".join(f"{cell:9.{digits}f}" for cell in cells)
