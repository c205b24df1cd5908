"""Choices: what the pages of a template choose at its operators, as counts.

The content of a TAG is a sequence of parts. For each element that stands for the TAG, a page chooses

    which parts it has        OPT, STAR and ALT, and the parts that all pages of the template have
    what follows what         the places within one part: the order in a STAR of several places, ALT
    how long a STAR is        in classes: 1, 2 and 3, 4 to 7, ...

`webgrain.templates.likelihood` counts them, and compares later pages with them. A page counts once for each
element, place or part, however often it has it: with the shares of what it chooses there.

In a template file the counts are with the nodes. ``used`` is at a part; ``lengths`` at a part with a STAR;
``after`` at a place, the number of the place before, from 1 in the order of the part, 0 if it is the first,
and the pages; ``last`` at a place, the pages on which the part ends there:

    {"depth": 3, "op": "star", "used": 14.5, "lengths": [0, 2, 11.5, 1, 0, 0, 0, 0], ...},
    {"depth": 4, "op": "tag", "symbols": [[15, "dt"]], "after": [[0, 14.5], [2, 13]], ...}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.templates.matchkernel import LENGTHS


@dataclass(frozen=True, eq=False)
class Choices:
    """Counts of the choices of some pages; empty (m = 0) if nothing was learnt.

    Attributes:
        used: (m,) float64, at a part the pages with it: the sum of the shares of the elements that have it.
        context, outcome: (r,) int32, by context: a place and the one that follows it in the same part. Of the
            first place, the context is the part; of the last one in no STAR, the outcome is -1.
        weight: (r,) float64, the pages that have each of them: the sum of the shares of the context.
        lengths: (m, 8) float64, at a part the pages with each class of lengths, as shares of their runs.
    """

    used: Float64 = field(default_factory=lambda: np.zeros(0))
    context: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))
    outcome: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))
    weight: Float64 = field(default_factory=lambda: np.zeros(0))
    lengths: Float64 = field(default_factory=lambda: np.zeros((0, LENGTHS)))

    def __len__(self) -> int:
        return len(self.used)


def choice_records(choices: Choices, part: Int32, places: Sequence[int]) -> list[dict[str, Any]]:
    """Return the counts of each template node as plain values; part (m,), places: as of `choices_of`."""
    records: list[dict[str, Any]] = [{} for _ in part]
    if not len(choices):
        return records
    number = {place: k for of_part in _places(part, places).values() for k, place in enumerate(of_part, 1)}
    for node in np.flatnonzero(choices.used).tolist():
        records[node]["used"] = float(choices.used[node])
    for node in np.flatnonzero(choices.lengths.any(axis=1)).tolist():
        records[node]["lengths"] = choices.lengths[node].tolist()
    rows = zip(choices.context.tolist(), choices.outcome.tolist(), choices.weight.tolist(), strict=True)
    for context, outcome, weight in rows:
        if outcome < 0:
            records[context]["last"] = weight
        else:
            records[outcome].setdefault("after", []).append([number.get(context, 0), weight])
    return records


def choices_of(records: Sequence[Mapping[str, Any]], part: Int32, places: Sequence[int]) -> Choices:
    """Return the counts in the records of the nodes; empty if no node has any.

    part (m,): of `Template`; places: the TAGs. Numbers of places that do not exist are left out, since nodes
    may have been removed from a file. Other values raise one of `webgrain.base.modelfile.DAMAGED`.
    """
    if not any("used" in record for record in records):
        return Choices()
    m = len(records)
    used = np.zeros(m)
    lengths = np.zeros((m, LENGTHS))
    of_part = _places(part, places)
    pairs: dict[tuple[int, int], float] = {}
    for node, record in enumerate(records):
        used[node] = _weight(record.get("used", 0.0))
        if "lengths" in record:
            lengths[node] = list(map(_weight, record["lengths"]))
        if "last" in record:
            pairs[node, -1] = _weight(record["last"])
        x = int(part[node])
        contexts = [x, *of_part.get(x, ())]
        for k, weight in record.get("after", ()):
            if 0 <= k < len(contexts):
                pairs[contexts[k], node] = _weight(weight)
    context, outcome = np.array(sorted(pairs), np.int32).reshape(-1, 2).T.copy()
    weight = np.array([pairs[pair] for pair in sorted(pairs)], np.float64)
    return Choices(used, context, outcome, weight, lengths)


def _places(part: Int32, places: Sequence[int]) -> dict[int, list[int]]:
    """Return the places of each part, in order."""
    of_part: dict[int, list[int]] = {}
    for place in places:
        of_part.setdefault(int(part[place]), []).append(place)
    return of_part


def _weight(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**31:
        raise ValueError(f"expected a number of pages, got {value!r}")
    return float(value)
