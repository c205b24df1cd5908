"""Models as files: JSON that a person can read, and arrays beside it where there are any.

Without arrays a model is a JSON file. With arrays it is a zip archive of ``model.json`` and one ``.npy`` file
per array, which NumPy opens too. Nothing in a file is ever run.
"""

from __future__ import annotations

import io
import json
import math
import warnings
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.errors import InputError

Arrays = dict[str, NDArray[Any]]


MAX_BYTES = 2**28
"""Size of a model up to which it is read, unpacked."""

MAX_VALUES = 2**23
"""Values of a model up to which it is read: in memory, the least takes twenty times its place in the file."""

DAMAGED = (KeyError, TypeError, ValueError, IndexError, ArithmeticError, AttributeError)
"""What Python raises where plain values are not those of a model."""

_DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
_WIDTH = 110
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_JSON = "model.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same model is the same file at any time


def write_model(
    path: Path,
    format: str,  # noqa: A002 - the name in the file
    version: int,
    told: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Write a model to a file; the same model gives the same bytes.

    format, version: what the file is, checked by `read_model`; told: plain values; arrays: by name, of
    numbers.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(Path(folder) / "a", "example", 1, {"lam": 0.5}, {"x": np.arange(3)})
    ...     read_model(Path(folder) / "a", "example", 1)
    ({'lam': 0.5}, {'x': array([0, 1, 2])})
    """
    head = {"format": format, "version": version} | dict(told)
    text = _text(head) + "\n"
    if not arrays:
        path.write_text(text, encoding="utf-8")
        return
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(_member(_JSON), text)
        for name, array in sorted(arrays.items()):
            content = io.BytesIO()
            np.save(content, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(_member(f"{name}.npy"), content.getvalue())


def read_model(
    path: Path,
    format: str,  # noqa: A002 - the name in the file
    version: int,
) -> tuple[dict[str, Any], Arrays]:
    """Return what `write_model` was told, and the arrays by name.

    `InputError` where the file cannot be read, is damaged, or is of another format or version.
    """
    try:
        told, arrays = _read(path)
    except OSError as error:
        raise InputError(f"Cannot read a model from {path}: {error.strerror or error}.") from error
    except (ValueError, RecursionError, EOFError, KeyError) as error:
        raise InputError(f"{path} holds no {format}: {_reason(error)}.") from error
    except _DAMAGED_ZIP as error:
        raise InputError(f"{path} holds a damaged {format}: {_reason(error)}.") from error
    if (other := told.pop("format", None)) != format:
        raise InputError(f'{path} holds no {format}: expected "format": "{format}", got {_shortly(other)}.')
    found = told.pop("version", None)
    if found != version:
        raise InputError(f"{path}: expected a {format} of version {version}, got {_shortly(found)}.")
    return told, arrays


def _text(value: Any, indent: int = 0) -> str:
    """Return JSON in which what fits into a line has one: short enough to read, with small differences."""
    if isinstance(value, Mapping):
        parts = [f"{_ENCODER.encode(str(name))}: {_text(part, indent + 2)}" for name, part in value.items()]
    elif isinstance(value, list | tuple):
        parts = [_text(part, indent + 2) for part in value]
    else:
        return _ENCODER.encode(value)
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    line = f"{opening}{', '.join(parts)}{closing}"
    if not parts or ("\n" not in line and indent + len(line) <= _WIDTH):
        return line
    gap = "\n" + " " * (indent + 2)
    return f"{opening}{gap}{f',{gap}'.join(parts)}\n{' ' * indent}{closing}"


def _shortly(value: Any) -> str:
    told = json.dumps(value, ensure_ascii=True)
    return told if len(told) <= 80 else f"{told[:79]}…"


def format_of(path: Path) -> str | None:
    """Return what the model in a file is; None where it is none, or cannot be read.

    >>> from pathlib import Path
    >>> format_of(Path("nowhere.json")) is None
    True
    """
    try:
        told, _ = _read(path)
    except (OSError, ValueError, RecursionError, EOFError, KeyError, *_DAMAGED_ZIP):
        return None
    found = told.get("format")
    return found if isinstance(found, str) else None


def _read(path: Path) -> tuple[dict[str, Any], Arrays]:
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            file.seek(0)
            return _object(_limited(file.read(MAX_BYTES + 1))), {}
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
                raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
            content = {name: archive.read(name) for name in archive.namelist()}
    told = _object(content.pop(_JSON))
    return told, {name.removesuffix(".npy"): _array(data) for name, data in content.items()}


def _array(data: bytes) -> NDArray[Any]:
    """Read an array; not by `numpy.load`, which allocates what the header promises before it has seen it."""
    content = io.BytesIO(data)
    if np.lib.format.read_magic(content) != (1, 0):
        raise ValueError("expected arrays of version 1.0")
    try:
        with warnings.catch_warnings(action="error"):
            shape, by_column, kind = np.lib.format.read_array_header_1_0(content)
    except Exception as error:  # whatever the readers raise that NumPy uses
        raise ValueError(f"it has an array without a header: {_reason(error)}") from error
    if kind.kind not in "biuf":
        raise ValueError("expected arrays of numbers")
    values = np.frombuffer(data, kind, math.prod(shape), content.tell())
    if not np.isfinite(values).all():
        raise ValueError("expected finite numbers")
    return values.reshape(shape, order="F" if by_column else "C")


def _object(content: bytes) -> dict[str, Any]:
    if sum(map(content.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise ValueError(f"it has more than {MAX_VALUES:,} values")
    told = json.loads(content)
    if not isinstance(told, dict):
        raise ValueError("it is not a JSON object")
    return told


def _limited(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
    return content


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _reason(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__
