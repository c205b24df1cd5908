"""What is read of a page, and what its document contains."""

from __future__ import annotations

from pathlib import Path

import pytest

import webgrain
from webgrain.base.errors import ParameterError
from webgrain.extraction.options import ExtractionOptions
from webgrain.page.addresses import xpaths
from webgrain.page.parsing import parse

SITE = Path(__file__).parents[2] / "examples" / "site"
PROSE = "The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for it. "
AD = "<div class=ad><p>Buy a lamp, the best lamp of all lamps, at a price that is lower than ever.</div>"
PAGE = (
    f"<title>Lamp</title><nav><a href=b>B</a></nav><main><h1>Lamp</h1><p>{PROSE * 3}AD<p>{PROSE * 2}</main>"
)
BYLINE = "<p class=byline>By <a rel=author href=/kim>Kim Larsen</a>, 3 May 2024</p>"
PICTURES = (
    f"<h1>Lamp</h1><p>{PROSE * 3}<a href=http://example.org/b>A <b>map</b></a> of it "
    "<img src=http://example.org/c.png alt=Hill><figure><img src=http://example.org/d.png>"
    "<figcaption>The mole</figcaption></figure><ul><li><a href=http://example.org/e>One</a><li>Two</ul>"
)


def test_a_document_is_that_of_a_page_without_the_excluded_elements() -> None:
    whole, without = PAGE.replace("AD", AD), PAGE.replace("AD", "")
    assert "best lamp" in whole
    for favor in ("balance", "precision", "recall"):
        document = webgrain.extract(whole, exclude=".ad", favor=favor)
        expected = webgrain.extract(without, favor=favor)
        assert (document.text, document.title, document.confidence) == (
            expected.text,
            expected.title,
            expected.confidence,
        )
        assert document.markdown == expected.markdown


@pytest.mark.parametrize("name", ["en/harbour/keeper-of-the-north-mole.html", "en/shop/storm-lantern.html"])
def test_what_is_excluded_of_a_page_of_the_sample_site(name: str) -> None:
    html = (SITE / name).read_text(encoding="utf-8")
    document = webgrain.extract(html, exclude=["h1", "img, figure"])
    page = parse(html)
    removed = {page.dom.text_of(node) for node in page.dom.find_tag("h1").tolist()}
    assert removed
    assert not document.images
    assert not removed & {part.text for part in document.content.walk()}


def test_parts_have_the_elements_of_the_whole_page() -> None:
    html = "<div class=ad>Ad</div><div class=ad>Ad</div>" + f"<div><p>{PROSE * 3}<p>{PROSE}</div>"
    document = webgrain.extract(html, exclude=".ad")
    paths = xpaths(document.page.dom, [part.node for part in document.article.main])
    assert paths == ["/html[1]/body[1]/div[3]/p[1]", "/html[1]/body[1]/div[3]/p[2]"]


def test_texts_around_an_excluded_element_are_one() -> None:
    document = webgrain.extract(f"<p>{PROSE}<b class=x>never</b>more</p>", exclude=".x")
    assert document.text == f"{PROSE}more"


def test_only_included_elements_are_read() -> None:
    html = f"<title>Lamp</title><div id=a><p>{PROSE * 3}</div><div id=b><p>The other text is short.</div>"
    assert webgrain.extract(html, include="#b").text == "The other text is short."
    both = webgrain.extract(html, include=["#a", "#b"], favor="recall").text
    assert "keeper" in both
    assert webgrain.extract(html, include="#a, #b", exclude="#a p").text == "The other text is short."
    assert webgrain.extract(html, include="#b").metadata["document_title"] == "Lamp"


def test_nothing_is_read_if_no_element_is_included() -> None:
    document = webgrain.extract(f"<p>{PROSE * 3}<noscript>{PROSE * 30}</noscript>", include="#missing")
    assert (document.text, document.verdict) == ("", "unknown")
    assert document.page.notes == ("No element matches include, #missing, so there is no text.",)


def test_metadata_are_not_read_from_excluded_elements() -> None:
    html = f"<h1>Lamp</h1>{BYLINE}<p>{PROSE * 3}"
    assert webgrain.extract(html).author == "Kim Larsen"
    document = webgrain.extract(html, exclude=".byline")
    assert (document.author, document.published) == (None, None)


def test_links_are_left_out() -> None:
    document, plain = webgrain.extract(PICTURES), webgrain.extract(PICTURES, links=False)
    assert plain.text == document.text
    assert "[A **map**](http://example.org/b)" in document.markdown
    assert "A **map** of it" in plain.markdown
    assert "](http://example.org/b)" not in plain.markdown
    assert "<a " not in plain.html
    assert plain.links == ()
    assert len(plain.images) == 2


def test_images_are_left_out() -> None:
    document, plain = webgrain.extract(PICTURES), webgrain.extract(PICTURES, images=False)
    assert plain.text == document.text
    assert len(document.images) == 2
    assert plain.images == ()
    assert "<img" not in plain.html
    assert "The mole" in plain.markdown
    assert plain.links == document.links


def test_a_table_keeps_cells_without_contents() -> None:
    cells = "<tr><td><img src=http://example.org/a.png><td>One<tr><td>Two<td>Three"
    html = f"<h1>Lamp</h1><p>{PROSE * 3}<table><tr><th>A<th>B{cells}</table><p>{PROSE * 3}"
    assert "|  | One |" in webgrain.extract(html, images=False).markdown


def test_a_site_extracts_with_options() -> None:
    html = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>"
    html += PROSE + "Some words on {0}. " * 9
    site = webgrain.Site.fit([html.format(letter) for letter in "abcdefgh"])
    new = html.format("x") + "<p class=ad>" + "Buy some words on x. " * 9
    document = site.extract(new, exclude=".ad", links=False)
    assert "Buy" not in document.text
    assert document.to_dict()["type"] == site.predict(new).type
    assert webgrain.extract(new, site, exclude=".ad").text == document.text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"include": "p:hover"}, "include must be CSS selectors; 'p:hover' is not supported"),
        ({"exclude": ["p", "a >"]}, "exclude must be CSS selectors; 'a >' is not supported"),
        ({"exclude": ""}, "exclude must be CSS selectors; '' is not supported"),
        ({"exclude": "div:has(p)"}, "'div:has\\(p\\)' is not supported"),
        ({"exclude": "p:not(:hover)"}, "'p:not\\(:hover\\)' is not supported"),
        ({"exclude": "p:lang(en)"}, "'p:lang\\(en\\)' is not supported"),
        ({"exclude": "p::before"}, "'p::before' is not supported"),
        ({"include": 5}, "include must be CSS selectors, got 5"),
        ({"include": [5]}, "include must be CSS selectors, got \\[5\\]"),
        ({"favor": "speed"}, "favor must be one of 'balance', 'precision', 'recall', got 'speed'"),
        ({"links": "no"}, "links must be True or False, got 'no'"),
    ],
)
def test_wrong_options_are_errors(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        webgrain.extract("<p>Text", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "selector",
    ["ul.nav > li", "a[href^='http:']", "p:not(.a, .b)", "li:nth-child(2n+1)", "#a\\:b", "*", "p:is(.a) ~ p"],
)
def test_usual_selectors_are_supported(selector: str) -> None:
    assert ExtractionOptions(include=selector).include == (selector,)
