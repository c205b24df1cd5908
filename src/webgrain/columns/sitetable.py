"""The site table: on how many pages of a site each text, each place and each text at a place occurs.

    PageFacts --SiteTable.of_page--> SiteTable of a page
    SiteTables --SiteTable.merged--> SiteTable.shared --> SiteTable of the site
    SiteTable --rows of keys--> numbers of pages, and sums, for the texts and places of a page

A text is the key of its characters without white space; a place is the key of the path to a block, with and
without classes. Each page has a table; the tables of pages, or of parts of a site, are added up by
`SiteTable.merged`. Counting is sorting the keys and adding the rows with equal keys. Sums are exact, so the
order of the pages does not matter.

A text of many pages is boilerplate; a place whose texts differ holds content. The models of extraction judge
each block by the page alone first: the table has the sums of their probabilities at each place, too. The
judgements cost more than the counts, so some pages may stand for the others (`SiteTable.judged_by`).

Cost: sorting the keys; a look-up in a hash table for a key. `SiteTable.shared` drops texts of one page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64, Int32, Int64, UInt64
from webgrain.base.modelfile import packed, unpacked
from webgrain.base.properties import cached_property
from webgrain.columns import thresholds
from webgrain.columns.blocks import PageFacts, title_keys
from webgrain.page.kernels.keytable import key_slots, places_of

TEXT_COLUMNS = ("pages", "links", "headings")
"""Counts of a text: pages with it, with a link of it, and with a heading of it."""

PLACE_COLUMNS = (
    *("pages", "blocks", "texts", "letters", "links", "weight", "main", "comment", "titles"),
    *("articles", "threads"),
)
"""Counts and sums at a place: pages, blocks, different texts; the logarithm of the letters; shares in links;
weights of the judgements and, multiplied by them, the probabilities of main text and comments; probabilities
of the title; and those of an article and of a thread, once for each page. The weight is 0 at a place that no
judged page has."""

DECLARED_FIELDS = ("image", "description")
"""The fields of what a page declares that are counted."""

_PAGES, _TEXTS, _LETTERS, _WEIGHT = map(PLACE_COLUMNS.index, ("pages", "texts", "letters", "weight"))
_OF_PAGE = [PLACE_COLUMNS.index(name) for name in ("articles", "threads")]
_DECLARED_COLUMNS = 1 + len(DECLARED_FIELDS)
_MOST_BYTES = 64 * thresholds.MOST_TEXTS  # of the values of an array in a file
_STEPS = 2.0**24  # of a value, see `exact`


def pair_keys(place: UInt64, text: UInt64) -> UInt64:
    """Return the key (k,) of each pair of a place and a text.

    >>> a, b = np.array([1, 2], np.uint64), np.array([2, 1], np.uint64)
    >>> len({*pair_keys(a, b).tolist(), *pair_keys(a, a).tolist()})
    4
    """
    mixed = (place ^ (place >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15) + text
    return (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)


class Groups(NamedTuple):
    """Rows with equal keys.

    Attributes:
        keys: (g,) uint64, the different keys, ascending.
        order: (m,) the rows by their keys; rows with equal keys keep their order.
        first: (g,) the place of the first row of each key in ``order``.

    >>> groups = Groups.of(np.array([9, 7, 9], np.uint64))
    >>> groups.keys.tolist(), groups.sums(np.array([[1.0], [2.0], [4.0]])).tolist()
    ([7, 9], [[2.0], [5.0]])
    """

    keys: UInt64
    order: Int64
    first: Int64

    @classmethod
    def of(cls, keys: UInt64) -> Groups:
        """Return the groups of the rows with these keys (m,)."""
        order = keys.argsort(kind="stable")
        ordered = keys[order]
        changes = np.empty(len(keys), np.bool_)
        changes[:1] = True
        changes[1:] = ordered[1:] != ordered[:-1]
        first = changes.nonzero()[0]
        return cls(ordered[first], order, first)

    def sums(self, values: Float64) -> Float64:
        """Return the sums (g, c) of the values (m, c) of each key."""
        return np.add.reduceat(values[self.order], self.first, axis=0) if len(self.first) else values

    def firsts(self) -> Int64:
        """Return the first row of each key."""
        return self.order[self.first]


@dataclass(frozen=True, eq=False)
class Counts:
    """Numbers by key.

    Attributes:
        keys: (k,) uint64, ascending; values: (k, c) float64, the first column is the number of pages.

    >>> counts = Counts.summed(np.array([9, 7, 9], np.uint64), np.array([[1.0], [2.0], [2.0]]))
    >>> counts.of(np.array([9, 8, 7], np.uint64))[:, 0].tolist()
    [3.0, 0.0, 2.0]
    """

    keys: UInt64
    values: Float64

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def once(cls, keys: UInt64) -> Self:
        """Return 1 for each of these keys (k,), which are ascending."""
        return cls(keys, np.ones((len(keys), 1)))

    @classmethod
    def summed(cls, keys: UInt64, values: Float64) -> Self:
        """Return the sums of the rows (m, c) of each key (m,)."""
        groups = Groups.of(keys)
        return cls(groups.keys, groups.sums(values))

    @classmethod
    def added(cls, counts: Sequence[Counts], columns: int) -> Self:
        """Return the sums of several counts, each with the same columns."""
        keys = np.concatenate([np.zeros(0, np.uint64), *(one.keys for one in counts)])
        values = np.concatenate([np.zeros((0, columns)), *(one.values for one in counts)])
        return cls.summed(keys, values)

    @cached_property
    def rows(self) -> Float64:
        """(k + 1, c) a row of zeros for unknown keys, and the values."""
        return np.append(np.zeros((1, self.values.shape[1])), self.values, axis=0)

    @cached_property
    def _slots(self) -> Int32:
        slots: Int32 = key_slots(self.keys)
        return slots

    def find(self, keys: UInt64) -> Int32:
        """Return the row (m,) of each key in `rows`."""
        place: Int32 = places_of(keys, self.keys, self._slots)
        return place + np.int32(1)

    def of(self, keys: UInt64) -> Float64:
        """Return the values (m, c) of keys, 0 for unknown ones."""
        return self.rows[self.find(keys)]

    def kept(self, chosen: Bool) -> Counts:
        """Return the chosen rows (k,), of too many those with the most pages, with values as in a file."""
        at = np.flatnonzero(chosen)
        if len(at) > thresholds.MOST_TEXTS:
            most = np.argsort(-self.values[at, 0], kind="stable")[: thresholds.MOST_TEXTS]
            at = np.sort(at[most])
        return Counts(self.keys[at], self.values[at].astype(np.float32).astype(np.float64))

    def of_several(self, others: Bool | None = None) -> Counts:
        """Return the rows of keys that several pages have, and others (k,), see `kept`."""
        several = self.values[:, 0] >= thresholds.SHARED_PAGES
        return self.kept(several if others is None else several | others)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {"keys": packed(self.keys, "<u8"), "values": packed(self.values, "<f4")}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], columns: int) -> Self:
        """Return the counts with these values; others raise ValueError or KeyError."""
        keys = unpacked(values["keys"], "<u8", _MOST_BYTES).astype(np.uint64)
        table = unpacked(values["values"], "<f4", _MOST_BYTES).astype(np.float64).reshape(len(keys), columns)
        if not np.isfinite(table).all() or (keys[1:] <= keys[:-1]).any():
            raise ValueError("expected finite counts of ascending keys")
        return cls(keys, table)


def _none(columns: int) -> Counts:
    return Counts(np.zeros(0, np.uint64), np.zeros((0, columns)))


@dataclass(frozen=True, eq=False)
class Places:
    """The places of a site in one form, and the texts at them.

    Attributes:
        counts: by place, with `PLACE_COLUMNS`; texts: numbers of pages by text at a place, see `pair_keys`.
        place: (t,) uint64, the place of each of the texts.
    """

    counts: Counts = field(default_factory=lambda: _none(len(PLACE_COLUMNS)))
    texts: Counts = field(default_factory=lambda: _none(1))
    place: UInt64 = field(default_factory=lambda: np.zeros(0, np.uint64))

    @classmethod
    def of_page(cls, place: UInt64, text: UInt64, sums: Float64) -> Self:
        """Return the places of the blocks (b,) of a page; sums: of `_sums`."""
        places, pairs = Groups.of(place), Groups.of(pair_keys(place, text))
        different = pairs.firsts()
        columns = np.ones((len(place), len(PLACE_COLUMNS)))
        columns[:, _TEXTS] = 0.0
        columns[different, _TEXTS] = 1.0
        columns[:, _LETTERS:] = sums
        values = places.sums(columns)
        values[:, _PAGES] = 1.0
        values[:, _OF_PAGE] = columns[:1, _OF_PAGE]  # once, the same at all places
        return cls(Counts(places.keys, values), Counts.once(pairs.keys), place[different])

    @classmethod
    def merged(cls, parts: Sequence[Places]) -> Self:
        """Return the sum of the counts of different pages; different texts are those of any part."""
        counts = Counts.added([part.counts for part in parts], len(PLACE_COLUMNS))
        keys = np.concatenate([np.zeros(0, np.uint64), *(part.texts.keys for part in parts)])
        numbers = np.concatenate([np.zeros((0, 1)), *(part.texts.values for part in parts)])
        place = np.concatenate([np.zeros(0, np.uint64), *(part.place for part in parts)])
        pairs = Groups.of(keys)
        repeated = np.ones((len(keys), 1))
        repeated[pairs.firsts()] = 0.0
        values = counts.values.copy()
        values[:, _TEXTS] -= Counts.summed(place, repeated).of(counts.keys)[:, 0]
        texts = Counts(pairs.keys, pairs.sums(numbers))
        return cls(Counts(counts.keys, values), texts, place[pairs.firsts()])

    def judged_by(self, groups: Sequence[tuple[Counts, float]]) -> Places:
        """Return the places with the judgements of groups of pages, see `SiteTable.judged_by`."""
        rows = [
            np.concatenate([counts.values[:, :1], counts.values[:, _WEIGHT:]], axis=1) for counts, _ in groups
        ]
        of_groups = [
            Counts(counts.keys, exact(values * stands_for))
            for (counts, stands_for), values in zip(groups, rows, strict=True)
        ]
        judged = Counts.added(of_groups, 1 + len(PLACE_COLUMNS) - _WEIGHT).of(self.counts.keys)
        values = self.counts.values.copy()
        pages = np.where(judged[:, :1] > 0, judged[:, :1], np.inf)
        values[:, _WEIGHT:] = judged[:, 1:] * (values[:, :1] / pages)
        return replace(self, counts=Counts(self.counts.keys, values))

    def shared(self) -> Places:
        """Return the counts without texts of one page."""
        texts = self.texts.of_several()
        place = self.place[self.texts.keys.searchsorted(texts.keys)]
        return Places(self.counts.kept(np.ones(len(self.counts), bool)), texts, place)

    def find(self, place: UInt64, text: UInt64) -> tuple[Int32, Int32]:
        """Return the rows (b,) of places, and those of texts at these places, see `Counts.find`."""
        return self.counts.find(place), self.texts.find(pair_keys(place, text))

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        place = packed(self.place, "<u8")
        return {"counts": self.counts.to_dict(), "texts": self.texts.to_dict(), "place": place}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the counts with these values; others raise one of `webgrain.base.modelfile.DAMAGED`."""
        counts = Counts.from_dict(values["counts"], len(PLACE_COLUMNS))
        texts = Counts.from_dict(values["texts"], 1)
        place = unpacked(values["place"], "<u8", _MOST_BYTES).astype(np.uint64)
        if len(place) != len(texts):
            raise ValueError("expected a place of each text")
        return cls(counts, texts, place)


@dataclass(frozen=True, eq=False)
class SiteTable:
    """What the pages of a site, or of a type, have in common.

    Attributes:
        pages: their number; articles: the sum of the probabilities that they are articles.
        texts: by text, with `TEXT_COLUMNS`; the parts of titles have keys of their own.
        places, tag_places: with and without classes.
        nodes: numbers of pages by the text of a node, see `webgrain.page.text.visible_texts`.
        declared: numbers of pages by the value that they declare, and those of each of `DECLARED_FIELDS`; the
            key 0 counts the pages with any value of a field.

    >>> from webgrain.columns.blocks import page_facts, text_keys
    >>> from webgrain.page.parsing import parse
    >>> pages = [parse(f"<p>Menu<h1>{name}") for name in ("One", "Two")]
    >>> table = SiteTable.merged(SiteTable.of_page(page_facts(page)) for page in pages)
    >>> table.texts.of(text_keys(["Menu", "One"])).tolist()
    [[2.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    """

    pages: int = 0
    articles: float = 0.0
    texts: Counts = field(default_factory=lambda: _none(len(TEXT_COLUMNS)))
    places: Places = field(default_factory=Places)
    tag_places: Places = field(default_factory=Places)
    nodes: Counts = field(default_factory=lambda: _none(1))
    declared: Counts = field(default_factory=lambda: _none(_DECLARED_COLUMNS))

    def __len__(self) -> int:
        """Return the number of pages."""
        return self.pages

    @classmethod
    def of_page(
        cls,
        facts: PageFacts,
        judged: Float32 | None = None,
        *,
        article: float = 0.0,
        thread: float = 0.0,
        nodes: UInt64 | None = None,
        declared: tuple[UInt64, Int64] | None = None,
    ) -> Self:
        """Return the table of a page.

        judged: (b, 3) the probabilities of main text, a comment and the title of its blocks; None if they are
        not known; article, thread: those of the page, 0 if they are not given; all by the page alone. nodes:
        the keys of the texts of its nodes. declared: the keys (v,) of the values that it declares, and their
        fields (v,), numbers in `DECLARED_FIELDS`.
        """
        sums = _sums(facts, judged, article, thread)
        of_nodes = np.zeros(0, np.uint64) if nodes is None else Groups.of(nodes).keys
        return cls(
            pages=1,
            articles=float(exact(np.array([article]))[0]),
            texts=_text_counts(facts),
            places=Places.of_page(facts.path, facts.text_key, sums),
            tag_places=Places.of_page(facts.tag_path, facts.text_key, sums),
            nodes=Counts.once(of_nodes),
            declared=_none(_DECLARED_COLUMNS) if declared is None else _declared_counts(*declared),
        )

    @classmethod
    def merged(cls, tables: Iterable[SiteTable]) -> Self:
        """Return the sum of the tables of different pages.

        A text at a place that both of two tables have is one of the different texts there. `shared` drops the
        texts of one page, so of tables that were stored such texts are counted again.
        """
        parts = list(tables)
        return cls(
            pages=sum(part.pages for part in parts),
            articles=float(sum(part.articles for part in parts)),
            texts=Counts.added([part.texts for part in parts], len(TEXT_COLUMNS)),
            places=Places.merged([part.places for part in parts]),
            tag_places=Places.merged([part.tag_places for part in parts]),
            nodes=Counts.added([part.nodes for part in parts], 1),
            declared=Counts.added([part.declared for part in parts], _DECLARED_COLUMNS),
        )

    def judged_by(self, groups: Iterable[tuple[SiteTable, float]]) -> SiteTable:
        """Return the table with the means of the judgements of some of its pages.

        groups: the table of some judged pages, and how many pages each of them stands for. A place that none
        of them has is not judged.

        >>> from webgrain.columns.blocks import page_facts
        >>> from webgrain.page.parsing import parse
        >>> facts = page_facts(parse("<p>Menu<h1>One"))
        >>> judged = SiteTable.of_page(facts, np.ones((2, 3), np.float32), article=0.5)
        >>> counted = SiteTable.merged([judged, SiteTable.of_page(facts)]).judged_by([(judged, 2.0)])
        >>> counted.pages, counted.articles
        (2, 1.0)
        """
        known = list(groups)
        judged_pages = sum(table.pages * stands_for for table, stands_for in known)
        articles = float(
            sum(exact(np.array([table.articles * stands_for]))[0] for table, stands_for in known)
        )
        return replace(
            self,
            articles=articles * self.pages / max(judged_pages, 1.0),
            places=self.places.judged_by([(table.places.counts, stands_for) for table, stands_for in known]),
            tag_places=self.tag_places.judged_by(
                [(table.tag_places.counts, stands_for) for table, stands_for in known]
            ),
        )

    def shared(self) -> SiteTable:
        """Return the table as it is stored: without texts of one page, except those of links and headings."""
        _, links, headings = self.texts.values.T
        is_named = (links > 0) | (headings > 0)
        return replace(
            self,
            texts=self.texts.of_several(is_named),
            places=self.places.shared(),
            tag_places=self.tag_places.shared(),
            nodes=self.nodes.of_several(),
            declared=self.declared.of_several(self.declared.keys == 0),
        )

    @cached_property
    def shared_values(self) -> frozenset[int]:
        """The keys of the values that many pages declare, so that they are not those of a page.

        >>> from webgrain.columns.blocks import page_facts
        >>> from webgrain.page.parsing import parse
        >>> declared = np.array([7], np.uint64), np.array([0])
        >>> table = SiteTable.of_page(page_facts(parse("<p>Text")), declared=declared)
        >>> SiteTable.merged([table] * 5).shared_values, SiteTable.merged([table] * 4).shared_values
        (frozenset({7}), frozenset())
        """
        _, *of_any = self.declared.of(np.zeros(1, np.uint64))[0].tolist()
        _, *of_fields = self.declared.values.T
        is_shared = np.zeros(len(self.declared), np.bool_)
        for pages, most in zip(of_fields, of_any, strict=True):
            is_shared |= pages >= max(thresholds.DECLARED_ON, thresholds.SHARED_DECLARED * most)
        return frozenset(self.declared.keys[is_shared & (self.declared.keys != 0)].tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, see `from_dict`."""
        return {
            "pages": self.pages,
            "articles": self.articles,
            "texts": self.texts.to_dict(),
            "places": self.places.to_dict(),
            "tag_places": self.tag_places.to_dict(),
            "nodes": self.nodes.to_dict(),
            "declared": self.declared.to_dict(),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the table with these values; others raise one of `webgrain.base.modelfile.DAMAGED`."""
        articles = float(values["articles"])
        if not articles >= 0:
            raise ValueError("expected the sum of the probabilities of articles")
        return cls(
            pages=int(values["pages"]),
            articles=articles,
            texts=Counts.from_dict(values["texts"], len(TEXT_COLUMNS)),
            places=Places.from_dict(values["places"]),
            tag_places=Places.from_dict(values["tag_places"]),
            nodes=Counts.from_dict(values["nodes"], 1),
            declared=(
                Counts.from_dict(values["declared"], _DECLARED_COLUMNS)
                if "declared" in values  # models of earlier versions have none
                else _none(_DECLARED_COLUMNS)
            ),
        )


def _text_counts(facts: PageFacts) -> Counts:
    """Return the counts of the texts of a page, and of the parts of its title."""
    is_link = facts.linked > thresholds.LINK_TEXT
    is_heading = (facts.is_heading | facts.is_title) & (facts.linked < thresholds.LINK_TEXT)
    titles = title_keys(facts.title_parts)
    values = np.zeros((len(facts.text_key) + len(titles), len(TEXT_COLUMNS)))
    values[:, 0] = 1.0
    values[: len(is_link), 1] = is_link
    values[: len(is_link), 2] = is_heading
    counts = Counts.summed(np.concatenate([facts.text_key, titles]), values)
    return Counts(counts.keys, np.minimum(counts.values, 1.0))


def _declared_counts(keys: UInt64, fields: Int64) -> Counts:
    """Return the counts of the values (v,) that a page declares, and of the fields; keys differ."""
    values = np.zeros((len(keys), _DECLARED_COLUMNS))
    values[:, 0] = 1.0
    values[np.arange(len(keys)), 1 + fields] = 1.0
    of_any = values.max(axis=0, initial=0.0)[None]
    return Counts.summed(np.append(keys, np.uint64(0)), np.append(values, of_any, axis=0))


def _sums(facts: PageFacts, judged: Float32 | None, article: float, thread: float) -> Float64:
    """Return what each block (b, 8) adds to the last columns of `PLACE_COLUMNS`; two are of the page."""
    sums = np.zeros((len(facts.letters), len(PLACE_COLUMNS) - _LETTERS))
    sums[:, 0] = np.log1p(facts.letters)
    sums[:, 1] = facts.linked
    sums[:, 6:] = article, thread
    if judged is not None:
        weight = np.log1p(np.maximum(facts.letters, 1.0))
        sums[:, 2] = weight
        sums[:, 3:5] = judged[:, :2] * weight[:, None]
        sums[:, 5] = judged[:, 2]
    return exact(sums)


def exact(values: Float64) -> Float64:
    """Return values as multiples of 2**-24, whose sums are exact in any order.

    >>> bool(exact(np.array([0.1]))[0] == 1677722 / 2**24)
    True
    """
    exactly: Float64 = np.rint(values * _STEPS) / _STEPS
    return exactly
