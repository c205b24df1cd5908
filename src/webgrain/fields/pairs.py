"""Pairs of a label and a value on a page: terms and descriptions, heads and cells of rows, ``Label: value``.

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
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from webgrain.fields.fieldkernel import COLON, INLINE, LABEL, WHOLE
from webgrain.fields.slots import held_texts
from webgrain.fields.thresholds import LONGEST_LABEL, MAX_PAIRS
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.page import Page
from webgrain.page.text import is_inline

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
