"""Truth of the Kreuzer data set over the leaves that were fixed once, in a rendered snapshot of each page.

``snapshots.tar.xz`` holds for each page ``inputs/<set>/<site>.json``, the nodes that a browser showed, as
parallel arrays, and ``gt/<set>/<site>.json``, its leaves and their blocks. Scores on these leaves can be
compared, whatever a method itself takes for leaves.

The nodes of a snapshot are found in the Dom by embedding the one tree in the other: a snapshot leaves out
comments, white space and what is not displayed, so the children of a node are some of those in the Dom, in
the same order, with the same tag, id and class, or text.
"""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.datasets.truth import Truth
from webgrain.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from webgrain.page.dom import Dom, Int32

ARCHIVE = "snapshots.tar.xz"
TRACES = ("highlight", "ui-resizable")
"""Classes that the marking tool left; they are in no snapshot."""

_CLASS, _TEXT = 150, 250  # characters that are compared: snapshots cut off after 200 and 300
_SIZE = 2**26

Key = tuple[str, str, str]


class Snapshots:
    """The snapshots of all pages; small enough to be kept in memory.

    >>> from pathlib import Path
    >>> Snapshots.read(Path("/missing")) is None
    True
    """

    def __init__(self, pages: Mapping[str, Mapping[str, Any]]) -> None:
        self.pages = pages

    @classmethod
    def read(cls, folder: Path) -> Snapshots | None:
        """Read ``snapshots.tar.xz`` in ``folder``; None if there is none, `InputError` if it is damaged."""
        archive = folder / ARCHIVE
        if not archive.exists():
            return None
        try:
            with tarfile.open(archive) as tar:
                found = dict(_members(tar))
        except (tarfile.TarError, OSError, EOFError, ValueError) as error:
            raise InputError(f"{archive} cannot be read: {error}.") from error
        names = [name.removeprefix("gt/") for name in found if name.startswith("gt/")]
        return cls({name: found[f"inputs/{name}"] | found[f"gt/{name}"] for name in names})

    def truth(self, name: str, dom: Dom) -> Truth:
        """Return the truth of a page, its leaves found in ``dom``; `InputError` if there is no snapshot."""
        if name not in self.pages:
            raise InputError(f"There is no snapshot of {name}.")
        snapshot = self.pages[name]
        place, leaf = align(snapshot, dom), np.array(snapshot["leaf"], np.intp)
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


def align(snapshot: Mapping[str, Any], dom: Dom) -> Int32:
    """Return the node of ``dom`` for each node of a snapshot (s,), -1 where the trees do not fit.

    snapshot: lists ``parent``, ``tag``, ``id``, ``cls``, ``text`` over its nodes.

    >>> from webgrain.page.parse import parse_html
    >>> shown = {"parent": [-1, 0, 1, 2], "tag": ["html", "body", "p", "#text"], "id": [""] * 4,
    ...          "cls": ["", "", "b", ""], "text": ["", "", "", "two"]}
    >>> align(shown, parse_html("<p>one</p><p class=b>two")).tolist()
    [0, 2, 5, 6]
    """
    keys = [
        _key(*told) for told in zip(*(snapshot[name] for name in ("tag", "id", "cls", "text")), strict=True)
    ]
    place = np.full(len(keys), -1, np.int32)
    embedding = _Embedding(snapshot["parent"], keys, dom)
    waiting = [(0, 0)] if embedding.fits(0, 0) else []
    while waiting:
        node, at = waiting.pop()
        place[node] = at
        waiting += embedding.children_at[node, at] or []
    return place


class _Embedding:
    """Which subtrees of a snapshot fit where in a Dom; each question is answered once."""

    def __init__(self, parent: list[int], keys: list[Key], dom: Dom) -> None:
        self.dom, self.keys, self.dom_keys = dom, keys, _dom_keys(dom)
        self.children: list[list[int]] = [[] for _ in keys]
        for node, above in enumerate(parent):
            if above >= 0:
                self.children[above].append(node)
        self.children_at: dict[tuple[int, int], list[tuple[int, int]] | None] = {}

    def fits(self, node: int, at: int) -> bool:
        """Tell whether the subtree of a node of the snapshot is found at a node of the Dom.

        Each child takes the first place that it fits, which leaves most to those that follow.
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
    """Return what must be the same; the id of a form is not: a field named "id" hides it from a script."""
    if tag == "#text":
        return tag, "", " ".join(text.split())[:_TEXT].rstrip()
    own = " ".join(name for name in classes.split() if name not in TRACES)
    return tag, "" if tag == "form" else id_, own[:_CLASS].rstrip()


def _members(tar: tarfile.TarFile) -> Iterator[tuple[str, Any]]:
    for member in tar:
        file = tar.extractfile(member) if member.isfile() and member.size <= _SIZE else None
        if file is not None:
            yield member.name.removesuffix(".json"), json.load(file)
