"""Type, title and text of pages in a Scrapy project, by a middleware for responses or a pipeline for items.

    # settings.py
    SPIDER_MIDDLEWARES = {"webgrain.integrations.scrapy.WebgrainMiddleware": 800}
    WEBGRAIN_MODEL = "site-model.json"

    # the spider
    def parse(self, response):
        yield {"url": response.url, **response.meta["webgrain"]}

    setting              meaning
    WEBGRAIN_MODEL       file that ``webgrain audit`` wrote; without it each page is read by itself
    WEBGRAIN_TIMEOUT     seconds that a page may take (10): the crawl stands still meanwhile
    WEBGRAIN_HTML_FIELD  field of an item that holds the HTML, as text or bytes ("html"); of the pipeline
    WEBGRAIN_FIELDS      names for the fields that the pipeline fills in, as {"text": "body"}

A page that cannot be read has the one field ``error``, which says why; a page that is not of the kind of its
type's template has ``fits`` false. The statistics of the crawl count both, as ``webgrain/failed`` and
``webgrain/misfit``.

Cost: parsing and a prediction, some milliseconds a page, in the thread of the crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from webgrain.engines.guard import Guard
from webgrain.errors import ParameterError, require
from webgrain.extraction.single import SinglePage
from webgrain.io.decode import media_type
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.results import Article, Failure
from webgrain.site.model import Prediction, load_model

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


TIMEOUT = 10.0
"""Seconds that a page may take where no setting says otherwise."""

FIELDS = ("type", "title", "text", "verdict", "confidence", "fits", "error")
"""What is told of a page, the last one instead of the others."""


class PageReader:
    """Tells the fields of pages, by the model of a site or, without one, each page by itself.

    model: path of the model. seconds: that a page may take.

    >>> fields = PageReader().fields(Source("a", b"<title>A</title><h1>A</h1><p>One sentence, then another."))
    >>> fields["type"], fields["title"], fields["text"]
    (None, 'A', 'One sentence, then another.')
    """

    def __init__(self, model: str | None = None, seconds: float = TIMEOUT) -> None:
        self._model = load_model(model) if model else SinglePage()
        self._guard = Guard(seconds=seconds)

    def fields(self, source: Source) -> dict[str, Any]:
        """Return what is told of a page, by `FIELDS`."""
        found = self._guard.call(source, "extract", self._read)
        if isinstance(found, Failure):
            return {"error": f"{found.stage}: {found.error}"}
        kind, fits = (found.type, found.fits) if isinstance(found, Prediction) else (None, None)
        told = (kind, found.title, found.text, found.verdict, found.confidence, fits)
        return dict(zip(FIELDS, told, strict=False))

    def _read(self, source: Source) -> Prediction | Article:
        page: Page = parse(source)
        return self._model.predict(page)


class _Component:
    """What middleware and pipeline share: the settings of the crawl, its statistics."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        seconds = settings.getfloat("WEBGRAIN_TIMEOUT", TIMEOUT)
        self._reader = PageReader(settings.get("WEBGRAIN_MODEL"), seconds)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl, as Scrapy asks for; `InputError` for a file that is no model."""
        return cls(crawler)

    def _fields(self, source: Source) -> dict[str, Any]:
        told = self._reader.fields(source)
        outcome = "failed" if "error" in told else "misfit" if told["fits"] is False else "read"
        self._stats.inc_value(f"webgrain/{outcome}")
        return told


class WebgrainMiddleware(_Component):
    """Spider middleware: every response with HTML gets a dictionary, ``response.meta["webgrain"]``."""

    def process_spider_input(self, response: Response) -> None:
        """Read a response before the spider gets it."""
        http = require("scrapy.http", "crawl", "The middleware")
        if isinstance(response, http.HtmlResponse):
            kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
            source = Source(response.url, response.body, url=response.url, charset=media_type(kind)[1])
            response.meta["webgrain"] = self._fields(source)


class WebgrainPipeline(_Component):
    """Item pipeline: items with HTML in a field get the other fields, where those are empty.

    Items may be dictionaries, Scrapy's items, dataclasses ...; of a class, only those are that it declares.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._html = crawler.settings.get("WEBGRAIN_HTML_FIELD", "html")
        names = crawler.settings.getdict("WEBGRAIN_FIELDS")
        if unknown := sorted(set(names) - set(FIELDS)):
            raise ParameterError(
                f"WEBGRAIN_FIELDS: expected some of {', '.join(FIELDS)}, got {unknown[0]!r}."
            )
        self._names = {field: names.get(field, field) for field in FIELDS}

    def process_item(self, item: Any) -> Any:
        """Fill in the fields of an item; one without HTML is left alone."""
        adapter = require("itemadapter", "crawl", "The pipeline").ItemAdapter(item)
        if html := adapter.get(self._html):
            known = adapter.field_names() if not isinstance(item, dict) else None
            for field, value in self._fields(_source(html, adapter.get("url"))).items():
                name = self._names[field]
                if (known is None or name in known) and not adapter.get(name):
                    adapter[name] = value
        return item


def _source(html: str | bytes, url: object) -> Source:
    address = url if isinstance(url, str) else None
    if isinstance(html, str):
        return Source(address or "item", html.encode("utf-8", "replace"), url=address, charset="utf-8")
    return Source(address or "item", html, url=address)
