"""Measure the certified minimiser: time, gap and memory, compared with expansion over all labels.

    python benchmarks/segmentation/bench_certified.py [--sizes 300 1000 3000] [--lam 0.5 1.5] [--seeds 1]
    python benchmarks/segmentation/bench_certified.py --pages FOLDER [--times 1 3]

Synthetic pages are those of bench_expansion.py, each solved in a separate process to measure its peak memory,
which includes the page. With --pages: every .html file below a folder, laid out without a browser, with the
costs of GCuts and its lambda times each given number. The excess is the energy of expansion minus the
certified energy, relative to the latter.
"""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from webgrain.papers.gcuts import alpha_expansion

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2]))
from bench_expansion import synthetic_page, timed
from tests.papers.reference import certified, page_problem

REPEATS = 3


def measure(problem, rel):
    """Return seconds and excess of both methods, gap and sweeps."""
    seconds, minimum = timed(lambda: certified(problem, rel=rel), REPEATS)
    plain_seconds, (_, plain) = timed(lambda: alpha_expansion(problem, "dp"), REPEATS)
    excess = (plain - minimum.energy) / abs(minimum.energy)
    return seconds, minimum.gap, minimum.sweeps, plain_seconds, excess


def measure_synthetic(n, lam, seed, rel):
    """Time one call in a fresh process and return the energy, gap, sweeps, seconds and peak MB."""
    problem = synthetic_page(n, lam, seed)
    begin = time.perf_counter()
    minimum = certified(problem, rel=rel)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return problem.n_labels, len(problem.weight), minimum.energy, minimum.gap, minimum.sweeps, seconds, peak


def print_synthetic(args):
    print("     n     K  pairs lambda     E        gap %  sweeps   seconds  peak MB")
    for n in args.sizes:
        for lam in args.lam:
            for seed in range(args.seeds):
                context = multiprocessing.get_context("spawn")
                with ProcessPoolExecutor(1, mp_context=context) as pool:
                    row = pool.submit(measure_synthetic, n, lam, seed, args.rel).result()
                k, m, value, gap, sweeps, seconds, peak = row
                print(
                    f"{n:6} {k:5} {m:6} {lam:6} {value:9.2f} {100 * gap:9.1e} {sweeps:6} "
                    f"{seconds:9.3f} {peak:8.0f}",
                    flush=True,
                )


def page_problems(folder):
    """Yield the energies of GCuts on all pages below a folder."""
    from webgrain.page.outline import visible_tree
    from webgrain.page.page import Source
    from webgrain.papers.gcuts import CertifiedGCuts
    from webgrain.site.pipeline import pages

    files = sorted(Path(folder).rglob("*.html"))
    for page in pages(Source(path.name, path.read_bytes()) for path in files):
        if len(visible_tree(page)):
            yield page_problem(CertifiedGCuts(), page)


def print_pages(args):
    problems = list(page_problems(args.pages))
    print(f"{len(problems)} pages        median     90 %      max")
    for factor in args.times:
        scaled = [dataclasses.replace(problem, weight=factor * problem.weight) for problem in problems]
        rows = np.array([measure(problem, args.rel) for problem in scaled])
        print(f"lambda x {factor:g}: {np.mean(rows[:, 1] <= args.rel):.1%} proven to {args.rel:g}")
        scales = (1e3, 1e2, 1, 1e3, 1e2)
        names = ("certified ms", "gap %", "sweeps", "expansion ms", "excess %")
        for name, scale, column in zip(names, scales, rows.T, strict=True):
            middle, high, most = scale * np.percentile(column, [50, 90, 100])
            print(f"  {name:14} {middle:8.3g} {high:8.3g} {most:8.3g}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[300, 1000, 3000, 10_000])
    parser.add_argument("--lam", type=float, nargs="+", default=[0.5, 1.5])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--rel", type=float, default=1e-5)
    parser.add_argument("--pages", help="folder of HTML files, instead of synthetic pages")
    parser.add_argument("--times", type=float, nargs="+", default=[1.0, 3.0])
    args = parser.parse_args()
    if args.pages:
        print_pages(args)
    else:
        print_synthetic(args)


if __name__ == "__main__":
    main()
