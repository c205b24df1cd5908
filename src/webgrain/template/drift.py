"""Drift of a site: what its pages have lost and gained since its template was learnt."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from webgrain.template.expression import TAG
from webgrain.template.forest import marked
from webgrain.template.matching import CORE, Matcher, harmonic
from webgrain.template.templatefile import css

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webgrain.page.page import Page
    from webgrain.template.expression import Template
    from webgrain.template.forest import Marked

    Level = Literal["none", "notice", "alarm"]

LOST = 0.5
"""A node that nearly all pages had is lost where fewer than this share of those that had it still do."""

GAINED = 0.2
"""Share of the pages from which on a new node is told."""


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
        """``alarm``: half the pages do not fit, or a node that all had is gone; ``notice``: some do not."""
        if self.accepted <= 0.5 or self.vanished:
            return "alarm"
        return "notice" if self.accepted < 0.9 or self.appeared else "none"


def drift(template: Template, pages: Iterable[Page]) -> Drift:
    """Return how pages differ from those that the template was learnt from.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.regextree import RegexTree
    >>> old, new = "<h1>{0}</h1><div class=by>{0}</div><p>{0}", "<h1>{0}</h1><p>{0}<form><input></form>"
    >>> before, now = ([parse(Source("a", html.format(n).encode())) for n in range(4)] for html in (old, new))
    >>> found = drift(RegexTree().fit(before).template_, now)
    >>> found.level, [change.css for change in found.vanished], [change.css for change in found.appeared]
    ('alarm', ['html > body > div.by'], ['html > body > form'])
    """
    matcher = Matcher(template)
    have = np.zeros(len(template), np.int64)
    new: Counter[str] = Counter()
    scores, accepted = [], 0
    for page in pages:
        one = marked(page)
        match = matcher.matched(one, matcher.place(one))
        here = np.zeros(len(template), bool)
        here[match.labels[match.labels >= 0]] = True
        have += here
        new.update(set(_selectors(template, one, match.labels.tolist(), match.unknown)))
        scores.append(match.score)
        accepted += match.accepted
    n = max(len(scores), 1)
    return Drift(
        len(scores),
        accepted / n,
        sum(scores) / n,
        harmonic(*template.floor),
        _vanished(template, have / n) if scores else (),
        tuple(Change(name, 0.0, count / n) for name, count in new.most_common() if count >= GAINED * n),
    )


def diff(one: Template, other: Template) -> tuple[Change, ...]:
    """Return the nodes that only one of two templates has, or whose support differs by half or more.

    In the order of the first template, then those of the second alone; a node is known by its selector.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.template.regextree import RegexTree
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


def _selectors(template: Template, page: Marked, labels: list[int], unknown: Iterable[int]) -> Iterable[str]:
    """Yield selectors of unknown nodes: that of the template node above, and tag and marks of their own."""
    dom = page.page.dom
    place = {int(node): k for k, node in enumerate(page.tree.node)}
    symbols = page.symbols(frozenset().union(*(marks for _, marks in page.kinds)))
    for node in unknown:
        above = int(dom.parent[node])
        if above >= 0 and dom.name(node) != "#text":
            yield f"{css(template, labels[above])} > {symbols[page.kind[place[node]]]}"
