"""What a segment is for: its role, and how probable that is.

    traits, members --segment_features--> x (s, f) --Linear--> p (s, r) --> role, probability

The role named is that of greatest probability, divided by the root of its share among the segments learnt
from. The plain maximum would hardly ever name a rare role; division by the share itself names them too often.
The probability told is the plain one.

Cost: see `webgrain.segment.segmentfeatures`; a product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.errors import ParameterError
from webgrain.page.dom import freeze
from webgrain.segment.linear import fit_linear
from webgrain.segment.segmentfeatures import IS_HINT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.segment.linear import Linear

    Floats = NDArray[np.float64]

ROLES = {
    "header": "the head of the page, as a whole",
    "footer": "its foot",
    "menu": "links to the parts of the site",
    "logo": "the mark or name of the site",
    "searchbar": "a form to search with",
    "title": "a title of the page or of a part of it",
    "article": "a text to be read, or the beginning of one",
    "content": "main content that is no single article",
    "linklist": "a list of links to pages",
    "sidebar": "a column beside the content, as a whole",
    "image": "a picture, or a group of them",
    "video": "a film, or a group of them",
    "table": "data in rows and columns",
    "comments": "what readers have written",
    "author": "who has written a text",
    "ad": "advertising",
}
"""Roles of segments: what `webgrain.datasets.kreuzer` and the labelling tool know."""

FEWEST = 5
"""Rows of a role from which on it is learnt: a segment that is marked and a fine one gives two."""

REGULARITY = 0.015
"""Inverse strength of the penalty: the probabilities are then calibrated without a further step."""

HINT = 0.5
"""Trust in a hint of the markup, next to 1 for other features: there are many of them, and most are rare."""


class Roles(NamedTuple):
    """The role of each of s segments, None where it is not known, and its probability (s,)."""

    names: tuple[str | None, ...]
    probability: Floats


@dataclass(frozen=True, slots=True, eq=False)
class RoleModel:
    """A learnt model of roles.

    linear: the probability of each role, from features; share: (r,) of the segments learnt from.
    """

    linear: Linear
    share: Floats

    def __post_init__(self) -> None:
        if self.share.shape != self.linear.bias.shape or not (self.share > 0).all():
            raise ParameterError("RoleModel: expected a share of more than 0 for each role.")
        freeze(self)

    def roles(self, features: Floats) -> Roles:
        """Return the roles of segments with these features (s, f), as `segment_features` has them."""
        probability = self.linear.probability(features)
        named = (probability / np.sqrt(self.share)).argmax(axis=1)
        names = tuple(self.linear.classes[k] for k in named.tolist())
        return Roles(names, np.take_along_axis(probability, named[:, None], axis=1)[:, 0])


def fit_roles(features: Floats, roles: Sequence[str | None]) -> RoleModel | None:
    """Return a model learnt from segments with known roles; None unless two roles have `FEWEST` segments.

    features (s, f): as `segment_features`; roles: of each segment, None where it is not known. Segments may
    overlap: a header counts, and so does the menu in it. `MissingExtraError` without scikit-learn.

    >>> x = np.zeros((20, len(IS_HINT)))
    >>> x[10:, 0] = 1.0
    >>> fit_roles(x, ["menu"] * 10 + ["ad"] * 10).roles(x[[0, -1]]).names
    ('menu', 'ad')
    """
    names, count = np.unique([role for role in roles if role is not None], return_counts=True)
    learnt = dict(zip(names.tolist(), count.tolist(), strict=True))
    rows = [k for k, role in enumerate(roles) if role is not None and learnt[role] >= FEWEST]
    if len({roles[k] for k in rows}) < 2:
        return None
    trust = np.where(IS_HINT, HINT, 1.0)
    linear = fit_linear(features[rows], [str(roles[k]) for k in rows], REGULARITY, trust)
    return RoleModel(linear, np.array([learnt[name] for name in linear.classes]) / len(rows))
