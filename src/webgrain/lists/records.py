"""Records: the items of a list as rows with fields.

The nodes of all items are aligned by their paths from the item; a step of a path is a tag with the classes
that several items have, or, without classes, a tag and its number among the siblings of its tag. A field is:

* the text of a block: the text outside of inner blocks, as in a heading, a cell or a paragraph;
* the text of a link, of a ``<time>`` or of another inline element with a class, if it is a part of a block;
* an attribute: the address of a link or an image, the date of a ``<time>``.

Fields have names that mean the same on all pages (``name``, ``link``, ``image``, ``date``, ``price``), others
the name of their column, class or tag. Fields that are equal in all items are left out. The first row of a
table is no item if it has the names of the columns: only ``th``, or no link and image, as most others have.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from webgrain.arrays import Bool, Int64
from webgrain.lists.candidates import EXTENDED
from webgrain.lists.selectors import (
    NEXT,
    Step,
    Steps,
    common_ancestor,
    container_selectors,
    find_field,
    find_items,
    selectors,
    to_css,
    to_xpath,
)
from webgrain.lists.thresholds import COMMON_CLASS, MAX_FIELDS, MAX_PLACE, TYPICAL
from webgrain.page.dom import TEXT, Dom
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import all_absolute
from webgrain.page.page import Page
from webgrain.page.paths import element_types
from webgrain.page.text import INLINE, NO_TEXT

_ATTRIBUTES = {"a": "href", "img": "src", "time": "datetime"}
_JOINED = frozenset(("li", "option"))  # several of them are one field
_CELLS = frozenset(("td", "th"))
_LINKED = frozenset(("a", "img"))
_MARKED = frozenset(("a", "time"))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SEPARATE = frozenset(("br", "hr", "img", "input"))
_WORD = re.compile(r"[^\W\d_]{2,}")
_MONEY = "[$€£¥₹₽₩₺₫฿]"
_PRICE = re.compile(
    rf"{_MONEY}\s?\d|\d\s?{_MONEY}|\b[A-Z]{{2,3}}\$?\s?\d[\d.,]*[.,]\d\d\b|\d[.,]\d\d\s?[A-Z]{{3}}\b"
)
_YEAR = r"\b(1[89]|20)\d\d\b"
_DATE = re.compile(rf"{_YEAR}.*\d|\d.*{_YEAR}|\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2}}\b|\d{{1,2}}:\d\d\b")
_NAME_CHARACTERS = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a list.

    Attributes:
        name: the name of the column; attribute: the attribute with the values, None for the text.
        css, xpath: of its element within an item: empty and ``.`` for the item itself, ``+ dd`` for an
            element that follows the item; None if no selector selects exactly the elements of the field.
    """

    name: str
    css: str | None
    xpath: str | None
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list on a page.

    Attributes:
        css, xpath: of the element that contains it.
        items: CSS selector of the items within that element; items_xpath: XPath of the items on the page.
            Both are empty if no selector selects exactly the items, for example lines of text.
        fields: the columns; rows: a value for each field of each item, None if an item lacks it.
        nodes: the first node of each item in the Dom.
        probability: calibrated probability that it is the list of the page, 0..1.
    """

    css: str
    xpath: str
    items: str
    items_xpath: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[str | None, ...], ...]
    nodes: tuple[int, ...]
    probability: float = 1.0

    def __repr__(self) -> str:
        return f"<Listing of {len(self.rows)} items: {self.css} {self.items}, {self.probability:.2f}>"

    def selectors(self) -> dict[str, Any]:
        """Return the selectors of the items and their fields, ready for JSON."""
        fields = [
            {"name": x.name, "css": x.css, "xpath": x.xpath, "attribute": x.attribute} for x in self.fields
        ]
        items = {"items": self.items, "items_xpath": self.items_xpath}
        return {"list": self.css, "xpath": self.xpath, **items, "fields": fields}

    def to_dict(self) -> dict[str, Any]:
        """Return probability, selectors and rows, ready for JSON."""
        return {"probability": self.probability} | self.selectors() | {"records": self.records()}

    def records(self) -> list[dict[str, str | None]]:
        """Return the rows by name of the field."""
        return [dict(zip((field.name for field in self.fields), row, strict=True)) for row in self.rows]


def read_list(page: Page, start: Int64, stop: Int64, kind: int, probability: float = 1.0) -> Listing:
    """Return the list with these items; its fields are empty if the items do not differ.

    start, stop: (i,) the first node of each item, and one past its last node; kind: of the items, see
    `webgrain.lists.candidates`.

    >>> from webgrain.page.parsing import parse
    >>> rows = "<li><a href=/1>One</a> <b class=n>5</b><li><a href=/2>Two</a> <b class=n>7</b>"
    >>> page = parse(f"<ul>{rows}</ul>")
    >>> found = read_list(page, np.array([4, 10]), np.array([10, 16]), 0)
    >>> found.css, found.items, [(field.name, field.css) for field in found.fields]
    ('html > body > ul', 'li', [('name', 'a'), ('li', ''), ('link', 'a'), ('n', 'b.n')])
    >>> found.records()[1]
    {'name': 'Two', 'li': 'Two 7', 'link': '/2', 'n': '7'}
    """
    dom = page.dom
    header, is_item = _header(dom, start)
    start, stop = start[is_item:], stop[is_item:]
    reader = _Reader(page, start, stop, kind, header)
    heads = reader.heads
    container = common_ancestor(dom, [*start.tolist(), int(stop[-1]) - 1])
    css, xpath = container_selectors(dom, container)
    steps = find_items(dom, container, heads) if heads else ()
    columns = reader.columns()
    fields = [reader.field(column, bool(steps)) for column in columns]
    names = _distinct([field.name for field in fields])
    return Listing(
        css,
        xpath,
        to_css(steps),
        to_xpath(steps, xpath) if steps else "",
        tuple(Field(name, x.css, x.xpath, x.attribute) for name, x in zip(names, fields, strict=True)),
        tuple(zip(*(column.values for column in columns), strict=True)) or ((),) * len(start),
        tuple(start.tolist()),
        round(probability, 4),
    )


def _columns(dom: Dom, row: int) -> dict[int, int]:
    """Return the number of the column of each cell of a row of a table."""
    found, column = dict[int, int](), 0
    for cell in dom.children(row):
        if dom.name(cell) in _CELLS:
            found[cell] = column
            span = dom.get(cell, "colspan") or ""
            column += int(span) if span.isascii() and span.isdigit() and 0 < len(span) < 4 else 1
    return found


def _header(dom: Dom, start: Int64) -> tuple[dict[int, str], int]:
    """Return the names of the columns of a table, and whether the first of the items, if rows, is their row.

    start: (i,) the first nodes of the items.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<table><tr><th>Town<th>People<tr><td>Ulm<td>9<tr><td>Bonn<td>7</table>")
    >>> _header(dom, np.array([5, 10, 15]))
    ({0: 'Town', 1: 'People'}, 1)
    """
    if len(start) < 2 or any(dom.name(int(row)) != "tr" for row in start[:2]):
        return {}, 0
    linked = dom.subtree_sum(np.isin(dom.tag, [k for k, tag in enumerate(dom.tags) if tag in _LINKED])) > 0
    above = int(start[0])
    while above > 0 and dom.name(above) != "table":
        above = int(dom.parent[above])
    first = above + int(np.argmax(dom.tag[above:] == dom.tag[start[0]]))
    for row, is_item in ((int(start[0]), 1), (first, 0)):
        cells, second = _columns(dom, row), _columns(dom, int(start[1]))
        names = {column: " ".join(dom.text_of(cell).split()) for cell, column in cells.items()}
        names = {column: name for column, name in names.items() if name}
        heads = {dom.name(cell) for cell in cells} == {"th"} != {dom.name(cell) for cell in second}
        plain = not linked[row] and linked[start[1:]].mean() >= TYPICAL
        last, last_of_second = (max(one.values(), default=0) for one in (cells, second))
        same = is_item or (row != start[0] and last == last_of_second)
        if len(names) >= 2 and same and (heads or (plain and len(start) > 2)):
            return names, is_item
    return {}, 0


class _Key(NamedTuple):
    """A field: the path from the item and the attribute; the text for None."""

    path: int
    attribute: str | None


@dataclass(frozen=True, slots=True)
class _Column:
    key: _Key
    name: str
    values: tuple[str | None, ...]


class _Reader:
    """Reads the items of a list.

    Attributes:
        heads: the element that stands for each item; empty if an item begins with a text.
    """

    def __init__(self, page: Page, start: Int64, stop: Int64, kind: int, header: Mapping[int, str]) -> None:
        self.page, self.dom, self.header = page, page.dom, header
        self.start, self.stop = start.tolist(), stop.tolist()
        self.heads = [] if (self.dom.tag[start] == TEXT).any() else self.start
        self.extended = kind == EXTENDED
        self.whole = kind != EXTENDED and bool((self.dom.end[start] == stop).all())
        self.steps: list[tuple[int, Step]] = []  # by path: the path above, -1 for none, and the last step
        self._paths: dict[tuple[int, Step], int] = {}
        self.nodes: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)  # (item, element) by path
        self._values: defaultdict[_Key, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._parent: dict[tuple[_Key, int], int] = {}  # of the last text of a field of an item
        self._types = element_types(self.dom)
        self._classes = self._common_classes()
        self._read()

    def _common_classes(self) -> list[tuple[str, ...]]:
        """Return the classes of each element type that enough items have, in alphabetical order."""
        names, seen = [(own or "").split() for own in self._types.classes], Counter[str]()
        for first, end in zip(self.start, self.stop, strict=True):
            kinds = set(self._types.of[first:end].tolist())
            seen.update({name for kind in kinds for name in names[kind]})
        least = max(2, COMMON_CLASS * len(self.start))
        return [tuple(sorted({name for name in own if seen[name] >= least})) for own in names]

    def _read(self) -> None:
        """Collect the elements of each path and the values of each field."""
        dom, visible = self.page.dom, visible_nodes(self.page)
        tags, types = dom.tag.tolist(), self._types.of.tolist()
        parents, attributes = dom.parent.tolist(), self._attributes(visible)
        for item, (first, end) in enumerate(zip(self.start, self.stop, strict=True)):
            path: dict[int, int] = {}
            block: dict[int, int] = {}  # the element whose text block a node belongs to
            count: Counter[tuple[int, int]] = Counter()
            order = 0
            for node in range(first, end):
                above, tag = parents[node], dom.tags[tags[node]]
                outer = path.get(above, -1)
                if tag != "#text":
                    count[above, tags[node]] += 1
                    place = count[above, tags[node]]
                    top = above not in path
                    order += top
                    path[node] = self._path(outer, self._step(tag, types[node], place, top, order))
                    self.nodes[path[node]].append((item, node))
                    block[node] = block.get(above, node) if tag in INLINE and not top else node
                    if node in attributes:
                        self._values[_Key(path[node], _ATTRIBUTES[tag])].setdefault(item, [attributes[node]])
                    elif tag in _SEPARATE and not (tag in _ATTRIBUTES and visible[node]):
                        self._values[_Key(path.get(block[node], -1), None)][item].append(" ")
                elif visible[node] and not (above in path and dom.tags[tags[above]] in NO_TEXT):
                    self._add_text(item, node, path, block)
        self._join()

    def _step(self, tag: str, type_: int, place: int, top: bool, order: int) -> Step:
        """Return the step to an element; top: it is a first element of the item, the ``order``-th of them."""
        if top:
            return Step("*" if self.whole else tag, (), order, combinator=NEXT)
        most = MAX_PLACE if tag not in _CELLS else 10 * MAX_PLACE
        if tag in _JOINED or (self._classes[type_] and tag not in _CELLS):
            return Step(tag, self._classes[type_])
        return Step(tag, (), min(place, most), place >= most)

    def _path(self, above: int, step: Step) -> int:
        key = above, step
        if key not in self._paths:
            self._paths[key] = len(self.steps)
            self.steps.append(key)
        return self._paths[key]

    def _attributes(self, visible: Bool) -> dict[int, str]:
        """Return the addresses and dates of the visible elements of the items, by node."""
        dom, found = self.dom, dict[int, str]()
        first, end = min(self.start), max(self.stop)
        for tag, attribute in _ATTRIBUTES.items():
            number = dom.tags.index(tag) if tag in dom.tags else -1
            nodes = first + np.flatnonzero((dom.tag[first:end] == number) & visible[first:end])
            values = [value or "" for value in dom.values_at(attribute, nodes)] if len(nodes) else []
            if values and attribute != "datetime":
                values = all_absolute(self.page, values)
            found |= {node: value for node, value in zip(nodes.tolist(), values, strict=True) if value}
        return found

    def _add_text(self, item: int, node: int, path: dict[int, int], block: dict[int, int]) -> None:
        """Add a text to its block and to the marked inline elements around it."""
        dom = self.dom
        text = dom.text[dom.text_start[node] : dom.text_start[node + 1]]
        above = int(dom.parent[node])
        holder = block.get(above, -1)
        key = _Key(path.get(holder, -1), None)
        pieces, before = self._values[key][item], self._parent.get((key, item), holder)
        marked = any(other != holder and self._is_marked(path, other) for other in (before, above))
        if marked and pieces and before != above and pieces[-1][-1:].isalnum() and text[:1].isalnum():
            pieces.append(" ")  # "<a>Name</a><time>May</time>"
        pieces.append(text)
        self._parent[key, item] = above
        while above in path and above != holder:
            if self._is_marked(path, above):
                self._values[_Key(path[above], None)][item].append(text)
            above = int(dom.parent[above])

    def _is_marked(self, path: dict[int, int], node: int) -> bool:
        own = self.steps[path[node]][1] if node in path else None
        return own is not None and (own.tag in _MARKED or bool(own.classes))

    def _join(self) -> None:
        """Join the texts of each field."""
        joined = {
            key: {item: " ".join("".join(texts).split()) for item, texts in own.items()}
            for key, own in self._values.items()
        }
        filled = {key: {item: x for item, x in own.items() if x} for key, own in joined.items()}
        self.values = {key: own for key, own in filled.items() if own}

    def columns(self) -> list[_Column]:
        """Return the fields that vary, each with its values in all items; ``name`` first."""
        n, seen, found = len(self.start), set[tuple[str | None, ...]](), list[_Column]()
        named = self._title()
        order = sorted(self.values, key=lambda key: (key != named, -len(self.values[key]) * 2 < n, key.path))
        for key in order[:MAX_FIELDS]:
            values = tuple(self.values[key].get(item) for item in range(n))
            if (len(set(values)) > 1 or key == named) and values not in seen:
                seen.add(values)
                found.append(_Column(key, "", values))
        if len({column.values for column in found if len(set(column.values)) > 1}) == 0:
            return []
        return [_Column(column.key, self._name(column, named, found), column.values) for column in found]

    def _title(self) -> _Key | None:
        """Return the field with the names of the items: a heading, or the longest link text, or a text."""

        def worth(key: _Key) -> tuple[float, ...]:
            own = self.values[key]
            texts = [text for text in own.values() if _WORD.search(text)]
            filled = len(texts) >= TYPICAL * len(self.start)
            tags = [step.tag for step in self._steps(key.path)]
            heading = any(tag in _HEADINGS for tag in tags)
            linked = 2 * ("a" in tags) or any(
                other.attribute == "href" and self._inside(other.path, key.path) for other in self.values
            )
            varied = len(set(texts)) / max(len(texts), 1)
            short = float(np.median([len(text) for text in texts])) if texts else 0.0
            return (filled, heading, linked, varied > TYPICAL, -key.path if not linked else min(short, 80.0))

        texts = [key for key in self.values if key.attribute is None]
        return max(texts, key=lambda key: (*worth(key), -key.path), default=None)

    def _inside(self, path: int, above: int) -> bool:
        while path > above:
            path = self.steps[path][0]
        return path == above

    def _steps(self, path: int) -> list[Step]:
        steps = []
        while path >= 0:
            path, step = self.steps[path]
            steps.append(step)
        return steps[::-1]

    def _name(self, column: _Column, named: _Key | None, columns: Sequence[_Column]) -> str:
        """Return the name of a field: by its meaning, its class or its tag."""
        key, values = column.key, [value for value in column.values if value]
        if key == named:
            return "name"
        if key.attribute == "href":
            links = [other.key for other in columns if other.key.attribute == "href"]
            at = named.path if named else -1
            own = [k for k in links if self._inside(k.path, at) or self._inside(at, k.path)]
            return "link" if key == (own or links)[0] else f"{self._own_name(key.path)}_link"
        if key.attribute == "src":
            return "image"
        if key.attribute == "datetime":
            return "datetime"
        short = [value for value in values if len(value) <= 40]
        inner = any(x.key.path != key.path and self._inside(x.key.path, key.path) for x in columns)
        if not inner and len(short) >= TYPICAL * len(values):
            for name, pattern in (("price", _PRICE), ("date", _DATE)):
                if sum(bool(pattern.search(value)) for value in short) >= TYPICAL * len(values):
                    return name
        return self._own_name(key.path)

    def _own_name(self, path: int) -> str:
        steps = self._steps(path)
        if not steps:
            return "text"
        item, node = self.nodes[path][0]
        type_ = int(self._types.of[node])
        name = next(iter(self._classes[type_]), self.dom.tags[self._types.tag[type_]])
        if self.header:
            columns = _columns(self.dom, self.start[item]).items()
            own = (at for cell, at in columns if cell <= node < self.dom.end[cell])
            name = self.header.get(next(own, -1), name)
        return _NAME_CHARACTERS.sub("_", name).strip("_-").lower()[:40] or "text"

    @cached_property
    def _heads(self) -> Any:
        """The elements that stand for the items, as scopes of selectors."""
        return selectors(self.dom).below(np.array(self.heads))

    def field(self, column: _Column, selected: bool) -> Field:
        """Return a field with its selectors; selected: whether the items have a selector."""
        path, attribute = column.key
        if path < 0 or not selected:
            return Field(column.name, None, None, attribute)
        steps = self._steps(path)
        first, rest = steps[0], tuple(steps[1:])
        before = tuple(Step("*", combinator=NEXT) for _ in range(first.place - 2))
        chain: Steps = (*before, Step(first.tag, combinator=NEXT), *rest) if first.place > 1 else rest
        own = np.array(self.nodes[path], np.int64)
        exact = find_field(self._heads, own[:, 1], own[:, 0], chain)
        if exact is None:
            return Field(column.name, None, None, attribute)
        return Field(column.name, to_css(exact).strip(), to_xpath(exact), attribute)


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names, repeated ones with a number."""
    count: Counter[str] = Counter()
    found = []
    for name in names:
        count[name] += 1
        found.append(name if count[name] == 1 else f"{name}_{count[name]}")
    return found
