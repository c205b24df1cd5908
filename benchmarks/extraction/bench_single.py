"""Single-page extraction beside trafilatura: word F1 by kind of page, titles, and time a page.

    python benchmarks/extract/bench_single.py

The peer needs the extra ``bench``. The pages are those of `experiments.datasets`, in WEBGRAIN_DATA.
What is learnt is learnt anew for each fifth of the domains, from the others: some minutes. Times are
milliseconds of the processor, with parsing; titles of the peer are not timed. Differences are paired, with
their standard errors.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.maincontent import KINDS, MainPage, read_main_pages, word_f1
from experiments.training.singlepage import cross_fit, fold_of, rows_of

from webgrain.errors import InputError, MissingExtraError, require
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.single import SinglePage
from webgrain.metrics import same_title
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from webgrain.extraction.single import BoostedTrees

Extract = Callable[[MainPage], tuple[str, Callable[[], str]]]
"""From a page to its main text, and to what gives its title."""


def main() -> None:
    try:
        pages = read_main_pages(data_folder() / "main-content")
    except InputError as error:
        print(error)
        return
    models = cross_fit(pages, [rows_of(page) for page in pages])
    scores = {"webgrain": measure(pages, webgrain(models))}
    try:
        scores["trafilatura"] = measure(pages, trafilatura())
    except MissingExtraError as error:
        print(error)
    compare(pages, scores)


def measure(pages: list[MainPage], extract: Extract) -> list[float]:
    """Print titles and times of one extractor; return the word F1 of each page."""
    extract(pages[0])
    f1, seconds, titles = [], [], 0
    for page in pages:
        gc.collect()  # not in the time of whoever comes next
        start = time.process_time()
        text, title = extract(page)
        seconds.append(time.process_time() - start)
        f1.append(word_f1(page.text, text))
        titles += same_title(page.title, title())
    print(
        f"{extract.__name__:12} {1e3 * statistics.mean(seconds):6.1f} ms a page, median "
        f"{1e3 * statistics.median(seconds):.1f}; titles {titles} of {len(pages)}",
        flush=True,
    )
    return f1


def webgrain(models: list[BoostedTrees]) -> Extract:
    methods = [SinglePage(model=model) for model in models]

    def webgrain(page: MainPage) -> tuple[str, Callable[[], str]]:
        article = methods[fold_of(page.domain)].predict(parse(page.source))
        return article.text, lambda: article.title

    return webgrain


def trafilatura() -> Extract:
    peer = require("trafilatura", "bench", "the comparison")

    def trafilatura(page: MainPage) -> tuple[str, Callable[[], str]]:
        text = peer.extract(page.source.body, include_comments=False)
        return text or "", lambda: peer.extract_metadata(page.source.body).title or ""

    return trafilatura


def compare(pages: list[MainPage], scores: dict[str, list[float]]) -> None:
    """Print the mean F1 of each kind of page, and how far the first extractor is above the others."""
    print(f"\n{'kind':14}{'pages':>6}" + "".join(f"{name:>12}" for name in scores) + "   difference")
    own, *others = scores.values()
    for kind in ("all", *KINDS):
        at = [k for k, page in enumerate(pages) if kind in ("all", page.kind)]
        means = "".join(f"{statistics.mean(f1[k] for k in at):12.3f}" for f1 in scores.values())
        gaps = [[own[k] - other[k] for k in at] for other in others]
        told = [
            f"{statistics.mean(gap):+.3f} ± {statistics.stdev(gap) / len(gap) ** 0.5:.3f}" for gap in gaps
        ]
        print(f"{kind:14}{len(at):6}{means}   {', '.join(told)}")


if __name__ == "__main__":
    main()
