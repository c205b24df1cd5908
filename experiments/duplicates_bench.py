"""Near-duplicates on the bench: pairs that are reported although their contents differ, and labelled pairs.

    python experiments/duplicates_bench.py [SITE ...]

Columns: pages, pairs by verdict, and false pairs: pairs that are reported as duplicates although both pages
have a title, the titles differ, and less than 30 % of the shingles of the shorter main text are on the other
page (an index page has no main text). The last columns are of the labelled pairs
(`experiments.datasets.sitepairs`): duplicates and parts, those that are found, those with the correct
verdict, and different pages that are found. Nothing is trained, but the weights and thresholds were chosen
with these sites in view.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.bench import BenchSite, read_bench
from experiments.datasets.sitepairs import SitePair, read_pairs
from experiments.results import table, write_results
from webgrain.arrays import UInt64
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.search import DUPLICATE, VERDICTS, find_pairs
from webgrain.duplicates.words import shingles
from webgrain.metrics import tokens
from webgrain.site.duplicates import text_of

DIFFERENT = 0.3
SHOWN = ("same-page", "same-content", "near-duplicate", "contains")


LABELLED = ("pairs", "found", "correct", "other found")


def main() -> None:
    """Print the table."""
    heads = "".join(f"{name:>16}" for name in SHOWN)
    print(f"{'site':14}{'pages':>7}{heads}{'false':>8}{'%':>8}" + "".join(f"{name:>12}" for name in LABELLED))
    labels, sums, every, rows = read_pairs(), Counter[str](), 0.0, list[list[Any]]()
    for site in read_bench(sys.argv[1:] or None):
        counts = score(site, [pair for pair in labels if pair.site == site.name])
        pairs = len(site) * (len(site) - 1) / 2
        sums, every = sums + counts, every + pairs
        print(f"{site.name:14}{len(site):7}{row(counts, pairs)}", flush=True)
        rows.append([site.name, len(site), *figures(counts, pairs)])
    print(f"{'all':14}{'':7}{row(sums, every)}")
    if sys.argv[1:]:
        return
    rows.append(["all", None, *figures(sums, every)])
    columns = ["site", "pages", *SHOWN, "false", "share of false", *LABELLED]
    data = "All pairs of pages of each site of the bench, and the labelled pairs."
    command = "python experiments/duplicates_bench.py"
    write_results("duplicates", data, command, {"sites": table(columns, rows)})


def figures(counts: Counter[str], pairs: float) -> list[int | float]:
    """Return the figures of a row of the result file."""
    shown = [counts[name] for name in (*SHOWN, "false")]
    return [*shown, counts["false"] / pairs, *(counts[name] for name in LABELLED)]


def row(counts: Counter[str], pairs: float) -> str:
    """Return a row of the table."""
    cells = "".join(f"{counts[name]:16}" for name in SHOWN) + f"{counts['false']:8}"
    return f"{cells}{100 * counts['false'] / pairs:8.4f}" + "".join(f"{counts[name]:12}" for name in LABELLED)


def score(site: BenchSite, labelled: list[SitePair]) -> Counter[str]:
    """Return the numbers of pairs by verdict, of false pairs, and of labelled pairs."""
    with DuplicateIndex() as index:
        for page in site.pages():
            index.add(text_of(page, site.name))
        found = find_pairs([index])
        names = [index.entry(number).id for number in range(len(index))]
    titles = {name: " ".join(tokens(record.get("title") or "")) for name, record in site.truth.items()}
    mains = {name: np.unique(shingles(record.get("text") or "")) for name, record in site.truth.items()}
    counts: Counter[str] = Counter(VERDICTS[verdict].value for verdict in found.verdict)
    verdicts = {}
    for k, (a, b, verdict) in enumerate(zip(found.a, found.b, found.verdict, strict=True)):
        left, right = names[a], names[b]
        differ = bool(titles[left] and titles[right] and titles[left] != titles[right])
        counts["false"] += bool(
            verdict <= DUPLICATE and differ and shared(mains[left], mains[right]) < DIFFERENT
        )
        first = found.in_a[k] >= found.in_b[k]
        for pair, is_whole in (((left, right), first), ((right, left), not first)):
            verdicts[pair] = "duplicate" if verdict <= DUPLICATE else "contains" if is_whole else "part"
    for one in labelled:
        verdict = verdicts.get((one.a, one.b), "different")
        if one.verdict == "different":
            counts["other found"] += verdict != "different"
        else:
            counts["pairs"] += 1
            counts["found"] += verdict != "different"
            counts["correct"] += verdict == one.verdict or (
                one.verdict == "either" and verdict != "different"
            )
    return counts


def shared(a: UInt64, b: UInt64) -> float:
    """Return the share of the smaller set that the other contains; 0 if one is empty."""
    size = min(len(a), len(b))
    return len(np.intersect1d(a, b, assume_unique=True)) / size if size else 0.0


if __name__ == "__main__":
    main()
