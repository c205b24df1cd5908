"""Which addresses are the same, and which belong to a crawl.

Where a page leads, and what a sitemap lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urljoin, urlsplit

import numpy as np
from lxml.etree import LxmlError
from scrapy.utils.sitemap import Sitemap
from w3lib.html import get_meta_refresh
from w3lib.url import canonicalize_url, safe_url_string

from webgrain.crawler.plan import Plan
from webgrain.errors import ReadError
from webgrain.io.decode import decompress
from webgrain.page.links import base_of
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

LONGEST = 2048
"""Characters; a longer address is most often made by a page that adds to its own."""

REPEATS = 3
"""A path that has a part this often, as /a/b/a/b/a/b, is most often made by a relative link gone wrong."""

_SESSION = re.compile(
    r"(?:(?<=[?&])(?:utm_\w+|fbclid|gclid|msclkid|phpsessid|jsessionid|sessionid|sid)=[^&]*(?:&|\Z))"
    r"|;jsessionid=[^?/]*",
    re.I,
)
_PORTS = {"http": ":80", "https": ":443"}


def clean(url: str) -> str:
    """Return an address as it is asked for: escaped, without fragment, user name and standard port; or ''.

    >>> clean("HTTP://me@Example.org:80/a b#top"), clean("mailto:me@example.org"), clean("http://[1/")
    ('http://example.org/a%20b', '', '')
    """
    try:
        parts = urlsplit(safe_url_string(url.strip()))
        host = parts.netloc.rpartition("@")[2].lower().removesuffix(_PORTS.get(parts.scheme, "!"))
        known = parts.scheme in _PORTS and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        return ""
    return parts._replace(netloc=host, path=parts.path or "/", fragment="").geturl() if known else ""


def key_of(url: str) -> str:
    """Return what two addresses of one page have in common: parameters sorted, those of sessions left out.

    >>> key_of("http://example.org/?b=2&utm_source=x&a=1") == key_of("http://example.org/?a=1&b=2")
    True
    """
    plain = _SESSION.sub("", clean(url))
    return canonicalize_url(plain).removesuffix("?") if plain else ""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which links a crawl follows.

    >>> scope = Scope.of(["https://www.example.org/"], deny=["/login"])
    >>> [scope.refusal(url) for url in ("http://blog.example.org/1", "http://example.com/")]
    ['', 'It is on another site.']
    >>> scope.refusal("https://example.org/login")
    'A pattern excludes it.'
    """

    hosts: frozenset[str] | None
    allow: tuple[re.Pattern[str], ...]
    deny: tuple[re.Pattern[str], ...]

    @classmethod
    def of(
        cls,
        urls: Iterable[str],
        *,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        any_site: bool = False,
    ) -> Scope:
        """Make the scope of a crawl that starts from ``urls``."""
        hosts = None if any_site else frozenset(_host(url).removeprefix("www.") for url in urls)
        return cls(hosts, tuple(map(re.compile, allow)), tuple(map(re.compile, deny)))

    @classmethod
    def of_plan(cls, plan: Plan) -> Scope:
        """Make the scope of a plan."""
        return cls.of(plan.urls, allow=plan.allow, deny=plan.deny, any_site=plan.any_site)

    def refusal(self, url: str, chosen: bool = False) -> str:
        """Say why an address is not followed; empty if it is. ``chosen``: patterns do not count for it."""
        if len(url) > LONGEST or _repeats(url):
            return "It looks like one of endless addresses."
        if self.hosts is not None and not self._is_home(_host(url)):
            return "It is on another site."
        if chosen:
            return ""
        wanted = not self.allow or any(pattern.search(url) for pattern in self.allow)
        if not wanted or any(pattern.search(url) for pattern in self.deny):
            return "A pattern excludes it."
        return ""

    def _is_home(self, host: str) -> bool:
        return any(host == home or host.endswith(f".{home}") for home in self.hosts or ())


def shape_of(url: str) -> str:
    """Return an address without its parameters.

    >>> shape_of("http://example.org/calendar?month=7")
    'http://example.org/calendar'
    """
    return url.partition("?")[0]


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _repeats(url: str) -> bool:
    parts = [part for part in urlsplit(url).path.split("/") if part]
    return any(parts.count(part) >= REPEATS for part in set(parts) if len(part) > 1)


MOST = 5000
"""Links that are followed from one page."""

LISTED = 50_000
"""Addresses that a sitemap may list, as its standard says."""

_HEAD = 2**14
_NOT_FOLLOWED = frozenset({"nofollow", "none"})
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


def links_of(source: Source) -> list[str]:
    """Return the addresses that a page links to, in order, each once; no more than `MOST`.

    Links marked ``nofollow`` are left out, and all links of a page whose ``<meta name=robots>`` says so
    (``nofollow`` or ``none``).
    Where ``<meta http-equiv=refresh>`` leads comes first.

    >>> from webgrain.page.page import Source
    >>> html = b"<base href=/a/><a href=b#top>b</a><a href=c rel=nofollow>c</a><a href=tel:1>d</a>"
    >>> links_of(Source("x", html, url="http://example.org/"))
    ['http://example.org/a/b']
    """
    page = parse(source)
    if not _NOT_FOLLOWED.isdisjoint(_rules(page)):
        return []
    base = base_of(page)
    refresh = get_meta_refresh(source.body[:_HEAD], base)[1]
    found = dict.fromkeys(filter(None, (_join(base, href) for href in [refresh, *_hrefs(page)] if href)))
    return list(islice(found, MOST))


def may_follow(headers: Iterable[str], name: str = "webgrain") -> bool:
    """Tell whether X-Robots-Tag headers let a robot of this name follow the links of a page.

    >>> may_follow(["noindex"]), may_follow(["noindex, nofollow"]), may_follow(["otherbot: none"])
    (True, False, True)
    """
    for header in headers:
        robot, colon, rules = (part.strip() for part in header.lower().partition(":"))
        if not colon or "," in robot or robot in _VALUED:  # a colon of a rule, not behind a name
            robot, rules = name, header.lower()
        if robot == name and not _NOT_FOLLOWED.isdisjoint(rules.replace(",", " ").split()):
            return False
    return True


def read_sitemap(body: bytes, limit: int) -> tuple[list[str], list[str]]:
    """Return the sitemaps and the pages that a sitemap lists; `ReadError` if it is none.

    limit: bytes that it may have after decompression.

    >>> read_sitemap(b"<urlset><url><loc> http://example.org/a </loc></url></urlset>", 1000)
    ([], ['http://example.org/a'])
    """
    try:
        plain = decompress(body, "gzip", limit + 1)
        if len(plain) > limit:
            raise ReadError(f"The sitemap has more than {limit} bytes.")
        sitemap = Sitemap(plain)
        listed = [clean(entry["loc"]) for entry in islice(sitemap, LISTED)]
    except (LxmlError, StopIteration) as error:
        raise ReadError("The server sent something that is no sitemap.") from error
    found = [url for url in listed if url]
    if sitemap.type not in ("sitemapindex", "urlset"):
        raise ReadError("The server sent something that is no sitemap.")
    return (found, []) if sitemap.type == "sitemapindex" else ([], found)


def _hrefs(page: Page) -> Iterator[str]:
    dom = page.dom
    wanted = [dom.tags.index(tag) for tag in ("a", "area") if tag in dom.tags]
    for node in np.flatnonzero(np.isin(dom.tag, wanted)).tolist():
        attributes = dom.attributes(node)
        if "nofollow" not in attributes.get("rel", "").lower().split():
            yield attributes.get("href", "")


def _rules(page: Page) -> Iterator[str]:
    dom = page.dom
    metas = np.flatnonzero(dom.tag == dom.tags.index("meta")).tolist() if "meta" in dom.tags else []
    for attributes in map(dom.attributes, metas):
        if attributes.get("name", "").lower() == "robots":
            yield from attributes.get("content", "").lower().replace(",", " ").split()


def _join(base: str, href: str) -> str:
    try:
        return clean(urljoin(base, href.strip()))
    except ValueError:
        return ""
