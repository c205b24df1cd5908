"""Selectors that select the elements of a field on all pages.

They are proposed from what the elements have in common, and tried on the pages. The proposals go from short
and stable ones to long ones: an id, a property of microdata, classes, the nearest elements above that have an
id or classes, and the whole path with places among siblings. Steps that parsers add or leave out (``tbody``)
are not written. Combinators are only those that CSS and XPath share; both forms of a selector select the same
elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webgrain.fields.thresholds import MAX_CANDIDATES, MAX_LEVELS, MIN_VERIFIED
from webgrain.page.addresses import Selectors, sibling_places
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.paths import Step
from webgrain.page.strings import css_name

_MARKS = ("itemprop", "data-testid", "rel")
_MARK = re.compile(r"[\w:./ -]{1,60}")
_NAME = re.compile(r"(?!-[-\d]|-$)\S+$")
"""Names of ids and classes that all readers of CSS accept, written with escapes if need be."""
_SKIPPED = frozenset(("tbody",))
_FIRST = 0.5  # what a selector that selects further elements counts less, in pages (hand-set)
_CHILD, _DESCENDANT = " > ", " "


class FieldSelector(NamedTuple):
    """A selector as CSS and as XPath."""

    css: str
    xpath: str


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


def proposed_selectors(doms: Sequence[Dom], nodes: Sequence[Sequence[int]]) -> list[FieldSelector]:
    """Return selectors that may select the given elements of each page, the simplest first.

    >>> from webgrain.page.parsing import parse_html
    >>> doms = [parse_html(f"<div id=a><p class='x n{k}'>{k}</p></div>") for k in range(2)]
    >>> [selector.css for selector in proposed_selectors(doms, [[4], [4]])][:3]
    ['p.x', '#a p.x', '#a p']
    """
    steps = _shared_steps(doms, nodes)
    if not steps:
        return []
    chosen = dict.fromkeys(_selector(written) for written in _proposals(steps))
    return list(chosen)[:MAX_CANDIDATES]


def _shared_steps(doms: Sequence[Dom], nodes: Sequence[Sequence[int]]) -> list[_SharedStep]:
    """Return what the elements have in common, and then the elements above them, upwards."""
    current = [(dom, node) for dom, of_page in zip(doms, nodes, strict=True) for node in of_page]
    steps: list[_SharedStep] = []
    while current and len(steps) < MAX_LEVELS:
        names = {dom.name(node) for dom, node in current}
        if len(names) > 1 or names == {"html"}:
            break
        if not names & _SKIPPED:
            steps.append(_shared_step(current))
        above = {(id(dom), int(dom.parent[node])): dom for dom, node in current}
        current = [(dom, node) for (_, node), dom in above.items() if node >= 0]
    return steps


def _shared_step(elements: Sequence[tuple[Dom, int]]) -> _SharedStep:
    attributes = [dom.attributes(node) for dom, node in elements]
    first = attributes[0]
    id_ = first.get("id", "").strip()
    has_id = _NAME.match(id_) and all(values.get("id", "").strip() == id_ for values in attributes)
    common = set.intersection(*(set(values.get("class", "").split()) for values in attributes))
    classes = [name for name in first.get("class", "").split() if name in common and _NAME.match(name)]
    places = {int(sibling_places(dom)[0][node]) + 1 for dom, node in elements}
    is_alone = all(int(sibling_places(dom)[1][node]) == 1 for dom, node in elements)
    marks = (
        (name, first[name])
        for name in _MARKS
        if _MARK.fullmatch(first.get(name, ""))
        and all(values.get(name) == first[name] for values in attributes)
    )
    dom, node = elements[0]
    return _SharedStep(
        tag=dom.name(node),
        id=id_ if has_id else "",
        classes=tuple(dict.fromkeys(classes)),
        place=places.pop() if len(places) == 1 else 0,
        is_alone=is_alone,
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
    anchors = [(level, _anchor(step)) for level, step in enumerate(above) if step.id or step.classes]
    for level, anchor in anchors:
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
        if above[level].id:
            break
    yield [_placed(step) for step in reversed(steps)]


_RARE = frozenset(("h1", "time", "address", "main"))
"""Tags that may select a field by themselves."""


def _forms(step: _SharedStep) -> Iterator[_Written]:
    """Yield the ways to write the last step, the most stable first."""
    if step.id:
        yield _written(Step("*", step.id))
    if step.mark[0]:
        yield _marked(step)
    for name in step.classes:
        yield _written(Step(step.tag, "", (name,)))
    if len(step.classes) > 1:
        yield _written(Step(step.tag, "", step.classes))
    yield _written(Step(step.tag))
    if step.place and not step.is_alone:
        yield _placed(step)._replace(combinator=_DESCENDANT)


def _anchor(step: _SharedStep) -> _Written | None:
    """Return an element above by its id or its classes."""
    if step.id:
        return _written(Step("*", step.id))
    return _written(Step(step.tag, "", step.classes)) if step.classes else None


def _written(step: Step) -> _Written:
    css = step.css.removeprefix("\\*")
    return _Written(_DESCENDANT, css, step.xpath.replace("*[name()='*']", "*"))


def _marked(step: _SharedStep) -> _Written:
    """Return a step by an attribute, such as ``[itemprop="price"]``."""
    name, value = step.mark
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    tests = Step("a", value).xpath.removeprefix("a[@id=")
    return _Written(_DESCENDANT, f'{css_name(step.tag)}[{name}="{quoted}"]', f"{step.tag}[@{name}={tests}")


def _plain(step: _SharedStep) -> _Written:
    return _written(Step(step.tag))._replace(combinator=_CHILD)


def _placed(step: _SharedStep) -> _Written:
    """Return a child by its tag, and by its place among siblings or else its classes."""
    if step.is_alone or not step.place:
        return _written(Step(step.tag, "", () if step.is_alone else step.classes))._replace(combinator=_CHILD)
    plain = _written(Step(step.tag))
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
    proposals = [proposed_selectors(doms, nodes) for nodes in nodes_of_fields]
    distinct = list(dict.fromkeys(selector.css for of_field in proposals for selector in of_field))
    if not distinct:
        return [None] * len(nodes_of_fields)
    number_of = {css: number for number, css in enumerate(distinct)}
    compiled = Selectors(distinct)
    selected = [_selected(compiled, dom, len(distinct)) for dom in doms]
    chosen: list[FieldSelector | None] = []
    for nodes, of_field in zip(nodes_of_fields, proposals, strict=True):
        best, most = None, MIN_VERIFIED * len(pages) - _FIRST
        for selector in of_field:
            number = number_of[selector.css]
            of_pages = [of_page[number] for of_page in selected]
            exact = sum(x == list(y) for x, y in zip(of_pages, nodes, strict=True))
            first = sum(x[:1] == list(y) for x, y in zip(of_pages, nodes, strict=True))
            score = exact if exact >= first else first - _FIRST
            if score > most or (score == most and best is None):
                is_exact = exact >= first
                best = selector if is_exact else FieldSelector(selector.css, f"({selector.xpath})[1]")
                most = score
        chosen.append(best)
    return chosen


def _selected(compiled: Selectors, dom: Dom, count: int) -> list[list[int]]:
    """Return the elements of a page that each selector selects, in document order."""
    selected: list[list[int]] = [[] for _ in range(count)]
    nodes, numbers = compiled.find(dom)
    for node, number in zip(nodes.tolist(), numbers.tolist(), strict=True):
        if not selected[number] or selected[number][-1] != node:
            selected[number].append(node)
    return selected


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
