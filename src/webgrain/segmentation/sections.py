"""Sections of a page: a heading and the siblings after it, where no element contains just these.

Many texts are flat: headings, paragraphs and lists are children of one element. A section is a heading and
its siblings up to the next heading of the same or a higher level, so sections are in sections. An element has
sections if two of its headings have the same level.

    h1 to h6     a unit that begins with such a heading and has beside it at most `BESIDE` leaves and no block
                 element, such as links for editing; its level is the number
    bold line    a line of bold text of at most `LONGEST` characters between paragraphs or line breaks, in an
                 element without other headings; the sections of an element have at least `LEAST_TEXT`
                 characters on average

Rows of tables and items of lists have no sections. Cost: some passes over nodes and units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64
from webgrain.page.dom import Dom
from webgrain.page.kernels.keytable import numbered
from webgrain.page.kernels.treepass import innermost
from webgrain.page.tagtables import HEADING_LEVELS, TagSet
from webgrain.segmentation.features.facts import UnitFacts
from webgrain.segmentation.sectionkernel import section_ends
from webgrain.segmentation.thresholds import BESIDE, LEAST_TEXT, LONGEST

_BOLD_LINE = 7
_BOLD = TagSet("b", "strong")
_BREAK = TagSet("br", "hr")
_WITHOUT = TagSet("table", "tbody", "thead", "tfoot", "tr", "ul", "ol", "dl", "menu", "select")


class Sections(NamedTuple):
    """Sections of a page in document order, arrays (k,).

    first, last: the units that are the heading and the last sibling; group: equal for the sections of an
    element that have one level, less than 0.
    """

    first: Int64
    last: Int64
    group: Int64


NO_SECTIONS = Sections(*np.zeros((3, 0), np.int64))


def sections_of(facts: UnitFacts) -> Sections:
    """Return the sections of a page.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.segmentation.features.facts import facts_of
    >>> page = parse("<h1>A</h1><h2>B</h2><p>b<p>c<h2>D</h2><p>d")  # body, h1, h2, p, p, h2, p
    >>> sections = sections_of(facts_of(page, False))
    >>> sections.first.tolist(), sections.last.tolist()
    ([2, 5], [4, 6])
    """
    outline = facts.outline
    if not len(outline):
        return NO_SECTIONS
    level = _heading_levels(facts)
    lines = _bold_lines(facts, level)
    level[lines] = _BOLD_LINE
    level[_WITHOUT.of_nodes(facts.dom)[outline.last[outline.parent]]] = 0
    [heading] = level.nonzero()
    if len(heading) < 2:
        return NO_SECTIONS
    last = section_ends(outline.parent, outline.end, level)[heading]
    group = -1 - (outline.parent[heading] * np.int64(_BOLD_LINE + 1) + level[heading])
    number, _, sizes = numbered(group.view(np.uint64))
    kept = (last >= 0) & (sizes[number] > 1)
    sections = Sections(heading[kept], last[kept].astype(np.int64), group[kept])
    if not len(lines):
        return sections
    return _with_text(facts, sections, level[sections.first] == _BOLD_LINE)


def _heading_levels(facts: UnitFacts) -> Int32:
    """Return the level (u,) of units that are headings h1 to h6, 0 of others."""
    dom, outline = facts.dom, facts.outline
    of_nodes = HEADING_LEVELS.of_nodes(dom)
    heading = innermost(dom.parent, (of_nodes > 0).view(np.uint8))[outline.leaf_node]
    of_leaves = np.where(heading >= 0, of_nodes[heading], 0).astype(np.int32)
    beside = _counts(of_leaves == 0, outline.low, outline.high)
    blocks = _counts(facts.is_block & (beside > 0), np.arange(len(outline)) + 1, outline.end)
    is_heading = (beside <= BESIDE) & (blocks == 0)
    level: Int32 = np.where(is_heading, of_leaves[outline.low], np.int32(0))
    return level


def _bold_lines(facts: UnitFacts, level: Int32) -> Int64:
    """Return the units that are bold lines in an element without headings; level (u,): of headings."""
    dom, outline = facts.dom, facts.outline
    bold = _BOLD.of_nodes(dom)
    if not bold.any():
        return np.zeros(0, np.int64)
    in_bold = innermost(dom.parent, bold.view(np.uint8))[outline.leaf_node] >= 0
    low, high = outline.low, outline.high
    is_line = _counts(~in_bold, low, high) == 0
    is_line &= _counts(facts.column("characters"), low, high) <= LONGEST
    has_headings = np.zeros(len(outline), bool)
    has_headings[outline.parent[level > 0]] = True
    is_line &= ~has_headings[outline.parent]
    if not is_line.any():
        return np.zeros(0, np.int64)
    begins, ends = _lines(dom, facts)
    lines: Int64 = (is_line & begins & ends).nonzero()[0]
    return lines


def _lines(dom: Dom, facts: UnitFacts) -> tuple[Bool, Bool]:
    """Return whether each unit (u,) begins a line, and whether another line follows it among its siblings."""
    outline = facts.outline
    is_block = facts.is_block
    breaks = np.append(0, np.cumsum(_BREAK.of_nodes(dom)))
    following = np.minimum(outline.end, len(outline) - 1)
    has_next = (outline.end < len(outline)) & (outline.parent[following] == outline.parent)
    [unit] = has_next.nonzero()
    after = following[unit]
    parted = breaks[outline.node[after]] > breaks[dom.end[outline.node[unit]]]
    parted |= is_block[unit] | is_block[after]
    begins, ends = np.ones(len(outline), bool), np.zeros(len(outline), bool)
    begins[after], ends[unit] = parted, parted
    return begins, ends


def _with_text(facts: UnitFacts, sections: Sections, is_bold: Bool) -> Sections:
    """Return the sections without those below bold lines (k,) that have little text on average."""
    outline = facts.outline
    text = _counts(facts.column("characters"), outline.low[sections.first], outline.high[sections.last])
    number, _, sizes = numbered(sections.group.view(np.uint64))
    mean = np.bincount(number, text)[number] / sizes[number]
    kept = ~is_bold | (mean >= LEAST_TEXT)
    return Sections(sections.first[kept], sections.last[kept], sections.group[kept])


def _counts(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the sums of values (l,) at the places ``low:high``."""
    before = np.zeros(len(values) + 1, np.int64 if values.dtype == bool else values.dtype)
    values.cumsum(out=before[1:])
    sums: np.ndarray = before[high] - before[low]
    return sums
