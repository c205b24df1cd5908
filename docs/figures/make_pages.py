"""Draw pictures of a page of the sample site as methods see it; extra ``render`` and a browser.

A picture for each page of docs/methods that is about pages, each with one or more panels side by side.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from webgrain import CClus, GCuts, LearntCut, Page, Source, Webstemmer, parse, read
from webgrain.documents.article import Article
from webgrain.extraction.single import SinglePage
from webgrain.page.segmentation import Segmentation, renumbered, segments
from webgrain.papers.regextree import RegexTree
from webgrain.rendering.chromium import Chromium
from webgrain.report.pictures import overlay
from webgrain.site.learning import learn_site
from webgrain.templates.sections import Sectioner

if TYPE_CHECKING:
    from webgrain.extraction.boilerplate import Boilerplate
    from webgrain.page.dom import Dom

HERE = Path(__file__).parent
SITE = HERE.parents[1] / "examples" / "site"
SHOWN = "en/harbour/the-boat-that-came-back.html"
WIDTH, HEIGHT = 470, 640
"""Pixels of a panel."""


def main() -> None:
    """Draw them all."""
    sources = [item for item in read([str(SITE)]) if isinstance(item, Source)]
    site = [parse(source) for source in sources]
    with Chromium() as browser:
        page = browser.render(next(one for one in sources if one.id == SHOWN), screenshot=True)
    steps = [LearntCut(granularity=step).predict(page) for step in (0.2, 0.5, 0.8)]
    draw("learntcut", page, steps)
    draw("gcuts-cclus", page, [GCuts().predict(page), CClus().predict(page)])
    articles = [one for one in site if one.id.startswith("en/harbour/") and not one.id.endswith("index.html")]
    model = learn_site(lambda: sources, "sample")
    draw(
        "article",
        page,
        [boilerplate_of(page.dom, model.boilerplate), said(page.dom, model.predict(page).article)],
    )
    draw("single-page", page, [said(page.dom, SinglePage().predict(page))])
    draw("webstemmer", page, [said(page.dom, Webstemmer().fit(site).predict(page))])
    draw(
        "regextree",
        page,
        [Sectioner(template=RegexTree().fit(articles).template_).predict(page).segmentation("")],
    )


KINDS = ("title", "heading", "paragraph", "term", "caption", "table", "comment", "sub")


def said(dom: Dom, article: Article) -> Segmentation:
    """Return the blocks of an article as segments: main text informative, comments and the rest less so."""
    labels = np.full(len(dom), -1, np.int32)
    parts = [part for block in article.blocks for part in block.walk()]
    blocks = [part for part in parts if part.node and part.kind in KINDS]
    for number, block in enumerate(blocks):
        labels[block.node : dom.end[block.node]] = number
    worth = np.array([1.0 if block.kind in KINDS[:6] else 0.5 for block in blocks])
    return Segmentation(labels, "webstemmer", roles=tuple(block.kind for block in blocks), importance=worth)


def boilerplate_of(dom: Dom, boilerplate: Boilerplate) -> Segmentation:
    """Return the boilerplate of a site on a page as segments with its names."""
    number = boilerplate.find(dom)
    labels = renumbered(number)
    first = [int(number[np.argmax(labels == k)]) for k in range(labels.max() + 1)]
    names = tuple(boilerplate.parts[k].name for k in first)
    return Segmentation(labels, "boilerplate", roles=names, importance=np.zeros(len(names)))


def draw(name: str, page: Page, found: list[Segmentation]) -> None:
    """Write a picture with a panel for each result, in few colours, so that it stays small."""
    panels = []
    for segmentation in found:
        drawn = Image.open(io.BytesIO(overlay(page, segments(page, segmentation))))
        panels.append(
            drawn.resize((WIDTH, round(drawn.height * WIDTH / drawn.width)), Image.Resampling.LANCZOS)
        )
    height = min(HEIGHT, max(panel.height for panel in panels))
    image = Image.new("RGB", (len(panels) * (WIDTH + 10) - 10, height), "white")
    for place, panel in enumerate(panels):
        image.paste(panel, (place * (WIDTH + 10), 0))
    image.quantize(64).save(HERE / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
