from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgrain.page.kernels.cssselectors import read_selectors
from webgrain.page.parsing import parse_html
from webgrain.rendering.css import applies, parse_sheet, rules
from webgrain.rendering.estimate import compute_styles
from webgrain.rendering.kernels.cascade import FLOAT

HTML = (
    "<div id=top class='a b'><ul class=nav><li class=on><a href=x>1</a></li><li><b><a>2</a></b></li></ul>"
    "</div><p class='b note'>3</p><p class=Note>4</p>"
)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("a", "12"), ("p", "34"), (".b", "3"), ("p.b", "3"), ("#top", ""), ("*", "1234"), ("li.on a", "1"),
        ("li > a", "1"), ("ul a", "12"), ("#top > ul li b > a", "2"), (".a.b a", "12"), ("div#top.a", ""),
        ("ul > a", ""), ("p a", ""), (".note, #top a", "123"), ("A", "12"), (".Note", "4"), ("a:link", "1"),
        ("li:first-child a", "1"), ("p + p", "4"), ("ul li ~ li a", "2"),
        ("[class]", "34"), (":not(a, p)", ""), ("p:where(.b)", "3"),
        ("html div a", "12"), ("> a", ""),
        ("a >", ""),
        ("div > ul > li > a", "1"), ("body li > b a", "2"), ("div li > a", "1"), (":root p", "34"),
    ],
)  # fmt: skip
def test_selectors_match(selector, expected):
    dom = parse_html(f"<style>{selector} {{ float: left }}</style>{HTML}".encode())
    found = compute_styles(dom, (800, 600)).table[:, FLOAT] == 1
    texts = [dom.text_of(int(i)) for i in np.flatnonzero(found & dom.is_text)]
    # A text has the style of its parent, and this property is not inherited.
    assert "".join(text for text in texts if len(text) == 1) == expected


def test_a_step_to_a_child_may_be_tried_again_further_up():
    html = "<style>.x > .y .z { color: red }</style><div class=x><div class=y><div><div class=y><p class=z>t"
    dom = parse_html(html.encode())
    assert compute_styles(dom, (800, 600)).color[-1] == 0xFF0000FF


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
        ("@media (20em < width < 50em)", False),
        ("@media (400px <= width <= 1000px)", True), ("@media not all and (min-width: 600px)", False),
        ("@media not print", True), ("@media (max-width: 9px) or (hover)", True),
        ("@media (hover: none)", False),
        ("@media (min-resolution: 2dppx)", False), ("@media (orientation: portrait)", False),
        ("@media (orientation:landscape) and (min-width: .5em)", True), ("@media (width: 9px)", False),
 ("@supports (display: grid)", True),
        ("@layer x", True),
        ("@keyframes x", False), ("@media", True),
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


@given(st.text("ab.#>*{}@media;:,()\"'/ \n", max_size=200))
def test_no_sheet_raises(css):
    selectors, bodies = parse_sheet(css, 800)
    node, rule = selectors.find(parse_html(HTML))
    assert len(node) == 0 or rule.max() < len(bodies)


def test_a_sheet_of_thousands_of_rules_is_tried_to_its_end():
    css = "section div p { color: green }" * 5000  # each tried on all that is around each p
    html = f"<style>{css} div p {{ float: left }}</style>" + "<div>" * 30 + "<p>text" * 20
    dom = parse_html(html.encode())
    paragraphs = dom.tag == dom.tags.index("p")
    assert (compute_styles(dom, (800, 600)).table[paragraphs, FLOAT] == 1).all()
