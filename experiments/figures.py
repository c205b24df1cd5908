"""Print every figure of the README, after running the experiments that measure them: ``make figures``.

    python experiments/figures.py [--only NAME ...]

The experiments need the data (`webgrain data`), and some train models on four fifths of the sites; together
they take about 46 minutes of processor time. Each writes its result file, docs/make_agreement.py copies the
figures into the README and the manual, and the figures of the README are printed with their sources. A
figure without a result file is a processor time: its benchmark prints it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.results import FIGURE

ROOT = Path(__file__).parents[1]
LEFT_OUT = "build/left-out.jsonl"
COMMANDS = {
    "alone": "experiments/training/alone.py build/alone",
    "left-out": f"experiments/training/singlepage.py {LEFT_OUT}",
    "texts": f"experiments/reader_bench.py {LEFT_OUT}",
    "pagetypes": "experiments/pagetypes_bench.py",
    "keyclus": "experiments/keyclus_paper.py",
    "lists": "experiments/lists.py",
    "boilerplate": "experiments/training/boilerplate.py",
    "trained": "experiments/training/segmentation.py",
    "duplicates": "experiments/duplicates_bench.py",
    "pairs": "experiments/gcuts_table2_duplicates.py",
    "time": "benchmarks/bench_audit_sites.py nbn",
}
"""The commands by the name of their result file, in an order that each one's input exists."""


def quoted(text: str) -> list[tuple[str, str]]:
    """Return the figures of a page with the table, row and column that they are from.

    >>> quoted("ARI .82<!-- pagetypes/sites: mean: ARI --> and 3")
    [('.82', 'pagetypes/sites: mean: ARI')]
    """
    source = "{name}/{key}: {row}: {column}"
    return [
        (found["number"] + (found["percent"] or ""), source.format(**found.groupdict()))
        for found in FIGURE.finditer(text)
    ]


def main() -> None:
    """Run the experiments and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", choices=COMMANDS, help="run these experiments only")
    only = parser.parse_args().only
    (ROOT / LEFT_OUT).parent.mkdir(exist_ok=True)
    for name in COMMANDS if only is None else only:
        print(f"== {name}: python {COMMANDS[name]}", flush=True)
        subprocess.run([sys.executable, *COMMANDS[name].split()], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "docs/make_agreement.py"], cwd=ROOT, check=True)
    for value, source in quoted((ROOT / "README.md").read_text(encoding="utf-8")):
        print(f"{value:>8}  {source}")


if __name__ == "__main__":
    main()
