"""Evaluation of segmentations on labelled pages, next to simple baselines and the best cut of the tree.

Scores are computed over the leaves of the ground truth. A leaf without a predicted label is a separate
segment. Leaves outside all true segments are ignored, and so are pages whose truth has only one segment.
Measures are means over pages, errors are standard errors of these means, and differences are paired by page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self, TypeVar, cast
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64, Int32, Int64
from webgrain.errors import ParameterError
from webgrain.evaluation.baselines import BASELINES, best_labels
from webgrain.evaluation.datasets import KINDS, Example, Kind, Truth
from webgrain.metrics import ari, b_cubed, nmi
from webgrain.page.page import Page
from webgrain.pipeline import Predictor
from webgrain.results import Segmentation

ORACLE = "best cut of the tree"
LOW, HIGH = 0.3, 0.6
"""ARI of a page below which it counts as low, and above which it counts as high."""

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Score(NamedTuple):
    """Measures of one page, see `webgrain.metrics`; b3: F1 of B-cubed with three weights."""

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
    """

    method: str
    kind: Kind
    pages: tuple[str, ...]
    scores: Float64
    folds: int = 0

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
        row: dict[str, Any] = {"method": self.method, "kind": self.kind, "pages": len(self.pages)}
        row["folds"] = self.folds
        for measure in Score._fields:
            row[measure], error = _mean(self.of(measure))
            if measure in ("ari", "nmi"):
                row[f"{measure}_se"] = error
        row["low"], row["high"] = float((score < LOW).mean()), float((score > HIGH).mean())
        row["difference"], row["difference_se"] = _mean(difference)
        return row

    def page_records(self) -> list[dict[str, Any]]:
        """Return one record of scores per page."""
        rows = zip(self.pages, self.scores.tolist(), strict=True)
        return [
            {"method": self.method, "kind": self.kind, "page": page} | Score(*scores)._asdict()
            for page, scores in rows
        ]


class Learner(Protocol[T_contra]):
    """A method that is trained on pages and their ground truth."""

    def fit(self, pages: Sequence[Page], truths: Sequence[T_contra]) -> Self:
        """Train the method."""

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""


def score(labels: Int32, truth: Truth, kind: Kind) -> Score:
    """Return the measures of one page. labels (n,): labels of the nodes of its Dom, -1 for none.

    >>> from webgrain.evaluation.datasets import LabelledSegment, truth_of
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> truth = truth_of(page, [LabelledSegment(css=(f"html > body > {tag}",)) for tag in ("div", "p")])
    >>> score(np.array([-1, -1, -1, 0, 0, 0, 0, 0, 1, 1]), truth, "fine").ari
    1.0
    """
    true = truth.partition(kind)
    counted = true >= 0
    true, found = true[counted], leaf_labels(labels, truth)[counted]
    by_leaves = b_cubed(true, found).f1
    by_characters = b_cubed(true, found, truth.characters[counted]).f1
    by_area = np.nan if truth.area is None else b_cubed(true, found, truth.area[counted]).f1
    segments = float(len(np.unique(found)))
    return Score(ari(true, found), nmi(true, found), by_leaves, by_characters, by_area, segments)


def leaf_labels(labels: Int32, truth: Truth) -> Int32:
    """Return the label (l,) of each leaf of the truth; leaves without a label get unique ones."""
    found = np.where(truth.leaf >= 0, labels[truth.leaf], -1)
    own = labels.max(initial=-1) + 1 + np.arange(len(found))
    return np.where(found >= 0, found, own).astype(np.int32)


def evaluate(
    methods: Mapping[str, Predictor],
    examples: Sequence[Example],
    kinds: Sequence[Kind] = KINDS,
    n_folds: int = 0,
) -> list[Result]:
    """Return the results of the baselines, the best cut and the methods, for each partition.

    methods: by name. n_folds: 0 uses the methods as they are; otherwise methods with ``fit`` (`Learner`) are
    trained for each fold on the fine segments of the pages of all other folds. `ParameterError` without
    examples, or with fewer sites than folds.

    >>> from webgrain.evaluation.baselines import PerLeaf
    >>> from webgrain.evaluation.datasets import LabelledSegment, truth_of
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
    folds = folds_by_site([site_of(e.page) for e in examples], n_folds) if n_folds else None
    found = {name: _segmentations(method, examples, folds) for name, method in methods.items()}
    rules = {
        name: [[rule.predict(e.page) for e in examples] for rule in family]
        for name, family in BASELINES.items()
    }
    results = []
    for kind in kinds:
        for name, family in rules.items():
            candidates = [compare(name, cuts, examples, kind) for cuts in family]
            results.append(max(candidates, key=lambda result: result.mean()))
        results.append(compare(ORACLE, [best_cut(e, kind) for e in examples], examples, kind))
        results += [
            replace(compare(name, cuts, examples, kind), folds=learnt)
            for name, (cuts, learnt) in found.items()
        ]
    return results


def compare(
    name: str, found: Sequence[Segmentation], examples: Sequence[Example], kind: Kind = "fine"
) -> Result:
    """Return the result of segmentations, one per example, on one partition of the truth."""
    if len(found) != len(examples):
        raise ParameterError(f"Expected {len(examples)} segmentations, one per example, got {len(found)}.")
    kept = [k for k, e in enumerate(examples) if len(np.unique(_counted(e.truth, kind)[1])) > 1]
    scores = [score(found[k].labels, examples[k].truth, kind) for k in kept]
    pages = tuple(examples[k].page.id for k in kept)
    return Result(name, kind, pages, np.array(scores, np.float64).reshape(len(kept), len(Score._fields)))


def _segmentations(
    method: Predictor, examples: Sequence[Example], folds: Int64 | None
) -> tuple[list[Segmentation], int]:
    """Return the segmentations of all pages, and the number of folds in which the method was trained."""
    pages = [example.page for example in examples]
    if folds is None or not callable(getattr(method, "fit", None)):
        return [method.predict(page) for page in pages], 0
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    learner = cast("Learner[Int32]", method)
    return cross_validate(lambda: deepcopy(learner), pages, truths, folds), len(np.unique(folds))


def site_of(page: Page) -> str:
    """Return the site of a page: the host of its URL, or its id if it has no URL.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> site_of(parse(Source("a", b"", url="https://example.org/news?p=3"))), site_of(parse(Source("a", b"")))
    ('example.org', 'a')
    """
    try:
        host = urlsplit(page.url or "").netloc.lower()
    except ValueError:  # not a URL
        host = ""
    return host or page.id


def best_cut(example: Example, kind: Kind) -> Segmentation:
    """Return the best cut of a page; no other cut of its tree has a greater ARI."""
    leaf, true = _counted(example.truth, kind)
    return Segmentation(best_labels(example.page.dom, leaf[leaf >= 0], true[leaf >= 0]), ORACLE)


def folds_by_site(sites: Sequence[str], n_folds: int = 5) -> Int64:
    """Return the fold (p,) of each page. Pages of one site are in the same fold.

    sites: the site of each page. The fold of a site depends only on the names of all sites.

    >>> folds_by_site(["a.org", "b.org", "a.org", "c.org"], n_folds=3).tolist()
    [2, 0, 2, 1]
    """
    names = sorted(set(sites), key=lambda name: hashlib.sha256(name.encode("utf-8", "replace")).digest())
    if not 2 <= n_folds <= max(len(names), 1):
        raise ParameterError(f"n_folds must be in 2..{len(names)}, the number of sites, got {n_folds}.")
    fold = {name: k % n_folds for k, name in enumerate(names)}
    return np.array([fold[site] for site in sites])


def cross_validate(
    factory: Callable[[], Learner[T]], pages: Sequence[Page], truths: Sequence[T], folds: NDArray[np.integer]
) -> list[Segmentation]:
    """Return the segmentation of each page by a method trained on the pages of all other folds.

    factory: creates an untrained method for each fold; every choice must be made in its ``fit``. truths (p),
    folds (p,): of each page. `ParameterError` if the lengths differ or there is only one fold.
    """
    if not len(pages) == len(truths) == len(folds):
        raise ParameterError(
            f"Expected a truth and a fold per page, got {len(pages)}, {len(truths)}, {len(folds)}."
        )
    if len(np.unique(folds)) < 2:
        raise ParameterError(f"Expected at least two folds, got {len(np.unique(folds))}.")
    found: dict[int, Segmentation] = {}
    for fold in np.unique(folds).tolist():
        learnt = np.flatnonzero(folds != fold).tolist()
        method = factory().fit([pages[k] for k in learnt], [truths[k] for k in learnt])
        for k in np.flatnonzero(folds == fold).tolist():
            found[k] = method.predict(pages[k])
    return [found[k] for k in range(len(pages))]


def _counted(truth: Truth, kind: Kind) -> tuple[Int32, Int32]:
    """Return the nodes and the true labels of the leaves that are scored."""
    true = truth.partition(kind)
    return truth.leaf[true >= 0], true[true >= 0]


def _mean(values: Float64) -> tuple[float, float]:
    """Return the mean over pages and its standard error; nan if there are too few pages."""
    values = values[~np.isnan(values)]
    mean = float(values.mean()) if len(values) else float("nan")
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return mean, error
