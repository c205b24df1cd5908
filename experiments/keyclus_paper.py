"""Tables 1 to 5 of the KeyClus paper, and the dependence of KeyClus on its log and its parameters.

    python experiments/keyclus_paper.py [--seeds 50]

Source: Chakrabarti, Mehta, The paths more taken: matching DOM trees to search logs for accurate webpage
clustering, WWW 2010, section 4. The parts are in `keyclus_accuracy`, `keyclus_paths` and
`keyclus_robustness`. The data is read from WEBGRAIN_DATA. Results are written to
experiments/results/keyclus.json; docs/make_agreement.py copies the tables into the manual.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments import keyclus_accuracy, keyclus_paths, keyclus_robustness
from experiments.results import run, write_results

DATA = (
    "Whole sites with known types of pages: those of the bench, and eight on which the former PageTypes was "
    "developed. All logs are pseudo-queries made of the anchor texts of other pages, 15 % of them wrong; no "
    "search log that comes with its pages is public. Each site of the bench was left out of the training of "
    "PageTypes."
)


def main() -> None:
    """Read the command line, run the experiments, and write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=keyclus_accuracy.SEEDS, help="seeds of the min-hashes")
    seeds = parser.parse_args().seeds
    tables = {
        **keyclus_accuracy.tables(keyclus_accuracy.measure(seeds)),
        **keyclus_paths.tables(keyclus_paths.measure()),
        **keyclus_robustness.tables(keyclus_robustness.measure()),
    }
    print(write_results("keyclus", DATA, f"python experiments/keyclus_paper.py --seeds {seeds}", tables))


if __name__ == "__main__":
    run(main)
