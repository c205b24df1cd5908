from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgrain.base.errors import ParameterError
from webgrain.page.page import DISPLAY, POSITION, Page, Source, View
from webgrain.page.parsing import parse_html
from webgrain.rendering.declarations import _READERS
from webgrain.rendering.estimate import estimate
from webgrain.site.pipeline import linked_sheets


class Laid:
    """A page laid out; nodes are found by tag, the k-th of its name."""

    def __init__(self, html: str, **options: object) -> None:
        self.dom = parse_html(html.encode())
        self.view = estimate(self.dom, **options)  # type: ignore[arg-type]

    def node(self, tag: str, k: int = 0) -> int:
        return [i for i in range(len(self.dom)) if self.dom.name(i) == tag][k]

    def box(self, tag: str, k: int = 0) -> list[float]:
        return [round(float(x), 1) for x in self.view.box[self.node(tag, k)]]

    def seen(self, text: str) -> bool:
        found = [i for i in range(len(self.dom)) if self.dom.tag[i] == 0 and text in self.dom.text_of(i)]
        assert len(found) <= 1
        return bool(self.view.visible[found].any())

    def color(self, tag: str, k: int = 0) -> tuple[int, ...]:
        return tuple(self.view.color[self.node(tag, k)].tolist())

    def background(self, tag: str, k: int = 0) -> tuple[int, ...]:
        return tuple(self.view.background[self.node(tag, k)].tolist())


RED, BLUE, BLACK, WHITE = (255, 0, 0, 255), (0, 0, 255, 255), (0, 0, 0, 255), (255, 255, 255, 255)


def test_a_paragraph_stands_in_the_body_with_collapsed_margins():
    page = Laid("<body><p>Hello</p><p>World</p>")
    assert page.box("body") == [8, 16, 1350, 52]
    assert page.box("p") == [8, 16, 1350, 18]
    assert page.box("p", 1) == [8, 50, 1350, 18]
    x, y, width, height = page.box("#text")
    assert (x, y, height) == (8, 16, 18)
    assert 28 < width < 42


def test_the_viewport_is_the_width_of_the_page():
    page = Laid("<p>x", viewport=(500, 300))
    assert page.box("p")[2] == 484
    assert (page.view.width, page.view.height, page.view.viewport) == (500, 300, (500, 300))


def test_headings_have_the_size_and_weight_of_their_tag():
    page = Laid("<h1>One</h1><h2>Two</h2><p>text <b>bold</b> <i>slanted</i></p>")
    size, weight = page.view.font_size, page.view.font_weight
    assert size[[page.node("h1"), page.node("h2"), page.node("p")]].tolist() == [32, 24, 16]
    assert weight[[page.node("h1"), page.node("b"), page.node("p")]].tolist() == [700, 700, 400]
    assert page.view.italic[page.node("i")]
    assert not page.view.italic[page.node("b")]


def test_text_nodes_have_the_style_of_their_parent():
    page = Laid("<h1 style='color: red'>One</h1>")
    h1, text = page.node("h1"), page.node("#text")
    for column in ("font_size", "font_weight", "display", "position"):
        assert getattr(page.view, column)[text] == getattr(page.view, column)[h1]
    assert page.color("#text") == RED


@pytest.mark.parametrize(
    "html",
    [
        "<p style='display: none'>secret", "<p style='DISPLAY:NONE'>secret", "<p hidden>secret",
        "<style>.x { display: none }</style><p class='y x'>secret", "<template>secret</template>",
        "<p style='visibility: hidden'>secret", "<p style='opacity: 0'>secret", "<title>secret</title>",
        "<details><summary>more</summary><p>secret</details>", "<dialog>secret</dialog>",
        "<script>secret</script>", "<noscript>secret</noscript>", "<select><option>secret</select>",
        "<p style='position: absolute; left: -9999px'>secret", "<p style='text-indent: -9999px'>secret",
        "<p style='position: absolute; clip: rect(0 0 0 0)'>secret", "<p style='font-size: 0'>secret",
        "<div style='height: 0; overflow: hidden'><p>secret</p></div>",
        "<svg><text>secret</text></svg>", "<video>secret</video>",
    ],
)  # fmt: skip
def test_what_is_hidden_is_not_visible(html):
    assert not Laid(f"<p>open</p>{html}").seen("secret")


@pytest.mark.parametrize(
    "html",
    [
        "<details open><summary>more</summary><p>plain</details>",
        "<details><summary>plain</summary></details>", "<dialog open>plain</dialog>",
        "<p style='visibility: hidden'><b style='visibility: visible'>plain</b>",
        "<p aria-hidden=true>plain", "<style>@media print { p { display: none } }</style><p>plain",
        "<style>p { display: none } p { display: block }</style><p>plain",
        "<style media=print>p { display: none }</style><p>plain",
    ],
)  # fmt: skip
def test_what_is_not_hidden_is_visible(html):
    assert Laid(html).seen("plain")


def test_a_node_without_a_box_has_a_box_of_zeros():
    page = Laid("<p style='display:none'>x</p><p>y")
    assert page.box("p") == [0, 0, 0, 0]
    assert page.view.display[page.node("p")] == DISPLAY.index("none")
    assert page.box("head") == [0, 0, 0, 0]


def test_lists_are_indented_and_nested():
    page = Laid("<ul><li>one<ul><li>two</ul><li>three</ul>")
    assert page.box("li")[0] == 48
    assert page.box("li", 1)[0] == 88
    tops = [page.box("li", k)[1] for k in range(3)]
    assert tops == sorted(tops)
    # No margins around a list in a list.
    assert tops[2] - tops[0] == pytest.approx(36 + 32, abs=32)


def test_inline_elements_follow_each_other_on_a_line():
    page = Laid("<p>one <a href=x>two</a> <a href=y>three</a></p>")
    first, second = page.box("a"), page.box("a", 1)
    assert first[1] == second[1]
    assert first[0] + first[2] < second[0]
    assert page.box("#text")[2] + 8 < first[0]


def test_long_texts_are_broken_and_short_ones_are_not():
    page = Laid(f"<p>{'word ' * 400}</p><p>short</p>")
    text = page.box("#text")
    assert text[2] == 1350
    assert 6 * 18 <= text[3] <= 14 * 18
    assert page.box("p")[3] == text[3]
    assert page.box("p", 1)[3] == 18


def test_wide_characters_are_wide_and_bold_ones_wider():
    page = Laid("<p><i>ab</i></p><p><i>漢字</i></p><p><b>ab</b></p>")
    narrow, wide, bold = page.box("i")[2], page.box("i", 1)[2], page.box("b")[2]
    assert wide > 1.5 * narrow
    assert bold > narrow


def test_the_cells_of_a_row_stand_side_by_side_in_columns():
    page = Laid("<table><tr><td>a</td><td>much longer</td></tr><tr><td>b</td><td>c</td></tr></table>")
    boxes = [page.box("td", k) for k in range(4)]
    assert boxes[0][1] == boxes[1][1] < boxes[2][1] == boxes[3][1]
    assert boxes[0][0] == boxes[2][0] < boxes[1][0] == boxes[3][0]
    assert boxes[0][2] == boxes[2][2] < boxes[1][2] == boxes[3][2]
    assert page.box("table")[2] < 200


def test_widths_of_tables_and_cells_count():
    page = Laid(
        "<table width=600 cellspacing=0><tr><td width=100>a<td>b<td width=25%>c"
        "<tr><td colspan=2>d<td>e</table>"
    )
    assert page.box("table")[2] == 600
    assert page.box("td")[2] == pytest.approx(102, abs=1)
    assert page.box("td", 2)[2] == pytest.approx(150, abs=1)
    assert page.box("td", 3)[2] == pytest.approx(450, abs=1)


def test_a_table_is_as_wide_as_its_place_at_most():
    page = Laid(f"<table><tr><td>{'word ' * 500}<td>{'word ' * 100}</table>")
    assert page.box("table")[2] == 1350
    assert page.box("td")[2] > 2 * page.box("td", 1)[2]


def test_floats_stand_beside_what_follows():
    page = Laid(
        "<div style='float: left; width: 200px'>menu</div><div style='float: right; width: 300px'>ads</div>"
        "<p>text</p><div style='clear: both'>foot</div>"
    )
    assert page.box("div")[0] == 8
    assert page.box("div", 1)[0] == 1358 - 300
    assert page.box("#text", 2)[0] == 208
    assert page.box("div", 2)[1] >= page.box("div")[1] + 18


def test_flex_items_share_a_row():
    page = Laid("<div style='display: flex'><nav>menu</nav><main style='flex: 1'>text</main></div>")
    menu, main = page.box("nav"), page.box("main")
    assert menu[1] == main[1]
    assert menu[0] + menu[2] == pytest.approx(main[0], abs=0.2)
    assert main[0] + main[2] == pytest.approx(1358, abs=0.2)


def test_sizes_of_images_come_from_attributes_and_styles():
    page = Laid("<img src=a width=320 height=200><img src=b style='width: 50px; height: 40px'><img src=c>")
    assert page.box("img")[2:] == [320, 200]
    assert page.box("img", 1)[2:] == [50, 40]
    assert min(page.box("img", 2)[2:]) > 0


def test_blocks_take_widths_margins_and_paddings():
    page = Laid("<div style='width: 400px; margin: 0 auto; padding: 10px'><p style='margin: 0'>x</div>")
    assert page.box("div") == [8 + (1350 - 420) / 2, 8, 420, 38]
    assert page.box("p") == [8 + (1350 - 420) / 2 + 10, 18, 400, 18]


def test_positioned_boxes_leave_no_gap():
    page = Laid(
        "<div style='position: relative'>"
        "<p style='position: absolute; top: 5px; right: 0; width: 90px'>x</p>y</div>"
    )
    assert page.box("p")[:3] == [1358 - 90, 8 + 5 + 16, 90]
    assert page.box("div") == [8, 8, 1350, 18]
    assert page.view.position[page.node("p")] == POSITION.index("absolute")


def test_centred_lines_are_in_the_middle():
    page = Laid("<center>x</center><p align=right>y")
    assert page.box("#text")[0] == pytest.approx(683, abs=6)
    assert page.box("#text", 1)[0] == pytest.approx(1350, abs=10)


def test_the_more_specific_rule_wins_then_the_later_then_the_style_attribute():
    rules = "#a { color: red } p.b { color: blue } p { color: lime }"
    assert Laid(f"<style>{rules}</style><p id=a class=b>x").color("p") == RED
    assert Laid(f"<style>{rules}</style><p class=b>x").color("p") == BLUE
    assert Laid("<style>p { color: red } p { color: blue }</style><p>x").color("p") == BLUE
    assert Laid(f"<style>{rules}</style><p id=a style='color: blue'>x").color("p") == BLUE
    assert Laid("<style>p { color: red !important }</style><p style='color: blue'>x").color("p") == RED


def test_links_are_blue_by_default():
    assert Laid("<a href=x>x</a>").color("a") == (0, 0, 238, 255)
    assert Laid("<a>x</a>").color("a") == BLACK
    assert Laid("<style>a { color: red }</style><a href=x>x</a>").color("a") == RED


def test_old_attributes_count_less_than_rules():
    page = Laid(
        "<body bgcolor=#ff0000 text=blue><table><tr><td bgcolor=white><font color=red size=5>x</font>"
    )
    assert page.background("body") == RED
    assert page.background("td") == page.background("font") == WHITE
    assert page.color("td") == BLUE
    assert page.color("font") == RED
    assert page.view.font_size[page.node("font")] == 24
    assert Laid("<style>td { background: blue }</style><table><td bgcolor=red>x").background("td") == BLUE


def test_the_painter_is_the_nearest_that_paints():
    page = Laid("<div style='background: red'><p>x <b style='background-color: transparent'>y</b></p></div>z")
    painter = page.view.painter
    assert painter[page.node("b")] == painter[page.node("p")] == page.node("div")
    assert painter[page.node("body")] == -1
    assert page.background("body") == WHITE
    assert page.background("b") == RED


def test_background_images_are_the_nodes_own():
    page = Laid("<div style='background: url(a.png) no-repeat'>x</div>")
    assert page.view.background_image[page.node("div")]
    assert not page.view.background_image[page.node("#text")]


def test_fonts_are_the_first_of_their_list():
    page = Laid("<p style='font: bold 12px/2 \"Open Sans\", Arial'>x</p><p>y")
    p = page.node("p")
    assert page.view.fonts[page.view.font[p]] == "Open Sans"
    assert (page.view.font_size[p], page.view.font_weight[p]) == (12, 700)
    assert page.box("p")[3] == 24
    assert page.view.fonts[page.view.font[page.node("p", 1)]] == "Times New Roman"


def test_font_sizes_in_em_multiply_and_stay_finite():
    page = Laid("<style>div { font-size: 9em; margin: 2em }</style>" + "<div>" * 400 + "x")
    assert page.view.font_size.max() == 10_000
    assert np.isfinite(page.view.box).all()


def test_linked_sheets_are_read_when_given():
    class Files(dict[str, bytes]):
        def read(self, path: str) -> bytes | None:
            return self.get(path)

    html = "<link rel=stylesheet href=../a.css><style>p { font-size: 20px }</style><p>x"
    source = Source(
        "x", html.encode(), assets=Files({"a.css": b"p { color: red; font-size: 9px }"}), path="en/x"
    )
    dom = parse_html(html.encode())
    alone, together = estimate(dom), estimate(dom, sheets=linked_sheets(source))
    assert tuple(alone.color[-1]) == BLACK
    assert tuple(together.color[-1]) == RED
    assert together.font_size[-1] == 20
    assert linked_sheets(source)("missing.css") is linked_sheets(source)("data:x") is None
    assert linked_sheets(Source("y", b""))("a.css") is None


def test_the_view_has_the_right_shapes_and_types():
    view = Laid("<p>x").view
    n = len(view)
    for name, shape, dtype in [
        ("box", (n, 4), np.float32), ("visible", (n,), np.bool_), ("display", (n,), np.int8),
        ("position", (n,), np.int8), ("font", (n,), np.int32), ("font_size", (n,), np.float32),
        ("font_weight", (n,), np.int16), ("italic", (n,), np.bool_), ("color", (n, 4), np.uint8),
        ("background", (n, 4), np.uint8), ("painter", (n,), np.int32), ("background_image", (n,), np.bool_),
    ]:  # fmt: skip
        column = getattr(view, name)
        assert (name, column.shape, column.dtype) == (name, shape, np.dtype(dtype))
        assert not column.flags.writeable
    assert view.source == "estimate"


def test_a_viewport_must_have_an_area():
    with pytest.raises(ParameterError, match="viewport"):
        Laid("<p>x", viewport=(0, 10))


def test_an_empty_page_is_laid_out():
    page = Laid("")
    assert (page.view.width, page.view.height) == (1366, 768)
    assert len(page.view) == len(page.dom)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 10_000 + "x", "<p>x</p>" * 30_000, "<table><tr><td>" * 3_000 + "x",
        "<span>" * 10_000 + "x", "<table><tr>" + "<td colspan=1000>x" * 2_000,
        "<div style='float:left'>" * 500 + "x",
        "<style>" + "{" * 100_000, "<style>" + "/*" * 100_000, "<style>" + "a," * 100_000 + "b{color:red}",
        "<style>" + ".a .b .c{color:red}" * 9_000 + "</style>" + "<p class='a b c'>" * 2_000,
        "<p style='" + "color:(" * 50_000,
        "<p style='width:" + "9" * 3_000 + "px'>x",
        "<p style='margin:-1e9px'>x",
    ],
    ids=range(13),
)  # fmt: skip
def test_hostile_pages_are_laid_out(html):
    page = Laid(html)
    check(page.view)
    assert len(page.view) == len(page.dom)


def check(view: View) -> None:
    assert np.isfinite(view.box).all()
    assert (view.box[:, 2:] >= 0).all()
    area = view.box[:, 2] * view.box[:, 3]
    assert (area[view.visible] > 0).all()
    assert ((view.painter >= -1) & (view.painter < len(view))).all()
    assert ((view.font >= 0) & (view.font < len(view.fonts))).all()


TAGS = [
    "div", "p", "span", "a", "b", "ul", "li", "table", "tr", "td", "th", "tbody", "h1", "img", "br",
    "center", "details", "summary", "select", "input", "form", "pre", "svg", "button", "dl", "dd",
]  # fmt: skip
PROPERTIES = [
    "display", "position", "float", "clear", "visibility", "width", "height", "margin", "padding", "font",
    "font-size", "line-height", "color", "background", "text-indent", "left", "top", "overflow",
    "opacity", "clip", "flex", "grid-template-columns", "vertical-align", "white-space", "text-align",
]  # fmt: skip
VALUES = [
    "none", "block", "inline", "inline-block", "flex", "grid", "table", "table-row", "table-cell",
    "absolute", "fixed", "relative", "left", "right", "both", "hidden", "0", "1px", "-9999px", "50%",
    "1e9em", "2em", "auto", "inherit", "center", "#f00", "rgb(1,2)", "url(x)", "12px/1.5",
    "repeat(3,1fr)", "nowrap", "pre", "middle", "!important", ";", "{", "}", "/*", '"', "'", "(",
]  # fmt: skip
declaration = st.builds("{}:{}".format, st.sampled_from(PROPERTIES), st.sampled_from(VALUES))
styles = st.lists(declaration, max_size=5).map(";".join)
markup = st.one_of(
    st.builds(
        '<{} class="{}" id={} width={} colspan={} style="{}">'.format,
        st.sampled_from(TAGS), st.sampled_from("abc"), st.sampled_from("xy"),
        st.sampled_from(["10", "50%", "*"]), st.sampled_from(["0", "3", "999999", "x"]), styles,
    ),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.text(max_size=20),
)  # fmt: skip
selector = st.lists(
    st.sampled_from([*TAGS, ".a", ".b", "#x", "*", ">", ",", ":hover", "[x]", "@media"]), max_size=4
)
rule = st.builds("{} {{ {} }}".format, selector.map(" ".join), styles)


@settings(max_examples=80, deadline=None)
@given(st.lists(rule, max_size=6).map(" ".join), st.lists(markup, max_size=40).map("".join))
def test_any_markup_is_laid_out_the_same_way_twice(css, body):
    dom = parse_html(f"<style>{css}</style>{body}".encode("utf-8", "replace"))
    first, second = estimate(dom), estimate(dom)
    check(first)
    for name in ("box", "visible", "color", "painter", "font_size"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.browser
@pytest.mark.parametrize(
    "html",
    [
        "<h1>Title</h1><p>One <b>two</b> three.</p><ul><li>a</li><li>b <a href=x>c</a></li></ul>",
        "<table width=500><tr><td width=100>a</td><td>b</td></tr><tr><td colspan=2>c</td></tr></table>",
        "<style>#m { float: left; width: 200px } .c { margin-left: 220px }</style><div id=m>menu</div>"
        "<div class=c>text<p>more</p></div>",
        "<div style='display: flex'><div style='width: 100px'>a</div><div style='flex: 1'>b</div></div>",
        "<div style='width: 50%; margin: 20px auto; padding: 10px; background: #eee'><p>text</p></div>",
        "<blockquote>quoted</blockquote><dl><dt>term<dd>meaning</dl><hr><pre>a\nb</pre>",
    ],
)  # fmt: skip
def test_simple_pages_look_as_in_a_browser(browser, html):
    html = f"<!doctype html>{html}"
    rendered: Page = browser.render(Source("x", html.encode()))
    view = estimate(rendered.dom)
    real = rendered.view
    assert real is not None
    np.testing.assert_array_equal(view.visible, real.visible)
    shown = real.visible
    np.testing.assert_allclose(view.box[shown], real.box[shown], atol=8)
    for name in (
        "font_size",
        "font_weight",
        "italic",
        "color",
        "background",
        "painter",
        "display",
        "position",
    ):
        np.testing.assert_array_equal(getattr(view, name)[shown], getattr(real, name)[shown], name)


NINES = "9" * 400


@pytest.mark.parametrize(
    "container", ["", "display: flex", "display: grid", "float: left", "position: absolute"]
)
@pytest.mark.parametrize(
    "value",
    [
        "10000%", "-10000%", "1e999px", "-1e6em", f"{NINES}%", f"calc({NINES} * 1px)",
        f"{NINES} {NINES} 100%", f"0.{'0' * 400}1 / {NINES}", f"minmax({NINES}px, {NINES}fr)",
        f"translate({NINES}px, -10000%)",
    ],
)  # fmt: skip
def test_boxes_are_finite_for_huge_numbers(container, value):
    # Lengths in percent of nested boxes multiply.
    body = "<div>a <b>x</b> " * 25 + "<img><table><tr><td>x<td>y</table>"
    names = sorted(_READERS)
    groups = [names[start::20] for start in range(20)] if container else [[name] for name in names]
    for group in groups:
        style = "; ".join(f"{name}: {value}" for name in group)
        assert np.isfinite(Laid(f"<style>div {{ {container}; {style} }}</style>{body}").view.box).all(), style
