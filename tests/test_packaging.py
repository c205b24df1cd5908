"""The package contains every file that webgrain needs, and nothing of an earlier build."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
from tests.stale import stale_kernels

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
BY_ITSELF = {".py", ".pyi"}  # the packager finds these
BUILT = {".c", ".so", ".pyc"}
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
SHARED = f"webgrain/base/memoryviews{SUFFIX}"
KERNEL = "import cython\n\nCOMPILED = cython.compiled\n\n\ndef answer():\n    return {}\n"


def test_every_file_of_the_package_is_packed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    data = settings["tool"]["setuptools"]["package-data"]["webgrain"]
    manifest = [line.split() for line in (ROOT / "MANIFEST.in").read_text().splitlines()]
    result = [f"src/webgrain/{name}" for name in data]
    result += [pattern for command, *patterns in manifest if command == "include" for pattern in patterns]
    for path in (SOURCES / "webgrain").rglob("*"):
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and path.suffix not in BY_ITSELF | BUILT:
            assert any(fnmatch(name, pattern) for pattern in result), f"{name} gets into no package"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout of webgrain with two modules: one kernel and the one that imports it."""
    if not shutil.which("cc"):
        pytest.skip("needs a C compiler")
    package = tmp_path / "checkout" / "src" / "webgrain"
    package.mkdir(parents=True)
    for name in ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / "checkout")
    (package / "__init__.py").write_text('__version__ = "1.0"\n')
    (package / "kernel.py").write_text(KERNEL.format(1))
    return tmp_path / "checkout"


def run(checkout: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["CFLAGS"] = "-O0"
    done = subprocess.run(
        [sys.executable, *arguments], cwd=checkout, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_package_contains_nothing_of_an_earlier_build(checkout: Path) -> None:
    package = checkout / "src" / "webgrain"
    removed = package / f"old{SUFFIX}"
    removed.write_bytes(b"old")
    removed.with_name("old.py").write_text("")
    run(checkout, "setup.py", "--quiet", "build_ext", "--inplace")
    assert (package / f"kernel{SUFFIX}").exists()
    assert not removed.exists()  # its module is no kernel any more
    removed.with_name("old.py").unlink()
    # Files of other builds: newer than their sources, of other versions of Python, of modules that are gone.
    old = package / "kernel.py"
    old.write_text(KERNEL.format(2))
    os.utime(old, (0, 0))
    (package / "kernel.cpython-310-x86_64-linux-gnu.so").write_bytes(b"old")
    built = checkout / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}" / "webgrain"
    built.mkdir(parents=True, exist_ok=True)
    (built / "removed.py").write_text("")
    (built / "kernel.py").write_text(KERNEL.format(3))
    run(checkout, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "-w", "dist", ".")
    with zipfile.ZipFile(next((checkout / "dist").glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if name.startswith("webgrain/")}
        wheel.extractall(checkout / "installed")
    assert names == {"webgrain/__init__.py", "webgrain/kernel.py", f"webgrain/kernel{SUFFIX}", SHARED}
    code = "from webgrain.kernel import COMPILED, answer; print(COMPILED, answer())"
    assert run(checkout / "installed", "-c", code) == "True 2\n"


def test_a_kernel_of_another_source_is_named_and_compiled_again(checkout: Path) -> None:
    package = checkout / "src" / "webgrain"
    compiled = package / f"kernel{SUFFIX}"
    build = ("setup.py", "--quiet", "build_ext", "--inplace")
    assert "compile webgrain.kernel" in run(checkout, *build)
    assert stale_kernels(package) == []
    assert "compile" not in run(checkout, *build)
    (package / "kernel.py").write_text(KERNEL.format(2))
    for path in (package / "kernel.py", *checkout.rglob("*.c")):  # as if copied: the times are of no use
        os.utime(path, (0, 0))
    assert stale_kernels(package) == (["kernel.py"] if sys.platform == "linux" else [])
    if sys.platform == "linux":
        assert "compile webgrain.kernel" in run(checkout, *build)
        code = "from webgrain.kernel import COMPILED, answer; print(COMPILED, answer())"
        assert run(checkout / "src", "-c", code) == "True 2\n"
    compiled.write_bytes(b"of a wheel")
    assert stale_kernels(package) == []


@pytest.mark.full
def test_an_editable_install_compiles_all_kernels_again(checkout: Path) -> None:
    package = checkout / "src" / "webgrain"
    run(checkout, "setup.py", "--quiet", "build_ext", "--inplace")
    (package / "kernel.py").write_text(KERNEL.format(2))
    os.utime(package / "kernel.py", (0, 0))
    old = package / f"old{SUFFIX}"
    old.write_bytes(b"old")
    run(checkout, "-c", "from setuptools.build_meta import build_editable; build_editable('dist')")
    code = "from webgrain.kernel import COMPILED, answer; print(COMPILED, answer())"
    assert run(checkout / "src", "-c", code) == "True 2\n"
    assert not old.exists()


@pytest.mark.full
def test_without_a_compiler_the_package_is_built_uncompiled(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    run(checkout, "setup.py", "--quiet", "build", "--build-lib", "built")
    names = [path.name for path in (checkout / "built" / "webgrain").iterdir()]
    assert sorted(names) == ["__init__.py", "kernel.py"]


@pytest.mark.full
def test_no_kernel_is_installed_without_the_module_that_it_needs(checkout, tmp_path, monkeypatch) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\ncase "$*" in *memoryviews*) exit 1;; esac\nexec cc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    run(checkout, "setup.py", "--quiet", "build", "--build-lib", "built")
    assert not list((checkout / "built").rglob(f"*{SUFFIX}"))
