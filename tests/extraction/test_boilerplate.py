"""Boilerplate of a site: the probability of texts, and the parts with their selectors."""

from __future__ import annotations

import numpy as np
import pytest

from webgrain.base.errors import ParameterError
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction.boilerplate import (
    BOILERPLATE_NAMES,
    Boilerplate,
    BoilerplateElements,
    BoilerplateTexts,
    boilerplate_names,
    boilerplate_probability,
    find_boilerplate,
)
from webgrain.extraction.judgements import JUDGEMENTS
from webgrain.extraction.single import page_reading, site_texts, trained_models
from webgrain.extraction.sitetexts import context, context_names
from webgrain.extraction.thresholds import BOILERPLATE
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

HTML = """<body class={0}><div id=masthead><b>The Lantern</b></div>
<div class="{0}-7 menu open"><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul></div>
<div class=main><h1>Story {0}</h1><p>Some text that is of page {0} alone.</p><h3>Share</h3>
<div class="box"><p>A word of our friends, who sell boats and ropes.</p></div><p>More of {0}.</p></div>
<div class="end wide"><p>All rights reserved, since 1911.</p></div>"""
SAME = ("The Lantern", "Home", "News", "Share", "A word of", "All rights")


def page(html: str) -> Page:
    return parse(Source("page", html.encode()))


def noise(one: Page) -> np.ndarray:
    """1 at the texts that all pages have."""
    return np.array(
        [one.dom.name(k) == "#text" and one.dom.text_of(k).startswith(SAME) for k in range(len(one.dom))]
    ).astype(float)


@pytest.fixture(scope="module")
def boilerplate() -> Boilerplate:
    pages = [page(HTML.format(word)) for word in ("one", "two", "three")]
    return find_boilerplate([BoilerplateElements(one, noise(one)) for one in pages])


def test_parts_are_named_in_order_by_short_selectors(boilerplate: Boilerplate) -> None:
    assert [(one.name, one.css, one.share) for one in boilerplate.parts] == [
        ("header", "#masthead", 1.0),
        ("navigation", "div.menu", 1.0),
        ("footer", "div.end.wide", 1.0),
    ]
    assert {one.name for one in boilerplate.parts} <= set(BOILERPLATE_NAMES)


def test_it_is_found_on_a_page_of_another_type(boilerplate: Boilerplate) -> None:
    other = page("<body><section id=masthead>X</section><p>Text</p><div class=menu>Home<i>!</i></div>")
    found = boilerplate.find(other.dom)
    names = [boilerplate.parts[k].name if k >= 0 else "" for k in found.tolist()]
    result = {other.dom.text_of(k): names[k] for k in np.flatnonzero(other.dom.is_text).tolist()}
    assert result == {"X": "header", "Text": "", "Home": "navigation", "!": "navigation"}


def test_labels_among_the_content_are_not_boilerplate(boilerplate: Boilerplate) -> None:
    one = page(HTML.format("new"))
    kept = [one.dom.text_of(k) for k in np.flatnonzero(one.dom.is_text & (boilerplate.find(one.dom) < 0))]
    text = "".join(kept)
    assert "Story new" in text
    assert "Share" in text
    assert "The Lantern" not in text


def test_the_innermost_piece_counts() -> None:
    html = "<header><b>Site</b><form role=search><input name=q></form></header><p>Text {0}"
    pages = [page(html.format(k)) for k in range(3)]
    result = [np.where((one.dom.tag > 0) | (np.arange(len(one.dom)) < 6), 1.0, 0.0) for one in pages]
    boilerplate = find_boilerplate([*map(BoilerplateElements, pages, result)])
    found = boilerplate.find(pages[0].dom)
    assert [boilerplate.parts[k].name for k in found[[3, 6]].tolist()] == ["header", "search"]


def test_what_holds_the_title_of_an_article_is_none() -> None:
    pages = [page(f"<header><h1>Title {k}</h1>By the crew of the boat</header><p>Text {k}") for k in range(3)]
    result = [np.array([one.dom.text_of(k)[:2] == "By" for k in range(len(one.dom))], float) for one in pages]
    assert len(find_boilerplate([*map(BoilerplateElements, pages, result)])) == 0


def test_a_selector_that_finds_content_is_not_used() -> None:
    html = "<div class=x><p>Reserved</p></div><p>Text {0}</p><section><div class=x>{0} says</div></section>"
    pages = [page(html.format(k)) for k in range(3)]
    result = [
        np.array([one.dom.text_of(k)[:3] == "Res" for k in range(len(one.dom))], float) for one in pages
    ]
    assert [one.css for one in find_boilerplate([*map(BoilerplateElements, pages, result)]).parts] == [
        "body > div.x"
    ]


def test_the_order_of_the_pages_does_not_matter() -> None:
    pages = [page(HTML.format(word)) for word in ("one", "two", "three", "four")]
    elements = [BoilerplateElements(one, noise(one)) for one in pages]
    assert find_boilerplate(elements) == find_boilerplate(elements[::-1])


def test_no_page_and_pages_without_text() -> None:
    assert len(find_boilerplate([])) == 0
    assert len(find_boilerplate([BoilerplateElements(page(""), np.zeros(3))] * 3)) == 0
    assert Boilerplate().find(page("<p>x").dom).tolist() == [-1] * 5


def test_noise_of_another_page_is_refused() -> None:
    with pytest.raises(ParameterError, match="of 5 nodes, got"):
        BoilerplateElements(page("<p>x"), np.zeros(4))


def test_a_page_of_many_pieces_is_bounded() -> None:
    html = "".join(f"<nav class=n{'x' * k}>a</nav>" for k in range(210))
    pages = [page(html)] * 2
    assert len(find_boilerplate([BoilerplateElements(one, np.ones(len(one.dom))) for one in pages])) <= 200


def test_endless_classes_make_no_endless_selectors() -> None:
    pages = [page("<nav class='" + "many " * 999 + f"'>a</nav><p>{k}") for k in range(3)]
    found = find_boilerplate([BoilerplateElements(one, np.array([0, 0, 0, 0, 1.0, 0, 0])) for one in pages])
    assert [len(one.css) for one in found.parts] == [3]


def site_of(n: int) -> tuple[list[Page], SiteTable]:
    """Return pages of a site with a menu, a text that differs, and a footer; and its texts."""
    html = "<ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><h1>Story {0}</h1><p>{1}</p><div>All rights"
    texts = [f"Nobody has ever written number {k} of these long sentences, " * 9 for k in range(n)]
    pages = [parse(Source(f"{k}", html.format(k, text).encode())) for k, text in enumerate(texts)]
    return pages, site_texts(pages)


def test_repeated_texts_are_more_probably_boilerplate_than_others() -> None:
    pages, texts = site_of(8)
    one = pages[3]
    found = boilerplate_probability(one, texts, np.full(len(one.dom), np.nan))
    by_text = {one.dom.text_of(k)[:6]: found[k] for k in np.flatnonzero(one.dom.is_text).tolist()}
    assert min(by_text["Home"], by_text["All ri"]) > BOILERPLATE > by_text["Nobody"]
    assert not found[~one.dom.is_text].any()


def test_what_the_reader_finds_is_part_of_the_features() -> None:
    pages, texts = site_of(8)
    known = BoilerplateTexts.of(pages[3], texts)
    read = page_reading(pages[3], texts, trained_models())
    assert known is not None
    x = known.features(np.full(len(pages[3].dom), np.nan))
    of_read = {name: x[:, k] for k, name in enumerate(boilerplate_names()) if name.startswith("read ")}
    is_chosen = np.isin(known.block, read.chosen)
    assert 0 < is_chosen.sum() < len(is_chosen)
    expected = {
        "read main": read.main[known.block],
        "read comment": read.comment[known.block],
        "read chosen": is_chosen,
        "read main alone": read.alone[0][known.block],
        "read comment alone": read.alone[1][known.block],
    }
    around = context(read.facts, read.x, read.main, read.comment)[known.block]
    expected |= {f"read {name}": around[:, context_names().index(name)] for name in JUDGEMENTS[5:]}
    assert of_read.keys() == expected.keys()
    assert all(np.array_equal(of_read[name], values.astype(np.float32)) for name, values in expected.items())


def test_a_page_that_the_site_does_not_know_keeps_the_noise_of_its_template() -> None:
    texts = site_of(4)[1]
    other = page("<p>Another site")
    noise = np.where(other.dom.is_text, 0.7, 0.0)
    assert BoilerplateTexts.of(other, texts) is None
    assert BoilerplateTexts.of(other, site_texts([])) is None
    assert BoilerplateTexts.of(page(""), texts) is None
    assert boilerplate_probability(other, texts, noise).tolist() == noise.tolist()
    assert not boilerplate_probability(other, site_texts([]), np.full(5, np.nan)).any()
