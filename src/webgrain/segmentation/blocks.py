"""The tree of blocks of a page: which units people would mark, and which block is around each of them.

    page --page_marks--> confidence (u,) --choose_blocks--> blocks

A block is a unit that is one of the segments of a page, or that people would mark with a probability of at
least `MARKED`. So the tree contains larger blocks, such as a header with a logo and a menu, and smaller ones,
such as the items of a list that is a single segment. Siblings that look alike have equal probabilities, so
either all of them are blocks or none. The page as a whole is no block, unless it is a single segment.
Sections, which are headings with the siblings below them (`webgrain.segmentation.sections`), are blocks, too.

Blocks that are more than `MAX_DEPTH` blocks deep are left out: so the texts of all blocks of a page have
at most that many times its size.

Cost: features of the units, which LearntCut also needs, and some passes over units and leaves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32, Int64
from webgrain.page.kernels.treepass import depths
from webgrain.page.outline import Outline
from webgrain.segmentation.sectionkernel import spans_around
from webgrain.segmentation.sections import NO_SECTIONS, Sections
from webgrain.segmentation.thresholds import MARKED, MAX_DEPTH


def whole_spans(low: Int32, high: Int32, label: NDArray[np.integer[Any]]) -> Int64:
    """Return the segment (k,) that is equal to each span of leaves ``low:high``, -1 for none.

    label (l,): the segment of each leaf.

    >>> from webgrain.page.outline import leaf_outline
    >>> from webgrain.page.parsing import parse
    >>> outline = leaf_outline(parse("<ul><li>1<li>2</ul><p>3"))  # body, ul, li, li, p
    >>> whole_spans(outline.low, outline.high, np.array([0, 0, 1])).tolist()
    [-1, 0, -1, -1, 1]
    """
    changes = np.concatenate([[0], np.cumsum(label[1:] != label[:-1])])
    last = high - 1
    segment = label[low].astype(np.int64)
    size = np.bincount(label[label >= 0], minlength=1)
    whole = (changes[low] == changes[last]) & (segment >= 0) & (size[segment] == high - low)
    return np.where(whole, segment, -1)


class Blocks(NamedTuple):
    """The blocks of a page in document order, arrays (b,).

    first, last: the units of a block, which are siblings; one unit but in sections. low, high: its leaves are
    ``low:high``. around: the number of the block around it, -1 for none.
    """

    first: Int64
    last: Int64
    low: Int32
    high: Int32
    around: Int32

    @property
    def is_section(self) -> Bool:
        """(b,) True at blocks of several units."""
        is_section: Bool = self.first < self.last
        return is_section


def choose_blocks(
    outline: Outline, confidence: Float64, whole: Int64, sections: Sections = NO_SECTIONS
) -> Blocks:
    """Return the blocks of a page: the chosen units, and all sections.

    confidence (u,): of `webgrain.segmentation.learntcut.page_marks`; whole (u,): of `whole_spans`.
    """
    chosen = (confidence >= MARKED) | (whole >= 0)
    chosen[:1] = whole[:1] >= 0
    units = chosen.nonzero()[0]
    first = np.concatenate([units, sections.first])
    last = np.concatenate([units, sections.last])
    order = np.lexsort((-outline.high[last], first))  # a section is around the unit of its heading
    blocks = _nested(outline, first[order], last[order])
    is_deep = depths(blocks.around) >= MAX_DEPTH
    return _nested(outline, blocks.first[~is_deep], blocks.last[~is_deep]) if is_deep.any() else blocks


def _nested(outline: Outline, first: Int64, last: Int64) -> Blocks:
    low, high = outline.low[first], outline.high[last]
    return Blocks(first, last, low, high, spans_around(low, high))
