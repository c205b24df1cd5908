"""What an audit hands over of a site: the table of pages, the segments of some, what failed, the report."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from webgrain.audit.clock import Clock
from webgrain.audit.duplicates import read_pairs
from webgrain.audit.model import load_model
from webgrain.audit.reporting import site_report
from webgrain.audit.samples import choose_samples
from webgrain.audit.stages import not_laid_out, read_failures, write_failures
from webgrain.audit.tables import COLUMNS, GROUPED, read_rows, read_summary, write_rows
from webgrain.io.local import replacing
from webgrain.io.store import read_store
from webgrain.io.write import open_writer
from webgrain.records import segmentation_record
from webgrain.report.sample import sample_page
from webgrain.report.site import write_site_report
from webgrain.results import Failure
from webgrain.template.forest import marked
from webgrain.template.sections import importance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from webgrain.audit.duplicates import Clusters
    from webgrain.audit.model import SiteModel
    from webgrain.audit.plan import Plan
    from webgrain.audit.tables import Row
    from webgrain.audit.workspace import Place
    from webgrain.page.page import Page
    from webgrain.report.site import SamplePage
    from webgrain.results import Segmentation

    Samples = dict[str | None, list[SamplePage]]

SHOWN = 3
"""Pages of each type whose pictures the report has."""


@dataclass(slots=True)
class Tally:
    """What the pages of a type add up to.

    Attributes:
        pages: how many; matched: those that were matched with a template; fitting: those that fit it.
        noise, match: sums of their noise shares and of their template matches.
    """

    pages: int = 0
    matched: int = 0
    fitting: int = 0
    noise: float = 0.0
    match: float = 0.0

    def add(self, row: Row) -> None:
        """Count a page."""
        self.pages += 1
        self.noise += row["noise_share"]
        if row["template_match"] is not None:
            self.matched += 1
            self.fitting += row["fits"]
            self.match += row["template_match"]


@dataclass(slots=True)
class Outcome:
    """What came of the audit of a site.

    Attributes:
        site, folder: its name, and where its results are.
        pages, grouped: how many there are, and are in a group of duplicates.
        failures: what went wrong.
        types: what the pages of each type add up to, the largest first; None: of no known type.
        names: of the types, by label.
        seconds: of each stage; that of the report itself is not in the report.
    """

    site: str
    folder: Path
    pages: int = 0
    grouped: int = 0
    failures: list[Failure] = field(default_factory=list)
    types: dict[str | None, Tally] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def table(self) -> Path:
        """The table of the pages."""
        return self.folder / "pages.parquet"

    @property
    def report(self) -> Path:
        """The report."""
        return self.folder / "report.html"


def write_site(
    place: Place, plan: Plan, clusters: Clusters, unread: Sequence[Failure], seconds: Mapping[str, float]
) -> Outcome:
    """Write the results of one site.

    clusters: groups of duplicates by id of a page; unread: what could not be read of the input.
    """
    clock, model = Clock(), load_model(place.model)
    with replacing(place.results / "site-model.json") as part:
        shutil.copyfile(place.model, part)
    outcome = Outcome(place.site or plan.name or plan.made_of, place.results, seconds=dict(seconds))
    write_rows(outcome.table, _pages(place, clusters, outcome), (*COLUMNS, *GROUPED))
    outcome.types = dict(sorted(outcome.types.items(), key=lambda pair: (-pair[1].pages, pair[0] or "")))
    outcome.names = {kind: model.name(kind) or kind for kind in outcome.types if kind is not None}
    chosen = choose_samples(place.parts, plan.samples)
    clock.lap("tables")
    shown, failed = _write_segments(place, plan, model, chosen)
    clock.lap("segments")
    outcome.seconds |= clock.seconds
    outcome.failures = [*unread, *_failures(outcome.site, place, model), *failed]
    write_failures(place.results / "failures.jsonl", outcome.failures)
    write_site_report(
        outcome.report, site_report(outcome, plan.made_of, model, shown, read_pairs(place.pairs))
    )
    clock.lap("report")
    outcome.seconds |= clock.seconds
    return outcome


def _failures(site: str, place: Place, model: SiteModel) -> Iterator[Failure]:
    """Yield what went wrong when a site was learnt, and its pages were read."""
    if "reason" in model.about:
        yield Failure(site, "learn", model.about["reason"])
    for part in place.parts:
        yield from read_summary(part).failures


def _pages(place: Place, clusters: Clusters, outcome: Outcome) -> Iterator[Row]:
    """Yield the rows of all pages, and count them."""
    columns = [name for name, _ in COLUMNS]
    for part in place.parts:
        for row in read_rows(part, columns):
            cluster, first = clusters.get(row["page"], (None, None))
            outcome.pages += 1
            outcome.grouped += cluster is not None
            outcome.types.setdefault(row["type"], Tally()).add(row)
            yield row | {"cluster": cluster, "representative": first}


def _write_segments(
    place: Place, plan: Plan, model: SiteModel, chosen: Mapping[str | None, Sequence[str]]
) -> tuple[Samples, list[Failure]]:
    """Cut the pages that were laid out, write their segments, and return some to be shown."""
    of_page = {name: (kind, rank) for kind, some in chosen.items() for rank, name in enumerate(some)}
    failed = read_failures(not_laid_out(place.samples))
    shown: dict[str | None, dict[int, SamplePage]] = {}
    with open_writer("jsonl", place.results / "segments.jsonl") as records:
        for page in read_store(place.samples) if place.samples.exists() else ():
            cut = plan.guard.call(page, "segment", lambda page: (page, _cut(page, plan, model)))
            if isinstance(cut, Failure):
                failed.append(cut)
                continue
            page, segmentation = cut
            kind, rank = of_page[page.id]
            records.write(segmentation_record(page, segmentation) | {"type": kind})
            if rank < SHOWN and page.view is not None:
                shown.setdefault(kind, {})[rank] = sample_page(page, segmentation)
    return {kind: [some[rank] for rank in sorted(some)] for kind, some in shown.items()}, failed


def _cut(page: Page, plan: Plan, model: SiteModel) -> Segmentation:
    """Return the segments of a page, each with how little of it is noise of the site."""
    found = plan.method.predict(page)
    return replace(found, importance=importance(marked(page), found.labels, model.noise(page)))
