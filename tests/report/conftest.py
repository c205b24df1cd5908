"""A page with a screenshot, made without a browser."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect
from tests.views import line_view

from webgrain.page.outline import visible_tree
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.segmentation import Segment, Segmentation, segments

if TYPE_CHECKING:
    from collections.abc import Iterator

Shown = tuple[Page, Segmentation, list[Segment]]

expect.set_options(timeout=60_000)  # a busy machine is slow, and its tests wait for what they expect

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"


def shown(html: str, labels: list[int], page_id: str = "a.html") -> Shown:
    """Page with a white screenshot, and its segments: one label for each leaf."""
    page = parse(Source(page_id, html.encode(), url="http://example.org/"))
    view = line_view(page.dom)
    # Narrow lines with space between them, on a larger page.
    view = replace(view, box=view.box * np.float32((1, 2, 0.15, 1)), width=1366.0, height=768.0)
    page = page.with_view(view)
    picture = io.BytesIO()
    Image.new("RGB", (int(view.width), int(view.height)), "white").save(picture, "PNG")
    page = replace(page, screenshot=picture.getvalue())
    tree = visible_tree(page)
    of_node = np.full(len(tree), -1, np.int32)
    of_node[tree.leaf] = labels
    segmentation = Segmentation(tree.to_dom(of_node), "by hand", energy=2.0, lower_bound=1.0)
    return page, segmentation, segments(page, segmentation)


@pytest.fixture
def two_blocks() -> Shown:
    """Two paragraphs, two segments."""
    return shown("<p>First words<p>Second words", [0, 1])


@pytest.fixture
def hostile() -> Shown:
    """A page whose name, text and attributes try to run a script."""
    body = HOSTILE.replace("<", "&lt;")
    return shown(f"<p id='\"><script>window.hacked=1</script>'>{body}<p>Second", [0, 1], page_id=HOSTILE)


@pytest.fixture
def nested() -> Shown:
    """A segment inside another one."""
    return shown("<p>Before<p>Inside<p>After", [0, 1, 0])


@pytest.fixture
def tab(driven_browser: Any) -> Iterator[Any]:
    """Tab of a real browser; messages in its console fail the test."""
    messages: list[str] = []
    tab = driven_browser.new_page(viewport={"width": 1400, "height": 900})
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    yield tab
    tab.context.close()
    assert messages == []
