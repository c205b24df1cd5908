"""Blocks of a page as Markdown, as an outline, and as boxes on a screenshot.

Without a browser, a picture is an outline: the tree of blocks as nested boxes. With one, the page is rendered
and its screenshot with the boxes of the blocks is above the outline.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from webgrain.base.errors import MissingExtraError, PageError, require
from webgrain.documents.elementmarkdown import element_markdown
from webgrain.page.blocks import Block, Picture
from webgrain.page.page import Page
from webgrain.page.segmentation import Segmentation
from webgrain.rendering.chromium import Chromium
from webgrain.report.html import Html, color, element
from webgrain.report.pictures import overlay_blocks
from webgrain.report.site import data_url
from webgrain.report.terminal import node_name, plain

LINE, CELL = 60, 120
"""Characters of a block's text in an outline: of a line of text, and of a box."""


class BlockPresenter:
    """Writes and draws the blocks of a page, see `webgrain.page.blocks.Presenter`."""

    def markdown(self, page: Page, node: int, last: int) -> str:
        """Return an element, or the siblings from ``node`` to ``last``, as Markdown."""
        return element_markdown(page, node, last)

    def picture(self, page: Page, blocks: Sequence[Block], browser: bool) -> Picture:
        """Return a picture of blocks in document order; browser: whether one may take a screenshot."""
        text = "\n".join(outline_lines(blocks))
        outline = _outline(blocks)
        rendered = _with_screenshot(page) if browser else None
        if rendered is None:
            return Picture(text, outline)
        png = overlay_blocks(rendered, blocks)
        with require("PIL.Image", "render", "Pictures").open(io.BytesIO(png)) as image:
            shown = element("img", alt="Blocks of the page", src=data_url(image), style="max-width: 100%")
        return Picture(text, str(element("div", shown, outline)), png)


def presented(segmentation: Segmentation, page: Page) -> Segmentation:
    """Return a segmentation that knows its page and can write and draw its blocks."""
    return replace(segmentation, page=page, presenter=BlockPresenter())


def outline_lines(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield a line for each block of a page: number, role, element and text.

    blocks: in document order, with their parents before them.

    >>> from webgrain.page.blocks import BlockTree, all_blocks
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<ul><li>One<li>Two</ul>")  # html, head, body, ul, li, text, li, text
    >>> tree = BlockTree(np.array([3, 6], np.int32), np.array([-1, 0], np.int32), np.array([0.9, 0.5]))
    >>> list(outline_lines(all_blocks(page, tree)))
    ['0 ul: One Two', '  1 li: Two']
    """
    depth: dict[int, int] = {}
    for block in blocks:
        depth[block.id] = 0 if block.parent is None else depth[block.parent.id] + 1
        name = node_name(block.page.dom, block.node)
        yield f"{'  ' * depth[block.id]}{block.caption} {name}: {plain(block.text, LINE)}"


def _outline(blocks: Sequence[Block]) -> Html:
    """Return the tree of blocks as nested boxes; their style is in each, since a notebook has no other."""
    made: dict[int, list[Html]] = {block.id: [] for block in blocks}
    outermost: list[Html] = []
    for block in reversed(blocks):
        edge = f"border-left: 4px solid {color(block.id)}; margin: 3px 0 3px 6px; padding: 0 0 0 6px"
        name = node_name(block.page.dom, block.node)
        text = "" if block.children else f" {plain(block.text, CELL)}"
        line = element("div", element("b", block.caption), " ", element("code", name), text)
        box = element("div", line, *reversed(made.pop(block.id)), style=edge)
        (outermost if block.parent is None else made[block.parent.id]).append(box)
    return element("div", *reversed(outermost))


def _with_screenshot(page: Page) -> Page | None:
    """Return a page with the boxes and the screenshot of a browser; None if they cannot be made."""
    if page.view is not None and page.screenshot is not None:
        return page
    if page.source is None:
        return None
    try:
        require("PIL.Image", "render", "Pictures")
        with Chromium() as browser:
            rendered = browser.render(page.source, screenshot=True)
    except (MissingExtraError, PageError):
        return None
    return rendered if np.array_equal(rendered.dom.end, page.dom.end) else None
