"""Extraction with all evidence of a site, with layouts only, and with the page only; time of combining them.

    python benchmarks/extraction/bench_article.py

The pages are those of `experiments.datasets`, under WEBGRAIN_DATA. Sites are learnt from all pages of the
split, from the first pages, or from those that are not articles. Mean token F1 of the text, share of correct
titles.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.articles import NEWS, SITES, ArticleSite, body_of, read_articles

from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.article import Evidence, join
from webgrain.extraction.single import SinglePage, main_probability
from webgrain.metrics import same_title, token_f1
from webgrain.page.page import Page
from webgrain.page.text import text_blocks
from webgrain.results import Article
from webgrain.site.learning import learn_site

if TYPE_CHECKING:
    from webgrain.site.model import SiteModel

FEW = (3, 10, 20, 40)
REPEATS = 5
Read = Callable[[Page], Article]


def main() -> None:
    sites = [read_articles(data_folder(), name) for name in (*NEWS, *SITES)]
    print(f"{'learnt from':14}{'read by':10}" + "".join(f"{site.name:>16}" for site in sites))
    for label in ("all", *FEW, "no articles"):
        models = [learnt(site, chosen(site, label)) for site in sites]
        columns = [judge(site, model) for site, model in zip(sites, models, strict=True)]
        for name in columns[0]:
            figures = (f"{f1:8.3f} / {titles:.3f}" for f1, titles in (one[name] for one in columns))
            print(f"{label!s:14}{name:10}" + "".join(f"{figure:>16}" for figure in figures), flush=True)
    speed(sites[-1])


def chosen(site: ArticleSite, label: str | int) -> list[str]:
    """Return the pages to learn from."""
    if label == "no articles":
        return [page for page in site.learn if site.truth[page].kind != "article"]
    return list(site.learn[:label] if isinstance(label, int) else site.learn)


def learnt(site: ArticleSite, ids: list[str]) -> SiteModel:
    return learn_site(lambda: [site.sources[page] for page in ids], site.name)


def judge(site: ArticleSite, model: SiteModel) -> dict[str, tuple[float, float]]:
    """Return F1 and titles by the ways to read a page."""
    readers: dict[str, Read] = {
        "layouts": model.layouts.predict,
        "page": SinglePage().predict,
        "joined": lambda page: model.predict(page).article,
        "no layout": lambda page: join(
            page, Evidence(None, model.noise(page), model.boilerplate.find(page.dom))
        ),
    }
    pages = [page for page in site.pages(site.check) if site.truth[page.id].kind == "article"]
    return {name: score(site, pages, read) for name, read in readers.items()}


def score(site: ArticleSite, pages: list[Page], read: Read) -> tuple[float, float]:
    f1, titles = [], []
    for page in pages:
        truth, found = site.truth[page.id], read(page)
        f1.append(token_f1(truth.body, body_of(found, truth)).f1)
        titles.append(same_title(truth.title, found.title))
    return mean(f1), mean(titles)


def speed(site: ArticleSite) -> None:
    """Print what joining takes on top of its inputs, and what its inputs take."""
    model, pages = learnt(site, list(site.learn)), site.pages(site.check)
    # Layout blocks are made once for a page and kept: all steps find them.
    known = {page.id: Evidence(None, model.noise(page), model.boilerplate.find(page.dom)) for page in pages}
    steps: dict[str, Callable[[Page], object]] = {
        "boilerplate": lambda page: model.boilerplate.find(page.dom),
        "probabilities": lambda page: main_probability(page, text_blocks(page)),
        "joined, with these": lambda page: join(page, known[page.id]),
    }
    print("\nmilliseconds a page of 1 000 nodes")
    for name, step in steps.items():
        print(f"{name:24}{median(milliseconds(step, page) for page in pages):8.2f}")


def milliseconds(step: Callable[[Page], object], page: Page) -> float:
    """Best of a few runs, for 1 000 nodes."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        step(page)
        best = min(best, time.process_time() - start)
    return 1e6 * best / len(page.dom)


if __name__ == "__main__":
    main()
