"""How well pairs are told apart: duplicates found, and pairs of different pages kept apart.

Source: the layout of table 2 in Chakrabarti, Kumar, Punera, WWW 2008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class PairScore(NamedTuple):
    """Counts of pairs: duplicates found, all duplicates, different pairs kept apart, all different pairs."""

    found: int
    duplicates: int
    kept: int
    different: int

    @property
    def found_share(self) -> float:
        """Share of the duplicates that were found; 1 where there is none."""
        return self.found / self.duplicates if self.duplicates else 1.0

    @property
    def kept_share(self) -> float:
        """Share of the different pairs that were kept apart; 1 where there is none."""
        return self.kept / self.different if self.different else 1.0


def score_pairs(truth: ArrayLike, called: ArrayLike) -> PairScore:
    """Return how many pairs (p,) were told right.

    truth: whether a pair is a duplicate; called: whether it was called one. `ParameterError` where the
    lengths differ.

    >>> score_pairs([True, True, False], [True, False, False])
    PairScore(found=1, duplicates=2, kept=1, different=1)
    """
    is_one, said = np.asarray(truth, bool), np.asarray(called, bool)
    if is_one.ndim != 1 or is_one.shape != said.shape:
        raise ParameterError(
            f"Expected two arrays of one length, got shapes {is_one.shape} and {said.shape}."
        )
    found, kept = int((is_one & said).sum()), int((~is_one & ~said).sum())
    return PairScore(found, int(is_one.sum()), kept, int((~is_one).sum()))
