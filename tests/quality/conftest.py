"""Labelled pages of the quality gate, laid out once in a session."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from experiments.datasets.snapshots import kreuzer_examples
from tests.quality.gate import check_pages

from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webgrain.evaluation.datasets import Example

    Labelled = Callable[[Any], list[Example]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests of one layout run in one process: each would lay out all pages for itself."""
    for item in items:
        if "labelled" in getattr(item, "fixturenames", ()):
            layout = "chromium" if item.get_closest_marker("browser") else "html"
            item.add_marker(pytest.mark.xdist_group(f"pages by {layout}"))


@pytest.fixture(scope="session")
def labelled(data_dir: Path, request: pytest.FixtureRequest) -> Labelled:
    """Return the labelled pages by how they are laid out; those of the browser from the cache, if there."""
    folder = data_dir / "segmentation"
    if not folder.is_dir():
        pytest.skip(f"no labelled pages: the folder {folder} does not exist")

    @cache
    def load(render: Any) -> list[Example]:
        if render == "chromium":
            request.getfixturevalue("browser_path")
        examples = kreuzer_examples(Layout("none" if render == "html" else render), folder)
        check_pages("kreuzer", examples)
        return examples

    return load
