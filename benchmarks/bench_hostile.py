"""Hostile pages at growing size: time and memory of each stage, and whether they grow in proportion.

    python benchmarks/bench_hostile.py [SIZE] [PAGE ...]

Of each page of `tests.hostile.corpus` the stages that take longest: seconds of CPU for a page of SIZE
(10 000), how many times as much that is as for one of half of it (2: in proportion), and MB beyond what was
in use. A stage that needs more than the guard allows is marked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.hostile.corpus import PAGES
from tests.hostile.stages import STAGES

from webgrain.base.failures import Failure
from webgrain.engines.guard import Guard
from webgrain.page.page import Source
from webgrain.page.parsing import parse

GUARD = Guard(seconds=60, megabytes=2048)
SHOWN = 0.5
"""Least number of seconds of a stage that is shown."""


def main(size: int, names: list[str]) -> None:
    print(f"{'page':38} {'nodes':>8} {'stage':11} {'s':>7} {'growth':>7} {'MB':>6}")
    for name in names:
        half, whole = (Source(name, PAGES[name](n)) for n in (size // 2, size))
        took, _, before = measured(half, "parse", parse)
        show(name, whole, "parse", parse, took)
        page = parse(whole)
        for stage, step in STAGES.items():
            took, _, _ = measured(before, stage, step)
            show(name, page, stage, step, took)


def show(name: str, item: object, stage: str, step: object, before: float) -> None:
    """Print a row for a slow stage."""
    took, megabytes, done = measured(item, stage, step)
    nodes = len(item.dom) if hasattr(item, "dom") else 0
    if isinstance(done, Failure):
        print(f"{name:38} {nodes:8} {stage:11} {done.error}", flush=True)
    elif took >= SHOWN:
        growth = took / max(before, 1e-3)
        print(f"{name:38} {nodes:8} {stage:11} {took:7.2f} {growth:7.1f} {megabytes:6.0f}", flush=True)


def measured(item: object, stage: str, step: object) -> tuple[float, float, object]:
    """Return seconds of CPU, MB beyond what was in use, and the result of a step."""
    Path("/proc/self/clear_refs").write_text("5")
    before, start = status("VmRSS"), process_time()
    done = GUARD.call(item, stage, step)
    return process_time() - start, status("VmHWM") - before, done


def status(name: str) -> float:
    """Return the memory of this process according to Linux, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, sys.argv[2:] or list(PAGES))
