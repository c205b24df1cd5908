"""What the types of a site are to people: names, key paths, what these say, examples, fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from webgrain.page.paths import text_key
from webgrain.results import Field, PageType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.cluster.sitepaths import SitePaths
    from webgrain.cluster.statistics import SiteStatistics
    from webgrain.cluster.typemodel import Rule
    from webgrain.page.paths import Path

    Floats = NDArray[np.float64]
    Int64 = NDArray[np.int64]

EXAMPLES = 10
FIELDS = 8
FIELD_SHARE = 0.8
"""Share of a type's pages that a field is on, at least."""

CONTENTS = 5
"""What a path says is shown so often."""

CORE_SHARE = 0.95
CORE = 64
"""Paths by which a page is known to fit a type, at most."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Types with their rules in the same order, largest first, and the number of the type of each page."""

    types: tuple[PageType, ...]
    rules: tuple[Rule, ...]
    labels: NDArray[np.int32]
    confidence: Floats


def explain(
    statistics: SiteStatistics,
    site: SitePaths,
    rules: Sequence[Rule],
    ranking: Int64,
    chosen: Sequence[int],
) -> Explained:
    """Explain the types that rules stand for; ranking: all paths, best first; chosen: the key paths."""
    rules = sorted(rules, key=lambda rule: (-len(rule.pages), rule.pages))
    labels = np.full(len(site.pages), -1, np.int32)
    for k, rule in enumerate(rules):
        labels[np.array(rule.pages, np.int64)] = k
    place = np.empty(len(site), np.int64)
    place[ranking] = np.arange(len(site))
    known = {int(site.key[path]): path for path in chosen}
    view = _View(statistics, site, place, labels)
    types, named = [], []
    taken: set[str] = set()
    for rule, (paths, shares) in zip(rules, _shares(site, labels, rules), strict=True):
        path = known.get(rule.shingle[0]) if rule.shingle else None
        described = None if path is None else site.describe(path)
        label = _label(described, rule, taken)
        named.append(replace(rule, label=label, core=_core(site, paths, shares), key_path=described))
        types.append(view.page_type(rule, label, path, described, paths, shares))
    return Explained(tuple(types), tuple(named), labels, _confidence(site, labels, named))


@dataclass(frozen=True, slots=True)
class _View:
    """The pages of which contents are shown."""

    statistics: SiteStatistics
    site: SitePaths
    place: Int64
    labels: NDArray[np.int32]

    def page_type(
        self, rule: Rule, label: str, path: int | None, described: Path | None, paths: Int64, shares: Floats
    ) -> PageType:
        said = self.said(int(self.labels[rule.pages[0]]))
        tab = np.flatnonzero(self.site.key == np.uint64(rule.tab)).tolist()  # 0: of no path
        return PageType(
            label=label,
            key_path=described,
            size=len(rule.pages),
            share=len(rule.pages) / len(self.site.pages),
            tab=next(iter(_contents(tab[0], said, 1)), "") if tab else "",
            contents=() if path is None else _contents(path, said),
            examples=tuple(self.site.pages[page] for page in _spread(rule.pages)),
            fields=self.fields(said, paths, shares),
        )

    def said(self, kind: int) -> list[dict[int, str]]:
        """Return what each path says where it is first on a page, for pages of a type."""
        shown, names = self.statistics.shown.kept, self.site.pages
        # The order of the pages plays no part.
        pages = sorted((page for page in shown if self.labels[page] == kind), key=lambda page: names[page])
        return [
            dict(zip(reversed(self.site.local[page].tolist()), reversed(shown[page]), strict=True))
            for page in pages
        ]

    def fields(self, pages: Sequence[Mapping[int, str]], paths: Int64, shares: Floats) -> tuple[Field, ...]:
        """Return paths that nearly all pages of a type have once, and that say something else on each."""
        often = paths[(shares >= FIELD_SHARE) & self.site.in_body[paths] & self._single()[paths]]
        share = dict(zip(paths.tolist(), shares.tolist(), strict=True))
        fields: list[Field] = []
        above: set[int] = set()
        for path in sorted(often.tolist(), key=lambda path: int(self.place[path])):
            if len(fields) == FIELDS:
                break
            if path in above:
                continue
            said = _contents(path, pages)
            if len(said) >= 2 and not any(said == field.contents for field in fields):
                fields.append(Field(self.site.describe(path), share[path], said))
                above |= {path, *_ancestors(self.site, path)}
        return tuple(fields)

    def _single(self) -> NDArray[np.bool_]:
        """(u,) whether a page that has the path has it once, as a rule."""
        once = np.bincount(self.site.path[self.site.count == 1], minlength=len(self.site))
        return once >= FIELD_SHARE * self.site.size


def _shares(
    site: SitePaths, labels: NDArray[np.int32], rules: Sequence[Rule]
) -> Iterator[tuple[Int64, NDArray[np.float64]]]:
    """Yield for each type the paths on its pages, and the shares of its pages that have them."""
    pair, pages = np.unique(labels[site.page] * np.int64(len(site)) + site.path, return_counts=True)
    bounds = np.searchsorted(pair, np.arange(len(rules) + 1) * len(site))
    for k, rule in enumerate(rules):
        span = slice(bounds[k], bounds[k + 1])
        yield pair[span] % len(site), pages[span] / len(rule.pages)


def _core(site: SitePaths, paths: Int64, shares: NDArray[np.float64]) -> frozenset[int]:
    """Return the keys of paths that nearly all pages of a type have: those with the least keys."""
    common = paths[(shares >= CORE_SHARE) & site.in_body[paths]]
    return frozenset(np.sort(site.key[common])[:CORE].tolist())


def _confidence(site: SitePaths, labels: NDArray[np.int32], rules: Sequence[Rule]) -> Floats:
    """Return of each page the share of its type's core that it has."""
    core = [np.fromiter(rule.core, np.uint64, len(rule.core)) for rule in rules]
    wanted = [np.searchsorted(site.key, np.sort(keys)) + k * len(site) for k, keys in enumerate(core)]
    has = np.isin(labels[site.page] * np.int64(len(site)) + site.path, np.concatenate(wanted))
    size = np.array([len(keys) for keys in core])[labels]
    share: Floats = np.bincount(site.page[has], minlength=len(labels)) / np.maximum(size, 1)
    return np.where(size > 0, share, 1.0)


def _label(path: Path | None, rule: Rule, taken: set[str]) -> str:
    """Return a name made of the last steps of the key path, and four digits that tell it from others."""
    said = f"{path.css if path else rule.shingle}|{rule.tab}|{rule.content}"
    words = " ".join(step.css for step in path.steps[-2:]) if path else "other"
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:40] or "type"
    number = text_key(said)
    while (label := f"{name}-{number % 2**16:04x}") in taken:
        number += 1
    taken.add(label)
    return label


def _spread(pages: Sequence[int]) -> list[int]:
    """Return some pages, evenly spread."""
    step = max(1, len(pages) // EXAMPLES)
    return list(pages[::step][:EXAMPLES])


def _contents(path: int, pages: Iterable[Mapping[int, str]], most: int = CONTENTS) -> tuple[str, ...]:
    """Return what a path says on pages, each text once."""
    found: dict[str, None] = {}
    for said in pages:
        if len(found) < most and said.get(path):
            found[said[path]] = None
    return tuple(found)


def _ancestors(site: SitePaths, path: int) -> Iterator[int]:
    while (path := int(site.up[path])) >= 0:
        yield path
