"""Verdicts and titles by a site of which the models judge some pages: ``python -m experiments.judged_pages``.

A third of the articles of each site, at most `ARTICLES`, and a third of the index pages, at most `INDEXES`,
are left out. The table of the site is made of up to `TEXT_PAGES` other pages: all of them judged, and the
first pages of each true type judged and the others counted (`webgrain.site.learning.join_texts`). The
left-out pages are read with each table. The models of webgrain have learnt from these sites, with tables
whose pages are all judged, so the rows can only be compared with each other. Text and boilerplate do not
depend on the judgements.

    WEBGRAIN_DATA=folder python -m experiments.judged_pages [SITE ...]

Columns: site; pages of a type that are judged; the sums up to this site of articles and of index pages with
the right verdict, and of right titles.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from experiments.datasets.bench import bench_names, read_bench
from experiments.metrics import same_title
from experiments.sample_pages import is_article
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction.single import SinglePage, table_steps
from webgrain.page.parsing import parse
from webgrain.page.turns import alone
from webgrain.site.learning import join_texts, least
from webgrain.site.thresholds import TEMPLATE_PAGES, TEXT_PAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.datasets.bench import BenchSite
    from webgrain.page.page import Page

ARTICLES, INDEXES = 24, 16
JUDGED = (None, TEMPLATE_PAGES, 10)
"""Pages of each type that are judged, at most; None: all."""
ROLES = ("article", "index")


def left_out(site: BenchSite) -> list[str]:
    """Return the names of the pages that are judged with the table of others."""
    articles = sorted(name for name in site.roles if is_article(site, name))
    indexes = sorted(name for name, role in site.roles.items() if role == "index")
    random.Random(11).shuffle(articles)
    random.Random(12).shuffle(indexes)
    return articles[: min(ARTICLES, len(articles) // 3)] + indexes[: min(INDEXES, len(indexes) // 3)]


def types_of(site: BenchSite, names: Sequence[str]) -> list[list[str]]:
    """Return the names of the pages of each type that the texts are learnt from, as learning a site does."""
    by_type: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        by_type[site.types[name]].append(name)
    share = min(1.0, TEXT_PAGES / max(len(names), 1))
    return [least(of_type, max(TEMPLATE_PAGES, round(share * len(of_type)))) for of_type in by_type.values()]


def table_of(pages: dict[str, Page], types: Sequence[Sequence[str]], judged: int | None) -> SiteTable:
    """Return the table of a site; judged: pages of each type that are judged, None for all."""

    def merged(names: Sequence[str], *, is_judged: bool) -> SiteTable:
        return SiteTable.merged(alone(table_steps(pages[name], is_judged=is_judged)) for name in names)

    return join_texts(
        [merged(names[:judged], is_judged=True), merged(names[len(names[:judged]) :], is_judged=False)]
        for names in types
    )


def counts_of(site: BenchSite, pages: Sequence[Page], table: SiteTable) -> Counter[str]:
    """Return numbers of pages: with each role, with the right verdict, with a title, with the right title."""
    counts = Counter[str]()
    for page in pages:
        article = SinglePage().predict(page, table)
        role, title = site.roles[page.id], site.truth.get(page.id, {}).get("title")
        counts[role] += 1
        counts[f"right {role}"] += article.verdict == role
        counts["title"] += bool(title)
        counts["right title"] += bool(title and same_title(title, article.title))
    return counts


def main(names: Sequence[str]) -> None:
    """Print the sums of the sites after each site."""
    sums = {judged: Counter[str]() for judged in JUDGED}
    for site in read_bench(list(names)):
        held = left_out(site)
        pages = {source.id: parse(source) for source in site.sources()}
        types = types_of(site, sorted(pages.keys() - set(held)))
        for judged, total in sums.items():
            total += counts_of(site, [pages[name] for name in held], table_of(pages, types, judged))
            columns = [f"{total[f'right {what}']} of {total[what]}" for what in (*ROLES, "title")]
            print(site.name, judged or "all", *columns, sep="\t", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or bench_names())
