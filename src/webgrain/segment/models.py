"""Weights as files: JSON that a person can read, compare and edit; and those that come with webgrain.

{"format": "webgrain weights", "version": 2, "name": "mine",
 "node": {"y": {"weight": 4.0, "mean": 0.4, "deviation": 0.3}},
 "adjacent": {"terms": {"gap_y": {"weight": -0.5, "mean": 2.0, "deviation": 1.5}}, "bias": 1.0},
 "pairs": {"terms": {}, "bias": 0.0}, "parameters": {"gcuts": {"lam": 4.0}}}
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any

from webgrain.errors import InputError, ParameterError
from webgrain.modelfile import read_model, write_model
from webgrain.segment.costs import UNIFORM, Logistic, Term, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from webgrain.page.page import Page

FORMAT = "webgrain weights"
VERSION = 2

TRAINED = "trained"
"""Name of the weights that come with webgrain: some for pages rendered by a browser, some for all others."""

NAMES = (TRAINED, UNIFORM.name)
"""Weights that a method takes by name."""


def write_weights(path: Path, weights: Weights) -> None:
    """Write weights to a file; what `read_weights` makes of it is equal to them.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_weights(Path(folder) / "weights.json", UNIFORM)
    ...     read_weights(Path(folder) / "weights.json") == UNIFORM
    True
    """
    write_model(path, FORMAT, VERSION, weights_told(weights))


def read_weights(path: Path) -> Weights:
    """Return the weights in a file; `InputError` where it cannot be read or holds none."""
    return weights_from(path, read_model(path, FORMAT, VERSION)[0])


def weights_told(weights: Weights) -> dict[str, Any]:
    """Return plain values that stand for weights, see `weights_from`."""
    return {
        "name": weights.name,
        "node": _told(weights.node),
        "adjacent": {"terms": _told(weights.adjacent.terms), "bias": weights.adjacent.bias},
        "pairs": {"terms": _told(weights.pairs.terms), "bias": weights.pairs.bias},
        "parameters": {method: dict(values) for method, values in weights.parameters.items()},
    }


def weights_from(path: Path, told: Mapping[str, Any]) -> Weights:
    """Return the weights that ``told`` stands for; `InputError`, naming ``path``, for none."""
    try:
        return Weights(
            str(told["name"]),
            _terms(told["node"]),
            _logistic(told["adjacent"]),
            _logistic(told["pairs"]),
            {str(method): _numbers(values) for method, values in told["parameters"].items()},
        )
    except KeyError as error:
        raise InputError(f"{path}: the weights lack {error}.") from error
    except (TypeError, AttributeError, OverflowError, ParameterError) as error:
        raise InputError(f"{path} holds damaged weights: {error}") from error


def find_weights(weights: Weights | str, page: Page) -> Weights:
    """Return the weights of that name for ``page``, or the given ones.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> find_weights("uniform", parse(Source("a", b"<p>One"))).name
    'uniform'
    """
    if isinstance(weights, Weights):
        return weights
    if weights == UNIFORM.name:
        return UNIFORM
    return _trained("chromium" if page.view is not None and page.view.source == "chromium" else "estimate")


@cache
def _trained(layout: str) -> Weights:
    with as_file(files("webgrain.segment") / "trained" / f"{layout}.json") as path:
        return read_weights(path)


def _told(terms: Any) -> dict[str, dict[str, float]]:
    return {name: term._asdict() for name, term in terms.items()}


def _terms(told: Any) -> dict[str, Term]:
    return {name: Term(**_numbers(values)) for name, values in told.items()}


def _logistic(told: Any) -> Logistic:
    (bias,) = _numbers({"bias": told["bias"]}).values()
    return Logistic(_terms(told["terms"]), bias)


def _numbers(told: Any) -> dict[str, float]:
    for name, value in told.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"expected a number for {name}, got {value!r}.")
    return {name: float(value) for name, value in told.items()}
