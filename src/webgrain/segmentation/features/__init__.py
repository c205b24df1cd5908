"""Features of nodes, segments and units of a page.

A table beside a module, such as ``units.csv``, defines name, unit, bounds and meaning of each feature that
the module computes. Models store the features by name.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from webgrain.base.arrays import Float64

View = Literal["visual", "content", "structure"]
VIEWS: tuple[View, ...] = get_args(View)
"""Groups of features."""


class Feature(NamedTuple):
    """One column of a matrix of features.

    view: ``visual``: appearance and position, which only a page with a `webgrain.page.page.View` has;
    ``content``: texts, links, images, headings; ``structure``: tags, classes, the tree.
    """

    name: str
    unit: str
    low: float
    high: float
    view: View
    meaning: str


def read_features(module: str) -> tuple[Feature, ...]:
    """Return the features in the table beside a module, in the order of the columns.

    module: the file of the module, with the name of the table.

    >>> read_features(str(Path(__file__).with_name("units.py")))[0].name
    'linked text'
    """
    with Path(module).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Feature(row["name"], row["unit"], float(row["low"]), float(row["high"]), view, row["meaning"])
            for row in csv.DictReader(file)
            for view in VIEWS
            if row["view"] == view
        )


def without_boxes(features: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Return the features of a page without a `webgrain.page.page.View`: all but the visual ones.

    >>> without_boxes(read_features(str(Path(__file__).with_name("units.py"))))[-1].view
    'structure'
    """
    return tuple(feature for feature in features if feature.view != "visual")


def bounds(features: tuple[Feature, ...]) -> tuple[Float64, Float64]:
    """Return the lower and upper bounds (f,) of features."""
    return np.array([feature.low for feature in features]), np.array([feature.high for feature in features])
