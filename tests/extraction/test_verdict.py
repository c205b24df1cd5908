"""What a page by itself is for: to be read, or to lead to others."""

from __future__ import annotations

import pytest

from webgrain.extraction.single import SinglePage
from webgrain.page.page import Source
from webgrain.page.parsing import parse

PROSE = "<p>The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for it.</p>"
CARDS = "".join(
    f"<div class=card><p><a href=/lamp/{k}>A brass lamp, no {k}</a>"
    f"<p>$ {k}9, and sent on the next boat to the islands</div>"
    for k in range(8)
)
TEASERS = "".join(
    f"<article><h2><a href=/story/{k}>The boat, part {k}</a></h2>"
    f"{PROSE.replace('lamp', f'lamp {k}')}</article>"
    for k in range(5)
)
DATA = "<script type=application/ld+json>{{'@type': {}}}</script>"


def verdict(html: str) -> str:
    page = f"<title>Lamps</title><nav><a href=/>Home</a></nav><main><h1>Lamps</h1>{html}</main>"
    return SinglePage().predict(parse(Source("a", page.replace("'", '"').encode()))).verdict


def test_a_text_is_an_article():
    assert verdict(PROSE * 6) == "article"


def test_teasers_lead_to_others_though_they_are_prose():
    assert verdict(TEASERS) == "index"


@pytest.mark.parametrize("target", ["#part", "?#part", ""])
def test_headings_that_link_to_themselves_are_no_teasers(target: str):
    html = TEASERS
    for k in range(5):
        html = html.replace(f"/story/{k}", f"{target}{k}" if target else "")
    assert verdict(html) == "article"


def test_a_row_of_links_with_few_words_leads_to_others():
    assert verdict(CARDS) == "index"


def test_a_row_of_links_below_a_text_does_not():
    assert verdict(PROSE * 20 + CARDS) == "article"


@pytest.mark.parametrize(
    ("said", "expected"),
    [("'ItemList'", "index"), ("'CollectionPage'", "index"), ("'NewsArticle'", "article")],
)
def test_what_a_page_says_of_itself_is_believed(said: str, expected: str):
    assert verdict(DATA.format(said) + PROSE * 3) == expected


def test_a_product_is_no_index_for_what_is_sold_beside_it():
    said = DATA.format("'Product', 'offers': {'@type': 'Offer'}")
    html = PROSE + CARDS
    assert (verdict(html), verdict(said + html)) == ("index", "article")


@pytest.mark.parametrize("html", ["", "<script>a</script>"])
def test_nothing_is_unknown(html: str):
    assert SinglePage().predict(parse(Source("a", html.encode()))).verdict == "unknown"
