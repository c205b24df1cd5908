"""Check the newest source distribution and wheel of a folder: ``python scripts/check_dist.py dist``.

Both must contain exactly the files of the package, and the wheel a compiled module of each kernel. The wheel
is then installed into a new virtual environment, without a compiler, and `scripts/smoke.py` is run there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILED = (".so", ".pyd")
SHARED = "webgrain/base/memoryviews"  # compiled code of all kernels; setup.py writes its source


def package_files() -> set[str]:
    """Return the files of the package that are under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "webgrain"],
        cwd=ROOT / "src",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return {name for name in listed if (ROOT / "src" / name).is_file()}


def check_sdist(path: Path) -> None:
    """Exit with a sentence if files are missing in the source distribution, or are not of the package."""
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    files = {name.removeprefix("src/") for name in names if name.startswith("src/webgrain/")}
    compare(path, files, package_files())
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        if name not in names:
            sys.exit(f"{path.name} lacks {name}.")


def check_wheel(path: Path) -> None:
    """Exit with a sentence if files are missing in the wheel, or are not of the package."""
    with zipfile.ZipFile(path) as archive:
        files = {name for name in archive.namelist() if name.startswith("webgrain/")}
    expected = package_files()
    compare(path, {name for name in files if not name.endswith(COMPILED)}, expected)
    compiled = {SHARED} | {name.partition(".")[0] for name in expected if is_kernel(ROOT / "src" / name)}
    compare(path, {name.partition(".")[0] for name in files if name.endswith(COMPILED)}, compiled)


def is_kernel(path: Path) -> bool:
    """Return whether a file of the package is compiled (the rule of setup.py)."""
    text = "\nCOMPILED = cython.compiled\n"
    return path.suffix == ".pyx" or (path.suffix == ".py" and text in path.read_text(encoding="utf-8"))


def compare(archive: Path, files: set[str], expected: set[str]) -> None:
    """Exit with the files that only one of two sets contains."""
    if missing := sorted(expected - files):
        sys.exit(f"{archive.name} lacks {', '.join(missing)}.")
    if unknown := sorted(files - expected):
        sys.exit(f"{archive.name} contains {', '.join(unknown)}.")


def try_wheel(path: Path) -> None:
    """Install the wheel into a new environment without a compiler and run the smoke test there."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = Path(folder) / ("Scripts" if os.name == "nt" else "bin")
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"PATH": str(programs), "CC": "no-compiler"}
        for command in (
            ["-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(path.resolve())],
            [str(ROOT / "scripts" / "smoke.py")],
        ):
            subprocess.run([programs / "python", *command], env=environment, cwd=folder, check=True)


def newest(folder: Path, pattern: str) -> Path:
    """Return the newest file of a folder whose name matches."""
    files = sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime)
    return files[-1] if files else sys.exit(f"{folder} contains no {pattern}: run make wheel.")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    check_sdist(newest(folder, "*.tar.gz"))
    wheel = newest(folder, "*.whl")
    check_wheel(wheel)
    try_wheel(wheel)
