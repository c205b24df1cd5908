"""What pytest needs to know about the whole checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.stale import stale_kernels

import webgrain
from webgrain.base.errors import WebgrainError
from webgrain.rendering.chromium import find_browser


def pytest_configure() -> None:
    """Run no tests with kernels that were compiled from other sources."""
    if stale := stale_kernels(Path(webgrain.__file__).parent):
        pytest.exit(
            f"Compiled from another source: {', '.join(stale)}. Run python setup.py build_ext --inplace.", 3
        )


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out sources of compiled kernels: collected for doctests, they would be imported uncompiled."""
    if collection_path.suffix == ".py" and any(collection_path.parent.glob(f"{collection_path.stem}.*.so")):
        return True
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep groups of tests together, and skip examples that start a browser where there is none."""
    for item in items:
        _keep_group(item)
    _skip_browser_examples(items)


def _keep_group(item: pytest.Item) -> None:
    """Let pytest 9.2 see the group that pytest-xdist 3.8 writes where the id of a test was before."""
    grouped = getattr(item, "_nodeid", item.nodeid)
    if grouped != item.nodeid:
        item._id = type(item.id).parse(grouped)


def _skip_browser_examples(items: list[pytest.Item]) -> None:
    """Skip the examples that start a browser where there is none; in CI they run, and fail."""
    examples = [item for item in items if item.name == "webgrain.rendering.chromium.Chromium"]
    if not examples or os.environ.get("CI"):
        return
    try:
        find_browser()
    except WebgrainError as error:
        for item in examples:
            item.add_marker(pytest.mark.skip(reason=str(error)))
