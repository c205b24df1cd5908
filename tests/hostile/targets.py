"""Fuzz targets: each accepts any bytes and raises only documented errors."""

from __future__ import annotations

import contextlib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from protego import Protego
from tests.hostile.models import KINDS, pages
from tests.site.sites import shop
from tests.views import with_lines

from webgrain import Site
from webgrain.base.errors import InputError, ReadError
from webgrain.crawler.network import seconds_to_wait
from webgrain.crawler.plan import ROBOT
from webgrain.extraction.metadata import metadata
from webgrain.extraction.single import SinglePage
from webgrain.io.archives import read_warc, read_zip
from webgrain.io.decode import dechunk, decompress, media_type
from webgrain.io.queries import read_queries
from webgrain.lists.ranking import find_lists
from webgrain.page.links import page_links, redirect
from webgrain.page.outline import visible_tree
from webgrain.page.page import Limits, Source
from webgrain.page.parsing import parse
from webgrain.page.references import references
from webgrain.page.segmentation import segmentation_record
from webgrain.papers.regextree import RegexTree
from webgrain.papers.webstemmer import Webstemmer
from webgrain.rendering.hiding import hidden_nodes
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.learning import learn_site
from webgrain.site.links import LinkResolver
from webgrain.site.references import KnownFiles
from webgrain.site.sitemaps import Robots, entry_end, folder_rules
from webgrain.site.stages.extraction import PAGE_STEPS, ReadPage
from webgrain.templates.sections import Sectioner, sections_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from webgrain.page.page import Page
    from webgrain.site.model import SiteModel

LIMITS = Limits(bytes=2**20)


def page_of(data: bytes) -> Page:
    """Return the page of some bytes."""
    return parse(Source("page", data, "https://example.org/a/b?c"), LIMITS)


def parsed(data: bytes) -> None:
    """Parse, lay out and cut a page."""
    page = page_of(data)
    page = with_lines(page)
    segmentation_record(page, segmenter().predict(page))
    SinglePage().predict(page)


def matched(data: bytes) -> None:
    """Match a page with a template that has nothing to do with it, and with its own."""
    page = page_of(data)
    own = page if len(visible_tree(page)) else pages()[0]
    for cutter in (_cutter(), Sectioner(template=RegexTree().fit([own, own]).template_)):
        match = cutter.match(page)
        sections_record(page, cutter.cut(page, match).segmentation("t"))
    _layouts().predict(page)
    find_lists(page)


def modelled(data: bytes) -> None:
    """Read a model of any kind, which the first byte names, and use it."""
    names = list(KINDS)
    kind = KINDS[names[data[0] % len(names)] if data else names[0]]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(data[1:])
        with contextlib.suppress(InputError):
            kind.use(kind.read(path), pages()[0])


def unpacked(data: bytes) -> None:
    """Read an archive, and a body that is compressed."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "archive"
        path.write_bytes(data)
        list(read_zip(path, "a", "", LIMITS))
    dechunk(data, 2**20)
    for encoding in ("gzip", "deflate", "br", "zstd", "gzip, br"):
        with contextlib.suppress(ReadError):
            decompress(data, encoding, 2**20)


def archived(data: bytes) -> None:
    """Read a web archive, and parse its pages."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "archive.warc"
        path.write_bytes(data)
        for item in read_warc(path, "a", LIMITS):
            if isinstance(item, Source):
                parse(item, LIMITS)


def styled(data: bytes) -> None:
    """Find the hidden nodes of a page with a style sheet."""
    sheet = data.decode("utf-8", "replace")
    html = f"<link rel=stylesheet href=a.css><style>{sheet}</style><div id=a class=b><p style='{sheet}'>x<b>y"
    dom = page_of(html.encode("utf-8", "replace")).dom
    assert len(hidden_nodes(dom, lambda href: sheet)) == len(dom)


def linked(data: bytes) -> None:
    """Read the metadata of a page with JSON-LD."""
    script = data.decode("utf-8", "replace").replace("</", "")
    html = f'<title>A</title><script type="application/ld+json">{script}</script><h1>A</h1><p>Text'
    page = page_of(html.encode("utf-8", "replace"))
    notes: list[str] = []
    metadata(page, SinglePage().predict(page), notes)
    assert not notes


def searched(data: bytes) -> None:
    """Read a search log, and look up a page in it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(data)
        with contextlib.suppress(InputError):
            log = read_queries(path)
            log.queries_for(pages()[0])
            log.clicks_on("a", ["example.org/a"])


def learnt(data: bytes) -> None:
    """Learn a site from five pages, of which the bytes are three, and read them with it."""
    third = len(data) // 3
    cuts = [data[:third], data[third : 2 * third], data[2 * third :]]
    sources = [Source(f"{k}", cut, f"https://example.org/{k}") for k, cut in enumerate(cuts)]
    site = Site.fit([*shop(12)[:2], *sources])
    assert not site.failures, site.failures
    for source in sources:
        row_of(site.model, parse(source))


def predicted(data: bytes) -> None:
    """Make the row of a page in an audit of a site that it does not belong to."""
    row_of(_site(), page_of(data))


def row_of(model: SiteModel, page: Page) -> None:
    """Make the row of a page in an audit; a fact that cannot be computed is an error."""
    prediction = model.predict(page)
    prediction.to_dict()
    read = ReadPage(page, prediction, prediction.text, "site", KnownFiles())
    for step in PAGE_STEPS:
        step.cells(read)
    failed = [note for note in prediction.notes if note.startswith("It could not be computed")]
    assert not failed, failed


def ruled(data: bytes) -> None:
    """Read robots.txt and a sitemap of an audit, and the robots.txt of a crawl."""
    with TemporaryDirectory() as folder:
        for name in ("robots.txt", "sitemap.xml"):
            (Path(folder) / name).write_bytes(data)
        rules = folder_rules(Path(folder))
    robots, crawled = Robots(rules.robots), Protego.parse(rules.robots)
    for path in ("/", "/a/b?c=d", rules.robots[:200]):
        robots.excludes(path)
        crawled.can_fetch(f"https://example.org/{path}", ROBOT)
    crawled.crawl_delay(ROBOT)
    resolver = LinkResolver([], {})
    for entry in rules.entries[:20]:
        entry_end(entry, resolver, rules)


def received(data: bytes) -> None:
    """Read a response: a line with its URL, one for each of three headers, and the body."""
    url, kind, encoding, wait, body = (data.split(b"\n", 4) + [b""] * 4)[:5]
    media, charset = media_type(kind.decode("latin-1"))
    assert isinstance(media, str)
    seconds_to_wait(wait.decode("latin-1"), 0.0)
    with contextlib.suppress(ReadError):
        body = decompress(body, encoding.decode("latin-1"), 2**20)
    page = parse(Source("page", body, url.decode("utf-8", "replace"), charset), LIMITS)
    page_links(page)
    redirect(page)
    references(page)


@cache
def _site() -> SiteModel:
    return learn_site(lambda: shop(12), "site")


@cache
def _cutter() -> Sectioner:
    return Sectioner(template=RegexTree().fit(pages()).template_)


@cache
def _layouts() -> Webstemmer:
    return Webstemmer().fit(pages())


TARGETS: dict[str, Callable[[bytes], None]] = {
    "parse": parsed,
    "match": matched,
    "model": modelled,
    "unpack": unpacked,
    "warc": archived,
    "css": styled,
    "json": linked,
    "log": searched,
    "row": predicted,
    "site": learnt,
    "rules": ruled,
    "response": received,
}
"""Targets by name."""
