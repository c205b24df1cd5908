"""Articles of five sites: learnt from 90 pages (35 of the smallest site), judged on the others."""

from __future__ import annotations

import hashlib
from statistics import mean
from typing import TYPE_CHECKING

import pytest
from experiments.datasets.articles import NEWS, SITES, body_of, read_articles
from experiments.metrics import same_title, token_f1

from webgrain.papers.webstemmer2007 import OriginalWebstemmer

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.datasets.articles import ArticleSite

    from webgrain.documents.article import Article

pytestmark = pytest.mark.data

LARGE = {"flink-web"}
"""The site with the most pages costs as much as several others, and the code is the same."""

# Pages that are learnt from, as a hash; least mean F1 of the text, titles.
FLOORS = {
    "asa": ("50dff9", 0.97, 70),
    "krisold": ("98b6b4", 0.6, 0),
    "octo54": ("69ef3b", 0.84, 78),
    "flink-web": ("1fa18c", 0.78, 89),
    "datafusion": ("211d5f", 0.45, 0),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.full] if name in LARGE else []) for name in (*NEWS, *SITES)],
)
def test_articles(name: str, data_dir: Path) -> None:
    for folder in (data_dir / "news", data_dir / "sites"):
        if not folder.is_dir():
            pytest.skip(f"no pages of articles: the folder {folder} does not exist")
    site = read_articles(data_dir, name)
    split, least_f1, least_titles = FLOORS[name]
    assert hashlib.sha256("\n".join(site.learn).encode()).hexdigest()[:6] == split, "another split"
    method = OriginalWebstemmer(mangle="[a-z]+", match_threshold=0.4).fit(site.pages(site.learn))
    found = {page.id: method.predict(page) for page in site.pages(site.check)}
    articles = [page for page in found if site.truth[page].kind == "article"]
    f1 = mean(score(site, page, found[page]) for page in articles)
    titles = sum(same_title(site.truth[page].title, found[page].title) for page in articles)
    assert f1 >= least_f1
    assert titles >= least_titles


def score(site: ArticleSite, page: str, found: Article) -> float:
    """F1 of the main text; with the code where the truth has it; 0 for a page with another verdict."""
    return token_f1(site.truth[page].body, body_of(found, site.truth[page])).f1
