"""Blocks as Markdown, and pictures of them."""

from __future__ import annotations

import io
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from tests.report.conftest import Shown, shown
from tests.segmentation.test_blocks import PAGE

import webgrain
from webgrain.base.errors import MissingExtraError, ParameterError
from webgrain.page.blocks import BlockTree
from webgrain.report import blocks as module
from webgrain.report.blocks import outline_lines, presented
from webgrain.report.html import rgb

if TYPE_CHECKING:
    from pathlib import Path

    from webgrain.page.segmentation import Segmentation


def segmentation_of(made: Shown, nodes: list[int], parents: list[int]) -> Segmentation:
    """A segmentation whose tree has these blocks."""
    page, segmentation, _ = made
    tree = BlockTree(np.array(nodes, np.int32), np.array(parents, np.int32), np.full(len(nodes), 0.5))
    return presented(replace(segmentation, tree=tree), page)


def without_browser() -> None:
    raise MissingExtraError("No browser was found.")


def test_blocks_are_written_as_markdown() -> None:
    every = [block for outermost in webgrain.segment(PAGE).blocks for block in outermost]
    written = {block.page.dom.name(block.node): block.markdown for block in every}
    assert written["header"].splitlines()[0] == "![Lamps](logo.png)"
    assert "[Chairs](/b)" in written["header"]
    assert written["li"].splitlines() == [
        "![](7.png)", "", "### [Lamp 7](/7)", "", "A bright lamp.**7 €**",
    ]  # fmt: skip
    assert written["footer"] == "Lamps and more\n\n[Imprint](/imprint)\n"


def test_a_picture_without_a_browser_is_an_outline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "Chromium", without_browser)
    segmentation = webgrain.segment(PAGE)
    picture = segmentation.plot()
    every = [block for outermost in segmentation.blocks for block in outermost]
    lines = str(picture).splitlines()
    assert lines == list(outline_lines(every))
    assert len(lines) == len(every)
    assert picture.png is None
    assert "Lamp 3" in picture.html
    assert picture.html == segmentation._repr_html_() == picture._repr_html_()
    picture.save(tmp_path / "a.html")
    assert picture.html in (tmp_path / "a.html").read_text(encoding="utf-8")
    with pytest.raises(ParameterError, match="no browser"):
        picture.save(tmp_path / "a.png")
    with pytest.raises(ParameterError, match=r"\.png or \.html"):
        picture.save(tmp_path / "a.gif")


def test_a_picture_of_a_hostile_page_has_no_markup_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Chromium", without_browser)
    text = "&lt;script&gt;alert(1)&lt;/script&gt;"
    picture = webgrain.segment(f"<div id='&quot;<b>'><p>{text}<p>Two</div><p>Three").plot()
    assert "<script" not in picture.html
    assert "<b>'" not in picture.html


def test_a_screenshot_has_the_boxes_of_the_blocks(two_blocks: Shown, tmp_path: Path) -> None:
    page = two_blocks[0]
    first = page.dom.find_tag("p").tolist()[0]
    segmentation = segmentation_of(two_blocks, [first], [-1])
    picture = segmentation.plot()
    assert picture.png is not None
    image = Image.open(io.BytesIO(picture.png)).convert("RGB")
    [block] = segmentation.blocks
    assert block.box is not None
    x, y, width, height = block.box
    edge = image.getpixel((round(x + width / 2), round(y + height)))
    assert isinstance(edge, tuple)
    assert all(abs(a - b) < 40 for a, b in zip(edge, rgb(block.id), strict=True))
    assert image.getpixel((image.width - 1, image.height - 1)) == (255, 255, 255)
    assert "data:image/webp" in segmentation._repr_html_()
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture.png


def test_blocks_are_indented_by_their_depth() -> None:
    made = shown("<ul><li>One<li>Two</ul><p>Three", [0, 1, 2])
    ul, li, p = (made[0].dom.find_tag(name).tolist()[0] for name in ("ul", "li", "p"))
    picture = segmentation_of(made, [ul, li, p], [-1, 0, -1]).plot()
    assert str(picture).splitlines() == ["0 ul: One Two", "  1 li: One", "2 p: Three"]


@pytest.mark.browser
def test_a_browser_takes_the_screenshot() -> None:
    segmentation = webgrain.segment(PAGE)
    assert segmentation.page is not None
    assert segmentation.page.view is None
    picture = segmentation.plot()
    assert picture.png is not None
    assert Image.open(io.BytesIO(picture.png)).width > 300


def test_a_page_that_no_browser_can_draw_has_an_outline(two_blocks: Shown) -> None:
    page, segmentation, _ = two_blocks
    segmentation = segmentation_of(two_blocks, [page.dom.find_tag("p").tolist()[0]], [-1])
    stored = replace(page, screenshot=None, source=None)
    assert presented(segmentation, stored).plot().png is None


def test_segments_of_a_method_alone_have_no_picture(two_blocks: Shown) -> None:
    segmentation = replace(segmentation_of(two_blocks, [3], [-1]), presenter=None)
    with pytest.raises(ParameterError, match=r"webgrain\.segment"):
        segmentation.plot()
    with pytest.raises(ParameterError, match=r"webgrain\.segment"):
        _ = segmentation.blocks[0].markdown
    with pytest.raises(ParameterError, match=r"webgrain\.segment"):
        _ = segmentation[0].markdown


def test_segments_are_written_as_markdown(two_blocks: Shown, nested: Shown) -> None:
    segmentation = presented(two_blocks[1], two_blocks[0])
    assert [segment.markdown for segment in segmentation] == ["First words\n", "Second words\n"]
    segmentation = presented(nested[1], nested[0])
    assert [segment.markdown for segment in segmentation] == ["Before\n\nAfter\n", "Inside\n"]


def test_a_pickled_segmentation_still_writes_markdown() -> None:
    segmentation = webgrain.segment(PAGE)
    again = pickle.loads(pickle.dumps(segmentation))
    assert again.blocks[0].markdown == segmentation.blocks[0].markdown != ""


def test_a_page_without_blocks_has_an_empty_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Chromium", without_browser)
    assert str(webgrain.segment("").plot()) == ""
