"""The pages of a folder, laid out when they are looked at: what every desk of the tool works on."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NoReturn, Self

from webgrain.errors import InputError, PageError, ReadError
from webgrain.io.assets import FolderAssets, is_inside
from webgrain.io.read import read
from webgrain.label.scene import Scene, scene_of
from webgrain.page.page import Source
from webgrain.results import Failure
from webgrain.run.attempt import attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

    from webgrain.render.chromium import Chromium

KEPT = 12
"""Pages that are kept as they were laid out, with their pictures."""


class Sheets(ABC):
    """Pages that go by their number, and what the server asks of a desk. Usable by many threads.

    browser: lays out the pages, one after the other in a thread; it must be open. `InputError` where
    ``folder`` is no folder or holds no page. A desk names its ``window``, the file that it is shown in.
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
        self._scenes: OrderedDict[str, Future[Scene | Failure]] = OrderedDict()

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
        """Return what can be asked about all pages, by its path."""

    @abstractmethod
    def page_answers(self) -> Mapping[str | None, Callable[[int], object]]:
        """Return what can be asked about one page, by the last part of its path; None for the page itself."""

    @abstractmethod
    def save(self, number: int, record: object) -> dict[str, int]:
        """Keep what the window sent about a page; return its new revision."""

    def picture(self, number: int) -> bytes:
        """Return the screenshot of a page as a PNG; `PageError` where it cannot be shown."""
        return self.scene(number).page.screenshot or b""

    def listed(self, done: Callable[[str], int], last: str | None) -> dict[str, Any]:
        """Return the pages with what is done on each, and the page to begin with.

        done: number of segments of a page that are dealt with. last: the page that was worked on last.
        """
        pages = [
            {"page": page, "failure": self._failed.get(page), "segments": done(page)} for page in self._ids
        ]
        start = next((k for k, page in enumerate(self._ids) if page == last), None)
        if start is None:
            start = next((k for k, page in enumerate(self._ids) if page not in self._failed), 0)
        return {"pages": pages, "start": start}

    def _list(self) -> list[str]:
        """Return the ids of the pages; those that cannot be read are noted as failed."""
        ids = []
        for item in read([self.folder]):
            if isinstance(item, Failure):
                self._failed[item.page] = item.error
            elif not is_inside(item.id):
                self._failed[item.id] = "its name cannot be written down as a path."
            ids.append(item.page if isinstance(item, Failure) else item.id)
        if not ids:
            raise InputError(f"There is no page in {self.folder}.")
        return ids

    def scene(self, number: int) -> Scene:
        """Return a page as it is shown; `PageError` where it cannot be."""
        page = self._ids[number]
        with self._lock:
            waiting = self._scenes.pop(page, None) or self._thread.submit(self._render, page)
            self._scenes[page] = waiting
            while len(self._scenes) > KEPT:
                self._scenes.popitem(last=False)
        scene = waiting.result()
        if isinstance(scene, Failure):
            refuse(scene)
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


def refuse(failure: Failure) -> NoReturn:
    """Raise what tells the window why a page failed."""
    raise PageError(f"{failure.stage}: {failure.error}")
