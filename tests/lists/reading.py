"""Read single lists of a page, for tests."""

from __future__ import annotations

import numpy as np

from webgrain.base.arrays import Int64
from webgrain.lists import records
from webgrain.lists.candidates import ELEMENTS, Candidates
from webgrain.lists.records import KnownSelectors, Listing, ListRecords, read_lists
from webgrain.lists.selectors import SelectorSteps, locate, steps_of_items
from webgrain.page.page import Page


def candidate(start: Int64, stop: Int64, kind: int) -> Candidates:
    """Return the only candidate with these items."""
    return Candidates(start, stop, np.array([0, len(start)]), np.array([kind]))


def read_list(page: Page, start: Int64, stop: Int64, kind: int, probability: float = 1.0) -> Listing | None:
    """Return the list with these items; None if they do not differ."""
    return next(iter(read_lists(page, candidate(start, stop, kind), [probability], KnownSelectors())), None)


def find_items(page: Page, items: list[int]) -> SelectorSteps:
    """Return steps that select exactly these elements within their common ancestor."""
    start = np.array(items)
    read = records_of(page, start, page.dom.end[start].astype(np.int64), ELEMENTS)
    bits = records._BITS_OF_TAGS.values(page.dom.tags)
    arguments = bits, read.whole, read._places, read._paths, read._usual, read.columns[0]
    return steps_of_items(page.dom, locate(page.dom, start, read.stop - 1, arguments))


def records_of(page: Page, start: Int64, stop: Int64, kind: int) -> ListRecords:
    """Return what the kernel reads of these items, all of which are items."""
    text, [(count, *arrays)] = records._read(page, candidate(start, stop, kind))
    return ListRecords(page, start[:count], stop[:count], {}, text, *arrays)
