"""Site layouts: quality and time compared with single-page extractors; growth of learning, memory.

    python benchmarks/layouts/bench_sitelayouts.py

The peers need the extra ``bench``. The pages of the first table are those of `experiments.datasets`,
under WEBGRAIN_DATA; times are processor seconds, with parsing. For learning, the pages are parsed before.
"""

from __future__ import annotations

import logging
import math
import random
import re
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.articles import NEWS, SITES, ArticleSite, body_of, read_articles

from webgrain.errors import InputError, MissingExtraError, require
from webgrain.evaluation.datasets import data_folder
from webgrain.layouts.sitelayouts import SiteLayouts
from webgrain.metrics import same_title, token_f1
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.text import visible_text

SIZES = (400, 800, 1600, 3200)
_CODE = re.compile(rb"<pre\b.*?</pre>", re.S | re.I)
Extract = Callable[[Source], tuple[str, str]]
"""From a page to its title and main text; both empty if it is not extracted as an article."""

TEXT = """harbour light rope tide salt wind letter kitchen boat crane bell morning lantern slate road net
window story winter herring glass keeper north map tower bread smoke engine paper garden river stone"""


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
    print("\nlearning pages of a generator, parsed before")
    grow()


def compare(site: ArticleSite) -> None:
    """Print F1, titles and time of each extractor on one site."""
    pages = [page for page in site.check if site.truth[page].kind == "article"]
    method = SiteLayouts().fit(site.pages(site.learn))

    def webgrain(source: Source) -> tuple[str, str]:
        article = method.predict(parse(source))
        return article.title, body_of(article, site.truth[source.id])

    for extractor, extract in {"webgrain": webgrain, **peers()}.items():
        f1, titles, seconds = [], 0, []
        for page in pages:
            truth, source = site.truth[page], site.sources[page]
            if extractor != "webgrain" and not truth.with_code:
                source = Source(page, _CODE.sub(b"", source.body))  # they do not tell code from text
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


def grow() -> None:
    """Print time and memory of learning more and more pages, and the exponent of its growth."""
    print(f"{'pages':>6}{'seconds':>9}{'ms a page':>11}{'peak MB':>9}{'layouts':>9}")
    seconds = {}
    for size in SIZES:
        pages = [made_page(number) for number in range(size)]
        start = time.process_time()
        method = SiteLayouts().fit(pages)
        seconds[size] = time.process_time() - start
        tracemalloc.start()
        SiteLayouts().fit(pages)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        layouts = len(method.model.layouts)
        print(
            f"{size:6}{seconds[size]:9.2f}{1e3 * seconds[size] / size:11.2f}{peak:9.0f}{layouts:9}",
            flush=True,
        )
    first, last = SIZES[0], SIZES[-1]
    exponent = math.log(seconds[last] / seconds[first]) / math.log(last / first)
    print(f"growth from {first} to {last} pages: n^{exponent:.2f}")


def made_page(number: int) -> Page:
    """Return a page of a made-up site with twenty kinds of pages, none like another."""
    rng = random.Random(number)
    kind = rng.randrange(20)

    def words(count: int) -> str:
        return " ".join(rng.choices(TEXT.split(), k=count))

    links = "".join(f"<li><a href=/{word}>{words(3)}</a>" for word in rng.sample(TEXT.split(), 4))
    boxes = "".join(
        f"<div class='box box-{name}'><h3>{words(2)}</h3><ul>{links}</ul></div>"
        for bit, name in enumerate("abcdefgh")
        if (kind >> (bit % 5)) & 1 or rng.random() < 0.2
    )
    parts = "".join(
        rng.choice(("<p>{}", "<p>{}", "<h2>{}</h2>", "<ul><li>{}</ul>", "<pre>{}</pre>")).format(words(60))
        for _ in range(rng.randrange(3, 30))
    )
    comments = "".join(
        f"<div class=comment id=c{n}><div class=by>{words(2)}</div><div class=said>{words(20)}</div></div>"
        for n in range(rng.randrange(5))
    )
    title = f"{words(5)} {number}"
    html = (
        f"<title>{title} | The Site</title><body class='kind-{chr(97 + kind)} post-{number}'>"
        f"<div id=head>The Site</div><div id=side-{chr(97 + kind % 4)}>{boxes}</div>"
        f"<div id=main><h1>{title}</h1><div class=body>{parts}</div><div id=comments>{comments}</div></div>"
        f"<div id=foot>All rights reserved.</div>"
    )
    return parse(Source(f"{number:05}.html", html.encode()))


if __name__ == "__main__":
    main()
