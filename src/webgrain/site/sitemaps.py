"""What ``robots.txt`` and the sitemaps of a site state about its pages.

They are read from the folder, the zip archive or the web archives of the input; nothing is requested.

Sources: RFC 9309 (robots.txt), the sitemap protocol (sitemaps.org).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from webgrain.base.errors import ReadError
from webgrain.io.archives import read_bodies
from webgrain.io.decode import decompress
from webgrain.io.local import assets_in
from webgrain.page.links import LOCAL_HOST, canonical
from webgrain.site.links import LinkEnd, LinkResolver
from webgrain.site.thresholds import (
    ENTRY_CHARACTERS,
    MOST_ENTRIES,
    MOST_SITEMAPS,
    ROBOTS_BYTES,
    SITEMAP_BYTES,
    SITEMAPS_BYTES,
)

_USUAL = ("sitemap.xml", "sitemap_index.xml", "sitemap-index.xml", "sitemap.xml.gz")
_LOCATION = re.compile(r"<(?:\w+:)?loc>\s*+(?:<!\[CDATA\[)?([^<\]]*+)", re.IGNORECASE)
_INDEX = re.compile(r"<(?:\w+:)?sitemapindex\b", re.IGNORECASE)
_NAMED = re.compile(r"^[^\S\n]*+sitemap[^\S\n]*+:[^\S\n]*+(\S+)", re.IGNORECASE | re.MULTILINE)
_IN_ARCHIVE = re.compile(r"https?://[^/]+/(?:robots\.txt|[^?#]*sitemap[^/?#]*\.xml(?:\.gz)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SiteRules:
    """What a site states about its pages.

    Attributes:
        entries: the addresses in its sitemaps, without repetitions.
        robots: the text of its ``robots.txt``; empty for none.
        has_file: whether the folder or zip archive of the site has a file; None for other input.
    """

    entries: tuple[str, ...] = ()
    robots: str = ""
    has_file: Callable[[str], bool] | None = None


def folder_rules(folder: Path) -> SiteRules:
    """Read the rules of a site from the folder, or the zip archive, with its files.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "sitemap.xml").write_text("<urlset><url><loc>http://e.org/a</loc></url></urlset>")
    ...     folder_rules(Path(folder)).entries
    ('http://e.org/a',)
    """
    files = assets_in(folder)

    def read(url: str) -> bytes | None:
        return files.read(unquote(_split(url).path.lstrip("/")))

    robots = _robots(read("/robots.txt"))
    return SiteRules(_entries(robots, _USUAL, read), robots, files.exists)


def archive_rules(archives: Iterable[Path], host: str) -> SiteRules:
    """Read the rules of a site from web archives; host: of the site."""
    bodies: dict[str, bytes] = {}
    n_bytes = 0
    for archive in archives:
        for url, body in read_bodies(archive, _is_rule, SITEMAP_BYTES):
            is_new = _split(url).netloc.lower() == host and url not in bodies
            if is_new and len(bodies) < MOST_SITEMAPS and n_bytes + len(body) <= SITEMAPS_BYTES:
                bodies[url] = body
                n_bytes += len(body)
    robots = next((_robots(body) for url, body in bodies.items() if url.endswith("/robots.txt")), "")
    maps = [url for url in bodies if not url.endswith("/robots.txt")]
    return SiteRules(_entries("", maps, bodies.get), robots)


def _split(url: str) -> SplitResult:
    """Return the parts of a URL; empty parts of an invalid one, such as ``http://[``."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _is_rule(url: str) -> bool:
    return len(url) <= ENTRY_CHARACTERS and _IN_ARCHIVE.fullmatch(url) is not None


def _robots(body: bytes | None) -> str:
    return _text((body or b"")[:ROBOTS_BYTES])


def _text(body: bytes) -> str:
    return body.decode("utf-8-sig", "replace")


def _entries(robots: str, usual: Iterable[str], read: Callable[[str], bytes | None]) -> tuple[str, ...]:
    """Return the addresses in the sitemaps that ``robots.txt`` names, the usual ones, and those they list."""
    waiting = [*_NAMED.findall(robots), *usual]
    seen: set[str] = set()
    entries: dict[str, None] = {}  # in order
    while waiting and len(seen) < MOST_SITEMAPS and len(entries) < MOST_ENTRIES:
        url = waiting.pop(0)
        body = None if url in seen else read(url)
        seen.add(url)
        if body:
            text = _sitemap(body)
            locations = _locations(text)
            if _INDEX.search(text[:2000]):
                waiting += islice(locations, MOST_SITEMAPS)
            else:
                entries |= dict.fromkeys(islice(locations, MOST_ENTRIES))
    return tuple(islice(entries, MOST_ENTRIES))


def _sitemap(body: bytes) -> str:
    """Return the text of a sitemap; empty for one that is damaged."""
    try:
        return _text(decompress(body, "gzip", SITEMAP_BYTES))
    except ReadError:
        return ""


def _locations(text: str) -> Iterator[str]:
    """Yield the addresses in a sitemap; those that are longer than the protocol allows are left out."""
    for match in _LOCATION.finditer(text):
        location = unescape(match[1]).strip()
        if 0 < len(location) <= ENTRY_CHARACTERS:
            yield location


def entry_end(url: str, resolver: LinkResolver, rules: SiteRules) -> LinkEnd:
    """Return where an entry of a sitemap leads; that of a local site to a page or a file of the folder."""
    target = canonical(url)
    end = resolver.resolve(target, url, "")
    if end.page >= 0 or end.outcome == "broken" or rules.has_file is None:
        return end
    path = target.partition("/")[2]
    local = f"{LOCAL_HOST}{path}".rstrip("/")
    return resolver.resolve(local, path, "+" if rules.has_file(unquote(path)) else "-")


class Robots:
    r"""The rules of a ``robots.txt`` for all crawlers.

    >>> robots = Robots("User-agent: *\nDisallow: /a/\nAllow: /a/b$\n\nUser-agent: other\nDisallow: /")
    >>> [robots.excludes(path) for path in ("/a/x", "/a/b", "/c")]
    [True, False, False]
    """

    def __init__(self, text: str) -> None:
        rules = sorted(_rules_for_all(text), key=lambda rule: (-len(rule[1]), rule[0]))
        self._rules = [(excludes, _PathPattern(path)) for excludes, path in rules]

    def excludes(self, path: str) -> bool:
        """Whether the longest rule that matches a path, with its query, excludes it."""
        return next((excludes for excludes, pattern in self._rules if pattern.matches(path)), False)


def _rules_for_all(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the rules of the group for ``*``: whether they exclude, and the path."""
    agents: list[str] = []
    in_rules = False
    for line in islice(text.splitlines(), 10_000):
        name, _, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip()
        if name == "user-agent":
            agents = [value] if in_rules else [*agents, value]
            in_rules = False
        elif name in ("allow", "disallow"):
            in_rules = True
            if "*" in agents and value:
                yield name == "disallow", value[:500]


class _PathPattern:
    """A path of a rule, in which ``*`` is any text and ``$`` the end of the path."""

    def __init__(self, path: str) -> None:
        self._is_whole = path.endswith("$")
        self._first, *self._others = re.sub(r"\*+", "*", unquote(path.removesuffix("$"))).split("*")

    def matches(self, path: str) -> bool:
        """Whether a path begins with the pattern, or is the whole pattern. It takes linear time."""
        others = list(self._others)
        if not others and self._is_whole:
            return path == self._first
        last = others.pop() if self._is_whole else ""
        if not path.startswith(self._first):
            return False
        at = len(self._first)
        for part in others:  # the first place of each part leaves most for the next ones
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return path.endswith(last) and len(path) - len(last) >= at
