"""Groups of siblings; repeated texts are returned once."""

from __future__ import annotations

import numpy as np

from webgrain.columns.blocks import PageFacts, page_facts
from webgrain.extraction.single import SinglePage, drop_repeats
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse, parse_html
from webgrain.page.text import text_blocks

TEXT = "The keeper of the north mole lights the lamp at dusk, and nobody knows who pays."


def page_of(html: str) -> Page:
    return Page("a", parse_html(html))


def test_siblings_have_equal_tags_and_classes_on_their_paths():
    page = page_of("<ul class=a><li>1<li>2</ul><ul class=b><li>3</ul><div><ul class=a><li>4</ul></div>")
    facts = PageFacts(page.dom, text_blocks(page))
    near = facts.siblings(2)
    assert near[0] == near[1] == near[3] != near[2]
    far = facts.siblings(3)
    assert far[0] == far[1] != far[3]


def test_quotes_and_second_copies_are_dropped():
    page = page_of(
        f"<div><p>{TEXT}</div><div><blockquote>{TEXT}</blockquote><p>I do.</div><div class=m><p>{TEXT}</div>"
    )
    assert drop_repeats(page_facts(page), np.arange(4)).tolist() == [0, 2]


def test_repeats_at_the_same_path_and_code_and_cells_are_kept():
    page = page_of(
        f"<p>{TEXT}<p>{TEXT}<table><tr><td>{TEXT}<tr><td>{TEXT}</table><pre>{TEXT}<br>{TEXT}</pre><pre>{TEXT}"
    )
    assert drop_repeats(page_facts(page), np.arange(7)).tolist() == list(range(7))


def test_equal_items_of_two_lists_are_kept():
    page = page_of(f"<h2>2010</h2><ul><li>{TEXT}<li>A</ul><h2>2011</h2><ul><li>{TEXT}<li>B</ul>")
    assert drop_repeats(page_facts(page), np.arange(6)).tolist() == list(range(6))


def test_the_text_of_an_answer_does_not_contain_its_quotes():
    post = f"<div class=post><p>{TEXT} I ask because it is dark, and the boats are late.</div>"
    answer = f"<div class=post><blockquote><p>{TEXT}</blockquote><p>The town pays, as it always did.</div>"
    html = f"<title>Lamp</title><h1>Lamp</h1><div class=post><p>{TEXT}</div>{post}{answer}"
    text = SinglePage().predict(parse(Source("a", html.encode()))).text
    assert text.count(TEXT) == 2
    assert "The town pays" in text
