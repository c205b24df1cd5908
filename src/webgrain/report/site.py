"""The report of a site: `write_site_report` writes a `SiteReport` as one HTML file that needs nothing else.

Shares, matches, confidences and importances are numbers from 0 to 1; None stands for an unknown value. Any
text may be hostile: the file holds it as JSON, and its script shows it as text only.

What would be too much for a browser is left out, and a note in the report states how much.
"""

from __future__ import annotations

import base64
import io
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeVar

import numpy as np

from webgrain.base.errors import MissingExtraError, require
from webgrain.base.failures import Failure
from webgrain.extraction.boilerplate import BoilerplatePart
from webgrain.io.local import replacing
from webgrain.page import addresses as address
from webgrain.page.page import Page
from webgrain.page.segmentation import Segmentation, segments
from webgrain.page.text import texts_of
from webgrain.pagetypes.descriptions import OTHER
from webgrain.report.difference import MEANING
from webgrain.report.html import LONG, NAME, as_json, asset, foot, head, link, rounded, shortened, tone_of
from webgrain.report.pictures import boxes
from webgrain.report.terminal import count
from webgrain.templates.template import PartRow

_Record = dict[str, Any]
T = TypeVar("T")

PAGES, TYPES, ROWS = 20_000, 300, 10_000
"""Pages, types, and pairs of duplicates or failures that are listed."""

TEXT, OUTLINE, CONTENTS = 300, 60, 12
"""Characters of a page's text; rows of the outline of a template; texts at a key path."""

SAMPLES, SEGMENTS, BOXES, ROOTS = 5, 300, 20, 8
"""Sample pages of a type, segments of a sample, boxes and addresses of a segment that are shown."""

ROOM, TOTAL = 24_000_000, 16_000_000
"""Characters that all samples may have together, and all their pictures."""

WIDTH, HEIGHT, QUALITY = 1024, 12_000, 60
"""Pixels to which pictures are reduced (WebP allows 16 383), and the quality of their compression."""

BINS = 20
"""Bars of a histogram from 0 to 1."""

_PARTS = "elements data list plots sheet segments page pages types overview duplicates findings"
_SCRIPTS = (*(f"site-{part}.js" for part in _PARTS.split()), "site.js")
"""The parts of the script, in order."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page.

    Attributes:
        id: the id of the page; url: its address.
        type: label of its type; None if it fits no type.
        verdict: ``article``, ``index`` or ``unknown``.
        title, text: of its main content.
        boilerplate_share: share of its characters that is boilerplate of the site.
        template_match: how well it matches the template of its type; fits: whether that is enough.
        confidence: confidence of title and text.
        cluster: number of its cluster of near-duplicates.
        nodes: number of nodes of its DOM.
        fit_probability: the probability that it is a page of its type by the template.
    """

    id: str
    url: str | None = None
    type: str | None = None
    verdict: str = "unknown"
    title: str = ""
    text: str = ""
    boilerplate_share: float | None = None
    template_match: float | None = None
    fits: bool | None = None
    confidence: float | None = None
    cluster: int | None = None
    nodes: int = 0
    fit_probability: float | None = None


class SamplePage(NamedTuple):
    """A page that is shown with its segments, see `sample_page`.

    Attributes:
        record: the page and its segments in document order, ready for JSON.
        picture: its screenshot as PNG or JPEG, one pixel per CSS px; None: boxes are drawn instead.
    """

    record: _Record
    picture: bytes | None


@dataclass(frozen=True, slots=True)
class TypeCard:
    """A page type.

    Attributes:
        label: its id; None for pages that fit no type.
        size: number of pages; share: of all pages.
        key_path_css, key_path_xpath: its key path.
        boilerplate, match: means of the boilerplate shares and of the template matches of its pages.
        outline: of its template.
        title_css, main_css: selectors of title and main content.
        contents: texts at the key path on some pages.
        samples: pages that are shown, the most typical first.
        name: display name; empty: the label is shown.
        clicks, queries: clicks on its pages in the search log, and the queries of most of them.
    """

    label: str | None
    size: int
    share: float
    key_path_css: str = ""
    key_path_xpath: str = ""
    boilerplate: float | None = None
    match: float | None = None
    outline: tuple[PartRow, ...] = ()
    title_css: str = ""
    main_css: str = ""
    contents: tuple[str, ...] = ()
    samples: tuple[SamplePage, ...] = ()
    name: str = ""
    clicks: int = 0
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DuplicateRow:
    """Two similar pages, by their ids.

    Attributes:
        a, b: the pages; verdict, similarity: of their texts.
        cluster: of near-duplicates, None if they are none.
        a_only, b_only: the beginning of the text that only one of them has; empty if not known.
    """

    a: str
    b: str
    verdict: str
    similarity: float | None = None
    cluster: int | None = None
    a_only: str = ""
    b_only: str = ""


@dataclass(slots=True)
class Finding:
    """What the owner of a site should look at.

    Attributes:
        name: of its file, ``findings/NAME.csv``; level: ``error``, ``warning`` or ``notice``.
        title, reason, remedy: what it is, why it matters, and what to do.
        pages: number of different pages; rows: number of rows in the file.
        examples: page or address, and detail, of the rows that are listed.
    """

    name: str
    level: str
    title: str
    reason: str
    remedy: str
    pages: int = 0
    rows: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Action:
    """What the owner of a site should do: the rows of a finding with a common cause.

    Attributes:
        finding, level, title, remedy: of the finding.
        cause: an address, a text or an element that the rows share; empty for none.
        place: the text or the element of a reference, and the part of the page; empty if not known.
        type: label of the page type; empty if the cause is not limited to a type.
        causes: number of causes; more than 1 for those that are not listed themselves.
        pages, clicks: number of pages with the fault, and of clicks on them in the search log.
        example, detail: one of these pages, and the row of the finding about it.
        node, selector: the element on this page, -1 and empty if there is no single one.
    """

    finding: str
    level: str
    title: str
    remedy: str
    cause: str = ""
    place: str = ""
    type: str = ""
    causes: int = 1
    pages: int = 0
    clicks: int = 0
    example: str = ""
    detail: str = ""
    node: int = -1
    selector: str = ""


@dataclass(slots=True)
class FindingChange:
    """How the rows of a finding differ from those of an earlier audit.

    Attributes:
        name, level, title: of the finding.
        new, resolved, unchanged: numbers of rows.
        examples: ``new`` or ``resolved``, page and detail of the rows that are listed.
    """

    name: str
    level: str
    title: str
    new: int = 0
    resolved: int = 0
    unchanged: int = 0
    examples: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What has changed since an earlier audit.

    Attributes:
        since: the folder of the earlier audit.
        pages: number of pages by change.
        findings: those with rows in one of the audits, the most important first.
        types: label, name, and number of pages before and now, of the types in one of the audits.
    """

    since: str
    pages: Mapping[str, int]
    findings: Sequence[FindingChange] = ()
    types: Sequence[tuple[str, str, int, int]] = ()


Drift = Mapping[str, tuple[str, tuple[str, ...]]]
"""Whether the pages of each type, by its label, still match its template: the level (``none``, ``notice`` or
``alarm``) and what has changed, in sentences."""


@dataclass(frozen=True, slots=True)
class SiteReport:
    """The contents of the report of a site.

    Attributes:
        site: its host or folder; made_of: the input, in words.
        pages: all pages; iterated once.
        types: the largest first.
        duplicates, failures, boilerplate, drift: the other results.
        notes: sentences that a reader should know.
        findings: the most important first; comparison: with an earlier audit, None for none.
        summary: a sentence about the site; actions: what to do first.
    """

    site: str
    made_of: str
    pages: Iterable[PageRow]
    types: Sequence[TypeCard] = ()
    duplicates: Sequence[DuplicateRow] = ()
    failures: Sequence[Failure] = ()
    boilerplate: Sequence[BoilerplatePart] = ()
    drift: Drift = field(default_factory=dict)
    notes: Sequence[str] = ()
    findings: Sequence[Finding] = ()
    comparison: Comparison | None = None
    summary: str = ""
    actions: Sequence[Action] = ()


def write_site_report(path: Path, report: SiteReport) -> None:
    """Write the report of a site as one HTML file, one page at a time in memory.

    Raises `InputError` if no file can be written to ``path``.

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
    script, title = asset(*_SCRIPTS), report.site[:200]
    out.write(head(f"{title}: page types", asset("report.css", "site.css"), script))
    out.write(asset("site.html").format(title=escape(title)))
    pages = Pages(report.pages, (card.label for card in report.types[:TYPES]))
    out.write('<script type="application/json" id="pages-data">[')
    for k, cells in enumerate(pages.cells()):
        out.write((",\n" if k else "") + as_json(cells))
    out.write("]</script>\n")
    record, pictures = report_record(report, pages)
    out.write(f'<script type="application/json" id="report-data">{as_json(record)}</script>\n')
    for name, url in pictures.items():
        out.write(f'<script type="text/plain" id="{name}">{url}</script>\n')
    out.write(foot(script))


class Pages:
    """Iterates the pages once: returns the cells of those that are listed, and counts all of them.

    types: labels of the types whose pages are also counted for each type.

    >>> pages = Pages([PageRow("a.html", boilerplate_share=0.5)])
    >>> [cells[0] for cells in pages.cells()], pages.summary()["boilerplate"]["mean"]
    (['a.html'], 0.5)
    """

    def __init__(self, pages: Iterable[PageRow], types: Iterable[str | None] = ()) -> None:
        self._pages = pages
        self._counts: Counter[str] = Counter()
        self._verdicts: Counter[str] = Counter()
        self._types = {label: (Counter[str](), Counter[bool]()) for label in types}
        self._shares = {"boilerplate": array("d"), "match": array("d")}

    def cells(self) -> Iterator[list[Any]]:
        """Yield the cells of each page that is listed, in the order of the fields of `PageRow`."""
        for page in self._pages:
            self._count(page)
            if self._counts["pages"] <= PAGES:
                yield list((_values(page, text=TEXT) | {"url": link(page.url)}).values())

    def summary(self) -> _Record:
        """Return the counts of all pages, after `cells` has ended."""
        counts = {name: self._counts[name] for name in ("pages", "untyped", "misfits", "empty")}
        verdicts = dict(self._verdicts.most_common(10))
        histograms = {name: _histogram(shares) for name, shares in self._shares.items()}
        return counts | {"listed": min(counts["pages"], PAGES), "verdicts": verdicts} | histograms

    def of_type(self, label: str | None) -> _Record:
        """Return the counts of the pages of one type, after `cells` has ended."""
        verdicts, misfits = self._types[label]
        return {"verdicts": verdicts.most_common(3), "misfits": misfits[True]}

    def _count(self, page: PageRow) -> None:
        verdict, misfit = shortened(page.verdict), page.fits is False
        empty, untyped = not page.text.strip(), page.type in (None, OTHER)
        self._counts.update(pages=1, untyped=untyped, misfits=misfit, empty=empty)
        self._verdicts[verdict] += 1
        if page.type in self._types:
            verdicts, misfits = self._types[page.type]
            verdicts[verdict] += 1
            misfits[misfit] += 1
        for name, value in (("boilerplate", page.boilerplate_share), ("match", page.template_match)):
            if (share := rounded(value)) is not None:
                self._shares[name].append(min(max(share, 0.0), 1.0))


def _histogram(shares: array[float]) -> _Record:
    """Return the counts of shares in `BINS` bars, how many shares there are, and their mean."""
    values = np.frombuffer(shares, np.float64)
    bars = np.bincount(np.minimum((values * BINS).astype(np.int64), BINS - 1), minlength=BINS)
    mean = rounded(sum(shares) / len(shares)) if shares else None
    return {"bars": bars.tolist(), "known": len(shares), "mean": mean}


def _values(row: Any, **most: int) -> _Record:
    """Return the fields of a row for JSON; most: characters of texts, by field."""
    return {part.name: _bounded(getattr(row, part.name), most.get(part.name, NAME)) for part in fields(row)}


def _bounded(value: Any, most: int) -> Any:
    if isinstance(value, str):
        return shortened(value, most)
    if isinstance(value, float):
        return rounded(value)
    return [_bounded(each, most) for each in value] if isinstance(value, list | tuple) else value


def report_record(report: SiteReport, pages: Pages) -> tuple[_Record, dict[str, str]]:
    """Return the report without its pages and pictures, ready for JSON, and its pictures.

    pages: its pages, iterated already. The pictures are data URLs by name.
    """
    summary = pages.summary()
    notes = list(report.notes)
    cards = list(_first(report.types, TYPES, "types", notes))
    samples, pictures = _samples(cards, notes)
    listed, every = summary["listed"], summary["pages"]
    if listed < every:
        notes.append(f"{listed:,} of {every:,} pages are listed here; the counts are of all.")
    types = [
        _type(card, samples_of_type) | pages.of_type(card.label)
        for card, samples_of_type in zip(cards, samples, strict=True)
    ]
    stages = Counter(shortened(failure.stage) for failure in report.failures)
    duplicates = _first(report.duplicates, ROWS, "pairs of duplicates", notes)
    failures = _first(report.failures, ROWS, "failures", notes)
    drift = islice(report.drift.items(), TYPES)
    record = {
        "site": shortened(report.site),
        "made_of": shortened(report.made_of, LONG),
        "summary": summary,
        "type_count": len(report.types),
        "types": types,
        "duplicate_counts": _duplicate_counts(report.duplicates),
        "duplicates": [_cells(row, a_only=TEXT, b_only=TEXT) for row in duplicates],
        "failure_stages": dict(stages.most_common(ROWS)),
        "failure_count": len(report.failures),
        "failures": [_cells(row)[:4] for row in failures],
        "boilerplate": [_cells(row, css=LONG) for row in report.boilerplate],
        "drift": [[shortened(label), level, _bounded(changes, LONG)] for label, (level, changes) in drift],
        "notes": [shortened(note, LONG) for note in notes],
        "comparison": _comparison(report.comparison),
        "findings": [_values(row, reason=LONG, remedy=LONG) for row in report.findings],
        "sentence": shortened(report.summary, LONG),
        "actions": [_values(row, remedy=LONG, detail=LONG, selector=LONG) for row in report.actions],
    }
    return record, pictures


def _comparison(comparison: Comparison | None) -> _Record | None:
    if comparison is None:
        return None
    return {
        "since": shortened(comparison.since),
        "pages": dict(comparison.pages),
        "findings": [_values(row) for row in comparison.findings],
        "types": [_bounded(row, NAME) for row in comparison.types],
    }


def _cells(row: Any, **most: int) -> list[Any]:
    return list(_values(row, **most).values())


def _first(rows: Sequence[T], most: int, what: str, notes: list[str]) -> Iterator[T]:
    if len(rows) > most:
        notes.append(f"The first {most:,} of {len(rows):,} {what} are listed here.")
    return islice(rows, most)


def _duplicate_counts(rows: Sequence[DuplicateRow]) -> _Record:
    """Return the number of pairs, of clusters, of pages in clusters, and of pairs by verdict."""
    grouped = [row for row in rows if row.cluster is not None]
    verdicts = Counter(shortened(row.verdict) for row in rows)
    return {
        "pairs": len(rows),
        "groups": len({row.cluster for row in grouped}),
        "pages": len({page for row in grouped for page in (row.a, row.b)}),
        "verdicts": [[verdict, n, MEANING.get(verdict, "")] for verdict, n in verdicts.most_common(10)],
    }


def _type(card: TypeCard, samples: list[_Record]) -> _Record:
    paths = dict.fromkeys(("key_path_css", "key_path_xpath", "title_css", "main_css"), LONG)
    record = _values(card, **paths)
    first = {"contents": record["contents"][:CONTENTS], "outline": record["outline"][:OUTLINE]}
    return record | first | {"samples": samples}


def _samples(types: Sequence[TypeCard], notes: list[str]) -> tuple[list[list[_Record]], dict[str, str]]:
    """Return the records of the samples of each type, and their screenshots as data URLs by name.

    The first samples of all types come before the second ones, as long as there is room. Notes are added
    about what is left out.
    """
    records: list[list[_Record]] = [[] for _ in types]
    pictures: dict[str, str] = {}
    room, total = ROOM, TOTAL
    omitted = omitted_pictures = broken = 0
    pillow = _pillow(notes) if any(drawn.picture for card in types for drawn in card.samples) else None
    for rank, position in product(range(SAMPLES), range(len(types))):
        if rank >= len(types[position].samples):
            continue
        sample = types[position].samples[rank]
        name = f"picture-{position}-{rank}"
        room -= len(as_json(sample.record)) if room > 0 else 0
        if room <= 0:
            omitted += 1
            continue
        record = sample.record | {"picture": None}
        if sample.picture and pillow:
            url, width, height = _picture(pillow, sample.picture) if total > 0 else ("", 0, 0)
            if 0 < len(url) <= total:
                record |= {"picture": name, "width": width, "height": height}
                pictures[name] = url
                total -= len(url)
            elif url or total <= 0:
                total = 0
                omitted_pictures += 1
            else:
                broken += 1
        records[position].append(record)
    if broken:
        notes.append(f"Boxes replace {count(broken, 'screenshot')} that could not be read.")
    if omitted_pictures:
        notes.append(f"Boxes replace {count(omitted_pictures, 'screenshot')}, to keep this file small.")
    if omitted:
        notes.append(f"{omitted:,} pages are not shown with their segments, to keep this file small.")
    return records, pictures


def _pillow(notes: list[str]) -> Any:
    """Return Pillow; None, with a note, if it is missing."""
    try:
        return require("PIL.Image", "render", "Pictures")
    except MissingExtraError as error:
        notes.append(f"Boxes replace the screenshots: {error}.")
        return None


def _picture(pillow: Any, screenshot: bytes) -> tuple[str, int, int]:
    """Return a screenshot as a data URL, and its size in CSS px; no URL for one that cannot be read."""
    try:
        with pillow.open(io.BytesIO(screenshot)) as image:
            return data_url(image), *image.size
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        return "", 0, 0


def data_url(image: Any) -> str:
    """Return a Pillow image as a data URL, reduced in size."""
    small = image.convert("RGB")
    small.thumbnail((WIDTH, HEIGHT))
    out = io.BytesIO()
    small.save(out, "WEBP", quality=QUALITY, method=2)
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"


def sample_page(page: Page, segmentation: Segmentation) -> SamplePage:
    """Return a page with its segments for `TypeCard.samples`, and its screenshot if it has one.

    A segment has the boxes where it is drawn in CSS px, its text, the addresses of its first roots, the
    number of its other roots, its role and importance, and the number of its colour. Without a view there are
    no boxes, and the size of the page is 0: the report lists the segments, but draws no picture of them.

    >>> import numpy as np
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>One")
    >>> found = sample_page(page, Segmentation(np.zeros(len(page.dom), np.int32), "by hand"))
    >>> [segment] = found.record["segments"]
    >>> segment["text"], segment["xpath"], len(segment["boxes"])
    ('One', ['/html[1]'], 0)
    """
    every = segments(page, segmentation)
    listed = every[:SEGMENTS]
    drawn = boxes(page, every) if page.view is not None else [()] * len(every)
    alts = iter(texts_of(page, [segment.roots for segment in listed if not segment.text], alt=True))
    roots = [node for segment in listed for node in segment.roots[:ROOTS]]
    xpath = dict(zip(roots, address.xpaths(page.dom, roots), strict=True))
    css = dict(zip(roots, address.css_paths(page.dom, roots), strict=True))
    shown = [
        {
            "boxes": _bounded(drawn[k][:BOXES], NAME),
            "text": shortened(segment.text or next(alts), LONG),
            "css": [shortened(css[node], LONG) for node in segment.roots[:ROOTS]],
            "xpath": [shortened(xpath[node], LONG) for node in segment.roots[:ROOTS]],
            "more": max(len(segment.roots) - ROOTS, 0),
            "role": segment.role and shortened(segment.role),
            "importance": rounded(segment.importance),
            "confidence": rounded(segment.confidence),
            "tone": tone_of(k, segment.importance),
        }
        for k, segment in enumerate(listed)
    ]
    width, height = (page.view.width, page.view.height) if page.view else (0.0, 0.0)
    record = {
        "id": shortened(page.id),
        "url": link(page.url),
        "width": rounded(width),
        "height": rounded(height),
    }
    return SamplePage(record | {"segments": shown, "more": len(every) - len(listed)}, page.screenshot)
