"""Import an optional library, or say in one sentence which extra brings it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from webgrain.errors import MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType


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
