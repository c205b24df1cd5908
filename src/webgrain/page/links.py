"""Addresses of pages as texts: their canonical form, by which they are compared, and where links lead.

Links of pages: where they lead, what they say, and under which addresses a page is known.

A page without an address of its own (a local file) is taken to lie at its id below the root of a made-up
host, so that relative links and links from the root find it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Int64
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.page import Page

LONGEST = 2048
"""Characters of an address that count."""
PORTS = {"http": ":80", "https": ":443"}
"""Schemes of pages, with their standard ports."""
_INDEX = re.compile(r"(?:^|(?<=/))(?:index|default)\.(?:html?|xhtml|php|aspx?)$", re.I)
_ABSOLUTE = re.compile(r"https?://[^/?#]", re.I)
_PLAIN = re.compile(r"(?!.*//)[\w./~-]+", re.ASCII)
_PLAIN_BASE = re.compile(r"(https?://[\w.-]+)((?!.*//)/(?:[\w./~-]*/)?)?(?:[\w.~-]*)", re.ASCII | re.I)
_QUERY = re.compile("[?#]")


def canonical(address: str) -> str:
    """Return an address in its canonical form; empty for one that leads to no page.

    Host in lower case, without scheme, standard port, fragment, name of an index page and trailing slash;
    escapes are written in one way.

    >>> canonical("HTTP://Example.org:80/a/index.html#top"), canonical("https://example.org/a%7Eb/?q=1")
    ('example.org/a', 'example.org/a~b?q=1')
    """
    try:
        parts = urlsplit(address.strip()[:LONGEST])
    except ValueError:
        return ""
    if parts.scheme not in PORTS or not parts.netloc:
        return ""
    host = parts.netloc.rpartition("@")[2].lower().removesuffix(PORTS[parts.scheme])
    path = quote(unquote(_INDEX.sub("", parts.path)), safe="/~!$&'()*+,;=:@").rstrip("/")
    return host + path + (f"?{parts.query}" if parts.query else "")


def target_of(base: str, href: str) -> str:
    """Return the canonical address that a link leads to; empty for one that leads to no page.

    >>> target_of("http://example.org/a/", "../b/#c"), target_of("http://example.org/", "mailto:x@y.z")
    ('example.org/b', '')
    """
    href = href.strip()[:LONGEST].partition("#")[0]
    found = _known(*_place(base), href)
    return _relative(base, href) if found is None else found


@lru_cache(maxsize=2**14)
def _known(host: str, folder: str, href: str) -> str | None:
    """Return what `target_of` does for the pages of a folder; None where it depends on more than that.

    Links of menus come again on every page.
    """
    if _ABSOLUTE.match(href):
        return _absolute(href)
    if not host or not _PLAIN.fullmatch(href):
        return None
    return _below(host, "/" if href[0] == "/" else folder, href)


@lru_cache(maxsize=2**10)
def _relative(base: str, href: str) -> str:
    """Return what `target_of` does: links within a page all lead to one address."""
    return canonical(joined(base, f"{href}#-"))  # a space before a fragment belongs to the path


@lru_cache(maxsize=2**14)
def _absolute(href: str) -> str:
    """Return what `target_of` does, for a whole address: it is the same from all folders."""
    return canonical(joined("", f"{href}#-"))


def _below(host: str, folder: str, href: str) -> str:
    """Return what `target_of` does, for a path without escapes, query or fragment."""
    path: list[str] = []
    for step in (href if href[0] == "/" else folder + href).split("/"):
        if step == "..":
            del path[-1:]
        elif step not in (".", ""):
            path.append(step)
    if path and _INDEX.fullmatch(path[-1]) and not href.endswith(("/", "/.", "/..")):
        path.pop()
    return "/".join([host, *path])


@lru_cache(maxsize=64)
def _place(base: str) -> tuple[str, str]:
    """Return host and folder of an address that is as plain as can be up to its query, nothing of another."""
    found = _PLAIN_BASE.fullmatch(_QUERY.split(base, maxsplit=1)[0])
    return (canonical(found[1]), found[2] or "/") if found else ("", "")


def joined(base: str, href: str) -> str:
    """Return the whole address that a link leads to; empty for none.

    >>> joined("http://example.org/a/", " ../b?q=1#c "), joined("http://[", "a")
    ('http://example.org/b?q=1#c', '')
    """
    try:
        return urljoin(base, href.strip()[:LONGEST])
    except ValueError:
        return ""


MAX_LINKS = 10_000
"""Links of a page that are collected."""
_LOCAL_HOST = "local.invalid/"
_LOCAL = f"http://{_LOCAL_HOST}"
_REFRESH = re.compile(r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.I)


class Link(NamedTuple):
    """A link of a page: its node, the canonical address it leads to, what stands in it (alt texts, too).

    part: whether it leads to a part of that page only, such as a heading or the comments.
    """

    node: int
    target: str
    text: str
    part: bool


def base_of(page: Page) -> str:
    """Return the address from which the links of a page start: that of its ``<base>``, else its own.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> base_of(parse(Source("a/b.html", b"<base href='/c/'><p>x")))
    'http://local.invalid/c/'
    """
    own = page.url or _LOCAL + quote(page.id.lstrip("/"))
    href = next((v for v in _values(page.dom, "base", "href") if v), None)
    return joined(own, href) if href else own


def absolute(page: Page, href: str) -> str:
    """Return the whole address that a link or a picture of a page leads to; empty for none of the web.

    On a page without an address of its own a relative one stays as it is.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>x", url="http://example.org/a/"))
    >>> absolute(page, "b?q=1#c"), absolute(page, " javascript:x()"), absolute(page, "")
    ('http://example.org/a/b?q=1#c', '', '')
    """
    whole = joined(base_of(page), href)
    try:
        scheme = urlsplit(whole).scheme
    except ValueError:  # no address, whatever it looks like
        return ""
    if not href or scheme not in PORTS:
        return ""
    return href.strip() if whole.startswith(_LOCAL) else whole


@cached_on_page
def addresses(page: Page) -> list[str]:
    """Return the canonical addresses of a page: its own, and the one that it names as its canonical one.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = b"<link rel=canonical href=http://example.org/b/><p>x"
    >>> addresses(parse(Source("a", html, url="http://example.org/a?print=1")))
    ['example.org/a?print=1', 'example.org/b']
    """
    rows = zip(_values(page.dom, "link", "rel"), _values(page.dom, "link", "href"), strict=True)
    named = [joined(base_of(page), href or "") for rel, href in rows if rel and rel.lower() == "canonical"]
    own = page.url or _LOCAL + quote(page.id.lstrip("/"))
    return [address for address in dict.fromkeys(map(canonical, [own, *named[:1]])) if address]


def has_host(page: Page) -> bool:
    """Whether it is known which host a page is from.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> has_host(parse(Source("a.html", b"<p>x"))), has_host(parse(Source("a", b"", url="http://example.org/a")))
    (False, True)
    """
    return any(not (address + "/").startswith(_LOCAL_HOST) for address in addresses(page))


def leads_to_other_pages(page: Page, anchors: NDArray[np.integer[Any]]) -> list[bool]:
    """Return whether each of some links leads to another page of the site, if the site is known."""
    own, base = addresses(page), base_of(page)
    hosts = {address.partition("/")[0] for address in own} if has_host(page) else set()
    targets = [target_of(base, href) if href else "" for href in page.dom.values_at("href", anchors)]
    return [
        bool(target) and target not in own and (not hosts or target.partition("/")[0] in hosts)
        for target in targets
    ]


def redirect(page: Page) -> str:
    """Return the canonical address that a page sends its reader to by ``<meta http-equiv=refresh>``; or ''.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> redirect(parse(Source("a/b.html", b"<meta http-equiv=refresh content='0; url=../c.html'>")))
    'local.invalid/c.html'
    """
    names = _values(page.dom, "meta", "http-equiv")
    for name, content in zip(names, _values(page.dom, "meta", "content"), strict=True):
        found = _REFRESH.fullmatch(content or "") if name and name.lower() == "refresh" else None
        if found:
            return target_of(base_of(page), found[1])
    return ""


def links(page: Page) -> Iterator[Link]:
    """Give the links of a page in order; those that stay on the page lead to its own address.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a/b.html", b"<a href=../c.html>See <img alt=this></a><a href='mailto:x'>y</a>"))
    >>> [(link.target, link.text) for link in links(page)]
    [('local.invalid/c.html', 'See this')]
    """
    dom, base = page.dom, base_of(page)
    alts = dom.column("alt") if "alt" in dom.names else []
    described = np.array([node for node, alt in enumerate(alts) if alt], np.int64)
    for tag in ("a", "area"):
        nodes = _nodes(dom, tag)
        start, stop = dom.text_start[nodes].tolist(), dom.text_start[dom.end[nodes]].tolist()
        spans = np.searchsorted(described, np.stack([nodes, dom.end[nodes]], axis=1)).tolist()
        rows = zip(nodes.tolist(), _values(dom, tag, "href"), start, stop, spans, strict=True)
        for node, href, a, b, (first, last) in rows:
            target = target_of(base, href) if href is not None else ""
            if target:
                words = dom.text[a : min(b, a + LONGEST)]
                if first < last:
                    words = " ".join([words, *(str(alts[i]) for i in described[first:last])])[:LONGEST]
                yield Link(node, target, " ".join(words.split()), _is_part(href or ""))


def _is_part(href: str) -> bool:
    """Whether a link leads to a part of a page; its top is no part, as HTML has it."""
    return href.partition("#")[2].strip().lower() not in ("", "top")


class AnchorTexts:
    """Collects what the links between pages say; nothing else is kept of the pages.

    What leads to a part of a page names that part and not the page, so it does not count.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> anchors = AnchorTexts()
    >>> anchors.add(parse(Source("a.html", b"<a href=b.html>To b</a><a href=b.html#c>5 comments</a>")))
    >>> anchors.add(parse(Source("b.html", b"<a href='#x'>Up</a><a href=./>Home</a>")))
    >>> anchors.texts()
    {'a.html': Counter(), 'b.html': Counter({'To b': 1})}
    """

    def __init__(self) -> None:
        self._owner: dict[str, str] = {}
        self._sent: dict[str, str] = {}
        self._found: Counter[tuple[str, str]] = Counter()

    def add(self, page: Page) -> None:
        """Take in the addresses under which a page is known, and its links to other pages as a whole."""
        known = addresses(page)
        for address in known:
            self._owner.setdefault(address, page.id)
        if target := redirect(page):
            self._sent |= dict.fromkeys(known, target)
        first = islice(links(page), MAX_LINKS)
        told = {(target, text) for _, target, text, part in first if text and not part}
        self._found.update((target, text) for target, text in told if target not in known)

    def texts(self) -> dict[str, Counter[str]]:
        """Return, for the id of each page, the texts of the links to it and the number of pages they are on.

        A link to a page that redirects counts for the page where that ends.
        """
        texts: dict[str, Counter[str]] = {page: Counter() for page in self._owner.values()}
        for (target, text), count in self._found.items():
            reached = self._owner.get(self._sent.get(target, target))
            if reached is not None:
                texts[reached][text] += count
        return texts


def _nodes(dom: Dom, tag: str) -> Int64:
    return np.flatnonzero(dom.tag == dom.tags.index(tag)) if tag in dom.tags else np.zeros(0, np.int64)


def _values(dom: Dom, tag: str, name: str) -> list[str | None]:
    """Return an attribute of the elements of a tag, None where it is absent."""
    nodes = _nodes(dom, tag)
    if not len(nodes) or name not in dom.names:
        return [None] * len(nodes)
    found = np.flatnonzero(dom.attr_name == dom.names.index(name))
    owner = np.searchsorted(dom.attr_start, found, side="right") - 1
    found = found[dom.tag[owner] == dom.tags.index(tag)]
    owner = np.searchsorted(dom.attr_start, found, side="right") - 1
    spans = zip(dom.value_start[found].tolist(), dom.value_start[found + 1].tolist(), strict=True)
    values = dict(zip(owner.tolist(), (dom.values[a:b] for a, b in spans), strict=True))
    return [values.get(node) for node in nodes.tolist()]
