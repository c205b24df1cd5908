"""Templates of one type of pages against the pages of other types.

    python experiments/template_types.py

For each type of at least 25 pages: learn from 15, then count which of at most 25 further pages of the type
are accepted, and how many pages of the other types are rejected. With several templates, one of each type,
each page takes the one that it fits best: the share that takes its own.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.sites import LabelledSite, read_sites
from webgrain.evaluation.datasets import data_folder
from webgrain.io.write import draw
from webgrain.templates.regextree import RegexTree

if TYPE_CHECKING:
    from webgrain.page.page import Page

LEARN, JUDGE = 15, 25


def judge(site: LabelledSite) -> list[tuple[str, float, float, float]]:
    """Return a row for each type: its name, shares accepted and rejected, and best fits that are right."""
    drawn = draw(site.pages(), LEARN + JUDGE, types=site.types)
    learnt: dict[str, RegexTree] = {}
    rest: dict[str, list[Page]] = defaultdict(list)
    for kind, found in drawn.items():
        random.Random(0).shuffle(found)  # they come in the order of their ids
        if len(found) >= JUDGE:
            learnt[kind] = RegexTree().fit(found[:LEARN])
        rest[kind] = found[LEARN:] if kind in learnt else found
    fits = {
        kind: {other: [one.predict(page) for page in pages] for other, pages in rest.items()}
        for kind, one in learnt.items()
    }
    rows = []
    for kind, own in fits.items():
        others = [match.accepted for other, matches in own.items() if other != kind for match in matches]
        best = [max(fits, key=lambda name: fits[name][kind][k].score) == kind for k in range(len(rest[kind]))]
        accepted = float(np.mean([match.accepted for match in own[kind]]))
        rows.append((kind, accepted, 1.0 - float(np.mean(others)), float(np.mean(best))))
    return rows


def main() -> None:
    """Print a row for each type, and the means."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print(f"{'site':22} {'type':16} {'accepts own':>12} {'rejects others':>15} {'fits best':>10}")
    rows = []
    for site in read_sites(data_folder() / "sites"):
        for row in judge(site):
            rows.append(row[1:])
            print(f"{site.name:22} {row[0]:16} {row[1]:12.2f} {row[2]:15.2f} {row[3]:10.2f}", flush=True)
    mean, median = np.mean(rows, axis=0), np.median(rows, axis=0)
    print(f"{'mean of ' + str(len(rows)):39} {mean[0]:12.2f} {mean[1]:15.2f} {mean[2]:10.2f}")
    print(f"{'median':39} {median[0]:12.2f} {median[1]:15.2f} {median[2]:10.2f}")


if __name__ == "__main__":
    main()
