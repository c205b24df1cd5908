"""The main content of a page is its largest segment that the site does not repeat.

On a page with little text the largest segment is often a footer or a side bar. Lines that occur on several
pages of the site (a line is the text of one block) identify such segments: the main content is the segment
with the most text outside repeated lines. The method needs no model and no settings per site. A page whose
text is all repeated has no main content.

    name           meaning
    line           text of one block of a page, as separated by line ends in `webgrain.page.text.texts_of`
    repeats        number of pages of a site from which a line is repeated; pages of equal text count once
    part           a candidate for the main content: a segment

The pages are kept in a temporary file until all of them are known. Memory does not grow with their number.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from webgrain.duplicates.index import Document, storable
from webgrain.duplicates.thresholds import REPEATS
from webgrain.errors import ParameterError

_SCHEMA = """
CREATE TABLE page (number INTEGER PRIMARY KEY, id TEXT, url TEXT, text TEXT, parts TEXT);
CREATE TABLE text (key INTEGER PRIMARY KEY);
CREATE TABLE line (key INTEGER PRIMARY KEY, pages INTEGER NOT NULL);
CREATE TABLE known (key INTEGER PRIMARY KEY, pages INTEGER NOT NULL);
"""
_COUNT = "INSERT INTO line VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET pages = pages + excluded.pages"
_PAGES = "SELECT max(pages) FROM (SELECT * FROM line UNION ALL SELECT * FROM known) WHERE key = ?"


@dataclass(frozen=True, slots=True)
class Part:
    """A candidate for the main content: its lines, its size in any unit, XPaths of its nodes."""

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
        """The site of the page: the host of its URL, else the first folder of its id.

        >>> PageText("a/b.html", "").site, PageText("b.html", "", url="http://example.org/b").site
        ('a', 'example.org')
        """
        try:
            host = urlsplit(self.url or "").hostname
        except ValueError:  # not a URL
            host = None
        return host or self.id.rpartition("/")[0].partition("/")[0]


class PageBuffer:
    """Stores pages until the repeated lines of their sites are known.

    repeats: number of pages of a site from which a line is repeated.

    >>> footer = Part("One two three four five", 23)
    >>> with PageBuffer(repeats=2) as buffer:
    ...     for k in range(3):
    ...         buffer.add(PageText(f"site/{k}", f"News {k}", (footer, Part(f"News {k}", 6))))
    ...     [document.content for document in buffer.documents()]
    ['News 0', 'News 1', 'News 2']
    """

    def __init__(self, repeats: int = REPEATS) -> None:
        if repeats < 2:
            raise ParameterError(f"repeats must be at least 2, got {repeats}.")
        self._repeats = repeats
        self._file = sqlite3.connect("", isolation_level=None)  # a temporary file, deleted when it is closed
        self._file.executescript(_SCHEMA + "BEGIN;")

    def __enter__(self) -> PageBuffer:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, page: PageText, *, count: bool = True) -> None:
        """Store a page, and count its lines unless its site had a page with the same text before.

        count: False for a page whose lines are already part of the numbers passed to `add_counts`.
        """
        parts = json.dumps([[part.text, part.size, part.path] for part in page.parts])
        self._file.execute(
            "INSERT INTO page (id, url, text, parts) VALUES (?, ?, ?, ?)",
            (storable(page.id), page.url and storable(page.url), storable(page.text), parts),
        )
        new = self._file.execute("INSERT OR IGNORE INTO text VALUES (?)", (_key(page.site, page.text),))
        if count and new.rowcount:
            lines = {_key(page.site, line) for part in page.parts for line in part.text.split("\n")}
            self.add_counts((key, 1) for key in lines)

    def add_counts(self, lines: Iterable[tuple[int, int]]) -> None:
        """Add the `counts` of other pages of the same sites."""
        self._file.executemany(_COUNT, lines)

    def set_other_counts(self, lines: Iterable[tuple[int, int]]) -> None:
        """Set `counts` of pages that may be the same as these: the greater of both numbers is used."""
        self._file.executemany("INSERT OR REPLACE INTO known VALUES (?, ?)", lines)

    def counts(self) -> Iterator[tuple[int, int]]:
        """Yield the lines that occur on more than one page: key, number of pages."""
        yield from self._file.execute("SELECT key, pages FROM line WHERE pages > 1")

    def documents(self) -> Iterator[Document]:
        """Yield the pages in the order in which they were added, with their main contents."""
        rows = self._file.execute("SELECT id, url, text, parts FROM page ORDER BY number")
        for name, url, text, parts in rows:
            candidates = tuple(Part(text, size, tuple(path)) for text, size, path in json.loads(parts))
            best = self._main(PageText(name, text, candidates, url))
            yield Document(name, text, best.text if best else None, url, best.path if best else ())

    def _main(self, page: PageText) -> Part | None:
        """Return the part with the greatest product of size and share of text outside repeated lines."""
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
    """Return a key of 63 bits for a text of a site."""
    name = f"{site}\0{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big") >> 1
