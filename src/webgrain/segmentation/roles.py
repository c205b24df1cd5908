"""A linear model of classes: the probability of each is the softmax of weighted features.

Source: logistic regression with a penalty on the squares of the weights of standardised features. Learnt by
scikit-learn; applied by one product of matrices.

What a segment is for: its role, and how probable that is.

    traits, members --segment_features--> x (s, f) --Linear--> p (s, r) --> role, probability

The role named is that of greatest probability, divided by the root of its share among the segments learnt
from. The plain maximum would hardly ever name a rare role; division by the share itself names them too often.
The probability told is the plain one.

Cost: see `webgrain.segmentation.features.segments`; a product of matrices.

How sure it is that a segment is one: the probability that people would mark it so.

A segment of a prediction is right here if a true one has at least `SAME` of the leaves of both (their Jaccard
index). The model is learnt from predictions for pages that the method which made them had not seen.

    traits, members --segment_features--> x (s, f) --Linear--> probability (s,)

What tells of segments what they are for and how sure they are: models of roles and confidence, as files.

    page, Segmentation --segment_features--> roles, confidence --> Segmentation with both

A model file (`webgrain.modelfile`) has an array of weights and one of biases per model, and tells the names
of its classes and of all features, so that a model of other features is found out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64
from webgrain.errors import InputError, ParameterError, require
from webgrain.modelfile import read_model, write_model
from webgrain.page.dom import freeze
from webgrain.page.leaves import visible_tree
from webgrain.page.page import Page
from webgrain.results import Segmentation
from webgrain.segmentation.features.nodes import Traits
from webgrain.segmentation.features.segments import IS_HINT, SEGMENT_FEATURES, Members, segment_features

Told = tuple[dict[str, Any], dict[str, NDArray[Any]]]


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Weights of features for classes.

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

    def probability(self, x: Float64) -> Float64:
        """Return the probability (s, c) of each class, for rows of features ``x`` (s, f)."""
        odds = x @ self.weight.T + self.bias
        share = np.exp(odds - odds.max(axis=1, keepdims=True))
        result: Float64 = share / share.sum(axis=1, keepdims=True)
        return result


def fit_linear(x: Float64, y: Sequence[str], regularity: float, trust: Float64 | float = 1.0) -> Linear:
    """Return a model learnt from rows of features ``x`` (s, f) and the class of each row.

    regularity: inverse strength of the penalty; trust: (f,) what features are multiplied with once they are
    standardised: the less, the more a weight of theirs costs. Where all rows are of one class, it is certain.
    `MissingExtraError` without scikit-learn, `ParameterError` without rows.

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
    deviation = np.where(deviation > 1e-9, deviation, np.inf) / trust  # what never changes weighs nothing
    sklearn = require("sklearn.linear_model", "learn", "learning roles")
    model = sklearn.LogisticRegression(C=regularity, max_iter=2000)
    model.fit((x - mean) / deviation, np.array([classes.index(name) for name in y]))
    weight, bias = model.coef_ / deviation, model.intercept_
    if len(classes) == 2:  # scikit-learn tells the odds of the second one only
        weight, bias = np.concatenate([0 * weight, weight]), np.append(0.0, bias)
    return Linear(classes, weight, bias - weight @ mean)


ROLES = {
    "header": "the head of the page, as a whole",
    "footer": "its foot",
    "menu": "links to the parts of the site",
    "logo": "the mark or name of the site",
    "searchbar": "a form to search with",
    "title": "a title of the page or of a part of it",
    "article": "a text to be read, or the beginning of one",
    "content": "main content that is no single article",
    "linklist": "a list of links to pages",
    "sidebar": "a column beside the content, as a whole",
    "image": "a picture, or a group of them",
    "video": "a film, or a group of them",
    "table": "data in rows and columns",
    "comments": "what readers have written",
    "author": "who has written a text",
    "ad": "advertising",
}
"""Roles of segments: what `webgrain.evaluation.datasets` and the labelling tool know."""

FEWEST = 5
"""Rows of a role from which on it is learnt: a segment that is marked and a fine one gives two."""

REGULARITY = 0.015
"""Inverse strength of the penalty: the probabilities are then calibrated without a further step."""

HINT = 0.5
"""Trust in a hint of the markup, next to 1 for other features: there are many of them, and most are rare."""


class Roles(NamedTuple):
    """The role of each of s segments, None where it is not known, and its probability (s,)."""

    names: tuple[str | None, ...]
    probability: Float64


@dataclass(frozen=True, slots=True, eq=False)
class RoleModel:
    """A learnt model of roles.

    linear: the probability of each role, from features; share: (r,) of the segments learnt from.
    """

    linear: Linear
    share: Float64

    def __post_init__(self) -> None:
        if self.share.shape != self.linear.bias.shape or not (self.share > 0).all():
            raise ParameterError("RoleModel: expected a share of more than 0 for each role.")
        freeze(self)

    def roles(self, features: Float64) -> Roles:
        """Return the roles of segments with these features (s, f), as `segment_features` has them."""
        probability = self.linear.probability(features)
        named = (probability / np.sqrt(self.share)).argmax(axis=1)
        names = tuple(self.linear.classes[k] for k in named.tolist())
        return Roles(names, np.take_along_axis(probability, named[:, None], axis=1)[:, 0])


def fit_roles(features: Float64, roles: Sequence[str | None]) -> RoleModel | None:
    """Return a model learnt from segments with known roles; None unless two roles have `FEWEST` segments.

    features (s, f): as `segment_features`; roles: of each segment, None where it is not known. Segments may
    overlap: a header counts, and so does the menu in it. `MissingExtraError` without scikit-learn.

    >>> x = np.zeros((20, len(IS_HINT)))
    >>> x[10:, 0] = 1.0
    >>> fit_roles(x, ["menu"] * 10 + ["ad"] * 10).roles(x[[0, -1]]).names
    ('menu', 'ad')
    """
    names, count = np.unique([role for role in roles if role is not None], return_counts=True)
    learnt = dict(zip(names.tolist(), count.tolist(), strict=True))
    rows = [k for k, role in enumerate(roles) if role is not None and learnt[role] >= FEWEST]
    if len({roles[k] for k in rows}) < 2:
        return None
    trust = np.where(IS_HINT, HINT, 1.0)
    linear = fit_linear(features[rows], [str(roles[k]) for k in rows], REGULARITY, trust)
    return RoleModel(linear, np.array([learnt[name] for name in linear.classes]) / len(rows))


SAME = 0.8
"""Jaccard index, by leaves, from which on a segment counts as the same as a true one."""

CONFIDENCE_REGULARITY = 0.003
"""Inverse strength of the penalty."""

RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceModel:
    """A learnt model of confidence. linear: of the classes `RIGHT` and `WRONG`, or one of them."""

    linear: Linear

    def confidence(self, features: Float64) -> Float64:
        """Return the probability (s,) that segments with these features (s, f) are right."""
        probability = self.linear.probability(features)
        if RIGHT not in self.linear.classes:
            return 0.0 * probability[:, 0]
        return probability[:, self.linear.classes.index(RIGHT)]


def fit_confidence(features: Float64, right: Bool) -> ConfidenceModel | None:
    """Return a model learnt from predicted segments, None where there is none.

    features (s, f): as `segment_features`; right (s,): whether each is a true one, see `SAME`.
    `MissingExtraError` without scikit-learn.
    """
    if not len(right):
        return None
    return ConfidenceModel(
        fit_linear(features, [RIGHT if one else WRONG for one in right.tolist()], CONFIDENCE_REGULARITY)
    )


FORMAT = "webgrain roles"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Describer:
    """Models of the roles of segments and of the confidence in them.

    roles: None: not told; confidence: by name of the method that cut the page.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.gcuts import GCuts
    >>> page = parse(Source("a", b"<ul><li><a href=x>One</a><li><a href=y>Two</a></ul>"))
    >>> len(trained(page).describe(page, GCuts().predict(page)).roles) > 0
    True
    """

    roles: RoleModel | None = None
    confidence: Mapping[str, ConfidenceModel] = field(default_factory=dict)

    def describe(self, page: Page, segmentation: Segmentation) -> Segmentation:
        """Return a segmentation of ``page`` with roles and confidence; its labels stay as they are."""
        trust = self.confidence.get(segmentation.method)
        if not len(segmentation) or (self.roles is None and trust is None):
            return segmentation
        tree = visible_tree(page)
        traits = Traits(page, tree)
        x = segment_features(traits, Members(traits, segmentation.labels[tree.node[tree.leaves]]))
        found = self.roles.roles(x) if self.roles else None
        return replace(
            segmentation,
            roles=found.names if found else (),
            role_probability=found.probability if found else None,
            confidence=trust.confidence(x) if trust else None,
        )


def write_describer(path: Path, describer: Describer) -> None:
    """Write models to a file; the same models give the same file."""
    told, arrays = describer_told(describer)
    write_model(path, FORMAT, VERSION, told, arrays)


def read_describer(path: Path) -> Describer:
    """Return the models in a file; `InputError` where it cannot be read or holds none."""
    return describer_from(path, *read_model(path, FORMAT, VERSION))


def describer_told(describer: Describer) -> Told:
    """Return plain values and arrays that stand for models, see `describer_from`."""
    models = {f"confidence {method}": model.linear for method, model in describer.confidence.items()}
    arrays = {}
    if describer.roles:
        models["roles"] = describer.roles.linear
        arrays["roles share"] = describer.roles.share
    for name, linear in models.items():
        arrays |= {f"{name} weight": linear.weight, f"{name} bias": linear.bias}
    told = {
        "features": [feature.name for feature in SEGMENT_FEATURES],
        "classes": {name: list(linear.classes) for name, linear in models.items()},
    }
    return told, {name: array.astype(np.float32) for name, array in arrays.items()}


def describer_from(path: Path, told: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Describer:
    """Return the models that ``told`` and ``arrays`` stand for; `InputError` naming ``path`` for no such."""
    if told.get("features") != [feature.name for feature in SEGMENT_FEATURES]:
        raise InputError(f"{path} holds roles of other features: learn them again with this version.")
    try:
        models = {
            str(name): Linear(
                tuple(map(str, classes)),
                arrays[f"{name} weight"].astype(np.float64),
                arrays[f"{name} bias"].astype(np.float64),
            )
            for name, classes in told["classes"].items()
        }
        linear = models.pop("roles", None)
        roles = RoleModel(linear, arrays["roles share"].astype(np.float64)) if linear else None
    except (KeyError, TypeError, ValueError, AttributeError, ParameterError) as error:
        raise InputError(f"{path} holds damaged roles: {error}") from error
    confidence = {name.removeprefix("confidence "): ConfidenceModel(one) for name, one in models.items()}
    return Describer(roles, confidence)


def trained(page: Page) -> Describer:
    """Return the models that come with webgrain, for pages laid out as ``page`` is."""
    return _trained("chromium" if page.view is not None and page.view.source == "chromium" else "estimate")


@cache
def _trained(layout: str) -> Describer:
    with as_file(files("webgrain.segmentation") / "trained" / f"{layout}.roles") as path:
        return read_describer(path)
