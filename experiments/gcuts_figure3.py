"""Figure 3 of Chakrabarti, Kumar, Punera, WWW 2008: the accuracy of GCuts and CClus for varying lambda.

    python experiments/gcuts_figure3.py [--render chromium|estimate]

The paper: one peak each, at .5 for GCuts and at .6 for CClus, where the validation pages have it too.
The scale of D is another one here, so is that of lambda.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.plots import plot_sweeps
from experiments.protocol import LAMS, Data, run

PAPER = {"GCuts": 0.5, "CClus": 0.6}


def draw(data: Data, figures: Path) -> None:
    """Print and draw the means over the pages, the other parameters as chosen in each fold."""
    sweeps = {name: data.sweep(data.by_folds, name) for name in PAPER}
    print("Figure 3: lambda, then ARI and NMI of " + ", ".join(sweeps))
    for k, lam in enumerate(LAMS):
        print(f"{lam:7g}  " + "   ".join("{:.3f} {:.3f}".format(*means[k]) for means in sweeps.values()))
    plot_sweeps(sweeps, PAPER, figures / "gcuts-figure3.png")


if __name__ == "__main__":
    run(draw, __doc__)
