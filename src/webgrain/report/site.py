"""The pages in the report of a site: listed up to a number, counted all.

All of the report of a site but its pages and pictures, as a record for JSON.

Screenshots as data URLs, made small enough for a file with many of them.

The report of a whole site: what it is made of, as values that `write_site_report` makes one HTML file of.

Shares, matches, confidences and importances are 0..1; None stands for what is not known. All text may be
hostile: it is shown as text, wherever it comes from.

A page and its segments, as the report of a site shows them.
"""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, TextIO, TypeVar

from webgrain.errors import MissingExtraError, require
from webgrain.io.local import replacing
from webgrain.page import addresses as address
from webgrain.page.page import Page
from webgrain.page.text import texts_of
from webgrain.report.boxes import boxes
from webgrain.report.difference import MEANING
from webgrain.report.html import LONG, as_json, asset, cut, link, number, policy, tone_of
from webgrain.report.terminal import count
from webgrain.results import Box, Failure, Segmentation, segments

Record = dict[str, Any]

Place = tuple[int, int]


PAGES = 20_000
"""Pages that are listed."""

TEXT = 300
"""Characters of a page's text that are shown."""

BINS = 20
"""Bars of a histogram over 0..1."""


class Pages:
    """Goes through the pages once: gives the cells of those that are listed, and counts all of them.

    types: the labels of the types whose pages are also counted type by type, see `of_type`.

    >>> from webgrain.report.site import PageRow
    >>> pages = Pages([PageRow("a.html", noise_share=0.5)])
    >>> [cells[0] for cells in pages.cells()], pages.summary()["noise"]["mean"]
    (['a.html'], 0.5)
    """

    def __init__(self, pages: Iterable[PageRow], types: Iterable[str | None] = ()) -> None:
        self._pages = pages
        self._verdicts: Counter[str] = Counter()
        self._untyped = self._misfits = self._empty = self._total = 0
        self._types = {label: _OfType() for label in types}
        self._noise, self._match = _Histogram(), _Histogram()

    def cells(self) -> Iterator[list[Any]]:
        """Yield the cells of each page that is listed, in the order of the fields of `PageRow`."""
        for page in self._pages:
            self._count(page)
            if self._total <= PAGES:
                yield _cells(page)

    def summary(self) -> Record:
        """Return what is known of all pages, once they have been gone through."""
        return {
            "pages": self._total,
            "listed": min(self._total, PAGES),
            "verdicts": dict(self._verdicts.most_common(10)),
            "untyped": self._untyped,
            "misfits": self._misfits,
            "empty": self._empty,
            "noise": self._noise.record(),
            "match": self._match.record(),
        }

    def of_type(self, label: str | None) -> Record:
        """Return what is known of the pages of one of the types, once all have been gone through."""
        return self._types[label].record()

    def _count(self, page: PageRow) -> None:
        self._total += 1
        self._verdicts[cut(page.verdict)] += 1
        self._untyped += page.type is None
        self._misfits += page.fits is False
        self._empty += not page.text.strip()
        if page.type in self._types:
            self._types[page.type].add(page)
        self._noise.add(page.noise_share)
        self._match.add(page.template_match)


class _OfType:
    """Counts of the pages of a type: by verdict, and those that do not fit its template."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._misfits = 0

    def add(self, page: PageRow) -> None:
        self._verdicts[cut(page.verdict)] += 1
        self._misfits += page.fits is False

    def record(self) -> Record:
        return {"verdicts": self._verdicts.most_common(3), "misfits": self._misfits}


class _Histogram:
    """Counts of shares in `BINS` bars of one width, and their mean."""

    def __init__(self) -> None:
        self._bars = [0] * BINS
        self._sum = 0.0

    def add(self, value: float | None) -> None:
        share = number(value)
        if share is not None:
            share = min(max(share, 0.0), 1.0)
            self._bars[min(int(share * BINS), BINS - 1)] += 1
            self._sum += share

    def record(self) -> Record:
        known = sum(self._bars)
        return {"bars": self._bars, "known": known, "mean": number(self._sum / known) if known else None}


def _cells(page: PageRow) -> list[Any]:
    return [
        cut(page.id),
        link(page.url),
        None if page.type is None else cut(page.type),
        cut(page.verdict),
        cut(page.title),
        cut(page.text, TEXT),
        number(page.noise_share),
        number(page.template_match),
        page.fits,
        number(page.confidence),
        page.cluster,
        page.nodes,
    ]


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


WIDTH, HEIGHT = 1024, 12_000
"""Pictures are made smaller until they fit, in pixels; WebP allows 16 383."""

TOTAL = 16_000_000
"""Characters that all pictures of one report may have."""

QUALITY = 60


class Picture(NamedTuple):
    """A picture as a data URL, and its width and height in CSS px, which may be more than its own pixels."""

    url: str
    width: int
    height: int


def data_url(image: Any) -> str:
    """Return a Pillow image, made to fit, as a data URL."""
    small = image.convert("RGB")
    small.thumbnail((WIDTH, HEIGHT))
    out = io.BytesIO()
    small.save(out, "WEBP", quality=QUALITY, method=2)
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"


def sample_pictures(
    types: Sequence[TypeCard], total: int = TOTAL
) -> tuple[dict[tuple[int, int], Picture], list[str]]:
    """Return the screenshots of samples as data URLs, and sentences on those that had to be left out.

    The keys are the numbers of the type and of the sample in it. At most ``total`` characters: the first
    samples of all types come before the second ones.

    >>> sample_pictures([])
    ({}, [])
    """
    waiting = [(place, sample.picture) for place, sample in ranked(types) if sample.picture]
    if not waiting:
        return {}, []
    try:
        pillow = require("PIL.Image", "render", "Pictures")
    except MissingExtraError as error:
        return {}, [f"Boxes stand for screenshots: {error}."]
    found: dict[tuple[int, int], Picture] = {}
    left = 0
    for place, picture in waiting:
        one = _read(pillow, picture) if total > 0 else None
        if one and len(one.url) <= total:
            found[place] = one
            total -= len(one.url)
        elif one or not total:
            total, left = 0, left + 1
    return found, _told(len(waiting) - len(found) - left, left)


def _read(pillow: Any, picture: bytes) -> Picture | None:
    """Return a picture; None for one that is broken or too large."""
    try:
        with pillow.open(io.BytesIO(picture)) as image:
            return Picture(data_url(image), *image.size)
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        return None


def _told(broken: int, left: int) -> list[str]:
    told = [f"Boxes stand for {count(broken, 'screenshot')} that could not be read."] if broken else []
    told += [f"Boxes stand for {count(left, 'screenshot')}, to keep this file small."] if left else []
    return told


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page.

    Attributes:
        id: the id under which the page was given; url: its address.
        type: label of its type; None for a page of no known type.
        verdict: ``article``, ``index`` or ``unknown``.
        title, text: of its main content; of the text, the first `webgrain.report.site.TEXT` characters
            are shown.
        noise_share: the share of its characters that is noise of the site.
        template_match: how far it agrees with the template of its type; fits: whether that is enough.
        confidence: how sure title and text are.
        cluster: number of its group of duplicates.
        nodes: how many its Dom has.
    """

    id: str
    url: str | None = None
    type: str | None = None
    verdict: str = "unknown"
    title: str = ""
    text: str = ""
    noise_share: float | None = None
    template_match: float | None = None
    fits: bool | None = None
    confidence: float | None = None
    cluster: int | None = None
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class ReportSegment:
    """One segment of a page that is shown.

    Attributes:
        boxes: where it is drawn, as `webgrain.report.boxes.boxes` finds, in CSS px.
        text: what can be read of it.
        css, xpath: addresses of its first roots; more: how many other roots it has.
        role, importance, confidence: as in a `webgrain.results.Segment`.
    """

    boxes: tuple[Box, ...]
    text: str
    css: tuple[str, ...] = ()
    xpath: tuple[str, ...] = ()
    more: int = 0
    role: str | None = None
    importance: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class SamplePage:
    """A page that is shown with its segments; `webgrain.report.site.sample_page` makes one.

    Attributes:
        id, url, title: as in its `PageRow`.
        picture: its screenshot as PNG or JPEG, one pixel per CSS px, from the corner of the page; None: the
            segments are drawn from their boxes.
        width, height: of the page in CSS px.
        segments: in document order.
    """

    id: str
    url: str | None
    title: str
    picture: bytes | None
    width: float
    height: float
    segments: tuple[ReportSegment, ...]


@dataclass(frozen=True, slots=True)
class TypeCard:
    """A type of page.

    Attributes:
        label: its id; None for the pages of no known type.
        key_path_css, key_path_xpath: the path that its pages have and others have not.
        size: how many pages; share: of all.
        noise, match: means of the noise shares and template matches of its pages.
        outline: its template as indented text.
        title_css, main_css: where title and main content are.
        contents: what the key path says on some pages.
        samples: pages that are shown, the best example first.
        name: for people; empty: the label is shown.
    """

    label: str | None
    size: int
    share: float
    key_path_css: str = ""
    key_path_xpath: str = ""
    noise: float | None = None
    match: float | None = None
    outline: str = ""
    title_css: str = ""
    main_css: str = ""
    contents: tuple[str, ...] = ()
    samples: tuple[SamplePage, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class DuplicateRow:
    """Two pages that resemble each other.

    Attributes:
        a, b: their ids.
        verdict: one of `webgrain.duplicates.verdict.Verdict`.
        similarity: of what the verdict is about.
        cluster: number of their group; None where they are no duplicates.
    """

    a: str
    b: str
    verdict: str
    similarity: float | None = None
    cluster: int | None = None


@dataclass(frozen=True, slots=True)
class StageTime:
    """A stage of the audit: seconds of work in it, summed over all workers, and how many pages it took."""

    name: str
    seconds: float
    pages: int


@dataclass(frozen=True, slots=True)
class FurnitureRow:
    """What frames the pages of a site: ``header``, ``footer``, ``navigation``, ``aside``, and where it is.

    share: of the pages that have it.
    """

    name: str
    css: str
    share: float


@dataclass(frozen=True, slots=True)
class DriftRow:
    """How far the pages of a type have moved away from its template; told: what has changed, in sentences."""

    type: str
    level: Literal["none", "notice", "alarm"]
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteReport:
    """What the report of a site is made from.

    Attributes:
        site: its name, a host or a folder; made_of: what input, in words.
        pages: all pages; gone through once.
        types: the largest first.
        duplicates, failures, stages, furniture, drift: what was found.
        notes: sentences that a reader should know, such as what was left out.
    """

    site: str
    made_of: str
    pages: Iterable[PageRow]
    types: Sequence[TypeCard] = ()
    duplicates: Sequence[DuplicateRow] = ()
    failures: Sequence[Failure] = ()
    stages: Sequence[StageTime] = ()
    furniture: Sequence[FurnitureRow] = ()
    drift: Sequence[DriftRow] = ()
    notes: Sequence[str] = field(default=())


def write_site_report(path: Path, report: SiteReport) -> None:
    """Write the report of a site as one HTML file that needs nothing else.

    Its pages are gone through once, one at a time in memory. What is too much for a browser is left out, and
    the notes in the report say so. `InputError` where no file can be made at ``path``.

    >>> import tempfile
    >>> from pathlib import Path
    >>> report = SiteReport("example.org", "1 page", [PageRow("a.html", title="<script>")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_site_report(Path(folder) / "report.html", report)
    ...     r"\u003cscript\u003e" in (Path(folder) / "report.html").read_text(encoding="utf-8")
    True
    """
    with replacing(path) as part, part.open("w", encoding="utf-8", errors="replace") as out:
        _write(out, report)


def _write(out: TextIO, report: SiteReport) -> None:
    style, script = asset("common.css", "site.css"), asset(*_SCRIPTS)
    head, foot = asset("site.html").split("<!-- data -->")
    out.write(
        head.format(policy=policy(style, script, images=True), style=style, title=escape(report.site[:200]))
    )
    pages = Pages(report.pages, (card.label for card in report.types[:TYPES]))
    out.write('<script type="application/json" id="pages-data">[')
    for k, cells in enumerate(pages.cells()):
        out.write((",\n" if k else "") + as_json(cells))
    out.write("]</script>\n")
    pictures, told = sample_pictures(report.types)
    record = as_json(report_record(report, pages, pictures, told))
    out.write(f'<script type="application/json" id="report-data">{record}</script>\n')
    for (kind, rank), picture in pictures.items():
        out.write(f'<script type="text/plain" id="picture-{kind}-{rank}">{picture.url}</script>\n')
    out.write(f"<script>{script}</script>{foot}")


_SCRIPTS = (
    "site-elements.js",
    "site-data.js",
    "site-list.js",
    "site-plots.js",
    "site-sheet.js",
    "site-segments.js",
    "site-page.js",
    "site-pages.js",
    "site-types.js",
    "site-overview.js",
    "site-duplicates.js",
    "site-findings.js",
    "site.js",
)
"""In this order they are one script."""


def sample_page(page: Page, segmentation: Segmentation, title: str = "") -> SamplePage:
    """Return a page with its segments, ready for `webgrain.report.site.TypeCard`.

    The page needs a layout (`ParameterError` without one), measured or estimated; its screenshot is taken
    along if it has one.

    >>> import numpy as np
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.rendering.estimate import estimate
    >>> from webgrain.results import Segmentation
    >>> page = parse(Source("a", b"<p>One"))
    >>> page = page.with_view(estimate(page.dom))
    >>> [segment] = sample_page(page, Segmentation(np.zeros(len(page.dom), np.int32), "by hand")).segments
    >>> segment.text, segment.xpath, len(segment.boxes)
    ('One', ('/html[1]',), 1)
    """
    found = segments(page, segmentation)
    pictured = [one.roots for one in found if not one.text]  # what images stand for is better than nothing
    alts = iter(texts_of(page, pictured, alt=True))
    roots = [node for one in found for node in one.roots[:ROOTS]]
    xpath, css = (
        dict(zip(roots, of(page.dom, roots), strict=True)) for of in (address.xpaths, address.css_paths)
    )
    shown = tuple(
        ReportSegment(
            where,
            (one.text or next(alts))[:LONG],
            tuple(css[node] for node in one.roots[:ROOTS]),
            tuple(xpath[node] for node in one.roots[:ROOTS]),
            max(len(one.roots) - ROOTS, 0),
            one.role,
            one.importance,
            one.confidence,
        )
        for one, where in zip(found, boxes(page, found), strict=True)
    )
    width, height = (page.view.width, page.view.height) if page.view else (0.0, 0.0)
    return SamplePage(page.id, page.url, title, page.screenshot, width, height, shown)
