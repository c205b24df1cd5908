"""Modern CSS in the estimate: boxes are those that Chromium 141 computes for the same markup."""

from __future__ import annotations

import time

import pytest

from webgrain.page.page import Source
from webgrain.page.parsing import parse_html
from webgrain.rendering.css import custom_properties, substitute, substituted_block
from webgrain.rendering.estimate import estimate, read_areas, read_tracks
from webgrain.rendering.kernels.boxes import justify_line, share_row

HEAD = "<!doctype html><style>body { margin: 0 } i { display: block; height: 20px }"
"""All boxes are blocks without text, so that no width of a letter matters."""


def boxes(html, tag="i"):
    """Return x, y, width and height of the elements of a tag."""
    dom = parse_html(f"{HEAD} {html}".encode())
    view = estimate(dom)
    return [[round(float(x), 1) for x in view.box[u]] for u in dom.find_tag(tag).tolist()]


FOUR = "<div id=d><i class=a></i><i class=b></i><i class=c></i><i></i></div>"
CASES = [
    ("#d { display: flex; width: 600px; gap: 20px } i { flex: 1 }</style>" + FOUR,
     [[0, 0, 135, 20], [155, 0, 135, 20], [310, 0, 135, 20], [465, 0, 135, 20]]),
    ("#d { display: flex; width: 600px } i { width: 100px } .b { flex-grow: 1 }</style>" + FOUR,
     [[0, 0, 100, 20], [100, 0, 300, 20], [400, 0, 100, 20], [500, 0, 100, 20]]),
    ("#d { display: flex; width: 600px } i { width: 300px } .a { flex-shrink: 0 }</style>" + FOUR,
     [[0, 0, 300, 20], [300, 0, 100, 20], [400, 0, 100, 20], [500, 0, 100, 20]]),
    ("#d { display: flex; width: 600px; flex-wrap: wrap; gap: 10px } i { flex: 0 0 200px }</style>" + FOUR,
     [[0, 0, 200, 20], [210, 0, 200, 20], [0, 30, 200, 20], [210, 30, 200, 20]]),
    ("#d { display: flex; width: 600px; justify-content: space-between } i { width: 50px }</style>" + FOUR,
     [[0, 0, 50, 20], [183.3, 0, 50, 20], [366.7, 0, 50, 20], [550, 0, 50, 20]]),
    ("#d { display: flex; width: 600px; justify-content: center } i { width: 50px }</style>" + FOUR,
     [[200, 0, 50, 20], [250, 0, 50, 20], [300, 0, 50, 20], [350, 0, 50, 20]]),
    ("#d { display: flex; width: 600px } i { width: 50px } .b { margin-left: auto }</style>" + FOUR,
     [[0, 0, 50, 20], [450, 0, 50, 20], [500, 0, 50, 20], [550, 0, 50, 20]]),
    ("#d { display: flex; width: 600px; height: 80px; align-items: center } i { width: 50px }"
     ".c { align-self: flex-end }</style>" + FOUR,
     [[0, 30, 50, 20], [50, 30, 50, 20], [100, 60, 50, 20], [150, 30, 50, 20]]),
    ("#d { display: flex; width: 600px } i { width: 50px } .c { order: -1 }</style>" + FOUR,
     [[50, 0, 50, 20], [100, 0, 50, 20], [0, 0, 50, 20], [150, 0, 50, 20]]),
    ("#d { display: flex; width: 600px; flex-direction: row-reverse } i { width: 50px }</style>" + FOUR,
     [[550, 0, 50, 20], [500, 0, 50, 20], [450, 0, 50, 20], [400, 0, 50, 20]]),
    ("#d { display: flex; width: 600px; flex-direction: column; gap: 5px; align-items: center }"
     "i { width: 50px }</style>" + FOUR,
     [[275, 0, 50, 20], [275, 25, 50, 20], [275, 50, 50, 20], [275, 75, 50, 20]]),
    ("#d { display: grid; width: 600px; grid-template-columns: 100px 1fr 2fr; gap: 10px }</style>" + FOUR,
     [[0, 0, 100, 20], [110, 0, 160, 20], [280, 0, 320, 20], [0, 30, 100, 20]]),
    ("#d { display: grid; width: 600px; grid-template-columns: repeat(2, 1fr) } .a { grid-column: span 2 }"
     "</style>" + FOUR,
     [[0, 0, 600, 20], [0, 20, 300, 20], [300, 20, 300, 20], [0, 40, 300, 20]]),
    ("#d { display: grid; width: 600px; grid-template-columns: repeat(3, 1fr) } .a { grid-column: 1 / -1 }"
     ".b { grid-column: 2 / 4 } .c { grid-row: 1; grid-column: 1 }</style>" + FOUR,
     [[0, 20, 600, 20], [200, 40, 400, 20], [0, 0, 200, 20], [0, 60, 200, 20]]),
    ("#d { display: grid; width: 600px; grid-template: 'h h' 'n m' 'f f' / 150px 1fr } .a { grid-area: f }"
     ".b { grid-area: m } .c { grid-area: n } i:last-child { grid-area: h }</style>" + FOUR,
     [[0, 40, 600, 20], [150, 20, 450, 20], [0, 20, 150, 20], [0, 0, 600, 20]]),
    ("#d { display: grid; width: 630px; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));"
     "gap: 10px }"
     "</style>" + FOUR,
     [[0, 0, 150, 20], [160, 0, 150, 20], [320, 0, 150, 20], [480, 0, 150, 20]]),
    ("#d { display: grid; width: 620px; grid-template-columns: repeat(auto-fit, minmax(100px, 1fr));"
     "gap: 20px }"
     "</style>" + FOUR,
     [[0, 0, 140, 20], [160, 0, 140, 20], [320, 0, 140, 20], [480, 0, 140, 20]]),
    ("#d { display: grid; width: 600px; grid-template-columns: [full-start] 50px [main-start] 1fr"
     " [main-end] 50px [full-end] }"
     "i { grid-column: main } .b { grid-column: full-start / full-end }</style>" + FOUR,
     [[50, 0, 500, 20], [0, 20, 600, 20], [50, 40, 500, 20], [50, 60, 500, 20]]),
    (":root { --w: 100px; --g: calc(var(--w) / 2) } i { width: var(--w) } .b { --w: 50px }"
     ".c { width: var(--g) } i:last-child { width: var(--no, 30px) }</style>" + FOUR,
     [[0, 0, 100, 20], [0, 20, 50, 20], [0, 40, 50, 20], [0, 60, 30, 20]]),
    ("#d { width: 400px } .a { width: calc(100% - 50px) } .b { width: min(50%, 100px) }"
     ".c { width: clamp(10px, 5vw, 60px) } i { width: max(1em, 30px) }</style>" + FOUR,
     [[0, 0, 350, 20], [0, 20, 100, 20], [0, 40, 60, 20], [0, 60, 30, 20]]),
    ("#d { width: 400px } .a { margin-left: 25% } .b { padding-left: 10% } .c { max-width: 50% }"
     "i { border: 5px solid; box-sizing: border-box }</style>" + FOUR,
     [[100, 0, 300, 20], [0, 20, 400, 20], [0, 40, 200, 20], [0, 60, 400, 20]]),
    ("i { position: absolute } #d { position: relative; height: 90px } .a { inset: 10px } .b { left: 50%;"
     " width: 100px; transform: translateX(-50%) } .c { right: 5px; width: 9px }</style>" + FOUR,
     [[10, 10, 1346, 20], [633, 0, 100, 20], [1352, 0, 9, 20], [0, 0, 0, 20]]),
    ("i { height: auto; width: 160px } .a { aspect-ratio: 16 / 9 } .b { padding-top: 50% }</style>" + FOUR,
     [[0, 0, 160, 90], [0, 90, 160, 683], [0, 773, 160, 0], [0, 773, 160, 0]]),
    ("@media (width >= 1000px) { i { width: 10px } } @media (max-width: 1000px) { i { width: 20px } }"
     "@media print { i { display: none } } :is(.a, .b):not(.b) { width: 30px }</style>" + FOUR,
     [[0, 0, 30, 20], [0, 20, 10, 20], [0, 40, 10, 20], [0, 60, 10, 20]]),
    ("i { position: sticky; top: 0; width: 10px }"
     ".b { position: fixed; top: auto; bottom: 10px }</style>" + FOUR,
     [[0, 0, 10, 20], [0, 738, 10, 20], [0, 20, 10, 20], [0, 40, 10, 20]]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), CASES, ids=range(len(CASES)))
def test_boxes_are_those_of_chromium(html, expected):
    assert boxes(html) == [pytest.approx(box, abs=0.15) for box in expected]


@pytest.mark.browser
@pytest.mark.parametrize(("html", "expected"), CASES, ids=range(len(CASES)))
def test_the_numbers_above_are_those_of_chromium(browser, html, expected):
    page = browser.render(Source("x", f"{HEAD} {html}".encode()))
    found = [page.view.box[u].tolist() for u in page.dom.find_tag("i").tolist()]
    assert found == [pytest.approx(box, abs=0.15) for box in expected]


def test_style_sheets_import_style_sheets():
    files = {
        "a/b.css": "@import 'c.css'; @import url(d.css) print; i { width: 10px }",
        "a/c.css": "@import 'b.css'; i { width: 20px; margin-left: 5px }", "a/d.css": "i { display: none }",
    }  # fmt: skip
    dom = parse_html(
        b"<!doctype html><link rel='preload stylesheet' href=a/b.css><body><i style='display:block'>"
    )
    view = estimate(dom, sheets=files.get)
    assert view.box[dom.find_tag("i")[0]].tolist()[:3] == [13, 8, 10]


def test_variables_that_refer_to_themselves_are_invalid():
    css = ":root { --a: var(--b); --b: var(--a); --c: var(--c, 9px) } i { width: 50px; width: var(--a, 7px) }"
    assert boxes(f"{css} .c {{ width: var(--c) }}</style>{FOUR}")[0][2] == 7


@pytest.mark.parametrize(
    "css",
    [
        ":root {" + "".join(f"--a{k}: var(--a{k + 1}) var(--a{k + 1});" for k in range(60)) + "--a60: x }"
        "i { width: var(--a0) }",
        "".join(f".x{k} {{ --v: {k}px }}" for k in range(3000)) + "i { width: var(--v) }",
        "i { width: " + "var(--a," * 2000 + "1px" + ")" * 2000 + "}",
        "i { width: " + "calc(" * 5000 + "1px }",
        "i {" + "--a: 1px;" * 10_000 + "}", ":is(" * 3000 + "i" + ")" * 3000 + "{ width: 1px }",
        "i:not(.a " * 2000 + "{ width: 1px }", ("i ~ " * 15 + "i { width: 1px }") * 300,
        "div { display: grid; grid-template-columns: repeat(999, 1px) repeat(auto-fill, 0px) }"
        "i { grid-row: 9999 }",
        "div { display: grid; grid-template-areas: " + "'a b c' " * 1000 + "} i { grid-column: span 9999 }",
        "* { display: flex; flex-wrap: wrap; gap: 1e9px; order: 5 }",
        "div { display: grid; grid-template-columns: 1fr 1fr } i { grid-column: 2; grid-row: span 99 }",
    ],
    ids=range(12),
)  # fmt: skip
def test_hostile_styles_take_little_time(css):
    body = "".join(f"<i class='x{k % 3000} a' style='--b:{k}px'></i>" for k in range(3000))
    dom = parse_html(f"<style>{css}</style><div>{body}</div>")
    start = time.process_time()
    view = estimate(dom)
    assert time.process_time() - start < 5
    assert (view.box[:, 2:] >= 0).all()


def test_deep_grids_and_flex_containers_take_linear_time():
    for style in ("display:grid;grid-template-columns:1fr", "display:flex", "display:flex;flex-wrap:wrap"):
        dom = parse_html(f"<div style='{style}'>" * 3000 + "x")
        start = time.process_time()
        estimate(dom)
        assert time.process_time() - start < 5


def test_parts_of_rows_and_grids():
    assert share_row([(100, 0, 50, 0, 1, 0, 80), (100, 0, 100, 0, 1, 0, 1e9)], 150, 0, False) == [50, 100]
    assert share_row([(10, 0, 0, 1, 1, 0, 30), (10, 0, 0, 1, 1, 0, 1e9)], 100, 0, False) == [30, 70]
    assert justify_line(30, 5, [(False, False)] * 2) == [10, 20]
    assert justify_line(30, 0, [(True, True), (False, True)]) == [10, 20]
    assert [track[2] for track in read_tracks("minmax(0, 1fr) repeat(2, [x] .5fr)").tracks] == [1, 0.5, 0.5]
    assert read_tracks("auto fit-content(9px) max-content").tracks == [(0, 0, 0, -1)] * 3
    assert read_areas("'a .' 'a b'")["a"] == (0, 1, 0, 2)


def test_parts_of_variables():
    assert custom_properties("--a: 1; --b: 2 !important", important=True) == (("--b", "2"),)
    assert substitute("var(--a, var(--b, 3px)) 1", {}) == " 3px 1".replace(" 3px", "  3px")
    assert substituted_block("width: var(--a); height: 1px", {}) == " height: 1px"


def test_late_values_without_custom_properties():
    dom = parse_html(b"<style>p { width: calc(10px + 5px) } b { color: var(--x) }</style><b>x</b><p>y")
    assert len(estimate(dom).box) == len(dom)
