"""Records as array operations read them: the reference for the tests of `webgrain.lists.records`.

What follows is the description of that module.

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

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np
from tests.lists.selectorreference import Scopes, container_selectors, find_field, find_items, selectors

from webgrain.base.arrays import Bool, Int32, Int64
from webgrain.documents.elements import small_number
from webgrain.lists import records
from webgrain.lists.candidates import EXTENDED
from webgrain.lists.columnnames import LONGEST_VALUE, is_rating, text_name, value_name
from webgrain.lists.records import Field, ListSelectors
from webgrain.lists.rowmodel import trained_rows
from webgrain.lists.selectors import (
    DESCENDANT,
    NEXT,
    SelectorStep,
    SelectorSteps,
    to_css,
    to_xpath,
)
from webgrain.lists.thresholds import COMMON_CLASS, MAX_FIELDS, MAX_PLACE, TYPICAL
from webgrain.page.addresses import css_paths, unique_ids
from webgrain.page.dom import TEXT, Dom
from webgrain.page.kernels.treepass import innermost, merge_paths
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import absolute
from webgrain.page.page import Page
from webgrain.page.paths import places
from webgrain.page.tagtables import TagSet
from webgrain.page.text import INLINE, NO_TEXT

_ATTRIBUTES = {"a": "href", "img": "src", "time": "datetime"}
_LABELS = ("aria-label", "title")
_CELLS = frozenset(("td", "th"))
_LINKED = frozenset(("a", "img"))
_STRUCK = ("del", "s", "strike")
_MARKED = frozenset(("a", "time", "ins", *_STRUCK))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SEPARATE = frozenset(("br", "hr", "img", "input"))
_IS_JOINED = TagSet("li", "option")  # several of them are one field
_IS_CELL, _IS_MARKED, _IS_SEPARATE = TagSet(*_CELLS), TagSet(*_MARKED), TagSet(*_SEPARATE)
_IS_INLINE, _IS_NO_TEXT = TagSet(*INLINE), TagSet(*NO_TEXT)
_HAS_ATTRIBUTE = {tag: TagSet(tag) for tag in _ATTRIBUTES}
_HAS_VALUE = TagSet(*_ATTRIBUTES)
_WORD = re.compile(r"[^\W\d_]{2,}")
_DIGIT = re.compile(r"\d")
_FORMER = re.compile(
    r"(?<![a-z])(old|was|before|former|previous|original|crossed|strike\w*|compare)(?![a-z])", re.I
)
_NAME_CHARACTERS = re.compile(r"[^\w-]+")


@dataclass(frozen=True)
class Listing:
    """The list as it is read here; its selectors and records are written as by the package."""

    names: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    nodes: tuple[int, ...]
    probability: float
    locate: Callable[[], ListSelectors] = field(repr=False, compare=False)

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

    @property
    def row_probabilities(self) -> tuple[float, ...]:
        """The probability that each row is a record, by the definition of its two features."""
        having = [sum(value is not None for value in column) for column in zip(*self.rows, strict=True)]
        usual = [column for column, n in enumerate(having) if n >= TYPICAL * len(self.rows)]
        characters = [sum(len(value or "") for value in row) for row in self.rows]
        typical = median(characters)
        features = [
            (
                sum(row[column] is None for column in usual) / max(1, len(usual)),
                max(0.0, math.log((typical + 5) / (n + 5))),
            )
            for row, n in zip(self.rows, characters, strict=True)
        ]
        return tuple(trained_rows().probability(np.array(features)).round(4).tolist())

    selectors = records.Listing.selectors
    to_dict = records.Listing.to_dict
    records = records.Listing.records


def common_ancestor(dom: Dom, nodes: Sequence[int]) -> int:
    """Return the lowest element that contains all of several nodes."""
    around, last = int(dom.parent[nodes[0]]), max(nodes)
    while around > 0 and dom.end[around] <= last:
        around = int(dom.parent[around])
    return max(around, 0)


def read_list(
    page: Page, start: Int64, stop: Int64, candidate_kind: int, probability: float = 1.0
) -> Listing:
    """Return the list with these items; see `webgrain.lists.records.read_list`."""
    dom = page.dom
    header, is_item = _header(dom, start)
    start, stop = start[is_item:], stop[is_item:]
    reader = _Reader(page, start, stop, candidate_kind, header)
    items = [{key: texts.get(k) for key, texts in reader.values.items()} for k in range(len(start))]
    for size in range(2, len(items) // 2 + 1):
        if items == items[:size] * (len(items) // size):  # copies
            return read_list(page, start[:size], stop[:size], candidate_kind, probability)
    columns = reader.columns()
    names = reader.names(columns)
    rows = tuple(zip(*columns.values(), strict=True)) or ((),) * len(start)
    locate = partial(reader.locate, tuple(columns), names)
    return Listing(names, rows, tuple(start.tolist()), round(probability, 4), locate)


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


class _Key(NamedTuple):
    """A field: the path from the item and the attribute; the text for None."""

    path: int
    attribute: str | None


_Columns = dict[_Key, tuple[str | None, ...]]
"""The fields of a list, each with its values in all items."""


class _Reader:
    """Reads the items of a list.

    Attributes:
        start, stop: the first node of each item, and one past the last node of the last item.
        heads: the element that stands for each item; empty if an item begins with a text.
        node, item, path: (e,) the nodes of the items, the item of each, and its path.
        up: by path, the path that is one step shorter, -1 for none; first: the place of its first node.
        values: the text of each item that has the field, by field.
    """

    def __init__(
        self, page: Page, start: Int64, stop: Int64, candidate_kind: int, header: Mapping[int, str]
    ) -> None:
        self.page, self.dom, self.header = page, page.dom, header
        self.start = start.tolist()
        self.stop = int(stop[-1])
        self.heads = [] if (self.dom.tag[start] == TEXT).any() else self.start
        self.whole = candidate_kind != EXTENDED and bool((self.dom.end[start] == stop).all())
        self._types = places(self.dom)
        size = stop - start
        shift = np.repeat(start - np.cumsum(size) + size, size)
        self.item = np.repeat(np.arange(len(start)), size)
        self.node = np.arange(len(shift)) + shift
        self._tag = self.dom.tag[self.node]
        above = self.dom.parent[self.node]
        above = np.where(above >= start[self.item], above - shift, -1).astype(np.int32)
        self._exact = dict[int, SelectorSteps | None]()  # by path
        self._classes = self._common_classes()
        self._read_paths(above)
        self._read(above)

    def _common_classes(self) -> list[tuple[str, ...]]:
        """Return the classes of each element type that enough items have, in alphabetical order."""
        values, n = self._types.classes, len(self.start)
        type_of = self._types.type[self.node]
        classed = np.array([value is not None for value in values])[type_of]
        # The items that have each type, type by type.
        pairs = np.unique(type_of[classed] * np.int64(n) + self.item[classed])
        types, first = np.unique(pairs // n, return_index=True)
        items = (pairs % n).tolist()
        spans = pairwise([*first.tolist(), len(items)])
        names = {type_: (values[type_] or "").split() for type_ in types.tolist()}
        items_with = defaultdict[str, set[int]](set)  # by class
        for of_type, (a, b) in zip(names.values(), spans, strict=True):
            for name in of_type:
                items_with[name].update(items[a:b])
        usual = {name for name, with_it in items_with.items() if len(with_it) >= max(2, COMMON_CLASS * n)}
        common: list[tuple[str, ...]] = [()] * len(values)
        for type_, of_type in names.items():
            if kept := {name for name in of_type if name in usual}:
                common[type_] = tuple(sorted(kept))
        return common

    def _tagged(self, tags: TagSet) -> Bool:
        """Return which nodes (e,) of the items have one of some tags."""
        tagged: Bool = tags.values(self.dom.tags)[self._tag]
        return tagged

    def _read_paths(self, above: Int32) -> None:
        """Find the path of each node; above: (e,) the parent of each in its item, -1 for none."""
        dom, of = self.dom, self._types.type[self.node]
        element, top = self._tag != TEXT, above < 0
        tops = np.cumsum(element & top)
        number = tops - np.append(0, tops)[np.searchsorted(self.item, self.item)]
        cell, named = self._tagged(_IS_CELL), np.array([*map(bool, self._classes)])[of]
        most = np.where(cell, 10 * MAX_PLACE, MAX_PLACE)
        place = np.minimum(selectors(dom).numbers[self.node] + 1, most)
        numbers = {names: k for k, names in enumerate(self._classes)}
        group = np.array([numbers[names] for names in self._classes])[of]
        tag, kinds = self._tag.astype(np.int64), len(dom.tags)
        by_class = self._tagged(_IS_JOINED) | (named & ~cell)
        code = (np.where(by_class, group, place) * kinds + tag) * 3 + np.where(by_class, 1, 2)
        code = np.where(top, (number * kinds + (0 if self.whole else tag)) * 3, code)
        self.path, up, first, *_ = merge_paths(above, np.where(element, code, 0).astype(np.uint64))
        self.first = first
        self.up = up.tolist()
        self._is_top = top[first].tolist()
        self._by_class = by_class[first].tolist()
        self._number = number[first].tolist()
        self._place = place[first].tolist()
        self._onwards = (place >= most)[first].tolist()
        self._type_of = of[first].tolist()
        self._tag_of = [dom.tags[k] for k in tag[first].tolist()]
        if self.whole:
            self._tag_of = ["*" if at else name for at, name in zip(self._is_top, self._tag_of, strict=True)]
        # The texts of marked elements are fields, although they are within a line.
        named_tag = self._tagged(_IS_MARKED) & ~(top & self.whole)
        self._marks = (named_tag | (by_class & named & ~top))[first]

    def _step(self, path: int) -> SelectorStep:
        """Return the last step of a path."""
        tag = self._tag_of[path]
        if self._is_top[path]:
            return SelectorStep(tag, (), self._number[path], combinator=NEXT)
        if self._by_class[path]:
            return SelectorStep(tag, self._classes[self._type_of[path]])
        return SelectorStep(tag, (), self._place[path], self._onwards[path])

    def _read(self, above: Int32) -> None:
        """Read the values of each field; above: (e,) the parent of each node in its item, -1 for none."""
        dom, visible = self.dom, visible_nodes(self.page)[self.node]
        element = self._tag != TEXT
        marked = element & np.append(self._marks, False)[self.path]
        holder = innermost(above, (element & ((above < 0) | ~self._tagged(_IS_INLINE))).view(np.uint8))
        is_text = ~element & visible & ~((above >= 0) & self._tagged(_IS_NO_TEXT)[above])
        holding = {tag: np.flatnonzero(self._tagged(_HAS_ATTRIBUTE[tag]) & visible) for tag in _ATTRIBUTES}
        apart = self._tagged(_IS_SEPARATE)
        for nodes in holding.values():
            apart[nodes] = False
        holder[apart] = np.where(above[apart] >= 0, holder[above[apart]], -1)
        place = np.flatnonzero(is_text | apart)
        path = np.where(holder[place] >= 0, self.path[holder[place]], -1)
        events = [(path, place)]
        text, over = place, above[place]
        while (inside := (over >= 0) & (over != holder[text])).any():  # the marked elements around texts
            text, over = text[inside], over[inside]
            events.append((self.path[over][marked[over]], text[marked[over]]))
            over = above[over]
        path, place = (np.concatenate([part[k] for part in events]) for k in range(2))
        group = (path + 1) * np.int64(len(self.start)) + self.item[place]
        order = np.lexsort((place, group))
        group, path, place, of_text = group[order], path[order], place[order], order < len(events[0][1])
        nodes = self.node[place]
        spans = zip(dom.text_start[nodes].tolist(), dom.text_start[nodes + 1].tolist(), strict=True)
        pieces = [dom.text[a:b] if a < b else " " for a, b in spans]
        # "<a>Name</a><time>May</time>" are two words.
        after = np.flatnonzero((group[1:] == group[:-1]) & of_text[1:]) + 1
        here, before = above[place[after]], above[place[after - 1]]
        inline = [
            (holders_of != holder[place[after]]) & (holders_of >= 0) & marked[holders_of]
            for holders_of in (here, before)
        ]
        for k in after[(inline[0] | inline[1]) & (here != before)].tolist():
            if pieces[k - 1][-1].isalnum() and pieces[k][0].isalnum():
                pieces[k] = f" {pieces[k]}"
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
        stops = np.append(starts, len(group))[1:]
        spans = zip(starts.tolist(), stops.tolist(), strict=True)
        values = [pieces[a] if b == a + 1 else "".join(pieces[a:b]) for a, b in spans]
        self._fields = dict[tuple[int, str | None], tuple[int, dict[int, str]]]()
        self._add(place[starts], values, path[starts], None)
        for tag, attribute in _ATTRIBUTES.items():
            where = holding[tag]
            values = [value or "" for value in dom.values_at(attribute, self.node[where])]
            values = values if attribute == "datetime" else [absolute(self.page, value) for value in values]
            self._add(where, values, self.path[where], attribute)
        self._add_ratings(visible & element)
        self.values = dict[_Key, dict[int, str]]()
        for key, (_, texts) in sorted(self._fields.items(), key=lambda entry: entry[1][0]):
            filled = {item: text for item, text in texts.items() if text}
            if filled:
                self.values[_Key(*key)] = filled

    def _add_ratings(self, visible: Bool) -> None:
        """Add the ratings in labels and titles of elements of other tags; visible (e,): of elements."""
        for place in np.flatnonzero(visible & ~self._tagged(_HAS_VALUE)).tolist():
            attributes = self.dom.attributes(int(self.node[place]))
            labels = [name for name in attributes if name in _LABELS]
            rated = [name for name in labels if is_rating(attributes[name] or "")]
            if rated:
                where = np.array([place])
                self._add(where, [attributes[rated[0]] or ""], self.path[where], rated[0])

    def _add(self, place: Int64, values: list[str], path: Int64 | Int32, attribute: str | None) -> None:
        """Add values (v,) to the fields of their paths, with white space collapsed; place: (v,) of each.

        The first value of an item counts, and a field begins at its first place.
        """
        collapsed = map(" ".join, map(str.split, values))
        items = self.item[place].tolist()
        fields = self._fields
        for at, item, k, value, text in zip(
            place.tolist(), items, path.tolist(), values, collapsed, strict=True
        ):
            if not value:
                continue
            if (k, attribute) not in fields:
                fields[k, attribute] = at, {}
            texts = fields[k, attribute][1]
            if item not in texts:
                texts[item] = text

    def columns(self) -> _Columns:
        """Return the fields that vary; ``name`` first."""
        n, columns = len(self.start), _Columns()
        order = sorted(
            self.values, key=lambda key: (key != self._named, -len(self.values[key]) * 2 < n, key.path)
        )
        for key in order[:MAX_FIELDS]:
            values = tuple(map(self.values[key].get, range(n)))
            if len(set(values)) == 1 and key != self._named:
                continue
            same = next((other for other in columns if columns[other] == values), None)
            if same is None:
                columns[key] = values
            elif same != self._named and self._is_better_named(key, same):
                columns = {key if other == same else other: columns[other] for other in columns}
        return columns if any(len(set(values)) > 1 for values in columns.values()) else {}

    def _is_better_named(self, key: _Key, other: _Key) -> bool:
        """Return whether a field is in the element of another one, and only its name is that of a class."""
        if key.attribute or other.attribute or key.path < 0 or not self._inside(key.path, other.path):
            return False
        if self._is_top[key.path] or not self._has_class(key.path):
            return False
        if other.path < 0 or self._is_top[other.path]:
            return True
        in_cells = self._paths_below(("td", "th"))
        is_marked = self._tag_of[other.path] in _MARKED or self._has_class(other.path)
        return not is_marked and other.path not in in_cells

    def _has_class(self, path: int) -> bool:
        """Return whether a path ends with classes that several items have."""
        type_ = int(self._types.type[int(self.node[self.first[path]])])
        return bool(self._classes[type_]) and self._tag_of[path] not in ("td", "th")

    @cached_property
    def _named(self) -> _Key | None:
        """The field with the names of the items: a heading, or the longest link text, or a text."""
        in_headings = self._paths_below(_HEADINGS) | self._paths_below_terms()
        in_links = self._paths_below(("a",))
        around_links = self._paths_around(key.path for key in self.values if key.attribute == "href")

        def worth(key: _Key) -> tuple[float, ...]:
            texts = [*filter(_WORD.search, self.values[key].values())]
            filled = len(texts) >= TYPICAL * len(self.start)
            linked = 2 if key.path in in_links else int(key.path in around_links)
            varied = len(set(texts)) / max(len(texts), 1) > TYPICAL
            size = float(median(map(len, texts))) if texts else 0.0
            rank = min(size, 80.0) if linked else -key.path
            return (filled, len(set(texts)) > 1, key.path in in_headings, linked, varied, rank, -key.path)

        return max([key for key in self.values if key.attribute is None], key=worth, default=None)

    def _paths_below(self, tags: Collection[str]) -> set[int]:
        """Return the paths with a step that has one of some tags."""
        below = set[int]()
        for path, above in enumerate(self.up):
            if above in below or self._tag_of[path] in tags:
                below.add(path)
        return below

    def _paths_below_terms(self) -> set[int]:
        """Return the paths of the terms that begin items, and of what is in them."""
        below = set[int]()
        for path, above in enumerate(self.up):
            is_first = self._is_top[path] and self._number[path] == 1
            is_term = self._is_top[path] and self._tag_of[path] == "dt"
            if above in below or is_term or (is_first and self._tag_of[path] in ("b", "strong")):
                below.add(path)
        return below

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

    def names(self, columns: _Columns) -> tuple[str, ...]:
        """Return the names of fields."""
        longer = self._paths_around(self.up[key.path] for key in columns if key.path >= 0)
        named = [self._name(key, columns, key.path in longer) for key in columns]
        descriptions = [k for k, (name, _) in enumerate(named) if name == "description"]
        for k in descriptions[1:]:
            named[k] = self._own_name([*columns][k].path), False
        return tuple(_distinct([name for name, _ in named], [by_meaning for _, by_meaning in named]))

    def _name(self, key: _Key, columns: _Columns, is_around: bool) -> tuple[str, bool]:
        """Return the name of a field, and whether it is by its meaning, not by its class or its tag.

        is_around: whether another field is inside the elements of this one.
        """
        if key == self._named:
            return "name", True
        if key.attribute == "href":
            links = [other for other in columns if other.attribute == "href"]
            at = self._named.path if self._named else -1
            related = [k for k in links if self._inside(k.path, at) or self._inside(at, k.path)]
            if key == (related or links)[0]:
                return "link", True
            text = _Key(key.path, None)
            of_author = text in columns and self._name(text, columns, is_around)[0] == "author"
            return f"{'author' if of_author else self._own_name(key.path)}_link", False
        if key.attribute == "src":
            return "image", True
        if key.attribute == "datetime":
            return "datetime", True
        if key.attribute in _LABELS:
            return "rating", True
        values = [value for value in columns[key] if value]
        short = [value for value in values if len(value) <= LONGEST_VALUE and _DIGIT.search(value)]
        if not is_around and len(short) >= TYPICAL * len(values) and (name := value_name(values)):
            return ("price_old" if name == "price" and self._is_struck(key.path) else name), True
        label = self._own_name(key.path)
        name = "" if self.header else text_name(label, values, self._before(key.path), len(self.start))
        return name or label, bool(name)

    def _before(self, path: int) -> str:
        """Return the short text before the first element with a path."""
        place = self.first[path] if path >= 0 else 0
        item = self.start[int(self.item[place])]
        node = int(self.node[place])
        for other in range(node - 1, max(item, node - 5) - 1, -1):
            text = self.dom.text_of(other) if self.dom.tag[other] == TEXT else ""
            if text.strip() and len(text) < 40:
                return text
        return ""

    def _is_struck(self, path: int) -> bool:
        if path < 0:
            return False
        place = self.first[path]
        node, item = int(self.node[place]), self.start[int(self.item[place])]
        around = []
        while node > item:
            around.append(node)
            node = int(self.dom.parent[node])
        classes = " ".join(self.dom.get(node, "class") or "" for node in around)
        return any(self.dom.name(node) in _STRUCK for node in around) or bool(_FORMER.search(classes))

    def _own_name(self, path: int) -> str:
        if path < 0:
            return "text"
        item, node = int(self.item[self.first[path]]), int(self.node[self.first[path]])
        type_ = int(self._types.type[node])
        tag = self.dom.tags[self._types.tag[type_]]
        name = next(iter(self._classes[type_]), "text" if tag in ("p", "div", "span", "section") else tag)
        if self.header:
            columns = _columns(self.dom, self.start[item]).items()
            places = (at for cell, at in columns if cell <= node < self.dom.end[cell])
            name = self.header.get(next(places, -1), name)
        return _NAME_CHARACTERS.sub("_", name).strip("_-").lower()[:40] or "text"

    def locate(self, keys: Sequence[_Key], names: Sequence[str]) -> ListSelectors:
        """Return the selectors of the list and of fields with these names."""
        container = common_ancestor(self.dom, [*self.start, self.stop - 1])
        css, xpath = container_selectors(self.dom, container)
        steps = find_items(self.dom, container, self.heads) if self.heads else ()
        table = int(self.dom.parent[container])
        is_path = container not in unique_ids(self.dom) and css == css_paths(self.dom, [container])[0]
        if self.dom.name(container) == "tbody" and self.dom.name(table) == "table" and is_path:
            anywhere = tuple([step._replace(combinator=DESCENDANT) for step in steps[:1]]) + steps[1:]
            selected = Scopes(self.dom, np.array([table])).select(anywhere)
            if steps and np.flatnonzero(selected == 0).tolist() == self.heads:
                steps = anywhere
                css, xpath = container_selectors(self.dom, table)
        fields = [self.field(key, name, bool(steps)) for key, name in zip(keys, names, strict=True)]
        return ListSelectors(
            css, xpath, to_css(steps), to_xpath(steps, xpath) if steps else "", tuple(fields)
        )

    @cached_property
    def _scopes(self) -> Scopes:
        """The elements that stand for the items."""
        return Scopes(self.dom, np.array(self.heads))

    def field(self, key: _Key, name: str, selected: bool) -> Field:
        """Return a field with its selectors; selected: whether the items have a selector."""
        exact = self._exact_steps(key.path) if selected and key.path >= 0 else None
        if exact is None:
            return Field(name, None, None, key.attribute)
        return Field(name, to_css(exact, self._scope(exact)), to_xpath(exact), key.attribute)

    def _scope(self, exact: SelectorSteps) -> str:
        """Return how the item is written before steps."""
        if not exact:
            return ""
        if exact[0].combinator == NEXT or len(exact) > 64:
            return ":scope"
        anywhere = (exact[0]._replace(combinator=DESCENDANT), *exact[1:])
        of_page = np.append(False, Scopes(self.dom, np.array([0])).select(anywhere)[1:] == 0)
        inside = np.zeros(len(self.dom), np.bool_)
        for head in self.heads:
            inside[head : self.dom.end[head]] = True
        return "" if ((of_page & inside) == (self._scopes.select(exact) >= 0)).all() else ":scope"

    def _exact_steps(self, path: int) -> SelectorSteps | None:
        """Return the shortest steps that select the elements at a path within the items; None for none."""
        if path in self._exact:
            return self._exact[path]
        steps = self._steps(path)
        first, rest = steps[0], tuple(steps[1:])
        before = tuple(SelectorStep("*", combinator=NEXT) for _ in range(first.place - 2))
        chain: SelectorSteps = (
            (*before, SelectorStep(first.tag, combinator=NEXT), *rest) if first.place > 1 else rest
        )
        nodes = np.flatnonzero((self.path == path) & (self._tag != TEXT))
        self._exact[path] = find_field(self._scopes, self.node[nodes], self.item[nodes], chain)
        return self._exact[path]


def _distinct(names: Sequence[str], first: Sequence[bool]) -> list[str]:
    """Return different names: repeated ones with a number, those marked in ``first`` before others."""
    distinct = dict[int, str]()
    for k in [*np.flatnonzero(first), *np.flatnonzero(~np.array(first, bool))]:
        name, number = names[k], 1
        while name in distinct.values() or (number > 1 and name in names):
            number += 1
            name = f"{names[k]}_{number}"
        distinct[k] = name
    return [distinct[k] for k in range(len(names))]
