"""How far annotators agree on the segments of a page.

The partitions that are compared are the innermost segments over the leaves that at least one of the two has
labelled; a leaf that the other one left out counts as a segment of its own there.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from webgrain.datasets.truth import truth_of
from webgrain.metrics.partition import ari, b_cubed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webgrain.datasets.truth import LabelledSegment
    from webgrain.page.dom import Int32
    from webgrain.page.page import Page


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two annotators agree on one page.

    Attributes:
        a, b: who.
        leaves: number of leaves that at least one of them has labelled.
        ari: adjusted Rand index, 1 where they agree and 0 on average by chance.
        b_cubed: B-cubed F1, 0..1.
    """

    a: str
    b: str
    leaves: int
    ari: float
    b_cubed: float


def agreements(page: Page, labels: Mapping[str, Sequence[LabelledSegment]]) -> list[Agreement]:
    """Return the agreement of every two annotators of a page, in the order of their names.

    >>> from webgrain.datasets.truth import LabelledSegment
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>One<p>Two<p>Three"))
    >>> kim = [LabelledSegment(xpath=("/html[1]/body[1]/p[1]", "/html[1]/body[1]/p[2]"))]
    >>> lee = [LabelledSegment(xpath=("/html[1]/body[1]",))]
    >>> [(one.leaves, one.ari) for one in agreements(page, {"kim": kim, "lee": lee})]
    [(3, 0.0)]
    """
    fine = {name: truth_of(page, segments).fine for name, segments in sorted(labels.items())}
    return [_agreement(a, b, fine[a], fine[b]) for a, b in combinations(fine, 2)]


def _agreement(a: str, b: str, one: Int32, other: Int32) -> Agreement:
    labelled = (one >= 0) | (other >= 0)
    one, other = _alone(one[labelled]), _alone(other[labelled])
    return Agreement(a, b, len(one), ari(one, other), b_cubed(one, other).f1)


def _alone(labels: Int32) -> Int32:
    """Give every leaf without a label one of its own."""
    own = -1 - np.arange(len(labels), dtype=np.int32)
    return np.where(labels >= 0, labels, own)
