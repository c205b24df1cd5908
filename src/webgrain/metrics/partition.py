"""Agreement of two partitions of the same things, such as the segments found on a page and the true ones.

Names of labels mean nothing, only who is together. All measures are computed from the contingency table of
the two partitions; two partitions of nothing, or of one thing, agree.

Sources: Hubert, Arabie, Comparing partitions, J. of Classification 2, 1985 (ARI); Strehl, Ghosh, Cluster
ensembles, JMLR 3, 2002 (NMI, geometric mean); Bagga, Baldwin, Algorithms for scoring coreference chains,
LREC 1998 (B-cubed).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


class BCubed(NamedTuple):
    """B-cubed precision and recall, and F1, their harmonic mean; 0..1."""

    precision: float
    recall: float
    f1: float


def contingency(truth: ArrayLike, found: ArrayLike, weight: ArrayLike | None = None) -> Floats:
    """Return the weight that each true part (rows) shares with each found part (columns).

    truth, found (n,): labels; weight (n,): of each thing, >= 0; without it each counts 1. `ParameterError`
    where the lengths differ or a weight is negative or not finite.

    >>> contingency([0, 0, 1], [5, 7, 7]).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    a, b = np.asarray(truth), np.asarray(found)
    if a.ndim != 1 or a.shape != b.shape:
        raise ParameterError(f"Expected two label arrays of one length, got shapes {a.shape} and {b.shape}.")
    w = np.ones(len(a)) if weight is None else np.asarray(weight, np.float64)
    if w.shape != a.shape or not (np.isfinite(w) & (w >= 0)).all():
        raise ParameterError(
            f"Expected {len(a)} finite weights of at least 0, got an array of shape {w.shape}."
        )
    rows, row = np.unique(a, return_inverse=True)
    columns, column = np.unique(b, return_inverse=True)
    size = (len(rows), len(columns))
    flat = np.bincount(row * size[1] + column, weights=w, minlength=size[0] * size[1])
    return flat.reshape(size).astype(np.float64)


def ari(truth: ArrayLike, found: ArrayLike) -> float:
    """Return the adjusted Rand index: 1 for the same partition, 0 on average for a random one.

    truth, found (n,): labels.

    >>> ari([0, 0, 1, 1], [1, 1, 0, 0]), ari([0, 0, 1, 1], [0, 0, 0, 0])
    (1.0, 0.0)
    """
    table = contingency(truth, found)
    together, true_pairs, found_pairs = (
        float(_pairs(counts).sum()) for counts in (table, table.sum(axis=1), table.sum(axis=0))
    )
    all_pairs = float(_pairs(table.sum()))
    if together == true_pairs == found_pairs:  # the same, or both trivial, where the index is 0 / 0
        return 1.0
    expected = true_pairs * found_pairs / all_pairs
    return (together - expected) / ((true_pairs + found_pairs) / 2 - expected)


def nmi(
    truth: ArrayLike, found: ArrayLike, average: Literal["geometric", "arithmetic"] = "geometric"
) -> float:
    """Return the normalised mutual information, 0..1; it does not adjust for chance as `ari` does.

    truth, found (n,): labels; average: the mean of the two entropies by which the information is divided.

    >>> [round(nmi([0, 0, 1, 1], [0, 1, 2, 3], average), 3) for average in ("geometric", "arithmetic")]
    [0.707, 0.667]
    """
    if average not in ("geometric", "arithmetic"):
        raise ParameterError(f"average must be 'geometric' or 'arithmetic', got {average!r}.")
    share = contingency(truth, found)
    share = share / max(share.sum(), 1.0)
    h_truth, h_found = _entropy(share.sum(axis=1)), _entropy(share.sum(axis=0))
    if h_truth == h_found == 0.0:  # one part each
        return 1.0
    mean = np.sqrt(h_truth * h_found) if average == "geometric" else (h_truth + h_found) / 2
    information = h_truth + h_found - _entropy(share.ravel())
    return min(1.0, max(0.0, float(information / mean))) if mean > 0 else 0.0


def b_cubed(truth: ArrayLike, found: ArrayLike, weight: ArrayLike | None = None) -> BCubed:
    """Return how pure the part is that a thing is put in (precision), and how much of its true part is there.

    Both are means over things. truth, found (n,): labels; weight (n,): things count by it, as members of a
    part and in the mean: characters or area (px²) instead of leaves. `ParameterError` as in `contingency`.

    >>> b_cubed([0, 0, 1, 1], [0, 0, 0, 0])
    BCubed(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    table = contingency(truth, found, weight)
    total = float(table.sum())
    if total == 0.0:
        return BCubed(1.0, 1.0, 1.0)
    square = table * table
    precision, recall = (
        float((square.sum(axis=axis) / np.maximum(table.sum(axis=axis), 1e-300)).sum()) / total
        for axis in (0, 1)
    )
    return BCubed(precision, recall, 2 * precision * recall / (precision + recall))


def _pairs(count: Any) -> Any:
    return count * (count - 1) / 2


def _entropy(share: Floats) -> float:
    share = share[share > 0]
    return max(0.0, -float((share * np.log(share)).sum()))
