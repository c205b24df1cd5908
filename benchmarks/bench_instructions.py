"""Instructions of the processor a page, as a multiple of parsing and reading, for each task of the package.

Valgrind counts instructions of a task that is run once and twice in separate processes; the difference is
the task without imports, models and values that are seen for the first time. Other work on the machine does
not change the figures. They are lower bounds of multiples of time: an instruction takes longer where its
code or data are not in the caches of the processor. Valgrind makes a program about 50 times slower.

    python benchmarks/bench_instructions.py [--audit] [SITE...]
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.bench_calls import PAGES, SITES, WARM, parse_and_read, rows_of, run_audit, sample_pages

from webgrain import Site, extract, segment
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.pagetypes import PageTypes

PAGES_OF_TASKS = 60
"""Pages of each task except audits."""
SAMPLE = "sample"
_COLLECTED = re.compile(r"Collected : (\d+)")


def pages_of(name: str, size: int) -> list[Source]:
    """Return the first pages of a site of the bench, or of the sample site."""
    if name == SAMPLE:
        return sample_pages()[:size]
    from experiments.datasets.bench import read_bench

    return list(islice(next(iter(read_bench([name]))).sources(), size))


def tasks_of(pages: list[Source], model: Path) -> dict[str, Callable[[], object]]:
    """Return the tasks by name; each is run on all pages."""

    def with_site() -> object:
        site = Site.load(model)
        return [extract(page, site).text for page in pages]

    return {
        "P + R": lambda: parse_and_read(pages),
        "parse": lambda: [parse(page) for page in pages],
        "extract, page alone": lambda: [extract(page).text for page in pages],
        "extract with a site": with_site,
        "segment": lambda: [segment(page) for page in pages],
        "table": lambda: [rows_of(page) for page in pages],
        "types": lambda: PageTypes().fit(pages),
        "audit": lambda: run_audit(pages),
    }


def instructions(task: str, pages: Path, model: Path, times: int) -> int:
    """Return the instructions of a process that runs a task a number of times on the pages of a file."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, __file__]
    arguments = ["--run", task, str(pages), str(model), str(times)]
    run = subprocess.run(command + arguments, capture_output=True, text=True, check=True)
    match = _COLLECTED.search(run.stderr)
    if match is None:
        raise RuntimeError(f"Valgrind wrote no number of instructions: {run.stderr[-300:]}")
    return int(match[1])


def run_task(task: str, path: str, model: str, times: str) -> None:
    """Run a task in this process; an audit is preceded by a short one, which imports what it needs."""
    pages = pickle.loads(Path(path).read_bytes())
    run = tasks_of(pages, Path(model))[task]
    if task == "audit":
        run_audit(pages[:WARM])
    for _ in range(int(times)):
        run()


def bench(name: str, with_audit: bool) -> None:
    """Print the figures of one site."""
    all_pages = pages_of(name, PAGES)
    pages = all_pages[:PAGES_OF_TASKS]
    print(f"\n{name}: {len(pages)} pages")
    with tempfile.TemporaryDirectory() as folder:
        model, file = Path(folder) / "site.json", Path(folder) / "pages"
        Site.fit(pages).save(model)
        file.write_bytes(pickle.dumps(pages))  # an archive takes as many instructions as a task
        base = 0.0
        for task in tasks_of(pages, model):
            if task == "audit":
                continue
            once, twice = (instructions(task, file, model, times) for times in (1, 2))
            count = (twice - once) / len(pages)
            base = base or count
            print_figures(task, count, base)
        if with_audit:
            file.write_bytes(pickle.dumps(all_pages))
            none, once = (instructions("audit", file, model, times) for times in (0, 1))
            print_figures(f"audit, {len(all_pages)} pages", (once - none) / len(all_pages), base)


def print_figures(task: str, count: float, base: float) -> None:
    """Print the instructions of a task, and their multiple of those of parsing and reading."""
    print(f"  {task:22}{count / 1e6:9.2f} million a page{count / base:8.1f} x P + R", flush=True)


def main() -> None:
    """Print the figures of the sample site, or of bench sites."""
    os.environ["OMP_NUM_THREADS"] = "1"
    arguments = sys.argv[1:]
    if arguments[:1] == ["--run"]:
        run_task(*arguments[1:])
        return
    if shutil.which("valgrind") is None:
        print("The instructions are not counted: valgrind is not installed.")
        return
    names = [name for name in arguments if name != "--audit"]
    for name in names or [SAMPLE, *SITES]:
        bench(name, "--audit" in arguments)


if __name__ == "__main__":
    main()
