"""New types: pages that are alike and that are not like the pages from which the types of a site were learnt.

    learnt and new pages --pairs--> probability (n, n) --merging--> groups without learnt pages --> types

Source: the merging of `webgrain.pagetypes.pagetypes` with constraints (Davidson, Ravi, Agglomerative
hierarchical clustering with constraints, PKDD 2005): learnt pages of one type stay together, and those of
different types apart. A group of enough pages that has no learnt page is a new type. The classifier is learnt
again, from the learnt and the new pages; the earlier types keep their pages and labels.

A page of a new part of a site seldom fits no type: it has the frame of the site, and the classifier knows
only what separates the earlier types, so it gives the page one of them. The pairs of all pages show that it
differs.

Cost: that of learning the types from the learnt and the new pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Int64, UInt64
from webgrain.base.modelfile import packed, unpacked
from webgrain.page.page import Page
from webgrain.page.paths import text_key
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.pagetypes import TypeModel, TypeRule, clarity_of, find_groups, learn_classifier
from webgrain.pagetypes.thresholds import CERTAIN_ODDS, LEARNT_PAGES, MIN_NEW_TYPE, WAITING_PAGES
from webgrain.pagetypes.traits import PROFILE, TRAIT_FAMILIES, PageTraits, naming_words, page_traits
from webgrain.pagetypes.typelabels import type_labels, unused

LEAST = 0.5
"""Mean probability from which groups of pages are merged: the default of `PageTypes`."""


class NewPage(NamedTuple):
    """What is read of a page that may be of a new type. words: see `naming_words`."""

    id: str
    url: str | None
    traits: PageTraits
    words: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return what is read of a page."""
        return cls(page.id, page.url, page_traits(page), naming_words(page))

    @property
    def mark(self) -> tuple[int, int]:
        """Two 64-bit numbers by which the page is recognised: of its traits, and of its id."""
        return self.traits.digest, text_key(self.id)


@dataclass(frozen=True, slots=True, eq=False)
class LearntPages:
    """Some of the pages from which the types of a site were learnt, and pages that wait for a type.

    Attributes:
        traits: of the pages (p,), without those that only one of them has.
        marks: (p, 2) uint64, by which pages are recognised: numbers of all their traits and of their ids.
        types: (p,) int64, the numbers of their rules in the model; -1 for pages that wait.

    >>> from webgrain.page.parsing import parse
    >>> html = "<h1>Page</h1><p>{0}"
    >>> pages = [NewPage.of(parse(html.format(name))) for name in ("one", "two", "three")]
    >>> learnt = LearntPages.of(pages, np.array([0, 0, -1]))
    >>> sorted(LearntPages.from_dict(learnt.to_dict()).types.tolist())
    [-1, 0, 0]
    """

    traits: tuple[PageTraits, ...] = ()
    marks: UInt64 = field(default_factory=lambda: np.zeros((0, 2), np.uint64))
    types: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.types)

    @classmethod
    def of(cls, pages: Sequence[NewPage], types: Int64) -> Self:
        """Return some of these pages: of each type in proportion to its pages, and of those that wait.

        The order of the pages has no effect.
        """
        marks = [page.mark for page in pages]
        by_mark = sorted(range(len(pages)), key=marks.__getitem__)
        usual = [k for k in by_mark if not pages[k].traits.special]
        number = types[usual]
        share = min(1.0, LEARNT_PAGES / max(int((number >= 0).sum()), 1))
        chosen: list[int] = []
        for type_ in np.unique(number).tolist():
            of_type = [k for k, other in zip(usual, number.tolist(), strict=True) if other == type_]
            most = WAITING_PAGES if type_ < 0 else max(MIN_NEW_TYPE, round(share * len(of_type)))
            chosen += of_type[:most]
        traits = _without_rare([pages[k].traits for k in chosen])
        of_chosen = np.array([marks[k] for k in chosen], np.uint64).reshape(-1, 2)
        return cls(traits, of_chosen, types[chosen])

    def joined(self, other: LearntPages) -> LearntPages:
        """Return these pages and other ones."""
        marks = np.concatenate([self.marks, other.marks])
        types = np.append(self.types, other.types)
        waiting = np.flatnonzero(types < 0)[WAITING_PAGES:]
        kept = np.delete(np.arange(len(types)), waiting)
        traits = (*self.traits, *other.traits)
        return LearntPages(tuple([traits[k] for k in kept.tolist()]), marks[kept], types[kept])

    def to_dict(self) -> dict[str, Any]:
        """Return the pages as plain values, see `from_dict`."""
        keys, rows = np.unique(_joined([page.key for page in self.traits], np.uint64), return_inverse=True)
        return {
            "types": self.types.tolist(),
            "marks": packed(self.marks.ravel(), "<u8"),
            "keys": packed(keys, "<u8"),
            "rows": packed(rows, "<u4"),
            "start": packed(_joined([page.start for page in self.traits], np.int32), "<i4"),
            "profile": packed(_joined([page.profile for page in self.traits], np.float64), "<f8"),
            "region": packed(np.array([page.region for page in self.traits], np.uint64), "<u8"),
            "tags": [" ".join(page.tags) for page in self.traits],
            "tag_count": packed(_joined([page.tag_count for page in self.traits], np.int64), "<i8"),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the pages with these values; others raise one of `webgrain.base.modelfile.DAMAGED`."""
        types = np.array(values["types"], np.int64).reshape(-1)
        n = len(types)
        keys = unpacked(values["keys"], "<u8").astype(np.uint64)[unpacked(values["rows"], "<u4")]
        start = unpacked(values["start"], "<i4").astype(np.int32).reshape(n, len(TRAIT_FAMILIES) + 1)
        profile = unpacked(values["profile"], "<f8").astype(np.float64).reshape(n, len(PROFILE))
        marks, region = (unpacked(values[name], "<u8").astype(np.uint64) for name in ("marks", "region"))
        tags = [tuple(str(text).split()) for text in values["tags"]]
        counts = unpacked(values["tag_count"], "<i8").astype(np.int64)
        ends, tag_ends = start[:, -1].cumsum(), np.cumsum([len(of_page) for of_page in tags], dtype=np.int64)
        sizes = len(marks), 2 * len(region), len(tags), int(ends.max(initial=0)), int(tag_ends.max(initial=0))
        if (
            sizes != (2 * n, 2 * n, n, len(keys), len(counts))
            or (start[:, 0] != 0).any()
            or (np.diff(start) < 0).any()
        ):
            raise ValueError("the traits of the learnt pages are incomplete")
        if not np.isfinite(profile).all() or (types < -1).any():
            raise ValueError("the traits of the learnt pages are no numbers")
        rows = zip(np.split(keys, ends[:-1]), start, profile, region.tolist(), tags, strict=True) if n else ()
        of_tags = np.split(counts, tag_ends[:-1]) if n else []
        traits = [PageTraits(*row, of_page) for row, of_page in zip(rows, of_tags, strict=True)]
        return cls(tuple(traits), marks.reshape(-1, 2), types)


def _joined(arrays: Sequence[Any], dtype: Any) -> Any:
    return np.concatenate([np.zeros(0, dtype), *arrays])


def _without_rare(traits: Sequence[PageTraits]) -> tuple[PageTraits, ...]:
    """Return traits without the keys that a single page has, which take most of the memory."""
    keys = _joined([page.key for page in traits], np.uint64)
    number, pages = np.unique(keys, return_inverse=True, return_counts=True)[1:]
    is_shared = (pages > 1)[number]
    kept = []
    last = 0
    for page in traits:
        chosen = is_shared[last : last + len(page.key)]
        last += len(page.key)
        before = np.append(0, chosen.cumsum()).astype(np.int32)
        kept.append(replace(page, key=page.key[chosen], start=before[page.start]))
    return tuple(kept)


class NewTypes(NamedTuple):
    """The types of a site after new pages were compared with it.

    Attributes:
        model: with the new types; the model before if there are none.
        learnt: the pages for the next time.
        types: (n,) the numbers of the rules of the new pages; -1 for a page of no type or of a special one.
        labels: of the new types.
    """

    model: TypeModel
    learnt: LearntPages
    types: Int64
    labels: tuple[str, ...] = ()


def find_new_types(model: TypeModel, learnt: LearntPages, pages: Sequence[NewPage]) -> NewTypes:
    """Return the types of a site and of new pages (n,); pages that wait already count once."""
    count = sum(not rule.special for rule in model.rules)
    types = np.full(len(pages), -1, np.int64)
    known = frozenset(map(tuple, learnt.marks.tolist()))
    by_mark = sorted([(page.mark, k) for k, page in enumerate(pages) if not page.traits.special])
    usual = [k for mark, k in by_mark if mark not in known]
    is_complete = set(learnt.types[learnt.types >= 0].tolist()) == set(range(count))
    if not is_complete or not count or not usual:
        return NewTypes(model, learnt, types)
    new = [pages[k] for k in usual]
    traits = [*learnt.traits, *(page.traits for page in new)]
    before = np.append(learnt.types, np.full(len(new), -1, np.int64))
    groups = find_groups(traits, LEAST, earlier=before, odds=CERTAIN_ODDS)
    of_all = _numbered(groups.types, before, len(learnt), count)
    of_learnt, of_new = of_all[: len(learnt)], of_all[len(learnt) :]
    types[usual] = of_new
    stored = [k for k, number in enumerate(of_new.tolist()) if number < 0 or number >= count]
    added = LearntPages.of([new[k] for k in stored], of_new[stored])
    known_pages = replace(learnt, types=of_learnt).joined(added)
    last = int(of_all.max(initial=-1)) + 1
    if last == count:
        return NewTypes(model, known_pages, types)
    classifier = learn_classifier(groups.columns, groups.probability, of_all)
    fits, clarity = classifier.fit_of(traits), clarity_of(groups.probability, of_all)
    labels = _labels(model, pages, types)
    rules = []
    for k in range(last):
        rule = model.rules[k] if k < count else TypeRule(labels[k - count], size=int((of_all == k).sum()))
        least = round(float(fits[of_all == k, k].min()), 4)
        rules.append(replace(rule, clarity=round(float(clarity[k]), 4), least=least))
    grown = TypeModel((*rules, *model.rules[count:]), classifier)
    has_type = np.flatnonzero(of_all >= 0)
    digests = [*learnt.marks[:, 0].tolist(), *(page.traits.digest for page in new)]
    by_classifier = grown.with_known(
        [traits[k] for k in has_type.tolist()], of_all[has_type], [digests[k] for k in has_type.tolist()]
    )
    grown = replace(grown, known={**model.known, **by_classifier.known})
    return NewTypes(grown, known_pages, types, tuple(labels))


def _numbered(groups: Int64, before: Int64, learnt: int, count: int) -> Int64:
    """Return the types (n,) of pages in groups (n,): earlier ones, and new ones from ``count`` on.

    before (n,): the types of the learnt pages, which are the first ones, -1 for others. Of several types in a
    group, that of most pages counts; a group of too few pages without a type has none.
    """
    types = np.full(len(groups), -1, np.int64)
    next_type = count
    for group in range(int(groups.max(initial=-1)) + 1):
        member = np.flatnonzero(groups == group)
        known = before[member][before[member] >= 0]
        if len(known):
            types[member] = np.bincount(known).argmax()
        elif len(member) >= MIN_NEW_TYPE and (member >= learnt).any():
            types[member] = next_type
            next_type += 1
    return np.where(before >= 0, before, types)


def _labels(model: TypeModel, pages: Sequence[NewPage], types: Int64) -> list[str]:
    """Return the labels of the new types; types (n,): the numbers of the types of new pages, -1 for none."""
    count = sum(not rule.special for rule in model.rules)
    groups = [(k, np.flatnonzero(types == k).tolist()) for k in np.unique(types).tolist() if k >= 0]
    groups.sort(key=lambda group: group[0] >= count)
    earlier = ["" if k >= count else model.rules[k].label for k, _ in groups]
    traits, words = [page.traits for page in pages], [page.words for page in pages]
    taken = {OTHER, *(rule.label for rule in model.rules)}
    labels = []
    for label, before in zip(
        type_labels(traits, words, [of_type for _, of_type in groups], earlier), earlier, strict=True
    ):
        if not before:
            labels.append(unused(label, taken))
            taken.add(labels[-1])
    return labels
