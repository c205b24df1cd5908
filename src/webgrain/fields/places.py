"""Places of pages that may have the values of a field: slots of a template, labels, and proposals of fields.

A slot is a template node at which pages have texts, images or addresses. Its elements are those that hold a
text:

* the block of the text: a heading, a cell, a paragraph;
* an element within a line, such as a link or a ``<time>``, if it is a part of the block.

A block whose text outside of such parts is equal on all pages is no slot (``By`` <a>Kim</a>). Of template
nodes that pages have several times, each of the first few is a slot; the items of a list (``STAR``) are one
together, if they are short.

A label has a value beside it:

======  ====================================================================================
form    elements
======  ====================================================================================
dt      a ``<dt>`` and the ``<dd>`` behind it
th      a ``<th>`` and the ``<td>`` behind it, in a row in which they alternate
td      the two cells of a row, of which the first ends with a colon
inline  an element within a line that ends with a colon, and the next one or text behind it
text    a block that begins with a label and a colon; the value is the text behind it
line    the same of a line between ``<br>``
======  ====================================================================================

A `Proposal` is a place with its values on all pages, before it has a name and a selector.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64, UInt8, UInt64
from webgrain.base.properties import cached_property
from webgrain.fields.fieldkernel import COLON, INLINE, LABEL, PARTS, WHOLE, held_elements, stripped_sizes
from webgrain.fields.thresholds import (
    LONGEST_ITEM,
    LONGEST_LABEL,
    MAX_EQUAL,
    MAX_EQUAL_LABELLED,
    MAX_EQUAL_LISTS,
    MAX_PAIRS,
    MAX_PARTS,
    MAX_SLOTS,
    MIN_INNER_SHARE,
    MIN_ITEMS,
    MOST_ORDERS,
    SINGLE,
)
from webgrain.fields.thresholds import WHOLE as WHOLE_SHARE
from webgrain.fields.values import ADDRESSES, EDGES, between, type_of
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import any_above
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page
from webgrain.page.strings import letters_table, text_codes
from webgrain.page.tagtables import TagTable
from webgrain.page.text import is_inline, visible_texts
from webgrain.templates.crx import STAR, TAG
from webgrain.templates.template import Template

_DESCRIPTION = re.compile(r"(?<![a-z])description(?![a-z])", re.IGNORECASE)
_IS_INLINE = TagTable(is_inline, np.uint8)

Nodes = tuple[tuple[int, ...], ...]
"""The elements of each page."""


class Slot(NamedTuple):
    """A place at which pages have values.

    Attributes:
        place: the template node; -1 for none.
        attribute: where the values are, None for the text.
        nodes: the elements of each page.
        is_list: whether it is the items of a list.
        order: the number of the element, from 0, of a place at which pages have several; -1 for one at which
            they have one.
    """

    place: int
    attribute: str | None
    nodes: Nodes
    is_list: bool = False
    order: int = -1


class HeldTexts(NamedTuple):
    """The elements of a page that hold a text, in document order.

    Attributes:
        node: (h,) the elements; bits: (h,) of `webgrain.fields.fieldkernel`.
        key: (h,) of the text of each outside of its parts.
    """

    node: Int32
    bits: UInt8
    key: UInt64


@cached_on_page
def held_texts(page: Page) -> HeldTexts:
    """Return the elements of a page that hold a text.

    >>> from webgrain.page.parsing import parse
    >>> held_texts(parse("<h1><a>One</a></h1><p>by <a>Kim</a>")).node.tolist()
    [3, 6, 8]
    """
    dom = page.dom
    inline = _IS_INLINE.of_nodes(dom)
    text = text_codes(dom), dom.text_start, letters_table()
    tree = dom.parent, dom.end
    return HeldTexts(
        *held_elements(tree, inline, visible_texts(page).node, text, MAX_PARTS, WHOLE_SHARE, LONGEST_LABEL)
    )


def first_nodes(slots: Iterable[Slot], pages: int) -> Int64:
    """Return the first element (s, p) of each slot on each page, -1 for none; pages: their number."""
    firsts = [[nodes[0] if nodes else -1 for nodes in slot.nodes] for slot in slots]
    return np.array(firsts, np.int64).reshape(-1, pages)


def find_slots(template: Template, pages: Sequence[Page], labels: Sequence[Int32]) -> list[Slot]:
    """Return the slots of a template, in its order.

    labels: the template node (n,) of each node of each page, -1 for none.
    """
    counts = np.stack([np.bincount(at[at >= 0], minlength=len(template)) for at in labels])
    is_single: Bool = (counts <= 1).mean(axis=0) >= SINGLE
    is_several = ((template.op == TAG) & ~is_single).view(np.uint8)
    is_usual = (counts > 0).mean(axis=0) >= MIN_INNER_SHARE
    is_single &= is_usual | ~any_above(template.owner, is_several)
    slots = [*_text_slots(pages, labels, is_single), *_attribute_slots(pages, labels, is_single)]
    slots += _description_slots(template, labels, is_single)
    slots += _list_slots(template, pages, labels, counts)
    return sorted(slots, key=lambda slot: (slot.place, slot.attribute or "", slot.order))[:MAX_SLOTS]


def _text_slots(pages: Sequence[Page], labels: Sequence[Int32], is_single: Bool) -> Iterator[Slot]:
    """Yield the slots of texts; where pages have several, those of the first ones by their number.

    Where the text outside of parts is equal on all pages, it is a frame and no slot.
    """
    held = list(map(held_texts, pages))
    node, bits, key = map(np.concatenate, zip(*held, strict=True))
    place = np.concatenate([at[of_page.node] for at, of_page in zip(labels, held, strict=True)])
    page = np.repeat(np.arange(len(pages)), [len(of_page.node) for of_page in held])
    row = np.flatnonzero((place >= 0) & ((bits & WHOLE) > 0))
    of_page = place[row] * np.int64(len(pages)) + page[row]
    by_page = of_page.argsort(kind="stable")
    row, order = row[by_page], _places_in_runs(of_page[by_page])
    is_kept = order < np.where(is_single[place[row]], 1, MOST_ORDERS)
    row, order = row[is_kept], order[is_kept]
    slot = place[row] * np.int64(MOST_ORDERS) + order
    by_slot = slot.argsort(kind="stable")
    row, order = row[by_slot], order[by_slot]
    first = np.flatnonzero(_places_in_runs(slot[by_slot]) == 0)
    if not len(row):
        return
    has_parts = np.maximum.reduceat(bits[row] & PARTS, first) > 0
    is_frame = has_parts & (np.maximum.reduceat(key[row], first) == np.minimum.reduceat(key[row], first))
    nodes = np.full((len(first), len(pages)), -1)
    nodes[np.repeat(np.arange(len(first)), np.diff(first, append=len(row))), page[row]] = node[row]
    slots = place[row][first], np.where(is_single[place[row]], -1, order)[first], is_frame, nodes
    for at, number, is_left_out, of_pages in zip(*(column.tolist() for column in slots), strict=True):
        if not is_left_out:
            yield Slot(at, None, tuple([(x,) if x >= 0 else () for x in of_pages]), order=number)


def _places_in_runs(values: Int64) -> Int64:
    """Return the place (m,) of each value among equal ones that follow each other, from 0.

    >>> _places_in_runs(np.array([4, 4, 7, 9, 9, 9])).tolist()
    [0, 1, 0, 0, 1, 2]
    """
    number = np.arange(len(values))
    is_first = np.ones(len(values), np.bool_)
    is_first[1:] = values[1:] != values[:-1]
    return number - np.maximum.accumulate(np.where(is_first, number, 0))


def _description_slots(template: Template, labels: Sequence[Int32], is_single: Bool) -> Iterator[Slot]:
    """Yield the elements whose id or class names a description, with all that they contain."""
    names = [name for symbols in template.symbols if symbols for name in symbols[0].names]
    if not _DESCRIPTION.search(" ".join(names)):
        return
    for place in np.flatnonzero(is_single & (template.op == TAG)).tolist():
        symbol = template.symbols[place][0]
        if not is_inline(symbol.tag) and any(map(_DESCRIPTION.search, symbol.names)):
            nodes = tuple(tuple(np.flatnonzero(at == place).tolist()[:1]) for at in labels)
            yield Slot(place, None, nodes)


def _attribute_slots(pages: Sequence[Page], labels: Sequence[Int32], is_single: Bool) -> Iterator[Slot]:
    """Yield the slots of images, of addresses of links and of moments."""
    is_used = np.append(is_single, False)  # the last entry is for nodes without a template node
    for tag, attribute in (("img", "src"), ("a", "href"), ("time", "datetime")):
        nodes_at: dict[int, list[tuple[int, ...]]] = {}
        for number, (page, at) in enumerate(zip(pages, labels, strict=True)):
            nodes = page.dom.find_tag(tag)
            nodes = nodes[is_used[at[nodes]] & visible_nodes(page)[nodes]]
            for place, node in zip(at[nodes].tolist(), nodes.tolist(), strict=True):
                if place not in nodes_at:
                    nodes_at[place] = [()] * len(pages)
                nodes_at[place][number] += (node,)
        for place, of_pages in nodes_at.items():
            yield Slot(place, attribute, tuple(of_pages))


def _list_slots(
    template: Template, pages: Sequence[Page], labels: Sequence[Int32], counts: Int64
) -> Iterator[Slot]:
    """Yield the items of the outermost lists whose items have short texts, or images without text.

    counts: (p, m) the nodes of each page at each template node.
    """
    stars = np.flatnonzero((template.op == STAR) & template.is_list).tolist()
    items_of = {star: template.tags(star) for star in stars}
    items_of = {
        star: items
        for star, items in items_of.items()
        if median(counts[:, items].sum(axis=1).tolist()) >= MIN_ITEMS
    }
    nodes_of: dict[int, list[tuple[int, ...]]] = {star: [] for star in items_of}
    sizes_of: dict[int, list[int]] = {star: [] for star in items_of}
    is_item = np.zeros((len(items_of), len(template) + 1), np.bool_)  # the last column: no template node
    for number, items in enumerate(items_of.values()):
        is_item[number, items] = True
    for page, at in zip(pages, labels, strict=True):
        list_number, node = map(np.ascontiguousarray, is_item[:, at].nonzero())
        dom = page.dom
        sizes = stripped_sizes((text_codes(dom), dom.text_start, letters_table()), dom.end, node).tolist()
        nodes = node.tolist()
        starts = list_number.searchsorted(np.arange(len(items_of) + 1)).tolist()
        for star, (first, last) in zip(items_of, pairwise(starts), strict=True):
            nodes_of[star].append(tuple(nodes[first:last]))
            sizes_of[star] += sizes[first:last]
    end = 0
    for star, items in items_of.items():
        if star < end:
            continue
        size = median(sizes_of[star])
        if 0 < size <= LONGEST_ITEM:
            end = int(template.end[star])
            yield Slot(items[0], None, tuple(nodes_of[star]), is_list=True)
        elif size == 0:
            end = int(template.end[star])
            yield Slot(items[0], "src", tuple(_images(nodes_of[star], pages)), is_list=True)


def _images(nodes: Sequence[tuple[int, ...]], pages: Sequence[Page]) -> Iterator[tuple[int, ...]]:
    """Yield the images that are items, or within them, of each page."""
    for of_page, page in zip(nodes, pages, strict=True):
        images = page.dom.find_tag("img")
        items = np.array(of_page or (len(page.dom),))
        item = items[np.maximum(np.searchsorted(items, images, side="right") - 1, 0)]
        is_inside = (item <= images) & (images < page.dom.end[np.minimum(item, len(page.dom) - 1)])
        yield tuple(images[is_inside].tolist())


def median(values: Sequence[float]) -> float:
    """Return the median of some numbers, 0 for none; `numpy.median` takes longer for few.

    >>> median([3, 1, 2]), median([4, 1]), median([])
    (2, 2.5, 0)
    """
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2 if ordered else 0


# Labels

BEHIND_LABEL = ("text", "line")
"""Forms in which the label is in the same element as the value."""
_SPACES = re.compile(r"[ \t\r\n\f]+")
_LABELLED = re.compile(rf"(?P<label>[^\W\d_][^:：\n]{{0,{LONGEST_LABEL - 2}}}?)\s?[:：]\s+(?=\S)")
_NO_NAME = re.compile(r"[^\w]+")


class Pair(NamedTuple):
    """A label and its value.

    Attributes:
        form: see this module.
        label: the text of the label, as an XPath compares it.
        node: the element or the text of the value; of the forms `BEHIND_LABEL`, that of label and value.
    """

    form: str
    label: str
    node: int


def label_name(label: str) -> str:
    """Return a label as the name of a field; empty if it has no letter.

    >>> label_name("Publisher:"), label_name("ISBN-13 "), label_name("1:")
    ('publisher', 'isbn_13', '')
    """
    name = _NO_NAME.sub("_", label).strip("_").lower()[:LONGEST_LABEL]
    return name if re.search(r"[^\W\d_]", name) else ""


@cached_on_page
def label_pairs(page: Page) -> list[Pair]:
    """Return the pairs of a page, at most `MAX_PAIRS` of each form, in document order.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<dl><dt>ISBN<dd>12</dl><table><tr><th>Year<td>1999</table><p>Price: 5")
    >>> [(pair.form, pair.label, page.dom.text_of(pair.node)) for pair in label_pairs(page)]
    [('dt', 'ISBN', '12'), ('th', 'Year', '1999'), ('text', 'Price:', 'Price: 5')]
    """
    dom = page.dom
    pairs = [*_terms(dom), *_rows(dom), *_labelled(page)]
    return sorted(pairs, key=lambda pair: pair.node)


def _terms(dom: Dom) -> Iterator[Pair]:
    for term in dom.find_tag("dt").tolist()[:MAX_PAIRS]:
        node = int(dom.end[term])
        while node < len(dom) and dom.name(node) == "#text" and not dom.text_of(node).strip():
            node += 1
        if node < len(dom) and dom.name(node) == "dd" and (label := _label(dom, term)):
            yield Pair("dt", label, node)


def _rows(dom: Dom) -> Iterator[Pair]:
    for row in dom.find_tag("tr").tolist()[:MAX_PAIRS]:
        cells = [cell for cell in islice(dom.children(row), MAX_PAIRS) if dom.name(cell) in ("td", "th")]
        names = [dom.name(cell) for cell in cells]
        if names == ["th", "td"] * (len(names) // 2):
            for head, value in zip(cells[::2], cells[1::2], strict=True):
                if label := _label(dom, head):
                    yield Pair("th", label, value)
        elif names == ["td", "td"] and (label := _label(dom, cells[0]).rstrip()).endswith(":"):
            yield Pair("td", label, cells[1])


def _label(dom: Dom, node: int) -> str:
    """Return the text of an element with simple spaces; empty if it is too long for a label."""
    begin, end = int(dom.text_start[node]), int(dom.text_start[dom.end[node]])
    if end - begin > 10 * LONGEST_LABEL:
        return ""
    text = _SPACES.sub(" ", dom.text[begin:end]).strip(" ")
    return text if len(text) <= LONGEST_LABEL and label_name(text) else ""


def _labelled(page: Page) -> Iterator[Pair]:
    """Yield the blocks and lines that begin with a label and a colon, and have a value."""
    dom, (nodes, bits, _) = page.dom, held_texts(page)
    breaks = dom.find_tag("br")
    has_lines = breaks.searchsorted(nodes) < breaks.searchsorted(dom.end[nodes])
    is_begun = (bits & (LABEL | WHOLE)) == (LABEL | WHOLE)
    chosen = ((bits & INLINE) == 0) & np.where(has_lines, (bits & COLON) > 0, is_begun)
    count = 0
    for block, is_several in zip(nodes[chosen].tolist(), has_lines[chosen].tolist(), strict=True):
        if count > MAX_PAIRS:
            return
        for pair in _of_lines(dom, block) if is_several else _of_block(dom, block):
            count += 1
            yield pair


def _of_block(dom: Dom, block: int) -> Iterator[Pair]:
    """Yield the pair of a block without line breaks."""
    if label := _begin(dom, block):
        yield Pair("text", label, block)


def _of_lines(dom: Dom, block: int) -> Iterator[Pair]:
    """Yield the pairs of the lines of a block."""
    children = [child for child in dom.children(block) if dom.text_of(child).strip()]
    for child, following in zip(children, [*children[1:], -1], strict=True):
        if dom.name(child) == "#text":
            if label := _begin(dom, child):
                yield Pair("line", label, child)
        elif following >= 0 and is_inline(dom.name(child)):
            label = _label(dom, child)
            if label.endswith(":"):
                yield Pair("inline", label, following)


def _begin(dom: Dom, node: int) -> str:
    """Return the label and the colon with which a text begins; empty for none."""
    begin, end = int(dom.text_start[node]), int(dom.text_start[dom.end[node]])
    text = _SPACES.sub(" ", dom.text[begin : min(end, begin + 400)]).lstrip(" ")
    match = _LABELLED.match(text)
    return match[0].rstrip() if match and label_name(match["label"]) else ""


def pair_xpath(form: str, label: str, tag: str) -> str:
    """Return the XPath of the values with a label.

    tag: of the element with the value.

    >>> pair_xpath("dt", "ISBN", "dd")
    "//dt[normalize-space()='ISBN']/following-sibling::*[1][self::dd]"
    """
    quoted = _quoted(label)
    if form == "dt":
        return f"//dt[normalize-space()={quoted}]/following-sibling::*[1][self::dd]"
    if form == "th":
        return f"//tr[count(th)=count(td)]/th[normalize-space()={quoted}]/following-sibling::*[1][self::td]"
    if form == "td":
        first = f"td[1][starts-with(normalize-space(), {quoted})]"
        return f"//tr[count(th)+count(td)=2]/{first}/following-sibling::td"
    if form == "inline":
        return f"//*[normalize-space()={quoted}]/following-sibling::node()[normalize-space()][1]"
    name = "text()" if form == "line" else tag
    return f"//{name}[starts-with(normalize-space(), {quoted})]"


def _quoted(text: str) -> str:
    if "'" not in text:
        return f"'{text}'"
    return f'"{text}"' if '"' not in text else "''"


# Proposals

_RELATIVE = re.compile(r"^(?:\.\.?/)+")


class KnownPage(NamedTuple):
    """What is known of a page that fields are learnt from.

    Attributes:
        page: the page; labels: the template node (n,) of each of its nodes, -1 for none.
        stated: the values that it states, see `webgrain.fields.values.stated_values`.
        titles: the elements of its title; main: the element around its main content, -1 for none.
    """

    page: Page
    labels: Int32
    stated: Mapping[str, tuple[str, ...]]
    titles: tuple[int, ...]
    main: int


@dataclass(eq=False)
class Proposal:
    """What may be a field.

    Attributes:
        pages: that it is learnt from.
        slot: its elements.
        label: form and text of its label; None for none.
        texts: the texts of its elements on each page, without the words around.
        before, after: words around the value.
        name: empty until it is known; is_meant: whether it is one of a meaning, or that of a label.
        is_item: whether its elements are in items of a list of the page, or one of several at their place.
        attributes: those of its first element, and of a few elements above it, on the first page with one.
        distance: from the title, see `webgrain.fields.naming`.
    """

    pages: Sequence[Page]
    slot: Slot
    texts: list[list[str]]
    label: tuple[str, str] | None = None
    before: str = ""
    after: str = ""
    name: str = ""
    is_meant: bool = False
    is_item: bool = False
    attributes: Sequence[dict[str, str]] = ()
    distance: float = 0.0

    @cached_property
    def firsts(self) -> list[str]:
        """The first text on each page that has one."""
        return [of_page[0] for of_page in self.texts if of_page and of_page[0]]

    @cached_property
    def type(self) -> str:
        """The type of its values."""
        return "list" if self.slot.is_list else type_of(self.firsts, self.slot.attribute)

    @cached_property
    def share(self) -> float:
        """Share of the pages that have it."""
        return len(self.firsts) / max(len(self.pages), 1)

    @cached_property
    def lowered(self) -> str:
        """The first texts of all pages in lower case."""
        return "\n".join(self.firsts).lower()

    @cached_property
    def size(self) -> float:
        """Median of the characters of its texts."""
        return float(median([len(text) for of_page in self.texts for text in of_page]))

    def copy(self) -> Proposal:
        """Return an equal proposal without a name."""
        return replace(self, texts=list(self.texts), name="", is_meant=False)

    @cached_property
    def _values(self) -> Sequence[object]:
        """The values of the pages that have one."""
        if [of_page for of_page in self.texts if of_page[1:]]:
            return [tuple(of_page) for of_page in self.texts if any(of_page)]
        return self.firsts

    @cached_property
    def varies(self) -> bool:
        """Whether its values differ from page to page."""
        values = self._values
        if self.slot.attribute in ADDRESSES:  # relative ones differ from folder to folder
            values = [
                tuple(_RELATIVE.sub("", text) for text in of_page) for of_page in self.texts if any(of_page)
            ]
        distinct = len(set(values))
        if distinct < 2:
            return False
        most = 1 if distinct == len(values) else max(Counter(values).values())
        limit = MAX_EQUAL_LABELLED if self.label else MAX_EQUAL_LISTS if self.slot.is_list else MAX_EQUAL
        return most <= limit * len(values)

    @property
    def distinct(self) -> int:
        """The number of different values."""
        return len(set(self._values))

    @cached_property
    def first(self) -> tuple[Page, int]:
        """The first page that has it, and its first element there."""
        pairs = zip(self.pages, self.slot.nodes, strict=True)
        return next((page, nodes[0]) for page, nodes in pairs if nodes)

    @cached_property
    def names_around(self) -> list[str]:
        """The id and classes of its element, and of the element above it."""
        return [f"{values.get('id', '')} {values.get('class', '')}"[:300] for values in self.attributes[:2]]

    def thing(self, level: int) -> dict[str, str]:
        """Return the attributes of the nearest thing of microdata among the elements above, from a level.

        Empty without one.
        """
        page, node = self.first
        things = set(page.dom.find_attribute("itemscope")[1].tolist())
        above = page.dom.ancestors(node)[level - 1 :] if things else []
        thing = next((node for node in above if node in things), None)
        return {} if thing is None else page.dom.attributes(thing)

    def trimmed(self, before: str, after: str = "") -> None:
        """Leave out the words and the punctuation around the value."""
        self.before, self.after = before, after
        if before or after:
            texts = [[between(text, before, after) for text in of_page] for of_page in self.texts]
        else:
            texts = [
                [
                    text.strip(EDGES) if text and (text[0] in EDGES or text[-1] in EDGES) else text
                    for text in of_page
                ]
                for of_page in self.texts
            ]
        if texts == self.texts:
            return
        self.texts = texts
        for name in ("firsts", "type", "size", "share", "lowered", "_values", "varies"):
            self.__dict__.pop(name, None)
