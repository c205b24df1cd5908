"""The nodes of a page as a template knows them: the visible ones, each by its tag and its marks.

The marks of a node are its id and its classes. Many belong to one page only (``post-4711``,
``id="introduction"``) and would keep apart what is alike: digits are taken as 0, and a template keeps the
marks that enough of its pages have.

Template: a regular expression over trees, as arrays.

A node of a template is a TAG, which stands for an element or a leaf of a page, or an operator over its
children: SEQ, one after the other; STAR, repeated, or missing; OPT, or missing; ALT, one of them. The
children of a TAG are the parts of what the element holds, in order.

    (A)*B(C)?D(E|F)    a STAR of A, then B, an OPT of C, then D, and an ALT of E and F

What an element of the page may be is decided by its symbol. Within one TAG a symbol means one child TAG, so a
page is matched from the top down without search.

Templates as files: JSON, one node of the template after the other, to read, to compare and to edit.

{"format": "webgrain template", "version": 1, "pages": 15, "floor": [0.8, 0.9],
 "marks": ["#main"], "nodes": [
 {"depth": 0, "op": "tag", "symbols": [["html"]], "css": "html", "pages": 15},
 {"depth": 1, "op": "star", "pages": 15, "list": true}, ...]}

A node is below the nearest one before it that is less deep. ``css`` is for the reader: it is written, and not
read.

A template as an indented text, a line for each element.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from webgrain.arrays import Bool, Float64, Int8, Int32, Int64, UInt64
from webgrain.errors import InputError
from webgrain.modelfile import DAMAGED, read_model, write_model
from webgrain.page.dom import Dom, freeze
from webgrain.page.kernels.treepass import shapes
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import ElementTypes, element_types
from webgrain.templates.crx import Factor

Marks = frozenset[str]


_DIGITS = re.compile(r"[0-9]+")

MOST_MARKS = 64
"""Marks of one node that count; a hostile page may have any number."""


class Symbol(NamedTuple):
    """What a node is known by: its tag and some of its marks, sorted; an id is ``#name``.

    >>> print(Symbol("div", ("#main", "wide")))
    div#main.wide
    """

    tag: str
    marks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.tag + "".join(mark if mark[0] == "#" else f".{mark}" for mark in self.marks)


def symbol_of(tag: str, marks: Marks, known: Collection[str]) -> Symbol:
    """Return the symbol of a tag with those of the marks that are known."""
    return Symbol(tag, tuple(sorted(mark for mark in marks if mark in known)))


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """The visible tree of a page with the marks of its k nodes.

    Attributes:
        page, tree: the page and its visible tree.
        kind: (k,) int32 into ``kinds``, the distinct pairs of a tag and marks.
        shape: (k,) uint64, the tags of a node's children and grandchildren, as bits.
    """

    page: Page
    tree: VisibleTree
    kind: Int32
    kinds: tuple[tuple[str, Marks], ...]
    shape: UInt64

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.tree.node)

    def child_lists(self) -> list[list[int]]:
        """Return the children of each node, in order."""
        children: list[list[int]] = [[] for _ in range(len(self))]
        for node, above in enumerate(self.tree.parent.tolist()):
            if above >= 0:
                children[above].append(node)
        return children

    def symbols(self, known: Collection[str]) -> list[Symbol]:
        """Return the symbol of each of ``kinds``, with the marks that are known."""
        return [symbol_of(tag, marks, known) for tag, marks in self.kinds]


def marked(page: Page | Marked) -> Marked:
    """Return the visible tree of a page with its marks; what has them already as it is.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> found = marked(parse(Source("a", b"<p id=p7 class='b a'>One<p>Two")))
    >>> [(tag, sorted(marks)) for tag, marks in found.kinds]
    [('html', []), ('body', []), ('p', ['#p0', 'a', 'b']), ('#text', []), ('p', [])]
    >>> found.kind.tolist()
    [0, 1, 2, 3, 4, 3]
    """
    if isinstance(page, Marked):
        return page
    dom, tree, kinds = page.dom, visible_tree(page), element_types(page.dom)
    kind = kinds.of[tree.node]
    there = np.bincount(kind, minlength=len(kinds.ids)) > 0
    seen, rank = np.flatnonzero(there), (np.cumsum(there) - 1).astype(np.int32)
    tags, marks = kinds.tag.tolist(), _marks_of(kinds)
    known = [(dom.tags[tags[k]], marks[k]) for k in seen.tolist()]
    return Marked(page, tree, rank[kind], tuple(known), _shape(dom, tree))


def _marks_of(kinds: ElementTypes) -> list[Marks]:
    """Return the marks of each element type; long ids and classes are not cached."""
    return list(map(_marks if kinds.short else _marks.__wrapped__, kinds.ids, kinds.classes))


@lru_cache(maxsize=4096)  # the pages of a site share them
def _marks(id_: str | None, classes: str | None) -> Marks:
    marks = [f"#{''.join(id_.split())}"] if id_ and not id_.isspace() else []
    return frozenset(_DIGITS.sub("0", mark) for mark in (marks + (classes or "").split())[:MOST_MARKS])


def _shape(dom: Dom, tree: VisibleTree) -> UInt64:
    found: UInt64 = shapes(tree.parent, _codes(dom.tags)[dom.tag[tree.node]])
    return found


def _codes(tags: tuple[str, ...]) -> Int64:
    return np.array([sum(map(ord, name)) for name in tags], np.int64)


TAG, SEQ, STAR, OPT, ALT = range(5)
OPS = ("tag", "seq", "star", "opt", "alt")
"""Names of the operators, by number."""

Noise = tuple[str, str]
"""A feature of a leaf: ``text``, ``link``, ``image``, ``word`` or ``other``, and its value."""


@dataclass(frozen=True, eq=False)
class Template:
    """A regular expression over trees; ``m`` nodes in document order, a node before what is below it.

    Attributes:
        op: (m,) int8 into `OPS`; parent: (m,) int32, -1 at the root; end: (m,) int32, one past the subtree.
        symbols: (m,) the symbols that a TAG stands for, the first one names it; empty for an operator.
        places: (m,) where among the siblings of its symbol a TAG stands, from 0; empty for anywhere.
        shape: (m,) uint64, at a TAG the tags of its children and grandchildren as bits.
        page_support: (m,) int32, the pages that have the node.
        listing: (m,) bool, at a STAR of which some page repeats an item: not only orders differ.
        n_pages: the pages that it was learnt from; known: the marks that count.
        noise: by leaf TAG, how sure each of its features is noise, 0..1.
        floor: `Match.known` and `Match.present` of a page of this kind, at least.
    """

    op: Int8
    parent: Int32
    end: Int32
    symbols: tuple[tuple[Symbol, ...], ...]
    places: tuple[tuple[int, ...], ...]
    shape: UInt64
    page_support: Int32
    listing: Bool
    n_pages: int
    known: frozenset[str]
    noise: Mapping[int, Mapping[Noise, float]]
    floor: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.op)

    def __str__(self) -> str:
        """Return it in the notation of the paper, what an element holds in brackets after it."""
        return self._text(0) if len(self) else ""

    @property
    def support(self) -> Float64:
        """(m,) node support: the share of the pages that have the node."""
        share: Float64 = self.page_support / max(self.n_pages, 1)
        return share

    @cached_property
    def owner(self) -> Int32:
        """(m,) the nearest TAG above each node, -1 at the root."""
        owner = np.full(len(self), -1, np.int32)
        for node in range(1, len(self)):
            above = self.parent[node]
            owner[node] = above if self.op[above] == TAG else owner[above]
        return owner

    @cached_property
    def factors(self) -> tuple[tuple[Factor, ...], ...]:
        """(m,) what each TAG may hold, an expression over TAGs; empty for an operator and a leaf."""
        return tuple(
            tuple(self._factor(part) for part in self.children(node)) if self.op[node] == TAG else ()
            for node in range(len(self))
        )

    @cached_property
    def list_of(self) -> Int32:
        """(m,) the outermost STAR of its parent's content that a TAG is in, if that is a list; -1 else."""
        star = np.full(len(self), -1, np.int32)
        for node in np.flatnonzero((self.op == STAR) & self.listing).tolist():
            star[[tag for tag in self.tags(node) if star[tag] < 0]] = node
        return star

    @cached_property
    def worded(self) -> frozenset[int]:
        """The leaf TAGs whose texts are compared word by word: some word is among their noise."""
        return frozenset(
            node for node, shares in self.noise.items() if any(kind == "word" for kind, _ in shares)
        )

    def children(self, node: int) -> Iterator[int]:
        """Children of a node in order."""
        child = node + 1
        while child < self.end[node]:
            yield child
            child = int(self.end[child])

    def name(self, node: int) -> str:
        """Name of a node: the symbol of a TAG, else its operator."""
        return str(self.symbols[node][0]) if self.op[node] == TAG else OPS[self.op[node]]

    def tags(self, node: int) -> list[int]:
        """Return the TAGs that a part of an element's content is made of, itself if it is one."""
        found, work = [], [node]
        while work:
            node = work.pop()
            if self.op[node] == TAG:
                found.append(node)
            else:
                work.extend(reversed(list(self.children(node))))
        return found

    def _factor(self, node: int) -> Factor:
        repeated, optional = bool(self.op[node] == STAR), bool(self.op[node] == OPT)
        inner = node + 1 if repeated or optional else node
        record = tuple(map(self._factor, self.children(inner))) if self.op[inner] == SEQ else ()
        return Factor(tuple(self.tags(inner)), optional, repeated, bool(self.listing[node]), record)

    def _text(self, root: int) -> str:
        """Write a subtree, without recursion: pages may be deep."""
        out: list[str] = []
        work: list[int | str] = [root]
        while work:
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


def subtree_ends(parent: Sequence[int]) -> list[int]:
    """Return one past the subtree of each node (m,) from the parents, which stand before their children.

    >>> subtree_ends([-1, 0, 1, 0])
    [4, 3, 3, 4]
    """
    end = list(range(1, len(parent) + 1))
    for node in range(len(parent) - 1, 0, -1):
        end[parent[node]] = max(end[parent[node]], end[node])
    return end


FORMAT = "webgrain template"
VERSION = 1

FEATURES = ("text", "image", "link", "other", "word")


def write_template(path: Path, template: Template) -> None:
    """Write a template to a file; what `read_template` makes of it is the same.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.templates.regextree import RegexTree
    >>> template = RegexTree().fit([parse(Source("a", b"<h1>One</h1><p>a<p>b"))]).template_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_template(Path(folder) / "template.json", template)
    ...     print(read_template(Path(folder) / "template.json"))
    html[body[h1[#text] (p[#text])*]]
    """
    write_model(path, FORMAT, VERSION, template_told(template))


def read_template(path: Path) -> Template:
    """Return the template in a file; `InputError` where it cannot be read or holds none."""
    told, _ = read_model(path, FORMAT, VERSION)
    try:
        return template_from(told)
    except DAMAGED as error:
        raise InputError(f"{path} holds a damaged template: {error}.") from error


def template_told(template: Template) -> dict[str, Any]:
    """Return a template as plain values, from which `template_from` makes it again."""
    head = {"pages": template.n_pages, "floor": list(template.floor), "marks": sorted(template.known)}
    return head | {"nodes": list(_told(template))}


def css(template: Template, node: int) -> str:
    """Return the CSS selector of a TAG, from the root down; of a text, that of the element around it.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.templates.regextree import RegexTree
    >>> template = RegexTree().fit([parse(Source("a", b"<div id=main><p class='a b'>One"))]).template_
    >>> css(template, len(template) - 1)
    'html > body > div#main > p.a.b'
    """
    steps = []
    while node >= 0:
        if template.symbols[node] and template.symbols[node][0].tag != "#text":
            steps.append(template.name(node))
        node = int(template.owner[node])
    return " > ".join(reversed(steps))


def _told(template: Template) -> Iterator[dict[str, Any]]:
    depth = [0] * len(template)
    for node in range(len(template)):
        above = int(template.parent[node])
        depth[node] = depth[above] + 1 if above >= 0 else 0
        told: dict[str, Any] = {"depth": depth[node], "op": OPS[template.op[node]]}
        told["pages"] = int(template.page_support[node])
        if template.op[node] == STAR:
            told["list"] = bool(template.listing[node])
        if template.op[node] == TAG:
            told["symbols"] = [[symbol.tag, *symbol.marks] for symbol in template.symbols[node]]
            told["css"] = css(template, node)
            told["shape"] = f"{int(template.shape[node]):x}"
            if template.places[node]:
                told["places"] = list(template.places[node])
        if node in template.noise:
            told["noise"] = [[*feature, round(share, 4)] for feature, share in template.noise[node].items()]
        yield told


def template_from(told: dict[str, Any]) -> Template:
    """Return the template that was told; one of `DAMAGED` is raised where it is none."""
    nodes: Sequence[dict[str, Any]] = told["nodes"]
    op = [OPS.index(node["op"]) for node in nodes]
    parent = _parents([_integer(node["depth"]) for node in nodes])
    symbols = tuple(tuple(map(_symbol, node.get("symbols", ()))) for node in nodes)
    known = frozenset(_text(mark) for mark in told["marks"])
    _check(op, parent, symbols, known)
    return Template(
        op=np.array(op, np.int8),
        parent=np.array(parent, np.int32),
        end=np.array(subtree_ends(parent), np.int32),
        symbols=symbols,
        places=tuple(tuple(map(_integer, node.get("places", ()))) for node in nodes),
        shape=np.array([int(node.get("shape", "0"), 16) for node in nodes], np.uint64),
        page_support=np.array([_integer(node["pages"]) for node in nodes], np.int32),
        listing=np.array([node.get("list") is True for node in nodes]),
        n_pages=_integer(told["pages"]),
        known=known,
        noise={k: _noise(node["noise"]) for k, node in enumerate(nodes) if "noise" in node},
        floor=_floor(*told["floor"]),
    )


def _parents(depth: Sequence[int]) -> list[int]:
    """Return the parents of nodes from their depths."""
    parent, path = list[int](), list[int]()
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
    """Raise `ValueError` where these are the nodes of no template."""
    if not op or op[0] != TAG:
        raise ValueError("the first node is no tag")
    having = set(parent)
    for node, (kind, own) in enumerate(zip(op, symbols, strict=True)):
        if (kind == TAG) != bool(own):
            raise ValueError(f"node {node} is a tag without symbols, or an operator with some")
        if kind != TAG and node not in having:
            raise ValueError(f"node {node} is an operator without children")
    if not known.issuperset(mark for own in symbols for symbol in own for mark in symbol.marks):
        raise ValueError("a node has a mark that is not among the marks")


def _symbol(told: Any) -> Symbol:
    tag, *marks = map(_text, told)
    return Symbol(tag, tuple(marks))


def _floor(known: Any, present: Any) -> tuple[float, float]:
    return float(known), float(present)


def _noise(told: Any) -> dict[tuple[str, str], float]:
    noise = {(_text(kind), _text(value)): float(share) for kind, value, share in told}
    if any(kind not in FEATURES for kind, _ in noise) or not all(0 <= share <= 1 for share in noise.values()):
        raise ValueError(f"noise must be of {', '.join(FEATURES)} and in 0..1")
    return noise


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"expected a text, got {value!r}")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise TypeError(f"expected a whole number of at least 0, got {value!r}")
    return value


LINES = 200
"""Lines of an outline, at most."""

_SIGNS = {STAR: "*", OPT: "?", ALT: "|"}


def outline(template: Template, lines: int = LINES) -> str:
    """Return a line for each element of a template: its operators, and how many of the pages have it.

    ``*`` stands behind what is repeated, ``?`` behind what may be missing, ``|`` behind one of several
    choices. Texts are left out, and what is deepest where there are more than ``lines``.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.regextree import RegexTree
    >>> pages = [f"<h1>{n}</h1><ul>" + "<li>More" * n + "</ul>" for n in range(1, 4)]
    >>> print(outline(RegexTree().fit(parse(Source(html, html.encode())) for html in pages).template_))
    html
      body
        h1
        ul
          li *
    """
    tags = [node for node in range(len(template)) if _is_element(template, node)]
    depth = np.zeros(len(template), np.int64)
    for node in tags[1:]:
        depth[node] = depth[template.owner[node]] + 1
    number = np.bincount(depth[tags])
    deepest = int(np.searchsorted(np.cumsum(number), lines, side="right"))
    return "\n".join(
        f"{'  ' * depth[node]}{template.name(node)}{_outline_told(template, node)}"
        for node in tags
        if depth[node] < max(deepest, 1)
    )


def _is_element(template: Template, node: int) -> bool:
    return bool(template.op[node] == TAG) and template.symbols[node][0].tag != "#text"


def _outline_told(template: Template, node: int) -> str:
    signs = [_SIGNS[template.op[above]] for above in _operators(template, node) if template.op[above] != SEQ]
    share = template.support[node]
    return (" " + "".join(reversed(signs)) if signs else "") + (f" {share:.0%}" if share < 1 else "")


def _operators(template: Template, node: int) -> list[int]:
    """Return the operators between an element and that around it, from the inside."""
    found, above = [], int(template.parent[node])
    while above >= 0 and template.op[above] != TAG:
        found.append(above)
        above = int(template.parent[above])
    return found
