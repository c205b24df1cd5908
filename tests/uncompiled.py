"""Helpers for tests of compiled kernels: load the same file as plain Python, which is the oracle."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

import webgrain
from webgrain.page.kernels import treepass


def uncompiled(name: str) -> ModuleType:
    """Load the Python source of a kernel, by its name within webgrain: ``page.kernels.treepass``."""
    path = Path(webgrain.__file__).parent / f"{name.replace('.', '/')}.py"
    loader = SourceFileLoader(f"uncompiled_{path.stem}", str(path))
    spec = spec_from_loader(loader.name, loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def load_source(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    """Load the Python source of a kernel and let all imports of the kernel find it."""
    module = uncompiled(name)
    monkeypatch.setitem(sys.modules, f"webgrain.{name}", module)
    return module


def require_compiled() -> None:
    """Fail if the kernels are not compiled; skip the test where they cannot be compiled."""
    if treepass.COMPILED:
        return
    message = "the kernels are not compiled: run python setup.py build_ext --inplace"
    if os.environ.get("CI") or shutil.which("cc") or shutil.which("gcc"):
        pytest.fail(message)
    pytest.skip(f"{message} (no C compiler found)")
