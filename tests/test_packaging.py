"""Whether everything that webgrain needs gets into the source distribution, and so into the wheel."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
BY_ITSELF = {".py", ".pyi"}  # the packager finds these
BUILT = {".c", ".so", ".pyc"}


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
