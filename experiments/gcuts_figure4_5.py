"""Figures 4 and 5 of Chakrabarti, Kumar, Punera, WWW 2008: GCuts without parent-child edges (NP).

    python experiments/gcuts_figure4_5.py [--render chromium|estimate]

The paper: without them about 10 % less ARI and 5 % less NMI, but still better than CClus; the best lambda is
1 instead of .5.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.plots import plot_sweeps
from experiments.protocol import LAMS, Data, row, run
from webgrain.report.pictures import Curve, plot_cumulative

NAMES = ("GCuts", "GCuts-NP")


def draw(data: Data, figures: Path) -> None:
    """Print the means, draw the curves of both and the sweep of NP."""
    print("Figures 4 and 5: ARI, NMI, pages under .3, over .6")
    for name in NAMES:
        print(row(data, name), flush=True)
    means = data.sweep(data.by_folds, "GCuts-NP")
    for lam, (ari, nmi) in zip(LAMS, means, strict=True):
        print(f"{lam:7g}  {ari:.3f} {nmi:.3f}")
    panels = {
        "cross-validation": [Curve(name, data.scores(data.by_folds, name)[:, 0]) for name in NAMES],
        "the paper's protocol": [Curve(name, data.scores(data.by_splits, name)[:, 0]) for name in NAMES],
    }
    plot_cumulative(panels, figures / "gcuts-figure4.png")
    plot_sweeps({"GCuts-NP": means}, {"GCuts-NP": 1.0}, figures / "gcuts-figure5.png")


if __name__ == "__main__":
    run(draw, __doc__)
