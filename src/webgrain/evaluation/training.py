"""Training of segmentation methods, roles and confidence on labelled pages, and their evaluation.

    examples --fit--> method, role model ---------------------------------+--> Learnt
        '--cross_validate--> segmentations --fit--> confidence model -----'
                                   '--judge--> scores

Roles are learnt from true segments: the marked segments, each with everything inside it (a header includes
its menu), and the segments of the fine partition, in which a leaf belongs to the innermost marked segment.

The confidence model is learnt from predicted segments of pages on which the method was not trained, since a
method is right too often on its own training pages. For the same reason all scores are computed by
cross-validation: `judge` expects segmentations of pages that the method did not see, and applies to the pages
of a fold models that are learnt from all other folds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64
from webgrain.base.errors import ParameterError
from webgrain.base.metrics import Bin, area_under_curve, calibration_error, f1_by_class, reliability, tokens
from webgrain.evaluation.datasets import Example
from webgrain.evaluation.evaluate import (
    Result,
    fit_examples,
    folds_by_site,
    held_out_results,
    score,
    score_method,
    site_of_page,
)
from webgrain.evaluation.marks import marked_segments, marked_units, page_facts, span_shares, unit_shares
from webgrain.page.leaves import never_shown
from webgrain.page.page import Page
from webgrain.page.segmentation import Segmentation
from webgrain.segmentation import segmenter
from webgrain.segmentation.features.facts import UnitFacts
from webgrain.segmentation.features.segments import SEGMENT_FEATURES, segment_features
from webgrain.segmentation.features.units import alike_siblings, unit_features
from webgrain.segmentation.learntcut import LearntCut, Rows, UnitChance, fit_chance
from webgrain.segmentation.thresholds import OPENED_PENALTY, SAME_SEGMENT

FOLDS = 5
"""Folds of the cross-validation; fewer if there are fewer sites."""

MATCH = 0.5
"""Jaccard index of leaves from which a predicted segment matches a true one. Hand-set, not tuned."""

SIBLINGS = 3
"""Siblings of a group of similar ones. Hand-set, not tuned."""

FREQUENT = 20
"""Segments of a role from which its F1 is reported. Hand-set, not tuned."""

Ints = NDArray[np.integer]


class Scores(NamedTuple):
    """Scores of cross-validation: of the segments (fine, blocks), and of their roles and confidence."""

    folds: int
    fine: Result
    blocks: Result
    judgement: Judgement


class Learnt(NamedTuple):
    """A trained method, the model of roles and confidence, and the scores of both.

    scores: None if all pages are of one site, so that none can be held out.
    """

    method: Any
    classifier: segmenter.RoleClassifier
    scores: Scores | None


def learn_method(
    method: Any,
    examples: Sequence[Example],
    for_roles: Sequence[Example] = (),
    sites: Sequence[str] | None = None,
) -> Learnt:
    """Return what is learnt from labelled pages; ``method`` is not changed.

    method: an estimator, as for `fit_examples`. for_roles: more
    pages, from which only the model of roles learns. sites: the site of each page; None: by its address
    (`webgrain.evaluation.evaluate.site_of_page`). The folds of the cross-validation are whole sites.
    `ParameterError` without examples, `MissingExtraError` without scikit-learn.
    """
    if not examples:
        raise ParameterError("learn expects at least one labelled page, got none.")
    fitted = fit_examples(method, examples)
    roles = learn_roles([*examples, *for_roles])
    sites = [site_of_page(example.page) for example in examples] if sites is None else sites
    marks = fitted.model_.marked if isinstance(fitted, LearntCut) and fitted.model_ else fit_marks(examples)
    in_sections = fit_sections(examples)
    trust = {segmenter.SECTIONS: in_sections} if in_sections else {}
    n_folds = min(FOLDS, len(set(sites)))
    if n_folds < 2:
        return Learnt(fitted, segmenter.RoleClassifier(roles, trust, marks), None)
    folds = folds_by_site(sites, n_folds)
    predicted = held_out_results(method, examples, folds)
    confidence = _fit_confidence(list(map(predicted_rows, examples, predicted)))
    name = predicted[0].method
    trust |= {name: confidence} if confidence else {}
    classifier = segmenter.RoleClassifier(roles, trust, marks)
    scores = Scores(
        folds=n_folds,
        fine=score_method(name, predicted, examples, "fine"),
        blocks=score_method(name, predicted, examples, "blocks"),
        judgement=judge(examples, folds, predicted),
    )
    return Learnt(fitted, classifier, scores)


def learn_roles(examples: Sequence[Example]) -> segmenter.RoleModel | None:
    """Return the roles learnt from the marked segments of pages and those of their fine partitions.

    None without two roles of enough segments, see `webgrain.segmentation.segmenter.fit_roles`.
    """
    marked = [marked_rows(example) for example in examples]
    return _fit_roles([*marked, *(fine_rows(example) for example in examples)])


def _fit_roles(pages: Sequence[LabelledRows]) -> segmenter.RoleModel | None:
    rows = concatenate(pages)
    return segmenter.fit_roles(rows.features, rows.roles)


def _fit_confidence(pages: Sequence[LabelledRows]) -> segmenter.ConfidenceModel | None:
    rows = concatenate(pages)
    weight = _page_weights([page.right for page in pages])
    return segmenter.fit_confidence(rows.features, rows.right, weight)


def fit_marks(examples: Sequence[Example]) -> UnitChance | None:
    """Return the probability that people mark a unit, learnt from the marked segments of pages.

    None without units that are marked.
    """
    rows = [mark_rows(example) for example in examples]
    known = [row for row in rows if row[1].any()]
    if not known:
        return None
    return fit_chance(known, known[0][0].shape[1], OPENED_PENALTY)


def fit_sections(examples: Sequence[Example]) -> segmenter.ConfidenceModel | None:
    """Return the probability that people mark a section, learnt from pages; None without sections."""
    return _fit_confidence([section_rows(example) for example in examples])


def section_rows(example: Example) -> LabelledRows:
    """Return the rows of the sections of a page (`webgrain.segmentation.sections`), without roles.

    >>> from webgrain.io.labels import LabelledSegment, truth_of
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<h2>One</h2><p>1<h2>Two</h2><p>2"))
    >>> marked = (LabelledSegment(xpath=("/html/body/h2[1]", "/html/body/p[1]")),)
    >>> section_rows(Example(page, truth_of(page, marked), marked)).right.tolist()
    [True, False]
    """
    facts = page_facts(example.page)
    blocks, x = segmenter.section_features(facts)
    shares = span_shares(example, facts, blocks.low, blocks.high)
    right = shares.max(axis=0, initial=0.0) >= SAME_SEGMENT
    return LabelledRows(x, (None,) * len(right), right)


def mark_rows(example: Example) -> Rows:
    """Return the features (u, f) of the units of a page, which of them are marked (u,), and their weights."""
    is_marked = marked_units(example)
    return unit_features(page_facts(example.page)), is_marked, np.ones(len(is_marked))


def mark_shares(example: Example, segmentation: Segmentation) -> tuple[Float64, Float64]:
    """Return the Jaccard indices, by leaves, of the marked segments of a page with its units and segments.

    The first (t, u) are those of t marked segments with each unit, the second (t,) the greatest with a
    segment of ``segmentation``.
    """
    facts = page_facts(example.page)
    members = [member for member, _ in marked_segments(example, facts)]
    label = segmentation.labels[facts.nodes]
    marked = np.array(members, bool).reshape(len(members), len(label))
    return unit_shares(example, facts), jaccard(label, marked).max(axis=0, initial=0.0)


def _page_weights(pages: Sequence[NDArray[Any]]) -> Float64:
    """Return weights of the rows of all pages with which every page counts equally; their mean is 1."""
    sizes = np.array([len(rows) for rows in pages], np.int64)
    weight: Float64 = np.repeat(1 / np.maximum(sizes, 1), sizes)
    return weight / max(weight.mean(), 1e-9) if len(weight) else weight


class LabelledRows(NamedTuple):
    """Segments: their features (s, f), their roles, None if unknown, and whether they are right (s,).

    True segments are right. A predicted segment has the role of the true segment that it matches best, if
    they share at least `MATCH` of the leaves of both; it is right from `SAME_SEGMENT` on.
    """

    features: Float64
    roles: tuple[str | None, ...]
    right: Bool


def marked_rows(example: Example) -> LabelledRows:
    """Return the rows of the marked segments that have visible leaves.

    >>> from webgrain.io.labels import LabelledSegment, truth_of
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<div><p>One<ul><li>Two</ul></div>"))
    >>> paths = ("html > body > div", "html > body > div > ul")
    >>> marked = tuple(LabelledSegment(css=(path,)) for path in paths)
    >>> len(marked_rows(Example(page, truth_of(page, marked), marked)).roles)
    2
    """
    facts = page_facts(example.page)
    waiting = list(marked_segments(example, facts))
    parts = []
    while waiting:  # features are computed for disjoint segments: those that overlap follow in the next round
        label = np.full(len(facts.nodes), -1)
        roles: list[str | None] = []
        later = []
        for member, role in waiting:
            if (label[member] >= 0).any():
                later.append((member, role))
            else:
                label[member] = len(roles)
                roles.append(role)
        parts.append(_rows(facts, label, roles))
        waiting = later
    nothing = _rows(facts, np.full(len(facts.nodes), -1), ())
    return concatenate(parts or [nothing])


def fine_rows(example: Example) -> LabelledRows:
    """Return the rows of the segments of the fine partition that have visible leaves."""
    facts = page_facts(example.page)
    known, label = np.unique(_fine(example, facts), return_inverse=True)
    outside = int(np.count_nonzero(known < 0))  # leaves outside all segments come first
    return _rows(facts, label - outside, [example.truth.roles[k] for k in known[outside:].tolist()])


def predicted_rows(example: Example, segmentation: Segmentation) -> LabelledRows:
    """Return the rows of predicted segments, with the roles of the true segments that they match."""
    facts = page_facts(example.page)
    label = segmentation.labels[facts.nodes]
    fine = _fine(example, facts)
    parts = np.unique(fine[fine >= 0]).tolist()
    true = [(fine == part, example.truth.roles[part]) for part in parts]
    true += marked_segments(example, facts)
    members = np.array([member for member, _ in true], bool).reshape(len(true), len(label))
    share = jaccard(label, members)
    most = share.max(axis=1, initial=0.0)
    roles: list[str | None] = [None] * len(share)
    for segment in np.flatnonzero(most >= MATCH).tolist():
        _, roles[segment] = true[int(share[segment].argmax())]
    return _rows(facts, label, roles)._replace(right=most >= SAME_SEGMENT)


def jaccard(label: Ints, member: Bool) -> Float64:
    """Return the Jaccard index (s, t) of the leaves of each of s segments and each of t others.

    label (l,): the segment of each leaf, 0 to s - 1, -1 for none; member (t, l): the leaves of the others.

    >>> jaccard(np.array([0, 0, 1]), np.array([[True, True, True]])).tolist()
    [[0.6666666666666666], [0.3333333333333333]]
    """
    numbers = np.arange(label.max(initial=-1) + 1)
    inside = label == numbers[:, None]
    common = inside.astype(np.float64) @ member.T.astype(np.float64)
    either = inside.sum(axis=1)[:, None] + member.sum(axis=1) - common
    shares: Float64 = common / either.clip(1.0)
    return shares


def concatenate(parts: Sequence[LabelledRows]) -> LabelledRows:
    """Return several sets of rows as one."""
    if not parts:
        return LabelledRows(np.zeros((0, len(SEGMENT_FEATURES))), (), np.zeros(0, bool))
    features, roles, right = zip(*parts, strict=True)
    return LabelledRows(
        np.concatenate(features),
        tuple(role for page_roles in roles for role in page_roles),
        np.concatenate(right),
    )


def _rows(facts: UnitFacts, label: Ints, roles: Iterable[str | None]) -> LabelledRows:
    features = segment_features(facts, label)
    return LabelledRows(features, tuple(roles), np.ones(len(features), bool))


def _fine(example: Example, facts: UnitFacts) -> Ints:
    return example.truth.over(len(example.page.dom), "fine")[facts.nodes]


@dataclass(frozen=True, slots=True)
class RoleScores:
    """Scores of predicted roles.

    Attributes:
        segments: number of segments with a true role.
        f1: F1 of each role with at least `FREQUENT` segments; macro_f1: their mean, nan without any.
        accuracy: share of the segments with the right role; majority: that of always predicting the most
            frequent role.
        calibration_error, bins: how far the predicted probabilities are from the shares that are right.
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
    """Scores of confidence: number of segments and share of right ones; calibration as in `RoleScores`.

    All but the number are means in which every page counts equally, however many segments it has.
    """

    segments: int
    right: float
    area_under_curve: float
    calibration_error: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scores of roles on marked, fine and predicted segments, and of confidence."""

    marked: RoleScores
    fine: RoleScores
    predicted: RoleScores
    confidence: ConfidenceScores


def judge(examples: Sequence[Example], folds: Ints, predicted: Sequence[Segmentation]) -> Judgement:
    """Return the scores of roles and confidence by cross-validation.

    folds (p,): the fold of each example, at least two; predicted: the segmentation of each example, by a
    method trained on other pages. `MissingExtraError` without scikit-learn.
    """
    marked = [marked_rows(example) for example in examples]
    fine = [fine_rows(example) for example in examples]
    cut_rows = list(map(predicted_rows, examples, predicted))
    roles: list[list[tuple[LabelledRows, segmenter.Roles]]] = [[], [], []]
    confidence: list[tuple[LabelledRows, Float64]] = []
    for fold in np.unique(folds).tolist():
        other = np.flatnonzero(folds != fold).tolist()
        held_out = np.flatnonzero(folds == fold).tolist()
        role_model = _fit_roles([rows[k] for rows in (marked, fine) for k in other])
        if role_model:
            for judged, rows in zip(roles, (marked, fine, cut_rows), strict=True):
                judged += [(rows[k], role_model.roles(rows[k].features)) for k in held_out]
        confidence_model = _fit_confidence([cut_rows[k] for k in other])
        if confidence_model:
            held_out_rows = [cut_rows[k] for k in held_out]
            confidence += [(rows, confidence_model.confidence(rows.features)) for rows in held_out_rows]
    return Judgement(
        marked=role_scores(roles[0]),
        fine=role_scores(roles[1]),
        predicted=role_scores(roles[2]),
        confidence=_confidence_scores(confidence),
    )


def role_scores(judged: Sequence[tuple[LabelledRows, segmenter.Roles]]) -> RoleScores:
    """Return the scores of predicted roles, given the rows of each page with the true ones."""
    true: list[str] = []
    names: list[str] = []
    probabilities: list[float] = []
    for known, roles in judged:
        predicted = zip(known.roles, roles.names, roles.probability.tolist(), strict=True)
        for role, name, probability_of_name in predicted:
            if role is not None:
                true.append(role)
                names.append(name)
                probabilities.append(probability_of_name)
    probability = np.array(probabilities)
    count = Counter(true)
    f1 = {name: value for name, value in f1_by_class(true, names).items() if count[name] >= FREQUENT}
    right = np.array([role == name for role, name in zip(true, names, strict=True)], bool)
    return RoleScores(
        segments=len(true),
        f1=f1,
        macro_f1=_mean(list(f1.values())),
        accuracy=_mean(right),
        majority=max(count.values(), default=0) / max(len(true), 1),
        calibration_error=calibration_error(probability, right),
        bins=tuple(reliability(probability, right)),
    )


def _confidence_scores(judged: Sequence[tuple[LabelledRows, Float64]]) -> ConfidenceScores:
    right = np.concatenate([np.zeros(0, bool), *(rows.right for rows, _ in judged)])
    confidence = np.concatenate([np.zeros(0), *(values for _, values in judged)])
    weight = _page_weights([values for _, values in judged])
    return ConfidenceScores(
        segments=len(right),
        right=float(np.average(right, weights=weight)) if len(right) else float("nan"),
        area_under_curve=area_under_curve(confidence, right, weight),
        calibration_error=calibration_error(confidence, right, weight),
        bins=tuple(reliability(confidence, right, weight)),
    )


class Marked(NamedTuple):
    """Scores of a method that do not depend on a partition of the truth, see `judge_marked`."""

    method: str
    nested: float
    any_level: float
    default_level: float
    unequal: float
    role_f1: float
    annotators: dict[str, float]
    content: dict[str, float]

    def record(self) -> dict[str, Any]:
        """Return one row of a table; a column for each annotator, and for each kind of pages with a text."""
        row: dict[str, Any] = {
            "method": self.method,
            "kind": "marked",
            "nested": self.nested,
            "any_level": self.any_level,
            "default_level": self.default_level,
            "unequal": self.unequal,
            "role_f1": self.role_f1,
        }
        row |= {f"ari {name}": value for name, value in self.annotators.items()}
        return row | {f"text {text}": value for text, value in self.content.items()}


def judge_marked(
    result: Result, examples: Sequence[Example], roles: segmenter.RoleModel | None = None
) -> Marked:
    """Return the scores of a method that do not depend on a partition of the truth, as means over pages.

    nested: the greatest Jaccard index (by leaves) of each marked segment with a segment of any level of the
    hierarchy, so that it does not matter which level the annotator chose; any_level, default_level: share of
    the marked segments whose greatest index with a segment of any level, or of the default level, is at least
    `SAME_SEGMENT`; unequal: see `unequal_groups`;
    role_f1: macro-F1 of the roles of the predicted segments that match; by the model ``roles``, else by
    models of the other folds if the method was trained in folds, else by the models that come with webgrain;
    nan for baselines;
    annotators: fine ARI on the pages of each annotator; content: see `best_union`, by kind of page, of the
    pages with a text.
    """
    annotators = defaultdict[str, list[float]](list)
    content = defaultdict[str, list[float]](list)
    groups = np.zeros(2)
    nested, any_level, default_level = list[float](), list[float](), list[float]()
    for example, levels in zip(examples, result.levels, strict=True):
        cut = levels[0]
        groups += unequal_groups(example.page, cut)
        marked = np.array([member for member, _ in marked_segments(example, page_facts(example.page))])
        if len(marked):
            shares = _greatest_shares(example.page, levels, marked)
            greatest = shares.max(axis=0)
            nested.append(float(greatest.mean()))
            any_level.append(float((greatest >= SAME_SEGMENT).mean()))
            default_level.append(float((shares[0] >= SAME_SEGMENT).mean()))
        if example.annotator is not None and len(marked) > 1:
            annotators[example.annotator].append(score(cut.labels, example.truth, "fine").ari)
        if example.text:
            content[example.kind or "page"].append(best_union(example.page, cut, example.text))
    unequal = groups[0] / groups[1] if groups[1] else float("nan")
    return Marked(
        method=result.method,
        nested=_mean(nested),
        any_level=_mean(any_level),
        default_level=_mean(default_level),
        unequal=float(unequal),
        role_f1=_roles_of(result, examples, roles).macro_f1,
        annotators={name: _mean(values) for name, values in annotators.items()},
        content={name: _mean(values) for name, values in content.items()},
    )


def _roles_of(result: Result, examples: Sequence[Example], roles: segmenter.RoleModel | None) -> RoleScores:
    """Return the scores of the roles of the predicted segments; roles: as for `judge_marked`."""
    if result.is_baseline:
        return role_scores([])
    cuts = [levels[0] for levels in result.levels]
    if result.folds and roles is None:
        folds = folds_by_site([site_of_page(example.page) for example in examples], result.folds)
        return judge(examples, folds, cuts).predicted
    judged = []
    for example, cut in zip(examples, cuts, strict=True):
        rows = predicted_rows(example, cut)
        model = roles or segmenter.trained(example.page).roles
        if model:
            judged.append((rows, model.roles(rows.features)))
    return role_scores(judged)


def _greatest_shares(page: Page, levels: Sequence[Segmentation], marked: Bool) -> Float64:
    """Return for each level the greatest Jaccard index (levels, t) of each marked segment."""
    leaf = page_facts(page).nodes
    return np.array([jaccard(level.labels[leaf], marked).max(axis=0, initial=0.0) for level in levels])


def unequal_groups(page: Page, segmentation: Segmentation) -> tuple[int, int]:
    """Return the groups of similar siblings whose members are cut differently, and all groups.

    A group is `SIBLINGS` or more siblings of two leaves or more with the same tag and first class, whose
    children have the same tags and classes. A member is cut, a whole segment, or a part of a larger segment.
    """
    facts = page_facts(page)
    units = facts.outline
    if not len(units):
        return 0, 0
    label = segmentation.labels[facts.nodes]
    group = alike_siblings(facts, np.inf).tolist()
    states = defaultdict[int, list[str]](list)
    for unit in np.flatnonzero((units.leaves > 1) & (units.parent >= 0)).tolist():
        inside = label[units.low[unit] : units.high[unit]]
        if (inside != inside[0]).any():
            state = "cut"
        elif (label == inside[0]).sum() == len(inside):
            state = "segment"
        else:
            state = "part"
        states[group[unit]].append(state)
    large = [members for members in states.values() if len(members) >= SIBLINGS]
    return sum(len(set(members)) > 1 for members in large), len(large)


def best_union(page: Page, segmentation: Segmentation, text: str) -> float:
    """Return the word F1 of the union of segments that is closest to a text, such as the main text.

    The segments are added by their share of words of the text, the greatest first, while the F1 grows.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>Home<p>Some words")
    >>> best_union(page, Segmentation(np.array([-1, -1, -1, 0, 0, 1, 1], np.int32), "by hand"), "some words")
    1.0
    """
    dom, labels = page.dom, segmentation.labels
    wanted = Counter(tokens(text))

    def share_of_wanted(words: Counter[str]) -> float:
        return (words & wanted).total() / max(words.total(), 1)

    of_segment = defaultdict[int, Counter[str]](Counter)
    is_shown = dom.is_text & (labels >= 0) & ~dom.inside(never_shown(dom))
    for node in np.flatnonzero(is_shown).tolist():
        of_segment[int(labels[node])].update(tokens(dom.text_of(node)))
    union, best = Counter[str](), 0.0
    for words in sorted(of_segment.values(), key=share_of_wanted, reverse=True):
        union.update(words)
        f1 = 2.0 * (union & wanted).total() / max(union.total() + wanted.total(), 1)
        best = max(best, f1)
    return best


def _mean(values: Sequence[float] | Bool) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
