"""Time the expansion kernel against a plain numpy + scipy one on synthetic pages, at the same energy.

    python benchmarks/segmentation/bench_expansion.py [--sizes 300 1000 3000] [--seeds 3] [--reference 1000]

A synthetic page is a random tree, 20 features per node that drift from parent to child and jump where a block
begins; D is the distance of features, the labels are the internal nodes, and the pairs join leaves that stand
near each other. Both solvers start from the tree program and try the labels in the same order.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from webgrain.papers.gcuts import alpha_expansion, invisible_costs
from webgrain.papers.solvers.treepotts import TreePotts, tree_dp

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.papers.reference import reference_expansion, tree_end

FEATURES = 20
COST_EDGE = 0.1


def synthetic_page(n: int, lam: float, seed: int) -> TreePotts:
    """Draw a page of n nodes, 0.37 n labels, about 2.5 pairs per leaf, pair costs scaled by lam."""
    rng = np.random.default_rng(seed)
    parent = _random_tree(rng, n, deepest=16)
    end = tree_end(parent)
    features = _block_features(rng, parent, end)
    inner = np.flatnonzero(end > np.arange(n) + 1)
    labels = rng.choice(inner, min(len(inner), round(0.37 * n)), replace=False)
    unary = np.stack([np.linalg.norm(own - features[labels], axis=1) for own in features]) / FEATURES**0.5
    leaves = np.flatnonzero(end == np.arange(n) + 1)
    pairs = _near_pairs(rng, leaves)
    apart = np.linalg.norm(features[pairs[:, 0]] - features[pairs[:, 1]], axis=1) / FEATURES**0.5
    nearest = np.full(n, np.median(unary[leaves].min(axis=1)))
    invisible = invisible_costs(parent, np.full(n, COST_EDGE), nearest)
    return TreePotts(parent, end, unary, invisible, pairs, lam / (1 + np.exp(4 * (apart - 0.5))))


def _random_tree(rng, n, deepest):
    """Each node hangs below the one before it or, more rarely, below one of its ancestors."""
    parent, depth = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    for u in range(1, n):
        above = u - 1
        while above and (depth[above] >= deepest or rng.random() < 0.45):
            above = parent[above]
        parent[u], depth[u] = above, depth[above] + 1
    return parent


def _block_features(rng, parent, end):
    features = np.zeros((len(parent), FEATURES))
    for u in range(1, len(parent)):
        begins_block = end[u] - u >= 8 and rng.random() < 0.15
        step = 1.0 if begins_block else 0.3
        features[u] = features[parent[u]] + step * rng.standard_normal(FEATURES)
    return features


def _near_pairs(rng, leaves):
    """Every leaf with the next one, and with one or two a little further on."""
    n = len(leaves)
    first = np.concatenate([np.arange(n - 1), rng.integers(0, n, int(1.5 * n))])
    second = np.concatenate([np.arange(1, n), first[n - 1 :] + rng.integers(2, 12, int(1.5 * n))])
    inside = second < n
    low_high = np.unique(np.column_stack([first[inside], second[inside]]), axis=0)
    return leaves[low_high].astype(np.int32)


def timed(solve, repeats):
    """Median seconds of a call and its last result."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        result = solve()
        seconds.append(time.perf_counter() - begin)
    return median(seconds), result


def main() -> None:
    """Print one line for each size and lambda: medians over the seeds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[300, 1000, 3000])
    parser.add_argument("--lam", type=float, nargs="+", default=[0.5, 1.5])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--reference", type=int, default=1000, help="largest size that the reference solves")
    args = parser.parse_args()
    print("     n lambda          E    E label       ms ms label    ref ms   ratio same E")
    for n in args.sizes:
        for lam in args.lam:
            print_row(n, lam, args.seeds, with_reference=n <= args.reference)


def print_row(n, lam, seeds, with_reference):
    rows = []
    for seed in range(seeds):
        page = synthetic_page(n, lam, seed)
        seconds, (_, value) = timed(lambda: alpha_expansion(page, "dp"), 5)  # noqa: B023
        label_seconds, (_, label_value) = timed(lambda: alpha_expansion(page, start="label"), 3)  # noqa: B023
        row = [value, label_value, 1e3 * seconds, 1e3 * label_seconds, np.nan, np.nan, np.nan]
        if with_reference:
            order = np.arange(page.n_labels)
            slow, (_, expected) = timed(lambda: reference_expansion(page, tree_dp(page)[0], order), 1)  # noqa: B023
            row[4:] = 1e3 * slow, slow / seconds, abs(expected - value) < 1e-6 * abs(value)
        rows.append(row)
    mean = np.median(rows, axis=0)
    same = f"{int(sum(row[-1] for row in rows))}/{seeds}" if with_reference else "-"
    print(
        f"{n:6} {lam:6} {mean[0]:10.2f} {mean[1]:10.2f} {mean[2]:8.2f} {mean[3]:8.2f} {mean[4]:9.0f} "
        f"{mean[5]:7.0f} {same}",
        flush=True,
    )


if __name__ == "__main__":
    main()
