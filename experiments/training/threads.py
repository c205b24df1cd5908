"""Train the models of kinds of pages and of posts and comments: ``make train``, after those of `singlepage`.

    python experiments/training/threads.py [FOLDER]

    pages with the probabilities of their blocks --> kinds --> groups with the probability of a thread
        --> comments or posts, first post --> the element with the first post

The pages are those of WCXB, pages of the sites of the bench, read without their site, and the labelled pages
of new sites. Threads are also read without their replies, and with one reply, since few of them have none
(`cut_threads`). The probabilities of blocks come from models that have not seen the site: those of main text
are what `alone` wrote with a folder, those of comments are learnt here (`singlepage.cross_fit`). So do the
probabilities of a thread from which the models of groups learn, and those of groups from which the model of
the first post learns.

The truth of a kind is that of WCXB and of the labels, or ``labels/kinds.tsv`` by the type of a page of the
bench. The truth of a group of elements is the F1 of its texts and the true comments, one to one, with or
without its first element: the word F1 of a pair is its weight. The model of posts learns from threads whose
first post is known; there, the first post is one of the true texts. Posts of WCXB are known on forum pages
(`experiments.datasets.forums`); its pages of the kinds `WITHOUT` count as pages without comments.

The scores that are printed are those of left-out sites and domains: for kinds the share of right ones and the
calibration error; for comments the F1 one to one over the pages that have some, the share of the threads
whose first post is in the chosen element, and the share of other pages on which comments are found. With
FOLDER the models that have not seen a fold are written to ``FOLDER/<fold>/threads.model``, and no model of
all pages: ``experiments/extraction_bench.py`` reads them.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from experiments.datasets.bench import read_bench
from experiments.datasets.blocks import reference_pages
from experiments.datasets.forums import posts_of
from experiments.datasets.maincontent import read_main_pages
from experiments.training import singlepage
from experiments.training.domains import FOLDS, left_out_models, threads_file
from experiments.training.singlepage import LABELLED, Example, facts_of
from webgrain.base.arrays import Float32, Float64, Int64
from webgrain.base.metrics import words
from webgrain.base.trees import BoostedTrees, learn_trees, write_trees
from webgrain.columns.blocks import PageFacts, block_features, page_facts
from webgrain.evaluation.datasets import data_folder
from webgrain.extraction import threads, thresholds
from webgrain.extraction.single import choose_blocks, drop_repeats, smooth
from webgrain.extraction.sitetexts import log_odds
from webgrain.extraction.threads import (
    Group,
    Groups,
    JudgedGroups,
    dated,
    group_features,
    group_names,
    groups,
    opening_features,
    opening_names,
    thread_group,
)
from webgrain.extraction.wholepage import kind_names, page_features
from webgrain.io.contentmarks import PAGE_KINDS
from webgrain.page.page import Page
from webgrain.page.pagepart import page_part

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
WEIGHT = {"WCXB": (1.0, 0.3), "bench": (3.0, 1.0), LABELLED: (1.0, 1.0)}
"""Weight of a kind on a site for the models of kinds, and of a site for those of groups, by data set."""
CUT = 0.2
"""Weight of a thread without most of its replies to that of a page, for the models of groups."""
SETTINGS = {
    "kind": (90, 8, 0.08),
    "comments": (120, 12, 0.08),
    "first": (60, 6, 0.08),
    "posts": (120, 12, 0.08),
    "opening": (150, 12, 0.08),
}
"""Number of trees, leaves per tree and learning rate of each model."""
_NAMES = {"kind": kind_names(), "opening": opening_names()}
_SAME, _GOOD = 0.5, 0.8
"""Word F1 at which two texts may be the same comment, and at which the first post is right."""
_RIGHT = 0.75
"""F1 of a group at which its elements are the posts that are removed from a thread."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is known about a page.

    Attributes:
        kind: the true one, empty if it is not known; first: the first post of a thread, None if it is not
            known, or the page is no thread; comments: the others, None if they are not known.
    """

    kind: str
    first: str | None
    comments: Sequence[str] | None


@dataclass(frozen=True, slots=True, eq=False)
class ReadPage:
    """A page as the models read it.

    Attributes:
        page, facts: the page; main, comment: (b,) the probabilities of its blocks; truth: what is known.
    """

    page: Page
    facts: PageFacts
    main: Float64
    comment: Float64
    truth: Truth


@dataclass(slots=True, eq=False)
class Judged:
    """A page whose blocks are judged by models that have not seen its site.

    Attributes:
        site, fold, data: its site or domain, its fold, and its data set (`WEIGHT`).
        cut: whether replies were removed from it.
        kind: the true one, empty if it is not known; of_kind: (f,) the features of the kind.
        comments: how many it has, None if they are not known; thread: whether its first post is known.
        x: (g, f) the features of its groups; good, first: (g,) the F1 of a group and the true comments, and
            whether it is better without its first element.
        posts, opening: (g,) the F1 of a group and all true posts, and the word F1 of its first element and
            the first post; 0 if the first post is not known.
        read: the page, None if its first post is not known.
    """

    site: str
    fold: int
    data: str
    cut: bool
    kind: str
    of_kind: Float32
    comments: int | None
    thread: bool
    x: Float32
    good: Float64
    first: Float64
    posts: Float64
    opening: Float64
    read: ReadPage | None

    @property
    def bench(self) -> bool:
        """Whether it is a page of the bench."""
        return self.data == "bench"


def judged(read: ReadPage, site: str, fold: int, data: str, cut: bool = False) -> Judged:
    """Return a page with the truth of its groups."""
    page, facts, main, comment, truth = read.page, read.facts, read.main, read.comment, read.truth
    chosen = drop_repeats(facts, choose_blocks(main, facts.blocks.weight))
    _, of_kind = page_features(page, block_features(page), None, main, comment, chosen)
    candidates = groups(facts, main, comment)
    return Judged(
        site,
        fold,
        data,
        cut,
        truth.kind,
        of_kind,
        None if truth.comments is None else len(counted(truth.comments)),
        truth.first is not None,
        group_features(facts, candidates, main, comment, dated(facts), np.nan),
        *group_truth(facts, candidates, truth),
        None if truth.first is None else read,
    )


def counted(texts: Sequence[str]) -> list[Counter[str]]:
    """Return the words of the texts that have some."""
    return [Counter(words(text)) for text in texts if words(text)]


def group_truth(facts: PageFacts, candidates: Groups, truth: Truth) -> Iterator[Float64]:
    """Return `Judged.good`, `Judged.first`, `Judged.posts` and `Judged.opening`."""
    scores = np.zeros((len(candidates), 4))
    true = counted(truth.comments or ())
    opening = None if truth.first is None else Counter(words(truth.first))
    if true or opening is not None:
        own = [Counter(words(text)) for text in facts.blocks.texts]
        for k, group in enumerate(candidates):
            scores[k] = group_scores(group, own, true, opening)
    return iter(scores.T.copy())


def group_scores(
    group: Group, own: Sequence[Counter[str]], true: Sequence[Counter[str]], opening: Counter[str] | None
) -> tuple[float, float, float, float]:
    """Return what `group_truth` returns of a group.

    own: the words of the blocks; true: of the comments; opening: of the first post, None if it is not known.
    """
    first = sum(own[group.first[0] : group.last[0]], Counter())
    of_opening = 0.0 if opening is None else word_f1(first, opening)
    if len(group) > 4 * len(true) + 8:
        return 0.0, 0.0, 0.0, of_opening
    owner = group.owner(len(own))
    found = [sum((own[j] for j in np.flatnonzero(owner == k)), Counter()) for k in range(len(group))]
    whole, rest = items_f1(true, found), items_f1(true, found[1:])
    posts = 0.0 if opening is None else items_f1([opening, *true], found)
    return max(whole, rest), float(rest > whole), posts, of_opening


def word_f1(a: Counter[str], b: Counter[str]) -> float:
    """Return the F1 of the words of two texts.

    >>> word_f1(Counter("ab"), Counter("b"))
    0.6666666666666666
    """
    return 2 * (a & b).total() / max(a.total() + b.total(), 1)


def items_f1(true: Sequence[Counter[str]], found: Sequence[Counter[str]]) -> float:
    """Return the F1 of texts, one to one: the weight of a pair is its word F1.

    >>> items_f1([Counter("ab"), Counter("cd")], [Counter("cd")])
    0.6666666666666666
    """
    if not true or not found:
        return 0.0
    free, total = list(found), 0.0
    for one in true:
        scores = [word_f1(one, other) for other in free]
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
    weight = np.array([WEIGHT[one.data][0] / number[one.site, one.kind] for one in pages])
    kind = np.array([PAGE_KINDS.index(one.kind) for one in pages])
    of_kind = np.bincount(kind, weight, len(PAGE_KINDS))
    return np.stack([one.of_kind for one in pages]), kind, weight / np.sqrt(of_kind[kind])


def learn_kinds(pages: Sequence[Judged]) -> list[BoostedTrees]:
    """Return a model for each kind.

    Threads without their replies are left out: with them, articles with comments are taken for threads.
    """
    x, kind, weight = kind_rows(with_kind(pages))
    return [fit("kind", x, (kind == k).astype(float), weight) for k in range(len(PAGE_KINDS))]


def with_kind(pages: Sequence[Judged]) -> list[Judged]:
    """Return the pages from which the models of kinds learn."""
    return [one for one in pages if one.kind and not one.cut]


def kind_odds(models: Sequence[BoostedTrees], x: Float32) -> Float64:
    """Return the log odds (p, k) of the kinds of pages; x: (p, f) their features."""
    return np.stack([model.odds(x) for model in models], axis=1)


def softmax(odds: Float64, scale: Float64) -> Float64:
    """Return probabilities (p, k); scale: a factor, and a bias for each kind."""
    odds = odds * scale[0] + scale[1:]
    share = np.exp(odds - odds.max(axis=1, keepdims=True))
    return share / share.sum(axis=1, keepdims=True)


def calibrated(odds: Float64, pages: Sequence[Judged]) -> Float64:
    """Return the scale with the best likelihood of the true kinds; odds: (p, k) by models of other folds."""
    known = np.array([bool(one.kind) and not one.cut for one in pages])
    _, kind, weight = kind_rows(with_kind(pages))
    rows = np.arange(len(kind))

    def loss(scale: Float64) -> float:
        log = np.log(softmax(odds[known], scale)[rows, kind] + 1e-9)
        return -float(weight @ log)

    start = np.append(1.0, np.zeros(len(PAGE_KINDS)))
    return np.asarray(minimize(loss, start, method="L-BFGS-B").x)


def scaled(model: BoostedTrees, factor: float, bias: float) -> BoostedTrees:
    """Return a model whose log odds are multiplied and moved."""
    return replace(model, bias=model.bias * factor + bias, value=(model.value * factor).astype(np.float32))


# Groups.


def learn_groups(pages: Sequence[Judged]) -> dict[str, BoostedTrees]:
    """Return the models of comments, from pages whose comments are known, and of posts, from threads."""
    known = [one for one in pages if one.comments is not None and not one.cut]
    x, good, first = (
        np.concatenate([getattr(one, name) for one in known]) for name in ("x", "good", "first")
    )
    weight = row_weights(known)
    models = {"comments": fit("comments", x, good, weight)}
    used = good > _SAME
    models["first"] = fit("first", x[used], first[used], weight[used])
    with_first = [one for one in pages if one.read is not None]
    x, posts = (np.concatenate([getattr(one, name) for one in with_first]) for name in ("x", "posts"))
    return models | {"posts": fit("posts", x, posts, row_weights(with_first))}


def row_weights(pages: Sequence[Judged]) -> Float64:
    """Return the weights of the groups of pages."""
    weights = zip(pages, site_weights(pages), strict=True)
    return np.concatenate([np.full(len(one.x), weight) for one, weight in weights])


def site_weights(pages: Sequence[Judged]) -> list[float]:
    """Return the weight of each page; the pages of a site share one."""
    share = [CUT if one.cut else 1.0 for one in pages]
    number = defaultdict[str, float](float)
    for one, each in zip(pages, share, strict=True):
        number[one.site] += each
    rows = zip(pages, share, strict=True)
    return [WEIGHT[one.data][1] * each / number[one.site] for one, each in rows]


def judged_groups(models: Mapping[str, BoostedTrees], one: Judged) -> JudgedGroups | None:
    """Return the groups of a page whose first post is known, judged by models; None if it has none."""
    if one.read is None or not len(one.x):
        return None
    read = one.read
    candidates = groups(read.facts, read.main, read.comment)
    posts, first = (models[name].probability(one.x) for name in ("posts", "first"))
    return JudgedGroups(candidates, one.x, dated(read.facts), posts, first, models)


def opening_rows(models: Mapping[str, BoostedTrees], one: Judged) -> Float32 | None:
    """Return the features (g, f) of the elements that may be the first post; models: of groups."""
    if one.read is None or (known := judged_groups(models, one)) is None:
        return None
    read = one.read
    return opening_features(read.facts, known, thread_group(known), read.main, read.comment)


def learn_openings(pages: Sequence[Judged], rows: Sequence[Float32 | None]) -> BoostedTrees:
    """Return the model of the first post; rows: of `opening_rows`."""
    known = [(one, x) for one, x in zip(pages, rows, strict=True) if x is not None]
    opening = np.concatenate([one.opening for one, _ in known])
    weight = row_weights([one for one, _ in known])
    return fit("opening", np.concatenate([x for _, x in known]), opening, weight)


def fit(name: str, x: Float32, truth: Float64, weight: Float64) -> BoostedTrees:
    """Return the trees of a model."""
    trees, leaves, rate = SETTINGS[name]
    return learn_trees(
        x,
        truth,
        weight,
        _NAMES.get(name, group_names()),
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
    x = np.stack([one.of_kind for one in pages])
    odds = np.zeros((len(pages), len(PAGE_KINDS)))
    for others, places in by_fold(pages):
        odds[places] = kind_odds(learn_kinds(others), x[places])
    scale = calibrated(odds, pages)
    probability = softmax(odds, scale)
    for one, chances in zip(pages, probability, strict=True):
        one.x[:, -1] = chances[PAGE_KINDS.index("thread")]
    report_kinds(pages, probability)
    return scale


def report_kinds(pages: Sequence[Judged], probability: Float64) -> None:
    """Print the share of right kinds, the calibration error, and precision and recall of each kind."""
    for name in WEIGHT:
        rows = [k for k, one in enumerate(pages) if one.kind and one.data == name and not one.cut]
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


def judge_groups(pages: Sequence[Judged]) -> list[Float32 | None]:
    """Return `opening_rows` of pages by models of other folds; print the scores of these models."""
    rows: list[Float32 | None] = [None] * len(pages)
    scores = defaultdict[tuple[str, str], list[float]](list)
    for others, places in by_fold(pages):
        models = learn_groups(others)
        for k in places:
            rows[k] = opening_rows(models, pages[k])
            one = pages[k]
            if one.comments is None or not len(one.x) or one.cut:
                continue
            site = one.site if one.bench else f"{one.data} {one.kind}"
            if one.thread:
                best = int(models["posts"].probability(one.x).argmax())
                scores[site, "posts one to one"].append(float(one.posts[best]))
                continue
            chance = models["comments"].probability(one.x)
            best = int(chance.argmax())
            if one.comments:
                scores[site, "one to one"].append(float(one.good[best]))
            else:
                scores[site, "false"].append(float(chance[best] >= thresholds.LEAST_POSTS))
    report(scores)
    return rows


def report_openings(pages: Sequence[Judged], rows: Sequence[Float32 | None]) -> None:
    """Print the share of the threads whose first post is in the element that models of other folds choose."""
    scores = defaultdict[tuple[str, str], list[float]](list)
    for others, places in by_fold(pages):
        kept = {id(one) for one in others}
        of_others = [x for one, x in zip(pages, rows, strict=True) if id(one) in kept]
        model = learn_openings(others, of_others)
        for k in places:
            if (x := rows[k]) is None or pages[k].cut:
                continue
            site = pages[k].site if pages[k].bench else pages[k].data
            best = int(model.probability(x).argmax())
            scores[site, "first post"].append(float(pages[k].opening[best] >= _GOOD))
    report(scores)


def report(scores: Mapping[tuple[str, str], Sequence[float]]) -> None:
    """Print the mean of the scores of each site, and of the sites of the bench."""
    total = defaultdict[str, list[float]](list)
    for (site, name), values in sorted(scores.items()):
        print(f"{site}, {name}: {np.mean(values):.3f} of {len(values)} pages")
        if not site.startswith(("WCXB", LABELLED)):
            total[name].append(float(np.mean(values)))
    print("mean of the sites", {name: round(mean_of(values), 3) for name, values in total.items()})


# Pages.


def read_pages() -> list[Judged]:
    """Return the pages of WCXB, the bench and the labels; at most `MOST` of each role of a site."""
    examples = [one for one in singlepage.all_examples() if one.learnt]
    models = left_out_models()
    for one, found in singlepage.cross_fit(examples, ["comment"]):
        odds = log_odds(models[one.fold]["alone"].probability(one.x))
        singlepage.judge(one, "alone", odds, found["comment"])
    truth_of = truths()
    number, pages = Counter[tuple[str, str]](), list[Judged]()
    for one in examples:
        number[one.group, one.role] += one.site
        if number[one.group, one.role] > MOST[one.role]:
            continue
        data, truth = truth_of(one)
        read = ReadPage(*facts_of(one.source), *one.judged["alone"], truth)
        pages.append(judged(read, one.group, one.fold, data))
    for fold, of_fold in enumerate(models):
        singlepage.LEFT_OUT[fold]["alone"] = of_fold["alone"]
    return [*pages, *chain.from_iterable(map(cut_threads, pages))]


def truths() -> Callable[[Example], tuple[str, Truth]]:
    """Return what gives the data set of a page and what is known about it."""
    wcxb = {page.source.id: page for page in read_main_pages(data_folder() / "main-content")}
    bench = {site.name: site for site in read_bench()}
    labelled = {page.source.id: page for page in reference_pages(LABELLED)}
    lines = LABELS.read_text(encoding="utf-8").splitlines()[1:]
    kinds = {(site, type_): kind for site, type_, kind in (line.split("\t") for line in lines)}

    def truth_of(one: Example) -> tuple[str, Truth]:
        name = one.source.id
        if one.site:
            site = bench[one.group]
            kind = "list" if one.role == "index" else kinds.get((one.group, site.types[name]), "")
            if one.role != "article":
                return "bench", Truth(kind, None, None)
            comments = site.truth[name].get("comments") or ()
            return "bench", Truth(kind, one.text if kind == "thread" else None, comments)
        if one.only_title:
            page = labelled[name]
            posts = page.posts or ()
            first = posts[0] if page.thread else None
            return LABELLED, Truth(page.kind or "", first, posts[1:] if page.thread else posts)
        kind, posts_of_page = wcxb[name].kind, posts_of(wcxb[name])
        if posts_of_page is None:
            return "WCXB", Truth(KINDS[kind], None, () if kind in WITHOUT else None)
        texts, has_first = posts_of_page
        return "WCXB", Truth(KINDS[kind], texts[0] if has_first else None, texts[has_first:])

    return truth_of


# Threads without replies.


def cut_threads(one: Judged) -> Iterator[Judged]:
    """Yield a thread without its replies, and with its first reply if it has three.

    Nothing is yielded if no group has the posts.
    """
    read = one.read
    if read is None or not read.truth.comments or (removed := replies_of(read)) is None:
        return
    truth, dom = read.truth, read.page.dom
    for left in (0, 1) if len(counted(read.truth.comments)) >= 3 else (0,):
        depth = np.zeros(len(dom) + 1, np.int64)
        np.add.at(depth, removed[left:], 1)
        np.add.at(depth, dom.end[removed[left:]], -1)
        page = page_part(read.page, depth[:-1].cumsum() == 0).page
        facts, x = page_facts(page), block_features(page)
        if not len(facts.letters):
            continue
        models = singlepage.LEFT_OUT[one.fold]
        main, comment = (models[name].probability(x) for name in ("alone", "comment"))
        main = smooth(log_odds(main), facts.path_group, facts.letters) * ~facts.is_title
        known = Truth(truth.kind, truth.first, (truth.comments or ())[:left])
        cut = ReadPage(page, facts, main, comment * ~facts.is_title, known)
        yield judged(cut, one.site, one.fold, one.data, cut=True)


def replies_of(read: ReadPage) -> Int64 | None:
    """Return the elements of the replies: of the groups that have them, those with most letters."""
    facts = read.facts
    opening, true = Counter(words(read.truth.first or "")), counted(read.truth.comments or ())
    own = [Counter(words(text)) for text in facts.blocks.texts]
    letters = np.append(0.0, facts.letters.cumsum())
    most, replies = 0.0, None
    for group in groups(facts, read.main, read.comment):
        comments, _, posts, of_opening = group_scores(group, own, true, opening)
        has_first = of_opening > _SAME
        good = posts if has_first else comments
        size = float((letters[group.last] - letters[group.first]).sum())
        if good >= _RIGHT and size > most:
            most, replies = size, group.node[int(has_first) :]
    return replies


def learn(pages: Sequence[Judged], rows: Sequence[Float32 | None], scale: Float64) -> dict[str, BoostedTrees]:
    """Return the models of pages; rows: of `opening_rows`; scale: of the log odds of kinds."""
    factor, *biases = scale.tolist()
    of_kinds = zip(PAGE_KINDS, learn_kinds(pages), biases, strict=True)
    models = learn_groups(pages) | {"opening": learn_openings(pages, rows)}
    return models | {f"kind {kind}": scaled(model, factor, bias) for kind, model, bias in of_kinds}


def main(folder: Path | None = None) -> None:
    """Print the scores of left-out sites; write the models of all sites, or those without a fold."""
    pages = read_pages()
    scale = judge_kinds(pages)
    rows = judge_groups(pages)
    report_openings(pages, rows)
    if folder is None:
        write_trees(MODEL, learn(pages, rows, scale), threads.FORMAT)
        return
    for fold in range(FOLDS):
        kept = [k for k, one in enumerate(pages) if one.fold != fold]
        models = learn([pages[k] for k in kept], [rows[k] for k in kept], scale)
        file = threads_file(fold, folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_trees(file, models, threads.FORMAT)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
