"""The pages of a folder as the labelling tool shows them, and the base class of its apps.

A part of a page is a set of leaves that a pointer can select: those below a node. Nodes with the same leaves,
such as a list item and the link in it, are one part, identified by the topmost of them. So every part except
a leaf contains at least two parts.
"""

from __future__ import annotations

import struct
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import numpy as np

from webgrain.arrays import Float32, Int32
from webgrain.engines.guard import run_step
from webgrain.errors import InputError, PageError, ReadError
from webgrain.io.local import FolderAssets, is_inside
from webgrain.io.read import read
from webgrain.page.dom import Dom, freeze
from webgrain.page.leaves import KINDS, VisibleTree, visible_tree
from webgrain.page.page import Page, Source
from webgrain.page.text import texts_of
from webgrain.rendering.boxes import nearest
from webgrain.rendering.chromium import Chromium
from webgrain.results import Failure

TEXT = 100
"""Characters of a leaf that are shown."""


@dataclass(frozen=True, slots=True, eq=False)
class PageView:
    """The parts of a rendered page; ``m`` parts in document order, ``l`` leaves, arrays read-only.

    Attributes:
        page: the page, with a view.
        node: (m,) int32, the topmost node of the Dom with the leaves of the part.
        parent: (m,) int32, the part around it, -1 at the first.
        first, last: (m,) int32, the leaves of the part are ``first:last``.
        box: (m, 4) float32, x, y, width, height in CSS px around its leaves.
        reach: (m, 4) float32, around its leaves and its node: where a pointer may select it.
        text: beginning of each leaf (l); its kind if it has no text.
        part: (n,) int32, the part of each node of the DOM, -1 for invisible nodes.
    """

    page: Page
    node: Int32
    parent: Int32
    first: Int32
    last: Int32
    box: Float32
    reach: Float32
    text: tuple[str, ...]
    part: Int32

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.node)

    def record(self) -> dict[str, Any]:
        """Return the view ready for JSON: columns by part, the size of page and picture in px."""
        page, view = self.page, self.page.view
        assert view is not None
        return {
            "page": page.id,
            "notes": list(page.notes),
            "size": [round(view.width), round(view.height)],
            "picture": picture_size(page.screenshot or b""),
            "parent": self.parent.tolist(),
            "first": self.first.tolist(),
            "last": self.last.tolist(),
            "box": _tenths(self.box),
            "reach": _tenths(self.reach),
            "name": [_name(page.dom, node) for node in self.node.tolist()],
            "text": list(self.text),
        }


def page_view(page: Page) -> PageView:
    """Return the parts of a page; raises `PageError` if nothing is visible on it.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.rendering.estimate import estimate
    >>> page = parse(Source("a", b"<ul><li><a>One</a><li>Two</ul>"))
    >>> view = page_view(page.with_view(estimate(page.dom)))
    >>> [page.dom.name(node) for node in view.node], view.parent.tolist(), view.text
    (['html', 'li', 'li'], [-1, 0, 0], ('One', 'Two'))
    """
    tree = visible_tree(page)
    if page.view is None or not len(tree):
        raise PageError("nothing is visible on the page.")
    before = np.concatenate([[0], np.cumsum(tree.kind > 0)]).astype(np.int32)
    first, last = before[:-1], before[tree.end]
    above = np.maximum(tree.parent, 0)
    top = (tree.parent < 0) | (first != first[above]) | (last != last[above])
    rank = (np.cumsum(top) - 1)[nearest(tree.parent, top)].astype(np.int32)
    node = tree.node[top]
    box = _around(page.view.box[tree.node[tree.leaves]], first[top], last[top])
    return PageView(
        page=page,
        node=node,
        parent=np.where(tree.parent < 0, -1, rank[above]).astype(np.int32)[top],
        first=first[top],
        last=last[top],
        box=box,
        reach=_both(box, page.view.box[node]),
        text=_texts(page, tree),
        part=tree.to_dom(rank),
    )


def picture_size(png: bytes) -> tuple[int, int]:
    r"""Return width and height of a PNG in px; 0, 0 for anything else.

    >>> picture_size(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03")
    (2, 3)
    """
    if len(png) < 24 or png[:8] != b"\x89PNG\r\n\x1a\n":
        return 0, 0
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _around(box: Float32, first: Int32, last: Int32) -> Float32:
    """Boxes (m, 4) around the boxes (l, 4) of the leaves ``first:last`` of each part."""
    spans = np.stack([first, last], 1).ravel()
    spare = np.vstack([box, box[-1:]])  # reduceat wants every bound to be an index
    low = np.minimum.reduceat(spare[:, :2], spans)[::2]
    high = np.maximum.reduceat(spare[:, :2] + spare[:, 2:], spans)[::2]
    return np.hstack([low, high - low])


def _both(one: Float32, other: Float32) -> Float32:
    """Return the boxes (m, 4) around pairs of boxes; a box without a size is ignored."""
    other = np.where((other[:, 2:] > 0).all(1, keepdims=True), other, one)
    low = np.minimum(one[:, :2], other[:, :2])
    high = np.maximum(one[:, :2] + one[:, 2:], other[:, :2] + other[:, 2:])
    return np.hstack([low, high - low])


def _tenths(box: Float32) -> list[list[float]]:
    tenths: list[list[float]] = box.astype(np.float64).round(1).tolist()
    return tenths


def _texts(page: Page, tree: VisibleTree) -> tuple[str, ...]:
    leaf = tree.node[tree.leaves].tolist()
    found = texts_of(page, [[node] for node in leaf], alt=True)
    kinds = tree.kind[tree.leaves].tolist()
    return tuple(text[:TEXT] or f"[{KINDS[kind]}]" for text, kind in zip(found, kinds, strict=True))


def _name(dom: Dom, node: int) -> str:
    """Return the CSS name of a node with its id, or else its first class."""
    name = dom.name(node)
    attributes = dom.attributes(node)
    if attributes.get("id"):
        return f"{name}#{attributes['id'][:40]}"
    classes = attributes.get("class", "").split()
    return f"{name}.{classes[0][:40]}" if classes else name


KEPT = 12
"""Rendered pages that stay in memory, with their pictures."""


class App(ABC):
    """An app: numbered pages, and the answers to the requests of the server. Thread-safe.

    browser: renders the pages, one after the other in a thread; it must be open. ``window``: the HTML file of
    the app. Raises `InputError` if ``folder`` is no folder or contains no page.
    """

    window: str

    def __init__(self, folder: Path, browser: Chromium) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder: name the folder that the pages are in.")
        self.folder = folder
        self._assets, self._browser = FolderAssets(folder), browser
        self._failed: dict[str, str] = {}
        self._ids = self._list()
        self._thread = ThreadPoolExecutor(1, "webgrain-label")
        self._lock = threading.Lock()
        self._views: OrderedDict[str, Future[PageView | Failure]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown(cancel_futures=True)

    def __len__(self) -> int:
        return len(self._ids)

    @abstractmethod
    def answers(self) -> Mapping[str, Callable[[], object]]:
        """Return the answers about all pages, by path."""

    @abstractmethod
    def page_answers(self) -> Mapping[str | None, Callable[[int], object]]:
        """Return the answers about one page, by the last part of the path; None for the page itself."""

    @abstractmethod
    def save(self, number: int, record: object) -> dict[str, int]:
        """Save the record that the window sent for a page; return its new revision."""

    def picture(self, number: int) -> bytes:
        """Return the screenshot of a page as a PNG; raises `PageError` if it cannot be shown."""
        return self.view(number).page.screenshot or b""

    def listed(self, done: Callable[[str], int], last: str | None) -> dict[str, Any]:
        """Return the pages with their progress, and the first page to show.

        done: returns the number of finished segments of a page. last: the page that was changed last.
        """
        pages = [
            {"page": page, "failure": self._failed.get(page), "segments": done(page)} for page in self._ids
        ]
        start = next((k for k, page in enumerate(self._ids) if page == last), None)
        if start is None:
            start = next((k for k, page in enumerate(self._ids) if page not in self._failed), 0)
        return {"pages": pages, "start": start}

    def _list(self) -> list[str]:
        """Return the ids of the pages; unreadable pages are recorded as failed."""
        ids = []
        for item in read([self.folder]):
            if isinstance(item, Failure):
                self._failed[item.page] = item.error
            elif not is_inside(item.id):
                self._failed[item.id] = "its name is not a valid path."
            ids.append(item.page if isinstance(item, Failure) else item.id)
        if not ids:
            raise InputError(f"There is no page in {self.folder}.")
        return ids

    def view(self, number: int) -> PageView:
        """Return the view of a page; raises `PageError` if it cannot be shown."""
        page = self._ids[number]
        with self._lock:
            waiting = self._views.pop(page, None) or self._thread.submit(self._render, page)
            self._views[page] = waiting
            while len(self._views) > KEPT:
                self._views.popitem(last=False)
        view = waiting.result()
        if isinstance(view, Failure):
            refuse(view)
        return view

    def _render(self, page: str) -> PageView | Failure:
        if page in self._failed:
            return Failure(page, ReadError.stage, self._failed[page])
        view = run_step(Source(page, b""), "render", self._lay_out)
        if isinstance(view, Failure):
            self._failed[page] = view.error
        return view

    def _lay_out(self, named: Source) -> PageView:
        body = self._assets.read(named.id)
        if body is None:
            raise ReadError("the file no longer exists, or is too large.")
        source = Source(named.id, body, assets=self._assets, path=named.id)
        return page_view(self._browser.render(source, screenshot=True))


def refuse(failure: Failure) -> NoReturn:
    """Raise a `PageError` with the reason of a failure, for the window."""
    raise PageError(f"{failure.stage}: {failure.error}")
