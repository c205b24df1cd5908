"""Processor time of sums of trees: in lanes of 64 rows, compared with one row after the other.

Needs the data of the bench (`experiments.datasets.bench`). The rows are the text blocks of the first 64 pages
of each site, in batches of some pages; the models are those that judge every block of a page. Both ways take
turns; the time is the least of `ROUNDS`, in ns for a row and a tree. One row after the other is read from a
table by rows, whose transposition is listed apart. Lanes, and `BoostedTrees.odds`, read a table by columns.

    python benchmarks/base/bench_trees.py [SITE...]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from statistics import mean
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.bench import read_bench

from webgrain.base.arrays import Float32
from webgrain.base.rowkernel import COMPILED, Forest
from webgrain.base.trees import forest_arrays
from webgrain.columns.blocks import block_features
from webgrain.extraction.single import trained_models
from webgrain.page.parsing import parse

SITES = ("nbn", "lpinnova", "crawlwiki")
MODELS = ("main", "comment")
PAGES = 64
BATCHES = (1, 4, 16, 64)
ROUNDS = 9
BY_ROWS, IN_LANES = 10**9, 0  # least numbers of rows for lanes


def main() -> None:
    """Print a table for each site."""
    print(f"compiled: {COMPILED}")
    for site in read_bench(sys.argv[1:] or [*SITES]):
        tables = [block_features(parse(source)) for source in islice(site.sources(), PAGES)]
        print(f"\n{site.name}: {len(tables)} pages of {mean(map(len, tables)):.0f} text blocks (mean)")
        print("  model    pages a batch  by rows  in lanes  ratio  odds()  transposing  (ns a row and tree)")
        for name in MODELS:
            for size in BATCHES:
                show(name, size, [np.concatenate(tables[k : k + size]) for k in range(0, len(tables), size)])


def show(name: str, size: int, tables: list[Float32]) -> None:
    """Print the times of a model for tables of several pages each."""
    model = trained_models()[name]
    forest = Forest(*forest_arrays([model]))
    by_rows = [np.ascontiguousarray(x) for x in tables]
    by_columns = [np.asfortranarray(x) for x in tables]
    ways: list[Callable[[], list[object]]] = [
        lambda: [forest.odds(x, BY_ROWS) for x in by_rows],
        lambda: [forest.odds(x, IN_LANES) for x in by_columns],
        lambda: [model.odds(x) for x in by_columns],
        lambda: [np.ascontiguousarray(x) for x in by_columns],
    ]
    check(forest, by_rows, by_columns)
    scale = 1e9 / (sum(map(len, tables)) * len(model.root))
    rows, lanes, odds, transposing = (seconds * scale for seconds in fastest(ways))
    times = f"{rows:7.2f}  {lanes:8.2f}  {rows / lanes:5.2f}  {odds:6.2f}  {transposing:11.2f}"
    print(f"  {name:<8} {size:13}  {times}")


def check(forest: Forest, by_rows: list[Float32], by_columns: list[Float32]) -> None:
    """End with an error unless both ways give the same bits."""
    for x, y in zip(by_rows, by_columns, strict=True):
        if forest.odds(x, BY_ROWS).tobytes() != forest.odds(y, IN_LANES).tobytes():
            sys.exit("the sums differ")


def fastest(ways: list[Callable[[], list[object]]]) -> list[float]:
    """Return the least processor seconds of each way."""
    least = [float("inf")] * len(ways)
    for _ in range(ROUNDS):
        for k, way in enumerate(ways):
            start = process_time()
            way()
            least[k] = min(least[k], process_time() - start)
    return least


if __name__ == "__main__":
    main()
