"""What an audit is given, what its stages share, and what it returns.

`AuditPlan` holds the settings, `AuditRun` is passed from stage to stage, and `SiteResults` is the result of
an audit for one site.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from webgrain import __version__
from webgrain.base.errors import InputError
from webgrain.base.estimator import check_integer
from webgrain.base.failures import Failure
from webgrain.engines import Engine
from webgrain.engines.guard import Guard
from webgrain.io.local import SiteFolder
from webgrain.io.queries import read_queries
from webgrain.io.read import Item
from webgrain.pagetypes.descriptions import OTHER
from webgrain.report.site import Action, Finding
from webgrain.segmentation.segmenter import Segmenter
from webgrain.site import thresholds
from webgrain.site.changes import SiteChanges, check_audit
from webgrain.site.pipeline import Layout
from webgrain.site.tables import TableRow
from webgrain.site.verdicts import read_verdicts
from webgrain.site.workspace import SiteFiles, Workspace


class Progress(Protocol):
    """Called when a stage has completed pages."""

    def __call__(self, stage: str, pages: int, total: int | None = None) -> object:
        """Add a number of completed pages; total: all pages of the stage, None if unknown.

        The parts of learning, and sites in the last two stages, are counted instead of pages.
        """


FindGone = Callable[[list[str], Set[str]], Mapping[str, str]]
"""Requests addresses, and returns the reasons of those that do not exist, by address.

The second argument has those of images and other files: they do not exist if the server sends a page."""


PageClusters = dict[str, tuple[int, str]]
"""Number and first page of the cluster of near-duplicates of a page, by the id of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPlan:
    """The settings of an audit.

    Attributes:
        made_of: the input, in words; name: of a site whose pages have no address.
        method: the segmentation method for the pages that are shown.
        queries: file of the site's search log; verdicts: file of verdicts on its types.
        sample: pages of a site that are learnt from, at most.
        samples: pages of each type that are laid out and segmented, at most.
        layout: source of their boxes.
        random_state: seed of the random choices.
        guard: limits for a page.
        archives: web archives, for the answers of the server that are not pages.
        site_folder: folder or zip archive of the whole site, for its sitemaps and its robots.txt; None for
            other input.
        folders: the folders and zip archives of the input, for their style sheets.
        crawl_log: file of the addresses that a crawl could not fetch.
        external: addresses of other sites that are requested, at most; those of most links.
        files: images, style sheets and other files of the site that are requested, at most.
        since: folder of an earlier audit of the same site, to compare with.
    """

    made_of: str
    name: str = ""
    method: Segmenter
    queries: Path | None = None
    verdicts: Path | None = None
    sample: int = thresholds.SAMPLE
    samples: int = thresholds.SAMPLE_PAGES
    layout: Layout = field(default_factory=Layout)
    random_state: int = 0
    guard: Guard = field(default_factory=Guard)
    archives: tuple[Path, ...] = ()
    site_folder: Path | None = None
    folders: tuple[SiteFolder, ...] = ()
    crawl_log: Path | None = None
    external: int = 0
    files: int = 0
    since: Path | None = None

    def __post_init__(self) -> None:
        check_integer(self, "sample", low=1)
        check_integer(self, "samples", low=0)
        check_integer(self, "external", low=0)
        check_integer(self, "files", low=0)

    def check_files(self, folder: Path) -> None:
        """Raise `InputError` for an invalid file, before the audit starts; folder: for the results."""
        if self.queries is not None:
            read_queries(self.queries)
        if self.verdicts is not None:
            read_verdicts(self.verdicts)
        if self.since is not None:
            check_audit(self.since)
        if self.since is not None and self.since.resolve() == folder.resolve():
            raise InputError(f"{folder} is the folder of both audits: name another folder for the results.")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that must not change when an audit resumes, by the names of the options."""
        settings: dict[str, Any] = {"input": self.made_of}
        for name in ("queries", "verdicts", "since"):
            path = getattr(self, name)
            settings[name] = None if path is None else str(path.absolute())
        settings["sample"] = self.sample
        settings["shown"] = self.samples
        settings["external"] = self.external
        settings["files"] = self.files
        settings["layout"] = asdict(self.layout)
        settings["learning"] = {"random_state": self.random_state}
        settings["version"] = __version__  # the intermediate files of another one may have other columns
        return settings


@dataclass(slots=True)
class AuditRun:
    """An audit that is running: what its stages share.

    Attributes:
        plan: the settings; engine: runs the tasks; progress: called when pages are done.
        read: returns the items of the input after the first n.
        find_gone: requests addresses of other sites and of files; None: none are requested.
        workspace: the folder.
        sites: the files of each site, from the stage ``read`` on.
        unread: items of the input that could not be read.
        learnt: the names of the sites that were learnt in this run, from the stage ``learn`` on.
        clusters: near-duplicates, from the stage ``duplicates`` on.
        results: of each site, at the end.
    """

    plan: AuditPlan
    engine: Engine
    progress: Progress
    read: Callable[[int], Iterable[Item]]
    workspace: Workspace
    find_gone: FindGone | None = None
    sites: list[SiteFiles] = field(default_factory=list)
    unread: list[Failure] = field(default_factory=list)
    learnt: set[str] = field(default_factory=set)
    clusters: PageClusters = field(default_factory=dict)
    results: list[SiteResults] = field(default_factory=list)


@dataclass(slots=True, repr=False)
class SiteResults:
    """The results of the audit of a site.

    Attributes:
        site, files: its name, and its files.
        pages, grouped: number of pages, and of those in a cluster of near-duplicates.
        failures: pages that failed, and stages.
        types: sums over the pages of each type, the largest first; pages that fit no type last.
        names: display names of the types, by label.
        learnt_from: number of pages that the model was learnt from.
        warnings: sentences about learning, for example on a search log that has no row of this site.
        findings: what the owner of the site should look at, the most important first.
        actions: what to do first: the causes of findings with the largest effects.
        links: number of links by outcome, see `webgrain.site.links`.
        missing: what an input lacks that is a part of the site, in words; empty if it is complete.
        changes: what has changed since an earlier audit; None for no comparison.
        seconds: of processor time of each stage, summed over all workers. Of the files, only
            ``work/times.jsonl`` has them, so that equal audits write equal files.
    """

    site: str
    files: SiteFiles
    pages: int = 0
    grouped: int = 0
    failures: list[Failure] = field(default_factory=list)
    types: dict[str, TypeTally] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    learnt_from: int = 0
    warnings: tuple[str, ...] = ()
    findings: list[Finding] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    links: dict[str, int] = field(default_factory=dict)
    missing: str = ""
    changes: SiteChanges | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        name = f" {self.site!r:.60}" if self.site else ""
        types = sum(label != OTHER for label in self.types)
        pages = f"{self.pages} page{'' if self.pages == 1 else 's'}"
        of_types = f"{types} type{'' if types == 1 else 's'}"
        failures = f"{len(self.failures)} failure{'' if len(self.failures) == 1 else 's'}"
        return f"<SiteResults{name}: {pages} of {of_types}, {failures}>"

    @property
    def about_input(self) -> str:
        """A sentence about an input that is a part of the site; empty for a complete one."""
        if not self.missing:
            return ""
        return (
            f"The input is probably a part of the site, since it lacks {self.missing}: they are listed in "
            "findings/missing-files.csv by use."
        )

    @property
    def folder(self) -> Path:
        """The folder of the results."""
        return self.files.results

    @property
    def table(self) -> Path:
        """The table of the pages."""
        return self.files.table

    @property
    def report(self) -> Path:
        """The report."""
        return self.files.report


@dataclass(slots=True)
class TypeTally:
    """Sums over the pages of a type.

    Attributes:
        pages: number of pages; matched: those that were matched with a template; fitting: those that fit it.
        boilerplate, match: sums of their boilerplate shares and of their template matches.
        clicks: in the search log.
    """

    pages: int = 0
    matched: int = 0
    fitting: int = 0
    boilerplate: float = 0.0
    match: float = 0.0
    clicks: int = 0

    def add(self, row: TableRow) -> None:
        """Count a page."""
        self.pages += 1
        self.clicks += row["search_clicks"] or 0
        self.boilerplate += row["boilerplate_share"]
        if row["template_match"] is not None:
            self.matched += 1
            self.fitting += row["fits"]
            self.match += row["template_match"]


TALLY_COLUMNS = ("type", "boilerplate_share", "template_match", "fits")
"""Columns of a part that `TypeTally` reads."""


class Clock:
    """Sums up seconds of processor time by stage: a lap begins where the previous one ended.

    >>> clock = Clock()
    >>> clock.start()
    >>> clock.lap("parse")
    >>> list(clock.seconds)
    ['parse']
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.start()

    def start(self) -> None:
        """Begin a lap; the time before it is not counted."""
        self._last = time.process_time()

    def lap(self, stage: str) -> None:
        """End a lap, and begin the next one."""
        now = time.process_time()
        self.seconds[stage] += now - self._last
        self._last = now
