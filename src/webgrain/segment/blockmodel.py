"""What is learnt of units: the chance that one is opened, and that it belongs with what is outside of it.

Source: logistic regression over `unit_features`. People mark blocks, and blocks in blocks; a leaf belongs to
the innermost one. So what of a block lies in none of its inner blocks is left over, often scattered, and is a
segment too. Three chances tell all that:

    opened   the leaves of the unit are of more than one segment
    joins    a unit of one segment: that segment reaches out of the unit
    passes   a unit of several segments: one of them reaches out of the unit

Cost: a product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.errors import ParameterError
from webgrain.page.dom import freeze
from webgrain.segment.unitfeatures import UNIT_FEATURES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.units import Units

    Floats = NDArray[np.float64]

LARGEST = 1e100
"""What the numbers of a model may be at most, so that no sum or quotient of them overflows."""

FARTHEST = 4.0
"""Standard deviations from the mean from which on a feature counts no more."""


class Chances(NamedTuple):
    """The chances (m,) of the units of one page, see the module; ``opened`` is 0 at leaves."""

    opened: Floats
    joins: Floats
    passes: Floats


@dataclass(frozen=True, slots=True, eq=False)
class UnitLogistic:
    """The chance 1 / (1 + exp(-bias - sum of weight * standardised feature)).

    weight, mean, deviation: (f,) by `UNIT_FEATURES`, the latter two of the units learnt from; bias: a number.

    >>> zero, one = np.zeros(len(UNIT_FEATURES)), np.ones(len(UNIT_FEATURES))
    >>> UnitLogistic(zero, zero, one, 0.0).chance(zero[None]).tolist()
    [0.5]
    """

    weight: Floats
    mean: Floats
    deviation: Floats
    bias: float

    def __post_init__(self) -> None:
        for name in ("weight", "mean", "deviation"):
            column = getattr(self, name)
            if column.shape != (len(UNIT_FEATURES),) or not (np.abs(column) <= LARGEST).all():
                raise ParameterError(f"UnitLogistic: expected a finite {name} for each unit feature.")
        if not (self.deviation >= 1 / LARGEST).all() or not np.isfinite(self.bias):
            raise ParameterError("UnitLogistic: expected deviations above 0 and a finite bias.")
        freeze(self)

    def chance(self, x: Floats) -> Floats:
        """Return the chance (m,) for rows of features ``x`` (m, f)."""
        odds = standardised(x, self.mean, self.deviation) @ self.weight + self.bias
        chance: Floats = 1.0 / (1.0 + np.exp(-odds.clip(-30.0, 30.0)))
        return chance


@dataclass(frozen=True, slots=True, eq=False)
class BlockModel:
    """Learnt chances. name: told in records; opened, joins, passes: see the module."""

    name: str
    opened: UnitLogistic
    joins: UnitLogistic
    passes: UnitLogistic

    def chances(self, units: Units, x: Floats) -> Chances:
        """Return the chances of the units of a page, from their features ``x`` (m, f)."""
        opened = np.zeros(len(units))
        opened[units.inner] = self.opened.chance(x[units.inner])
        return Chances(opened, self.joins.chance(x), self.passes.chance(x))


def standardised(x: Floats, mean: Floats, deviation: Floats) -> Floats:
    """Return features (m, f) in standard deviations from the mean, `FARTHEST` at most."""
    z: Floats = ((x - mean) / deviation).clip(-FARTHEST, FARTHEST)
    return z
