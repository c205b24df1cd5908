from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("scrapy")
import scrapy
from scrapy.http import HtmlResponse, Request, TextResponse
from scrapy.utils.test import get_crawler
from tests.integrations.conftest import PAGE

from webgrain.base.errors import InputError, ParameterError
from webgrain.engines.guard import Guard
from webgrain.integrations.scrapy import PageReader, WebgrainMiddleware, WebgrainPipeline
from webgrain.page.page import Source

if TYPE_CHECKING:
    from pathlib import Path


def middleware(**settings: Any) -> WebgrainMiddleware:
    return WebgrainMiddleware.from_crawler(get_crawler(settings_dict=settings))


def pipeline(**settings: Any) -> WebgrainPipeline:
    return WebgrainPipeline.from_crawler(get_crawler(settings_dict=settings))


def answer(body: bytes, kind: type[TextResponse] = HtmlResponse, charset: str = "utf-8") -> TextResponse:
    url = "http://example.org/x.html"
    return kind(
        url, body=body, request=Request(url), headers={"Content-Type": f"text/html; charset={charset}"}
    )


def test_a_response_by_the_model_of_its_site(model: str) -> None:
    response = answer(PAGE.format("x").encode())
    middleware(WEBGRAIN_MODEL=model).process_spider_input(response)
    result = response.meta["webgrain"]
    assert (result["title"], result["verdict"], result["fits"]) == ("Number x", "article", True)
    assert result["text"].startswith("Some words about x")
    assert "News" not in result["text"]
    assert result["type"]


def test_a_response_by_itself() -> None:
    response = answer(PAGE.format("x").encode())
    middleware().process_spider_input(response)
    assert response.meta["webgrain"]["title"] == "Number x"
    assert response.meta["webgrain"]["type"] is None


def test_the_charset_of_the_header_counts() -> None:
    response = answer("<p>Fähre über den Fluß".encode("cp1252"), charset="cp1252")
    middleware().process_spider_input(response)
    assert response.meta["webgrain"]["text"] == "Fähre über den Fluß"


def test_what_is_no_html_is_left_alone() -> None:
    response = answer(b"{}", TextResponse)
    middleware().process_spider_input(response)
    assert "webgrain" not in response.meta


def test_a_failed_page_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    crawler = get_crawler()
    component = WebgrainMiddleware.from_crawler(crawler)
    monkeypatch.setattr(component._reader._model, "predict", lambda page: 1 / 0)
    response = answer(b"<p>Hello")
    component.process_spider_input(response)
    assert response.meta["webgrain"] == {
        "error": "extract: internal error: ZeroDivisionError: division by zero"
    }
    assert crawler.stats is not None
    assert crawler.stats.get_value("webgrain/failed") == 1


def test_time_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = PageReader(seconds=0.05)

    def forever(page: object) -> None:
        while True:
            pass

    monkeypatch.setattr(reader._model, "predict", forever)
    assert "longer than 0.05 s" in reader.fields(Source("a", b"<p>Hello"))["error"]
    assert middleware(WEBGRAIN_TIMEOUT=3)._reader._guard == Guard(seconds=3)


class Product(scrapy.Item):  # type: ignore[misc]
    html = scrapy.Field()
    title = scrapy.Field()
    text = scrapy.Field()


@dataclass
class Story:
    html: str
    title: str = ""
    body: str = ""


def test_items_get_what_they_have_fields_for(model: str) -> None:
    fill = pipeline(WEBGRAIN_MODEL=model, WEBGRAIN_FIELDS={"text": "body"}).process_item
    html = PAGE.format("x")
    plain = fill({"html": html, "url": "http://example.org/x.html"})
    assert (plain["title"], plain["fits"]) == ("Number x", True)
    assert plain["body"].startswith("Some words about x")
    story = fill(Story(html))
    assert (story.title, story.body) == ("Number x", plain["body"])
    product = fill(Product(html=html))
    assert dict(product) == {"html": html, "title": "Number x"}  # it has no `body`, and `text` goes there


def test_what_an_item_has_is_kept() -> None:
    item = {"page": b"<title>A</title><p>Hello, world.", "title": "Mine"}
    assert pipeline(WEBGRAIN_HTML_FIELD="page").process_item(item)["title"] == "Mine"
    assert item["text"] == "Hello, world."
    assert pipeline().process_item({"price": 3}) == {"price": 3}


def test_wrong_settings_are_errors_at_once(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"WEBGRAIN_FIELDS: expected some of type, title, .* got 'txt'"):
        pipeline(WEBGRAIN_FIELDS={"txt": "body"})
    with pytest.raises(InputError, match=r"nothing\.json"):
        middleware(WEBGRAIN_MODEL=str(tmp_path / "nothing.json"))


SPIDER = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [
        "data:text/html,<title>One</title><h1>One</h1><p>A%20sentence,%20and%20another.",
        "data:text/plain,no",
    ]

    def parse(self, response):
        yield {"asked": "html" in response.url, **response.meta.get("webgrain", {}), "html": response.body}

class Print:
    def process_item(self, item):
        print(json.dumps({name: value for name, value in item.items() if name != "html"}))
        return item

process = CrawlerProcess({
    "SPIDER_MIDDLEWARES": {"webgrain.integrations.scrapy.WebgrainMiddleware": 800},
    "ITEM_PIPELINES": {"webgrain.integrations.scrapy.WebgrainPipeline": 300, Print: 400},
    "LOG_LEVEL": "WARNING",
    "TELNETCONSOLE_ENABLED": False,
})
process.crawl(Pages)
process.start()
"""


def test_in_a_crawl_of_scrapy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SPIDER], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stderr == ""
    items = sorted(map(json.loads, done.stdout.splitlines()), key=lambda item: item["asked"])
    assert "A sentence, and another." in items[1]["text"]
    assert items[1]["title"] == "One"
    assert items[0]["text"] == "no"
