"""All public calls give the same results from eight threads as from one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from webgrain import PageTypes, Site, extract, find_lists, parse, read, segment
from webgrain.extraction.document import document_record
from webgrain.page.page import Page, Source
from webgrain.site.stages.extraction import content_cells

SAMPLE = Path(__file__).parents[1] / "examples" / "site"
PAGES = 20
THREADS = 8


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    items = read([SAMPLE / "en"])
    return list(islice((item for item in items if isinstance(item, Source)), PAGES))


@pytest.fixture(scope="module")
def calls(sources: list[Source]) -> dict[str, Callable[[Source | Page], Any]]:
    """The public calls of a page; each returns plain values."""
    site = Site.fit(sources)
    types = PageTypes().fit(sources)
    return {
        "parse": tree_of,
        "extract": lambda page: document_record(extract(page)),
        "extract with a site": lambda page: document_record(extract(page, site)),
        "segment": lambda page: segment(page).labels.tolist(),
        "find_lists": lambda page: [listing.to_dict() for listing in find_lists(as_page(page))],
        "Site.predict": lambda page: prediction_of(site, page),
        "PageTypes.predict": lambda page: type_of(types, page),
    }


def as_page(page: Source | Page) -> Page:
    return page if isinstance(page, Page) else parse(page)


def tree_of(page: Source | Page) -> Any:
    dom = as_page(page).dom
    attributes = [dom.attributes(node) for node in range(len(dom))]
    return [dom.name(node) for node in range(len(dom))], dom.parent.tolist(), dom.text, attributes


def type_of(types: PageTypes, page: Source | Page) -> Any:
    assignment = types.predict(as_page(page))
    return assignment.type, str(assignment.key_path), assignment.confidence


def prediction_of(site: Site, page: Source | Page) -> Any:
    prediction = site.predict(as_page(page))
    return content_cells(prediction, prediction.text, "site"), prediction.noise.tolist()


@pytest.fixture
def often_switched() -> Iterator[None]:
    """Threads take turns after a microsecond, so that errors of order show."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("shared", [False, True], ids=["own pages", "shared pages"])
@pytest.mark.usefixtures("often_switched")
def test_eight_threads_give_the_results_of_one(
    sources: list[Source], calls: dict[str, Callable[[Source | Page], Any]], shared: bool
) -> None:
    """Shared pages: all threads call all functions of the same parsed page, whose facts are stored there."""
    tasks = [(name, source) for source in sources for name in calls]
    expected = [json.dumps(calls[name](source)) for name, source in tasks]
    pages = {source.id: parse(source) if shared else source for source in sources}

    def run(task: tuple[str, Source]) -> str:
        name, source = task
        return json.dumps(calls[name](pages[source.id]))

    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(run, tasks))
    wrong = {
        name for (name, _), result, value in zip(tasks, results, expected, strict=True) if result != value
    }
    assert wrong == set()
