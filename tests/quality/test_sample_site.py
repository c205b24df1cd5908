"""Segmentation of the sample site, which every checkout has: its pages were made with their truth."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.quality.gate import check, check_pages
from tests.quality.test_segmentation import figures

from webgrain import Page, read
from webgrain.base.estimator import create, family
from webgrain.evaluation.datasets import Example
from webgrain.io.labels import LabelledSegment, truth_of
from webgrain.page.addresses import xpaths
from webgrain.site.pipeline import Layout, pages

if TYPE_CHECKING:
    from webgrain.page.dom import Dom

pytestmark = pytest.mark.xdist_group("segmentation of the sample site")  # one process, to lay it out once
VARIANT = pytest.mark.full  # other settings of the methods of the paper

EXAMPLES = Path(__file__).parents[2] / "examples"
STEP = re.compile(r"(?P<tag>\w+)?(?:#(?P<id>[\w-]+))?(?::nth-child\((?P<k>\d+)\))?")


def find(dom: Dom, css: str) -> int:
    """Return the node of a path of tags, ids and places among the children, as the truth has them."""
    found = list(range(len(dom)))
    for number, step in enumerate(css.split(" > ")):
        match = STEP.fullmatch(step)
        assert match, css
        if number:
            found = [child for node in found for child in elements(dom, node)]
        if match["tag"]:
            found = [node for node in found if dom.name(node) == match["tag"]]
        if match["id"]:
            found = [node for node in found if dom.get(node, "id") == match["id"]]
        if match["k"]:
            found = [node for node in found if place(dom, node) == int(match["k"])]
    assert len(found) == 1, css
    return found[0]


def elements(dom: Dom, node: int) -> list[int]:
    return [child for child in dom.children(node) if not dom.is_text[child]]


def place(dom: Dom, node: int) -> int:
    return elements(dom, int(dom.parent[node])).index(node) + 1 if node else 1


def example(page: Page, result: list[dict[str, list[str]]]) -> Example:
    segments = tuple(
        LabelledSegment(xpath=tuple(xpaths(page.dom, [find(page.dom, css) for css in segment["css"]])))
        for segment in result
    )
    return Example(page, truth_of(page, segments), segments)


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    result = json.loads((EXAMPLES / "truth.json").read_text("utf-8"))["pages"]
    truth = {page["page"]: page["segments"] for page in result}
    found = [page for page in pages(read([EXAMPLES / "site"]), Layout()) if isinstance(page, Page)]
    return [example(page, truth[page.id]) for page in found]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=VARIANT if "-n" in name else []) for name in family("segmentation")]
)
def test_sample_site(name: str, examples: list[Example]) -> None:
    check_pages("sample site", examples)
    method = create(name)
    found = [method.predict(example.page) for example in examples]  # type: ignore[attr-defined]
    check("sample site", figures(name, found, examples, ["fine"]))
