"""The crawl in Scrapy: its settings, its scheduler, and the spider that stores and follows each response.

Responses are stored in a web archive (WARC, ISO 28500). A record is built in memory and written at once, so
that the archive of a killed process is readable. Bodies are stored decompressed, without the headers that
describe the transfer.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from time import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import StopDownload
from twisted.web.http import RESPONSES
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webgrain import __version__
from webgrain.base.errors import InputError, ReadError, naming
from webgrain.base.failures import Failure
from webgrain.crawler import network
from webgrain.crawler.links import (
    Scope,
    clean,
    imports_of,
    links_of,
    may_follow,
    read_sitemap,
    sheets_of,
)
from webgrain.crawler.plan import Crawled, Plan
from webgrain.crawler.state import SHEET, CrawlState, Entry, Frontier, KnownPage, digest_of
from webgrain.crawler.thresholds import CRAWL_REDIRECTS, SHEET_DEPTH, SITEMAP_DEPTH
from webgrain.io.archives import SECONDS_FIELD
from webgrain.io.decode import HTML_TYPES, media_type
from webgrain.io.thresholds import LAYERS, MAX_SHEET
from webgrain.page.filetypes import is_html, saved_format
from webgrain.page.page import Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from twisted.python.failure import Failure as TwistedFailure


_CSS = "text/css"
_TRANSFER_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class Archive:
    """An archive to which records are appended.

    path: the file; it is compressed if the name ends in ``.gz``. length: number of bytes to keep; the rest of
    the file was not completed and is cut off.

    Raises `InputError` if the file is shorter.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     archive = Archive(Path(folder) / "a.warc", 0)
    ...     archive.write("http://example.org/", "200 OK", [("Content-Type", "text/html")], b"<p>Hi")
    ...     archive.close()
    ...     archive.length == (Path(folder) / "a.warc").stat().st_size
    True
    """

    def __init__(self, path: Path, length: int) -> None:
        self._path, self._output = path, BytesIO()
        self._writer = WARCWriter(self._output, gzip=path.name.endswith(".gz"))
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - open until `close`
        if os.fstat(self._file.fileno()).st_size < length:
            self._file.close()
            raise InputError(f"{path} is shorter than when it was written: this crawl cannot be continued.")
        self._file.truncate(length)
        self.length = length
        if not length:
            info = {"software": f"webgrain/{__version__}", "format": "WARC File Format 1.0"}
            self._write(self._writer.create_warcinfo_record(path.name, info))

    def write(
        self,
        url: str,
        status: str,
        headers: Iterable[tuple[str, str]],
        body: bytes,
        fields: Mapping[str, str] = MappingProxyType({}),
        *,
        is_probe: bool = False,
    ) -> None:
        """Write one response to disk.

        status: as in ``"200 OK"``. fields: of the record, besides the usual ones. is_probe: whether the
        address was made up; then the record has the type ``metadata``, so that no reader takes it for a page.
        """
        kept = [pair for pair in headers if pair[0].lower() not in _TRANSFER_HEADERS]
        kept.append(("Content-Length", str(len(body))))
        record = self._writer.create_warc_record(
            url,
            "metadata" if is_probe else "response",
            payload=BytesIO(body),
            length=len(body),
            warc_content_type="application/http; msgtype=response",
            http_headers=StatusAndHeaders(status, kept, protocol="HTTP/1.1"),
            warc_headers_dict=dict(fields),
        )
        self._write(record)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, record: object) -> None:
        self._output.seek(0)
        self._output.truncate()
        self._writer.write_record(record)
        rest = memoryview(self._output.getvalue())
        self.length += len(rest)
        with naming(self._path):
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())


def settings_of(plan: Plan) -> dict[str, Any]:
    """Return the Scrapy settings of a crawl.

    >>> from pathlib import Path
    >>> from webgrain.crawler.plan import Plan
    >>> settings = settings_of(Plan(["http://example.org/"], Path("a.warc"), delay=2))
    >>> settings["DOWNLOAD_DELAY"], settings["DOWNLOAD_VERIFY_CERTIFICATES"], settings["COOKIES_ENABLED"]
    (2, True, False)
    """
    off = ("COOKIES", "HTTPPROXY", "LOG", "MEMUSAGE", "METAREFRESH", "REFERER", "REMOTE_CONTROL")
    middleware: dict[Any, int | None] = {network.Cookies: 700, network.Retries: 550}
    if plan.robots:
        middleware[network.Robots] = 100
    middleware["scrapy.downloadermiddlewares.retry.RetryMiddleware"] = None
    middleware["scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware"] = None
    middleware[network.Compression] = 590
    resolver = "scrapy.resolver.CachingHostnameResolver" if plan.allow_private else network.PublicResolver
    return {
        "SCHEDULER": Scheduler,
        "DOWNLOADER_MIDDLEWARES": middleware,
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(["http", "https"], network.Downloads),
            **dict.fromkeys(["data", "file", "ftp", "s3"]),
        },
        "TWISTED_DNS_RESOLVER": resolver,
        "WEBGRAIN_COOKIES": plan.cookies,
        "USER_AGENT": plan.agent,
        "DOWNLOAD_VERIFY_CERTIFICATES": True,
        "DOWNLOAD_DELAY": plan.delay,
        "DOWNLOAD_DELAY_JITTER": 0,
        "DOWNLOAD_TIMEOUT": plan.timeout,
        "DOWNLOAD_MAXSIZE": plan.size,
        "DOWNLOAD_WARNSIZE": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "RETRY_TIMES": plan.retries,
        "REDIRECT_MAX_TIMES": CRAWL_REDIRECTS,  # of robots.txt (RFC 9309, 2.3.1.2); the spider follows pages
        "CLOSESPIDER_TIMEOUT": plan.seconds or 0,
        "HTTPERROR_ALLOW_ALL": True,
        **{f"{name}_ENABLED": False for name in (*off, "TELNETCONSOLE")},
        "LOG_INSTALL_ROOT_HANDLER": False,
    }


class Scheduler(BaseScheduler):
    """Returns the requests of the spider; hosts that sent Retry-After wait.

    Repeated requests come first. Scrapy asks for requests every few seconds.
    """

    def __init__(self) -> None:
        self._waiting: list[Request] = []  # at most one per host, which is still in the frontier

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Scheduler:
        """Create it for a crawl."""
        return cls()

    def open(self, spider: SiteSpider) -> None:
        """Begin a crawl."""
        self._spider = spider

    def has_pending_requests(self) -> bool:
        """Return whether the frontier is not empty; it also holds the requests that wait here."""
        return self._spider.has_more()

    def enqueue_request(self, request: Request) -> bool:
        """Keep a failed request; it is also still in the frontier, in case the process ends."""
        self._waiting.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return the next request, or None if there is none at the moment."""
        for request in self._waiting:
            if self._is_ready(request):
                self._waiting.remove(request)
                return request
        while request := self._spider.next_request():
            if self._is_ready(request):
                return request
            self._waiting.append(request)
        return None

    def _is_ready(self, request: Request) -> bool:
        return self._spider.retry_after.is_over(urlsplit(request.url).netloc)


class SiteSpider(Spider):
    """Requests the URLs of the frontier until it is empty or the archive has enough pages.

    send: called with the result for each URL. An ``error`` that does not belong to a page ends the crawl.
    """

    name = "webgrain"

    def __init__(
        self,
        plan: Plan,
        frontier: Frontier,
        archive: Archive,
        crawl_state: CrawlState | None,
        send: Callable[[Crawled | Failure], None],
    ) -> None:
        super().__init__()
        self.plan, self.frontier, self.archive, self.send = plan, frontier, archive, send
        self.crawl_state = crawl_state
        self.error: Exception | None = None
        self.retry_after = network.RetryAfter()
        self._scope = Scope(plan.urls, allow=plan.allow, deny=plan.deny, any_site=plan.any_site)
        self._stored = frontier.count("stored")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> SiteSpider:
        """Create it for a crawl."""
        spider: SiteSpider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.check_headers, signals.headers_received)
        crawler.signals.connect(network.stop_after_robots, signals.bytes_received)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Yield nothing: the start pages are in the frontier."""
        return
        yield

    def has_more(self) -> bool:
        """Return whether there is a URL left to request; if the archive has enough pages, a style sheet."""
        if self.error:
            return False
        return self.frontier.waiting if self._stored < self.plan.pages else self.frontier.has_sheets

    def next_request(self) -> Request | None:
        """Return the request for the next URL, or None if there is none at the moment."""
        try:
            return None if self.error else self._next_request()
        except Exception as error:  # of the frontier; Scrapy would call again and again
            self.error = error
            return None

    def _next_request(self) -> Request | None:
        """Return the next request; known pages are not requested, but their links are followed."""
        plan, began = self.plan, self.frontier.began
        while entry := self.frontier.take(only_sheets=self._stored + self.frontier.taken >= plan.pages):
            known = self.crawl_state.get(entry.key) if self.crawl_state and entry.kind == "page" else None
            if known and known.last >= began:  # stored by this crawl before it was killed
                known = None
            is_old = known and plan.refresh is not None and known.last <= began - plan.refresh
            if known and entry.depth > 0 and not is_old:
                self.frontier.finish(entry, "known", self._entries(entry, known.links))
                continue
            size = MAX_SHEET if entry.kind == SHEET else plan.size
            conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.modified} if known else {}
            return Request(
                entry.url,
                self.parse,
                headers={name: value for name, value in conditions.items() if value},
                errback=self.failed,
                dont_filter=True,
                meta={
                    "entry": entry,
                    "known": known,
                    "dont_redirect": True,
                    "download_maxsize": size,
                    "started": time(),
                },
            )
        return None

    def add_sitemaps(self, urls: Iterable[str]) -> None:
        """Add the sitemaps of a robots.txt to the frontier."""
        if self.plan.sitemaps:
            cleaned = filter(None, map(clean, urls))
            self.frontier.add(
                Entry(url, "sitemap") for url in cleaned if not self._scope.refusal(url, ignore_patterns=True)
            )

    def check_headers(self, headers: Headers, request: Request, **_: Any) -> None:
        """Stop a download of another media type, or one that is compressed too many times."""
        if b",".join(headers.getlist("Content-Encoding")).count(b",") >= LAYERS:
            raise StopDownload
        entry = request.meta.get("entry")
        content_type = media_type(_header(headers, "Content-Type"))[0]
        expected = (_CSS,) if entry and entry.kind == SHEET else HTML_TYPES
        if entry and entry.kind != "sitemap" and content_type and content_type not in expected:
            request.meta["type"] = content_type  # its meaning depends on the status, which is not known yet
            raise StopDownload(fail=False)

    def parse(self, response: Response) -> None:
        """Process a response."""
        entry: Entry = response.meta["entry"]
        try:
            self._process(entry, response, response.meta["known"])
        except ReadError as reason:
            self._fail(entry, reason, response.meta["started"])
        except Exception as error:  # a full disk, or a bug: a URL that is not in the archive stays waiting
            self.error = error

    def failed(self, failure: TwistedFailure) -> None:
        """Process a request that has no response."""
        meta = failure.request.meta
        try:
            self._fail(
                meta["entry"], network.error_of(failure.value, failure.request, self.plan), meta["started"]
            )
        except Exception as error:
            self.error = error

    def _process(self, entry: Entry, response: Response, known: KnownPage | None) -> None:
        status = response.status
        if entry.kind == "probe":
            self._store(response, is_probe=True)
            self._finish(entry, "probe", reason=_status(status))
        elif status == 304 and known:
            self._unchanged(entry, known)
        elif 300 <= status < 400 and response.headers.get("Location"):
            self._redirect(entry, response)
        elif not 200 <= status < 300:
            self._store(response)
            raise ReadError(f"The server answered {_status(status)}.")
        elif entry.kind == "sitemap":
            maps, pages = read_sitemap(response.body, self.plan.size)
            nested = self._entries(entry, maps if entry.redirects < SITEMAP_DEPTH else (), "sitemap")
            self._finish(entry, "sitemap", [*nested, *self._entries(entry, pages)])
        elif entry.kind == SHEET:
            self._sheet(entry, response)
        else:
            self._page(entry, response, known)

    def _unchanged(self, entry: Entry, known: KnownPage) -> None:
        if self.crawl_state:
            self.crawl_state.put(replace(known, last=time()))
        self._finish(entry, "unchanged", self._entries(entry, known.links))

    def _redirect(self, entry: Entry, response: Response) -> None:
        target = clean(urljoin(response.url, _header(response.headers, "Location")))
        if not target:
            raise ReadError("Only http and https addresses are fetched.")
        if entry.redirects >= CRAWL_REDIRECTS:
            raise ReadError(f"The page redirects more than {CRAWL_REDIRECTS} times.")
        chosen = entry.depth == 0 or entry.kind == "sitemap"
        is_file = entry.kind == SHEET
        if refusal := self._scope.refusal(target, ignore_patterns=chosen, is_file=is_file):
            raise network.SkippedError(f"It redirects to {target}. {refusal}")
        self._store(response)
        onward = Entry(target, entry.kind, entry.depth, entry.redirects + 1)
        self._finish(entry, "redirect", [onward], reason=target)

    def _page(self, entry: Entry, response: Response, known: KnownPage | None) -> None:
        headers, body = response.headers, response.body
        content_type, charset = media_type(_header(headers, "Content-Type"))
        if "type" in response.meta:
            raise network.SkippedError(f"The server sent {response.meta['type']}, not HTML.")
        if form := saved_format(body):
            raise network.SkippedError(f"The server sent {form}, not HTML.")
        if not is_html(body, declared=bool(content_type)):
            raise network.SkippedError("The server sent something that is not HTML.")
        if known and known.digest == digest_of(body):
            self._unchanged(entry, known)
            return
        tags = [tag.decode("latin-1") for tag in headers.getlist("X-Robots-Tag")]
        page = parse(Source(entry.url, body, url=entry.url, charset=charset))
        links = links_of(page) if may_follow(tags) else []
        sheets = self._sheets(entry, sheets_of(page)) if self.plan.stylesheets else []
        self._store(response)
        if self.crawl_state:
            now, etag, modified = time(), _header(headers, "ETag"), _header(headers, "Last-Modified")
            versions = (etag, modified, digest_of(body))
            self.crawl_state.put(KnownPage(entry.key, entry.url, now, now, *versions, tuple(links)))
        self._stored += 1
        probes = [Entry(probe_address(entry.url), "probe")] if self.plan.probe else []
        self._finish(entry, "stored", [*probes, *sheets, *self._entries(entry, links)])

    def _sheet(self, entry: Entry, response: Response) -> None:
        """Store a style sheet, and request those that it imports."""
        content_type = media_type(_header(response.headers, "Content-Type"))[0]
        if content_type != _CSS:
            raise network.SkippedError(
                f"The server sent {content_type or 'no media type'}, not a style sheet."
            )
        self._store(response)
        # Imported sheets count like redirects: both must end.
        imported = imports_of(response.url, response.body) if entry.redirects < SHEET_DEPTH else []
        self._finish(entry, SHEET, self._sheets(entry, imported, entry.redirects + 1))

    def _sheets(self, entry: Entry, urls: Iterable[str], redirects: int = 0) -> list[Entry]:
        """Return the entries for the style sheets that an entry loads."""
        return [
            Entry(url, SHEET, entry.depth + 1, redirects)
            for url in urls
            if not self._scope.refusal(url, is_file=True)
        ]

    def _entries(self, entry: Entry, urls: Iterable[str], kind: str = "page") -> list[Entry]:
        """Return the entries for the URLs that an entry leads to."""
        if kind == "sitemap":  # nested sitemaps count like redirects: both must end
            return [
                Entry(url, kind, entry.depth, entry.redirects + 1)
                for url in urls
                if not self._scope.refusal(url, ignore_patterns=True)
            ]
        if entry.depth >= self.plan.depth:
            return []
        return [Entry(url, kind, entry.depth + 1) for url in urls if not self._scope.refusal(url)]

    def _store(self, response: Response, *, is_probe: bool = False) -> None:
        """Write a response to the archive, with the seconds until the server began to answer."""
        headers = [
            (name.decode("latin-1"), " ".join(value.decode("latin-1").split()))
            for name, values in response.headers.items()
            for value in values
        ]
        fields = {}
        if response.ip_address:
            fields["WARC-IP-Address"] = str(response.ip_address)
        if "download_latency" in response.meta:
            fields[SECONDS_FIELD] = f"{response.meta['download_latency']:.3f}"
        status = _status(response.status)
        self.archive.write(response.url, status, headers, response.body, fields, is_probe=is_probe)

    def _fail(self, entry: Entry, reason: ReadError, started: float) -> None:
        if entry.kind == "probe":
            self._finish(entry, "probe", reason=str(reason))
            return
        if isinstance(reason, network.SkippedError) and entry.depth > 0:
            self._finish(entry, reason.outcome, reason=str(reason))
            return
        self._commit(entry, "failed")
        self.send(Failure(entry.url, reason.stage, str(reason), time() - started, entry.url))

    def _finish(self, entry: Entry, outcome: str, onward: Iterable[Entry] = (), reason: str = "") -> None:
        self._commit(entry, outcome, onward)
        self.send(Crawled(entry.url, outcome, entry.depth, reason))

    def _commit(self, entry: Entry, state: str, onward: Iterable[Entry] = ()) -> None:
        self.frontier.finish(entry, state, onward)
        self.frontier.length = self.archive.length
        self.frontier.commit()


def probe_address(url: str) -> str:
    """Return an address that does not exist, on the host of a page.

    >>> probe_address("http://example.org/a?b")
    'http://example.org/webgrain-bfabc37432958b06'
    """
    parts = urlsplit(url)
    name = hashlib.sha256(parts.netloc.encode()).hexdigest()[:16]  # so that a resumed crawl knows it
    return f"{parts.scheme}://{parts.netloc}/webgrain-{name}"


def _header(headers: Headers, name: str) -> str:
    return (headers.get(name) or b"").decode("latin-1")


def _status(status: int) -> str:
    return f"{status} {RESPONSES.get(status, b'').decode()}".rstrip()
