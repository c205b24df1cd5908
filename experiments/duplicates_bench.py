"""Near-duplicates on the bench: pairs of one site that are reported although their contents differ.

    python experiments/duplicates_bench.py [SITE ...]

Columns: pages, pairs by verdict, and false pairs: pairs that are reported as duplicates although both pages
have a title, the titles differ, and less than 30 % of the shingles of the shorter main text are on the other
page (an index page has no main text). Nothing is trained. The thresholds were set on the three sets of pairs,
except that the resemblance for pages of one site was chosen from .3 and .5 with this table.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.bench import BenchSite, read_bench
from webgrain.arrays import UInt64
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.search import DUPLICATE, VERDICTS, find_pairs
from webgrain.duplicates.words import shingles
from webgrain.metrics import tokens
from webgrain.site.duplicates import text_of

DIFFERENT = 0.3
SHOWN = ("same-page", "same-content", "near-duplicate", "contains")


def main() -> None:
    """Print the table."""
    print(f"{'site':14}{'pages':>7}" + "".join(f"{name:>16}" for name in SHOWN) + f"{'false':>8}{'%':>8}")
    total, every = 0, 0.0
    for site in read_bench(sys.argv[1:] or None):
        counts, false = score(site)
        pairs = len(site) * (len(site) - 1) / 2
        total, every = total + false, every + pairs
        cells = "".join(f"{counts[name]:16}" for name in SHOWN)
        print(f"{site.name:14}{len(site):7}{cells}{false:8}{100 * false / pairs:8.3f}", flush=True)
    print(f"{'all':14}{'':7}{'':64}{total:8}{100 * total / every:8.4f}")


def score(site: BenchSite) -> tuple[Counter[str], int]:
    """Return the numbers of pairs by verdict, and of false pairs."""
    with DuplicateIndex() as index:
        for page in site.pages():
            index.add(text_of(page, site.name))
        found = find_pairs([index])
        names = [index.entry(number).id for number in range(len(index))]
    titles = {name: " ".join(tokens(record.get("title") or "")) for name, record in site.truth.items()}
    mains = {name: np.unique(shingles(record.get("text") or "")) for name, record in site.truth.items()}
    counts: Counter[str] = Counter(VERDICTS[verdict].value for verdict in found.verdict)
    false = 0
    for a, b, verdict in zip(found.a, found.b, found.verdict, strict=True):
        left, right = names[a], names[b]
        differ = bool(titles[left] and titles[right] and titles[left] != titles[right])
        false += bool(verdict <= DUPLICATE and differ and shared(mains[left], mains[right]) < DIFFERENT)
    return counts, false


def shared(a: UInt64, b: UInt64) -> float:
    """Return the share of the smaller set that the other contains; 0 if one is empty."""
    size = min(len(a), len(b))
    return len(np.intersect1d(a, b, assume_unique=True)) / size if size else 0.0


if __name__ == "__main__":
    main()
