"""A browser in which scripts run, and a server that must not be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conftest import PATIENCE
from tests.rendering.helpers import Canary

from webgrain.rendering.chromium import Chromium

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def canary() -> Iterator[Canary]:
    canary = Canary()
    yield canary
    canary.close()


@pytest.fixture(scope="session")
def scripted(browser_path: str) -> Iterator[Chromium]:
    with Chromium(executable=browser_path, timeout=PATIENCE, javascript=True) as browser:
        yield browser
