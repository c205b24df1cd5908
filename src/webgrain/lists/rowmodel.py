"""The probability that a row of a list is a record of it, rather than a heading, a message or a pager.

A logistic model of two numbers of a row, both compared with the other rows of its list:

    lacks      share of the usual columns that the row lacks; a column is usual if most rows have it
    shorter    by how much the logarithm of the characters of the row is below that of the median row

The weights are learnt by ``experiments/training/lists.py`` from rows of lists that are right, of sites with
known records. So the probability is that of the row if the list is right; `Listing.probability` is that of
the list.

Cost: a few steps for each value of the list.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.base.modelfile import intact, read_model
from webgrain.lists.columnkernel import lacks_and_characters
from webgrain.lists.thresholds import TYPICAL

FORMAT, VERSION = "webgrain rows of lists", 1
ROW_FEATURES = ("lacks", "shorter")
_SHORT = 5.0
"""Characters that are added to those of a row, so that short texts differ little."""


class RowModel(NamedTuple):
    """A logistic model of rows: the weights (2,) of `ROW_FEATURES`, and the constant term."""

    weight: Float64
    bias: float

    def probability(self, features: Float64) -> Float64:
        """Return the probability (i,) that rows are records of their list; features (i, 2)."""
        probability: Float64 = 1.0 / (1.0 + np.exp(-(features @ self.weight + self.bias)))
        return probability


def row_features(rows: int, columns: int, values: Int32) -> Float64:
    """Return the `ROW_FEATURES` (rows, 2) of the rows of a list.

    values (4, d): of each text the place, row by row, its begin and end, and a number that does not count
    here; see `webgrain.lists.recordkernel.read_records`.

    >>> place, end = [0, 1, 2, 3, 4, 5, 6], [9, 6, 9, 6, 9, 6, 9]  # the last row lacks the second column
    >>> values = np.array([place, [0] * 7, end, [0] * 7], np.int32)
    >>> row_features(4, 2, values).round(2).tolist()
    [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.5, 0.36]]
    """
    lacks, characters = lacks_and_characters(rows, columns, values, TYPICAL)
    ordered = np.sort(characters)
    usual = (ordered[(rows - 1) // 2] + ordered[rows // 2]) / 2.0  # the median
    shorter = np.log((usual + _SHORT) / (characters + _SHORT))
    return np.stack([lacks, np.maximum(shorter, 0.0)], axis=1)


@cache
def trained_rows() -> RowModel:
    """Return the model that comes with webgrain, read once."""
    with as_file(files("webgrain.lists") / "trained" / "rows.json") as path:
        content = read_model(path, FORMAT, VERSION)[0]
        with intact(path, "weights of rows"):
            weights = [float(content["weights"][name]) for name in ROW_FEATURES]
            return RowModel(np.array(weights), float(content["bias"]))
