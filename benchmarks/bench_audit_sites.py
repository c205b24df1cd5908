"""Audits of real sites: processor time a page by stage, as multiples of reading and parsing, and workers.

Needs the data of the bench (`experiments.datasets.bench`). The times of a prediction are the best of
`RUNS`. With workers the wall-clock time is printed beside the processor time: only a quiet machine shows what
the second worker saves.

    python benchmarks/bench_audit_sites.py [SITE...]
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from experiments.datasets.bench import BenchSite, read_bench

from bench_audit import Here, stages
from webgrain.engines.local import Local
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.audit import Plan, audit
from webgrain.site.model import load_model

SITES = ("nbn", "crawlwiki", "lpinnova")


def processor() -> float:
    """Return the processor seconds of this process and of its workers that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def run(pages: list[Source], folder: str, engine: object) -> tuple[float, float, dict[str, float]]:
    """Audit pages; return processor seconds, wall-clock seconds, and the seconds of each stage."""
    plan = Plan(made_of="a benchmark", method=segmenter())
    start, wall = processor(), time.perf_counter()
    [outcome] = audit(lambda first: iter(pages[first:]), Path(folder), plan, engine)
    return processor() - start, time.perf_counter() - wall, outcome.seconds


def bench(site: BenchSite) -> None:
    start = time.process_time()
    pages = list(site.sources())
    nodes = [len(parse(page).dom) for page in pages]
    base, each = time.process_time() - start, 1000 / len(pages)
    print(f"\n{site.name}: {len(pages)} pages of {mean(nodes):.0f} nodes (mean)")
    print(f"  read and parse      {base * each:7.2f} ms a page")
    with tempfile.TemporaryDirectory() as out:
        whole, _, seconds = run(pages, out, Here())
        model = load_model(Path(out) / "site-model.json")
    print(f"  audit               {whole * each:7.2f} ms {whole / base:6.1f} times")
    for stage, taken in sorted(seconds.items(), key=lambda pair: -pair[1]):
        print(f"    {stage:18}{taken * each:7.2f} ms {taken / base:6.1f} times")
    reading = stages(model, pages)
    total = sum(reading.values())
    print(f"  prediction, best    {total * each:7.2f} ms {total / base:6.1f} times")
    for stage, taken in reading.items():
        print(f"    {stage:18}{taken * each:7.2f} ms {taken / base:6.1f} times")
    walls = []
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as out:
            used, wall, _ = run(pages, out, Local(workers))
        walls.append(wall)
        name = f"{workers} worker{'s' * (workers > 1)}"
        print(f"  {name:20}{used:7.2f} s of processor, {wall:6.2f} s of wall clock")
    print(f"  two workers are {walls[0] / walls[1]:.2f} times as fast; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    for found in read_bench(sys.argv[1:] or list(SITES)):
        bench(found)
