"""Weights as files: JSON that a person can read, compare and edit.

{"format": "webgrain weights", "version": 1, "name": "mine", "node": {"y": 4.0},
 "adjacent": {"weights": {"gap_y": 2.0}, "bias": 1.0}, "pairs": {"weights": {}, "bias": 0.0}}
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from webgrain.errors import InputError, ParameterError
from webgrain.segment.costs import Logistic, Weights

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "webgrain weights"
VERSION = 1

MAX_BYTES = 2**20
"""Size of a file up to which it is read; weights take a few thousand."""


def write_weights(path: Path, weights: Weights) -> None:
    """Write weights to a file; what `read_weights` makes of it is equal to them.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from webgrain.segment.costs import HAND
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_weights(Path(folder) / "weights.json", HAND)
    ...     read_weights(Path(folder) / "weights.json") == HAND
    True
    """
    told = {"format": FORMAT, "version": VERSION} | asdict(weights)
    path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def read_weights(path: Path) -> Weights:
    """Return the weights in a file; `InputError` where it cannot be read or holds none."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"Cannot read weights from {path}: {error.strerror}.") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path} holds no weights: it is larger than {MAX_BYTES} bytes.")
    try:
        told = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} holds no weights: it is not JSON ({error}).") from error
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise InputError(f'{path} holds no weights: expected "format": "{FORMAT}".')
    if told.get("version") != VERSION:
        raise InputError(f"{path}: expected weights of version {VERSION}, got {told.get('version')!r}.")
    try:
        node, adjacent, pairs = _numbers(told["node"]), _logistic(told["adjacent"]), _logistic(told["pairs"])
        return Weights(str(told["name"]), node, adjacent, pairs)
    except KeyError as error:
        raise InputError(f"{path}: the weights lack {error}.") from error
    except (TypeError, AttributeError, OverflowError, ParameterError) as error:
        raise InputError(f"{path} holds damaged weights: {error}") from error


def _logistic(told: Any) -> Logistic:
    (bias,) = _numbers({"bias": told["bias"]}).values()
    return Logistic(_numbers(told["weights"]), bias)


def _numbers(told: Any) -> dict[str, float]:
    for name, value in told.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"expected a number for {name}, got {value!r}.")
    return {name: float(value) for name, value in told.items()}
