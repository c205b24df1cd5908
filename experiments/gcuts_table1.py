"""Table 1 of Chakrabarti, Kumar, Punera, WWW 2008: GCuts and CClus without learning (NL).

    python experiments/gcuts_table1.py [--render chromium|estimate]

The paper: ARI / NMI .60 / .76 for GCuts and .52 / .73 for GCuts-NL; CClus-NL "completely fails".
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.protocol import Data, row, run

NAMES = ("GCuts", "GCuts-NL", "CClus", "CClus-NL")


def draw(data: Data, figures: Path) -> None:
    """Print the means; there is nothing to draw."""
    print("Table 1: ARI, NMI, pages under .3, over .6")
    for name in NAMES:
        print(row(data, name), flush=True)


if __name__ == "__main__":
    run(draw, __doc__)
