"""Everything webgrain raises on purpose.

WebgrainError
├── ParameterError      a call with a wrong argument (also a ValueError)
├── InputError          an input that the user named cannot be opened at all
├── MissingExtraError   an optional library is needed and not installed (also an ImportError)
└── PageError           one page cannot be processed; becomes a Failure record in a run over many
    ├── ReadError       its bytes cannot be had: truncated archive, refused URL, no HTML
    ├── RenderError     the browser failed, hung or crashed on it
    └── LimitError      it needs more time or memory than one page may take

Import an optional library, or say in one sentence which extra brings it.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class WebgrainError(Exception):
    """Base of all errors raised on purpose; its message is one sentence for the user."""


class ParameterError(WebgrainError, ValueError):
    """A call with a wrong argument: says what was expected and what was got."""


class InputError(WebgrainError):
    """An input named by the user does not exist or cannot be opened."""


class MissingExtraError(WebgrainError, ImportError):
    """An optional library is needed: names the extra to install."""


class PageError(WebgrainError):
    """One page cannot be processed; a run over many pages records it and goes on."""

    stage = "page"


class ReadError(PageError):
    """The bytes of a page cannot be had."""

    stage = "read"


class RenderError(PageError):
    """The browser failed, hung or crashed on a page."""

    stage = "render"


class LimitError(PageError):
    """A page needs more time or memory than one page may take; ``stage``: where it does."""


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import ``module``; `MissingExtraError` names the ``extra`` that installs it.

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
