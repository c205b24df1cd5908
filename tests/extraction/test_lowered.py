"""Probabilities are lowered in places that are rarely main content."""

from __future__ import annotations

import pytest

from webgrain.extraction.features import PageFacts
from webgrain.extraction.single import SinglePage, main_probability
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

SAYS = "The keeper of the north mole lights the lamp {} at dusk, and nobody knows who pays him for it."
ARTICLE = f"<h1>Lamp</h1><article>{''.join(f'<p>{SAYS.format(k)}' for k in range(6))}</article>"


def page_of(html):
    return parse(Source("a", html.encode()))


def text_of(html):
    return SinglePage().predict(page_of(html)).text


def test_a_paragraph_in_a_footer_is_left_out():
    assert "Lorem" not in text_of(f"{ARTICLE}<footer><p>{SAYS.format('Lorem')}</footer>")


def test_comments_below_an_article_are_left_out():
    comments = "".join(f"<p>I have seen it, too, says reader {k}, and it was bright." for k in range(3))
    assert "reader" not in text_of(f"{ARTICLE}<div class=comments>{comments}</div>")


def test_comments_are_kept_where_they_are_what_the_page_is_for():
    comments = "".join(f"<div class=comment><p>{SAYS.format(k)}</div>" for k in range(20))
    assert text_of(f"<h1>Who pays the keeper?</h1><p>Does anybody know?{comments}").count("keeper") >= 20


def test_reviews_are_lowered_on_the_page_of_a_product():
    below = f"<div class=reviews><p>{SAYS.format('x')}</div>"
    script = '<script type="application/ld+json">{"@type": "Product", "offers": {"@type": "Offer"}}</script>'
    product, other = page_of(f"{script}{ARTICLE}{below}"), page_of(f"{ARTICLE}{below}")
    of_product, of_other = (main_probability(page, text_blocks(page))[-1] for page in (product, other))
    assert of_product == pytest.approx(0.3 * of_other, rel=1e-6)


@pytest.mark.parametrize(
    ("html", "sells"),
    [
        ("<meta property=og:type content=og:product>", True),
        ("<meta property=og:type content=article>", False),
        ("<meta property=og:type>", False),
        ('<script>{"@type":"Product","offers":{"@type":"Offer"}}</script>', True),
        ('<script>[{"@type":"ItemList"},{"@type":"Product","offers":{"@type":"Offer"}}]</script>', False),
        ('<p>"Product"', False),
        ("", False),
    ],
)
def test_products_are_recognised_by_their_markup(html, sells):
    page = page_of(html)
    assert PageFacts(page.dom, text_blocks(page)).product is sells
