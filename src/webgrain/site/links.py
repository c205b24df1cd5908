"""The links between the pages of a site: where each leads, broken links, redirects, and the click depth.

A link is resolved by what is known about its target: the pages of the audit, the answers of the server in an
archive or a crawl, and the files of a folder or a zip archive. Its outcome is

========  ============================================================================================
page      a page of the audit
redirect  a redirect, by the server or by ``<meta http-equiv=refresh>``
file      a file that is not a page of the audit
broken    an answer from 400 on, a failed request, or a relative link to a file that does not exist
unknown   an address of the site that is not part of the input
external  an address of another site
========  ============================================================================================
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Int32
from webgrain.io.archives import read_answers
from webgrain.page.links import LOCAL_HOST, canonical, joined
from webgrain.site.thresholds import LINK_EXAMPLES, MOST_REDIRECTS
from webgrain.site.workspace import Row, read_rows

LINK_COLUMNS = (
    *((name, "string") for name in ("source", "target", "text", "rel", "position", "outcome", "page")),
    ("status", "int64"),
    ("redirects", "list"),
)
"""Columns of ``links.parquet``: the page with the link, the address it leads to, its text, ``rel`` and
position on the page, the outcome, the page of the audit that it reaches, the status of the answer, and the
addresses of the redirects on the way."""


NO_FILE = "There is no such file."


class Answer(NamedTuple):
    """The answer of a server.

    Attributes:
        status: None for no answer.
        location: target of a redirect.
        reason: why there is no answer.
        excluded: whether the address was not requested because of robots.txt.
    """

    status: int | None
    location: str = ""
    reason: str = ""
    excluded: bool = False

    @property
    def error(self) -> str:
        """The reason, or the status in words."""
        return self.reason or f"The server answered {self.status}."


def collect_answers(archives: Iterable[Path], crawl_log: Path | None) -> dict[str, Answer]:
    """Return the answers of servers by address that are neither pages nor files, and failed requests.

    crawl_log: JSON lines with ``url``, ``reason`` and ``excluded``; None for none.
    """
    found = {
        url: Answer(status, joined(url, location) if location else "")
        for archive in archives
        for url, status, location in read_answers(archive)
        if status >= 300 and status != 304
    }
    if crawl_log is not None and crawl_log.exists():
        for line in crawl_log.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):  # an incomplete last line
                record = json.loads(line)
                found.setdefault(record["url"], Answer(None, "", record["reason"], record["excluded"]))
    return found


class Outcome(NamedTuple):
    """Where a link leads; page: its number, -1 for none; redirects: addresses on the way."""

    name: str
    page: int = -1
    status: int | None = None
    redirects: tuple[str, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class Target:
    """A target of broken links or of redirects.

    Attributes:
        reason: why it is broken, or the redirects; pages: number of pages that link to it.
        examples: the first of these pages.
    """

    reason: str
    pages: int = 0
    examples: list[str] = field(default_factory=list)


class SiteLinks:
    """The pages of a site and the answers of its server, to resolve links.

    Attributes:
        pages, own: id and own canonical address of each page; number: of the page with an address.

    Args:
        rows: ``page``, ``addresses`` and ``refresh`` of each page, see `webgrain.site.checks.LINKS`.
        answers: answers by address.

    >>> rows = [{"page": "a.html", "addresses": ["local.invalid/a.html"], "refresh": None}]
    >>> links = SiteLinks(rows, {})
    >>> links.resolve("local.invalid/a.html", "a.html", ""), links.resolve("local.invalid/b", "b", "-").name
    (Outcome(name='page', page=0, status=None, redirects=(), reason=''), 'broken')
    """

    def __init__(self, rows: Iterable[Row], answers: Mapping[str, Answer]) -> None:
        self.pages: list[str] = []
        self.own: list[str] = []
        self.number: dict[str, int] = {}
        self._refresh: dict[int, str] = {}
        self._answers = {_plain(url): answer for url, answer in answers.items()}
        self._hosts = {LOCAL_HOST.rstrip("/")}
        named: list[tuple[bool, str, int]] = []
        for k, row in enumerate(rows):
            self.pages.append(row["page"])
            own, *others = row["addresses"] or [""]
            self.own.append(own)
            self.number.setdefault(own, k)
            self._hosts.add(own.partition("/")[0])
            if row["refresh"]:  # the canonical link of a redirect names its target
                self._refresh[k] = row["refresh"]
                continue
            # Several local files may name one address: it is that of the file with its path.
            named += [(own.partition("/")[2] != other.partition("/")[2], other, k) for other in others]
        for _, other, k in sorted(named):
            self.number.setdefault(other, k)
        # The same targets are on many pages.
        self.resolve = lru_cache(maxsize=2**13)(self._resolve)

    def _resolve(self, target: str, url: str, known: str) -> Outcome:
        """Return where a link leads; target: canonical; known: + or - for a file that exists or does not."""
        seen: list[str] = []
        while len(seen) <= MOST_REDIRECTS:
            answer, page = self._answers.get(_plain(url)), self.number.get(target, -1)
            status = answer.status if answer else None
            if answer and answer.location and answer.status and 300 <= answer.status < 400:
                onward, to = canonical(answer.location), answer.location
            elif page >= 0 and page in self._refresh:
                onward = to = self._refresh[page]
            elif answer and answer.excluded:
                return Outcome("unknown", -1, None, tuple(seen), answer.reason)
            elif answer and (answer.status is None or answer.status >= 400):
                return Outcome("broken", -1, status, tuple(seen), answer.error)
            else:
                return self._end(target, page, status, known if not seen else "", tuple(seen))
            if to.removeprefix(LOCAL_HOST) in seen or (onward == target and to == url):
                break
            seen.append(to.removeprefix(LOCAL_HOST))
            target, url = onward, to
        return Outcome("broken", -1, None, tuple(seen), "The redirects do not end.")

    def _end(self, target: str, page: int, status: int | None, known: str, seen: tuple[str, ...]) -> Outcome:
        if page >= 0:
            answered = None if target.startswith(LOCAL_HOST) else 200
            return Outcome("redirect" if seen else "page", page, answered, seen)
        if known == "-":
            return Outcome("broken", -1, status, seen, NO_FILE)
        inside = target.partition("/")[0] in self._hosts
        name = "redirect" if seen else "file" if known else "unknown" if inside else "external"
        return Outcome(name, -1, status, seen)


@lru_cache(maxsize=2**14)
def _plain(url: str) -> str:
    """Return an address without its fragment."""
    return url.partition("#")[0]


class LinkTable:
    """The rows of ``links.parquet``, and what they state about the pages.

    Attributes:
        incoming: (n,) pages that link to each page, without itself.
        broken: broken targets by address; redirected: links to redirects, by page: ``target -> end``.
        counts: number of links by outcome; broken_on: number of broken links by page.
        absent: number of links to addresses of the site of which nothing is known.
    """

    def __init__(self, site: SiteLinks) -> None:
        n = len(site.pages)
        self._site = site
        self.incoming: Int32 = np.zeros(n, np.int32)
        self.broken: dict[str, Target] = {}
        self.redirected: dict[str, Target] = {}
        self.counts: Counter[str] = Counter()
        self.broken_on: Int32 = np.zeros(n, np.int32)
        self.absent = 0
        self._onward: list[Int32] = []

    def rows(self, parts: Iterable[Path]) -> Iterator[Row]:
        """Yield the rows of the links of all pages, and count them."""
        columns = ["page", *(f"link_{name}" for name in ("targets", "urls", "texts", "rels", "positions"))]
        number = 0
        for part in parts:
            for row in read_rows(part, columns):
                yield from self._of_page(number, row["page"], *(row[name] for name in columns[1:]))
                number += 1

    def _of_page(self, number: int, page: str, *columns: Sequence[str]) -> Iterator[Row]:
        onward, faults = set[int](), set[str]()
        for target, url, text, rel, place in zip(*columns, strict=True):
            known = place[-1:] if place[-1:] in ("+", "-") else ""
            found = self._site.resolve(target, url, known)
            self.counts[found.name] += 1
            self.absent += found.name == "unknown" and not found.reason
            if found.page >= 0:
                onward.add(found.page)
            address = target.removeprefix(LOCAL_HOST) if target.startswith(LOCAL_HOST) else url
            if found.name in ("broken", "redirect"):
                self.broken_on[number] += found.name == "broken"
                table = self.broken if found.name == "broken" else self.redirected
                one = table.setdefault(address, Target(found.reason or " → ".join(found.redirects)))
                if address not in faults:
                    one.pages += 1
                    one.examples += [page] if len(one.examples) < LINK_EXAMPLES else []
                faults.add(address)
            yield {
                "source": page,
                "target": address,
                "text": text,
                "rel": rel,
                "position": place.rstrip("+-"),
                "outcome": found.name,
                "page": self._site.pages[found.page] if found.page >= 0 else None,
                "status": found.status,
                "redirects": list(found.redirects),
            }
        onward.discard(number)
        targets = np.array(sorted(onward), np.int32)
        self.incoming[targets] += 1
        self._onward.append(targets)

    def depth(self) -> Int32:
        """Return the number of clicks (n,) from the start page to each page, -1 if no links lead there.

        The start page is the page at the root of the site, or else the page with the shortest path. Call it
        after `rows` has ended.
        """
        depth = np.full(len(self._onward), -1, np.int32)
        if not len(depth):
            return depth
        at = np.array([start_page(self._site.number)])
        for level in range(len(depth)):
            depth[at] = level
            onward = np.unique(np.concatenate([self._onward[page] for page in at.tolist()]))
            at = onward[depth[onward] < 0] if len(onward) else onward
            if not len(at):
                break
        return depth


def start_page(number: Mapping[str, int]) -> int:
    """Return the page with the fewest folders and the shortest address.

    >>> start_page({"example.org/a": 0, "example.org": 1, "example.org/b/c": 2})
    1
    """
    address = min(number, key=lambda url: (url.count("/"), len(url), url))
    return number[address]


def linking_pages(one: Target) -> str:
    """Return in words which pages link to a target."""
    more = one.pages - len(one.examples)
    return ", ".join(one.examples) + (f" and {more:,} more" if more else "")
