"""Time GCuts stage by stage on real pages, and against a plain numpy + scipy solver of the same energy.

    python benchmarks/segmentation/bench_gcuts.py [INPUT...] [--render none|chromium] [--reference 3]

Without an input it takes the sample site. Pages are read and laid out first; that is not timed. Rows are
medians over the pages of a size, in ms, of `CertifiedGCuts`; nodes are those of the visible tree.
Then the processor time of `predict` on made pages of 10 000 leaves is printed.
The ratio is that of the reference to expansion: it makes the same moves from the same start, in this order.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from webgrain import Page, Source, read
from webgrain.page.outline import visible_tree
from webgrain.papers.features.nodes import node_features
from webgrain.papers.features.pairs import PairFeatures, adjacent_leaves
from webgrain.papers.features.treenodes import NodeFeatures
from webgrain.papers.gcuts import CertifiedGCuts, GCuts, alpha_expansion, distances, label_nodes
from webgrain.papers.solvers.treepotts import tree_dp
from webgrain.papers.weights import embedding, find_weights
from webgrain.segmentation.method import TRAINED
from webgrain.site.pipeline import Layout, pages

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.papers.reference import certified, page_problem, reference_expansion

SIZES = ((1, 200), (200, 450), (450, 800), (800, 1400), (1400, 10**9))
STAGES = ("tree", "features", "D", "pairs", "solve", "predict")


def timed(call, repeats=5):
    """Median ms of a call, and its result."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - begin)
    return 1e3 * median(seconds), result


def stages(page, method):
    """Ms of each stage, of all of `predict`, and what was solved."""
    tree_ms, tree = timed(lambda: visible_tree(page))
    weights = find_weights(TRAINED, page)
    build = partial(NodeFeatures, page.dom, page.view, tree)
    features_ms, features = timed(lambda: node_features(build()))
    embedded = embedding(features, weights, metric=method.metric)
    distance_ms, _ = timed(lambda: distances(embedded, *label_nodes(tree, method.allowed_labels), tree.end))
    pairs_ms, _ = timed(lambda: PairFeatures(build())(*adjacent_leaves(page, tree).T))
    problem = page_problem(method, page)
    solve_ms, _ = timed(lambda: certified(problem))
    predict_ms, _ = timed(lambda: method.predict(page))
    return (tree_ms, features_ms, distance_ms, pairs_ms, solve_ms, predict_ms), problem


def against_reference(problem):
    """Ms of the kernel and of the reference, and whether they end at the same energy."""
    order = np.arange(problem.n_labels)
    fast, (_, value) = timed(lambda: alpha_expansion(problem, "dp"))
    slow, (_, expected) = timed(lambda: reference_expansion(problem, tree_dp(problem)[0], order), 1)
    return fast, slow, abs(value - expected) <= 1e-4 * abs(value)


SHAPES = {
    "a flat list": "<p>x" * 10_000,
    "articles": "<div><h3>A title</h3><p>Some text, <a href=/>more</a></div>" * 3334,
    "a table": "<table>" + ("<tr>" + "<td>1" * 10) * 1000 + "</table>",
    "a thread": ("<li>1<p>2" + "<ul><li>3<p>4" * 9 + "</ul>" * 9) * 500,
    "nested blocks": "<div>x" * 10_000,
}
"""Pages of about 10 000 leaves."""


def print_large(render, variants):
    """Print the processor time of each large page, in seconds, and the number of its segments."""
    for name, html in SHAPES.items():
        [page] = pages([Source(name, html.encode())], Layout(render=render))
        cells = [f"{len(visible_tree(page).leaf):6} leaves"]
        for method in variants:
            begin = time.process_time()
            found = method.predict(page)
            seconds = time.process_time() - begin
            cells.append(f"{method.method} {seconds:.2f} s, {len(found)} segments")
        print(f"{name:14} {'; '.join(cells)}", flush=True)


def main() -> None:
    """Print a row for each size of page, then the comparison."""
    parser = argparse.ArgumentParser()
    parser.add_argument("inputs", nargs="*", default=["examples/site"])
    parser.add_argument("--render", choices=("none", "chromium"), default="none")
    parser.add_argument("--reference", type=int, default=3, help="pages of each size that it solves too")
    parser.add_argument("--lam", type=float, default=GCuts.lam)
    parser.add_argument("--paper", action="store_true", help="time GCuts on large pages too")
    args = parser.parse_args()
    method = CertifiedGCuts(lam=args.lam)
    found = [p for p in pages(read(args.inputs), Layout(render=args.render)) if isinstance(p, Page)]
    print(f"{'nodes':>12} {'pages':>5} " + " ".join(f"{stage:>8}" for stage in STAGES) + "   ratio same E")
    for low, high in SIZES:
        mine = [page for page in found if low <= len(visible_tree(page)) < high]
        if mine:
            print_row(f"{low}-{high - 1}" if high < 10**9 else f"{low}-", mine, method, args.reference)
    print_large(args.render, [method, GCuts(lam=args.lam)] if args.paper else [method])


def print_row(size, mine, method, with_reference):
    rows, ratios, same = [], [], 0
    for number, page in enumerate(mine):
        row, problem = stages(page, method)
        rows.append(row)
        if number < with_reference:
            fast, slow, equal = against_reference(problem)
            ratios.append(slow / fast)
            same += equal
    ratio = f"{median(ratios):7.0f} {same}/{len(ratios)}" if ratios else "      -"
    print(
        f"{size:>12} {len(mine):5} " + " ".join(f"{ms:8.2f}" for ms in np.median(rows, axis=0)),
        ratio,
        flush=True,
    )


if __name__ == "__main__":
    main()
