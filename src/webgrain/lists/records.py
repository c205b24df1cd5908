"""Records: the items of a list as rows with fields.

The nodes of all items are aligned by their paths from the item; a step of a path is a tag with the classes
that several items have, or, without classes, a tag and its number among the siblings of its tag. A field is:

* the text of a block: the text outside of inner blocks, as in a heading, a cell or a paragraph;
* the text of a link, of a ``<time>`` or of another inline element with a class, if it is a part of a block;
* an attribute: the address of a link or an image, the date of a ``<time>``, a rating in the label or the
  title of another element.

``<br>`` and other elements without text separate words.

Fields have names that mean the same on all pages (``name``, ``link``, ``image``, ``date``, ``price``,
``price_old``, ``rating``, ``author``, ``description``, see `webgrain.lists.columnnames`), others the name of
their column, class or tag, ``text`` for paragraphs and elements without meaning; columns with the same name
are numbered. Fields that are equal in all items are left out. Of two fields with the same texts, of which one
is inside the other, only the inner one is kept if it has a class and the other one is the item or has no
class. The first row of a table is not an item if it has the names of the columns: only ``th``, or no link and
image, as most others have. Rows of the first list that are probably no records, such as headings and pagers
between the items, are left out (`webgrain.lists.rowmodel`).
"""

from __future__ import annotations

import json
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from html import escape
from itertools import accumulate, compress, pairwise
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from webgrain.base.arrays import Float64, Int32, Int64, UInt8, UInt32
from webgrain.base.guesses import NamesGuesses
from webgrain.base.htmltable import html_table
from webgrain.documents.elements import small_number
from webgrain.lists.candidates import Candidates
from webgrain.lists.columnkernel import records_as_json
from webgrain.lists.columnnames import IS_RATING, LONGEST_VALUE, text_name, value_name
from webgrain.lists.paging import next_page
from webgrain.lists.recordkernel import (
    ALPHANUMERIC,
    ASKED,
    BOLD,
    CELL,
    CLASSED,
    DATETIME,
    DIGIT,
    GRADE,
    HEADING,
    IMAGE,
    IN_LINE,
    JOINED,
    LABEL,
    LETTER,
    LINK,
    MARKED,
    MOMENT,
    NAME,
    OTHER_LINK,
    PICTURE,
    PLAIN,
    SEPARATE,
    SILENT,
    SPACE,
    TERM,
    THE_LINK,
    TIME,
    TOP,
    attributes_of_items,
    read_records,
)
from webgrain.lists.rowmodel import row_features, trained_rows
from webgrain.lists.selectorkernel import NONE, SCOPED, SHORT, WHOLE
from webgrain.lists.selectors import (
    DESCENDANT,
    NEXT,
    Located,
    SelectorStep,
    SelectorSteps,
    class_names,
    classes_of,
    column_label,
    container_texts,
    locate,
    names_at,
    step_texts,
    to_css,
    to_xpath,
)
from webgrain.lists.thresholds import (
    COMMON_CLASS,
    MAX_FIELDS,
    MAX_KNOWN,
    MAX_PLACE,
    MIN_ITEMS,
    RECORD,
    TYPICAL,
)
from webgrain.page.addresses import sibling_places, unique_ids
from webgrain.page.dom import Dom
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import absolute_values
from webgrain.page.page import Page
from webgrain.page.strings import code_points
from webgrain.page.tagtables import NameTable, TagTable
from webgrain.page.text import INLINE, NO_TEXT
from webgrain.page.thresholds import LONGEST_KEY

T = TypeVar("T")

_ATTRIBUTES = (None, "href", "src", "datetime", "aria-label", "title")
"""The attributes with values, by `HREF`, `SRC`, `DATETIME`, `LABEL` and `TITLE`; None for the text."""
_ATTRIBUTE_OF_NAMES = NameTable(lambda name: _ATTRIBUTES.index(name) if name in _ATTRIBUTES else 0, np.int32)
_CELLS = frozenset(("td", "th"))
_LINKED = frozenset(("a", "img"))
_STRUCK = frozenset(("del", "s", "strike"))
_BITS = (
    (CELL, _CELLS),
    (JOINED, frozenset(("li", "option"))),
    (MARKED, frozenset(("a", "time", "ins", *_STRUCK))),
    (SEPARATE, frozenset(("br", "hr", "img", "input"))),
    (IN_LINE, INLINE),
    (SILENT, NO_TEXT),
    (HEADING, frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))),
    (LINK, frozenset(("a",))),
    (IMAGE, frozenset(("img",))),
    (TIME, frozenset(("time",))),
    (TERM, frozenset(("dt",))),
    (BOLD, frozenset(("b", "strong"))),
)
_BITS_OF_TAGS = TagTable(lambda tag: sum(bit for bit, tags in _BITS if tag in tags), np.int32)
_NAMELESS = frozenset(("p", "div", "span", "section"))
_LABEL_OF_TAGS = TagTable(lambda tag: "text" if tag in _NAMELESS else column_label(tag), np.object_)
_OF_TEXTS = (PLAIN, ASKED)
_NAMES = {NAME: "name", THE_LINK: "link", PICTURE: "image", MOMENT: "datetime", GRADE: "rating"}
"""Names of columns by their role."""
_LONGEST_BEFORE, _NODES_BEFORE = 40, 5  # characters and nodes before a text that may state what it is
_FORMER = re.compile(
    r"(?<![a-z])(old|was|before|former|previous|original|crossed|strike\w*|compare)(?![a-z])", re.I
)
"""Words of the classes of a price that is not the price any more."""
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
        css, xpath: of its element within an item: empty and ``.`` for the item itself, ``:scope + dd`` for an
            element that follows the item; None if no selector selects exactly the elements of the field.
    """

    name: str
    css: str | None
    xpath: str | None
    attribute: str | None = None


Rows = tuple[tuple[str | None, ...], ...]
"""The values of each item in each column."""


@dataclass(frozen=True)
class ListSelectors:
    """The selectors of a list; the attributes are those of `Listing`."""

    css: str
    xpath: str
    items: str
    items_xpath: str
    fields: tuple[Field, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the selectors, ready for JSON."""
        fields = [
            {"name": x.name, "css": x.css, "xpath": x.xpath, "attribute": x.attribute} for x in self.fields
        ]
        items = {"items": self.items, "items_xpath": self.items_xpath}
        return {"list": self.css, "xpath": self.xpath, **items, "fields": fields}

    @cached_property
    def json(self) -> str:
        """The members of `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)[1:-1]


class KnownSelectors:
    """The selectors of lists and of their parts, which are equal on the pages of a site; for several threads.

    A key contains all that selectors depend on, see `webgrain.lists.selectorkernel`.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Any] = {}

    def of(self, key: tuple[object, ...], size: int, make: Callable[[], T]) -> T:
        """Return what was made for a key, which has ``size`` numbers; long keys are not kept."""
        made = self._known.get(key)
        if made is not None:
            return made  # type: ignore[no-any-return]
        made = make()
        if size <= LONGEST_KEY:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = made
        return made


@dataclass(frozen=True, eq=False)
class Listing(NamesGuesses):
    """A list on a page.

    Its names, its rows and its selectors are made when they are asked for; the list keeps the page for this
    purpose. A pickled list contains them and not the page.

    Attributes:
        nodes: the first node of each item in the Dom.
        probability: calibrated probability that it is the list of the page, 0..1.
        read: what was read of the list; None if it was pickled.
        known: selectors of other lists of the site.
    """

    _guesses: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("columns", "header"), "names"),
        **dict.fromkeys(("selector", "address"), "css and items"),
        **dict.fromkeys(
            ("to_dicts", "to_pandas", "dataframe", "to_dataframe", "to_df", "to_csv"), "records()"
        ),
        **dict.fromkeys(("to_records", "to_list", "data", "table", "values"), "records()"),
        **dict.fromkeys(("confidence", "score"), "probability"),
        "next_page": "webgrain.lists.paging.next_page(page)",
    }

    nodes: tuple[int, ...]
    probability: float
    read: ListRecords | None = field(repr=False)
    known: KnownSelectors = field(repr=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._read.names()

    @cached_property
    def rows(self) -> Rows:
        """A value for each column of each item, None if an item lacks it."""
        return self._read.rows()

    @cached_property
    def row_probabilities(self) -> tuple[float, ...]:
        """The calibrated probability (i,) of each row that it is a record, 0..1, if the list is right."""
        return tuple(self._read.row_probability.round(4).tolist())

    @cached_property
    def _located(self) -> ListSelectors:
        return self._read.locate(self.names, self.known)

    @property
    def _read(self) -> ListRecords:
        assert self.read is not None  # a pickled list has all that is made of it
        return self.read

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
        """Return what is pickled: names, rows and selectors in place of what they are made of."""
        made = {"names": self.names, "rows": self.rows, "_located": self._located}
        made["row_probabilities"] = self.row_probabilities
        return self.__dict__ | made | {"read": None, "known": KnownSelectors()}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Listing):
            return NotImplemented
        first, second = ((x.names, x.nodes, x.probability) for x in (self, other))
        return first == second

    def __hash__(self) -> int:
        return hash((self.nodes, self.probability))

    def __repr__(self) -> str:
        return f"<Listing of {len(self.nodes)} items: {self.css} {self.items}, {self.probability:.2f}>"

    def _repr_html_(self) -> str:
        """Return the rows as a table for notebooks."""
        return html_table(self.names, [tuple(value or "" for value in row) for row in self.rows])

    def selectors(self) -> dict[str, Any]:
        """Return the selectors of the items and their fields, ready for JSON."""
        return self._located.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Return the probabilities of the list and of its rows, selectors and rows, ready for JSON."""
        rows = {"row_probabilities": list(self.row_probabilities), "records": self.records()}
        return {"probability": self.probability} | self.selectors() | rows

    def to_json(self) -> str:
        """Return `to_dict` as JSON, written without dictionaries."""
        if self.read is None:
            return json.dumps(self.to_dict(), ensure_ascii=False)
        rows = f'"row_probabilities": {[*self.row_probabilities]}, "records": {self.read.to_json(self.names)}'
        return f'{{"probability": {self.probability!r}, {self._located.json}, {rows}}}'

    def records(self) -> list[dict[str, str | None]]:
        """Return the rows by name of the field."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]


class Listings(tuple[Listing, ...]):
    """The lists of a page: a tuple with the address of the next page, and a display for notebooks.

    A pickled one contains this address and not the page.

    >>> Listings()
    ()
    """

    page: Page | None = None
    """The page; None if it was pickled."""

    @cached_property
    def next_page(self) -> str | None:
        """The address of the next page of the first list, see `webgrain.lists.paging`; None if there is none.

        >>> from webgrain.page.page import Source
        >>> from webgrain.page.parsing import parse
        >>> lists = Listings()
        >>> lists.page = parse(Source("a", b"<a href=?page=2>Next</a>", url="https://example.org/news"))
        >>> lists.next_page
        'https://example.org/news?page=2'
        """
        return None if self.page is None else next_page(self.page)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled besides the lists."""
        return {"next_page": self.next_page}

    def _repr_html_(self) -> str:
        """Return a heading and a table for each list."""
        if not self:
            return "<p>no list</p>"
        return "".join(f"<h4>{escape(repr(listing))}</h4>{listing._repr_html_()}" for listing in self)


def read_lists(
    page: Page, candidates: Candidates, probability: Sequence[float], known: KnownSelectors
) -> tuple[Listing, ...]:
    """Return the lists with the items of some candidates, without copies and lists whose items do not differ.

    probability: (c,) of each candidate; no two share a node. known: selectors of other lists of the site.

    >>> from webgrain.page.parsing import parse
    >>> rows = "<li><a href=/1>One</a> <b class=n>5</b><li><a href=/2>Two</a> <b class=n>7</b>"
    >>> page = parse(f"<ul>{rows}</ul>")
    >>> items = Candidates(np.array([4, 10]), np.array([10, 16]), np.array([0, 2]), np.array([0]))
    >>> [found] = read_lists(page, items, [0.9], KnownSelectors())
    >>> found.css, found.items, [(field.name, field.css) for field in found.fields]
    ('html > body > ul', 'li', [('name', 'a'), ('li', ''), ('link', 'a'), ('n', 'b.n')])
    >>> found.records()[1]
    {'name': 'Two', 'li': 'Two 7', 'link': '/2', 'n': '7'}
    """
    headers = [_header(page.dom, candidates.items(k)[0]) for k in range(len(candidates))]
    items = _without_headers(candidates, [is_item for _, is_item in headers])
    text, records = _read(page, items)
    lists = list[Listing]()
    for k, ((names, _), (count, *arrays)) in enumerate(zip(headers, records, strict=True)):
        start, stop = items.items(k)
        read = ListRecords(page, start[:count], stop[:count], names, text, *arrays)
        if not len(read.columns[0]):
            continue
        if k == 0:
            read = _without_other_rows(read, start[:count], stop[:count], int(items.kind[k]))
        listing = Listing(tuple(read.start), round(float(probability[k]), 4), read, known)
        if not any(_is_copy(listing, other) for other in lists):
            lists.append(listing)
    return tuple(lists)


def _without_other_rows(read: ListRecords, start: Int64, stop: Int64, kind: int) -> ListRecords:
    """Return a list without the rows that are probably no records.

    start, stop (i,), kind: its items, see `Candidates`. A list of which fewer than `MIN_ITEMS` rows or no
    column would be left stays as it is.
    """
    is_record = read.row_probability >= RECORD
    if is_record.all() or np.count_nonzero(is_record) < MIN_ITEMS:
        return read
    start, stop = start[is_record], stop[is_record]
    text, [(count, *arrays)] = _read(
        read.page, Candidates(start, stop, np.array([0, len(start)]), np.array([kind]))
    )
    without = ListRecords(read.page, start[:count], stop[:count], read.header, text, *arrays)
    return without if len(without.columns[0]) else read


def _is_copy(listing: Listing, other: Listing) -> bool:
    """Return whether each item of another list has all values of the item at its place in a list.

    Pages contain a list twice, for wide and for narrow screens, or its links in a menu beside it.
    """
    if len(listing.nodes) != len(other.nodes):
        return False
    pairs = zip(listing.rows, other.rows, strict=True)
    return all({*row} <= {*values, None} for row, values in pairs)


def _without_headers(candidates: Candidates, is_item: Sequence[int]) -> Candidates:
    """Return the candidates without their first items, where these are the names of columns."""
    if not any(is_item):
        return candidates
    left = np.ones(len(candidates.start), np.bool_)
    left[candidates.offset[:-1][np.array(is_item) > 0]] = False
    offset = candidates.offset - np.cumsum([0, *is_item])
    return Candidates(candidates.start[left], candidates.stop[left], offset, candidates.kind)


def _read(page: Page, items: Candidates) -> tuple[str, list[tuple[Any, ...]]]:
    """Return the text of a page and of all values of its lists, and what the kernel reads of each list."""
    dom, classes = page.dom, class_names(page.dom)
    bits, visible = _BITS_OF_TAGS.values(dom.tags), visible_nodes(page).view(np.uint8)
    lists = items.start, items.stop, items.offset, items.kind
    attributes, place, kind, first = attributes_of_items(
        dom.tag, bits, visible, lists, dom.attr_start, dom.attr_name, _ATTRIBUTE_OF_NAMES.values(dom.names)
    )
    values = _values(page, attributes, kind)
    text = "".join([dom.text, *values])
    value_start = np.array([*accumulate(map(len, values), initial=len(dom.text))], np.int32)
    records: list[tuple[Any, ...]] = read_records(
        (dom.parent, dom.end, dom.tag, bits, sibling_places(dom)[0], visible, dom.text_start),
        (classes.start, classes.keys, classes.number, classes.size, classes.sorted),
        lists,
        (code_points(text), _character_classes()),
        (value_start, place, kind, first),
        (COMMON_CLASS, MAX_PLACE, TYPICAL, MAX_FIELDS, LONGEST_VALUE),
    )
    return text, records


def _values(page: Page, attributes: Int32, kind: Int32) -> list[str]:
    """Return the values (k,) of attributes of some kinds, those of links and images as absolute URLs.

    Labels and titles that are no ratings are empty.
    """
    is_text = kind >= DATETIME
    if True not in is_text:
        return absolute_values(page, attributes)
    values = [""] * len(kind)
    urls, labels = (~is_text).nonzero()[0], (kind >= LABEL).nonzero()[0]
    for place, url in zip(urls.tolist(), absolute_values(page, attributes[urls]), strict=True):
        values[place] = url
    is_rating = page.dom.ask(IS_RATING, attributes[labels])
    texts = np.concatenate([(kind == DATETIME).nonzero()[0], labels[is_rating]])
    for place, text in zip(texts.tolist(), page.dom.values_of(attributes[texts]), strict=True):
        values[place] = text or ""
    return values


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
    if len(start) < 2 or dom.tags[dom.tag[start[0]]] != "tr" or dom.tags[dom.tag[start[1]]] != "tr":
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


class ListRecords:
    """What the kernel has read of the items of a list.

    Attributes:
        items: (i,) the first node of each item; start: the same as a list; stop: one past the last node.
        whole: whether each item is an element.
        columns: (5, k) path, attribute, role, first element and label of each column.
    """

    def __init__(
        self,
        page: Page,
        start: Int64,
        stop: Int64,
        header: Mapping[int, str],
        text: str,
        whole: bool,
        places: Int32,
        paths: Int32,
        usual: UInt8,
        columns: Int32,
        offset: Int32,
        values: Int32,
        joined: UInt32,
    ) -> None:
        self.page, self.dom, self.header = page, page.dom, header
        self.items = start
        self.start: list[int] = start.tolist()
        self.stop = int(stop[-1])
        self.whole, self.columns = whole, columns
        self._places, self._paths, self._usual = places, paths, usual
        self._text, self._offset, self._values, self._joined = text, offset, values, joined

    @cached_property
    def steps(self) -> _PathSteps:
        """The last step of each path, see `webgrain.lists.recordkernel`."""
        up, first, kind, number = self._paths[:4]
        return _PathSteps(up.tolist(), self._places[0][first].tolist(), kind.tolist(), number.tolist())

    def texts(self, first: int, last: int) -> list[str]:
        """Return some of the texts (d,) of the columns, column by column."""
        _, begin, end, joined = self._values[:, first:last].tolist()
        sources = self._text, _decoded(self._joined)
        return [sources[k][a:b] for a, b, k in zip(begin, end, joined, strict=True)]

    def rows(self) -> Rows:
        """Return the texts of each item in all columns."""
        places = self._values[0].tolist()
        rows: list[str | None] = [None] * (len(self.start) * len(self.columns[0]))
        for place, text in zip(places, self.texts(0, len(places)), strict=True):
            rows[place] = text
        return tuple(zip(*[iter(rows)] * len(self.columns[0]), strict=True))

    @cached_property
    def row_probability(self) -> Float64:
        """The probability (i,) that each row is a record, see `webgrain.lists.rowmodel`."""
        return trained_rows().probability(self.row_features())

    def row_features(self) -> Float64:
        """Return the features (i, 2) of the rows, see `webgrain.lists.rowmodel`."""
        return row_features(len(self.start), len(self.columns[0]), self._values)

    def to_json(self, names: Sequence[str]) -> str:
        """Return the records as JSON: an object for each item, with the names of the columns."""
        members = [f', "{name}": ' for name in names]  # names are words, see `column_label`
        members[0] = "{" + members[0][2:]
        items = len(self.start)
        return _decoded(records_as_json(members, items, self._values, self._text, self._joined))

    def names(self) -> tuple[str, ...]:
        """Return the names of the columns: by their meaning, their class or their tag."""
        labels, roles = self._labels(), self.columns[2].tolist()
        texts_of = {column: self._texts_of(column) for column, role in enumerate(roles) if role in _OF_TEXTS}
        by_meaning = []
        for column, role in enumerate(roles):
            meaning = _NAMES.get(role, "")
            if role == ASKED:
                meaning = value_name(texts_of[column])
            if meaning == "price" and self._is_struck(column):
                meaning = "price_old"
            if not meaning and role in _OF_TEXTS and not self.header:
                before, items = self._before(column), len(self.start)
                meaning = text_name(labels[column], texts_of[column], before, items)
            if meaning == "description" and meaning in labels[:column]:
                meaning = ""  # a list has one description
            by_meaning.append(bool(meaning))
            labels[column] = meaning or labels[column]
        paths = self.columns[0].tolist()
        authors = {path for path, label in zip(paths, labels, strict=True) if label == "author"}
        for column, role in enumerate(roles):
            if role == OTHER_LINK:
                labels[column] = f"{'author' if paths[column] in authors else labels[column]}_link"
        return tuple(_distinct(labels, by_meaning))

    def _texts_of(self, column: int) -> list[str]:
        """Return the texts of a column."""
        return self.texts(*self._offset[column : column + 2].tolist())

    def _before(self, column: int) -> str:
        """Return the short text directly before the first element of a column, within its item."""
        node = int(self.columns[3][column])
        if node < 0:
            return ""
        item = self.start[bisect_right(self.start, node) - 1]
        starts = self.dom.text_start[max(item, node - _NODES_BEFORE) : node + 1].tolist()
        texts = [self.dom.text[begin:end] for begin, end in pairwise(starts) if end - begin < _LONGEST_BEFORE]
        return next((text for text in reversed(texts) if text.strip()), "")

    def _is_struck(self, column: int) -> bool:
        """Return whether a column is within an element for a former price, by its tag or its classes."""
        node = int(self.columns[3][column])
        if node < 0:
            return False
        item = self.start[bisect_right(self.start, node) - 1]
        while node > item:
            if self.dom.name(node) in _STRUCK or _FORMER.search(self.dom.get(node, "class") or ""):
                return True
            node = int(self.dom.parent[node])
        return False

    def _labels(self) -> list[str]:
        """Return the names of the columns by their place: of a header, of a class or of a tag."""
        nodes, places = self.columns[3:]
        labels: list[str] = _LABEL_OF_TAGS.values(self.dom.tags)[self.dom.tag[nodes]].tolist()
        columns = [column for column, place in enumerate(places.tolist()) if place >= 0]
        for column, value in zip(columns, classes_of(self.dom, nodes[columns]), strict=True):
            labels[column] = value.labels[places[column]]
        for column, node in enumerate(nodes.tolist()):
            if node < 0:
                labels[column] = "text"
            elif self.header:
                labels[column] = self._head(node) or labels[column]
        return labels

    def _head(self, node: int) -> str:
        """Return the name of the column of a table that has an element; empty for none."""
        row = self.start[bisect_right(self.start, node) - 1]
        places = (at for cell, at in _columns(self.dom, row).items() if cell <= node < self.dom.end[cell])
        name = self.header.get(next(places, -1))
        return column_label(name) if name else ""

    def _classes(self, node: int) -> tuple[str, ...]:
        """Return the usual classes of an element in alphabetical order."""
        classes = class_names(self.dom)
        names = names_at(self.dom, node)
        begin = int(classes.start[node])
        usual = self._usual[begin : begin + len(names)].tolist()
        return tuple(sorted([name for name, is_usual in zip(names, usual, strict=True) if is_usual]))

    def _step(self, path: int) -> SelectorStep:
        """Return the last step of a path; its tag is ``*`` for an item."""
        node, kind, number = self.steps.node[path], self.steps.kind[path], self.steps.number[path]
        tag = "*" if self.whole and kind == TOP else self.dom.name(node)
        if kind == TOP:
            return SelectorStep(tag, (), number, combinator=NEXT)
        if kind == CLASSED:
            return SelectorStep(tag, self._classes(node))
        return SelectorStep(tag, (), number, number >= (10 * MAX_PLACE if tag in _CELLS else MAX_PLACE))

    def _steps(self, path: int) -> list[SelectorStep]:
        steps = []
        while path >= 0:
            steps.append(self._step(path))
            path = self.steps.up[path]
        return steps[::-1]

    def locate(self, names: tuple[str, ...], known: KnownSelectors) -> ListSelectors:
        """Return the selectors of the list and of its columns with these names.

        known: selectors of other lists of the site.
        """
        dom, paths = self.dom, self.columns[0]
        read = _BITS_OF_TAGS.values(dom.tags), self.whole, self._places, self._paths, self._usual, paths
        located = locate(dom, self.items, self.stop - 1, read)
        of_container, of_steps, of_columns = located.keys
        id_ = unique_ids(dom).get(located.container[-1])
        key = names, self.columns[1].tobytes(), id_, of_container, of_steps, *of_columns
        size = sum(map(len, (of_container, of_steps, *of_columns))) if of_container else sys.maxsize
        return known.of(key, size, partial(self._selectors, located, names, id_, known))

    def _selectors(
        self, located: Located, names: tuple[str, ...], id_: str | None, known: KnownSelectors
    ) -> ListSelectors:
        """Return the selectors at a place that is known; id_: of the element around that has one."""
        of_container, of_steps, of_columns = located.keys
        size = len(of_container) or sys.maxsize
        make = partial(container_texts, self.dom, located.container)
        container, above = known.of(("container", id_, of_container), size, make)
        make = partial(step_texts, self.dom, located)
        items, items_xpath = known.of(("items", of_steps), len(of_steps), make)
        fields = []
        paths, attributes = (array.tolist() for array in self.columns[:2])
        rows = zip(names, paths, attributes, located.form.tolist(), of_columns, strict=True)
        for name, path, attribute, form, key in rows:
            make = partial(self._column_texts, path, form)
            css, xpath = (None, None) if form == NONE else known.of(("column", *key), len(key), make)
            fields.append(Field(name, css, xpath, _ATTRIBUTES[attribute]))
        return ListSelectors(container, above, items, above + items_xpath if items else "", tuple(fields))

    def _column_texts(self, path: int, form: int) -> tuple[str, str]:
        """Return the CSS selector and the XPath of a column; form: see `webgrain.lists.selectorkernel`."""
        steps = self._selector_steps(path, form % SCOPED)
        return to_css(steps, ":scope" if form >= SCOPED else ""), to_xpath(steps)

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


def _decoded(characters: UInt32) -> str:
    """Return characters as a text."""
    return characters.tobytes().decode("utf-32-le", "surrogatepass")


class _PathSteps(NamedTuple):
    """The last step of each path: the shorter path, its first element, kind and number."""

    up: list[int]
    node: list[int]
    kind: list[int]
    number: list[int]


def _distinct(names: Sequence[str], first: Sequence[bool]) -> list[str]:
    """Return different names: a repeated name has a number, but not the first column marked in ``first``.

    >>> _distinct(["a", "a", "a_2", "b", "b"], [False, False, False, False, True])
    ['a', 'a_3', 'a_2', 'b_2', 'b']
    """
    taken = set(names)
    if len(taken) == len(names):
        return [*names]
    count = dict.fromkeys(names, 0)
    distinct = [*names]
    columns = range(len(names))
    for k in (*compress(columns, first), *(k for k in columns if not first[k])):
        name = names[k]
        count[name] += 1
        if count[name] == 1:
            continue
        while f"{name}_{count[name]}" in taken:
            count[name] += 1
        distinct[k] = f"{name}_{count[name]}"
        taken.add(distinct[k])
    return distinct
