"""From label arrays to records: the segments of a page as its readers and other programs want them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.errors import ParameterError
from webgrain.page import address
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.text import texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.dom import Int32
    from webgrain.page.page import Page
    from webgrain.results import Failure, Segmentation

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment of a page.

    Attributes:
        id: its label in the `Segmentation`.
        roots: the largest subtrees whose leaves all belong to this segment, as nodes of the Dom in document
            order. Every leaf of the page is below exactly one root of one segment.
        box: x, y, width, height in CSS px around its leaves; None for a page without a layout.
        text: the text a reader sees, white space collapsed.
        leaves: number of leaves.
        role, role_probability, confidence, importance: as in the `Segmentation`; None where that does not
            tell.
    """

    id: int
    roots: tuple[int, ...]
    box: Box | None
    text: str
    leaves: int
    role: str | None = None
    role_probability: float | None = None
    confidence: float | None = None
    importance: float | None = None

    @property
    def caption(self) -> str:
        """Its number, and its role or importance where that is known."""
        sure = "" if self.importance is None else f" {self.importance:.0%}"
        return f"{self.id} {self.role}" if self.role else f"{self.id}{sure}"


def segments(page: Page, segmentation: Segmentation) -> list[Segment]:
    """Return the segments of a page, in the order of their ids.

    Raises `ParameterError` if the labels are those of another page.

    >>> import numpy as np
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.results import Segmentation
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))  # html, head, body, div, p, text, ...
    >>> labels = np.array([-1, -1, -1, 0, 0, 0, 0, 0, 1, 1], np.int32)
    >>> [(s.id, s.roots, s.leaves, s.text) for s in segments(page, Segmentation(labels, "by hand"))]
    [(0, (3,), 2, 'One Two'), (1, (8,), 1, 'Three')]
    """
    if len(segmentation.labels) != len(page.dom):
        raise ParameterError(
            f"Expected {len(page.dom)} labels, one per node, got {len(segmentation.labels)}."
        )
    tree = visible_tree(page)
    leaf = tree.node[tree.leaves]
    label = segmentation.labels[leaf]
    roots = _roots(tree, label)
    of_segment = _grouped(roots, label[np.searchsorted(leaf, roots)])  # of the first leaf below
    found, own = list(of_segment), [tuple(nodes.tolist()) for nodes in of_segment.values()]
    texts = texts_of(page, own)
    of_label = _grouped(leaf, label)
    leaves = [of_label[k] for k in found]
    told = zip(found, own, map(partial(_box, page), leaves), texts, map(len, leaves), strict=True)
    return [Segment(*one, **_purpose(segmentation, one[0])) for one in told]


def segmentation_record(page: Page, segmentation: Segmentation) -> dict[str, Any]:
    """Return one page's result with the fields of ``webgrain segment``, ready for JSON.

    >>> import numpy as np
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.results import Segmentation
    >>> page = parse(Source("a", b"<p>One"))
    >>> record = segmentation_record(page, Segmentation(np.zeros(len(page.dom), np.int32), "by hand"))
    >>> record["page"], record["segments"][0]["text"], record["segments"][0]["xpath"]
    ('a', 'One', ['/html[1]'])
    """
    found = segments(page, segmentation)
    return {
        "page": page.id,
        "url": page.url,
        "notes": list(page.notes),
        "method": segmentation.method,
        "params": dict(segmentation.params),
        "energy": segmentation.energy,
        "lower_bound": segmentation.lower_bound,
        "gap": segmentation.gap,
        "segments": [
            where
            | {
                "role": segment.role,
                "role_probability": segment.role_probability,
                "confidence": segment.confidence,
            }
            | ({} if segment.importance is None else {"importance": segment.importance})
            for segment, where in zip(found, _places(page, found), strict=True)
        ],
    }


def sections_record(page: Page, sections: Segmentation) -> dict[str, Any]:
    """Return one page's result with the fields of ``webgrain sections``, ready for JSON.

    sections: as `webgrain.template.sections.Sections.segmentation` makes them.
    """
    found = segments(page, sections)
    noisy, listed = sections.params["noisy"], sections.params["listed"]
    return {
        "page": page.id,
        "url": page.url,
        "notes": list(page.notes),
        "template": sections.params["template"],
        "match": sections.params["match"],
        "accepted": sections.params["accepted"],
        "sections": [
            where | {"importance": one.importance, "noisy": noisy[one.id], "list": listed[one.id]}
            for one, where in zip(found, _places(page, found), strict=True)
        ],
    }


def _places(page: Page, found: list[Segment]) -> list[dict[str, Any]]:
    """Return for each segment where it is and what it says."""
    nodes = [node for segment in found for node in segment.roots]
    xpath, css = (
        dict(zip(nodes, of(page.dom, nodes), strict=True)) for of in (address.xpaths, address.css_paths)
    )
    return [
        {
            "id": segment.id,
            "xpath": [xpath[node] for node in segment.roots],
            "css": [css[node] for node in segment.roots],
            "box": segment.box,
            "text": segment.text,
            "leaves": segment.leaves,
        }
        for segment in found
    ]


def failure_record(failure: Failure) -> dict[str, Any]:
    """Return a failed page's record, ready for JSON.

    >>> from webgrain.results import Failure
    >>> failure_record(Failure("a.html", "read", "the archive ends in the middle of a page"))["stage"]
    'read'
    """
    return {**asdict(failure), "seconds": round(failure.seconds, 3)}


def _grouped(nodes: Int32, label: Int32) -> dict[int, Int32]:
    """Return the nodes of each label, labels and nodes in order."""
    order = np.argsort(label, kind="stable")
    labels, start = np.unique(label[order], return_index=True)
    return dict(zip(labels.tolist(), np.split(nodes[order], start[1:]), strict=False))


def _roots(tree: VisibleTree, label: Int32) -> Int32:
    """Roots of all segments, as nodes of the Dom: the largest subtrees whose leaves have one label.

    The leaves below a node are consecutive, so they have one label iff it changes nowhere in their span.
    """
    if not len(label):
        return np.zeros(0, np.int32)
    before = np.concatenate([[0], np.cumsum(tree.kind > 0)])
    first, last = before[:-1], before[tree.end] - 1
    changes = np.concatenate([[0], np.cumsum(label[1:] != label[:-1])])
    uniform = (changes[last] == changes[first]) & (label[first] >= 0)
    top: Int32 = tree.node[uniform & ~((tree.parent >= 0) & uniform[tree.parent])]
    return top


def _box(page: Page, leaves: Int32) -> Box | None:
    if page.view is None:
        return None
    xy, size = page.view.box[leaves, :2], page.view.box[leaves, 2:]
    return as_box(np.concatenate([xy.min(0), (xy + size).max(0)]))


def _purpose(segmentation: Segmentation, k: int) -> dict[str, Any]:
    """Return what a segmentation tells of a segment beyond where it is."""
    told: dict[str, Any] = {"role": segmentation.roles[k] if segmentation.roles else None}
    for name in ("role_probability", "confidence", "importance"):
        column = getattr(segmentation, name)
        told[name] = None if column is None else round(float(column[k]), 3)
    return told


def as_box(corners: NDArray[np.floating[Any]]) -> Box:
    """Return left, top, right, bottom (4,) as x, y, width, height in tenths of px.

    >>> as_box(np.array([1.0, 2.0, 11.04, 22.0]))
    (1.0, 2.0, 10.0, 20.0)
    """
    x, y, right, bottom = corners.tolist()
    return (round(x, 1), round(y, 1), round(right - x, 1), round(bottom - y, 1))
