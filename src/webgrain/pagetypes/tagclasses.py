"""Tag and class counts with k-means: how pages are grouped by template in practice today.

A page is the logarithms of how often it has each ``tag.class``, of unit length; those that are on fewer than
two pages are left out. k has to be known.
"""

from __future__ import annotations

import numpy as np

from webgrain.arrays import Float64, Int32
from webgrain.errors import ParameterError, require
from webgrain.pagetypes.pathcounts import SiteStatistics
from webgrain.results import canonical


def tag_class_clusters(statistics: SiteStatistics, k: int, random_state: int = 0) -> Int32:
    """Return the clusters (p,) of the pages that were counted; needs the extra ``learn``.

    `ParameterError` unless 1 <= k <= pages.
    """
    if not 1 <= k <= len(statistics):
        raise ParameterError(f"k must be in 1..{len(statistics)}, the number of pages, got {k}.")
    cluster = require("sklearn.cluster", "learn", "k-means")
    found = cluster.KMeans(k, n_init=4, random_state=random_state).fit_predict(tag_class_table(statistics))
    return canonical(found)


def tag_class_table(statistics: SiteStatistics) -> Float64:
    """Return the pages (p, f) by the tags with classes that at least two have, rows of unit length."""
    names: dict[str, int] = {}
    columns = [
        [names.setdefault(name, len(names)) for name in (f"{step.tag}.{c}" for c in step.classes or ("",))]
        for step in statistics.vocabulary.steps
    ]
    table = np.zeros((len(statistics), len(names)))
    for row, record in zip(table, statistics.records, strict=True):
        for step, count in zip(record.step.tolist(), record.count.tolist(), strict=True):
            for column in columns[step]:
                row[column] += count
    table = np.log1p(table[:, (table > 0).sum(0) >= 2])
    unit: Float64 = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
    return unit
