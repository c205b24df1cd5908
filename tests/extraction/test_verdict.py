"""The verdict of a single page: article or index."""

from __future__ import annotations

import numpy as np
import pytest

from webgrain.columns.blocks import block_features, page_facts
from webgrain.extraction.single import SinglePage
from webgrain.extraction.wholepage import page_features, page_names
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


def verdict(html: str) -> str:
    page = f"<title>Lamps</title><nav><a href=/>Home</a></nav><main><h1>Lamps</h1>{html}</main>"
    return SinglePage().predict(parse(Source("a", page.replace("'", '"').encode()))).verdict


def test_a_text_is_an_article():
    assert verdict(PROSE * 6) == "article"


def test_teasers_lead_to_others_though_they_are_prose():
    assert verdict(TEASERS) == "index"


def test_a_row_of_links_with_few_words_leads_to_others():
    assert verdict(CARDS) == "index"


@pytest.mark.parametrize("number", [1, 2, 6])
def test_a_text_without_a_menu_is_an_article(number: int):
    page = f"<title>Lamps</title><h1>Lamps</h1>{PROSE * number}"
    assert SinglePage().predict(page).verdict == "article"


@pytest.mark.parametrize("html", [TEASERS, CARDS, "<ul>" + "<li><a href=a>A brass lamp</a>" * 6 + "</ul>"])
def test_a_list_without_a_menu_is_no_article(html: str):
    assert SinglePage().predict(f"<title>Lamps</title><h1>Lamps</h1>{html}").verdict == "index"


@pytest.mark.parametrize("html", ["", "<script>a</script>"])
def test_nothing_is_unknown(html: str):
    assert SinglePage().predict(parse(Source("a", html.encode()))).verdict == "unknown"


def link_features(
    name: str, html: str, main: float | list[float] = 0.0, url: str | None = None
) -> dict[str, float]:
    page = parse(Source(name, html.encode(), url=url))
    x, n = block_features(page), len(page_facts(page).letters)
    found, _ = page_features(page, x, None, np.zeros(n) + main, np.zeros(n), np.arange(n))
    return dict(zip(page_names(), found.tolist(), strict=True))


def test_links_to_the_page_itself_and_to_other_hosts_are_no_targets():
    found = link_features(
        "a.html", "<a href=#top>Up</a><a href=a.html>A</a><a href=//b.org/>B</a><a href=c>C</a>"
    )
    assert found["targets"] == pytest.approx(np.log(2))
    assert found["elsewhere"] == pytest.approx(np.log(4))  # twice to itself, and to the other host


def test_targets_below_and_beside_the_page_are_counted_once():
    html = "<a href=brass>A</a><a href=brass>B</a><a href=../oil>C</a><a href=/x/oil>D</a>"
    found = link_features("shop/lamps/index.html", html)
    assert found["targets"] == pytest.approx(np.log(4))
    assert found["share of targets below"] == pytest.approx(1 / 3)
    assert found["share of targets beside"] == pytest.approx(1 / 3)


def test_a_target_counts_with_the_probability_of_its_block():
    html = "<p>Text</p><p><a href=b>B</a> and <a href=c>C</a>"
    assert link_features("a", html, 0.75)["share of targets in main"] == 0.75
    assert link_features("a", html, 0.25)["sure targets in main"] == 0


@pytest.mark.parametrize("link", ["See <a href=b>B</a>.", "See <a href=b>B</a>", "<a href=b>B</a>, see"])
def test_a_link_within_a_block_has_the_probability_of_this_block(link: str):
    html = f"<p>Text<p>{link}<p>Other text"
    assert link_features("a", html, [0.0, 0.75, 0.0])["share of targets in main"] == 0.75
    html = "<p>Text<p><a href=b><img></a><p>Other text"  # a picture: the block behind it
    assert link_features("a", html, [0.0, 0.75])["share of targets in main"] == 0.75


def test_html_without_a_file_has_no_address():
    of_text, of_file = link_features("a", "<p>Text"), link_features("a-b.html", "<p>Text")
    assert np.isnan([value for name, value in of_text.items() if name.startswith("address")]).all()
    assert of_file["address hyphens"] == 1
    assert link_features("a", "<p>Text", url="http://example.org/x/?q=1")["address query"] == 1


@pytest.mark.parametrize("html", ["<p>.", "<p>Text<a href=''>x</a><a>y</a>", "<a href='http://['>z</a>"])
def test_a_page_without_targets_has_values(html: str):
    found = link_features("a.html", html)
    names = [name for name in found if "target" in name or "number of" in name]
    assert np.isfinite([found[name] for name in names]).all()
    assert found["targets"] == 0
