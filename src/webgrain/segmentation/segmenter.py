"""Roles of segments and the confidence in them, and the segmenter: a method together with their models.

    page --method--> Segmentation --member_features--> x (s, f) --Linear--> Segmentation with both

A **role** is the purpose of a segment. The role with the greatest probability, divided by the square root of
its share of the training segments, is reported with its probability. The plain maximum would almost never
report a rare role; division by the share itself would report it too often.

The **confidence** is the probability that people would mark the segment as it is: that a marked segment has
at least `SAME_SEGMENT` of the leaves of both (Jaccard index). The model is learnt from predictions for
held-out pages.

Source: logistic regression with a penalty on the squared weights of standardised features, and boosted trees
(`webgrain.base.trees`), learnt by scikit-learn. A role has the geometric mean of their probabilities. Cost:
see `webgrain.segmentation.features.segments`, a product of matrices, and a pass over the trees.

A file of roles (`webgrain.base.modelfile`) contains an array of weights and one of biases per model, and the
names of its classes and of all features, so that a model of other features is detected. A file of a
segmenter, which ``webgrain learn segments`` writes, also contains name and parameters of the method, what it
has learnt, and the layout of the training pages.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int8, Int32, Int64
from webgrain.base.errors import ParameterError, require
from webgrain.base.estimator import create, family, load
from webgrain.base.modelfile import intact, read_model, write_model
from webgrain.base.readonly import freeze
from webgrain.base.trees import (
    BoostedTrees,
    learn_class_trees,
    odds_of,
    trees_from_dict,
    trees_to_dict,
)
from webgrain.page.blocks import BlockTree
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page
from webgrain.page.segmentation import Segmentation
from webgrain.page.turns import Steps, alone
from webgrain.segmentation.blocks import (
    Blocks,
    choose_blocks,
    whole_spans,
)
from webgrain.segmentation.features.facts import UnitFacts, facts_of
from webgrain.segmentation.features.segments import (
    NO_SPANS,
    SEGMENT_FEATURES,
    TREE_FEATURES,
    is_hint,
    member_features,
    members_of,
)
from webgrain.segmentation.features.unitkernel import group_means
from webgrain.segmentation.features.units import UNIT_FEATURES, alike_siblings
from webgrain.segmentation.learntcut import (
    BlockModel,
    LearntCut,
    UnitChance,
    chance_from_dict,
    chance_to_dict,
    page_marks,
    trained_blocks,
)
from webgrain.segmentation.method import check_boxes, rendering
from webgrain.segmentation.sections import NO_SECTIONS, Sections, sections_of
from webgrain.segmentation.thresholds import (
    CONFIDENCE_REGULARITY,
    HINT_TRUST,
    MIN_ROLE_ROWS,
    MIN_ROLE_TREE_ROWS,
    ROLE_REGULARITY,
    ROLE_TREES,
)

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A linear model of classes: the probability of each is the softmax of weighted features.

    classes: c names; weight: (c, f) float64 of raw features; bias: (c,) float64.

    >>> Linear(("no", "yes"), np.array([[0.0], [1.0]]), np.zeros(2)).probability(np.zeros((1, 1))).tolist()
    [[0.5, 0.5]]
    """

    classes: tuple[str, ...]
    weight: Float64
    bias: Float64

    def __post_init__(self) -> None:
        if self.bias.shape != (len(self.classes),) or self.weight.shape[:1] != self.bias.shape:
            raise ParameterError(
                f"Linear: expected weights and a bias for each of {len(self.classes)} classes, "
                f"got {self.weight.shape}, {self.bias.shape}."
            )
        if not (np.isfinite(self.weight).all() and np.isfinite(self.bias).all()):
            raise ParameterError("Linear: expected finite weights.")
        freeze(self)

    def odds(self, x: Float64) -> Float64:
        """Return the log odds (s, c) of each class, for rows of features ``x`` (s, f).

        Their softmax is the probability; a constant for each row has no meaning.
        """
        odds: Float64 = x @ self.weight.T + self.bias
        return odds

    def probability(self, x: Float64) -> Float64:
        """Return the probability (s, c) of each class, for rows of features ``x`` (s, f)."""
        return softmax(self.odds(x))


def softmax(odds: Float64) -> Float64:
    """Return the probabilities (s, c) of classes with these log odds, to which each row may add a constant.

    >>> softmax(np.log([[1.0, 3.0]])).tolist()
    [[0.25, 0.75]]
    """
    share = np.exp(odds - odds.max(axis=1, keepdims=True))
    probability: Float64 = share / share.sum(axis=1, keepdims=True)
    return probability


def fit_linear(
    x: Float64, y: Sequence[str], strength: float, trust: Float64 | float = 1.0, weight: Float64 | None = None
) -> Linear:
    """Return a model learnt from rows of features ``x`` (s, f) and the class of each row.

    strength: the inverse of that of the penalty; trust: (f,) factors of the standardised features; a smaller
    factor penalises the weight more; weight: (s,) of the rows, None: equal ones. If all rows
    are in one class, its probability is 1. Raises `MissingExtraError` without scikit-learn, `ParameterError`
    without rows.

    >>> model = fit_linear(np.array([[0.0], [0.1], [0.9], [1.0]]), ["no", "no", "yes", "yes"], 10.0)
    >>> model.classes, model.probability(np.array([[1.0]])).argmax()
    (('no', 'yes'), np.int64(1))
    """
    if not len(x):
        raise ParameterError("fit_linear expects at least one row of features, got none.")
    classes = tuple(sorted(set(y)))
    if len(classes) == 1:
        return Linear(classes, np.zeros((1, x.shape[1])), np.zeros(1))
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation = np.where(deviation > 1e-9, deviation, np.inf) / trust  # constant features have no weight
    sklearn = require("sklearn.linear_model", "learn", "learning roles")
    model = sklearn.LogisticRegression(C=strength, max_iter=2000)
    model.fit((x - mean) / deviation, np.array([classes.index(name) for name in y]), weight)
    factor, bias = model.coef_ / deviation, model.intercept_
    if len(classes) == 2:  # scikit-learn returns the odds of the second class only
        factor, bias = np.concatenate([0 * factor, factor]), np.append(0.0, bias)
    return Linear(classes, factor, bias - factor @ mean)


ROLES = {
    "header": "the header of the page, as a whole",
    "footer": "the footer of the page",
    "menu": "links to the parts of the site",
    "logo": "the logo or name of the site",
    "searchbar": "a form to search with",
    "title": "a title of the page or of a part of it",
    "article": "a text to read, or its beginning",
    "content": "main content other than a single article",
    "linklist": "a list of links to pages",
    "sidebar": "a column beside the content, as a whole",
    "image": "a picture, or a group of them",
    "video": "a video, or a group of them",
    "table": "data in rows and columns",
    "comments": "comments by readers",
    "author": "the author of a text",
    "ad": "advertising",
    "breadcrumb": "the path from the home page to the page",
    "pagination": "links to the previous, next and numbered pages",
    "form": "a form other than a search: login, newsletter, filters",
    "product": "a product, or its entry in a list",
    "comment": "a single comment, reply or post of a thread",
    "toc": "the table of contents of the page",
    "cookies": "a notice about cookies or consent",
    "sharing": "buttons to share the page or to follow the site",
}
"""Roles of segments, with their meaning."""


class _Parts(NamedTuple):
    """The blocks of a page, and the spans of leaves ``low:high`` (k,) of those that are no segment.

    segment (b,): the segment that each block equals, -1 for none; row (b,): its row of features, which are
    those of the segments and of the spans after them; group (b,): of `_groups`; confidence (b,): of units.
    """

    blocks: Blocks
    segment: Int64
    row: Int64
    low: Int32
    high: Int32
    group: Int64
    confidence: Float64


class Roles(NamedTuple):
    """The role of each of s segments, and its probability (s,)."""

    names: tuple[str, ...]
    probability: Float64


@dataclass(frozen=True, slots=True, eq=False)
class RoleModel:
    """A learnt model of roles.

    linear: a regression; share: (r,) of each role among the training segments; trees: boosted trees of each
    role, empty if it was learnt from few segments.
    """

    linear: Linear
    share: Float64
    trees: tuple[BoostedTrees, ...] = ()

    def __post_init__(self) -> None:
        if self.share.shape != self.linear.bias.shape or not (self.share > 0).all():
            raise ParameterError("RoleModel: expected a share of more than 0 for each role.")
        if self.trees and len(self.trees) != len(self.share):
            raise ParameterError("RoleModel: expected trees of each role.")
        freeze(self)

    def probability(self, features: Float64) -> Float64:
        """Return the probability (s, r) of each role, for rows of features (s, f) of `segment_features`.

        With trees, it is the geometric mean of their probabilities and those of the regression.
        """
        odds = self.linear.odds(features)
        if self.trees and len(odds):
            odds = (odds + odds_of(self.trees, features).T) / 2.0
        return softmax(odds)

    def roles(self, features: Float64) -> Roles:
        """Return the roles of segments with these features (s, f) of `segment_features`."""
        return self.choose(self.probability(features))

    def choose(self, probability: Float64) -> Roles:
        """Return the roles of segments with these probabilities (s, r) of each role."""
        named = (probability / np.sqrt(self.share)).argmax(axis=1)
        names = tuple([self.linear.classes[k] for k in named.tolist()])
        return Roles(names, probability[np.arange(len(named)), named])


def fit_roles(features: Float64, roles: Sequence[str | None]) -> RoleModel | None:
    """Return a model learnt from segments with known roles; None without two roles of enough segments.

    features (s, f): of `segment_features`, of pages that all have boxes, or none; roles: of each segment,
    None if unknown. Segments may overlap, such as a header and the menu in it. A role needs `MIN_ROLE_ROWS`
    segments. From `MIN_ROLE_TREE_ROWS` segments on, boosted trees are learnt, too. Raises `MissingExtraError`
    without scikit-learn.

    >>> x = np.zeros((20, len(SEGMENT_FEATURES)))
    >>> x[10:, 0] = 1.0
    >>> fit_roles(x, ["menu"] * 10 + ["ad"] * 10).roles(x[[0, -1]]).names
    ('menu', 'ad')
    """
    names, count = np.unique([role for role in roles if role is not None], return_counts=True)
    learnt = dict(zip(names.tolist(), count.tolist(), strict=True))
    rows = [k for k, role in enumerate(roles) if role is not None and learnt[role] >= MIN_ROLE_ROWS]
    if len({roles[k] for k in rows}) < 2:
        return None
    known = SEGMENT_FEATURES if features.shape[1] == len(SEGMENT_FEATURES) else TREE_FEATURES
    trust = np.where([is_hint(feature) for feature in known], HINT_TRUST, 1.0)
    of_rows = [str(roles[k]) for k in rows]
    linear = fit_linear(features[rows], of_rows, ROLE_REGULARITY, trust)
    trees: tuple[BoostedTrees, ...] = ()
    if len(rows) >= MIN_ROLE_TREE_ROWS and len(linear.classes) > 2:
        number = np.array([linear.classes.index(name) for name in of_rows])
        column_names = tuple(feature.name for feature in known)
        settings = dict[str, Any](ROLE_TREES)
        trees = learn_class_trees(features[rows].astype(np.float32), number, column_names, **settings)
    return RoleModel(linear, np.array([learnt[name] for name in linear.classes]) / len(rows), trees)


RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceModel:
    """A learnt model of confidence. linear: a model of the classes `RIGHT` and `WRONG`, or one of them."""

    linear: Linear

    def confidence(self, features: Float64) -> Float64:
        """Return the probability (s,) that segments with these features (s, f) are right."""
        probability = self.linear.probability(features)
        if RIGHT not in self.linear.classes:
            return 0.0 * probability[:, 0]
        return probability[:, self.linear.classes.index(RIGHT)]


def fit_confidence(features: Float64, right: Bool, weight: Float64 | None = None) -> ConfidenceModel | None:
    """Return a model learnt from predicted segments, None without segments.

    features (s, f): of `segment_features`; right (s,): whether each is a marked segment, see the module;
    weight (s,): None: equal ones. Raises `MissingExtraError` without scikit-learn.
    """
    if not len(right):
        return None
    names = np.where(right, RIGHT, WRONG).tolist()
    return ConfidenceModel(fit_linear(features, names, CONFIDENCE_REGULARITY, weight=weight))


SECTIONS = "sections"
"""Name of the confidence in the sections of a page, among those of segmentation methods."""

ROLES_FORMAT, ROLES_VERSION = "webgrain roles", 1


@dataclass(frozen=True, slots=True)
class RoleClassifier:
    """The models of the roles of segments and blocks, and of the confidence in them.

    roles: None for segments without roles; confidence: of segments, by name of the segmentation method, and
    of `SECTIONS`, without which there are none in the tree;
    blocks: the probability that people would mark a unit, None: segmentations have no tree of blocks.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<ul><li><a href=x>One</a><li><a href=y>Two</a></ul>")
    >>> len(trained(page).classify(page, create("learntcut").predict(page)).roles) > 0
    True
    """

    roles: RoleModel | None = None
    confidence: Mapping[str, ConfidenceModel] = field(default_factory=dict)
    blocks: UnitChance | None = None

    @property
    def has_boxes(self) -> bool:
        """Whether the models were learnt from pages with boxes."""
        linears = [model.linear for model in self.confidence.values()]
        if self.roles is not None:
            linears.append(self.roles.linear)
        blocks = self.blocks is not None and len(self.blocks.names) == len(UNIT_FEATURES)
        return blocks or len(SEGMENT_FEATURES) in [linear.weight.shape[1] for linear in linears]

    def classify(self, page: Page, segmentation: Segmentation) -> Segmentation:
        """Return a segmentation of ``page`` with roles, confidence and blocks, and the same labels."""
        confidence = self.confidence.get(segmentation.method)
        if not len(segmentation) or (self.roles is None and confidence is None and self.blocks is None):
            return segmentation
        check_boxes(page, self.has_boxes)
        facts = facts_of(page, self.has_boxes)
        label = segmentation.labels[facts.nodes]
        parts = self._parts(page, facts, label) if self.blocks else None
        low, high = (parts.low, parts.high) if parts else (NO_SPANS, NO_SPANS)
        x = member_features(facts, members_of(label, low, high))
        of_segments = x[: len(segmentation)]
        probability = self.roles.probability(x) if self.roles else None
        tree = self._tree(facts, parts, x, probability) if parts else None
        roles = None
        if self.roles and probability is not None:
            roles = self.roles.choose(probability[: len(segmentation)])
        return replace(
            segmentation,
            roles=roles.names if roles else (),
            role_probability=roles.probability if roles else None,
            confidence=confidence.confidence(of_segments) if confidence else None,
            tree=tree,
        )

    def _parts(self, page: Page, facts: UnitFacts, label: Int32) -> _Parts:
        """Return the blocks of a page; label (l,): the segment of each leaf."""
        assert self.blocks is not None
        of_units = page.cached(page_marks, self.blocks)
        outline = facts.outline
        sections = sections_of(facts) if SECTIONS in self.confidence else NO_SECTIONS
        blocks = choose_blocks(outline, of_units, whole_spans(outline.low, outline.high, label), sections)
        segment = whole_spans(blocks.low, blocks.high, label)
        [asked] = (blocks.is_section | (segment < 0)).nonzero()
        row = segment.copy()
        row[asked] = np.arange(len(asked)) + int(label.max(initial=-1)) + 1
        of_blocks = blocks.low[asked], blocks.high[asked]
        return _Parts(
            blocks, segment, row, *of_blocks, _groups(facts, blocks, sections), of_units[blocks.first]
        )

    def _tree(self, facts: UnitFacts, parts: _Parts, x: Float64, probability: Float64 | None) -> BlockTree:
        """Return the tree of blocks.

        x (s + k, f): the features of the segments and of the spans of ``parts``; probability (s + k, r): of
        their roles by themselves. A segment that is a block has its roles, and blocks that look alike have
        the same: the probabilities of such segments are changed.
        """
        blocks, group, confidence = parts.blocks, parts.group, parts.confidence
        is_section, trust = blocks.is_section, self.confidence.get(SECTIONS)
        if trust:
            of_sections = trust.confidence(x[parts.row[is_section]])
            confidence[is_section] = _evened_odds(of_sections, group[is_section])
        node, last = facts.outline.node[blocks.first], facts.outline.node[blocks.last]
        if self.roles is None or probability is None:
            return BlockTree(node, blocks.around, confidence, last=last)
        is_segment = parts.segment >= 0
        of_blocks = _evened(probability[np.where(is_segment, parts.segment, parts.row)], group)
        roles = self.roles.choose(of_blocks)
        probability[parts.segment[is_segment]] = of_blocks[is_segment]
        return BlockTree(node, blocks.around, confidence, roles.names, roles.probability, last)


def section_features(facts: UnitFacts) -> tuple[Blocks, Float64]:
    """Return the sections of a page as blocks, and their features (k, f), see `segment_features`."""
    nowhere = np.zeros(len(facts.outline)), np.full(len(facts.outline), -1)
    blocks = choose_blocks(facts.outline, *nowhere, sections_of(facts))
    no_segments = np.full(len(facts.nodes), -1)
    return blocks, member_features(facts, members_of(no_segments, blocks.low, blocks.high))


def _groups(facts: UnitFacts, blocks: Blocks, sections: Sections) -> Int64:
    """Return the group (b,) of each block: blocks that look alike, or sections of a level of an element."""
    group = alike_siblings(facts)[blocks.first]
    place = np.searchsorted(sections.first, blocks.first[blocks.is_section])
    group[blocks.is_section] = sections.group[place]
    return group


def _evened_odds(probability: Float64, group: Int64) -> Float64:
    """Return probabilities (k,) that are equal in each group (k,): those of the mean log odds."""
    probability = probability.clip(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
    [odds] = group_means(np.log(probability / (1.0 - probability))[None], group)
    evened: Float64 = 1.0 / (1.0 + np.exp(-odds))
    return evened


LEAST_PROBABILITY = 1e-9  # a logarithm of smaller ones is not needed


def _evened(probability: Float64, group: Int64) -> Float64:
    """Return probabilities (b, r) that are equal in each group (b,) of blocks: their geometric means.

    >>> _evened(np.array([[0.5, 0.5], [0.9, 0.1], [0.5, 0.5]]), np.array([0, 0, 1])).round(2).tolist()
    [[0.75, 0.25], [0.75, 0.25], [0.5, 0.5]]
    """
    logarithm = np.ascontiguousarray(np.log(probability.clip(LEAST_PROBABILITY, None)).T)
    even = np.exp(group_means(logarithm, group).T)
    evened: Float64 = even / even.sum(axis=1, keepdims=True)
    return evened


def write_classifier(path: Path, classifier: RoleClassifier) -> None:
    """Write models to a file."""
    write_model(path, ROLES_FORMAT, ROLES_VERSION, *classifier_to_dict(classifier))


def read_classifier(path: Path) -> RoleClassifier:
    """Return the models in a file; `InputError` if it cannot be read or does not contain models."""
    values, arrays = read_model(path, ROLES_FORMAT, ROLES_VERSION)
    with intact(path, "roles"):
        return classifier_from_dict(values, arrays)


def classifier_to_dict(classifier: RoleClassifier) -> tuple[dict[str, Any], Arrays]:
    """Return models as plain values and arrays, for `classifier_from_dict`."""
    models = {f"confidence {method}": model.linear for method, model in classifier.confidence.items()}
    arrays = {}
    if classifier.roles:
        models["roles"] = classifier.roles.linear
        arrays["roles share"] = classifier.roles.share
    for name, linear in models.items():
        arrays |= {f"{name} weight": linear.weight, f"{name} bias": linear.bias}
    features = SEGMENT_FEATURES if classifier.has_boxes else TREE_FEATURES
    values: dict[str, Any] = {
        "features": [feature.name for feature in features],
        "classes": {name: list(linear.classes) for name, linear in models.items()},
    }
    if classifier.roles and classifier.roles.trees:
        values["trees"] = [trees_to_dict(trees) for trees in classifier.roles.trees]
    if classifier.blocks:
        values["blocks"] = chance_to_dict(classifier.blocks)
    return values, {name: array.astype(np.float32) for name, array in arrays.items()}


def classifier_from_dict(values: Mapping[str, Any], arrays: Arrays) -> RoleClassifier:
    """Return models from plain values and arrays; others raise one of `webgrain.base.modelfile.DAMAGED`."""
    known = [[feature.name for feature in features] for features in (SEGMENT_FEATURES, TREE_FEATURES)]
    if values.get("features") not in known:
        raise ValueError("it has roles of other features: learn them again with this version")
    double = {name: array.astype(np.float64) for name, array in arrays.items()}
    models = {
        str(name): Linear(tuple(map(str, classes)), double[f"{name} weight"], double[f"{name} bias"])
        for name, classes in values["classes"].items()
    }
    linear = models.pop("roles", None)
    names = tuple(values["features"])
    trees = tuple(trees_from_dict(one, names) for one in values.get("trees", ()))
    roles = RoleModel(linear, double["roles share"], trees) if linear else None
    confidence = {name.removeprefix("confidence "): ConfidenceModel(model) for name, model in models.items()}
    blocks = chance_from_dict(values["blocks"]) if "blocks" in values else None
    return RoleClassifier(roles, confidence, blocks)


def trained(page: Page) -> RoleClassifier:
    """Return the shipped models for pages rendered as ``page``."""
    return _trained(rendering(page))


@cache
def _trained(layout: str) -> RoleClassifier:
    classifier = read_classifier(Path(__file__).with_name("trained") / f"{layout}.roles")
    return replace(classifier, blocks=trained_blocks(layout).marked)


FORMAT, VERSION = "webgrain segmenter", 1

DEFAULT = "learntcut"
"""The default method, which agrees best with people."""


@dataclass(frozen=True, slots=True)
class Segmenter:
    """Segments pages, with a role of each segment and the confidence in it.

    name: of the method; method: segments the page; classifier: None for the shipped one; layout: of the
    training pages, ``chromium`` or ``none``; empty: any.

    >>> html = "<ul><li><a href=x>One</a><li><a href=y>Two</a></ul>"
    >>> len(segmenter().predict(html).roles) > 0
    True
    """

    name: str
    method: Any
    classifier: RoleClassifier | None = None
    layout: str = ""

    def predict(self, page: PageLike, decided: Int8 | None = None) -> Segmentation:
        """Return the segments of ``page`` with their roles and the confidence in them.

        decided (n, 3): what the pages of its type have decided about its nodes, see
        `webgrain.segmentation.learntcut.decisions`; only LearntCut follows it.
        Warns if the page is rendered in another way than the training pages of the method.
        """
        return alone(self.steps(as_page(page), decided))

    def steps(self, page: Page, decided: Int8 | None = None) -> Steps[Segmentation]:
        """Return the segments of a page, as `predict` does, in steps."""
        layout = page.view.source if page.view is not None else "none"
        if self.layout not in ("", layout):
            warnings.warn(
                f"The weights were learnt from pages of layout {self.layout!r}, and the page has {layout!r}.",
                stacklevel=2,
            )
        if isinstance(self.method, LearntCut):
            found = yield from self.method.steps(page, decided)
        else:
            found = self.method.predict(page)
            yield "segments"
        return (self.classifier or trained(page)).classify(page, found)

    def changed(self, **params: Any) -> Segmenter:
        """Return a copy with other parameters of its method; `ParameterError` for a wrong one."""
        return replace(self, method=create(self.name, **self.method.get_params() | params))


def segmenter(name: str = DEFAULT, **params: Any) -> Segmenter:
    """Return a method with these parameters, and the shipped classifier.

    Raises `ParameterError` for an unknown name or parameter.
    """
    check_method(name)
    return Segmenter(name, create(name, **params))


def check_method(name: str) -> None:
    """Raise `ParameterError` for an unknown name of a segmentation method."""
    if name not in family("segmentation"):
        raise ParameterError(f"method must be one of {', '.join(family('segmentation'))}, got {name!r}.")


def write_segmenter(path: Path, segmenter: Segmenter) -> None:
    """Write a learnt segmenter to a file.

    Raises `ParameterError` if its method has learnt nothing, `InputError` if the file cannot be written.
    """
    method = segmenter.method
    params = method.get_params()
    given = params.pop(method.learnt)
    learnt = getattr(method, f"{method.learnt}_") or given
    if isinstance(learnt, str):
        raise ParameterError(f"write_segmenter expects a method that was fitted, got {learnt!r}.")
    classifier = segmenter.classifier or RoleClassifier()
    if isinstance(learnt, BlockModel):  # which has the probability of blocks
        classifier = replace(classifier, blocks=None)
    describer, arrays = classifier_to_dict(classifier)
    content = {"method": segmenter.name, "params": params, "layout": segmenter.layout}
    content |= {"learnt": method.to_values(learnt), "describer": describer}
    write_model(path, FORMAT, VERSION, content, arrays)


def read_segmenter(path: Path) -> Segmenter:
    """Return the segmenter in a file; `InputError` if it cannot be read or does not contain one."""
    content, arrays = read_model(path, FORMAT, VERSION)
    with intact(path, FORMAT):
        name, params = str(content["method"]), dict(content["params"])
        if name not in family("segmentation"):
            raise KeyError(name)
        method: Any = load(name)
        learnt = params[method.learnt] = method.from_values(content["learnt"])
        classifier = classifier_from_dict(content["describer"], arrays)
        if isinstance(learnt, BlockModel):
            classifier = replace(classifier, blocks=learnt.marked)
        return Segmenter(name, create(name, **params), classifier, str(content["layout"]))
