"""The front pages of the Kreuzer data set with the leaves of its snapshots.

``snapshots.tar.xz`` contains for each page
``inputs/<set>/<site>.json``, the nodes that a browser displayed, as parallel arrays, and
``gt/<set>/<site>.json``, its leaves and their blocks. Scores on these leaves are comparable between methods,
whatever a method itself considers as a leaf. The nodes of a snapshot are identified with those of the Dom by
embedding one tree in the other: a snapshot omits comments, white space and hidden elements, so that the
children of a node are some of its children in the Dom, in the same order, with the same tag, id and class, or
text.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.base.errors import InputError
from webgrain.evaluation.datasets import Example, archive_files, data_folder, load_examples
from webgrain.io.labels import Truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webgrain.base.arrays import Int32
    from webgrain.page.dom import Dom
    from webgrain.site.pipeline import Layout


def kreuzer_examples(layout: Layout, folder: Path | None = None) -> list[Example]:
    """Return the pages of the data set with the truth over the leaves of the snapshots, if there are any.

    folder: of the data set; None: ``segmentation`` in the folder of the data.
    """
    folder = folder or data_folder() / "segmentation"
    snapshots, examples = Snapshots.read(folder), load_examples(folder, layout)
    if snapshots is None:
        return examples
    return [replace(one, truth=snapshots.truth(one.page.id, one.page.dom)) for one in examples]


SNAPSHOTS_ARCHIVE = "snapshots.tar.xz"
TRACES = ("highlight", "ui-resizable")
"""Classes of the marking tool, which snapshots do not have."""

_CLASS_LENGTH, _TEXT_LENGTH = 150, 250  # characters that are compared; snapshots have 200 and 300

Key = tuple[str, str, str]


class Snapshots:
    """The snapshots of all pages, in memory.

    >>> Snapshots.read(Path("/missing")) is None
    True
    """

    def __init__(self, pages: Mapping[str, Mapping[str, Any]]) -> None:
        self.pages = pages

    @classmethod
    def read(cls, folder: Path) -> Snapshots | None:
        """Read ``snapshots.tar.xz`` in a folder; None if there is none, `InputError` if it is damaged."""
        archive = folder / SNAPSHOTS_ARCHIVE
        if not archive.exists():
            return None
        try:
            found = {name.removesuffix(".json"): json.loads(body) for name, body in archive_files(archive)}
        except ValueError as error:
            raise InputError(f"{archive} cannot be read: {error}.") from error
        names = [name.removeprefix("gt/") for name in found if name.startswith("gt/")]
        return cls({name: found[f"inputs/{name}"] | found[f"gt/{name}"] for name in names})

    def truth(self, name: str, dom: Dom) -> Truth:
        """Return the ground truth of a page over the nodes of ``dom``; `InputError` without a snapshot."""
        if name not in self.pages:
            raise InputError(f"There is no snapshot of {name}.")
        snapshot = self.pages[name]
        place, leaf = embed(snapshot, dom), np.array(snapshot["leaf"], np.intp)
        is_text = np.array(snapshot["kind"])[leaf] == 1
        return Truth(
            leaf=place[leaf],
            fine=np.array(snapshot["gt_fine"], np.int32),
            blocks=np.array(snapshot["gt_leafblk"], np.int32),
            top=np.array(snapshot["gt_top"], np.int32),
            roles=tuple((segment["type"] or "").lower() or None for segment in snapshot["segs"]),
            characters=np.where(is_text, np.array(snapshot["tlen"], np.float64)[leaf], 0.0),
            area=np.array(snapshot["clip"], np.float64)[leaf],
        )


def embed(snapshot: Mapping[str, Any], dom: Dom) -> Int32:
    """Return the node of ``dom`` for each node of a snapshot (s,), -1 if the trees do not match.

    snapshot: lists ``parent``, ``tag``, ``id``, ``cls``, ``text`` over its nodes.

    >>> from webgrain.page.parsing import parse_html
    >>> shown = {"parent": [-1, 0, 1, 2], "tag": ["html", "body", "p", "#text"], "id": [""] * 4,
    ...          "cls": ["", "", "b", ""], "text": ["", "", "", "two"]}
    >>> embed(shown, parse_html("<p>one</p><p class=b>two")).tolist()
    [0, 2, 5, 6]
    """
    keys = [_key(*row) for row in zip(*map(snapshot.__getitem__, ("tag", "id", "cls", "text")), strict=True)]
    place = np.full(len(keys), -1, np.int32)
    embedding = _Embedding(snapshot["parent"], keys, dom)
    waiting = [(0, 0)] if embedding.fits(0, 0) else []
    while waiting:
        node, at = waiting.pop()
        place[node] = at
        waiting += embedding.children_at[node, at] or []
    return place


class _Embedding:
    """Which subtrees of a snapshot match which nodes of a Dom; each result is cached."""

    def __init__(self, parent: list[int], keys: list[Key], dom: Dom) -> None:
        self.dom, self.keys, self.dom_keys = dom, keys, _dom_keys(dom)
        self.children: list[list[int]] = [[] for _ in keys]
        for node, above in enumerate(parent):
            if above >= 0:
                self.children[above].append(node)
        self.children_at: dict[tuple[int, int], list[tuple[int, int]] | None] = {}

    def fits(self, node: int, at: int) -> bool:
        """Return whether the subtree of a node of the snapshot matches a node of the Dom.

        Each child takes the first place that matches, which leaves the most places for the next children.
        """
        if self.keys[node] != self.dom_keys[at]:
            return False
        if (node, at) not in self.children_at:
            places, found = self.dom.children(at), []
            for child in self.children[node]:
                place = next((place for place in places if self.fits(child, place)), None)
                if place is None:
                    break
                found.append((child, place))
            complete = len(found) == len(self.children[node])
            self.children_at[node, at] = found if complete else None
        return self.children_at[node, at] is not None


def _dom_keys(dom: Dom) -> list[Key]:
    ids, classes = dom.column("id"), dom.column("class")
    texts = (dom.text_of(node) if is_text else "" for node, is_text in enumerate(dom.is_text.tolist()))
    return [
        _key(dom.name(node), ids[node] or "", classes[node] or "", text) for node, text in enumerate(texts)
    ]


def _key(tag: str, id_: str, classes: str, text: str) -> Key:
    """Return the compared values; the id of a form is ignored: a field named "id" hides it from scripts."""
    if tag == "#text":
        return tag, "", " ".join(text.split())[:_TEXT_LENGTH].rstrip()
    own = " ".join(name for name in classes.split() if name not in TRACES)
    return tag, "" if tag == "form" else id_, own[:_CLASS_LENGTH].rstrip()
