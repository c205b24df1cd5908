"""SiteLayouts: the layouts of a site by frames and containers; an improved `Webstemmer`, without labels.

Learning takes the paths of all pages of the site (`webgrain.layouts.sitepaths`), groups the pages by their
frames, and finds for each group the main container (`webgrain.layouts.containers`) and the place of the
title. A page is extracted with the layout whose frame is most similar. Differences from Webstemmer:

- Names of ids and classes are normalised and count only if several pages have them: with the numbered ids of
  many systems no two articles are similar.
- Pages are compared by their frames, the paths to elements that authors do not write. A long or unusual
  article
  stays in its layout.
- DiffScore counts repetitions over the whole site, exactly and without comparing texts. A series of nearly
  equal
  articles is still text.
- The main section is a container, and all of its content is main text except fields, records, links and
  static
  text: lists, code, tables and quotes stay, in order.
- Titles are found by links and by ``<title>``.
- Each page has a verdict: article, index (it leads to articles), or unknown (of no layout).

Frames. The similarity of two frames is the weight of the paths that both have, divided by the weight of those
that either has. The weight of a path that a share p of the pages has is p (1 - p) plus a little: a path of
all pages does not distinguish layouts, and a rare one is chance. Frames are taken by the number of pages that
have them, then by their paths, so the order of the input makes no difference; each joins the most similar
layout that began with a more frequent frame, or begins a layout. Two frames can only reach the threshold if
they share one of the rarest paths of either (prefix filtering: Bayardo, Ma, Srikant, WWW 2007); an index of
these paths finds the candidates.

Titles. Links to an article carry its title. So do most ``<title>`` elements, with the name of the site before
or after it: what half of the pages begin or end with is removed.

Cost: linear in the pages but for the comparison of frames that share a rare path; a page takes 1 to 3 ms.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.arrays import Bool, Float64, Int8, Int64, UInt64
from webgrain.content import PERMALINKS, comment_part, content
from webgrain.errors import InputError, ParameterError
from webgrain.estimator import Estimator, check_choice, check_number
from webgrain.layouts.containers import (
    LINKS,
    MAIN,
    RECORD,
    STATIC,
    Container,
    MainText,
    find_leading,
    find_main_text,
    learn_container,
)
from webgrain.layouts.sitepaths import (
    PagePaths,
    SitePaths,
    key_of,
    key_of_step,
    keys_of_paths,
    page_tokens,
    shared_tokens,
    site_paths,
    with_token,
)
from webgrain.layouts.thresholds import (
    AFFIX_SHARE,
    COMMON_WEIGHT,
    LINKED,
    MIN_SIMILARITY,
    MOST_ANCHORS,
    REPEATED_WEIGHT,
    TEASED,
    TITLE_LENGTH,
    TITLE_NOVELTY,
    TOKEN_PAGES,
    USUAL,
    VOTERS,
)
from webgrain.layouts.webstemmer import (
    Anchors,
    AnyPage,
    BlockSequence,
    OriginalWebstemmer,
    Webstemmer,
    read_pages,
    read_patterns,
    without_repetitions,
)
from webgrain.metrics import bag_f1, tokens
from webgrain.modelfile import DAMAGED, read_model, write_model
from webgrain.page.page import Page
from webgrain.page.parsing import as_page
from webgrain.parts import Part
from webgrain.results import Article

Frame = frozenset[int]
FORMAT, VERSION = "webgrain layouts", 1
_HEAD = key_of("head")
_SEPARATOR = re.compile(r"\s+[-–—|·•:»«/]+\s+|:\s+|\s*[|»«]\s*")
_CACHED = 4096  # frames whose nearest layout is kept


@dataclass(slots=True, eq=False)
class FrameIndex:
    """Frames that can be searched for the one most similar to another.

    Attributes:
        weight: of each path that counts, the rarest first; others are ignored.
        threshold: the least similarity that is searched for, above 0.
        frames: the frames, in the order in which they were added.

    >>> index = FrameIndex({1: 0.2, 2: 0.2, 3: 0.1}, 0.5)
    >>> index.add(frozenset([1, 2]))
    0
    >>> index.nearest(frozenset([1, 2, 3]))
    (0, 0.8)
    """

    weight: Mapping[int, float]
    threshold: float
    frames: list[Frame] = field(default_factory=list)
    _with: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _rank: dict[int, int] = field(default_factory=dict)
    _nearest: dict[Frame, tuple[int, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rank = {path: rank for rank, path in enumerate(self.weight)}

    def add(self, frame: Iterable[int]) -> int:
        """Add a frame; return its number."""
        known = self.known(frame)
        self.frames.append(known)
        self._nearest.clear()
        for path in self._rarest(known):
            self._with[path].append(len(self.frames) - 1)
        return len(self.frames) - 1

    def nearest(self, frame: Iterable[int]) -> tuple[int, float]:
        """Return number and similarity of the most similar frame, the first of equals; (-1, 0.0) for none."""
        known = self.known(frame)
        if known not in self._nearest:  # many pages of a site have the same frame
            if len(self._nearest) >= _CACHED:
                self._nearest.clear()
            best, most = -1, 0.0
            for number in sorted({n for path in self._rarest(known) for n in self._with.get(path, ())}):
                similarity = self.similarity(known, self.frames[number])
                if similarity >= self.threshold and similarity > most:
                    best, most = number, similarity
            self._nearest[known] = best, most
        return self._nearest[known]

    def similarity(self, a: Frame, b: Frame) -> float:
        """Return the similarity of two frames, 0..1; two without a path that counts are equal."""
        common = sum(self.weight[path] for path in sorted(a & b))
        return common / either if (either := sum(self.weight[path] for path in sorted(a | b))) else 1.0

    def known(self, frame: Iterable[int]) -> Frame:
        """Return the paths of a frame that have a weight."""
        return frozenset(path for path in frame if path in self.weight)

    def _rarest(self, frame: Frame) -> list[int]:
        """Return paths of which any frame that reaches the threshold has at least one."""
        order = sorted(frame, key=self._rank.__getitem__)
        rest = sum(self.weight[path] for path in order) * (1.0 - self.threshold) + 1e-9
        for count, path in enumerate(order):
            rest -= self.weight[path]
            if rest < 0:
                return order[: count + 1]
        return order


def path_weight(share: float, light: bool = False) -> float:
    """Return the weight of a path that this share of the pages has; light: it counts less."""
    return (share * (1.0 - share) + COMMON_WEIGHT) * (REPEATED_WEIGHT if light else 1.0)


def path_weights(frames: Sequence[Frame], light: Collection[int] = ()) -> dict[int, float]:
    """Return the weight of each path that at least two of the frames have, the rarest first.

    light: the paths that count less.

    >>> path_weights([frozenset([1, 2]), frozenset([1, 2]), frozenset([1]), frozenset([1, 3])])
    {2: 0.27, 1: 0.02}
    """
    pages = Counter(path for frame in frames for path in frame)
    order = sorted((count, path) for path, count in pages.items() if count > 1)
    return {path: path_weight(count / len(frames), path in light) for count, path in order}


def group_frames(
    frames: Sequence[Frame], threshold: float, light: Collection[int] = ()
) -> tuple[list[int], FrameIndex]:
    """Return the layout of each frame, and the frames that the layouts began with.

    Layouts are numbered by the number of pages with the frame that they began with.

    >>> a, b, c = frozenset([1, 2, 3]), frozenset([1, 2]), frozenset([1, 4])
    >>> group_frames([c, a, b, a, c, a], 0.4)[0]
    [1, 0, 0, 0, 1, 0]
    """
    index = FrameIndex(path_weights(frames, light), threshold)
    count = Counter(index.known(frame) for frame in frames)
    layout: dict[Frame, int] = {}
    for frame in sorted(count, key=lambda frame: (-count[frame], sorted(frame))):
        nearest, _ = index.nearest(frame)
        layout[frame] = nearest if nearest >= 0 else index.add(frame)
    return [layout[index.known(frame)] for frame in frames], index


def affixes(titles: Sequence[str]) -> tuple[str, str]:
    """Return the longest text that many of the titles begin with, and the longest that many end with.

    >>> affixes(["One | The Times", "Two - three | The Times", "Four | The Times"])
    ('', ' | The Times')
    """
    heads: Counter[str] = Counter()
    tails: Counter[str] = Counter()
    for title in titles:
        separators = list(_SEPARATOR.finditer(title))
        heads.update({title[: separator.end()] for separator in separators})
        tails.update({title[separator.start() :] for separator in separators})
    many = [
        [text for text, n in counts.items() if n > 1 and n >= AFFIX_SHARE * len(titles)]
        for counts in (heads, tails)
    ]
    head, tail = (max(found, key=lambda text: (len(text), text), default="") for found in many)
    return head, tail


def without_affixes(title: str, affix: tuple[str, str]) -> str:
    """Return a title without the name of the site, unless nothing would be left.

    >>> affix = "", " | The Times"
    >>> without_affixes("One | The Times", affix), without_affixes("The Times", affix)
    ('One', 'The Times')
    """
    return title.removeprefix(affix[0]).removesuffix(affix[1]).strip() or title


@dataclass(frozen=True, eq=False)
class KnownPaths:
    """The paths of a site, each before those that continue it.

    Attributes:
        names: (q,) the name of the last step of each; up: (q,) the path one step shorter, -1 at a root.
        page_count: (q,) pages that have it.
        linked: (q,) True if it consists of links.
        diff: (q,) its DiffScore.
        tokens: the tokens of ids and classes that count, by key.
    """

    names: tuple[str, ...]
    up: Int64
    page_count: Int64
    linked: Bool
    diff: Float64
    tokens: Mapping[int, str]

    @cached_property
    def key(self) -> UInt64:
        """(q,) uint64, the key of each path."""
        return keys_of_paths(self.up, np.array([key_of_step(name) for name in self.names], np.uint64))

    @cached_property
    def token_keys(self) -> UInt64:
        """The keys of the tokens that count, sorted."""
        return np.array(sorted(self.tokens), np.uint64)

    @cached_property
    def contexts(self) -> UInt64:
        """The contexts in which tokens are part of these paths, sorted."""
        steps = [name.split(" ") for name in self.names]
        tags = np.array([key_of(tag) for tag, *_ in steps], np.uint64)
        owner = np.array([path for path, step in enumerate(steps) for _ in step[1:]], np.int64)
        token = np.array([key_of(token) for step in steps for token in step[1:]], np.uint64)
        return np.unique(with_token(keys_of_paths(self.up, tags)[owner], token))

    @cached_property
    def _order(self) -> Int64:
        return np.argsort(self.key)

    def find(self, keys: UInt64) -> Int64:
        """Return the number of the path of each key, -1 for unknown ones."""
        if not len(self.names):
            return np.full(len(keys), -1, np.int64)
        at = self._order[np.minimum(np.searchsorted(self.key[self._order], keys), len(self._order) - 1)]
        return np.where(self.key[at] == keys, at, -1)

    def to_rows(self) -> list[list[Any]]:
        """Return the paths as plain values; see `from_rows`."""
        reasons = ["links" if linked else "" for linked in self.linked.tolist()]
        columns = (self.up.tolist(), self.names, self.page_count.tolist(), reasons, self.diff.tolist())
        return [list(row) for row in zip(*columns, strict=True)]

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[Any]], tokens: Iterable[str]) -> Self:
        """Return the paths of `to_rows`; `ValueError` if a path continues one that comes later."""
        up, names, pages, reasons, diff = zip(*rows, strict=True) if rows else ((),) * 5
        if not all(isinstance(above, int) and -1 <= above < path for path, above in enumerate(up)):
            raise ValueError("a path continues one that comes later")
        linked = np.array([("", "links").index(reason) for reason in reasons], bool)
        return cls(
            tuple(map(str, names)),
            np.array(up, np.int64),
            np.array(pages, np.int64),
            linked,
            np.array(diff, np.float64),
            {key_of(name): name for name in map(str, tokens)},
        )


def text_reasons(linked: Bool, diff: Float64, diff_threshold: float) -> Int8:
    """Return why text with this DiffScore, in links or not, is not main text, or `MAIN`."""
    return np.where(diff < diff_threshold, STATIC, np.where(linked, LINKS, MAIN)).astype(np.int8)


class FrameFeature(NamedTuple):
    """A path of frames: its number, a token or none, the pages that have it, whether it counts less."""

    path: int
    token: str
    pages: int
    light: bool


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """One layout of a site.

    Attributes:
        name: its name in results.
        pages: number of pages that it was learnt from.
        main: varying characters of main text outside links per page; the MainScore of its main section.
        teased: share of the characters in teasers.
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
        """LayoutPatternScore: the significance of the layout."""
        return log(self.pages) * self.main


@dataclass(kw_only=True, eq=False, repr=False)
class SiteLayouts(Estimator):
    """The layouts of a site, and the articles on its pages.

    Attributes:
        cluster_threshold: least similarity of the frames of a layout, 0..1.
        title_threshold: least mean similarity of titles to links and ``<title>``, 0..1.
        pattern_threshold: least LayoutPatternScore of a layout of articles.
        match_threshold: least similarity of a page to its layout, 0..1.
        diff_threshold: least DiffScore of text that is not static, 0..1.
        main_threshold: least characters per page of main text, and of a section of it.
        strict: reject a page without the main container or the title of its layout.
        layouts_: the layouts.
        n_pages_: number of pages they were learnt from.
        paths_: the paths of the site.
        features_: the paths of frames.
        frames_: the frame of each layout.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = "<title>{0} | Site</title><ul class=nav><li>Home</ul><div id=post><h1>{0}</h1><p>{1}</div>"
    >>> texts = {"One": "The first text. " * 9, "Two": "Another one. " * 9, "Three": "And a third. " * 9}
    >>> pages = [parse(Source(name, html.format(name, text).encode())) for name, text in texts.items()]
    >>> article = SiteLayouts().fit(pages).predict(pages[2])
    >>> article.verdict, article.title, article.text[:12]
    ('article', 'Three', 'And a third.')
    """

    cluster_threshold: float = 0.6
    title_threshold: float = 0.6
    pattern_threshold: float = 0.0
    match_threshold: float = 0.4
    diff_threshold: float = 0.5
    main_threshold: float = 50.0
    strict: bool = False
    layouts_: tuple[Layout, ...] | None = field(default=None, init=False, repr=False)
    n_pages_: int = field(default=0, init=False, repr=False)
    paths_: KnownPaths = field(init=False, repr=False)
    features_: tuple[FrameFeature, ...] = field(default=(), init=False, repr=False)
    frames_: FrameIndex = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_choice(self, "strict", (True, False))
        for name in ("cluster_threshold", "title_threshold", "match_threshold", "diff_threshold"):
            check_number(self, name, 0.0, 1.0)
        check_number(self, "main_threshold", low=0.0)
        check_number(self, "pattern_threshold", low=0.0)

    def fit(self, pages: Iterable[AnyPage], anchors: Anchors | None = None) -> Self:
        """Learn the layouts of a site; the order of its pages makes no difference.

        anchors: the texts of the links to each page, by its id; default: those of the links on the pages.
        """
        found, anchors = read_pages(pages, page_tokens, anchors)
        self.n_pages_, self.layouts_, self.features_ = len(found), (), ()
        self.paths_, self.frames_ = KnownPaths.from_rows([], ()), FrameIndex({}, MIN_SIMILARITY)
        if not found:
            return self
        found.sort(key=lambda page: page.page)
        tokens = shared_tokens(found)
        site = site_paths(found, tokens)
        learner = _Learner(self, site, [_most_frequent(anchors.get(page.page, {})) for page in found])
        frames = [_frame(page) for page in site.pages]
        light = _light(frames)
        groups, index = group_frames([frozenset(frame) for frame in frames], self.cluster_threshold, light)
        members = [np.flatnonzero(np.array(groups) == number).tolist() for number in range(len(index.frames))]
        kept = [number for number, own in enumerate(members) if len(own) >= TOKEN_PAGES]
        self.frames_ = FrameIndex(index.weight, MIN_SIMILARITY)
        for number in kept:
            self.frames_.add(index.frames[number])
        self.layouts_ = tuple(learner.layout(members[n], str(rank + 1)) for rank, n in enumerate(kept))
        self.paths_ = learner.known_paths(tokens)
        number_of = {key: number for number, key in enumerate(self.paths_.key.tolist())}
        pages_of = Counter(key for frame in frames for key in frame)
        part_of = {key: part for frame in frames for key, part in frame.items()}
        self.features_ = tuple(
            FrameFeature(
                number_of[part_of[key][0]], tokens.get(part_of[key][1], ""), pages_of[key], key in light
            )
            for key in index.weight
        )
        return self

    def predict(self, page: AnyPage) -> Article:
        """Return verdict, title, main text, comments and other varying text of a page.

        `ParameterError` before `fit`.
        """
        layouts = self._fitted_layouts()
        page = page if isinstance(page, Page) else as_page(page)
        found = PagePaths(page_tokens(page), self.paths_.token_keys, self.paths_.contexts)
        number, similarity = self.frames_.nearest(found.frame_features()[2].tolist())
        if number < 0 or similarity < self.match_threshold:
            return Article("unknown", found.tokens.title)
        layout, of = layouts[number], self.paths_.find(found.path)
        reasons = text_reasons(self.paths_.linked, self.paths_.diff, self.diff_threshold)
        text = find_main_text(found, of, layout.container, reasons, self.main_threshold)
        title = found.blocks.texts[text.title] if text.title >= 0 else ""
        title = (title or without_affixes(found.tokens.title, layout.affix)).rstrip(PERMALINKS)
        teased = _share_of_teasers(found, text)
        leads = text.title < 0 and (teased > TEASED or _share_of_links(found, text) > TEASED)
        if leads or not self.is_article(layout):
            return Article("index", title, (), layout.name, round(similarity, 4))
        complete = text.title >= 0 and of[text.element] == layout.container.chain[-1]
        if self.strict and not complete:
            return Article("unknown", title)
        diff = np.where(of >= 0, self.paths_.diff[of], 1.0)
        blocks = _article_blocks(page, found, text, diff, self.diff_threshold)
        return Article("article", title, blocks, layout.name, round(similarity * (1.0 - teased), 4))

    def is_article(self, layout: Layout) -> bool:
        """Return whether the pages of a layout are articles."""
        enough = layout.main >= self.main_threshold and layout.score >= self.pattern_threshold
        return enough and layout.teased <= TEASED

    def patterns(
        self, pages: Iterable[AnyPage], anchors: Anchors | None = None, mangle: str | None = None
    ) -> OriginalWebstemmer:
        """Return the layouts as the program of 2007 represents them: sections that most of their pages have.

        pages, anchors: as in `fit`; mangle: as in `Webstemmer`.
        """
        stemmer = OriginalWebstemmer(
            cluster_threshold=self.cluster_threshold,
            title_threshold=self.title_threshold,
            pattern_threshold=self.pattern_threshold,
            mangle=mangle,
        )
        found, anchors = read_pages(
            pages, lambda page: (self.predict(page).layout, stemmer.sequence(page)), anchors
        )
        groups: dict[str, list[BlockSequence]] = {}
        for name, sequence in sorted(found, key=lambda pair: pair[1].page):
            groups.setdefault(name, []).append(sequence)
        groups.pop("", None)
        return stemmer.fit_groups(list(groups.values()), anchors, _usual_features)

    def _fitted_layouts(self) -> tuple[Layout, ...]:
        if self.layouts_ is None:
            raise ParameterError("SiteLayouts is not fitted: call fit, or load a model.")
        return self.layouts_

    def _state(self) -> dict[str, Any]:
        fitted = self._fitted_layouts()
        number = {key: i for i, key in enumerate(self.frames_.weight)}
        layouts = []
        for layout, frame in zip(fitted, self.frames_.frames, strict=True):
            container = layout.container
            layouts.append(
                {
                    "name": layout.name,
                    "pages": layout.pages,
                    "main": layout.main,
                    "teased": layout.teased,
                    "affix": list(layout.affix),
                    "container": list(container.chain),
                    "title": container.title,
                    "fields": sorted([path, letters] for path, letters in container.fields.items()),
                    "places": list(container.leading),
                    "records": sorted(container.records),
                    "frame": sorted(number[key] for key in frame),
                }
            )
        return {
            "pages": self.n_pages_,
            "layouts": layouts,
            "tokens": sorted(self.paths_.tokens.values()),
            "features": [list(feature) for feature in self.features_],
            "paths": self.paths_.to_rows(),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        total, paths = int(state["pages"]), KnownPaths.from_rows(state["paths"], state["tokens"])
        size = len(paths.names)
        features = tuple(
            FrameFeature(_number(path, size), str(token), int(n), bool(light))
            for path, token, n, light in state["features"]
        )
        token = np.array([key_of(feature.token) if feature.token else 0 for feature in features], np.uint64)
        on = np.array([feature.path for feature in features], np.int64)
        keys = with_token(paths.key[on], token).tolist()
        weight = {
            key: path_weight(feature.pages / total, feature.light)
            for key, feature in zip(keys, features, strict=True)
        }
        frames = FrameIndex(weight, MIN_SIMILARITY)
        for layout in state["layouts"]:
            frames.add(keys[_number(part, len(keys))] for part in layout["frame"])
        layouts = tuple(_layout(layout, size) for layout in state["layouts"])
        self.n_pages_, self.paths_, self.features_ = total, paths, features
        self.frames_, self.layouts_ = frames, layouts


class _Learner:
    """Learns the layouts of one site; anchors: the texts of the links to each page."""

    def __init__(self, method: SiteLayouts, site: SitePaths, anchors: Sequence[Sequence[str]]) -> None:
        self.method, self.site, self.anchors = method, site, anchors
        self.linked = ~site.bare & (site.weight > 0) & (site.plain < LINKED * site.weight)
        self.diff, several = site.diff.round(4), site.page_count >= TOKEN_PAGES
        self.reasons = text_reasons(self.linked, self.diff, method.diff_threshold)
        self.known = np.flatnonzero(several)
        self.rank = np.append(np.where(several, np.cumsum(several) - 1, -1), -1)  # of each path in `known`

    def known_paths(self, tokens: Mapping[int, str]) -> KnownPaths:
        """Return the paths that several pages have."""
        site, known = self.site, self.known
        names = tuple(site.names[path] for path in known.tolist())
        up, counts = self.rank[site.up[known]], site.page_count[known]
        return KnownPaths(names, up, counts, self.linked[known], self.diff[known], tokens)

    def layout(self, members: list[int], name: str) -> Layout:
        """Learn one layout from its pages."""
        site, n = self.site, len(members)
        affix = affixes([site.pages[page].tokens.title for page in members])
        container = replace(learn_container(site, members), title=self._title(members, affix))
        container = replace(container, leading=find_leading(self._texts(members, container)))
        main = teased = 0.0
        for number, (page, text) in zip(members, self._texts(members, container), strict=True):
            own = text.blocks[~page.teaser[text.blocks]]
            main += float((site.novelty[number] * page.blocks.weight_noanchor)[own].sum())
            teased += _share_of_teasers(page, text)
        return Layout(name, n, round(main / n, 1), round(teased / n, 4), self._renumbered(container), affix)

    def _texts(self, members: list[int], container: Container) -> list[tuple[PagePaths, MainText]]:
        site, shortest = self.site, self.method.main_threshold
        found = ((site.pages[number], site.of[number]) for number in members)
        return [(page, find_main_text(page, of, container, self.reasons, shortest)) for page, of in found]

    def _title(self, members: list[int], affix: tuple[str, str]) -> int:
        """Return the path whose first blocks fit best as titles, in the mean over the pages; -1 for none."""
        voters = members[:: 1 + len(members) // VOTERS]
        votes: Counter[int] = Counter()
        for page in voters:
            votes.update(self._votes(page, affix))
        heading = {path: self.site.names[path][:1] == "h" for path in votes}
        best = max(votes, key=lambda path: (round(votes[path], 6), heading[path], -path), default=-1)
        return best if best >= 0 and votes[best] >= self.method.title_threshold * len(voters) else -1

    def _votes(self, number: int, affix: tuple[str, str]) -> dict[int, float]:
        """Return how similar the first block on each path is to the links to the page or its title."""
        page, of, novelty = self.site.pages[number], self.site.of[number], self.site.novelty[number]
        names = [without_affixes(page.tokens.title, affix), *self.anchors[number]]
        bags, found = [Counter(tokens(name)) for name in names if name], dict[int, float]()
        for block in np.flatnonzero((novelty > TITLE_NOVELTY) & (page.blocks.weight < TITLE_LENGTH)).tolist():
            path = int(of[page.blocks.holder[block]])
            if path not in found and not self.site.head[path]:
                own = Counter(tokens(page.blocks.texts[block]))
                found[path] = max((bag_f1(own, bag).f1 for bag in bags), default=0.0)
        return found

    def _renumbered(self, container: Container) -> Container:
        """Return a container with the numbers that its paths have in `known_paths`."""
        rank = self.rank.tolist()
        return Container(
            tuple(rank[path] for path in container.chain if rank[path] >= 0),
            {rank[path]: mean for path, mean in container.fields.items() if rank[path] >= 0},
            container.leading,
            rank[container.title],
            frozenset(rank[path] for path in container.records if rank[path] >= 0),
        )


def _frame(page: PagePaths) -> dict[int, tuple[int, int, bool]]:
    """Return path, token and whether they are in a repeated part, of each feature of the frame of a page."""
    element, token, key = page.frame_features()
    repeats = page.repeats()[element].tolist()
    rows = zip(page.path[element].tolist(), token.tolist(), repeats, strict=True)
    return dict(zip(key.tolist(), rows, strict=True))


def _light(frames: Sequence[Mapping[int, tuple[int, int, bool]]]) -> set[int]:
    """Return the features that count less: mostly in repeated parts, or with a token outside paths."""
    repeats: Counter[int] = Counter()
    for frame in frames:
        for key, (_, token, repeated) in frame.items():
            repeats[key] += 1 if repeated or token else -1
    return {key for key, count in repeats.items() if count > 0}


def _most_frequent(anchors: Mapping[str, int]) -> list[str]:
    return sorted(anchors, key=lambda text: (-anchors[text], text))[:MOST_ANCHORS]


def _usual_features(pages: Sequence[BlockSequence]) -> list[str]:
    """Return the features that most pages have, in the order of the page that has most of them."""
    count = Counter(feature for page in pages for feature in set(page.features))
    usual = {feature for feature, times in count.items() if times >= USUAL * len(pages)}
    longest = max(pages, key=lambda page: (len(usual & set(page.features)), page.page))
    return [feature for feature in without_repetitions(longest.features) if feature in usual]


def _article_blocks(
    page: Page, paths: PagePaths, text: MainText, diff: Float64, diff_threshold: float
) -> tuple[Part, ...]:
    """Return the parts of an article: title, main text, comments, the rest; diff: (e,) DiffScores."""
    blocks, used = paths.blocks, np.zeros(len(paths.teaser), bool)
    score, node = diff[blocks.holder].round(4), blocks.element[blocks.holder].tolist()

    def part(kind: str, k: int) -> Part:
        return Part(kind, node[k], (blocks.texts[k],), score=float(score[k]))

    title = [part("title", text.title)] if text.title >= 0 else []
    used[text.title if title else slice(0)] = True
    chosen = text.blocks.tolist()
    used[chosen] = True
    main, others = content(page, blocks, chosen, score[chosen]), list[Part]()
    for element in _comments(paths, text):
        inside = paths.inside(element)
        own = [i for i in range(inside.start, inside.stop) if not used[i]]
        used[own] = True
        if own:
            others.append(comment_part(page, blocks, own, int(blocks.element[element]), score[own]))
    hidden = np.flatnonzero((text.marks != MAIN) | (paths.tokens.tag == _HEAD))
    rest = ~used & (score >= diff_threshold) & ~paths.below(hidden)[blocks.holder]
    return (*title, *main, *others, *(part("sub", k) for k in np.flatnonzero(rest).tolist()))


def _comments(page: PagePaths, text: MainText) -> list[int]:
    """Return the outermost records after the beginning of the main text that do not consist of links."""
    found: list[int] = []
    blocks = page.blocks
    end = int(blocks.holder[text.blocks[0]]) if len(text.blocks) else 0
    for element in np.flatnonzero(text.marks == RECORD).tolist():
        inside = page.inside(element)
        written = blocks.weight_noanchor[inside].sum() > LINKED * blocks.weight[inside].sum()
        if element >= end and written and not page.teaser[inside].any():
            found.append(element)
            end = int(page.tokens.end[element])
    return found


def _share_of_teasers(page: PagePaths, text: MainText) -> float:
    """Return the share of the characters of a page, in its main text or in teasers, that are in teasers."""
    plain = page.blocks.weight_noanchor
    teased = float(plain[page.teaser].sum())
    main = text.blocks[~page.teaser[text.blocks]]
    return teased / max(teased + float(plain[main].sum()), 1.0)


def _share_of_links(page: PagePaths, text: MainText) -> float:
    """Return the share of the characters of the main text that are in links; 1 if there is no text."""
    weight = float(page.blocks.weight[text.blocks].sum())
    return 1.0 - float(page.blocks.weight_noanchor[text.blocks].sum()) / weight if weight else 1.0


def _layout(state: Mapping[str, Any], paths: int) -> Layout:
    container = Container(
        tuple(_number(path, paths) for path in state["container"]),
        {_number(path, paths): float(letters) for path, letters in state["fields"]},
        tuple(map(float, state["places"])),
        -1 if state["title"] == -1 else _number(state["title"], paths),
        frozenset(_number(path, paths) for path in state["records"]),
    )
    if not container.chain:
        raise ValueError("a layout has no container")
    head, tail = map(str, state["affix"])
    main, teased = float(state["main"]), float(state["teased"])
    return Layout(str(state["name"]), max(1, int(state["pages"])), main, teased, container, (head, tail))


def _number(number: object, size: int) -> int:
    """Return a number below ``size``; `ValueError` for any other."""
    if not isinstance(number, int) or not 0 <= number < size:
        raise ValueError(f"there is no number {number!r}")
    return number


METHODS: dict[str, type[SiteLayouts | Webstemmer]] = {
    "default": SiteLayouts,
    "documented": Webstemmer,
    "original": OriginalWebstemmer,
}
"""Methods of learning layouts by the name of the preset, in files and on the command line."""


def layouts_to_dict(method: SiteLayouts | Webstemmer) -> dict[str, Any]:
    """Return parameters and layouts as plain values, see `layouts_from_dict`."""
    preset = next(name for name, kind in METHODS.items() if type(method) is kind)
    return {"params": {"preset": preset, **method.get_params()}, **method._state()}


def layouts_from_dict(values: Mapping[str, Any], **params: Any) -> SiteLayouts | Webstemmer:
    """Return the fitted method of `layouts_to_dict`; params: parameters to replace.

    Raises one of `webgrain.modelfile.DAMAGED` if the values are not those of a method.
    """
    given = {name: value for name, value in (values["params"] | params).items() if value is not None}
    kind = METHODS[given.pop("preset")]
    if kind is SiteLayouts:
        given.pop("mangle", None)  # in older files
    method = kind(**given)
    method._restore(values)
    return method


def write_layouts(path: Path, method: SiteLayouts | Webstemmer) -> None:
    """Write a fitted method to a file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_layouts(Path(folder) / "model.json", SiteLayouts().fit([]))
    ...     read_layouts(Path(folder) / "model.json").n_pages_
    0
    """
    write_model(path, FORMAT, VERSION, layouts_to_dict(method))


def read_layouts(path: Path, **params: Any) -> SiteLayouts | Webstemmer:
    """Return the fitted method in a file of `write_layouts` or in a pattern file; params: to replace.

    `InputError` if the file cannot be read, is damaged, or has another format or version.
    """
    try:
        with path.open("rb") as file:
            is_model = file.read(64).lstrip()[:1] in (b"{", b"P", b"")
    except OSError:
        is_model = True  # the reader of models reports the error
    if not is_model:
        patterns = read_patterns(path)
        method = OriginalWebstemmer(**(patterns.get_params() | params))
        method.patterns_, method.n_pages_ = patterns.patterns_, patterns.n_pages_
        return method
    values = read_model(path, FORMAT, VERSION)[0]
    try:
        return layouts_from_dict(values, **params)
    except DAMAGED as error:
        raise InputError(f"{path} holds a damaged {FORMAT}: {error}.") from error
