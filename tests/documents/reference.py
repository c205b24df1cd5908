"""The parts of the main content, made as objects in one pass over the nodes: what the kernel must give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Int32
from webgrain.documents.code import code_of
from webgrain.documents.elements import small_number
from webgrain.documents.embedded import EMBEDDED, embedded_of, gist_of
from webgrain.documents.formulas import TEX_SCRIPT, formula_of
from webgrain.documents.gaps import without_gaps
from webgrain.documents.images import IMAGES, image_of, image_without_scripts
from webgrain.documents.notes import note_links
from webgrain.documents.parts import Part
from webgrain.documents.parttable import nested_runs
from webgrain.page.dom import Dom, ancestor_sum, cached_on_page, subtree_sum
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import base_of, resolved
from webgrain.page.page import Page
from webgrain.page.strings import has_text, name_set
from webgrain.page.text import TextBlocks, is_inline
from webgrain.page.values import Question

PERMALINKS = " #¶§🔗"

MOST_NESTED = 20

_LONGEST_CELL = 400  # characters; a table with a longer cell arranges the page (hand-set)


# Tables of data.

_NOT_IN_DATA = ("table", "pre", "h1", "h2", "h3", "h4")


def is_data(dom: Dom, blocks: TextBlocks, table: int) -> bool:
    """Whether a table contains data: several columns and rows (or a head), no long text and no other table.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<table><tr><td>a<td>b<tr><td>c</table><table><tr><td>d</table>")
    >>> [is_data(page.dom, text_blocks(page), node) for node in (3, 13)]
    [True, False]
    """
    end = int(dom.end[table])
    inside = dom.tag[table + 1 : end]  # _tag is -1 for a tag that the page lacks, which no node has
    cells = np.isin(inside, [dom.tag_number("td"), dom.tag_number("th")])
    first, last = np.searchsorted(blocks.first, [table, end]).tolist()
    rows = int((inside == dom.tag_number("tr")).sum())
    several = cells.sum() > rows and (rows > 1 or (inside == dom.tag_number("th")).any())
    short = int(blocks.weight[first:last].max(initial=0)) <= _LONGEST_CELL
    other = np.isin(inside, [dom.tag_number(name) for name in _NOT_IN_DATA])
    arranges = dom.get(table, "role") in ("presentation", "none")
    return bool(several and short and not other.any() and not arranges)


# Content from chosen blocks.

_DROPPED = name_set(
    "script style noscript template iframe frame frameset object embed svg link meta base title head "
    "input button select textarea audio video canvas dialog noembed noframes plaintext xmp datalist rp "
    "mjx-math"
)
_KINDS = {
    **dict.fromkeys(("ul", "ol", "menu", "dir"), "list"), **dict.fromkeys(("td", "th"), "cell"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"), "table": "table", "tr": "row",
    "li": "item", "dl": "definitions", "dt": "term", "dd": "definition", "blockquote": "quote",
    "figure": "figure", **dict.fromkeys(("figcaption", "caption"), "caption"),
}  # fmt: skip
_NESTED = ("list", "quote", "definitions", "table")  # kinds whose depth is limited
_MEMBERS = {
    "list": ("item",), "definitions": ("definition", "term"), "table": ("row", "caption"), "row": ("cell",),
}  # fmt: skip
_WITHIN = {member: around for around, kinds in _MEMBERS.items() for member in kinds if member != "caption"}
_MARKS = {
    **dict.fromkeys(("b", "strong"), "strong"), **dict.fromkeys(("del", "s", "strike"), "deleted"),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), "emphasis"), "ruby": "ruby", "a": "link",
    **dict.fromkeys(("code", "tt", "kbd", "samp"), "literal"), "sub": "subscript", "sup": "superscript",
}  # fmt: skip
_PLAIN = ("heading", "term", "caption")  # kinds whose text is not strong or emphasised
_IS_TEX = Question(lambda value: TEX_SCRIPT.match(value) is not None, bool)
_IS_TRUE = Question("true".__eq__, bool)


@dataclass(slots=True, eq=False)
class _Open:
    """An open element: the kind of its part, or "" for an element that only ends lines."""

    kind: str
    node: int
    end: int
    attributes: dict[str, Any]
    children: list[Part] = field(default_factory=list)  # of a block


def content(
    page: Page,
    blocks: TextBlocks,
    chosen: Sequence[int] | NDArray[np.integer],
    scores: Sequence[float] | NDArray[np.floating],
    fill: bool = True,
) -> tuple[Part, ...]:
    """Return the parts of the content of a page; see `webgrain.documents.content.content`."""
    if not len(chosen):
        return ()
    values = dict(zip((int(k) for k in chosen), (float(score) for score in scores), strict=True))
    least = min(values.values())
    filled = without_gaps(page, blocks, chosen).tolist() if fill else list(values)
    return _Builder(page, blocks, filled, [values.get(k, least) for k in filled]).parts()


class _Builder:
    """Makes parts in one pass over the nodes around the chosen blocks."""

    def __init__(self, page: Page, blocks: TextBlocks, chosen: list[int], scores: list[float]) -> None:
        self._page, self._dom, self._blocks = page, page.dom, blocks
        self._scores = dict(zip(chosen, scores, strict=True))
        self._first, self._last = int(blocks.first[chosen[0]]), int(blocks.last[chosen[-1]])
        self._top = _top(self._dom, self._first, self._last)
        self._span = slice(self._top, int(self._dom.end[self._top]))
        # The next five: of the nodes from the top to its end.
        self._ends = self._dom.end[self._span] - self._top
        self._block = block_of(page, blocks)[self._span]
        kept = np.zeros(len(blocks) + 1, bool)
        kept[chosen] = True
        self._kept: Bool = kept[self._block]
        self._wanted = self._below(self._kept)
        self._media = self._other_content()
        self._frames = [_Open("document", self._top, len(self._dom) + 1, {})]
        self._holders = self._frames[:1]  # the open frames with a kind
        self._base = base_of(page)
        span = range(self._top, self._span.stop)
        wanted = (self._wanted & visible_nodes(page)[self._span]).tolist()
        self._notes = note_links(
            self._dom, [k for k in span if wanted[k - self._top] and self._dom.name(k) == "a"]
        )
        self._marks: list[_Open] = []  # the open inline elements
        self._runs: list[tuple[str | Part, tuple[_Open, ...]]] = []
        self._run_block = -1
        self._pictures: list[Part] = []  # the last source, if it is an image
        self._nested = 0
        self._readers = {"pre": self._code, "math": self._math, "noscript": self._image}
        self._readers |= dict.fromkeys((*IMAGES, *EMBEDDED), self._image)
        self._readers |= dict.fromkeys(("rt", "rtc"), self._annotate)

    def _below(self, x: Bool) -> Bool:
        """Return whether x holds for a node or one in it; from the top to its end."""
        below: Bool = subtree_sum(x, self._ends) > 0
        return below

    def _other_content(self) -> Bool:
        """Return True at images and formulas of the content, and at the elements around them."""
        media, ignored = (facts[self._span] for facts in _media_of(self._page))
        if not media.any():
            return media
        dom, top = self._dom, self._top
        texts = range(self._span.start, self._span.stop)
        is_filled = [bool(dom.text_of(node).replace("\xad", "").strip()) for node in texts]
        text = dom.is_text[self._span] & np.array(is_filled)
        foreign = self._below(text & ~self._kept & ~ignored) & ~self._wanted
        # without the elements with text of which nothing is content, and all in them
        media = media & ~foreign & (ancestor_sum(foreign, self._ends) == 0)
        for node in np.flatnonzero(media).tolist():
            if not self._first < node + top < self._last:  # at the edges only next to content
                around = dom.ancestors(node + top)[:3]
                media[node] = any(above >= top and self._wanted[above - top] for above in around)
        return self._below(media)

    def parts(self) -> tuple[Part, ...]:
        dom, tags, top, span = self._dom, self._dom.tags, self._top, self._span
        node, stop = span.start, span.stop
        ends, names = dom.end[span].tolist(), dom.tag[span].tolist()
        needed = (self._wanted | self._media).tolist()
        shown = (visible_nodes(self._page)[span] | dom.is_text[span]).tolist()
        while node < stop:
            self._close(node)
            name, end = tags[names[node - top]], ends[node - top]
            if name == "#text":
                self._text(node)
                node += 1
                continue
            if name == "br":
                self._break()
            elif needed[node - top] and (shown[node - top] or name in ("math", "script", "noscript")):
                if self._element(node, name, end):
                    node += 1
                    continue
            elif name in ("td", "th") and self._frames[-1].kind == "row":
                self._frames[-1].children.append(Part("cell", node, (), self._cell(node)))
            elif not is_inline(name) and name not in _DROPPED:
                self._flush()
            node = end
        self._close(len(dom))
        self._flush()
        return tuple(self._frames[0].children)

    # Elements.

    def _element(self, node: int, name: str, end: int) -> bool:
        """Begin an element; False if everything in it has been read."""
        if name in _DROPPED and name not in ("noscript", *EMBEDDED):
            if name == "script":
                self._math(node)
            return False
        classes = (self._dom.get(node, "class") or "").lower().split()
        if not {"mw-editsection", "editsection", "secedit"}.isdisjoint(classes):
            return False
        if self._after_formula() and self._dom.get(node, "aria-hidden") == "true":
            return False  # the formula as it is rendered
        if name in self._readers:
            self._readers[name](node)
            return False
        if (
            name == "a"
            and not self._dom.text_of(node).strip(PERMALINKS)
            and not self._media[node - self._top]
        ):
            return False
        if is_inline(name):
            self._begin_inline(node, name, end)
            return True
        if name in ("td", "th") and self._is_gutter(node):
            return False
        self._flush()
        kind, attributes = self._kind(node, name)
        self._nested += kind in _NESTED
        self._frames.append(_Open(kind, node, end, attributes))
        self._holders += self._frames[-1:] if kind else []
        return True

    def _kind(self, node: int, name: str) -> tuple[str, dict[str, Any]]:
        """Return the kind of part of a block element, "" for none, and its attributes."""
        kind, around = _KINDS.get(name, ""), self._holders[-1].kind
        deep = kind in _NESTED and self._nested >= MOST_NESTED
        arranges = kind == "table" and not is_data(self._dom, self._blocks, node)
        if deep or arranges or _WITHIN.get(kind, around) != around:
            return "", {}
        if kind == "heading":
            return kind, {"level": int(name[1])}
        if kind == "list":
            return kind, self._list(node, name)
        return kind, self._cell(node) if kind == "cell" else {}

    def _list(self, node: int, name: str) -> dict[str, Any]:
        if name != "ol":
            return {"ordered": False}
        start = small_number(self._dom.get(node, "start") or "", 6)
        return {"ordered": True, "start": 1 if start is None else start}

    def _cell(self, node: int) -> dict[str, Any]:
        attributes: dict[str, Any] = {"header": True} if self._dom.name(node) == "th" else {}
        values = self._dom.attributes(node)
        for name, most in (("colspan", 1000), ("rowspan", 65534)):  # the limits of the HTML standard
            if (number := small_number(values.get(name, ""), 5) or 0) > 1:
                attributes[name] = min(number, most)
        return attributes

    def _is_gutter(self, node: int) -> bool:
        """Whether a cell contains the line numbers of the code in the next cell."""
        dom, end = self._dom, int(self._dom.end[node])
        start, stop = int(dom.text_start[node]), int(dom.text_start[end])
        if dom.text[start : min(start + 20, stop)].lstrip()[:1] != "1":
            return False
        after = dom.tag[end : dom.end[dom.parent[node]]]
        code = bool(np.isin(after, [dom.tag_number("pre"), dom.tag_number("code")]).any())
        # of each text, since a <br> between two numbers has none
        lines = [line for k in range(node, end) if dom.is_text[k] for line in dom.text_of(k).split()]
        return code and lines[0] == "1" and all(map(str.isdecimal, lines))

    # Lines.

    def _text(self, node: int) -> None:
        dom = self._dom
        if self._kept[node - self._top]:
            block = int(self._block[node - self._top])
            if not self._runs:
                self._run_block = block
            start, stop = dom.text_start[node : node + 2].tolist()  # as dom.text_of, which is slower
            self._runs.append((dom.text[start:stop].replace("\xad", ""), tuple(self._marks)))
        elif self._block[node - self._top] >= 0:  # text of a block that is not content
            self._flush()

    def _break(self) -> None:
        """Break the line; two breaks end the paragraph."""
        for run, _ in reversed(self._runs):
            if isinstance(run, Part) and run.kind == "break":
                self._flush()
                return
            if isinstance(run, Part) or run.strip():
                self._runs.append((Part("break", self._frames[-1].node), ()))
                return

    def _begin_inline(self, node: int, name: str, end: int) -> None:
        kind, attributes = _MARKS.get(name, ""), dict[str, Any]()
        if kind == "link":
            href = self._dom.get(node, "href") or ""
            url = "" if href.startswith("#") else self._address(href)
            kind, attributes = kind if url else "", {"url": url}
            if node in self._notes:
                target, name = self._notes[node]
                kind, attributes = "link", {"url": f"#{target}", **({"id": name} if name else {})}
        plain = kind in ("strong", "emphasis") and self._holders[-1].kind in _PLAIN
        if kind and not plain and all(mark.kind != kind for mark in self._marks):
            self._marks.append(_Open(kind, node, end, attributes))

    def _annotate(self, node: int) -> None:
        """Add the annotation of the ruby base before this element."""
        for k, mark in enumerate(self._marks):
            if mark.kind == "ruby":
                mark.attributes["annotation"] = " ".join(self._dom.text_of(node).split())
                self._marks[k] = _Open("ruby", mark.node, mark.end, {})

    def _image(self, node: int) -> None:
        dom, name = self._dom, self._dom.name(node)
        read = {**dict.fromkeys(IMAGES, image_of), "noscript": image_without_scripts, "script": gist_of}.get(
            name, embedded_of
        )
        part = read(dom, self._base, node)
        if part is None:
            return
        before = self._pictures[-1] if self._pictures else None
        if name == "noscript" and before and before.node >= dom.parent[node]:
            before.attributes.update(part.attributes)
            return
        self._pictures = [part] if part.kind == "image" else []
        self._runs.append((part, tuple(self._marks)))

    def _address(self, href: str) -> str:
        """Return the absolute URL of a link or an image, empty for other addresses."""
        return resolved(self._base, href) if href else ""

    # Formulas and code.

    def _after_formula(self) -> Part | None:
        """Return the formula directly before the current position."""
        before = self._runs[-1][0] if self._runs else ""
        return before if isinstance(before, Part) and before.kind == "math" else None

    def _math(self, node: int) -> None:
        if part := formula_of(self._dom, node):
            self._add_math(part)

    def _add_math(self, part: Part) -> None:
        """Add a formula; the source after a formula replaces its rendering as MathML."""
        before, tex = self._after_formula(), part.attributes.get("tex")
        if before and tex and is_inline(self._dom.name(int(self._dom.parent[before.node]))):
            self._runs = self._runs[:-1] if before.attributes.get("tex", tex) == tex else self._runs
        self._runs.append((part, tuple(self._marks)))

    def _code(self, node: int) -> None:
        self._flush()
        code = code_of(self._dom, node, visible_nodes(self._page))
        if code:
            inside = slice(node - self._top, int(self._dom.end[node]) - self._top)
            kept = self._block[inside][self._kept[inside]]
            score = self._scores.get(int(kept[0]), 1.0) if len(kept) else 1.0
            self._emit(replace(code, score=score))

    # Closing.

    def _close(self, node: int) -> None:
        """Close the elements that end before this node."""
        while self._marks and self._marks[-1].end <= node:
            self._marks.pop()
        while self._frames[-1].end <= node:
            self._flush()
            frame = self._frames.pop()
            if not frame.kind:
                continue
            self._holders.pop()
            self._nested -= frame.kind in _NESTED
            if frame.kind in _PLAIN:
                for part in frame.children:
                    self._emit(part)
            else:
                self._emit_frame(frame)

    def _flush(self) -> None:
        """End the line: make a block of its texts."""
        if not self._runs:
            return
        runs, self._runs = self._runs, []
        if not (children := nested_runs(runs)):
            return
        leaf = self._holders[-1]
        kind = leaf.kind if leaf.kind in _PLAIN else "paragraph"
        node = self._frames[-1].node
        score = self._scores.get(self._run_block, 1.0)
        shown = [child for child in children if not isinstance(child, str) or child.strip()]
        kinds = {child.kind if isinstance(child, Part) else "text" for child in map(_unlinked, shown)}
        if kind == "paragraph" and kinds <= {"image", "embed", "break"}:
            images = tuple(child for child in shown if isinstance(child, Part) and child.kind != "break")
            parts = images if leaf.kind == "figure" else (Part("figure", node, images, {}, score),)
        elif kind == "paragraph" and kinds <= {"math", "break"}:
            formulas = (child for child in shown if isinstance(child, Part) and child.kind == "math")
            shows = {"display": True}
            parts = tuple(
                replace(formula, attributes={**formula.attributes, **shows}, score=score)
                for formula in formulas
            )
        else:
            attributes = dict(leaf.attributes) if kind == "heading" else {}
            parts = (Part(kind, node, children, attributes, score),)
        for part in parts:
            self._emit(part)

    def _emit_frame(self, frame: _Open) -> None:
        """Add the part of a closed element; empty ones and rows of empty cells are left out."""
        kind, children = frame.kind, frame.children
        inside = (part.kind for child in children for part in child.walk())
        images = kind == "figure" and any(name in ("image", "embed") for name in inside)
        if kind == "row" and not any(cell.children for cell in children):
            return
        if kind == "figure" and not images:
            for child in children:
                self._emit(child)
        elif children or kind == "cell":
            score = max((child.score for child in children), default=1.0)
            self._emit(Part(kind, frame.node, tuple(children), frame.attributes, score))

    def _emit(self, part: Part) -> None:
        """Add a part to the nearest open part, inside an item or a definition where that needs one."""
        around, members = self._holders[-1].children, _MEMBERS.get(self._holders[-1].kind, ())
        if part.kind == "item" and len(part.children) == 1 and next(part.parts).kind == "list":
            around += next(part.parts).parts  # a list whose only item is a list
            return
        if part.kind == "list" and members == ("item",) and around:
            around[-1] = replace(around[-1], children=(*around[-1].children, part))
            return
        if members and part.kind not in members:
            if members[0] == "row":
                part = Part("cell", part.node, (part,))
            part = Part(members[0], part.node, (part,), {}, part.score)
        around.append(part)


def _unlinked(child: Part | str) -> Part | str:
    """Return the only part in a link, or the child itself."""
    if isinstance(child, Part) and child.kind == "link" and len(child.children) == 1:
        return child.children[0]
    return child


@cached_on_page
def block_of(page: Page, blocks: TextBlocks) -> Int32:
    """(n,) the number of the block of each visible text node, -1 for none."""
    dom, numbers = page.dom, np.full(len(page.dom), -1, np.int32)
    if len(blocks):
        node = np.flatnonzero(dom.is_text)
        node = node[visible_nodes(page)[node] | ~has_text(dom)[node]]
        block = np.searchsorted(blocks.first, node, side="right") - 1
        inside = (block >= 0) & (node <= blocks.last[block])
        numbers[node[inside]] = block[inside]
    return numbers


@cached_on_page
def _media_of(page: Page) -> tuple[Bool, Bool]:
    """Return (n,) the images and formulas of a page, and (n,) what is in them, hidden, or no text."""
    dom = page.dom
    is_visual = dom.tagged(*IMAGES, "math", *EMBEDDED)
    media = is_visual.copy()
    noscripts = dom.find_tag("noscript")
    media[[node for node in noscripts.tolist() if "<img" in dom.text_of(node)]] = True
    scripts = dom.nodes_where("type", _IS_TEX)
    media[scripts[dom.tagged("script")[scripts]]] = True
    if not media.any():
        return media, media
    hidden = np.zeros(len(dom), bool)
    hidden[dom.nodes_where("aria-hidden", _IS_TRUE)] = True
    silent = is_visual | dom.tagged("script", "style", "noscript")
    return media, dom.inside(hidden) | dom.inside(silent)


def _top(dom: Dom, first: int, last: int) -> int:
    """Return the lowest block element with all content; of a part of a table or of code the whole."""
    top = first
    while dom.end[top] <= last or is_inline(dom.name(top)) or dom.tag[top] == 0:
        top = int(dom.parent[top])
    above = (top, *dom.ancestors(top))
    code = next((node for node in above if dom.name(node) == "pre"), -1)
    if code >= 0:
        return code
    while dom.name(top) in ("tr", "tbody", "thead", "tfoot") or dom.name(int(dom.parent[top])) == "dl":
        top = int(dom.parent[top])
    return top
