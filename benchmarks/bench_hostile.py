"""Hostile pages at growing size: time and memory of each stage, and whether they grow in proportion.

    python benchmarks/bench_hostile.py [SIZE] [PAGE ...]
    python benchmarks/bench_hostile.py --bound [BYTES] [PAGE ...]

Of each page of `tests.hostile.corpus` the stages that take longest: seconds of CPU for a page of SIZE
(10 000), how many times as much that is as for one of half of it (2: in proportion), and MB beyond what was
in use. A stage that needs more than the guard allows is marked.

With ``--bound``, the functions that have no limit of time (`webgrain.extract`, `segment`, `find_lists`,
`Site.fit` and `Site.predict`, with their records) are called with each page, made as often as fits BYTES
(100 000), and the worst pages are printed: ms of CPU per 10 kB of the page, and how many times as much that
is as parsing and reading 10 kB of the sample site (P + R), which is measured in turns with each page, so that
the load of the machine counts for both. A page of fewer than 10 kB counts as 10 kB, because a call has fixed
costs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.bench_calls import parse_and_read, sample_pages, seconds_of
from tests.hostile.corpus import PAGES, grown
from tests.hostile.stages import STAGES

from webgrain import Site, extract, find_lists, segment
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


LEAST = 10_000
"""Bytes of the smallest page for the bound."""

RUNS = 3
"""Measurements of each page, of which the least counts."""

WORST = 12
"""Pages that are printed for each function."""


def bound(n_bytes: int, names: list[str]) -> None:
    """Print for each function the pages that take most time for their size."""
    ordinary = sample_pages()
    site = Site.fit(ordinary)
    calls = {
        "extract": lambda page: extract(page).to_dict(),
        "segment": segment,
        "find_lists": lambda page: [listing.to_dict() for listing in find_lists(page)],
        "Site.fit": lambda page: Site.fit([page]),
        "Site.predict": lambda page: site.predict(page).to_dict(),
    }
    for call in calls.values():
        call(ordinary[0])  # reads the trained models
    n_ordinary = sum(len(page.body) for page in ordinary)
    pages = [Source(name, grown(name, n_bytes)) for name in names]
    print(f"{len(pages)} pages of {n_bytes:,} bytes")
    all_bases = []
    for function, call in calls.items():
        rows = []
        for page in pages:
            bases, times = [], []
            for _ in range(RUNS):
                bases.append(seconds_of(lambda: parse_and_read(ordinary)) / n_ordinary)
                times.append(seconds_of(lambda call=call, page=page: call(page)))
            all_bases.append(min(bases))
            least = min(times) / max(len(page.body), LEAST)
            rows.append((least / min(bases), least, len(page.body), page.id))
        rows.sort(reverse=True)
        ratio, per_byte, *_ = rows[len(rows) // 2]
        print(f"{function}: median {1e7 * per_byte:.1f} ms per 10 kB, {ratio:.0f} x P + R")
        for ratio, per_byte, n_page, name in rows[:WORST]:
            print(f"  {1e7 * per_byte:7.1f} ms {ratio:6.0f} x  {n_page / 1e3:8.1f} kB  {name}", flush=True)
    fastest, slowest = 1e7 * min(all_bases), 1e7 * max(all_bases)
    print(f"P + R of the sample site: {fastest:.2f} to {slowest:.2f} ms per 10 kB")


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
    arguments = [argument for argument in sys.argv[1:] if argument != "--bound"]
    run, usual = (bound, 100_000) if "--bound" in sys.argv else (main, 10_000)
    run(int(arguments[0]) if arguments else usual, arguments[1:] or list(PAGES))
