"""Main content of single pages of left-out sites."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import pytest
from experiments.datasets.articles import NEWS, SITES, body_of, read_articles
from experiments.metrics import token_f1
from tests.quality.gate import check

from webgrain.extraction.single import SinglePage

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.data

LARGE = {"flink-web"}
"""The site with the most pages costs as much as several others, and the code is the same."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.full] if name in LARGE else []) for name in (*NEWS, *SITES)],
)
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
