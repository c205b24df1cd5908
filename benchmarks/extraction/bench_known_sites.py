"""Texts of known sites: quality and time compared with single-page extractors.

    python benchmarks/extraction/bench_known_sites.py

The peers need the extra ``bench``. The pages are those of `experiments.datasets`, under WEBGRAIN_DATA; times
are processor seconds, with parsing.
"""

from __future__ import annotations

import logging
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.articles import NEWS, SITES, ArticleSite, body_of, read_articles
from experiments.metrics import same_title, token_f1

from webgrain.base.errors import InputError, MissingExtraError, require
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import visible_text

_CODE = re.compile(rb"<pre\b.*?</pre>", re.S | re.I)
Extract = Callable[[Source], tuple[str, str]]
"""From a page to its title and main text; both empty if it is not extracted as an article."""


def main() -> None:
    print("quality and time, on pages that were not learnt from")
    print(f"{'site':12}{'pages':>6}  {'extractor':14}{'F1':>7}{'titles':>9}{'ms a page':>11}")
    for name in (*NEWS, *SITES):
        try:
            site = read_articles(data_folder(), name)
        except InputError as error:
            print(error)
            break
        compare(site)


def compare(site: ArticleSite) -> None:
    """Print F1, titles and time of each extractor on one site."""
    pages = [page for page in site.check if site.truth[page].kind == "article"]
    reader, texts = SinglePage(), site_texts(site.pages(site.learn))

    def webgrain(source: Source) -> tuple[str, str]:
        article = reader.predict(parse(source), texts)
        return article.title, body_of(article, site.truth[source.id])

    for extractor, extract in {"webgrain": webgrain, **peers()}.items():
        f1, titles, seconds = [], 0, []
        for page in pages:
            truth, source = site.truth[page], site.sources[page]
            if extractor != "webgrain" and not truth.with_code:
                source = Source(page, _CODE.sub(b"", source.body))  # they do not distinguish code and text
            start = time.process_time()
            title, text = extract(source)
            seconds.append(time.process_time() - start)
            f1.append(token_f1(truth.body, text).f1)
            titles += same_title(truth.title, title)
        figures = (
            f"{statistics.mean(f1):7.3f}{titles:5}/{len(pages):<3}{1e3 * statistics.median(seconds):11.1f}"
        )
        print(f"{site.name:12}{len(pages):6}  {extractor:14}{figures}", flush=True)


def peers() -> dict[str, Extract]:
    """Return the single-page extractors that are installed."""
    logging.disable(logging.CRITICAL)
    try:
        trafilatura = require("trafilatura", "bench", "The comparison")
        readability = require("readability", "bench", "The comparison")
    except MissingExtraError as error:
        print(error)
        return {}

    def by_trafilatura(source: Source) -> tuple[str, str]:
        found = trafilatura.bare_extraction(source.body.decode("utf-8", "replace"), with_metadata=True)
        return (found.title or "", found.text or "") if found else ("", "")

    def by_readability(source: Source) -> tuple[str, str]:
        document = readability.Document(source.body.decode("utf-8", "replace"))
        text = visible_text(parse(Source(source.id, document.summary().encode())))
        return document.short_title(), text

    return {"trafilatura": by_trafilatura, "readability": by_readability}


if __name__ == "__main__":
    main()
