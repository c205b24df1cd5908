"""Train the models of kinds of pages and of posts and comments: ``make train``, after those of `singlepage`.

    python experiments/training/threads.py

    pages with the probabilities of their blocks --> kinds --> groups with the probability of a thread
        --> comments or posts, first post

The pages are those of WCXB, and pages of the sites of the bench, read without their site. The probabilities
of their blocks come from models that have not seen the site: those of main text are what `alone` wrote with
a folder, those of comments are learnt here (`singlepage.cross_fit`). So do the probabilities of a thread from
which the models of groups learn.

The truth of a kind is that of WCXB, or ``labels/kinds.tsv`` by the type of a page of the bench. The truth of
a group of elements is the F1 of its texts and the true comments, one to one, with or without its first
element: the word F1 of a pair is its weight. Those of WCXB are known on forum pages (`experiments.datasets.
forums`); its pages of the kinds `WITHOUT` count as pages without comments.

The scores that are printed are those of left-out sites and domains: for kinds the share of right ones and the
calibration error; for comments the F1 one to one over the pages that have some, the share of these pages
whose first element is judged rightly, and the share of other pages on which comments are found.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from experiments.datasets.bench import read_bench
from experiments.datasets.forums import posts_of
from experiments.datasets.maincontent import read_main_pages
from experiments.training import singlepage
from experiments.training.domains import FOLDS, left_out_models
from experiments.training.singlepage import Example, facts_of
from webgrain.base.arrays import Float32, Float64
from webgrain.base.metrics import words
from webgrain.base.trees import BoostedTrees, learn_trees, write_trees
from webgrain.columns.blocks import block_features
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction import threads, thresholds
from webgrain.extraction.context import log_odds
from webgrain.extraction.kinds import kind_features, kind_names
from webgrain.extraction.single import choose_blocks, drop_repeats
from webgrain.extraction.threads import Group, dated, group_features, group_names, groups
from webgrain.extraction.wholepage import page_features
from webgrain.io.contentmarks import PAGE_KINDS

MODEL = Path(__file__).parents[2] / "src" / "webgrain" / "extraction" / "trained" / "threads.model"
LABELS = Path(__file__).parents[1] / "datasets" / "labels" / "kinds.tsv"
KINDS = {
    "article": "article",
    "forum": "thread",
    "product": "product",
    "collection": "list",
    "listing": "list",
    "documentation": "documentation",
    "service": "other",
}
"""Kinds of pages of WCXB."""
WITHOUT = ("service", "documentation", "collection", "listing")
"""Kinds of pages of WCXB that have no comments."""
MOST = {"article": 14, "index": 6, "other": 4}
"""Pages of a site, by role, that are learnt from."""
SITE_WEIGHT, DOMAIN_WEIGHT = 3.0, 0.3
"""Weight of a kind on a site for the models of kinds; weight of a domain of WCXB for those of groups."""
SETTINGS = {"kind": (90, 8, 0.08), "comments": (120, 12, 0.08), "first": (60, 6, 0.08)}
"""Number of trees, leaves per tree and learning rate of each model."""
_SAME = 0.5
"""Word F1 at which two texts may be the same comment."""


@dataclass(slots=True, eq=False)
class Judged:
    """A page whose blocks are judged by models that have not seen its site.

    Attributes:
        site, fold, bench: its site or domain, its fold, and whether it is a page of the bench.
        kind: the true one, empty if it is not known; of_kind: (f,) the features of the kind.
        comments: how many it has, None if they are not known.
        x: (g, f) the features of its groups; all, rest: (g,) the F1 of a group, and without its first one.
    """

    site: str
    fold: int
    bench: bool
    kind: str
    of_kind: Float32
    comments: int | None
    x: Float32
    all: Float64
    rest: Float64


def judged(one: Example, kind: str, comments: Sequence[str] | None) -> Judged:
    """Return a page with the truth of its groups.

    kind: empty if it is not known; comments: the true ones, None if they are not known.
    """
    page, facts = facts_of(one.source)
    main, comment = one.judged["alone"]
    chosen = drop_repeats(facts, choose_blocks(main, facts.blocks.weight))
    whole = page_features(page, block_features(page), None, main, comment, chosen)
    candidates = groups(facts, main, comment)
    x = group_features(facts, candidates, main, comment, dated(facts), np.nan)
    true = [Counter(words(text)) for text in comments or () if words(text)]
    own = [Counter(words(text)) for text in facts.blocks.texts] if true else []
    scores = np.array([group_scores(group, own, true) for group in candidates]).reshape(-1, 2)
    return Judged(
        one.group,
        one.fold,
        one.site,
        kind,
        kind_features(page, facts, whole),
        None if comments is None else len(true),
        x,
        scores[:, 0],
        scores[:, 1],
    )


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


# Kinds.


def kind_rows(pages: Sequence[Judged]) -> tuple[Float32, NDArray[np.intp], Float64]:
    """Return features (r, f), kinds (r,) and weights (r,) of the pages with a known kind.

    The pages of a site that have the same kind share one weight; rare kinds have more weight.
    """
    number = Counter((one.site, one.kind) for one in pages)
    weight = np.array([(SITE_WEIGHT if one.bench else 1.0) / number[one.site, one.kind] for one in pages])
    kind = np.array([PAGE_KINDS.index(one.kind) for one in pages])
    of_kind = np.bincount(kind, weight, len(PAGE_KINDS))
    return np.stack([one.of_kind for one in pages]), kind, weight / np.sqrt(of_kind[kind])


def learn_kinds(pages: Sequence[Judged]) -> list[BoostedTrees]:
    """Return a model for each kind."""
    x, kind, weight = kind_rows([one for one in pages if one.kind])
    return [fit("kind", x, (kind == k).astype(float), weight) for k in range(len(PAGE_KINDS))]


def kind_odds(models: Sequence[BoostedTrees], pages: Sequence[Judged]) -> Float64:
    """Return the log odds (p, k) of the kinds of pages."""
    x = np.stack([one.of_kind for one in pages])
    return np.stack([model.odds(x) for model in models], axis=1)


def softmax(odds: Float64, scale: Float64) -> Float64:
    """Return probabilities (p, k); scale: a factor, and a bias for each kind."""
    odds = odds * scale[0] + scale[1:]
    share = np.exp(odds - odds.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)


def calibrated(odds: Float64, pages: Sequence[Judged]) -> Float64:
    """Return the scale with the best likelihood of the true kinds; odds: by models of other folds."""
    known = np.array([bool(one.kind) for one in pages])
    _, kind, weight = kind_rows([one for one in pages if one.kind])
    rows = np.arange(len(kind))

    def loss(scale: Float64) -> float:
        return -float(weight @ np.log(softmax(odds[known], scale)[rows, kind] + 1e-9))

    start = np.append(1.0, np.zeros(len(PAGE_KINDS)))
    return np.asarray(minimize(loss, start, method="L-BFGS-B").x)


def scaled(model: BoostedTrees, factor: float, bias: float) -> BoostedTrees:
    """Return a model whose log odds are multiplied and moved."""
    return replace(model, bias=model.bias * factor + bias, value=(model.value * factor).astype(np.float32))


# Groups.


def learn_groups(pages: Sequence[Judged]) -> dict[str, BoostedTrees]:
    """Return the models of groups, learnt from the pages whose comments are known."""
    known = [one for one in pages if one.comments is not None]
    number = Counter(one.site for one in known)
    rows = [
        (
            one.x,
            np.maximum(one.all, one.rest),
            (one.rest > one.all).astype(float),
            np.full(len(one.x), (1.0 if one.bench else DOMAIN_WEIGHT) / number[one.site]),
        )
        for one in known
    ]
    x, good, first, weight = (np.concatenate(column) for column in zip(*rows, strict=True))
    truths = {"comments": (good, good >= 0), "first": (first, good > _SAME)}
    return {name: fit(name, x[used], truth[used], weight[used]) for name, (truth, used) in truths.items()}


def fit(name: str, x: Float32, truth: Float64, weight: Float64) -> BoostedTrees:
    """Return the trees of a model."""
    trees, leaves, rate = SETTINGS[name]
    return learn_trees(
        x,
        truth,
        weight,
        kind_names() if name == "kind" else group_names(),
        max_iter=trees,
        max_leaf_nodes=leaves,
        learning_rate=rate,
        min_samples_leaf=20,
        l2_regularization=5.0,
        max_features=0.3,
        max_bins=63,
    )


# Left-out sites.


def by_fold(pages: Sequence[Judged]) -> Iterator[tuple[list[Judged], list[int]]]:
    """Yield the pages of the other folds and the places of the pages of each fold."""
    for fold in range(FOLDS):
        others = [one for one in pages if one.fold != fold]
        yield others, [k for k, one in enumerate(pages) if one.fold == fold]


def judge_kinds(pages: Sequence[Judged]) -> Float64:
    """Write the probability of a thread into the features of groups; return the scale of the log odds."""
    odds = np.zeros((len(pages), len(PAGE_KINDS)))
    for others, places in by_fold(pages):
        odds[places] = kind_odds(learn_kinds(others), [pages[k] for k in places])
    scale = calibrated(odds, pages)
    probability = softmax(odds, scale)
    for one, chances in zip(pages, probability, strict=True):
        one.x[:, -1] = chances[PAGE_KINDS.index("thread")]
    report_kinds(pages, probability)
    return scale


def report_kinds(pages: Sequence[Judged], probability: Float64) -> None:
    """Print the share of right kinds, the calibration error, and precision and recall of each kind."""
    for name, bench in (("WCXB", False), ("bench", True)):
        rows = [k for k, one in enumerate(pages) if one.kind and one.bench == bench]
        true = np.array([PAGE_KINDS.index(pages[k].kind) for k in rows])
        best, chance = probability[rows].argmax(axis=1), probability[rows].max(axis=1)
        right = best == true
        bins = np.minimum((chance * 10).astype(int), 9)
        error = sum(abs((chance - right)[bins == k].sum()) for k in range(10)) / len(rows)
        print(f"{name}: {len(rows)} pages, right {right.mean():.3f}, calibration error {error:.3f}")
        for k, kind in enumerate(PAGE_KINDS):
            precision, recall = right[best == k], right[true == k]
            print(f"  {kind}: precision {mean_of(precision):.3f}, recall {mean_of(recall):.3f}")


def mean_of(values: Iterable[float]) -> float:
    """Return the mean of numbers; NaN for none."""
    known = [*values]
    return float(np.mean(known)) if known else float("nan")


def report_groups(pages: Sequence[Judged]) -> None:
    """Print the scores of the groups that models of other folds choose."""
    scores = defaultdict[tuple[str, str], list[float]](list)
    for others, places in by_fold(pages):
        models = learn_groups(others)
        for one in (pages[k] for k in places):
            if one.comments is None or not len(one.x):
                continue
            chance = models["comments"].probability(one.x)
            best = int(chance.argmax())
            site = one.site if one.bench else f"WCXB {one.kind}"
            if not one.comments:
                scores[site, "false"].append(chance[best] >= thresholds.LEAST_POSTS)
                continue
            first = models["first"].probability(one.x[best][None])[0] >= 0.5
            scores[site, "one to one"].append(one.rest[best] if first else one.all[best])
            if max(one.all[best], one.rest[best]) > _SAME:
                scores[site, "first"].append(first == (one.rest[best] > one.all[best]))
    total = defaultdict[str, list[float]](list)
    for (site, name), values in sorted(scores.items()):
        print(f"{site}, {name}: {np.mean(values):.3f} of {len(values)} pages")
        if not site.startswith("WCXB"):
            total[name].append(float(np.mean(values)))
    print("mean of the sites", {name: round(mean_of(values), 3) for name, values in total.items()})


# Pages.


def read_pages() -> list[Judged]:
    """Return the pages of WCXB and the bench."""
    examples = [one for one in singlepage.read_examples() if one.learnt]
    models = left_out_models()
    for one, found in singlepage.cross_fit(examples, ["comment"]):
        odds = log_odds(models[one.fold]["alone"].probability(one.x))
        singlepage.judge(one, "alone", odds, found["comment"])
    return judged_pages(examples)


def judged_pages(examples: Sequence[Example]) -> list[Judged]:
    """Return pages with the truth of their kinds and groups; at most `MOST` of each role of a site."""
    wcxb = {page.source.id: page for page in read_main_pages(data_folder() / "main-content")}
    bench = {site.name: site for site in read_bench()}
    lines = LABELS.read_text(encoding="utf-8").splitlines()[1:]
    kinds = {(site, type_): kind for site, type_, kind in (line.split("\t") for line in lines)}
    number, pages = Counter[tuple[str, str]](), []
    for one in examples:
        number[one.group, one.role] += one.site
        if number[one.group, one.role] > MOST[one.role]:
            continue
        comments: Sequence[str] | None
        if one.site:
            site = bench[one.group]
            kind = "list" if one.role == "index" else kinds.get((one.group, site.types[one.source.id]), "")
            comments = site.truth[one.source.id].get("comments") or () if one.role == "article" else None
        else:
            page = wcxb[one.source.id]
            posts = posts_of(page)
            kind = KINDS[page.kind]
            without = () if page.kind in WITHOUT else None
            comments = without if posts is None else posts[0][posts[1] :]
        pages.append(judged(one, kind, comments))
    return pages


def train(pages: Sequence[Judged]) -> dict[str, BoostedTrees]:
    """Return the models of all pages; print the scores of left-out sites."""
    scale = judge_kinds(pages)
    report_groups(pages)
    factor, *biases = scale.tolist()
    of_kinds = zip(PAGE_KINDS, learn_kinds(pages), biases, strict=True)
    return learn_groups(pages) | {
        f"kind {kind}": scaled(model, factor, bias) for kind, model, bias in of_kinds
    }


def main() -> None:
    """Train the models, print the scores of left-out sites, and write the models of all sites."""
    write_trees(MODEL, train(read_pages()), threads.FORMAT)


if __name__ == "__main__":
    main()
