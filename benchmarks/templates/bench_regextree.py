"""Templates: learning from 15 pages, matching beyond parsing, and how both grow with the size of a page.

    python benchmarks/template/bench_regextree.py

Bars: learning 1 s, matching 3 ms a page, growth about linear. Articles of five sites where the development
data is there (``WEBGRAIN_DATA``), pages of the sample site else; then made-up pages of growing size. Medians;
the parse of the same pages stands beside them.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.articles import NEWS, SITES, read_articles

from webgrain.evaluation.datasets import data_folder
from webgrain.io.read import read
from webgrain.io.write import draw
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.papers.regextree import RegexTree
from webgrain.templates.sections import Sectioner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webgrain.page.page import Page

ROUNDS = 5
HEAD = ("pages", "nodes", "learn 15, ms", "match, ms", "sections, ms", "parse, ms")


def main() -> None:
    print(f"{HEAD[0]:14}", *(f"{name:>13}" for name in HEAD[1:]))
    if (data_folder() / "news").is_dir():
        for name in (*NEWS, *SITES):
            site = read_articles(data_folder(), name)
            show(
                name, [site.sources[page] for page, result in site.truth.items() if result.kind == "article"]
            )
    folder = Path(__file__).parents[2] / "examples" / "site"
    show("sample site", [source for source in read([str(folder)]) if isinstance(source, Source)])
    for times in (1, 2, 4, 8, 16):
        show(f"made up x{times}", [made_up(number, times) for number in range(40)])


def show(name: str, sources: Sequence[Source]) -> None:
    """Print a row for pages: learn from 15 of them, match 40."""
    drawn = draw(sources, 40)[""]
    pages = [parse(source) for source in drawn]
    learn = least(lambda: RegexTree().fit(pages[:15]))
    learnt = RegexTree().fit(pages[:15])
    assert learnt.template_ is not None
    cutter = Sectioner(template=learnt.template_)
    figures = (
        statistics.median(len(page.dom) for page in pages),
        learn,
        median(pages, learnt.predict),
        median(pages, cutter.predict),
        median(drawn, parse),
    )
    print(f"{name:14}", *(f"{figure:13.2f}" for figure in figures), flush=True)


def median(items: Sequence[Page | Source], step: Callable[[Page], object]) -> float:
    return statistics.median(least(lambda item=item: step(item)) for item in items)


def least(step: Callable[[], object]) -> float:
    """Return the least time of some rounds in ms."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        step()
        times.append(perf_counter() - start)
    return min(times) * 1e3


def made_up(number: int, times: int) -> Source:
    """Return a page with a frame, a menu and ``times`` parts of prose, lists and tables."""
    part = (
        "<h2>Part {0}</h2><p>Text <b>of</b> {0}</p><ul>"
        + "<li><a href=/{0}>Item</a>" * (3 + number % 3)
        + "</ul>"
        "<table>" + "<tr><td>a<td>{0}" * (2 + number % 4) + "</table><p>More {0}</p>"
    )
    body = "".join(part.format(number * 100 + k) for k in range(4 * times))
    html = f"<header><a href=/>Home</a></header><main><h1>{number}</h1>{body}</main><footer>End</footer>"
    return Source(f"{number}", html.encode())


if __name__ == "__main__":
    main()
