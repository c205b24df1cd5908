"""Which addresses are the same, and which belong to a crawl."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from w3lib.url import canonicalize_url, safe_url_string

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webgrain.crawl.plan import Plan

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
