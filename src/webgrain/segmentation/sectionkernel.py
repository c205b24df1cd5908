# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Sections of siblings below their headings, and the nesting of spans: passes over units and blocks."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])


def section_ends(parent: Ints, end: Ints, level: Ints):
    """Return the last unit (u,) int32 of the section that each heading begins, -1 for none.

    parent, end (u,) int32: of an outline; level (u,) int32: of a heading, the highest is 1, 0 for none. A
    section ends before the next sibling that is a heading of the same or a higher level, and contains a
    sibling that is no heading. Each sibling is visited once for each level.
    """
    last_array = np.full(len(level), -1, np.int32)
    last: IntBuffer = last_array
    for heading in range(1, len(level)):
        if level[heading] == 0:
            continue
        before: cython.Py_ssize_t = heading
        unit: cython.Py_ssize_t = end[heading]
        is_filled = False
        while unit < end[parent[heading]] and (level[unit] == 0 or level[unit] > level[heading]):
            is_filled = is_filled or level[unit] == 0
            before = unit
            unit = end[unit]
        if is_filled:
            last[heading] = before
    return last_array


def spans_around(low: Ints, high: Ints):
    """Return the number (b,) int32 of the smallest span around each span, -1 for none.

    low, high (b,) int32: nested spans, each after those around it.
    """
    around_array = np.full(len(low), -1, np.int32)
    around: IntBuffer = around_array
    for b in range(1, len(low)):
        outer = b - 1
        while outer >= 0 and high[outer] <= low[b]:
            outer = around[outer]
        around[b] = outer
    return around_array
