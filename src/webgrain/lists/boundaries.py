"""Where records begin that headings, ``hr`` elements or blank lines separate.

An item of a candidate may be an element and the siblings that follow it, up to the next such element. If the
element is in the middle of a record, such as its last link, each item has the end of one record and the
beginning of the next one:

    <h3>One</h3> <p>1</p> <a>More</a> <hr> <h3>Two</h3> <p>2</p> <a>More</a> <hr> ...
                          a..............................a..................

There is exactly one separator within each item then, and the items are moved: they begin after it, or at a
heading. The first one begins as many siblings before its element as most others.

An item may also be a part of a record: the paragraph with its link. If there is exactly one ``hr`` or blank
line between any two successive items, and most records have more than the item, the records are the items.

Cost: linear in the siblings of the lists of a page, and in the items of the candidates that are tried.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from statistics import median_low

import numpy as np

from webgrain.lists.candidates import ELEMENTS, EXTENDED, Candidates
from webgrain.lists.thresholds import TYPICAL
from webgrain.page.dom import Dom
from webgrain.page.text import NO_TEXT
from webgrain.page.vocabulary import NUMBER_OF_TAG

MIN_MOVED = 3
"""Items that have a separator inside, at least: two are like that by chance."""
_RULE, _BREAK = NUMBER_OF_TAG["hr"], NUMBER_OF_TAG["br"]
_NONE = frozenset[int]()


def at_boundaries(dom: Dom, candidates: Candidates) -> Candidates:
    """Return candidates whose items begin where the records begin.

    >>> import numpy as np
    >>> from webgrain.lists.candidates import find_candidates
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<div>" + "<hr>".join(f"<b>Talk {k}</b><a href={k}>Slides</a>" for k in range(4)))
    >>> found = find_candidates(page)
    >>> tags = [[page.dom.name(node) for node in found.items(k)[0].tolist()] for k in range(len(found))]
    >>> number = next(k for k, kind in enumerate(found.kind) if kind == EXTENDED and tags[k][0] == "a")
    >>> moved = at_boundaries(page.dom, found.take(np.array([number])))
    >>> [page.dom.name(node) for node in moved.start.tolist()]
    ['b', 'b', 'b', 'b']
    """
    kinds = candidates.kind.tolist()
    separated = separated_parents(dom)
    if not separated and EXTENDED not in kinds:
        return candidates
    start, stop, kind = candidates.start.copy(), candidates.stop.copy(), candidates.kind.copy()
    for k, of_items in enumerate(kinds):
        first, last = candidates.offset[k : k + 2].tolist()
        items = candidates.start[first:last].tolist()
        moved = list[int]()
        if of_items == EXTENDED and len(items) > MIN_MOVED and len(set(dom.parent[items].tolist())) == 1:
            moved = _moved(dom, items, int(candidates.stop[last - 1]))
        elif of_items == ELEMENTS and len(items) > MIN_MOVED and separated:
            moved = _around(dom, items, separated)
        if moved:
            start[first:last], stop[first:last] = moved[:-1], moved[1:]
            kind[k] = EXTENDED
    return replace(candidates, start=start, stop=stop, kind=kind)


def separated_parents(dom: Dom) -> AbstractSet[int]:
    """Return the elements with at least as many ``hr`` or pairs of ``br`` as separate the shortest list."""
    separators = ((dom.tag == _RULE) | (dom.tag == _BREAK)).nonzero()[0]
    if separators.size < MIN_MOVED:
        return _NONE
    parents = set[int]()
    for tag, least in ((_RULE, MIN_MOVED), (_BREAK, 2 * MIN_MOVED)):
        above, count = np.unique(dom.parent[separators[dom.tag[separators] == tag]], return_counts=True)
        parents.update(above[count >= least].tolist())
    return parents


def records_between_separators(
    dom: Dom, candidates: Candidates, tried: Sequence[int], separated: AbstractSet[int]
) -> int:
    """Return the first of the candidates in ``tried`` whose items are records of one form; -1 for none.

    Each item follows an ``hr`` or a blank line, except for the first one. Most items consist of the same
    elements, of which the first is a heading or bold text. separated: of `separated_parents`.

    >>> from webgrain.lists.candidates import find_candidates
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>" + "<br><br>".join(f"<b>Talk {k}</b><br>Room {k}" for k in range(5)))
    >>> found = find_candidates(page)
    >>> number = records_between_separators(page.dom, found, range(len(found)), separated_parents(page.dom))
    >>> [page.dom.name(node) for node in found.items(number)[0].tolist()]
    ['b', 'b', 'b', 'b', 'b']
    """
    siblings_of = dict[int, _Siblings]()
    for number in tried:
        start, _ = candidates.items(number)
        above = set(dom.parent[start].tolist())
        if len(start) > MIN_MOVED and len(above) == 1 and above <= separated:
            parent = above.pop()
            siblings = siblings_of.get(parent) or _Siblings(dom, parent)
            siblings_of[parent] = siblings
            at = [bisect_left(siblings.nodes, item) for item in start.tolist()]
            for cuts in siblings.separators:
                bounds = siblings.without_tail(_bounds(at, cuts, len(siblings.nodes)), at, cuts)
                if bounds[1:-1] == at[1:] and siblings.are_alike(pairwise([at[0], *bounds[1:]])):
                    return number
    return -1


def _around(dom: Dom, items: Sequence[int], separated: AbstractSet[int]) -> list[int]:
    """Return where the records around items begin, and where the last one ends; empty if they stay.

    Each item is an element. The records are parts of one of the ``separated`` elements between ``hr`` or
    between blank lines; each has one item, and most have something besides it.
    """
    above = int(dom.parent[items[0]])
    while above >= 0 and above not in separated:
        above = int(dom.parent[above])
    if above < 0 or items[-1] >= dom.end[above]:
        return []
    siblings = _Siblings(dom, above)
    at = [bisect_right(siblings.nodes, item) - 1 for item in items]
    for cuts in siblings.separators:
        bounds = siblings.without_tail(_bounds(at, cuts, len(siblings.nodes)), at, cuts)
        if bounds:
            filled = sum(siblings.is_filled(a, b, k) for (a, b), k in zip(pairwise(bounds), at, strict=True))
            return siblings.starts(bounds) if filled >= TYPICAL * len(at) else []
    return []


def _moved(dom: Dom, items: Sequence[int], stop: int) -> list[int]:
    """Return where the items of a list begin, and where the last one ends; empty if they stay."""
    siblings = _Siblings(dom, int(dom.parent[items[0]]))
    at = [bisect_left(siblings.nodes, node) for node in items]
    end = bisect_left(siblings.nodes, stop)
    headings = list(siblings.headings())
    if set(at[1:]) <= set(headings):
        return []
    for cuts in siblings.separators:
        if set(at[1:]) <= set(cuts):  # they begin after separators
            return siblings.starts(siblings.without_tail([*at, end], at, cuts))
    bounds = _bounds(at, headings, end)
    for cuts in siblings.separators:
        bounds = bounds or siblings.without_tail(_bounds(at, cuts, end), at, cuts)
    return siblings.starts(bounds)


def _bounds(at: Sequence[int], cuts: Sequence[int], end: int) -> list[int]:
    """Return the places where records begin, and where the last one ends; empty if there are no such records.

    at: the place of the item of each record among siblings; cuts: the places that records may begin at; end:
    the last record ends there or before. The first record is not longer before its item than most others.
    """
    inside = [cuts[bisect_right(cuts, k) : bisect_right(cuts, after)] for k, after in pairwise(at)]
    if any(len(between) != 1 for between in inside):
        return []
    begins = [between[0] for between in inside]
    before = bisect_right(cuts, at[0]) - 1
    lead = median_low([k - begin for begin, k in zip(begins, at[1:], strict=True)])
    first = cuts[before] if before >= 0 else max(0, at[0] - lead)
    following = bisect_right(cuts, at[-1])
    last = cuts[following] if following < len(cuts) else end
    return [first, *begins, min(last, end)]


class _Siblings:
    """The children of an element: nodes (s,) and their names; places are among them."""

    def __init__(self, dom: Dom, parent: int) -> None:
        self.dom, self.nodes = dom, list(dom.children(parent))
        self.names = [dom.name(node) for node in self.nodes]

    def starts(self, places: Sequence[int]) -> list[int]:
        """Return the nodes at some places; the place behind the last is the end of the element."""
        after = int(self.dom.end[self.nodes[-1]])
        return [self.nodes[k] if k < len(self.nodes) else after for k in places]

    def without_tail(self, bounds: Sequence[int], at: Sequence[int], cuts: Sequence[int]) -> list[int]:
        """Return bounds of records; a last one without a separator behind it is as long as the longest other.

        What follows may be the footer of the page. at, cuts: as for `_bounds`.
        """
        if not bounds or bisect_right(cuts, at[-1]) < len(cuts):
            return [*bounds]
        longest = max(self._filled_end(k, stop) - k for stop, k in zip(bounds[1:], at[:-1], strict=False))
        return [*bounds[:-1], min(bounds[-1], at[-1] + longest)]

    def _filled_end(self, first: int, last: int) -> int:
        """Return one past the last place of a range that has texts or images."""
        return next((k + 1 for k in range(last - 1, first, -1) if self._is_filled(k)), first + 1)

    def are_alike(self, spans: Iterable[tuple[int, int]]) -> bool:
        """Return whether most spans have the same elements: a heading or bold text, and something else."""
        forms = [tuple(self.names[k] for k in range(a, b) if self._is_filled(k)) for a, b in spans]
        form, size = Counter(forms).most_common(1)[0]
        begins = forms[0][:1] == form[:1] and bool(_TITLES.intersection(form[:1]))
        return begins and len(form) > 1 and size >= TYPICAL * len(forms)

    def is_filled(self, first: int, last: int, item: int) -> bool:
        """Return whether a range of places has texts or images besides the one of an item."""
        return any(self._is_filled(k) for k in range(first, last) if k != item)

    def _is_filled(self, place: int) -> bool:
        name = self.names[place]
        return name == "img" or (name not in NO_TEXT and bool(self.dom.text_of(self.nodes[place]).strip()))

    def headings(self) -> Iterator[int]:
        """Yield the places of the headings that are most frequent."""
        headings = [name for name in self.names if name in _HEADINGS]
        most = max(sorted(set(headings)), key=headings.count, default="")
        return (k for k, name in enumerate(self.names) if name == most)

    @cached_property
    def separators(self) -> tuple[list[int], list[int]]:
        """The places after each ``hr``, and after each blank line."""
        after_rules = [k + 1 for k, name in enumerate(self.names) if name == "hr"]
        return after_rules, list(self._after_blank_lines())

    def _after_blank_lines(self) -> Iterator[int]:
        """Yield the places after each blank line: two ``br`` without text between them."""
        breaks = 0
        for k, name in enumerate(self.names):
            if name == "br":
                breaks += 1
            elif name != "#text" or self.dom.text_of(self.nodes[k]).strip():
                if breaks > 1:
                    yield k
                breaks = 0


_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_TITLES = _HEADINGS | {"b", "strong"}
