"""A method together with what describes its segments, and the file of those that were learnt.

    page --method--> Segmentation --describer--> Segmentation with roles and confidence

The file (`webgrain.modelfile`) holds name and parameters of the method, what it has learnt, the describer,
and the layout of the pages that all of it was learnt from. ``webgrain learn segments`` writes it.
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
from webgrain.page.page import Page
from webgrain.results import Segmentation
from webgrain.segmentation.costs import weights_from, weights_told
from webgrain.segmentation.learntcut import blocks_from, blocks_told
from webgrain.segmentation.roles import Describer, describer_from, describer_told, trained

FORMAT = "webgrain segmenter"
VERSION = 1

DEFAULT = "learntcut"
"""Method that pages are cut with where no other is named: the one that agrees best with people."""


class Learns(NamedTuple):
    """What a method learns: the parameter that holds it, and how it becomes plain values and comes back."""

    parameter: str
    told: Callable[[Any], dict[str, Any]]
    read: Callable[[Path, Mapping[str, Any]], Any]


LEARNS = {
    "learntcut": Learns("model", blocks_told, blocks_from),
    "gcuts": Learns("weights", weights_told, weights_from),
    "cclus": Learns("weights", weights_told, weights_from),
}
"""The methods that can be learnt, by name."""


@dataclass(frozen=True, slots=True)
class Segmenter:
    """Cuts a page and says of each segment what it is for and how sure it is.

    name: of the method; method: cuts the page; describer: tells the rest; None: the one that comes with
    webgrain; layout: that of the pages learnt from, ``chromium``, ``estimate`` or ``none``; empty: any.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul><li><a href=x>One</a><li><a href=y>Two</a></ul>"))
    >>> len(segmenter("gcuts").predict(page).roles) > 0
    True
    """

    name: str
    method: Any
    describer: Describer | None = None
    layout: str = ""

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of ``page`` with their roles and the confidence in them.

        Warns where the page is laid out otherwise than those that the method was learnt from.
        """
        layout = page.view.source if page.view is not None else "none"
        if self.layout not in ("", layout):
            warnings.warn(
                f"The weights are for pages laid out with {self.layout!r}, and are used with {layout!r}",
                stacklevel=2,
            )
        return (self.describer or trained(page)).describe(page, self.method.predict(page))

    def changed(self, **params: Any) -> Segmenter:
        """Return one with other parameters of its method; `ParameterError` for a wrong one."""
        return replace(self, method=create(self.name, **self.method.get_params() | params))


def segmenter(name: str = DEFAULT, **params: Any) -> Segmenter:
    """Return a method with these parameters, and the describer that comes with webgrain.

    `ParameterError` for a name or a parameter that is none.
    """
    check_method(name)
    return Segmenter(name, create(name, **params))


def check_method(name: str) -> None:
    """Raise `ParameterError` for a name that is not that of a method that cuts pages."""
    if name not in family("segmentation"):
        raise ParameterError(f"method must be one of {', '.join(family('segmentation'))}, got {name!r}.")


def write_segmenter(path: Path, segmenter: Segmenter) -> None:
    """Write a learnt segmenter to a file; the same one gives the same file.

    `ParameterError` where its method has learnt nothing, `InputError` where the file cannot be written.
    """
    learns = LEARNS[segmenter.name]
    params = segmenter.method.get_params()
    given = params.pop(learns.parameter)
    learnt = getattr(segmenter.method, f"{learns.parameter}_") or given
    if isinstance(learnt, str):
        raise ParameterError(f"write_segmenter expects a method that was fitted, got {learnt!r}.")
    described, arrays = describer_told(segmenter.describer or Describer())
    told = {"method": segmenter.name, "params": params, "layout": segmenter.layout}
    told |= {"learnt": learns.told(learnt), "describer": described}
    try:
        write_model(path, FORMAT, VERSION, told, arrays)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error


def read_segmenter(path: Path) -> Segmenter:
    """Return the segmenter in a file; `InputError` where it cannot be read or holds none."""
    told, arrays = read_model(path, FORMAT, VERSION)
    try:
        name, params = str(told["method"]), dict(told["params"])
        learns = LEARNS[name]
        params[learns.parameter] = learns.read(path, told["learnt"])
        describer = describer_from(path, told["describer"], arrays)
        return Segmenter(name, create(name, **params), describer, str(told["layout"]))
    except KeyError as error:
        raise InputError(f"{path} holds a damaged {FORMAT}: it lacks {error}.") from error
    except (TypeError, ValueError, AttributeError, ParameterError) as error:
        raise InputError(f"{path} holds a damaged {FORMAT}: {error}") from error
