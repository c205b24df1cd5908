"""Search for pairs of pages with the same text, by the shingles that are specific to a page within its site.

Pages of one site share their template; copies of one text on two sites do not. A shingle that occurs on
`COMMON` pages of a site belongs to the site; all others are specific to their page. Two pages are compared by
their specific shingles:

    symbol        meaning                                                          here
    A, B          specific shingles of two pages
    resemblance   |A and B| / |A or B|, Broder, SEQUENCES 1997                     Pairs.resemblance
    containment   |A and B| / |A|, and the same for B                              Pairs.in_b, Pairs.in_a
    t             greatest hash that both sketches cover; below it, sketches are random samples

Sketches (`webgrain.duplicates.sketches`) are joined by their hashes: pages meet for each hash that both of
their sketches contain. The hashes are sorted in parts, so that memory does not grow with the number of pages.
In each group of pages with an equal hash, the pages of a site are counted by their names, so that versions
and copies of one page count once; if there are too many, the hash belongs to the site and its pages do not
meet. The number of times that two pages meet is |A and B| below t.

Sites with few pages. A shingle can only be on `COMMON` pages of a site if the site has as many pages. With
three to seven pages (whose sketches cover the hash), three are enough. With fewer, nothing is known about the
site: its pages are compared with each other by all of their shingles, and one page contains the other only if
it contains nearly all of it.

Large groups. Up to `CROWD` pages with an equal hash all meet each other. In a larger group (a thousand copies
of one page) that would take quadratic time: there each page meets the first page of the group and the `NEAR`
pages before it. This finds all copies and connects them to one cluster, but does not list all pairs.

Cost: a sort of all hashes, at most `KEYS` at a time, and 24 bytes for each pair that meets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int8, Int64, UInt64
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.sketches import Facts
from webgrain.duplicates.thresholds import (
    COMMON,
    CONTAINED,
    CROWD,
    FEW,
    KEYS,
    LEAST_SPECIFIC,
    NEAR,
    NEAR_OTHER_SITE,
    NEAR_SAME_SITE,
    SAME,
    SAME_TEMPLATE,
)
from webgrain.duplicates.words import in_sorted

_ALL = float(2**64)


class Verdict(StrEnum):
    """The relation of two pages."""

    SAME_PAGE = "same-page"
    SAME_CONTENT = "same-content"
    NEAR_DUPLICATE = "near-duplicate"
    CONTAINS = "contains"
    SAME_TEMPLATE = "same-template"
    TOO_LITTLE_TEXT = "too-little-text"
    DISTINCT = "distinct"


VERDICTS = tuple(Verdict)
"""Verdicts by number."""

DUPLICATE = VERDICTS.index(Verdict.NEAR_DUPLICATE)
"""Greatest number of a verdict that means that two pages are duplicates."""


class Search(NamedTuple):
    """The parameters of a search.

    threshold: resemblance of the specific shingles from which pages are near-duplicates; None:
    `NEAR_SAME_SITE` for pages of one site and `NEAR_OTHER_SITE` for others. templates: also find pairs of one
    site that share a template, or have too little text for a verdict.
    """

    threshold: float | None = None
    templates: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of pages, ordered by their numbers; p pairs.

    Attributes:
        a, b: (p,) int64 numbers of pages, a < b: the pages of the first index from 0, then those of the next.
        verdict: (p,) int8 indices into `VERDICTS`.
        resemblance: (p,) float64, of their specific shingles, 0..1; nan if one page has none.
        in_b, in_a: (p,) float64, share of the specific shingles of a that b contains, and the reverse.
        specific_a, specific_b: (p,) float64, estimated numbers of specific shingles.
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


def join(parts: Sequence[Pairs]) -> Pairs:
    """Return several sets of pairs as one, ordered.

    >>> len(join([]))
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
    >>> pairs.a.tolist(), pairs.b.tolist(), [VERDICTS[v].value for v in pairs.verdict]
    ([0], [2], ['same-page'])
    """
    search = search or Search()
    facts = np.concatenate([index.facts() for index in indexes])
    sites, n = Sites(facts), len(facts)
    met, common = Met.none(), np.zeros(n, np.int64)
    parts = 1 + int(facts["kept"].sum()) // KEYS
    for part in range(parts):
        pages, hashes, first = [], [], 0
        for index in indexes:
            own, values = index.hashes(part, parts)
            pages.append(own + first)
            hashes.append(values)
            first += len(index)
        new, dropped = meet(np.concatenate(pages), np.concatenate(hashes), sites, search.templates)
        met, common = Met.join([met, new]), common + dropped
    met = Met.join([met, same_digests(facts["digest"])])
    a, b = np.divmod(met.code, max(n, 1))
    if wanted is not None:
        is_wanted = np.zeros(n, bool)
        is_wanted[wanted] = True
        met = met.take(is_wanted[a] | is_wanted[b])
    return judge(met, facts, common, search)


class Sites:
    """What a search needs to know of the sites of n pages.

    Attributes:
        n: number of pages; n_sites: number of sites.
        site, name: (n,) numbers; the site is -1 for a text of no site.
        site_of: (names,) the site of each name.
    """

    def __init__(self, facts: Facts) -> None:
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
        self.site = np.where(facts["site"] == 0, -1, self.site)

    def limits(self, site: Int64, hashes: UInt64) -> Int64:
        """Return the number of pages (k,) from which a hash (k,) belongs to a site (k,)."""
        pages = self._end[site] - np.searchsorted(self._top, site + hashes / _ALL * 0.999)
        few = np.minimum(pages // 2 + 1, COMMON).clip(FEW)
        limits: Int64 = np.where(pages < FEW, np.iinfo(np.int64).max, few)
        return limits


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """Pairs that meet, ordered by code.

    code: (p,) int64, ``a * n + b``. specific, shared: (p,) int64, how often, by specific hashes and by all.
    """

    code: Int64
    specific: Int64
    shared: Int64

    @classmethod
    def none(cls) -> Met:
        """Return no pairs."""
        return cls(*[np.zeros(0, np.int64)] * 3)

    @classmethod
    def join(cls, parts: Sequence[Met]) -> Met:
        """Return the sums of several parts, ordered by code."""
        code, place = np.unique(np.concatenate([part.code for part in parts]), return_inverse=True)
        specific, shared = (
            np.bincount(place, np.concatenate([getattr(part, name) for part in parts]), len(code))
            for name in ("specific", "shared")
        )
        return cls(code, specific.astype(np.int64), shared.astype(np.int64))

    def take(self, chosen: NDArray[Any] | slice) -> Met:
        """Return some of the pairs."""
        return Met(self.code[chosen], self.specific[chosen], self.shared[chosen])


def meet(pages: Int64, hashes: UInt64, sites: Sites, templates: bool = False) -> tuple[Met, Int64]:
    """Return the pairs of pages that meet, and how many hashes of each page (n,) belong to its site.

    pages, hashes (k,): one part of the hashes of all sketches, with their pages, ascending for each hash.
    templates: count the hashes that belong to sites, too.
    """
    order = np.argsort(hashes, kind="stable")
    pages, hashes = pages[order], hashes[order]
    group, size = _groups(hashes)
    several = size > 1
    pages, hashes, group = pages[several], hashes[several], group[several]
    common = _is_common(pages, hashes, group, sites)
    dropped = np.bincount(pages[common], minlength=sites.n)
    met = [_count(pages[~common], group[~common], sites.n, "specific")]
    if templates:
        met.append(_count(pages, group, sites.n, "shared"))
    return Met.join(met), dropped


def _groups(keys: NDArray[Any]) -> tuple[Int64, Int64]:
    """Return the number of the group of equal keys of each key (k,), sorted, and the size of its group."""
    starts = np.concatenate([[True], keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, bool)
    group = np.cumsum(starts) - 1
    return group, np.bincount(group, minlength=1)[group] if len(keys) else group


def _is_common(pages: Int64, hashes: UInt64, group: Int64, sites: Sites) -> Bool:
    """Return which hashes (k,) belong to the sites of their pages."""
    site = sites.site[pages]
    known = site >= 0
    named = np.unique(group[known] * len(sites.site_of) + sites.name[pages[known]])
    group_of, name = np.divmod(named, max(len(sites.site_of), 1))
    code, count = np.unique(group_of * sites.n_sites + sites.site_of[name], return_counts=True)
    group_of, site_of = np.divmod(code, max(sites.n_sites, 1))
    too_many = code[count >= sites.limits(site_of, hashes[np.searchsorted(group, group_of)])]
    return known & in_sorted(group * sites.n_sites + site, too_many)


def _count(pages: Int64, group: Int64, n: int, column: str) -> Met:
    codes = [a * n + b for a, b in meetings(pages, group)]
    code, count = np.unique(np.concatenate([np.zeros(0, np.int64), *codes]), return_counts=True)
    none = np.zeros(len(code), np.int64)
    return Met(code, count, none) if column == "specific" else Met(code, none, count)


def same_digests(digests: UInt64) -> Met:
    """Return the pairs of pages (n,) with equal digests, which have met 0 times."""
    order = np.argsort(digests, kind="stable")
    group, size = _groups(digests[order])
    met = _count(order[size > 1], group[size > 1], len(digests), "specific")
    return Met(met.code, np.zeros_like(met.code), met.shared)


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


def judge(met: Met, facts: Facts, common: Int64, search: Search) -> Pairs:
    """Return the pairs that are searched for, with their verdicts.

    facts (n,): of all pages; common (n,): hashes of each page that belong to its site.
    """
    a, b = np.divmod(met.code, max(len(facts), 1))
    cover = facts["top"] / _ALL  # share of all hashes that a sketch covers
    both = np.minimum(cover[a], cover[b])
    kept, left = facts["kept"].astype(np.float64), (facts["kept"] - common).astype(np.float64)

    def compare(own: Float64, times: Int64) -> tuple[Float64, ...]:
        """Return the numbers of hashes (p,) below the hash that both cover, containments and resemblance."""
        of_a, of_b = (np.maximum(own[page] * both / cover[page], times) for page in (a, b))
        with np.errstate(invalid="ignore"):
            return of_a, of_b, times / of_a, times / of_b, times / (of_a + of_b - times)

    of_a, of_b, in_b, in_a, resemblance = compare(left, met.specific)
    *_, template = compare(kept, met.shared)
    same_site = (facts["site"][a] == facts["site"][b]) & (facts["site"][a] != 0)
    least = np.where(same_site, NEAR_SAME_SITE, NEAR_OTHER_SITE)
    if search.threshold is not None:
        least[:] = search.threshold
    _, site, pages = np.unique(facts["site"], return_inverse=True, return_counts=True)
    contained = np.where(same_site & (pages[site[a]] < FEW), SAME, CONTAINED)
    enough = np.minimum(of_a, of_b) >= np.where(cover[a] + cover[b] < 2, LEAST_SPECIFIC / 2, LEAST_SPECIFIC)
    conditions = [
        facts["digest"][a] == facts["digest"][b],
        enough & (resemblance >= np.maximum(SAME, least)),
        enough & (resemblance >= least),
        enough & (np.fmax(in_a, in_b) >= contained),
        enough & same_site & (template >= SAME_TEMPLATE),
        ~enough & (template >= SAME_TEMPLATE),
    ]
    verdict = np.select(conditions, range(len(conditions)), len(conditions)).astype(np.int8)
    last = Verdict.TOO_LITTLE_TEXT if search.templates else Verdict.CONTAINS
    specific = left / cover
    pairs = Pairs(a, b, verdict, resemblance, in_b, in_a, specific[a], specific[b])
    return pairs.take(verdict <= VERDICTS.index(last))


class Clusters(NamedTuple):
    """Clusters of pages.

    page (n,): numbers of the pages that are in a cluster, ascending; representative (n,): the first page of
    the cluster of each, whose number also identifies the cluster.
    """

    page: Int64
    representative: Int64

    def of(self, pages: Int64) -> Int64:
        """Return the representatives (p,) of pages (p,) that are in clusters."""
        found: Int64 = self.representative[np.searchsorted(self.page, pages)]
        return found


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
