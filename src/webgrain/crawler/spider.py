"""What is done with each answer: archived, remembered, and followed.

Scrapy's scheduler, with the frontier for its memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import StopDownload
from twisted.web.http import RESPONSES

from webgrain.crawler.archive import Answer, Archive
from webgrain.crawler.links import Scope, clean, links_of, may_follow, read_sitemap
from webgrain.crawler.plan import Crawled, Plan
from webgrain.crawler.politeness import Pauses, SkippedError, reason_of
from webgrain.crawler.state import CrawlState, Entry, Frontier, KnownPage, digest_of
from webgrain.errors import ReadError
from webgrain.io.decode import HTML_TYPES, LAYERS, is_html, media_type
from webgrain.page.page import Source
from webgrain.results import Failure

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from twisted.python.failure import Failure as Failed


REDIRECTS = 5
"""More redirects than this in a row are a loop."""

NESTED = 3
"""Sitemaps that list sitemaps that list sitemaps: not more of them."""


class SiteSpider(Spider):
    """Asks for what waits in the frontier, until nothing waits or enough is stored.

    tell: is called with what became of each address. An ``error`` that is not of a page ends the crawl.
    """

    name = "webgrain"

    def __init__(
        self,
        plan: Plan,
        frontier: Frontier,
        archive: Archive,
        seen: CrawlState | None,
        tell: Callable[[Crawled | Failure], None],
    ) -> None:
        super().__init__()
        self.plan, self.frontier, self.archive, self.seen, self.tell = plan, frontier, archive, seen, tell
        self.error: Exception | None = None
        self.pauses = Pauses()
        self._scope = Scope.of_plan(plan)
        self._stored = frontier.count("stored")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SiteSpider:
        """Make it for a crawl."""
        spider: SiteSpider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.look_at_headers, signals.headers_received)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Give nothing: the start pages are in the frontier."""
        return
        yield

    def has_more(self) -> bool:
        """Whether there is something left to ask for."""
        return not self.error and self._stored < self.plan.pages and self.frontier.waiting

    def next_request(self) -> Request | None:
        """Return the request for the next address that no earlier crawl has had; None: none now."""
        try:
            return None if self.error else self._next_request()
        except Exception as error:  # of the frontier; Scrapy would ask again and again
            self.error = error
            return None

    def _next_request(self) -> Request | None:
        while self._stored + self.frontier.flying < self.plan.pages and (entry := self.frontier.take()):
            known = self._known(entry)
            if known and not self._is_due(entry, known):
                self.frontier.finish(entry, "known", self._next(entry, known.links))
            else:
                return self._request(entry, known)
        return None

    def add_sitemaps(self, urls: Iterable[str]) -> None:
        """Put the sitemaps that a robots.txt names into the frontier."""
        if self.plan.sitemaps:
            found = filter(None, map(clean, urls))
            self.frontier.add(
                Entry(url, "sitemap") for url in found if not self._scope.refusal(url, chosen=True)
            )

    def look_at_headers(self, headers: Headers, request: Request, **_: Any) -> None:
        """Stop a download that turns out to be a picture, a film, ..., or was compressed over and over."""
        if b",".join(headers.getlist("Content-Encoding")).count(b",") >= LAYERS:
            raise StopDownload
        entry = request.meta.get("entry")
        kind = media_type((headers.get("Content-Type") or b"").decode("latin-1"))[0]
        if entry and entry.kind == "page" and kind and kind not in HTML_TYPES:
            request.meta["type"] = kind  # whether it matters depends on the status, which is not known yet
            raise StopDownload(fail=False)

    def parse(self, response: Response) -> None:
        """Take in an answer."""
        entry: Entry = response.meta["entry"]
        try:
            self._take_in(entry, response)
        except (ReadError, SkippedError) as reason:
            self._give_up(entry, reason, response.meta["asked"])
        except (
            Exception
        ) as error:  # a full disk, or a mistake of ours: what is not in the archive stays waiting
            self.error = error

    def failed(self, failure: Failed) -> None:
        """Take in that there is no answer."""
        request = failure.request
        try:
            reason = reason_of(failure.value, request, self.plan)
            self._give_up(request.meta["entry"], reason, request.meta["asked"])
        except Exception as error:
            self.error = error

    def _known(self, entry: Entry) -> KnownPage | None:
        # What this very crawl put into the store, before it was killed, does not count.
        known = self.seen.get(entry.key) if self.seen and entry.kind == "page" else None
        return known if known and known.last < self.frontier.began else None

    def _is_due(self, entry: Entry, known: KnownPage) -> bool:
        refresh = self.plan.refresh
        return entry.depth == 0 or (refresh is not None and known.last <= self.frontier.began - refresh)

    def _request(self, entry: Entry, known: KnownPage | None) -> Request:
        asked = {"If-None-Match": known.etag, "If-Modified-Since": known.modified} if known else {}
        meta = {"entry": entry, "known": known, "dont_redirect": True, "asked": time()}
        headers = {name: value for name, value in asked.items() if value}
        return Request(
            entry.url, self.parse, headers=headers, errback=self.failed, dont_filter=True, meta=meta
        )

    def _take_in(self, entry: Entry, response: Response) -> None:
        status, known = response.status, response.meta["known"]
        if status == 304 and known:
            self._unchanged(entry, known)
        elif 300 <= status < 400 and response.headers.get("Location"):
            self._redirect(entry, response)
        elif not 200 <= status < 300:
            raise ReadError(f"The server answered {_status(status)}.")
        elif entry.kind == "sitemap":
            maps, pages = read_sitemap(response.body, self.plan.size)
            nested = self._next(entry, maps if entry.redirects < NESTED else (), "sitemap")
            self._finish(entry, "sitemap", [*nested, *self._next(entry, pages)])
        else:
            self._page(entry, response, known)

    def _unchanged(self, entry: Entry, known: KnownPage) -> None:
        if self.seen:
            self.seen.put(_again(known))
        self._finish(entry, "unchanged", self._next(entry, known.links))

    def _redirect(self, entry: Entry, response: Response) -> None:
        target = clean(urljoin(response.url, response.headers["Location"].decode("latin-1")))
        if not target:
            raise ReadError("Only http and https addresses are fetched.")
        if entry.redirects >= REDIRECTS:
            raise ReadError(f"The page redirects more than {REDIRECTS} times.")
        if refusal := self._scope.refusal(target, chosen=entry.depth == 0 or entry.kind == "sitemap"):
            raise SkippedError(f"It redirects to {target}. {refusal}")
        self.archive.write(_answer(response))
        onward = Entry(target, entry.kind, entry.depth, entry.redirects + 1)
        self._finish(entry, "redirect", [onward], reason=target)

    def _page(self, entry: Entry, response: Response, known: KnownPage | None) -> None:
        kind, charset = media_type((response.headers.get("Content-Type") or b"").decode("latin-1"))
        if "type" in response.meta:
            raise SkippedError(f"The server sent {response.meta['type']}, not HTML.")
        if not is_html(response.body, declared=bool(kind)):
            raise SkippedError("The server sent something that is not HTML.")
        if known and known.digest == digest_of(response.body):
            self._unchanged(entry, known)
            return
        tags = [tag.decode("latin-1") for tag in response.headers.getlist("X-Robots-Tag")]
        page = Source(entry.url, response.body, url=entry.url, charset=charset)
        links = links_of(page) if may_follow(tags) else []
        self.archive.write(_answer(response))
        if self.seen:
            self.seen.put(_seen(entry, response, links))
        self._stored += 1
        self._finish(entry, "stored", self._next(entry, links))

    def _next(self, entry: Entry, urls: Iterable[str], kind: str = "page") -> list[Entry]:
        """Return what to ask for behind an entry."""
        if kind == "sitemap":  # counted as redirects are: both end somewhere
            return [
                Entry(url, kind, entry.depth, entry.redirects + 1)
                for url in urls
                if not self._scope.refusal(url, chosen=True)
            ]
        if entry.depth >= self.plan.depth:
            return []
        return [Entry(url, kind, entry.depth + 1) for url in urls if not self._scope.refusal(url)]

    def _give_up(self, entry: Entry, reason: Exception, asked: float) -> None:
        if isinstance(reason, SkippedError) and entry.depth > 0:
            self._finish(entry, "skipped", reason=str(reason))
            return
        self._commit(entry, "failed")
        self.tell(Failure(entry.url, ReadError.stage, str(reason), time() - asked, entry.url))

    def _finish(self, entry: Entry, outcome: str, found: Iterable[Entry] = (), reason: str = "") -> None:
        self._commit(entry, outcome, found)
        self.tell(Crawled(entry.url, outcome, entry.depth, reason))

    def _commit(self, entry: Entry, state: str, found: Iterable[Entry] = ()) -> None:
        self.frontier.finish(entry, state, found)
        self.frontier.length = self.archive.length
        self.frontier.commit()


def _again(known: KnownPage) -> KnownPage:
    return KnownPage(
        known.key, known.url, known.first, time(), known.etag, known.modified, known.digest, known.links
    )


def _seen(entry: Entry, response: Response, links: list[str]) -> KnownPage:
    etag, modified = (
        (response.headers.get(name) or b"").decode("latin-1") for name in ("ETag", "Last-Modified")
    )
    now, digest = time(), digest_of(response.body)
    return KnownPage(entry.key, entry.url, now, now, etag, modified, digest, tuple(links))


def _answer(response: Response) -> Answer:
    headers = [
        (name.decode("latin-1"), " ".join(value.decode("latin-1").split()))
        for name, values in response.headers.items()
        for value in values
    ]
    return Answer(
        response.url, _status(response.status), headers, response.body, str(response.ip_address or "")
    )


def _status(status: int) -> str:
    return f"{status} {RESPONSES.get(status, b'').decode()}".rstrip()


class Schedule(BaseScheduler):
    """Hands out what the spider takes from its frontier, and leaves hosts alone that ask for a pause.

    Requests that are tried again go first. Scrapy asks every few seconds whether there is something now.
    """

    def __init__(self) -> None:
        self._waiting: list[Request] = []  # of each host not more than one, which is not finished yet

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Schedule:
        """Make it for a crawl."""
        return cls()

    def open(self, spider: SiteSpider) -> None:
        """Begin."""
        self._spider = spider

    def has_pending_requests(self) -> bool:
        """Whether there is something left to ask for; what waits here is in the frontier, too."""
        return self._spider.has_more()

    def enqueue_request(self, request: Request) -> bool:
        """Take back a request that failed; it is still waiting in the frontier, should the process end."""
        self._waiting.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return what to ask for next; None: nothing at the moment."""
        for request in self._waiting:
            if self._may_be_asked(request):
                self._waiting.remove(request)
                return request
        while request := self._spider.next_request():
            if self._may_be_asked(request):
                return request
            self._waiting.append(request)
        return None

    def _may_be_asked(self, request: Request) -> bool:
        return self._spider.pauses.is_over(urlsplit(request.url).netloc)
