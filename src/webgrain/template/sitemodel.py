"""What is known of a site once it is learnt, and how a page is read by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import TYPE_CHECKING

import numpy as np

from webgrain.articleblocks import PERMALINKS, parts
from webgrain.kernels.pathtable import path_keys
from webgrain.results import Article, ArticleBlock
from webgrain.template.containers import KEPT, LINKED, RECORD, STATIC
from webgrain.template.pageoutline import outline
from webgrain.template.reading import read_page
from webgrain.template.sketch import sketch
from webgrain.template.steps import contexts, key_of, key_of_step
from webgrain.template.titles import trimmed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.template.containers import Container, Reasons, Thresholds
    from webgrain.template.layouts import FrameIndex
    from webgrain.template.reading import Reading
    from webgrain.template.sketch import Sketch
    from webgrain.template.steps import Keys, Mask
    from webgrain.template.survey import Floats, Ints

Feature = tuple[int, str, int, bool]
"""Number of a path, a token or none, pages that have it, whether it counts less."""
_HEAD, _TITLE = key_of("head"), key_of("title")
LONGEST_TITLE = 500
"""Letters of a ``<title>`` that are looked at."""
MOSTLY = 0.5
"""Share of a page's text in teasers from which on it leads to other pages rather than say something."""


@dataclass(frozen=True, eq=False)
class KnownPaths:
    """The paths of a site that several pages have, each before those that lead on from it.

    Attributes:
        names: (q,) the last step of each as it reads; up: (q,) the path one step shorter, -1 at a root.
        pages: (q,) pages that have it.
        reason: (q,) whether what stands there consists of links, see `containers.noise`.
        diff: (q,) its DiffScore.
    """

    names: tuple[str, ...]
    up: Ints
    pages: Ints
    reason: Reasons
    diff: Floats

    @cached_property
    def key(self) -> Keys:
        """(q,) uint64, the key of each path."""
        steps = np.array([key_of_step(name) for name in self.names], np.uint64)
        keys: Keys = path_keys(self.up.astype(np.int32), steps, np.array([0, len(steps)], np.int64))
        return keys

    def reasons(self, threshold: float) -> Reasons:
        """Return why what stands on each path (q,) is no main text; threshold: the least DiffScore."""
        return np.where(self.diff < threshold, STATIC, self.reason).astype(np.int8)

    @cached_property
    def telling(self) -> Keys:
        """The contexts in which tokens count in these paths, sorted."""
        steps = [name.split(" ") for name in self.names]
        tags = np.array([key_of(tag) for tag, *_ in steps], np.uint64)
        owner = np.array([path for path, step in enumerate(steps) for _ in step[1:]], np.int64)
        token = np.array([key_of(token) for step in steps for token in step[1:]], np.uint64)
        return np.unique(contexts(self.up.astype(np.int32), tags, owner, token))

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.key)

    def find(self, keys: Keys) -> Ints:
        """Return the number of the path of each key, -1 for one that is unknown."""
        if not len(self.names):
            return np.full(len(keys), -1, np.int64)
        at = self._order[np.minimum(np.searchsorted(self.key[self._order], keys), len(self._order) - 1)]
        return np.where(self.key[at] == keys, at, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """One layout of a site.

    Attributes:
        name: what it is called in results.
        pages: pages that it was learnt from.
        main: letters of varied main text outside links, a page; the MainScore of its main section.
        teased: share of the letters that are in teasers.
        container: where the main text is.
        affix: what the ``<title>`` of its pages begins and ends with.
    """

    name: str
    pages: int
    main: float
    teased: float
    container: Container
    affix: tuple[str, str]

    @property
    def score(self) -> float:
        """LayoutPatternScore: how significant the layout is."""
        return log(self.pages) * self.main

    def is_article(self, thresholds: Thresholds) -> bool:
        """Whether its pages are articles."""
        return self.main >= thresholds.main and self.teased <= MOSTLY and self.score >= thresholds.score


@dataclass(frozen=True, eq=False)
class SiteModel:
    """The layouts of a site.

    Attributes:
        pages: number of pages that it was learnt from.
        tokens: the tokens of ids and classes that count, by key.
        paths: the known paths.
        features: what frames are made of, the rarest first: number of the path, token or none, pages that
        have it. frames: the frame that each layout began with, by the keys of the features.
        layouts: the layouts, in the order of the frames.
    """

    pages: int
    tokens: Mapping[int, str]
    paths: KnownPaths
    features: tuple[Feature, ...]
    frames: FrameIndex
    layouts: tuple[Layout, ...]

    def predict(self, page: Page, thresholds: Thresholds) -> Article:
        """Return what a page is and says."""
        one = sketch(outline(page), self._tokens, self.paths.telling)
        number, likeness = self.frames.nearest(one.frame_keys().tolist())
        if number < 0 or likeness < thresholds.match:
            return Article("unknown", named(one))
        layout, of = self.layouts[number], self.paths.find(one.path)
        reason = self.paths.reasons(thresholds.diff)
        reading = read_page(one, of, layout.container, reason, thresholds.main)
        title, teased = _title(one, reading, layout), share_of_teasers(one, reading)
        leads = reading.title < 0 and (teased > MOSTLY or _share_of_links(one, reading) > MOSTLY)
        if leads or not layout.is_article(thresholds):
            return Article("index", title, (), layout.name, round(likeness, 4))
        if thresholds.strict and not (
            reading.title >= 0 and of[reading.element] == layout.container.chain[-1]
        ):
            return Article("unknown", title)
        blocks = tuple(self._blocks(page, one, of, reading, thresholds.diff))
        return Article("article", title, blocks, layout.name, round(likeness * (1.0 - teased), 4))

    @cached_property
    def _tokens(self) -> Keys:
        return np.array(sorted(self.tokens), np.uint64)

    def _blocks(
        self, page: Page, one: Sketch, of: Ints, reading: Reading, least: float
    ) -> Iterator[ArticleBlock]:
        """Give the parts of an article: title, main text, comments, the rest."""
        blocks = one.blocks
        known = np.where(of >= 0, self.paths.diff[of], 1.0)
        score, node = known[blocks.holder].round(4), blocks.element[blocks.holder].tolist()
        used = np.zeros(len(blocks), bool)
        if reading.title >= 0:
            title = reading.title
            used[title] = True
            yield ArticleBlock("title", blocks.texts[title], node[title], float(score[title]))
        chosen = reading.main.tolist()
        used[chosen] = True
        yield from parts(
            page.dom, blocks, chosen, int(blocks.element[reading.element]), score[chosen].tolist()
        )
        for element in _comments(one, reading):
            inside = one.inside(element)
            told = [i for i in range(inside.start, inside.stop) if not used[i]]
            used[told] = True
            if told:
                text = "\n".join(blocks.texts[i] for i in told)
                yield ArticleBlock("comment", text, int(blocks.element[element]), float(score[told].mean()))
        rest = ~used & (score >= least) & ~_covered(one, reading.marks)
        for i in np.flatnonzero(rest).tolist():
            yield ArticleBlock("sub", blocks.texts[i], node[i], float(score[i]))


def _comments(one: Sketch, reading: Reading) -> list[int]:
    """Return the outermost records behind the beginning of the main text that are more than links."""
    found: list[int] = []
    blocks = one.blocks
    end = int(blocks.holder[reading.main[0]]) if len(reading.main) else 0
    for element in np.flatnonzero(reading.marks == RECORD).tolist():
        if element < end:
            continue
        inside = one.inside(element)
        written = blocks.weight_noanchor[inside].sum() > LINKED * blocks.weight[inside].sum()
        if written and not one.teaser[inside].any():
            found.append(element)
            end = int(one.end[element])
    return found


def _covered(one: Sketch, marks: Reasons) -> Mask:
    """(b,) True at blocks in the head, in records, among links, and where all pages say the same."""
    silent = np.flatnonzero((marks != KEPT) | (one.outline.tag == _HEAD))
    covered: Mask = one.below(silent)[one.blocks.holder]
    return covered


def share_of_teasers(one: Sketch, reading: Reading) -> float:
    """Return the share of the letters of a page, in its main text or in teasers, that are in teasers."""
    plain: NDArray[np.int32] = one.blocks.weight_noanchor
    teased = float(plain[one.teaser].sum())
    main = reading.main[~one.teaser[reading.main]]
    return teased / max(teased + float(plain[main].sum()), 1.0)


def _share_of_links(one: Sketch, reading: Reading) -> float:
    """Return the share of the letters of the main text that are in links; 1 where there is no text."""
    weight = float(one.blocks.weight[reading.main].sum())
    return 1.0 - float(one.blocks.weight_noanchor[reading.main].sum()) / weight if weight else 1.0


def named(one: Sketch) -> str:
    """Return the ``<title>`` of a page; empty for none."""
    found = np.flatnonzero(one.outline.tag[one.blocks.holder] == _TITLE)
    return one.blocks.texts[found[0]][:LONGEST_TITLE] if len(found) else ""


def _title(one: Sketch, reading: Reading, layout: Layout) -> str:
    """Title of a page: its block, else its ``<title>`` without the name of the site."""
    text = one.blocks.texts[reading.title] if reading.title >= 0 else trimmed(named(one), layout.affix)
    return text.rstrip(PERMALINKS)
