"""Selectors as array operations execute them: the reference for the tests of `webgrain.lists.selectors`.

A selector is a sequence of steps, written as CSS or as XPath. `Scopes` executes it on the Dom for many scope
nodes at once, so that the selector of a field is checked within every item of a list. Selectors are tried
from the shortest to the most specific; the first that selects exactly the expected nodes is returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from webgrain.base.arrays import Bool, Int64
from webgrain.lists.selectors import (
    CHILD,
    DESCENDANT,
    NEXT,
    SelectorStep,
    SelectorSteps,
    to_css,
    to_xpath,
)
from webgrain.lists.thresholds import MAX_CLASSES, MAX_TRIED_CLASSES
from webgrain.page.addresses import css_paths, sibling_places, unique_ids, xpaths
from webgrain.page.dom import TEXT, Dom, cached_on_page
from webgrain.page.paths import Step as PathStep
from webgrain.page.paths import places
from webgrain.page.strings import css_name


@cached_on_page
def selectors(dom: Dom) -> PageSelectors:
    """Return what executes selectors on a page."""
    return PageSelectors(dom)


class PageSelectors:
    """Executes selectors on a page, and finds them.

    Attributes:
        tag, parent, end: (n,) as in the Dom, a parent of the root is 0; tags: the names of the tags.
        types: the element types; numbers: (n,) the place of each node among the siblings of its tag, from 0.
    """

    def __init__(self, dom: Dom) -> None:
        self.dom, self.tag, self.tags, self.end = dom, dom.tag, dom.tags, dom.end
        self.size, self.parent = len(dom.tag), np.maximum(dom.parent, 0)
        self.types, self.numbers = places(dom), sibling_places(dom)[0]
        self._known: dict[tuple[str, tuple[str, ...]], Bool] = {}

    def fits(self, step: SelectorStep) -> Bool:
        """(n,) whether each node has the tag, the classes and the place of a step."""
        fits = self._named(step.tag, step.classes)
        if step.place:
            fits = fits & (self.numbers >= step.place - 1 if step.onwards else self.numbers == step.place - 1)
        return fits

    def _named(self, tag: str, classes: tuple[str, ...]) -> Bool:
        if (tag, classes) not in self._known:
            fits: Bool = self.tag != TEXT if tag == "*" else self.dom.tagged(tag)
            if classes:
                named = [classes[0] in (value or "") for value in self.types.classes]
                for type_ in np.flatnonzero(named).tolist():
                    named[type_] = set(classes).issubset(self.classes(type_))
                fits &= np.array(named)[self.types.type]
            self._known[tag, classes] = fits
        return self._known[tag, classes]

    def classes(self, type_: int) -> tuple[str, ...]:
        """Return the classes of an element type."""
        return tuple(dict.fromkeys((self.types.classes[type_] or "").split()))

    @cached_property
    def previous(self) -> Int64:
        """(n,) the element before each element among its siblings, the root for none."""
        before, element = np.zeros(self.size, np.int64), np.flatnonzero(self.tag != TEXT)
        order = element[np.argsort(self.parent[element], kind="stable")]
        same = self.parent[order[1:]] == self.parent[order[:-1]]
        before[order[1:][same]] = order[:-1][same]
        return before


class Scopes:
    """Executes selectors below scope nodes; what the beginnings of selectors select is stored.

    scopes: (s,) nodes, none inside another.

    >>> from webgrain.page.parsing import parse_html
    >>> items = Scopes(parse_html("<ul><li>a<li class=x>b</ul>"), np.array([3]))
    >>> np.flatnonzero(items.select((SelectorStep("li", ("x",)),)) == 0).tolist()
    [6]
    """

    def __init__(self, dom: Dom, scopes: Int64) -> None:
        self._page = page = selectors(dom)
        scope = np.full(page.size, -1, np.int64)
        scope[scopes] = np.arange(len(scopes))
        self._known: dict[SelectorSteps, Int64] = {(): scope}
        self._inherited: dict[tuple[SelectorSteps, str], Int64] = {}

    def select(self, steps: SelectorSteps) -> Int64:
        """Return the scope (n,) in which each node is selected, as an index into scopes; -1 for none."""
        if steps not in self._known:
            inherited = self._related(steps[:-1], steps[-1].combinator)
            self._known[steps] = np.where(self._page.fits(steps[-1]), inherited, -1)
        return self._known[steps]

    def _related(self, steps: SelectorSteps, combinator: str) -> Int64:
        """Return the scope (n,) of the nodes that are related to selected nodes."""
        if (steps, combinator) not in self._inherited:
            selected, page = self.select(steps), self._page
            if combinator == DESCENDANT:
                inherited = np.full(page.size, -1, np.int64)
                for node in np.flatnonzero(selected >= 0).tolist():
                    inherited[node + 1 : page.end[node]] = selected[node]
            elif combinator == CHILD:
                inherited = selected[page.parent]
                inherited[0] = -1
            else:
                inherited = np.where(page.previous > 0, selected[page.previous], -1)
            self._inherited[steps, combinator] = inherited
        return self._inherited[steps, combinator]


def container_selectors(dom: Dom, node: int) -> tuple[str, str]:
    """Return a CSS selector and an XPath that select one element, by its classes if they are unique.

    >>> from webgrain.page.parsing import parse_html
    >>> container_selectors(parse_html("<div><ul class='a b'></ul></div>"), 4)
    ('ul.a', "//ul[contains(concat(' ', normalize-space(@class), ' '), ' a ')]")
    """
    page, id_ = selectors(dom), unique_ids(dom).get(node)
    name, type_ = dom.name(node), int(page.types.type[node])
    if id_:
        return f"#{css_name(id_)}", f"//{PathStep(name, id_).xpath}"
    for class_ in page.classes(type_)[:MAX_TRIED_CLASSES]:
        step = SelectorStep(name, (class_,), combinator=DESCENDANT)
        if np.count_nonzero(page.fits(step)) == 1:
            return to_css((step,)), to_xpath((step,), "")
    return css_paths(dom, [node])[0], xpaths(dom, [node])[0]


def find_items(dom: Dom, container: int, items: Sequence[int]) -> SelectorSteps:
    """Return steps that select exactly these elements below their container; empty if there are none.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<table><tr><th>Name<tr><td>a<tr><td>b</table>")
    >>> to_css(find_items(dom, 4, [8, 11]))
    'tr:nth-of-type(n+2)'
    """
    page = selectors(dom)
    wanted, below = np.full(page.size, -1, np.int64), Scopes(dom, np.array([container]))
    wanted[list(items)] = 0
    for steps in _item_steps(page, container, items):
        # The same elements as children of the container and anywhere below it.
        anywhere = (steps[0]._replace(combinator=DESCENDANT), *steps[1:])
        if (below.select(anywhere) == wanted).all():
            if (below.select(steps) == wanted).all():
                return steps
            return anywhere
    return ()


def _item_steps(page: PageSelectors, container: int, items: Sequence[int]) -> Iterator[SelectorSteps]:
    """Yield selectors of the items, the shortest first."""
    levels = [list(items)]  # the items, their parents, ... down from the container
    while levels[0] and all(node > container for node in levels[0]) and len(levels) <= MAX_CLASSES:
        parents = sorted(set(page.parent[levels[0]].tolist()))
        if parents == [container]:
            break
        levels.insert(0, parents)
    last = _variants(page, items)
    yield from ((step,) for step in last)
    if not all(node > container for node in levels[0]):
        return  # the items are not equally deep
    tags = tuple(_step(page, level) for level in levels[:-1])
    named = tuple(_variants(page, level)[-1] for level in levels[:-1])
    for above in (tags, named) if levels[:-1] else ():
        yield from ((*above, step) for step in last)
    for depth, level in enumerate(levels):
        place = int(page.numbers[level].min()) + 1
        for step in (_step(page, level), _variants(page, level)[-1]):
            numbered = [*named, last[-1]]
            for onwards in (False, True):
                numbered[depth] = step._replace(place=place, onwards=onwards)
                yield tuple(numbered)


def _step(page: PageSelectors, nodes: Sequence[int]) -> SelectorStep:
    """Return the step of the tag that elements share."""
    names = {page.tags[tag] for tag in page.tag[list(nodes)].tolist()}
    return SelectorStep(names.pop() if len(names) == 1 else "*")


def _variants(page: PageSelectors, nodes: Sequence[int]) -> list[SelectorStep]:
    """Return steps that elements share: the tag, the tag with each common class, with all common classes."""
    tag = _step(page, nodes)
    types = page.types.type[list(nodes)].tolist()
    names = page.classes(types[0])[:MAX_CLASSES]
    for type_ in set(types) - {types[0]}:
        others = page.classes(type_)
        names = tuple(name for name in names if name in others)
    names = names[:MAX_TRIED_CLASSES]
    single = [SelectorStep(tag.tag, (name,)) for name in names]
    whole = [SelectorStep(tag.tag, names)] if len(names) > 1 else []
    return [tag, *single, *whole]


def find_field(items: Scopes, nodes: Int64, owner: Int64, path: SelectorSteps) -> SelectorSteps | None:
    """Return the shortest steps that select exactly these nodes within the items; None if there are none.

    items: the elements that stand for the items, as scopes; nodes: (f,) the elements of the field; owner:
    (f,) the item of each; path: steps from an item to the field.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<ul><li><p>x<p><b>a</b><li><p>y<p><b>c</b></ul>")
    >>> items, nodes = Scopes(dom, np.array([4, 10])), np.array([8, 14])
    >>> to_css(find_field(items, nodes, np.array([0, 1]), (SelectorStep("p", place=2), SelectorStep("b"))))
    'b'
    """
    wanted = np.full(len(items.select(())), -1, np.int64)
    wanted[nodes] = owner
    tried: list[SelectorSteps] = [path]
    if path and path[0].combinator != NEXT:
        short = path[-1]._replace(combinator=DESCENDANT)
        tried = [(short._replace(place=0, onwards=False),), (short,), path]
    elif path:
        tried = [tuple(s._replace(place=0, onwards=False) if s.combinator != NEXT else s for s in path), path]
    return next((steps for steps in tried if (items.select(steps) == wanted).all()), None)
