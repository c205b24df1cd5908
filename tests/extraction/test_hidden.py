"""What a page carries along for its scripts to show, and what its styles hide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from webgrain.extraction.hidden import as_seen
from webgrain.extraction.single import SinglePage
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

PROSE = "<p>The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for it.</p>"


def predict(html):
    page = parse(Source("a", html.encode()))
    return page, SinglePage().predict(page)


def test_what_react_sends_hidden_is_read():
    page, article = predict(
        f"<nav>Menu</nav><div id=S:1f hidden>{PROSE * 5}</div><div id=x hidden>Never</div>"
    )
    assert article.text.count("keeper") == 5
    assert "Never" not in article.text
    assert {page.dom.name(block.node) for block in article.blocks if block.kind != "title"} == {"p"}


def test_what_is_written_for_readers_without_scripts_is_read():
    page, article = predict(f"<title>Lamp</title><p>Loading<noscript><h1>Lamp</h1>{PROSE * 15}</noscript>")
    assert article.text.count("keeper") == 15
    assert article.title == "Lamp"
    assert {page.dom.name(block.node) for block in article.blocks} == {"noscript"}


def test_a_page_with_sufficient_text_is_not_replaced():
    _, article = predict(f"{PROSE * 15}<noscript>{'<p>Switch scripts on, please.' * 40}</noscript>")
    assert "Switch" not in article.text


def test_the_page_given_is_not_changed():
    page, _ = predict(f"<div id=S:0 hidden>{PROSE}</div>")
    assert "data-hidden" not in page.dom.names


HIDDEN = "<p{}>A hidden paragraph about pears, which no reader of this page ever sees, and no one wrote.</p>"


@pytest.mark.parametrize(
    ("hiding", "attributes"),
    [
        ("", " style='display:none'"),
        ("", " style='VISIBILITY: hidden; color: red'"),
        ("<style>.gone { display: none }</style>", " class=gone"),
        ("<style>@media screen { .gone { display: none !important } }</style>", " class=gone"),
    ],
)
def test_what_styles_of_the_page_hide_is_no_main_text(hiding, attributes):
    _, article = predict(f"{hiding}<article>{PROSE * 3}{HIDDEN.format(attributes)}{PROSE * 3}</article>")
    assert article.text.count("keeper") == 6
    assert "pears" not in article.text


@pytest.mark.parametrize(
    ("hiding", "attributes"),
    [
        ("<style>@media print { .gone { display: none } }</style>", " class=gone"),
        ("<style media=print>.gone { display: none }</style>", " class=gone"),
        ("<style>.gone { display: none } .gone { display: block }</style>", " class=gone"),
        ("<style>.gone { color: red } i { display: none }</style>", " class=gone"),
    ],
)
def test_what_a_screen_shows_is_kept(hiding, attributes):
    _, article = predict(f"{hiding}<article>{PROSE * 3}{HIDDEN.format(attributes)}{PROSE * 3}</article>")
    assert "pears" in article.text


@pytest.mark.parametrize("tag", ["dialog", "div role=dialog aria-modal=true"])
def test_a_closed_dialog_is_no_main_text(tag):
    html = f"<article>{PROSE * 3}<{tag}>{HIDDEN.format('')}</{tag.split()[0]}>{PROSE * 3}</article>"
    assert "pears" not in predict(html)[1].text


def test_an_open_dialog_is_not_hidden():
    page = parse(Source("a", f"<dialog open>{HIDDEN.format('')}</dialog><dialog>Closed</dialog>".encode()))
    blocks = text_blocks(page)
    assert blocks.texts[1] == "Closed"
    assert text_blocks(as_seen(page, blocks, np.arange(2))).texts == blocks.texts[:1]


@pytest.mark.parametrize(
    "folded",
    [
        "<button aria-controls=more>More</button><div id=more style='display:none'>{}</div>",
        "<details><summary>More</summary>{}</details>",
    ],
)
def test_a_folded_part_is_kept(folded):
    part = folded.format(HIDDEN.format("") * 3)
    _, article = predict(f"<p style='display:none'>No</p><article>{PROSE * 3}{part}{PROSE * 3}</article>")
    assert article.text.count("pears") == 3


def test_a_page_that_scripts_show_keeps_its_text():
    _, article = predict(
        f"<style>main {{ visibility: hidden }}</style><p>Loading</p><main>{PROSE * 5}</main>"
    )
    assert article.text.count("keeper") == 5
    _, article = predict(f"<p>Loading</p><main style='display: none'>{PROSE * 5}</main>")
    assert article.text.count("keeper") == 5


def test_a_hidden_item_does_not_complete_its_list():
    items = "<li>The lamp is lit at dusk, and it burns until the morning comes.</li>" * 4
    hidden = "<li style='display:none'>A pear that no reader of this page ever sees at all.</li>"
    _, article = predict(f"<article>{PROSE * 3}<ul>{items}{hidden}{items}</ul>{PROSE * 3}</article>")
    assert article.text.count("burns") == 8
    assert "pear" not in article.text


def test_a_page_with_known_hidden_nodes_keeps_them():
    page = parse(Source("a", f"{PROSE * 3}{HIDDEN.format(' style=display:none')}{PROSE * 3}".encode()))
    known = replace(page, hidden=np.zeros(len(page.dom), bool))
    assert "pears" in SinglePage().predict(known).text


def test_a_line_lacks_what_is_hidden_in_it():
    error = "<span style='display:none'>ERROR: no caption</span>"
    _, article = predict(
        f"<article>{PROSE * 3}<p>{error}A report describes the repairs.</p>{PROSE * 3}</article>"
    )
    assert "\n\nA report describes the repairs.\n\n" in article.text
    assert "ERROR" not in article.text


def test_a_hidden_paragraph_beside_other_paragraphs_is_no_folded_part():
    hidden = "<p style='visibility:hidden'>A pear that no reader of this page ever sees at all.</p>"
    _, article = predict(f"<article>{PROSE * 3}<p hidden>Draft</p>{PROSE * 3}{hidden}</article>")
    assert article.text.count("keeper") == 6
    assert "pear" not in article.text


def test_hidden_answers_and_figures_are_kept():
    answers = "".join(
        f"<div class=q><b>Why {k}?</b><div class=a>Because of {k}</div></div>" for k in range(3)
    )
    figure = "<figure class=a><img src=x.jpg><figcaption>The mole at dusk</figcaption></figure>"
    page = parse(Source("a", f"<style>.a {{ display: none }}</style>{PROSE}{answers}{figure}".encode()))
    blocks = text_blocks(page)
    assert len(blocks) == 8
    assert as_seen(page, blocks, np.arange(len(blocks))) is page


NOTICE = (
    "<div id=cookie-bar><p>This site uses cookies in order to count its visitors, as all sites do.</p></div>"
)


@pytest.mark.parametrize("around", ["{}", "<main>{}</main>"])
def test_a_notice_about_cookies_is_no_main_text(around):
    _, article = predict(around.format(f"{PROSE}{NOTICE}"))
    assert article.text.count("keeper") == 1
    assert "cookies" not in article.text


@pytest.mark.parametrize("name", ["class=cookie-bar-closed", "class=sticky-overlay"])
def test_the_body_and_other_names_are_no_notices_about_cookies(name):
    page = parse(
        Source("a", f"<body {name}><main {name}>{PROSE}</main><p class=sticky-banner>{PROSE}".encode())
    )
    blocks = text_blocks(page)
    assert as_seen(page, blocks, np.arange(len(blocks))) is page


def test_a_declarative_shadow_root_is_a_part_of_the_page():
    _, article = predict(f"<page-article><template shadowrootmode=open>{PROSE * 3}</template></page-article>")
    assert article.text.count("keeper") == 3
    _, article = predict(f"<p>Hello</p><template>{PROSE * 3}</template>")
    assert article.text == "Hello"
