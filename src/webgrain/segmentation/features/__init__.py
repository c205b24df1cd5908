"""Features of nodes, pairs of leaves, segments and units of a page.

The tables ``nodes.csv``, ``pairs.csv``, ``segments.csv`` and ``units.csv`` define name, unit, bounds and
meaning of each feature; the modules of the same names compute them. Models store the features by name.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from webgrain.base.arrays import Float64

View = Literal["visual", "content", "structure"]
VIEWS: tuple[View, ...] = get_args(View)
"""Groups of features whose influence can be changed, see `webgrain.segmentation.costs.Emphasis`."""


class Feature(NamedTuple):
    """One column of a matrix of features.

    view: ``visual``: appearance and position; ``content``: texts, links, images, headings; ``structure``:
    tags, classes, the tree.
    """

    name: str
    unit: str
    low: float
    high: float
    view: View
    meaning: str


def read_features(table: str) -> tuple[Feature, ...]:
    """Return the features of one of the tables of this package, in the order of the columns.

    >>> read_features("nodes")[1].name
    'y'
    """
    with Path(__file__).with_name(f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Feature(row["name"], row["unit"], float(row["low"]), float(row["high"]), view, row["meaning"])
            for row in csv.DictReader(file)
            for view in VIEWS
            if row["view"] == view
        )


def bounds(features: tuple[Feature, ...]) -> tuple[Float64, Float64]:
    """Return the lower and upper bounds (f,) of features."""
    return np.array([feature.low for feature in features]), np.array([feature.high for feature in features])
