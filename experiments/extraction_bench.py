"""Extraction by webgrain and other programs on six public test suites and on labelled pages of new sites.

    python experiments/training/alone.py build/alone
    python experiments/training/threads.py build/alone
    python experiments/training/metadata.py build/metadata
    python -m experiments.extraction_bench [SUITE ...]

A suite is one of `SUITES`, or ``pages-2``: the labelled pages. The model of main text that comes with
webgrain has learnt from three suites and from the labelled pages, those of kinds and posts from the labelled
pages, and those of authors and days from all of them. So each page is read with models that have seen no page
of its domain or site, but for the models of titles and of the verdict; the first three commands write these
models.

The measures are those of `webgrain.evaluation.extraction`; a row is a program and a suite. Each program reads
the bytes of a page and its address; one that fails on a page counts as one that found nothing. A program that
is not installed is left out with a message. The result file is only written for all suites.

=================  =======================================================================================
trafilatura        text without comments, as in its evaluation; comments and metadata of a second call; HTML
                   with links, pictures, tables and formatting
readability-lxml   HTML of the summary and its visible text, short title, author
resiliparse        text and minimal HTML of the main content
htmldate           date of the original publication
=================  =======================================================================================
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.datasets.bench import bench_names
from experiments.datasets.blocks import reference_pages
from experiments.datasets.build import RECIPES
from experiments.datasets.maincontent import domain_of, read_main_pages
from experiments.datasets.suites import SUITES, read_suites
from experiments.results import run, table, write_results
from experiments.training import metadata as metadata_models
from experiments.training.domains import LEFT_OUT, fold_of, group_of, left_out_models, left_out_threads
from experiments.training.singlepage import LABELLED
from webgrain.evaluation.datasets import data_folder
from webgrain.evaluation.elements import ELEMENT_TAGS
from webgrain.evaluation.extraction import (
    CONTAINERS,
    EXTRACTED_FIELDS,
    POSTS,
    Counts,
    Extraction,
    Extractor,
    PageCounts,
    ReferencePage,
    added,
    evaluate_extractors,
    measures,
    summaries,
)
from webgrain.evaluation.extractors import baselines, extraction_of
from webgrain.extraction.document import Document
from webgrain.extraction.metadata import Facts, metadata
from webgrain.extraction.single import SinglePage
from webgrain.io.contentmarks import PAGE_KINDS
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.text import visible_text

COMMAND = "python -m experiments.extraction_bench"
DATA = (
    "Half of the pages of six public test suites, chosen by host: 1,203 pages; and 216 labelled pages of 123 "
    "sites (pages-2)."
)


# The programs.


def webgrain_left_out(folder: Path = LEFT_OUT, metadata_folder: Path = metadata_models.LEFT_OUT) -> Extractor:
    """Return webgrain with models that have not seen the domain of a page.

    folder, metadata_folder: of `left_out_models` of text and threads, and of authors and days.
    """
    models = zip(left_out_models(folder), left_out_threads(folder), strict=True)
    methods = [SinglePage(models=of_text, threads=of_threads) for of_text, of_threads in models]
    chosen_by = metadata_models.left_out_models(metadata_folder)

    def read(page: Page) -> Extraction:
        assert page.source is not None
        article = methods[fold_of(group_of(page.source))].predict(page)
        domain = metadata_models.domain_of_page(page.source)
        facts = Facts(page, article, chosen_by[metadata_models.fold(domain)])
        authors = (facts.author,) if facts.author else ()
        return replace(extraction_of(Document(page, article)), authors=authors, date=facts.published)

    return Extractor("webgrain", EXTRACTED_FIELDS, read)


def by_trafilatura() -> Extractor:
    """Return trafilatura."""
    from trafilatura import bare_extraction, extract

    def read(page: Page) -> Extraction:
        body = body_of(page)
        text = extract(body, url=page.url, include_comments=False)
        html = extract(
            body,
            url=page.url,
            output_format="html",
            include_comments=False,
            include_formatting=True,
            include_links=True,
            include_images=True,
        )
        known = bare_extraction(body, url=page.url, with_metadata=True)
        comments = (known and known.comments) or ""
        return Extraction(
            text=text or "",
            html=html or "",
            posts=(comments,) if comments else (),
            title=(known and known.title) or "",
            authors=tuple(filter(None, ((known and known.author) or "").split("; "))),
            date=(known and known.date) or "",
            description=(known and known.description) or "",
        )

    return Extractor(
        "trafilatura", ("text", "html", "posts", "title", "authors", "date", "description"), read
    )


def by_readability() -> Extractor:
    """Return readability-lxml."""
    from readability import Document

    def read(page: Page) -> Extraction:
        document = Document(body_of(page), url=page.url)
        html = document.summary(html_partial=True)
        author = document.author()
        return Extraction(
            text=visible_text(parse(Source("a", html.encode(), charset="utf-8")), separator="\n\n"),
            html=html,
            title=document.short_title() or "",
            authors=(author,) if author and author != "[no-author]" else (),
        )

    return Extractor("readability-lxml", ("text", "html", "title", "authors"), read)


def by_resiliparse() -> Extractor:
    """Return resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    def read(page: Page) -> Extraction:
        body = body_of(page)
        html = bytes_to_str(body, detect_encoding(body))
        text = extract_plain_text(html, main_content=True, comments=False)
        marked = extract_plain_text(
            html, main_content=True, comments=False, preserve_formatting="minimal_html", links=True
        )
        return Extraction(text=text, html=marked)

    return Extractor("resiliparse", ("text", "html"), read)


def by_htmldate() -> Extractor:
    """Return htmldate."""
    from htmldate import find_date

    def read(page: Page) -> Extraction:
        return Extraction(date=find_date(body_of(page), url=page.url, original_date=True) or "")

    return Extractor("htmldate", ("date",), read)


def body_of(page: Page) -> bytes:
    """Return the bytes of a page."""
    return page.source.body if page.source else b""


PEERS: tuple[Callable[[], Extractor], ...] = (by_trafilatura, by_readability, by_resiliparse, by_htmldate)


def installed_peers() -> Iterator[Extractor]:
    """Yield the other programs that are installed; a message for each missing one."""
    for make in PEERS:
        try:
            yield make()
        except ImportError as error:
            print(f"{make.__name__} is left out: {error}.", file=sys.stderr)


# Pages that share a domain with pages of training.


def training_domains() -> set[str]:
    """Return the domains of the pages from which the models of webgrain learnt: WCXB and the bench."""
    pages = {page.domain for page in read_main_pages(data_folder() / "main-content")}
    recipes = (json.loads((RECIPES / "bench" / f"{name}.json").read_text("utf-8")) for name in bench_names())
    return pages | {domain_of(f"http://{recipe['host']}") for recipe in recipes}


def overlap_table(
    results: Sequence[PageCounts], domains: Mapping[str, str], known: set[str]
) -> dict[str, Any]:
    """Return for each suite its pages, those of a known domain, and those of a domain in the training data.

    The last two columns are the main measure of webgrain on all pages and on those of other domains.
    """
    rows = []
    ours = [one for one in results if one.extractor == "webgrain"]
    for suite in dict.fromkeys(one.group for one in ours):
        own = [one for one in ours if one.group == suite]
        shared = {one.page for one in own if domains[one.page] in known}
        named = sum(bool(domains[one.page]) for one in own)
        whole, rest = (
            measures(added(one.counts for one in own if keep or one.page not in shared))
            for keep in (True, False)
        )
        main = next(name for name in MAIN if name in whole)
        names = len({domains[page] for page in shared})
        rows.append([suite, len(own), named, len(shared), names, main, whole[main], rest.get(main)])
    columns = ("suite", "pages", "known domain", "shared", "domains", "measure", "all pages", "not shared")
    return table(columns, rows)


MAIN = ("f1", "snippet_f1", "title", "date_right")
"""Measures by which pages of shared domains are compared with the others: the first that a suite has."""


# Tables.

OUTCOMES = ("right", "wrong", "missing", "invented")
SCORES: dict[str, dict[str, str]] = {
    "text": {name: name.replace("_", " ") for name in ("f1", "precision", "recall", "low", *CONTAINERS)},
    "snippets": {name: name.replace("_", " ") for name in ("snippet_f1", "included", "excluded", "opening")},
    "recall": {f"{name}_recall": name for name in ELEMENT_TAGS},
    "precision": {f"{name}_precision": name for name in ELEMENT_TAGS},
    "posts": {name: name.replace("_", " ") for name in POSTS},
    "authors": {f"author_{name}": name for name in OUTCOMES},
    "dates": {f"date_{name}": name for name in OUTCOMES},
    "other-metadata": {name: name for name in ("title", "language", "description")},
}
"""The measures of each table, with their headings."""
STATED = {"authors": "author", "dates": "date"}
"""Tables that also have the numbers of pages that state a value, and that state none."""


def result_tables(sums: Mapping[tuple[str, str], Counts]) -> dict[str, Any]:
    """Return the tables of the result file, a row per suite and program; without empty ones."""
    tables = {name: score_table(sums, heads, STATED.get(name)) for name, heads in SCORES.items()}
    tables["elements"] = element_table(sums)
    return {name: one for name, one in tables.items() if one["rows"]}


def score_table(
    sums: Mapping[tuple[str, str], Counts], heads: Mapping[str, str], field: str | None = None
) -> dict[str, Any]:
    """Return a table of measures without empty rows and columns.

    heads: the headings of the measures; field: also the numbers of pages that state it, and that state none.
    """
    known = {key: measures(counts) for key, counts in sums.items()}
    columns = [name for name in heads if any(name in values for values in known.values())]
    rows = []
    for (suite, program), values in known.items():
        if values.keys().isdisjoint(columns):
            continue
        counts = sums[suite, program]
        pages = [int(counts.get(f"{field}_{end}", 0)) for end in ("stated", "unstated")] if field else []
        rows.append([f"{suite}: {program}", *pages, *(values.get(name) for name in columns)])
    numbers = ("stated", "not stated") if field else ()
    return table(["program", *numbers, *(heads[name] for name in columns)], rows)


def element_table(sums: Mapping[tuple[str, str], Counts]) -> dict[str, Any]:
    """Return the numbers of elements of the references, and of the extracted ones that are right."""
    own = {key: counts for key, counts in sums.items() if "item_true" in counts}
    rows = []
    for name in ELEMENT_TAGS:
        true = [counts[f"{name}_true"] for counts in own.values()]
        if max(true, default=0):
            numbers = (
                f"{counts[f'{name}_right']} of {counts[f'{name}_extracted']}" for counts in own.values()
            )
            rows.append([name, int(max(true)), *numbers])
    return table(["element", "reference", *(program for _, program in own)], rows)


def kind_table(results: Sequence[PageCounts], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return the word F1 of each program by the kind of the labelled pages; of threads, that of all posts."""
    programs = [name for name in dict.fromkeys(result.extractor for result in results) if name != "htmldate"]
    rows = []
    for kind in PAGE_KINDS:
        pages = {page for page, name in kinds.items() if name == kind}
        row: list[Any] = [kind, len(pages)]
        for program in programs:
            counts = (one.counts for one in results if one.page in pages and one.extractor == program)
            values = measures(added(counts))
            row.append(values.get("post_f1" if kind == "thread" else "f1"))
        rows.append(row)
    return table(["kind", "pages", *programs], rows)


def show(tables: Mapping[str, Any]) -> None:
    """Print tables as Markdown."""
    for name, one in tables.items():
        print(f"\n{name}\n\n| {' | '.join(one['columns'])} |\n|{'---|' * len(one['columns'])}")
        for row in one["rows"]:
            cells = ("-" if x is None else f"{x:.3f}" if isinstance(x, float) else str(x) for x in row)
            print(f"| {' | '.join(cells)} |")


def compare(
    pages: Iterable[ReferencePage], extractors: Sequence[Extractor]
) -> tuple[list[PageCounts], dict[str, str]]:
    """Return the counts of each page and program, and the domain of each page, empty if it is not known."""
    domains: dict[str, str] = {}

    def noted() -> Iterator[ReferencePage]:
        for page in pages:
            domains[page.source.id] = domain_of(page.source.url or stated_address(page.source))
            yield page

    results = list(evaluate_extractors(noted(), extractors))
    for program, number in Counter(one.extractor for one in results if one.error).items():
        print(f"{program} failed on {number} pages.", file=sys.stderr)
    return results, domains


def stated_address(source: Source) -> str:
    """Return the canonical address that a page states; empty for none."""
    return str(metadata(parse(source)).get("canonical", ""))


def main(names: Sequence[str] = ()) -> None:
    """Print the tables; write the result file if all suites are compared."""
    extractors = [webgrain_left_out(), *installed_peers(), *baselines()]
    chosen = names or (*SUITES, LABELLED)
    suites = [name for name in chosen if name != LABELLED]
    pages = list(read_suites(data_folder() / "main-content" / "suites", suites)) if suites else []
    if LABELLED in chosen:
        pages += reference_pages(LABELLED)
    kinds = {page.source.id: page.kind or "" for page in pages if page.group == LABELLED}
    results, domains = compare(pages, extractors)
    tables = result_tables(summaries(results))
    tables["kinds"] = kind_table(results, kinds)
    tables["overlap"] = overlap_table(results, domains, training_domains())
    show(tables)
    if set(chosen) == {*SUITES, LABELLED}:
        write_results("extraction", DATA, COMMAND, tables)


if __name__ == "__main__":
    run(lambda: main(sys.argv[1:]))
