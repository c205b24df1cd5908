"""Audits of real sites: processor time a page by stage, as multiples of reading and parsing, and workers.

Needs the data of the bench (`experiments.datasets.bench`). The times of a prediction are the best of
`RUNS`. What more workers save is computed from the processor time of each task, each task in the first worker
that is free; the wall-clock time with workers shows it on a quiet machine only.

    python benchmarks/bench_audit_sites.py [SITE...]
"""

from __future__ import annotations

import heapq
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

from bench_audit import stages
from webgrain.engines.local import Local
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.audit import audit
from webgrain.site.auditrun import AuditPlan
from webgrain.site.model import load_model

SITES = ("nbn", "crawlwiki", "lpinnova")


class Timed:
    """An engine that does everything in this process, and records the processor seconds of each task."""

    def __init__(self) -> None:
        self.stages: list[list[float]] = []

    def map(self, task, arguments):  # noqa: D102
        self.stages.append([])
        seconds = self.stages[-1]
        for argument in arguments:
            start = time.process_time()
            result = task(argument)
            seconds.append(time.process_time() - start)
            yield argument, result


def longest(stage: list[float], workers: int) -> float:
    """Return the seconds until all tasks of a stage have ended."""
    ends = [0.0] * workers
    for seconds in stage:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def processor() -> float:
    """Return the processor seconds of this process and of its workers that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def run(pages: list[Source], folder: str, engine: object) -> tuple[float, float, dict[str, float]]:
    """Audit pages; return processor seconds, wall-clock seconds, and the seconds of each stage."""
    plan = AuditPlan(made_of="a benchmark", method=segmenter())
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
        engine = Timed()
        whole, _, seconds = run(pages, out, engine)
        model = load_model(Path(out) / "site-model.json")
    print(f"  audit               {whole * each:7.2f} ms {whole / base:6.1f} times")
    for stage, taken in sorted(seconds.items(), key=lambda pair: -pair[1]):
        print(f"    {stage:18}{taken * each:7.2f} ms {taken / base:6.1f} times")
    reading = stages(model, pages)
    total = sum(reading.values())
    print(f"  prediction, best    {total * each:7.2f} ms {total / base:6.1f} times")
    for stage, taken in reading.items():
        print(f"    {stage:18}{taken * each:7.2f} ms {taken / base:6.1f} times")
    alone = whole - sum(map(sum, engine.stages))
    for workers in (2, 4):
        shared = alone + sum(longest(stage, workers) for stage in engine.stages)
        print(f"  {workers} workers, by the tasks  {whole / shared:.2f} times as fast")
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
