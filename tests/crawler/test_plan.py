from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webgrain.base.errors import InputError, ParameterError, ReadError
from webgrain.crawler.links import Scope, clean, links_of, may_follow, read_sitemap, url_key
from webgrain.crawler.plan import Plan
from webgrain.page.page import Source
from webgrain.page.parsing import parse


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"urls": "http://a.org/"}, "must be a list"),
        ({"urls": []}, "at least one URL"),
        ({"urls": ["file:///etc/passwd"]}, "expects URLs"),
        ({"output": Path("a.zip")}, "must end in .warc.gz"),
        ({"deny": ["("]}, "deny must be a regular expression"),
        ({"depth": -1}, "depth must be at least 0"),
        ({"pages": 0}, "pages must be at least 1"),
        ({"timeout": 0}, "timeout must be more than 0"),
        ({"delay": float("nan")}, "delay must be"),
        ({"contact": "me\r\nCookie: a=b"}, "contact must be plain ASCII"),
        ({"contact": "me (home)"}, "contact must be plain ASCII"),
        ({"contact": "\u00fc"}, "contact must be plain ASCII"),
    ],
)
def test_wrong_plans(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Plan(**{"urls": ["http://a.org/"], "output": Path("a.warc.gz"), **given})


def test_a_missing_file_of_cookies() -> None:
    with pytest.raises(InputError, match="does not exist"):
        Plan(["http://a.org/"], Path("a.warc.gz"), cookies=Path("missing.txt"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.org", "HTTP://A.ORG:80/#x"),
        ("http://a.org/%7ea", "http://a.org/~a"),
        ("http://a.org/?b=1&a=2", "http://a.org/?a=2&b=1&utm_campaign=z"),
        ("http://a.org/p?a=1&sid=77", "http://a.org/p?a=1"),
    ],
)
def test_spellings_of_one_address(one: str, other: str) -> None:
    assert url_key(one) == url_key(other) != ""


@pytest.mark.parametrize(
    "other", ["https://a.org/x", "http://a.org/x/", "http://a.org/X", "http://a.org:81/x"]
)
def test_addresses_that_may_differ(other: str) -> None:
    assert url_key(other) != url_key("http://a.org/x")


@pytest.mark.parametrize(
    "url", ["http://", "http://[1/", "http://a.org:x/", "javascript:1", "", "http://a.org:0/"]
)
def test_what_is_no_address(url: str) -> None:
    assert clean(url) == url_key(url) == ""


@pytest.mark.parametrize(
    ("url", "followed"),
    [
        ("https://a.org/news/1", True),
        ("https://www.a.org/news/1", True),
        ("https://b.a.org/news/1", True),
        ("https://nota.org/news/1", False),
        ("https://a.org.evil.com/news/1", False),
        ("https://a.org/about", False),
        ("https://a.org/news/print/1", False),
        ("https://a.org/news/x1/y1/x1/y1/x1", False),
        ("https://a.org/news/" + "x" * 3000, False),
    ],
)
def test_scope(url: str, followed: bool) -> None:
    scope = Scope(["http://www.a.org/"], allow=["/news/"], deny=["/print/"])
    assert (scope.refusal(url) == "") is followed


def test_links_of_a_page() -> None:
    html = (
        b"<meta http-equiv=refresh content='0; url=/moved'><a href=b>b<area href='c d'><a href=''>self<a>none"
    )
    page = Source("x", html, url="http://a.org/dir/")
    assert links_of(parse(page)) == ["http://a.org/moved", "http://a.org/dir/b", "http://a.org/dir/c%20d"]
    for rules in (b"noindex, nofollow", b"NONE"):
        assert links_of(parse(Source("x", b"<meta name=robots content='%s'><a href=b>" % rules))) == []
    assert len(links_of(parse("<meta name=robots content=noindex><a href=http://a.org>"))) == 1


def test_patterns_that_allow_pages_do_not_count_for_files() -> None:
    scope = Scope(["http://a.org/"], allow=["/news/"], deny=["/private/"])
    assert scope.refusal("http://a.org/css/a.css") == "A pattern excludes it."
    assert scope.refusal("http://a.org/css/a.css", is_file=True) == ""
    assert scope.refusal("http://a.org/private/a.css", is_file=True) == "A pattern excludes it."
    assert scope.refusal("http://b.org/a.css", is_file=True) == "It is on another site."


@pytest.mark.parametrize(
    ("headers", "may"),
    [
        ([], True),
        (["noindex", "nosnippet, noarchive"], True),
        (["noindex", "NoFollow"], False),
        (["none"], False),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], False),
        (["noindex, max-snippet: 5, nofollow"], False),
        (["otherbot: nofollow", "WebGrain: noindex"], True),
        (["webgrain: noindex, nofollow"], False),
        ([":", "", ",:,"], True),
    ],
)
def test_headers_determine_whether_links_are_followed(headers: list[str], may: bool) -> None:
    assert may_follow(headers) is may


def test_sitemaps() -> None:
    index = b"<sitemapindex><sitemap><loc>http://a.org/1.xml</loc></sitemap></sitemapindex>"
    assert read_sitemap(index, 1000) == (["http://a.org/1.xml"], [])
    entities = (
        b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>&x;</loc></url></urlset>"
    )
    assert read_sitemap(entities, 1000) == ([], [])


@pytest.mark.parametrize("body", [b"", b"<html><p>x", b"\x1f\x8b\x08 damaged", b"no xml"])
def test_what_is_no_sitemap(body: bytes) -> None:
    with pytest.raises(ReadError):
        read_sitemap(body, 1000)
