"""Which nodes HTML and style sheets hide, and the rules of style sheets."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgrain.page.kernels.cssselectors import read_selectors
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import DISPLAY, Page, Source
from webgrain.page.parsing import parse, parse_html
from webgrain.rendering import thresholds
from webgrain.rendering.hiding import hidden_nodes, hiding_rules, read_states
from webgrain.rendering.sheets import applies, rules
from webgrain.site.pipeline import linked_sheets, pages


def is_seen(html: str, text: str) -> bool:
    dom = parse_html(html)
    hidden = hidden_nodes(dom)
    nodes = [node for node in np.flatnonzero(dom.is_text).tolist() if text in dom.text_of(node)]
    assert len(nodes) <= 1  # the contents of a template are not nodes
    return any(not hidden[node] for node in nodes)


@pytest.mark.parametrize(
    "html",
    [
        "<p style='display: none'>secret", "<p style='DISPLAY:NONE'>secret", "<p hidden>secret",
        "<style>.x { display: none }</style><p class='y x'>secret", "<template>secret</template>",
        "<p style='visibility: hidden'>secret", "<p style='visibility: collapse'>secret",
        "<title>secret</title>", "<details><summary>more</summary><p>secret</details>",
        "<details>secret<summary>more</summary></details>", "<dialog>secret</dialog>",
        "<script>secret</script>", "<noscript>secret</noscript>", "<select><option>secret</select>",
        "<style>noscript { display: block }</style><noscript>secret</noscript>",
        "<p style='display: none'><b style='display: block; visibility: visible'>secret</b>",
        "<style>details > p { display: block }</style><details><summary>more</summary><p>secret</details>",
        "<p style='visibility: hidden'><b style='visibility: inherit'>secret</b>",
        "<style>p { display: none } @media print { p { display: block } }</style><p>secret",
        "<p style='display: block; display: none; display: nonsense'>secret",
        "<p style='display: none !important; display: block'>secret",
        "<style>p { display: none !important } #a { display: flex }</style><p id=a>secret",
        "<style>p { display: none !important }</style><p style='display: flex'>secret",
        "<audio>secret</audio>", "<style>@supports (x: y) { p { display: none } }</style><p>secret",
    ],
)  # fmt: skip
def test_what_is_hidden_is_hidden(html):
    assert not is_seen(f"<p>open</p>{html}", "secret")


@pytest.mark.parametrize(
    "html",
    [
        "<details open><summary>more</summary><p>plain</details>",
        "<details><summary>plain</summary></details>", "<dialog open>plain</dialog>",
        "<p style='visibility: hidden'><b style='visibility: visible'>plain</b>",
        "<p aria-hidden=true>plain", "<style>@media print { p { display: none } }</style><p>plain",
        "<style>p { display: none } p { display: block }</style><p>plain",
        "<style>#a { display: block } p { display: none }</style><p id=a>plain",
        "<style>p { display: none }</style><p style='display: flex'>plain",
        "<style>[hidden] { display: flex }</style><p hidden>plain",
        "<p hidden=until-found>plain",
        "<style media=print>p { display: none }</style><p>plain",
        "<style>p:hover { display: none }</style><p>plain", "<p style='display: inherit'>plain",
        "<style>p { color: red; --display: none }</style><p>plain",
        "<style>dialog { display: block }</style><dialog>plain</dialog>",
        "<audio controls>plain</audio>", "<p hidden id=x></p><div hidden id=S:0>plain</div>",
    ],
)  # fmt: skip
def test_what_is_not_hidden_is_seen(html):
    assert is_seen(f"<p>open</p>{html}", "plain")


def test_text_that_only_scripts_show_is_seen_if_it_is_most_of_the_text():
    assert is_seen("<p>ab</p><div style='visibility: hidden'>" + "a long text. " * 9, "long")
    assert not is_seen("<p>" + "open " * 20 + "</p><div style='visibility: hidden'>a long text", "long")


def test_the_flags_are_read_only_and_belong_to_a_page():
    page = parse("<p>One<p style='display: none'>Two")
    [laid_out] = pages([page])
    assert isinstance(laid_out, Page)
    assert not laid_out.hidden.flags.writeable
    np.testing.assert_array_equal(visible_nodes(laid_out), ~laid_out.hidden)
    assert visible_nodes(page)[-1] != visible_nodes(laid_out)[-1]


def test_linked_sheets_are_read_when_given():
    class Files(dict[str, bytes]):
        def read(self, path: str) -> bytes | None:
            return self.get(path)

    html = b"<link rel=stylesheet href=../a.css><link rel='alternate stylesheet' href=../b.css><p>x<i>y"
    files = Files({"a.css": b"p { display: none }", "b.css": b"i { display: none }"})
    source = Source("x", html, assets=files, path="en/x")
    dom = parse_html(html)
    assert not hidden_nodes(dom)[-1]
    assert hidden_nodes(dom, linked_sheets(source))[-1]
    assert linked_sheets(source)("missing.css") is linked_sheets(source)("data:x") is None
    assert linked_sheets(Source("y", b""))("a.css") is None


def test_style_sheets_import_style_sheets():
    files = {
        "a/b.css": "@import 'c.css'; @import url(d.css) print; i { color: red }",
        "a/c.css": "@import 'b.css'; i { display: none }", "a/d.css": "b { display: none }",
    }  # fmt: skip
    dom = parse_html("<link rel='preload stylesheet' href=a/b.css><body><i>1</i><b>2</b>")
    hidden = hidden_nodes(dom, files.get)
    assert hidden[dom.find_tag("i")].all()
    assert not hidden[dom.find_tag("b")].any()


@pytest.mark.parametrize("address", ["a.css", "./a.css", "../css/a.css", "/css/a.css", "x/../a.css?v=1"])
def test_a_style_sheet_that_imports_itself_is_read_a_few_times(address: str) -> None:
    asked: list[str] = []

    def sheets(href: str) -> str:
        asked.append(href)
        return f"@import '{address}'; i {{ display: none }}"

    dom = parse_html("<link rel=stylesheet href=../css/a.css><body><i>1</i>")
    assert hidden_nodes(dom, sheets)[dom.find_tag("i")].all()
    assert len(asked) <= 3


def test_states_are_those_of_the_last_valid_declaration():
    assert read_states("visibility: hidden; display: none; visibility: visible") == ((1, 0), (-1, -1))


def test_only_the_first_characters_of_a_block_are_read():
    assert read_states(" " * thresholds.MAX_STYLE + "display: none") == ((-1, -1), (-1, -1))


HTML = (
    "<div id=top class='a b'><ul class=nav><li class=on><a href=x>1</a></li><li><b><a>2</a></b></li></ul>"
    "</div><p class='b note'>3</p><p class=Note>4</p>"
)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("a", "12"), ("p", "34"), ("p.b", "3"), ("#top", "12"), (".a *", "12"), ("li.on a", "1"),
        ("li > a", "1"), ("ul a", "12"), ("#top > ul li b > a", "2"), (".a.b a", "12"), ("div#top.c", ""),
        ("ul > a", ""), ("p a", ""), (".note, #top a", "123"), ("A", "12"), (".Note", "4"), ("a:link", "1"),
        ("li:first-child a", "1"), ("p + p", "4"), ("ul li ~ li a", "2"),
        ("p:where(.b)", "3"), ("html div a", "12"), ("> a", ""), ("a >", ""), ("a[href=x]", "1"),
        ("div > ul > li > a", "1"), ("body li > b a", "2"), ("div li > a", "1"), (":root p", "34"),
    ],
)  # fmt: skip
def test_selectors_match(selector, expected):
    dom = parse_html(f"<p>{'open ' * 9}</p><style>{selector} {{ display: none }}</style>{HTML}")
    # The first paragraph matches selectors of paragraphs, too, and is not asked about.
    hidden = np.flatnonzero(hidden_nodes(dom) & dom.is_text)
    assert "".join(text for text in map(dom.text_of, hidden.tolist()) if len(text) == 1) == expected


def test_a_step_to_a_child_may_be_tried_again_further_up():
    css = "<style>.x > .y .z { display: none }</style>"
    html = f"{css}<div class=x><div class=y><div><div class=y><p class=z>t"
    assert hidden_nodes(parse_html(html))[-1]


def test_selectors_count_ids_then_classes_then_tags():
    for stronger, weaker in [("#a .b.c p", ".b.c.d.e p"), (".b", "html body p"), ("#a #b", "#a#b.c")]:
        weights = [read_selectors(selector)[0][0] for selector in (stronger, weaker)]
        assert weights[0] > weights[1]


@pytest.mark.parametrize(
    ("prelude", "expected"),
    [
        ("@media screen", True), ("@media all", True), ("@media print", False),
        ("@media print, screen", True),
        ("@media (max-width: 600px)", False), ("@media (min-width:600px)", True),
        ("@media not screen", False),
        ("@media only screen and (min-width: 10em) and (max-width: 2000px)", True), ("@font-face", False),
        ("@media (prefers-color-scheme: dark)", False), ("@media (prefers-color-scheme:light)", True),
        ("@media (width >= 600px)", True), ("@media (width<600px)", False),
        ("@media (20em < width < 50em)", False), ("@media (width >= 1zz)", False),
        ("@media (400px <= width <= 1000px)", True), ("@media not all and (min-width: 600px)", False),
        ("@media not print", True), ("@media (max-width: 9px) or (hover)", True),
        ("@media (hover: none)", False),
        ("@media (min-resolution: 2dppx)", False), ("@media (orientation: portrait)", False),
        ("@media (orientation:landscape) and (min-width: .5em)", True), ("@media (width: 9px)", False),
        ("@supports (display: grid)", True), ("@layer x", True), ("@keyframes x", False), ("@media", True),
    ],
)  # fmt: skip
def test_at_rules(prelude, expected):
    assert applies(prelude, 1000) is expected


def test_rules_are_found_among_noise():
    css = """@charset "x"; @import url(a.css); /* a { b: c } */ a { b: "}" }
    <!-- @media print { c { d: e } f { g: h } } @media screen { i { j: k } } l { m: n } } o { p: q"""
    assert [prelude for prelude, _ in rules(css, 800)] == ["a", "i", "l", "o"]


def test_rules_in_rules_are_not_read():
    assert [prelude for prelude, _ in rules("a { b: c; d { e: f } } g { h: i }", 800)][-1] == "g"
    assert "d" not in dict(rules("a { b: c; d { e: f } } g { h: i }", 800))


@given(st.text("ab.#>*{}@media;:,()\"'/ \n", max_size=200).map(lambda css: f"{css} display: none"))
def test_no_sheet_raises(css):
    selectors, states = hiding_rules(css)
    node, rule = selectors.find(parse_html(HTML))
    assert len(node) == 0 or rule.max() < len(states)


declaration = st.builds(
    "{}:{}".format,
    st.sampled_from(["display", "visibility", "DISPLAY ", "color"]),
    st.sampled_from(["none", "block", "hidden", "visible", "inherit", "x", "none!important", ";", "}", "/*"]),
)
styles = st.lists(declaration, max_size=4).map(";".join)
selector = st.lists(
    st.sampled_from(["p", "b", ".a", "#x", "*", ">", ",", ":hover", "[x]", "@media"]), max_size=4
)
rule = st.builds("{} {{ {} }}".format, selector.map(" ".join), styles)
markup = st.one_of(
    st.builds(
        '<{} class="{}" id={} style="{}">'.format,
        st.sampled_from(["div", "p", "b", "details", "input type=hidden", "dialog"]),
        st.sampled_from("abc"), st.sampled_from("xy"), styles,
    ),
    st.text(max_size=20),
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.lists(rule, max_size=6).map(" ".join), st.lists(markup, max_size=40).map("".join))
def test_what_is_in_a_node_without_display_is_hidden(css, body):
    dom = parse_html(f"<style>{css}</style>{body}".encode("utf-8", "replace"))
    hidden = hidden_nodes(dom)
    assert hidden.shape == (len(dom),)
    np.testing.assert_array_equal(hidden, hidden_nodes(dom))
    seen_in_hidden = ~hidden & (dom.parent >= 0) & hidden[dom.parent]
    # Only visibility can be set back.
    assert not seen_in_hidden.any() or "visible" in css + body


@pytest.mark.parametrize(
    "css",
    [
        "i {" + "--a: 1px;" * 10_000 + "}", ":is(" * 3000 + "i" + ")" * 3000 + "{ display: none }",
        "i:not(.a " * 2000 + "{ display: none }", ("i ~ " * 15 + "i { display: none }") * 300,
        "section div p { display: none }" * 5000, "{" * 100_000, "/*" * 100_000,
        "a," * 100_000 + "b { display: none }", ".a .b .c { display: none }" * 9_000,
        "@media " * 30_000 + "{ i { display: none } }", "i { " + "display:" * 100_000,
        "i { display: none }" * 50_000,
    ],
    ids=range(12),
)  # fmt: skip
def test_hostile_styles_take_little_time(css):
    body = "".join(f"<i class='x{k % 3000} a' style='--b:{k}px'></i>" for k in range(3000))
    dom = parse_html(f"<style>{css}</style><div>{body}</div>")
    start = time.process_time()
    assert len(hidden_nodes(dom)) == len(dom)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "html",
    ["<div>" * 10_000 + "x", "<p style='display:none'>x</p>" * 30_000, "<p style='" + "display:(" * 50_000],
    ids=range(3),
)
def test_hostile_pages_are_read(html):
    dom = parse_html(html)
    assert len(hidden_nodes(dom)) == len(dom)


def test_a_sheet_of_thousands_of_rules_is_tried_to_its_end():
    css = "section div p { display: none }" * 5000  # each tried on all that is around each p
    html = f"<style>{css} div p {{ display: none }}</style>" + "<div>" * 30 + "<p>text" * 20
    dom = parse_html(html)
    assert hidden_nodes(dom)[dom.find_tag("p")].all()


@pytest.mark.browser
def test_the_same_nodes_are_hidden_in_chromium(browser):
    html = (
        "<!doctype html><style>.a { display: none } #b.a { display: block } .c { visibility: hidden }"
        "@media (max-width: 900px) { p { display: none } } .d > i { display: none !important }</style>"
        "<p>One<p class=a>Two<p class=a id=b>Three<p class=c>Four <b style='visibility: visible'>five</b>"
        "<p class=d>Six <i style='display: block'>seven</i><details><summary>Eight</summary>nine</details>"
        "<select><option>Ten</select><p hidden>Eleven<dialog>Twelve</dialog>" + "<p>Text" * 9
    )
    page = browser.render(Source("x", html.encode()))
    texts = page.dom.is_text & (np.diff(page.dom.text_start) > 1)
    texts[page.dom.inside(page.dom.tag == page.dom.tags.index("select"))] = False  # drawn by the control
    hidden = hidden_nodes(page.dom)
    np.testing.assert_array_equal(hidden[texts], ~page.view.visible[texts])
    assert (page.view.display[hidden & texts] == DISPLAY.index("none")).any()
