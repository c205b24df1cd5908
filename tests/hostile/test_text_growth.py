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
from tests.site.sites import Here, plan

import webgrain
from webgrain.base.errors import InputError, ParameterError, ReadError
from webgrain.crawler.links import imports_of, may_follow, read_sitemap
from webgrain.io.archives import read_linkinfo
from webgrain.page.filetypes import is_html, saved_format
from webgrain.page.markup import json_value
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.vocabulary import NAMES
from webgrain.papers.webstemmer2007 import parse_patterns
from webgrain.report.difference import as_html, as_text
from webgrain.site.audit import audit as run_audit
from webgrain.site.duplicates import compare_pages, text_to_compare
from webgrain.site.links import collect_answers
from webgrain.site.sitemaps import archive_rules
from webgrain.site.stylesheets import sheet_addresses

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
ESCAPED = ('\\"', "\\'", "'\"", "1 ", "sitemap", '"\0\\"', "/*/", "](", "a-a", "(a", "@a", "a@a ")
"""What may begin, end or go on with a string, and parts that an expression may begin with at each place."""


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


RARE_METADATA = (
    *(
        "article:modified_time",
        "article:content_tier",
        "author.name",
        "date.created",
        "dc.creator",
        "dc.date",
    ),
    *(
        "dc.date.issued",
        "dc.description",
        "dc.language",
        "dc.rights",
        "dc.subject",
        "dcterms.created",
        "googlebot",
    ),
    *(
        "dcterms.license",
        "og:type",
        "og:url",
        "og:site_name",
        "og:updated_time",
        "og:price:amount",
        "og:brand",
    ),
    *(
        "product:price:amount",
        "product:retailer_item_id",
        "sailthru.author",
        "sailthru.date",
        "sailthru.tags",
    ),
    *("twitter:description", "twitter:image", "twitter:title", "viewport", "citation_author", "parsely-tags"),
)
RARE_PROPERTIES = (
    *(
        "alternateName",
        "articleSection",
        "commentCount",
        "contentUrl",
        "dateCreated",
        "datePosted",
        "familyName",
    ),
    *(
        "givenName",
        "isAccessibleForFree",
        "isBasedOn",
        "itemListElement",
        "relatedLink",
        "sku",
        "thumbnailUrl",
    ),
    *(
        "uploadDate",
        "price",
        "lowPrice",
        "ratingValue",
        "text",
        "@type",
        "@value",
        "category",
        "logo",
        "sameAs",
    ),
)
RARE_RELATIONS = ("author", "icon", "license", "manifest", "next", "prev", "preload", "stylesheet", "amphtml")
RARE_ELEMENTS = (
    '<table summary="{0}" background="{0}"><tr><th abbr="{0}">a<td axis="{0}">{0}</table>',
    '<div role=dialog aria-modal="{0}" data-background="{0}" data-bg="{0}" data-bg-image="{0}">{0}</div>',
    '<div data-background-image="{0}" data-hidden="{0}" data-toggle-target="{0}" data-testid="{0}">a</div>',
    '<img lowsrc="{0}" longdesc="{0}" data-original="{0}" data-lazy="{0}" data-lazy-src="{0}">',
    '<img data-echo="{0}">',
    '<picture><source srcset="{0}" media="{0}" data-lazy-srcset="{0}"><img sizes="{0}"></picture>',
    '<math alttext="{0}" display="{0}"><mi>{0}</mi><annotation encoding="{0}">{0}</annotation></math>',
    '<pre data-lang="{0}"><code class="{0}" data-enlighter-language="{0}">{0}</code></pre>',
    '<code data-language="{0}">{0}</code>',
    '<form action="{0}"><label>{0}<input value="{0}"></label><button formaction="{0}">{0}</button></form>',
    '<lite-youtube videoid="{0}"></lite-youtube><object data="{0}" codebase="{0}" archive="{0}">{0}</object>',
    '<video poster="{0}"><track src="{0}" srclang="{0}" label="{0}"></video><audio src="{0}"></audio>',
    '<map name="{0}"><area href="{0}" alt="{0}"></map><area href="{0}">',
    '<p xml:lang="{0}" slot="{0}">{0}</p><blockquote cite="{0}">{0}</blockquote><q cite="{0}">{0}</q>',
    '<select name="{0}" multiple="{0}"><optgroup label="{0}"><option value="{0}">{0}</select>',
    "<figure><figcaption>{0}</figcaption></figure><details><summary>{0}</summary>{0}</details>",
    "<dl><dt>{0}<dd>{0}<dt>{0}:<dd>{0}</dl><ul><li>{0}: {0}<li>{0}</ul><ol><li value='{0}'>{0}</ol>",
    '<div itemscope itemtype="{0}" itemref="{0}"><meta itemprop=price content="{0}"></div>',
    '<b itemscope itemprop="{0}">{0}</b>',
    '<svg><use xlink:href="{0}"/><title>{0}</title><text>{0}</text></svg><ruby>{0}<rt>{0}</ruby>',
    '<div class="comment"><a rel=author>{0}</a><time>{0}</time><p>{0}</div>' * 3,
    '<div class="card"><a href="/{0}">{0}</a><span class=price>{0}</span><img alt="{0}"></div>' * 3,
    '<nav class="breadcrumb"><a href="/">{0}</a> <a href="/b">{0}</a></nav>',
    '<a rel=next href="?page={0}">{0}</a>',
    '<noscript><img src="{0}"></noscript><template shadowrootmode="{0}">{0}</template>',
)


def rare_page(text: str) -> str:
    """Return a page that has a text in the places that few parts of the program read.

    One script of JSON-LD has the text as it is, without an end, and with a backslash behind it.
    """
    value = escape(text)
    values = dict.fromkeys(RARE_PROPERTIES, text)
    inner = {**values, "offers": values, "aggregateRating": values, "brand": values, "image": values}
    linked = [
        {**inner, "@type": "Product"},
        {"@graph": [{"@type": "QAPage", "mainEntity": inner, "hasPart": inner}]},
    ]
    head = [
        f"<html><head><title>{value} | {value}</title>",
        *(f'<link rel="{name}" href="{value}" imagesrcset="{value}">' for name in RARE_RELATIONS),
        *(f'<meta name="{name}" property="{name}" content="{value}">' for name in RARE_METADATA),
        *(
            f'<script type="application/ld+json">{json.dumps(each).replace("</", " ")}</script>'
            for each in linked
        ),
        f'<script type="application/ld+json">{{"name": "{text.replace("</", " ")}\\</script>',
        f'<script type="application/json">{{"a": "{text.replace("</", " ")}"}}</script>',
        f"<style>@import '{text.replace('<', ' ')}'; a{{background:url({text.replace('<', ' ')})}}</style>",
    ]
    body = (element.replace("{0}", value) for element in RARE_ELEMENTS)
    return "".join([*head, "</head><body>", *body, "<p>" + "Some words of a text, which goes on. " * 20])


def site(html: str) -> object:
    return webgrain.Site.fit([html] * 3).predict(html).to_dict()


def three(html: str) -> list[Source]:
    """Return three pages of a site that differ in a number at their ends."""
    return [Source(f"{k}", f"{html}{k}".encode("utf-8", "replace"), f"http://e.org/{k}") for k in range(3)]


def audited(html: str) -> object:
    """Audit a site with a page that has rows, findings, references, duplicates and a report."""
    pages = three(html)
    with TemporaryDirectory() as folder:
        return list(run_audit(lambda first: pages[first:], Path(folder) / "out", plan(samples=1), Here()))


def tables_of(html: str) -> object:
    """Return the tables of the fields of a site, and the fields of a marked page."""
    pages = three(html)
    site = webgrain.Site.fit(pages)
    site.update(pages)
    return [(each.table(pages), each.fields._repr_html_()) for each in site.types]


def duplicates(html: str) -> object:
    """Find the duplicates of a page, and show two pages side by side."""
    pages = three(html)
    shown = compare_pages([text_to_compare(parse(page)) for page in pages[:2]])
    return list(webgrain.find_duplicates(pages, templates=True)), list(as_text(shown)), as_html(shown)


def keyclus(html: str) -> object:
    """Learn types from pages with the text of their titles as queries."""
    pages = list(map(parse, three(html)))
    log = {page.id: [page.title] for page in pages}
    return webgrain.KeyClus().fit(pages, log).predict(pages[0])


AUDITS: dict[str, Callable[[str], object]] = {
    "audit": audited,
    "fields": tables_of,
    "duplicates": duplicates,
    "keyclus": keyclus,
}
"""What reads more of a page than the functions of `FUNCTIONS`."""


def addresses(text: str) -> None:
    """Learn a site whose ids and addresses have a text in their path, their query and their fragment."""
    line = text.replace("\n", " ")
    html = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>" + "Some words on {0}. " * 9
    bodies = [html.format(letter).encode() for letter in "abcd"]
    urls = [f"http://e.org/{line}/{k}?{line}={line}#{line}" for k in range(4)]
    pages = [Source(f"{line}{k}.html", body, urls[k]) for k, body in enumerate(bodies)]
    webgrain.Site.fit(pages).predict(pages[0]).to_dict()
    list(webgrain.find_duplicates(pages))


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


def answers(text: str) -> None:
    """Read the answers in a web archive, with a text in the addresses of redirects, sheets and sitemaps."""
    line = text.replace("\n", " ")
    head = "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
    answers = {
        f"http://e.org/{line}": f"HTTP/1.1 301 {line}\r\nLocation: {line}\r\n\r\n",
        f"http://e.org/sitemap{line}": f"HTTP/1.1 200 OK\r\nContent-Type: {line}\r\n\r\n<urlset><loc>{text}",
        "http://e.org/a.css": "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n"
        f"@import '{text}';a{{b:url({text}",
        f"http://e.org/robots.txt?{line}": f"HTTP/1.1 200 OK\r\nX-Robots-Tag: {line}\r\n\r\nAllow: /{text}",
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.warc"
        with path.open("wb") as file:
            for url, answer in answers.items():
                body = answer.encode("utf-8", "replace")
                fields = f"WARC-Target-URI: {url}\r\nWARC-Answer-Seconds: {line}\r\n"
                fields += f"Content-Length: {len(body)}\r\n"
                start = (head + fields).encode("utf-8", "replace")
                file.write(start + b"\r\n" + body + b"\r\n\r\n")
        collect_answers([path], None)
        archive_rules([path], "e.org")
    sheet_addresses(text.encode("utf-8", "replace"))
    imports_of("http://e.org/a.css", f"@import {text}; @import url({text}".encode("utf-8", "replace"))
    may_follow([line, f"webgrain: {line}"])


def sitemap(text: str) -> None:
    """Read sitemaps with a text in each of their elements."""
    names = ("loc", "lastmod", "changefreq", "priority", "image:loc", "video:title", "news:name")
    entry = "".join(f"<{name}>{escape(text)}</{name}>" for name in names)
    for body in (f"<urlset><url>{entry}</url></urlset>", f"<sitemapindex><sitemap>{entry}", text):
        with suppress(ReadError):
            read_sitemap(body.encode("utf-8", "replace"), 10**7)


def former(text: str) -> None:
    """Read a pattern file of 2007 and the names of links of textcrawler with a text in each place."""
    line = text.replace("\n", " ")
    quoted = line.replace("\\", "").replace("'", "")
    lines = (
        f"#\t{line}",
        f"### pages={line}",
        f"(1.0, '{quoted}', 0, [(1, 2, '{quoted}')]) ({line})",
        line,
        f"('{line}",
    )
    for content in ("\n".join(lines[:3]), *lines, text):
        with suppress(ParameterError):
            parse_patterns(content)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.zip"
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("linkinfo", f"('{quoted}', ['{quoted}'])\n{line}\n{text}")
        read_linkinfo(path)


def scripts(text: str) -> None:
    """Read JSON with mistakes, in which a text is within and outside of strings that have no end."""
    for start in ('{"a": "', "{", "[{'", "<!-- {", "/* {"):
        for end in ("", "\\", '"}'):
            json_value(f"{start}{text}{end}")


def saved(text: str) -> None:
    """Recognise a file by its first bytes, which have a text in the places that are looked at."""
    for start in (
        "",
        "Subject: ",
        "MIME-Version: 1.0\r\nContent-Type: multipart/",
        '{"log": {"',
        "<!--",
        "<?xml ",
    ):
        body = (start + text).encode("utf-8", "replace")
        saved_format(body)
        is_html(body, declared=False)


READERS: dict[str, Callable[[str], object]] = {
    "answers": answers,
    "sitemap": sitemap,
    "former": former,
    "scripts": scripts,
    "saved": saved,
    "addresses": addresses,
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


ONLY_FILES = ("*a", "<loc>", '"",', "{", "%41")
"""What is repeated in files that are not pages."""


def repeated(pattern: str) -> Callable[[int], str]:
    """Return a function that repeats a pattern to a length, after its prefix if it has one."""
    prefix, _, part = pattern.rpartition("\0")
    return lambda length: prefix + part * (length // len(part))


def on_page(name: str, make: Callable[[str], str] = page) -> Callable[[str], object]:
    """Return a function that gives a page with a text to a function."""
    function = (FUNCTIONS | AUDITS)[name]
    return lambda text: function(make(text))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_grows_with_a_likely_text(name: str) -> None:
    on_page(name)("x")  # what is loaded only once
    for pattern in (" ", "x", "-", "by \0 ", "0; url=\0 "):
        assert_linear(on_page(name), repeated(pattern), 4_000)


@pytest.mark.parametrize("name", [*FUNCTIONS, *AUDITS])
def test_time_grows_with_a_likely_text_in_rare_places(name: str) -> None:
    on_page(name, rare_page)("x")
    for pattern in (" ", '\\"', "sitemap"):
        assert_linear(on_page(name, rare_page), repeated(pattern), 3_000)


@pytest.mark.full
@pytest.mark.parametrize("name", [*FUNCTIONS, *AUDITS])
@pytest.mark.parametrize("pattern", [*CHARACTERS, *WORDS, *AFTER_PREFIX, *ESCAPED])
def test_time_grows_with_the_text_in_rare_places(name: str, pattern: str) -> None:
    on_page(name, rare_page)("x")
    assert_linear(on_page(name, rare_page), repeated(pattern), 10_000)


@pytest.mark.full
@pytest.mark.parametrize("name", AUDITS)
@pytest.mark.parametrize("pattern", [*CHARACTERS, *WORDS, *AFTER_PREFIX, *ESCAPED])
def test_time_of_audits_grows_with_the_text(name: str, pattern: str) -> None:
    on_page(name)("x")
    assert_linear(on_page(name), repeated(pattern), 10_000)


@pytest.mark.full
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("pattern", [*CHARACTERS, *WORDS, *AFTER_PREFIX])
def test_time_grows_with_the_text(name: str, pattern: str) -> None:
    on_page(name)("x")
    assert_linear(on_page(name), repeated(pattern), 10_000)


@pytest.mark.parametrize("name", [name for name in READERS if name != "model"])
def test_time_grows_with_a_likely_text_of_a_file(name: str) -> None:
    READERS[name]("x")
    for pattern in (" ", "x", "\n", "*a", "'\\", '\\"', "sitemap"):
        assert_linear(READERS[name], repeated(pattern), 50_000)


@pytest.mark.full
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("pattern", [*CHARACTERS, *WORDS, *AFTER_PREFIX, *ESCAPED, *ONLY_FILES])
def test_time_grows_with_the_text_of_a_file(name: str, pattern: str) -> None:
    READERS[name]("x")
    assert_linear(READERS[name], repeated(pattern), 100_000)
