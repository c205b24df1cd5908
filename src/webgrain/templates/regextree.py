"""RegexTree: the template of a site, or of one page type, as a regular expression over trees.

Source: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008 (poster), sections 2.1 and
2.2.1. The sections of a page (2.2.2) and their importance (2.2.3) are in `webgrain.templates.sections`.

Problem: informative content differs between the pages of a site in text and structure, while noise repeats.
From sample pages, learn a template, which generalises their trees with the operators * (repeated), ?
(optional) and | (one of several), and for each leaf how often each of its features repeats. A new page is
matched with the template, and its leaves take the noise confidence of their features.

    paper                              here                     shape, unit
    template                           `Template`               (m,) nodes: TAG, SEQ, STAR, OPT, ALT
    *, ?, |                            STAR, OPT, ALT
    k sample pages                     Template.n_pages
    feature                            kind and value: text, link or image source of a leaf
    PS of a template node              Template.page_support    (m,) pages
    node support                       Template.support         (m,) 0..1
    noise confidence of a feature      Template.noise           by leaf and feature, 0..1
    20 %, step 4                       node_support             0..1
    mapping to structural nodes        Match.labels             (n,) template node of each node of the Dom

Departures:
  - The paper generalises the template page by page and does not specify how. Here the children of all nodes
    that a TAG represents are strings over symbols, and one expression is learnt from these strings
    (`webgrain.templates.crx`). So the order of the pages does not matter, and the template accepts every page
    that it was learnt from.
  - Elements are distinguished by ids and classes, too, as far as enough pages share them (`mark_support`).
  - A link to the page itself is never a feature.

`SiteTemplate` leaves out pages that have little in common with the others (`least_match`). It has four
additions to the features of the paper, which are parameters, too:

  - words: the words of a short text that a page has once (``Posted by Kim on 3 May``) are features; its
    confidence is the mean of theirs. All numbers are one word. Headings, titles, and names that differ in
    numbers only (``Release 1.2``) are not compared word by word.
  - controls: controls and embedded objects have a feature, too: their attributes. So a search box is noise.
  - self_links: a link to a place on the page is a feature. So a table of contents is noise.
  - least_pages: a feature of a single page is not kept.

Unclear: the first operator of (A)*B(C)?D(E|F) is garbled in print, * or +. Here it is *, so that BCDE is
accepted, too.

Cost: a few steps for each node of each page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import ceil
from typing import Any, Self
from zlib import crc32

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import Estimator, choice, integer, real
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.links import join_url
from webgrain.page.page import Page
from webgrain.page.parsing import check_pages
from webgrain.templates.acceptance import FitFeatures, Found, inputs, trained, unknown, usual
from webgrain.templates.crx import ALT, OPT, SEQ, STAR, TAG, Part, learn_expression, separate
from webgrain.templates.profile import Profile, Use
from webgrain.templates.template import (
    FREE,
    ITEMS,
    STATISTICS,
    AnyPage,
    Feature,
    Symbol,
    SymbolTable,
    Template,
    TypedTree,
    shape_row,
    subtree_ends,
    template_from_dict,
    template_to_dict,
    tree_shapes,
    typed_tree,
)
from webgrain.templates.thresholds import (
    ACCEPTED,
    COMMON_NAMES,
    MAX_FEATURE,
    MAX_KINDS,
    MAX_WORDS,
    MIN_WORD_PAGES,
    MIN_WORDS,
    RATHER_SIMILAR,
    SIMILAR,
    SIMILAR_ITEMS,
    USUAL,
)
from webgrain.templates.treematch import (
    ALT_BEGIN,
    ALT_END,
    ALT_NEXT,
    OPT_BEGIN,
    OPT_END,
    PLACE,
    STAR_BEGIN,
    STAR_END,
    WORDS,
    match_tree,
)

# 2.1, step 1: generalise the template over the sample pages.


def learn_structure(pages: Sequence[TypedTree], mark_support: float = 0.2) -> tuple[Template, list[Int32]]:
    """Return the template of pages, without noise, and the template node of each node of each page.

    mark_support: share of the pages that must have an id or class for it to count, at least two pages.

    >>> pages = ["<ul><li>1<li>2</ul><b>x</b>", "<ul><li>1</ul><p>y</p><b>x</b>"]
    >>> print(learn_structure([typed_tree(html) for html in pages])[0])
    html[body[ul[(li[#text])*] (p[#text])? b[#text]]]
    """
    least = max(min(2, len(pages)), ceil(mark_support * len(pages)))
    count = Counter(name for page in pages for name in frozenset().union(*(names for _, names in page.types)))
    known = frozenset(name for name, n in count.items() if n >= least)
    forest = Forest(pages, known)
    root = _Node(TAG, forest.start[:-1][np.diff(forest.start) > 0])
    work = [root] if len(root.places) else []
    while work:
        work.extend(_make_content(forest, work.pop()))
    template = _to_arrays(root, forest, known)
    places = [found.at for found in map(Matcher(template).align, pages)]
    return _with_supports(template, places), places


class Forest:
    """The trees of all pages, one after the other; n nodes.

    Attributes:
        start: (p + 1,) the first node of each page; page: (n,) the page of each node.
        table: the symbols in alphabetical order; symbol: (n,) numbers in it.
        shape: (n, 4) uint64, the shapes of the subtrees.
        count: (n,) number of children of each node.
    """

    def __init__(self, pages: Sequence[TypedTree], known: frozenset[str]) -> None:
        symbols = [page.symbols(known) for page in pages]
        self.table = sorted({symbol for some in symbols for symbol in some})
        number = {symbol: k for k, symbol in enumerate(self.table)}
        self.start = np.cumsum([0, *map(len, pages)])
        self.page = np.repeat(np.arange(len(pages)), np.diff(self.start))
        numbers = (np.array([number[symbol] for symbol in some], np.int64) for some in symbols)
        self.symbol = np.concatenate([own[page.type] for own, page in zip(numbers, pages, strict=True)])
        rows = (np.array([*map(shape_row, some)], np.uint64).reshape(-1, 1 + 2 * WORDS) for some in symbols)
        self.shape = np.concatenate(list(map(tree_shapes, pages, rows)))
        parent = np.concatenate([page.tree.parent for page in pages]).astype(np.int64)
        parent[parent >= 0] += self.start[self.page][parent >= 0]
        self.count = np.bincount(parent[parent >= 0], minlength=len(parent))
        self._order = np.argsort(parent, kind="stable")[int((parent < 0).sum()) :]
        self._first = np.cumsum(self.count) - self.count

    def children(self, nodes: Int64) -> Int64:
        """Return the children of some nodes, concatenated."""
        count = self.count[nodes]
        skipped = self._first[nodes] - (np.cumsum(count) - count)
        children: Int64 = self._order[np.arange(count.sum()) + np.repeat(skipped, count)]
        return children


@dataclass(slots=True)
class _Node:
    """A template node during learning; places: the nodes of the forest that it stands for."""

    op: int
    places: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    children: list[_Node] = field(default_factory=list)
    is_list: bool = False


def _make_content(forest: Forest, node: _Node) -> list[_Node]:
    """Set the content of a TAG, the expression of the strings of children; return the TAGs in it."""
    child, count = forest.children(node.places), forest.count[node.places]
    if not len(child):
        return []
    flat = _classes(forest, child, np.repeat(np.arange(len(count)), count)).tolist()
    rows = [tuple(flat[a:b]) for a, b in pairwise([0, *np.cumsum(count).tolist()])]
    strings = Counter(rows)
    separated = separate({string: strings[string] for string in sorted(strings)})
    names = np.fromiter((name for row in rows for name in separated[row]), np.int64, len(child))
    order = np.argsort(names, kind="stable")
    found, starts = np.unique(names[order], return_index=True)
    places = np.split(child[order], starts[1:])
    tags = {name: _Node(TAG, some) for name, some in zip(found.tolist(), places, strict=True)}
    again: Counter[tuple[int, ...]] = Counter()
    for string, times in strings.items():
        again[separated[string]] += times
    node.children = [_make_part(part, tags) for part in learn_expression(again)]
    return list(tags.values())


def _make_part(part: Part, tags: Mapping[int, _Node]) -> _Node:
    """Return a part of an expression as a part of the template."""
    if part.op == TAG:
        return tags[part.symbol]
    return _Node(part.op, children=[_make_part(inner, tags) for inner in part.parts], is_list=part.is_list)


def _classes(forest: Forest, child: Int64, row: Int64) -> Int64:
    """Return the classes (c,) of the children of some nodes (rows): those of one class are one TAG.

    Children with one tag are a class if they have similar subtrees; common names make them more similar, and
    different names are never of one class. Children that never are side by side may be less similar.
    """
    symbol = forest.symbol[child]
    symbols, number = np.unique(symbol, return_inverse=True)
    free = np.array([forest.table[k].tag in FREE for k in symbols.tolist()])
    bits = np.where(free[number, None], np.uint64(0), forest.shape[child])
    first, kind, times = _kinds(symbol, bits)
    if len(first) > MAX_KINDS:
        first, kind, times = _kinds(symbol, bits[:, :0])
    if len(first) > MAX_KINDS:
        tags: dict[str, int] = {}
        symbol = np.array([tags.setdefault(forest.table[k].tag, k) for k in symbols.tolist()])[number]
        first, kind, times = _kinds(symbol, bits[:, :0])
    rows_with: list[set[int]] = [set() for _ in range(len(first))]
    for own_row, k in zip(row.tolist(), kind.tolist(), strict=True):
        rows_with[k].add(own_row)
    own = [forest.table[k] for k in forest.symbol[child[first]].tolist()]
    shapes = bits[first]
    order = sorted(range(len(first)), key=lambda k: (-times[k], own[k], shapes[k].tolist()))
    leaders: dict[str, list[int]] = defaultdict(list)
    leader = np.zeros(len(first), np.int64)
    for k in order:
        tag, names = own[k].tag, frozenset(own[k].names)
        rivals, best, most = leaders[tag], -1, 0.0
        if rivals:
            both = np.bitwise_count(shapes[rivals] & shapes[k]).sum(axis=1)
            either = np.bitwise_count(shapes[rivals] | shapes[k]).sum(axis=1)
            likeness = np.where(either > 0, both / np.maximum(either, 1), 1.0).tolist()
            for rival, like in zip(rivals, likeness, strict=True):
                common = names.intersection(own[rival].names)
                if names and own[rival].names and not common:
                    continue
                like += COMMON_NAMES * len(common) / max(len(names.union(own[rival].names)), 1)
                beside = not rows_with[k].isdisjoint(rows_with[rival])
                least = (SIMILAR_ITEMS if tag in ITEMS else SIMILAR) if beside else RATHER_SIMILAR
                if like >= least and like > most:
                    best, most = rival, like
        if best < 0:
            rivals.append(k)
        else:
            rows_with[best] |= rows_with[k]
        leader[k] = best if best >= 0 else k
    rank = np.zeros(len(first), np.int64)
    rank[order] = np.arange(len(first))
    classes: Int64 = rank[leader][kind]
    return classes


def _kinds(symbol: Int64, bits: UInt64) -> tuple[Int64, Int64, Int64]:
    """Return the distinct kinds of children: the first child, the kind (c,) of each child, the sizes."""
    key = symbol.astype(np.uint64)
    for words in bits.T:
        key = (key ^ words) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    _, first, kind, times = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first, kind, times


def _to_arrays(root: _Node, forest: Forest, known: frozenset[str]) -> Template:
    """Return the template as arrays, without supports."""
    nodes, parent = list[_Node](), list[int]()
    work = [(root, -1)]
    while work:
        node, above = work.pop()
        work.extend((child, len(nodes)) for child in reversed(node.children))
        nodes.append(node)
        parent.append(above)
    symbols, times = list[tuple[Symbol, ...]](), list[tuple[int, ...]]()
    bits = np.zeros((len(nodes), 2, WORDS), np.uint64)
    for k, node in enumerate(nodes):
        own = forest.symbol[node.places] * len(forest.start) + forest.page[node.places]
        numbers, pages = np.unique(np.unique(own) // len(forest.start), return_counts=True)
        order = np.lexsort((numbers, -pages))
        symbols.append(tuple(forest.table[number] for number in numbers[order].tolist()))
        times.append(tuple(pages[order].tolist()))
        if node.op == TAG:
            bits[k] = _bits_of(forest.shape[node.places])
    return Template(
        op=np.array([node.op for node in nodes], np.int8),
        parent=np.array(parent, np.int32),
        end=np.array(subtree_ends(parent), np.int32),
        symbols=tuple(symbols),
        symbol_support=tuple(times),
        shape=bits,
        page_support=np.zeros(len(nodes), np.int32),
        is_list=np.array([node.is_list for node in nodes]),
        n_pages=len(forest.start) - 1,
        known=known,
        noise={},
    )


def _bits_of(shapes: UInt64) -> UInt64:
    """Return the bits (2, 4) that any and that most of some shapes (p, 4) have."""
    some = np.bitwise_or.reduce(shapes, axis=0)
    if len(shapes) == 1 or not some.any():
        return np.stack([some, some])
    bits = np.unpackbits(shapes.view(np.uint8), axis=1).sum(axis=0) >= USUAL * len(shapes)
    return np.stack([some, np.packbits(bits).view(np.uint64)])


def _with_supports(template: Template, places: Sequence[Int32]) -> Template:
    """Return the template with the page supports of its nodes (step 2)."""
    has_node = np.zeros((len(template), len(places)), bool)
    for number, at in enumerate(places):
        has_node[at[at >= 0], number] = True
    for k in range(len(template) - 1, 0, -1):
        if template.op[above := template.parent[k]] != TAG:
            has_node[above] |= has_node[k]
    return replace(template, page_support=has_node.sum(axis=1).astype(np.int32))


def learn_statistics(template: Template, pages: Sequence[TypedTree], places: Sequence[Int32]) -> Float64:
    """Return the statistics (m, 5) of the nodes of a template, columns `STATISTICS`; see `Template`.

    places: the template node (k,) of each node of each page.
    """
    rows = [_texts(page, at, number) for number, (page, at) in enumerate(zip(pages, places, strict=True))]
    node, page, above, size, linked, text = (np.concatenate(column) for column in zip(*rows, strict=True))
    found = np.zeros((len(template), len(STATISTICS)))
    number = np.maximum(np.bincount(node, minlength=len(template)), 1)
    total = np.bincount(node, size, len(template))
    found[:, 0] = total / number
    found[:, 1] = np.bincount(node, linked, len(template)) / np.maximum(total, 1)
    kinds, times = np.unique(np.stack([node, text]), axis=1, return_counts=True)
    found[:, 2] = (np.bincount(kinds[0], minlength=len(template)) - 1) / np.maximum(number - 1, 1)
    kinds = np.unique(np.stack([node, text, page]), axis=1)[:2]
    kinds, times = np.unique(kinds, axis=1, return_counts=True)
    np.maximum.at(found[:, 3], kinds[0], times)
    found[:, 3] /= np.maximum(template.page_support, 1)
    list_of = template.list_of
    for some in (np.arange(len(template)), list_of):  # the items of a STAR are its nodes below one parent
        used = some[node] >= 0
        groups, times = np.unique(np.stack([some[node], page, above])[:, used], axis=1, return_counts=True)
        own, first = np.unique(groups[0], return_index=True)
        found[own, 4] = [np.median(part) for part in np.split(times, first[1:])] if len(own) else 0.0
    found[:, :4][template.op != TAG] = 0.0
    return np.maximum(found, 0.0)


def _texts(page: TypedTree, at: Int32, number: int) -> tuple[Int64, ...]:
    """Return node, page, parent, characters, characters in links and key of the text of all placed nodes."""
    tree, dom = page.tree, page.page.dom
    start, used = dom.text_start[tree.node], np.flatnonzero(at >= 0)
    own = np.where(tree.kind == TEXT_LEAF, dom.text_start[tree.node + 1] - start, 0)
    is_link = np.array([tag == "a" for tag, _ in page.types], np.uint8)[page.type]
    in_link = np.where(innermost(tree.parent, is_link) >= 0, own, 0)
    leaves = np.flatnonzero(own)
    keys = np.zeros(len(own), np.int64)
    begins, lengths = start[leaves].tolist(), own[leaves].tolist()
    keys[leaves] = [crc32(dom.text[a : a + n].strip().encode()) for a, n in zip(begins, lengths, strict=True)]
    sums = (np.append(0, np.cumsum(x)) for x in (own, in_link, keys))
    below = ((x[tree.end] - x[:-1])[used] for x in sums)
    columns = at[used], np.full(len(used), number), tree.parent[used], *below
    return tuple(column.astype(np.int64) for column in columns)


# 2.1, steps 2 to 4: noise confidence of the features of leaves.


def learn_noise(
    template: Template, pages: Sequence[TypedTree], places: Sequence[Int32], method: RegexTree
) -> dict[int, dict[Feature, float]]:
    """Return the noise confidence of features by leaf TAG: pages with the feature over pages with the TAG.

    places: the template node (k,) of each node of each page; method: has the parameters. A node of less than
    ``node_support`` has no noise (step 4).
    """
    leaves_at: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (page, at) in enumerate(zip(pages, places, strict=True)):
        leaves = page.tree.leaves
        for leaf, node in zip(leaves.tolist(), at[leaves].tolist(), strict=True):
            leaves_at[node].append((number, leaf))
    features, noise = list(map(LeafFeatures, pages)), dict[int, dict[Feature, float]]()
    for node in np.flatnonzero(template.support >= max(method.node_support, 1e-9)).tolist():
        page_support = int(template.page_support[node])
        pages_with: dict[Feature, set[int]] = defaultdict(set)
        for number, leaf in leaves_at[node]:
            for feature in features[number].of(leaf):
                pages_with[feature].add(number)
        if method.words and len(leaves_at[node]) == page_support >= MIN_WORD_PAGES:
            words = [(number, features[number].words(leaf)) for number, leaf in leaves_at[node]]
            if np.median([len(own) for _, own in words]) <= MAX_WORDS and not _is_name([x for _, x in words]):
                for number, own in words:
                    for word in own:
                        pages_with[word].add(number)
        found = {
            feature: len(numbers) / page_support
            for feature, numbers in sorted(pages_with.items())
            if len(numbers) >= method.least_pages
            and (method.controls or feature[0] != "other")
            and (method.self_links or feature != ("link", "#"))
        }
        noise |= {node: found} if found else {}
    return noise


def _is_name(texts: Sequence[Sequence[Feature]]) -> bool:
    """Return whether texts are names that differ in numbers only: ``Chapter 3``, ``Release 1.2``."""
    kinds = {tuple(word for _, word in words if word != "0") for words in texts}
    return len(kinds) == 1 and 0 < len(kinds.pop()) < MIN_WORDS


def transfer_noise(template: Template, page: TypedTree, at: Int32) -> Float64:
    """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes and unknown leaves (2.2.1).

    at (k,): their template nodes. The greatest of a leaf's features counts; its words count by their mean.
    """
    confidence, features = np.zeros(page.tree.size), LeafFeatures(page)
    noisy = np.zeros(len(template) + 1, bool)  # the last entry is for leaves without a template node
    noisy[list(template.noise)] = True
    for leaf in np.flatnonzero(noisy[at] & (page.tree.kind > 0)).tolist():
        node = int(at[leaf])
        noise = template.noise[node]
        found = [noise.get(feature, 0.0) for feature in features.of(leaf)]
        if node in template.worded and (words := features.words(leaf)):
            found.append(sum(noise.get(word, 0.0) for word in words) / len(words))
        confidence[page.tree.node[leaf]] = max(found, default=0.0)
    return confidence


# Attributes that identify a control or an embedded object.
_KNOWN_BY = ("type", "name", "value", "placeholder", "src", "data")

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_HOST = re.compile(r"https?://[^/?#\s]+", re.I)
_ABSOLUTE = re.compile(r"/|https?://[^/?#\s]", re.I)
_WORD, _DIGITS = re.compile(r"[^\W\d_]+|\d+"), re.compile(r"\d+")


class LeafFeatures:
    """The features of the leaves of a page."""

    def __init__(self, page: TypedTree) -> None:
        self._typed, self._page, self._dom = page, page.page, page.page.dom
        self._node, self._kind = page.tree.node, page.tree.kind

    def of(self, leaf: int) -> list[Feature]:
        """Return its text, image source or, as an addition, identifying attributes, and its link."""
        node, kind, found = int(self._node[leaf]), self._kind[leaf], list[Feature]()
        if kind == TEXT_LEAF:
            found.append(("text", self._text(node)))
        elif kind == IMAGE:
            if source := self._attributes[node].get("src"):
                found.append(("image", _absolute(self._page, source)))
        else:
            attributes = self._attributes[node]
            values = (self._dom.tags[self._dom.tag[node]], *(attributes.get(name, "") for name in _KNOWN_BY))
            found.append(("other", " ".join(" ".join(values).split())[:MAX_FEATURE]))
        if link := self._links[leaf]:
            found.append(("link", link))
        return found

    def words(self, leaf: int) -> list[Feature]:
        """Return the words of a text, all numbers as one word; none of a heading and of the title."""
        node = int(self._node[leaf])
        if self._kind[leaf] != TEXT_LEAF or self._is_heading[leaf]:
            return []
        text = self._text(node).lower()
        if text in self._title:
            return []
        return [("word", word) for word in _WORD.findall(_DIGITS.sub("0", text))]

    def _text(self, node: int) -> str:
        start = self._dom.text_start
        return " ".join(self._dom.text[start[node] : start[node + 1]].split())[:MAX_FEATURE]

    @cached_property
    def _title(self) -> str:
        [title] = self._dom.first_texts("title")
        return " ".join(title.lower().split())

    @cached_property
    def _is_heading(self) -> Bool:
        """(k,) the nodes in a heading."""
        types, tree = self._typed.types, self._typed.tree
        heading = np.array([tag in _HEADINGS for tag, _ in types], np.uint8)[self._typed.type]
        found: Bool = innermost(tree.parent, heading) >= 0
        return found

    @cached_property
    def _attributes(self) -> dict[int, dict[str, str]]:
        """The attributes of the leaves that are no texts, by node."""
        nodes = self._node[(self._kind > 0) & (self._kind != TEXT_LEAF)].tolist()
        return dict(zip(nodes, self._dom.attributes_of(nodes), strict=True))

    @cached_property
    def _links(self) -> list[str | None]:
        """The target of the link around each node: ``#`` for a place on the page; None for the page."""
        tree, own = self._typed.tree, _absolute(self._page, "")
        anchors = [k for k, (tag, _) in enumerate(self._typed.types) if tag == "a"]
        nodes = np.flatnonzero(np.isin(self._typed.type, anchors))
        links: list[str | None] = [None] * len(tree.node)
        targets = self._dom.values_at("href", tree.node[nodes])
        for node, target in zip(nodes.tolist(), targets, strict=True):
            if target and target[0] == "#":
                link: str | None = "#" if len(target) > 1 else None
            else:
                link = _absolute(self._page, target) if target else None
                link = None if link and link.partition("#")[0] == own else link
            links[node : tree.end[node]] = [link] * int(tree.end[node] - node)
        return links


def _absolute(page: Page, address: str) -> str:
    """Return the absolute form of an address on a page, relative to its file if the page has no URL."""
    address, base = address.strip()[:MAX_FEATURE], page.url or f"file:///{page.id}"
    host = _HOST.match(base)
    return _join(host[0], address) if host and _ABSOLUTE.match(address) else _join(base, address)


@lru_cache(maxsize=2**14)  # menus repeat their addresses on all pages
def _join(base: str, address: str) -> str:
    try:
        return join_url(base, address)
    except ValueError:
        return address


# 2.2.1: match a page with the template and transfer the noise confidence to its leaves.


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A page matched with a template.

    Attributes:
        template: the template; labels: (n,) int32 its node for each node of the page's Dom, -1 for none.
        known: share of the page's visible nodes that have a template node; present: share of the template
            nodes of support `CORE` that the page has; 0..1 both.
        missing: the uppermost template nodes of support `CORE` that the page lacks.
        unknown: the uppermost visible nodes of the page that have no template node.
        exact: whether the page is in the language of the template.
        probability: that a page of the type of the template matches like this; 0 if it cannot be estimated.
    """

    template: Template
    labels: Int32
    known: float
    present: float
    missing: tuple[int, ...]
    unknown: tuple[int, ...]
    exact: bool
    probability: float

    @property
    def score(self) -> float:
        """How well page and template fit, 0..1: the harmonic mean of ``known`` and ``present``."""
        return harmonic_mean(self.known, self.present)

    @property
    def accepted(self) -> bool:
        """Whether the page is in the language of the template, up to what pages of one type differ."""
        return self.exact or self.probability >= ACCEPTED


def harmonic_mean(a: float, b: float) -> float:
    """Return the harmonic mean of two numbers, 0 if both are 0."""
    return 2.0 * a * b / (a + b) if a + b else 0.0


class Matcher:
    """A template, prepared for matching many pages.

    >>> page = typed_tree("<h1>One</h1><p>two<p>three")
    >>> matcher = Matcher(learn_structure([page])[0])
    >>> matcher.match(page).score
    1.0
    >>> other = matcher.match("<h1>One</h1><ul><li>two</ul>")
    >>> round(other.known, 2), round(other.present, 2), [matcher.template.name(k) for k in other.missing]
    (0.57, 0.67, ['p'])
    """

    def __init__(self, template: Template) -> None:
        self.template = template
        self._table = SymbolTable({symbol for own in template.symbols for symbol in own}, template.known)
        self._features = FitFeatures(template)
        tag = np.array([self._table.tag[own[0].tag] if own else -1 for own in template.symbols], np.int32)
        free = np.array([bool(own) and own[0].tag in FREE for own in template.symbols], np.uint8)
        some, usual = (np.ascontiguousarray(template.shape[:, k]) for k in range(2))
        self._arrays = tag, *self._names(), some, usual, free
        self._program = _program(template)
        self._lookup = self._sorted_lookup()

    def _names(self) -> tuple[UInt64, UInt64]:
        """Return the names that any and that most nodes of each TAG have, as bits (m, 4)."""
        some, most = (np.zeros((len(self.template), WORDS), np.uint64) for _ in range(2))
        for node, pages in enumerate(self.template.symbol_support):
            names = self.template.name_support(node)
            usual = USUAL * max(pages, default=0)
            some[node] = self._table.bits(names)
            most[node] = self._table.bits(name for name, n in names.items() if n >= usual)
        return some, most

    def _sorted_lookup(self) -> tuple[Int64, Int32]:
        """Return the node of each symbol below a TAG, also two levels below if the symbol has names."""
        found: dict[int, int] = {}
        owner, number = self.template.owner, self._table.number
        levels: tuple[list[tuple[int, Symbol, int]], ...] = [], []
        for node in range(1, len(self.template)):
            above = int(owner[node])
            for symbol in self.template.symbols[node]:
                levels[0].append((above, symbol, node))
                if symbol.names and owner[above] >= 0:
                    levels[1].append((int(owner[above]), symbol, node))
        for above, symbol, node in (*levels[0], *levels[1]):
            found.setdefault(above * len(number) + number[symbol], node)
        keys = sorted(found)
        return np.array(keys, np.int64), np.array([found[key] for key in keys], np.int32)

    def match(self, page: AnyPage) -> Match:
        """Return the match of a page; a page without a visible node has score 0."""
        page = typed_tree(page)
        found, template, tree = self.align(page), self.template, page.tree
        features = self._features.of(page, found)
        *_, missing = self._features.lost(found.at, template.support)
        known = len(found.at) and template.usual.shape[1] == len(features)
        return Match(
            template,
            tree.to_dom(found.at),
            float(features[0]),
            float(features[2]),
            tuple(np.flatnonzero(missing).tolist()),
            tuple(tree.node[unknown(tree, found.at)].tolist()),
            found.exact,
            float(trained().probability(inputs(features, template.usual)[None])[0]) if known else 0.0,
        )

    def align(self, page: TypedTree) -> Found:
        """Return the template node of each node of the visible tree, how it was found, and what it lacks."""
        rows, tree, kind = self._table.rows(page), page.tree, page.type
        tag, symbol = rows[:, :2].astype(np.int32).T
        bits = rows[:, 2:].view(np.uint64)
        names, shape = bits[:, :WORDS].take(kind, axis=0), tree_shapes(page, bits[:, WORDS:])
        nodes = tree.end, tag[kind], symbol[kind], names, shape
        return Found(*match_tree(nodes, self._arrays, self._program, self._lookup, len(self._table.number)))


def _program(template: Template) -> tuple[Int32, Int32, Int32]:
    """Return the contents of the TAGs as instructions of the kernel, with starts (m + 1,) and arguments."""
    rows, start = list[tuple[int, int]](), [0]

    def add(node: int) -> None:
        op = int(template.op[node])
        if op == TAG:
            rows.append((PLACE, node))
            return
        begin = len(rows) - start[-1]
        if op != SEQ:
            rows.append((_BEGIN[op], 0))
        for k, child in enumerate(template.children(node)):
            if k and op == ALT:
                rows.append((ALT_NEXT, 0))
            add(child)
        if op != SEQ:
            rows.append((_END[op], begin))

    for owner in range(len(template)):
        for child in template.children(owner) if template.op[owner] == TAG else ():
            add(child)
        start.append(len(rows))
    code, argument = np.array(rows, np.int32).reshape(-1, 2).T.copy()
    return np.array(start, np.int32), code, argument


_BEGIN = {OPT: OPT_BEGIN, STAR: STAR_BEGIN, ALT: ALT_BEGIN}
_END = {OPT: OPT_END, STAR: STAR_END, ALT: ALT_END}


@dataclass(kw_only=True, eq=False, repr=False)
class RegexTree(Estimator):
    """The template of a site, or of one of its page types, as in the paper.

    Attributes:
        least_match: score below which a page is left out when the template is learnt, 0..1 (ours).
        mark_support: share of the pages that must have an id or class for it to count, 0..1 (ours).
        node_support: share of the pages that must have a node for its features to be noise, 0..1.
        words: also compare short texts that a page has once word by word (ours).
        controls: also identify form controls and embedded objects, by their attributes (ours).
        self_links: also count a link to a place on the page as a feature (ours).
        least_pages: pages that must have a feature for it to be kept (ours).
        template_: what was learnt.
        rejected_: reasons by id of the pages that were left out.

    >>> from webgrain.page.parsing import parse
    >>> pages = [f"<b>My site</b><h1>{n}</h1><p>{n}" + "<p>More" * n for n in range(3)]
    >>> method = RegexTree().fit(pages)
    >>> print(method.template_)
    html[body[b[#text] h1[#text] (p[#text])*]]
    >>> page = parse("<b>My site</b><h1>New</h1><p>Text")
    >>> method.predict(page).score, method.accepts(page)
    (1.0, True)
    >>> noise = method.noise(page)
    >>> {page.dom.text_of(node): float(noise[node]) for node in np.flatnonzero(page.dom.is_text).tolist()}
    {'My site': 1.0, 'New': 0.0, 'Text': 0.0}
    """

    least_match: float = real(0.0, 0.0, 1.0)
    mark_support: float = real(0.2, 0.0, 1.0)
    node_support: float = real(0.2, 0.0, 1.0)
    words: bool = choice(False, (True, False))
    controls: bool = choice(False, (True, False))
    self_links: bool = choice(False, (True, False))
    least_pages: int = integer(1, low=1)
    template_: Template | None = field(default=None, init=False, repr=False)
    rejected_: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def fit(self, pages: Iterable[AnyPage]) -> Self:
        """Learn the template of pages; about 15 are enough.

        `ParameterError` without a page, and if no page has anything in common with the others.
        """
        check_pages(pages)
        kept = [typed_tree(page) for page in pages]
        if not kept:
            raise ParameterError("RegexTree: expected pages to learn a template from, got none.")
        self.rejected_ = {page.page.id: "It has no visible node." for page in kept if not len(page)}
        kept = [page for page in kept if len(page)]
        while kept:
            template, places = learn_structure(kept, self.mark_support)
            rows = FitFeatures(template).left_out(kept, places).tolist()
            scores = [harmonic_mean(row[0], row[2]) for row in rows]
            if min(scores) >= self.least_match:
                break
            self.rejected_ |= {
                page.page.id: f"It fits the other pages by {score:.2f} only, less than {self.least_match:g}."
                for page, score in zip(kept, scores, strict=True)
                if score < self.least_match
            }
            kept = [page for page, score in zip(kept, scores, strict=True) if score >= self.least_match]
        else:
            raise ParameterError("RegexTree: expected pages that have something in common, got none.")
        lists = [Use("list", css) for css in template.item_selectors()]
        template = replace(
            template,
            noise=learn_noise(template, kept, places, self),
            statistics=learn_statistics(template, kept, places),
            profile=Profile.learn([page.page for page in kept], lists),
        )
        self._set(replace(template, usual=usual(FitFeatures(template).left_out(kept, places))))
        return self

    def predict(self, page: AnyPage) -> Match:
        """Return the match of a page; `ParameterError` before `fit`."""
        return self._fitted().match(page)

    def accepts(self, page: AnyPage) -> bool:
        """Return whether a page fits the template: see `Match.accepted`; `ParameterError` before `fit`."""
        return self.predict(page).accepted

    def noise(self, page: AnyPage) -> Float64:
        """Return the noise confidence (n,) of the leaves of a page, 0 at other nodes of its Dom."""
        matcher, typed = self._fitted(), typed_tree(page)
        return transfer_noise(matcher.template, typed, matcher.align(typed).at)

    def _set(self, template: Template) -> None:
        self.template_ = template
        self._prepared = Matcher(template)

    def _fitted(self) -> Matcher:
        if self.template_ is None:
            raise ParameterError("RegexTree: expected fit to have been called before.")
        return self._prepared

    def _state(self) -> dict[str, Any]:
        self._fitted()
        return {"template": template_to_dict(self.template_)} if self.template_ else {}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._set(template_from_dict(state["template"]))


@dataclass(kw_only=True, eq=False, repr=False)
class SiteTemplate(RegexTree):
    """The template of a page type, without pages that do not belong to it, and with features of ours.

    Site models use it. The parameters are those of `RegexTree` with other defaults.

    >>> pages = [f"<h1>{n}</h1><i>Posted by Kim on {k} May</i>" for k, n in enumerate("abc")]
    >>> page = "<h1>d</h1><i>Posted by Kim on 9 May</i>"
    >>> [float(method.fit(pages).noise(page).max()) for method in (RegexTree(), SiteTemplate())]
    [0.0, 1.0]
    """

    least_match: float = real(0.5, 0.0, 1.0)
    words: bool = choice(True, (True, False))
    controls: bool = choice(True, (True, False))
    self_links: bool = choice(True, (True, False))
    least_pages: int = integer(2, low=1)
