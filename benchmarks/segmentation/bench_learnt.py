"""Time the learnt cut stage by stage on real pages, its learning, and its solver against the general one.

    python benchmarks/segmentation/bench_learnt.py [INPUT...] [--render none|chromium]

Without an input it takes the sample site. Pages are read and laid out first; that is not timed. Rows are
medians over the pages of a size, in ms of CPU; the ratio is that of the certified
solver of GCuts to the tree DP, for the same energy. The last line is the time to learn from
these pages with each child of the body as a segment, which takes as long as learning from marked pages.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from webgrain import Page, read
from webgrain.page.outline import leaf_outline, visible_tree
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.units import unit_features
from webgrain.segmentation.learntcut import (
    TRAINED,
    LearntCut,
    best_cut,
    cut,
    expect,
    find_blocks,
    fit_blocks,
    join_remaining,
    page_chances,
    page_marks,
)
from webgrain.site.pipeline import Layout, pages

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.papers.reference import certified, cut_problem

SIZES = ((1, 50), (50, 150), (150, 300), (300, 10**9))
STAGES = ("tree", "facts", "features", "chances", "marks", "expect", "prices", "cut", "join", "predict")


def timed(call, repeats=7):
    """Return the median ms of a call, and its result."""
    seconds = []
    for _ in range(repeats):
        begin = time.process_time()
        result = call()
        seconds.append(time.process_time() - begin)
    return 1e3 * median(seconds), result


def stages(page):
    """Return the ms of each stage and of all of `predict`, the number of units, and the solver's ratio."""
    units, has_boxes = leaf_outline(page), page.view is not None
    tree_ms, _ = timed(lambda: leaf_outline(page.with_view(page.view)))  # a copy remembers nothing
    facts_ms, facts = timed(lambda: facts_of(page.with_view(page.view), has_boxes))
    features_ms, _ = timed(lambda: unit_features(facts))
    model = find_blocks(TRAINED, page)
    chances = page.cached(page_chances, model)  # features and marks are remembered, and timed apart
    chances_ms, _ = timed(lambda: page_chances(page, model))
    marks_ms, _ = timed(lambda: page_marks(page, model.marked))
    expect_ms, expected = timed(lambda: expect(units, chances))
    prices_ms, (prices, rate) = timed(lambda: best_cut(units, expected))
    costs = prices.costs(expected)
    cut_ms, labels = timed(lambda: cut(units, costs))
    join_ms, _ = timed(lambda: join_remaining(units, chances, expected, labels, rate))
    predict_ms, _ = timed(lambda: LearntCut().predict(page.with_view(page.view)))
    certified_ms, _ = timed(lambda: certified(cut_problem(units, costs)))
    of_cut = (chances_ms, marks_ms, expect_ms, prices_ms, cut_ms, join_ms)
    row = (tree_ms, facts_ms, features_ms, *of_cut, predict_ms)
    return row, len(units), certified_ms / cut_ms


def parts_of(page):
    """Return a segment for each child of the body."""
    dom = page.dom
    top = np.flatnonzero(dom.depth == 2)
    return np.where(dom.is_text, np.searchsorted(top, np.arange(len(dom)), side="right"), -1)


def main() -> None:
    """Print a row for each size of page, then the time to learn."""
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", nargs="*", default=["examples/site"])
    parser.add_argument("--render", choices=("none", "chromium"), default="none")
    args = parser.parse_args()
    found = [p for p in pages(read(args.inputs), Layout(render=args.render)) if isinstance(p, Page)]
    values = [stages(page) for page in found if len(visible_tree(page))]
    print(f"{'units':>9} {'pages':>5} " + " ".join(f"{stage:>8}" for stage in STAGES) + "   ratio")
    for low, high in SIZES:
        mine = [(row, ratio) for row, units, ratio in values if low <= units < high]
        if mine:
            name = f"{low}-{high - 1}" if high < 10**9 else f"{low}-"
            ms = np.median([row for row, _ in mine], axis=0)
            ratio = median(ratio for _, ratio in mine)
            print(f"{name:>9} {len(mine):5} " + " ".join(f"{one:8.2f}" for one in ms) + f" {ratio:7.1f}")
    seconds, _ = timed(lambda: fit_blocks(found, [parts_of(page) for page in found]), repeats=1)
    print(f"learning from {len(found)} pages: {seconds / 1e3:.2f} s")


if __name__ == "__main__":
    main()
