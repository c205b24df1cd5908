"""The methods by name, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from webgrain.estimator import Estimator

METHODS = {
    "gcuts": "webgrain.segment.gcuts:GCuts",
    "cclus": "webgrain.segment.cclus:CClus",
    "learntcut": "webgrain.segment.learntcut:LearntCut",
    "regextree": "webgrain.template.regextree:RegexTree",
    "keyclus": "webgrain.cluster.keyclus:KeyClus",
    "webstemmer": "webgrain.template.webstemmer:Webstemmer",
    "single-page": "webgrain.extract.single:SinglePage",
}
"""Name of a method -> module and class."""


def family(folder: str) -> tuple[str, ...]:
    """Return the names of the methods of one folder: of ``segment`` those that cut pages, and so on.

    >>> family("segment")
    ('gcuts', 'cclus', 'learntcut')
    """
    return tuple(name for name, place in METHODS.items() if place.startswith(f"webgrain.{folder}."))


def load(name: str) -> type[Estimator]:
    """Return the class of a method; `ParameterError` for another name.

    >>> load("gcuts").__name__
    'GCuts'
    """
    if name not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {name!r}.")
    module, _, attribute = METHODS[name].partition(":")
    method: type[Estimator] = getattr(import_module(module), attribute)
    return method


def create(name: str, **params: Any) -> Estimator:
    """Return a method with these parameters; `ParameterError` for a parameter that it does not have.

    >>> create("gcuts", lam=0.7).get_params()["lam"]
    0.7
    """
    method = load(name)
    unknown = sorted(set(params) - set(method().get_params()))
    if unknown:
        raise ParameterError(f"{name} has no parameter {', '.join(unknown)}.")
    return method(**params)
