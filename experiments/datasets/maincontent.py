"""Pages of all kinds with titles and main texts: the development pages of WCXB.

Source: Foley, WCXB: Web Content eXtraction Benchmark, arXiv 2605.21097; CC-BY-4.0. The texts of the
pages stay those of their sites.

Layout: ``wcxb-dev-1249.tar.xz`` with ``dev/html/<id>.html`` and ``dev/ground-truth/<id>.json``.

The truth is plain text. Its metric is the word F1 (`webgrain.base.metrics.word_score`); the mean over pages
counts each page the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webgrain.base.errors import InputError
from webgrain.evaluation.datasets import archive_files
from webgrain.page.page import Source

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = "wcxb-dev-1249.tar.xz"
KINDS = ("article", "service", "documentation", "forum", "collection", "listing", "product")
"""Kinds of pages, as the data set names them."""

_SHORT = 3
"""Letters of the last but one part of a host that is no name of a site by itself, as in ``example.co.uk``."""


@dataclass(frozen=True, slots=True)
class MainPage:
    """A page with what is true of it.

    Attributes:
        source: the page; kind: one of `KINDS`.
        title, text: its title and its main text.
        author, date: of the page; empty if they are not known.
    """

    source: Source
    kind: str
    title: str
    text: str
    author: str = ""
    date: str = ""

    @property
    def domain(self) -> str:
        """The domain of the page: pages of one domain are never in both the training and the test set."""
        return domain_of(self.source.url or "")


def read_main_pages(folder: Path) -> list[MainPage]:
    """Return all pages, by their ids; `InputError` where the archive is missing or damaged.

    >>> from pathlib import Path
    >>> read_main_pages(Path("nowhere"))
    Traceback (most recent call last):
    webgrain.base.errors.InputError: nowhere/wcxb-dev-1249.tar.xz cannot be read: No such file or directory.
    """
    path = folder / ARCHIVE
    bodies: dict[str, bytes] = {}
    truths: dict[str, dict[str, Any]] = {}
    try:
        for name, content in archive_files(path):
            stem = name.rsplit("/", 1)[-1].split(".")[0]
            if name.endswith(".html"):
                bodies[stem] = content
            elif "/ground-truth/" in name:
                truths[stem] = json.loads(content)
        return [_page(name, bodies[name], truths[name]) for name in sorted(truths)]
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


def domain_of(url: str) -> str:
    """Return the domain of an address without the names below it.

    >>> domain_of("https://forum.example.com/a"), domain_of("http://www.example.co.uk")
    ('example.com', 'example.co.uk')
    """
    parts = (urlsplit(url).hostname or "").split(".")
    short = len(parts) > 2 and len(parts[-2]) <= _SHORT and len(parts[-1]) == 2
    return ".".join(parts[-3:] if short else parts[-2:])


def _page(name: str, body: bytes, record: dict[str, Any]) -> MainPage:
    truth, kind = record["ground_truth"], record["_internal"]["page_type"]["primary"]
    kind = "collection" if kind == "category" else kind
    return MainPage(
        Source(name, body, url=record["url"]),
        kind,
        truth.get("title") or "",
        truth.get("main_content") or "",
        truth.get("author") or "",
        truth.get("publish_date") or "",
    )
