"""Evaluation of segmentations on labelled pages, next to simple baselines and the best cut of the tree.

Scores are computed over the leaves of the ground truth. A leaf without a predicted label is a separate
segment. Leaves outside all true segments are ignored, and so are pages whose truth has only one segment.
Measures are means over pages, errors are standard errors of these means, and differences are paired by page.

**Baselines** (`BASELINES`). A rule opens nodes from the root downwards. A node that is not opened is a
segment with all its leaves, and the leaves directly below an opened node form one segment. A node with a
single child is always opened.

**The best cut** (`best_labels`) uses the ground truth: among all sets of disjoint subtrees as segments (other
leaves being separate segments) it has the greatest adjusted Rand index. Let T = sum of C(n, 2) over the true
parts of n leaves, N = C(all leaves, 2), A_u the pairs of leaves below u that are truly together, and B_u all
pairs of leaves below u. The index of a cut is

    (A - B T / N) / ((B + T) / 2 - B T / N)     A, B summed over the chosen subtrees

a ratio of linear functions, which Dinkelbach's method maximises exactly (Management Science 13, 1967): while
the ratio theta grows, choose the subtrees that maximise the numerator minus theta times the denominator.
Up to a constant this is the sum of A_u - B_u (T / N + theta (1/2 - T / N)), a dynamic program over the tree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.metrics import ari, b_cubed, nmi, separate
from webgrain.evaluation.datasets import Example
from webgrain.evaluation.marks import marked_units
from webgrain.io.labels import KINDS, Kind, Truth
from webgrain.page.dom import Dom, ancestor_sum
from webgrain.page.outline import Outline, visible_tree
from webgrain.page.page import Page
from webgrain.page.segmentation import Segmentation, renumbered
from webgrain.segmentation.learntcut import LearntCut
from webgrain.segmentation.solvers.treedp import tree_labels
from webgrain.site.pipeline import Predictor

ORACLE = "best cut of the tree"
GRANULARITIES = tuple(k / 10 for k in range(11))
"""Granularities at which the segments of a method with a hierarchy are nested."""
LOW, HIGH = 0.3, 0.6
"""ARI of a page below which it counts as low, and above which it counts as high."""


class Score(NamedTuple):
    """Measures of one page, see `webgrain.base.metrics`; b3: F1 of B-cubed with three weights."""

    ari: float
    nmi: float
    b3_leaves: float
    b3_characters: float
    b3_area: float
    segments: float


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Scores of one method on one partition of the truth.

    Attributes:
        method: its name; kind: the partition; pages: ids of the pages that are scored.
        scores: (p, 6) float64, columns as in `Score`; nan if a page has no areas.
        folds: number of folds of the cross-validation; 0: the method was not trained.
        levels: for each example the segmentation, and those of `GRANULARITIES` if the method has them; of a
            baseline, those of all its parameters.
        is_baseline: whether it is a baseline or the best cut.
    """

    method: str
    kind: Kind
    pages: tuple[str, ...]
    scores: Float64
    folds: int = 0
    levels: tuple[tuple[Segmentation, ...], ...] = ()
    is_baseline: bool = False

    def mean(self, measure: str = "ari") -> float:
        """Return the mean of a measure over the pages; nan if no page has it."""
        return _mean(self.of(measure))[0]

    def of(self, measure: str) -> Float64:
        """Return a measure of each page (p,)."""
        return self.scores[:, Score._fields.index(measure)]

    def record(self, reference: Result) -> dict[str, Any]:
        """Return one row of a table; its difference is that of the ARI to ``reference``."""
        score = self.of("ari")
        difference = score - reference.of("ari")
        row: dict[str, Any] = {
            "method": self.method,
            "kind": self.kind,
            "pages": len(self.pages),
            "folds": self.folds,
        }
        for measure in Score._fields:
            row[measure], error = _mean(self.of(measure))
            if measure in ("ari", "nmi"):
                row[f"{measure}_se"] = error
        row["low"] = float((score < LOW).mean())
        row["high"] = float((score > HIGH).mean())
        row["difference"], row["difference_se"] = _mean(difference)
        return row

    def page_records(self) -> list[dict[str, Any]]:
        """Return one record of scores per page."""
        rows = zip(self.pages, self.scores.tolist(), strict=True)
        return [
            {"method": self.method, "kind": self.kind, "page": page} | Score(*scores)._asdict()
            for page, scores in rows
        ]


def score(labels: Int32, truth: Truth, partition: Kind) -> Score:
    """Return the measures of one page. labels (n,): labels of the nodes of its Dom, -1 for none.

    >>> from webgrain.io.labels import LabelledSegment, truth_of
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> truth = truth_of(page, [LabelledSegment(css=(f"html > body > {tag}",)) for tag in ("div", "p")])
    >>> score(np.array([-1, -1, -1, 0, 0, 0, 0, 0, 1, 1]), truth, "fine").ari
    1.0
    """
    counted = truth.partition(partition) >= 0
    true = truth.partition(partition)[counted]
    predicted = leaf_labels(labels, truth)[counted]
    by_area = np.nan
    if truth.area is not None:
        by_area = b_cubed(true, predicted, truth.area[counted]).f1
    return Score(
        ari=ari(true, predicted),
        nmi=nmi(true, predicted),
        b3_leaves=b_cubed(true, predicted).f1,
        b3_characters=b_cubed(true, predicted, truth.characters[counted]).f1,
        b3_area=by_area,
        segments=float(len(np.unique(predicted))),
    )


def leaf_labels(labels: Int32, truth: Truth) -> Int32:
    """Return the label (l,) of each leaf of the truth; leaves without a label get unique ones."""
    return separate(np.where(truth.leaf >= 0, labels[truth.leaf], -1))


def evaluate(
    methods: Mapping[str, Predictor],
    examples: Sequence[Example],
    kinds: Sequence[Kind] = KINDS,
    n_folds: int = 0,
) -> list[Result]:
    """Return the results of the baselines, the best cut and the methods, for each partition.

    methods: by name. n_folds: 0 uses the methods as they are; otherwise methods with ``fit`` are
    trained for each fold on the fine segments of the pages of all other folds. `ParameterError` without
    examples, or with fewer sites than folds.

    >>> from webgrain.evaluation.evaluate import PerLeaf
    >>> from webgrain.io.labels import LabelledSegment, truth_of
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> marked = tuple(LabelledSegment(css=(f"html > body > {tag}",)) for tag in ("div", "p"))
    >>> results = evaluate({"mine": PerLeaf()}, [Example(page, truth_of(page, marked), marked)], ["top"])
    >>> [(result.method, round(result.mean(), 1)) for result in results][-2:]
    [('best cut of the tree', 1.0), ('mine', 0.0)]
    """
    if not examples:
        raise ParameterError("evaluate expects at least one example, got none.")
    folds = None
    if n_folds:
        folds = folds_by_site([site_of_page(example.page) for example in examples], n_folds)
    cuts_of_method = {name: _segmentations(method, examples, folds) for name, method in methods.items()}
    cuts_of_rules = {name: [_cuts(rule, examples) for rule in family] for name, family in BASELINES.items()}
    results = []
    for partition in kinds:
        for name, family in cuts_of_rules.items():
            results.append(_best_rule(name, family, examples, partition))
        results.append(_oracle(examples, partition))
        for name, (levels, learnt) in cuts_of_method.items():
            cuts = [levels_of_page[0] for levels_of_page in levels]
            result = score_method(name, cuts, examples, partition)
            results.append(replace(result, folds=learnt, levels=levels))
    return results


def _cuts(rule: Rule | PerLeaf, examples: Sequence[Example]) -> list[Segmentation]:
    return [rule.predict(example.page) for example in examples]


def _best_rule(
    name: str, family: Sequence[Sequence[Segmentation]], examples: Sequence[Example], partition: Kind
) -> Result:
    """Return the result of the setting of a baseline that is best on these pages."""
    candidates = [score_method(name, cuts, examples, partition) for cuts in family]
    best = max(range(len(family)), key=lambda k: candidates[k].mean())
    levels = zip(family[best], *family, strict=True)
    return replace(candidates[best], levels=tuple(levels), is_baseline=True)


def _oracle(examples: Sequence[Example], partition: Kind) -> Result:
    """Return the result of the best cuts of the trees."""
    cuts = [best_cut(example, partition) for example in examples]
    result = score_method(ORACLE, cuts, examples, partition)
    return replace(result, levels=tuple((cut,) for cut in cuts), is_baseline=True)


def score_method(
    name: str, segmentations: Sequence[Segmentation], examples: Sequence[Example], partition: Kind = "fine"
) -> Result:
    """Return the result of segmentations, one per example, on one partition of the truth."""
    if len(segmentations) != len(examples):
        raise ParameterError(
            f"Expected {len(examples)} segmentations, one per example, got {len(segmentations)}."
        )
    pages, scores = [], []
    for example, segmentation in zip(examples, segmentations, strict=True):
        _, true = _counted(example.truth, partition)
        if len(np.unique(true)) > 1:
            pages.append(example.page.id)
            scores.append(score(segmentation.labels, example.truth, partition))
    table = np.array(scores, np.float64).reshape(len(pages), len(Score._fields))
    return Result(name, partition, tuple(pages), table)


def _levels(method: Any, page: Page) -> tuple[Segmentation, ...]:
    """Return the segmentation of a page and, if the method has them, those of all levels."""
    if not hasattr(method, "hierarchy"):
        return (method.predict(page),)
    return tuple(method.hierarchy(page, [method.granularity, *GRANULARITIES]))


def _segmentations(
    method: Predictor, examples: Sequence[Example], folds: Int64 | None
) -> tuple[tuple[tuple[Segmentation, ...], ...], int]:
    """Return the segmentations of all pages, and the number of folds in which the method was trained."""
    if folds is None or not callable(getattr(method, "fit", None)):
        return tuple(_levels(method, example.page) for example in examples), 0
    return tuple(held_out_results(method, examples, folds, _levels)), len(np.unique(folds))


def site_of_page(page: Page) -> str:
    """Return the site of a page: the host of its URL, or its id if it has no URL.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> pages = Source("a", b"", url="https://example.org/news?p=3"), Source("a", b"")
    >>> [site_of_page(parse(page)) for page in pages]
    ['example.org', 'a']
    """
    try:
        host = urlsplit(page.url or "").netloc.lower()
    except ValueError:  # not a URL
        host = ""
    return host or page.id


def best_cut(example: Example, partition: Kind) -> Segmentation:
    """Return the best cut of a page; no other cut of its tree has a greater ARI."""
    leaf, true = _counted(example.truth, partition)
    known = leaf >= 0
    labels = best_labels(example.page.dom, leaf[known], true[known])
    return Segmentation(labels, ORACLE)


def folds_by_site(sites: Sequence[str], n_folds: int = 5) -> Int64:
    """Return the fold (p,) of each page. Pages of one site are in the same fold.

    sites: the site of each page. The fold of a site depends only on the names of all sites.

    >>> folds_by_site(["a.org", "b.org", "a.org", "c.org"], n_folds=3).tolist()
    [2, 0, 2, 1]
    """

    def digest(name: str) -> bytes:
        return hashlib.sha256(name.encode("utf-8", "replace")).digest()

    names = sorted(set(sites), key=digest)
    if not 2 <= n_folds <= max(len(names), 1):
        raise ParameterError(f"n_folds must be in 2..{len(names)}, the number of sites, got {n_folds}.")
    fold = {name: k % n_folds for k, name in enumerate(names)}
    return np.array([fold[site] for site in sites])


def fit_examples(method: Any, examples: Sequence[Example]) -> Any:
    """Return a copy of a method that has learnt from the fine segments of labelled pages.

    method: an estimator whose ``fit`` expects pages and the labels (n,) of their nodes. LearntCut also learns
    from the marked units.
    """
    pages, labels = _pages_and_labels(examples)
    if isinstance(method, LearntCut):
        return deepcopy(method).fit(pages, labels, [marked_units(example) for example in examples])
    return deepcopy(method).fit(pages, labels)


class _Learner(NamedTuple):
    """A method that learns from examples in place of labels."""

    method: Any

    def fit(self, _: Sequence[Page], examples: Sequence[Example]) -> Any:
        """Return a copy of the method that has learnt from ``examples``."""
        return fit_examples(self.method, examples)


def held_out_results(
    method: Any,
    examples: Sequence[Example],
    folds: NDArray[np.integer],
    predict: Callable[[Any, Page], Any] = lambda method, page: method.predict(page),
) -> list[Any]:
    """Return the result of each page by a copy of a method that has learnt from the pages of all other folds.

    method: as for `fit_examples`; folds, predict: as for `cross_validate`.
    """
    pages = [example.page for example in examples]
    return cross_validate(lambda: _Learner(method), pages, examples, folds, predict)


def _pages_and_labels(examples: Sequence[Example]) -> tuple[list[Page], list[Int32]]:
    """Return the pages and the fine segment (n,) of each node of a page."""
    pages = [example.page for example in examples]
    return pages, [example.truth.over(len(example.page.dom), "fine") for example in examples]


def cross_validate(
    factory: Callable[[], Any],
    pages: Sequence[Page],
    truths: Sequence[Any],
    folds: NDArray[np.integer],
    predict: Callable[[Any, Page], Any] = lambda method, page: method.predict(page),
) -> list[Any]:
    """Return the segmentation of each page by a method trained on the pages of all other folds.

    factory: creates an untrained method for each fold; every choice must be made in its ``fit``. truths (p),
    folds (p,): of each page. predict: what is returned for a trained method and a page. `ParameterError` if
    the lengths differ or there is only one fold.
    """
    if not len(pages) == len(truths) == len(folds):
        sizes = f"{len(pages)}, {len(truths)}, {len(folds)}"
        raise ParameterError(f"Expected a truth and a fold per page, got {sizes}.")
    numbers = np.unique(folds).tolist()
    if len(numbers) < 2:
        raise ParameterError(f"Expected at least two folds, got {len(numbers)}.")
    results: dict[int, Any] = {}
    for fold in numbers:
        learnt = np.flatnonzero(folds != fold).tolist()
        held_out = np.flatnonzero(folds == fold).tolist()
        method = factory().fit([pages[k] for k in learnt], [truths[k] for k in learnt])
        results |= {k: predict(method, pages[k]) for k in held_out}
    return [results[k] for k in range(len(pages))]


def _counted(truth: Truth, partition: Kind) -> tuple[Int32, Int32]:
    """Return the nodes and the true labels of the leaves that are scored."""
    true = truth.partition(partition)
    is_counted = true >= 0
    return truth.leaf[is_counted], true[is_counted]


def _mean(values: Float64) -> tuple[float, float]:
    """Return the mean over pages and its standard error; nan if there are too few pages."""
    values = values[~np.isnan(values)]
    mean = error = float("nan")
    if len(values):
        mean = float(values.mean())
    if len(values) > 1:
        error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return mean, error


SECTIONING = frozenset(
    ("div", "table", "tbody", "tr", "td", "section", "article", "header", "footer", "nav", "aside", "main",
     "ul", "ol", "form", "center", "fieldset", "dl", "iframe")
)  # fmt: skip
"""Tags of elements that divide a page into sections."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Size of each node of a visible tree relative to its page; arrays (k,).

    leaves: share of the leaves; area: share of the area, without a view that of the leaves; section: the
    greatest area share of a child that is `SECTIONING`; depth: levels below the first node with several
    children, negative above.
    """

    leaves: Float64
    area: Float64
    section: Float64
    depth: Int64


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A baseline that opens the nodes for which ``opens`` returns True (k,).

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> len(Rule(lambda shares: shares.depth < 1).predict(page))
    2
    """

    opens: Callable[[Shares], Bool]

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""
        tree = visible_tree(page)
        labels = np.zeros(0, np.int32)
        if len(tree):
            opened = self.opens(shares_of(page, tree))
            labels = cut_at(tree, opened)
        return Segmentation(renumbered(tree.to_dom(labels)), "rule")


class PerLeaf:
    """The baseline that makes each leaf a segment."""

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""
        tree = visible_tree(page)
        labels = np.where(tree.kind > 0, np.arange(len(tree)), -1)
        return Segmentation(renumbered(tree.to_dom(labels)), "one per leaf")


def _depth(levels: int) -> Rule:
    return Rule(lambda shares: shares.depth < levels)


def _sectioning(t: float) -> Rule:
    return Rule(lambda shares: (shares.area > t) & (shares.section > t))


def _combined(a: float, b: float) -> Rule:
    def opens(shares: Shares) -> Bool:
        return (shares.section > 0.01) & ((shares.leaves > a) | (shares.area > b))

    return Rule(opens)


BASELINES: dict[str, tuple[Rule | PerLeaf, ...]] = {
    "one segment": (Rule(lambda shares: np.zeros(len(shares.area), np.bool_)),),
    "one per leaf": (PerLeaf(),),
    "best depth": tuple(_depth(levels) for levels in range(1, 7)),
    "15 % of the area": (Rule(lambda shares: shares.area > 0.15),),
    "sectioning": tuple(_sectioning(t) for t in (0.015, 0.03, 0.08)),
    "combined": (_combined(0.1, 0.2), _combined(0.3, 0.1), _combined(0.3, 0.3)),
}
"""Baselines by name. Of several settings, the one that is best on the evaluated pages themselves is used."""


def shares_of(page: Page, tree: Outline) -> Shares:
    """Return the shares of the nodes of the visible tree of a page, which has at least one node."""
    leaves = tree.leaves / max(len(tree.leaf), 1)
    area = leaves
    if page.view is not None:
        whole = max(page.view.width * page.view.height, 1.0)
        area = page.view.box[tree.node, 2:].prod(axis=1) / whole
    is_section = page.dom.tagged(*SECTIONING)[tree.node]
    area_of_section = np.where(is_section, area, 0.0)
    section = np.zeros(len(tree))
    np.maximum.at(section, tree.parent[1:], area_of_section[1:])
    first = int((tree.children != 1).argmax())
    return Shares(leaves, area, section, tree.level - tree.level[first])


def cut_at(tree: Outline, opened: Bool) -> Int32:
    """Return labels (k,) of the cut that opens nodes (k,) from the root downwards; -1 for opened nodes.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> tree = visible_tree(parse(Source("a", b"<div><p>One<p>Two</div>Three")))
    >>> cut_at(tree, tree.node < 3).tolist()  # html, body, div, p, text, p, text, text
    [-1, -1, 2, 2, 2, 2, 2, 1]
    """
    opened = (opened | (tree.children == 1)) & (tree.kind == 0)
    reached = ancestor_sum(~opened, tree.end) == 0
    top = np.flatnonzero(reached & ~opened)
    name = np.where(tree.kind[top] > 0, np.maximum(tree.parent[top], 0), top)
    last_top = np.searchsorted(top, np.arange(len(tree)), side="right") - 1
    labels = name[np.maximum(last_top, 0)]
    return np.where(reached & opened, -1, labels).astype(np.int32)


def best_labels(dom: Dom, leaf: Int32, truth: Int32) -> Int32:
    """Return labels (n,) of the cut of ``dom`` into subtrees with the greatest ARI.

    leaf (l,): nodes of ``dom``, ascending; truth (l,): their true labels. A leaf above the chosen subtrees,
    which is a separate segment, has the label -1.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<div><p>One<p>Two</div><p>Three")  # html, head, body, div, p, text, p, text, ...
    >>> best_labels(dom, np.array([5, 7, 9], np.int32), np.array([0, 0, 1], np.int32)).tolist()
    [-1, -1, -1, 3, 3, 3, 3, 3, 8, 8]
    """
    together, below, leaves = _pairs_below(dom, leaf, truth)
    _, sizes = np.unique(truth, return_counts=True)
    true_pairs = float(_pairs(sizes).sum())
    expected = true_pairs / max(float(below[0]), 1.0)
    nodes = np.arange(len(dom), dtype=np.int32)
    no_cost = np.zeros(len(dom))
    # If the truth has one part, or only parts of one leaf, the ratio of the best cut, one of these, is 0 / 0.
    best = max(np.zeros(len(dom), np.int32), nodes, key=lambda labels: ari(truth, labels[leaf]))
    theta = ari(truth, best[leaf])
    while theta < 1.0:
        rate = expected + theta * (0.5 - expected)
        labels, _ = tree_labels(dom.parent, dom.end, no_cost, nodes, rate * below - together)
        ratio = ari(truth, np.where(labels[leaf] < 0, len(dom) + leaf, labels[leaf]))
        if ratio <= theta + 1e-12:
            break
        best, theta = labels, ratio
    return np.where(leaves > 0, best, -1).astype(np.int32)


def _pairs_below(dom: Dom, leaf: Int32, truth: Int32) -> tuple[Float64, Float64, Float64]:
    """Return A, B and the number of leaves (n,) below each node."""
    _, part = np.unique(truth, return_inverse=True)
    parts = int(part.max(initial=-1)) + 1
    counts = np.zeros((len(dom) + 1, parts))
    counts[leaf + 1, part] = 1
    counts = counts.cumsum(axis=0)
    counts = counts[dom.end] - counts[:-1]
    leaves = counts.sum(axis=1)
    return _pairs(counts).sum(axis=1), _pairs(leaves), leaves


def _pairs(count: NDArray[Any]) -> NDArray[Any]:
    pairs: NDArray[Any] = count * (count - 1) / 2
    return pairs
