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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64
from webgrain.base.errors import require
from webgrain.io.archives import read_answers
from webgrain.page.links import LOCAL_HOST, canonical, joined
from webgrain.site.tables import ColumnTypes, TableRow, read_batches
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

OUTCOMES = ("page", "redirect", "file", "broken", "unknown", "external")
"""The outcomes of links."""

_BROKEN = OUTCOMES.index("broken")
_REDIRECT = OUTCOMES.index("redirect")
_PART_COLUMNS = ("link_targets", "link_urls", "link_texts", "link_rels", "link_positions")
_MARKS = ("", "+", "-")
"""What is known of the file of a link, at the end of its position: nothing, it exists, it does not."""


class LinkTable:
    """The columns of ``links.parquet``, and what they state about the pages.

    Attributes:
        incoming: (n,) pages that link to each page, without itself.
        broken: broken targets by address; redirected: links to redirects, by page: ``target -> end``.
        counts: number of links by outcome; broken_on: (n,) number of broken links on each page.
        absent: number of links to addresses of the site of which nothing is known.
    """

    def __init__(self, resolver: LinkResolver) -> None:
        n = len(resolver.pages)
        self._resolver = resolver
        self.incoming: Int64 = np.zeros(n, np.int64)
        self.broken: dict[str, LinkTarget] = {}
        self.redirected: dict[str, LinkTarget] = {}
        self.counts: Counter[str] = Counter()
        self.broken_on: Int64 = np.zeros(n, np.int64)
        self.absent = 0
        self._onward: list[Int32] = []

    def tables(self, parts: Iterable[Path]) -> Iterator[dict[str, Any]]:
        """Yield the columns `LINK_COLUMNS` of the links of some pages at a time, and count the links."""
        first = 0
        for part in parts:
            for batch in read_batches(part, ["page", *_PART_COLUMNS]):
                links = _Links.of(batch)
                ends = _Ends.of(links, self._resolver)
                self._count(first, links, ends)
                yield _columns(links, ends, self._resolver)
                first += len(links.pages)

    def _count(self, first: int, links: _Links, ends: _Ends) -> None:
        """Count the links of some pages; first: the number of the first page."""
        n = len(links.pages)
        outcome = ends.outcome[ends.of_link]
        numbers, at, count = np.unique(outcome, return_index=True, return_counts=True)
        for place in at.argsort().tolist():  # in the order of the links
            self.counts[OUTCOMES[numbers[place]]] += int(count[place])
        self.absent += int(ends.is_absent[ends.of_link].sum())
        broken = links.owner[outcome == _BROKEN]
        self.broken_on[first : first + n] = np.bincount(broken, minlength=n)
        self._count_onward(first, links, ends)
        self._count_faults(links, ends, (outcome == _BROKEN) | (outcome == _REDIRECT))

    def _count_onward(self, first: int, links: _Links, ends: _Ends) -> None:
        """Count which pages the links lead to."""
        total = len(self.incoming)
        reached = ends.page[ends.of_link]
        is_other = (reached >= 0) & (reached != first + links.owner)
        owner, reached = np.divmod(
            np.unique(links.owner[is_other] * total + reached[is_other]), max(total, 1)
        )
        self.incoming += np.bincount(reached, minlength=total)
        bounds = owner.searchsorted(np.arange(1, len(links.pages)))
        self._onward += np.split(reached.astype(np.int32), bounds)

    def _count_faults(self, links: _Links, ends: _Ends, is_fault: Bool) -> None:
        """Note the links that are broken or lead to redirects."""
        faults = np.flatnonzero(is_fault)
        pair = links.owner[faults] * len(ends.ends) + ends.of_link[faults]
        _, at = np.unique(pair, return_index=True)
        noted: set[tuple[int, str]] = set()
        for link in faults[np.sort(at)].tolist():
            page = int(links.owner[link])
            end = int(ends.of_link[link])
            address = ends.addresses[end]
            is_new = (page, address) not in noted
            noted.add((page, address))
            self._add_fault(links.pages[page].as_py(), address, ends.ends[end], is_new=is_new)

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
        after `tables` has ended.
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


@dataclass(frozen=True, slots=True, eq=False)
class _Links:
    """The k links of n pages.

    Attributes:
        pages: (n,) ids of the pages; owner: (k,) the page of each link, from 0.
        targets, urls, texts, rels: (k,) as in `webgrain.site.checks.LINK_LIST_COLUMNS`.
        positions: (p,) the different positions, with marks; position: (k,) that of each link.
    """

    pages: Any
    owner: Int64
    targets: Any
    urls: Any
    texts: Any
    rels: Any
    positions: list[str]
    position: Int64

    @classmethod
    def of(cls, batch: Any) -> Self:
        """Return the links of some rows of a part."""
        targets, urls, texts, rels, marked = (batch[name].flatten() for name in _PART_COLUMNS)
        sizes = np.diff(batch[_PART_COLUMNS[0]].offsets.to_numpy())
        owner = np.repeat(np.arange(batch.num_rows), sizes)
        return cls(batch["page"], owner, targets, urls, texts, rels, *_distinct(marked))


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """The e different ends of k links.

    Attributes:
        ends: (e,); of_link: (k,) the end of each link.
        addresses: (e,) to which the links lead before redirects.
        outcome: (e,) numbers of `OUTCOMES`; page: (e,) pages of the audit, -1 for none.
        is_absent: (e,) whether nothing is known of an address of the site.
    """

    ends: list[LinkEnd]
    of_link: Int64
    addresses: list[str]
    outcome: Int64
    page: Int64
    is_absent: Bool

    @classmethod
    def of(cls, links: _Links, resolver: LinkResolver) -> Self:
        """Return the ends of links; links with the same target, address and mark have the same."""
        targets, target = _distinct(links.targets)
        urls, url = _distinct(links.urls)
        marks = [
            _MARKS.index(position[-1:]) if position.endswith(_MARKS[1:]) else 0
            for position in links.positions
        ]
        mark = np.array(marks, np.int64)[links.position]
        key = (target * len(urls) + url) * len(_MARKS) + mark
        _, at, of_link = np.unique(key, return_index=True, return_inverse=True)
        ends = []
        addresses = []
        for link in at.tolist():
            address, url_of_link = targets[target[link]], urls[url[link]]
            ends.append(resolver.resolve(address, url_of_link, _MARKS[mark[link]]))
            is_local = address.startswith(LOCAL_HOST)
            addresses.append(address.removeprefix(LOCAL_HOST) if is_local else url_of_link)
        return cls(
            ends,
            of_link,
            addresses,
            np.array([OUTCOMES.index(end.outcome) for end in ends], np.int64),
            np.array([end.page for end in ends], np.int64),
            np.array([end.outcome == "unknown" and not end.reason for end in ends], bool),
        )


def _distinct(texts: Any) -> tuple[list[str], Int64]:
    """Return the different texts of an array of Arrow, and the number (k,) of each element."""
    encoded = texts.dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def _columns(links: _Links, ends: _Ends, resolver: LinkResolver) -> dict[str, Any]:
    """Return the columns `LINK_COLUMNS` of some links."""
    arrow = require("pyarrow", "store", "Audits")
    text = arrow.string()
    of_link = arrow.array(ends.of_link)
    pages = [resolver.pages[end.page] if end.page >= 0 else None for end in ends.ends]
    redirects = [list(end.redirects) for end in ends.ends]
    positions = [position.rstrip("+-") for position in links.positions]
    return {
        "source": links.pages.take(arrow.array(links.owner)),
        "target": arrow.array(ends.addresses, text).take(of_link),
        "text": links.texts,
        "rel": links.rels,
        "position": arrow.array(positions, text).take(arrow.array(links.position)),
        "outcome": arrow.array([end.outcome for end in ends.ends], text).take(of_link),
        "page": arrow.array(pages, text).take(of_link),
        "status": arrow.array([end.status for end in ends.ends], arrow.int64()).take(of_link),
        "redirects": arrow.array(redirects, arrow.list_(text)).take(of_link),
    }


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
