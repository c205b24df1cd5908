"""Metrics that only experiments and tests use: texts by their tokens, titles, pairs of duplicates, means.

Source of the pairs: Chakrabarti, Kumar, Punera, WWW 2008, table 2. The order of tokens is ignored, their
frequency is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from webgrain.base.errors import ParameterError
from webgrain.base.metrics import BagScore, bag_score, tokens


def token_f1(truth: str, found: str) -> BagScore:
    """Return the agreement of the tokens of two texts; two texts without tokens are equal.

    >>> token_f1("the quick brown fox", "the brown")
    BagScore(precision=1.0, recall=0.5, f1=0.6666666666666666)
    """
    return bag_score(Counter(tokens(truth)), Counter(tokens(found)))


def same_title(truth: str, found: str | None) -> bool:
    """Return whether two titles are equal except for case and white space.

    >>> same_title("A  Title", "a title"), same_title("A title", None)
    (True, False)
    """
    return found is not None and " ".join(truth.lower().split()) == " ".join(found.lower().split())


class PairScore(NamedTuple):
    """Numbers of pairs: found duplicates, all duplicates, unreported different pairs, all different pairs."""

    found: int
    duplicates: int
    kept: int
    different: int

    @property
    def found_share(self) -> float:
        """Share of the duplicates that are found; 1 without duplicates."""
        return self.found / self.duplicates if self.duplicates else 1.0

    @property
    def kept_share(self) -> float:
        """Share of the different pairs that are not reported; 1 without different pairs."""
        return self.kept / self.different if self.different else 1.0


def score_pairs(truth: ArrayLike, called: ArrayLike) -> PairScore:
    """Return how many pairs (p,) are classified right.

    truth: whether a pair is a duplicate; called: whether it is classified as one. `ParameterError` if the
    lengths differ.

    >>> score_pairs([True, True, False], [True, False, False])
    PairScore(found=1, duplicates=2, kept=1, different=1)
    """
    duplicate, found = np.asarray(truth, bool), np.asarray(called, bool)
    if duplicate.ndim != 1 or duplicate.shape != found.shape:
        shapes = f"{duplicate.shape} and {found.shape}"
        raise ParameterError(f"Expected two arrays of one length, got shapes {shapes}.")
    counts = (duplicate & found, duplicate, ~duplicate & ~found, ~duplicate)
    return PairScore(*(int(count.sum()) for count in counts))


def mean_of(trees: Sequence[Any]) -> Any:
    """Return the mean of nested figures; texts are counted.

    >>> mean_of([{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "x"}])
    {'a': 1.5, 'b': {'x': 2}}
    """
    if isinstance(trees[0], Mapping):
        return {key: mean_of([tree[key] for tree in trees]) for key in trees[0]}
    if isinstance(trees[0], str):
        return {value: trees.count(value) for value in sorted(set(trees))}
    return float(np.mean(trees))
