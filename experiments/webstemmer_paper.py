"""Titles and main texts of news sites by Webstemmer, and by our extraction.

    python experiments/webstemmer_paper.py [FILE]

Shinyama, "Webstemmer - How it works", 2007, reports no figures. The sites are those of ``news`` and ``sites``
with known articles, and the sites of the bench that are news or magazines. Layouts are learnt from about 90
pages of a site and the links to them, titles and main texts are judged on other pages. A page without a
layout, and a page that is called an index, counts 0.

Methods: `Webstemmer` as described; `OriginalWebstemmer`, the program, whose layouts go through a pattern
file; both with the option that ignores digits in ids and classes, and the program also with a lower threshold
of extraction. Then `SinglePage` by the page alone, and with the texts of the pages that Webstemmer learns
from. Its models were trained on the bench: figures for sites of the bench are those of left-out sites, read
from FILE, which ``experiments/training/singlepage.py FILE`` writes.

Columns: articles that are judged; word F1 of the main text (with or without comments, the higher one); share
of the articles with the right title; share of the articles that are called articles; word F1 of these.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.datasets.articles import NEWS, SITES, bench_articles, body_of, read_articles
from experiments.datasets.bench import read_bench
from experiments.metrics import mean_of, same_title, token_f1
from experiments.results import run, table, write_results
from experiments.training.singlepage import drawn_pages
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.papers.webstemmer import Webstemmer
from webgrain.papers.webstemmer2007 import OriginalWebstemmer, read_patterns, write_patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from experiments.datasets.articles import ArticleSite
    from webgrain.documents.article import Article
    from webgrain.page.page import Page

RECORDS = Path(__file__).parents[1] / "build" / "left-out.jsonl"
DATA = (
    "Sites of news and articles: five with an own truth, and the sites of the bench whose kind is news or "
    "magazine. Layouts are learnt from 90 pages (35 of datafusion) and the texts of links; articles are "
    "judged on other pages. A page without a layout, or called an index, counts 0. No model of ours has seen "
    "the site."
)
LEARN = 90
LETTERS = "[a-z]+"
KIND = re.compile("news|magazine")
PUBLISHED = {
    "described": lambda: Webstemmer(),
    "described, letters": lambda: Webstemmer(mangle=LETTERS),
    "program": lambda: OriginalWebstemmer(),
    "program, letters": lambda: OriginalWebstemmer(mangle=LETTERS),
}
"""Methods that learn layouts. The layouts of the last one are also used with a lower threshold, `LOWER`."""
LOWER = 0.4
OURS = ("page alone", "with its site")
MEASURES = ("f1", "titles", "matched", "f1 of matched")

Scores = dict[str, dict[str, float]]


def news_sites() -> Iterator[tuple[ArticleSite, bool]]:
    """Yield the sites, and whether each is of the bench."""
    for name in (*NEWS, *SITES):
        yield read_articles(data_folder(), name), False
    for site in read_bench():
        if KIND.search(site.kind) and site.trust["text"] and site.trust["title"]:
            yield bench_articles(site, drawn_pages(site), LEARN), True


def judge(site: ArticleSite, pages: list[Page], extract: Callable[[Page], Article]) -> dict[str, float]:
    """Return the measures of a method on the articles among the pages of a site."""
    f1, titles = [], []
    matched = []
    for page in pages:
        truth, found = site.truth[page.id], extract(page)
        body = body_of(found, truth)
        matched.append(found.verdict == "article")
        whole = f"{truth.body}\n{truth.comments}"
        f1.append(max(token_f1(truth.body, body).f1, token_f1(whole, body).f1) if matched[-1] else 0.0)
        titles.append(same_title(truth.title, found.title))
    hits = [score for score, hit in zip(f1, matched, strict=True) if hit]
    return dict(zip(MEASURES, (mean(f1), mean(titles), mean(matched), mean(hits or [0.0])), strict=True))


def by_layouts(site: ArticleSite, pages: list[Page]) -> Scores:
    """Return the measures of Webstemmer."""
    found: Scores = {}
    learn = site.pages(site.learn)
    for name, create in PUBLISHED.items():
        print(f"{site.name}: {name}", file=sys.stderr, flush=True)
        method = create().fit(learn, site.anchors)
        if isinstance(method, OriginalWebstemmer):
            with tempfile.TemporaryDirectory() as folder:
                write_patterns(Path(folder) / "patterns", method)
                method = read_patterns(Path(folder) / "patterns")
        found[name] = judge(site, pages, method.predict)
    method.match_threshold = LOWER
    found[f"{name}, {LOWER:g}"] = judge(site, pages, method.predict)
    return found


def by_models(site: ArticleSite, pages: list[Page]) -> Scores:
    """Return the measures of the extraction on a left-out site."""
    print(f"{site.name}: models", file=sys.stderr, flush=True)
    method, texts = SinglePage(), site_texts(site.pages(site.learn))
    return {
        OURS[0]: judge(site, pages, method.predict),
        OURS[1]: judge(site, pages, lambda page: method.predict(page, texts)),
    }


def left_out(file: Path) -> dict[str, Scores]:
    """Return the measures of our extraction on sites of the bench that were left out, from its records."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["site"] and record["f1"] is not None:
            rows[record["group"], OURS[record["known"]]].append(record)
    found: dict[str, Scores] = defaultdict(dict)
    for (site, name), own in rows.items():
        verdicts = [one["verdict"] for one in own]
        titles = [bool(one["title"]) for one in own]  # None: there is no candidate
        f1 = mean(one["f1"] * one["verdict"] for one in own)
        hits = mean([one["f1"] for one in own if one["verdict"]] or [0.0])
        found[site][name] = dict(zip(MEASURES, (f1, mean(titles), mean(verdicts), hits), strict=True))
    return found


def measure(file: Path) -> dict[str, Any]:
    """Return the measures of all methods for each site, and their means."""
    known, sites = left_out(file), dict[str, dict[str, Any]]()
    for site, of_bench in news_sites():
        pages = [page for page in site.pages(site.check) if site.truth[page.id].kind == "article"]
        ours = known[site.name] if of_bench else by_models(site, pages)
        sites[site.name] = {"articles": len(pages), **by_layouts(site, pages), **ours}
    means = mean_of([{name: own[name] for name in own if name != "articles"} for own in sites.values()])
    return {"sites": sites, "mean": means}


def tables(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of the result file."""
    names = list(result["mean"])
    out = {}
    for key, measure in (("f1", "f1"), ("titles", "titles"), ("matched", "matched")):
        rows = [
            [site, own["articles"], *(own[name][measure] for name in names)]
            for site, own in result["sites"].items()
        ]
        rows.append(["mean", None, *(result["mean"][name][measure] for name in names)])
        out[key] = table(["site", "articles", *names], rows)
    rows = [[name, *(result["mean"][name][one] for one in MEASURES)] for name in names]
    columns = ["method", "F1", "right titles", "called articles", "F1 of these"]
    return {"means": table(columns, rows), **out}


def main() -> str | None:
    """Run the experiment and write the results; return a message without records of left-out pages."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else RECORDS
    if not file.is_file():
        return f"There are no records of left-out pages: python experiments/training/singlepage.py {file}"
    print(write_results("webstemmer", DATA, "python experiments/webstemmer_paper.py", tables(measure(file))))
    return None


if __name__ == "__main__":
    run(main)
