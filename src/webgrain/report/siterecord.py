"""All of the report of a site but its pages and pictures, as a record for JSON."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from webgrain.report.colors import tone_of
from webgrain.report.difference import MEANING
from webgrain.report.sitejson import LONG, as_json, cut, link, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from webgrain.report.pictures import Picture
    from webgrain.report.site import (
        DriftRow,
        DuplicateRow,
        ReportSegment,
        SamplePage,
        SiteReport,
        TypeCard,
    )
    from webgrain.report.sitepages import Pages
    from webgrain.results import Failure

    Record = dict[str, Any]
    Place = tuple[int, int]

T = TypeVar("T")

TYPES, ROWS = 300, 10_000
"""Types, and duplicates or failures, that are listed."""

SAMPLES, SEGMENTS, BOXES, ROOTS = 5, 300, 20, 8
"""Samples of a type, segments of a sample, boxes and addresses of a segment that are shown."""

ROOM = 24_000_000
"""Characters that all samples together may have, besides their pictures."""

OUTLINE, CONTENTS = 20_000, 12
"""Characters of a template's outline, and examples of what a key path says."""


def report_record(
    report: SiteReport, pages: Pages, pictures: Mapping[Place, Picture], told: Sequence[str] = ()
) -> Record:
    """Return all of a report but its pages and pictures, ready for JSON.

    pages: its pages, gone through already, with the counts of the listed types. pictures: of samples,
    by the numbers of type and sample. told: more sentences for the notes.
    """
    summary = pages.summary()
    notes = [*report.notes, *told]
    types = list(_first(report.types, TYPES, "types", notes))
    samples = _samples(types, pictures, notes)
    if (listed := summary["listed"]) < summary["pages"]:
        notes.append(f"{listed:,} of {summary['pages']:,} pages are listed here; the counts are of all.")
    return {
        "site": cut(report.site),
        "made_of": cut(report.made_of, LONG),
        "summary": summary,
        "type_count": len(report.types),
        "types": [_type(card, samples[kind]) | pages.of_type(card.label) for kind, card in enumerate(types)],
        "duplicate_counts": _duplicate_counts(report.duplicates),
        "duplicates": [_pair(one) for one in _first(report.duplicates, ROWS, "pairs of duplicates", notes)],
        **_failures(report.failures, notes),
        "stages": [[cut(one.name), number(one.seconds, 6), one.pages] for one in report.stages],
        "furniture": [[cut(one.name), cut(one.css, LONG), number(one.share)] for one in report.furniture],
        "drift": [_drift(one) for one in report.drift[:TYPES]],
        "notes": [cut(note, LONG) for note in notes],
    }


def _duplicate_counts(rows: Sequence[DuplicateRow]) -> Record:
    """Return how many pairs, groups and pages in groups there are, and the pairs of each verdict."""
    grouped = [one for one in rows if one.cluster is not None]
    verdicts = Counter(cut(one.verdict) for one in rows)
    return {
        "pairs": len(rows),
        "groups": len({one.cluster for one in grouped}),
        "pages": len({page for one in grouped for page in (one.a, one.b)}),
        "verdicts": [[verdict, n, MEANING.get(verdict, "")] for verdict, n in verdicts.most_common(10)],
    }


def _first(rows: Sequence[T], most: int, what: str, notes: list[str]) -> Iterator[T]:
    if len(rows) > most:
        notes.append(f"The first {most:,} of {len(rows):,} {what} are listed here.")
    return islice(rows, most)


def _pair(row: DuplicateRow) -> list[Any]:
    names = (cut(text) for text in (row.a, row.b, row.verdict))
    return [*names, number(row.similarity), row.cluster]


def _failures(failures: Sequence[Failure], notes: list[str]) -> Record:
    return {
        "failure_stages": dict(Counter(cut(one.stage) for one in failures).most_common(ROWS)),
        "failure_count": len(failures),
        "failures": [_failure(one) for one in _first(failures, ROWS, "failures", notes)],
    }


def _failure(failure: Failure) -> list[Any]:
    names = (cut(text) for text in (failure.page, failure.stage))
    return [*names, cut(failure.error), number(failure.seconds)]


def _drift(row: DriftRow) -> list[Any]:
    return [cut(row.type), row.level, [cut(text, LONG) for text in row.told[:CONTENTS]]]


def ranked(types: Sequence[TypeCard]) -> Iterator[tuple[Place, SamplePage]]:
    """Go through the samples of all types with their places: the first of each type, then the second ones."""
    for rank in range(SAMPLES):
        for kind, card in enumerate(types[:TYPES]):
            if rank < len(card.samples):
                yield (kind, rank), card.samples[rank]


def _samples(
    types: Sequence[TypeCard], pictures: Mapping[Place, Picture], notes: list[str]
) -> dict[int, list[Record]]:
    """Return the records of the samples of each type, as many as there is room for."""
    found: dict[int, list[Record]] = {kind: [] for kind in range(len(types))}
    room, left = ROOM, 0
    for (kind, rank), sample in ranked(types):
        record = _sample(sample, pictures.get((kind, rank)), f"picture-{kind}-{rank}") if room > 0 else {}
        room -= len(as_json(record))
        if room > 0:
            found[kind].append(record)
        else:
            left += 1
    if left:
        notes.append(f"{left:,} pages are not shown with their segments, to keep this file small.")
    return found


def _type(card: TypeCard, samples: list[Record]) -> Record:
    return {
        "label": None if card.label is None else cut(card.label),
        "name": cut(card.name),
        "size": card.size,
        "share": number(card.share),
        "css": cut(card.key_path_css, LONG),
        "xpath": cut(card.key_path_xpath, LONG),
        "noise": number(card.noise),
        "match": number(card.match),
        "outline": cut(card.outline, OUTLINE),
        "title_css": cut(card.title_css, LONG),
        "main_css": cut(card.main_css, LONG),
        "contents": [cut(text) for text in card.contents[:CONTENTS]],
        "samples": samples,
    }


def _sample(sample: SamplePage, picture: Picture | None, name: str) -> Record:
    width, height = (picture.width, picture.height) if picture else (sample.width, sample.height)
    return {
        "id": cut(sample.id),
        "url": link(sample.url),
        "title": cut(sample.title),
        "picture": name if picture else None,
        "width": number(width),
        "height": number(height),
        "segments": [_segment(k, one) for k, one in enumerate(sample.segments[:SEGMENTS])],
        "more": max(len(sample.segments) - SEGMENTS, 0),
    }


def _segment(k: int, segment: ReportSegment) -> Record:
    return {
        "tone": tone_of(k, segment.importance),
        "boxes": [[number(side) for side in box] for box in segment.boxes[:BOXES]],
        "text": cut(segment.text, LONG),
        "css": [cut(path, LONG) for path in segment.css[:ROOTS]],
        "xpath": [cut(path, LONG) for path in segment.xpath[:ROOTS]],
        "more": segment.more + max(len(segment.xpath) - ROOTS, 0),
        "role": None if segment.role is None else cut(segment.role),
        "importance": number(segment.importance),
        "confidence": number(segment.confidence),
    }
