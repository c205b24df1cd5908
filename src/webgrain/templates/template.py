"""Template: a regular expression over trees, as arrays, and in files.

A node of a template is a TAG, which stands for an element or a leaf of a page, or an operator over its
children: SEQ, one after the other; STAR, repeated or missing; OPT, optional; ALT, one of them. The children
of a TAG are the parts of its content, in order.

    (A)*B(C)?D(E|F)    a STAR of A, then B, an OPT of C, then D, and an ALT of E and F

An element of a page is identified by its symbol: its tag and those of its names (id and classes) that the
template knows, and by what is below it. A page is matched from the top down: the children of each node are
aligned with the content of its TAG.

A template file is JSON, one template node after the other. A node is below the nearest one before it that is
less deep; ``css`` is for the reader and is ignored:

    {"format": "webgrain template", "version": 2, "pages": 15, "usual": [[], []],
     "marks": ["#main"], "nodes": [
     {"depth": 0, "op": "tag", "symbols": [[15, "html"]], "css": "html", "pages": 15},
     {"depth": 1, "op": "star", "pages": 15, "list": true}, ...]}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import escape
from itertools import compress
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int8, Int32, Int64, UInt64
from webgrain.base.modelfile import intact, read_model, write_model
from webgrain.base.properties import cached_property
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import cached_on_page
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page, of_last_page
from webgrain.page.paths import places, plain_name
from webgrain.page.strings import name_set
from webgrain.page.thresholds import LONGEST_KEY
from webgrain.templates.choices import Choices, choice_records, choices_of
from webgrain.templates.crx import ALT, OPS, OPT, SEQ, STAR, TAG
from webgrain.templates.matchkernel import SHAPE_WORDS, shapes
from webgrain.templates.profile import Profile
from webgrain.templates.thresholds import MAX_LISTS, MAX_NAMES, MAX_OUTLINE, MAX_OUTLINE_NAME, MAX_ROWS

# The id of an element, as ``#name``, and its classes.
MarkNames = frozenset[str]

# Columns of `Template.statistics`.
STATISTICS = ("characters", "linked", "variation", "repetition", "items")

# A feature of a leaf: ``text``, ``link``, ``image``, ``word`` or ``other``, and its value.
ContentFeature = tuple[str, str]

# Elements that may contain anything, so that what is below them does not identify them.
FREE = name_set(
    "html body main p h1 h2 h3 h4 h5 h6 pre blockquote dt b i em strong u s small sub sup label time code "
    "cite q abbr kbd samp var mark tt big br hr wbr"
)
# Elements that are items of a list by their tags.
ITEM_TAGS = name_set("li dd tr td th option article tbody")


class Symbol(NamedTuple):
    """A tag and some names, sorted.

    >>> print(Symbol("div", ("#main", "wide")))
    div#main.wide
    """

    tag: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.tag + "".join(name if name[0] == "#" else f".{name}" for name in self.names)

    def without_numbers(self) -> Symbol:
        """Return the symbol without the names in which 0 stands for numbers."""
        return Symbol(self.tag, tuple(name for name in self.names if "0" not in name))


PART_ROLES = ("content", "items", "table", "label", "navigation", "frame")
"""What a part of a template can be, see `webgrain.templates.markedparts`."""


class MarkedPart(NamedTuple):
    """A part of a template with what it is on its pages, see `webgrain.templates.markedparts`.

    Attributes:
        node: its uppermost TAG.
        role: one of `PART_ROLES`.
        texts: of some pages, shortened.
    """

    node: int
    role: str
    texts: tuple[str, ...] = ()


class NodeTypes(NamedTuple):
    """The element types of the k nodes of the visible tree of a page.

    Many names belong to one page only (``post-4711``), so digits are replaced by 0, and a template knows the
    names that enough of its pages share.

    Attributes:
        of: (k,) int32 into ``types``, the distinct pairs of a tag and names.
        short: whether all names are short enough to be keys of a bounded cache.
    """

    of: Int32
    types: tuple[tuple[str, MarkNames], ...]
    short: bool

    def where(self, test: Callable[[str], bool]) -> Bool:
        """(k,) True at the nodes whose tags pass a test."""
        return np.array([test(tag) for tag, _ in self.types], bool)[self.of]


@cached_on_page
def node_types(page: Page) -> NodeTypes:
    """Return the element types of the visible nodes of a page.

    >>> from webgrain.page.parsing import parse
    >>> types = node_types(parse("<p id=p7 class='b a'>One<p>Two"))
    >>> [(tag, sorted(names)) for tag, names in types.types]
    [('html', []), ('body', []), ('p', ['#p0', 'a', 'b']), ('#text', []), ('p', [])]
    >>> types.of.tolist()
    [0, 1, 2, 3, 4, 3]
    """
    dom = page.dom
    of_page = places(dom)
    type_ = of_page.type[visible_tree(page).node]
    visible = np.bincount(type_, minlength=len(of_page.tag)) > 0
    rank = (np.cumsum(visible) - 1).astype(np.int32)
    tags = [dom.tags[number] for number in of_page.tag[visible].tolist()]
    ids = list(compress(of_page.ids, visible))
    classes = list(compress(of_page.classes, visible))
    short = max(map(len, filter(None, ids + classes)), default=0) <= LONGEST_KEY
    names = map(_names if short else _names.__wrapped__, ids, classes)
    of = rank[type_]
    of.setflags(write=False)
    return NodeTypes(of, tuple(zip(tags, names, strict=True)), short)


class SymbolTable:
    """Numbers of some symbols, their tags and known names; the rows of element types, kept for many pages.

    A row has the numbers of its tag and symbol, -1 if they are not in the table, the bits of its known names,
    and its `shape_row`.
    """

    def __init__(self, symbols: Iterable[Symbol], known: Iterable[str]) -> None:
        self.number = {symbol: k for k, symbol in enumerate(sorted(symbols))}
        self.tag = {tag: k for k, tag in enumerate(sorted({symbol.tag for symbol in self.number}))}
        self._bit = {name: k % (64 * SHAPE_WORDS) for k, name in enumerate(sorted(known))}
        self._rows: dict[tuple[str, MarkNames], bytes] = {}

    def bits(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the bits of some known names, as words."""
        bits = 0
        for name in names:
            bits |= 1 << self._bit[name]
        return _as_words(bits)

    def rows(self, page: Page) -> Int64:
        """Return the rows (t, 3 + 3 * WORDS) of the `node_types` of a page: tag, symbol, names, shape."""
        return _rows_of(page, self)

    def _new_rows(self, types: NodeTypes) -> Int64:
        known = map(self._rows.get, types.types)
        rows = [row or self._add(type_, types.short) for row, type_ in zip(known, types.types, strict=True)]
        return np.frombuffer(b"".join(rows), np.int64).reshape(-1, 3 + 3 * SHAPE_WORDS)

    def symbols(self, page: Page) -> Int64:
        """Return the symbol (k,) of each node of a page, -1 if it is not in the table."""
        symbols: Int64 = np.ascontiguousarray(self.rows(page)[:, 1])[node_types(page).of]
        return symbols

    def _add(self, type_: tuple[str, MarkNames], keep: bool) -> bytes:
        symbol = known_symbol(*type_, self._bit)
        numbers = self.tag.get(symbol.tag, -1), self.number.get(symbol, -1)
        row = _ROW.pack(*numbers, *self.bits(symbol.names), *shape_row(symbol))
        if keep:
            if len(self._rows) >= MAX_ROWS:
                self._rows.clear()
            self._rows[type_] = row
        return row


@of_last_page
def _rows_of(page: Page, table: SymbolTable) -> Int64:
    """Return the rows of the types of a page; a page may have more types than a table keeps rows."""
    return table._new_rows(node_types(page))


_ROW = Struct(f"=2q{SHAPE_WORDS}Q{1 + 2 * SHAPE_WORDS}Q")


def known_symbol(tag: str, names: MarkNames, known: Container[str]) -> Symbol:
    """Return the symbol of an element with those of its names that are known."""
    return Symbol(tag, tuple(sorted(filter(known.__contains__, names))))


def tree_shapes(page: Page, rows: UInt64) -> UInt64:
    """Return the shapes (k, 4) of the subtrees of a page, by the `shape_row` of each of its `node_types`."""
    result: UInt64 = shapes(visible_tree(page).parent, node_types(page).of, rows)
    return result


@lru_cache(maxsize=4096)  # the pages of a site share them
def shape_row(symbol: Symbol) -> tuple[int, ...]:
    """Return the code of the tag of a symbol, and its bits one and two levels above, as words."""
    row = [crc32(symbol.tag.encode()) & 0xFFFF]
    for level, names in (("1", (symbol.tag, *symbol.names)), ("2", symbol.names)):
        bits = 0
        for name in names:
            bits |= 1 << crc32(f"{level}{name}".encode()) % (64 * SHAPE_WORDS)
        row.extend(_as_words(bits))
    return tuple(row)


def _as_words(bits: int) -> tuple[int, ...]:
    return _WORDS.unpack(bits.to_bytes(_WORDS.size, "little"))


_WORDS = Struct(f"<{SHAPE_WORDS}Q")


@lru_cache(maxsize=4096)  # the pages of a site share them
def _names(id_: str | None, classes: str | None) -> MarkNames:
    marks = [f"#{''.join(id_.split())}"] if id_ and not id_.isspace() else []
    return frozenset(map(plain_name, (marks + (classes or "").split())[:MAX_NAMES]))


@dataclass(frozen=True, eq=False)
class Template(ReadOnly):
    """A regular expression over trees; ``m`` nodes in document order, a node before those below it.

    Attributes:
        op: (m,) int8 into `OPS`; parent: (m,) int32, -1 at the root; end: (m,) int32, one past the subtree.
        symbols: (m,) the symbols that a TAG stands for, its name first; empty for an operator.
        symbol_support: (m,) int, the pages that have each of them.
        shape: (m, 2, 4) uint64, the bits of the shapes (`webgrain.templates.matchkernel`) that any and that
            most nodes of a TAG have.
        page_support: (m,) int32, the pages that have the node.
        is_list: (m,) bool, at a STAR of which some page repeats an item; else only the order differs.
        n_pages: the pages that it was learnt from; known: the names that distinguish elements.
        noise: by leaf TAG, the noise confidence of features, 0..1.
        usual: (2, f), mean and worst features of its pages (`webgrain.templates.acceptance`), or (2, 0).
        statistics: (m, 5), columns `STATISTICS`: mean characters of the text, their share in links, different
            texts (0 all equal, 1 all different), share of the pages with the most frequent text, and median
            number of nodes below one parent.
        choices: counts of what its pages choose at the operators, for `webgrain.templates.likelihood`.
        profile: the paths of the pages that it was learnt from, for `webgrain.templates.drift`.
        marked: its parts with what they are on its pages, in document order; they do not overlap. Empty for
            `RegexTree`, and for templates of earlier versions.
    """

    op: Int8
    parent: Int32
    end: Int32
    symbols: tuple[tuple[Symbol, ...], ...]
    symbol_support: tuple[tuple[int, ...], ...]
    shape: UInt64
    page_support: Int32
    is_list: Bool
    n_pages: int
    known: frozenset[str]
    noise: Mapping[int, Mapping[ContentFeature, float]]
    usual: Float64 = field(default_factory=lambda: np.zeros((2, 0)))
    profile: Profile = field(default_factory=Profile)
    statistics: Float64 = field(default_factory=lambda: np.zeros((0, len(STATISTICS))))
    choices: Choices = field(default_factory=Choices)
    marked: tuple[MarkedPart, ...] = ()

    def __repr__(self) -> str:
        return f"<Template: {len(self)} nodes>"

    def _repr_html_(self) -> str:
        """Return the outline of the template, with its marked parts, for notebooks."""
        return f"<pre>{escape(template_outline(self))}</pre>"

    def __len__(self) -> int:
        return len(self.op)

    def __str__(self) -> str:
        """Return the template in the notation of the paper, the content of an element in brackets."""
        out: list[str] = []
        work: list[int | str] = [0] if len(self) else []
        while work:  # without recursion: pages may be deep
            node = work.pop()
            if isinstance(node, str):
                out.append(node)
                continue
            inside = list(self.children(node))
            before, between, after = self._signs(node, bool(inside))
            out.append(before)
            work.append(after)
            for child in reversed(inside):
                work += [child, between]
            if inside:
                work.pop()
        return "".join(out)

    def _signs(self, node: int, has_children: bool) -> tuple[str, str, str]:
        op = int(self.op[node])
        if op == TAG:
            name = self.name(node)
            return (f"{name}[", " ", "]") if has_children else (name, "", "")
        if op == ALT and self.op[self.parent[node]] != TAG:  # in the brackets of a STAR or OPT
            return "", "|", ""
        return {SEQ: ("", " ", ""), STAR: ("(", "", ")*"), OPT: ("(", "", ")?"), ALT: ("(", "|", ")")}[op]

    @property
    def support(self) -> Float64:
        """(m,) node support: the share of the pages that have the node."""
        share: Float64 = self.page_support / max(self.n_pages, 1)
        return share

    def statistic(self, name: str) -> Float64:
        """Return a column (m,) of the statistics, by a name in `STATISTICS`; empty if nothing was learnt."""
        column: Float64 = self.statistics[:, STATISTICS.index(name)]
        return column

    def name_support(self, node: int) -> dict[str, int]:
        """Return the names of a TAG with the pages that have each."""
        count: dict[str, int] = {}
        for symbol, pages in zip(self.symbols[node], self.symbol_support[node], strict=True):
            for name in symbol.names:
                count[name] = count.get(name, 0) + pages
        return count

    @cached_property
    def owner(self) -> Int32:
        """(m,) the nearest TAG above each node, -1 at the root."""
        owner = self.parent.copy()
        while True:  # once for each operator within operators
            between = np.flatnonzero((owner >= 0) & (self.op[owner] != TAG))
            if not len(between):
                return owner
            owner[between] = self.parent[owner[between]]

    @cached_property
    def part(self) -> Int32:
        """(m,) the part of the content of a TAG that each node is in; a part is in itself, the root in 0."""
        part = np.arange(len(self), dtype=np.int32)
        while True:  # once for each operator within operators
            above = self.parent[part]
            inside = np.flatnonzero((above >= 0) & (self.op[above] != TAG))
            if not len(inside):
                return part
            part[inside] = above[inside]

    @cached_property
    def symbol_table(self) -> SymbolTable:
        """The numbers of its symbols."""
        return SymbolTable({symbol for of_node in self.symbols for symbol in of_node}, self.known)

    @cached_property
    def list_of(self) -> Int32:
        """(m,) the outermost list (STAR) in its parent's content that a TAG is an item of; -1 for none."""
        star = np.full(len(self), -1, np.int32)
        for node in np.flatnonzero((self.op == STAR) & self.is_list).tolist():
            star[[tag for tag in self.tags(node) if star[tag] < 0]] = node
        return star

    def item_selectors(self) -> list[str]:
        """Return CSS selectors of the items of the uppermost lists, except those with numbered names."""
        inside = np.zeros(len(self), bool)
        selectors: list[str] = []
        for star in np.flatnonzero((self.op == STAR) & self.is_list).tolist():
            if not inside[star]:
                inside[star : self.end[star]] = True
                selectors += [
                    self.css(tag)
                    for tag in self.tags(star)
                    if all(symbol == symbol.without_numbers() for symbol in self._path(tag))
                ]
        return list(dict.fromkeys(selectors))[:MAX_LISTS]

    @cached_property
    def worded(self) -> frozenset[int]:
        """The leaf TAGs whose texts are compared word by word: a word is among their features."""
        return frozenset(
            node for node, noise in self.noise.items() if any(form == "word" for form, _ in noise)
        )

    def children(self, node: int) -> Iterator[int]:
        """Yield the children of a node in order."""
        return children(self.end, node)

    def name(self, node: int) -> str:
        """Return the first symbol of a TAG, or the name of an operator."""
        return str(self.symbols[node][0]) if self.op[node] == TAG else OPS[self.op[node]]

    def tags(self, node: int) -> list[int]:
        """Return the TAGs that a part of an element's content consists of, without what is below them."""
        tags = []
        work = [node]
        while work:
            node = work.pop()
            if self.op[node] == TAG:
                tags.append(node)
            else:
                work.extend(reversed(list(self.children(node))))
        return tags

    def css(self, node: int) -> str:
        """Return the CSS selector of a TAG, from the root down; of a text, that of the element around it.

        Ids and classes with numbers are left out: a template has 0 in their place.

        >>> from webgrain.templates.sitetemplate import SiteTemplate
        >>> template = SiteTemplate().fit(["<div id=main><p class='a b p-7'>One"]).template_
        >>> template.css(len(template) - 1)
        'html > body > div#main > p.a.b'
        """
        return " > ".join(map(str, map(Symbol.without_numbers, self._path(node))))

    def _path(self, node: int) -> list[Symbol]:
        """Return the first symbols of a TAG and of the TAGs around it, from the root down."""
        symbols = []
        while node >= 0:
            if self.symbols[node] and self.symbols[node][0].tag != "#text":
                symbols.append(self.symbols[node][0])
            node = int(self.owner[node])
        return symbols[::-1]


def children(end: Int32, node: int) -> Iterator[int]:
    """Yield the children of a node in order; end (m,): one past the subtree of each node.

    >>> list(children(np.array([4, 3, 3, 4], np.int32), 0))
    [1, 3]
    """
    child = node + 1
    while child < end[node]:
        yield child
        child = int(end[child])


def subtree_ends(parent: Sequence[int]) -> list[int]:
    """Return one past the subtree of each node (m,) from the parents, which precede their children.

    >>> subtree_ends([-1, 0, 1, 0])
    [4, 3, 3, 4]
    """
    end = list(range(1, len(parent) + 1))
    for node in range(len(parent) - 1, 0, -1):
        end[parent[node]] = max(end[parent[node]], end[node])
    return end


FORMAT, VERSION = "webgrain template", 2
_FEATURES = ("text", "image", "link", "other", "word")


def write_template(path: Path, template: Template) -> None:
    """Write a template to a file.

    >>> import tempfile
    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> template = SiteTemplate().fit(["<h1>One</h1><p>a<p>b"]).template_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_template(Path(folder) / "template.json", template)
    ...     print(read_template(Path(folder) / "template.json"))
    html[body[h1[#text] (p[#text])*]]
    """
    write_model(path, FORMAT, VERSION, template_to_dict(template))


def read_template(path: Path) -> Template:
    """Return the template in a file; `InputError` if it cannot be read or contains none."""
    record, _ = read_model(path, FORMAT, VERSION)
    with intact(path, "template"):
        return template_from_dict(record)


def template_to_dict(template: Template) -> dict[str, Any]:
    """Return a template as plain values for `template_from_dict`."""
    depth = [0] * len(template)
    css = _selectors(template)
    choices = choice_records(template.choices, template.part, np.flatnonzero(template.op == TAG).tolist())
    marked = {part.node: part for part in template.marked}
    nodes = []
    for node in range(len(template)):
        above = int(template.parent[node])
        depth[node] = depth[above] + 1 if above >= 0 else 0
        record: dict[str, Any] = {"depth": depth[node], "op": OPS[template.op[node]]}
        record["pages"] = int(template.page_support[node])
        if len(template.statistics):
            record["statistics"] = template.statistics[node].round(4).tolist()
        if template.op[node] == STAR:
            record["list"] = bool(template.is_list[node])
        if template.op[node] == TAG:
            record["symbols"] = [
                [pages, symbol.tag, *symbol.names]
                for symbol, pages in zip(template.symbols[node], template.symbol_support[node], strict=True)
            ]
            record["css"] = css[node]
            record["shape"] = [_hex(words) for words in template.shape[node]]
        if node in template.noise:
            record["noise"] = [[*feature, round(x, 4)] for feature, x in template.noise[node].items()]
        if node in marked:
            record["role"], record["texts"] = marked[node].role, list(marked[node].texts)
        nodes.append(record | choices[node])
    head = {"pages": template.n_pages, "usual": template.usual.tolist(), "marks": sorted(template.known)}
    return head | {"nodes": nodes, "profile": template.profile.to_dict()}


def _selectors(template: Template) -> list[str]:
    """Return `Template.css` of each node (m,)."""
    firsts = [symbols[0] for symbols in template.symbols if symbols]
    names = {symbol: str(symbol.without_numbers()) for symbol in dict.fromkeys(firsts)}
    selectors: list[str] = []
    for symbols, above in zip(template.symbols, template.owner.tolist(), strict=True):
        around = selectors[above] if above >= 0 else ""
        is_element = bool(symbols) and symbols[0].tag != "#text"
        step = names[symbols[0]] if is_element else ""
        selectors.append(f"{around} > {step}" if around and step else around or step)
    return selectors


def template_from_dict(record: Mapping[str, Any]) -> Template:
    """Return the template of a record; raises one of `DAMAGED` if it is not one."""
    nodes: Sequence[dict[str, Any]] = record["nodes"]
    op = [OPS.index(node["op"]) for node in nodes]
    parent = _parents([_integer(node["depth"]) for node in nodes])
    symbols = tuple(tuple(_symbol(row[1:]) for row in node.get("symbols", ())) for node in nodes)
    known = frozenset(_text(name) for name in record["marks"])
    _check(op, parent, symbols, known)
    usual = np.array(record["usual"], np.float64)
    if usual.shape[:1] != (2,) or usual.ndim != 2:
        raise ValueError("usual must be two rows of numbers")
    rows = [node["statistics"] for node in nodes if "statistics" in node]
    statistics = np.array(rows, np.float64).reshape(-1, len(STATISTICS))
    if len(statistics) not in (0, len(nodes)):
        raise ValueError("some nodes have statistics and others lack them")
    template = Template(
        op=np.array(op, np.int8),
        parent=np.array(parent, np.int32),
        end=np.array(subtree_ends(parent), np.int32),
        symbols=symbols,
        symbol_support=tuple(tuple(_integer(row[0]) for row in node.get("symbols", ())) for node in nodes),
        shape=np.array([[*map(_words, node.get("shape", ("0", "0")))] for node in nodes], np.uint64),
        page_support=np.array([_integer(node["pages"]) for node in nodes], np.int32),
        is_list=np.array([node.get("list") is True for node in nodes]),
        n_pages=_integer(record["pages"]),
        known=known,
        noise={k: _noise(node["noise"]) for k, node in enumerate(nodes) if "noise" in node},
        usual=usual,
        profile=Profile.from_dict(record["profile"]),
        statistics=statistics,
        marked=tuple(_marked(k, node) for k, node in enumerate(nodes) if "role" in node),
    )
    tags = [node for node, operator in enumerate(op) if operator == TAG]
    return replace(template, choices=choices_of(nodes, template.part, tags))


def _parents(depth: Sequence[int]) -> list[int]:
    """Return the parents of nodes from their depths."""
    parent: list[int] = []
    path: list[int] = []
    for node, level in enumerate(depth):
        if level > len(path) or (level == 0) != (node == 0):
            raise ValueError(f"node {node} has depth {level}, which does not follow the one before")
        del path[level:]
        parent.append(path[-1] if path else -1)
        path.append(node)
    return parent


def _check(
    op: Sequence[int], parent: Sequence[int], symbols: Sequence[tuple[Symbol, ...]], known: frozenset[str]
) -> None:
    """Raise `ValueError` if these are not the nodes of a template."""
    if not op or op[0] != TAG:
        raise ValueError("the first node is no tag")
    parents = set(parent)
    for node, (operator, of_node) in enumerate(zip(op, symbols, strict=True)):
        if (operator == TAG) != bool(of_node):
            raise ValueError(f"node {node} is a tag without symbols, or an operator with some")
        if operator != TAG and node not in parents:
            raise ValueError(f"node {node} is an operator without children")
    if not known.issuperset(name for of_node in symbols for symbol in of_node for name in symbol.names):
        raise ValueError("a node has a mark that is not among the marks")


def _hex(words: UInt64) -> str:
    return words.astype(">u8").tobytes().hex().lstrip("0") or "0"


def _words(value: str) -> list[int]:
    number = int(value, 16)
    if not 0 <= number < 1 << 64 * SHAPE_WORDS:
        raise ValueError(f"a shape has {64 * SHAPE_WORDS} bits")
    return [number >> 64 * k & (1 << 64) - 1 for k in reversed(range(SHAPE_WORDS))]


def _symbol(record: Any) -> Symbol:
    tag, *names = map(_text, record)
    return Symbol(tag, tuple(names))


def _noise(record: Any) -> dict[ContentFeature, float]:
    noise = {(_text(form), _text(value)): float(share) for form, value, share in record}
    if any(form not in _FEATURES for form, _ in noise) or not all(0 <= x <= 1 for x in noise.values()):
        raise ValueError(f"noise must be of {', '.join(_FEATURES)} and in 0..1")
    return noise


def _marked(node: int, record: Mapping[str, Any]) -> MarkedPart:
    if record["role"] not in PART_ROLES:
        raise ValueError(f"a role must be one of {', '.join(PART_ROLES)}")
    return MarkedPart(node, record["role"], tuple(map(_text, record["texts"])))


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"expected a text, got {value!r}")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise TypeError(f"expected a whole number of at least 0, got {value!r}")
    return value


class PartRow(NamedTuple):
    """A row of the outline of a template.

    Attributes:
        depth: number of rows around it.
        name: of the element; of several siblings with one role, their names.
        css: selector of the first of them.
        signs: ``*`` for repeated, ``?`` for optional.
        share: of the pages that have it, 0..1.
        role, texts: see `MarkedPart`; empty for an element that contains other rows.
    """

    depth: int
    name: str
    css: str
    signs: str
    share: float
    role: str = ""
    texts: tuple[str, ...] = ()


def outline_rows(template: Template) -> list[PartRow]:
    """Return the marked parts of a template, and the elements around several of them.

    Elements without ids and classes that follow each other and have the same role are one row.

    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> html = "<div id=top><b>My site</b></div><main><h1>{0}</h1><p>On {0}<h2>More {0}</h2><p>{0} too</main>"
    >>> template = SiteTemplate().fit([html.format(name) for name in ("tea", "salt", "rye")]).template_
    >>> for row in outline_rows(template):
    ...     print(row.depth, row.name, row.role, row.texts[:1])
    0 body  ()
    1 div#top frame ('My site',)
    1 main content ('tea On tea More tea tea too',)
    """
    marked = {part.node: part for part in template.marked}
    rows_in = Counter(above for node in marked for above in _owners(template, node))
    branches = Counter(int(template.owner[node]) for node in (*marked, *rows_in))
    rows: list[PartRow] = []
    before: tuple[int, MarkedPart] | None = None
    depth: dict[int, int] = {-1: 0}
    for node in sorted((*marked, *rows_in)):
        part = marked.get(node)
        around = int(template.owner[node])
        depth[node] = depth[around] + (part is None and branches[node] > 1)
        if part is None and branches[node] <= 1:
            continue
        if part and before and before[0] == around and _are_one_row(template, before[1], part):
            name = short_name(template, node)
            if name not in rows[-1].name.split(", "):
                rows[-1] = rows[-1]._replace(name=f"{rows[-1].name}, {name}")
            continue
        before = (around, part) if part else None
        shown = _named(template, node, branches)
        of_part = part[1:] if part else ()
        place = template.css(node), _signs(template, shown), float(template.support[node])
        rows.append(PartRow(depth[around], short_name(template, shown), *place, *of_part))
    return rows


def _named(template: Template, node: int, branches: Mapping[int, int]) -> int:
    """Return a TAG, or the nearest one around it that has names and contains no other row.

    branches: the number of rows below each TAG that contains rows.
    """
    named = around = node
    while not template.symbols[named][0].names:
        around = int(template.owner[around])
        if around <= 0 or branches[around] > 1:
            return named
        if template.symbols[around][0].names or template.symbols[named][0].tag == "#text":
            named = around
    return named


def _owners(template: Template, node: int) -> Iterator[int]:
    """Yield the TAGs around a TAG, from the inside."""
    node = int(template.owner[node])
    while node >= 0:
        yield node
        node = int(template.owner[node])


def _are_one_row(template: Template, part: MarkedPart, following: MarkedPart) -> bool:
    """Return whether two siblings are parts of one text."""
    first, second = (template.symbols[each.node][0] for each in (part, following))
    is_plain = not first.names and not second.names and "h1" not in (first.tag, second.tag)
    return is_plain and part.role == following.role == "content"


def short_name(template: Template, node: int) -> str:
    """Return the tag of a TAG with its id, or else with at most two classes, those without numbers.

    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> template = SiteTemplate().fit(["<p class='a b c'>One"]).template_
    >>> short_name(template, 2), short_name(template, 3)
    ('p.a.b', 'text')
    """
    tag, names = template.symbols[node][0].without_numbers()
    if tag == "#text":
        return "text"
    ids = [name for name in names if name[0] == "#"]
    return f"{tag}{ids[0]}" if ids else ".".join([tag, *names[:2]])


def _signs(template: Template, node: int) -> str:
    """Return ``*`` if a TAG is repeated, ``?`` if it is optional."""
    above = int(template.parent[node])
    operators = set()
    while above >= 0 and template.op[above] != TAG:
        operators.add(int(template.op[above]))
        above = int(template.parent[above])
    return "*" * (STAR in operators) + "?" * (OPT in operators)


def template_outline(template: Template, lines: int = MAX_OUTLINE) -> str:
    """Return a template as an indented text: the parts with their roles and texts, see `outline_rows`.

    ``*`` follows a repeated element, ``?`` an optional one; a share follows what not all pages have. A
    template without marked parts has a line for each element, without texts, and without the deepest elements
    if there are more than ``lines``.

    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> pages = [f"<h1>Tea {n}</h1><ul>" + f"<li><a href=/{n}>More {n}</a>" * n + "</ul>" for n in (2, 3, 4)]
    >>> print(template_outline(SiteTemplate().fit(pages).template_))
    body
      h1    content     Tea 2 | Tea 3
      li *  items       More 2 · More 2 | More 3 · More 3 · More 3
    """
    rows = outline_rows(template)[:lines]
    if not rows:
        return _element_outline(template, lines)
    names = [_indented(row.depth, row.name, row.signs) for row in rows]
    width = min(max(map(len, names)), MAX_OUTLINE_NAME)
    text = []
    for row, name in zip(rows, names, strict=True):
        shown = name if len(name) <= width else f"{name[: width - 1]}…"
        share = f" ({row.share:.0%})" if row.share < 1 else ""
        text.append(f"{shown:{width}}  {row.role:10}  {' | '.join(row.texts)}{share}".rstrip())
    return "\n".join(text)


def _element_outline(template: Template, lines: int) -> str:
    """Return a line for each element of a template."""
    elements = [
        node
        for node in range(len(template))
        if template.op[node] == TAG and template.symbols[node][0].tag != "#text"
    ]
    depth = np.zeros(len(template), np.int64)
    for node in elements[1:]:
        depth[node] = depth[template.owner[node]] + 1
    deepest = int(np.searchsorted(np.cumsum(np.bincount(depth[elements])), lines, side="right"))
    text = []
    for node in elements:
        if depth[node] < max(deepest, 1):
            share = template.support[node]
            line = _indented(int(depth[node]), template.name(node), _signs(template, node))
            text.append(f"{line} {share:.0%}" if share < 1 else line)
    return "\n".join(text)


def _indented(depth: int, name: str, signs: str) -> str:
    return f"{'  ' * depth}{name}{' ' if signs else ''}{signs}"
