"""Rows to learn roles and confidence from: features of segments, and what is true of them.

True segments are the marked ones, each with all that is in it - a header counts, and so does the menu in it -
and those of the fine partition, in which a leaf belongs to the innermost marked one.

How good roles and confidence are on pages that they were not learnt from.

    examples, folds, segmentations --> rows (marked, fine, predicted) --per fold: fit, apply--> Judgement

The segmentations must be those of methods that had not seen the page. The confidence in those of one fold is
learnt from those of all others.

Learn all that cuts and describes pages, and judge it on pages held out.

    examples --fit--> method, roles ------------------------------+--> Learnt
        '--cross_validate--> segmentations --fit--> confidence ---'
                                   '--judge--> scores

What tells confidence is learnt from segments of pages that the method which cut them had not seen: on its own
training pages, a method is right too often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64
from webgrain.errors import ParameterError
from webgrain.evaluation.datasets import Example
from webgrain.evaluation.evaluate import Result, compare, cross_validate, folds_by_site, site_of
from webgrain.metrics import Bin, area_under_curve, calibration_error, f1_by_class, reliability
from webgrain.page.leaves import visible_tree
from webgrain.results import Segmentation
from webgrain.segmentation.features.nodes import Traits
from webgrain.segmentation.features.segments import SEGMENT_FEATURES, Members, segment_features
from webgrain.segmentation.roles import (
    SAME,
    ConfidenceModel,
    Describer,
    RoleModel,
    Roles,
    fit_confidence,
    fit_roles,
)

Labels = NDArray[np.integer]

Folds = NDArray[np.integer]


MATCH = 0.5
"""Jaccard index, by leaves, from which on a predicted segment is taken for a true one."""


class Rows(NamedTuple):
    """Segments: their features (s, f), the role of each, None where not known, and whether it is right (s,).

    True segments are right. Predicted ones have the role of the true one that they match best, if they share
    at least `MATCH` of the leaves of both; they are right from `webgrain.segmentation.roles.SAME` on.
    """

    features: Float64
    roles: tuple[str | None, ...]
    right: Bool


def marked_rows(example: Example) -> Rows:
    """Return the rows of the marked segments that can be seen; those that overlap are taken in turns.

    >>> from webgrain.evaluation.datasets import Example
    >>> from webgrain.evaluation.truth import LabelledSegment, truth_of
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>One<ul><li>Two</ul></div>"))
    >>> told = (LabelledSegment(css=("html > body > div",)), LabelledSegment(css=("html > body > div > ul",)))
    >>> len(marked_rows(Example(page, truth_of(page, told), told)).roles)
    2
    """
    traits = _traits(example)
    waiting = list(_marked(example, traits))
    found = []
    while waiting:
        label = np.full(len(traits.tree.leaves), -1)
        taken: list[tuple[Bool, str | None]] = []
        later: list[tuple[Bool, str | None]] = []
        for member, role in waiting:
            overlaps = bool((label[member] >= 0).any())
            (later if overlaps else taken).append((member, role))
            if not overlaps:
                label[member] = len(taken) - 1
        found.append(_rows(traits, label, [role for _, role in taken]))
        waiting = later
    return concatenate(found)


def fine_rows(example: Example) -> Rows:
    """Return the rows of the segments of the fine partition that can be seen."""
    traits = _traits(example)
    known, label = np.unique(_fine(example, traits), return_inverse=True)
    hidden = int(np.count_nonzero(known < 0))  # leaves of no segment come first
    return _rows(traits, label - hidden, [example.truth.roles[k] for k in known[hidden:].tolist()])


def predicted_rows(example: Example, segmentation: Segmentation) -> Rows:
    """Return the rows of predicted segments, with the roles of the true ones that they match."""
    traits = _traits(example)
    label = segmentation.labels[traits.tree.node[traits.tree.leaves]]
    fine = _fine(example, traits)
    true = [(fine == k, example.truth.roles[k]) for k in np.unique(fine[fine >= 0]).tolist()]
    true += _marked(example, traits)
    share = jaccard(label, np.array([member for member, _ in true], bool).reshape(len(true), len(label)))
    best = share.argmax(axis=1) if true else np.zeros(len(share), np.intp)
    most = share.max(axis=1, initial=0.0)
    roles = [true[k][1] if s >= MATCH else None for k, s in zip(best.tolist(), most.tolist(), strict=True)]
    return _rows(traits, label, roles)._replace(right=most >= SAME)


def jaccard(label: Labels, member: Bool) -> Float64:
    """Return (s, t) the share of the leaves of both that each of s segments has in common with each of t.

    label (l,): the segment of each leaf, 0 to s - 1, -1 for none; member (t, l): the leaves of the others.

    >>> jaccard(np.array([0, 0, 1]), np.array([[True, True, True]])).tolist()
    [[0.6666666666666666], [0.3333333333333333]]
    """
    own = label == np.arange(label.max(initial=-1) + 1)[:, None]
    common = own.astype(np.float64) @ member.T.astype(np.float64)
    shares: Float64 = common / (own.sum(axis=1)[:, None] + member.sum(axis=1) - common).clip(1.0)
    return shares


def concatenate(rows: Sequence[Rows]) -> Rows:
    """Return the rows of several pages, or turns, one after the other."""
    rows = [Rows(np.zeros((0, len(SEGMENT_FEATURES))), (), np.zeros(0, bool)), *rows]
    return Rows(
        np.concatenate([one.features for one in rows]),
        tuple(role for one in rows for role in one.roles),
        np.concatenate([one.right for one in rows]),
    )


def _rows(traits: Traits, label: Labels, roles: Iterable[str | None]) -> Rows:
    x = segment_features(traits, Members(traits, label))
    return Rows(x, tuple(roles), np.ones(len(x), bool))


def _marked(example: Example, traits: Traits) -> Iterator[tuple[Bool, str | None]]:
    """Yield the leaves (l,) of each marked segment of which some can be seen, and its role."""
    leaf, end = traits.tree.node[traits.tree.leaves], example.page.dom.end
    for segment in example.segments:
        member = np.zeros(len(leaf), bool)
        for node in segment.nodes(example.page.dom):
            member |= (leaf >= node) & (leaf < end[node])
        if member.any():
            yield member, segment.role


def _fine(example: Example, traits: Traits) -> Labels:
    leaf = traits.tree.node[traits.tree.leaves]
    return example.truth.over(len(example.page.dom), "fine")[leaf]


def _traits(example: Example) -> Traits:
    return Traits(example.page, visible_tree(example.page))


FREQUENT = 20
"""Segments of a role from which on its F1 counts."""


@dataclass(frozen=True, slots=True)
class RoleScores:
    """Scores of roles.

    Attributes:
        segments: number of segments with a role.
        f1: of each role that has `FREQUENT` of them; macro_f1: its mean over these roles, nan without any.
        accuracy: share of all segments whose role was found; majority: that of always naming the commonest.
        calibration_error, bins: how far the probabilities told are from the shares that were right.
    """

    segments: int
    f1: dict[str, float]
    macro_f1: float
    accuracy: float
    majority: float
    calibration_error: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class ConfidenceScores:
    """Scores of confidence: number of segments and share of right ones; calibration as in `RoleScores`."""

    segments: int
    right: float
    area_under_curve: float
    calibration_error: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scores of roles on marked, on fine and on predicted segments, and of confidence."""

    marked: RoleScores
    fine: RoleScores
    predicted: RoleScores
    confidence: ConfidenceScores


def judge(examples: Sequence[Example], folds: Folds, found: Sequence[Segmentation]) -> Judgement:
    """Return the scores of roles and confidence by cross-validation.

    folds (p,): of each example, two at least; found: the segments of each, by a method learnt from other
    pages. `MissingExtraError` without scikit-learn.
    """
    marked, fine = [marked_rows(e) for e in examples], [fine_rows(e) for e in examples]
    predicted = [predicted_rows(e, cut) for e, cut in zip(examples, found, strict=True)]
    judged: list[_Judged] = [[], [], []]
    sure: list[tuple[Rows, Float64]] = []
    for fold in np.unique(folds).tolist():
        other, own = np.flatnonzero(folds != fold).tolist(), np.flatnonzero(folds == fold).tolist()
        known, tried = (
            concatenate([*_of(marked, other), *_of(fine, other)]),
            concatenate(_of(predicted, other)),
        )
        if model := fit_roles(known.features, known.roles):
            for told, kind in zip(judged, (marked, fine, predicted), strict=True):
                told += [(rows, model.roles(rows.features)) for rows in _of(kind, own)]
        if trust := fit_confidence(tried.features, tried.right):
            sure += [(rows, trust.confidence(rows.features)) for rows in _of(predicted, own)]
    scores = [_role_scores(told) for told in judged]
    return Judgement(scores[0], scores[1], scores[2], _confidence_scores(sure))


def _of(rows: Sequence[Rows], places: Sequence[int]) -> list[Rows]:
    return [rows[k] for k in places]


def _role_scores(judged: Sequence[tuple[Rows, Roles]]) -> RoleScores:
    rows = [
        (true, name, probability)
        for known, roles in judged
        for true, name, probability in zip(known.roles, roles.names, roles.probability.tolist(), strict=True)
        if true is not None
    ]
    true, found = [one for one, _, _ in rows], [one for _, one, _ in rows]
    probability = np.array([one for _, _, one in rows])
    count = Counter(true)
    f1 = {name: f for name, f in f1_by_class(true, found).items() if count[name] >= FREQUENT}
    right = np.array([a == b for a, b in zip(true, found, strict=True)], bool)
    return RoleScores(
        segments=len(rows),
        f1=f1,
        macro_f1=_mean(list(f1.values())),
        accuracy=_mean(right),
        majority=max(count.values(), default=0) / max(len(rows), 1),
        calibration_error=calibration_error(probability, right),
        bins=tuple(reliability(probability, right)),
    )


def _confidence_scores(sure: Sequence[tuple[Rows, Float64]]) -> ConfidenceScores:
    right = np.concatenate([np.zeros(0, bool), *(rows.right for rows, _ in sure)])
    told = np.concatenate([np.zeros(0), *(confidence for _, confidence in sure)])
    return ConfidenceScores(
        segments=len(right),
        right=_mean(right),
        area_under_curve=area_under_curve(told, right),
        calibration_error=calibration_error(told, right),
        bins=tuple(reliability(told, right)),
    )


def _mean(values: Sequence[float] | Bool) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


FOLDS = 5
"""Parts of the pages of which each is held out in turn; fewer where there are fewer sites."""


class Scores(NamedTuple):
    """Scores on pages held out: of the segments, fine and blocks, and of what is told of them."""

    folds: int
    fine: Result
    blocks: Result
    judgement: Judgement


class Learnt(NamedTuple):
    """A method that was learnt, what describes its segments, and how good both are.

    scores: None where all pages are of one site, which leaves none to be held out.
    """

    method: Any
    describer: Describer
    scores: Scores | None


def learn(method: Any, examples: Sequence[Example]) -> Learnt:
    """Return what is learnt from labelled pages; ``method`` itself stays as it is.

    method: an estimator that can be fitted to pages and the labels (n,) of their nodes. Held out are whole
    sites (`webgrain.evaluation.evaluate.site_of`). `ParameterError` without examples,
    `MissingExtraError` without
    scikit-learn.
    """
    if not examples:
        raise ParameterError("learn expects at least one labelled page, got none.")
    pages = [example.page for example in examples]
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    fitted = deepcopy(method).fit(pages, truths)
    sites = [site_of(page) for page in pages]
    n_folds = min(FOLDS, len(set(sites)))
    if n_folds < 2:
        return Learnt(fitted, Describer(_roles(examples)), None)
    folds = folds_by_site(sites, n_folds)
    found = cross_validate(lambda: deepcopy(method), pages, truths, folds)
    trust = _confidence(examples, found)
    name = found[0].method
    fine, blocks = compare(name, found, examples, "fine"), compare(name, found, examples, "blocks")
    scores = Scores(n_folds, fine, blocks, judge(examples, folds, found))
    return Learnt(fitted, Describer(_roles(examples), {name: trust} if trust else {}), scores)


def _roles(examples: Sequence[Example]) -> RoleModel | None:
    rows = concatenate([rows_of(example) for rows_of in (marked_rows, fine_rows) for example in examples])
    return fit_roles(rows.features, rows.roles)


def _confidence(examples: Sequence[Example], found: Sequence[Segmentation]) -> ConfidenceModel | None:
    rows = concatenate([predicted_rows(e, cut) for e, cut in zip(examples, found, strict=True)])
    return fit_confidence(rows.features, rows.right)


_Judged = list[tuple[Rows, Roles]]
