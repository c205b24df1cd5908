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


def verdict(html: str) -> str:
    page = f"<title>Lamps</title><nav><a href=/>Home</a></nav><main><h1>Lamps</h1>{html}</main>"
    return SinglePage().predict(parse(Source("a", page.replace("'", '"').encode()))).verdict


def test_a_text_is_an_article():
    assert verdict(PROSE * 6) == "article"


def test_teasers_lead_to_others_though_they_are_prose():
    assert verdict(TEASERS) == "index"


def test_a_row_of_links_with_few_words_leads_to_others():
    assert verdict(CARDS) == "index"


@pytest.mark.parametrize("html", ["", "<script>a</script>"])
def test_nothing_is_unknown(html: str):
    assert SinglePage().predict(parse(Source("a", html.encode()))).verdict == "unknown"
