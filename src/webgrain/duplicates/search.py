"""Search for pairs of pages with the same text, by the shingles that are specific to a page within its site.

Pages of one site share their template; copies of one text on two sites do not. But a site also repeats texts:
its archives show the same posts. So a shingle has a level by the number of pages of the site that contain it
(`LEVEL_PAGES`), and a weight by its level: a shingle on few pages is specific to them, one on a quarter of
the pages belongs to the site. Two pages are compared by their specific shingles:

    symbol        meaning                                                          here
    A, B          specific shingles of two pages, weighted
    resemblance   |A and B| / |A or B|, Broder, SEQUENCES 1997                     Pairs.resemblance
    containment   |A and B| / |A|, and the same for B                              Pairs.in_b, Pairs.in_a
    t             greatest hash that both sketches cover; below it, sketches are random samples

Sketches (`webgrain.duplicates.sketches`) are joined by their hashes: pages meet for each hash that both of
their sketches contain. The hashes are sorted in parts, so that memory does not grow with the number of pages.
In each group of pages with an equal hash, the pages of a site are counted by their names, so that versions
and copies of one page count once. The number of times that two pages meet, by level, is |A and B| below t.

Two pages of a site are related if one repeats much of the other, and then duplicates if both are nearly the
same. Both decisions are logistic regressions (`odds`). A frame that some pages of a site share looks like a
text that two of them repeat. So it counts how many other pages share as much with the smaller page, and how
much text only that page has. Pages with different titles are often two products with the same
description: they need more in common.

Sites with few pages. On a site of fewer than `KNOWN` pages, and between sites, only shingles of the first
level count, and fixed shares decide. With three to seven pages (whose sketches cover the hash), a shingle on
three of them belongs to the site. With fewer, nothing is known about the site: its pages are compared with
each other by all of their shingles, and one page contains the other only if it contains nearly all of it.

Samples. Both pages are compared by their hashes up to t, because beyond it one sketch has no hashes. For that
the hashes of each page are counted up to some limits, halves of each other (`_below`).

Large groups. Up to `CROWD` pages with an equal hash all meet each other. In a larger group (a thousand copies
of one page) that would take quadratic time: there each page meets the first page of the group and the `NEAR`
pages before it. This finds all copies and connects them to one cluster, but does not list all pairs.

Cost: a sort of all hashes, at most `SORTED_KEYS` at a time. Memory: about 60 bytes for each sorted hash,
50 for each pair that meets, and 500 for each of the `JUDGED_PAIRS` that are judged at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int8, Int16, Int32, Int64, UInt64
from webgrain.duplicates import thresholds
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.sketches import SketchFacts
from webgrain.duplicates.thresholds import (
    CROWD,
    DUPLICATES,
    JUDGED_PAIRS,
    KNOWN,
    LEVEL_PAGES,
    NEAR,
    RELATED,
    SORTED_KEYS,
)

_ALL = float(2**64)
_EDGES = np.append(0.0, 0.5 ** np.arange(thresholds.OCTAVES - 2, -1, -1))
_WEIGHTS = np.array(thresholds.WEIGHTS)
_LEVELS = len(thresholds.WEIGHTS)
_RAREST = np.eye(1, _LEVELS)[0]


class PairVerdict(StrEnum):
    """The relation of two pages."""

    SAME_PAGE = "same-page"
    SAME_CONTENT = "same-content"
    NEAR_DUPLICATE = "near-duplicate"
    CONTAINS = "contains"
    SAME_TEMPLATE = "same-template"
    TOO_LITTLE_TEXT = "too-little-text"
    DISTINCT = "distinct"


PAIR_VERDICTS = tuple(PairVerdict)
"""Verdicts by number."""

DUPLICATE = PAIR_VERDICTS.index(PairVerdict.NEAR_DUPLICATE)
"""Greatest number of a verdict that means that two pages are duplicates."""


class Search(NamedTuple):
    """The parameters of a search.

    threshold: resemblance of the specific shingles from which pages are near-duplicates; None: as learnt for
    pages of a known site, `NEAR_SAME_SITE` on a site of few pages, `NEAR_OTHER_SITE` for others. templates:
    also find pairs of one site that share a template, or have too little text for a verdict.
    """

    threshold: float | None = None
    templates: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of pages, ordered by their numbers; p pairs.

    Attributes:
        a, b: (p,) int64 numbers of pages, a < b: the pages of the first index from 0, then those of the next.
        verdict: (p,) int8 indices into `PAIR_VERDICTS`.
        resemblance: (p,) float64, of their specific shingles, 0..1; nan if one page has none.
        in_b, in_a: (p,) float64, share of the specific shingles of a that b contains, and the reverse.
        specific_a, specific_b: (p,) float64, estimated and weighted numbers of specific shingles.
    """

    a: Int64
    b: Int64
    verdict: Int8
    resemblance: Float64
    in_b: Float64
    in_a: Float64
    specific_a: Float64
    specific_b: Float64

    def __len__(self) -> int:
        return len(self.a)

    def take(self, chosen: NDArray[Any]) -> Pairs:
        """Return some of the pairs, by a mask (p,) or by positions."""
        return Pairs(*(getattr(self, name)[chosen] for name in self.__slots__))


def join_pairs(parts: Sequence[Pairs]) -> Pairs:
    """Return several sets of pairs as one, ordered.

    >>> len(join_pairs([]))
    0
    """
    integers, numbers = np.zeros(0, np.int64), np.zeros(0)
    parts = parts or [Pairs(integers, integers, np.zeros(0, np.int8), *[numbers] * 5)]
    pairs = Pairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in Pairs.__slots__))
    return pairs.take(np.lexsort((pairs.b, pairs.a)))


def find_pairs(
    indexes: Sequence[DuplicateIndex],
    wanted: NDArray[np.integer[Any]] | None = None,
    search: Search | None = None,
) -> Pairs:
    """Return the pairs of duplicates in several indexes, which are searched as one.

    wanted (n,): numbers of pages of which each pair contains at least one; None: all pages.

    >>> from webgrain.duplicates.sketches import PageText
    >>> text = "The quick brown fox jumps over the lazy dog and then runs away home."
    >>> with DuplicateIndex() as index:
    ...     for name, own in (("a", text), ("b", "Something else."), ("c", text.upper())):
    ...         _ = index.add(PageText(name, own))
    ...     pairs = find_pairs([index])
    >>> pairs.a.tolist(), pairs.b.tolist(), [PAIR_VERDICTS[v].value for v in pairs.verdict]
    ([0], [2], ['same-page'])
    """
    search = search or Search()
    facts = np.concatenate([index.facts() for index in indexes])
    sites = Sites(facts)
    n = len(facts)
    met = same_digests(facts["digest"])
    counts = np.zeros((n, thresholds.OCTAVES, _LEVELS + 1), np.int16)
    parts = 1 + int(facts["kept"].sum()) // SORTED_KEYS
    for part in range(parts):
        met_in_part, of_part = meet(*_hashes(indexes, part, parts), sites, search.templates)
        met = add_up([met, met_in_part])
        counts += of_part
    if wanted is None:
        return judge_pairs(met, facts, counts, search)
    is_wanted = np.zeros(n, bool)
    is_wanted[wanted] = True
    pairs = judge_pairs(with_their_sites(met, facts, is_wanted), facts, counts, search)
    return pairs.take(is_wanted[pairs.a] | is_wanted[pairs.b])


def _hashes(indexes: Sequence[DuplicateIndex], part: int, parts: int) -> tuple[Int64, UInt64]:
    """Return the pages (k,) and the hashes (k,) of one of several parts of the hashes of all indexes."""
    pages = []
    hashes = []
    first = 0
    for index in indexes:
        page, values = index.hashes(part, parts)
        page += first
        pages.append(page)
        hashes.append(values)
        first += len(index)
    return (pages[0], hashes[0]) if len(pages) == 1 else (np.concatenate(pages), np.concatenate(hashes))


class Sites:
    """What a search needs to know of the sites of n pages.

    Attributes:
        n: number of pages; n_sites: number of sites.
        site, name: (n,) numbers; the site is -1 for a text of no site.
        site_of: (names,) the site of each name.
    """

    def __init__(self, facts: SketchFacts) -> None:
        self.n = len(facts)
        known, self.site = np.unique(facts["site"], return_inverse=True)
        self.n_sites = len(known)
        # Pages of one site with the same text are one page.
        copy, copy_of = np.unique(facts[["digest", "site"]], return_index=True, return_inverse=True)[1:]
        names = facts["name"][copy][copy_of]
        _, first, self.name = np.unique(names, return_index=True, return_inverse=True)
        # The greatest hashes of the sketches of each site, ascending, as fractions added to its number.
        self._top = np.sort(self.site + facts["top"] / _ALL * 0.999)
        self._end = np.cumsum(np.bincount(self.site, minlength=self.n_sites))
        self.site_of = self.site[first]
        self._names = np.bincount(self.site_of, minlength=self.n_sites)
        self.site = np.where(facts["site"] == 0, -1, self.site)

    def levels(self, site: Int64, hashes: UInt64, count: Int64) -> Int64:
        """Return the level (k,) of a hash (k,) that ``count`` (k,) pages of a site (k,) contain."""
        pages = self._end[site] - np.searchsorted(self._top, site + hashes / _ALL * 0.999)
        few = np.minimum(pages // 2 + 1, LEVEL_PAGES[0]).clip(thresholds.MIN_SITE_PAGES)
        level: Int64 = np.searchsorted(LEVEL_PAGES, count, side="right").astype(np.int64)
        level[count >= np.maximum(few, self._names[site] // thresholds.TEMPLATE_PART)] = _LEVELS
        level[pages < thresholds.MIN_SITE_PAGES] = 0
        return level


class Met(NamedTuple):
    """Pairs that meet, ordered by code.

    code: (p,) int64, ``a * n + b``. times: (p, _LEVELS + 1) int16, how often, by hashes of each level and, in
    the last column, by all hashes.
    """

    code: Int64
    times: NDArray[np.integer[Any]]


def add_up(parts: Sequence[Met]) -> Met:
    """Return the sums of several parts, ordered by code."""
    code, place = np.unique(np.concatenate([part.code for part in parts]), return_inverse=True)
    times = np.zeros((len(code), _LEVELS + 1), np.int16)
    first = 0
    for part in parts:  # the pairs of one part are all different
        times[place[first : first + len(part.code)]] += part.times
        first += len(part.code)
    return Met(code, times)


def meet(pages: Int64, hashes: UInt64, sites: Sites, templates: bool = False) -> tuple[Met, Int16]:
    """Return the pairs of pages that meet, and how many hashes each page has, by level.

    The numbers (n, OCTAVES, _LEVELS + 1) are those of the hashes up to each of `_EDGES`.

    pages, hashes (k,): one part of the hashes of all sketches, with their pages, ascending for each hash.
    templates: count the hashes that belong to sites, too.
    """
    order = np.argsort(hashes, kind="stable")
    pages, hashes = pages[order], hashes[order]
    del order  # most of the memory of a search is here
    begins = _begins(hashes)
    several = (
        np.flatnonzero(~(begins & np.append(begins[1:], True))) if len(begins) else np.zeros(0, np.int64)
    )
    group = np.cumsum(begins[several]) - 1
    level = np.zeros(len(pages), np.int8)
    level[several] = _levels(pages[several], hashes[several], group, sites)
    places = np.searchsorted(hashes, (_EDGES[:-1] * _ALL).astype(np.uint64), side="right")
    limits = np.arange(thresholds.OCTAVES, dtype=np.int8)
    octave = np.repeat(limits, np.diff(places, prepend=0, append=len(hashes)))
    shape = sites.n, thresholds.OCTAVES, _LEVELS + 1
    cells = pages * (thresholds.OCTAVES * (_LEVELS + 1))
    cells += octave * np.int8(_LEVELS + 1)
    cells += level
    counts = np.zeros(shape, np.int16)
    np.add.at(counts.reshape(-1), cells, 1)
    del cells
    level_of_several = level[several].astype(np.int64)
    is_specific = level_of_several < _LEVELS
    specific = several[is_specific]
    met = [_count(pages[specific], group[is_specific], sites.n, level_of_several[is_specific])]
    if templates:
        all_levels = np.full(len(several), _LEVELS)
        met.append(_count(pages[several], group, sites.n, all_levels))
    return add_up(met), counts.cumsum(axis=1, dtype=np.int16)


def _groups(keys: NDArray[Any]) -> tuple[Int64, Int64]:
    """Return the number of the group of equal keys of each key (k,), sorted, and the size of its group."""
    group = np.cumsum(_begins(keys)) - 1
    return group, np.bincount(group, minlength=1)[group] if len(keys) else group


def _begins(keys: NDArray[Any]) -> Bool:
    """Return where a group of equal keys (k,), sorted, begins."""
    begins = np.ones(len(keys), np.bool_)
    begins[1:] = keys[1:] != keys[:-1]
    return begins


def _levels(pages: Int64, hashes: UInt64, group: Int64, sites: Sites) -> Int64:
    """Return the level of each hash (k,) on the site of its page."""
    site = sites.site[pages]
    known = site >= 0
    named = np.unique(group[known] * len(sites.site_of) + sites.name[pages[known]])
    group_of, name = np.divmod(named, max(len(sites.site_of), 1))
    code, count = np.unique(group_of * sites.n_sites + sites.site_of[name], return_counts=True)
    group_of, site_of = np.divmod(code, max(sites.n_sites, 1))
    level = sites.levels(site_of, hashes[np.searchsorted(group, group_of)], count)
    level_of = np.zeros(len(pages), np.int64)
    level_of[known] = level[np.searchsorted(code, group[known] * sites.n_sites + site[known])]
    return level_of


def _count(pages: Int64, group: Int64, n: int, level: Int64) -> Met:
    """Return how often pages meet, by the levels (k,) of the hashes; `_LEVELS` for all hashes."""
    ends = [np.zeros((2, 0), np.int64), *(np.stack(two) for two in meetings(np.arange(len(pages)), group))]
    a, b = np.concatenate(ends, axis=1)
    code, place = np.unique(pages[a] * n + pages[b], return_inverse=True)
    cells = place * (_LEVELS + 1) + np.maximum(level[a], level[b])
    times = np.bincount(cells, minlength=len(code) * (_LEVELS + 1))
    return Met(code, times.astype(np.int16).reshape(len(code), _LEVELS + 1))  # at most `SKETCH_SIZE`


def with_their_sites(met: Met, facts: SketchFacts, chosen: Bool) -> Met:
    """Return the pairs with a chosen page and all pairs of their sites, which `judge_pairs` needs."""
    a, b = np.divmod(met.code, max(len(facts), 1))
    site = facts["site"]
    of_chosen_site = (site[a] == site[b]) & np.isin(site, site[chosen])[a]
    chosen = chosen[a] | chosen[b] | of_chosen_site
    return Met(met.code[chosen], met.times[chosen])


def same_digests(digests: UInt64) -> Met:
    """Return the pairs of pages (n,) with equal digests, which have met 0 times."""
    order = np.argsort(digests, kind="stable")
    group, size = _groups(digests[order])
    order, group = order[size > 1], group[size > 1]
    met = _count(order, group, len(digests), np.zeros_like(group))
    return Met(met.code, np.zeros_like(met.times))


def meetings(pages: Int64, keys: NDArray[Any]) -> Iterator[tuple[Int64, Int64]]:
    """Yield the pairs (p,), (p,) of pages (k,) with equal keys (k,), which are sorted.

    >>> [(a.tolist(), b.tolist()) for a, b in meetings(np.array([4, 3, 7, 9]), np.array([2, 5, 5, 5]))]
    [([3, 7], [7, 9]), ([3], [9])]
    """
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else keys
    sizes = np.diff(np.append(starts, len(keys)))
    first, end = np.repeat(starts, sizes), np.repeat(starts + sizes, sizes)
    crowded = end - first > CROWD
    at = np.arange(len(keys))
    far = crowded & (at - first > NEAR)
    if far.any():
        yield pages[first[far]], pages[at[far]]
    for step in range(1, CROWD):
        at = at[(at + step < end[at]) & (~crowded[at] | (step <= NEAR))]
        if not len(at):
            return
        yield pages[at], pages[at + step]


class Counted(NamedTuple):
    """What is known of p pairs that meet, from the hashes that both of their sketches cover.

    a, b: (p,) numbers of the pages; both: (p,) share of all hashes that both sketches cover; of_a, of_b:
    (p, _LEVELS + 1) number of hashes of each page by level. same_site: (p,); known: (p,) whether it has at
    least `KNOWN` pages; pages: (p,) their number, 0 for pages of two sites; differ: (p, 3) whether the
    titles, the headings, and the numbers in the titles differ. alike_a, alike_b: (p,) number of other pages
    of the site that share with a page nearly as much as the other one does.
    """

    a: Int64
    b: Int64
    both: Float64
    of_a: Float64
    of_b: Float64
    same_site: Bool
    known: Bool
    pages: Int64
    differ: Bool
    alike_a: Int32
    alike_b: Int32


class _PageCounts(NamedTuple):
    """What the pages of each site have in common.

    cover: (n,) share of all hashes that the sketch of each page covers. site, title, part, heading: (n,)
    number of pages of the site of each page, and of those with its title, part of the title, and heading.
    """

    cover: Float64
    site: Int64
    title: Int64
    part: Int64
    heading: Int64

    @classmethod
    def of(cls, facts: SketchFacts) -> _PageCounts:
        """Return the counts of pages (n,)."""
        names = ("site", "title", "part", "heading")
        return cls(facts["top"] / _ALL, *(_pages_with(facts, name) for name in names))


class _Ends(NamedTuple):
    """The pages of p pairs: a, b: (p,); both: (p,) share of all hashes that both sketches cover.

    same_site: (p,); pages: (p,) number of pages of this site, 0 for pages of two sites.
    """

    a: Int64
    b: Int64
    both: Float64
    same_site: Bool
    pages: Int64

    @classmethod
    def of(cls, met: Met, facts: SketchFacts, counted: _PageCounts) -> _Ends:
        """Return the pages of pairs."""
        a, b = np.divmod(met.code, max(len(facts), 1))
        both = np.minimum(counted.cover[a], counted.cover[b])
        same_site = (facts["site"][a] == facts["site"][b]) & (facts["site"][a] != 0)
        return cls(a, b, both, same_site, np.where(same_site, counted.site[a], 0))


def count_common(met: Met, facts: SketchFacts, counts: NDArray[np.integer[Any]]) -> Counted:
    """Return what is known of pairs; see `judge_pairs`."""
    counted = _PageCounts.of(facts)
    return _counted(met, facts, counts, counted, _alike_pages(met, facts, counted))


def _counted(
    met: Met,
    facts: SketchFacts,
    counts: NDArray[np.integer[Any]],
    counted: _PageCounts,
    alike: Int32,
) -> Counted:
    """Return what is known of pairs; alike: (2, p) of `_alike_pages`."""
    a, b, both, same_site, pages = _Ends.of(met, facts, counted)
    of_a, of_b = (_below(counts, page, both, counted.cover) for page in (a, b))
    fields = "title", "part", "numbers", "heading"
    equal = {name: facts[name][a] == facts[name][b] for name in fields}
    have = {name: np.minimum(facts[name][a], facts[name][b]) > 0 for name in fields}
    title, part, heading = counted.title, counted.part, counted.heading
    # A title of many pages, and a heading of more than half of the pages, are those of the site.
    same = (equal["part"] & (part[a] < LEVEL_PAGES[-1])) | (equal["title"] & (title[a] < LEVEL_PAGES[-1]))
    headed = have["heading"] & ~equal["heading"] & (np.maximum(heading[a], heading[b]) * 2 <= pages)
    differ = np.stack([have["part"] & ~same, headed, have["title"] & ~equal["numbers"]], axis=1)
    return Counted(a, b, both, of_a, of_b, same_site, pages >= KNOWN, pages, differ, *alike)


def _batches(met: Met) -> Iterator[tuple[slice, Met]]:
    """Yield the places of some pairs at a time, and the pairs."""
    for first in range(0, len(met.code), JUDGED_PAIRS):
        chosen = slice(first, first + JUDGED_PAIRS)
        yield chosen, Met(met.code[chosen], met.times[chosen])


def _alike_pages(met: Met, facts: SketchFacts, counted: _PageCounts) -> Int32:
    """Return (2, p) how many other pages of the site share with a, and with b, nearly as much as the pair."""
    p = len(met.code)
    ends = np.empty((2, p), np.int32)
    known = np.empty(p, np.bool_)
    shared = np.empty(p)
    for chosen, some in _batches(met):
        of = _Ends.of(some, facts, counted)
        ends[:, chosen] = of.a, of.b
        known[chosen] = of.pages >= KNOWN
        with np.errstate(invalid="ignore", divide="ignore"):
            shared[chosen] = some.times[:, :_LEVELS].sum(axis=1) / of.both
    if known.all():
        return _alike(ends[0], ends[1], shared)
    alike = np.zeros((2, p), np.int32)
    alike[:, known] = _alike(ends[0, known], ends[1, known], shared[known])
    return alike


def _pages_with(facts: SketchFacts, name: str) -> Int64:
    """Return the number (n,) of pages of the site of each page that have its value of a field."""
    key = facts["site"] * np.uint64(3) + facts[name]  # both are hashes
    _, group, pages = np.unique(key, return_inverse=True, return_counts=True)
    counted: Int64 = pages[group]
    return counted


def _below(counts: NDArray[np.integer[Any]], page: Int64, limit: Float64, cover: Float64) -> Float64:
    """Return the numbers (p, levels) of hashes of pages (p,) up to a share (p,) of all hashes.

    cover: (n,) share up to which the sketch of each page has all of its hashes.
    """
    edge = np.searchsorted(_EDGES, limit).clip(1)
    low = _EDGES[edge - 1]
    high = np.minimum(_EDGES[edge], cover[page])
    part = ((limit - low) / (high - low)).clip(0, 1)[:, None]
    below: Float64 = counts[page, edge - 1] * (1 - part) + counts[page, edge] * part
    return below


def _alike(a: NDArray[np.integer[Any]], b: NDArray[np.integer[Any]], shared: Float64) -> Int32:
    """Return (2, p) how many other pages share with a, and with b, at least `ALIKE` of what both share.

    a (p,) is ascending.
    """
    alike = np.zeros((2, len(a)), np.int32)
    if not len(a):
        return alike
    order = np.argsort(b, kind="stable")
    sorted_b = b[order]
    n = int(max(a[-1], sorted_b[-1])) + 1
    ends_before = np.append(0, np.cumsum(np.bincount(a, minlength=n) + np.bincount(b, minlength=n)))
    last = np.searchsorted(ends_before, np.arange(JUDGED_PAIRS, 2 * len(a), JUDGED_PAIRS))
    for low, high in pairwise(np.unique([0, *last.tolist(), n]).tolist()):
        of_a = slice(*np.searchsorted(a, [low, high]).tolist())
        of_b = order[slice(*np.searchsorted(sorted_b, [low, high]).tolist())]
        page = np.concatenate([a[of_a], b[of_b]])
        share = np.concatenate([shared[of_a], shared[of_b]])
        ends = np.sort(page + 1j * share)  # complex numbers are ordered by their real parts first
        least = page + 1j * thresholds.ALIKE * share
        others = np.searchsorted(ends, page + 1 + 0j) - np.searchsorted(ends, least) - 1
        alike[0, of_a] = others[: len(page) - len(of_b)]
        alike[1, of_b] = others[len(page) - len(of_b) :]
    return alike


def odds(of: Counted, times: NDArray[np.integer[Any]]) -> tuple[Float64, Float64]:
    """Return the features (p, 3) and (p, 4) of the log-odds `RELATED` and `DUPLICATES` of pairs.

    Related: logarithms of the text that is shared over the rest of the page that has less of it, of the own
    text in this rest, and of the number of pages that share as much with this page: all pages with one frame
    do. Duplicates: logarithm of the shared text over the rest of both; whether the titles, the headings, and
    the numbers in the titles differ.
    """
    shared, left, right = (each[:, :_LEVELS].astype(np.float64) for each in (times, of.of_a, of.of_b))
    rest_a, rest_b = np.maximum(left - shared, 0.0), np.maximum(right - shared, 0.0)
    swapped = rest_a.sum(axis=1) < rest_b.sum(axis=1)
    rest = np.where(swapped[:, None], rest_a, rest_b)
    alike = np.where(swapped, of.alike_a, of.alike_b)
    common, of_rest, of_both = ((each @ _WEIGHTS) + 0.5 for each in (shared, rest, rest_a + rest_b))
    rare = rest[:, : thresholds.OWN_LEVELS].sum(axis=1)
    related = [np.log(common / of_rest), np.log1p(rare), np.log1p(alike)]
    return np.stack(related, axis=1), np.column_stack([np.log(common / of_both), of.differ])


def judge_pairs(
    met: Met,
    facts: SketchFacts,
    counts: NDArray[np.integer[Any]],
    search: Search,
    model: tuple[Sequence[float], Sequence[float]] = (RELATED, DUPLICATES),
) -> Pairs:
    """Return the pairs that are searched for, with their verdicts.

    facts (n,): of all pages; counts (n, OCTAVES, _LEVELS + 1): hashes of each page up to each of `_EDGES`, by
    level; see `meet`. met: of a site, all pairs or none. model: coefficients, see `odds`; the first is added.
    """
    counted = _PageCounts.of(facts)
    alike = _alike_pages(met, facts, counted)
    judged = []
    for chosen, some in _batches(met):
        of = _counted(some, facts, counts, counted, alike[:, chosen])
        judged.append(_judged(of, some.times, facts, search, model))
    return join_pairs(judged)


def _judged(
    of: Counted,
    times: NDArray[np.integer[Any]],
    facts: SketchFacts,
    search: Search,
    model: tuple[Sequence[float], Sequence[float]],
) -> Pairs:
    """Return those of some pairs that are searched for; times: see `Met`."""
    known = of.known
    weights = np.where(known[:, None], _WEIGHTS, _RAREST)
    left, right, in_b, in_a, resemblance = _shares(of.of_a, of.of_b, times, weights)
    every_a, every_b = of.of_a.sum(axis=1), of.of_b.sum(axis=1)
    shared = times[:, -1]
    template = shared / np.maximum(every_a + every_b - shared, 1)
    is_related, is_duplicate = (
        values @ np.array(coefficients[1:]) + coefficients[0]
        for values, coefficients in zip(odds(of, times), model, strict=True)
    )
    weights = np.where(known[:, None], thresholds.CONTAINED_WEIGHTS, _RAREST)
    share = np.fmax(*_shares(of.of_a, of.of_b, times, weights)[2:4])
    unknown = of.same_site & (of.pages < thresholds.MIN_SITE_PAGES)
    contained = share >= np.where(unknown, thresholds.SAME, thresholds.CONTAINED)
    least_near = np.where(of.same_site, thresholds.NEAR_SAME_SITE, thresholds.NEAR_OTHER_SITE)
    least_named = np.where(of.differ.any(axis=1), thresholds.NAMED_APART, 0.0)
    learnt = (is_duplicate >= 0) & (share >= thresholds.MOSTLY) & (resemblance >= least_named)
    near = np.where(known, learnt, resemblance >= least_near)
    if search.threshold is not None:
        near = resemblance >= search.threshold
    related = np.where(known, (is_related >= 0) & contained, near | contained)
    least = np.where(of.both < 1, thresholds.LEAST_SPECIFIC / 2, thresholds.LEAST_SPECIFIC)
    own_levels = np.where(known, thresholds.OWN_LEVELS, 1)[:, None] > np.arange(_LEVELS)
    enough = (np.minimum(of.of_a, of.of_b)[:, :_LEVELS] * own_levels).sum(axis=1) >= least
    conditions = [
        facts["digest"][of.a] == facts["digest"][of.b],
        enough & related & near & (resemblance >= thresholds.SAME),
        enough & related & near,
        enough & related,
        enough & of.same_site & (template >= thresholds.SAME_TEMPLATE),
        ~enough & (template >= thresholds.SAME_TEMPLATE),
    ]
    verdict = np.select(conditions, range(len(conditions)), len(conditions)).astype(np.int8)
    last = PairVerdict.TOO_LITTLE_TEXT if search.templates else PairVerdict.CONTAINS
    pairs = Pairs(of.a, of.b, verdict, resemblance, in_b, in_a, left / of.both, right / of.both)
    return pairs.take(verdict <= PAIR_VERDICTS.index(last))


def judge_two(facts: SketchFacts, times: int, search: Search) -> PairVerdict:
    """Return the verdict on two pages by all of their shingles.

    facts (2,): of the pages, whose sketches contain every shingle; times: number of common shingles.
    """
    shared = np.zeros((1, _LEVELS + 1), np.int32)
    counts = np.zeros((2, thresholds.OCTAVES, _LEVELS + 1), np.int64)
    shared[0, [0, -1]] = times
    counts[:, -1, 0] = facts["size"]
    pairs = judge_pairs(Met(np.array([1]), shared), facts, counts, search._replace(templates=True))
    return PAIR_VERDICTS[pairs.verdict[0]] if len(pairs) else PairVerdict.DISTINCT


def _shares(
    of_a: Float64, of_b: Float64, times: NDArray[np.integer[Any]], weights: Float64
) -> tuple[Float64, ...]:
    """Return weighted sizes, containments and resemblance (p,) from hashes by level (p, levels)."""
    left, right, shared = (
        (weights * each[:, :_LEVELS]).sum(axis=1) for each in (of_a, of_b, times.astype(np.float64))
    )
    left, right = np.maximum(left, shared), np.maximum(right, shared)
    with np.errstate(invalid="ignore"):
        return left, right, shared / left, shared / right, shared / (left + right - shared)


class Clusters(NamedTuple):
    """Clusters of pages.

    page (n,): numbers of the pages that are in a cluster, ascending; representative (n,): the first page of
    the cluster of each, whose number also identifies the cluster.
    """

    page: Int64
    representative: Int64

    def of(self, pages: Int64) -> Int64:
        """Return the representatives (p,) of pages (p,) that are in clusters."""
        representative: Int64 = self.representative[np.searchsorted(self.page, pages)]
        return representative


def clusters(a: Int64, b: Int64) -> Clusters:
    """Return the connected components of the pairs a, b (p,) of pages; other pages are in no cluster.

    >>> clusters(np.array([1, 4, 2]), np.array([2, 7, 9]))
    Clusters(page=array([1, 2, 4, 7, 9]), representative=array([1, 1, 4, 4, 1]))
    """
    page, place = np.unique(np.concatenate([a, b]), return_inverse=True)
    left, right = place[: len(a)], place[len(a) :]
    first = np.arange(len(page))
    while True:
        least = np.minimum(first[left], first[right])
        lower = first.copy()
        for end in (left, right):  # both ends of a pair, and their representatives, get the lower one
            np.minimum.at(lower, first[end], least)
        lower = np.minimum(lower, lower[lower])
        while (lower[lower] != lower).any():
            lower = lower[lower]
        if (lower == first).all():
            return Clusters(page, page[first])
        first = lower


def clusters_of(parts: Iterable[Pairs]) -> Clusters:
    """Return the clusters of the pairs that are duplicates."""
    ends = [np.zeros((2, 0), np.int64)]
    for pairs in parts:
        same = pairs.verdict <= DUPLICATE
        ends.append(np.stack([pairs.a[same], pairs.b[same]]))
    return clusters(*np.concatenate(ends, axis=1))
