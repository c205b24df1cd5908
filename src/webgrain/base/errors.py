"""Exceptions of webgrain.

WebgrainError
├── ParameterError      a call with a wrong argument (also a ValueError)
├── InputError          an input that the user named cannot be opened
├── MissingExtraError   an optional library is needed and not installed (also an ImportError)
└── PageError           a page cannot be processed; a run over many pages records it as a Failure
    ├── ReadError       its bytes cannot be read: a truncated archive, a refused URL, no HTML
    ├── RenderError     the browser failed, hung or crashed
    └── LimitError      it needs more time or memory than a page may take
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType


class WebgrainError(Exception):
    """Base of all exceptions of webgrain. The message is one sentence for the user."""


class ParameterError(WebgrainError, ValueError):
    """An argument is wrong. The message names the expected value and the one that was passed."""


class InputError(WebgrainError):
    """An input that the user named does not exist or cannot be opened."""


class MissingExtraError(WebgrainError, ImportError):
    """An optional library is missing. The message names the extra to install."""


class PageError(WebgrainError):
    """A page cannot be processed. A run over many pages records it as a `Failure` and continues."""

    stage = "page"


class ReadError(PageError):
    """The bytes of a page cannot be read."""

    stage = "read"


class RenderError(PageError):
    """The browser failed, hung or crashed on a page."""

    stage = "render"


class LimitError(PageError):
    """A page needs more time or memory than a page may take, in the stage ``stage``."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the name of a file to an `OSError` without one, such as that of a full disk.

    >>> with naming(Path("a.json")):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'a.json'
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise `InputError` if a file that the user named cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module. Raises `MissingExtraError`, which names the ``extra`` that installs it.

    >>> require("json", "store", "page stores").__name__
    'json'
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} need{'' if purpose.endswith('s') else 's'} {module.partition('.')[0]}: "
            f"pip install 'webgrain[{extra}]'"
        ) from error
