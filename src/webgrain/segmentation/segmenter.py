"""A segmentation method together with the classifier of its segments, and the file of learnt ones.

    page --method--> Segmentation --classifier--> Segmentation with roles and confidence

The file (`webgrain.modelfile`) contains name and parameters of the method, what it has learnt, the
classifier, and the layout of the training pages. ``webgrain learn segments`` writes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from webgrain.errors import InputError, ParameterError
from webgrain.estimator import create, family
from webgrain.modelfile import read_model, write_model
from webgrain.page.parsing import as_page
from webgrain.results import Segmentation
from webgrain.segmentation.costs import weights_from_dict, weights_to_dict
from webgrain.segmentation.learning import PageLike
from webgrain.segmentation.learntcut import blocks_from_dict, blocks_to_dict
from webgrain.segmentation.roles import RoleClassifier, classifier_from_dict, classifier_to_dict, trained

FORMAT = "webgrain segmenter"
VERSION = 1

DEFAULT = "learntcut"
"""The default method, which agrees best with people."""


class Learnt(NamedTuple):
    """The parameter of a method that takes what was learnt, and its conversion to and from plain values."""

    parameter: str
    to_dict: Callable[[Any], dict[str, Any]]
    from_dict: Callable[[Path, Mapping[str, Any]], Any]


LEARNT = {
    "learntcut": Learnt("model", blocks_to_dict, blocks_from_dict),
    "gcuts": Learnt("weights", weights_to_dict, weights_from_dict),
    "cclus": Learnt("weights", weights_to_dict, weights_from_dict),
}
"""The methods that can be learnt, by name."""


@dataclass(frozen=True, slots=True)
class Segmenter:
    """Segments pages, with a role of each segment and the confidence in it.

    name: of the method; method: segments the page; classifier: None for the shipped one; layout: of the
    training pages, ``chromium``, ``estimate`` or ``none``; empty: any.

    >>> html = "<ul><li><a href=x>One</a><li><a href=y>Two</a></ul>"
    >>> len(segmenter("gcuts").predict(html).roles) > 0
    True
    """

    name: str
    method: Any
    classifier: RoleClassifier | None = None
    layout: str = ""

    def predict(self, page: PageLike) -> Segmentation:
        """Return the segments of ``page`` with their roles and the confidence in them.

        Warns if the page is rendered in another way than the training pages of the method.
        """
        page = as_page(page)
        layout = page.view.source if page.view is not None else "none"
        if self.layout not in ("", layout):
            warnings.warn(
                f"The weights were learnt from pages of layout {self.layout!r}, and the page has {layout!r}.",
                stacklevel=2,
            )
        return (self.classifier or trained(page)).classify(page, self.method.predict(page))

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
    kind = LEARNT[segmenter.name]
    params = segmenter.method.get_params()
    given = params.pop(kind.parameter)
    learnt = getattr(segmenter.method, f"{kind.parameter}_") or given
    if isinstance(learnt, str):
        raise ParameterError(f"write_segmenter expects a method that was fitted, got {learnt!r}.")
    classifier, arrays = classifier_to_dict(segmenter.classifier or RoleClassifier())
    content = {"method": segmenter.name, "params": params, "layout": segmenter.layout}
    content |= {"learnt": kind.to_dict(learnt), "describer": classifier}
    try:
        write_model(path, FORMAT, VERSION, content, arrays)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error


def read_segmenter(path: Path) -> Segmenter:
    """Return the segmenter in a file; `InputError` if it cannot be read or does not contain one."""
    content, arrays = read_model(path, FORMAT, VERSION)
    try:
        name, params = str(content["method"]), dict(content["params"])
        kind = LEARNT[name]
        params[kind.parameter] = kind.from_dict(path, content["learnt"])
        classifier = classifier_from_dict(path, content["describer"], arrays)
        return Segmenter(name, create(name, **params), classifier, str(content["layout"]))
    except KeyError as error:
        raise InputError(f"{path} contains a damaged {FORMAT}: it lacks {error}.") from error
    except (TypeError, ValueError, AttributeError, ParameterError) as error:
        raise InputError(f"{path} contains a damaged {FORMAT}: {error}") from error
