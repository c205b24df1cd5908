"""Drift of a site: what its pages have lost and gained since its template was learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from webgrain.arrays import Int32
from webgrain.page.page import Page
from webgrain.templates.regextree import CORE, Match, Matcher, harmonic
from webgrain.templates.template import TAG, Marked, Template, css, marked

Level = Literal["none", "notice", "alarm"]


FEW = 10
"""Pages that an alarm takes: of single pages of a site that has not changed, every eighth would raise one."""

LOST = 0.5
"""A node that nearly all pages had is lost where fewer than this share of those that had it still do."""

GAINED = 0.2
"""Share of the pages from which on a new node is told."""

MOST_NEW = 100_000
"""New nodes that are counted, at most."""


@dataclass(frozen=True, slots=True)
class Change:
    """One node: its CSS selector, and the share of the pages that had it before, and that have it now."""

    css: str
    before: float
    now: float


@dataclass(frozen=True, slots=True)
class Drift:
    """How pages differ from those that a template was learnt from.

    Attributes:
        pages: how many there were; accepted: the share of them that is of the template's kind.
        score: the mean of their scores; expected: the least that a page of its kind has.
        vanished, appeared: the uppermost nodes that were lost and gained, the most frequent first.
    """

    pages: int
    accepted: float
    score: float
    expected: float
    vanished: tuple[Change, ...]
    appeared: tuple[Change, ...]

    @property
    def level(self) -> Level:
        """``alarm``: half the pages do not fit, or a node that all had is gone; ``notice``: some do not.

        Of less than `FEW` pages there is a notice at most: there, a share says little.
        """
        if self.pages >= FEW and (self.accepted <= 0.5 or self.vanished):
            return "alarm"
        return "notice" if self.accepted < 0.9 or self.vanished or self.appeared else "none"


def drift(template: Template, pages: Iterable[Page]) -> Drift:
    """Return how pages differ from those that the template was learnt from.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.templates.regextree import RegexTree
    >>> old, new = "<h1>{0}</h1><div class=by>{0}</div><p>{0}", "<h1>{0}</h1><p>{0}<form><input></form>"
    >>> before, now = (
    ...     [parse(Source("a", html.format(n).encode())) for n in range(10)] for html in (old, new)
    ... )
    >>> found = drift(RegexTree().fit(before).template_, now)
    >>> found.level, [change.css for change in found.vanished], [change.css for change in found.appeared]
    ('alarm', ['html > body > div.by'], ['html > body > form'])
    """
    watch, matcher = DriftWatch(template), Matcher(template)
    for page in pages:
        one = marked(page)
        watch.add(one, matcher.match(one))
    return watch.result()


class DriftWatch:
    """Watches pages as they are matched with a template, one by one: see `drift`."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._have = np.zeros(len(template), np.int64)
        self._new: Counter[str] = Counter()
        self._pages = self._accepted = 0
        self._score = 0.0

    def add(self, page: Marked, match: Match) -> None:
        """Take in a page and its match with the template."""
        here = np.zeros(len(self._template), bool)
        here[match.labels[match.labels >= 0]] = True
        self._have += here
        names = set(_selectors(self._template, page, match.labels, match.unknown))
        self._new.update(names if len(self._new) < MOST_NEW else names.intersection(self._new))
        self._pages += 1
        self._accepted += match.accepted
        self._score += match.score

    def result(self) -> Drift:
        """Return how the pages so far differ from those that the template was learnt from."""
        n = max(self._pages, 1)
        often = ((name, count) for name, count in self._new.most_common() if count >= GAINED * n)
        return Drift(
            self._pages,
            self._accepted / n,
            self._score / n,
            harmonic(*self._template.floor),
            _vanished(self._template, self._have / n) if self._pages else (),
            tuple(Change(name, 0.0, count / n) for name, count in often),
        )


def diff(one: Template, other: Template) -> tuple[Change, ...]:
    """Return the nodes that only one of two templates has, or whose support differs by half or more.

    In the order of the first template, then those of the second alone; a node is known by its selector.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.templates.regextree import RegexTree
    >>> old, new = (
    ...     RegexTree().fit([parse(Source("a", html))]).template_
    ...     for html in (b"<h1>a</h1><p>b", b"<h1>a</h1><pre>b</pre>")
    ... )
    >>> diff(old, new)
    (Change(css='html > body > p', before=1.0, now=0.0), Change(css='html > body > pre', before=0.0, now=1.0))
    """
    before, now = _supports(one), _supports(other)
    names = [*before, *(name for name in now if name not in before)]
    changes = (Change(name, before.get(name, 0.0), now.get(name, 0.0)) for name in names)
    return tuple(change for change in changes if abs(change.before - change.now) >= LOST)


def _supports(template: Template) -> dict[str, float]:
    """Return the support by selector, the greatest where several nodes share one."""
    supports: dict[str, float] = {}
    for node in np.flatnonzero(template.op == TAG).tolist():
        name = css(template, node)
        supports[name] = max(supports.get(name, 0.0), float(template.support[node]))
    return supports


def _vanished(template: Template, now: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[Change, ...]:
    core = (template.op == TAG) & (template.support >= CORE)
    lost = core & (now < LOST * template.support)
    top = lost & ~((template.owner >= 0) & lost[template.owner])
    return tuple(
        Change(css(template, node), float(template.support[node]), float(now[node]))
        for node in np.flatnonzero(top).tolist()
    )


def _selectors(template: Template, page: Marked, labels: Int32, unknown: Sequence[int]) -> Iterator[str]:
    """Yield selectors of unknown nodes: that of the template node above, and tag and marks of their own."""
    dom = page.page.dom
    place = np.searchsorted(page.tree.node, unknown).tolist()
    symbols = page.symbols(frozenset().union(*(marks for _, marks in page.kinds)))
    for node, k in zip(unknown, place, strict=True):
        above = int(dom.parent[node])
        if above >= 0 and dom.name(node) != "#text":
            yield f"{css(template, int(labels[above]))} > {symbols[page.kind[k]]}"
