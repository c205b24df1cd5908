"""Base class of all estimators, the checks of their parameters, and their register by name.

An estimator is a dataclass whose fields are its keyword parameters. Parameters are stored unchanged and
checked when they are set; `real`, `integer` and `choice` declare which values are accepted. Learnt attributes
end in an underscore. The conventions are those of scikit-learn, so that ``sklearn.base.clone(estimator)``
works.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Self

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.guesses import NamesGuesses
from webgrain.base.modelfile import check_path, intact, read_model, write_model

FORMAT, VERSION = "webgrain estimator", 1


@dataclass(kw_only=True, eq=False, repr=False)
class Estimator(NamesGuesses):
    """Base of all estimators.

    A subclass implements ``fit`` and ``predict``. If it can be saved, it also implements ``_state``, which
    returns what was learnt as plain values, and ``_restore``, which takes them.

    >>> @dataclass(kw_only=True, eq=False, repr=False)
    ... class Cut(Estimator):
    ...     depth: int = integer(3, low=1)
    >>> Cut(depth=5).get_params(), Cut(depth=5), Cut()
    ({'depth': 5}, Cut(depth=5), Cut())
    >>> Cut(depth=0)
    Traceback (most recent call last):
    webgrain.base.errors.ParameterError: Cut: depth must be an integer of at least 1, got 0.
    """

    _guesses: ClassVar[Mapping[str, str]] = {
        "fit_transform": "fit_predict",
        **dict.fromkeys(("params", "parameters", "config"), "get_params()"),
        **dict.fromkeys(("dump", "to_json", "to_file", "write", "export"), "save"),
        **dict.fromkeys(("from_file", "from_json", "open"), "load"),
    }

    def __post_init__(self) -> None:
        for declared in fields(self):
            if check := declared.metadata.get("check"):
                check(self, declared.name)

    def __repr__(self) -> str:
        """Return the class and the parameters that differ from their defaults, as scikit-learn does."""
        defaults = {field.name: field.default for field in fields(self) if field.init}
        changed = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return (
            f"{type(self).__name__}({', '.join(f'{name}={value!r:.40}' for name, value in changed.items())})"
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name. ``deep`` has no effect; scikit-learn passes it."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}

    def set_params(self, **params: Any) -> Self:
        """Set parameters and return the estimator. Raises `ParameterError` for an unknown name."""
        known = self.get_params()
        for name in params:
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known) or 'none'}."
                )
        type(self)(**(known | params))  # checks the values; an invalid one changes nothing
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit_predict(self, pages: Any, *args: Any, **kwargs: Any) -> Any:
        """Fit the estimator and return the result for the same pages.

        Returns the array ``labels_`` if the estimator has one, otherwise the list of the predictions.
        """
        pages = list(pages)
        fitted = self.fit(pages, *args, **kwargs)  # type: ignore[attr-defined]
        labels = getattr(fitted, "labels_", None)
        return [fitted.predict(page) for page in pages] if labels is None else labels

    def save(self, path: str | Path) -> None:
        """Write the parameters and what was learnt to a JSON file.

        Raises `ParameterError` if nothing was learnt, `InputError` if the file cannot be written.
        """
        name = type(self).__name__
        content = {"estimator": name, "params": self.get_params(), "state": self._state()}
        try:
            json.dumps(content["params"])
        except TypeError as error:
            raise ParameterError(f"{name}: parameters that are objects cannot be saved: {error}.") from error
        write_model(check_path(path), FORMAT, VERSION, content)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the estimator that ``save`` wrote, of this class or a subclass of it.

        Raises `InputError` if the file contains another one.
        """
        content, _ = read_model(check_path(path), FORMAT, VERSION)
        kinds = {class_.__name__: class_ for class_ in (cls, *cls.__subclasses__())}
        if not isinstance(name := content.get("estimator"), str) or name not in kinds:
            raise InputError(f"{path} contains the estimator {name}, not {cls.__name__}.")
        with intact(path, cls.__name__):
            estimator = kinds[name](**content["params"])
            estimator._restore(content["state"])
        return estimator

    def describe(self) -> dict[str, Any]:
        """Return the parameters as plain values for a record; an object is represented by its ``name``."""
        return {name: getattr(value, "name", value) for name, value in self.get_params().items()}

    def _state(self) -> dict[str, Any]:
        """Return what was learnt as plain values. Raises `ParameterError` if nothing was."""
        raise ParameterError(f"{type(self).__name__} cannot be saved.")

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Set what was learnt from the values of ``_state``."""
        raise ParameterError(f"{type(self).__name__} cannot be loaded.")


def real(default: float | None, low: float = -math.inf, high: float = math.inf) -> Any:
    """Declare a parameter that is a finite number in ``low..high``; None is accepted if it is the default."""
    check = partial(check_number, low=low, high=high, optional=default is None)
    return field(default=default, metadata={"check": check})


def integer(default: int | None, low: int) -> Any:
    """Declare a parameter that is an integer of at least ``low``; None is accepted if it is the default."""
    return field(
        default=default, metadata={"check": partial(check_integer, low=low, optional=default is None)}
    )


def choice(default: Any, choices: Collection[Any]) -> Any:
    """Declare a parameter that is one of ``choices``."""
    return field(default=default, metadata={"check": partial(check_choice, choices=choices)})


def check_number(
    owner: object, name: str, low: float = -math.inf, high: float = math.inf, *, optional: bool = False
) -> None:
    """Raise `ParameterError` unless parameter ``name`` is a finite number in ``low..high``.

    With ``optional``, None is accepted too.

    >>> check_number(Estimator(), "lam")
    Traceback (most recent call last):
    AttributeError: 'Estimator' object has no attribute 'lam'
    """
    value = getattr(owner, name)
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ParameterError(f"{type(owner).__name__}: {name} must be a finite number, got {value!r:.80}.")
    if not low <= value <= high:
        bounds = f"at least {low:g}" if high == math.inf else f"in {low:g}..{high:g}"
        raise ParameterError(f"{type(owner).__name__}: {name} must be {bounds}, got {value!r}.")


def check_integer(owner: object, name: str, low: int, *, optional: bool = False) -> None:
    """Raise `ParameterError` unless parameter ``name`` is an integer of at least ``low``.

    With ``optional``, None is accepted too.
    """
    value = getattr(owner, name)
    if optional and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ParameterError(
            f"{type(owner).__name__}: {name} must be an integer of at least {low}, got {value!r:.80}."
        )


def check_choice(owner: object, name: str, choices: Collection[Any]) -> None:
    """Raise `ParameterError` unless parameter ``name`` is one of ``choices``."""
    value = getattr(owner, name)
    if not any(value is choice or (type(value) is type(choice) and value == choice) for choice in choices):
        listed = ", ".join(map(repr, choices))
        raise ParameterError(f"{type(owner).__name__}: {name} must be one of {listed}, got {value!r:.80}.")


METHODS = {
    "gcuts": "webgrain.papers.gcuts:GCuts",
    "cclus": "webgrain.papers.cclus:CClus",
    "learntcut": "webgrain.segmentation.learntcut:LearntCut",
    "gcuts-certified": "webgrain.papers.gcuts:CertifiedGCuts",
    "gcuts-np": "webgrain.papers.gcuts:GCutsNP",
    "gcuts-nl": "webgrain.papers.gcuts:GCutsNL",
    "cclus-nl": "webgrain.papers.cclus:CClusNL",
    "regextree": "webgrain.papers.regextree:RegexTree",
    "keyclus": "webgrain.papers.keyclus:KeyClus",
    "pagetypes": "webgrain.pagetypes.pagetypes:PageTypes",
    "webstemmer": "webgrain.papers.webstemmer:Webstemmer",
    "single-page": "webgrain.extraction.single:SinglePage",
}
"""Name of a method and its module and class, which is imported when it is used."""

_OTHER_ESTIMATORS = (
    "webgrain.templates.sitetemplate:SiteTemplate",
    "webgrain.papers.webstemmer2007:OriginalWebstemmer",
)
"""Estimators that have a file and no name among the methods."""

TYPES_MODELS = {
    "webgrain page types": "webgrain.pagetypes.pagetypes:TypeModel",
    "webgrain KeyClus types": "webgrain.papers.keyclus:KeyClusModel",
}
"""Format of a file of page types and the module and class of its model, which is imported when it is used."""


FAMILIES = {
    "segmentation": ("gcuts", "cclus", "learntcut", "gcuts-certified", "gcuts-np", "gcuts-nl", "cclus-nl"),
    "templates": ("regextree",),
    "pagetypes": ("keyclus", "pagetypes"),
    "layouts": ("webstemmer",),
    "extraction": ("single-page",),
}
"""The methods of each task, published ones and ours."""


def family(task: str) -> tuple[str, ...]:
    """Return the names of the methods of one task.

    >>> family("segmentation")
    ('gcuts', 'cclus', 'learntcut', 'gcuts-certified', 'gcuts-np', 'gcuts-nl', 'cclus-nl')
    """
    return FAMILIES[task]


def load(name: str) -> type[Estimator]:
    """Return the class of a method. Raises `ParameterError` for an unknown name.

    >>> load("gcuts").__name__
    'GCuts'
    """
    if name not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {name!r:.80}.")
    method: type[Estimator] = imported(METHODS[name])
    return method


def load_estimator(path: Path) -> Estimator:
    """Return the estimator of any class in a file that ``save`` wrote; `InputError` if there is none."""
    content, _ = read_model(path, FORMAT, VERSION)
    places = {place.partition(":")[2]: place for place in (*METHODS.values(), *_OTHER_ESTIMATORS)}
    name = content.get("estimator")
    if not isinstance(name, str) or name not in places:
        raise InputError(f"{path} contains the estimator {str(name)[:80]}, which webgrain does not have.")
    estimator: Estimator = imported(places[name]).load(path)
    return estimator


def imported(place: str) -> Any:
    """Return what a place contains: a module and a name in it, or the name of a method of a class.

    >>> imported("webgrain.base.errors:InputError").__name__
    'InputError'
    """
    module, _, name = place.partition(":")
    return attrgetter(name)(import_module(module))


def create(name: str, **params: Any) -> Estimator:
    """Return an estimator with these parameters. Raises `ParameterError` for an unknown parameter.

    >>> create("gcuts", lam=0.7).get_params()["lam"]
    0.7
    """
    method = load(name)
    unknown = sorted(set(params) - set(method().get_params()))
    if unknown:
        raise ParameterError(f"{name} has no parameter {', '.join(unknown)}.")
    return method(**params)
