"""Features of units, for what is learnt of them: whether they are cut, and whether they belong together.

    traits, units --own_columns--> --children_columns--> --kin_columns--> unit_features (m, f)

All lie within fixed bounds, and none holds a word of a page. Logarithms are natural ones of 1 + x; a signed
one has the sign of x. A page without a View is a list of lines (`webgrain.segment.look`).

Cost: some 1500 array passes over units, leaves or nodes; 4 ms on a page of 600 nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.segment.unitchildren import CHILDREN, children_columns
from webgrain.segment.unitkin import KIN, kin_columns
from webgrain.segment.unitown import OWN, own_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.traits import Traits
    from webgrain.segment.units import Units

UNIT_FEATURES = (*OWN, *CHILDREN, *KIN)
"""Columns of `unit_features`."""

_LOW = np.array([feature.low for feature in UNIT_FEATURES], np.float64)
_HIGH = np.array([feature.high for feature in UNIT_FEATURES], np.float64)


def unit_features(traits: Traits, units: Units) -> NDArray[np.float64]:
    """Return the features (m, f) of the units of a page; f as `UNIT_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.traits import Traits
    >>> from webgrain.segment.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li>Two</ul>"))
    >>> traits = Traits(page, visible_tree(page))
    >>> unit_features(traits, units_of(traits.tree)).shape == (3, len(UNIT_FEATURES))
    True
    """
    own = own_columns(traits, units)
    children = children_columns(traits, units, own)
    columns = own | children | kin_columns(units, own, children, traits.seen.height)
    x = np.array([columns[feature.name] for feature in UNIT_FEATURES], np.float64).T
    return np.clip(np.ascontiguousarray(x), _LOW, _HIGH)
