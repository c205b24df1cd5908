"""The options of a crawl, and the result for one URL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from webgrain import __version__
from webgrain.base.errors import InputError, ParameterError
from webgrain.base.expressions import given_expression
from webgrain.io.urls import is_url

ROBOT = f"webgrain/{__version__}"
"""Name of the crawler, which robots.txt may use with or without the version."""

ENDINGS = (".warc.gz", ".warc")
"""File name endings of archives."""


class Crawled(NamedTuple):
    """The result for one URL.

    Attributes:
        url: the URL.
        outcome: ``stored`` (the page is in the archive), ``redirect``, ``unchanged`` (an earlier crawl stored
            the same page), ``sitemap``, ``stylesheet`` (it is in the archive), ``excluded`` (by robots.txt),
            ``skipped``, or ``probe`` (an address that does not exist).
        depth: number of links between a start page and the URL.
        reason: why the URL was excluded or skipped, the target of the redirect, or the answer to a probe.
    """

    url: str
    outcome: str
    depth: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a crawl.

    Attributes:
        urls: URLs to start from.
        output: the archive; the name ends in ``.warc.gz`` or ``.warc``.
        state: a file with the pages of earlier crawls, created if it does not exist; None: all pages are new.
        refresh: seconds after which a page of an earlier crawl is requested again; None: never.
        depth: number of links to follow from a start page.
        pages: maximum number of pages in the archive.
        allow, deny: regular expressions; a link is followed if its URL matches one of ``allow`` (if there are
            any) and none of ``deny``.
        any_site: follow links to other hosts.
        delay: seconds between two requests to a host; a longer Crawl-delay in robots.txt takes precedence.
        contact: an e-mail address or URL for the owners of the sites, sent in the User-Agent.
        timeout: maximum seconds per response.
        seconds: maximum seconds for the crawl; None: no limit.
        size: maximum bytes of a page, decompressed.
        retries: how often a request is repeated after a temporary error.
        cookies: a file of cookies in Mozilla's format.
        probe: also request an address that does not exist on each host with a page, to know what the server
            sends for it; its answer is in the archive, but not as a page.
        stylesheets: also store the style sheets that the pages in the archive load, and those that these
            import.
        robots, sitemaps: obey robots.txt, and read the sitemaps that it names.
        allow_private: also request hosts of private networks and this machine.

    >>> Plan(["https://example.org/"], Path("site.warc.gz"), depth=2).delay
    1.0
    """

    urls: Iterable[str]
    output: Path
    state: Path | None = None
    refresh: float | None = None
    depth: int = 10
    pages: int = 10_000
    allow: Iterable[str] = ()
    deny: Iterable[str] = ()
    any_site: bool = False
    delay: float = 1.0
    contact: str = ""
    timeout: float = 60.0
    seconds: float | None = None
    size: int = 16 * 2**20
    retries: int = 2
    cookies: Path | None = None
    probe: bool = False
    stylesheets: bool = True
    robots: bool = True
    sitemaps: bool = True
    allow_private: bool = False

    def __post_init__(self) -> None:
        for name in ("urls", "allow", "deny"):
            if isinstance(getattr(self, name), str):
                raise ParameterError(f"Plan: {name} must be a list, got the single {getattr(self, name)!r}.")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.urls:
            raise ParameterError("A crawl needs at least one URL to start from.")
        if wrong := next((url for url in self.urls if not is_url(url)), None):
            raise ParameterError(f"A crawl expects URLs such as https://example.org/, got {wrong!r}.")
        if not self.output.name.endswith(ENDINGS):
            raise ParameterError(f"The name of an archive must end in .warc.gz or .warc, got {self.output}.")
        for name in ("allow", "deny"):
            for pattern in getattr(self, name):
                given_expression(name, pattern)
        if not (self.contact.isascii() and self.contact.isprintable()) or set("()") & set(self.contact):
            raise ParameterError(f"contact must be plain ASCII without brackets, got {self.contact!r}.")
        self._check_numbers()
        if self.cookies is not None and not self.cookies.is_file():
            raise InputError(f"The file of cookies {self.cookies} does not exist.")

    def _check_numbers(self) -> None:
        for name, low in {"depth": 0, "retries": 0, "delay": 0, "refresh": 0, "pages": 1, "size": 1}.items():
            value = getattr(self, name)
            if value is not None and not low <= value < float("inf"):
                raise ParameterError(f"{name} must be at least {low}, got {value:g}.")
        for name in ("timeout", "seconds"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ParameterError(f"{name} must be more than 0, got {value:g}.")

    @property
    def agent(self) -> str:
        """The User-Agent header."""
        return f"{ROBOT} ({'; '.join(filter(None, ['crawls sites that its user names', self.contact]))})"

    @property
    def job(self) -> Path:
        """The file with the state of this crawl, which exists until the crawl is complete."""
        return self.output.with_name(self.output.name + ".job")

    @property
    def is_complete(self) -> bool:
        """Whether the archive exists and no URL is left to request."""
        return self.output.exists() and not self.job.exists()
