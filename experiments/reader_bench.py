"""Texts of articles by webgrain and other programs, per site of the bench and kind of page.

    python experiments/training/alone.py build/alone
    python experiments/reader_bench.py FILE [PAGES]

FILE has the records of left-out pages that ``experiments/training/singlepage.py`` writes: no model of
webgrain has seen the site or domain of its page. The first command writes the models that read pages without
a site, which have not seen it either. The other programs read the same pages, at most PAGES of a
site (12), and eight times as many of a kind of single page (96). Single pages are also compared with the
comments that webgrain and trafilatura find, since the true text of a thread has all its posts. A program that
is not installed is left out with a message.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments.datasets.bench import bench_names, folds, path_number, read_bench
from experiments.datasets.maincontent import domain_of, read_main_pages
from experiments.results import table, write_results
from experiments.training.domains import FOLDS, fold_of, left_out_models
from webgrain.base.metrics import word_score
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.document import comment_records
from webgrain.extraction.single import SinglePage, choose_blocks, drop_repeats, page_reading, readable
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import visible_text

Reader = Callable[[str], str]
Known = dict[tuple[str, str], dict[str, float]]
OURS = {"site": ("page alone", "with its site"), "kind of single page": ("text", "text and comments")}
SINGLE = 8
"""Pages of a kind of single page are this many times those of a site."""


WITH_COMMENTS = "trafilatura with comments"


def other_programs() -> dict[str, Reader]:
    """Return the functions by which other programs turn HTML into text; a message for each missing one."""
    found: dict[str, Reader] = {}
    try:
        import trafilatura

        found["trafilatura"] = lambda html: trafilatura.extract(html, include_comments=False) or ""
        found[WITH_COMMENTS] = lambda html: trafilatura.extract(html, include_comments=True) or ""
    except ImportError as error:
        print(f"trafilatura is left out: {error}.")
    try:
        import readability

        def by_readability(html: str) -> str:
            return visible_text(parse(Source("a", readability.Document(html).summary().encode())))

        found["readability-lxml"] = by_readability
    except ImportError as error:
        print(f"readability-lxml is left out: {error}.")
    try:
        from resiliparse.extract.html2text import extract_plain_text

        found["resiliparse"] = lambda html: extract_plain_text(html, main_content=True, comments=False)
    except ImportError as error:
        print(f"resiliparse is left out: {error}.")
    return found


def alone_scores(kind: str, row: str, source: Source, text: str, comments: str) -> dict[str, float]:
    """Return the scores of webgrain for a page without its site; row: the site, or the kind of page.

    The text of a single page is that which users get.
    """
    if kind == "site":
        read = page_reading(readable(parse(source))[0], None, left_out_models()[site_folds()[row]])
        blocks = read.facts.blocks
        chosen = drop_repeats(read.facts, choose_blocks(read.main, blocks.weight))
        found = "\n".join(blocks.texts[k] for k in chosen.tolist())
        best = max(word_score(truth, found).f1 for truth in (text, f"{text}\n{comments}"))
        return {OURS["site"][0]: best}
    models = left_out_models()[fold_of(domain_of(source.url or ""))]
    article = SinglePage(models=models).predict(parse(source))
    posts = (comment["text"] for comment in comment_records(article.comments))
    found = (article.text, "\n".join((article.text, *posts)))
    scores = (word_score(text, one).f1 for one in found)
    return dict(zip(OURS["kind of single page"], scores, strict=True))


@cache
def site_folds() -> dict[str, int]:
    """Return the fold in which each site of the bench is left out."""
    names = bench_names()
    return dict(zip(names, (folds(names) % FOLDS).tolist(), strict=True))


def pages(known: Known, most: int) -> Iterator[tuple[str, str, dict[str, float], Source, str, str]]:
    """Yield the table, row, scores of webgrain, page, main text and comments of each page."""
    for name in bench_names():
        [site] = read_bench([name])
        kept = set(sorted((path for path in site.roles if (name, path) in known), key=path_number)[:most])
        for source in site.sources():
            if source.id in kept:
                truth = site.truth[source.id]
                comments = "\n".join(truth.get("comments") or ())
                yield "site", name, known[name, source.id], source, truth["text"], comments
    number = Counter[str]()
    for page in read_main_pages(data_folder() / "main-content"):
        own = known.get((page.domain, page.source.id))
        if own and number[page.kind] < SINGLE * most:
            number[page.kind] += 1
            yield "kind of single page", page.kind, own, page.source, page.text, ""


def read_records(file: Path) -> Known:
    """Return the scores of webgrain by site and page."""
    found: Known = defaultdict(dict)
    for line in file.read_text(encoding="utf-8").splitlines():
        record: dict[str, Any] = json.loads(line)
        key = record["group"], record["page"]
        if not record["site"]:
            found[key] = {name: record[name] for name in OURS["kind of single page"]}
        elif record["f1"] is not None:
            found[key][OURS["site"][record["known"]]] = record["f1"]
    return found


def main(file: Path, most: int = 12) -> None:
    """Print the mean word F1 of each program per site and per kind of single page."""
    known, programs = read_records(file), other_programs()
    scores: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for kind, row, ours, source, text, comments in pages(known, most):
        own = dict(ours) | alone_scores(kind, row, source, text, comments)
        html = source.body.decode("utf-8", "replace")
        for name, read in programs.items():
            if name == WITH_COMMENTS and kind == "site":  # the nearer of both truths is compared
                continue
            try:
                found = read(html)
            except Exception as error:
                print(f"{name} fails on {row} {source.id}: {error}", file=sys.stderr)
                found = ""
            own[name] = max(word_score(text, found).f1, word_score(f"{text}\n{comments}", found).f1)
        for name, value in own.items():
            scores[kind, row][name].append(value)
    tables = {}
    for kind, ours_of_kind in OURS.items():
        others = [name for name in programs if name != WITH_COMMENTS or kind != "site"]
        columns = (*ours_of_kind, *others)
        rows = {row: own for (one, row), own in scores.items() if one == kind}
        print(f"\n| {kind} | pages | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
        means = defaultdict(list)
        lines = list[list[Any]]()
        for row, own in rows.items():
            values = [mean(own[name]) if own[name] else None for name in columns]
            for name, value in zip(columns, values, strict=True):
                means[name] += [] if value is None else [value]
            lines.append([row, len(own[columns[0]]), *values])
        lines.append(["mean", None, *(mean(means[name]) if means[name] else None for name in columns)])
        for line in lines:
            cells = ("-" if x is None else f"{x:.3f}" if isinstance(x, float) else str(x) for x in line)
            print(f"| {' | '.join(cells)} |")
        tables[kind.replace(" ", "-")] = table([kind, "pages", *columns], lines)
    data = "Articles of the sites of the bench and pages of WCXB; their sites were left out of training."
    write_results("texts", data, "python experiments/reader_bench.py build/left-out.jsonl", tables)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
