"""All compiled kernels are up to date, and uncompiled kernels give a warning."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

import webgrain
from webgrain.base import purepython

MARK = "\nCOMPILED = cython.compiled\n"
KERNELS = [
    path for path in sorted(Path(webgrain.__file__).parent.rglob("*.py")) if MARK in path.read_text("utf-8")
]


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("source", KERNELS, ids=lambda path: path.stem)
def test_no_extension_is_older_than_its_source(source):
    built = [
        path.stat().st_mtime
        for path in source.parent.glob(f"{source.stem}.*")
        if path.suffix in (".so", ".pyd")
    ]
    if built:  # an installed wheel may lack a kernel
        assert max(built) >= source.stat().st_mtime, "run python setup.py build_ext --inplace"


def test_uncompiled_kernels_warn_once():
    purepython.warn_once.cache_clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        purepython.warn_once(True)
        assert not caught
        purepython.warn_once(False)
        purepython.warn_once(False)
    assert [str(item.message) for item in caught] == [
        "webgrain's kernels are not compiled, so they run some hundred times slower: "
        "install a C compiler and reinstall webgrain"
    ]


def test_the_replacement_of_cython_has_all_names_that_kernels_use():
    names = {
        name
        for source in KERNELS
        for name in re.findall(r"(?<![\w.])cython\.(\w+)", source.read_text(encoding="utf-8"))
    }
    assert "double" in names
    assert names - {"cimports"} <= set(dir(purepython))
