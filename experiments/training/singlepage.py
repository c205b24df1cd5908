"""Train the models of `SinglePage` that come with webgrain: ``make train``.

    python experiments/training/singlepage.py

    pages --Example--> features, truth of the blocks --> main text, comments, with and without the site
          --titles, pages--> title, verdict, confidence

The pages are the single pages of WCXB and the pages of the whole sites of the bench. The truth of a block is
the share of its words that belongs to the true text (`alignment`). Every domain has the same weight, and a
site of the bench `SITE_WEIGHT` times that; the blocks of a page are weighted by their letters.

Whatever a later model learns from is the prediction of an earlier model that was learnt from the other folds
(`FOLDS` parts of the sites and domains). The features of a site are those of the texts of its other half.
Titles, verdicts and confidences are learnt from each page of a site twice, with its site and without.
Comments are known on the pages of the bench only: on forum pages of WCXB the true blocks are posts of both
kinds and are not used, except by the model for pages without a site; on other pages true blocks are no
comments.

The scores that are printed are those of left-out sites and domains. The same data and the same versions of
the libraries give the same file.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.bench import bench_names, folds, read_bench
from experiments.datasets.maincontent import read_main_pages, word_f1, words
from experiments.metrics import same_title
from experiments.training.alignment import true_shares
from experiments.training.boosting import learn_trees
from webgrain.errors import ParameterError
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction.context import Surroundings, context
from webgrain.extraction.features import TITLE, PageFacts, feature_names, features
from webgrain.extraction.single import (
    FORMAT,
    choose_blocks,
    drop_repeats,
    join,
    model_names,
    readable,
    site_texts,
    smooth,
)
from webgrain.extraction.sitetexts import PageTexts, SiteTexts, page_texts, text_number
from webgrain.extraction.titles import Head, candidates, main_start, title_features
from webgrain.extraction.wholepage import page_features
from webgrain.page.parsing import parse
from webgrain.trees import BoostedTrees, write_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from webgrain.arrays import Float32, Float64
    from webgrain.page.page import Page, Source

MODEL = Path(__file__).parents[2] / "src" / "webgrain" / "extraction" / "trained" / "single.model"

FOLDS = 4
SITE_WEIGHT = 6.0
"""Weight of a site of the bench; that of a domain of WCXB is 1."""
SITE_PAGES = {"article": 50, "index": 20, "other": 8}
"""Pages of a site, by role, drawn at random, that are learnt from."""
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
    "article": (60, 8, 0.08, 0.3),
    "good": (60, 4, 0.06, 0.3),
}
"""Number of trees, leaves per tree, learning rate, and share of features of a split, of each model."""
OF_PAGE, OF_SITE = ("alone", "main", "comment"), ("main of site", "comment of site", "texts of site")
GOOD = 0.8
"""F1 of the text at which an extraction is good."""
LEAST_WORDS = 10
"""Words of a true main text, at least, that is compared."""
_INDEX = ("collection", "listing")
_TAG = feature_names().index("tag")


@dataclass(slots=True, eq=False)
class Example:
    """A page with the truth of its blocks.

    Attributes:
        source, group, fold: the page, its site or domain, and the fold in which it is left out.
        role: article, index or other; forum: whether it is a forum page of WCXB; site: whether of the bench.
        title, text, comments: the truth; an empty text is unknown.
        texts: of the blocks; x, around, own: their features, places, and numbers.
        main, comment: (b,) the share of each block that is main text, or a comment.
        of_site: (b, s) features of the texts of the other half of the site; None for a single page.
        found: (2, b) the probabilities of main text and comment by the page alone, by models that have not
            seen it; judged: the probabilities of both after smoothing, without and with the site.
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
    around: Surroundings
    own: PageTexts
    main: Float64
    comment: Float64
    of_site: Float32 | None = None
    found: Float64 = field(default_factory=lambda: np.zeros((2, 0)))
    judged: list[tuple[Float64, Float64]] = field(default_factory=list)

    @property
    def labelled(self) -> bool:
        """Whether the truth of the blocks is known."""
        return not self.site or (self.role == "article" and bool(self.text))


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
    x = features(facts)
    around = Surroundings.of(facts, x)
    own = page_texts(page.id, facts, around)
    return Example(
        source,
        text=text,
        comments=comments,
        texts=texts,
        x=x,
        around=around,
        own=own,
        main=main,
        comment=comment,
        **known,
    )


def facts_of(source: Source) -> tuple[Page, PageFacts]:
    """Return a page as `SinglePage` reads it, and its facts."""
    page, blocks, _ = readable(parse(source))
    return page, PageFacts(page.dom, blocks)


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


def site_examples(name: str, fold: int) -> Iterator[Example]:
    """Yield the examples of a site, with the features of the texts of the other half of it."""
    [site] = read_bench([name])
    rng, drawn = np.random.default_rng(1), set[str]()
    for role, most in SITE_PAGES.items():
        own = sorted(path for path, of in site.roles.items() if of == role)
        drawn.update(rng.permutation(own)[:most].tolist())
    halves: tuple[list[PageTexts], list[PageTexts]] = ([], [])
    examples = []
    for source in site.sources():
        truth = site.truth.get(source.id, {}) if source.id in drawn else {}
        one = example_of(
            source,
            truth.get("text") or "",
            "\n".join(truth.get("comments") or ()),
            group=name,
            fold=fold,
            role=site.roles[source.id],
            forum=False,
            site=True,
            title=truth.get("title") or "",
        )
        if one is None:
            continue
        halves[half_of(source.id)].append(one.own)
        if source.id in drawn:
            examples.append(one)
    texts = [SiteTexts.learn(half) for half in halves]
    for one in examples:
        one.of_site = texts[1 - half_of(one.source.id)].features(one.own, one.around)
        yield one


def half_of(name: str) -> int:
    """Return the half of its site that a page belongs to, 0 or 1."""
    return text_number(name) % 2


def fold_of(domain: str) -> int:
    """Return the fold of a domain; the same in every run.

    >>> fold_of("example.com")
    1
    """
    return int(hashlib.sha256(domain.encode()).hexdigest(), 16) % FOLDS


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
        kept, weight = _drawn(one.around.letters, BLOCKS["site" if of_site else "page"][not one.site], rng)
        usable = np.ones(len(kept), bool)
        if one.forum and name != "alone":  # a post may be the first one or a reply
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
    return (
        one.of_site if name == "texts of site" else np.hstack([context(one.around, *one.found), one.of_site])
    )


def _drawn(letters: Float64, most: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], Float64]:
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


# Titles, verdicts and confidences learn from predictions for left-out pages.


def cross_fit(examples: Sequence[Example]) -> None:
    """Set `Example.found` and `Example.judged` by models that have not seen the fold."""
    for names in (OF_PAGE, OF_SITE):
        for fold in range(FOLDS):
            others = [one for one in examples if one.fold != fold]
            models = {name: fit(block_rows(others, name), name, model_names()[name]) for name in names}
            for one in examples:
                if one.fold == fold and (names == OF_PAGE or one.site):
                    found = {
                        name: model.probability(features_of(one, name)) for name, model in models.items()
                    }
                    if names == OF_PAGE:
                        one.found = np.stack([found["main"], found["comment"]])
                    known = names == OF_SITE
                    first = one.found[0] if known else found["alone"]
                    odds, comment = join(first, one.found[1], found if known else None)
                    main = smooth(odds, one.around.path, one.around.letters)
                    titles = one.x[:, _TAG] == TITLE
                    main[titles] = comment[titles] = 0.0
                    one.judged.append((main, comment))


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A page for the models of titles and pages, with or without its site.

    Attributes:
        example: the page; known: whether with the features of its site.
        candidates: the texts that may be the title; x: (c, f) their features.
        page: (g,) the features of the page; f1: the word F1 of its text, None if the truth is unknown.
    """

    example: Example
    known: bool
    candidates: tuple[str, ...]
    x: Float32
    page: Float32
    f1: float | None


def wholes_of(one: Example, site: SiteTexts | None) -> Iterator[Whole]:
    """Yield a page without its site, and with the texts of the other half of its site."""
    page, facts = facts_of(one.source)
    head = Head.of(facts)
    for known in (False, True) if one.site else (False,):
        main, comment = one.judged[known]
        some = candidates(facts, head, main_start(facts, main))
        if not some:
            continue
        x = title_features(page, facts, head, some, main, site if known else None, own=False)
        chosen = drop_repeats(page.dom, facts.blocks, choose_blocks(main, facts.blocks.weight))
        of_page = page_features(facts, one.x, one.of_site if known else None, main, comment, chosen)
        f1 = best_f1(one, "\n".join(facts.blocks.texts[k] for k in chosen.tolist()))
        yield Whole(one, known, tuple(candidate.text for candidate in some), x, of_page, f1)


def best_f1(one: Example, found: str) -> float | None:
    """Return the word F1 of a text with the main text, or with main text and comments if that is higher."""
    if one.site and (one.role != "article" or len(words(one.text)) < LEAST_WORDS):
        return None
    return max(word_f1(one.text, found), word_f1(f"{one.text}\n{one.comments}", found))


def whole_rows(some: Sequence[Whole], name: str) -> Rows:
    """Return the rows of the model of titles, verdicts (article) or confidence (good)."""
    number = Counter((one.example.group, one.example.role) for one in some)
    rows = []
    for one in some:
        example = one.example
        weight = (SITE_WEIGHT if example.site else 1.0) / number[example.group, example.role]
        if name == "title":
            truth = np.array([same_title(example.title, text) for text in one.candidates], float)
            if example.title and truth.any():
                rows.append((one.x, truth, np.full(len(truth), weight)))
        elif name == "article" and example.role != "other":
            rows.append((one.page[None], np.array([float(example.role == "article")]), np.array([weight])))
        elif name == "good" and one.f1 is not None:
            rows.append((one.page[None], np.array([float(one.f1 >= GOOD)]), np.array([weight])))
    return _stacked(rows)


def site_wholes(examples: Sequence[Example]) -> Iterator[Whole]:
    """Yield the pages of one site, or of one domain, for the models of titles and pages."""
    first, texts = examples[0], [None, None]
    if first.site:
        [site] = read_bench([first.group])
        pages = list(site.pages())
        texts = [site_texts(page for page in pages if half_of(page.id) == half) for half in (0, 1)]
    for one in examples:
        yield from wholes_of(one, texts[1 - half_of(one.source.id)])


def report(wholes: Sequence[Whole]) -> None:
    """Print the scores of left-out pages: F1 of the text, titles and verdicts, per site."""
    found: dict[tuple[bool, str], list[Whole]] = {}
    for one in wholes:
        found.setdefault((one.known, one.example.group if one.example.site else "single pages"), []).append(
            one
        )
    predicted = {name: left_out(wholes, name) for name in ("title", "article", "good")}
    print("site, with its texts, F1, titles of articles, articles, indexes")
    for (known, group), own in found.items():
        f1 = [one.f1 for one in own if one.f1 is not None]
        articles = [one for one in own if one.example.role == "article"]
        titles = [
            same_title(one.example.title, one.candidates[int(predicted["title"][id(one)].argmax())])
            for one in articles
            if one.example.title and one.candidates
        ]
        result = [predicted["article"][id(one)][0] >= 0.5 for one in articles]
        lists = [predicted["article"][id(one)][0] < 0.5 for one in own if one.example.role == "index"]
        scores = [f"{np.mean(x):.3f}" if x else "-" for x in (f1, titles, result, lists)]
        print(group, "yes" if known else "no", *scores, flush=True)


def left_out(wholes: Sequence[Whole], name: str) -> dict[int, Float64]:
    """Return what the models that were learnt without the fold of each page predict for it."""
    found = {}
    for fold in range(FOLDS):
        others = [one for one in wholes if one.example.fold != fold]
        model = fit(whole_rows(others, name), name, model_names()[name])
        for one in wholes:
            if one.example.fold == fold:
                x = one.x if name == "title" else one.page[None]
                found[id(one)] = model.probability(x)
    return found


def main() -> None:
    """Train all models, print the scores of left-out pages, and write the models that have seen all pages."""
    examples = sorted(read_examples(), key=lambda one: one.group)
    print(f"{len(examples)} pages", flush=True)
    cross_fit(examples)
    wholes = [one for _, own in groupby(examples, lambda one: one.group) for one in site_wholes(list(own))]
    models = {}
    for name, names in model_names().items():
        rows = block_rows(examples, name) if name in (*OF_PAGE, *OF_SITE) else whole_rows(wholes, name)
        models[name] = fit(rows, name, names)
    write_trees(MODEL, models, FORMAT)
    report(wholes)


if __name__ == "__main__":
    main()
