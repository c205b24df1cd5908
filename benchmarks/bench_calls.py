"""Calls a page, and processor time as a multiple of parsing and reading, for each task of the package.

Calls are those of Python functions and of built-in and NumPy functions (`cProfile`). They do not depend on
the machine or its load, so ``tests/quality/test_calls.py`` has bounds for them. Times are given as multiples
of P + R, measured in the same run: selectolax parses a page, and Python reads tag, attributes and text of
each node. The longer audit has copies of the pages with changed words.

    python benchmarks/bench_calls.py [--times] [SITE...]
"""

from __future__ import annotations

import cProfile
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from selectolax.lexbor import LexborHTMLParser

from webgrain import Site, extract, segment
from webgrain.io.read import read
from webgrain.lists.ranking import find_lists
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.audit import audit
from webgrain.site.auditrun import AuditPlan

SAMPLE = Path(__file__).parents[1] / "examples" / "site"
SITES = ("nbn", "lpinnova", "crawlwiki")
PAGES = 250
MORE_PAGES = 2500
"""Audits have `PAGES` pages, or those of a smaller site, and `MORE_PAGES`, with copies."""
WARM = 5
"""Pages of an audit that is run before calls are counted."""
_WORD = re.compile(rb"(?<=[ >])[a-z]{4,}(?=[ .,<])")


class Here:
    """An engine that runs each task in this process."""

    def map(self, task: Callable[[Any], Any], arguments: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield each argument with the result of the task."""
        for argument in arguments:
            yield argument, task(argument)


def calls_of(function: Callable[[], object]) -> int:
    """Return the number of calls of Python and built-in functions that a function makes.

    >>> calls_of(lambda: len("a"))  # the function and len
    2
    """
    profile = cProfile.Profile(timeunit=0.0)
    profile.runcall(function)
    return sum(entry.callcount for entry in profile.getstats()) - 1  # that of the profiler


def seconds_of(function: Callable[[], object]) -> float:
    """Return the processor seconds of a function."""
    start = time.process_time()
    function()
    return time.process_time() - start


def sample_pages() -> list[Source]:
    """Return the pages of the sample site, which every checkout has."""
    return [item for item in read([SAMPLE]) if isinstance(item, Source)]


def changed(page: Source, copy: int) -> Source:
    """Return a copy of a page with other words: each fifth word gets the number of the copy."""
    if not copy:
        return page
    words = iter(range(1_000_000))

    def change(match: re.Match[bytes]) -> bytes:
        return match[0] + str(copy).encode() if next(words) % 5 == 0 else match[0]

    head, tag, rest = page.body.partition(b"<body")
    return Source(f"copy{copy}/{page.id}", head + tag + _WORD.sub(change, rest))


def with_copies(pages: list[Source], size: int) -> list[Source]:
    """Return a number of pages: the pages and copies of them with other words."""
    copies = -(-size // len(pages))
    return [changed(page, copy) for copy in range(copies) for page in pages][:size]


def parse_and_read(pages: list[Source]) -> None:
    """Parse pages with selectolax, and read tag, attributes and text of all nodes."""
    for page in pages:
        root = LexborHTMLParser(page.body.decode("utf-8", "replace")).root
        for node in root.traverse(include_text=True):
            _ = (node.tag, node.attributes) if node.is_element_node else node.text_content


def run_audit(pages: list[Source]) -> None:
    """Audit pages in this process."""
    with tempfile.TemporaryDirectory() as output:
        plan = AuditPlan(made_of="a benchmark", method=segmenter())
        list(audit(lambda first: islice(pages, first, None), Path(output), plan, Here()))


def tasks_of(pages: list[Source]) -> dict[str, Callable[[], object]]:
    """Return the tasks of a page, by name; each is run on all pages. Models are learnt and read before."""
    site = Site.fit(pages)
    tasks: dict[str, Callable[[Source], object]] = {
        "parse": parse,
        "extract, page alone": lambda page: extract(page).text,
        "extract with a site": lambda page: extract(page, site).text,
        "segment": segment,
        "table": rows_of,
    }
    for task in tasks.values():
        task(pages[0])  # reads the trained models
    runs = {name: lambda task=task: [task(page) for page in pages] for name, task in tasks.items()}
    return runs | {"types": lambda: PageTypes().fit(pages)}


def rows_of(page: Source) -> list[object]:
    """Return the rows of the first list of a page."""
    return [row for listing in find_lists(parse(page))[:1] for row in listing.records()]


def calls_by_task(pages: list[Source]) -> dict[str, float]:
    """Return the calls a page of each task, and of audits of these pages and of more with copies."""
    calls = {name: calls_of(run) / len(pages) for name, run in tasks_of(pages).items()}
    run_audit(pages[:WARM])  # imports what an audit needs
    calls["audit"] = calls_of(lambda: run_audit(pages)) / len(pages)
    for size in (PAGES, MORE_PAGES):
        more = with_copies(pages, size)
        calls[f"audit, {size} pages"] = calls_of(lambda more=more: run_audit(more)) / size
    return calls


def bench(name: str, pages: list[Source], with_times: bool) -> None:
    """Print the figures of one site."""
    print(f"\n{name}: {len(pages)} pages")
    base = min(seconds_of(lambda: parse_and_read(pages)) for _ in range(3))
    print(f"  {'P + R':22}{1000 * base / len(pages):9.2f} ms a page")
    runs = tasks_of(pages)
    runs[f"audit, {len(pages)} pages"] = lambda: run_audit(pages)
    size = dict.fromkeys(runs, len(pages))
    if len(pages) >= PAGES // 2:
        more = with_copies(pages, MORE_PAGES)
        runs[f"audit, {len(more)} pages"] = lambda: run_audit(more)
        size[f"audit, {len(more)} pages"] = len(more)
    for task, run in runs.items():
        calls = calls_of(run) / size[task]
        ratio = f"{seconds_of(run) / size[task] / (base / len(pages)):9.1f} x P + R" if with_times else ""
        print(f"  {task:22}{calls:9,.0f} calls a page{ratio}", flush=True)


def main() -> None:
    """Print the figures of the sample site and of bench sites."""
    with_times = "--times" in sys.argv
    names = [name for name in sys.argv[1:] if name != "--times"]
    if not names:
        bench("sample site", sample_pages(), with_times)
    from experiments.datasets.bench import read_bench

    for site in read_bench(names or list(SITES)):
        bench(site.name, list(islice(site.sources(), PAGES)), with_times)


if __name__ == "__main__":
    main()
