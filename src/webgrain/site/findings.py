"""Findings: what the owner of a site should look at, with the pages, the reason and the remedy.

A finding is derived from the rows of all pages (`webgrain.site.checks`) and from the links between them
(`webgrain.site.links`). Each has a level: an ``error`` harms visitors, a ``warning`` is probably a fault, a
``notice`` may be intended. All rows of a finding are in ``findings/NAME.csv``.

`Findings` collects and writes them. They are added by `add_failures`, `add_links`, `add_probes`,
`add_searched` and, page by page, by `PageChecks`, which compares a page with what is usual on the pages of
its type (`UsualOfTypes`).
"""

from __future__ import annotations

import csv
import heapq
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from webgrain.base.failures import EXCLUDED, Failure
from webgrain.io.archives import StoredAnswer
from webgrain.io.queries import SearchLog
from webgrain.page.links import LOCAL_HOST, canonical, joined
from webgrain.pagetypes.traits import REDIRECT
from webgrain.report.site import Action, Finding
from webgrain.report.terminal import count
from webgrain.site import thresholds
from webgrain.site.actions import NO_CAUSE, Actions, RowCause
from webgrain.site.answertimes import AnswerTimes
from webgrain.site.checks import INVALID
from webgrain.site.errorpages import ErrorPages, PageContent, is_own
from webgrain.site.languagecodes import is_language
from webgrain.site.links import NO_FILE, LinkResolver, start_page
from webgrain.site.linktable import Cause, Fault, LinkTable, linking_pages
from webgrain.site.sitemaps import Robots, SiteRules, entry_end
from webgrain.site.tables import TableRow

FINDING_LEVELS = ("error", "warning", "notice")


def _read_types() -> dict[str, Finding]:
    """Return the types of findings in ``findings.csv``, whose titles may contain thresholds."""
    types: dict[str, Finding] = {}
    with Path(__file__).with_name("findings.csv").open(encoding="utf-8", newline="") as file:
        for name, level, title, reason, remedy in islice(csv.reader(file), 1, None):
            types[name] = Finding(name, level, title.format_map(vars(thresholds)), reason, remedy)
    return types


FINDING_TYPES = _read_types()
"""The types of findings by name, without rows, the most important ones of a level first."""


ROW_COLUMNS = ("page", "detail", "pages")
"""Columns of the file of a finding: the first page, what is wrong, and the number of pages."""

REFERENCE_COLUMNS = ("use", "address", "element", "attribute", "position")
"""Further columns of the file of a finding about references, see `webgrain.site.linktable.Cause`."""


class Findings:
    r"""Collects findings, and writes their rows to files in a folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Findings(Path(folder)) as findings:
    ...         findings.add("missing-title", "a.html")
    ...     (Path(folder) / "missing-title.csv").read_text(), findings.with_rows()[0].pages
    ('page,detail,pages\n"a.html","","1"\n', 1)
    """

    def __init__(self, folder: Path) -> None:
        self._actions = Actions()
        self._folder = folder
        self._findings = {name: replace(empty, examples=[]) for name, empty in FINDING_TYPES.items()}
        self._files = ExitStack()
        self._writers: dict[str, Any] = {}
        self._last_page: dict[str, str] = {}

    def __enter__(self) -> Findings:
        self._folder.mkdir(parents=True, exist_ok=True)
        for name in FINDING_TYPES:  # of an earlier run
            (self._folder / f"{name}.csv").unlink(missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def add(
        self,
        name: str,
        page: str,
        detail: str = "",
        cause: RowCause = NO_CAUSE,
        *,
        pages: int = 1,
        example: bool = True,
        reference: Cause | None = None,
    ) -> None:
        """Add a row; the rows of a page follow each other.

        cause: why the row exists. pages: number of pages with the fault, of which ``page`` is the first.
        example: whether the report may list it. reference: what is wrong, of a fault of references; all rows
        of a finding have one or none has.
        """
        finding = self._findings[name]
        self._actions.add(finding, page, detail, cause, pages)
        finding.rows += 1
        finding.pages += self._last_page.get(name) != page
        self._last_page[name] = page
        if example and len(finding.examples) < thresholds.FINDING_EXAMPLES:
            finding.examples.append((page, detail))
        if name not in self._writers:
            columns = (*ROW_COLUMNS, *REFERENCE_COLUMNS) if reference else ROW_COLUMNS
            self._writers[name] = self._new_writer(name, columns)
        of_reference = [getattr(reference, column) for column in REFERENCE_COLUMNS] if reference else []
        self._writers[name].writerow([_inert(page), _inert(detail), pages, *map(_inert, of_reference)])

    def _new_writer(self, name: str, columns: Sequence[str]) -> Any:
        """Open the file of a finding; return its CSV writer."""
        path = self._folder / f"{name}.csv"
        file = path.open("w", encoding="utf-8", errors="replace", newline="")
        self._files.enter_context(file)
        file.write(f"{','.join(columns)}\n")
        return csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")

    def on_pages(self, name: str, pages: int) -> None:
        """Set the number of different pages of a finding whose rows are about several pages each."""
        self._findings[name].pages = pages

    def examples(self, name: str, rows: Iterable[tuple[str, str]]) -> None:
        """Replace the rows that the report lists."""
        self._findings[name].examples = list(islice(rows, thresholds.FINDING_EXAMPLES))

    def actions(self) -> list[Action]:
        """Return what to do first; see `webgrain.site.actions`."""
        pages = {name: finding.pages for name, finding in self._findings.items()}
        return self._actions.first(pages)

    def with_rows(self) -> list[Finding]:
        """Return the findings that have rows, the most important first."""
        findings = [finding for finding in self._findings.values() if finding.rows]
        return sorted(findings, key=lambda finding: FINDING_LEVELS.index(finding.level))


def _inert(text: str) -> str:
    """Return a text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text


def add_failures(findings: Findings, failures: Iterable[Failure], broken: Collection[str] = ()) -> None:
    """Add the pages that could not be read or analysed.

    broken: canonical addresses to which broken links lead: these are findings already.
    """
    for failure in failures:
        if failure.url and canonical(failure.url) in broken:
            continue
        is_excluded = failure.stage == EXCLUDED
        name = "excluded-addresses" if is_excluded else "failed-pages"
        error = failure.error if is_excluded else f"{failure.stage}: {failure.error}"
        findings.add(name, failure.page, error, RowCause(error))


def add_links(findings: Findings, links: LinkTable) -> bool:
    """Add the faults of references, one row for each cause. Return whether the input is complete.

    Missing files are faults, unless they are so frequent that the input is a part of the site. It is also a
    part if many links lead to addresses of the site of which nothing is known.
    """
    missing = links.missing
    lacks = missing_files(links)
    names: dict[str, list[tuple[Cause, Fault]]] = {}
    most_frequent = sorted(links.faults.items(), key=lambda item: -item[1].pages)
    for cause, fault in most_frequent:
        name = "missing-files" if cause in missing else cause.fault
        names.setdefault(name, []).append((cause, fault))
    for name, faults in names.items():
        for cause, fault in faults:
            place = _place(cause, fault)
            detail = f"{cause.address}{f' ({place})' if place else ''}: {fault.reason}"
            row_cause = RowCause(cause.address, place, clicks=fault.clicks, node=fault.node)
            if name == "missing-files":  # the input is incomplete, which is one cause
                row_cause = RowCause(lacks)
            findings.add(
                name,
                fault.examples[0],
                detail,
                row_cause,
                pages=fault.pages,
                example=False,
                reference=cause,
            )
        of_name = {(cause.fault, cause.is_file) for cause, _ in faults}
        affected = [links.pages_with(fault, is_file=is_file) for fault, is_file in of_name]
        findings.on_pages(name, int(np.logical_or.reduce(affected).sum()))
        findings.examples(name, (_example(cause, fault) for cause, fault in faults))
    known = links.counts["page"]
    return links.has_all_pages and links.absent <= thresholds.INCOMPLETE * (links.absent + known)


def missing_files(links: LinkTable) -> str:
    """Return in words what an incomplete input lacks; empty if it is complete."""
    files = {(cause.address, cause.use) for cause in links.missing}
    numbers = Counter(_NAMES.get(use, "other file") for _, use in files)
    return ", ".join(f"{number:,} {name}{'s' * (number != 1)}" for name, number in numbers.most_common())


_NAMES = {
    "link": "page",
    "image": "image",
    "style": "style sheet",
    "script": "script",
    "font": "font",
    "media": "video or audio file",
    "frame": "frame",
}
"""Names of what references with a use lead to."""


def _place(cause: Cause, fault: Fault) -> str:
    """Return where a reference is: its text or element, and the part of the page."""
    is_link = cause.use == "link"
    what = f"“{fault.text}”" if is_link and fault.text else ""
    if not is_link:
        what = f"{cause.element} {cause.attribute}".strip()
    where = cause.position if cause.position in ("navigation", "header", "footer", "aside") else ""
    return ", ".join(filter(None, (what, where)))


def _example(cause: Cause, fault: Fault) -> tuple[str, str]:
    """Return the address and the description of a fault in the report."""
    place = _place(cause, fault)
    return cause.address, f"{fault.reason} On {linking_pages(fault)}{f' ({place})' if place else ''}."


def add_probes(findings: Findings, links: LinkResolver, probes: Iterable[StoredAnswer]) -> None:
    """Add the addresses that do not exist and that the server answered with a page, or a redirect to one."""
    for probe in probes:
        if 200 <= probe.status < 300:
            findings.add("unknown-addresses", probe.url, f"The server answered {probe.status}.")
        elif 300 <= probe.status < 400 and probe.location:
            target = joined(probe.url, probe.location)
            if links.resolve(canonical(target), target, "").page >= 0:
                findings.add("unknown-addresses", probe.url, f"The server redirects to {target}.")


def add_searched(findings: Findings, links: LinkResolver, log: SearchLog) -> None:
    """Add the addresses in a search log that lead to no page, after `SearchLog.clicks_on` of all pages."""
    for address, clicks in log.lost():
        ends = [links.resolve(address, f"{scheme}://{address}", "") for scheme in ("https", "http")]
        if any(end.page >= 0 or end.outcome == "file" for end in ends):
            continue
        reasons = [f": {end.reason}" for end in ends if end.reason]
        reason = reasons[0] if reasons else ""
        row_cause = RowCause(address, clicks=clicks)
        findings.add("searched-addresses", address, f"{count(clicks, 'click')}{reason}", row_cause)


def add_entries(
    findings: Findings, links: LinkResolver, rules: SiteRules, *, complete: bool
) -> frozenset[int]:
    """Add the entries of the sitemaps that lead to no page; return the pages to which entries lead.

    complete: whether the input is the whole site; otherwise missing files are no faults.
    """
    listed = set()
    for url in rules.entries:
        end = entry_end(url, links, rules)
        if end.outcome == "broken" and (complete or end.reason != NO_FILE):
            findings.add("sitemap-dead", url, end.reason)
        elif end.outcome == "redirect":
            findings.add("sitemap-redirects", url, " → ".join(end.redirects))
        if end.page >= 0:
            listed.add(end.page)
    return frozenset(listed)


USUAL_COLUMNS = (
    "page",
    "url",
    "type",
    "document_title",
    "meta_description",
    "missing",
    "structured_data",
    "canonical_link",
    "addresses",
    "hreflang",
    "h1",
    "fits",
)
"""Columns that `UsualOfTypes` reads."""


class UsualOfTypes:
    """What is usual on the pages of each type, and which texts several pages have: the first pass.

    rows: those of all pages, with the columns `USUAL_COLUMNS`. probes: what the server sent for addresses
    that do not exist. links: the pages of the site; those that are the same file as another page
    (`LinkResolver.same_files`) do not count.

    Attributes:
        pages: number of pages; types: by type; misfits: of those that do not fit, by type.
        titles, descriptions, headings: number of pages by text, of headings the only one, without versions
            of other pages.
        missing, structured: number of pages by type and missing element, or structured data.
        canonical: the address that a page names as canonical, by its address.
        with_canonical: number of pages with such an address in their head.
        alternates: addresses of the other languages of a page, by its number.
    """

    def __init__(
        self, rows: Iterable[TableRow], links: LinkResolver, probes: Iterable[PageContent] = ()
    ) -> None:
        self.pages = 0
        self.types: Counter[str] = Counter()
        self.misfits: Counter[str] = Counter()
        self.titles: Counter[str] = Counter()
        self.descriptions: Counter[str] = Counter()
        self.missing: Counter[tuple[str, str]] = Counter()
        self.structured: Counter[tuple[str, str]] = Counter()
        self.canonical: dict[str, str] = {}
        self.with_canonical = 0
        self.alternates: dict[int, set[str]] = {}
        self.headings: Counter[str] = Counter()
        self._error_pages = ErrorPages(probes)
        self._version_of: dict[str, str] = {}  # the page that a page names as canonical, by ids
        for number, row in enumerate(rows):
            if number in links.same_files:
                continue
            named = (row["addresses"] or [""])[1:2] if row["canonical_link"] else []
            canonical_page = links.number.get(named[0], number) if named else number
            if canonical_page != number:
                self._version_of[row["page"]] = links.pages[canonical_page]
            self._add_texts(row)
            self._add_addresses(number, row)

    def _add_texts(self, row: TableRow) -> None:
        label = row["type"] or ""
        self.pages += 1
        self.types[label] += 1
        self.misfits[label] += row["fits"] is False
        if row["type"] != REDIRECT and not self.is_version(row["page"]):
            self.titles[row["document_title"] or ""] += 1
            self.descriptions[row["meta_description"] or ""] += 1
            self.headings.update(row["h1"] if len(row["h1"]) == 1 else ())
        self._error_pages.add(row)
        self.missing.update((label, css) for css in row["missing"])
        self.structured.update((label, name) for name in row["structured_data"])

    def _add_addresses(self, number: int, row: TableRow) -> None:
        self.with_canonical += bool(row["canonical_link"])
        address, *named = row["addresses"] or [""]
        if named:
            self.canonical[address] = named[0]
        if row["hreflang"]:
            urls = (alternate.partition(" ")[2] for alternate in row["hreflang"])
            self.alternates[number] = {
                canonical(url) or canonical(f"http://{LOCAL_HOST}{url}") for url in urls
            }

    def is_error(self, row: TableRow, text: Callable[[], str]) -> bool:
        """Whether a page is an error page that the server sends as a normal page; text: returns its text."""
        return self._error_pages.is_error(row, text)

    def is_version(self, page: str) -> bool:
        """Whether a page names another page of the site as canonical; page: its id."""
        return page in self._version_of

    def are_versions(self, first: str, second: str) -> bool:
        """Whether two pages, or versions of them, name the same page as canonical; by their ids."""
        version_of = self._version_of
        return version_of.get(first, first) == version_of.get(second, second)

    def is_exception(self, row: TableRow) -> bool:
        """Whether few pages of the type of a page do not fit; more are no exceptions."""
        label = row["type"] or ""
        return self.misfits[label] <= max(1.0, (1.0 - thresholds.FITTING) * self.types[label])

    def lacking(self, row: TableRow) -> list[str]:
        """Return the elements that the page lacks and nearly all pages of its type have."""
        label = row["type"] or ""
        most = thresholds.RARE * self.types[label]
        return [css for css in row["missing"] if self.missing[label, css] <= most]

    def structured_data_lacking(self, row: TableRow) -> list[str]:
        """Return the types of structured data that nearly all pages of the type have and the page lacks.

        What a page has is not known if its JSON-LD cannot be read, which is another finding.
        """
        if INVALID in row["structured_data"]:
            return []
        usual = self._usual_data.get(row["type"] or "", ())
        return [name for name in usual if name not in row["structured_data"]]

    @cached_property
    def _usual_data(self) -> dict[str, list[str]]:
        """The types of structured data that nearly all pages of a type have, by type."""
        usual: dict[str, list[str]] = {}
        for (label, name), pages in self.structured.items():
            if not label or name == INVALID or name in _OF_PARTS:
                continue
            of_type = self.types[label]
            if of_type >= thresholds.USUAL_PAGES and pages >= thresholds.USUAL * of_type:
                usual.setdefault(label, []).append(name)
        return usual


_OF_PARTS = {
    "AggregateRating", "AudioObject", "Comment", "ImageObject", "InteractionCounter", "Rating", "Review",
    "VideoObject",
}  # fmt: skip
"""Types of structured data of parts that a page may lack: an article without a picture has no ImageObject."""

CHECKED_COLUMNS = (
    "page", "url", "type", "verdict", "document_title", "meta_description", "language", "robots", "h1",
    "images",
    "images_without_alt", "images_without_size", "nodes", "words", "structured_data", "missing", "fits",
    "fit_probability", "differences", "addresses", "canonical_link", "hreflang", "title",
)  # fmt: skip
"""Columns of a part that `PageChecks` reads."""


_SHARED_TEXTS = ("duplicate-title", "duplicate-description", "duplicate-heading")
_CAUSE_IS_DETAIL = (*_SHARED_TEXTS, "missing-element", "missing-structured-data")
"""Findings whose rows have the same cause if they have the same detail."""


_IS_HEADING = re.compile(r"(?:^| )h1\b[^ ]*$")
"""Whether a selector ends with a main heading."""


class PageChecks:
    """Adds the findings of each page.

    Args:
        findings: to which they are added.
        usual: what is usual on the pages of the types.
        links: the pages of the site.
        complete: whether the input is the whole site.
        rules: its sitemaps and robots.txt; listed: the pages in the sitemaps.
        times: the usual seconds until the server answers; None if they are not known.
    """

    def __init__(
        self,
        findings: Findings,
        usual: UsualOfTypes,
        links: LinkResolver,
        *,
        complete: bool,
        rules: SiteRules | None = None,
        listed: frozenset[int] = frozenset(),
        times: AnswerTimes | None = None,
    ) -> None:
        self._findings = findings
        self._times = times
        self._usual = usual
        self._links = links
        self._complete = complete
        self._listed = listed
        self._robots = Robots(rules.robots if rules else "")
        self._start = start_page(links.number) if links.number else -1
        self._misfits: list[tuple[float, int, str, str]] = []  # a heap, the most probable page first

    def add(self, number: int, row: TableRow, text: Callable[[], str] = str) -> None:
        """Add what a page lacks or does wrong; number: of the page; text: returns its main text."""
        if number in self._links.same_files:
            self._add(row, "same-files", f"like {self._links.same_files[number]}")
            return
        is_checked = row["words"] is not None
        if row["type"] == REDIRECT or not is_checked or is_own(row):
            return
        if self._usual.is_error(row, text):
            self._add(row, "soft-404", row["document_title"] or "")
            return
        checks = (
            self._head(row),
            self._content(row),
            self._elements(row),
            self._addresses(number, row),
            self._alternates(number, row),
            self._place(number, row),
            self._rules(number, row),
        )
        for name, detail in chain(*checks):
            self._add(row, name, detail)
            if name == "misfits":
                self._add_misfit(number, row, detail)
        if self._times and (fault := self._times.fault(row, row["answer_seconds"])):
            self._add(row, "slow-pages", fault)

    def list_misfits(self) -> None:
        """Let the report list the misfits that fit least, the least first; after all pages were added."""
        rows = sorted(self._misfits, reverse=True)
        self._findings.examples("misfits", ((page, detail) for _, _, page, detail in rows))

    def _add_misfit(self, number: int, row: TableRow, detail: str) -> None:
        """Keep a misfit for `list_misfits`; number: of the page."""
        misfit = -row["fit_probability"], -number, row["page"], detail
        if len(self._misfits) < thresholds.FINDING_EXAMPLES:
            heapq.heappush(self._misfits, misfit)
        else:
            heapq.heappushpop(self._misfits, misfit)

    def _add(self, row: TableRow, name: str, detail: str) -> None:
        """Add a row of a finding about a page; its cause is a text, an element of the type, or the type."""
        cause = RowCause(
            detail if name in _CAUSE_IS_DETAIL else "",
            type="" if name in _SHARED_TEXTS else row["type"] or "",
            clicks=row["search_clicks"] or 0,
        )
        self._findings.add(name, row["page"], detail, cause)

    def _head(self, row: TableRow) -> Iterator[tuple[str, str]]:
        """Yield names and details of findings about the head of a page."""
        is_version = self._usual.is_version(row["page"])
        title = row["document_title"] or ""
        if not title:
            yield "missing-title", ""
        elif self._usual.titles[title] > 1 and not is_version:
            yield "duplicate-title", title
        if len(title) > thresholds.LONG_TITLE:
            yield "long-title", title
        elif title and len(title) < thresholds.SHORT_TITLE:
            yield "short-title", title
        description = row["meta_description"] or ""
        if not description:
            yield "missing-description", ""
        elif self._usual.descriptions[description] > 1 and not is_version:
            yield "duplicate-description", description
        if not row["language"]:
            yield "missing-language", ""
        robots = row["robots"] or ""
        if "noindex" in robots or "none" in robots.split(", "):
            yield "excluded", robots

    def _content(self, row: TableRow) -> Iterator[tuple[str, str]]:
        """Yield names and details of findings about headings, images and text."""
        is_version = self._usual.is_version(row["page"])
        if not row["h1"]:
            yield "missing-heading", ""
        elif len(row["h1"]) > 1:
            yield "several-headings", " | ".join(row["h1"])
        elif self._usual.headings[row["h1"][0]] > 1 and row["h1"][0] and not is_version:
            yield "duplicate-heading", row["h1"][0]
        if row["images_without_alt"]:
            yield "images-without-alt", f"{row['images_without_alt']:,} of {count(row['images'], 'image')}"
        if row["images_without_size"]:
            yield "images-without-size", f"{row['images_without_size']:,} of {count(row['images'], 'image')}"
        if row["nodes"] > thresholds.LARGE_NODES:
            yield "large-pages", count(row["nodes"], "node")
        fewest = {"article": thresholds.THIN_WORDS, "unknown": 1}.get(row["verdict"], 0)
        if row["words"] < fewest:
            yield "thin-pages", count(row["words"], "word")

    def _elements(self, row: TableRow) -> Iterator[tuple[str, str]]:
        """Yield names and details of findings about what other pages of the type have, or have too."""
        lacking = self._usual.lacking(row)
        if not row["h1"]:  # a finding already
            lacking = [css for css in lacking if not _IS_HEADING.search(css)]
        if row["fits"] is False and not 0 < len(lacking) <= thresholds.FEW_MISSING:
            if row["fit_probability"] < thresholds.MISFIT and self._usual.is_exception(row):
                yield "misfits", "; ".join(row["differences"])
        else:
            for css in lacking:
                yield "missing-element", css
        for name in self._usual.structured_data_lacking(row):
            yield "missing-structured-data", name
        if INVALID in row["structured_data"]:
            yield "invalid-structured-data", ""
        like = row["representative"]
        is_same_file = like is not None and unquote(like) == row["page"]  # see `LinkResolver.same_files`
        if like is not None and not is_same_file and not self._usual.are_versions(row["page"], like):
            yield "near-duplicates", f"like {like}"

    def _addresses(self, number: int, row: TableRow) -> Iterator[tuple[str, str]]:
        """Yield names and details of findings about the canonical address of a page."""
        usual = self._usual
        links = self._links
        address = (row["addresses"] or [""])[0]
        link = row["canonical_link"]
        if not link and 2 * usual.with_canonical > usual.pages:
            yield "missing-canonical", ""
        named = usual.canonical.get(address, "")
        # The address of a local file is unknown: another address that it names may be its own.
        is_known = not address.startswith(LOCAL_HOST) or named.startswith(LOCAL_HOST)
        if not named or not (is_known or links.number.get(named, number) != number):
            return
        end = links.resolve(named, link or "", "")
        onward = usual.canonical.get(links.address[end.page]) if end.page >= 0 else None
        if end.outcome == "broken":
            yield "canonical-broken", f"{link}: {end.reason}"
        elif onward and onward != named:
            yield "canonical-chain", f"{link} names {onward.removeprefix(LOCAL_HOST)}"
        elif end.page != number:
            yield "canonical-other", str(link)

    def _alternates(self, number: int, row: TableRow) -> Iterator[tuple[str, str]]:
        """Yield findings about the versions of a page in other languages.

        Each version must name the page, and must be its own canonical address.
        """
        for version in row["hreflang"]:
            language = version.partition(" ")[0]
            if not is_language(language):
                yield "alternate-invalid", version
        alternates = self._usual.alternates
        page_of = self._links.number
        for alternate in sorted(alternates.get(number, ())):
            other = page_of.get(alternate, number)
            named_by_other = map(page_of.get, alternates.get(other, ()))
            if other != number and number not in named_by_other:
                yield "alternate-not-mutual", alternate.removeprefix(LOCAL_HOST)
            named = self._usual.canonical.get(self._links.address[other])
            if other != number and named and page_of.get(named, other) != other:
                names = f"{alternate.removeprefix(LOCAL_HOST)} names {named.removeprefix(LOCAL_HOST)}"
                yield "alternate-not-canonical", names

    def _place(self, number: int, row: TableRow) -> Iterator[tuple[str, str]]:
        """Yield a finding about a page that no links lead to, or many clicks."""
        if not self._complete or number == self._start or self._usual.pages < 2:
            return
        if not row["incoming_links"]:
            yield "orphan-pages", ""
        elif row["depth"] is not None and row["depth"] > thresholds.DEEP_CLICKS:
            yield "deep-pages", count(row["depth"], "click")

    def _rules(self, number: int, row: TableRow) -> Iterator[tuple[str, str]]:
        """Yield findings about a page that robots.txt excludes, or the sitemaps lack."""
        try:
            parts = urlsplit(row["url"] or row["canonical_link"] or f"http://host/{row['page']}")
        except ValueError:  # not a valid URL
            return
        query = f"?{parts.query}" if parts.query else ""
        path = unquote(parts.path) or "/"
        if self._robots.excludes(path + query):
            if row["incoming_links"]:
                yield "excluded-linked", path + query
            return
        address = (row["addresses"] or [""])[0]
        named = self._usual.canonical.get(address, "")
        is_other = bool(named) and self._links.number.get(named, number) != number
        robots = row["robots"] or ""
        is_hidden = "noindex" in robots or "none" in robots.split(", ") or is_other
        if self._listed and number not in self._listed and not is_hidden:
            yield "sitemap-missing", ""
