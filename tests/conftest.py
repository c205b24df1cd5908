"""Fixtures that need something outside the repository (a browser, the data), and settings of Hypothesis."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import shutil
import signal
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from tests.uncompiled import require_compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[1]
PATIENCE = 120.0  # seconds that a test waits, on a busy machine
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

# Threads of a linear algebra library are slower than a single one on small matrices, especially on a busy
# machine. The variables must be set before SciPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell that runs the tests in the background ignores Ctrl-C, and so do all processes that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Results must not depend on the load of the machine or on chance.
settings.register_profile(
    "webgrain",
    deadline=None,
    derandomize=True,
    max_examples=60,  # the same in every run; make fuzz draws others
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("webgrain")


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds; fail after `PATIENCE` seconds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(0.02)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork crawls and workers from a process that has already imported their modules, which is slow.

    They have the environment of this process at the first fork.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["scrapy.crawler", "webgrain.crawler.spider", "webgrain.site.site"])
    monkeypatch.setattr("webgrain.engines.local.START", context)


@pytest.fixture(scope="session")
def compiled() -> None:
    """The kernels are compiled; without a C compiler, the test is skipped."""
    require_compiled()


@pytest.fixture(scope="session")
def browser_path() -> str:
    """Path of a Chromium: ``WEBGRAIN_BROWSER``, otherwise the first on PATH; without one, CI fails."""
    named = os.environ.get("WEBGRAIN_BROWSER")
    path = shutil.which(named) if named else next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        message = f"no browser: {named or ', '.join(BROWSERS)} not found; set WEBGRAIN_BROWSER to a Chromium"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def driven_browser(browser_path: str) -> Iterator[Any]:
    """Browser in which tests open tabs of their own: Playwright's blocking API starts once in a thread."""
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """A Ray cluster of two workers; tests with it are in the group "ray", so that there is only one."""
    if importlib.util.find_spec("ray") is None:
        if os.environ.get("CI"):
            pytest.fail("Ray is not installed")
        pytest.skip("Ray is not installed: pip install 'webgrain[ray]'")
    from webgrain.engines.ray import Ray

    # By default, Ray ends processes that start slowly, and those on a machine with little memory.
    os.environ.update(RAY_health_check_failure_threshold="60", RAY_memory_monitor_refresh_ms="0")
    os.environ.update(RAY_worker_register_timeout_seconds="600", RAY_local_fs_capacity_threshold="1")
    with warnings.catch_warnings(action="ignore"):  # of Ray itself
        Ray(workers=2).start()
        yield
        import ray

        ray.shutdown()


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the development data: ``WEBGRAIN_DATA``, else ``../shared/data`` beside the repository."""
    folder = Path(os.environ.get("WEBGRAIN_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no development data: the folder {folder} does not exist (set WEBGRAIN_DATA)")
    return folder


@pytest.fixture(autouse=True)
def _skip_without_data(request: pytest.FixtureRequest) -> None:
    """Skip the tests with the mark ``data`` if the development data are absent."""
    if request.node.get_closest_marker("data"):
        request.getfixturevalue("data_dir")
