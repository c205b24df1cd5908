"""Selectors of several nodes: built from the elements of a page and executed on it before they are returned.

A selector is a sequence of steps, written as CSS or as XPath. `select` executes it on the Dom for many scope
nodes at once, so that the selector of a field is checked within every item of a list. Selectors are tried
from the shortest to the most specific; the first that selects exactly the expected nodes is returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from webgrain.arrays import Bool, Int32, Int64
from webgrain.lists.thresholds import MAX_CLASSES, MAX_TRIED_CLASSES
from webgrain.page.addresses import css_name, css_paths, xpaths
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import sibling_numbers
from webgrain.page.paths import Step as PathStep
from webgrain.page.paths import element_types

CHILD, DESCENDANT, NEXT = " > ", " ", " + "
_AXES = {CHILD: "/", DESCENDANT: "//", NEXT: "/following-sibling::*[1]"}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a selector.

    Attributes:
        tag: the tag; ``*`` for any; classes: the classes that the element must have.
        place: its number among the siblings of its tag, from 1; 0 for any; onwards: or any later number.
        combinator: its relation to the step before, or to the scope: `CHILD`, `DESCENDANT` or `NEXT`.
    """

    tag: str
    classes: tuple[str, ...] = ()
    place: int = 0
    onwards: bool = False
    combinator: str = CHILD

    @property
    def css(self) -> str:
        """CSS selector of this step, without the combinator."""
        number = f"n+{self.place}" if self.onwards else str(self.place)
        name = css_name(self.tag) if self.tag != "*" else "*"
        classes = "".join(f".{css_name(name)}" for name in self.classes)
        return f"{name}{classes}" + (f":nth-of-type({number})" if self.place else "")

    @property
    def xpath(self) -> str:
        """XPath of this step, with its axis."""
        name, _, classes = PathStep(self.tag, "", self.classes).xpath.partition("[contains")
        name, classes = "*" if self.tag == "*" else name, f"[contains{classes}" if classes else ""
        sign = ">=" if self.onwards else "="
        number = f"[position(){sign}{self.place}]" if self.place else ""
        if self.combinator == NEXT:
            name = "" if self.tag == "*" else f"[self::{name}]"
        return f"{_AXES[self.combinator]}{name}{number}{classes}"


Steps = tuple[Step, ...]


def to_css(steps: Steps, scope: str = "") -> str:
    """Return the CSS selector of steps below a scope; without a scope it is relative to an element.

    >>> to_css((Step("li"), Step("a", ("b",), combinator=DESCENDANT)), "#main")
    '#main > li a.b'
    """
    text = "".join(step.combinator + step.css for step in steps)
    return scope + text if scope else text.removeprefix(CHILD).removeprefix(" ")


def to_xpath(steps: Steps, scope: str = ".") -> str:
    """Return the XPath of steps below a scope.

    >>> to_xpath((Step("li", place=2, onwards=True), Step("b", combinator=DESCENDANT)))
    './li[position()>=2]//b'
    """
    return scope + "".join(step.xpath for step in steps)


def select(dom: Dom, scopes: Int64, steps: Steps) -> Int64:
    """Return the scope (n,) in which each node is selected, as an index into scopes; -1 for no scope.

    scopes: (s,) nodes, none inside another.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<ul><li>a<li class=x>b</ul>")
    >>> np.flatnonzero(select(dom, np.array([3]), (Step("li", ("x",)),)) == 0).tolist()
    [6]
    """
    found = np.full(len(dom), -1, np.int64)
    found[scopes] = np.arange(len(scopes))
    parent = np.maximum(dom.parent, 0)
    for step in steps:
        if step.combinator == CHILD:
            inherited = np.where(dom.parent >= 0, found[parent], -1)
        elif step.combinator == NEXT:
            before = _previous(dom)
            inherited = np.where(before >= 0, found[np.maximum(before, 0)], -1)
        else:
            inherited = np.full(len(dom), -1, np.int64)
            for node in np.flatnonzero(found >= 0).tolist():
                inherited[node + 1 : dom.end[node]] = found[node]
        found = np.where(_fits(dom, step), inherited, -1)
    return found


def _fits(dom: Dom, step: Step) -> Bool:
    """(n,) whether each node has the tag, the classes and the place of a step."""
    fits = ~dom.is_text if step.tag == "*" else np.equal(dom.tag, _tag(dom, step.tag))
    if step.classes:
        wanted = set(step.classes)
        fits &= np.array([wanted <= own for own in _class_sets(dom)], bool)[element_types(dom).of]
    if step.place:
        number = _numbers(dom) + 1
        fits &= number >= step.place if step.onwards else number == step.place
    return fits


@cached_on_page
def _class_sets(dom: Dom) -> list[frozenset[str]]:
    """Return the classes of each element type."""
    return [frozenset((own or "").split()) for own in element_types(dom).classes]


def _tag(dom: Dom, tag: str) -> int:
    return dom.tags.index(tag) if tag in dom.tags else -1


@cached_on_page
def _numbers(dom: Dom) -> Int32:
    """(n,) the place of each node among the siblings of its tag, from 0."""
    found: Int32 = sibling_numbers(dom.parent, dom.tag)[0]
    return found


@cached_on_page
def _previous(dom: Dom) -> Int64:
    """(n,) the element before each element among its siblings, -1 for none."""
    before, element = np.full(len(dom), -1, np.int64), np.flatnonzero(~dom.is_text)
    order = element[np.argsort(dom.parent[element], kind="stable")]
    same = dom.parent[order[1:]] == dom.parent[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    return before


def classes_of(dom: Dom, node: int) -> tuple[str, ...]:
    """Return the classes of an element in the order of the markup."""
    return tuple(dict.fromkeys((dom.get(node, "class") or "").split()))[:MAX_CLASSES]


def common_ancestor(dom: Dom, nodes: Sequence[int]) -> int:
    """Return the lowest element that contains all of several nodes."""
    around, last = int(dom.parent[nodes[0]]), max(nodes)
    while around > 0 and dom.end[around] <= last:
        around = int(dom.parent[around])
    return max(around, 0)


def container_selectors(dom: Dom, node: int) -> tuple[str, str]:
    """Return a CSS selector and an XPath that select one element, by its classes if they are unique.

    >>> from webgrain.page.parsing import parse_html
    >>> container_selectors(parse_html("<div><ul class='a b'></ul></div>"), 4)
    ('ul.a', "//ul[contains(concat(' ', normalize-space(@class), ' '), ' a ')]")
    """
    css, name = css_paths(dom, [node])[0], dom.name(node)
    if css.startswith("#") and CHILD not in css:
        return css, f"//{PathStep(name, (dom.get(node, 'id') or '')).xpath}"
    for own in classes_of(dom, node)[:MAX_TRIED_CLASSES]:
        step = Step(name, (own,), combinator=DESCENDANT)
        if np.count_nonzero(_fits(dom, step)) == 1:
            return to_css((step,)), to_xpath((step,), "")
    return css, xpaths(dom, [node])[0]


def find_items(dom: Dom, container: int, items: Sequence[int]) -> Steps:
    """Return steps that select exactly these elements below their container; empty if there are none.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<table><tr><th>Name<tr><td>a<tr><td>b</table>")
    >>> to_css(find_items(dom, 4, [8, 11]))
    'tr:nth-of-type(n+2)'
    """
    wanted, scope = np.zeros(len(dom), bool), np.array([container])
    wanted[list(items)] = True
    for steps in _item_steps(dom, container, items):
        # The same elements as children of the container and anywhere below it.
        anywhere = (replace(steps[0], combinator=DESCENDANT), *steps[1:])
        if np.array_equal(select(dom, scope, anywhere) == 0, wanted):
            if np.array_equal(select(dom, scope, steps) == 0, wanted):
                return steps
            return anywhere
    return ()


def _item_steps(dom: Dom, container: int, items: Sequence[int]) -> Iterator[Steps]:
    """Yield selectors of the items, the shortest first."""
    levels = [list(items)]  # the items, their parents, ... down from the container
    while levels[0] and all(node > container for node in levels[0]) and len(levels) <= MAX_CLASSES:
        above = sorted({int(dom.parent[node]) for node in levels[0]})
        if above == [container]:
            break
        levels.insert(0, above)
    last = _variants(dom, items)
    yield from ((step,) for step in last)
    if not all(node > container for node in levels[0]):
        return  # the items are not equally deep
    tags = tuple(_step(dom, level) for level in levels[:-1])
    named = tuple(_variants(dom, level)[-1] for level in levels[:-1])
    for chain in (tags, named) if levels[:-1] else ():
        yield from ((*chain, step) for step in last)
    for depth, level in enumerate(levels):
        place = int(_numbers(dom)[level].min()) + 1
        for step in (_step(dom, level), _variants(dom, level)[-1]):
            numbered = [*named, last[-1]]
            for onwards in (False, True):
                numbered[depth] = replace(step, place=place, onwards=onwards)
                yield tuple(numbered)


def _step(dom: Dom, nodes: Sequence[int]) -> Step:
    """Return the step of the tag that elements share."""
    names = {dom.name(node) for node in nodes}
    return Step(names.pop() if len(names) == 1 else "*")


def _variants(dom: Dom, nodes: Sequence[int]) -> list[Step]:
    """Return steps that elements share: the tag, the tag with each common class, with all common classes."""
    tag = _step(dom, nodes)
    types = element_types(dom)
    kinds = np.unique(types.of[list(nodes)]).tolist()
    own = [set((types.classes[kind] or "").split()) for kind in kinds]
    common = set.intersection(*own) if own else set()
    names = [name for name in classes_of(dom, nodes[0]) if name in common][:MAX_TRIED_CLASSES]
    single = [replace(tag, classes=(name,)) for name in names]
    whole = [replace(tag, classes=tuple(names))] if len(names) > 1 else []
    return [tag, *single, *whole]


def find_field(dom: Dom, items: Int64, nodes: Int64, owner: Int64, path: Steps) -> Steps | None:
    """Return the shortest steps that select exactly these nodes within the items; None if there are none.

    items: (i,) the elements that stand for the items; nodes: (f,) the elements of the field; owner: (f,) the
    item of each; path: steps from an item to the field.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<ul><li><p>x<p><b>a</b><li><p>y<p><b>c</b></ul>")
    >>> items, nodes = np.array([4, 10]), np.array([8, 14])
    >>> to_css(find_field(dom, items, nodes, np.array([0, 1]), (Step("p", place=2), Step("b"))))
    'b'
    """
    wanted = np.full(len(dom), -1, np.int64)
    wanted[nodes] = owner
    tried: list[Steps] = [path]
    if path and path[0].combinator != NEXT:
        short = replace(path[-1], combinator=DESCENDANT)
        tried = [(replace(short, place=0, onwards=False),), (short,), path]
    elif path:
        tried = [tuple(replace(s, place=0, onwards=False) if s.combinator != NEXT else s for s in path), path]
    return next((steps for steps in tried if np.array_equal(select(dom, items, steps), wanted)), None)
