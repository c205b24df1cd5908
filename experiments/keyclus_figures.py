"""Pictures of how KeyClus stands up to a bad log: ARI by noise, by share of pages with queries, and by decay.

Mean over the sites at hand and each site for itself; the logs are anchor texts, no searches. Decay belongs to
the paper's choice of key paths, `KeyClus`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from matplotlib.figure import Figure

from experiments.datasets.sites import LabelledSite, read_sites
from experiments.keyclus_common import count_site, row
from experiments.keyclus_robustness import fewer, noisy, score
from webgrain.evaluation.datasets import data_folder
from webgrain.pagetypes.keyclus import KeyClus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

NOISE = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
COVERAGE = (0.0, 0.02, 0.1, 0.3, 1.0)
DECAY = (0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0)
PANELS = {
    "share of the log's rows moved to a random page": NOISE,
    "share of the pages with queries that keep them": COVERAGE,
    "decay (the paper's choice of key paths)": DECAY,
}


def curves(site: LabelledSite, seed: int) -> list[list[float]]:
    """Return the ARI of a site along each panel."""
    counted = count_site(site)
    return [
        [score(count_site(site, noisy(site, share, seed))) for share in NOISE],
        [score(count_site(site, fewer(site, share, seed))) for share in COVERAGE],
        [score(counted, method=KeyClus, decay=decay) for decay in DECAY],
    ]


def draw(found: Mapping[str, list[list[float]]], path: Path) -> None:
    """Draw a panel for each change: a thin line for each site, a thick one for their mean."""
    figure = Figure((4.6 * len(PANELS), 4.0), layout="constrained")
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for k, (axes, (name, at)) in enumerate(zip(panels, PANELS.items(), strict=True)):
        for site, lines in found.items():
            axes.plot(at, lines[k], linewidth=1, alpha=0.6, label=site)
        axes.plot(at, mean(found, k), color="black", linewidth=2.5, marker="o", label="mean")
        axes.set(xlabel=name, ylim=(-0.05, 1.02))
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("ARI")
    panels[0].legend(fontsize="x-small", loc="lower left")
    figure.savefig(path, dpi=120, metadata={"Software": None})


def mean(found: Mapping[str, list[list[float]]], panel: int) -> NDArray[np.float64]:
    """Return the mean over the sites along a panel."""
    return np.mean([lines[panel] for lines in found.values()], axis=0)


def main() -> None:
    """Print the means and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("keyclus-robustness.png"), help="the picture")
    parser.add_argument("--seed", type=int, default=0, help="of the rows that are moved or left out")
    asked = parser.parse_args()
    found = {site.name: curves(site, asked.seed) for site in read_sites(data_folder() / "sites")}
    draw(found, asked.out)
    for k, (name, at) in enumerate(PANELS.items()):
        print(name)
        print(row("", list(at)))
        print(row("mean ARI", list(mean(found, k))))


if __name__ == "__main__":
    main()
