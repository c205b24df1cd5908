"""SinglePage: title, main text and comments of a page, by itself or with the texts of its site.

    page --features--> (b, f) --trees--> main, comment (b,)
    site --features--> (b, s), with the context of each block --trees--> main, comment (b,)
         --smoothing, best expected F1--> blocks --trees--> title, verdict, confidence --> Article

Sources: boosted trees (Friedman, Greedy function approximation: a gradient boosting machine, 2001); models
that see the predictions of others (Wolpert, Stacked generalization, Neural Networks 5, 1992); the choice of
blocks by Ye, Chai, Lee, Chieu, Optimizing F-measures: a tale of two approaches, ICML 2012, section 3 (the
decision-theoretic approach). The models are trained by ``experiments/training/singlepage.py`` on single pages
and on the pages of whole sites; that of the page alone is learnt from more pages by ``alone.py``.

| source    | here             | shape, unit                                                        |
|-----------|------------------|--------------------------------------------------------------------|
| p(y | x)  | ``main``         | (b,) probability of being main text, per text block                |
| s         | `choose_blocks`  | the chosen blocks                                                  |

A known site adds two models: one sees the texts of the site only, one also the probabilities of the page and
of the blocks around each block. Their log odds and those of the page are added with weights: a long text of
all pages is seldom main text.

Blocks at the same path, with the same tags and classes, mostly belong together, so their log odds are
smoothed. For letters w the blocks S have about the F1 ``2 sum_S w p / (sum_S w + sum w p)``, and the best S
are the blocks above some probability, half of that F1. Of a difficult page more text is returned, and every
page with text returns some. If precision or recall is favored, the F-measure with another beta takes the
place of F1: ``(1 + beta^2) sum_S w p / (sum_S w + beta^2 sum w p)``. Comments are chosen in the same way
among the other blocks. A text that a page repeats, quoted or for another screen width, is returned once.

Title: the best of the candidates (`webgrain.extraction.titles`). Verdict and confidence: the probability that
a page is an article and not an index, and that the F1 of its text is at least 0.8, from features of the whole
page (`webgrain.extraction.wholepage`).

Hidden content. React sends parts of a page as hidden elements with ids such as ``S:1f``, which a script moves
to their places. Forums (Discourse, Flarum) write the content for readers without scripts into ``<noscript>``,
which a parser for readers with scripts treats as one text. What the page itself hides, dialogs and notices
about cookies are no main text (`webgrain.extraction.hidden`).

Departures: the expectation of the quotient is taken as the quotient of the expectations, which is close for
some hundred blocks; letters stand for words. Cost: array passes over nodes and blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Float64, Int64
from webgrain.base.estimator import Estimator, choice
from webgrain.base.properties import cached_property
from webgrain.base.trees import BoostedTrees, packaged_trees, probabilities
from webgrain.columns.blocks import NUMBER, PageFacts, block_features, block_names, page_facts
from webgrain.columns.sitetable import SiteTable
from webgrain.documents.article import Article
from webgrain.documents.content import Content, content
from webgrain.documents.parts import Part
from webgrain.extraction import asides, pagekernel, thresholds, titles
from webgrain.extraction.conversations import is_thread_by_parts
from webgrain.extraction.declared import declared_values
from webgrain.extraction.hidden import as_seen
from webgrain.extraction.pagedata import DataText, data_text, notes_without_text
from webgrain.extraction.repeatedparts import (
    with_shared_values,
    without_repeated_ends,
    without_system_tables,
)
from webgrain.extraction.sitetexts import (
    context,
    context_names,
    log_odds,
    shares_of_texts,
    site_features,
    site_names,
    thread_share,
)
from webgrain.extraction.threads import (
    JudgedGroups,
    Posts,
    author_elements,
    dated,
    judged_groups,
    page_posts,
    thread_models,
)
from webgrain.extraction.wholepage import (
    is_thread,
    kind_probabilities,
    kinds_on_site,
    page_features,
    page_names,
    with_thread,
)
from webgrain.page.kernels.keytable import numbered
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import show_streamed
from webgrain.page.page import Page, Source, of_last_page
from webgrain.page.parsing import as_page, parse_html
from webgrain.page.tagtables import TagSet
from webgrain.page.text import TextBlocks, text_blocks, visible_text, visible_texts
from webgrain.page.turns import Steps, alone

Models = Mapping[str, BoostedTrees]

Favor = Literal["balance", "precision", "recall"]
BETA: Mapping[str, float] = {"balance": 1.0, "precision": 0.5, "recall": 2.0}
"""The weight of recall relative to precision when blocks are chosen: beta of the F-measure."""

_SITE_WEIGHTS = np.array([thresholds.SITE_WEIGHTS])
_MARKED = [NUMBER[name] for name in ("meta", "user", "fact property")]  # hints of lines with an author
_SITE_SAME, _SITE_TEXT = (site_names().index(name) for name in ("site same", "site text"))
_KEPT_REPEATED = TagSet("pre", "code", "td", "th")  # a line of code or a cell is never dropped


@cache
def model_names() -> dict[str, tuple[str, ...]]:
    """Return the names of the models and of their features.

    >>> len(model_names()["title"])
    75
    """
    of_site = (*context_names(), *site_names())
    return {
        "alone": block_names(),
        "main": block_names(),
        "comment": block_names(),
        "main of site": of_site,
        "comment of site": of_site,
        "texts of site": site_names(),
        "title": titles.title_names(),
        "article": page_names(),
        "good": page_names(),
    }


FORMAT = "webgrain main content"


@cache
def trained_models() -> dict[str, BoostedTrees]:
    """Return the models that come with webgrain, read once."""
    return packaged_trees("webgrain.extraction", "single.model", model_names(), FORMAT)


@dataclass(kw_only=True, eq=False, repr=False)
class SinglePage(Estimator):
    """Title, main text and comments of a page, by itself or with the texts of its site.

    models: the models by name (`model_names`); threads: those of kinds and posts
    (`webgrain.extraction.threads.thread_names`); None: those that come with webgrain. favor: ``balance``,
    ``precision`` (less text, less boilerplate in it) or ``recall`` (more text); it has no effect on title,
    comments, verdict and confidence.

    >>> html = "<title>A</title><nav><a href=b>B</a></nav><h1>A</h1><p>" + "One sentence, then another. " * 9
    >>> SinglePage().predict(html).text[-12:]
    'hen another.'
    """

    models: Models | None = None
    threads: Models | None = None
    favor: Favor = choice("balance", BETA)

    def predict(
        self, page: Page | Source | str | bytes | Path, site: SiteTable | None = None, *, data: bool = True
    ) -> Article:
        """Return title, main text, comments and verdict; a page with visible text always has main text.

        site: the texts of the site of the page; None: the site is unknown. data: whether the text may come
        from JSON, if the page shows less (`webgrain.extraction.pagedata`); a note reports it. The scores of
        the blocks are their probabilities. The confidence is the probability that the word F1 of the text is
        at least 0.8.
        """
        return alone(self.steps(page if isinstance(page, Page) else as_page(page), site, data=data))

    def steps(self, whole: Page, site: SiteTable | None = None, *, data: bool = True) -> Steps[Article]:
        """Return the article of a page, as `predict` does, in steps."""
        page, blocks, noscript = readable(whole)
        yield "text"
        shared = frozenset[int]() if site is None else site.shared_values
        if not len(blocks.texts):
            return replace(_without_blocks(page, data), shared_values=shared)
        models, threads = self.models or trained_models(), self.threads or thread_models()
        read = page_reading(page, site, models)
        yield "text"
        known = read.judgement(models, threads)
        main = up_to_article(read.facts, read.main, read.chosen, known.kind)
        if main is not read.main:
            read = replace(read, main=main)
            known = read.judgement(models, threads)
        yield "text"
        title = known.title
        if noscript and not title:
            title = PageFacts(whole.dom, text_blocks(whole)).title
        if not known.is_thread:
            main = without_asides(read.facts, read.main, read.chosen, known.is_article, known.kind)
            read = read if main is read.main else replace(read, main=main)
        read = _without_tables(read)
        judged = judged_groups(read.facts, read.main, read.comment, known.kinds["thread"], threads)
        facts, main, comment = read.facts, read.main, read.comment
        known, judged = _certain_thread(read, known, judged)
        likely, sure = known.is_thread, known.is_sure_thread
        posts, thread = page_posts(facts, main, comment, judged, likely, sure, known.lines[0])
        main = without_comments(without_title(read, known.lines), read.comment, posts, thread)
        if judged is not None and not thread and known.kind == "article":
            main = without_day(facts, main, judged.date)
        if known.is_article and not thread:
            main = without_bylines(facts, main)
        refused = main == 0.0
        if read.of_site is not None and not thread:
            main = _with_repeated_parts(read, main)
            refused |= (main == 0.0) & facts.is_heading  # the last item of a list may be that of other pages
        yield "text"
        text = self._content(read, main, refused)
        replies = posts.parts(page, np.maximum(read.main, read.comment)) if posts else ()
        verdict = ("article" if known.is_article else "index") if text else "unknown"
        parts = text.around(read.title_part(title, known.lines[0]), replies)
        notes = notes_without_text(page.dom, int(facts.blocks.weight.sum())) if data and not text else ()
        if noscript:  # its nodes are in another tree
            parts = parts.moved(noscript)
        elif data and (of_data := data_text(page.dom, parts)):
            parts = _parts_of(of_data).around(None, replies)
            verdict, notes = "article", (of_data.note,)
        yield "text"
        return Article(
            verdict,
            title,
            parts,
            confidence=known.confidence,
            evidence="single page" if read.of_site is None else "site and single page",
            byline=posts.byline if posts else {},
            notes=notes,
            kinds=known.kinds,
            thread=thread,
            joined=thread,
            shares=None if noscript or read.of_site is None else shares_of_texts(read.of_site),
            shared_values=shared,
        )

    def _content(self, read: Reading, main: Float64, refused: Bool) -> Content:
        """Return the main content of a page.

        main: (b,) the probabilities of its text blocks; refused: (b,) blocks by which no list is completed.
        """
        page, facts, beta = read.page, read.facts, BETA[self.favor]
        blocks = facts.blocks
        chosen = choose_blocks(main, blocks.weight, beta)
        seen = as_seen(page, blocks, chosen)
        if seen is not page:
            page, facts, blocks = seen, page_facts(seen), text_blocks(seen)
            rows = np.searchsorted(read.facts.blocks.first, blocks.first, side="right") - 1
            main, refused = main[rows], refused[rows]
            chosen = choose_blocks(main, blocks.weight, beta)
        chosen = drop_repeats(facts, chosen)
        return content(page, blocks, chosen, main[chosen].round(4), refused=refused)

    def _state(self) -> dict[str, Any]:
        return {}  # nothing is learnt from pages

    def _restore(self, state: Mapping[str, Any]) -> None:
        pass


@dataclass(frozen=True, eq=False)
class Reading:
    """A page with what the models found of its blocks.

    Attributes:
        page, facts: the page; x: (b, f) the features of its blocks.
        alone: (2, b) the probabilities of main text and of a comment by the page alone.
        site: the texts of its site, or None; of_site: (b, s) the features of the site and its judgements.
        main, comment: (b,) probabilities.
    """

    page: Page
    facts: PageFacts
    x: Float32
    alone: Float32
    site: SiteTable | None
    of_site: Float32 | None
    main: Float64
    comment: Float64

    @classmethod
    def by_itself(cls, page: Page, models: Models) -> Reading:
        """Return what the models find without the site."""
        facts, x, probability = page_facts(page), block_features(page), block_judgements(page, models)
        main, comment = probability
        alone = probability.astype(np.float32)
        return cls(page, facts, x, alone, None, None, *_smoothed(facts, log_odds(main), comment))

    @classmethod
    def within(cls, page: Page, site: SiteTable, of_site: Float32, models: Models) -> Reading:
        """Return what the models find with the site of the page; of_site: of `site_features`."""
        facts, x = page_facts(page), block_features(page)
        alone = block_judgements(page, models).astype(np.float32)
        main, comment = alone.astype(np.float64)
        of_texts = of_site[:, : len(site_names())]
        of_context = context(facts, x, main, comment)
        both = np.concatenate([of_context, of_texts], axis=1)
        of_main, of_comment = probabilities([models["main of site"], models["comment of site"]], both)
        [by_texts] = probabilities([models["texts of site"]], of_texts)
        odds = join(main, {"main of site": of_main, "texts of site": by_texts})
        group = smoothing_groups(facts)
        odds = within_limits(facts, group, odds, log_odds(main), of_texts[:, _SITE_TEXT])
        shown = ~facts.is_title
        main = smooth(odds, group, facts.letters) * shown
        return cls(page, facts, x, alone, site, of_site, main, of_comment * shown)

    @cached_property
    def chosen(self) -> NDArray[np.intp]:
        """The blocks with the best expected F1, in order."""
        return choose_blocks(self.main, self.facts.blocks.weight)

    def smoothed_alone(self) -> Float64:
        """Return the probability of main text (b,) by the page alone, smoothed."""
        return _smoothed(self.facts, log_odds(self.alone[0].astype(np.float64)), self.comment)[0]

    def judgement(self, models: Models, threads: Models) -> Judgement:
        """Return what the models find of the whole page; threads: the models of kinds."""
        (candidates, x), (of_page, of_kind) = self.ranked_titles(), self.whole()
        [of_titles] = probabilities([models["title"]], x)
        article, good = probabilities([models["article"], models["good"]], of_page)
        title, lines = self._best_title(candidates, x, of_titles)
        kinds = kind_probabilities(threads, of_kind)
        share = np.nan if self.site is None else thread_share(self.page, self.site)
        of_type = not np.isnan(share)
        kinds = kinds_on_site(kinds, share) if of_type else kinds
        return Judgement(
            title,
            lines,
            bool(article[0] >= thresholds.ARTICLE),
            is_thread(kinds),
            kinds["thread"] >= (thresholds.SURE_THREAD_OF_TYPE if of_type else thresholds.SURE_THREAD),
            round(float(good[0]), 4),
            kinds,
            max(kinds, key=kinds.__getitem__),
        )

    def title_part(self, title: str, block: int) -> Part | None:
        """Return a title as a part, None for none; block: which has it, -1 for none."""
        holder = int(self.facts.holder[block]) if block >= 0 else 0
        return Part("title", holder, (title,)) if title else None

    def judged(self, models: Models) -> tuple[Float32, float, float]:
        """Return the probabilities (b, 3) of main text, comment and title; of an article; of a thread."""
        judged = np.zeros((len(self.main), 3), np.float32)
        judged[:, :2] = self.alone.T
        candidates, x = self.ranked_titles()
        of_page, of_kind = self.whole()
        [probability] = probabilities([models["title"]], x)
        [article] = probabilities([models["article"]], of_page)
        threads = thread_models()
        thread = kind_probabilities(threads, of_kind)["thread"]
        inside = candidates.block >= 0
        judged[candidates.block[inside], 2] = titles.title_probability(probability, x)[inside]
        if thread < thresholds.SURE_THREAD:
            title, lines = self._best_title(candidates, x, probability)
            facts, main, comment = self.facts, self.main, self.comment
            may_be_thread = thread >= thresholds.LEAST_THREAD
            groups = judged_groups(facts, main, comment, thread, threads) if may_be_thread else None
            if is_thread_by_parts(facts, main, comment, groups, thread, title, lines[0]):
                thread = thresholds.CERTAIN_THREAD
        return judged, float(article[0]), thread

    def _best_title(
        self, candidates: titles.Candidates, x: Float32, probability: Float64
    ) -> tuple[str, list[int]]:
        """Return the title and the blocks that it consists of, -1 for the head.

        x: (c, f) the features of the candidates; probability: (c,) of the model of titles.
        """
        if not len(candidates):
            return "", [-1]
        best = int(titles.title_probability(probability, x).argmax())
        title, lines = titles.whole_title(self.facts, candidates, best)
        return titles.without_steps(title), lines

    def ranked_titles(self) -> tuple[titles.Candidates, Float32]:
        """Return the candidates for the title and their features (c, f)."""
        facts, main = self.facts, self.main
        candidates = titles.candidates(facts, titles.main_start(facts, main))
        return candidates, titles.title_features(self.page, facts, candidates, main, self.site, self.of_site)

    def whole(self) -> tuple[Float32, Float32]:
        """Return the features (1, f) of the whole page, and (g,) of its kind."""
        chosen = drop_repeats(self.facts, self.chosen)
        of_blocks = self.x, self.of_site, self.main, self.comment, chosen
        of_page, of_kind = page_features(self.page, *of_blocks)
        return of_page[None], of_kind


class Judgement(NamedTuple):
    """What the models find of a whole page.

    Attributes:
        title: the title; lines: the blocks that it consists of, -1 for the head.
        is_article: whether it is an article and not an index; is_thread: whether its kind may be thread;
            is_sure_thread: whether it is a thread in any case.
        confidence: the probability that its text is good; kinds: that of each kind; kind: the most probable.
    """

    title: str
    lines: list[int]
    is_article: bool
    is_thread: bool
    is_sure_thread: bool
    confidence: float
    kinds: dict[str, float]
    kind: str

    def as_thread(self) -> Judgement:
        """Return the same of a page that is a thread by its parts."""
        kinds = with_thread(self.kinds, thresholds.CERTAIN_THREAD)
        return self._replace(is_thread=True, is_sure_thread=True, kinds=kinds, kind="thread")


def _certain_thread(
    read: Reading, known: Judgement, judged: JudgedGroups | None
) -> tuple[Judgement, JudgedGroups | None]:
    """Return what is known of a page, as a thread if it is one by its parts, and its groups.

    See `webgrain.extraction.conversations`.
    """
    facts, main, comment = read.facts, read.main, read.comment
    if known.is_sure_thread:
        return known, judged
    thread = known.kinds["thread"]
    if not is_thread_by_parts(facts, main, comment, judged, thread, known.title, known.lines[0]):
        return known, judged
    known = known.as_thread()
    models = None if judged is None else judged.models
    return known, judged_groups(facts, main, comment, known.kinds["thread"], models)


def without_title(read: Reading, lines: Sequence[int]) -> Float64:
    """Return the probability of main text (b,) of each block, 0 for the lines of the title.

    So a heading that is the title is not repeated in the text. It is not changed if the title is no heading,
    or the page has no other text.
    """
    if lines[0] < 0 or not read.facts.is_heading[lines[0]]:
        return read.main
    main = read.main.copy()
    main[lines] = 0.0
    return main if main.any() else read.main


def without_day(facts: PageFacts, main: Float64, date: Float64) -> Float64:
    """Return the probability of main text (b,), 0 for lines with a day before the first long text.

    They state when an article was published or changed. date: (b,) 1 for short texts with a date.

    >>> page = as_page("<p>Ann, 3 May 2021<p>" + "The lamp is lit at dusk. " * 9 + "<p>3 May 2021")
    >>> facts = page_facts(page)
    >>> without_day(facts, np.ones(3), dated(facts)).tolist()
    [0.0, 1.0, 1.0]
    """
    is_long = (main >= 0.5) & (facts.letters >= thresholds.LONG_TEXT)
    before = np.arange(len(main)) < (is_long.argmax() if is_long.any() else 0)
    is_day = before & (date > 0) & (facts.texts["characters"] < thresholds.DAY_LINE)
    return np.where(is_day, 0.0, main)


def without_asides(
    facts: PageFacts, main: Float64, chosen: NDArray[np.intp], is_article: bool, kind: str
) -> Float64:
    """Return the probability of main text (b,), 0 for parts within the text that do not belong to it.

    See `webgrain.extraction.asides`. chosen: the blocks chosen by these probabilities. is_article, kind: of
    the page; teasers and lines that point to other pages are text of index pages, teasers of documentation,
    too, and sections of other products are text of all pages but those of a product.
    """
    all_lines = main
    main = asides.without_counters(facts, all_lines)
    if main is not all_lines:
        chosen = choose_blocks(main, facts.blocks.weight)
    main = asides.without_forms(facts, main, chosen)
    if is_article:
        main = asides.without_pointers(facts, main, chosen)
        if kind != "documentation":
            main = asides.without_teasers(facts, main, chosen)
    if kind == "product":
        main = asides.without_products(facts, main, chosen)
    return main


def without_bylines(facts: PageFacts, main: Float64) -> Float64:
    """Return the probability of main text (b,), 0 for chosen lines that consist of names of authors.

    A name in the markup, such as the class "byline", marks such a line, and at least half of it is in
    elements that are named as author. If there are more than two, they are no bylines of the page.

    >>> page = as_page("<p class=byline>By <a href=k>Kim Berg</a><p>The lamp is lit at dusk.")
    >>> without_bylines(page_facts(page), np.ones(2)).tolist()
    [0.0, 1.0]
    """
    dom, blocks = facts.dom, facts.blocks
    chosen = choose_blocks(main, blocks.weight)
    marked = facts.hint[:, _MARKED].any(axis=1) & (facts.texts["characters"] <= thresholds.BYLINE)
    short = chosen[marked[chosen]]
    authors = author_elements(dom) if len(short) else short
    if not 0 < len(authors) <= thresholds.MOST_AUTHORS:
        return main
    begin, end = dom.text_start[blocks.first[short]], dom.text_start[blocks.last[short] + 1]
    start, stop = dom.text_start[authors], dom.text_start[dom.end[authors]]
    named = np.minimum(end[:, None], stop) - np.maximum(begin[:, None], start)
    lines = short[2 * named.clip(0).sum(axis=1) >= end - begin]
    if not 0 < len(lines) <= 2 or len(lines) == len(chosen):
        return main
    main = main.copy()
    main[lines] = 0.0
    return main


def up_to_article(facts: PageFacts, main: Float64, chosen: NDArray[np.intp], kind: str) -> Float64:
    """Return the probability of main text (b,), 0 for chosen texts behind the article of a page.

    It is the ``<article>`` with at least half of the chosen text, with the ones beside it, or the only one
    with a quarter; if there is none, the ``<main>``. A thread has none, and the text of a list may go on
    behind its ``<main>``. chosen: the blocks chosen by these probabilities; kind: of the page.

    >>> page = as_page("<article><p>" + "The lamp is lit at dusk. " * 9 + "</article><p>Read more of it.")
    >>> up_to_article(page_facts(page), np.array([0.9, 0.8]), np.arange(2), "article").tolist()
    [0.9, 0.0]
    """
    dom = facts.dom
    if kind == "thread":
        return main
    for tag in ("article",) if kind == "list" else ("article", "main"):
        elements = dom.find_tag(tag)
        if not len(elements):
            continue
        letters = np.zeros(len(chosen) + 1, np.int64)
        facts.blocks.weight[chosen].cumsum(out=letters[1:])
        first = facts.blocks.first[chosen]
        stop = first.searchsorted(dom.end[elements])
        inside = letters[stop] - letters[first.searchsorted(elements)]
        most = int(inside.argmax())
        alone = tag == "article" and len(elements) == 1
        if inside[most] < letters[-1] * (thresholds.ONLY_ARTICLE if alone else thresholds.ARTICLE_SHARE):
            continue
        beside = dom.parent[elements] == dom.parent[elements[most]]
        behind = chosen[stop[beside].max() :]
        if len(behind):
            main = main.copy()
            main[behind] = 0.0
        return main
    return main


def _without_tables(read: Reading) -> Reading:
    """Return a page without the tables of fields of its site; the same if the site is unknown."""
    if read.of_site is None:
        return read
    main = without_system_tables(read.facts, read.main, read.chosen, read.of_site[:, _SITE_SAME])
    return read if main is read.main else replace(read, main=main)


def _with_repeated_parts(read: Reading, main: Float64) -> Float64:
    """Return the probability of main text (b,) of a page of a site, by what its pages repeat."""
    assert read.of_site is not None
    facts, same = read.facts, read.of_site[:, _SITE_SAME]
    chosen = choose_blocks(main, facts.blocks.weight)
    between = without_repeated_ends(facts, main, chosen, same)
    if between is not main:
        main, chosen = between, choose_blocks(between, facts.blocks.weight)
    if len(chosen) < 2 or chosen[-1] - chosen[0] < len(chosen):  # nothing is between chosen blocks
        return main
    return with_shared_values(facts, main, chosen, same, read.smoothed_alone)


def _without_blocks(page: Page, data: bool) -> Article:
    """Return the text of a page without text blocks: that in its data, or that of form controls."""
    if data and (of_data := data_text(page.dom, Content())):
        return Article("article", blocks=_parts_of(of_data), notes=(of_data.note,))
    text = visible_text(page)
    if not text:
        return Article("unknown", notes=notes_without_text(page.dom, 0) if data else ())
    return Article("unknown", blocks=(Part("paragraph", 0, (text,), score=0.0),))


def _parts_of(text: DataText) -> Content:
    """Return the parts of a text in the data of a page, at its script."""
    page = as_page(text.html)
    blocks = text_blocks(page)
    return content(page, blocks, range(len(blocks)), np.ones(len(blocks))).moved(text.node)


def readable(page: Page) -> tuple[Page, TextBlocks, int]:
    """Return a page as it is read, its text blocks, and the ``<noscript>`` that contains it; 0 for none."""
    dom = show_streamed(page.dom)
    page = page if dom is page.dom else replace(page, dom=dom)
    blocks = page_facts(page).blocks
    if inner := noscript_page(page, blocks):
        return inner[0], text_blocks(inner[0]), inner[1]
    return page, blocks, 0


def site_texts(pages: Iterable[Page]) -> SiteTable:
    """Return the texts that the pages of a site have in common.

    >>> pages = [as_page(f"<p>Menu<p>Text {k}") for k in range(3)]
    >>> len(site_texts(replace(page, id=str(k)) for k, page in enumerate(pages)))
    3
    """
    return SiteTable.merged(map(page_table, pages)).shared()


def page_table(page: Page) -> SiteTable:
    """Return the texts and places of a page, with what the models find by the page alone.

    >>> len(page_table(as_page("<p>Menu<p>Text")).texts)
    2
    """
    return alone(table_steps(page))


def table_steps(page: Page, *, is_judged: bool = True) -> Steps[SiteTable]:
    """Return the table of a page, as `page_table` does, in steps.

    is_judged: whether the table has the judgements of the models.
    """
    counted: dict[str, Any] = {"nodes": visible_texts(page).key, "declared": declared_values(page)}
    page, blocks, _ = readable(page)
    yield "texts"
    if not len(blocks) or not is_judged:
        return SiteTable.of_page(page_facts(page), **counted)
    models = trained_models()
    read = Reading.by_itself(page, models)
    yield "texts"
    judged, article, thread = read.judged(models)
    yield "texts"
    return SiteTable.of_page(page_facts(page), judged, article=article, thread=thread, **counted)


@of_last_page
def page_reading(page: Page, site: SiteTable | None, models: Models) -> Reading:
    """Return what the models find of the blocks of a page, with its site if the site knows the page."""
    of_site = None if site is None else site_features(page, site)
    if site is None or of_site is None:
        return Reading.by_itself(page, models)
    return Reading.within(page, site, of_site, models)


def block_judgements(page: Page, models: Models) -> Float64:
    """Return the probabilities (2, b) of main text and of a comment, by the page alone."""
    is_shared = models is trained_models()
    return _by_trained_models(page) if is_shared else _of_blocks(models, block_features(page))


@of_last_page
def _by_trained_models(page: Page) -> Float64:
    """Return `block_judgements` by the models that come with webgrain."""
    return _of_blocks(trained_models(), block_features(page))


def _of_blocks(models: Models, x: Float32) -> Float64:
    """Return the probabilities (2, b) of main text and of a comment by the features (b, f) of blocks."""
    return probabilities([models["alone"], models["comment"]], x)


def block_probability(page: Page) -> Float64:
    """Return the probability that each block is main text (b,), as lists see it; 0 for the ``<title>``.

    The model has not learnt from the labelled pages, on which lists are main text.
    """
    facts = page_facts(page)
    if not len(facts.letters):
        return np.zeros(0)
    [main] = probabilities([trained_models()["main"]], block_features(page))
    odds = log_odds(main)
    probability = smooth(odds, facts.path_group, facts.letters)
    probability[facts.is_title] = 0.0
    return probability


def without_comments(main: Float64, comment: Float64, posts: Posts | None, thread: bool) -> Float64:
    """Return the probability of main text (b,) of each block if these are the comments of the page.

    Blocks of comments, and what follows the last one of a thread, are no main text. Blocks of the first post
    of a thread may be either; the dates around it are none. thread: the page is a thread, whose main text
    is in its first post only.
    """
    if posts is None:
        return main
    main = np.where(posts.comment, 0.0, main)
    if posts.thread and thread:
        main = np.where((posts.owner == 0) & posts.text, main, 0.0)
    if posts.thread:
        first = posts.owner == 0
        main = np.where(first & posts.text, np.maximum(main, comment), main)
        main[first & ~posts.text & (dated(posts.facts) > 0)] = 0.0
        main[int(posts.group.last.max()) :] = 0.0
    return main


def join(main: Float64, of_site: Mapping[str, Float64]) -> Float64:
    """Return the log odds of main text of each block (b,).

    main: (b,) the probability by the page alone; of_site: those by the models of the site, by name.

    >>> half = np.array([0.5])
    >>> join(half, {"main of site": half, "texts of site": half})
    array([0.])
    """
    terms = [log_odds(x) for x in (of_site["main of site"], of_site["texts of site"], main)]
    odds: Float64 = np.dot(_SITE_WEIGHTS, terms)[0] + thresholds.SITE_BIAS
    return odds


def within_limits(facts: PageFacts, group: Int64, odds: Float64, alone: Float64, share: Float32) -> Float64:
    """Return the log odds (b,) with the site, not far from those of a page that is certain by itself.

    If the page alone has a high expected F1, its errors are few. Those that the site makes are mostly short
    lines that differ on all pages, such as categories and numbers of words, and passages that a few pages of
    a documentation share. So the site adds little to a block there, and takes little from such a passage.
    group: (b,) of `smoothing_groups`; odds, alone: (b,) with the site and by the page alone; share: (b,) of
    the pages with the text.

    >>> page = as_page("<p>" + "The lamp is lit at dusk. " * 9 + "<p>9 words")
    >>> alone, share = np.array([6.0, -1.0]), np.zeros(2, np.float32)
    >>> within_limits(page_facts(page), np.array([0, 1]), np.array([-3.0, 2.0]), alone, share).tolist()
    [4.0, -0.5]
    """
    weight = facts.blocks.weight
    probability = smooth(alone, group, facts.letters) * ~facts.is_title
    chosen = choose_blocks(probability, weight)
    if not len(chosen):
        return odds
    chosen_weight = weight[chosen]
    f1 = 2.0 * (probability[chosen] @ chosen_weight) / (np.add.reduce(chosen_weight) + probability @ weight)
    if f1 < thresholds.CERTAIN_PAGE:
        return odds
    is_rare = share < thresholds.RARE_TEXT
    limited = np.where(is_rare, np.maximum(odds, alone - thresholds.MOST_TAKEN), odds)
    if f1 >= thresholds.VERY_CERTAIN_PAGE:
        limited = np.minimum(limited, alone + thresholds.MOST_ADDED)
    return limited


def smooth(odds: Float64, group: Int64, letters: Float64) -> Float64:
    """Return probabilities (b,) from log odds, each moved towards the mean of its group, weighted by letters.

    group: (b,) numbers of the blocks at the same path, from 0.

    >>> smooth(np.array([2.0, 0.0, -2.0]), np.array([0, 0, 1]), np.array([60.0, 20.0, 9.0])).round(2).tolist()
    [0.83, 0.77, 0.12]
    """
    weight = np.maximum(letters, 1.0)
    mean = (np.bincount(group, weight * odds) / np.bincount(group, weight))[group]
    smoothed: Float64 = 1.0 / (1.0 + np.exp(-(odds + thresholds.SMOOTHING * (mean - odds))))
    return smoothed


def smoothing_groups(facts: PageFacts) -> Int64:
    """Return the numbers (b,) of the groups of blocks whose probabilities are smoothed.

    A group has the blocks at the same path. Blocks in a table of links are in another group: pages whose
    layout is a table have the text and the links below it at the same path.

    >>> text, links = "<table><td>" + "The lamp is lit." * 9, "<table><td><a href=a>A boat</a>"
    >>> smoothing_groups(page_facts(as_page(f"{text}</table>{links}</table>{text}"))).tolist()
    [0, 1, 0]
    """
    group = facts.path_group
    dom = facts.dom
    is_table = dom.tagged("table")
    if not is_table.any():
        return group
    table = innermost(dom.parent, is_table.view(np.uint8))[facts.holder]
    part = numbered(group.astype(np.uint64) * np.uint64(len(dom.tag) + 1) + (table + 1).astype(np.uint64))[0]
    weight = np.maximum(facts.letters, 1.0)
    linked, linked_of_part = (
        (np.bincount(number, weight * facts.linked) / np.bincount(number, weight))[number]
        for number in (group, part)
    )
    most, others = thresholds.TABLE_OF_LINKS
    apart = (linked_of_part > most) & (linked < others)
    if not apart.any():
        return group
    number: Int64 = numbered(np.where(apart, part + len(group), group).astype(np.uint64))[0].astype(np.int64)
    return number


def _smoothed(facts: PageFacts, odds: Float64, comment: Float64) -> tuple[Float64, Float64]:
    """Return the probabilities of main text, smoothed, and of comments; both are 0 for the ``<title>``."""
    return smooth(odds, smoothing_groups(facts), facts.letters) * ~facts.is_title, comment * ~facts.is_title


def choose_blocks(probability: Float64, weight: NDArray[np.integer], beta: float = 1.0) -> NDArray[np.intp]:
    """Return the blocks with the best expected F-measure, in order; weight: (b,) letters of each.

    beta: the weight of recall relative to precision. The result is only empty if no probability is above 0.

    >>> choose_blocks(np.array([0.1, 0.9, 0.6]), np.array([5, 50, 10])).tolist()
    [1, 2]
    """
    blocks: NDArray[np.intp] = pagekernel.best_blocks(probability, np.asarray(weight, np.int32), beta**2)
    return blocks


def drop_repeats(facts: PageFacts, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the chosen blocks without long texts that repeat an earlier one at another path.

    Code, cells of tables, and texts that an author repeats at the same path, such as items, are kept.

    >>> text = "<p>The lamp is lit at dusk, and nobody knows who pays."
    >>> page = as_page(f"{text}<blockquote>{text}</blockquote><p>I do.<p>I do.")
    >>> drop_repeats(page_facts(page), np.arange(4)).tolist()
    [0, 2, 3]
    """
    texts, characters = facts.text_number, facts.texts["characters"]
    tags = facts.dom.tag[facts.holder]
    kept = _KEPT_REPEATED.values(facts.dom.tags).view(np.uint8)
    least = thresholds.REPEATED_LENGTH
    blocks: NDArray[np.intp] = pagekernel.without_repeats(
        chosen, texts, characters, facts.path, kept, tags, least
    )
    return blocks


def noscript_page(page: Page, blocks: TextBlocks) -> tuple[Page, int] | None:
    """Return the page in the longest ``<noscript>`` and its node, if it has much more text than the page.

    blocks: those of the page.

    >>> page = as_page("<p>Wait.<noscript>" + "<p>All the text is here." * 50 + "</noscript>")
    >>> inner, node = noscript_page(page, text_blocks(page))
    >>> page.dom.name(node), len(text_blocks(inner))
    ('noscript', 50)
    """
    dom = page.dom
    nodes = dom.find_tag("noscript")
    if not len(nodes):
        return None
    size = dom.text_start[dom.end[nodes]] - dom.text_start[nodes]
    if size.max(initial=0) < thresholds.NOSCRIPT_LENGTH:
        return None
    node = int(nodes[size.argmax()])
    inner = replace(page, dom=parse_html(dom.text_of(node)), view=None, source=None)
    more = text_blocks(inner).weight.sum() > thresholds.NOSCRIPT_FACTOR * blocks.weight.sum()
    return (inner, node) if more else None
