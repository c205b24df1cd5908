"""What ``robots.txt`` and the sitemaps of a site state about its pages.

They are read from the folder or the web archives of the input; nothing is requested.

Sources: RFC 9309 (robots.txt), the sitemap protocol (sitemaps.org).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice
from pathlib import Path
from urllib.parse import unquote, urlsplit

from webgrain.base.errors import ReadError
from webgrain.io.archives import read_bodies
from webgrain.io.decode import decompress
from webgrain.io.local import FolderAssets
from webgrain.page.links import LOCAL_HOST, canonical
from webgrain.site.links import LinkEnd, LinkResolver
from webgrain.site.thresholds import MOST_ENTRIES, MOST_SITEMAPS, SITEMAP_BYTES

_USUAL = ("sitemap.xml", "sitemap_index.xml", "sitemap-index.xml", "sitemap.xml.gz")
_LOCATION = re.compile(r"<(?:\w+:)?loc>\s*+(?:<!\[CDATA\[)?([^<\]]*+)", re.IGNORECASE)
_INDEX = re.compile(r"<(?:\w+:)?sitemapindex\b", re.IGNORECASE)
_IN_ARCHIVE = re.compile(r"https?://[^/]+/(?:robots\.txt|[^?#]*sitemap[^/?#]*\.xml(?:\.gz)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SiteRules:
    """What a site states about its pages.

    Attributes:
        entries: the addresses in its sitemaps, without repetitions.
        robots: the text of its ``robots.txt``; empty for none.
        has_file: whether the folder of the site has a file; None if the input is no folder.
    """

    entries: tuple[str, ...] = ()
    robots: str = ""
    has_file: Callable[[str], bool] | None = None


def folder_rules(folder: Path) -> SiteRules:
    """Read the rules of a site from the folder with its files.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "sitemap.xml").write_text("<urlset><url><loc>http://e.org/a</loc></url></urlset>")
    ...     folder_rules(Path(folder)).entries
    ('http://e.org/a',)
    """
    files = FolderAssets(folder)

    def read(url: str) -> bytes | None:
        return files.read(unquote(urlsplit(url).path.lstrip("/")))

    robots = _text(read("/robots.txt"))
    return SiteRules(_entries(robots, _USUAL, read), robots, files.exists)


def archive_rules(archives: Iterable[Path], host: str) -> SiteRules:
    """Read the rules of a site from web archives; host: of the site."""
    bodies: dict[str, bytes] = {}
    for archive in archives:
        for url, body in read_bodies(archive, _is_rule, SITEMAP_BYTES):
            if urlsplit(url).netloc.lower() == host and len(bodies) < MOST_SITEMAPS:
                bodies.setdefault(url, body)
    robots = next((_text(body) for url, body in bodies.items() if url.endswith("/robots.txt")), "")
    maps = [url for url in bodies if not url.endswith("/robots.txt")]
    return SiteRules(_entries("", maps, bodies.get), robots)


def _is_rule(url: str) -> bool:
    return _IN_ARCHIVE.fullmatch(url) is not None


def _text(body: bytes | None) -> str:
    return (body or b"").decode("utf-8-sig", "replace")


def _entries(robots: str, usual: Iterable[str], read: Callable[[str], bytes | None]) -> tuple[str, ...]:
    """Return the addresses in the sitemaps that ``robots.txt`` names, the usual ones, and those they list."""
    named = re.findall(r"^\s*sitemap\s*:\s*(\S+)", robots, re.IGNORECASE | re.MULTILINE)
    waiting = [*named, *usual]
    seen: set[str] = set()
    entries: dict[str, None] = {}  # in order
    while waiting and len(seen) < MOST_SITEMAPS and len(entries) < MOST_ENTRIES:
        url = waiting.pop(0)
        body = None if url in seen else read(url)
        seen.add(url)
        if body:
            text = _sitemap(body)
            locations = islice(map(unescape, _LOCATION.findall(text)), MOST_ENTRIES)
            if _INDEX.search(text[:2000]):
                waiting += [location.strip() for location in islice(locations, MOST_SITEMAPS)]
            else:
                entries |= dict.fromkeys(location.strip() for location in locations)
    return tuple(islice(filter(None, entries), MOST_ENTRIES))


def _sitemap(body: bytes) -> str:
    """Return the text of a sitemap; empty for one that is damaged."""
    try:
        return _text(decompress(body, "gzip", SITEMAP_BYTES))
    except ReadError:
        return ""


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
        self._rules = sorted(_rules_for_all(text), key=lambda rule: (-len(rule[1]), rule[0]))
        self._patterns = [(excludes, _pattern(path)) for excludes, path in self._rules]

    def excludes(self, path: str) -> bool:
        """Whether the longest rule that matches a path, with its query, excludes it."""
        return next((excludes for excludes, pattern in self._patterns if pattern.match(path)), False)


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


def _pattern(path: str) -> re.Pattern[str]:
    """Return the expression of a path with wildcards; repeated ones count once."""
    is_whole = path.endswith("$")
    parts = re.sub(r"\*+", "*", unquote(path.removesuffix("$"))).split("*")
    first, *others = map(re.escape, parts)
    last = others.pop() if others and is_whole else ""
    between = "".join(f"(?>.*?{part})" for part in others)  # the first place of each part: linear
    return re.compile(
        first + between + (f".*{last}" if last else "") + (r"\Z" if is_whole else ""), re.DOTALL
    )
