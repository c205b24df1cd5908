"""Selectors that select the elements of a field on all pages.

They are proposed from what the elements have in common, and tried on the pages. The proposals go from short
and stable ones to long ones: an id, a property of microdata, classes, the nearest elements above that have an
id or classes, and the whole path with places among siblings. Steps that parsers add or leave out (``tbody``)
are not written. Combinators are only those that CSS and XPath share; both forms of a selector select the same
elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple

import numpy as np

from webgrain.fields.thresholds import MAX_CANDIDATES, MAX_LEVELS, MIN_VERIFIED
from webgrain.page.addresses import Selectors, sibling_places
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.paths import Step
from webgrain.page.strings import bounded_cache, css_name

_MARKS = ("itemprop", "data-testid", "rel")
_MARK = re.compile(r"[\w:./ -]{1,60}")
_NAME = re.compile(r"(?!-[-\d]|-$)\S+$")
"""Names of ids and classes that all readers of CSS accept, written with escapes if need be."""
_SKIPPED = frozenset(("tbody",))
_FIRST = 0.5  # what a selector that selects further elements counts less, in pages (hand-set)
_TRIED_FIRST = 5  # selectors of each field that are tried before the others (hand-set)
_CHILD, _DESCENDANT = " > ", " "


class FieldSelector(NamedTuple):
    """A selector as CSS and as XPath."""

    css: str
    xpath: str


class _Element(NamedTuple):
    """What selectors may state about an element.

    Attributes:
        tag, id, classes: of the markup; the id is without white space around it.
        place, siblings: its number among the siblings of its tag, from 0, and their number.
        marks: the values of `_MARKS`, None for none.
    """

    tag: str
    id: str
    classes: str
    place: int
    siblings: int
    marks: tuple[str | None, ...]


class _SharedStep(NamedTuple):
    """What elements of several pages have in common.

    Attributes:
        tag, id, classes: as in `Step`; id is empty and classes are those that all elements have.
        place: the number among the siblings of the tag, from 1; 0 if it differs.
        is_alone: whether none of the elements has a sibling of its tag.
        mark: an attribute and its value, empty for none.
    """

    tag: str
    id: str
    classes: tuple[str, ...]
    place: int
    is_alone: bool
    mark: tuple[str, str]


class _Written(NamedTuple):
    """A step of a selector: its combinator, and how it is written."""

    combinator: str
    css: str
    xpath: str


class _Elements:
    """The elements of a page of which selectors are made: some, and those above them.

    of: by the node; parent: of each node.
    """

    def __init__(self, dom: Dom, nodes: Iterable[int]) -> None:
        self.parent: list[int] = dom.parent.tolist()
        waiting = set(nodes)
        known = set[int]()
        while waiting:
            known |= waiting
            waiting = {self.parent[node] for node in waiting} - known - {-1}
        every = np.array(sorted(known), np.int64)
        place, count = sibling_places(dom)
        tags = [dom.tags[tag] for tag in dom.tag[every].tolist()]
        values = [dom.values_at(name, every) for name in ("id", "class", *_MARKS)]
        columns = zip(tags, place[every].tolist(), count[every].tolist(), *values, strict=True)
        elements = [
            _Element(tag, id_.strip() if id_ else "", classes or "", number, siblings, (first, second, third))
            for tag, number, siblings, id_, classes, first, second, third in columns
        ]
        self.of = dict(zip(every.tolist(), elements, strict=True))


def proposed_selectors(doms: Sequence[Dom], nodes: Sequence[Sequence[int]]) -> list[FieldSelector]:
    """Return selectors that may select the given elements of each page, the simplest first.

    >>> from webgrain.page.parsing import parse_html
    >>> doms = [parse_html(f"<div id=a><p class='x n{k}'>{k}</p></div>") for k in range(2)]
    >>> [selector.css for selector in proposed_selectors(doms, [[4], [4]])][:3]
    ['p.x', '#a p.x', '#a p']
    """
    return list(_proposed(list(map(_Elements, doms, nodes)), nodes, {}))


def _proposed(
    pages: Sequence[_Elements], nodes: Sequence[Sequence[int]], known: dict[_Element, _SharedStep]
) -> Iterator[FieldSelector]:
    """Yield `proposed_selectors`; known: steps of single elements, which several fields share."""
    steps = _shared_steps(pages, nodes, known)
    if not steps:
        return
    seen: set[FieldSelector] = set()
    for written in _proposals(steps):
        selector = _selector(written)
        if selector not in seen:
            seen.add(selector)
            yield selector
        if len(seen) == MAX_CANDIDATES:
            return


def _shared_steps(
    pages: Sequence[_Elements], nodes: Sequence[Sequence[int]], known: dict[_Element, _SharedStep]
) -> list[_SharedStep]:
    """Return what the elements have in common, and then the elements above them, upwards."""
    current = [(page, of_page) for page, of_page in zip(pages, nodes, strict=True) if of_page]
    steps: list[_SharedStep] = []
    while current and len(steps) < MAX_LEVELS:
        elements = list(dict.fromkeys([page.of[node] for page, of_page in current for node in of_page]))
        first = elements[0]
        if first.tag == "html" or [each for each in elements if each.tag != first.tag]:
            break
        if first.tag not in _SKIPPED:
            step = known.get(first) if len(elements) == 1 else None
            if step is None:
                step = _shared_step(elements)
                if len(elements) == 1:
                    known[first] = step
            steps.append(step)
        above = [(page, _above(page, of_page)) for page, of_page in current]
        current = [(page, of_page) for page, of_page in above if of_page]
    return steps


def _above(page: _Elements, nodes: Sequence[int]) -> Sequence[int]:
    """Return the elements above some nodes, in their order."""
    if len(nodes) == 1:
        above = page.parent[nodes[0]]
        return (above,) if above >= 0 else ()
    return [node for node in dict.fromkeys([page.parent[node] for node in nodes]) if node >= 0]


def _shared_step(elements: Sequence[_Element]) -> _SharedStep:
    """Return what different elements of one tag have in common; the first one comes first."""
    first, *others = elements
    has_id = _NAME.match(first.id) and not [each for each in others if each.id != first.id]
    common = set(first.classes.split()).intersection(*(each.classes.split() for each in others))
    classes = [name for name in first.classes.split() if name in common and _NAME.match(name)]
    places = {each.place for each in elements}
    marks = (
        (name, value)
        for number, (name, value) in enumerate(zip(_MARKS, first.marks, strict=True))
        if value and _MARK.fullmatch(value) and not [each for each in others if each.marks[number] != value]
    )
    return _SharedStep(
        tag=first.tag,
        id=first.id if has_id else "",
        classes=tuple(dict.fromkeys(classes)),
        place=first.place + 1 if len(places) == 1 else 0,
        is_alone=not [each for each in elements if each.siblings != 1],
        mark=next(marks, ("", "")),
    )


def _proposals(steps: Sequence[_SharedStep]) -> Iterator[list[_Written]]:
    """Yield the steps of selectors, from the root downwards.

    steps: of the elements and of those above them, upwards.
    """
    last, *above = steps
    ends = [*_forms(last)]
    for end in ends:
        if end.css != last.tag or last.tag in _RARE:
            yield [end]
    for level, step in enumerate(above):
        anchor = _anchor(step)
        if anchor is None:
            continue
        for end in ends:
            yield [anchor, end]
        between = [_plain(step) for step in reversed(above[:level])]
        placed = [_placed(step) for step in reversed(above[:level])]
        yield [anchor, *between, _plain(last)._replace(combinator=_CHILD)]
        for end in ends:
            yield [anchor, *placed, end._replace(combinator=_CHILD)]
        yield [anchor, *placed, _placed(last)]
        if step.id:
            break
    yield [_placed(step) for step in reversed(steps)]


_RARE = frozenset(("h1", "time", "address", "main"))
"""Tags that may select a field by themselves."""


def _forms(step: _SharedStep) -> Iterator[_Written]:
    """Yield the ways to write the last step, the most stable first."""
    if step.id:
        yield _written("*", step.id, ())
    if step.mark[0]:
        yield _marked(step)
    for name in step.classes:
        yield _written(step.tag, "", (name,))
    if len(step.classes) > 1:
        yield _written(step.tag, "", step.classes)
    yield _written(step.tag, "", ())
    if step.place and not step.is_alone:
        yield _placed(step)._replace(combinator=_DESCENDANT)


def _anchor(step: _SharedStep) -> _Written | None:
    """Return an element above by its id or its classes."""
    if step.id:
        return _written("*", step.id, ())
    return _written(step.tag, "", step.classes) if step.classes else None


@bounded_cache(1024)  # the elements of a site have the same tags and classes
def _written(tag: str, id_: str, classes: tuple[str, ...]) -> _Written:
    """Return a step by its tag, id and classes."""
    step = Step(tag, id_, classes)
    css = step.css.removeprefix("\\*")
    return _Written(_DESCENDANT, css, step.xpath.replace("*[name()='*']", "*"))


def _marked(step: _SharedStep) -> _Written:
    """Return a step by an attribute, such as ``[itemprop="price"]``."""
    name, value = step.mark
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    tests = Step("a", value).xpath.removeprefix("a[@id=")
    return _Written(_DESCENDANT, f'{css_name(step.tag)}[{name}="{quoted}"]', f"{step.tag}[@{name}={tests}")


def _plain(step: _SharedStep) -> _Written:
    return _written(step.tag, "", ())._replace(combinator=_CHILD)


def _placed(step: _SharedStep) -> _Written:
    """Return a child by its tag, and by its place among siblings or else its classes."""
    if step.is_alone or not step.place:
        classes = () if step.is_alone else step.classes
        return _written(step.tag, "", classes)._replace(combinator=_CHILD)
    plain = _written(step.tag, "", ())
    return _Written(_CHILD, f"{plain.css}:nth-of-type({step.place})", f"{plain.xpath}[{step.place}]")


def _selector(steps: Sequence[_Written]) -> FieldSelector:
    """Return steps as CSS and as XPath; children of a table may have a ``tbody`` between them."""
    css, xpath = "", ""
    before = ""
    for number, step in enumerate(steps):
        is_row = before == "table" or step.css.startswith("tr")
        combinator = _DESCENDANT if is_row else step.combinator
        css += (combinator if number else "") + step.css
        xpath += ("/" if number and combinator == _CHILD else "//") + step.xpath
        before = step.css.partition(":")[0].partition(".")[0]
    return FieldSelector(css, xpath)


def verified_selectors(
    pages: Sequence[Page], nodes_of_fields: Sequence[Sequence[Sequence[int]]]
) -> list[FieldSelector | None]:
    """Return a selector for the elements of each field, None if none selects them on enough pages.

    nodes_of_fields: the elements of each field on each page. The first proposal that selects exactly them on
    all pages is taken, else the one that does so on most. A proposal of single elements that selects others
    behind them counts a little less; its XPath selects only the first.
    """
    doms = [page.dom for page in pages]
    if not nodes_of_fields:
        return []
    elements = [
        _Elements(dom, chain.from_iterable(of_page))
        for dom, of_page in zip(doms, zip(*nodes_of_fields, strict=True), strict=True)
    ]
    known: dict[_Element, _SharedStep] = {}
    proposals = [_proposed(elements, nodes, known) for nodes in nodes_of_fields]
    firsts = [list(islice(of_field, _TRIED_FIRST)) for of_field in proposals]
    wanted = [[list(of_page) for of_page in nodes] for nodes in nodes_of_fields]
    chosen = _best_selectors(doms, wanted, firsts)
    waiting = [k for k, (_, is_exact) in enumerate(chosen) if not is_exact]
    every = [[*firsts[k], *proposals[k]] for k in waiting]
    others = _best_selectors(doms, [wanted[k] for k in waiting], every)
    for k, other in zip(waiting, others, strict=True):
        chosen[k] = other
    return [selector for selector, _ in chosen]


def _best_selectors(
    doms: Sequence[Dom], wanted: Sequence[Sequence[list[int]]], proposals: Sequence[Sequence[FieldSelector]]
) -> list[tuple[FieldSelector | None, bool]]:
    """Return the best selector of each field, and whether it selects exactly its elements on all pages.

    wanted: the elements of each field on each page; proposals: for each field.
    """
    distinct = list(dict.fromkeys([selector.css for of_field in proposals for selector in of_field]))
    if not distinct:
        return [(None, False)] * len(wanted)
    number_of = {css: number for number, css in enumerate(distinct)}
    compiled = Selectors(distinct)
    selected = [_selected(compiled, dom, len(distinct)) for dom in doms]
    chosen: list[tuple[FieldSelector | None, bool]] = []
    for nodes, of_field in zip(wanted, proposals, strict=True):
        firsts = [of_page[:2] for of_page in nodes]
        best, most = None, MIN_VERIFIED * len(doms) - _FIRST
        for selector in of_field:
            number = number_of[selector.css]
            of_pages = [of_page[number] for of_page in selected]
            exact = sum([x == y for x, y in zip(of_pages, nodes, strict=True)])
            first = sum([x[:1] == y for x, y in zip(of_pages, firsts, strict=True)])
            score = exact if exact >= first else first - _FIRST
            if score > most or (score == most and best is None):
                is_exact = exact >= first
                best = selector if is_exact else FieldSelector(selector.css, f"({selector.xpath})[1]")
                most = score
            if most == len(doms):  # no other one is better
                break
        chosen.append((best, most == len(doms)))
    return chosen


def _selected(compiled: Selectors, dom: Dom, count: int) -> list[list[int]]:
    """Return the elements of a page that each selector selects, in document order."""
    nodes, numbers = compiled.find(dom)
    pairs = np.unique(numbers * np.int64(len(dom)) + nodes)
    start = pairs.searchsorted(np.arange(count + 1) * len(dom)).tolist()
    ordered = (pairs % max(len(dom), 1)).tolist()
    return [ordered[first:last] for first, last in pairwise(start)]


class FieldMatcher:
    """The selectors of several fields, compiled once.

    >>> from webgrain.page.parsing import parse_html
    >>> FieldMatcher(["p.a", "p"]).nodes(parse_html("<p>x<p class=a>y"))
    [[5], [3, 5]]
    """

    def __init__(self, css: Sequence[str]) -> None:
        self._count = len(css)
        self._compiled = Selectors(css)

    def nodes(self, dom: Dom) -> list[list[int]]:
        """Return the elements of a page that each selector selects, in document order."""
        return _selected(self._compiled, dom, self._count)
