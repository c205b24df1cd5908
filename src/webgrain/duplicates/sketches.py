"""The sketch of a page: the smallest hashes of its shingles, and what is needed to compare it with others.

Source: bottom-k sketches, Cohen, Kaplan, Summarizing data using bottom-k sketches, PODC 2007. Up to a hash
value that all sketches cover, sketches are random samples of the shingles: the same shingle is in all of them
or in none. So the resemblance and the containment of two texts, and the number of pages of a site that
contain a shingle, are estimated from sketches.

    field of `FACTS`   meaning
    digest             hash of the words; texts of the same words have equal digests
    site               hash of the site; 0 for a text of no site
    name               hash of the name of the page within its site
    title, part        hashes of the title and of its longest part, mostly without the site; 0 without a title
    numbers, heading   hashes of the numbers in the title, and of the first heading; 0 without them
    size               distinct shingles of the page
    kept               hashes in the sketch
    top                greatest hash that the sketch covers; the greatest of all if it contains every shingle

Cost: a sort of the shingles of a page; at most 8 * `SKETCH_SIZE` bytes per page.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import UInt64
from webgrain.duplicates.shingles import WIDTH, hashed_words, shingles_of
from webgrain.duplicates.thresholds import SKETCH_SIZE

FACTS = np.dtype(
    [(name, "<u8") for name in ("digest", "site", "name", "title", "part", "numbers", "heading", "top")]
    + [("size", "<u4"), ("kept", "<u4")]
)
"""What is known of a page apart from the hashes of its sketch."""

SketchFacts = NDArray[np.void]
"""Records of `FACTS` (n,)."""

_HOST = re.compile(r"(?:[\w-]++\.)++[a-z]{2,}")
_BETWEEN = re.compile(r"\s[-–—]\s|[|–—·•»«:(]")
_WORD, _NUMBER = re.compile(r"\w+"), re.compile(r"\d+")
_NOT_LETTERS = re.compile(r"[\W\d_]+")


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one page.

    Attributes:
        id, url: those of the page.
        text: the visible text, a line for each block.
        title: content of the ``<title>`` element.
        heading: text of the first ``<h1>``.
        site: name of the site, see `site_name`; None for a text of no site.
    """

    id: str
    text: str = field(repr=False)
    url: str | None = None
    title: str = ""
    heading: str = ""
    site: str | None = None

    @property
    def name(self) -> str:
        """The name of the page within its site: title and last part of the address, without digits.

        Versions of a page and its copies under several addresses mostly have one name.

        >>> PageText("docs/1.2/flow.html", "", title="Flow - Docs 1.2").name
        'flow docs flow html'
        """
        last = (self.url or self.id).rstrip("/").rpartition("/")[2]
        return _NOT_LETTERS.sub(" ", f"{self.title} {last}".lower()).strip()

    @property
    def part(self) -> str:
        """The longest part of the title, without digits: mostly the title without the name of the site.

        >>> PageText("a", "", title="A night walk to the light (print) | The Lantern").part
        'a night walk to the light'
        """
        parts = [_NOT_LETTERS.sub(" ", part).strip() for part in _BETWEEN.split(self.title.lower())]
        return max(parts, key=len)


def site_name(name: str, url: str | None) -> str:
    """Return the site of a page by its id and URL: the host, or the folder in the id that is named after it.

    All pages without a host are of one site.

    >>> site_name("b.html", "http://example.org/b"), site_name("a.org/b.html", None), site_name("a/b", None)
    ('example.org', 'a.org', '')
    """
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        host = None
    return host or next((part for part in name.split("/")[:-1] if _HOST.fullmatch(part)), "")


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """The sketch of a page: facts, a record of `FACTS`; hashes (k,) uint64, ascending, k <= `SKETCH_SIZE`."""

    facts: Any
    hashes: UInt64


def make_sketch(page: PageText, words: UInt64 | None = None) -> Sketch:
    """Return the sketch of a page; words: the hashes (w,) of the words of its text, if they are known.

    >>> sketch = make_sketch(PageText("a", " ".join(f"word{k}" for k in range(1000))))
    >>> int(sketch.facts["size"]), int(sketch.facts["kept"])
    (995, 256)
    """
    hashed = hashed_words(page.text) if words is None else words
    every = np.sort(shingles_of(hashed, WIDTH))  # numpy.unique takes six times as long
    every = every[np.append(every[1:] != every[:-1], True)[: len(every)]]
    hashes = every[:SKETCH_SIZE].copy()
    facts = np.zeros((), FACTS)
    facts["digest"] = _hash(hashed.tobytes())
    facts["site"] = 0 if page.site is None else _hash(page.site)
    facts["name"] = _hash(f"{page.site}\0{page.name or page.id}")
    numbers = " ".join(sorted(_NUMBER.findall(page.title)))
    values = {"title": page.title, "part": page.part, "numbers": numbers, "heading": page.heading}
    for name, text in values.items():
        facts[name] = _hash(" ".join(_WORD.findall(text.lower()))) if text else 0
    facts["top"] = hashes[-1] if len(every) > SKETCH_SIZE else np.iinfo(np.uint64).max
    facts["size"] = len(every)
    facts["kept"] = len(hashes)
    return Sketch(facts[()], hashes)


def _hash(text: str | bytes) -> int:
    encoded = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return int.from_bytes(hashlib.blake2b(encoded, digest_size=8).digest(), "little")
