"""Time of learning the types of a large site and of assigning a page, as a ratio to parsing.

The site is made up (`experiments.datasets`). With ``--pages 20000`` its pages have some 480 000
distinct paths. Peak memory is that of the process, with the bytes of one page at a time.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.synthetic_sites import make_site_pages

from webgrain.base.metrics import ari
from webgrain.page.parsing import parse
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.papers.keyclus import KeyClus

METHODS = {"pagetypes": PageTypes, "keyclus": KeyClus}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--method", choices=METHODS, default="pagetypes")
    asked = parser.parse_args()
    measure(METHODS[asked.method](), asked.pages)


def measure(method: PageTypes | KeyClus, n: int) -> None:
    """Print the time for a generated site of n pages."""
    counted, parsing, counting, kinds, nodes = method.new_counts(), 0.0, 0.0, [], 0
    sources = []
    for source, kind, queries in make_site_pages(n):
        start = time.process_time()
        page = parse(source)
        middle = time.process_time()
        counted.add(page, queries)
        parsing, counting = parsing + middle - start, counting + time.process_time() - middle
        kinds.append(kind)
        nodes += len(page.dom)
        sources += [source] if len(sources) < 500 else []
    start = time.process_time()
    method.fit_counts(counted)
    learning = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    score = ari([hash(kind) for kind in kinds], method.clustering_.labels)
    print(f"{n} pages, {nodes / n:.0f} nodes each")
    print(f"ARI {score:.3f}, {len(method.clustering_)} types")
    print(f"parsing  {parsing:7.2f} s    {1e3 * parsing / n:.2f} ms a page")
    print(f"counting {counting:7.2f} s    {counting / parsing:.2f} x parsing")
    print(f"learning {learning:7.2f} s    {learning / parsing:.2f} x parsing")
    whole = parsing + counting + learning
    print(f"all      {whole:7.2f} s    {whole / parsing:.2f} x parsing")
    print(f"memory   {memory:7.2f} GB at most")
    each = []
    for source in sources:
        start = time.process_time()
        method.predict(parse(source))
        each.append(time.process_time() - start)
    print(f"assign   {1 / statistics.median(each):7.0f} pages/s a core, with parsing")


if __name__ == "__main__":
    main()
