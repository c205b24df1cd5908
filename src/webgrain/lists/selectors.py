"""Selectors of several nodes: built from the elements of a page and executed on it before they are returned.

A selector is a sequence of steps, written as CSS or as XPath. Selectors are tried from the shortest to the
most specific; `webgrain.lists.selectorkernel` executes them, that of a field within every item of a list. The
first that selects exactly the expected nodes is returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Int32, UInt64
from webgrain.lists.selectorkernel import CHILDREN, count_nodes, first_exact
from webgrain.lists.thresholds import MAX_CLASSES, MAX_TRIED_CLASSES
from webgrain.page.addresses import css_paths, sibling_places, unique_ids, xpaths
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.keytable import numbered
from webgrain.page.paths import Step as PathStep
from webgrain.page.paths import text_key
from webgrain.page.strings import bounded_cache, css_name
from webgrain.page.thresholds import LONGEST_KEY
from webgrain.page.values import Question

CHILD, DESCENDANT, NEXT = " > ", " ", " + "
_AXES = {CHILD: "/", DESCENDANT: "//", NEXT: "/following-sibling::*[1]"}


class SelectorStep(NamedTuple):
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


SelectorSteps = tuple[SelectorStep, ...]


class _Texts(NamedTuple):
    """A step as CSS, with its combinator, and as XPath, with its axis."""

    css: str
    xpath: str


def _texts(step: SelectorStep) -> _Texts:
    """Return a step as CSS and as XPath."""
    name = css_name(step.tag) if step.tag != "*" else "*"
    classes = "".join([f".{css_name(name)}" for name in step.classes])
    number = f"n+{step.place}" if step.onwards else str(step.place)
    css = f"{step.combinator}{name}{classes}" + (f":nth-of-type({number})" if step.place else "")
    name, _, tests = PathStep(step.tag, "", step.classes).xpath.partition("[contains")
    name, tests = "*" if step.tag == "*" else name, f"[contains{tests}" if tests else ""
    sign = ">=" if step.onwards else "="
    number = f"[position(){sign}{step.place}]" if step.place else ""
    if step.combinator == NEXT:
        name = "" if step.tag == "*" else f"[self::{name}]"
    return _Texts(css, f"{_AXES[step.combinator]}{name}{number}{tests}")


_known_texts = lru_cache(maxsize=4096)(_texts)


def _texts_of(steps: SelectorSteps) -> list[_Texts]:
    """Return `_texts` of several steps; those of steps with short names are cached."""
    sizes = [len(step.tag) + sum(map(len, step.classes)) for step in steps]
    pairs = zip(steps, sizes, strict=True)
    return [_known_texts(step) if size <= LONGEST_KEY else _texts(step) for step, size in pairs]


def to_css(steps: SelectorSteps, scope: str = "") -> str:
    """Return the CSS selector of steps below a scope; without a scope it is relative to an element.

    >>> to_css((SelectorStep("li"), SelectorStep("a", ("b",), combinator=DESCENDANT)), "#main")
    '#main > li a.b'
    """
    text = "".join([texts.css for texts in _texts_of(steps)])
    return scope + text if scope else text.removeprefix(CHILD).removeprefix(" ")


def to_xpath(steps: SelectorSteps, scope: str = ".") -> str:
    """Return the XPath of steps below a scope.

    >>> to_xpath((SelectorStep("li", place=2, onwards=True), SelectorStep("b", combinator=DESCENDANT)))
    './li[position()>=2]//b'
    """
    return scope + "".join([texts.xpath for texts in _texts_of(steps)])


class ClassValue(NamedTuple):
    """The classes of an element, each once.

    Attributes:
        keys: the bytes of the keys (w,) uint64 of the classes, ascending.
        names: in this order; written: in the order of the markup.
        sorted: the bytes of the places (w,) int32 of the names in alphabetical order.
        labels: the names as those of columns.
    """

    keys: bytes
    names: tuple[str, ...]
    written: tuple[str, ...]
    sorted: bytes
    labels: tuple[str, ...]


_NO_CLASSES = ClassValue(b"", (), (), b"", ())
_NAME_CHARACTERS = re.compile(r"[^\w-]+")
_class_key = bounded_cache(4096)(text_key)


def _class_value(value: str) -> ClassValue:
    written = tuple(dict.fromkeys(value.split()))
    by_key = sorted(zip(map(text_key, written), written, strict=True))
    keys = np.array([key for key, _ in by_key], np.uint64)
    names = tuple(name for _, name in by_key)
    alphabetical = np.array(sorted(range(len(names)), key=names.__getitem__), np.int32)
    labels = tuple(map(column_label, names))
    return ClassValue(keys.tobytes(), names, written, alphabetical.tobytes(), labels)


def column_label(name: str) -> str:
    """Return a class, a tag or a header as the name of a column.

    >>> column_label("Last post:")
    'last_post'
    """
    return _NAME_CHARACTERS.sub("_", name).strip("_-").lower()[:40] or "text"


_CLASS_VALUE = Question(_class_value)


class ClassNames(NamedTuple):
    """The classes of the nodes of a page.

    Attributes:
        start: (n + 1,) int32, node x has the classes ``start[x]:start[x + 1]``.
        keys: (w,) uint64, ascending for each node.
        number, size: (w,) int32, the number of each class on the page; how many there are.
        sorted: (w,) int32, the places of the classes of each node in alphabetical order.
        values: by node.
    """

    start: Int32
    keys: UInt64
    number: Int32
    size: int
    sorted: Int32
    values: dict[int, ClassValue]

    def at(self, node: int) -> ClassValue:
        """Return the classes of a node."""
        return self.values.get(node, _NO_CLASSES)


@cached_on_page
def class_names(dom: Dom) -> ClassNames:
    """Return the classes of the nodes of a page.

    >>> from webgrain.page.parsing import parse_html
    >>> class_names(parse_html("<p class='b a b'><p>")).at(3).written
    ('b', 'a')
    """
    attributes, nodes = dom.find_attribute("class")
    values: list[ClassValue] = dom.ask(_CLASS_VALUE, attributes).tolist()
    start = np.zeros(len(dom) + 1, np.int32)
    start[nodes + 1] = [len(value.names) for value in values]
    np.cumsum(start, out=start)
    keys = np.frombuffer(b"".join([value.keys for value in values]), np.uint64)
    alphabetical = np.frombuffer(b"".join([value.sorted for value in values]), np.int32)
    number, _, count = numbered(keys)
    of_nodes = dict(zip(nodes.tolist(), values, strict=True))
    return ClassNames(start, keys, number, len(count), alphabetical, of_nodes)


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
    id_, name = unique_ids(dom).get(node), dom.name(node)
    if id_:
        return f"#{css_name(id_)}", f"//{PathStep(name, id_).xpath}"
    classes = class_names(dom)
    for class_ in classes.at(node).written[:MAX_TRIED_CLASSES]:
        key = np.array([_class_key(class_)], np.uint64)
        if count_nodes(dom.tag, classes.start, classes.keys, dom.tag[node], key) == 1:
            step = SelectorStep(name, (class_,), combinator=DESCENDANT)
            return to_css((step,)), to_xpath((step,), "")
    return css_paths(dom, [node])[0], xpaths(dom, [node])[0]


def find_items(dom: Dom, container: int, items: Sequence[int]) -> SelectorSteps:
    """Return steps that select exactly these elements below their container; empty if there are none.

    items: in document order.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<table><tr><th>Name<tr><td>a<tr><td>b</table>")
    >>> to_css(find_items(dom, 4, [8, 11]))
    'tr:nth-of-type(n+2)'
    """
    last = _variants(dom, items)
    single = _first_exact(dom, container, items, [(step,) for step in last])
    return single or _first_exact(dom, container, items, [*_longer_steps(dom, container, items, last)])


def selector_nodes(dom: Dom) -> tuple[Int32, Int32, Int32, Int32, Int32, UInt64]:
    """Return the arrays of a page that `webgrain.lists.selectorkernel` needs."""
    classes = class_names(dom)
    return dom.parent, dom.end, dom.tag, sibling_places(dom)[0], classes.start, classes.keys


def _first_exact(
    dom: Dom, container: int, items: Sequence[int], tried: Sequence[SelectorSteps]
) -> SelectorSteps:
    """Return the first of several sequences of steps that selects exactly the items; empty if none does."""
    number = {step: k for k, step in enumerate(dict.fromkeys(chain.from_iterable(tried)))}
    rows = [(-1 if x.tag == "*" else dom.tag_number(x.tag), x.place, x.onwards) for x in number]
    keys = [sorted(map(_class_key, step.classes)) for step in number]
    chosen, begin = first_exact(
        selector_nodes(dom),
        container,
        np.array(items, np.int64),
        np.array(rows, np.int32).reshape(-1, 3),
        _offsets(keys),
        np.array([*chain.from_iterable(keys)], np.uint64),
        _offsets(tried),
        np.array([*map(number.__getitem__, chain.from_iterable(tried))], np.int32),
    )
    if chosen < 0:
        return ()
    first, *rest = tried[chosen]
    return (first if begin == CHILDREN else first._replace(combinator=DESCENDANT), *rest)


def _offsets(parts: Sequence[Sequence[object]]) -> Int32:
    """Return where each of several parts begins if they are joined, and where the last one ends."""
    return np.array([0, *accumulate(map(len, parts))], np.int32)


def _longer_steps(
    dom: Dom, container: int, items: Sequence[int], last: Sequence[SelectorStep]
) -> Iterator[SelectorSteps]:
    """Yield selectors of the items with several steps or with places, the shortest first.

    last: steps that the items share.
    """
    levels = [items]  # the items, their parents, ... down from the container
    while levels[0][0] > container and len(levels) <= MAX_CLASSES:
        parents = sorted(set(dom.parent[levels[0]].tolist()))
        if parents == [container]:
            break
        levels.insert(0, parents)
    if levels[0][0] <= container:
        return  # the items are not equally deep
    variants = [*(_variants(dom, level) for level in levels[:-1]), last]
    tags = tuple(steps[0] for steps in variants)
    named = tuple(steps[-1] for steps in variants)
    for above in (tags[:-1], named[:-1]) if levels[:-1] else ():
        yield from ((*above, step) for step in last)
    for depth, level in enumerate(levels):
        place = int(sibling_places(dom)[0][level].min()) + 1
        for step in (tags[depth], named[depth]):
            numbered = [*named]
            for onwards in (False, True):
                numbered[depth] = step._replace(place=place, onwards=onwards)
                yield tuple(numbered)


def _variants(dom: Dom, nodes: Sequence[int]) -> list[SelectorStep]:
    """Return steps that elements share: the tag, the tag with each common class, with all common classes."""
    tags = set(dom.tag[nodes].tolist())
    tag = dom.tags[tags.pop()] if len(tags) == 1 else "*"
    values = {id(value): value for value in map(class_names(dom).at, nodes)}
    first, *others = values.values()
    names = first.written[:MAX_CLASSES]
    for other in others:
        names = tuple(name for name in names if name in other.names)
    names = names[:MAX_TRIED_CLASSES]
    single = [SelectorStep(tag, (name,)) for name in names]
    whole = [SelectorStep(tag, names)] if len(names) > 1 else []
    return [SelectorStep(tag), *single, *whole]
