"""Title, main text and comments of a page by all that is known: its site, links to it, and the page itself.

A page of a known layout of articles is extracted by its layout: layouts are learnt from many pages and are
the most reliable evidence. On any other page (an index, a page of no known layout, a page without a site)
each block gets a probability of being content, from independent evidence:

====================  ===================================================================  ================
evidence              here                                                                 shape, unit
====================  ===================================================================  ================
the page itself       `webgrain.extraction.single.main_probability`                        (b,) 0..1
template of its type  ``noise``: noise confidence                                          (n,) 0..1
boilerplate           ``boilerplate``: the boilerplate part that each node is in           (n,), -1 none
layouts               ``layouts``: verdict and title                                       `Article`
links                 ``anchors``: texts of the links to the page, with their numbers      counts
====================  ===================================================================  ================

The blocks with the best expected F1 are chosen (`webgrain.extraction.single.choose_blocks`), so every page
with text has main text. The title is the heading that agrees best with links and ``<title>``.

Comments are recognised by their classes and ids, which on most sites contain ``comments``, ``comment-12`` and
the like. Such elements after the title are not main text, unless there is little other text: then the page is
a forum or a guestbook.

Cost: array passes over the nodes and blocks, and a comparison of a few headings with a few link texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np

from webgrain.arrays import Bool, Float64, Int32
from webgrain.content import comment_part, content
from webgrain.errors import ParameterError
from webgrain.extraction.features import PageFacts
from webgrain.extraction.single import (
    SinglePage,
    block_noise,
    choose_blocks,
    expected_f1,
    find_title,
    find_verdict,
    main_probability,
    noscript_page,
    show_streamed,
    tags_and_title,
)
from webgrain.extraction.thresholds import (
    BOILERPLATE,
    COMMENTS_ONLY,
    INDEX_PROSE,
    INDEX_WEIGHT,
    LEAST_PROBABILITY,
    NOISE,
    NOISY,
    QUIET,
    SURE_INDEX,
)
from webgrain.page.dom import Dom
from webgrain.page.page import Page, Source
from webgrain.page.text import TextBlocks, text_blocks, visible_text
from webgrain.parts import Part
from webgrain.results import Article

_NAME_LENGTH = 200  # characters of a class or id that are used
_PARTS = ("omment", "isqus", "espond")  # in all these names, in any case: quick to search for
_COMMENT = re.compile(r"(?<![a-z])(?:(comments|commentlist|disqus|respond)|comment)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is known of one page; everything may be missing.

    Attributes:
        layouts: the article that the layouts of its site predict.
        noise: (n,) noise confidence of its nodes, 0..1.
        boilerplate: (n,) the boilerplate part that each node is in, -1 for none.
        anchors: texts of links to it, with their numbers.
    """

    layouts: Article | None = None
    noise: Float64 | None = None
    boilerplate: Int32 | None = None
    anchors: Mapping[str, int] | None = None


def extract_page(page: Page | Source | str | bytes | Path) -> Article:
    """Return title, main text and verdict of a page of an unknown site.

    >>> html = "<title>Boats - My site</title><div>Menu</div><h1>Boats</h1><p>" + "The boat came back. " * 9
    >>> extract_page(html).title
    'Boats'
    """
    return SinglePage().predict(page)


def join(page: Page, evidence: Evidence) -> Article:
    """Return the article of a page by all evidence; a page with text always has main text.

    `ParameterError` if the evidence is for another number of nodes.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<title>B - Site</title><div>My site</div><h1>B</h1><p>Text.")
    >>> noise = np.where(np.arange(len(page.dom)) == 6, 1.0, 0.0)  # of the text in the div
    >>> found = join(page, Evidence(noise=noise, anchors={"B": 2}))
    >>> found.title, found.text, found.evidence
    ('B', 'Text.', 'noise and single page')
    """
    for given in (evidence.noise, evidence.boilerplate):
        if given is not None and np.shape(given) != page.dom.tag.shape:
            raise ParameterError(f"Expected evidence of {len(page.dom)} nodes, got {np.shape(given)}.")
    layouts = evidence.layouts
    if layouts is not None and layouts.verdict == "article" and layouts.text:
        noisy = _has_noisy_title(page, layouts, evidence.noise)
        if layouts.of_kind("title") and not noisy:
            return replace(layouts, evidence="layout")
        found = _with_title(_BlockEvidence(page, evidence), layouts, evidence, layouts.title)
        if found.text:  # else its text was the title
            words = "layout and noise" if noisy else "layout and links"
            return replace(found, evidence="layout" if found.title == layouts.title else words)
    known = _BlockEvidence(show_streamed(page), evidence)
    silent = known.noise is None and known.boilerplate is None
    alone = silent or noscript_page(known.page, known.blocks)
    found = _by_page_alone(known, evidence) if alone else _by_blocks(known, evidence)
    if found.text:
        return found
    return replace(found, verdict="unknown", layout="")  # a page without text is not an index


def _has_noisy_title(page: Page, article: Article, noise: Float64 | None) -> bool:
    """Whether the title by the layouts is noise of the site and not part of ``<title>``.

    An example is the name of a section of the site above the titles of its pages.
    """
    at = [block.node for block in article.blocks if block.kind == "title"]
    if noise is None or not at:
        return False
    dom, below = page.dom, slice(at[0], int(page.dom.end[at[0]]))
    texts = noise[below][dom.is_text[below]]
    if not texts.size or texts.mean() < NOISY:
        return False
    return article.title.casefold() not in tags_and_title(dom, text_blocks(page))[1].casefold()


def _with_title(known: _BlockEvidence, article: Article, evidence: Evidence, otherwise: str = "") -> Article:
    """Return an article with the title by links and headings; otherwise: the title if none agrees."""
    title, at = find_title(known.page.dom, known.blocks, evidence.anchors, known.noise, otherwise)
    if not title:
        return article
    same = (block for block in article.blocks if (block.kind, block.text) == ("title", title) and block.node)
    rest = (block for block in article.blocks if block.kind != "title" and block.text != title)
    return replace(article, title=title, blocks=(*(known.title(title, at) if at >= 0 else same), *rest))


def _by_page_alone(known: _BlockEvidence, evidence: Evidence) -> Article:
    """Return the article of a page about which the site knows nothing except perhaps links."""
    found = SinglePage().predict(known.page)
    if not found.text:
        found = replace(found, blocks=(*found.blocks, *known.visible_text()))
    verdict, layout = _verdict(evidence.layouts, prose=found.verdict == "article")
    found = replace(found, verdict=verdict, layout=layout, evidence="single page")
    return _with_title(known, found, evidence, found.title) if evidence.anchors else found


def _by_blocks(known: _BlockEvidence, evidence: Evidence) -> Article:
    """Return the article of a page by what is known of its blocks."""
    dom, blocks, layouts = known.page.dom, known.blocks, evidence.layouts
    index, weight = _is_index(layouts), blocks.weight
    otherwise = layouts.title if layouts else ""
    title, at = find_title(dom, blocks, evidence.anchors, known.noise, otherwise)
    probability = known.probability(INDEX_WEIGHT if index else 1.0)
    comment = np.full(len(weight), -1, np.int32)
    if not index:
        comment = comment_of(dom, blocks, at, probability * weight)
    main = np.where((np.arange(len(weight)) == at) | (comment >= 0), 0.0, probability)
    chosen = choose_blocks(main if main.any() else probability, weight)
    text = content(known.page, blocks, chosen, probability[chosen].round(4)) or known.visible_text()
    comments = known.comments(np.where(known.noisy, -1, comment), probability)
    plain = int(blocks.weight_noanchor[chosen].sum()) / max(int(weight[chosen].sum()), 1)
    prose = _is_doubtful(layouts) and plain > INDEX_PROSE
    prose = prose and find_verdict(PageFacts(dom, blocks), chosen) != "index"
    verdict, layout = _verdict(layouts, prose=prose)
    site = [name for name in ("noise", "boilerplate") if getattr(evidence, name) is not None]
    confidence = round(expected_f1(main, weight, chosen), 4)
    found = (*known.title(title, at), *text, *comments)
    return Article(verdict, title, found, layout, confidence, " and ".join([*site, "single page"]))


def _verdict(layouts: Article | None, *, prose: bool) -> tuple[str, str]:
    """Return verdict and layout; prose: whether the page has much text outside links and no teasers.

    A page with prose that does not match its layout well is not an index: where the layout of articles is
    unknown, articles are most similar to another kind of page.
    """
    if layouts is None or (prose and _is_doubtful(layouts)):
        return "unknown", ""
    return layouts.verdict, layouts.layout


def _is_doubtful(layouts: Article | None) -> bool:
    """Whether a page is an index by a layout that it does not match well."""
    return layouts is not None and layouts.verdict == "index" and not _is_index(layouts)


def _is_index(layouts: Article | None) -> bool:
    """Whether a page is certainly an index."""
    return layouts is not None and layouts.verdict == "index" and layouts.confidence >= SURE_INDEX


class _BlockEvidence:
    """The blocks of a page, and how much each (b,) is noise or boilerplate of the site; None: unknown."""

    def __init__(self, page: Page, evidence: Evidence) -> None:
        dom, self.page, self.blocks = page.dom, page, text_blocks(page)
        self.noise = self.boilerplate = None
        if evidence.noise is not None:
            noise = block_noise(dom, self.blocks, evidence.noise)
            self.noise = noise if (noise >= NOISY).any() else None  # else the page is of no known template
        if evidence.boilerplate is not None:
            inside = (evidence.boilerplate >= 0).astype(np.float64)
            self.boilerplate = block_noise(dom, self.blocks, inside)

    @property
    def noisy(self) -> Bool:
        """(b,) True at blocks that are not content."""
        found = np.zeros(len(self.blocks.weight), bool)
        for noise in (self.noise, self.boilerplate):
            found |= False if noise is None else noise >= NOISY
        return found

    def probability(self, weight: float) -> Float64:
        """(b,) probability of being content: log odds are added; a probability of 0 stays 0.

        weight: of the page itself, if noise is known.
        """
        single = main_probability(self.page, self.blocks)
        clipped = single.clip(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
        odds = np.log(clipped / (1.0 - clipped))
        if self.noise is not None:
            odds = weight * odds + QUIET - NOISE * self.noise
        if self.boilerplate is not None:
            odds = odds - BOILERPLATE * self.boilerplate
        return np.where(single > 0.0, 1.0 / (1.0 + np.exp(-odds)), 0.0)

    def title(self, text: str, at: int) -> Iterator[Part]:
        """Yield the title if a block contains it; at: the number of the block."""
        if at >= 0:
            yield Part("title", int(self.blocks.element[self.blocks.holder[at]]), (text,))

    def visible_text(self) -> tuple[Part, ...]:
        """Return the text of form controls as a part, for pages without layout blocks."""
        text = visible_text(self.page)
        return (Part("paragraph", 0, (text,), score=0.0),) if text else ()

    def comments(self, comment: Int32, probability: Float64) -> Iterator[Part]:
        """Yield the comments; comment (b,): the element of the comment that each block is in, -1 for none."""
        of, inside = comment.tolist(), np.flatnonzero(comment >= 0)
        order = inside[np.argsort(comment[inside], kind="stable")].tolist()
        for node, group in groupby(order, key=of.__getitem__):
            own = list(group)
            yield comment_part(self.page, self.blocks, own, node, probability[own].round(4))


def comment_of(dom: Dom, blocks: TextBlocks, title: int, mass: Float64) -> Int32:
    """Return the element of the comment that each block (b,) is in, -1 for none.

    title: the block of the title, which comes before comments; -1 for none. mass: (b,) how much of the
    content of the page each block is.

    >>> from webgrain.page.parsing import parse
    >>> html = "<h1>A</h1><p>Text.</p><div id=comments>Notes<p class=comment>One</p><p class=comment>Two</p>"
    >>> page = parse(html)
    >>> comment_of(page.dom, text_blocks(page), 0, np.ones(5)).tolist()
    [-1, -1, 7, 9, 11]
    """
    found = np.full(len(blocks.weight), -1, np.int32)
    end = int(blocks.first[title]) + 1 if title >= 0 else 0  # before it no comment begins, nor inside another
    named = _named_comments(dom, blocks)
    nodes = np.array(sorted(named), np.int32)
    spans = np.searchsorted(blocks.first, np.stack([nodes, dom.end[nodes]], axis=1)).tolist()
    for node, (first, last) in zip(nodes.tolist(), spans, strict=True):
        if node >= end:
            several, inside = named[node], slice(first, last)
            found[inside] = np.where(several & (found[inside] >= 0), found[inside], node)
            end = end if several else int(dom.end[node])
    if mass[found < 0].sum() <= COMMENTS_ONLY * mass.sum():
        found[:] = -1
    return found


def _named_comments(dom: Dom, blocks: TextBlocks) -> dict[int, bool]:
    """Return the elements named as comments, and whether they contain several."""
    hits = [match.start() for part in _PARTS for match in re.finditer(part, dom.values)]
    attribute = np.unique(np.searchsorted(dom.value_start, np.array(hits, np.int64), side="right") - 1)
    names = np.array([name in ("class", "id") for name in (*dom.names, "")], bool)
    attribute = attribute[names[dom.attr_name[attribute]]]
    node = np.searchsorted(dom.attr_start, attribute, side="right") - 1
    found: dict[int, bool] = {}
    for k in np.flatnonzero(np.isin(node, blocks.element)).tolist():
        start, stop = dom.value_start[attribute[k] : attribute[k] + 2].tolist()
        matches = _COMMENT.findall(dom.values[start : min(stop, start + _NAME_LENGTH)])
        if matches:
            found[int(node[k])] = found.get(int(node[k]), False) or any(matches)
    return found
