"""Where records begin that headings, ``hr`` elements or blank lines separate.

An item of a candidate may be an element and the siblings that follow it, up to the next such element. If the
element is in the middle of a record, such as its last link, each item has the end of one record and the
beginning of the next one:

    <h3>One</h3> <p>1</p> <a>More</a> <hr> <h3>Two</h3> <p>2</p> <a>More</a> <hr> ...
                          a..............................a..................

There is exactly one separator within each item then, and the items are moved: they begin after it, or at a
heading. The first one begins as many siblings before its element as most others.

Cost: linear in the siblings of the lists of a page.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median_low

from webgrain.lists.candidates import EXTENDED, Candidates
from webgrain.page.dom import Dom

MIN_MOVED = 3
"""Items that have a separator inside, at least: two are like that by chance."""


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
    extended = [k for k, kind in enumerate(candidates.kind.tolist()) if kind == EXTENDED]
    if not extended:
        return candidates
    start, stop = candidates.start.copy(), candidates.stop.copy()
    for k in extended:
        first, last = candidates.offset[k : k + 2].tolist()
        items = start[first:last].tolist()
        if len(items) > MIN_MOVED and len(set(dom.parent[items].tolist())) == 1:
            moved = _moved(dom, items, int(stop[last - 1]))
            if moved:
                start[first:last] = moved[:-1]
                stop[first:last] = moved[1:]
    return replace(candidates, start=start, stop=stop)


def _moved(dom: Dom, items: Sequence[int], stop: int) -> list[int]:
    """Return where the items of a list begin, and where the last one ends; empty if they stay."""
    siblings = list(dom.children(int(dom.parent[items[0]])))
    names = [dom.name(node) for node in siblings]
    place = {node: k for k, node in enumerate(siblings)}
    at = [place[node] for node in items]
    end = bisect_left(siblings, stop)
    every_cuts = [list(cuts(dom, siblings, names)) for cuts in (_headings, _rules, _blank_lines)]
    if any(set(at[1:]) <= set(cuts) for cuts in every_cuts):
        return []  # they begin after separators
    for cuts in every_cuts:
        inside = [cuts[bisect_right(cuts, k) : bisect_left(cuts, after)] for k, after in pairwise(at)]
        if any(len(found) != 1 for found in inside):
            continue
        begins = [found[0] for found in inside]
        before = bisect_right(cuts, at[0]) - 1
        lead = median_low([k - begin for begin, k in zip(begins, at[1:], strict=True)])
        first = cuts[before] if before >= 0 else max(0, at[0] - lead)
        following = bisect_right(cuts, at[-1])
        last = cuts[following] if following < len(cuts) else end
        bounds = [first, *begins, min(last, end)]
        return [siblings[k] if k < len(siblings) else int(dom.end[siblings[-1]]) for k in bounds]
    return []


def _headings(dom: Dom, siblings: Sequence[int], names: Sequence[str]) -> Iterator[int]:
    """Yield the places of the headings that are most frequent among siblings."""
    found = [name for name in names if name in _HEADINGS]
    most = max(sorted(set(found)), key=found.count, default="")
    return (k for k, name in enumerate(names) if name == most)


def _rules(dom: Dom, siblings: Sequence[int], names: Sequence[str]) -> Iterator[int]:
    """Yield the places after each ``hr``."""
    return (k + 1 for k, name in enumerate(names) if name == "hr")


def _blank_lines(dom: Dom, siblings: Sequence[int], names: Sequence[str]) -> Iterator[int]:
    """Yield the places after each blank line: two ``br`` without text between them."""
    breaks = 0
    for k, name in enumerate(names):
        if name == "br":
            breaks += 1
        elif name != "#text" or dom.text_of(siblings[k]).strip():
            if breaks > 1:
                yield k
            breaks = 0


_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
