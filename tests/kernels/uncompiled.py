"""A kernel as plain Python, though an extension module stands beside its file."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING

import webgrain.kernels

if TYPE_CHECKING:
    from types import ModuleType


def uncompiled(name: str) -> ModuleType:
    path = Path(webgrain.kernels.__file__).parent / f"{name}.py"
    loader = SourceFileLoader(f"uncompiled_{name}", str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module
