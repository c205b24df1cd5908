"""Records: the items of a list as rows with fields.

The nodes of all items are aligned by their paths from the item; a step of a path is a tag with the classes
that several items have, or, without classes, a tag and its number among the siblings of its tag. A field is:

* the text of a block: the text outside of inner blocks, as in a heading, a cell or a paragraph;
* the text of a link, of a ``<time>`` or of another inline element with a class, if it is a part of a block;
* an attribute: the address of a link or an image, the date of a ``<time>``.

``<br>`` and other elements without text separate words.

Fields have names that mean the same on all pages (``name``, ``link``, ``image``, ``date``, ``price``), others
the name of their column, class or tag. Fields that are equal in all items are left out. The first row of a
table is no item if it has the names of the columns: only ``th``, or no link and image, as most others have.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from webgrain.base.arrays import Int32, Int64, UInt8
from webgrain.documents.elements import small_number
from webgrain.lists.candidates import EXTENDED
from webgrain.lists.recordkernel import (
    ALPHANUMERIC,
    CELL,
    CLASSED,
    DATETIME,
    DIGIT,
    HEADING,
    HREF,
    IMAGE,
    IN_LINE,
    JOINED,
    LETTER,
    LINK,
    MARKED,
    SEPARATE,
    SILENT,
    SPACE,
    SRC,
    TIME,
    TOP,
    attributes_of_items,
    choose_columns,
    find_pieces,
    read_paths,
    read_texts,
)
from webgrain.lists.selectorkernel import SHORT, WHOLE, forms_of_fields
from webgrain.lists.selectors import (
    DESCENDANT,
    NEXT,
    SelectorStep,
    SelectorSteps,
    class_names,
    common_ancestor,
    container_selectors,
    find_items,
    selector_nodes,
    to_css,
    to_xpath,
)
from webgrain.lists.thresholds import COMMON_CLASS, MAX_FIELDS, MAX_PLACE, TYPICAL
from webgrain.page.addresses import sibling_places
from webgrain.page.dom import TEXT, Dom
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import absolute_values
from webgrain.page.page import Page
from webgrain.page.strings import bounded_cache, code_points
from webgrain.page.tagtables import NameTable, TagTable
from webgrain.page.text import INLINE, NO_TEXT

_ATTRIBUTES = (None, "href", "src", "datetime")
"""The attributes with values, by `HREF`, `SRC` and `DATETIME`; None for the text."""
_ATTRIBUTE_OF_NAMES = NameTable(lambda name: _ATTRIBUTES.index(name) if name in _ATTRIBUTES else 0, np.int32)
_CELLS = frozenset(("td", "th"))
_LINKED = frozenset(("a", "img"))
_BITS = (
    (CELL, _CELLS),
    (JOINED, frozenset(("li", "option"))),
    (MARKED, frozenset(("a", "time"))),
    (SEPARATE, frozenset(("br", "hr", "img", "input"))),
    (IN_LINE, INLINE),
    (SILENT, NO_TEXT),
    (HEADING, frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))),
    (LINK, frozenset(("a",))),
    (IMAGE, frozenset(("img",))),
    (TIME, frozenset(("time",))),
)
_BITS_OF_TAGS = TagTable(lambda tag: sum(bit for bit, tags in _BITS if tag in tags), np.int32)
_MONEY = "[$€£¥₹₽₩₺₫฿]"
_PRICE = re.compile(
    rf"{_MONEY}\s?\d|\d\s?{_MONEY}|\b[A-Z]{{2,3}}\$?\s?\d[\d.,]*[.,]\d\d\b|\d[.,]\d\d\s?[A-Z]{{3}}\b"
)
_YEAR = r"\b(1[89]|20)\d\d\b"
_DATE = re.compile(rf"{_YEAR}.*\d|\d.*{_YEAR}|\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2}}\b|\d{{1,2}}:\d\d\b")
_NAME_CHARACTERS = re.compile(r"[^\w-]+")
_SHORT = 40  # characters of a price or a date
_PLANES = 0x40000
"""No characters of these classes have this code point or a higher one."""


@cache
def _character_classes() -> UInt8:
    """Return the bits of each character by its code point; the last is for all others."""
    text = np.arange(_PLANES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    classes = np.zeros(_PLANES + 1, np.uint8)
    patterns = ((SPACE, r"\s+"), (ALPHANUMERIC | LETTER, r"[^\W\d_]+"), (ALPHANUMERIC | DIGIT, r"\d+"))
    for bits, pattern in patterns:
        for match in re.finditer(pattern, text):
            classes[match.start() : match.end()] = bits
    return classes


class Field(NamedTuple):
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


Rows = tuple[tuple[str | None, ...], ...]
"""The values of each item in each column."""


class ListSelectors(NamedTuple):
    """The selectors of a list; the attributes are those of `Listing`."""

    css: str
    xpath: str
    items: str
    items_xpath: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Listing:
    """A list on a page.

    Its rows and its selectors are made when they are asked for; the list keeps the page for this purpose. A
    pickled list contains them and not the page.

    Attributes:
        names: of the columns.
        nodes: the first node of each item in the Dom.
        probability: calibrated probability that it is the list of the page, 0..1.
        read: returns the rows; locate: returns the selectors.
    """

    names: tuple[str, ...]
    nodes: tuple[int, ...]
    probability: float
    read: Callable[[], Rows] = field(repr=False, compare=False)
    locate: Callable[[], ListSelectors] = field(repr=False, compare=False)

    @cached_property
    def rows(self) -> Rows:
        """A value for each column of each item, None if an item lacks it."""
        return self.read()

    @cached_property
    def _located(self) -> ListSelectors:
        return self.locate()

    @property
    def css(self) -> str:
        """CSS selector of the element that contains the list."""
        return self._located.css

    @property
    def xpath(self) -> str:
        """XPath of the element that contains the list."""
        return self._located.xpath

    @property
    def items(self) -> str:
        """CSS selector of the items within that element; empty if none selects exactly the items."""
        return self._located.items

    @property
    def items_xpath(self) -> str:
        """XPath of the items on the page; empty if none selects exactly the items, as with lines of text."""
        return self._located.items_xpath

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns with their selectors."""
        return self._located.fields

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: rows and selectors in place of what makes them."""
        made = {"rows": self.rows, "_located": self._located}
        return self.__dict__ | made | {"read": None, "locate": None}

    def __repr__(self) -> str:
        return f"<Listing of {len(self.nodes)} items: {self.css} {self.items}, {self.probability:.2f}>"

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
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]


def read_list(
    page: Page, start: Int64, stop: Int64, candidate_kind: int, probability: float = 1.0
) -> Listing:
    """Return the list with these items; its fields are empty if the items do not differ.

    start, stop: (i,) the first node of each item, and one past its last node; candidate_kind: of the items,
    see `webgrain.lists.candidates`.

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
    reader = _Reader(page, start, stop, candidate_kind, header)
    names = reader.names()
    return Listing(
        names, tuple(start.tolist()), round(probability, 4), reader.rows, partial(reader.locate, names)
    )


def _columns(dom: Dom, row: int) -> dict[int, int]:
    """Return the number of the column of each cell of a row of a table."""
    columns, column = dict[int, int](), 0
    for cell in dom.children(row):
        if dom.name(cell) in _CELLS:
            columns[cell] = column
            column += small_number(dom.get(cell, "colspan") or "", 3) or 1
    return columns


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
    linked = dom.subtree_sum(dom.tagged(*_LINKED)) > 0
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
        last, last_of_second = (max(columns.values(), default=0) for columns in (cells, second))
        same = is_item or (row != start[0] and last == last_of_second)
        if len(names) >= 2 and same and (heads or (plain and len(start) > 2)):
            return names, is_item
    return {}, 0


class _Reader:
    """Reads the items of a list.

    Attributes:
        heads: the element that stands for each item; empty if an item begins with a text.
        node, item, path: (e,) the nodes of the items, the item of each, and its path.
        up: by path, the path that is one step shorter, -1 for none; first: the place of its first node.
        fields: path and attribute (f,) of all fields; columns: those of the k columns.
    """

    def __init__(
        self, page: Page, start: Int64, stop: Int64, candidate_kind: int, header: Mapping[int, str]
    ) -> None:
        self.page, self.dom, self.header = page, page.dom, header
        self.start = start.tolist()
        self.stop = int(stop[-1])
        self.heads = self.start if (self.dom.tag[start] != TEXT).all() else []
        self.whole = candidate_kind != EXTENDED and bool((self.dom.end[start] == stop).all())
        self._bits = _BITS_OF_TAGS.values(self.dom.tags)
        self._read_paths(start, stop)
        self._read_cells()

    def _read_paths(self, start: Int64, stop: Int64) -> None:
        """Find the path of each node."""
        dom, classes = self.dom, class_names(self.dom)
        self._places, paths, self._paths_of_texts, self._usual = read_paths(
            dom.parent,
            dom.tag,
            self._bits,
            sibling_places(dom)[0],
            start,
            stop,
            classes.start,
            classes.keys,
            classes.number,
            classes.size,
            self.whole,
            max(2, COMMON_CLASS * len(start)),
            MAX_PLACE,
        )
        self.node, self.item, _, self.path = self._places
        self._paths = paths
        self.up, self.first, self._kind, self._number = (array.tolist() for array in paths)
        self._first_node: list[int] = self.node[paths[1]].tolist()

    def _read_cells(self) -> None:
        """Read the cells, and choose the columns."""
        dom, visible = self.dom, visible_nodes(self.page).view(np.uint8)
        attributes, place, kind = attributes_of_items(
            dom.tag,
            self._bits,
            visible,
            self.node,
            dom.attr_start,
            dom.attr_name,
            _ATTRIBUTE_OF_NAMES.values(dom.names),
        )
        values = self._values(attributes, kind)
        begin, end = dom.text_start[[self.start[0], self.stop]].tolist()
        self._text = "".join([dom.text[begin:end], *values])
        value_start = np.array([*accumulate(map(len, values), initial=end - begin)], np.int32)
        characters, classes = code_points(self._text), _character_classes()
        marked, inside = self._paths_of_texts
        self.fields, self.cells, self._pieces = find_pieces(
            dom.tag,
            self._bits,
            visible,
            dom.text_start,
            begin,
            characters,
            classes,
            self._places,
            marked,
            value_start,
            place,
        )
        self._texts = read_texts(len(self.cells[0]), characters, classes, self._pieces)
        self._is_named, columns, offset, self._cell = choose_columns(
            len(self.start),
            self.fields,
            self.cells,
            self._texts,
            self._paths[0],
            inside,
            TYPICAL,
            MAX_FIELDS,
            _SHORT,
        )
        paths, attributes, self._digits = (array.tolist() for array in columns)
        self._offset: list[int] = offset.tolist()
        self.columns = [*zip(paths, attributes, strict=True)]

    def _values(self, attributes: Int32, kind: Int32) -> list[str]:
        """Return the values (k,) of attributes of some kinds, those of links and images as absolute URLs."""
        is_date = kind == DATETIME
        urls = iter(absolute_values(self.page, attributes[~is_date]))
        dates = iter(self.dom.values_of(attributes[is_date]))
        return [next(dates) or "" if among_dates else next(urls) for among_dates in is_date.tolist()]

    @cached_property
    def _joined(self) -> dict[int, str]:
        """The texts of the cells that are joined from several pieces, or have white space in the middle."""
        cell, begin, end, apart = self._pieces
        joined = np.flatnonzero(self._texts[4][cell] & SPACE)
        pieces = defaultdict[int, list[str]](list)
        rows = zip(*(array[joined].tolist() for array in (cell, begin, end, apart)), strict=True)
        for number, first, last, is_apart in rows:
            pieces[number] += " " * is_apart, self._text[first:last] or " "
        return {number: " ".join("".join(parts).split()) for number, parts in pieces.items()}

    @cached_property
    def values(self) -> list[str]:
        """The texts (d,) of the cells of the columns."""
        _, _, begin, end, bits = self._texts
        spans = zip(begin[self._cell].tolist(), end[self._cell].tolist(), strict=True)
        text = self._text
        values = [text[a:b] for a, b in spans]
        joined = np.flatnonzero(bits[self._cell] & SPACE)
        for place, cell in zip(joined.tolist(), self._cell[joined].tolist(), strict=True):
            values[place] = self._joined[cell]
        return values

    def rows(self) -> Rows:
        """Return the texts of each item in all columns."""
        n, k = len(self.start), len(self.columns)
        items = self.cells[1][self._cell].tolist()
        texts: list[str | None] = [None] * (n * k)
        for column, (first, last) in enumerate(pairwise(self._offset)):
            for item, value in zip(items[first:last], self.values[first:last], strict=True):
                texts[item * k + column] = value
        return tuple(zip(*[iter(texts)] * k, strict=True)) if k else ((),) * n

    def _classes(self, path: int) -> tuple[str, ...]:
        """Return the usual classes of the first element with a path."""
        node = self._first_node[path]
        names = class_names(self.dom).at(node).names
        if not names:
            return ()
        begin = int(class_names(self.dom).start[node])
        usual = self._usual[begin : begin + len(names)].tolist()
        return tuple(sorted([name for name, is_usual in zip(names, usual, strict=True) if is_usual]))

    def _tag(self, path: int) -> str:
        """Return the tag of the last step of a path; ``*`` for an item."""
        return "*" if self.whole and self._kind[path] == TOP else self.dom.name(self._first_node[path])

    def _step(self, path: int) -> SelectorStep:
        """Return the last step of a path."""
        tag, kind, number = self._tag(path), self._kind[path], self._number[path]
        if kind == TOP:
            return SelectorStep(tag, (), number, combinator=NEXT)
        if kind == CLASSED:
            return SelectorStep(tag, self._classes(path))
        return SelectorStep(tag, (), number, number >= (10 * MAX_PLACE if tag in _CELLS else MAX_PLACE))

    def _paths_around(self, paths: Iterable[int]) -> set[int]:
        """Return some paths and all that they begin with; -1 is the empty path."""
        around = set[int]()
        for path in paths:
            while path not in around:
                around.add(path)
                if path >= 0:
                    path = self.up[path]
        return around

    def _inside(self, path: int, above: int) -> bool:
        while path > above:
            path = self.up[path]
        return path == above

    def _steps(self, path: int) -> list[SelectorStep]:
        steps = []
        while path >= 0:
            steps.append(self._step(path))
            path = self.up[path]
        return steps[::-1]

    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        around = self._paths_around(self.up[path] for path, _ in self.columns if path >= 0)
        link = self._link()
        return tuple(_distinct([self._name(k, link, around) for k in range(len(self.columns))]))

    def _link(self) -> int:
        """Return the column with the link of the items: around or in the names, or the first; -1 for none."""
        at = self.columns[0][0] if self._is_named and self.columns else -1
        links = [k for k, (_, attribute) in enumerate(self.columns) if attribute == HREF]
        for k in links:
            path = self.columns[k][0]
            if self._inside(path, at) or self._inside(at, path):
                return k
        return links[0] if links else -1

    def _name(self, column: int, link: int, around: Collection[int]) -> str:
        """Return the name of a column: by its meaning, its class or its tag.

        link: see `_link`; around: the paths with other columns inside.
        """
        if column == 0 and self._is_named:
            return "name"
        path, attribute = self.columns[column]
        if attribute == HREF:
            return "link" if column == link else f"{self._own_name(path)}_link"
        if attribute == SRC:
            return "image"
        if attribute == DATETIME:
            return "datetime"
        meaning = "" if path in around else self._meaning(column)
        return meaning or self._own_name(path)

    def _meaning(self, column: int) -> str:
        """Return ``price`` or ``date`` if most texts of a column are short and contain one, else nothing."""
        first, last = self._offset[column : column + 2]
        least = TYPICAL * (last - first)
        if self._digits[column] < least:
            return ""
        short = [value for value in self.values[first:last] if len(value) <= _SHORT]
        for name, pattern in (("price", _PRICE), ("date", _DATE)):
            if len([*filter(pattern.search, short)]) >= least:
                return name
        return ""

    def _own_name(self, path: int) -> str:
        """Return the name of a path: that of its column in the header, its first class, or its tag."""
        if path < 0:
            return "text"
        node, classes = self._first_node[path], self._classes(path)
        name = classes[0] if classes else self.dom.name(node)
        if self.header:
            row = self.start[int(self.item[self.first[path]])]
            places = (at for cell, at in _columns(self.dom, row).items() if cell <= node < self.dom.end[cell])
            name = self.header.get(next(places, -1), name)
        return _as_name(name)

    def locate(self, names: Sequence[str]) -> ListSelectors:
        """Return the selectors of the list and of its columns with these names."""
        container = common_ancestor(self.dom, [*self.start, self.stop - 1])
        css, xpath = container_selectors(self.dom, container)
        steps = find_items(self.dom, container, self.heads) if self.heads else ()
        exact = self._exact_steps() if steps else {}
        fields = [
            self._field(name, exact.get(path), _ATTRIBUTES[attribute])
            for name, (path, attribute) in zip(names, self.columns, strict=True)
        ]
        return ListSelectors(
            css, xpath, to_css(steps), to_xpath(steps, xpath) if steps else "", tuple(fields)
        )

    def _field(self, name: str, exact: SelectorSteps | None, attribute: str | None) -> Field:
        """Return a field with the selectors of its steps."""
        if exact is None:
            return Field(name, None, None, attribute)
        return Field(name, to_css(exact).strip(), to_xpath(exact), attribute)

    def _exact_steps(self) -> dict[int, SelectorSteps]:
        """Return the shortest steps that select the elements of each column within the items, by path."""
        paths = sorted({path for path, _ in self.columns if path >= 0})
        forms = forms_of_fields(
            selector_nodes(self.dom),
            self._bits,
            self._places,
            self._paths,
            self._usual,
            np.array(self.heads, np.int64),
            np.array(paths, np.int32),
            self.whole,
            MAX_PLACE,
        )
        pairs = zip(paths, forms.tolist(), strict=True)
        return {path: self._selector_steps(path, form) for path, form in pairs if form >= 0}

    def _selector_steps(self, path: int, form: int) -> SelectorSteps:
        """Return the steps from an item to a path; form: as in `webgrain.lists.selectorkernel`."""
        steps = self._steps(path)
        first, *rest = steps
        if first.place > 1:
            before = [SelectorStep("*", combinator=NEXT)] * (first.place - 2)
            if form != WHOLE:
                rest = [step._replace(place=0, onwards=False) for step in rest]
            return (*before, SelectorStep(first.tag, combinator=NEXT), *rest)
        if form == WHOLE:
            return tuple(rest)
        last = rest[-1]._replace(combinator=DESCENDANT)
        return (last._replace(place=0, onwards=False) if form == SHORT else last,)


@bounded_cache(1024)
def _as_name(name: str) -> str:
    """Return a class or a header as the name of a column."""
    return _NAME_CHARACTERS.sub("_", name).strip("_-").lower()[:40] or "text"


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names, repeated ones with a number."""
    count = dict[str, int]()
    distinct = []
    for name in names:
        number = count[name] = count.get(name, 0) + 1
        distinct.append(name if number == 1 else f"{name}_{number}")
    return distinct
