"""What the experiments on page types share: the sites, counted once, and their truth."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.sites import LabelledSite, read_sites
from webgrain.evaluation.datasets import data_folder
from webgrain.metrics import ari
from webgrain.pagetypes.keyclus import KeyPathEstimator
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PathCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Counted:
    """A site with its path counts; truth (p,): numbers of the types of its pages."""

    site: LabelledSite
    counts: PathCounts
    truth: NDArray[np.int64]

    def score(self, labels: ArrayLike) -> float:
        """Return the ARI of labels of its pages."""
        return ari(self.truth, labels)

    def fit(self, method: type[KeyPathEstimator] = PageTypes, **params: object) -> KeyPathEstimator:
        """Return a method with these parameters, fitted."""
        return method(**params).fit_counts(self.counts)


def count_site(site: LabelledSite, queries: Mapping[str, Mapping[str, int]] | None = None) -> Counted:
    """Count the pages of a site, with its queries or others."""
    counts = PathCounts()
    for page in site.pages():
        counts.add(page, (site.queries if queries is None else queries).get(page.id))
    truth = np.unique([site.types[page] for page in counts.ids], return_inverse=True)[1]
    return Counted(site, counts, truth)


def counted_sites() -> Iterator[Counted]:
    """Yield all sites, counted."""
    yield from map(count_site, read_sites(data_folder() / "sites"))


def arguments(description: str | None, seeds: int) -> argparse.Namespace:
    """Return what was asked for on the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seeds", type=int, default=seeds, help=f"seeds of the min-hashes [{seeds}]")
    return parser.parse_args()


def row(name: str, cells: list[float], digits: int = 2) -> str:
    """Return a row of a table."""
    return f"{name:26}" + "".join(f"{cell:9.{digits}f}" for cell in cells)
