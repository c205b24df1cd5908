"""A kernel as plain Python, though an extension module stands beside its file."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import webgrain


def uncompiled(name: str) -> ModuleType:
    """Load the Python source of a kernel, by its name within webgrain: ``page.kernels.treepass``."""
    path = Path(webgrain.__file__).parent / f"{name.replace('.', '/')}.py"
    loader = SourceFileLoader(f"uncompiled_{path.stem}", str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module
