"""Verdicts of people on the sections of pages: their files, their figures, and the app that collects them.

Each judge has a file in the folder of the pages, one record per page:

    {"page": "a.html", "annotator": "kim", "template": "news", "sections": [
     {"xpath": ["/html[1]/body[1]/ul[1]"], "importance": 0.1, "boilerplate": true,
      "cut": true, "class": false}, ...]}

``cut`` and ``class`` are the verdicts on the extent of the section and on its class, boilerplate or
informative: true for right, false for wrong, null for no verdict.

Source of the figures: Mehta, Madaan, Web page sectioning using regex-based template, WWW 2008, section 3:
three people saw the sections with their classes and judged both.

    precision     share of the sections reported as boilerplate whose class is right
    recall        share of the sections that the judge considers boilerplate that were reported as such
    right cuts    share of the judged sections that begin and end where they should

A figure counts the sections of all pages that have the verdict it needs. The agreement on classes compares
the classes that the judges mean, not right and wrong: otherwise judges who find everything right would have
no kappa.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, TypeGuard

from webgrain.base.errors import ParameterError
from webgrain.base.failures import Failure
from webgrain.engines.guard import run_step
from webgrain.io.contentmarks import MAX_SEGMENTS
from webgrain.io.local import json_lines
from webgrain.labeling.app import App, refuse
from webgrain.labeling.pages import ConflictError, PageView, WorkFile
from webgrain.page.page import Page
from webgrain.page.segmentation import segments
from webgrain.rendering.chromium import Chromium
from webgrain.site.pipeline import Predictor
from webgrain.templates.sections import sections_record


@dataclass(frozen=True, slots=True)
class Judged:
    """A section with its verdicts: True for right, False for wrong, None for no verdict.

    Attributes:
        xpath: paths to the roots of its subtrees.
        importance: 0..1; boilerplate: whether it was reported as boilerplate.
        cut: verdict on where it begins and ends.
        category: verdict on its class.
    """

    xpath: tuple[str, ...]
    importance: float
    boilerplate: bool
    cut: bool | None = None
    category: bool | None = None

    @property
    def is_judged(self) -> bool:
        """Whether it has a verdict."""
        return self.cut is not None or self.category is not None

    @property
    def meant(self) -> bool | None:
        """Whether the judge considers it boilerplate; None without a verdict."""
        return None if self.category is None else self.boilerplate == self.category


@dataclass(frozen=True, slots=True)
class Review:
    """The sections of one page by a template, with the verdicts of one judge."""

    template: str
    sections: tuple[Judged, ...]


class ReviewStore(WorkFile[Review]):
    """The verdicts of one judge.

    >>> import tempfile
    >>> from pathlib import Path
    >>> review = Review("news", (Judged(("/html[1]",), 0.1, boilerplate=True, cut=True),))
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = ReviewStore(Path(name), "kim").save("a.html", review, revision=0)
    ...     ReviewStore(Path(name), "kim").get("a.html") == review
    True
    """

    prefix = "reviews-"

    def _read(self) -> Iterator[tuple[str, Review]]:
        return read_reviews(self._path)

    def _record(self, page: str, value: Review) -> dict[str, Any]:
        record = {"page": page, "annotator": self.annotator, "template": value.template}
        return record | {"sections": [_section_record(section) for section in value.sections]}


def read_reviews(path: Path) -> Iterator[tuple[str, Review]]:
    """Yield the pages of a file of verdicts; raises `InputError` for other files."""
    return json_lines(path, "verdicts", _page)


def everyones_reviews(folder: Path) -> dict[str, dict[str, Review]]:
    """Return the verdicts on each page, by judge, of all judges of a folder.

    Raises `InputError` if a file of verdicts cannot be read.
    """
    return {
        path.stem.removeprefix("reviews-"): dict(read_reviews(path))
        for path in sorted(folder.glob("reviews-*.jsonl"))
    }


def _section_record(section: Judged) -> dict[str, Any]:
    return {
        "xpath": list(section.xpath),
        "importance": section.importance,
        "boilerplate": section.boilerplate,
        "noisy": section.boilerplate,  # the old name, for one release
        "cut": section.cut,
        "class": section.category,
    }


def _page(record: Any) -> tuple[str, Review]:
    """Return the page of one record; raises `ValueError` with the reason if it is invalid."""
    values = record if isinstance(record, dict) else {}
    page, template, sections = values.get("page"), values.get("template"), values.get("sections")
    if not isinstance(page, str) or not isinstance(template, str):
        raise ValueError("expected a record with page and template as texts.")
    if not isinstance(sections, list) or len(sections) > MAX_SEGMENTS:
        raise ValueError(f"expected sections, a list of at most {MAX_SEGMENTS:,} records.")
    return page, Review(template, tuple(map(_section, sections)))


def _section(record: Any) -> Judged:
    if not isinstance(record, dict):
        raise ValueError(f"expected a section as a record, got {record!r}.")
    xpath = record.get("xpath")
    importance = record.get("importance")
    boilerplate = record.get("boilerplate", record.get("noisy"))
    if not isinstance(xpath, list) or not all(isinstance(path, str) for path in xpath):
        raise ValueError("expected xpath as a list of paths.")
    if not isinstance(importance, (int, float)) or not 0 <= importance <= 1:
        raise ValueError("expected importance as a number from 0 to 1.")
    if not isinstance(boilerplate, bool):
        raise ValueError("expected boilerplate as true or false.")
    cut, category = record.get("cut"), record.get("class")
    if not is_verdict(cut) or not is_verdict(category):
        raise ValueError("expected cut and class as true, false or null.")
    return Judged(tuple(xpath), importance, boilerplate, cut, category)


def is_verdict(value: object) -> TypeGuard[bool | None]:
    """Whether a value is a verdict: True, False or None."""
    return value is None or isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one judge; a share is None if it has no sections.

    Attributes:
        judge: name.
        pages, sections: numbers with a verdict.
        precision, recall: of boilerplate, 0..1.
        cuts: share of right cuts, 0..1.
    """

    judge: str
    pages: int
    sections: int
    precision: float | None
    recall: float | None
    cuts: float | None


@dataclass(frozen=True, slots=True)
class JudgesAgree:
    """The agreement of two judges.

    Attributes:
        a, b: names.
        verdict: "cut" or "class".
        sections: number of sections with this verdict of both.
        raw: share of equal verdicts, 0..1.
        kappa: Cohen's kappa, at most 1, on average 0 by chance; None if both gave a single verdict only.
    """

    a: str
    b: str
    verdict: str
    sections: int
    raw: float | None
    kappa: float | None


def figures(judge: str, reviews: Mapping[str, Review]) -> Figures:
    """Return the figures of one judge for all pages.

    >>> from webgrain.labeling.reviews import Judged, Review
    >>> menu = Judged(("/html[1]/body[1]/ul[1]",), 0.1, boilerplate=True, cut=True, category=True)
    >>> legal = Judged(("/html[1]/body[1]/p[9]",), 0.6, boilerplate=False, cut=True, category=False)
    >>> figures("kim", {"a.html": Review("news", (menu, legal))})
    Figures(judge='kim', pages=1, sections=2, precision=1.0, recall=0.5, cuts=1.0)
    """
    pages = [review for review in reviews.values() if any(section.is_judged for section in review.sections)]
    sections = [section for review in pages for section in review.sections if section.is_judged]
    boilerplate = [section for section in sections if section.boilerplate]
    return Figures(
        judge,
        len(pages),
        len(sections),
        precision=_share(section.meant for section in boilerplate if section.meant is not None),
        recall=_share(section.boilerplate for section in sections if section.meant),
        cuts=_share(section.cut for section in sections if section.cut is not None),
    )


def agreement(judges: Mapping[str, Mapping[str, Review]]) -> list[JudgesAgree]:
    """Return the agreement of every two judges on cuts and on classes, over the sections that both judged.

    judges: the reviews of each, by page. Sections are equal if page, template and paths are equal.
    """
    rows = []
    for a, b in combinations(sorted(judges), 2):
        pairs = list(_shared(judges[a], judges[b]))
        cuts = [(first.cut, second.cut) for first, second in pairs]
        classes = [(first.meant, second.meant) for first, second in pairs]
        rows.append(_agree(a, b, "cut", cuts))
        rows.append(_agree(a, b, "class", classes))
    return rows


def kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Cohen's kappa of pairs of verdicts; None if all verdicts are equal.

    >>> kappa([(True, True), (True, False), (False, False), (False, False)])
    0.5
    """
    raw = _share(a == b for a, b in pairs)
    if raw is None:
        return None
    first = sum(a for a, _ in pairs) / len(pairs)
    second = sum(b for _, b in pairs) / len(pairs)
    chance = first * second + (1 - first) * (1 - second)
    return None if chance == 1 else (raw - chance) / (1 - chance)


def _agree(a: str, b: str, verdict: str, pairs: Iterable[tuple[bool | None, bool | None]]) -> JudgesAgree:
    both = [(first, second) for first, second in pairs if first is not None and second is not None]
    raw = _share(first == second for first, second in both)
    return JudgesAgree(a, b, verdict, len(both), raw, kappa(both))


def _shared(first: Mapping[str, Review], second: Mapping[str, Review]) -> Iterator[tuple[Judged, Judged]]:
    """Yield the sections that both have judged."""
    for page in first.keys() & second.keys():
        if first[page].template == second[page].template:
            theirs = {section.xpath: section for section in second[page].sections}
            for section in first[page].sections:
                if section.xpath in theirs:
                    yield section, theirs[section.xpath]


def _share(verdicts: Iterable[bool | None]) -> float | None:
    values = [bool(verdict) for verdict in verdicts]
    return sum(values) / len(values) if values else None


class ReviewApp(App):
    """The app in which people judge sections.

    cutter: sections a page, see `webgrain.templates.sections.Sections.segmentation`. browser, root: as in
    `App`. Raises `InputError` if ``folder`` is no folder, contains no page, or contains unreadable verdicts.
    """

    title, window = "Review sections", "review"

    def __init__(
        self, folder: Path, annotator: str, browser: Chromium, cutter: Predictor, root: Path | None = None
    ) -> None:
        super().__init__(folder, browser, root)
        self.store = ReviewStore(folder, annotator)
        self._cutter = cutter

    def answers(self) -> dict[str, Callable[[], object]]:
        """Return the answers about all pages, by path."""
        return super().answers() | {"/summary": lambda: summary(self.folder)}

    def page(self, number: int) -> dict[str, Any]:
        """Return a page with its sections and their verdicts; raises `PageError` if it cannot be shown."""
        view = self.view(number)
        segmentation, review, texts = self._cut(view.page)
        carried = _carried(review, self.store.get(view.page.id))
        rows = zip(segments(view.page, segmentation), carried, texts, strict=True)
        shown = [
            {
                "parts": view.part[list(segment.roots)].tolist(),
                "text": text,
                "importance": judged.importance,
                "boilerplate": judged.boilerplate,
                "cut": judged.cut,
                "class": judged.category,
            }
            for segment, judged, text in rows
        ]
        revision = self.store.revision(view.page.id)
        return {**view.record(), "segments": shown, "template": review.template, "revision": revision}

    def save_marks(self, view: PageView, record: dict[str, Any], revision: int) -> int:
        """Save the verdicts on a page, see `App.save_marks`."""
        review = self._cut(view.page)[1]
        known = self.store.get(view.page.id)
        if known is not None and known.template != review.template:
            raise ConflictError(
                f"The page was judged with the template {known.template}, not {review.template}: "
                "use another annotator name."
            )
        judged = _judged(review, record.get("segments"))
        kept = judged if any(section.is_judged for section in judged.sections) else None
        return self.store.save(view.page.id, kept, revision)

    def done(self, page: str) -> int:
        """Return the number of judged sections of a page."""
        review = self.store.get(page)
        return sum(section.is_judged for section in review.sections) if review else 0

    def _cut(self, page: Page) -> tuple[Any, Review, list[str]]:
        """Return the sections of a page, without verdicts, and their texts."""
        cut = run_step(page, "sections", self._cutter.predict)
        if isinstance(cut, Failure):
            refuse(cut)
        record = sections_record(page, cut)
        sections = [
            Judged(tuple(section["xpath"]), round(section["importance"], 3), section["boilerplate"])
            for section in record["sections"]
        ]
        texts = [section["text"][:200] for section in record["sections"]]
        return cut, Review(record["template"], tuple(sections)), texts


def summary(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the figures of each judge of a folder and the agreement of every two, ready for JSON.

    Raises `InputError` if a file of verdicts cannot be read.
    """
    judges = everyones_reviews(folder)
    return {
        "judges": [asdict(figures(name, reviews)) for name, reviews in judges.items()],
        "agreement": [asdict(pair) for pair in agreement(judges)],
    }


def _carried(review: Review, known: Review | None) -> list[Judged]:
    """Return the sections with their known verdicts; a verdict on the class only if the class is equal."""
    old = {section.xpath: section for section in known.sections} if known else {}
    carried = []
    for section in review.sections:
        was = old.get(section.xpath)
        category = was.category if was and was.boilerplate == section.boilerplate else None
        carried.append(replace(section, cut=was.cut if was else None, category=category))
    return carried


def _judged(review: Review, verdicts: object) -> Review:
    """Return the sections with these verdicts; raises `ParameterError` if they are invalid."""
    if not isinstance(verdicts, list) or len(verdicts) != len(review.sections):
        raise ParameterError(f"Expected a verdict on each of the {len(review.sections)} sections.")
    judged = []
    for section, verdict in zip(review.sections, verdicts, strict=True):
        if not isinstance(verdict, dict):
            raise ParameterError(f"Expected a verdict as a record, got {type(verdict).__name__}.")
        cut, category = verdict.get("cut"), verdict.get("class")
        if not is_verdict(cut) or not is_verdict(category):
            raise ParameterError("Expected cut and class as true, false or null.")
        judged.append(replace(section, cut=cut, category=category))
    return Review(review.template, tuple(judged))
