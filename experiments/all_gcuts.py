"""All experiments of section 5.1 in one run: what several of them need is learnt once.

python experiments/all_gcuts.py [--render chromium|estimate]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments import gcuts_figure2, gcuts_figure3, gcuts_figure4_5, gcuts_table1
from experiments.protocol import Data, run


def draw(data: Data, figures: Path) -> None:
    """Make every table and figure."""
    for experiment in (gcuts_figure2, gcuts_figure3, gcuts_figure4_5, gcuts_table1):
        experiment.draw(data, figures)


if __name__ == "__main__":
    run(draw, __doc__)
