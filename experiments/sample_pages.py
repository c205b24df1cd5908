"""Pages of the sample of a site, with and without their own texts: ``python -m experiments.sample_pages``.

A sample of the pages of each site of the bench has up to `ARTICLES` articles, at most half of the sample, and
other pages. Each article is read with the table of the whole sample, as `SinglePage` does, and with that of
the other pages of the sample. For both, the table has the means over the sites: word F1 of the text, the
shares of right titles and of articles with that verdict, and precision and recall of the words that are
called boilerplate, with the templates of the true types, learnt from the sample. The models of webgrain have
learnt from pages of these sites, with tables of other pages. `WEBGRAIN_DATA` names the folder of the data
sets.
"""

from __future__ import annotations

import random
from collections import defaultdict
from contextlib import suppress
from statistics import mean
from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets.bench import read_bench
from experiments.datasets.noise import noise_truths
from experiments.metrics import same_title
from experiments.results import run, table, write_results
from webgrain.base.errors import ParameterError
from webgrain.base.metrics import word_score
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction.boilerplate import boilerplate_probability
from webgrain.extraction.single import SinglePage, page_table
from webgrain.extraction.thresholds import BOILERPLATE
from webgrain.page.parsing import parse
from webgrain.site.thresholds import MIN_TEMPLATE_PAGES, TEMPLATE_PAGES
from webgrain.templates.sitetemplate import SiteTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from experiments.datasets.bench import BenchSite
    from experiments.datasets.noise import NoiseTruth
    from webgrain.base.arrays import Float64
    from webgrain.page.page import Page

SIZES = (12, 120)
"""Pages of a sample, at most."""
ARTICLES = 20
LEAST_WORDS = 10
"""Words of a true main text, at least, that is compared."""
MEASURES = ("F1", "titles", "verdicts", "precision", "recall")


def main() -> None:
    """Print and write the means of the sites."""
    rows = []
    for size in SIZES:
        scores = [one for site in read_bench() if site.trust["text"] for one in scores_of(site, size)]
        for k, name in enumerate(("with its texts", "without its texts")):
            columns = zip(*(of_both[k] for of_both in scores), strict=True)
            means = [mean(value for value in column if value is not None) for column in columns]
            rows.append([f"at most {size}, {name}", len(scores), *means])
            print(*rows[-1], sep="\t", flush=True)
    cells = table(["pages of the sample", "sites", *MEASURES], rows)
    data = "Articles of the sites of the bench."
    write_results("samplepages", data, "python -m experiments.sample_pages", {"means": cells})


Scores = list[float | None]


def scores_of(site: BenchSite, size: int) -> Iterator[tuple[Scores, Scores]]:
    """Yield the scores of a site with and without the texts of a page; nothing without articles."""
    sample = sample_of(site, size)
    articles = [page for page in sample if is_article(site, page.id)]
    if not articles:
        return
    tables = [page_table(page) for page in sample]
    whole = SiteTable.merged(tables).shared()
    others = [
        SiteTable.merged(tables[:k] + tables[k + 1 :]).shared()
        for k, page in enumerate(sample)
        if is_article(site, page.id)
    ]
    noise = noise_of(site, sample, articles)
    yield judge(site, articles, noise, [whole] * len(articles)), judge(site, articles, noise, others)


def noise_of(site: BenchSite, sample: Sequence[Page], articles: Sequence[Page]) -> list[Float64]:
    """Return the noise confidence (n,) of each article by the template of its type, NaN without one."""
    by_type: defaultdict[str, list[Page]] = defaultdict(list)
    for page in sample:
        by_type[site.types[page.id]].append(page)
    templates = dict[str, SiteTemplate]()
    for name, pages in by_type.items():
        if len(pages) >= MIN_TEMPLATE_PAGES:
            with suppress(ParameterError):  # nothing in common
                templates[name] = SiteTemplate().fit(pages[:TEMPLATE_PAGES])
    unknown = [np.full(len(page.dom), np.nan) for page in articles]
    types = [site.types[page.id] for page in articles]
    return [
        templates[name].noise(page) if name in templates else nothing
        for page, name, nothing in zip(articles, types, unknown, strict=True)
    ]


def is_article(site: BenchSite, name: str) -> bool:
    """Whether a page is an article whose text is known."""
    text = site.truth.get(name, {}).get("text") or ""
    return site.roles[name] == "article" and len(text.split()) >= LEAST_WORDS


def sample_of(site: BenchSite, size: int) -> list[Page]:
    """Return the pages of the sample of a site."""
    articles = sorted(name for name in site.roles if is_article(site, name))
    random.Random(1).shuffle(articles)
    chosen = articles[: min(ARTICLES, size // 2)]
    rest = sorted(site.roles.keys() - chosen)
    random.Random(2).shuffle(rest)
    names = {*chosen, *[name for name in rest if not is_article(site, name)][: size - len(chosen)]}
    return [parse(source) for source in site.sources() if source.id in names]


def judge(
    site: BenchSite, pages: Sequence[Page], noise: Sequence[Float64], tables: Sequence[SiteTable]
) -> Scores:
    """Return the measures of pages that are read with these tables; noise: (n,) of each, by its template."""
    f1, titles, verdicts = list[float](), list[float](), list[float]()
    words = np.zeros(3)  # called boilerplate and boilerplate, called boilerplate, boilerplate
    truths = noise_truths(pages, [content(site, page) for page in pages], code=False)
    for page, known, confidence, truth in zip(pages, tables, noise, truths, strict=True):
        record = site.truth[page.id]
        article = SinglePage().predict(page, known)
        posts = "\n".join((record["text"], *(record.get("comments") or ())))
        f1.append(max(word_score(text, article.text).f1 for text in (record["text"], posts)))
        verdicts.append(article.verdict == "article")
        if record.get("title"):
            titles.append(same_title(record["title"], article.title))
        words += boilerplate_words(page, known, confidence, truth)
    both, called, true = words.tolist()
    return [
        mean(f1),
        mean(titles) if titles else None,
        mean(verdicts),
        both / called if called else None,
        both / true if true else None,
    ]


def content(site: BenchSite, page: Page) -> list[str]:
    """Return the texts of a page that are no boilerplate."""
    record = site.truth[page.id]
    rows = [str(value) for row in record.get("records") or () for value in row.values()]
    return [record.get("title") or "", record["text"], *(record.get("comments") or ()), *rows]


def boilerplate_words(page: Page, known: SiteTable, noise: Float64, truth: NoiseTruth) -> Float64:
    """Return numbers of words: called boilerplate and boilerplate, called boilerplate, boilerplate."""
    probability = boilerplate_probability(page, known, noise)
    called = probability[truth.node] > BOILERPLATE
    both = called & truth.noise
    return np.array([truth.words[which].sum() for which in (both, called, truth.noise)], np.float64)


if __name__ == "__main__":
    run(main)
