"""Drift: what the pages of a type have lost and gained since its template was learnt.

The template has the profile of the pages that it was learnt from (`webgrain.templates.profile`): of n pages,
k have a trait. Of m later pages, x have it. If nothing has changed, x has the beta-binomial distribution with
the parameters k + 1/2 and n - k + 1/2 (Jeffreys prior), so

    lost       P(X <= x) times the number of traits (Bonferroni) is small, and the share has halved
    gained     P(X >= x) times the number of traits is small, and the share has doubled

The selectors of the lists, the title, the main text and the key path are tested in the same way. The order
is, too: no page of the template has an element whose children are out of order
(`webgrain.templates.likelihood`), so k = 0, and order is lost where x pages have one. An alarm needs
something lost and a smaller probability than a notice. So a few pages, or a template of a few pages, raise no
alarm.

Calibration (`experiments/drift_bench.py`): the thresholds are chosen by the draws of ten unchanged pages on
the other sites.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass
from math import lgamma, log10
from typing import Any, Literal, Self, TypeVar

import numpy as np

from webgrain.base.arrays import Float64, Int64
from webgrain.base.properties import cached_property
from webgrain.page.addresses import Selectors
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.templates.matching import Match, TemplateMatcher
from webgrain.templates.profile import Profile, Tags, Trait, Use, drift_traits
from webgrain.templates.reasons import IS_NEW
from webgrain.templates.template import Template
from webgrain.templates.thresholds import (
    ALARM,
    CHANGED,
    GAINED,
    MAX_BROKEN,
    MAX_NEW_TRAITS,
    MAX_TESTED_PAGES,
    NOTICE,
)

Level = Literal["none", "notice", "alarm"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change:
    """Elements that were lost or gained.

    Attributes:
        css, xpath: their address; moved_to: CSS selector of the same elements at their new place, or empty.
        times: number of elements at this address that the shares refer to, at least.
        before, now: shares of the pages that had them before and have them now.
    """

    css: str
    xpath: str
    before: float
    now: float
    times: int = 1
    moved_to: str = ""

    def __str__(self) -> str:
        shares = f"on {self.before:.0%} of the pages before, on {self.now:.0%} now"
        if self.moved_to:
            return f"{self.css} has moved to {self.moved_to}"
        if self.times > 1:
            return f"{self.css}: {self.times} elements or more {shares}"
        return f"{self.css} {'has disappeared' if self.now < self.before else 'is new'}: {shares}"


@dataclass(frozen=True, slots=True)
class Reordering:
    """Children of an element that are in another order.

    Attributes:
        css: CSS selector of the element; child: of the child that is out of order on most pages; after: of
            the child that it now follows, empty if it is there twice or at the place of another one.
        now: share of the pages whose children are out of order.
    """

    css: str
    child: str
    after: str
    now: float

    def __str__(self) -> str:
        change = f"{self.child} now follows {self.after}" if self.after else f"{self.child} has moved"
        return f"{self.css} has its children in another order on {self.now:.0%} of the pages: {change}"


@dataclass(frozen=True, slots=True)
class DriftReport:
    """The differences between pages and those that a template was learnt from.

    Attributes:
        pages: number of pages.
        level: ``alarm``: elements, lists or their order were lost; ``notice``: elements were gained, or the
            evidence for a loss is weaker; ``none``.
        vanished, appeared: the uppermost elements that were lost and gained, most certain first.
        broken: up to `MAX_BROKEN` selectors that no longer work, a sentence each.
        reordered: up to `MAX_BROKEN` elements whose children are in another order, most certain first.
        misfits: pages that do not fit the template, if they are more than by chance, else 0.
        differences: up to `MAX_BROKEN` of the differences of these pages, the most frequent first.
    """

    pages: int
    level: Level
    vanished: tuple[Change, ...] = ()
    appeared: tuple[Change, ...] = ()
    broken: tuple[str, ...] = ()
    reordered: tuple[Reordering, ...] = ()
    misfits: int = 0
    differences: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """Return all changes in words: what no longer works, then what was lost, moved and gained."""
        changes = [*self.broken, *map(str, (*self.vanished, *self.reordered, *self.appeared))]
        if self.misfits and not (self.broken or self.vanished or self.reordered):
            first = f": {self.differences[0]}" if self.differences else ""
            changes.append(f"{self.misfits} of {self.pages} pages do not fit the template{first}")
        return changes

    def __str__(self) -> str:
        return "\n  ".join((f"{self.level}: {self.pages} pages", *self.sentences()))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, ready for JSON."""
        return {"level": self.level, "summary": self.sentences(), **asdict(self)}


def drift(template: Template, pages: Iterable[Page]) -> DriftReport:
    """Return the differences between pages and those that the template was learnt from.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> old, new = "<h1>{0}</h1><div class=by>{0}</div><p>{0}", "<h1>{0}</h1><p>{0}<form><input></form>"
    >>> before, now = ([parse(html.format(n)) for n in range(15)] for html in (old, new))
    >>> print(drift(SiteTemplate().fit(before).template_, now))
    alarm: 15 pages
      html > body > div.by has disappeared: on 100% of the pages before, on 0% now
      html > body > form is new: on 0% of the pages before, on 100% now
    """
    watch = DriftWatch(template)
    for page in pages:
        watch.add(page)
    return watch.result()


class DriftWatch:
    """Counts the traits of pages, one by one: see `drift`.

    Attributes:
        profile: of the pages that the template was learnt from.
    """

    def __init__(self, template: Template) -> None:
        self.profile = template.profile
        self._matcher = Selectors([use.css for use in self.profile.uses])
        self._selected = np.zeros(len(self.profile.uses), np.int64)
        self._count: Counter[Trait] = Counter()
        self._order = FitWatch(template)
        self._pages = 0

    def add(self, page: Page, match: Match | None = None) -> None:
        """Add a page; match: with the template, if it is known. A page that raises changes nothing."""
        traits = drift_traits(page)
        selected = np.unique(self._matcher.find(page.dom)[1])
        self._order.add(page, match)
        count = self._count
        count.update(traits if len(count) < MAX_NEW_TRAITS else (x for x in traits if x in count))
        self._selected[selected] += 1
        self._pages += 1

    def result(self, other: Self | None = None) -> DriftReport:
        """Return the differences between the pages so far and those that the template was learnt from.

        other: of the same template; its pages count, too.
        """
        pages, count, selected, order = self._pages, self._count, self._selected, self._order
        if other:
            pages = pages + other._pages
            count = count + other._count
            selected = selected + other._selected
            order = order + other._order
        uses = dict(zip(self.profile.uses, selected.tolist(), strict=True))
        return compare_profiles(self.profile, Profile(pages, count, uses), order)


class FitWatch:
    """Counts the pages that do not fit a template, and those whose elements have children out of order.

    Attributes:
        template: the template; pages: number of pages.
        misfits: pages that are not accepted, and that lack something or have it at another place.
        reasons: number of these pages by sentence, see `Match.reasons`.
        count: (m,) pages on which the children of an element that stands for each TAG are out of order.
    """

    def __init__(self, template: Template) -> None:
        self.template = template
        self.pages = 0
        self.count: Int64 = np.zeros(len(template), np.int64)
        self.misfits = 0
        self.reasons: Counter[str] = Counter()
        self._moves: Counter[tuple[int, int]] = Counter()

    @cached_property
    def _matcher(self) -> TemplateMatcher:
        return TemplateMatcher(self.template)

    def add(self, page: Page, match: Match | None = None) -> None:
        """Add a page; match: with the template, if it is known. A page that raises changes nothing."""
        match = match or self._matcher.match(page)
        reasons = [reason for reason in match.reasons if not reason.endswith(IS_NEW)]
        moved = self._matcher.moved(page, match.labels[visible_tree(page).node])
        pairs = set(zip(*(column.tolist() for column in moved), strict=True))
        self.pages += 1
        self.misfits += bool(reasons)
        self.reasons.update(reasons if len(self.reasons) < MAX_NEW_TRAITS else ())
        self._moves.update(pairs if len(self._moves) < MAX_NEW_TRAITS else pairs & self._moves.keys())
        self.count[np.unique(self.template.owner[moved[0]])] += 1

    def __add__(self, other: FitWatch) -> FitWatch:
        """Return the counts of both, which have the same template."""
        total = FitWatch(self.template)
        total.pages = self.pages + other.pages
        total.count = self.count + other.count
        total.misfits = self.misfits + other.misfits
        total.reasons = self.reasons + other.reasons
        total._moves = self._moves + other._moves
        return total

    def evidence_of_misfits(self) -> float:
        """Return log10 of the probability that chance alone gives the number of misfits, 0 for one.

        A page of the template is counted as a misfit, since few pages of a type are.
        """
        if not self.template.n_pages or not self.pages:
            return 0.0
        usual = np.ones(1, np.int64)
        now = np.array([self.misfits], np.int64)
        _, (p,) = change_probabilities(usual, max(self.template.n_pages, 2), now, self.pages, 1)
        return float(p)

    def evidence(self) -> dict[int, float]:
        """Return log10 of the corrected probability that chance has changed the order below each TAG."""
        n = self.template.n_pages
        if not n or not self.pages:
            return {}
        tags = np.flatnonzero(self.count)
        tests = int((np.bincount(self.template.owner.clip(0), minlength=1) > 1).sum())
        _, p = change_probabilities(np.zeros(len(tags), np.int64), n, self.count[tags], self.pages, tests)
        return _below_one(tags.tolist(), p)

    def changes(self, least: float) -> list[Reordering]:
        """Return the elements whose order has changed with at most this evidence, most certain first."""
        evidence = self.evidence()
        chosen = sorted((p, tag) for tag, p in evidence.items() if p < least)
        return [self._change(tag) for _, tag in chosen[:MAX_BROKEN]]

    def _change(self, tag: int) -> Reordering:
        template = self.template
        of_tag = [(-n, move) for move, n in self._moves.items() if template.owner[move[0]] == tag]
        child, before = min(of_tag, default=(0, (tag, -1)))[1]
        after = "" if before in (child, -1) else template.css(before)
        return Reordering(template.css(tag), template.css(child), after, int(self.count[tag]) / self.pages)


def compare_profiles(old: Profile, new: Profile, order: FitWatch | None = None) -> DriftReport:
    """Return the differences between two profiles; order: of the new pages, by the template of the old."""
    p_lost, p_gained, p_failing = evidence(old, new)
    lost = _uppermost({trait: p for trait, p in p_lost.items() if p < NOTICE})
    gained = _uppermost({trait: p for trait, p in p_gained.items() if p < NOTICE})
    failing = [use for use, p in p_failing.items() if p < NOTICE]
    # A named element that is lost at one place and gained at another has moved.
    places = {(trait.tags[-1], trait.name): trait for trait in gained if trait.name}
    moves = {trait: place for trait in lost if (place := places.get((trait.tags[-1], trait.name)))}
    left = {trait.tags for trait in moves}
    reached = {trait.tags for trait in moves.values()}
    lost = [trait for trait in lost if not _is_below(trait, left)]
    gained = [trait for trait in gained if trait not in moves.values() and not _is_below(trait, reached)]
    reordered = order.changes(NOTICE) if order else []
    p_order = list(order.evidence().values()) if order else []
    p_misfits = order.evidence_of_misfits() if order else 0.0
    has_misfits = order is not None and p_misfits < NOTICE
    worst = min((*p_lost.values(), *p_failing.values(), *p_order, p_misfits), default=0.0)
    return DriftReport(
        new.n_pages,
        _level(worst, bool(lost or gained or failing or reordered or has_misfits)),
        tuple(_change(trait, old, new, moves.get(trait)) for trait in lost),
        tuple(_change(trait, old, new) for trait in gained),
        tuple(_failing(use, old, new) for use in failing[:MAX_BROKEN]),
        tuple(reordered),
        order.misfits if order and has_misfits else 0,
        tuple(reason for reason, _ in order.reasons.most_common(MAX_BROKEN)) if order and has_misfits else (),
    )


def _level(worst: float, is_changed: bool) -> Literal["none", "notice", "alarm"]:
    if worst < ALARM:
        return "alarm"
    return "notice" if is_changed else "none"


def evidence(old: Profile, new: Profile) -> tuple[dict[Trait, float], dict[Trait, float], dict[Use, float]]:
    """Return log10 of the corrected probabilities of traits lost, traits gained and selectors lost.

    Only of those whose share of the pages has halved or doubled.
    """
    n = old.n_pages
    m = new.n_pages
    tests = len(old.count)
    if not n or not m:
        return {}, {}, {}
    new_traits = [trait for trait, k in new.count.items() if k >= GAINED * m and trait not in old.count]
    traits = [*old.count, *new_traits]
    k = np.array([old.count.get(trait, min(1, n - 1)) for trait in traits], np.int64)
    x = np.array([new.count.get(trait, 0) for trait in traits], np.int64)
    lost, gained = change_probabilities(k, n, x, m, tests)
    return _below_one(traits, lost), _below_one(traits, gained), _failing_uses(old, new)


def failing_uses(old: Profile, new: Profile) -> list[Use]:
    """Return the selectors that select something on fewer pages than before."""
    if not old.n_pages or not new.n_pages:
        return []
    return [use for use, p in _failing_uses(old, new).items() if p < NOTICE]


def _failing_uses(old: Profile, new: Profile) -> dict[Use, float]:
    """Return log10 of the corrected probability of each selector that selects something on fewer pages."""
    uses = list(old.uses)
    k, x = (np.array([profile.uses.get(use, 0) for use in uses], np.int64) for profile in (old, new))
    failing, _ = change_probabilities(k, old.n_pages, x, new.n_pages, len(old.count))
    return _below_one(uses, failing)


def _below_one(names: list[T], p: Float64) -> dict[T, float]:
    return {names[i]: float(p[i]) for i in np.flatnonzero(p < 0).tolist()}


def _failing(use: Use, old: Profile, new: Profile) -> str:
    now, before = (
        f"{profile.n_pages - profile.uses[use]} of {profile.n_pages} pages" for profile in (new, old)
    )
    return f"the selector of the {use.name}, {use.css}, selects nothing on {now} (before: on {before})"


def template_changes(old: Template, new: Template) -> tuple[Change, ...]:
    """Return the uppermost elements that half of the pages of one template have and of the other have not.

    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> old, new = (SiteTemplate().fit([f"<h1>a</h1><{tag}>b"] * 2).template_ for tag in ("p", "pre"))
    >>> [(change.css, change.before, change.now) for change in template_changes(old, new)]
    [('html > body > p', 1.0, 0.0), ('html > body > pre', 0.0, 1.0)]
    """
    before, after = old.profile, new.profile
    removed = _uppermost(_more_frequent(before, after))
    added = _uppermost(_more_frequent(after, before))
    return tuple(_change(trait, before, after) for trait in (*removed, *added))


def _more_frequent(first: Profile, second: Profile) -> dict[Trait, float]:
    """Return the traits that half of the pages more have in the first profile, the most frequent lowest."""
    return {
        trait: -first.share(trait) for trait in first.count if first.share(trait) - second.share(trait) >= 0.5
    }


def _uppermost(rank: Mapping[Trait, float]) -> list[Trait]:
    """Return the uppermost of some traits, by rank: none below a path among them, one for each place."""
    once = {trait.tags for trait in rank if not trait.name and trait.times == 1}
    paths = {trait.tags for trait in rank if not trait.name}
    named = {trait.tags for trait in rank if trait.name}
    chosen: dict[tuple[Tags, str], Trait] = {}
    for trait in sorted(rank, key=lambda trait: (rank[trait], trait)):
        above = paths if trait.times > 1 else once
        if not _is_below(trait, above) and (trait.name or trait.tags not in named):
            chosen.setdefault((trait.tags, trait.name), trait)
    return list(chosen.values())


def _is_below(trait: Trait, paths: Set[Tags]) -> bool:
    return any(trait.tags[:depth] in paths for depth in range(1, len(trait.tags)))


def _change(trait: Trait, old: Profile, new: Profile, moved: Trait | None = None) -> Change:
    before = old.share(trait)
    now = new.share(trait)
    css, xpath = (new if now > before else old).address(trait)
    return Change(css, xpath, before, now, trait.times, new.address(moved)[0] if moved else "")


def change_probabilities(k: Int64, n: int, x: Int64, m: int, tests: int) -> tuple[Float64, Float64]:
    """Return log10 of the corrected probabilities (t,) that traits were lost and gained by chance, 0 for one.

    k: pages of n that had each trait; x: pages of m that have it now; tests: number of traits that are
    tested. Traits whose share has not halved or doubled have probability 1.

    >>> lost, gained = change_probabilities(np.array([15, 8]), 15, np.array([0, 9]), 10, 10)
    >>> [lost.round(1).tolist(), gained.round(1).tolist()]
    [[-6.3, 0.0], [0.0, 0.0]]
    """
    before, now = k / n, x / m
    if m > MAX_TESTED_PAGES:  # a small difference of many pages is no change
        x = np.rint(x * (MAX_TESTED_PAGES / m)).astype(np.int64)
        m = MAX_TESTED_PAGES
    if n > MAX_TESTED_PAGES:
        k = np.rint(k * (MAX_TESTED_PAGES / n)).astype(np.int64)
        n = MAX_TESTED_PAGES
    log_gamma, fact = (np.array([lgamma(i + x) for i in range(n + m + 1)]) for x in (0.5, 1.0))
    i = np.arange(m + 1)
    log_p = fact[m] - fact[i] - fact[m - i] + lgamma(n + 1.0) - lgamma(n + m + 1.0)
    log_p = log_p + log_gamma[k[:, None] + i] - log_gamma[k][:, None]
    log_p += log_gamma[(n - k)[:, None] + m - i] - log_gamma[n - k][:, None]
    p = np.exp(log_p)
    row = np.arange(len(k))
    below = np.cumsum(p, axis=1)[row, x]
    above = np.cumsum(p[:, ::-1], axis=1)[row, m - x]
    lost, gained = (
        np.minimum(np.log10(np.maximum(tail, 1e-300)) + log10(tests), 0) for tail in (below, above)
    )
    return np.where(now < CHANGED * before, lost, 0.0), np.where(before < CHANGED * now, gained, 0.0)
