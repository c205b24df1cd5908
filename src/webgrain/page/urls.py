"""Addresses of pages as texts: their canonical form, by which they are compared, and where links lead."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote, unquote, urljoin, urlsplit

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
