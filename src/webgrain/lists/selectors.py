"""Selectors of a list: built from the elements of a page and executed on it before they are returned.

A selector is a sequence of steps, written as CSS or as XPath. `webgrain.lists.selectorkernel` tries selectors
from the shortest to the most specific, those of a field within every item of the list, and returns the first
that selects exactly the expected nodes. Here its result is written.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from webgrain.base.arrays import Int32, Int64, UInt64
from webgrain.lists.selectorkernel import ANYWHERE, BY_CLASS, BY_ID, ListNodes, locate_list
from webgrain.lists.thresholds import MAX_CLASSES, MAX_PLACE, MAX_TRIED_CLASSES
from webgrain.page.addresses import css_paths, sibling_places, unique_ids, xpaths
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.keytable import numbered
from webgrain.page.paths import TAG_KEYS, text_key
from webgrain.page.paths import Step as PathStep
from webgrain.page.strings import css_name
from webgrain.page.tagtables import TagTable
from webgrain.page.thresholds import LONGEST_KEY
from webgrain.page.values import Question
from webgrain.page.vocabulary import NUMBER_OF_TAG

_PLAIN = re.compile(r"(?!annotation-xml)[a-z_][a-z0-9_.-]*")
_IS_UNUSUAL = TagTable(lambda tag: _PLAIN.fullmatch(tag) is None, np.uint8)
"""Tags in whose addresses there is more than their name and their place among siblings of this name."""
_LIMITS = (MAX_CLASSES, MAX_TRIED_CLASSES, MAX_PLACE)
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
    """The classes of an element, each once, by ascending key; labels: the same as names of columns."""

    names: tuple[str, ...]
    labels: tuple[str, ...]


_NAME_CHARACTERS = re.compile(r"[^\w-]+")


def _class_value(value: str) -> ClassValue:
    names = tuple(sorted(dict.fromkeys(value.split()), key=text_key))
    return ClassValue(names, tuple(map(column_label, names)))


def _class_rows(value: str) -> bytes:
    """Return rows (w, 3) uint64: the key of each class, and the place of a class in the two orders.

    These are the order of the markup, and the alphabetical order.
    """
    written = [*dict.fromkeys(value.split())]
    by_key = sorted(written, key=text_key)
    places = {name: place for place, name in enumerate(by_key)}
    keys = [text_key(name) for name in by_key]
    orders = [[places[name] for name in order] for order in (written, sorted(written))]
    return np.array([keys, *orders], np.uint64).T.tobytes()


def column_label(name: str) -> str:
    """Return a class, a tag or a header as the name of a column.

    >>> column_label("Last post:")
    'last_post'
    """
    return _NAME_CHARACTERS.sub("_", name).strip("_-").lower()[:40] or "text"


_CLASS_VALUE = Question(_class_value)
_CLASS_ROWS = Question(_class_rows)
_ROW_BYTES = 24


class ClassNames(NamedTuple):
    """The classes of the nodes of a page.

    Attributes:
        attribute: (n,) int32, the attribute with them, -1 for none.
        start: (n + 1,) int32, node x has the classes ``start[x]:start[x + 1]``.
        keys: (w,) uint64, ascending for each node.
        number, size: (w,) int32, the number of each class on the page; how many there are.
        written, sorted: (w,) int32, the places of the classes of each node in the order of the markup, and in
            alphabetical order.
    """

    attribute: Int32
    start: Int32
    keys: UInt64
    number: Int32
    size: int
    written: Int32
    sorted: Int32


@cached_on_page
def class_names(dom: Dom) -> ClassNames:
    """Return the classes of the nodes of a page.

    >>> from webgrain.page.parsing import parse_html
    >>> class_names(parse_html("<p class='b a b'><p>")).start.tolist()
    [0, 0, 0, 0, 2, 2]
    """
    attributes, nodes = dom.find_attribute("class")
    rows: list[bytes] = dom.ask(_CLASS_ROWS, attributes).tolist()
    attribute = np.zeros(len(dom), np.int32) - 1
    attribute[nodes] = attributes
    sizes = np.zeros(len(dom) + 1, np.int32)
    sizes[nodes + 1] = [*map(len, rows)]
    start = sizes.cumsum(dtype=np.int32) // _ROW_BYTES
    table = np.frombuffer(b"".join(rows), np.uint64).reshape(-1, 3).T
    keys = np.ascontiguousarray(table[0])
    written, alphabetical = table[1:].astype(np.int32, "C")
    number, _, count = numbered(keys)
    return ClassNames(attribute, start, keys, number, len(count), written, alphabetical)


def classes_of(dom: Dom, nodes: Int32) -> list[ClassValue]:
    """Return the classes of several nodes, each of which has some.

    >>> from webgrain.page.parsing import parse_html
    >>> sorted(classes_of(parse_html("<p class='b a b'><p>"), np.array([3]))[0].names)
    ['a', 'b']
    """
    values: list[ClassValue] = dom.ask(_CLASS_VALUE, class_names(dom).attribute[nodes]).tolist()
    return values


def names_at(dom: Dom, node: int) -> tuple[str, ...]:
    """Return the classes of a node, each once, by ascending key.

    >>> from webgrain.page.parsing import parse_html
    >>> names_at(parse_html("<p class=a><p>"), 4)
    ()
    """
    attribute = class_names(dom).attribute[node : node + 1]
    return dom.ask(_CLASS_VALUE, attribute)[0].names if attribute[0] >= 0 else ()


class Located(NamedTuple):
    """What `webgrain.lists.selectorkernel.locate_list` returns."""

    container: tuple[int, int, int, int]
    steps: tuple[int, list[tuple[int, int, list[int], int, int]]]
    form: Int32
    keys: tuple[tuple[int, ...], tuple[int, ...], list[tuple[int, ...]]]


def locate(dom: Dom, items: Int64, last: int, read: tuple[Any, ...]) -> Located:
    """Return where a list and its columns are, see `webgrain.lists.selectorkernel.locate_list`."""
    return Located(*locate_list(_list_nodes(dom), items, last, read, _LIMITS))


@cached_on_page
def _list_nodes(dom: Dom) -> ListNodes:
    """Return the nodes of a page as the kernel needs them."""
    classes = class_names(dom)
    has_id = np.zeros(len(dom), np.uint8)
    has_id[[*unique_ids(dom)]] = 1
    tree = dom.parent, dom.end, dom.tag, sibling_places(dom)[0]
    numbers = NUMBER_OF_TAG["tbody"], NUMBER_OF_TAG["table"]
    tags = TAG_KEYS.values(dom.tags), _IS_UNUSUAL.values(dom.tags), *numbers
    return ListNodes(tree, (classes.start, classes.keys, classes.written), has_id, tags)


def container_texts(dom: Dom, container: tuple[int, int, int, int]) -> tuple[str, str]:
    """Return the CSS selector and the XPath of a container; by its classes if they are unique.

    container: as in `Located`.

    >>> from webgrain.page.parsing import parse_html
    >>> container_texts(parse_html("<div><ul class='a b'></ul></div>"), (4, BY_CLASS, 0, -1))[0][:3]
    'ul.'
    """
    node, made_of, named, _ = container
    name = dom.name(node)
    if made_of == BY_ID:
        id_ = unique_ids(dom)[node]
        return f"#{css_name(id_)}", f"//{PathStep(name, id_).xpath}"
    if made_of == BY_CLASS:
        step = SelectorStep(name, (names_at(dom, node)[named],), combinator=DESCENDANT)
        return to_css((step,)), to_xpath((step,), "")
    return css_paths(dom, [node])[0], xpaths(dom, [node])[0]


def steps_of_items(dom: Dom, located: Located) -> SelectorSteps:
    """Return steps that select exactly the items of a list below their container; empty if none do."""
    begin, chain = located.steps
    classes = class_names(dom)
    steps = []
    for head, tag, places, place, onwards in chain:
        names = names_at(dom, head)
        first = int(classes.start[head])
        name = "*" if tag < 0 else dom.tags[tag]
        steps.append(SelectorStep(name, tuple([names[j - first] for j in places]), place, bool(onwards)))
    if begin == ANYWHERE:
        steps[0] = steps[0]._replace(combinator=DESCENDANT)
    return tuple(steps)


def step_texts(dom: Dom, located: Located) -> tuple[str, str]:
    """Return `steps_of_items` as a CSS selector and as an XPath, both relative to the container."""
    steps = steps_of_items(dom, located)
    return to_css(steps), to_xpath(steps, "")
