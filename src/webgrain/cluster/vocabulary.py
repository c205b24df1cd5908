"""Steps of paths by number, and which of their ids and classes belong in a path of the site.

Ids and classes may name what is on a page (``<body class="page-Vector_push_back">``, ``<h2 id="SELECT">``) or
what kind of page it is (``<body class="product">``). Kept always, they make a path of every page; dropped
always, types that differ by a class alone fall together. So it is decided value by value, from how many pages
of the site share it:

- a value belongs in paths if it stands on at least `MIN_PAGES` pages and on a share `MIN_SHARE` of all; on a
  small site a share `SMALL_SHARE` is enough, and three pages. What fewer pages share is often a section;
- an id that as a rule stands beside others on elements with the same path (``l00001``, ``l00002``, ...)
  counts elements, and never belongs in a path.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.pathtable import path_keys
from webgrain.page.paths import Step, step_of, text_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom, Int32
    from webgrain.page.paths import PathTable

    UInt64 = NDArray[np.uint64]

FEWEST, MIN_PAGES = 3, 12
MIN_SHARE, SMALL_SHARE = 0.01, 0.15
CROWD = 3
"""So many ids beside each other on one page are an enumeration."""

ANCHOR = 0
"""Remainder by 2 of the key of a step that begins a path."""

SECTIONS = ("tbody", "thead", "tfoot")
"""Elements that a table may have or not; the parser adds the first to every table."""


@dataclass(slots=True)
class Vocabulary:
    """The steps of a site as they stand in the markup, by number.

    >>> from webgrain.page.parse import parse_html
    >>> from webgrain.page.paths import path_table
    >>> dom = parse_html("<p id=a>")
    >>> known = Vocabulary()
    >>> [known.steps[k].css for k in known.number(dom, path_table(dom)).tolist()]
    ['html', 'head', 'body', 'p#a']
    """

    steps: list[Step] = field(default_factory=list)
    _number: dict[int, int] = field(default_factory=dict)

    def number(self, dom: Dom, table: PathTable) -> Int32:
        """Return the number of the last step of each path (r,) of a page; new ones are learnt."""
        keys = table.step.tolist()
        for path, key in enumerate(keys):
            if key not in self._number:
                self._learn(key, step_of(dom, int(table.first[path])))
        return np.array([self._number[key] for key in keys], np.int32)

    def merge(self, other: Vocabulary) -> Int32:
        """Learn the steps of another vocabulary; return the number here of each of its numbers."""
        numbers = np.empty(len(other.steps), np.int32)
        for key, number in other._number.items():
            found = self._number.get(key)
            numbers[number] = self._learn(key, other.steps[number]) if found is None else found
        return numbers

    def _learn(self, key: int, step: Step) -> int:
        self._number[key] = len(self.steps)
        self.steps.append(step)
        return self._number[key]


@dataclass(frozen=True, slots=True)
class SharedValues:
    """The ids and classes that belong in the paths of a site.

    >>> SharedValues(frozenset(["main"]), frozenset(["post"])).strip(Step("div", "main", ("post", "x1")))
    Step(tag='div', id='main', classes=('post',))
    """

    ids: frozenset[str]
    classes: frozenset[str]

    def strip(self, step: Step) -> Step:
        """Return a step with those of its values only that belong in paths."""
        own = step.id if step.id in self.ids else ""
        return Step(step.tag, own, tuple(name for name in step.classes if name in self.classes))

    def key(self, step: Step) -> int:
        """Return the key of a step in a path; 0 where it is left out of paths.

        A step with an id begins a path: ids are unique on a page, so what is above does not matter. Its key
        is even (`ANCHOR`), those of others are odd.
        """
        kept = self.strip(step)
        if kept.tag in SECTIONS and kept == Step(kept.tag):
            return 0
        return text_key(kept.css) ^ int(bool(kept.id))


def share_values(
    steps: Sequence[Step],
    pages: Sequence[tuple[Int32, Int32]],
    *,
    min_pages: int = MIN_PAGES,
    min_share: float = MIN_SHARE,
) -> SharedValues:
    """Decide which ids and classes belong in the paths of a site.

    pages: of each page, ``up`` (r,) of its path table and the numbers (r,) of the steps.

    >>> steps = [Step("body", "", ("shop", f"item-{k}")) for k in range(9)]
    >>> share_values(steps, [(np.array([-1], np.int32), np.array([k], np.int32)) for k in range(9)])
    SharedValues(ids=frozenset(), classes=frozenset({'shop'}))
    """
    least = max(FEWEST, min(min_pages, SMALL_SHARE * len(pages)), min_share * len(pages))
    names, own = _numbered(
        [(*((f"#{step.id}",) if step.id else ()), *(f".{c}" for c in step.classes)) for step in steps]
    )
    shared = _pages_of(own, [np.unique(number) for _, number in pages], len(names)) >= least
    shared &= ~_enumerated(steps, own, pages, len(names))
    kept = [names[k] for k in np.flatnonzero(shared).tolist()]
    return SharedValues(
        frozenset(name[1:] for name in kept if name[0] == "#"),
        frozenset(name[1:] for name in kept if name[0] == "."),
    )


def _numbered(values: Sequence[Sequence[str]]) -> tuple[list[str], list[Int32]]:
    """Return the distinct values, and the numbers of those of each step."""
    known: dict[str, int] = {}
    own = [np.array([known.setdefault(value, len(known)) for value in some], np.int32) for some in values]
    return list(known), own


def _pages_of(own: Sequence[Int32], on_page: Sequence[Int32], size: int) -> NDArray[np.int64]:
    """Return on how many pages each value stands."""
    count = np.zeros(size, np.int64)
    lengths = np.array([len(some) for some in own])
    start = np.append(0, np.cumsum(lengths))
    flat = np.concatenate([*own, np.empty(0, np.int32)])
    for steps in on_page:
        some = steps[lengths[steps] > 0]
        if len(some):
            length = lengths[some]
            shift = np.repeat(start[some] - np.append(0, np.cumsum(length)[:-1]), length)
            count[np.unique(flat[np.arange(length.sum()) + shift])] += 1
    return count


def _enumerated(
    steps: Sequence[Step],
    own: Sequence[Int32],
    pages: Sequence[tuple[Int32, Int32]],
    size: int,
) -> NDArray[np.bool_]:
    """Tell which ids count elements: on most pages they stand beside others on elements of the same path."""
    number = np.array(
        [int(some[0]) if step.id else -1 for step, some in zip(steps, own, strict=True)], np.int32
    )
    # Classes without ids: elements that differ by their ids alone have the same path.
    bare = np.array([text_key(Step(step.tag, "", step.classes).css) for step in steps], np.uint64)
    pages_with, crowded = np.zeros((2, size))
    for up, step in pages:
        rows = np.flatnonzero(number[step] >= 0)
        if len(rows):
            shape = path_keys(up, bare[step], np.array([0, len(up)]))[rows]
            named = number[step[rows]].astype(np.int64)
            # One number for an id at a path, so that each counts once however often the page repeats it.
            _, first = np.unique(shape * np.uint64(2**20 + 7) + named.astype(np.uint64), return_index=True)
            _, inverse, beside = np.unique(shape[first], return_inverse=True, return_counts=True)
            np.add.at(pages_with, named[first], 1)
            np.add.at(crowded, named[first], beside[inverse] >= CROWD)
    return 2 * crowded > pages_with
