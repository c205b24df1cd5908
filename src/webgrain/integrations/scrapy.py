"""Add type, title and text of pages to a Scrapy project, with a spider middleware or an item pipeline.

    # settings.py
    SPIDER_MIDDLEWARES = {"webgrain.integrations.scrapy.WebgrainMiddleware": 800}
    WEBGRAIN_MODEL = "site-model.json"

    # the spider
    def parse(self, response):
        yield {"url": response.url, **response.meta["webgrain"]}

    setting              meaning
    WEBGRAIN_MODEL       site model written by ``webgrain audit``; without it each page is read on its own
    WEBGRAIN_TIMEOUT     maximum seconds per page (10); the crawl waits meanwhile
    WEBGRAIN_HTML_FIELD  pipeline: field of an item with the HTML, as str or bytes ("html")
    WEBGRAIN_FIELDS      pipeline: other names for the fields that it adds, for example {"text": "body"}

A page that cannot be read gets only the field ``error``. If a page does not match the template of its type,
``fits`` is false. The crawl statistics count both, as ``webgrain/failed`` and ``webgrain/misfit``.

Cost: parsing and one prediction, some milliseconds per page, in the thread of the crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from webgrain.base.errors import ParameterError, require
from webgrain.base.failures import Failure
from webgrain.engines.guard import Guard
from webgrain.extraction.document import Document, comment_records
from webgrain.extraction.single import SinglePage
from webgrain.io.decode import media_type
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.site.model import Prediction, load_model

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


TIMEOUT = 10.0
"""Default of WEBGRAIN_TIMEOUT; hand-set, not tuned."""

FIELDS = ("type", "title", "text", "comments", "metadata", "verdict", "confidence", "fits", "error")
"""Fields of a page; ``error`` replaces the others."""


class PageReader:
    """Returns the fields of pages.

    model: path of a site model, or None. seconds: maximum seconds per page.

    >>> fields = PageReader().fields(Source("a", b"<title>A</title><h1>A</h1><p>One sentence, then another."))
    >>> fields["type"], fields["title"], fields["text"]
    (None, 'A', 'One sentence, then another.')
    """

    def __init__(self, model: str | None = None, seconds: float = TIMEOUT) -> None:
        self._model = load_model(model) if model else SinglePage()
        self._guard = Guard(seconds=seconds)

    def fields(self, source: Source) -> dict[str, Any]:
        """Return the fields of a page, by name (`FIELDS`)."""
        result = self._guard.call(source, "extract", self._read)
        if isinstance(result, Failure):
            return {"error": f"{result.stage}: {result.error}"}
        return result

    def _read(self, source: Source) -> dict[str, Any]:
        page: Page = parse(source)
        prediction = self._model.predict(page)
        result = prediction if isinstance(prediction, Prediction) else Document(page, prediction)
        page_type, fits = (result.type, result.fits) if isinstance(result, Prediction) else (None, None)
        comments = comment_records(result.comments)
        extracted = (page_type, result.title, result.text, comments, result.metadata)
        judged = (result.verdict, result.confidence, fits)
        return dict(zip(FIELDS, (*extracted, *judged), strict=False))


class _Component:
    """Base of middleware and pipeline: the settings and the statistics of the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._stats = crawler.stats
        seconds = settings.getfloat("WEBGRAIN_TIMEOUT", TIMEOUT)
        self._reader = PageReader(settings.get("WEBGRAIN_MODEL"), seconds)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create it for a crawl; `InputError` if the file is not a site model."""
        return cls(crawler)

    def _fields(self, source: Source) -> dict[str, Any]:
        fields = self._reader.fields(source)
        outcome = "failed" if "error" in fields else "misfit" if fields["fits"] is False else "read"
        self._stats.inc_value(f"webgrain/{outcome}")
        return fields


class WebgrainMiddleware(_Component):
    """Spider middleware: adds the dictionary ``response.meta["webgrain"]`` to every HTML response."""

    def process_spider_input(self, response: Response) -> None:
        """Add the fields of a response."""
        http = require("scrapy.http", "crawl", "The middleware")
        if isinstance(response, http.HtmlResponse):
            content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
            source = Source(
                response.url, response.body, url=response.url, charset=media_type(content_type)[1]
            )
            response.meta["webgrain"] = self._fields(source)


class WebgrainPipeline(_Component):
    """Item pipeline: adds fields to items that have HTML in a field; values that are not empty are kept.

    Items may be dictionaries, Scrapy items or dataclasses; a class gets only the fields that it declares.
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
        """Add the fields of an item; an item without HTML is returned unchanged."""
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
