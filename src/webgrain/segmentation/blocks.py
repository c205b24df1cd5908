"""The tree of blocks of a page: which units people would mark, and which block is around each of them.

    facts --unit_features--> x (u, f) --UnitChance--> confidence (u,) --choose_blocks--> chosen units

A block is a unit that is one of the segments of a page, or that people would mark with a probability of at
least `MARKED`. So the tree contains larger blocks, such as a header with a logo and a menu, and smaller ones,
such as the items of a list that is a single segment. Siblings that look alike have equal probabilities, so
either all of them are blocks or none. The page as a whole is no block, unless it is a single segment.

Blocks that are more than `MAX_DEPTH` blocks deep are left out: so the texts of all blocks of a page have
at most that many times its size.

Cost: features of the units, which LearntCut also needs, and some passes over units and leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32, Int64
from webgrain.page.kernels.treepass import depths, innermost
from webgrain.page.outline import Outline
from webgrain.segmentation.features.facts import UnitFacts
from webgrain.segmentation.features.unitkernel import group_means
from webgrain.segmentation.features.units import alike_siblings
from webgrain.segmentation.learntcut import LEAST_CHANCE, UnitChance
from webgrain.segmentation.thresholds import MARKED, MAX_DEPTH


def confidence_of_units(facts: UnitFacts, x: Float64, model: UnitChance) -> Float64:
    """Return the probability (u,) that people would mark each unit; siblings that look alike have the same.

    x (u, f): of `unit_features`.
    """
    probability = model.chance(x).clip(LEAST_CHANCE, 1.0 - LEAST_CHANCE)
    odds = np.log(probability / (1.0 - probability))
    [even] = group_means(odds[None], alike_siblings(facts))
    confidence: Float64 = 1.0 / (1.0 + np.exp(-even))
    return confidence


def whole_units(outline: Outline, label: NDArray[np.integer[Any]]) -> Int64:
    """Return the segment (u,) that is equal to each unit, -1 for none; label (l,): the segment of each leaf.

    >>> from webgrain.page.outline import leaf_outline
    >>> from webgrain.page.parsing import parse
    >>> outline = leaf_outline(parse("<ul><li>1<li>2</ul><p>3"))  # body, ul, li, li, p
    >>> whole_units(outline, np.array([0, 0, 1])).tolist()
    [-1, 0, -1, -1, 1]
    """
    changes = np.concatenate([[0], np.cumsum(label[1:] != label[:-1])])
    first, last = outline.low, outline.high - 1
    of_unit = label[first].astype(np.int64)
    size = np.bincount(label[label >= 0], minlength=1)
    whole = (changes[first] == changes[last]) & (of_unit >= 0) & (size[of_unit] == outline.leaves)
    return np.where(whole, of_unit, -1)


def choose_blocks(outline: Outline, confidence: Float64, whole: Int64) -> tuple[Int64, Int32]:
    """Return the units (b,) that are blocks, ascending, and the number (b,) of the block around each.

    confidence (u,): of `confidence_of_units`; whole (u,): of `whole_units`.
    """
    chosen = (confidence >= MARKED) | (whole >= 0)
    chosen[0] = whole[0] >= 0
    units, around = _tree(outline, chosen)
    deep = depths(around) >= MAX_DEPTH
    if deep.any():
        chosen[units[deep]] = False
        units, around = _tree(outline, chosen)
    return units, around


def _tree(outline: Outline, chosen: Bool) -> tuple[Int64, Int32]:
    units = chosen.nonzero()[0]
    number = np.cumsum(chosen, dtype=np.int32) - 1
    nearest = innermost(outline.parent, chosen.view(np.uint8))
    above = outline.parent[units]
    block = nearest[np.maximum(above, 0)]
    return units, np.where((above >= 0) & (block >= 0), number[block], np.int32(-1)).astype(np.int32)


def blocks_by_depth(outline: Outline, units: Int64, around: Int32) -> Iterator[Int32]:
    """Yield the block (l,) of each leaf at each depth of the tree, -1 for none: disjoint blocks.

    >>> from webgrain.page.outline import leaf_outline
    >>> from webgrain.page.parsing import parse
    >>> outline = leaf_outline(parse("<ul><li>1<li>2</ul><p>3"))  # body, ul, li, li, p
    >>> [label.tolist() for label in blocks_by_depth(outline, np.array([1, 3]), np.array([-1, 0], np.int32))]
    [[0, 0, -1], [-1, 1, -1]]
    """
    depth = depths(around)
    for level in range(int(depth.max(initial=-1)) + 1):
        label = np.full(len(outline.leaf), -1, np.int32)
        here = (depth == level).nonzero()[0]
        first, last = outline.low[units[here]], outline.high[units[here]]
        inside = np.zeros(len(label) + 1, np.int32)
        inside[first] += 1
        inside[last] -= 1
        covered = np.cumsum(inside)[:-1] > 0
        started = np.zeros(len(label), np.int64)
        started[first] = 1
        label[covered] = here[np.cumsum(started)[covered] - 1]
        yield label
