"""Extraction of pages of five left-out sites with the texts of the site.

The split is that of `test_webstemmer`. The sites are learnt from all pages of the split, the first ten, or
those that are not articles.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.articles import NEWS, SITES, read_articles
from experiments.metrics import same_title
from tests.quality.gate import check
from tests.quality.test_webstemmer import score

from webgrain.base.errors import ParameterError
from webgrain.extraction.boilerplate import Boilerplate, BoilerplateElements, find_boilerplate
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.page.text import text_blocks
from webgrain.templates.sections import BestSectioner, Sectioner
from webgrain.templates.sitetemplate import SiteTemplate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from experiments.datasets.articles import ArticleSite
    from numpy.typing import NDArray

    from webgrain.columns.sitetable import SiteTable
    from webgrain.page.page import Page

pytestmark = pytest.mark.data

ALL = (*NEWS, *SITES)
TEMPLATE_PAGES, FEWEST = 15, 3


@dataclass(frozen=True)
class Known:
    """What is known of a site."""

    texts: SiteTable
    sections: BestSectioner
    boilerplate: Boilerplate

    def noise(self, page: Page) -> NDArray[np.float64]:
        if not self.sections.cutters:
            return np.zeros(len(page.dom))
        name, match = self.sections.match(page)
        return self.sections.cutters[name].noise(page, match.labels)


def learn(site: ArticleSite, pages: Sequence[Page]) -> Known:
    """Learn the texts of a site, a template for each true kind of its pages, and the boilerplate."""
    texts = site_texts(pages)
    groups: dict[str, list[Page]] = {}
    for page in pages:
        groups.setdefault(site.truth[page.id].kind, []).append(page)
    cutters = {}
    for name, group in groups.items():
        if len(group) >= FEWEST:
            try:
                template = SiteTemplate().fit(group[:TEMPLATE_PAGES]).template_
            except ParameterError:  # nothing in common
                continue
            assert template is not None
            cutters[name] = Sectioner(template=template)
    known = Known(texts, BestSectioner(cutters), Boilerplate())
    elements = [BoilerplateElements(page, known.noise(page)) for page in pages] if cutters else []
    return Known(texts, known.sections, find_boilerplate(elements))


_parsed: dict[tuple[str, str], Page] = {}


def pages_of(site: ArticleSite, ids: Iterable[str]) -> list[Page]:
    """Return the pages of these ids; each is parsed once for all tests."""
    ids = list(ids)
    missing = [page for page in ids if (site.name, page) not in _parsed]
    _parsed.update({(site.name, page.id): page for page in site.pages(missing)})
    return [_parsed[site.name, page] for page in ids]


@pytest.fixture(scope="module")
def sites(data_dir: Path) -> Mapping[str, ArticleSite]:
    for folder in (data_dir / "news", data_dir / "sites"):
        if not folder.is_dir():
            pytest.skip(f"no pages of articles: the folder {folder} does not exist")
    return {name: read_articles(data_dir, name) for name in ALL}


@pytest.fixture(scope="module")
def by_all(sites: Mapping[str, ArticleSite]) -> Mapping[str, Known]:
    """What is known of each site from all pages that are learnt from."""
    return {name: learn(site, pages_of(site, site.learn)) for name, site in sites.items()}


def judge(site: ArticleSite, ids: Iterable[str]) -> tuple[float, float]:
    """Mean F1 of the text of articles, and share of right titles; ids: the pages to learn from."""
    pages = [page for page in pages_of(site, site.check) if site.truth[page.id].kind == "article"]
    texts = site_texts(pages_of(site, ids))
    found = {page.id: SinglePage().predict(page, texts) for page in pages}
    titles = [same_title(site.truth[page].title, article.title) for page, article in found.items()]
    return mean(score(site, page, article) for page, article in found.items()), mean(titles)


def figures(case: str, scores: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Name the figures: the F1 of each site, the share of right titles over all of them."""
    found = {f"{case}, {name}, f1": f1 for name, (f1, _) in scores.items()}
    return found | {f"{case}, titles": mean(titles for _, titles in scores.values())}


@pytest.mark.full
def test_all_pages_to_learn_from(sites: Mapping[str, ArticleSite]) -> None:
    check("articles", figures("all pages", {name: judge(site, site.learn) for name, site in sites.items()}))


@pytest.mark.full
def test_ten_pages_to_learn_from(sites: Mapping[str, ArticleSite]) -> None:
    check(
        "articles", figures("ten pages", {name: judge(site, site.learn[:10]) for name, site in sites.items()})
    )


@pytest.mark.full
def test_a_site_learnt_without_its_articles(sites: Mapping[str, ArticleSite]) -> None:
    scores = {}
    for name, site in sites.items():
        scores[name] = judge(site, [page for page in site.learn if site.truth[page].kind != "article"])
    check("articles", figures("no articles", scores))


@pytest.mark.full
def test_boilerplate_contains_no_main_text(
    sites: Mapping[str, ArticleSite], by_all: Mapping[str, Known]
) -> None:
    lost, covered = [], []
    for name, site in sites.items():
        known = by_all[name]
        for page in pages_of(site, site.check):
            article = SinglePage().predict(page, known.texts)
            if article.verdict == "article" and site.truth[page.id].kind == "article":
                blocks = text_blocks(page)
                within = known.boilerplate.find(page.dom)[blocks.first] >= 0
                main = _inside(page, [block.node for block in article.blocks if block.kind != "sub"])
                main = main[blocks.first]
                lost.append(blocks.weight[main & within].sum() / max(blocks.weight[main].sum(), 1))
                covered.append(blocks.weight[~main & within].sum() / max(blocks.weight[~main].sum(), 1))
    check("articles", {"furniture, main text": mean(lost), "furniture, other text": mean(covered)})


def _inside(page: Page, nodes: Sequence[int]) -> NDArray[np.bool_]:
    mask = np.zeros(len(page.dom), bool)
    for node in nodes:
        mask[node : page.dom.end[node]] = True
    return mask
