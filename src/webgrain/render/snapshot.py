"""From Chromium's ``DOMSnapshot.captureSnapshot`` to arrays that are aligned with a Dom.

A snapshot is a table of strings and columns of indices into it, for the nodes (comments, pseudo-elements and
shadow trees among them) and for the boxes of those nodes that have one. Nodes come in document order.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.page.dom import Dom, Int32

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ELEMENT, _TEXT = 1, 3

Raw = dict[str, Any]


class Snapshot:
    """The main document of a snapshot, reduced to its elements and texts.

    Attributes:
        strings: the table of strings.
        kept: (n,) positions of the nodes in the columns of the snapshot, in document order.
        parent: (n,) int32, -1 at the root.
        is_text: (n,) bool.
        layout: the columns of the boxes; box_node: (b,) the node of each box, -1 where it is not kept.
        size: (width, height) of the page in CSS px.
        cut: whether there were more nodes than ``limit``.
    """

    def __init__(self, raw: Raw, limit: int) -> None:
        document = raw["documents"][0]
        self.strings: list[str] = [*raw["strings"], ""]  # an empty string has the index -1
        self.url = self.strings[document["documentURL"]]
        self.size = (float(document["contentWidth"]), float(document["contentHeight"]))
        self.layout: Raw = document["layout"]
        self._nodes: Raw = document["nodes"]
        kept = np.flatnonzero(self._wanted())
        self.cut = len(kept) > limit
        self.kept = kept[:limit]
        rank = np.full(len(self._nodes["parentIndex"]) + 1, -1, np.int32)
        rank[self.kept] = np.arange(len(self.kept), dtype=np.int32)
        self.parent: Int32 = rank[self._nearest_kept(rank)]
        self.is_text = self._column("nodeType")[self.kept] == _TEXT
        self.box_node: Int32 = rank[np.array(self.layout["nodeIndex"], np.intp)]

    def _column(self, name: str) -> NDArray[np.int32]:
        return np.array(self._nodes[name], np.int32)

    def _wanted(self) -> NDArray[np.bool_]:
        """Mark elements and texts of the document itself, not those of shadow trees and pseudo-elements."""
        kind, parent = self._column("nodeType"), self._column("parentIndex")
        foreign = np.zeros(len(kind), bool)
        for name in ("pseudoType", "shadowRootType"):
            foreign[self._nodes[name]["index"]] = True
        # Texts made by a pseudo-element have its node; were there nodes below it, they would be foreign too.
        return np.isin(kind, (_ELEMENT, _TEXT)) & ~foreign & (parent >= 0)

    def _nearest_kept(self, rank: Int32) -> NDArray[np.intp]:
        """Return the position of every kept node's nearest kept ancestor; -1 (the last of ``rank``): none."""
        parent = np.append(self._column("parentIndex"), -1)
        above = parent[self.kept]
        while True:
            climb = (rank[above] < 0) & (above >= 0)
            if not climb.any():
                return above
            above = np.where(climb, parent[above], above)

    @cached_property
    def _names(self) -> list[str]:
        """Return tag names in lower case; only ASCII letters change, as in the parser."""
        names = self._column("nodeName")[self.kept].tolist()
        lower = {name: self.strings[name].encode().lower().decode() for name in set(names)}
        return [lower[name] for name in names]

    @cached_property
    def _texts(self) -> list[str]:
        """Return the character data of every node; empty at elements."""
        values = self._column("nodeValue")[self.kept]
        strings = self.strings
        return [strings[v] if t else "" for v, t in zip(values.tolist(), self.is_text.tolist(), strict=True)]

    def matches(self, dom: Dom) -> bool:
        """Tell whether these are the nodes of a Dom: the same parents, tag names and texts."""
        return (
            len(self.kept) == len(dom)
            and np.array_equal(self.parent, dom.parent)
            and [dom.tags[tag] for tag in dom.tag.tolist()] == self._names
            and np.array_equal(np.cumsum([0, *map(len, self._texts)]), dom.text_start)
            and "".join(self._texts) == dom.text
        )

    def to_dom(self) -> Dom:
        """Tree of the page as it stood in the browser."""
        tag, tags = _numbered(self._names, ["#text"])
        attributes = [self._nodes["attributes"][i] for i in self.kept.tolist()]
        flat = list(chain.from_iterable(attributes))
        attr_name, names = _numbered([self.strings[i].lower() for i in flat[::2]], [])
        values = [self.strings[i] for i in flat[1::2]]
        return Dom(
            parent=self.parent,
            end=_ends(self.parent),
            tag=tag,
            tags=tags,
            text="".join(self._texts),
            text_start=_starts(map(len, self._texts)),
            attr_start=_starts(len(pairs) // 2 for pairs in attributes),
            attr_name=attr_name,
            names=names,
            values="".join(values),
            value_start=_starts(map(len, values)),
        )


def _numbered(words: list[str], first: list[str]) -> tuple[Int32, tuple[str, ...]]:
    """Return the numbers of words by first appearance, after those in ``first``, and the words."""
    known = {word: i for i, word in enumerate(first)}
    numbers = [known.setdefault(word, len(known)) for word in words]
    return np.array(numbers, np.int32), tuple(known)


def _starts(lengths: Any) -> Int32:
    return np.cumsum([0, *lengths]).astype(np.int32)


def _ends(parent: Int32) -> Int32:
    """Return one past the subtree of every node; sizes are added up from the last node to the first."""
    above, size = parent.tolist(), [1] * len(parent)
    for node in range(len(above) - 1, 0, -1):
        size[above[node]] += size[node]
    return np.arange(len(above), dtype=np.int32) + np.array(size, np.int32)
