"""Made-up pages with known segments and roles."""

from __future__ import annotations

import pytest
from experiments.datasets.synthetic_pages import make_pages
from tests.views import with_lines

from webgrain.evaluation.datasets import Example
from webgrain.io.labels import truth_of
from webgrain.page.parsing import parse

pytest.importorskip("sklearn", reason="scikit-learn is not installed")


@pytest.fixture(scope="session")
def examples() -> list[Example]:
    """Six pages, with made-up views."""
    found = []
    for made in make_pages(6, random_state=3):
        page = parse(made.source)
        page = with_lines(page)
        found.append(Example(page, truth_of(page, made.segments), made.segments))
    return found
