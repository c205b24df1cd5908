"""Rows to learn roles and confidence from: features of segments, and what is true of them.

True segments are the marked ones, each with all that is in it - a header counts, and so does the menu in it -
and those of the fine partition, in which a leaf belongs to the innermost marked one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.page.leaves import visible_tree
from webgrain.segment.confidence import SAME
from webgrain.segment.members import Members
from webgrain.segment.segmentfeatures import SEGMENT_FEATURES, segment_features
from webgrain.segment.traits import Traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from webgrain.datasets.load import Example
    from webgrain.results import Segmentation

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Labels = NDArray[np.integer]

MATCH = 0.5
"""Jaccard index, by leaves, from which on a predicted segment is taken for a true one."""


class Rows(NamedTuple):
    """Segments: their features (s, f), the role of each, None where not known, and whether it is right (s,).

    True segments are right. Predicted ones have the role of the true one that they match best, if they share
    at least `MATCH` of the leaves of both; they are right from `webgrain.segment.confidence.SAME` on.
    """

    features: Floats
    roles: tuple[str | None, ...]
    right: Bools


def marked_rows(example: Example) -> Rows:
    """Return the rows of the marked segments that can be seen; those that overlap are taken in turns.

    >>> from webgrain.datasets.load import Example
    >>> from webgrain.datasets.truth import LabelledSegment, truth_of
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>One<ul><li>Two</ul></div>"))
    >>> told = (LabelledSegment(css=("html > body > div",)), LabelledSegment(css=("html > body > div > ul",)))
    >>> len(marked_rows(Example(page, truth_of(page, told), told)).roles)
    2
    """
    traits = _traits(example)
    waiting = list(_marked(example, traits))
    found = []
    while waiting:
        label = np.full(len(traits.tree.leaves), -1)
        taken: list[tuple[Bools, str | None]] = []
        later: list[tuple[Bools, str | None]] = []
        for member, role in waiting:
            overlaps = bool((label[member] >= 0).any())
            (later if overlaps else taken).append((member, role))
            if not overlaps:
                label[member] = len(taken) - 1
        found.append(_rows(traits, label, [role for _, role in taken]))
        waiting = later
    return concatenate(found)


def fine_rows(example: Example) -> Rows:
    """Return the rows of the segments of the fine partition that can be seen."""
    traits = _traits(example)
    known, label = np.unique(_fine(example, traits), return_inverse=True)
    hidden = int(np.count_nonzero(known < 0))  # leaves of no segment come first
    return _rows(traits, label - hidden, [example.truth.roles[k] for k in known[hidden:].tolist()])


def predicted_rows(example: Example, segmentation: Segmentation) -> Rows:
    """Return the rows of predicted segments, with the roles of the true ones that they match."""
    traits = _traits(example)
    label = segmentation.labels[traits.tree.node[traits.tree.leaves]]
    fine = _fine(example, traits)
    true = [(fine == k, example.truth.roles[k]) for k in np.unique(fine[fine >= 0]).tolist()]
    true += _marked(example, traits)
    share = jaccard(label, np.array([member for member, _ in true], bool).reshape(len(true), len(label)))
    best = share.argmax(axis=1) if true else np.zeros(len(share), np.intp)
    most = share.max(axis=1, initial=0.0)
    roles = [true[k][1] if s >= MATCH else None for k, s in zip(best.tolist(), most.tolist(), strict=True)]
    return _rows(traits, label, roles)._replace(right=most >= SAME)


def jaccard(label: Labels, member: Bools) -> Floats:
    """Return (s, t) the share of the leaves of both that each of s segments has in common with each of t.

    label (l,): the segment of each leaf, 0 to s - 1, -1 for none; member (t, l): the leaves of the others.

    >>> jaccard(np.array([0, 0, 1]), np.array([[True, True, True]])).tolist()
    [[0.6666666666666666], [0.3333333333333333]]
    """
    own = label == np.arange(label.max(initial=-1) + 1)[:, None]
    common = own.astype(np.float64) @ member.T.astype(np.float64)
    shares: Floats = common / (own.sum(axis=1)[:, None] + member.sum(axis=1) - common).clip(1.0)
    return shares


def concatenate(rows: Sequence[Rows]) -> Rows:
    """Return the rows of several pages, or turns, one after the other."""
    rows = [Rows(np.zeros((0, len(SEGMENT_FEATURES))), (), np.zeros(0, bool)), *rows]
    return Rows(
        np.concatenate([one.features for one in rows]),
        tuple(role for one in rows for role in one.roles),
        np.concatenate([one.right for one in rows]),
    )


def _rows(traits: Traits, label: Labels, roles: Iterable[str | None]) -> Rows:
    x = segment_features(traits, Members(traits, label))
    return Rows(x, tuple(roles), np.ones(len(x), bool))


def _marked(example: Example, traits: Traits) -> Iterator[tuple[Bools, str | None]]:
    """Yield the leaves (l,) of each marked segment of which some can be seen, and its role."""
    leaf, end = traits.tree.node[traits.tree.leaves], example.page.dom.end
    for segment in example.segments:
        member = np.zeros(len(leaf), bool)
        for node in segment.nodes(example.page.dom):
            member |= (leaf >= node) & (leaf < end[node])
        if member.any():
            yield member, segment.role


def _fine(example: Example, traits: Traits) -> Labels:
    leaf = traits.tree.node[traits.tree.leaves]
    return example.truth.over(len(example.page.dom), "fine")[leaf]


def _traits(example: Example) -> Traits:
    return Traits(example.page, visible_tree(example.page))
