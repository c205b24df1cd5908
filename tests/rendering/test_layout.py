"""What Chromium lays out, as a View."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.rendering.helpers import show

from webgrain.page.page import DISPLAY, POSITION, View
from webgrain.rendering.boxes import parse_color

if TYPE_CHECKING:
    from webgrain.page.page import Page
    from webgrain.rendering.chromium import Chromium

pytestmark = pytest.mark.browser

BOX = "width: 40px; height: 20px;"
LATE = "position: absolute; top: 90px"
HIDE = f"{BOX} overflow: hidden"


def laid_out(browser: Chromium, html: str, files: dict[str, bytes] | None = None) -> tuple[Page, View, int]:
    """Page, view, and the node with the id "t"."""
    page = show(browser, html, files)
    assert page.view is not None
    assert page.notes == ()
    return page, page.view, page.dom.column("id").index("t")


@pytest.mark.parametrize(
    ("seen", "html"),
    [
        (True, f"<div id=t style='{BOX}'></div>"),
        (False, f"<div id=t style='{BOX} display: none'></div>"),
        (False, f"<div id=t style='{BOX} visibility: hidden'></div>"),
        (True, f"<div style='visibility: hidden'><p id=t style='{BOX} visibility: visible'></p></div>"),
        (False, f"<div style='opacity: 0'><p><b><i id=t style='{BOX}'>x</i></b></p></div>"),
        (True, f"<div style='opacity: 0.1'><p id=t style='{BOX}'></p></div>"),
        (False, "<div id=t></div>"),
        (False, "<div id=t style='width: 1px; height: 1px'></div>"),
        (True, "<div id=t style='width: 1px; height: 40px'></div>"),
        (False, f"<div id=t style='{BOX} position: absolute; left: -999px'></div>"),
        (False, f"<div id=t style='{BOX} position: absolute; top: -20px'></div>"),
        (True, f"<div id=t style='{BOX} position: absolute; top: -19px'></div>"),
        (True, f"<div id=t style='{BOX} position: absolute; left: 3000px; top: 3000px'></div>"),
        (False, f"<div style='{BOX} overflow: hidden'><p id=t style='{BOX} margin-top: 30px'></p></div>"),
        (True, f"<div style='{BOX} overflow: hidden'><p id=t style='{BOX} margin-top: 10px'></p></div>"),
        (False, f"<div style='{BOX} overflow: hidden; text-indent: -900px'><b id=t>text</b></div>"),
        (False, f"<div style='{BOX} overflow-y: clip'><p id=t style='{BOX} position: relative; top: 30px'>"),
        (True, f"<div style='{BOX} overflow-y: clip'><p id=t style='{BOX} margin-left: 90px'></p></div>"),
        (True, f"<span style='overflow: hidden'><p id=t style='{BOX} margin-top: 30px'></p></span>"),
        (True, f"<body style='{BOX} overflow: hidden'><p id=t style='{BOX} margin-top: 300px'></p>"),
        # An absolute box escapes the clip of ancestors that are not positioned, and only of those.
        (True, f"<div style='{HIDE}'><p id=t style='{BOX} {LATE}'></p></div>"),
        (False, f"<div style='{HIDE}; position: relative'><p id=t style='{BOX} {LATE}'></p></div>"),
        (True, f"<div style='{HIDE}; position: relative'><p id=t style='{BOX} {LATE}; position: fixed'>"),
        (False, f"<div style='{HIDE}; transform: scale(1)'><p id=t style='{BOX} {LATE}; position: fixed'>"),
        (False, f"<div style='{HIDE}; position: relative'><div style='{HIDE}'><p id=t style='{BOX} {LATE}'>"),
        (False, f"<p id=t style='{BOX} position: absolute; clip: rect(0, 0, 0, 0)'></p>"),
        (True, f"<p id=t style='{BOX} clip: rect(0, 0, 0, 0)'></p>"),
        (False, f"<p id=t style='{BOX} clip-path: inset(50%)'></p>"),
        (False, "<details><summary>s</summary><p id=t>closed</p></details>"),
        (True, "<details open><summary>s</summary><p id=t>open</p></details>"),
        (True, "<div style='height: 5000px'></div><p style='content-visibility: auto'><b id=t>far down"),
        (True, "<style>@keyframes a {from {opacity: 0}} p {animation: a 99s}</style><p id=t>fades in</p>"),
    ],
)  # fmt: skip
def test_visibility(browser: Chromium, seen: bool, html: str) -> None:
    _, view, node = laid_out(browser, html)
    assert bool(view.visible[node]) is seen


def test_text_has_the_box_of_its_lines(browser: Chromium) -> None:
    style = "margin: 0; width: 60px; font: 16px/20px monospace"
    html = f"<body style='margin: 0'><p id=t style='{style}'>aaaa aaaa aaaa"
    _, view, node = laid_out(browser, html)
    paragraph, text = view.box[node], view.box[node + 1]
    assert paragraph.tolist() == [0, 0, 60, 60]
    assert 30 < text[2] < 60
    assert 50 < text[3] <= 60


def test_styles_come_from_the_cascade(browser: Chromium) -> None:
    _, view, node = laid_out(
        browser,
        "<style>#t { font: italic 700 13px 'Open Sans', serif; color: #12345680; background: oklch(1 0 0);"
        "position: sticky; display: inline-flex }</style><div id=t> text",
    )
    for i in (node, node + 1):
        assert view.fonts[view.font[i]] == "Open Sans"
        assert (view.font_size[i], view.font_weight[i], view.italic[i]) == (13, 700, True)
        assert view.color[i].tolist() == [0x12, 0x34, 0x56, 0x80]
        assert view.background[i].tolist() == [255, 255, 255, 255]
        assert view.painter[i] == node
        assert POSITION[view.position[i]] == "sticky"
        assert DISPLAY[view.display[i]] == "inline-flex"
    assert view.source == "chromium"
    assert view.viewport == (1366, 768)


def test_background_is_that_of_the_nearest_painter(browser: Chromium) -> None:
    page, view, node = laid_out(
        browser,
        "<div style='background: red'><p><b id=t>x</b></p><i style='background: #0f08'>y</i></div><u>z",
    )
    red, green, canvas = (page.dom.tag.tolist().index(page.dom.tags.index(tag)) for tag in ("div", "i", "u"))
    assert view.painter[[node, node + 1, green, green + 1, canvas]].tolist() == [red, red, green, green, -1]
    assert view.background[[node, green, canvas]].tolist() == [
        [255, 0, 0, 255], [0, 255, 0, 136], [255, 255, 255, 255]
    ]  # fmt: skip


def test_background_images_are_marked_where_they_are(browser: Chromium) -> None:
    _, view, node = laid_out(browser, "<p id=t style='background: url(a.png)'>text <b>x</b></p>")
    assert view.background_image[node : node + 4].tolist() == [True, False, False, False]


def test_contents_and_none_are_distinguished(browser: Chromium) -> None:
    html = (
        "<div id=t style='display: contents; color: #00f'>a<b>x</b></div><p style='display: none'>y<i>z</i>"
    )
    page, view, node = laid_out(browser, html)
    names = [DISPLAY[d] for d in view.display[node:].tolist()]
    assert names == ["contents", "contents", "inline", "inline", "none", "none", "none", "none"]
    assert view.color[node + 1].tolist() == [0, 0, 255, 255]
    assert not view.box[node + 4 :].any()
    assert page.dom.text == "axyz"


def test_lazy_and_local_files_are_loaded(browser: Chromium) -> None:
    svg = b"<svg xmlns='http://www.w3.org/2000/svg' width='77' height='55'/>"
    html = "<div style='height: 30000px'></div><img id=t loading=lazy src=a.svg>"
    _, view, node = laid_out(browser, html, {"a.svg": svg})
    assert view.box[node, 2:].tolist() == [77, 55]


def test_size_of_the_page(browser: Chromium) -> None:
    _, view, _ = laid_out(
        browser, "<body style='margin: 0'><p id=t style='margin: 0; width: 2000px; height: 900px'>"
    )
    assert (view.width, view.height) == (2000, 900)


@pytest.mark.parametrize("color", ["oklch(0.7 0.15 200)", "lab(60 30 -40)", "color-mix(in oklab, red, blue)"])
def test_colors_are_those_that_are_painted(browser: Chromium, color: str) -> None:
    image = pytest.importorskip("PIL.Image")
    import io

    html = f"<body style='margin: 0; background: {color}'><p id=t style='background: {color}'>x"
    page = show(browser, html, screenshot=True)
    assert page.view is not None
    assert page.screenshot is not None
    painted = image.open(io.BytesIO(page.screenshot)).convert("RGB").getpixel((600, 600))
    result = page.view.background[page.dom.column("id").index("t")].tolist()
    assert all(abs(a - b) <= 1 for a, b in zip(painted, result[:3], strict=True))
    assert parse_color("rgb(0, 0, 0)") == (0, 0, 0, 255)
