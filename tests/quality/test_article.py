"""Extraction of pages of five sites with all evidence, and with less evidence.

The split is that of `test_webstemmer`. The sites are learnt from all pages of the split, the first ten, or
those that are not articles; with and without layouts.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.articles import NEWS, SITES, read_articles
from tests.quality.gate import check
from tests.quality.test_webstemmer import score

from webgrain.errors import ParameterError
from webgrain.extraction.article import Evidence, join
from webgrain.extraction.boilerplate import Boilerplate, find_boilerplate
from webgrain.layouts.sitelayouts import SiteLayouts
from webgrain.metrics import same_title, token_f1
from webgrain.page.addresses import Selectors
from webgrain.page.links import AnchorTexts
from webgrain.page.text import text_blocks, text_of
from webgrain.templates.regextree import RegexTree
from webgrain.templates.sections import BestSectioner, Sectioner
from webgrain.templates.template import typed_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from experiments.datasets.articles import ArticleSite
    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.results import Article

pytestmark = pytest.mark.data

ALL = (*NEWS, *SITES)
TEMPLATE_PAGES, FEWEST = 15, 3
LISTS = {
    "asa": ("#content", ("nav", "footer")),
    "krisold": ("#main", ("#breadcrumb", "div.item-list", ".links")),
    "octo54": ("#content", ("footer",)),
    "flink-web": ("section.book-page", ("ul.pagination", "aside")),
    "datafusion": ("main", ()),
}
"""What holds the text of pages that lead to others, by hand: a selector, and what in it is none."""


@dataclass(frozen=True)
class Known:
    """What is known of a site."""

    layouts: SiteLayouts
    sections: BestSectioner
    boilerplate: Boilerplate

    def evidence(self, page: Page, anchors: Mapping[str, int] | None, layouts: bool = True) -> Evidence:
        told = self.layouts.predict(page) if layouts else None
        return Evidence(told, self.noise(page), self.boilerplate.find(page.dom), anchors)

    def noise(self, page: Page) -> NDArray[np.float64]:
        if not self.sections.cutters:
            return np.zeros(len(page.dom))
        one = typed_tree(page)
        name, match = self.sections.match(one)
        return self.sections.cutters[name].noise(one, match)


def learn(pages: Sequence[Page]) -> Known:
    """Learn layouts, a template for each, and the boilerplate."""
    layouts = SiteLayouts().fit(pages)
    groups: dict[str, list[Page]] = {}
    for page in pages:
        found = layouts.predict(page)
        groups.setdefault(found.layout or found.verdict, []).append(page)
    cutters = {}
    for name, group in groups.items():
        if len(group) >= FEWEST:
            try:
                template = RegexTree().fit(group[:TEMPLATE_PAGES]).template_
            except ParameterError:  # nothing in common
                continue
            assert template is not None
            cutters[name] = Sectioner(template=template)
    known = Known(layouts, BestSectioner(cutters), Boilerplate())
    boilerplate = find_boilerplate((page, known.noise(page)) for page in pages) if cutters else Boilerplate()
    return Known(layouts, known.sections, boilerplate)


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
    return {name: learn(pages_of(site, site.learn)) for name, site in sites.items()}


def judge(site: ArticleSite, known: Known, layouts: bool = True) -> tuple[float, float]:
    """Mean F1 of the text of articles, and share of right titles."""
    pages = [page for page in pages_of(site, site.check) if site.truth[page.id].kind == "article"]
    anchors = site.anchors or _anchors(site)
    found = {page.id: join(page, known.evidence(page, anchors.get(page.id), layouts)) for page in pages}
    titles = [same_title(site.truth[page].title, article.title) for page, article in found.items()]
    return mean(score(site, page, article) for page, article in found.items()), mean(titles)


def _anchors(site: ArticleSite) -> Mapping[str, Mapping[str, int]]:
    collected = AnchorTexts()
    for page in pages_of(site, [*site.learn, *site.check]):
        collected.add(page)
    return collected.texts()


def figures(case: str, scores: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """Name the figures: the F1 of each site, the share of right titles over all of them."""
    found = {f"{case}, {name}, f1": f1 for name, (f1, _) in scores.items()}
    return found | {f"{case}, titles": mean(titles for _, titles in scores.values())}


@pytest.mark.full
def test_all_that_is_known(sites: Mapping[str, ArticleSite], by_all: Mapping[str, Known]) -> None:
    scores = {name: judge(site, by_all[name]) for name, site in sites.items()}
    check("articles", figures("known layout", scores))


@pytest.mark.full
def test_pages_of_unknown_layout(sites: Mapping[str, ArticleSite], by_all: Mapping[str, Known]) -> None:
    scores = {name: judge(site, by_all[name], layouts=False) for name, site in sites.items()}
    check("articles", figures("no layout", scores))


@pytest.mark.full
def test_ten_pages_to_learn_from(sites: Mapping[str, ArticleSite]) -> None:
    scores = {name: judge(site, learn(pages_of(site, site.learn[:10]))) for name, site in sites.items()}
    check("articles", figures("ten pages", scores))


@pytest.mark.full
def test_a_site_learnt_without_its_articles(sites: Mapping[str, ArticleSite]) -> None:
    scores = {}
    for name, site in sites.items():
        others = [page for page in site.learn if site.truth[page].kind != "article"]
        scores[name] = judge(site, learn(pages_of(site, others)))
    check("articles", figures("no articles", scores))


def test_pages_that_lead_to_others(sites: Mapping[str, ArticleSite], by_all: Mapping[str, Known]) -> None:
    scores = {}
    for name, site in sites.items():
        pages = [page for page in pages_of(site, site.check) if site.truth[page.id].kind == "index"]
        told = [(page, truth) for page in pages if (truth := _listed(page, *LISTS[name]))]
        found = [(truth, join(page, by_all[name].evidence(page, None))) for page, truth in told]
        scores[f"lists, {name}, f1"] = mean(token_f1(truth, _whole(article)).f1 for truth, article in found)
    check("articles", scores)


@pytest.mark.full
def test_boilerplate_contains_no_main_text(
    sites: Mapping[str, ArticleSite], by_all: Mapping[str, Known]
) -> None:
    lost, covered = [], []
    for name, site in sites.items():
        known = by_all[name]
        for page in pages_of(site, site.check):
            article = known.layouts.predict(page)
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


def _listed(page: Page, holder: str, without: Sequence[str]) -> str:
    """Return the text of a list as the selectors say; empty where the page has none such."""
    chosen, left_out = (Selectors(css).find(page.dom)[0].tolist() for css in ([holder], without))
    mask = _inside(page, chosen) & ~_inside(page, left_out) & page.dom.is_text
    return text_of(page, np.flatnonzero(mask).tolist())


def _whole(article: Article) -> str:
    return "\n".join([*article.of_kind("title"), article.text])
