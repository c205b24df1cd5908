"""Metrics: classes and probabilities, words and tokens of texts, and partitions.

Sources: Hubert, Arabie, Comparing partitions, J. of Classification 2, 1985 (ARI); Strehl, Ghosh, Cluster
ensembles, JMLR 3, 2002 (NMI with the geometric mean); Bagga, Baldwin, Algorithms for scoring coreference
chains, LREC 1998 (B-cubed).

    true, predicted         classes or labels (n,) of the same things; predicted None: no class was predicted
    probability, right      (n,) predicted probability of each, and whether the prediction is right
    token                   a sequence of letters and digits, lower-cased; each Chinese or Japanese character
    word                    a sequence of letters, digits and underscores, lower-cased

The names of the labels of a partition are ignored. All measures of partitions are computed from the
contingency table; two partitions of nothing, or of one thing, are equal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from webgrain.base.arrays import Bool, Float64, Int32
from webgrain.base.errors import ParameterError


def f1_by_class(true: Sequence[str], predicted: Sequence[str | None]) -> dict[str, float]:
    """Return the F1 of each class of ``true``: the harmonic mean of precision and recall.

    `ParameterError` for different lengths.

    >>> f1_by_class(["ad", "ad", "menu"], ["ad", "menu", "menu"])["menu"]
    0.6666666666666666
    """
    if len(true) != len(predicted):
        raise ParameterError(f"Expected two sequences of one length, got {len(true)} and {len(predicted)}.")
    hits = Counter(a for a, b in zip(true, predicted, strict=True) if a == b)
    count, named = Counter(true), Counter(predicted)
    return {name: 2.0 * hits[name] / (count[name] + named[name]) for name in sorted(count)}


class Bin(NamedTuple):
    """Things of similar probability: number and share, mean probability, and the share that is right."""

    things: int
    share: float
    probability: float
    right: float


def reliability(probability: Float64, right: Bool, weight: Float64 | None = None) -> list[Bin]:
    """Return the reliability curve: ten bins of equal width by probability, without empty bins.

    weight (n,): of the things in shares and means; None: equal ones.

    >>> reliability(np.array([0.95, 0.9, 0.1]), np.array([True, True, False]))[0]
    Bin(things=1, share=0.3333333333333333, probability=0.1, right=0.0)
    """
    weight = np.ones(len(right)) if weight is None else weight
    place = np.minimum((probability * 10).astype(np.intp), 9)
    bins = []
    for k in np.unique(place).tolist():
        is_inside = place == k
        inside = weight * is_inside
        total = inside.sum()
        bins.append(
            Bin(
                things=int(is_inside.sum()),
                share=float(total / weight.sum()),
                probability=float(inside @ probability / total),
                right=float(inside @ right / total),
            )
        )
    return bins


def calibration_error(probability: Float64, right: Bool, weight: Float64 | None = None) -> float:
    """Return the expected calibration error: the mean of |probability - share that is right|; 0 is best.

    >>> round(calibration_error(np.array([0.8, 0.8]), np.array([True, False])), 3)
    0.3
    """
    return sum(b.share * abs(b.probability - b.right) for b in reliability(probability, right, weight))


def area_under_curve(score: Float64, right: Bool, weight: Float64 | None = None) -> float:
    """Return the area under the ROC curve: the probability that a right thing scores above a wrong one.

    nan if all things are right or all are wrong. Ties count half. weight (n,): None: equal ones.

    >>> area_under_curve(np.array([0.9, 0.4, 0.5]), np.array([True, True, False]))
    0.5
    """
    if not 0 < right.sum() < len(right):
        return float("nan")
    weight = np.ones(len(right)) if weight is None else weight
    _, place = np.unique(score, return_inverse=True)
    good = np.bincount(place, weight * right)
    bad = np.bincount(place, weight * ~right)
    bad_below = np.cumsum(bad) - bad / 2
    return float(good @ bad_below / (good.sum() * bad.sum()))


ALONE = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
TOKEN = rf"[{ALONE}]|(?:(?![{ALONE}])[^\W_])+"
"""An expression that is compiled at its first use, which takes several milliseconds."""


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, in order.

    >>> tokens("It's Flink 1.9, 新闻!")
    ['it', 's', 'flink', '1', '9', '新', '闻']
    """
    return re.findall(TOKEN, text.lower())


_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Return the words of a text, in order: the words of the word F1.

    >>> words("It's a_b 1.9")
    ['it', 's', 'a_b', '1', '9']
    """
    return _WORD.findall(text.lower())


class BagScore(NamedTuple):
    """Share of predicted things that are true, share of true things that are predicted, harmonic mean."""

    precision: float
    recall: float
    f1: float


def bag_score(true: Counter[str], predicted: Counter[str]) -> BagScore:
    """Return the agreement of two bags: each thing counts as often as both have it; two empty bags agree.

    >>> bag_score(Counter("aab"), Counter("abbb"))
    BagScore(precision=0.5, recall=0.6666666666666666, f1=0.5714285714285714)
    """
    total = true.total() + predicted.total()
    if total == 0:
        return BagScore(1.0, 1.0, 1.0)
    common = (true & predicted).total()
    precision = common / max(predicted.total(), 1)
    recall = common / max(true.total(), 1)
    return BagScore(precision, recall, 2 * common / total)


def word_score(true: str, predicted: str) -> BagScore:
    """Return precision, recall and F1 of the words of a text; their order is ignored.

    >>> word_score("The quick brown fox", "the brown")
    BagScore(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    return bag_score(Counter(words(true)), Counter(words(predicted)))


class BCubed(NamedTuple):
    """B-cubed precision and recall, and F1, their harmonic mean; 0..1."""

    precision: float
    recall: float
    f1: float


def contingency(truth: ArrayLike, predicted: ArrayLike, weight: ArrayLike | None = None) -> Float64:
    """Return the weight that each true part (rows) shares with each predicted part (columns).

    truth, predicted (n,): labels; weight (n,): of each thing, >= 0; None: each has weight 1. `ParameterError`
    if the lengths differ or a weight is negative or not finite.

    >>> contingency([0, 0, 1], [5, 7, 7]).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    a, b = np.asarray(truth), np.asarray(predicted)
    if a.ndim != 1 or a.shape != b.shape:
        raise ParameterError(f"Expected two label arrays of one length, got shapes {a.shape} and {b.shape}.")
    w = np.ones(len(a)) if weight is None else np.asarray(weight, np.float64)
    if w.shape != a.shape or not (np.isfinite(w) & (w >= 0)).all():
        raise ParameterError(
            f"Expected {len(a)} finite weights of at least 0, got an array of shape {w.shape}."
        )
    rows, row = np.unique(a, return_inverse=True)
    columns, column = np.unique(b, return_inverse=True)
    cell = row * len(columns) + column
    flat = np.bincount(cell, weights=w, minlength=len(rows) * len(columns))
    return flat.reshape(len(rows), len(columns)).astype(np.float64)


def ari(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Return the adjusted Rand index: 1 for the same partition, 0 on average for a random one.

    truth, predicted (n,): labels.

    >>> ari([0, 0, 1, 1], [1, 1, 0, 0]), ari([0, 0, 1, 1], [0, 0, 0, 0])
    (1.0, 0.0)
    """
    table = contingency(truth, predicted)
    together = _pairs(table)
    true_pairs = _pairs(table.sum(axis=1))
    predicted_pairs = _pairs(table.sum(axis=0))
    if together == true_pairs == predicted_pairs:  # equal, or both trivial, when the index is 0 / 0
        return 1.0
    expected = true_pairs * predicted_pairs / _pairs(table.sum())
    return (together - expected) / ((true_pairs + predicted_pairs) / 2 - expected)


def nmi(
    truth: ArrayLike, predicted: ArrayLike, average: Literal["geometric", "arithmetic"] = "geometric"
) -> float:
    """Return the normalised mutual information, 0..1. It is not adjusted for chance, unlike `ari`.

    truth, predicted (n,): labels; average: the mean of the two entropies that normalises the information.

    >>> [round(nmi([0, 0, 1, 1], [0, 1, 2, 3], average), 3) for average in ("geometric", "arithmetic")]
    [0.707, 0.667]
    """
    if average not in ("geometric", "arithmetic"):
        raise ParameterError(f"average must be 'geometric' or 'arithmetic', got {average!r}.")
    share = contingency(truth, predicted)
    share = share / max(share.sum(), 1.0)
    h_truth = _entropy(share.sum(axis=1))
    h_predicted = _entropy(share.sum(axis=0))
    if h_truth == h_predicted == 0.0:  # one part each
        return 1.0
    mean = np.sqrt(h_truth * h_predicted) if average == "geometric" else (h_truth + h_predicted) / 2
    if mean <= 0:
        return 0.0
    information = h_truth + h_predicted - _entropy(share.ravel())
    return min(1.0, max(0.0, float(information / mean)))


def b_cubed(truth: ArrayLike, predicted: ArrayLike, weight: ArrayLike | None = None) -> BCubed:
    """Return the mean share of the predicted part of a thing that is in its true part, and vice versa.

    truth, predicted (n,): labels; weight (n,): weight of each thing in a part and in the mean, for example
    characters or area (px²). `ParameterError` as in `contingency`.

    >>> b_cubed([0, 0, 1, 1], [0, 0, 0, 0])
    BCubed(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    table = contingency(truth, predicted, weight)
    total = float(table.sum())
    if total == 0.0:
        return BCubed(1.0, 1.0, 1.0)
    precision = _mean_share(table, axis=0)
    recall = _mean_share(table, axis=1)
    return BCubed(precision, recall, 2 * precision * recall / (precision + recall))


def _mean_share(table: Float64, axis: int) -> float:
    """Return the mean share of the part of a thing that is in the same cell; axis: along which parts are."""
    square = table * table
    share = square.sum(axis=axis) / np.maximum(table.sum(axis=axis), 1e-300)
    return float(share.sum()) / float(table.sum())


def _pairs(count: NDArray[Any]) -> float:
    """Return the number of pairs within groups of these sizes."""
    return float((count * (count - 1) / 2).sum())


def _entropy(share: Float64) -> float:
    share = share[share > 0]
    return max(0.0, -float((share * np.log(share)).sum()))


def separate(labels: Int32) -> Int32:
    """Return the labels (l,) of leaves; each leaf without a label (-1) gets a unique one.

    >>> separate(np.array([-1, 0, -1, 0], np.int32)).tolist()
    [1, 0, 3, 0]
    """
    unique = labels.max(initial=-1) + 1 + np.arange(len(labels))
    return np.where(labels >= 0, labels, unique).astype(np.int32)
