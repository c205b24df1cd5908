"""Candidates: everything on a page that repeats, from which the lists of the page are chosen.

An item is a range of nodes in document order: an element, several siblings, or a line of text. The items of a
candidate have the same key. The keys of an element are hashes of:

* the tags from the root to it, or from one of its three lowest ancestors to it, and that ancestor;
* the same with one of its classes, for the path from the root and from its parent;
* the same with the tag of its first child, or with the fact that it contains a link;
* its tag and one of its classes, wherever it is;
* the STAR of the template that it is an item of, if the template of the page is known.

If other siblings follow the elements of a candidate, as ``dd`` follows ``dt``, there is a second candidate
whose items extend to the next element. The lines between ``<br>`` within an element are candidates, and so
are the groups of lines between blank lines.

Cost: linear in the elements and their classes, and a sort of the groups with equal keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from webgrain.base.arrays import Int32, Int64, UInt64
from webgrain.lists.candidatekernel import find_groups, take_items
from webgrain.lists.thresholds import MAX_CANDIDATES, MAX_CLASSES, MIN_ITEMS
from webgrain.page.dom import Dom
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import TAG_KEYS, keys_of_classes
from webgrain.page.values import Question
from webgrain.page.vocabulary import NUMBER_OF_TAG

ELEMENTS, EXTENDED, LINES = range(3)
"""Kinds of items, in this order: an element; an element and the siblings that follow it; a line, or lines."""

_CLASS_KEYS = Question(lambda value: np.array(keys_of_classes(value, MAX_CLASSES), np.uint64).tobytes())
"""The bytes of the keys of the first classes of an element, without digits."""
_KEY_BYTES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The c candidates of a page with i items in all.

    Attributes:
        start, stop: (i,) int64, the first node of each item, and one past its last node.
        offset: (c + 1,) int64, the items of candidate k are ``offset[k]:offset[k + 1]``.
        kind: (c,) int64: `ELEMENTS`, `EXTENDED` or `LINES`.
    """

    start: Int64
    stop: Int64
    offset: Int64
    kind: Int64

    def __len__(self) -> int:
        return len(self.kind)

    def items(self, candidate: int) -> tuple[Int64, Int64]:
        """Return the first nodes and the ends of the items of a candidate."""
        items = slice(self.offset[candidate], self.offset[candidate + 1])
        return self.start[items], self.stop[items]

    def take(self, chosen: Int64) -> Candidates:
        """Return some of the candidates."""
        return Candidates(*take_items(self.start, self.stop, self.offset, self.kind, chosen))


def find_candidates(page: Page, star: Int64 | None = None) -> Candidates:
    """Return the candidates of a page.

    star: (n,) the STAR of the template that each node is an item of, -1 for none; None: no template is known.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<dl><dt>One<dd>1<dt>Two<dd>2</dl>")
    >>> candidates = find_candidates(page)  # html, head, body, dl, dt, text, dd, ...
    >>> [candidates.items(k)[0].tolist() for k in range(len(candidates))]
    [[4, 8], [6, 10], [4, 8], [6, 10]]
    """
    dom, tree = page.dom, visible_tree(page)
    if not len(tree.node):
        return Candidates(*(np.zeros(n, np.int64) for n in (0, 0, 1, 0)))
    groups = find_groups(
        (dom.parent, dom.end, dom.tag, dom.links().view(np.uint8)),
        (tree.node, tree.parent, tree.end, tree.kind),
        (TAG_KEYS.values(dom.tags), NUMBER_OF_TAG["br"]),
        _classes(dom),
        None if star is None else star.astype(np.int64),
        MIN_ITEMS,
    )
    candidates = Candidates(*groups)
    if len(candidates) <= MAX_CANDIDATES:
        return candidates
    letters = np.add.reduceat(
        dom.text_start[candidates.stop] - dom.text_start[candidates.start], candidates.offset[:-1]
    )
    return candidates.take(np.sort(np.argsort(-letters, kind="stable")[:MAX_CANDIDATES]))


def _classes(dom: Dom) -> tuple[Int64, Int32, UInt64]:
    """Return the elements (c,) with classes, where the keys of each begin (c + 1,), and the keys."""
    attributes, nodes = dom.find_attribute("class")
    keys: list[bytes] = dom.ask(_CLASS_KEYS, attributes).tolist()
    start = np.array([0, *accumulate(map(len, keys))], np.int32) // _KEY_BYTES
    return nodes, start, np.frombuffer(b"".join(keys), np.uint64)
