"""URLs of a crawl: their normal form, which of them are followed, and where pages and sitemaps lead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from urllib.parse import urljoin, urlsplit

import numpy as np
from lxml.etree import LxmlError
from scrapy.utils.sitemap import Sitemap
from w3lib.html import get_meta_refresh
from w3lib.url import canonicalize_url, safe_url_string

from webgrain.base.errors import ReadError
from webgrain.crawler.thresholds import PAGE_LINKS, PAGE_SHEETS, PATH_REPEATS, SITEMAP_URLS, URL_LENGTH
from webgrain.io.decode import decompress
from webgrain.page.links import base_of
from webgrain.page.markup import metas
from webgrain.page.page import Page
from webgrain.page.references import USES, references
from webgrain.rendering.sheets import imports

_SESSION = re.compile(
    r"(?:(?<=[?&])(?:utm_\w+|fbclid|gclid|msclkid|phpsessid|jsessionid|sessionid|sid)=[^&]*(?:&|\Z))"
    r"|;jsessionid=[^?/]*",
    re.I,
)
_PORTS = {"http": ":80", "https": ":443"}
_REFRESH_BYTES = 2**14
_NOT_FOLLOWED = frozenset({"nofollow", "none"})
_RULES_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


def clean(url: str) -> str:
    """Return a URL as it is requested: escaped, without fragment, user name and default port; '' if invalid.

    >>> clean("HTTP://me@Example.org:80/a b#top"), clean("mailto:me@example.org"), clean("http://[1/")
    ('http://example.org/a%20b', '', '')
    """
    try:
        parts = urlsplit(safe_url_string(url.strip()))
        is_valid = parts.scheme in _PORTS and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    if not is_valid:
        return ""
    _, _, host = parts.netloc.rpartition("@")
    host = host.lower().removesuffix(_PORTS[parts.scheme])
    cleaned: str = parts._replace(netloc=host, path=parts.path or "/", fragment="").geturl()
    return cleaned


def url_key(url: str) -> str:
    """Return the same key for all spellings of a URL: parameters sorted, session parameters removed.

    >>> url_key("http://example.org/?b=2&utm_source=x&a=1") == url_key("http://example.org/?a=1&b=2")
    True
    """
    plain = _SESSION.sub("", clean(url))
    return canonicalize_url(plain).removesuffix("?") if plain else ""


class Scope:
    """Decides which links a crawl follows.

    urls: the start pages; links to their hosts and subdomains are followed. allow, deny: regular expressions.
    any_site: follow links to any host.

    >>> scope = Scope(["https://www.example.org/"], deny=["/login"])
    >>> [scope.refusal(url) for url in ("http://blog.example.org/1", "http://example.com/")]
    ['', 'It is on another site.']
    >>> scope.refusal("https://example.org/login")
    'A pattern excludes it.'
    """

    def __init__(
        self,
        urls: Iterable[str],
        *,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        any_site: bool = False,
    ) -> None:
        self._hosts = None if any_site else {_host(url).removeprefix("www.") for url in urls}
        self._allow = list(map(re.compile, allow))
        self._deny = list(map(re.compile, deny))

    def refusal(self, url: str, *, ignore_patterns: bool = False, is_file: bool = False) -> str:
        """Return why a URL is not followed; empty if it is followed.

        is_file: whether it is a file that a page loads; then the patterns that allow pages do not count.
        """
        host = _host(url)
        parts = [part for part in urlsplit(url).path.split("/") if len(part) > 1]
        if len(url) > URL_LENGTH or any(parts.count(part) >= PATH_REPEATS for part in set(parts)):
            return "It looks like one of endless addresses."
        if self._hosts is not None and not any(f".{host}".endswith(f".{home}") for home in self._hosts):
            return "It is on another site."
        if ignore_patterns:
            return ""
        allowed = is_file or not self._allow or any(pattern.search(url) for pattern in self._allow)
        if not allowed or any(pattern.search(url) for pattern in self._deny):
            return "A pattern excludes it."
        return ""


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def links_of(page: Page) -> list[str]:
    """Return the distinct URLs that a page links to, in order, at most `PAGE_LINKS`.

    The target of ``<meta http-equiv=refresh>`` comes first. Links with ``rel=nofollow`` are left out, and all
    links of a page with ``<meta name=robots>`` that contains ``nofollow`` or ``none``.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> html = b"<base href=/a/><a href=b#top>b</a><a href=c rel=nofollow>c</a><a href=tel:1>d</a>"
    >>> links_of(parse(Source("x", html, url="http://example.org/")))
    ['http://example.org/a/b']
    """
    for meta in metas(page.dom):
        rules = meta.get("content", "").lower().replace(",", " ").split()
        if meta.get("name", "").lower() == "robots" and not _NOT_FOLLOWED.isdisjoint(rules):
            return []
    base = base_of(page)
    body = b"" if page.source is None else page.source.body
    elements = _elements(page, "a", "area")
    _, target = get_meta_refresh(body[:_REFRESH_BYTES], base)
    links = [link for link in elements if "nofollow" not in link.get("rel", "").lower().split()]
    hrefs = [target, *(link.get("href") for link in links)]
    urls = dict.fromkeys(_join(base, href) for href in hrefs if href)
    return list(islice(filter(None, urls), PAGE_LINKS))


def sheets_of(page: Page) -> list[str]:
    """Return the distinct URLs of the style sheets that a page loads, in order, at most `PAGE_SHEETS`.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> html = "<link rel=stylesheet href=/a.css><style>@import 'b.css'</style><link rel=icon href=c.png>"
    >>> sheets_of(parse(Source("x", html.encode(), url="http://example.org/d/")))
    ['http://example.org/a.css', 'http://example.org/d/b.css']
    """
    loaded = references(page)
    values = loaded.value[loaded.use == USES.index("style")]
    base, texts = base_of(page), page.dom.values.texts
    urls = dict.fromkeys(_join(base, texts[value]) for value in values.tolist())
    return list(islice(filter(None, urls), PAGE_SHEETS))


def imports_of(url: str, body: bytes) -> list[str]:
    """Return the distinct URLs that a style sheet imports, in order, at most `PAGE_SHEETS`.

    >>> imports_of("http://example.org/css/a.css", b"@import 'b.css'; @import url(/c.css); p { color: red }")
    ['http://example.org/css/b.css', 'http://example.org/c.css']
    """
    addresses = imports(body.decode("utf-8-sig", "replace"))
    urls = dict.fromkeys(_join(url, address) for address, _ in addresses)
    return list(islice(filter(None, urls), PAGE_SHEETS))


def _join(base: str, href: str) -> str:
    try:
        return clean(urljoin(base, href.strip()))
    except ValueError:
        return ""


def _elements(page: Page, *tags: str) -> Iterator[dict[str, str]]:
    """Yield the attributes of all elements with one of the tags, in document order."""
    dom = page.dom
    return map(dom.attributes, np.flatnonzero(dom.tagged(*tags)).tolist())


def may_follow(headers: Iterable[str], name: str = "webgrain") -> bool:
    """Return whether X-Robots-Tag headers allow a robot of this name to follow the links of a page.

    >>> may_follow(["noindex"]), may_follow(["noindex, nofollow"]), may_follow(["otherbot: none"])
    (True, False, True)
    """
    for header in headers:
        robot, colon, rules = (part.strip() for part in header.lower().partition(":"))
        if not colon or "," in robot or robot in _RULES_WITH_VALUE:  # the colon does not follow a name
            robot, rules = name, header.lower()
        if robot == name and not _NOT_FOLLOWED.isdisjoint(rules.replace(",", " ").split()):
            return False
    return True


def read_sitemap(body: bytes, limit: int) -> tuple[list[str], list[str]]:
    """Return the sitemaps and the pages that a sitemap lists; `ReadError` if it is not a sitemap.

    limit: maximum number of bytes after decompression.

    >>> read_sitemap(b"<urlset><url><loc> http://example.org/a </loc></url></urlset>", 1000)
    ([], ['http://example.org/a'])
    """
    try:
        plain = decompress(body, "gzip", limit + 1)
        if len(plain) > limit:
            raise ReadError(f"The sitemap has more than {limit} bytes.")
        sitemap = Sitemap(plain)
        urls = [url for entry in islice(sitemap, SITEMAP_URLS) if (url := clean(entry["loc"]))]
    except (LxmlError, StopIteration) as error:
        raise ReadError("The server sent something that is not a sitemap.") from error
    if sitemap.type not in ("sitemapindex", "urlset"):
        raise ReadError("The server sent something that is not a sitemap.")
    return (urls, []) if sitemap.type == "sitemapindex" else ([], urls)
