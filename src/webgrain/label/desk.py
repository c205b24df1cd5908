"""The annotator's desk: the labels on the pages of a folder."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from webgrain.errors import ParameterError
from webgrain.label.agreement import agreements
from webgrain.label.marks import marks_of, segments_of
from webgrain.label.sheets import Sheets, refuse
from webgrain.label.store import LabelStore, everyone
from webgrain.records import segments
from webgrain.results import Failure
from webgrain.run.attempt import attempt
from webgrain.segment.segmenter import segmenter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from webgrain.render.chromium import Chromium

ROLES = {
    "header": "h", "footer": "f", "menu": "m", "logo": "l", "searchbar": "s", "article": "a", "content": "c",
    "linklist": "k", "image": "i", "ad": "d", "sidebar": "b", "video": "v", "table": "t", "comments": "o",
    "author": "u", "title": "e",
}  # fmt: skip
"""Roles that a segment can be given, named as by `webgrain.datasets.kreuzer`, and the key for each."""


class Desk(Sheets):
    """What the server asks where pages are marked.

    browser: as in `Sheets`. `InputError` where ``folder`` is no folder, holds no page, or holds labels that
    cannot be read.
    """

    window = "label.html"

    def __init__(self, folder: Path, annotator: str, browser: Chromium) -> None:
        super().__init__(folder, browser)
        self.store = LabelStore(folder, annotator)

    def answers(self) -> Mapping[str, Callable[[], object]]:
        """Return what can be asked about all pages, by its path."""
        return {"/pages": self.overview, "/agreement": self.compared}

    def page_answers(self) -> Mapping[str | None, Callable[[int], object]]:
        """Return what can be asked about one page, by the last part of its path."""
        return {"suggestion": self.suggestion, "agreement": self.agreement, None: self.page}

    def overview(self) -> dict[str, Any]:
        """Return the pages, the roles, and the page to begin with: the one that was worked on last."""
        listed = self.listed(lambda page: len(self.store.segments(page)), self.store.last)
        return {"annotator": self.store.annotator, "roles": ROLES, **listed}

    def page(self, number: int) -> dict[str, Any]:
        """Return one page and the marks on it; `PageError` where it cannot be shown."""
        scene = self.scene(number)
        page = scene.page.id
        return {
            **scene.record(),
            "segments": marks_of(scene, self.store.segments(page)),
            "revision": self.store.revision(page),
        }

    def save(self, number: int, record: object) -> dict[str, int]:
        """Keep the marks of a page, as its window sent them; `ParameterError` where they are none."""
        scene = self.scene(number)
        if not isinstance(record, dict) or type(record.get("revision")) is not int:
            raise ParameterError("Expected a record with segments and a revision.")
        found = segments_of(scene, record.get("segments"))
        return {"revision": self.store.save(scene.page.id, found, record["revision"])}

    def suggestion(self, number: int) -> dict[str, Any]:
        """Return the segments that webgrain finds on a page, as marks, with the roles they seem to have."""
        page = self.scene(number).page
        cut = attempt(page, "segment", lambda page: segments(page, segmenter().predict(page)))
        if isinstance(cut, Failure):
            refuse(cut)
        parts = self.scene(number).part
        marks = [{"parts": parts[list(one.roots)].tolist(), "role": one.role, "lost": []} for one in cut]
        return {"segments": marks}

    def compared(self) -> dict[str, list[int]]:
        """Return the pages that two annotators or more have labelled."""
        labels = everyone(self.folder)
        return {"pages": [k for k, page in enumerate(self._ids) if len(labels.get(page, ())) > 1]}

    def agreement(self, number: int) -> dict[str, Any]:
        """Return the agreement of every two annotators on a page."""
        scene = self.scene(number)
        found = agreements(scene.page, everyone(self.folder).get(scene.page.id, {}))
        return {"page": scene.page.id, "pairs": [asdict(one) for one in found]}
