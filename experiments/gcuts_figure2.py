"""Figure 2 of Chakrabarti, Kumar, Punera, WWW 2008: GCuts against CClus, page by page and in the mean.

    python experiments/gcuts_figure2.py [--render chromium|estimate]

The paper: ARI / NMI .60 / .76 for GCuts, 30 % and 18.75 % more than CClus; 5 % and 27 % of the pages have an
ARI under .3, about 50 % and less than 20 % one over .6.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.protocol import Data, row, run
from webgrain.report.pictures import Curve, plot_cumulative

NAMES = ("GCuts", "CClus", "CClus, local search")


def draw(data: Data, figures: Path) -> None:
    """Print the means, and draw which share of the pages scores at most x."""
    print("Figure 2: ARI, NMI, pages under .3, over .6")
    for name in NAMES:
        print(row(data, name), flush=True)
    panels = {
        "cross-validation": [Curve(name, data.scores(data.by_folds, name)[:, 0]) for name in NAMES],
        "the paper's protocol": [Curve(name, data.scores(data.by_splits, name)[:, 0]) for name in NAMES],
    }
    plot_cumulative(panels, figures / "gcuts-figure2.png")


if __name__ == "__main__":
    run(draw, __doc__)
