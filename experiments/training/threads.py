"""Train the models that find the comments of a page: ``make train``, after those of `singlepage`.

    python experiments/training/threads.py

The pages are the articles of the sites of the bench, each without and with its site. The probabilities of
their blocks come from models that have not seen the site (`singlepage.cross_fit`). The truth of a group of
elements is the F1 of its texts and the true comments, one to one, with or without its first element: the word
F1 of a pair is its weight. Every site has the same weight.

The scores that are printed are those of left-out sites: the word F1 of all comments, the F1 of comments one
to one, both over the pages with comments, and the share of the other pages on which comments are found.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from experiments.datasets.bench import folds, read_bench
from webgrain.base.arrays import Float32, Float64
from webgrain.base.metrics import words
from webgrain.base.trees import BoostedTrees, learn_trees, write_trees
from webgrain.columns.blocks import PageFacts
from webgrain.documents.parts import Part
from webgrain.extraction import threads
from webgrain.extraction.single import readable
from webgrain.extraction.threads import Group, dated, find_posts, group_features, group_names, groups
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

MODEL = Path(__file__).parents[2] / "src" / "webgrain" / "extraction" / "trained" / "threads.model"
FOLDS = 5
WITHOUT_COMMENTS = 1.0
"""Weight of a site without comments; that of the others is 1. With 0.25, many texts become comments."""
SETTINGS = {"comments": (60, 10, 0.08), "first": (40, 6, 0.08)}
"""Number of trees, leaves per tree and learning rate of each model."""
_SAME = 0.5
"""Word F1 at which two texts may be the same comment."""


@dataclass(slots=True, eq=False)
class Judged:
    """A page with the probabilities of its blocks, and its groups with their truth.

    Attributes:
        site, source: where it is from; comments: the true ones.
        main, comment: (b,) probabilities by models that have not seen the site.
        x: (g, f) the features of its groups; all, rest: (g,) the F1 of a group, and without its first one.
    """

    site: str
    source: Source
    comments: tuple[str, ...]
    main: Float64
    comment: Float64
    x: Float32
    all: Float64
    rest: Float64


def judged(site: str, source: Source, comments: Sequence[str], main: Float64, comment: Float64) -> Judged:
    """Return a page with the truth of its groups."""
    _, facts = facts_of(source)
    found = groups(facts, main, comment)
    x = group_features(facts, found, main, comment, dated(facts))
    true = [Counter(words(text)) for text in comments if words(text)]
    own = [Counter(words(text)) for text in facts.blocks.texts] if true else []
    scores = np.array([group_scores(group, own, true) for group in found]).reshape(-1, 2)
    kept = tuple(text for text in comments if words(text))
    return Judged(site, source, kept, main, comment, x, scores[:, 0], scores[:, 1])


def facts_of(source: Source) -> tuple[Page, PageFacts]:
    """Return a page as `SinglePage` reads it, and its facts."""
    page, blocks, _ = readable(parse(source))
    return page, PageFacts(page.dom, blocks)


def group_scores(
    group: Group, own: Sequence[Counter[str]], true: Sequence[Counter[str]]
) -> tuple[float, float]:
    """Return the F1 of a group, and of a group without its first element; own: the words of the blocks."""
    if not true or len(group) > 4 * len(true) + 8:
        return 0.0, 0.0
    owner = group.owner(len(own))
    found = [sum((own[j] for j in np.flatnonzero(owner == k)), Counter()) for k in range(len(group))]
    return items_f1(true, found), items_f1(true, found[1:])


def items_f1(true: Sequence[Counter[str]], found: Sequence[Counter[str]]) -> float:
    """Return the F1 of texts, one to one: the weight of a pair is its word F1.

    >>> items_f1([Counter("ab"), Counter("cd")], [Counter("cd")])
    0.6666666666666666
    """
    if not true or not found:
        return 0.0
    free, total = list(found), 0.0
    for one in true:
        scores = [2 * (one & other).total() / max(one.total() + other.total(), 1) for other in free]
        best = int(np.argmax(scores)) if scores else -1
        if scores and scores[best] >= _SAME:
            total += scores[best]
            del free[best]
    return 2 * total / (len(true) + len(found))


def learn(pages: Sequence[Judged]) -> dict[str, BoostedTrees]:
    """Return the models learnt from pages."""
    number = Counter(one.site for one in pages)
    commented = {one.site for one in pages if one.comments}
    rows = [
        (
            one.x,
            np.maximum(one.all, one.rest),
            (one.rest > one.all).astype(float),
            np.full(len(one.x), (1.0 if one.site in commented else WITHOUT_COMMENTS) / number[one.site]),
        )
        for one in pages
    ]
    x, good, first, weight = (np.concatenate(column) for column in zip(*rows, strict=True))
    truths = {"comments": (good, good >= 0), "first": (first, good > _SAME)}
    models = {}
    for name, (truth, used) in truths.items():
        trees, leaves, rate = SETTINGS[name]
        models[name] = learn_trees(
            x[used],
            truth[used],
            weight[used],
            group_names(),
            max_iter=trees,
            max_leaf_nodes=leaves,
            learning_rate=rate,
            min_samples_leaf=20,
            l2_regularization=5.0,
            max_features=0.3,
            max_bins=63,
        )
    return models


def left_out(pages: Sequence[Judged]) -> Iterator[tuple[Judged, tuple[Part, ...]]]:
    """Yield each page with the comments that models find on it that have not seen its site."""
    names = sorted({one.site for one in pages})
    fold = dict(zip(names, (folds(names) % FOLDS).tolist(), strict=True))
    shipped = threads.thread_models
    for k in range(FOLDS):
        models = learn([one for one in pages if fold[one.site] != k])
        threads.thread_models = lambda models=models: models  # type: ignore[misc, assignment]
        for one in pages:
            if fold[one.site] == k:
                page, facts = facts_of(one.source)
                posts = find_posts(facts, one.main, one.comment)
                yield one, posts.parts(page, np.maximum(one.main, one.comment)) if posts else ()
    threads.thread_models = shipped


def flat(comments: Sequence[Part]) -> Iterator[Part]:
    """Yield comments and the replies to them, each without its replies."""
    for part in comments:
        replies = [child for child in part.parts if child.kind == "comment"]
        yield Part(part.kind, part.node, tuple(c for c in part.children if c not in replies))
        yield from flat(replies)


def report(pages: Sequence[Judged]) -> None:
    """Print the scores per left-out site."""
    rows = defaultdict[str, dict[str, list[float]]](lambda: defaultdict(list))
    for one, parts in left_out(pages):
        own = [Counter(words(part.text)) for part in flat(parts)]
        true = [Counter(words(text)) for text in one.comments]
        if true:
            whole = sum(true, Counter[str]()), sum(own, Counter[str]())
            rows[one.site]["words"].append(
                2 * (whole[0] & whole[1]).total() / (whole[0].total() + whole[1].total())
            )
            rows[one.site]["one to one"].append(items_f1(true, own))
        else:
            rows[one.site]["false"].append(float(bool(own)))
    total = defaultdict[str, list[float]](list)
    for site, row in sorted(rows.items()):
        print(site, {name: round(float(np.mean(values)), 3) for name, values in row.items()}, flush=True)
        for name, values in row.items():
            total[name].append(float(np.mean(values)))
    print("mean", {name: round(float(np.mean(values)), 3) for name, values in total.items()})


def read_pages() -> list[Judged]:
    """Return the articles of the bench with the probabilities of their blocks, without and with the site."""
    from experiments.training.singlepage import judge_alone, judge_with_site, read_examples

    examples = read_examples()
    judge_alone(examples)
    judge_with_site(examples)
    truth = {site.name: site.truth for site in read_bench()}
    return [
        judged(
            one.group, one.source, truth[one.group][one.source.id].get("comments") or (), *one.judged[name]
        )
        for one in examples
        if one.site and one.role == "article"
        for name in ("alone", "site")
        if name in one.judged
    ]


def main() -> None:
    """Train the models, print the scores of left-out sites, and write the models of all sites."""
    pages = read_pages()
    report(pages)
    write_trees(MODEL, learn(pages), threads.FORMAT)


if __name__ == "__main__":
    main()
