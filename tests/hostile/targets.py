"""Fuzz targets: each accepts any bytes and raises only documented errors."""

from __future__ import annotations

import contextlib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.hostile.models import KINDS, pages
from tests.views import with_lines

from webgrain.base.errors import InputError, ReadError
from webgrain.extraction.metadata import metadata
from webgrain.extraction.single import SinglePage
from webgrain.io.archives import read_warc, read_zip
from webgrain.io.decode import dechunk, decompress
from webgrain.io.queries import read_queries
from webgrain.lists.ranking import find_lists
from webgrain.page.outline import visible_tree
from webgrain.page.page import Limits, Source
from webgrain.page.parsing import parse
from webgrain.page.segmentation import segmentation_record
from webgrain.papers.regextree import RegexTree
from webgrain.papers.webstemmer import Webstemmer
from webgrain.rendering.hiding import hidden_nodes
from webgrain.segmentation.segmenter import segmenter
from webgrain.templates.sections import Sectioner, sections_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from webgrain.page.page import Page

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
}
"""Targets by name."""
