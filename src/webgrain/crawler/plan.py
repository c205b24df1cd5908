"""What to crawl, how politely, and where to; and what is told of each address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from webgrain import __version__
from webgrain.errors import InputError, ParameterError
from webgrain.io.fetch import is_url

ROBOT = f"webgrain/{__version__}"
"""What robots.txt may call it, with or without the version."""

ENDINGS = (".warc.gz", ".warc")
"""Endings of the names of archives."""


class Crawled(NamedTuple):
    """What became of an address.

    Attributes:
        url: the address.
        outcome: ``stored`` (its page is in the archive), ``redirect``, ``unchanged`` (an earlier crawl has
            had the page as it is now), ``sitemap``, or ``skipped``.
        depth: links between it and a start page.
        reason: why it was skipped, or where it redirects to.
    """

    url: str
    outcome: str
    depth: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to crawl, and how.

    Attributes:
        urls: addresses to start from.
        output: the archive; its name ends in ``.warc.gz`` or ``.warc``.
        seen: a store of the pages of earlier crawls, made if there is none; None: all pages are new.
        refresh: seconds after which a page that was seen is asked for again; None: never.
        depth: links to follow from a start page.
        pages: most pages in the archive.
        allow, deny: regular expressions; addresses that match one of ``allow`` (if there is any) and none of
            ``deny`` are followed.
        any_site: whether links to other hosts are followed.
        delay: seconds between two requests to a host; a longer one in its robots.txt is kept to.
        contact: an address (of mail or a page) for those who run the sites; part of the user agent.
        timeout: seconds that one answer may take; seconds: that the crawl may take; None: any number.
        size: bytes that a page may have, decompressed.
        retries: how often a request is repeated that failed for a reason that may pass.
        cookies: a file of cookies in Mozilla's format.
        robots, sitemaps: whether robots.txt is obeyed, and the sitemaps in it are read.
        allow_private: whether hosts of private networks and this machine are asked.

    >>> Plan(["https://example.org/"], Path("site.warc.gz"), depth=2).delay
    1.0
    """

    urls: Iterable[str]
    output: Path
    seen: Path | None = None
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
    robots: bool = True
    sitemaps: bool = True
    allow_private: bool = False

    def __post_init__(self) -> None:
        for name in ("urls", "allow", "deny"):
            if isinstance(getattr(self, name), str):
                raise ParameterError(f"Plan: {name} must be a list, got the single {getattr(self, name)!r}.")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.urls:
            raise ParameterError("Name at least one address to start from.")
        for url in self.urls:
            if not is_url(url):
                raise ParameterError(f"An address like https://example.org/ was expected, got {url!r}.")
        if not self.output.name.endswith(ENDINGS):
            raise ParameterError(f"The name of an archive must end in .warc.gz or .warc, got {self.output}.")
        for pattern in (*self.allow, *self.deny):
            _check_pattern(pattern)
        if not (self.contact.isascii() and self.contact.isprintable()) or set("()") & set(self.contact):
            raise ParameterError(f"contact must be plain ASCII without brackets, got {self.contact!r}.")
        self._check_numbers()
        if self.cookies is not None and not self.cookies.is_file():
            raise InputError(f"The file of cookies {self.cookies} does not exist.")

    def _check_numbers(self) -> None:
        least = {"depth": 0, "retries": 0, "delay": 0, "refresh": 0, "pages": 1, "size": 1}
        for name, smallest in least.items():
            value = getattr(self, name)
            if value is not None and not smallest <= value < float("inf"):
                raise ParameterError(f"{name} must be at least {smallest}, got {value:g}.")
        for name in ("timeout", "seconds"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ParameterError(f"{name} must be more than 0, got {value:g}.")

    @property
    def agent(self) -> str:
        """How requests introduce themselves."""
        return f"{ROBOT} ({'; '.join(filter(None, ['crawls sites that its user names', self.contact]))})"

    @property
    def job(self) -> Path:
        """Where the state of the crawl is kept until it is complete."""
        return self.output.with_name(self.output.name + ".job")


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ParameterError(f"{pattern!r} is not a regular expression: {error}.") from error
