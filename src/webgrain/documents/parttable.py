"""The parts of the content of a page as arrays, and the trees and the text that are made of them.

The table is made by `webgrain.documents.partkernel` in one pass. Most uses need the text and the elements of
the content only, so trees of `Part` are made when they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32
from webgrain.documents import nodekernel
from webgrain.documents.code import code_of, has_line_numbers
from webgrain.documents.elements import DROPPED, leads_nowhere, link_address, small_number
from webgrain.documents.embedded import EMBEDDED, embedded_of, gist_of, is_gist
from webgrain.documents.formulas import TEX_SCRIPT, formula_of
from webgrain.documents.images import IMAGES, image_of, image_without_scripts
from webgrain.documents.notes import note_links
from webgrain.documents.partkernel import PartWalk, is_data_table
from webgrain.documents.parts import Part, moved
from webgrain.documents.textkernel import TextWriter
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import base_of
from webgrain.page.page import Page
from webgrain.page.strings import has_text, letters_table, name_set, text_from
from webgrain.page.tagtables import AttributeBits, TagTable
from webgrain.page.text import TextBlocks, is_inline
from webgrain.page.values import Question

T = TypeVar("T")

MOST_NESTED = 20
"""Containers (lists, quotes, tables) inside each other; deeper ones are dissolved (hand-set)."""

SOFT_HYPHEN = "\xad"
"""Where a word may be divided; it is no part of a text."""

KINDS = (
    "", "list", "item", "definitions", "term", "definition", "table", "row", "cell", "quote", "figure",
    "caption", "heading", "paragraph", "code", "math", "image", "break", "text",
)  # fmt: skip
"""The kinds of entries and runs of a table; the place of each is its number in the kernel."""

MARKS = (
    "", "strong", "emphasis", "link", "ruby", "deleted", "literal", "subscript", "superscript",
)  # fmt: skip
"""The kinds of parts within a line that have a beginning and an end."""

_KIND_OF_TAG = {
    **dict.fromkeys(("ul", "ol", "menu", "dir"), "list"), **dict.fromkeys(("td", "th"), "cell"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"), "table": "table", "tr": "row",
    "li": "item", "dl": "definitions", "dt": "term", "dd": "definition", "blockquote": "quote",
    "figure": "figure", **dict.fromkeys(("figcaption", "caption"), "caption"),
    **dict.fromkeys((*IMAGES, "noscript", *EMBEDDED), "image"), "br": "break", "#text": "text",
}  # fmt: skip
_MARK_OF_TAG = {
    **dict.fromkeys(("b", "strong"), "strong"), **dict.fromkeys(("del", "s", "strike"), "deleted"),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), "emphasis"), "ruby": "ruby", "a": "link",
    **dict.fromkeys(("code", "tt", "kbd", "samp"), "literal"), "sub": "subscript", "sup": "superscript",
}  # fmt: skip
_MATH = name_set("math")
_PRE = name_set("pre")
_ANNOTATIONS = name_set("rt rtc")
_SCRIPTS = name_set("script")
_ANCHORS = name_set("a")
_SECTIONS = name_set("tr tbody thead tfoot")
_CODE = name_set("code")
_NOT_IN_DATA = name_set("table pre h1 h2 h3 h4")
_HEADERS = name_set("th")
_TESTS: tuple[Callable[[str], bool], ...] = (
    is_inline,
    DROPPED.__contains__,
    _PRE.__contains__,
    _MATH.__contains__,
    _ANNOTATIONS.__contains__,
    _SCRIPTS.__contains__,
    _ANCHORS.__contains__,
    _SECTIONS.__contains__,
    _CODE.__contains__,
    _NOT_IN_DATA.__contains__,
    _HEADERS.__contains__,
)
"""What the kernel asks about a tag, in the order of its bits after those of the kind."""

_KIND_BITS, _MARK_SHIFT = 5, 22
_DROPPED = 2 ** (_KIND_BITS + _TESTS.index(DROPPED.__contains__))
_ARRANGES = 2**21


def _bits_of_tag(tag: str) -> int:
    """Return what a node with a tag is, as bits of the kernel."""
    bits = KINDS.index(_KIND_OF_TAG.get(tag, ""))
    for place, test in enumerate(_TESTS, _KIND_BITS):
        bits |= test(tag) << place
    return bits | MARKS.index(_MARK_OF_TAG.get(tag, "")) << _MARK_SHIFT


_BITS = TagTable(_bits_of_tag, np.int32)
_EDIT_CLASSES = name_set("mw-editsection editsection secedit")
"""Classes of the links of wikis that edit the section of a heading."""
_OTHER_BITS = {
    **dict.fromkeys((*IMAGES, "math", *EMBEDDED), 1), "script": 2, **dict.fromkeys(("style", "noscript"), 4),
}  # fmt: skip
"""What `nodekernel.node_bits` also asks about tags: `PICTURE`, `SCRIPT` and `UNREAD`."""
_IS_TEX, _IS_HIDDEN = 2**29, 2**30
"""What it also asks about attributes."""
_OTHER_BITS_OF_TAGS = TagTable(lambda tag: _OTHER_BITS.get(tag, 0), np.uint8)
_BITS_OF_ATTRIBUTES = AttributeBits(
    {
        "role": lambda value: _ARRANGES * (value in ("presentation", "none")),
        "class": lambda value: _DROPPED * (not _EDIT_CLASSES.isdisjoint(value.lower().split())),
        "type": lambda value: _IS_TEX * (TEX_SCRIPT.match(value) is not None),
        "aria-hidden": lambda value: _IS_HIDDEN * (value == "true"),
    }
)


@cached_on_page
def node_bits(page: Page) -> Int32:
    """(n,) what each node is, as bits of the kernel."""
    dom = page.dom
    tags = _BITS.values(dom.tags), _OTHER_BITS_OF_TAGS.values(dom.tags)
    of_attributes = _BITS_OF_ATTRIBUTES.of_nodes(dom)
    marks = visible_nodes(page).view(np.uint8), _is_filled(dom).view(np.uint8)
    noscripts = dom.find_tag("noscript").tolist()
    shown = [node for node in noscripts if "<img" in dom.text_of(node)]
    if gists := _gists(dom):
        of_attributes[gists] |= KINDS.index("image")
        shown = sorted([*shown, *gists])
    pictured = np.array(shown, np.int64)
    bits: Int32 = nodekernel.node_bits(dom.parent, dom.tag, *tags, of_attributes, *marks, pictured)
    bits.setflags(write=False)
    return bits


_IS_GIST = Question(is_gist, np.bool_)


def _gists(dom: Dom) -> list[int]:
    """Return the scripts that write a code snippet into the page."""
    attributes, nodes = dom.find_attribute("src")
    of_scripts = dom.tag[nodes] == dom.tag_number("script")
    attributes, nodes = attributes[of_scripts], nodes[of_scripts]
    gists: list[int] = nodes[dom.ask(_IS_GIST, attributes)].tolist() if len(nodes) else []
    return gists


def _is_filled(dom: Dom) -> Bool:
    """(n,) whether a node has text other than white space; of texts, also other than soft hyphens."""
    filled: Bool = has_text(dom)
    if SOFT_HYPHEN not in dom.text:
        return filled
    places = [match.start() for match in re.finditer(SOFT_HYPHEN, dom.text)]
    texts = np.unique(np.searchsorted(dom.text_start, places, side="right") - 1).tolist()
    filled = filled.copy()
    filled[[node for node in texts if not dom.text_of(node).replace(SOFT_HYPHEN, "").strip()]] = False
    return filled


def is_data(page: Page, blocks: TextBlocks, table: int) -> bool:
    """Whether a table contains data: several columns and rows (or a head), no long text and no other table.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<table><tr><td>a<td>b<tr><td>c</table><table><tr><td>d</table>")
    >>> [is_data(page, text_blocks(page), node) for node in (3, 13)]
    [True, False]
    """
    data: bool = is_data_table(table, page.dom.end, node_bits(page), blocks.first, blocks.weight)
    return data


@dataclass(frozen=True, slots=True, eq=False)
class PartTable:
    """The parts of the content of a page in document order, as e entries.

    Attributes:
        page: the page.
        entry: (e, 6) kind of each part (`KINDS`), its element, the end of the entries in it, the element that
            has its attributes (-1 for none), and the first and last run of a line; the first one of code is
            its source.
        score: (e,) see `Part`.
        run: (r, 5) kind, node, mark, source and number of annotations before each run of the lines.
        mark: (m, 3) kind (`MARKS`) and node of each element within a line, and the one around it.
        note: (a, 2) the element with an annotation, and the mark of its ruby base.
        sources: the images, formulas and code.
        place: the element of another page that all parts are in; -1: they are where they are on this page.
    """

    page: Page
    entry: Int32
    score: Float64
    run: Int32
    mark: Int32
    note: Int32
    sources: tuple[Part, ...]
    place: int = -1

    def __len__(self) -> int:
        return len(self.entry)

    @property
    def kind(self) -> Int32:
        """(e,) the kind of each part."""
        return self.entry[:, 0]

    @property
    def node(self) -> Int32:
        """(e,) the element of each part."""
        return self.entry[:, 1] if self.place < 0 else np.full(len(self), self.place, np.int32)

    @property
    def text(self) -> str:
        """The text of the parts, as `webgrain.documents.parts.part_text` of a document."""
        if not len(self):
            return ""
        dom = self.page.dom
        sources = [source.text for source in self.sources]
        starts = np.array([*accumulate(map(len, sources), initial=0)], np.int32)
        writer = TextWriter(  # type: ignore[no-untyped-call]
            (dom.text, dom.text_start, letters_table()), ("".join(sources), starts)
        )
        return text_from(writer.write(self.entry, self.run))

    @property
    def nodes(self) -> list[int]:
        """The elements that contain the lines, formulas and code, in order."""
        lines = self.node[_IS_LINE[self.kind]].tolist()
        formulas = self.run[self.run[:, 0] == _FORMULA, 1].tolist()
        nodes = {*lines, *formulas}
        return sorted(nodes) if self.place < 0 or not nodes else [self.place]

    @property
    def code(self) -> tuple[str, ...]:
        """The texts of the parts that are code."""
        sources = self.entry[self.kind == _CODE_PART, 4].tolist()
        return tuple(self.sources[source].text for source in sources)

    def top(self) -> list[int]:
        """Return the entries that are in no other one."""
        ends = self.entry[:, 2].tolist()
        entries = []
        entry = 0
        while entry < len(ends):
            entries.append(entry)
            entry = ends[entry]
        return entries

    def parts(self) -> tuple[Part, ...]:
        """Return the parts that are in no other one."""
        return self.made(Part)

    def made(self, make: Callable[..., T]) -> tuple[T, ...]:
        """Return what a function makes of the parts that are in no other one.

        make: is called with the fields of each `Part`, of inner parts first. The children are texts and parts
            within lines, or what it has made of other parts.
        """
        return _PartMaker(self, make).top()


_LINES = name_set("heading paragraph term caption code math figure")
_TEXT_LINES = name_set("heading paragraph term caption")
_SOURCES = name_set("image math code")
_IS_LINE: Bool = np.array([kind in _LINES for kind in KINDS])
_FORMULA = KINDS.index("math")
_CODE_PART = KINDS.index("code")
_TEXT = KINDS.index("text")


def part_table(
    page: Page, blocks: TextBlocks, chosen: NDArray[np.integer], scores: NDArray[np.floating]
) -> PartTable:
    r"""Return the parts of chosen blocks of a page.

    chosen: at least one block, ascending; scores: the score of each.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<ul><li>a<li>b</ul>")
    >>> table = part_table(page, text_blocks(page), np.arange(2), np.ones(2))
    >>> [KINDS[kind] for kind in table.kind.tolist()], table.text
    (['list', 'item', 'paragraph', 'item', 'paragraph'], 'a\nb')
    """
    dom = page.dom
    base = int(chosen[0])
    is_chosen = np.zeros(int(chosen[-1]) + 1 - base, np.uint8)
    score = np.ones(len(is_chosen))
    is_chosen[chosen - base] = 1
    score[chosen - base] = scores
    walk = PartWalk(  # type: ignore[no-untyped-call]
        (dom.parent, dom.end),
        node_bits(page),
        (dom.text, dom.text_start, letters_table()),
        (blocks.first, blocks.last, blocks.weight),
        (base, is_chosen, score),
        MOST_NESTED,
    )
    top, stop, nodes = walk.ask()  # type: ignore[no-untyped-call]
    known = np.zeros(stop - top, np.int32)
    sources: list[Part] = []
    url = base_of(page) if nodes else ""
    for node in nodes:
        name = dom.name(node)
        if name == "a":
            known[node - top] = leads_nowhere(dom, url, node)
        elif name in ("td", "th"):
            known[node - top] = has_line_numbers(dom, node)
        elif source := _source(page, url, node, name):
            if name == "noscript" and sources and _is_placeholder(sources[-1], int(dom.parent[node])):
                sources[-1] = replace(sources[-1], attributes=source.attributes)
                continue
            sources.append(source)
            known[node - top] = len(sources)
    entry, score, run, mark, note = walk.walk(known, _tex_numbers(sources))
    return PartTable(page, entry, score, run, mark, note, tuple(sources))


def _source(page: Page, base: str, node: int, name: str) -> Part | None:
    """Return the image, formula, code or embedded object in an element; None for none."""
    dom = page.dom
    if name in IMAGES:
        return image_of(dom, base, node)
    if name == "noscript":
        return image_without_scripts(dom, base, node)
    if name == "pre":
        return code_of(dom, node, visible_nodes(page))
    if name == "script" and (gist := gist_of(dom, base, node)):
        return gist
    if name in ("math", "script"):
        return formula_of(dom, node)
    return embedded_of(dom, base, node)


def _is_placeholder(before: Part, around: int) -> bool:
    """Whether the part before a ``<noscript>`` is an image in the same element: a script replaces it."""
    return before.kind == "image" and before.node >= around


def _tex_numbers(sources: Sequence[Part]) -> Int32:
    """Return a number of the TeX of each source, equal for equal TeX; -1 for none."""
    numbers: dict[str, int] = {}
    tex = [source.attributes.get("tex") for source in sources]
    return np.array([numbers.setdefault(x, len(numbers)) if x else -1 for x in tex], np.int32)


# Trees of parts.


@dataclass(slots=True, eq=False)
class _Mark:
    """An inline element around runs of a line: the kind of its part, its element, and attributes."""

    kind: str
    node: int
    attributes: dict[str, Any]


class _PartMaker(Generic[T]):
    """Makes the parts of a table, or something else with their fields."""

    def __init__(self, table: PartTable, make: Callable[..., T]) -> None:
        self._make = make
        self._dom = table.page.dom
        self._text_start = self._dom.text_start.data
        self._attr_start = self._dom.attr_start.data
        self._base = base_of(table.page)
        self._has_hyphens = SOFT_HYPHEN in self._dom.text
        self._sources = table.sources
        self._place = table.place
        self._kind, _, self._end, self._shown, self._begin, self._stop = table.entry.T.tolist()
        self._node = table.node.tolist()
        self._score = table.score.tolist()
        # Columns, since the garbage collector would visit a list for each run.
        columns: list[list[int]] = table.run.T.tolist()
        self._run_kind, self._run_node, self._run_mark, self._run_source, self._run_note = columns
        self._mark: list[list[int]] = table.mark.tolist()
        self._note: list[list[int]] = table.note.tolist()
        links = (node for number, node, _ in self._mark if MARKS[number] == "link")
        self._notes = note_links(self._dom, links)
        self._known_marks: dict[tuple[int, int], tuple[_Mark, ...]] = {(-1, -1): ()}

    def top(self) -> tuple[T, ...]:
        """Return what is made of the parts that are in no other one."""
        return self._children(0, len(self._kind))

    def _children(self, entry: int, end: int) -> tuple[T, ...]:
        parts = []
        while entry < end:
            parts.append(self._part(entry))
            entry = self._end[entry]
        return tuple(parts)

    def _part(self, entry: int) -> T:
        kind, node, shown = KINDS[self._kind[entry]], self._node[entry], self._shown[entry]
        score = self._score[entry]
        if kind not in _SOURCES:
            inside = self._line(entry) if kind in _TEXT_LINES else self._children(entry + 1, self._end[entry])
            return self._make(kind, node, inside, {} if shown < 0 else self._attributes(kind, shown), score)
        if kind == "image":
            [image] = self._line(entry)  # the only run is an image
            return self._made(image, image.attributes, image.score)  # type: ignore[arg-type,union-attr]
        if kind == "math":
            formula = self._sources[self._run_source[self._begin[entry]]]
            return self._made(formula, {**formula.attributes, "display": True}, score)
        code = self._sources[self._begin[entry]]
        return self._made(code, code.attributes, score)

    def _made(self, part: Part, attributes: Mapping[str, Any], score: float) -> T:
        """Return what is made of an image, a formula or code with other attributes and score."""
        node = part.node if self._place < 0 else self._place
        return self._make(part.kind, node, part.children, attributes, score)

    def _attributes(self, kind: str, node: int) -> dict[str, Any]:
        """Return the attributes of a part, which an element has."""
        name = self._dom.name(node)
        if kind == "heading":
            return {"level": int(name[1])}
        if kind == "list" and name == "ol":
            start = small_number(self._dom.get(node, "start") or "", 6)
            return {"ordered": True, "start": 1 if start is None else start}
        if kind == "list":
            return {"ordered": False}
        return self._cell(node, name) if kind == "cell" else {}

    def _cell(self, node: int, name: str) -> dict[str, Any]:
        attributes: dict[str, Any] = {"header": True} if name == "th" else {}
        if self._attr_start[node] == self._attr_start[node + 1]:
            return attributes
        values = self._dom.attributes(node)
        for attribute, most in (("colspan", 1000), ("rowspan", 65534)):  # the limits of the HTML standard
            if (number := small_number(values.get(attribute, ""), 5) or 0) > 1:
                attributes[attribute] = min(number, most)
        return attributes

    # Lines.

    def _line(self, entry: int) -> tuple[Part | str, ...]:
        """Return the runs of a line nested by their marks."""
        begin, stop = self._begin[entry], self._stop[entry]
        if stop == begin + 1 and self._run_kind[begin] == _TEXT and self._run_mark[begin] < 0:
            text = " ".join(
                self._text(self._run_node[begin]).split()
            )  # as in most lines of a table or a list
            return (text,) if text else ()
        line = nested_runs(
            [
                (self._run(run), self._marks(self._run_mark[run], self._run_note[run]))
                for run in range(begin, stop)
            ]
        )
        if self._place < 0:
            return line
        return tuple(moved(child, self._place) if isinstance(child, Part) else child for child in line)

    def _run(self, run: int) -> str | Part:
        kind, node = self._run_kind[run], self._run_node[run]
        if kind == _TEXT:
            return self._text(node)
        if KINDS[kind] == "break":
            return Part("break", node)
        return self._sources[self._run_source[run]]

    def _text(self, node: int) -> str:
        """Return the text of a text node."""
        text = self._dom.text[self._text_start[node] : self._text_start[node + 1]]
        return text.replace(SOFT_HYPHEN, "") if self._has_hyphens else text

    def _marks(self, mark: int, notes: int) -> tuple[_Mark, ...]:
        """Return the marks from the outermost to one of the table; notes: the annotations before."""
        if mark < 0:
            return ()
        marks = self._known_marks.get((mark, notes))
        if marks is None:
            number, node, above = self._mark[mark]
            outer = self._marks(above, notes)
            marks = self._known_marks[mark, notes] = (*outer, *self._inner(outer, mark, number, node, notes))
        return marks

    def _inner(
        self, outer: tuple[_Mark, ...], mark: int, number: int, node: int, notes: int
    ) -> tuple[_Mark, ...]:
        """Return the mark of the table in others, or nothing for a link without an address."""
        kind = MARKS[number]
        if kind == "link":
            attributes = self._link(node)
            is_link = bool(attributes["url"]) and all(other.kind != "link" for other in outer)
            return (self._same(mark, -1, _Mark("link", node, attributes)),) if is_link else ()
        if kind != "ruby":
            return (self._same(mark, -1, _Mark(kind, node, {})),)
        if notes < len(self._note) and self._note[notes][1] == mark:
            annotation = " ".join(self._dom.text_of(self._note[notes][0]).split())
            return (self._same(mark, notes, _Mark("ruby", node, {"annotation": annotation})),)
        return (self._same(mark, notes, _Mark("ruby", node, {})),)

    def _link(self, node: int) -> dict[str, Any]:
        """Return the address of a link, empty for none; of one to a note or back also its id."""
        if node not in self._notes:
            return {"url": link_address(self._dom, self._base, node)}
        target, name = self._notes[node]
        return {"url": f"#{target}", "id": name} if name else {"url": f"#{target}"}

    def _same(self, mark: int, notes: int, new: _Mark) -> _Mark:
        """Return the mark that the runs around an annotation share, which is the first one."""
        return self._known_marks.setdefault((-2 - mark, notes), (new,))[0]


def nested_runs(runs: Sequence[tuple[str | Part, tuple[_Mark, ...]]]) -> tuple[Part | str, ...]:
    """Return the texts of a line nested by their marks; white space is collapsed, and outside of marks.

    runs: texts, images, formulas and breaks, each with the inline elements around it.
    """
    root: list[Part | str] = []
    open_: list[tuple[_Mark, list[Part | str]]] = []
    spaced = True  # whether the line ends with white space
    waiting = False  # white space that is only written before more text

    def append(child: Part | str) -> None:
        inner = open_[-1][1] if open_ else root
        if isinstance(child, str) and inner and isinstance(inner[-1], str):
            inner[-1] += child
        else:
            inner.append(child)

    def close(depth: int) -> None:
        while len(open_) > depth:
            mark, inside = open_.pop()
            if inside:
                append(Part(mark.kind, mark.node, tuple(inside), mark.attributes))

    for run, marks in runs:
        words = " ".join(run.split()) if isinstance(run, str) else run
        space = waiting or (isinstance(run, str) and run[:1].isspace())
        if not words:
            waiting = space
            continue
        common = _common(open_, marks) if open_ else 0
        close(common)
        breaks = isinstance(run, Part) and run.kind == "break"
        if space and not spaced and not breaks:
            append(" ")
        open_ += [(mark, []) for mark in marks[common:]]
        append(words)
        spaced, waiting = breaks, isinstance(run, str) and run[-1:].isspace()
    close(0)
    while root and isinstance(root[-1], Part) and root[-1].kind == "break":
        root.pop()
    return tuple(root)


def _common(open_: Sequence[tuple[_Mark, list[Part | str]]], marks: Sequence[_Mark]) -> int:
    """Return how many of the open marks are also around the next run, which has some marks."""
    both = zip((mark for mark, _ in open_), marks, strict=False)
    return len([*takewhile(lambda pair: pair[0] is pair[1], both)])
