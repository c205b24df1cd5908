"""The main content of a page as what its site does not repeat.

The largest segment of a page with little to say is often a footer or a side bar. Lines of text (the text of
one block) that stand on several pages of a site tell: the main content is the segment with the most text that
is not repeated. Needs no model and no settings by site; a page whose text is all repeated has no main
content.

    here           meaning
    line           the text of one block of a page, `webgrain.page.text.texts_of` with a line end between
    repeats        pages of a site from which a line counts as repeated; pages of one text count once
    part           a candidate for the main content: a segment

Pages wait in a temporary file until all of a crawl have been seen, since it takes the whole crawl to know
what is repeated; memory does not grow with their number.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlsplit

from webgrain.duplicates.index import Document, storable
from webgrain.errors import ParameterError

REPEATS = 4
"""Pages of a site from which a line counts as repeated."""

_SCHEMA = """
CREATE TABLE page (number INTEGER PRIMARY KEY, id TEXT, url TEXT, text TEXT, parts TEXT);
CREATE TABLE seen (key INTEGER PRIMARY KEY);
CREATE TABLE line (key INTEGER PRIMARY KEY, pages INTEGER NOT NULL);
CREATE TABLE known (key INTEGER PRIMARY KEY, pages INTEGER NOT NULL);
"""
_COUNT = "INSERT INTO line VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET pages = pages + excluded.pages"
_PAGES = "SELECT max(pages) FROM (SELECT * FROM line UNION ALL SELECT * FROM known) WHERE key = ?"


@dataclass(frozen=True, slots=True)
class Part:
    """A candidate for the main content: its lines, how large it is in any unit, XPaths of its nodes."""

    text: str
    size: float
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageText:
    """The lines of one page, and the candidates for its main content."""

    id: str
    text: str
    parts: tuple[Part, ...] = ()
    url: str | None = None

    @property
    def site(self) -> str:
        """The site a page belongs to: the host of its address, else the first folder of its id.

        >>> PageText("a/b.html", "").site, PageText("b.html", "", url="http://example.org/b").site
        ('a', 'example.org')
        """
        try:
            host = urlsplit(self.url or "").hostname
        except ValueError:  # no address, whatever it looks like
            host = None
        return host or self.id.rpartition("/")[0].partition("/")[0]


class Crawl:
    """The pages of a crawl, kept until what its sites repeat is known.

    repeats: pages of a site from which a line counts as repeated.

    >>> footer = Part("One two three four five", 23)
    >>> with Crawl(repeats=2) as crawl:
    ...     for k in range(3):
    ...         crawl.add(PageText(f"site/{k}", f"News {k}", (footer, Part(f"News {k}", 6))))
    ...     [document.content for document in crawl.documents()]
    ['News 0', 'News 1', 'News 2']
    """

    def __init__(self, repeats: int = REPEATS) -> None:
        if repeats < 2:
            raise ParameterError(f"repeats must be at least 2, got {repeats}.")
        self._repeats = repeats
        self._file = sqlite3.connect("", isolation_level=None)  # a temporary file, gone when it is closed
        self._file.executescript(_SCHEMA + "BEGIN;")

    def __enter__(self) -> Crawl:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, page: PageText, *, count: bool = True) -> None:
        """Keep a page, and count its lines unless its site has shown the same text before.

        count: False for a page whose lines were counted in an earlier crawl.
        """
        parts = json.dumps([[part.text, part.size, part.path] for part in page.parts])
        self._file.execute(
            "INSERT INTO page (id, url, text, parts) VALUES (?, ?, ?, ?)",
            (storable(page.id), page.url and storable(page.url), storable(page.text), parts),
        )
        first = self._file.execute("INSERT OR IGNORE INTO seen VALUES (?)", (_key(page.site, page.text),))
        if count and first.rowcount:
            lines = {_key(page.site, line) for part in page.parts for line in part.text.split("\n")}
            self.resume((key, 1) for key in lines)

    def resume(self, lines: Iterable[tuple[int, int]]) -> None:
        """Go on from what an earlier crawl has `counted`."""
        self._file.executemany(_COUNT, lines)

    def know(self, lines: Iterable[tuple[int, int]]) -> None:
        """Take over what another crawl has `counted`, maybe of the same pages: the greater number counts."""
        self._file.executemany("INSERT OR REPLACE INTO known VALUES (?, ?)", lines)

    def counted(self) -> Iterator[tuple[int, int]]:
        """Go through the lines that were seen on more than one page: their keys and how many pages."""
        yield from self._file.execute("SELECT key, pages FROM line WHERE pages > 1")

    def documents(self) -> Iterator[Document]:
        """Go through the pages in the order in which they came, each with its main content."""
        rows = self._file.execute("SELECT id, url, text, parts FROM page ORDER BY number")
        for name, url, text, parts in rows:
            candidates = tuple(Part(text, size, tuple(path)) for text, size, path in json.loads(parts))
            page = PageText(name, text, candidates, url)
            best = self._main(page)
            yield Document(name, text, best.text if best else None, url, best.path if best else ())

    def _main(self, page: PageText) -> Part | None:
        """Return the part whose size, times the share of its text that is not repeated, is the greatest."""
        sizes = [part.size * self._new_share(page.site, part.text) for part in page.parts]
        best = max(range(len(sizes)), key=sizes.__getitem__, default=None)
        return page.parts[best] if best is not None and sizes[best] > 0 else None

    def _new_share(self, site: str, text: str) -> float:
        lines = text.split("\n")
        new = sum(len(line) for line in lines if self._pages(_key(site, line)) < self._repeats)
        return new / max(1, sum(map(len, lines)))

    def _pages(self, key: int) -> int:
        pages: int | None = self._file.execute(_PAGES, (key,)).fetchone()[0]
        return pages or 0


def _key(site: str, text: str) -> int:
    """Key of a text on a site, of 63 bits."""
    name = f"{site}\0{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big") >> 1
