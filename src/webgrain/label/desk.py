"""The annotator's desk: the pages of a folder, laid out when they are looked at, and the labels on them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NoReturn, Self

from webgrain.errors import InputError, PageError, ParameterError, ReadError
from webgrain.io.assets import FolderAssets, is_inside
from webgrain.io.read import read
from webgrain.label.agreement import agreements
from webgrain.label.marks import marks_of, segments_of
from webgrain.label.scene import Scene, scene_of
from webgrain.label.store import LabelStore, everyone
from webgrain.page.page import Source
from webgrain.pipeline import attempt
from webgrain.records import segments
from webgrain.results import Failure
from webgrain.segment.segmenter import segmenter

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from webgrain.render.chromium import Chromium

KEPT = 12
"""Pages that are kept as they were laid out, with their pictures."""

ROLES = {
    "header": "h", "footer": "f", "menu": "m", "logo": "l", "searchbar": "s", "article": "a", "content": "c",
    "linklist": "k", "image": "i", "ad": "d", "sidebar": "b", "video": "v", "table": "t", "comments": "o",
    "author": "u", "title": "e",
}  # fmt: skip
"""Roles that a segment can be given, named as by `webgrain.datasets.kreuzer`, and the key for each."""


class Desk:
    """What the server asks; pages go by their number. A context manager, usable by many threads.

    browser: lays out the pages, one after the other in a thread; it must be open. `InputError` where
    ``folder`` is no folder, holds no page, or holds labels that cannot be read.
    """

    def __init__(self, folder: Path, annotator: str, browser: Chromium) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder: name the folder that the pages are in.")
        self.store = LabelStore(folder, annotator)
        self._folder, self._assets, self._browser = folder, FolderAssets(folder), browser
        self._failed: dict[str, str] = {}
        self._ids = self._list()
        self._thread = ThreadPoolExecutor(1, "webgrain-label")
        self._lock = threading.Lock()
        self._scenes: OrderedDict[str, Future[Scene | Failure]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown(cancel_futures=True)

    def __len__(self) -> int:
        return len(self._ids)

    def overview(self) -> dict[str, Any]:
        """Return the pages, the roles, and the page to begin with: the one that was worked on last."""
        pages = [
            {"page": page, "failure": self._failed.get(page), "segments": len(self.store.segments(page))}
            for page in self._ids
        ]
        start = next((k for k, page in enumerate(self._ids) if page == self.store.last), None)
        if start is None:
            start = next((k for k, page in enumerate(self._ids) if page not in self._failed), 0)
        return {"annotator": self.store.annotator, "roles": ROLES, "pages": pages, "start": start}

    def page(self, number: int) -> dict[str, Any]:
        """Return one page and the marks on it; `PageError` where it cannot be shown."""
        scene = self._scene(number)
        page = scene.page.id
        return {
            **scene.record(),
            "segments": marks_of(scene, self.store.segments(page)),
            "revision": self.store.revision(page),
        }

    def picture(self, number: int) -> bytes:
        """Return the screenshot of a page as a PNG; `PageError` where it cannot be shown."""
        return self._scene(number).page.screenshot or b""

    def save(self, number: int, record: object) -> dict[str, int]:
        """Keep the marks of a page, as its window sent them; `ParameterError` where they are none."""
        scene = self._scene(number)
        if not isinstance(record, dict) or type(record.get("revision")) is not int:
            raise ParameterError("Expected a record with segments and a revision.")
        found = segments_of(scene, record.get("segments"))
        return {"revision": self.store.save(scene.page.id, found, record["revision"])}

    def suggestion(self, number: int) -> dict[str, Any]:
        """Return the segments that webgrain finds on a page, as marks, with the roles they seem to have."""
        page = self._scene(number).page
        cut = attempt(page, "segment", lambda page: segments(page, segmenter().predict(page)))
        if isinstance(cut, Failure):
            _refuse(cut)
        parts = self._scene(number).part
        marks = [{"parts": parts[list(one.roots)].tolist(), "role": one.role, "lost": []} for one in cut]
        return {"segments": marks}

    def compared(self) -> dict[str, list[int]]:
        """Return the pages that two annotators or more have labelled."""
        labels = everyone(self._folder)
        return {"pages": [k for k, page in enumerate(self._ids) if len(labels.get(page, ())) > 1]}

    def agreement(self, number: int) -> dict[str, Any]:
        """Return the agreement of every two annotators on a page."""
        scene = self._scene(number)
        found = agreements(scene.page, everyone(self._folder).get(scene.page.id, {}))
        return {"page": scene.page.id, "pairs": [asdict(one) for one in found]}

    def _list(self) -> list[str]:
        """Return the ids of the pages; those that cannot be read are noted as failed."""
        ids = []
        for item in read([self._folder]):
            if isinstance(item, Failure):
                self._failed[item.page] = item.error
            elif not is_inside(item.id):
                self._failed[item.id] = "its name cannot be written down as a path."
            ids.append(item.page if isinstance(item, Failure) else item.id)
        if not ids:
            raise InputError(f"There is no page in {self._folder}.")
        return ids

    def _scene(self, number: int) -> Scene:
        page = self._ids[number]
        with self._lock:
            waiting = self._scenes.pop(page, None) or self._thread.submit(self._render, page)
            self._scenes[page] = waiting
            while len(self._scenes) > KEPT:
                self._scenes.popitem(last=False)
        scene = waiting.result()
        if isinstance(scene, Failure):
            _refuse(scene)
        return scene

    def _render(self, page: str) -> Scene | Failure:
        if page in self._failed:
            return Failure(page, ReadError.stage, self._failed[page])
        scene = attempt(Source(page, b""), "render", self._lay_out)
        if isinstance(scene, Failure):
            self._failed[page] = scene.error
        return scene

    def _lay_out(self, named: Source) -> Scene:
        body = self._assets.read(named.id)
        if body is None:
            raise ReadError("the file is not there any more, or too large.")
        source = Source(named.id, body, assets=self._assets, path=named.id)
        return scene_of(self._browser.render(source, screenshot=True))


def _refuse(failure: Failure) -> NoReturn:
    raise PageError(f"{failure.stage}: {failure.error}")
