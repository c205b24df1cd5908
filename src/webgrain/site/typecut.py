"""The segments of the pages of a type: what several pages have decided together, by their template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Float64, Int8, Int32, Int64
from webgrain.base.readonly import ReadOnly
from webgrain.page.leaves import leaf_kinds
from webgrain.page.page import Page
from webgrain.page.segmentation import Segmentation
from webgrain.page.turns import Steps, alone
from webgrain.segmentation.learntcut import DECIDED, decisions
from webgrain.segmentation.segmenter import ROLES, Segmenter
from webgrain.site.thresholds import CUT_MAJORITY, MIN_TEMPLATE_PAGES, ROLE_MAJORITY

_ROLE_NAMES = tuple(ROLES)


@dataclass(frozen=True, slots=True, eq=False)
class TypeCut(ReadOnly):
    """What the pages of a type have decided together about the segments of a page, by its template.

    Some pages of the type are segmented. A majority (`CUT_MAJORITY`, `ROLE_MAJORITY`) of those that have a
    template node decides about it; each page has one vote, which the places of the node on it share by their
    leaves. Where few pages have the node or there is no majority, each page decides for itself.

    Attributes:
        decided: (m, 4) for each template node the decisions about the cut, see
            `webgrain.segmentation.learntcut.decisions`, and the role of the segments that begin there, a
            place in `ROLES`; -1: none.
        share: (m,) of the pages that voted for this role.
    """

    decided: Int8
    share: Float64

    @classmethod
    def learn(cls, size: int, pages: Iterable[tuple[Page, Int32, Segmentation]]) -> Self:
        """Return the decisions of pages, given the template node (n,) of each of their nodes, -1 for none.

        size: number of template nodes; pages: with their segments.
        """
        votes = np.zeros((len(DECIDED) + 1, size, len(ROLES)))
        for page, at, segmentation in pages:
            votes += _votes(page, at, segmentation, votes.shape)
        most = votes.max(axis=2)
        voters = votes.sum(axis=2).round()
        majority = np.array([*[CUT_MAJORITY] * len(DECIDED), ROLE_MAJORITY])[:, None]
        is_clear = (voters >= MIN_TEMPLATE_PAGES) & (most >= majority * voters)
        decided = np.where(is_clear, votes.argmax(axis=2), -1).T.astype(np.int8)
        return cls(decided, most[-1] / np.maximum(voters[-1], 1.0))

    def segment(self, page: Page, at: Int32, method: Segmenter) -> Segmentation:
        """Return the segments of a page, given the template node (n,) of each of its nodes."""
        return alone(self.steps(page, at, method))

    def steps(self, page: Page, at: Int32, method: Segmenter) -> Steps[Segmentation]:
        """Return the segments of a page, as `segment` does, in steps."""
        decided = np.where(at[:, None] >= 0, self.decided[at], -1).astype(np.int8)
        segmentation = yield from method.steps(page, decided[:, :-1])
        if segmentation.role_probability is None:
            return segmentation
        first, tree = _first_nodes(segmentation), segmentation.tree
        roles, probability = self._decide(
            at, decided, first, segmentation.roles, segmentation.role_probability
        )
        if tree is not None and tree.role_probability is not None:
            of_blocks = self._decide(at, decided, tree.node, tree.roles, tree.role_probability)
            tree = replace(tree, roles=of_blocks[0], role_probability=of_blocks[1])
        return replace(segmentation, roles=roles, role_probability=probability, tree=tree)

    def _decide(
        self,
        at: Int32,
        decided: Int8,
        nodes: NDArray[np.integer[Any]],
        roles: Sequence[str | None],
        probability: Float64,
    ) -> tuple[tuple[str, ...], Float64]:
        """Return roles and their probabilities: those decided at the nodes, else the given ones.

        at (n,), decided (n, 4): template node of each node of the page, and its decisions.
        """
        decided_role = decided[nodes, -1]
        chosen = np.where(decided_role >= 0, self.share[at[nodes]], probability)
        names = tuple(
            _ROLE_NAMES[number] if number >= 0 else str(role)
            for number, role in zip(decided_role.tolist(), roles, strict=True)
        )
        return names, chosen

    def to_dict(self) -> dict[str, Any]:
        """Return the decisions as plain values, for `from_dict`."""
        return {"decided": self.decided.tolist(), "share": self.share.round(4).tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], size: int) -> Self:
        """Return the decisions of a template of this size; wrong values raise one of `DAMAGED`."""
        decided = np.array(values["decided"], np.int8).reshape(size, len(DECIDED) + 1)
        if (decided < -1).any() or (decided.max(axis=0, initial=-1) >= [2, 2, 2, len(ROLES)]).any():
            raise ValueError("it has an unknown decision about segments")
        return cls(decided, np.array(values["share"], np.float64).reshape(size).clip(0.0, 1.0))


def _votes(page: Page, at: Int32, segmentation: Segmentation, shape: tuple[int, ...]) -> Float64:
    """Return the votes of a page by decision, template node and answer."""
    first = _first_nodes(segmentation)
    chosen = np.full((shape[0], len(page.dom)), -1, np.int64)
    chosen[:-1] = decisions(page, segmentation.labels).T
    chosen[-1, first] = [_ROLE_NAMES.index(role or "content") for role in segmentation.roles]
    leaves = page.dom.subtree_sum(leaf_kinds(page) > 0)
    column, node = ((chosen >= 0) & (at >= 0)).nonzero()
    role_weight = np.zeros(len(page.dom))
    role_weight[first] = segmentation.role_probability
    weight = np.where(column == shape[0] - 1, role_weight[node], leaves[node])
    _, nodes, answers = shape
    answer = (column * nodes + at[node]) * answers + chosen[column, node]
    votes = np.bincount(answer, weight, minlength=int(np.prod(shape))).reshape(shape)
    shares: Float64 = votes / np.maximum(votes.sum(axis=2, keepdims=True), 1e-9)
    return shares


def _first_nodes(segmentation: Segmentation) -> Int64:
    """Return the first node of each segment."""
    labels, first = np.unique(segmentation.labels, return_index=True)
    return first[labels >= 0]
