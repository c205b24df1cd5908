"""Webstemmer: learn the layouts of a site from its pages, without labels, and extract title and main text.

Source: Yusuke Shinyama, "Webstemmer - How it works", 2007, steps 1 to 5 and "Extracting texts". Pages are cut
into layout blocks (1), compared by their common sequences of blocks (2) and grouped into layouts (3); in each
layout sections whose text does not vary are put aside (4), and title and main text are found (5). A page is
then read by the layout that it fits best.

====================  ==========================================================  ==========================
description           here                                                        shape, unit
====================  ==========================================================  ==========================
layout block e        `page.blocks.LayoutBlocks`                                  b a page
Weight(e)             ``weight``: letters; ``weight_noanchor``: outside links     letters
Sim(A, B)             ``Variant.similarity``; default: `layouts.FrameIndex`       0..1
threshold of step 3   ``cluster_threshold``                                       0..1
DiffScore(E)          `analysis.diff_score`; default: `survey.Paths.diff`         0..1
MainScore(E)          ``Section.main``; default: ``Layout.main``                  letters a page
LayoutPatternScore    ``Pattern.score``, ``Layout.score``                         ln(pages) * letters a page
threshold of title    ``title_threshold``                                         0..1
====================  ==========================================================  ==========================

There are three presets. ``documented`` is the description, ``original`` what the program of its author
(0.7.1) does; both learn patterns, which `patternfile` writes in the program's format. The ``default`` learns
containers:

- Names of ids and classes are levelled, and count only where they stand on several pages (`steps`): with the
  numbered ids of many systems no two articles are alike.
- Pages are compared by their frames, the paths to what no author writes, not by text and lists (`layouts`);
  an article that is long or unlike others stays in its layout. Only frames that can be similar are compared.
- DiffScore counts repetitions over the whole site (`survey`): exact, without comparing texts, and a series of
  nearly the same articles is still text.
- The main section is a container, and all in it is main text but for what is plainly none (`containers`);
  lists, code, tables and quotes stay, in order (`content`). Repeated records, as comments, are told apart.
- Titles are found by links and by ``<title>`` (`titles`). There is a verdict: article, index or unknown.

Departures of the two other presets: at most `analysis.MAX_PAIRS` pairs are compared for a DiffScore, and
``original`` takes the pages in the order of their names, where the program has that of a hash. Text in
``<noscript>`` is none. In ``documented`` both blocks of a common pair count in Sim, see
`analysis.Documented`. Unclear: the linkage of the "hierarchical" clustering. Here it is complete: all pages
of a layout are similar. Unclear: the similarity of title and main text of the fallback. Here it is the share
of the title's words that stand in the main text in the same order: the letters of a title nearly always do.

Cost: linear in the pages but for the comparison of frames that share a rare path; a page takes 1 to 3 ms.
``documented`` and ``original`` compare pairs of pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

from webgrain.errors import ParameterError
from webgrain.estimator import Estimator, check_choice, check_number
from webgrain.page.links import AnchorTexts
from webgrain.template.analysis import learn_patterns
from webgrain.template.containers import Thresholds
from webgrain.template.learner import learn_site
from webgrain.template.pageoutline import outline
from webgrain.template.patterns import RULES, PatternSet, Sequenced, check_mangle, sequence
from webgrain.template.variants import Documented, Original

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from webgrain.page.page import Page
    from webgrain.results import Article
    from webgrain.template.sitemodel import SiteModel
    from webgrain.template.variants import Variant

    Anchors = Mapping[str, Mapping[str, int]]

T = TypeVar("T")

PRESETS = ("default", "documented", "original")
_CLUSTER = {"default": 0.6, "documented": 0.97, "original": 0.97}
_SCORE = {"default": 0.0, "documented": 100.0, "original": 100.0}
_MATCH = {"default": 0.4, "documented": 0.8, "original": 0.8}
_VARIANTS: dict[str, Variant] = {"documented": Documented(), "original": Original()}


@dataclass(kw_only=True, eq=False)
class Webstemmer(Estimator):
    """Layouts of a site, and the articles on its pages.

    Attributes:
        preset: ``default``, ``documented`` or ``original``, see above.
        cluster_threshold: least similarity of pages of one layout, 0..1; None: 0.97, by frames 0.6.
        title_threshold: least likeness of a title to links, 0..1.
        pattern_threshold: least LayoutPatternScore of a layout of articles; None: 100, by containers 0.
        match_threshold: least similarity of a page to its layout, 0..1; None: 0.8 of its letters, by frames
        0.4. diff_threshold: least DiffScore of what is not the same on all pages, 0..1.
        main_threshold: least MainScore of main text, letters a page.
        strict: reject a page that lacks a section of its layout; in the default, main container or title.
        mangle: of the values of attributes keep what this regular expression finds (not in the default).
        model: what was learnt; None before `fit`.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> html = "<title>{0} | Site</title><ul class=nav><li>Home</ul><div id=post><h1>{0}</h1><p>{1}</div>"
    >>> said = {"One": "The first text. " * 9, "Two": "Another one. " * 9, "Three": "And a third. " * 9}
    >>> pages = [parse(Source(name, html.format(name, text).encode())) for name, text in said.items()]
    >>> article = Webstemmer().fit(pages).predict(pages[2])
    >>> article.verdict, article.title, article.text[:12]
    ('article', 'Three', 'And a third.')
    """

    preset: Literal["default", "documented", "original"] = "default"
    cluster_threshold: float | None = None
    title_threshold: float = 0.6
    pattern_threshold: float | None = None
    match_threshold: float | None = None
    diff_threshold: float = 0.5
    main_threshold: float = 50.0
    strict: bool = False
    mangle: str | None = None
    model: SiteModel | PatternSet | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_choice(self, "preset", PRESETS)
        check_choice(self, "strict", (True, False))
        for name in ("cluster_threshold", "title_threshold", "match_threshold", "diff_threshold"):
            if getattr(self, name) is not None:
                check_number(self, name, 0.0, 1.0)
        check_number(self, "main_threshold", low=0.0)
        if self.pattern_threshold is not None:
            check_number(self, "pattern_threshold", low=0.0)
        if self.mangle is not None:
            check_mangle(self.mangle)

    def fit(self, pages: Iterable[Page], anchors: Anchors | None = None) -> Webstemmer:
        """Learn the layouts of a site; the order of its pages makes no difference.

        anchors: the texts of links to a page by its id; by default those on the pages themselves.
        """
        cluster = self.lowest_similarity
        if self.preset == "default":
            outlines, anchors = _pass(pages, outline, anchors)
            self.model = learn_site(outlines, anchors, cluster, self.title_threshold, self.thresholds)
            return self
        variant = _VARIANTS[self.preset]
        found, anchors = _pass(pages, self._sequence, anchors)
        found = sorted(found, key=lambda one: one.page)
        groups = [[found[i] for i in group] for group in variant.clusters(found, cluster)]
        self.model = self._patterns(groups, variant, anchors, cluster)
        return self

    def predict(self, page: Page) -> Article:
        """Return what a page is, its title, its main text and the rest; `ParameterError` before `fit`."""
        if self.model is None:
            raise ParameterError("Webstemmer has learnt nothing yet: call fit, or read a model.")
        return self.model.predict(page, self.thresholds)

    @property
    def lowest_similarity(self) -> float:
        """The cluster threshold, that of the preset where none was given."""
        return _CLUSTER[self.preset] if self.cluster_threshold is None else self.cluster_threshold

    @property
    def thresholds(self) -> Thresholds:
        """What pages are read by; to change it needs no learning."""
        match = _MATCH[self.preset] if self.match_threshold is None else self.match_threshold
        score = _SCORE[self.preset] if self.pattern_threshold is None else self.pattern_threshold
        return Thresholds(match, self.diff_threshold, self.main_threshold, score, self.strict)

    def patterns(self, pages: Iterable[Page], anchors: Anchors | None = None) -> PatternSet:
        """Return the layouts as patterns, as the program of 2007 understands them.

        pages, anchors: as in `fit`. The default learns containers; here its layouts are written as patterns
        of the sections that most of their pages have.
        """
        if isinstance(self.model, PatternSet):
            return self.model
        told, anchors = _pass(pages, lambda page: (self.predict(page).layout, self._sequence(page)), anchors)
        groups: dict[str, list[Sequenced]] = {}
        for name, found in sorted(told, key=lambda pair: pair[1].page):
            groups.setdefault(name, []).append(found)
        groups.pop("", None)
        return self._patterns(
            list(groups.values()), _VARIANTS["original"], anchors, self.lowest_similarity, loose=True
        )

    def _patterns(
        self,
        groups: Sequence[Sequence[Sequenced]],
        variant: Variant,
        anchors: Anchors,
        cluster: float,
        loose: bool = False,
    ) -> PatternSet:
        found = learn_patterns(groups, variant, anchors, self.title_threshold, loose)
        kept = tuple(pattern for pattern in found if pattern.score >= self.thresholds.score)
        pages = sum(map(len, groups))
        rules = RULES.get(self.preset, RULES["original"])
        return PatternSet(kept, rules, self.mangle, cluster, self.title_threshold, pages)

    def _sequence(self, page: Page) -> Sequenced:
        return sequence(page, RULES.get(self.preset, RULES["original"]), self.mangle)


def _pass(
    pages: Iterable[Page], take: Callable[[Page], T], anchors: Anchors | None
) -> tuple[list[T], Anchors]:
    """Go through the pages once; return what was taken of each, and the texts of links if none are given."""
    collected, taken = AnchorTexts(), []
    for page in pages:
        taken.append(take(page))
        if anchors is None:
            collected.add(page)
    return taken, collected.texts() if anchors is None else anchors
