"""Every reference of a page: element, attribute, use and target."""

from __future__ import annotations

import pytest

from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.references import FORMS, USES, css_addresses, references
from webgrain.page.thresholds import MAX_LINKS

HOST = "h.org/"


def page_of(html: str) -> Page:
    return parse(Source("a/b", html.encode(), url="http://h.org/a/b"))


def found_in(html: str) -> list[tuple[str, str, str, str]]:
    """Return element, attribute, use and target of each reference; targets of the host without it."""
    table = references(page_of(html))
    targets = [target.removeprefix(HOST) for target in table.target]
    forms = [FORMS[form] for form in table.form.tolist()]
    uses = [USES[use] for use in table.use.tolist()]
    return [
        (form.element, form.attribute, use, target)
        for form, use, target in zip(forms, uses, targets, strict=True)
    ]


SINGLE = {
    "<a href=c>x</a>": ("a", "href", "link", "a/c"),
    "<map><area href=c></map>": ("area", "href", "link", "a/c"),
    "<img src=/c.png>": ("img", "src", "image", "c.png"),
    "<img data-src='c.png'>": ("img", "data-src", "image", "a/c.png"),
    "<img src='data:x' data-lazy-src=c.png>": ("img", "data-lazy-src", "image", "a/c.png"),
    "<div data-bg='//i.org/c.webp'>": ("div", "data-bg", "image", "i.org/c.webp"),
    "<picture><source srcset='c.webp 2x'></picture>": ("source", "srcset", "image", "a/c.webp"),
    "<picture><source src=c.webp></picture>": ("source", "src", "image", "a/c.webp"),
    "<video><source src=c.mp4></video>": ("source", "src", "media", "a/c.mp4"),
    "<video poster=c.jpg>": ("video", "poster", "image", "a/c.jpg"),
    "<audio src=c.mp3>": ("audio", "src", "media", "a/c.mp3"),
    "<iframe src=c>": ("iframe", "src", "frame", "a/c"),
    "<object data=c.pdf>": ("object", "data", "media", "a/c.pdf"),
    "<embed src=c.swf>": ("embed", "src", "media", "a/c.swf"),
    "<script src=c.js></script>": ("script", "src", "script", "a/c.js"),
    "<form action=c>": ("form", "action", "form", "a/c"),
    "<button formaction=c>": ("button", "formaction", "form", "a/c"),
    "<input type=image src=c.gif>": ("input", "src", "image", "a/c.gif"),
    "<table background=c.gif>": ("table", "background", "image", "a/c.gif"),
    "<p style='background: URL( \"c.png\" )'>": ("p", "style", "image", "a/c.png"),
    "<my-card style='background:url(c.png)'>": ("", "style", "image", "a/c.png"),
    "<style>@font-face { src: url(c.woff2) }</style>": ("style", "", "font", "a/c.woff2"),
    "<style>@import 'c.css';</style>": ("style", "", "style", "a/c.css"),
    "<meta http-equiv=Refresh content='3; url=../c'>": ("meta", "content", "refresh", "c"),
    "<link rel=stylesheet href=c.css>": ("link", "href", "style", "a/c.css"),
    "<link rel='shortcut icon' href=c.ico>": ("link", "href", "image", "a/c.ico"),
    "<link rel=canonical href=/c>": ("link", "href", "canonical", "c"),
    "<link rel=alternate hreflang=de href=/c>": ("link", "href", "alternate", "c"),
    "<link rel=next href=/c>": ("link", "href", "relation", "c"),
    "<link rel=preload as=font href=/c.woff>": ("link", "href", "font", "c.woff"),
    "<link rel=pingback href=/c>": ("link", "href", "other", "c"),
    "<script type='application/ld+json'>{\"image\": {\"url\": \"/c.png\"}}</script>": (
        "script", "", "data", "c.png",
    ),
}  # fmt: skip


@pytest.mark.parametrize("html", SINGLE)
def test_each_form_of_reference(html: str) -> None:
    assert found_in(html) == [SINGLE[html]]


@pytest.mark.parametrize(
    "html",
    [
        "<img src=''>",
        "<a href=mailto:x@y.z>x</a>",
        "<img src='data:image/png;base64,AAAA'>",
        "<img data-src='{\"a\": 1}'><img data-original=12>",
        "<link rel=preconnect href=//i.org><link rel=dns-prefetch href=//i.org>",
        "<meta name=refresh content='0; url=c'><meta http-equiv=refresh content=30>",
        "<p style='fill: url(#c); color: red'>",
        "<style>/* url(c.png) */ @namespace svg url(http://www.w3.org/2000/svg);</style>",
        '<script type=\'application/ld+json\'>{"url": "a text", "name": "/c"}</script>',
        "<base href=/c/>",
    ],
)
def test_what_is_no_reference(html: str) -> None:
    assert found_in(html) == []


def test_several_addresses_are_in_document_order() -> None:
    html = "<img srcset='a.png, b,c.png 2x' src=d.png><img src=e.png><p style='background:url(f),url(g)'>"
    assert [found[3] for found in found_in(html)] == [
        "a/d.png",
        "a/a.png",
        "a/b,c.png",
        "a/e.png",
        "a/f",
        "a/g",
    ]
    assert references(page_of(html)).node.tolist() == [3, 3, 3, 4, 5, 5]


def test_all_references_are_resolved_against_the_base() -> None:
    html = "<base href='/x/y/'><img src=a.png srcset='../b.png 2x'><p style='background:url(c.png)'>"
    html += "<a href=?q>d</a>"
    assert [found[3] for found in found_in(html)] == ["x/y/a.png", "x/b.png", "x/y/c.png", "x/y?q"]


def test_addresses_of_style_sheets() -> None:
    css = "@import url('a.css') print; @import \"b.css\"; i { content: url(c\\ d.png) } b { src: url( 'e' ) }"
    assert css_addresses(css) == ("a.css", "b.css", "c d.png", "e")


@pytest.mark.parametrize(
    "html",
    [
        "<img src=a.png>" * 100_000,
        "<div style='background:url(a)'>" * 100_000,
        f"<img srcset='{'a, ' * 300_000}'>",
        f"<img srcset='{',' * 1_000_000}'>",
        f"<img srcset='a {'(' * 1_000_000}'>",
        f"<img srcset='{'a ( ' * 300_000}'>",
        f"<p style='{'url(' * 300_000}'>",
        f"<style>{'@import ' * 200_000}</style>",
        f"<style>{'url(' + ' ' * 1_000_000}</style>",
        "<script type='application/ld+json'>" + '{"url":' * 900 + '"/a"' + "}" * 900 + "</script>",
        "<link rel=preload>" * 100_000,
    ],
)  # fmt: skip
def test_large_pages_end(html: str) -> None:
    assert len(references(page_of(html)).node) <= MAX_LINKS
