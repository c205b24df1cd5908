"""What a page carries along for its scripts to show."""

from __future__ import annotations

from webgrain.extraction.single import SinglePage
from webgrain.page.page import Source
from webgrain.page.parsing import parse

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
