from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import webgrain


@pytest.mark.parametrize("name", webgrain.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(webgrain, name) is not None
    assert name in dir(webgrain)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = webgrain.nothing  # type: ignore[attr-defined]


def test_importing_webgrain_imports_nothing_heavy() -> None:
    code = "import sys, webgrain.cli.app, webgrain.cli.main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "rich", "playwright", "PIL", "pyarrow", "scipy", "selectolax", "urllib3", "fastwarc"}
    assert not heavy & set(loaded.stdout.split())


def test_optional_libraries_are_imported_when_they_are_used() -> None:
    code = """
import importlib.abc, pkgutil, sys, webgrain.cli
names = "scrapy lxml w3lib twisted warcio pyarrow playwright PIL scipy sklearn"
optional = set(names.split())
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in optional:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
for name in webgrain.__all__:
    getattr(webgrain, name)
for command in pkgutil.iter_modules(webgrain.cli.__path__, "webgrain.cli."):
    importlib.import_module(command.name)
print(webgrain.extract("<h1>Hi</h1><p>Text").title, len(webgrain.segment("<p>Text")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "Hi 1\n", done.stderr


def test_the_stub_for_type_checkers_declares_the_public_names() -> None:
    stub = Path(webgrain.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    declared = set(re.findall(r"^from \S+ import (\w+) as \1$", stub, re.MULTILINE))
    assert declared == set(webgrain.__all__) - {"__version__"}
