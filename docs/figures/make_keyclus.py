"""Draw docs/figures/keyclus.png: which pages of the sample site have which of its paths; extra ``plot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from webgrain import read
from webgrain.io.queries import read_queries
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import site_paths
from webgrain.report.html import PALETTE
from webgrain.site.typelearning import learn_types

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.pagetypes.clustering import Clustering
    from webgrain.pagetypes.pathcounts import SitePaths

HERE = Path(__file__).parent
SITE = HERE.parents[1] / "examples" / "site"
SHARES = 0.1, 0.8
"""Paths that fewer or more of the pages have say little, and are not shown."""


def main() -> None:
    """Draw pages by type, and paths by how many pages have them; key paths have the colour of their type."""
    log = read_queries(SITE.with_name("queries.tsv"))
    learnt = learn_types(lambda: read([str(SITE)]), PageTypes(), log)
    found, site = learnt.clustering, site_paths(learnt.counts)
    rows = np.argsort(found.labels, kind="stable")
    names = [site.describe(path).css for path in range(len(site))]
    keys = [names.index(kind.key_path.css) if kind.key_path else -1 for kind in found.types]
    has = site.presence(chosen(site, keys))[rows]
    cells = np.where(has, len(PALETTE), len(PALETTE) + 1)
    for kind, key in enumerate(keys):
        if key >= 0:
            column = chosen(site, keys).index(key)
            cells[has[:, column], column] = kind % len(PALETTE)
    draw(cells, found, rows)


def chosen(site: SitePaths, keys: list[int]) -> list[int]:
    """Return the paths that are shown, those of most pages first: of paths that the same pages have, one."""
    share = site.size / len(site.pages)
    paths = np.flatnonzero(site.in_body & (share >= SHARES[0]) & (share <= SHARES[1]))
    paths = np.concatenate([[key for key in keys if key >= 0], paths])  # of several, the first one is kept
    _, first = np.unique(site.presence(range(len(site)))[:, paths], axis=1, return_index=True)
    kept = paths[first]
    return [int(path) for path in kept[np.argsort(-site.size[kept], kind="stable")]]


def draw(cells: NDArray[np.int64], found: Clustering, rows: NDArray[np.int64]) -> None:
    """Write the picture: a row a page, a column a path."""
    figure, axes = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
    axes.imshow(
        cells,
        cmap=ListedColormap([*PALETTE, "#c9c6c0", "#ffffff"]),
        vmin=0,
        vmax=9.5,
        aspect="auto",
        interpolation="none",
    )
    edges = np.flatnonzero(np.diff(found.labels[rows])) + 0.5
    axes.hlines(edges, -0.5, cells.shape[1] - 0.5, color="#55524d", linewidth=0.8)
    for kind, type_ in enumerate(found.types):
        axes.plot(
            [],
            [],
            "s",
            color=PALETTE[kind % len(PALETTE)],
            label=type_.key_path.css if type_.key_path else "no key path",
        )
    axes.set(xlabel="paths, those of most pages first", ylabel="pages by type")
    axes.tick_params(bottom=False, left=False, labelbottom=False, labelleft=False)
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), fontsize=8)
    figure.savefig(HERE / "keyclus.png", dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
