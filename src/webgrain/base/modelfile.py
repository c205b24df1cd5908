"""Models as files.

A model without arrays is a JSON file. A model with arrays is a zip archive with ``model.json`` and an
``.npy`` file per array, which NumPy can open. Nothing in a file is executed.
"""

from __future__ import annotations

import base64
import io
import json
import math
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.errors import InputError, ParameterError, writing

NamedArrays = dict[str, NDArray[Any]]


MAX_BYTES = 2**28
"""Bytes of the largest model that is read, uncompressed (hand-set)."""

_MAX_VALUES = 2**23
"""Values of the largest model that is read: a value takes up to twenty times its bytes in memory
(hand-set)."""

DAMAGED = (KeyError, TypeError, ValueError, IndexError, ArithmeticError, AttributeError)
"""Exceptions that Python raises if plain values do not form a model."""

_DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
_WIDTH = 110
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_quoted = json.encoder.encode_basestring
"""How the encoder writes a text."""
_JSON = "model.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same model gives the same file at any time


def check_path(path: object) -> Path:
    """Return the path of a file. Raises `ParameterError` for anything but a non-empty `str` or a `Path`."""
    if not isinstance(path, str | Path) or not str(path):
        raise ParameterError(f"Expected the path of a file, got {path!r:.80}.")
    return Path(path)


@contextmanager
def intact(path: Path | str, what: str) -> Iterator[None]:
    """Raise `InputError` for the file if its values do not form a model: for one of `DAMAGED`.

    >>> with intact("a.json", "weights"):
    ...     {}["lam"]
    Traceback (most recent call last):
    webgrain.base.errors.InputError: a.json contains damaged weights: it lacks 'lam'.
    """
    try:
        yield
    except KeyError as error:
        raise InputError(f"{path} contains damaged {what}: it lacks {error}.") from error
    except (*DAMAGED, RecursionError) as error:
        raise InputError(f"{path} contains damaged {what}: {_reason(error)}.") from error


def write_model(
    path: Path,
    format: str,  # noqa: A002 - the name in the file
    version: int,
    content: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Write a model to a file; the same model gives the same bytes.

    format, version: the kind of the file, checked by `read_model`; content: plain values; arrays: numeric
    arrays by name. Raises `InputError` if the file cannot be written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(Path(folder) / "a", "example", 1, {"lam": 0.5}, {"x": np.arange(3)})
    ...     read_model(Path(folder) / "a", "example", 1)
    ({'lam': 0.5}, {'x': array([0, 1, 2])})
    """
    head = {"format": format, "version": version} | dict(content)
    text = _text(head) + "\n"
    if not arrays:
        with writing(path):
            path.write_text(text, encoding="utf-8")
        return
    with writing(path), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(_member(_JSON), text)
        for name, array in sorted(arrays.items()):
            data = io.BytesIO()
            np.save(data, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(_member(f"{name}.npy"), data.getvalue())


def read_model(
    path: Path,
    format: str,  # noqa: A002 - the name in the file
    version: int,
) -> tuple[dict[str, Any], NamedArrays]:
    """Return the values and arrays that `write_model` wrote.

    Raises `InputError` if the file cannot be read, is damaged, or has another format or version.
    """
    try:
        content, arrays = _read(path)
    except OSError as error:
        raise InputError(f"Cannot read a model from {path}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} contains no {format}: it is a binary file.") from error
    except (ValueError, RecursionError, EOFError, KeyError) as error:
        raise InputError(f"{path} contains no {format}: {_reason(error)}.") from error
    except _DAMAGED_ZIP as error:
        raise InputError(f"{path} contains a damaged {format}: {_reason(error)}.") from error
    if (other := content.pop("format", None)) != format:
        expected = f'expected "format": "{format}"'
        raise InputError(f"{path} contains no {format}: {expected}, got {_shortened(other)}.")
    written = content.pop("version", None)
    if written != version:
        raise InputError(f"{path}: expected a {format} of version {version}, got {_shortened(written)}.")
    return content, arrays


def _text(value: Any, indent: int = 0) -> str:
    """Return JSON in which each value that fits into a line has its own line."""
    if isinstance(value, str):
        return _quoted(value)
    is_container = isinstance(value, dict | list | tuple) and len(value) > 0
    # What is large is encoded once, and not again for each container around it.
    is_large = is_container and indent <= _OUTER and _is_long(value)
    if not is_large:
        line = _ENCODER.encode(value)
        if not is_container or indent + len(line) <= _WIDTH:
            return line
    if isinstance(value, dict):
        parts = [f"{_quoted(str(name))}: {_text(part, indent + 2)}" for name, part in value.items()]
    elif _NUMBERS.issuperset(map(type, value)):
        parts = _ENCODER.encode(value)[1:-1].split(", ")
    else:
        parts = [_text(part, indent + 2) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    gap = "\n" + " " * (indent + 2)
    return f"{opening}{gap}{f',{gap}'.join(parts)}\n{' ' * indent}{closing}"


def _is_long(value: Any) -> bool:
    """Return whether a container is certainly longer than a line: each part has at least three characters."""
    if 3 * len(value) > _WIDTH:
        return True
    parts = value.values() if isinstance(value, dict) else value
    return any(_is_long(part) for part in parts if isinstance(part, dict | list | tuple))


_OUTER = 6  # indent of the containers that may be large
_NUMBERS = frozenset({int, float, bool, type(None)})


def _shortened(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 80 else f"{text[:79]}…"


def format_of(path: Path) -> str | None:
    """Return the format of the model in a file; None if the file is not a model or cannot be read.

    >>> from pathlib import Path
    >>> format_of(Path("nowhere.json")) is None
    True
    """
    try:
        content, _ = _read(path)
    except (OSError, ValueError, RecursionError, EOFError, KeyError, *_DAMAGED_ZIP):
        return None
    name = content.get("format")
    return name if isinstance(name, str) else None


def _read(path: Path) -> tuple[dict[str, Any], NamedArrays]:
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            file.seek(0)
            return _object(_limited(file.read(MAX_BYTES + 1))), {}
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
                raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
            content = {name: archive.read(name) for name in archive.namelist()}
    values = _object(content.pop(_JSON))
    return values, {name.removesuffix(".npy"): _array(data) for name, data in content.items()}


_BEFORE_HEADER = 10  # bytes before the header of an array: a mark, the version and the size of the header
_USUAL_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<size>..)\{'descr': '(?P<type><[iuf][48]|\|[iub]1)', 'fortran_order': False, "
    rb"'shape': \((?P<length>[0-9]{1,9}),\), \} *\n",
    re.DOTALL,
)
"""The header of most arrays (n,) as NumPy writes it, whose reader takes ten times as long."""


def _array(data: bytes) -> NDArray[Any]:
    """Read an array. `numpy.load` would allocate the size in the header before it reads the data."""
    shape: tuple[int, ...]
    usual = _USUAL_HEADER.match(data)
    if usual and int.from_bytes(usual["size"], "little") == usual.end() - _BEFORE_HEADER:
        shape, by_column, start = (int(usual["length"]),), False, usual.end()
        dtype = np.dtype(usual["type"].decode())
    else:
        shape, by_column, dtype, start = _header(data)
    values = np.frombuffer(data, dtype, math.prod(shape), start)
    if not np.isfinite(values).all():
        raise ValueError("expected finite numbers")
    return values.reshape(shape, order="F" if by_column else "C")


def _header(data: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Return the shape of an array, whether its columns are contiguous, its type, and where it begins."""
    content = io.BytesIO(data)
    if np.lib.format.read_magic(content) != (1, 0):
        raise ValueError("expected arrays of version 1.0")
    try:
        with warnings.catch_warnings(action="error"):
            shape, by_column, dtype = np.lib.format.read_array_header_1_0(content)
    except Exception as error:  # NumPy uses readers that raise many kinds
        raise ValueError(f"it has an array without a header: {_reason(error)}") from error
    if dtype.kind not in "biuf":
        raise ValueError("expected arrays of numbers")
    return shape, by_column, dtype, content.tell()


def _object(content: bytes) -> dict[str, Any]:
    if sum(map(content.count, (b",", b"[", b"{"))) > _MAX_VALUES:
        raise ValueError(f"it has more than {_MAX_VALUES:,} values")
    values = json.loads(content)
    if not isinstance(values, dict):
        raise ValueError("it is not a JSON object")
    return values


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


def packed(array: NDArray[Any], dtype: str) -> str:
    """Return the values of an array as text; dtype: of the values in it.

    >>> unpacked(packed(np.array([1, 2]), "<u4"), "<u4").tolist()
    [1, 2]
    """
    return base64.b64encode(zlib.compress(array.astype(dtype).tobytes(), 9)).decode()


def unpacked(text: object, dtype: str, most: int = 2**26) -> NDArray[Any]:
    """Return the values (n,) of a text of `packed`, read-only; ValueError for another text.

    most: bytes of the values that are read.
    """
    unpack = zlib.decompressobj()
    try:
        data = unpack.decompress(base64.b64decode(str(text), validate=True), most)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    return np.frombuffer(data, dtype)
