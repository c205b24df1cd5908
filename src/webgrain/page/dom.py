"""Dom: the tree of a page as parallel arrays in document order.

Node ``i`` comes before its descendants, and its subtree is the slice ``i:end[i]``. Nodes are the elements and
the text nodes of the page as a browser would build it (white-space text included, so that ``text()[k]`` of an
XPath counts as it does there); comments and the doctype are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Int32, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.readonly import ReadOnly
from webgrain.page.kernels.attributepass import open_links
from webgrain.page.kernels.treepass import any_above, attributes_by_name, depths, nodes_by_tag
from webgrain.page.values import Question, ValueTable, current_values
from webgrain.page.vocabulary import (
    NAMES,
    NUMBER_OF_NAME,
    NUMBER_OF_TAG,
    TAGS,
    with_usual,
    without_usual,
)

TEXT = 0
"""Tag id of a text node: ``tags[0]`` is always ``"#text"``."""


P = ParamSpec("P")
T = TypeVar("T")
Owner = TypeVar("Owner", bound="Cached")


class Cached:
    """Base class of `Dom` and `Page`: facts are computed once and stored on the object they describe.

    The cache is not pickled, and a copy of the object (`dataclasses.replace`, `Page.with_view`) has an empty
    cache. Facts that do not depend on the view are cached on the Dom, which all views of a page share.
    """

    __slots__ = ("_cache",)
    _cache: dict[Any, Any]

    def cached(self, function: Callable[Concatenate[Self, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return ``function(self, *args, **kwargs)``, computed at most once for this object.

        The arguments must be hashable. Nobody may modify the result. See `cached_on_page` for a decorator.

        >>> from webgrain.page.parsing import parse_html
        >>> dom = parse_html("<p class=x>")
        >>> dom.cached(Dom.attributes, 3) is dom.cached(Dom.attributes, 3)
        True
        """
        try:
            cache = self._cache
        except AttributeError:
            cache = self._new_facts()
        key = (function, args, *kwargs.items()) if kwargs else (function, args)
        if key not in cache:
            cache[key] = function(self, *args, **kwargs)
        return cache[key]  # type: ignore[no-any-return]

    def remember(self, function: Callable[Concatenate[Self, P], T], result: T, *args: object) -> None:
        """Store the result of a function of this object and of arguments that was computed for an equal one.

        >>> from webgrain.page.parsing import parse_html
        >>> dom = parse_html("<p>a")
        >>> dom.remember(len, 7)
        >>> dom.cached(len)
        7
        """
        known = getattr(function, "__wrapped__", function)  # see `cached_on_page`
        try:
            facts = self._cache
        except AttributeError:
            facts = self._new_facts()
        facts[known, args] = result

    def _new_facts(self) -> dict[Any, Any]:
        facts: dict[Any, Any] = {}
        object.__setattr__(self, "_cache", facts)
        return facts


def cached_on_page(function: Callable[Concatenate[Owner, P], T]) -> Callable[Concatenate[Owner, P], T]:
    """Decorate a function of a Page or a Dom: its results are stored there, see `Cached.cached`.

    >>> from webgrain.page.parsing import parse_html
    >>> @cached_on_page
    ... def names(dom):
    ...     return [dom.name(node) for node in range(len(dom))]
    >>> dom = parse_html("<p>a")
    >>> names(dom) is names(dom), names(dom)
    (True, ['html', 'head', 'body', 'p', '#text'])
    """

    @wraps(function)
    def call(owner: Owner, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if kwargs:
            return owner.cached(function, *args, **kwargs)
        try:
            facts = owner._cache
        except AttributeError:
            facts = owner._new_facts()
        key = function, args
        if key not in facts:
            facts[key] = function(owner, *args)  # type: ignore[call-arg]
        return facts[key]  # type: ignore[no-any-return]

    return call


@dataclass(frozen=True, slots=True, eq=False)
class Dom(Cached, ReadOnly):
    """The tree of a page; ``n`` nodes in document order, ``m`` attributes, all arrays read-only.

    Attributes:
        parent: (n,) int32, -1 at the root, ``parent[i] < i``.
        end: (n,) int32, one past the last node of the subtree.
        tag: (n,) int32 into ``tags``; 0 is a text node.
        tags: tag names, lower case; ``tags[0] == "#text"``.
        text: the character data of all text nodes, in order.
        text_start: (n + 1,) int32; node ``i`` owns ``text[text_start[i]:text_start[i + 1]]`` (empty for an
            element), its subtree ``text[text_start[i]:text_start[end[i]]]``.
        attr_start: (n + 1,) int32; node ``i`` has the attributes ``attr_start[i]:attr_start[i + 1]``.
        attr_name: (m,) int32 into ``names``.
        names: attribute names, lower case.
        value: (m,) int32, the numbers of the attribute values in ``values``.
        values: the table of attribute values, which pages share.

    ``tags`` and ``names`` of a parsed page begin with the usual ones of `webgrain.page.vocabulary`, whether
    the page has them or not.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html(b"<title>Hi</title><p class=a>Some <b>bold</b> text")
    >>> [dom.name(i) for i in range(len(dom))]
    ['html', 'head', 'title', '#text', 'body', 'p', '#text', 'b', '#text', '#text']
    >>> dom.get(5, "class"), dom.text_of(5)
    ('a', 'Some bold text')
    """

    parent: Int32
    end: Int32
    tag: Int32
    tags: tuple[str, ...]
    text: str
    text_start: Int32
    attr_start: Int32
    attr_name: Int32
    names: tuple[str, ...]
    value: Int32
    values: ValueTable

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"Dom({len(self):,} nodes, {len(self.text):,} characters of text)"

    @property
    def is_text(self) -> Bool:
        """(n,) True at text nodes."""
        return np.equal(self.tag, TEXT)

    @property
    def is_leaf(self) -> Bool:
        """(n,) True at nodes without children."""
        return np.equal(self.end, np.arange(1, len(self) + 1))

    @property
    def depth(self) -> Int32:
        """(n,) number of proper ancestors."""
        depth: Int32 = depths(self.parent)
        return depth

    def subtree_sum(self, x: NDArray[Any]) -> NDArray[Any]:
        """Sum of ``x`` (n, ...) over the subtree of every node.

        >>> from webgrain.page.parsing import parse_html
        >>> dom = parse_html(b"<p>a<b>b</b>")
        >>> dom.subtree_sum(dom.is_text).tolist()  # html, head, body, p, text, b, text
        [2, 0, 2, 2, 1, 1, 1]
        """
        if len(x) != len(self):
            raise ParameterError(f"subtree_sum expects one row per node ({len(self)}), got {len(x)}.")
        return subtree_sum(x, self.end)

    def ancestor_sum(self, x: NDArray[Any]) -> NDArray[Any]:
        """Sum of ``x`` (n,) over the proper ancestors of every node.

        >>> from webgrain.page.parsing import parse_html
        >>> dom = parse_html(b"<p>a<b>b</b>")
        >>> dom.ancestor_sum(dom.tag == dom.tags.index("p")).tolist()  # html, head, body, p, text, b, text
        [0, 0, 0, 0, 1, 1, 1]
        """
        if x.shape != (len(self),):
            raise ParameterError(f"ancestor_sum expects {len(self)} numbers, one per node, got {x.shape}.")
        return ancestor_sum(x, self.end)

    def inside(self, x: Bool) -> Bool:
        """(n,) True at the descendants of nodes where ``x`` (n,) is True.

        >>> from webgrain.page.parsing import parse_html
        >>> dom = parse_html(b"<p>a<b>b</b>")
        >>> dom.inside(dom.tag == dom.tags.index("p")).tolist()  # html, head, body, p, text, b, text
        [False, False, False, False, True, True, True]
        """
        if x.shape != self.parent.shape:
            raise ParameterError(f"inside expects {len(self)} flags, one per node, got {x.shape}.")
        mask: Bool = any_above(self.parent, x.view(np.uint8))
        return mask

    def ancestors(self, node: int) -> list[int]:
        """Proper ancestors of ``node``, nearest first."""
        ancestors = []
        while (node := int(self.parent[node])) >= 0:
            ancestors.append(node)
        return ancestors

    def children(self, node: int) -> Iterator[int]:
        """Children of ``node`` in document order."""
        child, end = node + 1, int(self.end[node])
        while child < end:
            yield child
            child = int(self.end[child])

    def name(self, node: int) -> str:
        """Tag name of ``node``; ``"#text"`` for a text node."""
        return self.tags[int(self.tag[node])]

    def attributes(self, node: int) -> dict[str, str]:
        """Attributes of ``node`` in the order of the markup."""
        span = slice(self.attr_start[node], self.attr_start[node + 1])
        texts = self.values.texts
        pairs = zip(self.attr_name[span].tolist(), self.value[span].tolist(), strict=True)
        return {self.names[name]: texts[value] for name, value in pairs}

    def attributes_of(self, nodes: Sequence[int]) -> list[dict[str, str]]:
        """Attributes of each of several nodes, which are in document order.

        >>> from webgrain.page.parsing import parse_html
        >>> parse_html("<p id=a class=b><p><p id=c>").attributes_of([3, 4, 5])
        [{'id': 'a', 'class': 'b'}, {}, {'id': 'c'}]
        """
        if not nodes:
            return []
        begin, end = self.attr_start[nodes].tolist(), self.attr_start[1:][nodes].tolist()
        low, high = begin[0], end[-1]
        texts = self.values.texts
        names = [self.names[name] for name in self.attr_name[low:high].tolist()]
        values = [texts[value] for value in self.value[low:high].tolist()]
        return [
            dict(zip(names[first - low : last - low], values[first - low : last - low], strict=True))
            for first, last in zip(begin, end, strict=True)
        ]

    def get(self, node: int, name: str) -> str | None:
        """Value of one attribute of ``node``, or None."""
        number = _index(self.names, NUMBER_OF_NAME, name)
        begin, end = self.attr_start[node : node + 2]
        for attribute in range(begin, end):
            if self.attr_name[attribute] == number:
                value: str = self.values.texts[self.value[attribute]]
                return value
        return None

    @cached_on_page
    def find_tag(self, name: str) -> Int64:
        """Return the elements (k,) with a tag, in document order; read-only.

        >>> from webgrain.page.parsing import parse_html
        >>> parse_html("<p>a<p>b").find_tag("p").tolist()
        [3, 5]
        """
        number = _index(self.tags, NUMBER_OF_TAG, name)
        nodes, begin = self._nodes_by_tag()
        return nodes[begin[number] : begin[number + 1]] if number >= 0 else nodes[:0]

    @cached_on_page
    def _nodes_by_tag(self) -> tuple[Int64, list[int]]:
        """Return the nodes (n,) by tag, and where each tag begins and ends."""
        nodes, begin = nodes_by_tag(self.tag, len(self.tags))
        nodes.setflags(write=False)
        return nodes, begin.tolist()

    def tagged(self, *names: str) -> Bool:
        """(n,) True at the elements with one of some tags.

        >>> from webgrain.page.parsing import parse_html
        >>> parse_html("<p>a<b>b</b>").tagged("p", "b").tolist()  # html, head, body, p, text, b, text
        [False, False, False, True, False, True, False]
        """
        mask = np.zeros(len(self), np.bool_)
        for name in names:
            mask |= self.tag == self.tag_number(name)
        return mask

    def tag_number(self, name: str) -> int:
        """Return the number of a tag in ``tags``; -1 for a tag that is not there.

        >>> from webgrain.page.parsing import parse_html
        >>> dom = parse_html("<p>a")
        >>> dom.tags[dom.tag_number("p")], dom.tag_number("my-tag")
        ('p', -1)
        """
        return _index(self.tags, NUMBER_OF_TAG, name)

    def elements(self, tag: str) -> list[tuple[int, dict[str, str]]]:
        """Return the elements with a tag, in document order, each with its attributes.

        >>> from webgrain.page.parsing import parse_html
        >>> parse_html("<p class=a>a<p>b").elements("p")
        [(3, {'class': 'a'}), (5, {})]
        """
        nodes = self.find_tag(tag).tolist()
        return list(zip(nodes, self.attributes_of(nodes), strict=True))

    def first_texts(self, *tags: str) -> list[str]:
        """Return the text of the first element with each of some tags; empty for none.

        >>> from webgrain.page.parsing import parse_html
        >>> parse_html("<title>A</title><p>B").first_texts("title", "h1")
        ['A', '']
        """
        return [next(map(self.text_of, self.find_tag(tag).tolist()), "") for tag in tags]

    @cached_on_page
    def links(self) -> Bool:
        """(n,) True at the ``<a>`` elements, but not at ``<a name>`` without ``href``; read-only.

        Links lead to the latter. On old pages they are often not closed and contain the rest of the page.

        >>> from webgrain.page.parsing import parse_html
        >>> dom = parse_html("<a name=top>x</a><a name=b href=/>y</a><a onclick=z>z</a>")
        >>> np.flatnonzero(dom.links()).tolist() == dom.find_tag("a")[1:].tolist()
        True
        """
        tag = _index(self.tags, NUMBER_OF_TAG, "a")
        name, href = (_index(self.names, NUMBER_OF_NAME, name) for name in ("name", "href"))
        links: Bool = open_links(self.tag, tag, self.attr_start, self.attr_name, name, href)
        links.setflags(write=False)
        return links

    @cached_on_page
    def find_attribute(self, name: str) -> tuple[Int64, Int64]:
        """Return the attributes (k,) with a name, by increasing number, and the node (k,) of each; read-only.

        >>> from webgrain.page.parsing import parse_html
        >>> [array.tolist() for array in parse_html("<p id=a class=b><p class=c>").find_attribute("class")]
        [[1, 2], [3, 4]]
        """
        number = _index(self.names, NUMBER_OF_NAME, name)
        attributes, nodes, begin = self._attributes_by_name()
        chosen = slice(begin[number], begin[number + 1]) if number >= 0 else slice(0)
        return attributes[chosen], nodes[chosen]

    @cached_on_page
    def _attributes_by_name(self) -> tuple[Int64, Int64, list[int]]:
        """Return the attributes (m,) by name, the node (m,) of each, and where each name begins and ends."""
        attributes, nodes, begin = attributes_by_name(self.attr_start, self.attr_name, len(self.names))
        attributes.setflags(write=False)
        nodes.setflags(write=False)
        return attributes, nodes, begin.tolist()

    def column(self, name: str) -> list[str | None]:
        """One attribute of all nodes: a list of n values, None for a node without the attribute."""
        column: list[str | None] = [None] * len(self)
        attributes, nodes = self.find_attribute(name)
        for node, value in zip(nodes.tolist(), self.values_of(attributes), strict=True):
            column[node] = value
        return column

    def values_at(self, name: str, nodes: NDArray[np.integer[Any]]) -> list[str | None]:
        """One attribute of several nodes (k,): a list of k values, None for a node without the attribute.

        >>> from webgrain.page.parsing import parse_html
        >>> parse_html(b"<p class=a><p>").values_at("class", np.array([3, 4]))
        ['a', None]
        """
        attributes, owners = self.find_attribute(name)
        if not len(attributes):
            return [None] * len(nodes)
        row = owners.searchsorted(nodes, side="right") - 1
        return self.values_of(np.where(owners[row] == nodes, attributes[row], -1))

    def values_of(self, attributes: NDArray[np.integer[Any]]) -> list[str | None]:
        """Return the values of attributes (k,) by their numbers, None for -1."""
        texts = self.values.texts
        if not len(self.value):
            return [None] * len(attributes)
        numbers = np.where(attributes >= 0, self.value[attributes], -1).tolist()
        return [texts[number] if number >= 0 else None for number in numbers]

    def ask(self, question: Question[Any], attributes: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return the answer (k,) to a question about the value of each of several attributes (k,).

        >>> from webgrain.page.parsing import parse_html
        >>> dom = parse_html("<p class=a><p class=menu>")
        >>> dom.ask(Question(len, int), dom.find_attribute("class")[0]).tolist()
        [1, 4]
        """
        return self.values.answers(question, self.value[attributes])

    def nodes_where(self, name: str, question: Question[bool]) -> Int64:
        """Return the nodes (k,) that have an attribute about whose value the answer is True, in order.

        >>> from webgrain.page.parsing import parse_html
        >>> is_short = Question(lambda value: len(value) < 3, bool)
        >>> parse_html("<p class=a><p class=menu><p>").nodes_where("class", is_short).tolist()
        [3]
        """
        attributes, nodes = self.find_attribute(name)
        chosen: Int64 = nodes[self.ask(question, attributes)] if len(nodes) else nodes
        return chosen

    def distinct_values(self, name: str) -> tuple[Int64, Int64, list[str]]:
        """Return the nodes (k,) with an attribute, the number (k,) of the value of each, and the values.

        The values are in the order of their first appearance on the page.

        >>> from webgrain.page.parsing import parse_html
        >>> node, number, values = parse_html("<p class=b><p class=a><p class=b>").distinct_values("class")
        >>> node.tolist(), number.tolist(), values
        ([3, 4, 5], [0, 1, 0], ['b', 'a'])
        """
        attributes, nodes = self.find_attribute(name)
        distinct, first, number = np.unique(self.value[attributes], return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        texts = self.values.texts
        return nodes, rank[number], [texts[value] for value in distinct[order].tolist()]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the values themselves: their numbers are those of this process."""
        distinct, value = np.unique(self.value, return_inverse=True)
        texts = [self.values.texts[number] for number in distinct.tolist()]
        tree = (self.parent, self.end, self.tag, without_usual(TAGS, self.tags), self.text, self.text_start)
        names = without_usual(NAMES, self.names)
        attributes = (self.attr_start, self.attr_name, names, value.astype(np.int32), texts)
        return _restored, (*tree, *attributes)

    def text_of(self, node: int) -> str:
        """Character data of ``node`` and its descendants, unchanged, scripts and styles included."""
        return self.text[self.text_start[node] : self.text_start[self.end[node]]]


def _index(names: tuple[str, ...], usual: dict[str, int], name: str) -> int:
    """Return the number of a name; usual: the numbers of the first names. -1 for a name that is not there."""
    try:
        number = usual[name]
        if names[number] == name:
            return number
    except (KeyError, IndexError):
        pass
    return names.index(name) if name in names else -1


def _restored(*fields: Any) -> Dom:
    """Return a pickled Dom; the last two fields are the numbers of the values in a list, and this list."""
    parent, end, tag, tags, text, text_start, attr_start, attr_name, names, value, texts = fields
    values = current_values()
    numbers = values.numbers_of(texts)
    shared: Int32 = numbers[value] if len(numbers) else value
    tags, names = with_usual(TAGS, tags), with_usual(NAMES, names)
    tree = parent, end, tag, tags, text, text_start
    return Dom(*tree, attr_start, attr_name, names, shared, values)


def subtree_sum(x: NDArray[Any], end: Int32) -> NDArray[Any]:
    """Sum of ``x`` (n, ...) over the subtree of every node of a tree in document order.

    end (n,): one past each subtree. The sums are int64 for integers and booleans, else float64.

    >>> subtree_sum(np.array([1, 2, 3]), np.array([3, 2, 3], np.int32)).tolist()  # a root, two children
    [6, 2, 3]
    """
    total = np.zeros((len(x) + 1, *x.shape[1:]), np.int64 if x.dtype.kind in "bui" else np.float64)
    np.cumsum(x, axis=0, dtype=total.dtype, out=total[1:])
    sums: NDArray[Any] = total[end] - total[:-1]
    return sums


def ancestor_sum(x: NDArray[Any], end: Int32) -> NDArray[Any]:
    """Sum of ``x`` (n,) over the proper ancestors of every node: the sum of opened less closed elements.

    The arguments and the type of the sums are as in `subtree_sum`.

    >>> ancestor_sum(np.array([1, 2, 3]), np.array([3, 3, 3], np.int32)).tolist()  # a chain
    [0, 1, 3]
    """
    closed = np.bincount(end, weights=x, minlength=len(x) + 1)[: len(x)]
    total: NDArray[Any] = np.cumsum(x, dtype=np.float64) - x - np.cumsum(closed)
    return total.astype(np.int64) if x.dtype.kind in "bui" else total
