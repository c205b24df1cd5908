"""The report of a whole site: what it is made of, as values that `write_site_report` makes one HTML file of.

Shares, matches, confidences and importances are 0..1; None stands for what is not known. All text may be
hostile: it is shown as text, wherever it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Literal, TextIO

from webgrain.io.local import replacing
from webgrain.report.document import asset, policy
from webgrain.report.pictures import sample_pictures
from webgrain.report.sitejson import as_json
from webgrain.report.sitepages import Pages
from webgrain.report.siterecord import TYPES, report_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from webgrain.records import Box
    from webgrain.results import Failure


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page.

    Attributes:
        id: the id under which the page was given; url: its address.
        type: label of its type; None for a page of no known type.
        verdict: ``article``, ``index`` or ``unknown``.
        title, text: of its main content; of the text, the first `webgrain.report.sitepages.TEXT` characters
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
        role, importance, confidence: as in a `webgrain.records.Segment`.
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
    """A page that is shown with its segments; `webgrain.report.sample.sample_page` makes one.

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
        verdict: one of `webgrain.dedup.verdict.Verdict`.
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
