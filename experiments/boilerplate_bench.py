"""Boilerplate words found with the templates of complete sites.

    python experiments/boilerplate_bench.py

The pages of each type are halved. A template is learnt from at most 15 pages of one half and applied to at
most 8 article pages of the other. The truth of a text is whether at least half of its words are, in order, in
the title, main text, comments or records of the page. Precision is the share of the words called boilerplate
that are not content, recall the share of the words that are not content that are called boilerplate. No
threshold is chosen on these sites: a text is boilerplate if its noise confidence is above .75.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from experiments.datasets.bench import BenchSite, read_bench
from experiments.datasets.noise import noise_truths
from webgrain.arrays import Float64
from webgrain.errors import ParameterError
from webgrain.page.page import Page
from webgrain.templates.regextree import RegexTree

LEARN, JUDGE, LEAST, THRESHOLD = 15, 8, 3, 0.75


def judge(site: BenchSite) -> Float64:
    """Return the words of a site that are called boilerplate and are, that are called so, and that are."""
    by_type: dict[str, list[Page]] = defaultdict(list)
    for page in site.pages():
        by_type[site.types[page.id]].append(page)
    total = np.zeros(3)
    for pages in by_type.values():
        random.Random(0).shuffle(pages)
        learn, rest = pages[: len(pages) // 2][:LEARN], pages[len(pages) // 2 :]
        check = [
            page for page in rest if site.roles[page.id] == "article" and site.truth[page.id].get("text")
        ]
        check = check[:JUDGE]
        if len(learn) < LEAST or not check:
            continue
        try:
            method = RegexTree().fit(learn)
        except ParameterError:
            continue
        for page, truth in zip(
            check, noise_truths(check, [_content(site, p) for p in check], code=False), strict=True
        ):
            called = method.noise(page)[truth.node] > THRESHOLD
            words = truth.words
            total += words[called & truth.noise].sum(), words[called].sum(), words[truth.noise].sum()
    return total


def _content(site: BenchSite, page: Page) -> list[str]:
    record = site.truth[page.id]
    rows = [str(value) for row in record.get("records") or () for value in row.values()]
    return [record.get("title") or "", record["text"], *(record.get("comments") or ()), *rows]


def main() -> None:
    """Print a row for each site, and the means."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print(f"{'site':16} {'precision':>10} {'recall':>10}")
    rows = []
    for site in read_bench():
        if not site.trust["text"]:
            continue
        both, called, true = judge(site).tolist()
        if true:
            rows.append((both / called if called else 1.0, both / true))
            print(f"{site.name:16} {rows[-1][0]:10.3f} {rows[-1][1]:10.3f}", flush=True)
    mean = np.mean(rows, axis=0)
    print(f"{'mean of ' + str(len(rows)):16} {mean[0]:10.3f} {mean[1]:10.3f}")


if __name__ == "__main__":
    main()
