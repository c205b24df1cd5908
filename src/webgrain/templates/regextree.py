"""The trees of many pages as one, and the rows of children of any of their nodes, as arrays.

The structure of a template, learnt from the trees of pages.

What stands below a TAG is learnt from all the nodes of all pages that it stands for: the rows of their
children are strings over symbols, these make an expression (`webgrain.templates.crx`), and each symbol of the
expression is a TAG of its own, for those children. So the template has every page that it was learnt from,
and the order of the pages plays no part.

Cost: a few steps for each node of each page.

Pages matched with a template: which template node each node of a page is, and how well that fits.

Noise of a template's leaves: what stands in the same node on many pages says nothing about any of them.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), section 2.1, steps
2-4, and 2.2.1.

    paper                              here
    feature                            kind and value: text, link or image source of a leaf
    page support of a feature          pages that have it in the node
    noise confidence                   that, divided by the page support of the node

Departures:
  - A short text that a page has once, where the words differ little from page to page (``Posted by Kim on 3
    May``), is noise as far as its words are: the mean of their noise confidences. Numbers count as the same.
  - Controls and embedded objects have a feature too: their names and values. A search box is noise.
  - A link into the page itself (a table of contents) repeats what stands elsewhere: confidence 1.

RegexTree: the template of a site as a regular expression over trees.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), section 2.1 and
2.2.1; the sections of a page (2.2.2, 2.2.3): `webgrain.templates.sections`.

    paper                            here                     shape
    template                         Template                 (m,) nodes: TAG, SEQ, STAR, OPT, ALT
    *, ?, |                          STAR, OPT, ALT
    k sample pages                   Template.n_pages
    PS of a template node            Template.page_support    (m,)
    node support                     Template.support         (m,) 0..1
    noise confidence of a feature    Template.noise           by leaf and feature, 0..1
    mapping to structural nodes      Match.labels             (n,) template node of each node of the Dom

Departures:
  - The paper generalises the template page by page and leaves open how. Here the rows of children of all
    pages make one expression (`webgrain.templates.crx`): the order of the pages plays no part, and the
    template
    has every page that it was learnt from.
  - Nodes are told apart by id and classes too, not by their tag alone, as far as pages share them.
  - Pages that have little in common with the others are left out, and it is said why.
Unclear: the first operator of (A)*B(C)?D(E|F), garbled in print: * or +. Here it is *, so that the template
has BCDE too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from math import ceil
from typing import Self
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.errors import ParameterError
from webgrain.estimator import Estimator, check_number
from webgrain.page.dom import freeze
from webgrain.page.kernels.nodetext import text_keys
from webgrain.page.kernels.treepass import innermost, sibling_numbers
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.page import Page
from webgrain.page.strings import code_points, letters_table
from webgrain.templates.crx import Factor, accepts, learn_expression
from webgrain.templates.template import (
    ALT,
    OPT,
    SEQ,
    STAR,
    TAG,
    Marked,
    Marks,
    Noise,
    Symbol,
    Template,
    marked,
    subtree_ends,
    symbol_of,
)
from webgrain.templates.treematch import match_tree

MOST_PLACES = 8
"""Siblings of one symbol, always as many, that may be a TAG each."""


class Forest:
    """The trees of all pages, one behind the other; n nodes.

    Attributes:
        start: (p + 1,) where each page begins; page: (n,) the page of each node.
        table: the symbols in the order of their names; symbol: (n,) numbers in it.
        shape: (n,) uint64, the tags of a node's children and grandchildren, as bits.
        count: (n,) how many children each node has.
    """

    def __init__(self, pages: Sequence[Marked], known: frozenset[str]) -> None:
        symbols = [page.symbols(known) for page in pages]
        self.table = sorted({symbol for one in symbols for symbol in one})
        number = {symbol: k for k, symbol in enumerate(self.table)}
        self.start = np.cumsum([0, *map(len, pages)])
        self.page = np.repeat(np.arange(len(pages)), np.diff(self.start))
        of_kind = (np.array([number[symbol] for symbol in own], np.int64) for own in symbols)
        self.symbol = np.concatenate([own[page.kind] for own, page in zip(of_kind, pages, strict=True)])
        self.shape = np.concatenate([page.shape for page in pages])
        parent = np.concatenate([page.tree.parent for page in pages]).astype(np.int64)
        parent[parent >= 0] += self.start[self.page][parent >= 0]
        self.count = np.bincount(parent[parent >= 0], minlength=len(parent))
        self._order = np.argsort(parent, kind="stable")[int((parent < 0).sum()) :]
        self._first = np.cumsum(self.count) - self.count

    def children(self, nodes: Int64) -> Int64:
        """Return the children of some nodes, those of each behind those of the one before."""
        count = self.count[nodes]
        skipped = self._first[nodes] - (np.cumsum(count) - count)
        children: Int64 = self._order[np.arange(count.sum()) + np.repeat(skipped, count)]
        return children


class Rows:
    """The rows of children of some nodes, one behind the other; c children.

    Attributes:
        child: (c,) nodes of the forest; count: how many are in each row.
        symbols: (s,) the symbols, sorted; symbol: (c,) numbers among them.
        shape: (c,) uint64.
    """

    def __init__(self, forest: Forest, nodes: Int64) -> None:
        self.count, self.child = forest.count[nodes], forest.children(nodes)
        self.symbols, self.symbol = np.unique(forest.symbol[self.child], return_inverse=True)
        self.shape = forest.shape[self.child]

    @cached_property
    def pairs(self) -> tuple[Int64, Int64, Int64]:
        """The rows and symbols (q,) that go together, and how often each of these symbols is in the row."""
        row = np.repeat(np.arange(len(self.count)), self.count)
        key, times = np.unique(row * len(self.symbols) + self.symbol, return_counts=True)
        return key // len(self.symbols), key % len(self.symbols), times

    def shapes(self) -> list[int]:
        """Return all that is below each symbol, as bits."""
        starts = np.append(0, np.cumsum(np.bincount(self.symbol))[:-1])
        bits: list[int] = np.bitwise_or.reduceat(
            self.shape[np.argsort(self.symbol, kind="stable")], starts
        ).tolist()
        return bits

    def places(self) -> dict[int, Int64]:
        """Return where the symbols stand of which each row that has them has the same few (r, few)."""
        _, symbol, times = self.pairs
        most = np.zeros(len(self.symbols), np.int64)
        least = np.full(len(self.symbols), MOST_PLACES + 1)
        np.maximum.at(most, symbol, times)
        np.minimum.at(least, symbol, times)
        few = np.flatnonzero((most == least) & (most >= 2) & (most <= MOST_PLACES))
        return {
            int(self.symbols[k]): np.flatnonzero(self.symbol == k).reshape(-1, most[k]) for k in few.tolist()
        }

    def strings(self, names: Int64) -> list[tuple[int, ...]]:
        """Return the names (c,) of the children of each row."""
        flat = names.tolist()
        return [tuple(flat[a:b]) for a, b in pairwise([0, *np.cumsum(self.count).tolist()])]


ALIKE = 0.5
"""Least likeness of the shapes of two symbols that are one TAG though they stand side by side."""

RATHER_ALIKE = 0.3
"""The same where they never do, and only one of them has marks; and for two places of one symbol."""

MOST_SYMBOLS = 256
"""Symbols of one tag below one TAG; where there are more, they are all taken for one."""

MOST_TAGS = 1024
"""Tags of all symbols below one TAG; where there are more, all symbols are taken for one."""


@dataclass(slots=True)
class _Node:
    """A node of the template while it is made; places: the nodes of the forest that it stands for."""

    op: int
    places: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    symbols: tuple[int, ...] = ()
    slots: tuple[int, ...] = ()
    children: list[_Node] = field(default_factory=list)
    listing: bool = False


def learn_structure(pages: Sequence[Marked], mark_support: float = 0.2) -> tuple[Template, list[Int32]]:
    """Return the template of pages, without noise, and the template node of each node of each page.

    mark_support: the share of the pages that must have a mark for it to count, two pages at least.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.templates.template import marked
    >>> pages = ["<ul><li>1<li>2</ul><b>x</b>", "<ul><li>1</ul><p>y</p><b>x</b>"]
    >>> print(learn_structure([marked(parse(Source("a", html.encode()))) for html in pages])[0])
    html[body[ul[(li[#text])*] (p[#text])? b[#text]]]
    """
    known = _known_marks(pages, max(min(2, len(pages)), ceil(mark_support * len(pages))))
    forest = Forest(pages, known)
    root = _tag(forest, forest.start[:-1][np.diff(forest.start) > 0])
    work = [root] if len(root.places) else []
    while work:
        work.extend(_content(forest, work.pop()))
    return _flatten(root, forest, known)


def _known_marks(pages: Iterable[Marked], least: int) -> frozenset[str]:
    count = Counter(mark for page in pages for mark in frozenset().union(*(marks for _, marks in page.kinds)))
    return frozenset(mark for mark, n in count.items() if n >= least)


def _tag(forest: Forest, places: Int64, slots: tuple[int, ...] = ()) -> _Node:
    symbols, times = np.unique(forest.symbol[places], return_counts=True)
    return _Node(TAG, places, tuple(symbols[np.lexsort((symbols, -times))].tolist()), slots)


def _content(forest: Forest, node: _Node) -> list[_Node]:
    """Make what stands below a TAG; return the TAGs in it."""
    rows = Rows(forest, node.places)
    if not len(rows.child):
        return []
    kind = _kinds(forest, rows)
    names = np.array([kind[symbol] for symbol in rows.symbols.tolist()])[rows.symbol]
    shared = Counter(kind.values())
    slots: dict[int, list[int]] = defaultdict(list)
    for symbol, places in rows.places().items():
        if shared[kind[symbol]] == 1:
            for slot, one in enumerate(_slots(rows, symbol, places, sum(map(len, slots.values())))):
                slots[one].append(slot)
                names[places[:, slot]] = one
    order = np.argsort(names, kind="stable")
    found, starts = np.unique(names[order], return_index=True)
    tags = {
        one: _tag(forest, places, tuple(slots.get(one, ())))
        for one, places in zip(found.tolist(), np.split(rows.child[order], starts[1:]), strict=True)
    }
    node.children = [_part(factor, tags) for factor in learn_expression(rows.strings(names))]
    return list(tags.values())


def _slots(rows: Rows, symbol: int, places: Int64, taken: int) -> list[int]:
    """Return the TAG of each place of a symbol if it is several TAGs, one after the other; else nothing.

    Two unmarked ``div``, one always a menu and the other always a text, are two TAGs. The first has the
    number of the symbol, others have negative ones; a place that is like the one before has the same.
    """
    numbers = [symbol]
    for before, after in pairwise(np.bitwise_or.reduce(rows.shape[places], axis=0).tolist()):
        alike = _likeness(before, after) >= RATHER_ALIKE
        numbers.append(numbers[-1] if alike else -1 - taken - len(numbers))
    return numbers if len(set(numbers)) > 1 else []


def _part(factor: Factor, tags: Mapping[int, _Node]) -> _Node:
    """Return a factor as a part of a template."""
    if factor.record:
        inner = _Node(SEQ, children=[_part(part, tags) for part in factor.record])
    elif len(factor.symbols) > 1:
        inner = _Node(ALT, children=[tags[symbol] for symbol in factor.symbols])
    else:
        inner = tags[factor.symbols[0]]
    if factor.repeated:
        return _Node(STAR, children=[inner], listing=factor.mixed)
    return _Node(OPT, children=[inner]) if factor.optional else inner


def _kinds(forest: Forest, rows: Rows) -> dict[int, int]:
    """Return for each symbol in rows of children the least symbol that it is one TAG with."""
    shape = dict(zip(rows.symbols.tolist(), rows.shapes(), strict=True))
    kind = {symbol: symbol for symbol in shape}
    by_tag: dict[str, list[int]] = defaultdict(list)
    for symbol in kind:
        by_tag[forest.table[symbol].tag].append(symbol)
    if len(by_tag) > MOST_TAGS:
        return dict.fromkeys(kind, min(kind))
    for symbols in by_tag.values():
        if len(symbols) > MOST_SYMBOLS:
            kind.update(dict.fromkeys(symbols, symbols[0]))
            continue
        inside = _inside(rows, symbols)
        for one, other in combinations(symbols, 2):
            likeness = _likeness(shape[one], shape[other])
            together = not inside[one].isdisjoint(inside[other])
            if _one_tag(forest.table[one], forest.table[other], likeness, together):
                _join(kind, one, other)
    return {symbol: _least(kind, symbol) for symbol in kind}


def _inside(rows: Rows, symbols: Sequence[int]) -> dict[int, set[int]]:
    """Return the rows that have each symbol, where they are several."""
    if len(symbols) < 2:
        return {}
    row, symbol, _ = rows.pairs
    return {one: set(row[rows.symbols[symbol] == one].tolist()) for one in symbols}


def _one_tag(one: Symbol, other: Symbol, likeness: float, together: bool) -> bool:
    """Return whether two symbols of one tag, seen side by side or not, are taken for the same."""
    shared = not set(one.marks).isdisjoint(other.marks)
    if one.marks and other.marks and not shared:
        return False
    return likeness >= (ALIKE if together else 0.0 if shared else RATHER_ALIKE)


def _likeness(one: int, other: int) -> float:
    either = (one | other).bit_count()
    return (one & other).bit_count() / either if either else 1.0


def _least(kind: Mapping[int, int], symbol: int) -> int:
    while kind[symbol] != symbol:
        symbol = kind[symbol]
    return symbol


def _join(kind: dict[int, int], one: int, other: int) -> None:
    one, other = sorted((_least(kind, one), _least(kind, other)))
    kind[other] = one


def _flatten(root: _Node, forest: Forest, known: frozenset[str]) -> tuple[Template, list[Int32]]:
    """Return the template as arrays, and where the nodes of the pages are in it."""
    nodes, parent = _in_order(root)
    seen = _seen(nodes, parent, forest)
    assigned = np.full(len(forest.page), -1, np.int32)
    for k, node in enumerate(nodes):
        assigned[node.places] = k
    template = Template(
        op=np.array([node.op for node in nodes], np.int8),
        parent=np.array(parent, np.int32),
        end=np.array(subtree_ends(parent), np.int32),
        symbols=tuple(tuple(forest.table[symbol] for symbol in node.symbols) for node in nodes),
        places=tuple(node.slots for node in nodes),
        shape=np.array([np.bitwise_or.reduce(forest.shape[node.places]) for node in nodes], np.uint64),
        page_support=seen.sum(axis=1).astype(np.int32),
        listing=np.array([node.listing for node in nodes]),
        n_pages=seen.shape[1],
        known=known,
        noise={},
    )
    return template, np.split(assigned, forest.start[1:-1])


def _in_order(root: _Node) -> tuple[list[_Node], list[int]]:
    """Return the nodes of a template, each before what is below it, and the parents, -1 at the root."""
    nodes, parent = list[_Node](), list[int]()
    work = [(root, -1)]
    while work:
        node, above = work.pop()
        work.extend((child, len(nodes)) for child in reversed(node.children))
        nodes.append(node)
        parent.append(above)
    return nodes, parent


def _seen(nodes: Sequence[_Node], parent: Sequence[int], forest: Forest) -> Bool:
    """(m, pages) True where a page has a node of the template; an operator, where it has what is below."""
    seen = np.zeros((len(nodes), len(forest.start) - 1), bool)
    for k in reversed(range(len(nodes))):
        seen[k, forest.page[nodes[k].places]] = True
        if parent[k] >= 0 and nodes[parent[k]].op != TAG:
            seen[parent[k]] |= seen[k]
    return seen


CORE = 0.9
"""Node support from which on a node is missed where it is absent."""

REMEMBERED = 2**14
"""Kinds of nodes whose symbols are remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A page matched with a template.

    Attributes:
        template: the template; labels: (n,) int32 its node for each node of the page's Dom, -1 for none.
        known: share of the page's visible nodes that have one; present: share of the template nodes of
            support `CORE` that the page has; 0..1 both.
        missing: the uppermost template nodes of support `CORE` that the page lacks.
        unknown: the uppermost visible nodes of the page that have no template node.
    """

    template: Template
    labels: Int32
    known: float
    present: float
    missing: tuple[int, ...]
    unknown: tuple[int, ...]

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def score(self) -> float:
        """How well page and template fit, 0..1: the harmonic mean of ``known`` and ``present``."""
        return harmonic(self.known, self.present)

    @property
    def accepted(self) -> bool:
        """Whether the page is of the template's kind: it fits about as well as those it was learnt from."""
        known, present = self.template.floor
        return self.known >= known and self.present >= present


def harmonic(one: float, other: float) -> float:
    """Return the harmonic mean of two numbers, 0 where both are 0."""
    return 2.0 * one * other / (one + other) if one + other else 0.0


class Matcher:
    """A template made ready to be matched with many pages.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.templates.regextree import learn_structure
    >>> page = parse(Source("a", b"<h1>One</h1><p>two<p>three"))
    >>> template, _ = learn_structure([marked(page)])
    >>> Matcher(template).match(page).score
    1.0
    >>> other = Matcher(template).match(parse(Source("b", b"<h1>One</h1><ul><li>two</ul>")))
    >>> round(other.known, 2), round(other.present, 2), [template.name(node) for node in other.missing]
    (0.57, 0.67, ['p'])
    """

    def __init__(self, template: Template) -> None:
        self.template = template
        below = [
            (int(template.owner[node]), symbol, node)
            for node in range(1, len(template))
            if template.op[node] == TAG
            for symbol in template.symbols[node]
        ]
        symbols = sorted({symbol for own in template.symbols for symbol in own})
        self._symbol = {symbol: k for k, symbol in enumerate(symbols)}
        self._tag = {tag: k for k, tag in enumerate(sorted({symbol.tag for symbol in symbols}))}
        self._bit = {mark: 1 << k % 64 for k, mark in enumerate(sorted(template.known))}
        self._kinds: dict[tuple[str, Marks], tuple[int, int, int]] = {}
        self._core = (template.op == TAG) & (template.support >= CORE)
        self._entries = self._sorted_entries(below)
        self._deeper = self._two_levels(below)

    def match(self, page: Page | Marked) -> Match:
        """Return the match of a page; one without a visible node has score 0."""
        one = marked(page)
        return self.matched(one, self.place(one))

    def matched(self, page: Marked, at: Int32) -> Match:
        """Return the match of a page whose nodes have been placed."""
        template, tree = self.template, page.tree
        present = np.zeros(len(template), bool)
        present[at[at >= 0]] = True
        lost = self._core & ~present
        missing = np.flatnonzero(lost & ((template.owner < 0) | present[template.owner]))
        unknown = np.flatnonzero((at < 0) & ((tree.parent < 0) | (at[tree.parent] >= 0)))
        return Match(
            template,
            tree.to_dom(at),
            float((at >= 0).mean()) if len(at) else 0.0,
            float(1.0 - lost.sum() / max(self._core.sum(), 1)) if len(at) else 0.0,
            tuple(missing.tolist()),
            tuple(tree.node[unknown].tolist()),
        )

    def place(self, page: Marked) -> Int32:
        """Return the template node (k,) of each node of the visible tree, -1 where there is none."""
        if not len(page) or not len(self.template):
            return np.full(len(page), -1, np.int32)
        if len(self._kinds) > REMEMBERED:
            self._kinds.clear()
        tag, symbol, marks = zip(*map(self._of_kind, page.kinds), strict=True)
        parent, own = page.tree.parent, np.array(symbol, np.int32)[page.kind]
        tags, bits = np.array(tag, np.int32)[page.kind], np.array(marks, np.uint64)[page.kind]
        nodes = (parent, tags, own, *sibling_numbers(parent, own), bits, page.shape)
        found: Int32 = match_tree(nodes, self._entries, self._deeper, len(self._tag), len(self._symbol))
        return found

    def accepts(self, page: Page | Marked) -> bool:
        """Return whether the whole page is in the language of the template.

        >>> from webgrain.page.parsing import parse
        >>> from webgrain.page.page import Source
        >>> from webgrain.templates.regextree import learn_structure
        >>> pages = [parse(Source("a", html)) for html in (b"<p>a<p>b", b"<p>a<b>c", b"<b>c</b><p>a")]
        >>> matcher = Matcher(learn_structure([marked(page) for page in pages[:2]])[0])
        >>> [matcher.accepts(page) for page in pages]
        [True, True, False]
        """
        tree = marked(page)
        at = self.place(tree)
        if (at < 0).any():
            return False
        parent = tree.tree.parent
        if (self.template.owner[at[1:]] != at[parent[1:]]).any():
            return False
        factors, placed = self.template.factors, at.tolist()
        strings = ([placed[child] for child in row] for row in tree.child_lists())
        return all(accepts(factors[own], string) for own, string in zip(placed, strings, strict=True))

    def _of_kind(self, kind: tuple[str, Marks]) -> tuple[int, int, int]:
        """Return the numbers of tag and symbol of nodes of a kind, -1 for none, and its marks as bits."""
        tag, marks = kind
        known = tag if tag in self._tag else "", marks & self.template.known
        if known not in self._kinds:
            symbol = symbol_of(*known, self.template.known)
            numbers = self._tag.get(symbol.tag, -1), self._symbol.get(symbol, -1)
            self._kinds[known] = (*numbers, self._bits(symbol))
        return self._kinds[known]

    def _bits(self, symbol: Symbol) -> int:
        bits = 0
        for mark in symbol.marks:
            bits |= self._bit[mark]
        return bits

    def _sorted_entries(self, below: Iterable[tuple[int, Symbol, int]]) -> tuple[NDArray[np.generic], ...]:
        rows = sorted(
            (owner * len(self._tag) + self._tag[symbol.tag], self._symbol[symbol], place, node)
            for owner, symbol, node in below
            for place in self.template.places[node] or (0,)
        )
        key, number, _, target = (
            (np.array(column, np.int64) for column in zip(*rows, strict=True))
            if rows
            else (np.zeros(0, np.int64),) * 4
        )
        bits = np.array([self._bits(symbol) for symbol in self._symbol], np.uint64)
        return (
            key,
            number.astype(np.int32),
            bits[number],
            self.template.shape[target],
            target.astype(np.int32),
        )

    def _two_levels(self, below: Iterable[tuple[int, Symbol, int]]) -> tuple[NDArray[np.generic], ...]:
        """Return where a symbol with marks stands two levels below a TAG, if in one place only."""
        places: dict[int, set[int]] = {}
        for owner, symbol, node in below:
            above = int(self.template.owner[owner])
            if symbol.marks and above >= 0:
                places.setdefault(above * len(self._symbol) + self._symbol[symbol], set()).add(node)
        alone = sorted((key, min(nodes)) for key, nodes in places.items() if len(nodes) == 1)
        return np.array([key for key, _ in alone], np.int64), np.array([node for _, node in alone], np.int32)


LONGEST = 200
"""Characters of a feature that are kept."""

FEW_WORDS = 20
"""Words of a text, in the median, up to which it is compared word by word."""

OFTEN = 3
"""Pages that must have a text for its words to be compared."""

_KNOWN_BY = ("type", "name", "value", "placeholder", "src", "data")
"""Attributes that a control or an embedded object is known by."""

_SPREAD = 0x9E3779B97F4A7C15
_AS_IT_STANDS = np.zeros(0x10001, np.int8)
"""Letters for `text_keys` of which none is white space."""

_HOST = re.compile(r"https?://[^/?#\s]+", re.I)
_WHOLE = re.compile(r"/|https?://[^/?#\s]", re.I)

_WORD = re.compile(r"[^\W\d_]+|\d+")
_DIGITS = re.compile(r"\d+")


def learn_noise(
    template: Template, pages: Sequence[Marked], places: Sequence[Int32], node_support: float = 0.2
) -> dict[int, dict[Noise, float]]:
    """Return the noise confidence of features by leaf; only of those on two pages or more.

    places: the template node (k,) of each node of each page; node_support: least support of a node that has
    noise (step 4).
    """
    standing: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (page, at) in enumerate(zip(pages, places, strict=True)):
        where = page.tree.leaves
        for leaf, node in zip(where.tolist(), at[where].tolist(), strict=True):
            standing[node].append((number, leaf))
    leaves, enough = [_Leaves(page) for page in pages], template.support >= node_support
    nodes = sorted(node for node in standing if enough[node])
    shares = {node: _shares(leaves, standing[node], int(template.page_support[node])) for node in nodes}
    return {node: found for node, found in shares.items() if found}


def _shares(
    leaves: Sequence[_Leaves], standing: Sequence[tuple[int, int]], of_node: int
) -> dict[Noise, float]:
    """Return the noise confidence of the features of a template node; its leaves by page and place."""
    seen: dict[Noise, set[int]] = defaultdict(set)
    for number, leaf in standing:
        for feature in leaves[number].features(leaf):
            seen[feature].add(number)
    if len(standing) == of_node >= OFTEN:
        words = [leaves[number].words(leaf) for number, leaf in standing]
        if np.median([len(own) for own in words]) <= FEW_WORDS:
            for (number, _), own in zip(standing, words, strict=True):
                for word in own:
                    seen[word].add(number)
    return {feature: len(numbers) / of_node for feature, numbers in sorted(seen.items()) if len(numbers) > 1}


class KnownNoise:
    """The noise of a template made ready to be looked for on many pages: by keys of texts and links."""

    def __init__(self, template: Template) -> None:
        self._shares, self._worded = template.noise, template.worded
        self._noisy, self._compared = (np.zeros(len(template) + 1, bool) for _ in range(2))
        self._noisy[list(template.noise)] = True  # the last one stands for what has no node
        self._compared[list(template.worded)] = True
        self._texts, self._links = (_Shares(template.noise, kind) for kind in ("text", "link"))

    def of(self, page: Marked, at: Int32) -> Float64:
        """Return the noise confidence (k,) of the leaves of a page, 0 at other nodes and unknown ones.

        at (k,): their template nodes.
        """
        dom, tree = page.page.dom, page.tree
        confidence = np.zeros(len(page))
        noisy, is_text = self._noisy[at] & (tree.kind > 0), tree.kind == TEXT_LEAF
        text = np.flatnonzero(noisy & is_text)
        start, stop = dom.text_start[tree.node[text]], dom.text_start[tree.node[text] + 1]
        keys = text_keys(code_points(dom.text), start, stop, letters_table(), LONGEST)
        confidence[text] = self._texts.find(at[text], keys)
        leaves = _Leaves(page)
        for leaf in np.flatnonzero(noisy & (~is_text | self._compared[at])).tolist():
            confidence[leaf] = max(confidence[leaf], self._by_name(leaves, leaf, int(at[leaf])))
        self._add_links(page, at, noisy, confidence)
        return confidence

    def _by_name(self, leaves: _Leaves, leaf: int, node: int) -> float:
        """Return how much of a leaf is noise by the words of its text, or by what else it is known by."""
        shares, words = self._shares[node], leaves.words(leaf)
        if words and node in self._worded:
            return sum(shares.get(word, 0.0) for word in words) / len(words)
        return max((shares.get(feature, 0.0) for feature in leaves.own(leaf)), default=0.0)

    def _add_links(self, page: Marked, at: Int32, noisy: Bool, confidence: Float64) -> None:
        """Take in where the links around the leaves lead: where they always do, or to a place of the page."""
        dom, tree = page.page.dom, page.tree
        is_anchor = dom.tag[tree.node] == (dom.tags.index("a") if "a" in dom.tags else -1)
        around = innermost(tree.parent, is_anchor.view(np.uint8))
        leaf = np.flatnonzero((tree.kind > 0) & (around >= 0))
        link = (np.cumsum(is_anchor) - 1)[around[leaf]]
        targets = [target or "" for target in dom.values_at("href", tree.node[is_anchor])]
        asked = np.zeros(len(targets), bool)
        asked[link[noisy[leaf]]] = True
        told = [bool(target) and ask for target, ask in zip(targets, asked.tolist(), strict=True)]
        keys = _keys(
            [_absolute(page.page, target) if tell else "" for target, tell in zip(targets, told, strict=True)]
        )
        known = noisy[leaf] & np.array(told, bool)[link]
        found, link_of = leaf[known], link[known]
        confidence[found] = np.maximum(confidence[found], self._links.find(at[found], keys[link_of]))
        within = np.array([len(target) > 1 and target[0] == "#" for target in targets], bool)
        confidence[leaf[within[link]]] = 1.0


class _Shares:
    """How sure features of one kind are noise, by template node and key."""

    def __init__(self, noise: Mapping[int, Mapping[Noise, float]], wanted: str) -> None:
        rows = [
            (node, value, share)
            for node, shares in noise.items()
            for (kind, value), share in shares.items()
            if kind == wanted
        ]
        key = _mixed(
            np.array([node for node, _, _ in rows], np.int32), _keys([value for _, value, _ in rows])
        )
        order = np.argsort(key)
        self._key = key[order]
        self._share = np.array([share for _, _, share in rows], np.float64)[order]

    def find(self, node: Int32, key: UInt64) -> Float64:
        """Return the share (m,) of what has these keys in these nodes, 0 where nothing is known of it."""
        if not len(self._key):
            return np.zeros(len(node))
        wanted = _mixed(node, key)
        place = np.minimum(np.searchsorted(self._key, wanted), len(self._key) - 1)
        return np.where(self._key[place] == wanted, self._share[place], 0.0)


def _mixed(node: Int32, key: UInt64) -> UInt64:
    """Return keys of what stands in template nodes."""
    return key ^ (node.astype(np.uint64) * np.uint64(_SPREAD))


def _keys(texts: Sequence[str]) -> UInt64:
    """Return the keys (m,) of texts as they stand: those of `text_keys` for a text that is collapsed."""
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int64).astype(np.int32)
    codes, longest = code_points("".join(texts)), max(map(len, texts), default=0)
    keys: UInt64 = text_keys(codes, ends[:-1], ends[1:], _AS_IT_STANDS, longest)
    return keys


class _Leaves:
    """The features of the leaves of a page, made when they are asked for."""

    def __init__(self, page: Marked) -> None:
        self._marked, self._page, self._dom = page, page.page, page.page.dom
        self._node, self._kind = page.tree.node, page.tree.kind

    @cached_property
    def _links(self) -> list[str | None]:
        return _links(self._marked)

    def features(self, leaf: int) -> list[Noise]:
        """Return its text, image source or what else it is known by, and its link."""
        link = self._links[leaf]
        return [*self.own(leaf), *([("link", _absolute(self._page, link))] if link else [])]

    def own(self, leaf: int) -> list[Noise]:
        """Return its text, image source, or what else it is known by."""
        node, kind = int(self._node[leaf]), self._kind[leaf]
        if kind == TEXT_LEAF:
            return [("text", self._text(node))]
        told = self._attributes[node]
        if kind == IMAGE:
            source = told.get("src")
            return [("image", _absolute(self._page, source))] if source else []
        known = (self._dom.tags[self._dom.tag[node]], *(told.get(name, "") for name in _KNOWN_BY))
        return [("other", " ".join(" ".join(known).split())[:LONGEST])]

    @cached_property
    def _attributes(self) -> dict[int, dict[str, str]]:
        """The attributes of the leaves that are no texts, by node."""
        nodes = self._node[(self._kind > 0) & (self._kind != TEXT_LEAF)].tolist()
        return dict(zip(nodes, self._dom.attributes_of(nodes), strict=True))

    def _text(self, node: int) -> str:
        """Return the text of a text node, white space collapsed."""
        start = self._dom.text_start
        return " ".join(self._dom.text[start[node] : start[node + 1]].split())[:LONGEST]

    def words(self, leaf: int) -> list[Noise]:
        """Return the words of its text, all numbers as one."""
        if self._kind[leaf] != TEXT_LEAF:
            return []
        text = self._text(int(self._node[leaf])).lower()
        return [("word", word) for word in _WORD.findall(_DIGITS.sub("0", text))]


def _absolute(page: Page, address: str) -> str:
    """Return an address as seen from the page; as it stands where it is none."""
    address = address.strip()[:LONGEST]
    if not page.url:
        return address
    host = _HOST.match(page.url)
    if host and _WHOLE.match(address):
        return _joined(host[0], address)
    try:
        return urljoin(page.url, address)
    except ValueError:
        return address


@lru_cache(maxsize=2**14)
def _joined(host: str, address: str) -> str:
    """Return what `urljoin` does with an address of which only the host may be missing: menus come again."""
    try:
        return urljoin(host, address)
    except ValueError:
        return address


def _links(page: Marked) -> list[str | None]:
    """Return for each node the target of the link that it is in."""
    targets, tree = page.page.dom.column("href"), page.tree
    links: list[str | None] = [None] * len(tree)
    anchors = [k for k, (tag, _) in enumerate(page.kinds) if tag == "a"]
    for node in np.flatnonzero(np.isin(page.kind, anchors)).tolist():
        links[node : tree.end[node]] = [targets[tree.node[node]]] * int(tree.end[node] - node)
    return links


SLACK = 0.02
"""How much less than the worst of the learnt pages a page may fit."""


@dataclass(kw_only=True, eq=False)
class RegexTree(Estimator):
    """Template of a site, or of one kind of its pages.

    Attributes:
        least_match: score below which a page is left out when the template is learnt, 0..1.
        mark_support: share of the pages that must have an id or class for it to count, 0..1.
        node_support: share of the pages that must have a node for its features to be noise, 0..1.
        template_: what was learnt.
        rejected_: reasons by id of the pages that were left out.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> pages = [f"<b>My site</b><h1>{n}</h1><p>{n}" + "<p>More" * n for n in range(3)]
    >>> learnt = RegexTree().fit(parse(Source(html, html.encode())) for html in pages)
    >>> print(learnt.template_)
    html[body[b[#text] h1[#text] (p[#text])*]]
    >>> learnt.predict(parse(Source("new", b"<b>My site</b><h1>New</h1><p>Text"))).score
    1.0
    """

    least_match: float = 0.5
    mark_support: float = 0.2
    node_support: float = 0.2
    template_: Template | None = field(default=None, init=False, repr=False)
    rejected_: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("least_match", "mark_support", "node_support"):
            check_number(self, name, 0.0, 1.0)

    def fit(self, pages: Iterable[Page | Marked]) -> Self:
        """Learn the template of pages; about 15 are enough.

        `ParameterError` without a page, and where none has anything in common with the others.
        """
        kept = [marked(page) for page in pages]
        if not kept:
            raise ParameterError("RegexTree: expected pages to learn a template from, got none.")
        self.rejected_ = {page.page.id: "It has no visible node." for page in kept if not len(page)}
        kept = [page for page in kept if len(page)]
        while kept:
            template, places = learn_structure(kept, self.mark_support)
            shares = held_out(template, places)
            scores = [harmonic(*row) for row in shares.tolist()]
            if min(scores) >= self.least_match:
                break
            self._reject(kept, scores)
            kept = [page for page, score in zip(kept, scores, strict=True) if score >= self.least_match]
        else:
            raise ParameterError("RegexTree: expected pages that have something in common, got none.")
        known, present = np.maximum(shares.min(axis=0) - SLACK, 0.0).tolist()
        noise = learn_noise(template, kept, places, self.node_support)
        self.template_ = replace(template, noise=noise, floor=(known, present))
        self._matcher = Matcher(self.template_)
        return self

    def predict(self, page: Page) -> Match:
        """Return the match of a page; `ParameterError` before `fit`."""
        if self.template_ is None:
            raise ParameterError("RegexTree: expected fit to have been called before predict.")
        return self._matcher.match(page)

    def _reject(self, pages: Sequence[Marked], scores: Sequence[float]) -> None:
        for page, score in zip(pages, scores, strict=True):
            if score < self.least_match:
                self.rejected_[page.page.id] = (
                    f"It fits the other pages by {score:.2f} only, less than {self.least_match:g}."
                )


def held_out(template: Template, places: Sequence[Int32]) -> Float64:
    """Return how each page fits what the others have (p, 2), without learning anew for each.

    Columns as `Match.known` and `Match.present`: what only one page has is unknown to the others, and what
    nine in ten of them have is missed where it is absent. A single page fits itself.
    """
    if len(places) < 2:
        return np.ones((len(places), 2))
    tags, support = template.op == TAG, template.page_support
    shares = np.zeros((len(places), 2))
    for row, at in zip(shares, places, strict=True):
        mine = np.zeros(len(template), bool)
        mine[at] = True
        core = tags & (support - mine >= CORE * (template.n_pages - 1))
        row[:] = (support[at] > 1).mean(), mine[core].mean() if core.any() else 0.0
    return shares
