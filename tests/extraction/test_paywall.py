"""Whether a reader has to pay for the rest of a page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webgrain import extract
from webgrain.extraction.paywall import paywall
from webgrain.page.parsing import parse


def described(**values: Any) -> str:
    return (
        f"<script type=application/ld+json>{json.dumps({'@type': 'NewsArticle', **values})}</script><p>Text"
    )


@pytest.mark.parametrize(
    "html",
    [
        described(isAccessibleForFree=False),
        described(isAccessibleForFree="False"),
        described(isAccessibleForFree="http://schema.org/False"),
        described(hasPart=[{"@type": "WebPageElement", "isAccessibleForFree": "false"}]),
        "<div itemscope><meta itemprop=isAccessibleForFree content=false><p>Text",
        "<div itemscope><span itemprop=isAccessibleForFree>False</span><p>Text",
        "<meta property=article:content_tier content=metered><p>Text",
    ],
)
def test_a_page_that_states_that_it_is_not_free(html):
    assert extract(html).metadata["paywall"] == "declared"
    assert extract(html).to_dict()["paywall"] == "declared"


@pytest.mark.parametrize(
    "html",
    [
        described(),
        described(isAccessibleForFree=True),
        described(isAccessibleForFree="True", hasPart={"isAccessibleForFree": True}),
        described(itemListElement=[{"@type": "NewsArticle", "isAccessibleForFree": False}]),
        described(isAccessibleForFree=None),
        "<meta itemprop=isAccessibleForFree content=true><p>Text",
        "<meta property=article:content_tier content=free><p>Text",
    ],
)
def test_a_free_page(html):
    assert "paywall" not in extract(html).metadata
    assert extract(html).to_dict()["paywall"] is None


def test_a_text_that_breaks_off_at_a_paywall():
    text = "The keeper of the north mole lights the lamp at dusk, and nobody knows who pays him for it"
    cut = f"<article><p>{text}.</p><p>{text} …</p></article>"
    gate = "<div class=article-paywall><a href=/login>Log in</a></div>"
    assert extract(cut + gate).metadata["paywall"] == "cut"
    assert "paywall" not in extract(cut).metadata
    assert "paywall" not in extract(cut.replace(" …", ".") + gate).metadata
    assert paywall(parse(cut + gate), None) == ""
