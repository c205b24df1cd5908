"""Tag and class counts with k-means, a common way to group pages by template; k must be known.

A page is the vector of the logarithms of the counts of each ``tag.class``, of unit length; a ``tag.class`` on
one page only is left out.
"""

from __future__ import annotations

import numpy as np

from webgrain.arrays import Float64, Int32
from webgrain.errors import ParameterError, require
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.results import canonical


def tag_class_clusters(counts: PathCounts, k: int, random_state: int = 0) -> Int32:
    """Return the clusters (p,) of the pages that were counted; needs the extra ``learn``.

    `ParameterError` unless 1 <= k <= pages.
    """
    if not 1 <= k <= len(counts):
        raise ParameterError(f"k must be in 1..{len(counts)}, the number of pages, got {k}.")
    cluster = require("sklearn.cluster", "learn", "k-means")
    found = cluster.KMeans(k, n_init=4, random_state=random_state).fit_predict(tag_class_table(counts))
    return canonical(found)


def tag_class_table(counts: PathCounts) -> Float64:
    """Return the pages (p, f) by the tags with classes that at least two have, rows of unit length."""
    names: dict[str, int] = {}
    columns = [
        [names.setdefault(name, len(names)) for name in (f"{step.tag}.{c}" for c in step.classes or ("",))]
        for step in counts.vocabulary.steps
    ]
    table = np.zeros((len(counts), len(names)))
    for row, record in zip(table, counts.records, strict=True):
        for step, count in zip(record.step.tolist(), record.count.tolist(), strict=True):
            for column in columns[step]:
                row[column] += count
    table = np.log1p(table[:, (table > 0).sum(0) >= 2])
    unit: Float64 = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
    return unit
