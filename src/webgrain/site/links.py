"""Where the references of the pages of a site lead.

A link is resolved by what is known about its target: the pages of the audit, the answers of the server in an
archive or a crawl, and the files of a folder or a zip archive. Its outcome is

========  ============================================================================================
page      a page of the audit
redirect  a redirect, by the server or by ``<meta http-equiv=refresh>``
file      a file that is not a page of the audit
broken    an answer from 400 on, a failed request, a relative link to a file that does not exist, or a
          redirect to the start page, if the server has one from an address that does not exist
unknown   an address of the site that is not part of the input
external  an address of another site
========  ============================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from webgrain.io.archives import StoredAnswer, read_answers
from webgrain.page.links import LOCAL_HOST, canonical, joined
from webgrain.page.strings import name_set
from webgrain.site.stylesheets import StoredSheet, sheet_addresses
from webgrain.site.tables import TableRow
from webgrain.site.thresholds import LEAST_OF_HOST, MOST_REDIRECTS, SHARE_OF_HOST, SHEET_ADDRESSES

NO_FILE = "There is no such file."
"""The reason of a broken link to a file."""

OUTCOMES = ("page", "redirect", "file", "broken", "unknown", "external")
"""The outcomes of links."""


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
            `webgrain.site.references.REFERENCE_COLUMNS`.
        answers: answers by address. files: canonical addresses of files that servers have sent.

    >>> rows = [{"page": "a.html", "addresses": ["local.invalid/a.html"], "refresh": None}]
    >>> links = LinkResolver(rows, {})
    >>> links.resolve("local.invalid/a.html", "a.html", "")
    LinkEnd(outcome='page', page=0, status=None, redirects=(), reason='')
    >>> links.resolve("local.invalid/b", "b", "-").outcome
    'broken'
    """

    def __init__(
        self, rows: Iterable[TableRow], answers: Mapping[str, Answer], files: Set[str] = frozenset()
    ) -> None:
        self.pages: list[str] = []
        self.address: list[str] = []
        self.number: dict[str, int] = {}
        self._refresh: dict[int, str] = {}
        self._answers = {_without_fragment(url): answer for url, answer in answers.items()}
        self._files = files
        self._hosts = {LOCAL_HOST.rstrip("/")}
        self._with_address = 0
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
            self._with_address += bool(others)
            path = address.partition("/")[2]
            named += [(path != other.partition("/")[2], other, number) for other in others]
        for _, other, number in sorted(named):
            self.number.setdefault(other, number)
        # The same targets are on many pages.
        self.resolve = lru_cache(maxsize=2**13)(self._resolve)

    @cached_property
    def same_files(self) -> dict[int, str]:
        """The file that a server sends in place of a local file, by the number of the latter.

        Some programs save a page twice, under two forms of its name: ``%c3%a4.html`` and ``ä.html``. Links to
        both lead to the second one.
        """
        pages = frozenset(self.pages)
        return {
            number: unquote(page)
            for number, page in enumerate(self.pages)
            if "%" in page and unquote(page) != page and unquote(page) in pages and self._is_local(number)
        }

    def _is_local(self, number: int) -> bool:
        """Whether a page is a local file, whose address is its name."""
        return self.address[number].startswith(LOCAL_HOST)

    def find_host(self, targets: Iterable[Iterable[str]]) -> None:
        """Find the host of a site whose pages are local files, from the canonical targets of links.

        If links lead to addresses of a host with the paths of many pages, these are the addresses of the
        pages: copies of sites often have absolute links. It does nothing if the pages name their addresses.

        targets: those of some pages at a time.
        """
        local = LOCAL_HOST.rstrip("/")
        is_local = all(address.partition("/")[0] == local for address in self.address)
        if not is_local or 2 * self._with_address > len(self.pages):
            return
        pages_of: dict[str, set[int]] = {}
        for of_pages in targets:
            for target in of_pages:
                host, _, path = target.partition("/")
                page = self.number.get(f"{LOCAL_HOST}{path}") if path else None
                if page is not None:
                    pages_of.setdefault(host, set()).add(page)
        pages_of.pop(local, None)
        host = max(pages_of, key=lambda host: len(pages_of[host]), default="")
        if not host or len(pages_of[host]) < max(LEAST_OF_HOST, SHARE_OF_HOST * len(self.pages)):
            return
        bare = host.removeprefix("www.")
        for name in (bare, f"www.{bare}"):
            self._hosts.add(name)
            for number, address in enumerate(self.address):
                self.number.setdefault(name + address.removeprefix(local), number)

    def _resolve(self, target: str, url: str, known: str) -> LinkEnd:
        """Return where a link leads; target: canonical; known: + or - for a file that exists or does not."""
        seen: list[str] = []
        while len(seen) <= MOST_REDIRECTS:
            answer = self._answers.get(_without_fragment(url))
            page = self._page_at(target, known if not seen else "")
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

    def _page_at(self, target: str, known: str) -> int:
        """Return the page with an address, -1 for none; known: as for `resolve`.

        A server reads a local file whatever the query, and some servers add the ending of its name.
        """
        page = self.number.get(target, -1)
        if page >= 0 or known != "+":
            return page
        bare, mark, query = target.partition("?")
        whole = bare + quote(mark + unquote(query), safe="/~!$&'()*+,;=:@")
        names = (f"{whole}.html", whole, f"{bare}.html", bare)
        return next((self.number[name] for name in names if name in self.number), -1)

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
        if target in self._files:
            return LinkEnd("file", -1, 200, seen)
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


@dataclass(frozen=True, slots=True)
class Answers:
    """What is known of the answers of servers.

    Attributes:
        by_url: answers that are neither pages nor files, and failed requests, by address.
        seconds: until the server began to answer, by the address of a page or file.
        probes: the answers to addresses that do not exist, which the crawler has requested.
        sheets: the style sheets that servers have sent, by canonical address.
        files: the canonical addresses of all files that servers have sent, other than pages.
    """

    by_url: dict[str, Answer] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    probes: list[StoredAnswer] = field(default_factory=list)
    sheets: dict[str, StoredSheet] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)

    def where(self, chosen: Callable[[str], bool]) -> Answers:
        """Return the answers to the addresses that a function chooses, with the files of all hosts."""
        return Answers(
            {url: answer for url, answer in self.by_url.items() if chosen(url)},
            {url: seconds for url, seconds in self.seconds.items() if chosen(url)},
            [probe for probe in self.probes if chosen(probe.url)],
            self.sheets,
            self.files,
        )


def collect_answers(archives: Iterable[Path], crawl_log: Path | None) -> Answers:
    """Return the answers of servers in web archives, and failed requests.

    crawl_log: JSON lines with ``url``, ``reason`` and ``excluded``; None for none.
    """
    answers = Answers()
    room = SHEET_ADDRESSES
    for archive in archives:
        for stored in read_answers(archive):
            if stored.sheet is not None and room > 0:
                sheet = StoredSheet(stored.url, sheet_addresses(stored.sheet))
                answers.sheets[canonical(stored.url)] = sheet
                room -= len(sheet.addresses)
            if stored.is_file:
                answers.files.add(canonical(stored.url))
            if stored.is_probe:
                answers.probes.append(stored)
            elif stored.status >= 300 and stored.status != 304:
                location = joined(stored.url, stored.location) if stored.location else ""
                answers.by_url[stored.url] = Answer(stored.status, location)
            elif stored.seconds is not None:
                answers.seconds[stored.url] = stored.seconds
    if crawl_log is not None and crawl_log.exists():
        for line in crawl_log.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):  # an incomplete last line
                record = json.loads(line)
                answer = Answer(None, "", record["reason"], record["excluded"])
                answers.by_url.setdefault(record["url"], answer)
    _mark_unknown(answers)
    return answers


def _mark_unknown(answers: Answers) -> None:
    """Change redirects to the start page to missing pages, if an address that does not exist has one too."""
    starts = set()
    for probe in answers.probes:
        target = joined(probe.url, probe.location) if 300 <= probe.status < 400 else ""
        if target and _is_host(canonical(target)):
            starts.add((_host(probe.url), target))
    for url, answer in answers.by_url.items() if starts else ():
        if answer.is_redirect and (_host(url), answer.location) in starts and not _names_start(url):
            answers.by_url[url] = Answer(None, "", TO_START)


def _is_host(address: str) -> bool:
    return bool(address) and not set("/?") & set(address)


def _host(url: str) -> str:
    return canonical(url).partition("/")[0]


def _names_start(url: str) -> bool:
    """Return whether an address may be another one of the start page, or lead there on purpose.

    >>> [_names_start(f"http://a.org/{path}") for path in ("", "index.php", "en/", "logout?a=1", "news/7")]
    [True, True, True, True, False]
    """
    segments = canonical(url).split("?")[0].split("/")[1:]
    name = segments[-1].partition(".")[0].lower() if segments else ""
    is_language = len(name) == _LETTERS and name.isalpha()
    return not name or is_language or name in _NAMES_OF_START


TO_START = "It redirects to the start page, as an address that does not exist does."
"""The reason of a broken link to an address that redirects like one that does not exist."""
_NAMES_OF_START = name_set("index default home homepage start main welcome login logout signin signout")
_LETTERS = 2  # of the code of a language
