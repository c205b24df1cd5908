"""Time of the functions of the API grows in proportion to the text of a page, whatever the text is.

These functions have no limits of time, so their time must be bounded by the size of the page. A page has the
same text in each attribute that is read, in its titles, the heads of style sheets and the strings of JSON-LD.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from time import process_time

import pytest

import webgrain
from webgrain.page.vocabulary import NAMES

ELEMENTS = ("div", "a", "img", "time", "li", "td", "iframe", "section", "h2", "input", "span")
METADATA = (
    *("description", "author", "date", "robots", "keywords", "generator", "og:locale", "og:title"),
    *("article:published_time", "article:tag", "article:author", "og:image", "twitter:creator"),
)
PROPERTIES = (
    *("headline", "datePublished", "dateModified", "inLanguage", "articleBody", "@id", "url", "name"),
    *("keywords", "image", "license", "description"),
)
CHARACTERS = [*" x1_-'\"()[{./:;<&%@#,=\\\n|«é中\u200b"]
WORDS = (
    "a ",
    "a-",
    "1 ",
    "1.",
    "Jan ",
    "2020-01-01 ",
    "by ",
    "Kim, ",
    "http://",
    "//",
    "/*",
    "url(",
    "..",
    "a=b;",
)
AFTER_PREFIX = tuple(
    prefix + "\0" + repeated
    for prefix in ("by ", "Posted on ", "0; url=", "en", "http://example.org/", ".a", "@media ", "2020-01-")
    for repeated in (" ", "x", "1", "-", "(", "/")
)
"""A beginning and what is repeated after it."""


def page(text: str) -> str:
    """Return a page that has a text in each place that is read."""
    value = escape(text)
    style = text.replace("<", " ")
    linked = json.dumps({"@type": "Article", "author": {"name": text}, **dict.fromkeys(PROPERTIES, text)})
    head = [
        f'<html lang="{value}"><head><title>{value}</title>',
        f"<style>{style}{{display:none}} a{{color:{style}}}</style>",
        f"<style>@media {style}{{p{{color:red}}}}</style>",
        f'<script type="application/ld+json">{linked.replace("</", " ")}</script>',
        *(f'<meta name="{name}" property="{name}" content="{value}">' for name in METADATA),
        f'<meta http-equiv="refresh" content="{value}">',
        f'<link rel="canonical" href="{value}"><link rel="alternate" hreflang="{value}" href="{value}">',
    ]
    body = [
        f"<h1>{value}</h1><p class='byline'>{value}</p><time>{value}</time><pre><code>{value}</code></pre>"
    ]
    for number, name in enumerate(NAMES):
        element = ELEMENTS[number % len(ELEMENTS)]
        body.append(f'<{element} {name}="{value}">word {number}</{element}>')
    return "".join([*head, "</head><body>", *body, "<p>" + "Some words of a text, which goes on. " * 20])


def site(html: str) -> object:
    return webgrain.Site.fit([html] * 3).predict(html).to_dict()


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "extract": lambda html: webgrain.extract(html, url="http://example.org/a").to_dict(),
    "segment": webgrain.segment,
    "find_lists": lambda html: [each.records() for each in webgrain.find_lists(html)],
    "site": site,
}


def seconds(function: Callable[[str], object], text: str) -> float:
    html = page(text)
    start = process_time()
    function(html)
    return process_time() - start


def assert_linear(name: str, text: Callable[[int], str], few: int) -> None:
    """Assert that twice the text takes at most 2.6 times as long, or almost nothing."""
    function = FUNCTIONS[name]
    short = seconds(function, text(few))
    long = seconds(function, text(2 * few))
    if long > max(2.6 * short, 0.6):  # the processor may have been slow for a moment
        short = max(short, seconds(function, text(few)))
        long = min(long, seconds(function, text(2 * few)))
    assert long <= max(2.6 * short, 0.6), f"{name}: {short:.2f} s, then {long:.2f} s"


def repeated(pattern: str) -> Callable[[int], str]:
    """Return a function that repeats a pattern to a length, after its prefix if it has one."""
    prefix, _, part = pattern.rpartition("\0")
    return lambda length: prefix + part * (length // len(part))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_grows_with_a_likely_text(name: str) -> None:
    FUNCTIONS[name](page("x"))  # what is loaded only once
    for pattern in (" ", "x", "-", "by \0 ", "0; url=\0 "):
        assert_linear(name, repeated(pattern), 4_000)


@pytest.mark.full
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("pattern", [*CHARACTERS, *WORDS, *AFTER_PREFIX])
def test_time_grows_with_the_text(name: str, pattern: str) -> None:
    FUNCTIONS[name](page("x"))
    assert_linear(name, repeated(pattern), 10_000)
