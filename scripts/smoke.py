"""Check an installed webgrain: run this with the Python of an environment that contains nothing else.

``python scripts/smoke.py`` calls all kernels and packaged models, by the functions and commands
that use them, with the sample site of the checkout. It raises an error if one of them fails.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from check_dist import is_kernel

import webgrain

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "examples" / "site"
PACKAGE = Path(webgrain.__file__).parent


def check_kernels() -> int:
    """Import all kernels and return their number; each must be compiled."""
    kernels = [
        path.relative_to(PACKAGE.parent).with_suffix("")
        for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyx")]
        if is_kernel(path)
    ]
    for path in kernels:
        file = import_module(".".join(path.parts)).__file__ or ""
        assert file.endswith((".so", ".pyd")), f"{path} is not compiled"
    return len(kernels)


def check_functions() -> None:
    """Call the functions that read packaged models."""
    pages = sorted((SITE / "en").rglob("*.html"))[:40]
    page = SITE / "en" / "harbour" / "the-boat-that-came-back.html"
    assert webgrain.extract(page).title == "The boat that came back"
    assert webgrain.segment(page)
    assert webgrain.find_lists(webgrain.parse(SITE / "en" / "index.html"))
    site = webgrain.Site.fit(pages)
    assert len(site.types) > 1
    assert site.predict(page).text


def check_commands() -> None:
    """Run the command as a user does."""
    command = Path(sys.executable).with_name("webgrain")
    with tempfile.TemporaryDirectory() as folder:
        run = [
            ["--version"],
            ["segment", str(SITE / "en" / "index.html")],
            ["extract", "--single", str(SITE / "en" / "kitchen"), "--format", "markdown", "-o", folder],
            ["types", str(SITE / "en")],
        ]
        for arguments in run:
            done = subprocess.run([command, *arguments], capture_output=True, text=True, encoding="utf-8")
            assert done.returncode == 0, f"webgrain {' '.join(arguments)}: {done.stderr}"
        assert any(Path(folder).iterdir())


if __name__ == "__main__":
    assert ROOT not in PACKAGE.parents, f"{PACKAGE} is the checkout, not an installed package"
    kernels = check_kernels()
    check_functions()
    check_commands()
    version = sys.version.split()[0]
    print(
        f"webgrain {webgrain.__version__}, Python {version}: {kernels} kernels, functions and commands work."
    )
