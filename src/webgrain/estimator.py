"""Estimator: the base of all methods, and the checks of their parameters.

A method is a dataclass whose fields are its keyword parameters: they are stored as given, checked when it is
made, and never changed.

The methods by name, imported when they are used.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

from webgrain.errors import ParameterError


@dataclass(kw_only=True, eq=False)
class Estimator:
    """Base of all methods.

    >>> @dataclass(kw_only=True, eq=False)
    ... class Cut(Estimator):
    ...     depth: int = 3
    >>> Cut(depth=5).get_params(), Cut()
    ({'depth': 5}, Cut(depth=3))
    """

    def get_params(self) -> dict[str, Any]:
        """Return the parameters by name, as they were given."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}

    def describe(self) -> dict[str, Any]:
        """Return the parameters by name as plain values for a record: an object is told by its ``name``."""
        return {name: getattr(value, "name", value) for name, value in self.get_params().items()}


def check_number(
    owner: object, name: str, low: float = -math.inf, high: float = math.inf, *, optional: bool = False
) -> None:
    """Raise `ParameterError` unless parameter ``name`` is a finite number in ``low..high``.

    optional: None will do as well.

    >>> check_number(Estimator(), "lam")
    Traceback (most recent call last):
    AttributeError: 'Estimator' object has no attribute 'lam'
    """
    value = getattr(owner, name)
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ParameterError(f"{type(owner).__name__}: {name} must be a finite number, got {value!r}.")
    if not low <= value <= high:
        bounds = f"at least {low:g}" if high == math.inf else f"in {low:g}..{high:g}"
        raise ParameterError(f"{type(owner).__name__}: {name} must be {bounds}, got {value!r}.")


def check_integer(owner: object, name: str, low: int) -> None:
    """Raise `ParameterError` unless parameter ``name`` is an integer of at least ``low``."""
    value = getattr(owner, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ParameterError(
            f"{type(owner).__name__}: {name} must be an integer of at least {low}, got {value!r}."
        )


def check_choice(owner: object, name: str, choices: Collection[Any]) -> None:
    """Raise `ParameterError` unless parameter ``name`` is one of ``choices``."""
    value = getattr(owner, name)
    if value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ParameterError(f"{type(owner).__name__}: {name} must be one of {listed}, got {value!r}.")


METHODS = {
    "gcuts": "webgrain.segmentation.gcuts:GCuts",
    "cclus": "webgrain.segmentation.cclus:CClus",
    "learntcut": "webgrain.segmentation.learntcut:LearntCut",
    "regextree": "webgrain.templates.regextree:RegexTree",
    "keyclus": "webgrain.pagetypes.keyclus:KeyClus",
    "webstemmer": "webgrain.layouts.webstemmer:Webstemmer",
    "single-page": "webgrain.extraction.single:SinglePage",
}
"""Name of a method -> module and class."""


def family(folder: str) -> tuple[str, ...]:
    """Return the names of the methods of one folder: of ``segment`` those that cut pages, and so on.

    >>> family("segmentation")
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
