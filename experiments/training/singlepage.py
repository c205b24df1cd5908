"""Train the models of `SinglePage` that come with webgrain: ``make train``.

    python experiments/training/singlepage.py [FILE]

    pages --Example--> features, truth of the blocks --> main text, comments by the page alone
          --> titles, verdicts by the page alone --> features of the site
          --> main text, comments with the site --> titles, verdicts, confidence

The text of a page is judged by the model ``alone`` of ``alone.py``, which is trained before; the model
``main``, by which lists find main text, is trained here.

The pages are the single pages of WCXB and the pages of the whole sites of the bench. Titles are also learnt
from the labelled pages of new sites (`LABELLED`). The truth of a block is the share of its words that belongs
to the true text (`alignment`). Every domain has the same weight, and a site of the bench `SITE_WEIGHT` times
that; the blocks of a page are weighted by their letters.

Whatever a later model learns from is the prediction of an earlier model that was learnt from the other folds
(`FOLDS` parts of the sites and domains). The features of a site are those of its other half, whose pages were
judged by such models. Titles, verdicts and confidences are learnt from each page of a site twice, with its
site and without. Comments are known on the pages of the bench only: on forum pages of WCXB the true blocks
are posts of both kinds and are not used; on other pages true blocks are no comments. Verdicts are also learnt
from altered pages (`altered`), with less weight.

The scores that are printed are those of left-out sites and domains. With FILE a record of each page is
written to it (JSON lines): ``experiments/reader_bench.py`` and ``experiments/webstemmer_paper.py`` read it;
the models that have not seen a fold are written beside those of ``alone.py``, and no other. The same data and
the same versions of the libraries give the same model.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from scipy.stats import rankdata

from experiments.datasets.bench import BenchSite, bench_names, folds, path_number, read_bench
from experiments.datasets.blocks import reference_pages
from experiments.datasets.maincontent import read_main_pages
from experiments.training.alignment import true_shares
from experiments.training.altered import KINDS, altered
from experiments.training.domains import FOLDS, file_of, fold_of, group_of, left_out_models
from experiments.training.domains import LEFT_OUT as FOLDER
from webgrain.base.errors import ParameterError
from webgrain.base.metrics import word_score, words
from webgrain.base.trees import BoostedTrees, learn_trees, write_trees
from webgrain.columns.blocks import TITLE, PageFacts, block_features, block_names, page_facts
from webgrain.columns.sitetable import SiteTable
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction import thresholds
from webgrain.extraction.document import comment_records
from webgrain.extraction.single import (
    FORMAT,
    SinglePage,
    choose_blocks,
    drop_repeats,
    join,
    model_names,
    page_reading,
    readable,
    smooth,
    trained_models,
)
from webgrain.extraction.sitetexts import SiteRows, context, log_odds, site_names
from webgrain.extraction.titles import (
    candidates,
    main_start,
    title_features,
    title_names,
    title_probability,
)
from webgrain.extraction.wholepage import page_features, page_names
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.base.arrays import Bool, Float32, Float64
    from webgrain.page.page import Page, Source

MODEL = Path(__file__).parents[2] / "src" / "webgrain" / "extraction" / "trained" / "single.model"

SITE_WEIGHT = 6.0
"""Weight of a site of the bench; that of a domain of WCXB is 1."""
SITE_PAGES = {"article": 50, "index": 20, "other": 8}
"""Pages of a site, by role, drawn at random, that are learnt from."""
MOST_PAGES = 150
"""Pages of a site that are read, drawn at random: those that are learnt from, and others."""
BLOCKS = {"page": (80, 100), "site": (40, 0)}
"""Blocks of a page of a site, and of a single page, drawn at random, from which models learn."""
SETTINGS = {
    "alone": (130, 15, 0.11, 0.3),
    "main": (200, 15, 0.08, 0.3),
    "comment": (120, 15, 0.08, 0.3),
    "main of site": (100, 15, 0.08, 0.4),
    "comment of site": (70, 15, 0.08, 0.4),
    "texts of site": (60, 15, 0.1, 0.6),
    "title": (80, 12, 0.08, 0.5),
    "article": (120, 8, 0.08, 0.3),
    "good": (60, 4, 0.06, 0.3),
}
"""Number of trees, leaves per tree, learning rate, and share of features of a split, of each model."""
OF_PAGE, OF_SITE = ("main", "comment"), ("main of site", "comment of site", "texts of site")
ALTERED = 1 / 6
"""Weight of an altered page for the verdict; that of another is 1."""
SINGLE_PAGES = 20
"""Weight for the verdict of all single pages of a role, in sites: there are few index pages among them."""
WITHOUT_ADDRESS = 4
"""One in this number of pages without a site is learnt from without its address."""
GOOD = 0.8
"""F1 of the text at which an extraction is good."""
LEAST_WORDS = 10
"""Words of a true main text, at least, that is compared."""
LABELLED = "pages-2"
"""The labelled pages of new sites."""
ROLES = {"list": "index", "other": "other"}
"""The roles of kinds of labelled pages; a page of another kind is an article."""
_INDEX = ("collection", "listing")
_TAG = block_names().index("tag")


@dataclass(slots=True, eq=False)
class Example:
    """A page with the truth of its blocks.

    Attributes:
        source, group, fold: the page, its site or domain, and the fold in which it is left out.
        role: article, index or other; forum: whether it is a forum page of WCXB; site: whether of the bench.
        title, text, comments, records: the truth; an empty text is unknown.
        texts: of the blocks; x, facts: their features and places; table: of the page.
        main, comment: (b,) the share of each block that is main text, or a comment.
        learnt: whether the models learn from the page; a site needs its other pages, too.
        only_title: whether only the model of titles learns from it.
        of_site: (b, s) features of the texts of the other half of the site; None for a single page.
        places: (b, g) what the models find on that half at the paths of the blocks.
        found: (2, b) the probabilities of main text and comment by the page alone, by models that have not
            seen it; judged: the probabilities of both after smoothing, by the name of the model.
    """

    source: Source
    group: str
    fold: int
    role: str
    forum: bool
    site: bool
    title: str
    text: str
    comments: str
    texts: tuple[str, ...]
    x: Float32
    facts: PageFacts
    table: SiteTable
    main: Float64
    comment: Float64
    records: tuple[tuple[str, ...], ...] = ()
    learnt: bool = True
    only_title: bool = False
    of_site: Float32 | None = None
    places: Float32 = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    found: Float64 = field(default_factory=lambda: np.zeros((2, 0)))
    judged: dict[str, tuple[Float64, Float64]] = field(default_factory=dict)

    @property
    def labelled(self) -> bool:
        """Whether the truth of the blocks is known."""
        known = not self.site or (self.role == "article" and bool(self.text))
        return self.learnt and not self.only_title and known


def example_of(source: Source, text: str, comments: str = "", **known: Any) -> Example | None:
    """Return the example of a page; None for a page without text.

    known: group, fold, role, forum, site and title.

    >>> from webgrain.page.page import Source
    >>> html = b"<nav>Other pages are here</nav><p>This is all of it"
    >>> known = dict(group="a", fold=0, role="article", forum=False, site=False, title="")
    >>> example_of(Source("a", html), "This is all of it", **known).main.tolist()
    [0.0, 1.0]
    """
    page, facts = facts_of(source)
    if not len(facts.letters):
        return None
    texts = facts.blocks.texts
    main, comment = true_shares(texts, text), np.zeros(len(texts))
    main[facts.is_title] = 0.0
    rest = np.flatnonzero((main < 0.5) & ~facts.is_title)
    comment[rest] = true_shares([texts[k] for k in rest.tolist()], comments)
    return Example(
        source,
        text=text,
        comments=comments,
        texts=texts,
        x=block_features(page),
        facts=facts,
        table=SiteTable.of_page(facts),
        main=main,
        comment=comment,
        **known,
    )


def facts_of(source: Source) -> tuple[Page, PageFacts]:
    """Return a page as `SinglePage` reads it, and its facts."""
    page, _, _ = readable(parse(source))
    return page, page_facts(page)


def read_examples() -> list[Example]:
    """Return the examples of all single pages and sites."""
    found = [
        example_of(
            page.source,
            page.text,
            group=page.domain,
            fold=fold_of(page.domain),
            role="index" if page.kind in _INDEX else "article",
            forum=page.kind == "forum",
            site=False,
            title=page.title,
        )
        for page in read_main_pages(data_folder() / "main-content")
    ]
    names = bench_names()
    for name, fold in zip(names, folds(names).tolist(), strict=True):
        found += site_examples(name, fold % FOLDS)
    return [one for one in found if one is not None]


def all_examples() -> list[Example]:
    """Return the examples of single pages and sites, and those of the labelled pages."""
    return [*read_examples(), *labelled_examples()]


def labelled_examples() -> list[Example]:
    """Return the examples of the labelled pages of new sites, from which titles are learnt."""
    found = []
    for page in reference_pages(LABELLED):
        group = group_of(page.source)
        found.append(
            example_of(
                page.source,
                (page.whole if page.thread else page.text) or "",
                group=group,
                fold=fold_of(group),
                role=ROLES.get(page.kind or "", "article"),
                forum=page.thread,
                site=False,
                title=page.title or "",
                only_title=True,
            )
        )
    return [one for one in found if one is not None]


def drawn_pages(site: BenchSite) -> set[str]:
    """Return the ids of the pages of a site that are learnt from, and evaluated."""
    rng, drawn = np.random.default_rng(1), set[str]()
    for role, most in SITE_PAGES.items():
        own = sorted(path for path, of in site.roles.items() if of == role)
        drawn.update(rng.permutation(own)[:most].tolist())
    return drawn


def site_examples(name: str, fold: int) -> Iterator[Example | None]:
    """Yield the examples of a site."""
    [site] = read_bench([name])
    drawn = drawn_pages(site)
    rest = np.random.default_rng(2).permutation(sorted(site.roles.keys() - drawn)).tolist()
    kept = drawn.union(rest[: MOST_PAGES - len(drawn)])
    for source in site.sources():
        if source.id in kept:
            truth = site.truth.get(source.id, {}) if source.id in drawn else {}
            yield example_of(
                source,
                truth.get("text") or "",
                "\n".join(truth.get("comments") or ()),
                group=name,
                fold=fold,
                role=site.roles[source.id],
                forum=False,
                site=True,
                title=truth.get("title") or "",
                records=tuple(map(texts_of, truth.get("records") or ())),
                learnt=source.id in drawn,
            )


def texts_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts of a true record."""
    return tuple(text for text in record.values() if isinstance(text, str) and text.strip())


def half_of(name: str) -> int:
    """Return the half of its site that a page belongs to, 0 or 1."""
    return path_number(name) % 2


# Rows: features, truth and weight of blocks, candidates or pages.

Rows = tuple["Float32", "Float64", "Float64"]


def weights_of(examples: Sequence[Example]) -> Callable[[Example], float]:
    """Return the function that gives the weight of a page: the pages of a group share one weight."""
    number = Counter(one.group for one in examples if one.labelled)
    return lambda one: (SITE_WEIGHT if one.site else 1.0) / number[one.group]


def block_rows(examples: Sequence[Example], name: str) -> Rows:
    """Return the rows of a model of blocks, with its name."""
    rng, weight_of = np.random.default_rng(0), weights_of(examples)
    of_site, of_comments = name in OF_SITE, name.startswith("comment")
    rows = []
    for one in examples:
        if not one.labelled or (of_site and not one.site):
            continue
        truth = one.comment if of_comments else one.main
        kept, weight = drawn_blocks(
            one.facts.letters, BLOCKS["site" if of_site else "page"][not one.site], rng
        )
        usable = np.ones(len(kept), bool)
        if one.forum:  # a post may be the first one or a reply
            usable = one.main[kept] <= 0.02
        elif of_comments and not one.site:  # what is not main text may be a comment
            usable = one.main[kept] >= 0.5
        rows.append(
            (features_of(one, name)[kept], truth[kept], np.where(usable, weight, 0.0) * weight_of(one))
        )
    return _stacked(rows)


def features_of(one: Example, name: str) -> Float32:
    """Return the features (b, .) of a page for a model of blocks, with its name."""
    if name in OF_PAGE:
        return one.x
    assert one.of_site is not None
    if name == "texts of site":
        return one.of_site
    return np.hstack([context(one.facts, one.x, *one.found), one.of_site])


def drawn_blocks(letters: Float64, most: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], Float64]:
    """Return blocks drawn at random, long ones more often, and their weights, which add up to 1."""
    size = np.maximum(letters, 1.0)
    if len(size) <= most:
        return np.arange(len(size)), size / size.sum()
    chance = np.sqrt(size)
    kept = np.sort(rng.choice(len(size), most, replace=False, p=chance / chance.sum()))
    weight = size[kept] / chance[kept]
    return kept, weight / weight.sum()


def _stacked(rows: list[tuple[Any, Any, Any]]) -> Rows:
    if not rows:
        raise ParameterError("Expected at least one page to learn from.")
    x, truth, weight = (np.concatenate(column) for column in zip(*rows, strict=True))
    return x, truth, weight


def fit(rows: Rows, name: str, names: tuple[str, ...], random_state: int = 0) -> BoostedTrees:
    """Return the trees of a model learnt from rows; errors as of `learn_trees`."""
    trees, leaves, rate, share = SETTINGS[name]
    return learn_trees(
        *rows,
        names,
        random_state=random_state,
        max_iter=trees,
        learning_rate=rate,
        max_leaf_nodes=leaves,
        min_samples_leaf=40,
        l2_regularization=5.0,
        max_features=share,
        max_bins=63,
    )


# A later model learns from the predictions of earlier models for left-out pages.

LEFT_OUT: dict[int, dict[str, BoostedTrees]] = defaultdict(dict)
"""The models by fold and name that were last learnt without the pages of the fold."""


def cross_fit(
    examples: Sequence[Example], names: Sequence[str]
) -> Iterator[tuple[Example, dict[str, Float64]]]:
    """Yield each page with the probabilities of its blocks by models that have not seen its fold."""
    for fold in range(FOLDS):
        others = [one for one in examples if one.fold != fold and one.learnt]
        models = {name: fit(block_rows(others, name), name, model_names()[name]) for name in names}
        LEFT_OUT[fold].update(models)
        for one in examples:
            if one.fold == fold:
                yield one, {name: model.probability(features_of(one, name)) for name, model in models.items()}


def judge(one: Example, name: str, odds: Float64, comment: Float64) -> None:
    """Set `Example.judged` from log odds of main text and probabilities of a comment."""
    shown = one.x[:, _TAG] != TITLE
    main = smooth(odds, one.facts.path_group, one.facts.letters)
    one.judged[name] = main * shown, comment * shown


def judge_alone(examples: Sequence[Example]) -> None:
    """Set the probabilities by the page alone; main text by the models that ``alone.py`` has written."""
    alone = [models["alone"] for models in left_out_models()]
    for one, found in cross_fit(examples, OF_PAGE):
        LEFT_OUT[one.fold]["alone"] = alone[one.fold]
        main = alone[one.fold].probability(one.x)
        one.found = np.stack([main, found["comment"]])
        judge(one, "alone", log_odds(main), found["comment"])


def judge_with_site(examples: Sequence[Example]) -> None:
    """Set the probabilities with the site."""
    for one, found in cross_fit([one for one in examples if one.site and one.learnt], OF_SITE):
        judge(one, "site", join(one.found[0], found), found["comment of site"])


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A page for the models of titles and pages, with or without its site.

    Attributes:
        example: the page; known: whether with the features of its site.
        candidates: the texts that may be the title; block: (c,) the block of each, -1 for none.
        x: (c, f) their features; page: (g,) the features of the page.
        f1: the word F1 of its text, None if the truth is unknown; altered: the kind of
            its alteration, for an altered page.
    """

    example: Example
    known: bool
    candidates: tuple[str, ...]
    block: tuple[int, ...]
    x: Float32
    page: Float32
    f1: float | None
    altered: str = ""


def wholes_of(one: Example, names: Sequence[str], site: SiteTable | None = None) -> Iterator[Whole]:
    """Yield a page as each of the models of blocks judges it; site: the texts of its other half."""
    page, facts = facts_of(one.source)
    of_site = None if one.of_site is None or site is None else np.hstack([one.of_site, one.places])
    for name in names:
        main, comment = one.judged[name]
        some = candidates(facts, main_start(facts, main))
        x = title_features(page, facts, some, main, site, of_site)
        chosen = drop_repeats(facts, choose_blocks(main, facts.blocks.weight))
        of_page, _ = page_features(page, one.x, of_site, main, comment, chosen)
        f1 = best_f1(one, "\n".join(facts.blocks.texts[k] for k in chosen.tolist()))
        blocks = tuple(some.block.tolist())
        yield Whole(one, site is not None, some.texts, blocks, x, of_page, f1)


def learn_sites(
    examples: Sequence[Example], judged: Sequence[Whole], learnt: Sequence[Whole]
) -> Iterator[Whole]:
    """Yield the pages of sites with their sites, whose pages are judged by models that have not seen them.

    Altered pages follow. judged: all pages of sites, by the page alone; learnt: the pages that the models
    learn from.
    """
    titles, verdicts = left_out(learnt, "title", judged), left_out(learnt, "article", judged)
    for one in judged:
        judgement = np.zeros((len(one.example.texts), 3), np.float32)
        judgement[:, :2] = one.example.found.T
        for block, value in zip(one.block, titles[id(one)].tolist(), strict=True):
            if block >= 0:
                judgement[block, 2] = value
        article = float(verdicts[id(one)][0])
        one.example.table = SiteTable.of_page(one.example.facts, judgement, article=article)
    texts = {}
    for group, some in groupby((one for one in examples if one.site), lambda one: one.group):
        pages = list(some)
        halves = [[one.table for one in pages if half_of(one.source.id) == half] for half in (0, 1)]
        texts[group] = [SiteTable.merged(half).shared() for half in halves]
        for one in pages:
            other = texts[group][1 - half_of(one.source.id)]
            x = SiteRows.of(one.facts, other).features(one.facts, other)
            one.of_site, one.places = x[:, : len(site_names())], x[:, len(site_names()) :]
    judge_with_site(examples)
    for one in examples:
        if one.site and one.learnt:
            yield from wholes_of(one, ["site"], texts[one.group][1 - half_of(one.source.id)])
    yield from altered_wholes(examples, texts)


def altered_wholes(examples: Sequence[Example], texts: Mapping[str, Sequence[SiteTable]]) -> Iterator[Whole]:
    """Yield altered pages, one of each article and index page, by the page alone and with its site.

    texts: those of the halves of each site. The kinds of alterations take turns; single pages are not written
    anew, since their records are unknown.
    """
    learnt = [
        one
        for one in examples
        if one.learnt and not one.only_title and one.role != "other" and (one.text or one.records)
    ]
    for number, one in enumerate(learnt):
        kinds = KINDS if one.site else KINDS[:-1]
        kind = kinds[number % len(kinds)]
        records = one.records if one.role == "index" else ()
        source = altered(one.source, kind, one.title, one.text, records)
        page = source and readable(parse(source))[0]
        if page is None or not len(page_facts(page).letters):
            continue
        other = texts[one.group][1 - half_of(one.source.id)] if one.site and kind != "plain" else None
        for site in (None, other) if other else (None,):
            read = page_reading(page, site, LEFT_OUT[one.fold])
            if site is None or read.of_site is not None:
                no_titles = np.zeros((0, len(title_names())), np.float32)
                yield Whole(one, site is not None, (), (), no_titles, read.whole()[0], None, kind)


def best_f1(one: Example, found: str) -> float | None:
    """Return the word F1 of a text with the main text, or with main text and comments if that is higher."""
    if not one.learnt or (one.site and (one.role != "article" or len(words(one.text)) < LEAST_WORDS)):
        return None
    return max(word_score(one.text, found).f1, word_score(f"{one.text}\n{one.comments}", found).f1)


def same_title(truth: str, found: str) -> bool:
    """Return whether two titles have the same words.

    >>> same_title("The Boat!", "the boat"), same_title("The boat", "A boat")
    (True, False)
    """
    return words(truth) == words(found)


def whole_rows(some: Sequence[Whole], name: str) -> Rows:
    """Return the rows of the model of titles, verdicts (article) or confidence (good)."""
    if name == "article":
        return verdict_rows(some)
    number = Counter((one.example.group, one.example.role) for one in some if not one.altered)
    rows = []
    for one in some:
        example = one.example
        weight = (SITE_WEIGHT if example.site else 1.0) / max(number[example.group, example.role], 1)
        if name == "title":
            truth = np.array([same_title(example.title, text) for text in one.candidates], float)
            if example.title and truth.any():
                rows.append((one.x, truth, np.full(len(truth), weight)))
        elif name == "good" and one.f1 is not None and not example.only_title:
            rows.append((page_row(one)[None], np.array([float(one.f1 >= GOOD)]), np.array([weight])))
    return _stacked(rows)


def verdict_rows(some: Sequence[Whole]) -> Rows:
    """Return the rows of the model of verdicts.

    The pages of a site that have the same role and alteration share one weight, and so do all single pages.
    """
    some = [one for one in some if not one.example.only_title]
    parts = [(one.example.role, one.altered, one.example.group * one.example.site) for one in some]
    number, rows = Counter(parts), []
    for one, part in zip(some, parts, strict=True):
        role, kind, site = part
        if role != "other":
            weight = SITE_WEIGHT * (1 if site else SINGLE_PAGES) * (ALTERED if kind else 1) / number[part]
            rows.append((page_row(one)[None], np.array([float(role == "article")]), np.array([weight])))
    return _stacked(rows)


def page_row(one: Whole) -> Float32:
    """Return the features of a page; of one in `WITHOUT_ADDRESS` pages alone the address is unknown."""
    if one.known or path_number(one.example.source.id) % WITHOUT_ADDRESS:
        return one.page
    of_address = np.char.startswith(page_names(), "address ")
    return np.where(of_address, np.float32(np.nan), one.page)


def left_out(learnt: Sequence[Whole], name: str, judged: Sequence[Whole] | None = None) -> dict[int, Float64]:
    """Return what the models that were learnt without the fold of each page predict for it, by its ``id()``.

    judged: the pages; None: those that are learnt from.
    """
    found = {}
    for fold in range(FOLDS):
        others = [one for one in learnt if one.example.fold != fold]
        model = LEFT_OUT[fold][name] = fit(whole_rows(others, name), name, model_names()[name])
        for one in learnt if judged is None else judged:
            if one.example.fold == fold:
                x = one.x if name == "title" else one.page[None]
                probability = model.probability(x)
                found[id(one)] = title_probability(probability, x) if name == "title" else probability
    return found


def records_of(wholes: Sequence[Whole]) -> Iterator[dict[str, Any]]:
    """Yield a record of each left-out page: its site, role, F1, title, verdict and confidence."""
    titles, verdicts, good = (left_out(wholes, name) for name in ("title", "article", "good"))
    for one in wholes:
        if one.altered:
            continue
        example, title = one.example, None
        if example.role == "article" and example.title and one.candidates:
            title = same_title(example.title, one.candidates[int(titles[id(one)].argmax())])
        yield {
            "group": example.group,
            "page": example.source.id,
            "site": example.site,
            "known": one.known,
            "role": example.role,
            "f1": one.f1,
            "title": title,
            "verdict": bool((verdicts[id(one)][0] >= thresholds.ARTICLE) == (example.role == "article")),
            "confidence": float(good[id(one)][0]),
            **({} if example.site else as_read(example)),
        }


def as_read(one: Example) -> dict[str, float]:
    """Return the word F1 of the text of a single page, and of text and comments, by left-out models."""
    article = SinglePage(models=LEFT_OUT[one.fold]).predict(parse(one.source))
    comments = (comment["text"] for comment in comment_records(article.comments))
    whole = "\n".join((article.text, *comments))
    return {
        "text": word_score(one.text, article.text).f1,
        "text and comments": word_score(one.text, whole).f1,
    }


def report(records: Sequence[dict[str, Any]]) -> None:
    """Print the scores of left-out pages per site, by the page alone and with its site."""
    print("site: by the page alone, with its site: F1, titles of articles, verdicts of articles, of indexes")
    means: dict[tuple[bool, str], list[float]] = {}
    for group, some in groupby(records, lambda one: one["group"] if one["site"] else "single pages"):
        own = list(some)
        scores = []
        for known in (False, True):
            for name, role in (("f1", None), ("title", None), ("verdict", "article"), ("verdict", "index")):
                values = [
                    one[name]
                    for one in own
                    if one["known"] == known and one[name] is not None and role in (None, one["role"])
                ]
                scores.append(f"{np.mean(values):.3f}" if values else "-")
                if values and own[0]["site"]:
                    means.setdefault((known, f"{name} {role or ''}"), []).append(float(np.mean(values)))
        print(group, *scores, flush=True)
    for (known, name), own in means.items():
        print("with its site" if known else "alone", name, f"{np.mean(own):.3f}")
    for known in (False, True):
        own = [one for one in records if one["site"] and one["known"] == known and one["f1"] is not None]
        truth, found = (np.array([one[key] for one in own]) for key in ("f1", "confidence"))
        print("with its site" if known else "alone", "confidence", *calibration(truth >= GOOD, found))


def calibration(truth: Bool, found: Float64) -> tuple[str, str]:
    """Return the area under the curve, and the calibration error over ten bins, as texts."""
    order = rankdata(found)
    yes, no = truth.sum(), (~truth).sum()
    area = (order[truth].sum() - yes * (yes + 1) / 2) / max(yes * no, 1)
    bins = np.minimum((found * 10).astype(int), 9)
    error = sum(abs((found - truth)[bins == k].sum()) for k in range(10)) / max(len(truth), 1)
    return f"AUC {area:.3f}", f"ECE {error:.3f}"


def judge_pages(examples: Sequence[Example]) -> list[Whole]:
    """Return the pages that are learnt from, each by itself, and those of sites with their sites, too."""
    judge_alone(examples)
    by_page = {id(one): list(wholes_of(one, ["alone"])) for one in examples if one.site or one.learnt}
    alone = [whole for one in examples if one.learnt for whole in by_page[id(one)]]
    of_sites = [whole for one in examples if one.site for whole in by_page[id(one)]]
    return alone + list(learn_sites(examples, of_sites, alone))


def write_left_out(folder: Path = FOLDER) -> None:
    """Write the models that have not seen a fold and were learnt last."""
    for fold, models in LEFT_OUT.items():
        file = file_of(fold, folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_trees(file, models, FORMAT)


def main(file: Path | None = None) -> None:
    """Print the scores of left-out pages, and write them, or the models of all pages."""
    examples = sorted(all_examples(), key=lambda one: (not one.site, one.group))
    print(f"{len(examples)} pages", flush=True)
    wholes = judge_pages(examples)
    records = sorted(records_of(wholes), key=lambda one: (not one["site"], one["group"]))
    report(records)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
        write_left_out()
        return
    models = {"alone": trained_models()["alone"]}
    for name, names in model_names().items():
        if name == "alone":
            continue
        rows = block_rows(examples, name) if name in (*OF_PAGE, *OF_SITE) else whole_rows(wholes, name)
        models[name] = fit(rows, name, names)
    write_trees(MODEL, models, FORMAT)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
