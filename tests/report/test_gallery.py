from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webgrain.base.failures import Failure
from webgrain.page.page import Page
from webgrain.page.segmentation import Segment, Segmentation
from webgrain.report.documents import open_gallery

if TYPE_CHECKING:
    from pathlib import Path

Shown = tuple[Page, Segmentation, list[Segment]]


def gallery_of(folder: Path, *shown: Shown) -> Path:
    path = folder / "gallery.html"
    with open_gallery(path) as gallery:
        for one in shown:
            gallery.add(*one)
        gallery.add_failure(Failure("lost.html", "read", "the archive ends in the middle of a page"))
    return path


def test_hovering_over_a_block_shows_its_text_and_paths(tmp_path: Path, two_blocks: Shown, tab: Any) -> None:
    tab.goto(gallery_of(tmp_path, two_blocks).as_uri())
    item = tab.locator(".segments li.on")
    assert item.count() == 0
    tab.locator("svg rect[data-segment='1']").first.hover()
    assert item.count() == 1
    assert "Second words" in item.inner_text()
    assert "/html[1]/body[1]/p[2]" in item.inner_text()
    tab.mouse.move(5, 5)
    assert item.count() == 0


def test_the_keyboard_reaches_everything(tmp_path: Path, two_blocks: Shown, tab: Any) -> None:
    tab.goto(gallery_of(tmp_path, two_blocks, two_blocks).as_uri())
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('nav') !== null")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    assert "Second words" in tab.locator(".page:visible .segments li.on").inner_text()
    tab.keyboard.press("ArrowRight")
    assert tab.locator(".page:visible").get_attribute("id") == "p1"
    assert tab.locator("nav a[aria-current]").get_attribute("href") == "#p1"


def test_a_hostile_page_runs_nothing(tmp_path: Path, hostile: Shown, tab: Any) -> None:
    tab.goto(gallery_of(tmp_path, hostile).as_uri())
    tab.locator("svg rect[data-segment='0']").first.hover()
    assert "<script>" in tab.locator(".segments li.on").inner_text()
    assert tab.locator("h2:visible").inner_text().startswith("</script>")
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("script").count() == 1


def test_failures_are_listed(tmp_path: Path, two_blocks: Shown, tab: Any) -> None:
    tab.goto(gallery_of(tmp_path, two_blocks).as_uri())
    assert "lost.html" in tab.locator("nav .failed").inner_text()


def test_the_report_loads_nothing_from_other_hosts(tmp_path: Path, two_blocks: Shown) -> None:
    html = gallery_of(tmp_path, two_blocks).read_text(encoding="utf-8")
    assert all(link.startswith(("data:", "#")) for link in re.findall(r'(?:src|href)="([^"]*)', html))
    assert "url(" not in html
    assert "default-src 'none'" in html


def test_a_gallery_without_pages_opens(tmp_path: Path, tab: Any) -> None:
    tab.goto(gallery_of(tmp_path).as_uri())
    assert "0 pages" in tab.locator("nav").inner_text()


def test_role_and_confidence_are_shown_and_escaped(tmp_path: Path, two_blocks: Shown, tab: Any) -> None:
    page, segmentation, blocks = two_blocks
    result = [replace(blocks[0], role="<b>ad", role_probability=0.254, confidence=0.5), *blocks[1:]]
    tab.goto(gallery_of(tmp_path, (page, segmentation, result)).as_uri())
    first = tab.locator(".segments li").first
    assert "<b>ad 25% · one segment 50% ·" in first.inner_text()
    assert "0 <b>ad" in tab.locator("svg .chip text").all_text_contents()
