"""Sites whose articles are known: the pages, which of them are articles, their titles and main texts.

Sites of the bench are read by `bench_articles`. Two other layouts of a folder are read. ``news``:
``<site>.tar.xz`` with the pages, ``<site>.pages.tsv`` with article or index for each
and whether to learn from it (``fit``) or to score on it (``check``), ``<site>.articles.jsonl.xz``, and
``<site>.anchors.tsv`` with the texts of links. ``sites``: ``<site>.types.tsv`` instead, without a split;
there the pages are in the order of the SHA-256 of their paths: the first ones are learnt from, the others
scored on; a post that has a truth is an article, a listing an index, and other pages are neither.

The bodies of ``news`` contain the code of an article, those of ``sites`` do not.
"""

from __future__ import annotations

import csv
import hashlib
import json
import lzma
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from webgrain.base.errors import InputError
from webgrain.base.metrics import tokens
from webgrain.documents.article import Article
from webgrain.evaluation.datasets import archive_files
from webgrain.page.anchors import AnchorTexts
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from pathlib import Path

    from experiments.datasets.bench import BenchSite

Kind = Literal["article", "index", "other"]
NEWS = ("asa", "krisold", "octo54")
SITES = {"flink-web": 90, "datafusion": 35}
"""Sites without a split of their own, and how many of their pages are learnt from."""
LEAST_WORDS = 10
"""Words of a true main text, at least, for an article of the bench."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a page: kind, title, body, comments; with_code: whether the body holds the code."""

    kind: Kind
    title: str = ""
    body: str = ""
    with_code: bool = False
    comments: str = ""


def body_of(article: Article, truth: Truth) -> str:
    """Return the main text of an article, without code blocks if the ground truth has none."""
    blocks = (block for block in article.main if truth.with_code or block.kind != "code")
    return "\n".join(block.text for block in blocks)


@dataclass(frozen=True, slots=True)
class ArticleSite:
    """A site with its truth.

    Attributes:
        name: the site's name.
        learn, check: ids of the pages to learn from and of those to score on, in order.
        sources: the pages by id; truth: what is true of them.
        anchors: texts of links to the pages, by id, with their numbers, collected over the whole site; None
            where only the links on the pages themselves are known.
    """

    name: str
    learn: tuple[str, ...]
    check: tuple[str, ...]
    sources: dict[str, Source]
    truth: dict[str, Truth]
    anchors: dict[str, dict[str, int]] | None = None

    def pages(self, ids: Iterable[str]) -> list[Page]:
        """Return the pages of these ids, parsed."""
        return [parse(self.sources[page]) for page in ids]


def read_articles(folder: Path, name: str) -> ArticleSite:
    """Return one site; ``folder`` holds ``news`` and ``sites``; `InputError` where a file is missing.

    >>> from pathlib import Path
    >>> read_articles(Path("nowhere"), "asa")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    webgrain.base.errors.InputError: Cannot read nowhere/news/asa.articles.jsonl.xz: No such file or ...
    """
    place = folder / ("news" if name in NEWS else "sites")
    try:
        articles = _read_articles(place / f"{name}.articles.jsonl.xz")
        kinds, parts, urls = (_news if name in NEWS else _site)(place, name, articles)
        bodies = dict(archive_files(place / f"{name}.tar.xz"))
        anchors = _anchors(place / f"{name}.anchors.tsv") if name in NEWS else None
    except OSError as error:
        raise InputError(f"Cannot read {error.filename or place}: {error.strerror or error}.") from error
    sources = {page: Source(page, bodies[page], url=urls.get(page)) for page in kinds}
    return ArticleSite(
        name,
        tuple(page for page in kinds if parts[page] == "fit"),
        tuple(page for page in kinds if parts[page] == "check"),
        sources,
        {page: _truth(kind, articles.get(page), name in NEWS) for page, kind in kinds.items()},
        anchors,
    )


def bench_articles(site: BenchSite, check: Container[str], learn: int) -> ArticleSite:
    """Return a site of the bench; its pages have the address of the site, and links of all of them count.

    check: ids of the pages to score on; learn: number of other pages to learn from, the first ones by the
    SHA-256 of their ids.
    """
    sources = {page.id: replace(page, url=f"http://{site.host}/{page.id}") for page in site.sources()}
    anchors = AnchorTexts()
    for source in sources.values():
        anchors.add(parse(source))
    truth = {}
    for page in sources:
        record, kind = site.truth[page], site.roles[page]
        text = record.get("text") or ""
        if kind == "article" and len(tokens(text)) < LEAST_WORDS:
            kind = "other"
        title, comments = record.get("title") or "", "\n".join(record.get("comments") or ())
        truth[page] = Truth(cast("Kind", kind), title, text, True, comments)
    others = sorted((page for page in sources if page not in check), key=_digest)
    judged = tuple(sorted(page for page in sources if page in check))
    return ArticleSite(site.name, tuple(others[:learn]), judged, sources, truth, anchors.texts())


def _digest(page: str) -> bytes:
    return hashlib.sha256(page.encode()).digest()


def _read_articles(path: Path) -> dict[str, dict[str, str]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return {record["path"]: record for record in map(json.loads, lines)}


def _truth(kind: Kind, articles: dict[str, str] | None, with_code: bool) -> Truth:
    if articles is None:
        return Truth(kind)
    return Truth(kind, articles["title"], articles["body"], with_code)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _news(
    folder: Path, name: str, articles: dict[str, dict[str, str]]
) -> tuple[dict[str, Kind], dict[str, str], dict[str, str]]:
    rows = _rows(folder / f"{name}.pages.tsv")
    kinds: dict[str, Kind] = {row["path"]: "article" if row["path"] in articles else "index" for row in rows}
    parts = {row["path"]: row["part"] for row in rows}
    return kinds, parts, {row["path"]: row["url"] for row in rows}


def _site(
    folder: Path, name: str, articles: dict[str, dict[str, str]]
) -> tuple[dict[str, Kind], dict[str, str], dict[str, str]]:
    kinds: dict[str, Kind] = {}
    for row in _rows(folder / f"{name}.types.tsv"):
        page = row["path"]
        kinds[page] = "article" if page in articles else "index" if row["type"] == "listing" else "other"
    order = sorted(kinds, key=_digest)
    parts = {page: "fit" if at < SITES[name] else "check" for at, page in enumerate(order)}
    return kinds, parts, {}


def _anchors(path: Path) -> dict[str, dict[str, int]]:
    anchors: dict[str, dict[str, int]] = {}
    for row in _rows(path):
        anchors.setdefault(row["path"], {})[row["anchor"]] = int(row["links"])
    return anchors
