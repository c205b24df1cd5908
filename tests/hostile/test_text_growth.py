"""Time of the functions of the API grows in proportion to the text of a page, whatever the text is.

These functions have no limits of time, so their time must be bounded by the size of the page. A page has the
same text in each attribute that is read, in its titles, the heads of style sheets and the strings of JSON-LD.
The same holds for other files of strangers: search logs, robots.txt, sitemaps, headers, archives and models.
"""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import pytest
from tests.hostile.models import KINDS, pages, valid
from tests.hostile.targets import TARGETS

import webgrain
from webgrain.base.errors import InputError
from webgrain.page.vocabulary import NAMES

ELEMENTS = ("div", "a", "img", "time", "li", "td", "iframe", "section", "h2", "input", "span")
METADATA = (
    *("description", "author", "date", "robots", "keywords", "generator", "og:locale", "og:title"),
    *("article:published_time", "article:tag", "article:author", "og:image", "twitter:creator"),
)
PROPERTIES = (
    *("headline", "datePublished", "dateModified", "inLanguage", "articleBody", "@id", "url", "name"),
    *("keywords", "image", "license", "description"),
)
CHARACTERS = [*" x1_-'\"()[{./:;<&%@#,=\\\n|«é中\u200b"]
WORDS = (
    "a ",
    "a-",
    "1 ",
    "1.",
    "Jan ",
    "2020-01-01 ",
    "by ",
    "Kim, ",
    "http://",
    "//",
    "/*",
    "url(",
    "..",
    "a=b;",
)
AFTER_PREFIX = tuple(
    prefix + "\0" + repeated
    for prefix in ("by ", "Posted on ", "0; url=", "en", "http://example.org/", ".a", "@media ", "2020-01-")
    for repeated in (" ", "x", "1", "-", "(", "/")
)
"""A beginning and what is repeated after it."""


def page(text: str) -> str:
    """Return a page that has a text in each place that is read."""
    value = escape(text)
    style = text.replace("<", " ")
    linked = json.dumps({"@type": "Article", "author": {"name": text}, **dict.fromkeys(PROPERTIES, text)})
    head = [
        f'<html lang="{value}"><head><title>{value}</title>',
        f"<style>{style}{{display:none}} a{{color:{style}}}</style>",
        f"<style>@media {style}{{p{{color:red}}}}</style>",
        f'<script type="application/ld+json">{linked.replace("</", " ")}</script>',
        *(f'<meta name="{name}" property="{name}" content="{value}">' for name in METADATA),
        f'<meta http-equiv="refresh" content="{value}">',
        f'<link rel="canonical" href="{value}"><link rel="alternate" hreflang="{value}" href="{value}">',
    ]
    body = [
        f"<h1>{value}</h1><p class='byline'>{value}</p><time>{value}</time><pre><code>{value}</code></pre>"
    ]
    for number, name in enumerate(NAMES):
        element = ELEMENTS[number % len(ELEMENTS)]
        body.append(f'<{element} {name}="{value}">word {number}</{element}>')
    return "".join([*head, "</head><body>", *body, "<p>" + "Some words of a text, which goes on. " * 20])


def site(html: str) -> object:
    return webgrain.Site.fit([html] * 3).predict(html).to_dict()


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "extract": lambda html: webgrain.extract(html, url="http://example.org/a").to_dict(),
    "segment": webgrain.segment,
    "find_lists": lambda html: [each.records() for each in webgrain.find_lists(html)],
    "site": site,
}


def log(text: str) -> None:
    """Read search logs of each format with a text in each field, and a log that is the text."""
    line = text.replace("\n", " ")
    server = f'1.2.3.4 - - [1/Jan/2020] "GET /{line} HTTP/1.1" 200 5 "http://example.org/?q={line}" "{line}"'
    row = {"keys": [text, f"https://example.org/{text}"], "clicks": text}
    for content in (
        f"url,query,clicks\nhttps://example.org/{line},{line},{line}\n",
        f"{line}\t{line}\t{line}\n{line}\t{line}\t{line}\n",
        json.dumps({"rows": [row, {**row, "clicks": 3}]}),
        f"{server}\n{line}\n",
        text,
    ):
        TARGETS["log"](content.encode())


def rules(text: str) -> None:
    """Read a robots.txt and a sitemap with a text in each field, and those that are the text."""
    line = text.replace("\n", " ")
    paths = f"Disallow: /{line}$\nAllow: {line}*{line}\n"
    robots = f"User-agent: *\n{paths}Crawl-delay: {line}\nSitemap: {line}\n{line}:"
    for content in (robots, f"<urlset><url><loc>{text}</loc></url>", f"<sitemapindex><loc>/{text}", text):
        TARGETS["rules"](content.encode())


def response(text: str) -> None:
    """Read a response with a text as its URL, and in each of its headers."""
    line = text.replace("\n", " ")
    url, page = "https://example.org/a", "<a href=b>c</a>"
    for fields in (
        (f"https://example.org/{line}", f"text/html; charset={line}", "", line, page),
        (line, f"{line}; charset={line}", line, f"Wed, 21 {line}", page),
        (url, "text/html; charset=utf-8", line, f"{line} GMT", f"<base href='{escape(text)}'>{page}"),
    ):
        TARGETS["response"]("\n".join(fields).encode())


def archive(text: str) -> None:
    """Read a web archive and a zip archive with a text in each name and header."""
    line = text.replace("\n", " ")
    headers = f"Content-Type: text/html; charset={line}\r\n{line}: {line}\r\n\r\n"
    answer = f"HTTP/1.1 200 {line}\r\n{headers}<p>x".encode()
    names = ("WARC-Target-URI", "WARC-Date", "WARC-Record-ID", line)
    fields = "".join(f"{name}: {line}\r\n" for name in names)
    head = f"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\n{fields}".encode()
    TARGETS["warc"](b"%sContent-Length: %d\r\n\r\n%s\r\n\r\n" % (head, len(answer), answer))
    TARGETS["warc"](b"WARC/1.0\r\n%s" % text.encode())
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        name = line.encode()[:60_000].decode("utf-8", "replace")
        packed.writestr(f"{name}.html", text)
    with warnings.catch_warnings(action="ignore"):  # hidden files are named
        TARGETS["unpack"](content.getvalue())


def model(text: str) -> None:
    """Read models with a text in place of each of their strings, and use those that are accepted."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for kind in ("template", "layouts", "types", "keyclus", "site"):
            for content in with_text(json.loads(valid(kind)), text):
                path.write_text(content)
                with suppress(InputError):
                    KINDS[kind].use(KINDS[kind].read(path), pages()[0])


def with_text(content: Any, text: str) -> Iterator[str]:
    """Yield the file of a model with a text in place of the first string below each of its names."""
    seen = set()
    work: list[tuple[Any, str]] = [(content, "")]
    while work:
        inside, name = work.pop()
        places = list(inside.items() if isinstance(inside, dict) else enumerate(inside))
        for key, value in places:
            name_of_value = key if isinstance(key, str) else name
            if isinstance(value, dict | list):
                work.append((value, name_of_value))
            elif isinstance(value, str) and name_of_value not in (*seen, "format"):
                seen.add(name_of_value)
                inside[key] = text
                yield json.dumps(content)
                inside[key] = value


READERS: dict[str, Callable[[str], object]] = {
    "log": log,
    "rules": rules,
    "response": response,
    "archive": archive,
    "model": model,
}


def seconds(function: Callable[[str], object], text: str) -> float:
    start = process_time()
    function(text)
    return process_time() - start


def assert_linear(function: Callable[[str], object], text: Callable[[int], str], few: int) -> None:
    """Assert that twice the text takes at most 2.6 times as long, or almost nothing."""
    short = seconds(function, text(few))
    long = seconds(function, text(2 * few))
    if long > max(2.6 * short, 0.6):  # the processor may have been slow for a moment
        short = max(short, seconds(function, text(few)))
        long = min(long, seconds(function, text(2 * few)))
    assert long <= max(2.6 * short, 0.6), f"{short:.2f} s, then {long:.2f} s"


def repeated(pattern: str) -> Callable[[int], str]:
    """Return a function that repeats a pattern to a length, after its prefix if it has one."""
    prefix, _, part = pattern.rpartition("\0")
    return lambda length: prefix + part * (length // len(part))


def on_page(name: str) -> Callable[[str], object]:
    """Return a function that gives a page with a text to a function of the API."""
    return lambda text: FUNCTIONS[name](page(text))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_grows_with_a_likely_text(name: str) -> None:
    on_page(name)("x")  # what is loaded only once
    for pattern in (" ", "x", "-", "by \0 ", "0; url=\0 "):
        assert_linear(on_page(name), repeated(pattern), 4_000)


@pytest.mark.full
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("pattern", [*CHARACTERS, *WORDS, *AFTER_PREFIX])
def test_time_grows_with_the_text(name: str, pattern: str) -> None:
    on_page(name)("x")
    assert_linear(on_page(name), repeated(pattern), 10_000)


@pytest.mark.parametrize("name", [name for name in READERS if name != "model"])
def test_time_grows_with_a_likely_text_of_a_file(name: str) -> None:
    READERS[name]("x")
    for pattern in (" ", "x", "\n", "*a"):
        assert_linear(READERS[name], repeated(pattern), 50_000)


@pytest.mark.full
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("pattern", [*CHARACTERS, *WORDS, *AFTER_PREFIX, "*a", "<loc>", '"",', "{", "%41"])
def test_time_grows_with_the_text_of_a_file(name: str, pattern: str) -> None:
    READERS[name]("x")
    assert_linear(READERS[name], repeated(pattern), 100_000)
