"""Fixtures that need something outside the repository: a browser, the development data."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture(scope="session")
def browser_path() -> str:
    """Path of a Chromium: ``WEBGRAIN_BROWSER``, else the first found on PATH; without one, fail in CI."""
    named = os.environ.get("WEBGRAIN_BROWSER")
    path = shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        message = f"no browser: {named or ', '.join(BROWSERS)} not found; set WEBGRAIN_BROWSER to a Chromium"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the development data: ``WEBGRAIN_DATA``, else ``../shared/data`` beside the repository."""
    folder = Path(os.environ.get("WEBGRAIN_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no development data: the folder {folder} does not exist (set WEBGRAIN_DATA)")
    return folder
