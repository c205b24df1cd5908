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
from webgrain.site.tables import ColumnTypes, TableRow, read_rows
from webgrain.site.thresholds import LINK_EXAMPLES, MOST_REDIRECTS

LINK_COLUMNS: ColumnTypes = (
    ("source", "string"),
    ("target", "string"),
    ("text", "string"),
    ("rel", "string"),
    ("position", "string"),
    ("outcome", "string"),
    ("page", "string"),
    ("status", "int64"),
    ("redirects", "list"),
)
"""Columns of ``links.parquet``: the page with the link, the address it leads to, its text, ``rel`` and
position on the page, the outcome, the page of the audit that it reaches, the status of the answer, and the
addresses of the redirects on the way."""

NO_FILE = "There is no such file."
"""The reason of a broken link to a file."""


class LinkTable:
    """The rows of ``links.parquet``, and what they state about the pages.

    Attributes:
        incoming: (n,) pages that link to each page, without itself.
        broken: broken targets by address; redirected: links to redirects, by page: ``target -> end``.
        counts: number of links by outcome; broken_on: number of broken links by page.
        absent: number of links to addresses of the site of which nothing is known.
    """

    def __init__(self, resolver: LinkResolver) -> None:
        n = len(resolver.pages)
        self._resolver = resolver
        self.incoming: Int32 = np.zeros(n, np.int32)
        self.broken: dict[str, LinkTarget] = {}
        self.redirected: dict[str, LinkTarget] = {}
        self.counts: Counter[str] = Counter()
        self.broken_on: Int32 = np.zeros(n, np.int32)
        self.absent = 0
        self._onward: list[Int32] = []

    def rows(self, parts: Iterable[Path]) -> Iterator[TableRow]:
        """Yield the rows of the links of all pages, and count them."""
        columns = ["link_targets", "link_urls", "link_texts", "link_rels", "link_positions"]
        number = 0
        for part in parts:
            for row in read_rows(part, ["page", *columns]):
                links = zip(*(row[name] for name in columns), strict=True)
                yield from self._page_rows(number, row["page"], links)
                number += 1

    def _page_rows(self, number: int, page: str, links: Iterable[Sequence[str]]) -> Iterator[TableRow]:
        """Yield the rows of the links of a page.

        links: canonical target, address, text, ``rel`` and position of each.
        """
        onward: set[int] = set()
        faults: set[str] = set()
        for target, url, text, rel, position in links:
            known = position[-1:] if position.endswith(("+", "-")) else ""
            end = self._resolver.resolve(target, url, known)
            address = target.removeprefix(LOCAL_HOST) if target.startswith(LOCAL_HOST) else url
            self.counts[end.outcome] += 1
            if end.outcome == "unknown" and not end.reason:
                self.absent += 1
            if end.outcome == "broken":
                self.broken_on[number] += 1
            if end.page >= 0:
                onward.add(end.page)
            if end.outcome in ("broken", "redirect"):
                self._add_fault(page, address, end, is_new=address not in faults)
                faults.add(address)
            yield {
                "source": page,
                "target": address,
                "text": text,
                "rel": rel,
                "position": position.rstrip("+-"),
                "outcome": end.outcome,
                "page": self._resolver.pages[end.page] if end.page >= 0 else None,
                "status": end.status,
                "redirects": list(end.redirects),
            }
        onward.discard(number)
        reached = np.array(sorted(onward), np.int32)
        self.incoming[reached] += 1
        self._onward.append(reached)

    def _add_fault(self, page: str, address: str, end: LinkEnd, *, is_new: bool) -> None:
        """Count a link that is broken or leads to a redirect; is_new: the first such link of the page."""
        targets = self.broken if end.outcome == "broken" else self.redirected
        target = targets.setdefault(address, LinkTarget(end.reason or " → ".join(end.redirects)))
        if is_new:
            target.pages += 1
            if len(target.examples) < LINK_EXAMPLES:
                target.examples.append(page)

    def depth(self) -> Int32:
        """Return the number of clicks (n,) from the start page to each page, -1 if no links lead there.

        The start page is the page at the root of the site, or else the page with the shortest path. Call it
        after `rows` has ended.
        """
        depth = np.full(len(self._onward), -1, np.int32)
        if not len(depth):
            return depth
        reached = np.array([start_page(self._resolver.number)])
        for level in range(len(depth)):
            depth[reached] = level
            onward = np.unique(np.concatenate([self._onward[page] for page in reached.tolist()]))
            reached = onward[depth[onward] < 0] if len(onward) else onward
            if not len(reached):
                break
        return depth


@dataclass(slots=True)
class LinkTarget:
    """A target of broken links or of redirects.

    Attributes:
        reason: why it is broken, or the redirects; pages: number of pages that link to it.
        examples: the first of these pages.
    """

    reason: str
    pages: int = 0
    examples: list[str] = field(default_factory=list)


def linking_pages(target: LinkTarget) -> str:
    """Return in words which pages link to a target."""
    names = ", ".join(target.examples)
    more = target.pages - len(target.examples)
    return f"{names} and {more:,} more" if more else names


def start_page(number: Mapping[str, int]) -> int:
    """Return the page with the fewest folders and the shortest address.

    >>> start_page({"example.org/a": 0, "example.org": 1, "example.org/b/c": 2})
    1
    """
    address = min(number, key=lambda url: (url.count("/"), len(url), url))
    return number[address]


class LinkEnd(NamedTuple):
    """Where a link leads; page: its number, -1 for none; redirects: addresses on the way."""

    outcome: str
    page: int = -1
    status: int | None = None
    redirects: tuple[str, ...] = ()
    reason: str = ""


class LinkResolver:
    """The pages of a site and the answers of its server, to resolve links.

    Attributes:
        pages, address: id and canonical address of each page; number: of the page with an address.

    Args:
        rows: ``page``, ``addresses`` and ``refresh`` of each page, see
            `webgrain.site.checks.LINK_LIST_COLUMNS`.
        answers: answers by address.

    >>> rows = [{"page": "a.html", "addresses": ["local.invalid/a.html"], "refresh": None}]
    >>> links = LinkResolver(rows, {})
    >>> links.resolve("local.invalid/a.html", "a.html", "")
    LinkEnd(outcome='page', page=0, status=None, redirects=(), reason='')
    >>> links.resolve("local.invalid/b", "b", "-").outcome
    'broken'
    """

    def __init__(self, rows: Iterable[TableRow], answers: Mapping[str, Answer]) -> None:
        self.pages: list[str] = []
        self.address: list[str] = []
        self.number: dict[str, int] = {}
        self._refresh: dict[int, str] = {}
        self._answers = {_without_fragment(url): answer for url, answer in answers.items()}
        self._hosts = {LOCAL_HOST.rstrip("/")}
        named: list[tuple[bool, str, int]] = []
        for number, row in enumerate(rows):
            address, *others = row["addresses"] or [""]
            self.pages.append(row["page"])
            self.address.append(address)
            self.number.setdefault(address, number)
            self._hosts.add(address.partition("/")[0])
            if row["refresh"]:  # the canonical link of a redirect names its target
                self._refresh[number] = row["refresh"]
                continue
            # Several local files may name one address: it is that of the file with its path.
            path = address.partition("/")[2]
            named += [(path != other.partition("/")[2], other, number) for other in others]
        for _, other, number in sorted(named):
            self.number.setdefault(other, number)
        # The same targets are on many pages.
        self.resolve = lru_cache(maxsize=2**13)(self._resolve)

    def _resolve(self, target: str, url: str, known: str) -> LinkEnd:
        """Return where a link leads; target: canonical; known: + or - for a file that exists or does not."""
        seen: list[str] = []
        while len(seen) <= MOST_REDIRECTS:
            answer = self._answers.get(_without_fragment(url))
            page = self.number.get(target, -1)
            if answer and answer.is_redirect:
                next_url = answer.location
                next_target = canonical(answer.location)
            elif page >= 0 and page in self._refresh:
                next_url = self._refresh[page]
                next_target = next_url
            else:
                return self._end(target, page, answer, known if not seen else "", tuple(seen))
            is_loop = next_target == target and next_url == url
            address = next_url.removeprefix(LOCAL_HOST)
            if address in seen or is_loop:
                break
            seen.append(address)
            target = next_target
            url = next_url
        return LinkEnd("broken", redirects=tuple(seen), reason="The redirects do not end.")

    def _end(
        self, target: str, page: int, answer: Answer | None, known: str, seen: tuple[str, ...]
    ) -> LinkEnd:
        """Return where a link leads after its redirects."""
        if answer and answer.excluded:
            return LinkEnd("unknown", redirects=seen, reason=answer.reason)
        status = answer.status if answer else None
        if answer and (answer.status is None or answer.status >= 400):
            return LinkEnd("broken", -1, status, seen, answer.error)
        if page >= 0:
            status_of_page = None if target.startswith(LOCAL_HOST) else 200
            return LinkEnd("redirect" if seen else "page", page, status_of_page, seen)
        if known == "-":
            return LinkEnd("broken", -1, status, seen, NO_FILE)
        if seen:
            return LinkEnd("redirect", -1, status, seen)
        if known:
            return LinkEnd("file", -1, status, seen)
        is_inside = target.partition("/")[0] in self._hosts
        return LinkEnd("unknown" if is_inside else "external", -1, status, seen)


@lru_cache(maxsize=2**14)
def _without_fragment(url: str) -> str:
    """Return an address without its fragment."""
    return url.partition("#")[0]


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

    @property
    def is_redirect(self) -> bool:
        """Whether it is a redirect with a target."""
        return bool(self.location) and self.status is not None and 300 <= self.status < 400


def collect_answers(archives: Iterable[Path], crawl_log: Path | None) -> dict[str, Answer]:
    """Return the answers of servers by address that are neither pages nor files, and failed requests.

    crawl_log: JSON lines with ``url``, ``reason`` and ``excluded``; None for none.
    """
    answers: dict[str, Answer] = {}
    for archive in archives:
        for url, status, location in read_answers(archive):
            if status >= 300 and status != 304:
                answers[url] = Answer(status, joined(url, location) if location else "")
    if crawl_log is not None and crawl_log.exists():
        for line in crawl_log.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):  # an incomplete last line
                record = json.loads(line)
                answer = Answer(None, "", record["reason"], record["excluded"])
                answers.setdefault(record["url"], answer)
    return answers
