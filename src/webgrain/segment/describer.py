"""What tells of segments what they are for and how sure they are: models of roles and confidence, as files.

    page, Segmentation --segment_features--> roles, confidence --> Segmentation with both

A model file (`webgrain.modelfile`) has an array of weights and one of biases per model, and tells the names
of its classes and of all features, so that a model of other features is found out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.errors import InputError, ParameterError
from webgrain.modelfile import read_model, write_model
from webgrain.page.leaves import visible_tree
from webgrain.segment.confidence import ConfidenceModel
from webgrain.segment.linear import Linear
from webgrain.segment.members import Members
from webgrain.segment.roles import RoleModel
from webgrain.segment.segmentfeatures import SEGMENT_FEATURES, segment_features
from webgrain.segment.traits import Traits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from webgrain.page.page import Page
    from webgrain.results import Segmentation

    Told = tuple[dict[str, Any], dict[str, NDArray[Any]]]

FORMAT = "webgrain roles"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Describer:
    """Models of the roles of segments and of the confidence in them.

    roles: None: not told; confidence: by name of the method that cut the page.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.gcuts import GCuts
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
    with as_file(files("webgrain.segment") / "trained" / f"{layout}.roles") as path:
        return read_describer(path)
