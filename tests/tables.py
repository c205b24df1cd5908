"""Tables of features with their names, as the references of kernels give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from webgrain.base.arrays import Float32, Float64

FeatureColumn = tuple[str | Sequence[str], Float64 | Float32]
FeatureColumns = Iterator[FeatureColumn]
"""Features with their names: one (b,), or several (k, b) or (k, 1)."""


def names_of(columns: FeatureColumns) -> tuple[str, ...]:
    """Return the names of features."""
    return tuple(chain.from_iterable([names] if isinstance(names, str) else names for names, _ in columns))


def table_of(columns: FeatureColumns, rows: int, names: Sequence[str]) -> Float32:
    """Return features as a table (rows, f), each feature contiguous in memory; names: of all of them."""
    table, at = np.empty((len(names), rows), np.float32), 0
    for named, values in columns:
        size = 1 if isinstance(named, str) else len(named)
        table[at : at + size] = values
        at += size
    return table.T
