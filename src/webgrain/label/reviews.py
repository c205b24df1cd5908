"""The format and the store of verdicts on sections: one file per judge in the folder of the pages.

    {"page": "a.html", "annotator": "kim", "template": "news", "sections": [
     {"xpath": ["/html[1]/body[1]/ul[1]"], "importance": 0.1, "noisy": true, "cut": true, "class": false},
     ...]}

``cut`` and ``class`` are verdicts on where the section begins and ends and on whether it is noisy or
informative: true for right, false for wrong, null where there is none yet.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from webgrain.datasets.labelled import MAX_RECORD, MAX_SEGMENTS
from webgrain.errors import InputError, ReadError
from webgrain.io.local import open_regular, replacing
from webgrain.label.store import PageStore, checked_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Judged:
    """One section with the verdicts on it; True for right, False for wrong, None for none.

    Attributes:
        xpath: paths to the roots of its subtrees.
        importance: 0..1; noisy: whether it was said to be noise.
        cut: whether it begins and ends where it should.
        category: whether it is noisy or informative as was said.
    """

    xpath: tuple[str, ...]
    importance: float
    noisy: bool
    cut: bool | None = None
    category: bool | None = None

    @property
    def is_judged(self) -> bool:
        """Whether there is any verdict on it."""
        return self.cut is not None or self.category is not None

    @property
    def meant(self) -> bool | None:
        """Whether the judge takes it for noise; None where the judge did not say."""
        return None if self.category is None else self.noisy == self.category


@dataclass(frozen=True, slots=True)
class Review:
    """The sections of one page as a template cut them, with the verdicts of one judge."""

    template: str
    sections: tuple[Judged, ...]


class ReviewStore(PageStore[Review]):
    """The verdicts of one judge; `InputError` where the file is there and cannot be read.

    >>> import tempfile
    >>> from pathlib import Path
    >>> review = Review("news", (Judged(("/html[1]",), 0.1, noisy=True, cut=True),))
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = ReviewStore(Path(name), "kim").keep("a.html", review, revision=0)
    ...     ReviewStore(Path(name), "kim").kept("a.html") == review
    True
    """

    def __init__(self, folder: Path, annotator: str) -> None:
        super().__init__(folder / f"reviews-{checked_name(annotator)}.jsonl", annotator)

    def _read(self) -> Iterator[tuple[str, Review]]:
        return read_reviews(self._path)

    def _write(self, pages: Mapping[str, Review]) -> None:
        with (
            replacing(self._path) as part,
            part.open("w", encoding="utf-8", errors="backslashreplace") as file,
        ):
            for page, review in pages.items():
                record = {"page": page, "annotator": self.annotator, "template": review.template}
                told = {"sections": [_record(section) for section in review.sections]}
                print(json.dumps(record | told, ensure_ascii=False), file=file)


def read_reviews(path: Path) -> Iterator[tuple[str, Review]]:
    """Yield the pages of a file of verdicts; `InputError` where it cannot be read or is not as above."""
    try:
        file = open_regular(path)
    except (OSError, ReadError) as error:
        raise InputError(f"The verdicts {path} cannot be read: {error}.") from error
    with file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_RECORD + 1), b""), 1):
            if line.strip():
                try:
                    yield _page(line)
                except (ValueError, RecursionError) as error:
                    raise InputError(f"{path}, line {number}: {error}") from error


def everyones_reviews(folder: Path) -> dict[str, dict[str, Review]]:
    """Return the verdicts on each page, by judge, of all judges of a folder.

    `InputError` where a file of verdicts cannot be read.
    """
    return {
        path.stem.removeprefix("reviews-"): dict(read_reviews(path))
        for path in sorted(folder.glob("reviews-*.jsonl"))
    }


def _record(section: Judged) -> dict[str, Any]:
    return {
        "xpath": list(section.xpath),
        "importance": section.importance,
        "noisy": section.noisy,
        "cut": section.cut,
        "class": section.category,
    }


def _page(line: bytes) -> tuple[str, Review]:
    """Return the page of one record; `ValueError` says what is wrong with it."""
    if len(line) > MAX_RECORD:
        raise ValueError(f"a record has at most {MAX_RECORD:,} bytes.")
    record = json.loads(line)
    if not isinstance(record, dict) or not all(isinstance(record.get(k), str) for k in ("page", "template")):
        raise ValueError("expected a record with page and template as texts.")
    sections = record.get("sections")
    if not isinstance(sections, list) or len(sections) > MAX_SEGMENTS:
        raise ValueError(f"expected sections, a list of at most {MAX_SEGMENTS:,} records.")
    return record["page"], Review(record["template"], tuple(map(_section, sections)))


def _section(record: Any) -> Judged:
    if not isinstance(record, dict):
        raise ValueError(f"expected a section as a record, got {record!r}.")
    xpath, importance, noisy = record.get("xpath"), record.get("importance"), record.get("noisy")
    if not isinstance(xpath, list) or not all(isinstance(path, str) for path in xpath):
        raise ValueError("expected xpath as a list of paths.")
    if not isinstance(importance, (int, float)) or not 0 <= importance <= 1:
        raise ValueError("expected importance as a number from 0 to 1.")
    if not isinstance(noisy, bool):
        raise ValueError("expected noisy as true or false.")
    cut, category = record.get("cut"), record.get("class")
    if not is_verdict(cut) or not is_verdict(category):
        raise ValueError("expected cut and class as true, false or null.")
    return Judged(tuple(xpath), importance, noisy, cut, category)


def is_verdict(value: object) -> TypeGuard[bool | None]:
    """Whether a value is a verdict: True, False or None."""
    return value is None or isinstance(value, bool)
