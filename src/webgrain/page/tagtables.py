"""Functions of tags and of attribute names as tables, which are computed once for the usual names.

`AttributeBits` has one function of values for each of some attribute names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from webgrain.base.arrays import Int32
from webgrain.page.dom import Dom
from webgrain.page.kernels.attributepass import attributes_named, bits_of_nodes
from webgrain.page.thresholds import LONGEST_KEY
from webgrain.page.values import Question
from webgrain.page.vocabulary import NAMES, TAGS

_MOST_KNOWN = 64


class _Table:
    """A function of names as a table, which is computed once for the usual names."""

    def __init__(self, function: Callable[[str], Any], dtype: DTypeLike, usual: tuple[str, ...]) -> None:
        self._function = function
        self._names = usual
        self._usual = np.array([function(name) for name in usual], dtype)
        self._usual.setflags(write=False)
        # Pages with the same names share them, see `webgrain.page.vocabulary.with_others`.
        self._known: dict[int, tuple[tuple[str, ...], NDArray[Any]]] = {}

    def values(self, names: tuple[str, ...]) -> NDArray[Any]:
        """Return the value (t,) of each name; read-only."""
        if names is self._names:
            return self._usual
        known = self._known.get(id(names))
        if known is not None and known[0] is names:
            return known[1]
        size = len(self._names) if names[: len(self._names)] == self._names else 0
        values: NDArray[Any] = np.concatenate([self._usual[:size], self._values(names[size:])])
        values.setflags(write=False)
        if sum(map(len, names[size:])) <= LONGEST_KEY:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[id(names)] = names, values
        return values

    def _values(self, names: tuple[str, ...]) -> NDArray[Any]:
        """Return the value of each name."""
        values: NDArray[Any] = np.array([self._function(name) for name in names], self._usual.dtype)
        return values.reshape(-1, *self._usual.shape[1:])


class TagTable(_Table):
    """A function of tags as a table, which is computed once for the usual tags.

    >>> from webgrain.page.parsing import parse_html
    >>> is_list = TagTable(lambda tag: tag in ("ul", "ol"), bool)
    >>> is_list.of_nodes(parse_html("<ul><my-list>")).tolist()  # html, head, body, ul, my-list
    [False, False, False, True, False]
    """

    def __init__(self, function: Callable[[str], Any], dtype: DTypeLike) -> None:
        super().__init__(function, dtype, TAGS)

    def of_nodes(self, dom: Dom) -> NDArray[Any]:
        """Return the value (n,) at each node."""
        return self.values(dom.tags)[dom.tag]


class TagSet(TagTable):
    """The nodes with some tags.

    >>> from webgrain.page.parsing import parse_html
    >>> TagSet("ul", "ol").of_nodes(parse_html("<ul><li>")).tolist()  # html, head, body, ul, li
    [False, False, False, True, False]
    """

    def __init__(self, *tags: str) -> None:
        super().__init__(frozenset(tags).__contains__, np.bool_)


class NameTable(_Table):
    """A function of attribute names as a table, which is computed once for the usual names.

    >>> from webgrain.page.parsing import parse_html
    >>> NameTable(len, np.int64).of_attributes(parse_html("<p id=a class=b>")).tolist()
    [2, 5]
    """

    def __init__(self, function: Callable[[str], Any], dtype: DTypeLike) -> None:
        super().__init__(function, dtype, NAMES)

    def of_attributes(self, dom: Dom) -> NDArray[Any]:
        """Return the value (m,) of the name of each attribute."""
        return self.values(dom.names)[dom.attr_name]


class AttributeBits:
    """What the attributes of elements state about them: bits by the name and the value of each.

    functions: by the name of an attribute; each returns bits, below 2 ** 31. Each function is called once for
    each new value that an attribute with one of the names has.

    >>> from webgrain.page.parsing import parse_html
    >>> bits = AttributeBits({"class": lambda value: 1 * ("menu" in value), "open": lambda value: 2})
    >>> bits.of_nodes(parse_html("<p class=menu open><p class=text>")).tolist()  # html, head, body, p, p
    [0, 0, 0, 3, 0]
    """

    def __init__(self, functions: Mapping[str, Callable[[str], int]]) -> None:
        every = tuple(dict.fromkeys(functions.values()))
        column_of_name = {name: every.index(function) + 1 for name, function in functions.items()}
        self._columns = NameTable(lambda name: column_of_name.get(name, 0), np.uint8)
        size = len(every)
        self._bits = Question(lambda value: [function(value) for function in every], (np.int32, (size,)))

    def of_nodes(self, dom: Dom) -> Int32:
        """Return the bits (n,) of each node."""
        attributes, columns = attributes_named(dom.attr_name, self._columns.values(dom.names))
        answers = dom.ask(self._bits, attributes)
        bits: Int32 = bits_of_nodes(dom.attr_start, attributes, columns, answers)
        return bits


_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
HEADING_LEVELS = TagTable(lambda tag: int(tag[1]) if tag in _HEADINGS else 0, np.int32)
"""The level of a heading, 1 to 6; 0 for other tags."""
