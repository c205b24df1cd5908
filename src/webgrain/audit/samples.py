"""Pages that stand for their type: those that are laid out, cut into segments and shown."""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import TYPE_CHECKING

from webgrain.audit.tables import read_rows
from webgrain.page.paths import text_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LARGEST = 20_000
"""Nodes of a page that is shown, at most: a browser shows larger ones, people do not look at them."""

TYPES = 40
"""Types of which pages are shown, at most: the largest."""


def choose_samples(parts: Iterable[Path], most: int) -> dict[str | None, list[str]]:
    """Return the ids of at most so many pages of each type, the best example first.

    Pages that fit the template of their type come before others, and those of the least hash before the
    rest, so that the choice depends on no order.
    """
    size = defaultdict[str | None, int](int)
    best = defaultdict[str | None, list[tuple[bool, int, str]]](list)
    for part in parts:
        for row in read_rows(part, ["page", "type", "fits", "nodes"]):
            kind = row["type"]
            size[kind] += 1
            if row["nodes"] <= LARGEST:
                rank = (row["fits"] is False, text_key(row["page"]), row["page"])
                best[kind] = heapq.nsmallest(most, [*best[kind], rank])
    largest = heapq.nlargest(TYPES, best, key=lambda kind: (size[kind], kind or ""))
    return {kind: [name for _, _, name in best[kind]] for kind in largest if best[kind]}
