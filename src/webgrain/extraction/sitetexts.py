"""What the pages of a site have in common: texts, paths, texts at paths, and what the models find at a path.

    pages --add--> SiteTexts --features--> (b, f) of the blocks of a page, NaN for a path that no page has

A text that many pages have at the same path is boilerplate; a path whose text differs between pages holds
content; a text that other pages link to is a title. Each page is first judged by itself, and the mean of
these probabilities at a path states what the other pages have there: main text, comments, the title. The mean
of the verdicts of the pages with a path states what kind of page has it. Texts and paths are kept as numbers
of 32 bits. A page from which the counts were made is read like any other: its own texts are among the counts.

Cost: a search in sorted arrays per block; the texts of one page only are not kept.
"""

from __future__ import annotations

import base64
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Float64, UInt32, UInt64
from webgrain.columns.blocks import (
    FeatureColumns,
    block_features,
    names_of,
    page_facts,
    table_of,
    title_parts,
)
from webgrain.extraction.context import Surroundings
from webgrain.extraction.thresholds import KNOWN_TEXTS, LINK_TEXT, MOST_TEXTS, SHARED_PAGES
from webgrain.page.page import Page
from webgrain.page.parsing import parse

_MANY = 5  # pages beyond which the number of pages with a link or a heading does not matter
_WINDOW = 5  # blocks to each side
_SPANS = [0, 1, 3]  # the containers of `Surroundings` that are used
_JUDGED = 6  # sums of what the models find at a path
_ANY = np.uint32(0xFFFFFFFF)
_VOTING = 3  # pages with a path, at least, whose verdicts are used by themselves


@dataclass(frozen=True, slots=True, eq=False)
class PageTexts:
    """The texts and paths of a page, as numbers.

    Attributes:
        text: (b,) of each block; path, tag_path: of the path to it, with and without classes.
        letters: (b,); linked: (b,) share of links.
        heading: (b,) whether it is a heading or the ``<title>``.
        titles: numbers of the parts of the ``<title>``.
        judged: (b, 3) the probabilities of main text, a comment and the title, by the page alone.
        article: the probability that the page is an article, by the page alone.
    """

    text: UInt32
    path: UInt32
    tag_path: UInt32
    letters: Float64
    linked: Float64
    heading: Bool
    titles: tuple[int, ...]
    judged: Float32
    article: float = 0.0

    @property
    def places(self) -> dict[str, UInt32]:
        """The paths of both kinds, by the name of their counts in `SiteTexts`."""
        return {"paths": self.path, "tag paths": self.tag_path}


def text_number(text: str) -> int:
    """Return the number of a text or an id.

    >>> text_number("a") == text_number("a") != text_number("b")
    True
    """
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1)
def texts_of_page(page: Page) -> tuple[Surroundings, PageTexts]:
    """Return where the blocks of a page are, and its texts and paths.

    >>> from webgrain.page.parsing import parse
    >>> texts_of_page(parse("<p>Menu<p>Text"))[1].letters.tolist()
    [4.0, 4.0]
    """
    facts = page_facts(page)
    around = Surroundings.of(facts, block_features(page))
    text = np.array([text_number(text) for text in facts.blocks.texts], np.uint32)
    path, tag_path = _folded(facts.path), _folded(facts.tag_path)
    parts = set(map(folded, title_parts(facts.title)))
    return around, PageTexts(
        text,
        path,
        tag_path,
        around.letters,
        facts.linked,
        around.heading | facts.is_title,
        tuple(text_number(f"title {part}") for part in parts),
        np.zeros((len(text), 3), np.float32),
    )


def folded(text: str) -> str:
    """Return a text without differences of case and white space.

    >>> folded("The  Boat")
    'the boat'
    """
    return " ".join(text.casefold().split())


def _folded(path: UInt64) -> UInt32:
    return (path ^ (path >> np.uint64(32))).astype(np.uint32)


def _pairs(path: UInt32, text: UInt32) -> UInt32:
    """Return the number of each pair of a path and a text."""
    mixed = path.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + text
    return (mixed >> np.uint64(16)).astype(np.uint32) ^ text


def _judgements(place: UInt32, page: PageTexts) -> tuple[UInt32, Float64]:
    """Return the paths of a page, and their sums (k, 6): pages, weights, main, comment, title, article.

    place: (b,) the paths of the blocks; main text and comments are weighted by the logarithm of the letters.
    The last row, of the path `_ANY`, is for the whole page.
    """
    paths, at = np.unique(place, return_inverse=True)
    weight = np.log1p(np.maximum(page.letters, 1.0))
    main, comment, title = page.judged.T.astype(np.float64)
    sums = [np.bincount(at, x, len(paths)) for x in (weight, weight * main, weight * comment, title)]
    values = np.stack([np.ones(len(paths)), *sums, np.full(len(paths), page.article)], axis=1)
    return np.append(paths, _ANY), np.concatenate([values, [[1.0, 0.0, 0.0, 0.0, 0.0, page.article]]])


class CountTable:
    """Numbers of pages by key.

    >>> counts = CountTable(np.array([7, 9], np.uint32), np.array([[2], [3]], np.float32))
    >>> counts.of(np.array([9, 8, 7], np.uint32))[:, 0].tolist()
    [3.0, 0.0, 2.0]
    """

    def __init__(self, keys: UInt32, values: Float32) -> None:
        order = np.argsort(keys, kind="stable")
        self.keys, self.values = keys[order], values[order]
        self._ends = np.append(self.keys, _ANY)
        self._rows = np.append(self.values, np.zeros((1, values.shape[1])), axis=0)  # float64

    @classmethod
    def from_counters(cls, *counters: Mapping[int, float]) -> CountTable:
        """Return the counts of the keys of the first counter."""
        keys = list(counters[0])
        values = np.array([[counter.get(key, 0.0) for counter in counters] for key in keys], np.float32)
        return cls(np.array(keys, np.uint32), values.reshape(-1, len(counters)))

    @classmethod
    def from_rows(cls, rows: list[tuple[UInt32, Float64]], columns: int) -> CountTable:
        """Return the sums of the rows (k, c) of each key."""
        if not rows:
            return cls(np.zeros(0, np.uint32), np.zeros((0, columns), np.float32))
        keys, at = np.unique(np.concatenate([keys for keys, _ in rows]), return_inverse=True)
        values = np.zeros((len(keys), columns))
        np.add.at(values, at, np.concatenate([values for _, values in rows]))
        kept = np.sort(np.argsort(-values[:, 0], kind="stable")[:MOST_TEXTS])
        return cls(keys[kept], values[kept].astype(np.float32))

    def of(self, keys: UInt32) -> Float64:
        """Return the counts of keys (k, c), 0 for unknown ones."""
        at = self.keys.searchsorted(keys)
        return self._rows[np.where(self._ends[at] == keys, at, -1)]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {"columns": self.values.shape[1], "keys": _packed(self.keys), "values": _packed(self.values)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> CountTable:
        """Return the counts with these values; others raise ValueError or KeyError."""
        keys = _unpacked(values["keys"], np.dtype("<u4"))
        table = _unpacked(values["values"], np.dtype("<f4")).reshape(len(keys), int(values["columns"]))
        if not np.isfinite(table).all():
            raise ValueError("expected finite counts")
        return cls(keys, table)


def _packed(array: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(array.astype(array.dtype.newbyteorder("<")).tobytes(), 9)).decode()


def _unpacked(text: object, dtype: np.dtype[Any]) -> NDArray[Any]:
    unpack = zlib.decompressobj()
    try:
        data = unpack.decompress(base64.b64decode(str(text), validate=True), 64 * MOST_TEXTS)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    return np.frombuffer(data, dtype).astype(dtype.newbyteorder("="))


class SiteTexts:
    """The texts and paths that the pages of a site have in common.

    Attributes:
        pages: their number; tables: the counts, by name.

    >>> site = SiteTexts.learn([])
    >>> len(site)
    0
    """

    def __init__(self, pages: int, tables: Mapping[str, CountTable]) -> None:
        self.pages, self.tables = pages, dict(tables)

    def __len__(self) -> int:
        """Return the number of pages."""
        return self.pages

    @classmethod
    def learn(cls, pages: Iterator[PageTexts] | list[PageTexts]) -> SiteTexts:
        """Return what these pages have in common."""
        number = 0
        of_text, linked, heading, occurs, letters, links = (Counter[int]() for _ in range(6))
        of_place, at_place, different = (defaultdict[str, Counter[int]](Counter) for _ in range(3))
        judged = defaultdict[str, list[tuple[UInt32, Float64]]](list)
        for page in pages:
            number += 1
            of_text.update({*page.text.tolist(), *page.titles})
            linked.update(set(page.text[page.linked > LINK_TEXT].tolist()))
            heading.update(set(page.text[page.heading & (page.linked < LINK_TEXT)].tolist()))
            occurs.update(page.path.tolist())
            logs = np.log1p(page.letters).tolist()
            for path, size, link in zip(page.path.tolist(), logs, page.linked.tolist(), strict=True):
                letters[path] += size
                links[path] += link
            for name, place in page.places.items():
                judged[name].append(_judgements(place, page))
                of_place[name].update(set(place.tolist()))
                pairs = dict(zip(_pairs(place, page.text).tolist(), place.tolist(), strict=True))
                different[name].update(path for pair, path in pairs.items() if pair not in at_place[name])
                at_place[name].update(pairs.keys())
        used = linked.keys() | heading.keys()
        shared = {text: count for text, count in of_text.items() if count >= SHARED_PAGES or text in used}
        kept = dict(Counter(shared).most_common(MOST_TEXTS))
        more = {"paths": (occurs, different["paths"], letters, links), "tag paths": (different["tag paths"],)}
        tables = {"texts": CountTable.from_counters(kept, linked, heading)}
        tables |= {name: CountTable.from_counters(of_place[name], *columns) for name, columns in more.items()}
        tables |= {f"at {name}": CountTable.from_counters(_shared(at_place[name])) for name in more}
        tables |= {f"judged {name}": CountTable.from_rows(judged[name], _JUDGED) for name in more}
        return cls(number, tables)

    def features(self, page: PageTexts, around: Surroundings) -> Float32:
        """Return the features (b, f) of the blocks of a page; their names are `site_names`."""
        return table_of(self._columns(page, around), len(page.text), site_names())

    def knows(self, page: PageTexts) -> bool:
        """Whether a page has texts at the same path in common with the other pages of the site."""
        shared = np.any([pages >= SHARED_PAGES for pages in _pair_pages(self, page)], axis=0)
        return len(set(page.text[shared].tolist())) >= KNOWN_TEXTS

    def shared_text(self, texts: list[str]) -> Float64:
        """Return the shares (t, 3) of the pages with each text, with a link, and with a heading of it."""
        keys = np.array([text_number(text) for text in texts], np.uint32)
        return self.tables["texts"].of(keys) / max(len(self), 1)

    def _columns(self, page: PageTexts, around: Surroundings) -> FeatureColumns:
        n, b = max(len(self), 1), len(page.text)
        text, linked, heading = self.tables["texts"].of(page.text).T
        text = np.where(text >= SHARED_PAGES, text, 0.0)
        with_text, at_tags = _pair_pages(self, page)
        by_path = self.tables["paths"].of(page.path)
        by_tags = self.tables["tag paths"].of(page.tag_path)
        pages, occurs, different, letters, links = by_path.T
        of_tags, different_tags = by_tags.T
        most_pages, most_tags = np.maximum(pages, 1.0), np.maximum(of_tags, 1.0)
        same, same_tags = with_text / most_pages, at_tags / most_tags
        unknown = np.where(pages > 0, 0.0, np.nan)
        unknown_tags = np.where(of_tags > 0, 0.0, np.nan)
        yield "pages", np.full(b, np.log(n))
        yield "text", text / n
        yield "text on", np.minimum(text, _MANY)
        yield "path", pages / n
        yield "tag path", of_tags / n
        yield "same", same + unknown
        yield "same at tags", same_tags + unknown_tags
        most = np.maximum(occurs, 1.0)
        varies = different / most
        yield "varies", varies + unknown
        yield "varies at tags", different_tags / most_tags + unknown_tags
        yield "times", np.log(most / most_pages) + unknown
        yield "letters", letters / most + unknown
        yield "links", links / most + unknown
        yield "linked", np.minimum(linked, _MANY)
        yield "heading", np.minimum(heading, _MANY)
        weight = page.letters + 1.0
        before = np.zeros((5, b + 1))  # of each block, the letters of all blocks and of those with a property
        columns = (np.ones(b), text > 0, np.minimum(same_tags, 1.0), varies, heading > 0)
        np.cumsum(weight * np.array(columns), axis=1, out=before[:, 1:])
        size, repeated, differs = before[0], before[1], before[3]
        spans = around.spans[_SPANS]
        inside = before[:, spans[:, :, 1]] - before[:, spans[:, :, 0]]  # (5, spans, b)
        shares = inside[1:] / np.maximum(inside[0], 1e-9)
        names = [f"{name} in {k}" for k in _SPANS for name in ("text", "same", "varies", "heading")]
        yield names, shares.transpose(1, 0, 2).reshape(len(names), b)
        at = np.arange(b)
        first, last = np.maximum(at - _WINDOW, 0), np.minimum(at + _WINDOW + 1, b)
        yield "text within", (repeated[last] - repeated[first]) / (size[last] - size[first])
        yield "page text", np.full(b, repeated[-1] / size[-1])
        yield "page path", np.full(b, (weight * (pages > 0)).sum() / size[-1])
        yield "page varies", np.full(b, differs[-1] / size[-1])

    def judgements(self, page: PageTexts) -> Float32:
        """Return what the models find on other pages at the paths of a page (b, g); see `judged_names`."""
        return table_of(self._judged(page), len(page.text), judged_names())

    def _judged(self, page: PageTexts) -> FeatureColumns:
        b = len(page.text)
        every = self.tables["judged paths"].of(np.array([_ANY]))[0]
        at_path, at_tags = (self.tables[f"judged {name}"].of(place) for name, place in page.places.items())
        for name, sums in (("path", at_path), ("tags", at_tags)):
            pages, weight, main, comment, title, article = sums.T
            with np.errstate(invalid="ignore", divide="ignore"):
                yield f"main at {name}", np.where(pages > 0, main / weight, np.nan)
                yield f"comment at {name}", np.where(pages > 0, comment / weight, np.nan)
                yield f"title at {name}", np.where(pages > 0, title / pages, np.nan)
                yield f"article at {name}", np.where(pages > 0, article / pages, np.nan)
        _, first = np.unique(page.path, return_index=True)
        pages, article = at_path[first, 0], at_path[first, 5]
        n = max(every[0], 1.0)
        rare = np.where(pages > 0, np.log((n + 1.0) / np.maximum(pages, 1.0)), 0.0)
        share = article / np.maximum(pages, 1.0)
        vote = (rare @ share) / rare.sum() if rare.sum() > 0 else np.nan
        mean = every[5] / n
        yield "page article", np.full(b, vote)
        yield "all articles", np.full(b, mean)
        yield "page article above all", np.full(b, vote - mean)
        voting = share[pages >= _VOTING]
        yield "page least article", np.full(b, voting.min() if len(voting) else np.nan)
        yield "page most article", np.full(b, voting.max() if len(voting) else np.nan)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, see `from_dict`."""
        return {"pages": self.pages} | {name: table.to_dict() for name, table in self.tables.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SiteTexts:
        """Return the texts of a site with these values; raises one of `webgrain.base.modelfile.DAMAGED`."""
        empty = cls.learn([])
        tables = {name: CountTable.from_dict(values[name]) for name in empty.tables}
        for name, table in tables.items():
            if table.values.shape[1] != empty.tables[name].values.shape[1]:
                raise ValueError(f"expected other counts of {name}")
        return cls(int(values["pages"]), tables)


@lru_cache(maxsize=1)
def _pair_pages(site: SiteTexts, page: PageTexts) -> list[Float64]:
    """Return the number (b,) of pages with the pair of text and path of each block; then by tags alone."""
    pairs = {name: _pairs(place, page.text) for name, place in page.places.items()}
    return [site.tables[f"at {name}"].of(keys)[:, 0] for name, keys in pairs.items()]


@lru_cache(maxsize=1)
def site_features(page: Page, site: SiteTexts) -> Float32 | None:
    """Return `SiteTexts.features` of a page; None if the site does not know the page."""
    around, texts = texts_of_page(page)
    return site.features(texts, around) if len(site) and site.knows(texts) else None


def _shared(counter: Counter[int]) -> dict[int, int]:
    return {key: count for key, count in counter.most_common(MOST_TEXTS) if count >= SHARED_PAGES}


@cache
def site_names() -> tuple[str, ...]:
    """Return the names of the features of a site.

    >>> site_names()[:2]
    ('site pages', 'site text')
    """
    around, texts = texts_of_page(parse("<p>a"))
    features = SiteTexts.learn([])._columns(texts, around)
    return tuple(f"site {name}" for name in names_of(features))


@cache
def judged_names() -> tuple[str, ...]:
    """Return the names of the features of `SiteTexts.judgements`.

    >>> judged_names()[:2]
    ('site main at path', 'site comment at path')
    """
    features = SiteTexts.learn([])._judged(texts_of_page(parse("<p>a"))[1])
    return tuple(f"site {name}" for name in names_of(features))
