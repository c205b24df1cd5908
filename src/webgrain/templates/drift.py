"""Drift: the nodes that the pages of a type have lost and gained since its template was learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from webgrain.arrays import Int32
from webgrain.page.page import Page
from webgrain.templates.regextree import Match, Matcher, harmonic_mean
from webgrain.templates.template import TAG, Template, TypedTree, typed_tree
from webgrain.templates.thresholds import CORE, GAINED, LOST, MAX_NEW_NODES, MIN_DRIFT_PAGES

Level = Literal["none", "notice", "alarm"]


@dataclass(frozen=True, slots=True)
class Change:
    """A node: its CSS selector, and the shares of the pages that had it before and have it now."""

    css: str
    before: float
    now: float


@dataclass(frozen=True, slots=True)
class Drift:
    """The differences between pages and those that a template was learnt from.

    Attributes:
        pages: number of pages; accepted: share of them that fit the template.
        score: the mean of their scores; expected: the least score of a page that fits.
        vanished, appeared: the uppermost nodes that were lost and gained, most frequent first.
    """

    pages: int
    accepted: float
    score: float
    expected: float
    vanished: tuple[Change, ...]
    appeared: tuple[Change, ...]

    @property
    def level(self) -> Level:
        """``alarm``: half the pages do not fit, or a core node is lost; ``notice``: some pages do not fit.

        With fewer than `MIN_DRIFT_PAGES` pages there is no alarm, because a share of few pages is unreliable.
        """
        if self.pages >= MIN_DRIFT_PAGES and (self.accepted <= 0.5 or self.vanished):
            return "alarm"
        return "notice" if self.accepted < 0.9 or self.vanished or self.appeared else "none"


def drift(template: Template, pages: Iterable[Page]) -> Drift:
    """Return the differences between pages and those that the template was learnt from.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.regextree import RegexTree
    >>> old, new = "<h1>{0}</h1><div class=by>{0}</div><p>{0}", "<h1>{0}</h1><p>{0}<form><input></form>"
    >>> before, now = ([parse(html.format(n)) for n in range(10)] for html in (old, new))
    >>> found = drift(RegexTree().fit(before).template_, now)
    >>> found.level, [change.css for change in found.vanished], [change.css for change in found.appeared]
    ('alarm', ['html > body > div.by'], ['html > body > form'])
    """
    watch, matcher = DriftWatch(template), Matcher(template)
    for page in pages:
        tree = typed_tree(page)
        watch.add(tree, matcher.match(tree))
    return watch.result()


class DriftWatch:
    """Collects the pages matched with a template, one by one: see `drift`."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._have = np.zeros(len(template), np.int64)
        self._new: Counter[str] = Counter()
        self._pages = self._accepted = 0
        self._score = 0.0

    def add(self, page: TypedTree, match: Match) -> None:
        """Add a page and its match with the template."""
        here = np.zeros(len(self._template), bool)
        here[match.labels[match.labels >= 0]] = True
        self._have += here
        names = set(_selectors(self._template, page, match.labels, match.unknown))
        self._new.update(names if len(self._new) < MAX_NEW_NODES else names.intersection(self._new))
        self._pages += 1
        self._accepted += match.accepted
        self._score += match.score

    def result(self) -> Drift:
        """Return the differences between the pages so far and those that the template was learnt from."""
        n = max(self._pages, 1)
        often = ((name, count) for name, count in self._new.most_common() if count >= GAINED * n)
        return Drift(
            self._pages,
            self._accepted / n,
            self._score / n,
            harmonic_mean(*self._template.floor),
            _vanished(self._template, self._have / n) if self._pages else (),
            tuple(Change(name, 0.0, count / n) for name, count in often),
        )


def diff(old: Template, new: Template) -> tuple[Change, ...]:
    """Return the nodes that only one of two templates has, or whose support differs by half or more.

    In the order of the old template, then those of the new one alone; nodes are identified by selectors.

    >>> from webgrain.templates.regextree import RegexTree
    >>> diff(*(RegexTree().fit([f"<h1>a</h1><{tag}>b"]).template_ for tag in ("p", "pre")))
    (Change(css='html > body > p', before=1.0, now=0.0), Change(css='html > body > pre', before=0.0, now=1.0))
    """
    before, now = _supports(old), _supports(new)
    names = [*before, *(name for name in now if name not in before)]
    changes = (Change(name, before.get(name, 0.0), now.get(name, 0.0)) for name in names)
    return tuple(change for change in changes if abs(change.before - change.now) >= LOST)


def _supports(template: Template) -> dict[str, float]:
    """Return the support by selector, the greatest if several nodes share one."""
    supports: dict[str, float] = {}
    for node in np.flatnonzero(template.op == TAG).tolist():
        name = template.css(node)
        supports[name] = max(supports.get(name, 0.0), float(template.support[node]))
    return supports


def _vanished(template: Template, now: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[Change, ...]:
    core = (template.op == TAG) & (template.support >= CORE)
    lost = core & (now < LOST * template.support)
    top = lost & ~((template.owner >= 0) & lost[template.owner])
    return tuple(
        Change(template.css(node), float(template.support[node]), float(now[node]))
        for node in np.flatnonzero(top).tolist()
    )


def _selectors(template: Template, page: TypedTree, labels: Int32, unknown: Sequence[int]) -> Iterator[str]:
    """Yield selectors of unknown nodes: that of the template node above, and their tag and names."""
    dom = page.page.dom
    place = np.searchsorted(page.tree.node, unknown).tolist()
    symbols = page.symbols(page.all_names())
    for node, k in zip(unknown, place, strict=True):
        above = int(dom.parent[node])
        if above >= 0 and dom.name(node) != "#text":
            yield f"{template.css(int(labels[above]))} > {symbols[page.type[k]]}"
