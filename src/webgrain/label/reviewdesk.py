"""The judge's desk: the sections of the pages of a folder, and the verdicts on them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from webgrain.errors import ParameterError
from webgrain.label.reviews import Judged, Review, ReviewStore, everyones_reviews, is_verdict
from webgrain.label.sheets import Sheets, refuse
from webgrain.label.store import ConflictError
from webgrain.label.verdicts import agreement, figures
from webgrain.records import sections_record, segments
from webgrain.results import Failure
from webgrain.run.attempt import attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from webgrain.page.page import Page
    from webgrain.pipeline import Predictor
    from webgrain.render.chromium import Chromium


class ReviewDesk(Sheets):
    """What the server asks where sections are judged.

    cutter: cuts a page into sections, as `webgrain.template.sections.Sections.segmentation` gives them.
    browser: as in `Sheets`. `InputError` where ``folder`` is no folder, holds no page, or holds verdicts that
    cannot be read.
    """

    window = "review.html"

    def __init__(self, folder: Path, annotator: str, browser: Chromium, cutter: Predictor) -> None:
        super().__init__(folder, browser)
        self.store = ReviewStore(folder, annotator)
        self._cutter = cutter

    def answers(self) -> Mapping[str, Callable[[], object]]:
        """Return what can be asked about all pages, by its path."""
        return {"/pages": self.overview, "/summary": lambda: summary(self.folder)}

    def page_answers(self) -> Mapping[str | None, Callable[[int], object]]:
        """Return what can be asked about one page: the page."""
        return {None: self.page}

    def overview(self) -> dict[str, Any]:
        """Return the pages, and the page to begin with: the one that was worked on last."""
        return {"annotator": self.store.annotator, **self.listed(self._done, self.store.last)}

    def page(self, number: int) -> dict[str, Any]:
        """Return one page with its sections and their verdicts; `PageError` where it cannot be shown."""
        scene = self.scene(number)
        segmentation, review, texts = self._cut(scene.page)
        known = self._known(scene.page.id)
        shown = [
            {
                "parts": scene.part[list(one.roots)].tolist(),
                "text": text,
                "importance": judged.importance,
                "noisy": judged.noisy,
                "cut": judged.cut,
                "class": judged.category,
            }
            for one, judged, text in zip(
                segments(scene.page, segmentation), _carried(review, known), texts, strict=True
            )
        ]
        told = {
            "segments": shown,
            "template": review.template,
            "revision": self.store.revision(scene.page.id),
        }
        return {**scene.record(), **told}

    def save(self, number: int, record: object) -> dict[str, int]:
        """Keep the verdicts on a page, as its window sent them; `ParameterError` where they are none."""
        scene = self.scene(number)
        if not isinstance(record, dict) or type(record.get("revision")) is not int:
            raise ParameterError("Expected a record with segments and a revision.")
        review = self._cut(scene.page)[1]
        known = self._known(scene.page.id)
        if known is not None and known.template != review.template:
            raise ConflictError(
                f"The page was judged as the template {known.template} cuts it, not {review.template}: "
                "judge it under another name."
            )
        judged = _judged(review, record.get("segments"))
        kept = judged if any(section.is_judged for section in judged.sections) else None
        return {"revision": self.store.keep(scene.page.id, kept, record["revision"])}

    def _known(self, page: str) -> Review | None:
        return self.store.kept(page)

    def _done(self, page: str) -> int:
        review = self._known(page)
        return sum(section.is_judged for section in review.sections) if review else 0

    def _cut(self, page: Page) -> tuple[Any, Review, list[str]]:
        """Return the sections of a page, without verdicts, and the text of each."""
        found = attempt(page, "sections", self._cutter.predict)
        if isinstance(found, Failure):
            refuse(found)
        record = sections_record(page, found)
        sections = [
            Judged(tuple(one["xpath"]), round(one["importance"], 3), one["noisy"])
            for one in record["sections"]
        ]
        texts = [one["text"][:200] for one in record["sections"]]
        return found, Review(record["template"], tuple(sections)), texts


def summary(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return what each judge of a folder found, and the agreement of every two, ready for JSON.

    `InputError` where a file of verdicts cannot be read.
    """
    judges = everyones_reviews(folder)
    return {
        "judges": [asdict(figures(name, reviews)) for name, reviews in judges.items()],
        "agreement": [asdict(one) for one in agreement(judges)],
    }


def _carried(review: Review, known: Review | None) -> list[Judged]:
    """Return the sections with the verdicts known of them; on a class only where it is the same."""
    old = {section.xpath: section for section in known.sections} if known else {}
    found = []
    for section in review.sections:
        was = old.get(section.xpath)
        category = was.category if was and was.noisy == section.noisy else None
        found.append(replace(section, cut=was.cut if was else None, category=category))
    return found


def _judged(review: Review, verdicts: object) -> Review:
    """Return the sections with verdicts, one record each; `ParameterError` where they are none."""
    if not isinstance(verdicts, list) or len(verdicts) != len(review.sections):
        raise ParameterError(f"Expected a verdict on each of the {len(review.sections)} sections.")
    found = []
    for section, verdict in zip(review.sections, verdicts, strict=True):
        if not isinstance(verdict, dict):
            raise ParameterError(f"Expected a verdict as a record, got {type(verdict).__name__}.")
        cut, category = verdict.get("cut"), verdict.get("class")
        if not is_verdict(cut) or not is_verdict(category):
            raise ParameterError("Expected cut and class as true, false or null.")
        found.append(replace(section, cut=cut, category=category))
    return Review(review.template, tuple(found))
