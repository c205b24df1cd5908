"""Main content of single pages: learnt from other domains, and the shipped model on sites it has not seen."""

from __future__ import annotations

import hashlib
from statistics import mean
from typing import TYPE_CHECKING

import pytest
from experiments.datasets.articles import NEWS, SITES, body_of, read_articles
from experiments.datasets.maincontent import KINDS, read_main_pages, word_f1
from experiments.training.singlepage import cross_fit, fold_of, rows_of
from tests.quality.gate import check

from webgrain.extraction.single import SinglePage
from webgrain.metrics import same_title, token_f1
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.data


@pytest.mark.full
def test_pages_of_all_kinds(data_dir: Path) -> None:
    folder = data_dir / "main-content"
    if not folder.is_dir():
        pytest.skip(f"no pages with main texts: the folder {folder} does not exist")
    pages = read_main_pages(folder)
    digest = hashlib.sha256("\0".join(f"{page.source.id} {page.text}" for page in pages).encode())
    assert digest.hexdigest()[:12] == "fc635e79c5d6", "other pages"
    methods = [SinglePage(model=model) for model in cross_fit(pages, [rows_of(page) for page in pages])]
    found = [methods[fold_of(page.domain)].predict(parse(page.source)) for page in pages]
    f1 = [word_f1(page.text, article.text) for page, article in zip(pages, found, strict=True)]
    titles = [same_title(page.title, article.title) for page, article in zip(pages, found, strict=True)]
    by_kind = {
        f"{kind}, word F1": mean(x for x, page in zip(f1, pages, strict=True) if page.kind == kind)
        for kind in KINDS
    }
    told: dict[bool, list[bool]] = {True: [], False: []}
    for page, article in zip(pages, found, strict=True):
        told[page.kind in ("collection", "listing")].append(article.verdict == "index")
    verdicts = {"lists told as index": mean(told[True]), "others told as index": mean(told[False])}
    check("wcxb", {"word F1": mean(f1), "titles": mean(titles), **by_kind, **verdicts})


@pytest.mark.parametrize("name", [*NEWS, *SITES])
def test_articles_of_other_sites(name: str, data_dir: Path) -> None:
    for folder in (data_dir / "news", data_dir / "sites"):
        if not folder.is_dir():
            pytest.skip(f"no pages of articles: the folder {folder} does not exist")
    site, method = read_articles(data_dir, name), SinglePage()
    pages = [page for page in site.pages(site.check) if site.truth[page.id].kind == "article"]
    scores = []
    for page in pages:
        article, truth = method.predict(page), site.truth[page.id]
        scores.append(token_f1(truth.body, body_of(article, truth)).f1)
    check("articles, by single pages", {f"{name}, token F1": mean(scores)})
