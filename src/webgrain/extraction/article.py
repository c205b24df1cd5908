"""Comments: what readers wrote below an article, told by what the markup calls it.

Classes and ids name comments on most sites (``comments``, ``comment-12``, ``li.comment``). What stands in
such elements behind the title is no main text, unless there is hardly any other: then it is a forum or a
guestbook.

What a page of a known site says, by all that is known: layouts, noise, links, and the page itself.

A page of a known layout of articles is read by it: layouts are learnt from many pages, and nothing is surer.
Of any other page (one that leads to others, one of no known layout, one of a site without layouts) each block
gets a probability of being content, from independent evidence:

====================  ===================================================================  ================
evidence              here                                                                 shape, unit
====================  ===================================================================  ================
the page itself       `webgrain.extraction.single.main_probability`                           (b,) 0..1
noise of the site     ``noise``: noise confidence by the template of its type              (n,) 0..1
furniture             ``furniture``: which piece each node stands in                       (n,), -1 none
layouts               ``layouts``: verdict and title                                       `Article`
links                 ``anchors``: texts of the links to the page, how many                counts
====================  ===================================================================  ================

Those blocks are taken that promise the best F1 (`webgrain.extraction.single.chosen_blocks`), so there is text
wherever there is any. The title is the heading that agrees best with what links and ``<title>`` say.

Cost: array passes over the nodes and blocks, and a comparison of a few headings with a few link texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32
from webgrain.errors import ParameterError
from webgrain.extraction.features import Facts
from webgrain.extraction.single import (
    ALIKE,
    SinglePage,
    block_noise,
    chosen_blocks,
    main_parts,
    main_probability,
    promised,
    verdict_of,
    with_streamed,
    written_for_no_script,
)
from webgrain.extraction.titles import find_title, tags_and_title
from webgrain.page.blocks import LayoutBlocks, layout_blocks
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.text import visible_text
from webgrain.results import Article, ArticleBlock

LITTLE = 0.1
"""Share of a page outside its comments up to which they are what the page is for."""

LONGEST = 200
"""Letters of a class or id that are looked at."""

_PARTS = ("omment", "isqus", "espond")
"""What is in all these names, with a capital or without: it is found by plain search, which is fast."""
_SAID = re.compile(r"(?<![a-z])(?:(comments|commentlist|disqus|respond)|comment)(?![a-z])", re.IGNORECASE)


def comment_of(dom: Dom, blocks: LayoutBlocks, title: int, mass: Float64) -> Int32:
    """Return the element of the comment that each block (b,) is in, -1 for none.

    title: the block of the title, comments stand behind it; -1 for none. mass: (b,) how much of the content
    of the page each block is.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = "<h1>A</h1><p>Text.</p><div id=comments>Said<p class=comment>One</p><p class=comment>Two</p>"
    >>> page = parse(Source("a", html.encode()))
    >>> comment_of(page.dom, layout_blocks(page), 0, np.ones(5)).tolist()
    [-1, -1, 7, 9, 11]
    """
    found = np.full(len(blocks), -1, np.int32)
    end = int(blocks.first[title]) + 1 if title >= 0 else 0  # what begins before is no comment, or within one
    named = _named(dom, blocks)
    nodes = np.array(sorted(named), np.int32)
    spans = np.searchsorted(blocks.first, np.stack([nodes, dom.end[nodes]], axis=1)).tolist()
    for node, (first, last) in zip(nodes.tolist(), spans, strict=True):
        if node >= end:
            several, inside = named[node], slice(first, last)
            found[inside] = np.where(several & (found[inside] >= 0), found[inside], node)
            end = end if several else int(dom.end[node])
    if mass[found < 0].sum() <= LITTLE * mass.sum():
        found[:] = -1
    return found


def _named(dom: Dom, blocks: LayoutBlocks) -> dict[int, bool]:
    """Return the elements that are called comments, and whether they are said to hold several."""
    hits = [at for part in _PARTS for at in _places(dom.values, part)]
    attribute = np.unique(np.searchsorted(dom.value_start, np.array(hits, np.int64), side="right") - 1)
    names = np.array([name in ("class", "id") for name in (*dom.names, "")], bool)
    attribute = attribute[names[dom.attr_name[attribute]]]
    node = np.searchsorted(dom.attr_start, attribute, side="right") - 1
    found: dict[int, bool] = {}
    for k in np.flatnonzero(np.isin(node, blocks.element)).tolist():
        start, stop = dom.value_start[attribute[k] : attribute[k] + 2].tolist()
        said = _SAID.findall(dom.values[start : min(stop, start + LONGEST)])
        if said:
            found[int(node[k])] = found.get(int(node[k]), False) or any(said)
    return found


def _places(text: str, part: str) -> Iterator[int]:
    """Give where a part of a text begins, each time."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


LISTED = 0.4
"""Weight of the log odds by the page itself on a page that leads to others: the page itself takes links for
navigation, the site knows better."""
QUIET, NOISE, FURNITURE = 1.0, 4.0, 9.0
"""What is added to the log odds where there is no noise; what noise, and furniture, of 1 take from them."""
LEAST = 1e-3
"""Probability of the least likely block."""
LOUD = 0.5
"""Noise from which on a block is hardly content."""
FITS, PROSE = 0.75, 0.8
"""Likeness to a layout below which a page with so large a share of its text outside links is no index."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is known of one page; all of it may be missing.

    Attributes:
        layouts: what the layouts of its site say.
        noise: (n,) noise confidence of its nodes, 0..1.
        furniture: (n,) the piece of furniture that each node stands in, -1 for none.
        anchors: texts of links to it, with their numbers.
    """

    layouts: Article | None = None
    noise: Float64 | None = None
    furniture: Int32 | None = None
    anchors: Mapping[str, int] | None = None


def join(page: Page, evidence: Evidence) -> Article:
    """Return what a page is and says by all that is known of it; never without text where there is some.

    `ParameterError` where the evidence is of another number of nodes.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<title>B - Site</title><div>My site</div><h1>B</h1><p>Text."))
    >>> noise = np.where(np.arange(len(page.dom)) == 6, 1.0, 0.0)  # of the text in the div
    >>> found = join(page, Evidence(noise=noise, anchors={"B": 2}))
    >>> found.title, found.text, found.evidence
    ('B', 'Text.', 'noise and single page')
    """
    for given in (evidence.noise, evidence.furniture):
        if given is not None and np.shape(given) != page.dom.tag.shape:
            raise ParameterError(f"Expected evidence of {len(page.dom)} nodes, got {np.shape(given)}.")
    told = evidence.layouts
    if told is not None and told.verdict == "article" and told.text:
        loud = _has_loud_title(page, told, evidence.noise)
        if told.of_kind("title") and not loud:
            return replace(told, evidence="layout")
        found = _titled(_Blocks.of(page, evidence), told, evidence, told.title)
        if found.text or found.code:  # else its text was the title
            words = "layout and noise" if loud else "layout and links"
            return replace(found, evidence="layout" if found.title == told.title else words)
    known = _Blocks.of(with_streamed(page), evidence)
    silent = known.noise is None and known.furniture is None
    alone = silent or written_for_no_script(known.page, known.blocks)
    found = _alone(known, evidence) if alone else _by_blocks(known, evidence)
    if found.text or found.code:
        return found
    return replace(found, verdict="unknown", layout="")  # a page that says nothing leads nowhere, too


def _has_loud_title(page: Page, told: Article, noise: Float64 | None) -> bool:
    """Whether what the layouts take for the title is noise of the site, and no part of ``<title>``.

    Such as the name of a part of the site, which stands above the titles of its pages.
    """
    at = [block.node for block in told.blocks if block.kind == "title"]
    if noise is None or not at:
        return False
    dom, below = page.dom, slice(at[0], int(page.dom.end[at[0]]))
    texts = noise[below][dom.is_text[below]]
    if not texts.size or texts.mean() < LOUD:
        return False
    return told.title.casefold() not in tags_and_title(dom, layout_blocks(page))[1].casefold()


def _titled(known: _Blocks, told: Article, evidence: Evidence, otherwise: str = "") -> Article:
    """Return an article with the title that links and headings say; otherwise: where none agrees."""
    title, at = find_title(known.page.dom, known.blocks, evidence.anchors, known.noise, otherwise)
    if not title:
        return told
    same = (one for one in told.blocks if (one.kind, one.text) == ("title", title) and one.node)
    rest = (one for one in told.blocks if one.kind != "title" and one.text != title)
    return replace(told, title=title, blocks=(*(known.title(title, at) if at >= 0 else same), *rest))


def _alone(known: _Blocks, evidence: Evidence) -> Article:
    """Return a page of which the site tells nothing but perhaps links to it, as the page itself says."""
    told, found = evidence.layouts, SinglePage().predict(known.page)
    verdict, layout = _verdict(told, prose=found.verdict == "article")
    found = replace(found, verdict=verdict, layout=layout, evidence="single page")
    return _titled(known, found, evidence, found.title) if evidence.anchors else found


def _by_blocks(known: _Blocks, evidence: Evidence) -> Article:
    """Return a page by what is known of its blocks."""
    dom, blocks, told, listing = known.page.dom, known.blocks, evidence.layouts, _is_listing(evidence.layouts)
    title, at = find_title(dom, blocks, evidence.anchors, known.noise, told.title if told else "")
    probability = known.probability(LISTED if listing else 1.0)
    comment = np.full(len(blocks), -1, np.int32)
    if not listing:
        comment = comment_of(dom, blocks, at, probability * blocks.weight)
    main = np.where((np.arange(len(blocks)) == at) | (comment >= 0), 0.0, probability)
    chosen = chosen_blocks(main if main.any() else probability, blocks.weight)
    found = (
        *known.title(title, at),
        *known.main(chosen, probability),
        *known.comments(np.where(known.loud, -1, comment), probability),
    )
    plain = int(blocks.weight_noanchor[chosen].sum()) / max(int(blocks.weight[chosen].sum()), 1)
    prose = _is_doubtful(told) and plain > PROSE and verdict_of(Facts(dom, blocks), chosen, ALIKE) != "index"
    verdict, layout = _verdict(told, prose=prose)
    sure = promised(main, blocks.weight, chosen)
    return Article(verdict, title, found, layout, round(sure, 4), _words(evidence))


def _verdict(told: Article | None, *, prose: bool) -> tuple[str, str]:
    """Return the verdict and the layout; prose: whether the page says much outside links, and has no teasers.

    One that does, and fits its layout little, is no index: where the layout of articles is not known they are
    like that of another kind of page.
    """
    if told is None or (prose and _is_doubtful(told)):
        return "unknown", ""
    return told.verdict, told.layout


def _is_doubtful(told: Article | None) -> bool:
    """Whether a page is like others that lead to pages, but not much."""
    return told is not None and told.verdict == "index" and not _is_listing(told)


def _is_listing(told: Article | None) -> bool:
    """Whether a page surely leads to others."""
    return told is not None and told.verdict == "index" and told.confidence >= FITS


def _words(evidence: Evidence) -> str:
    """Say which evidence the text came from."""
    site = [name for name in ("noise", "furniture") if getattr(evidence, name) is not None]
    return " and ".join([*site, "single page"])


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """The blocks of a page, and how far each (b,) is noise or furniture of the site; None: not known."""

    page: Page
    blocks: LayoutBlocks
    noise: Float64 | None = None
    furniture: Float64 | None = None

    @classmethod
    def of(cls, page: Page, evidence: Evidence) -> _Blocks:
        """Return what is known; where nothing is noise the page is of no known template."""
        dom, blocks, noise, furniture = page.dom, layout_blocks(page), None, None
        if evidence.noise is not None:
            told = block_noise(dom, blocks, evidence.noise)
            noise = told if (told >= LOUD).any() else None
        if evidence.furniture is not None:
            furniture = block_noise(dom, blocks, (evidence.furniture >= 0).astype(np.float64))
        return cls(page, blocks, noise, furniture)

    @property
    def loud(self) -> Bool:
        """(b,) True at blocks that are hardly content."""
        found = np.zeros(len(self.blocks), bool)
        for told in (self.noise, self.furniture):
            found |= False if told is None else told >= LOUD
        return found

    def probability(self, weight: float) -> Float64:
        """(b,) how probable it is that each is content: log odds are added, 0 stays.

        weight: of the page itself, where noise is known.
        """
        single = main_probability(self.page, self.blocks)
        sure = single.clip(LEAST, 1.0 - LEAST)
        odds = np.log(sure / (1.0 - sure))
        if self.noise is not None:
            odds = weight * odds + QUIET - NOISE * self.noise
        if self.furniture is not None:
            odds = odds - FURNITURE * self.furniture
        return np.where(single > 0.0, 1.0 / (1.0 + np.exp(-odds)), 0.0)

    def title(self, text: str, at: int) -> Iterator[ArticleBlock]:
        """Give the title, if a block holds it; at: its number."""
        if at >= 0:
            yield ArticleBlock("title", text, int(self.blocks.element[self.blocks.holder[at]]))

    def main(self, chosen: NDArray[np.intp], probability: Float64) -> list[ArticleBlock]:
        """Return the parts of the main text."""
        found = main_parts(self.page.dom, self.blocks, chosen, probability)
        text = "" if found else visible_text(self.page)  # of form controls
        return [ArticleBlock("paragraph", text, 0, 0.0)] if text else found

    def comments(self, comment: Int32, probability: Float64) -> Iterator[ArticleBlock]:
        """Give the comments; comment (b,): the element of the one that each block is in, -1 for none."""
        of, inside = comment.tolist(), np.flatnonzero(comment >= 0)
        order = inside[np.argsort(comment[inside], kind="stable")].tolist()
        for node, group in groupby(order, key=of.__getitem__):
            told = list(group)
            text = "\n".join(self.blocks.texts[k] for k in told)
            yield ArticleBlock("comment", text, node, round(float(probability[told].mean()), 4))
