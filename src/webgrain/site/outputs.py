"""What an audit does with which pages.

Pages that stand for their type: those that are laid out, cut into segments and shown.

From what an audit found to the report of a site.

What an audit hands over of a site: the table of pages, the segments of some, what failed, the report.
"""

from __future__ import annotations

import heapq
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from webgrain.engines.guard import Guard
from webgrain.estimator import check_integer
from webgrain.io.local import replacing
from webgrain.io.store import read_store
from webgrain.io.write import open_writer
from webgrain.page.page import Page
from webgrain.page.paths import text_key
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pipeline import Layout, Predictor
from webgrain.records import segmentation_record
from webgrain.report.site import (
    BoilerplateRow,
    DriftRow,
    DuplicateRow,
    PageRow,
    SamplePage,
    SiteReport,
    StageTime,
    TypeCard,
    sample_page,
    write_site_report,
)
from webgrain.results import Failure, Segmentation
from webgrain.site.duplicates import PageClusters, read_pairs
from webgrain.site.learning import Learning
from webgrain.site.model import Marks, SiteModel, load_model
from webgrain.site.stages import SAMPLE, Clock, not_laid_out, read_failures, write_failures
from webgrain.site.tables import COLUMNS, GROUPED, Row, read_rows, read_summary, write_rows
from webgrain.site.workspace import Place
from webgrain.templates.sections import importance
from webgrain.templates.template import outline, typed_tree
from webgrain.templates.thresholds import MIN_DRIFT_PAGES

Samples = dict[str | None, list[SamplePage]]


SAMPLES = 5
"""Pages of each type that are laid out and cut into segments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do with which pages.

    Attributes:
        made_of: what the pages are from, in words; name: of a site whose pages have no address.
        method: how the pages that are shown are cut into segments.
        queries: file of the site's search log; None: none.
        sample: pages of a site that are learnt from, at most.
        samples: pages of each type that are shown, at most.
        layout: where the boxes of those come from.
        learning: how a site is learnt.
        guard: the most that a page may take.
    """

    made_of: str
    name: str = ""
    method: Predictor
    queries: Path | None = None
    sample: int = SAMPLE
    samples: int = SAMPLES
    layout: Layout = field(default_factory=Layout)
    learning: Learning = field(default_factory=Learning)
    guard: Guard = field(default_factory=Guard)

    def __post_init__(self) -> None:
        check_integer(self, "sample", low=1)
        check_integer(self, "samples", low=0)

    def told(self) -> dict[str, Any]:
        """Return what must be the same for an audit to go on, as plain values by the names of options."""
        return {
            "input": self.made_of,
            "queries": None if self.queries is None else str(self.queries.absolute()),
            "sample": self.sample,
            "shown": self.samples,
            "layout": asdict(self.layout),
            "learning": asdict(self.learning),
        }


LARGEST = 20_000
"""Nodes of a page that is shown, at most: a browser shows larger ones, people do not look at them."""

TYPES = 40
"""Types of which pages are shown, at most: the largest."""


def choose_samples(parts: Iterable[Path], most: int) -> dict[str | None, list[str]]:
    """Return the ids of at most so many pages of each type, the best example first.

    Pages that fit the template of their type come before others, and those of the least hash before the
    rest, so that the choice depends on no order.
    """
    size = defaultdict[str | None, int](int)
    best = defaultdict[str | None, list[tuple[bool, int, str]]](list)
    for part in parts:
        for row in read_rows(part, ["page", "type", "fits", "nodes"]):
            kind = row["type"]
            size[kind] += 1
            if row["nodes"] <= LARGEST:
                rank = (row["fits"] is False, text_key(row["page"]), row["page"])
                best[kind] = heapq.nsmallest(most, [*best[kind], rank])
    largest = heapq.nlargest(TYPES, best, key=lambda kind: (size[kind], kind or ""))
    return {kind: [name for _, _, name in best[kind]] for kind in largest if best[kind]}


FITTING, HARDLY = 0.9, 0.5
"""Shares of the pages of a type that fit its template below which the report says so, and raises an alarm."""


def site_report(
    outcome: Outcome, made_of: str, model: SiteModel, shown: Samples, pairs: Iterable[DuplicateRow]
) -> SiteReport:
    """Return the report of a site; shown: pages with their segments by type; pairs: its duplicates."""
    types = outcome.types.items()
    grouped = {
        row["page"] for row in read_rows(outcome.table, ["page", "cluster"]) if row["cluster"] is not None
    }
    return SiteReport(
        outcome.site,
        made_of,
        _pages(outcome.table),
        [_card(kind, tally, model, shown, outcome.pages) for kind, tally in types],
        [pair for pair in pairs if pair.a in grouped or pair.b in grouped],
        outcome.failures,
        list(_times(outcome, model, shown)),
        [BoilerplateRow(one.name, one.css, one.share) for one in model.furniture.parts],
        [_drift(kind, tally) for kind, tally in types if kind != OTHER and tally.matched],
        _notes(model, sum(failure.stage in ("render", "segment") for failure in outcome.failures)),
    )


def _times(outcome: Outcome, model: SiteModel, shown: Samples) -> Iterator[StageTime]:
    """Yield how long each stage took, and for how many pages: some are learnt from, fewer are laid out."""
    drawn = sum(map(len, shown.values()))
    some = {"learn": model.about.get("learnt_from", 0), "lay out": drawn, "segments": drawn}
    for name, seconds in outcome.seconds.items():
        yield StageTime(name, seconds, some.get(name, outcome.pages))


def _pages(table: Path) -> Iterator[PageRow]:
    same = ("url", "type", "verdict", "title", "boilerplate_share", "template_match", "fits", "confidence")
    columns = [*same, "page", "text", "cluster", "nodes"]
    for row in read_rows(table, columns):
        told = {name: row[name] for name in (*same, "cluster", "nodes")} | {"type": row["type"] or OTHER}
        yield PageRow(id=row["page"], text=row["text"], **told)


def _card(kind: str, tally: Tally, model: SiteModel, shown: Samples, pages: int) -> TypeCard:
    rule = next((rule for rule in model.types.rules if rule.label == kind), None)
    path, marks = rule.key_path if rule else None, model.marks.get(kind, Marks())
    template = model.templates.get(kind) if kind != OTHER else None
    return TypeCard(
        kind,
        tally.pages,
        tally.pages / max(pages, 1),
        path.css if path else "",
        path.xpath if path else "",
        tally.boilerplate / tally.pages,
        tally.match / tally.matched if tally.matched else None,
        outline(template) if template else "",
        marks.title,
        marks.main,
        marks.contents,
        (*shown.get(kind, ()), *(shown.get(None, ()) if kind == OTHER else ())),
        model.name(kind) or "",
    )


def _drift(kind: str, tally: Tally) -> DriftRow:
    share = tally.fitting / tally.matched
    if share >= FITTING or tally.matched < MIN_DRIFT_PAGES:
        return DriftRow(kind, "none")
    others = tally.matched - tally.fitting
    told = (f"{others:,} of {tally.matched:,} pages do not fit the template of their type.",)
    return DriftRow(kind, "alarm", told) if share <= HARDLY else DriftRow(kind, "notice", told)


def _notes(model: SiteModel, missing: int) -> list[str]:
    about = model.about
    if "reason" in about:
        return [f"Nothing could be learnt of the site: {about['reason']}"]
    queries = str(about["queries"]).removeprefix("pseudo-queries: ")
    told = [f"Learnt from {about['learnt_from']:,} of the pages. Queries: {queries}."]
    if missing:
        told.append(f"{missing:,} of the pages to be shown could not be laid out: see the failures.")
    return told


SHOWN = 3
"""Pages of each type whose pictures the report has."""


@dataclass(slots=True)
class Tally:
    """What the pages of a type add up to.

    Attributes:
        pages: how many; matched: those that were matched with a template; fitting: those that fit it.
        boilerplate, match: sums of their boilerplate shares and of their template matches.
    """

    pages: int = 0
    matched: int = 0
    fitting: int = 0
    boilerplate: float = 0.0
    match: float = 0.0

    def add(self, row: Row) -> None:
        """Count a page."""
        self.pages += 1
        self.boilerplate += row["boilerplate_share"]
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
        types: sums over the pages of each type, the largest first; pages that fit no type last.
        names: of the types, by label.
        seconds: of each stage; that of the report itself is not in the report.
    """

    site: str
    folder: Path
    pages: int = 0
    grouped: int = 0
    failures: list[Failure] = field(default_factory=list)
    types: dict[str, Tally] = field(default_factory=dict)
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
    place: Place,
    plan: Plan,
    clusters: PageClusters,
    unread: Sequence[Failure],
    seconds: Mapping[str, float],
) -> Outcome:
    """Write the results of one site.

    clusters: groups of duplicates by id of a page; unread: what could not be read of the input.
    """
    clock, model = Clock(), load_model(place.model)
    with replacing(place.results / "site-model.json") as part:
        shutil.copyfile(place.model, part)
    outcome = Outcome(place.site or plan.name or plan.made_of, place.results, seconds=dict(seconds))
    write_rows(outcome.table, _outputs_pages(place, clusters, outcome), (*COLUMNS, *GROUPED))
    outcome.types = dict(sorted(outcome.types.items(), key=_by_size))
    outcome.names = {kind: model.name(kind) or kind for kind in outcome.types}
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


def _by_size(item: tuple[str, Tally]) -> tuple[bool, int, str]:
    """Key that sorts types by size, the pages that fit no type last."""
    label, tally = item
    return label == OTHER, -tally.pages, label


def _failures(site: str, place: Place, model: SiteModel) -> Iterator[Failure]:
    """Yield what went wrong when a site was learnt, and its pages were read."""
    if "reason" in model.about:
        yield Failure(site, "learn", model.about["reason"])
    for part in place.parts:
        yield from read_summary(part).failures


def _outputs_pages(place: Place, clusters: PageClusters, outcome: Outcome) -> Iterator[Row]:
    """Yield the rows of all pages, and count them."""
    columns = [name for name, _ in COLUMNS]
    for part in place.parts:
        for row in read_rows(part, columns):
            cluster, first = clusters.get(row["page"], (None, None))
            outcome.pages += 1
            outcome.grouped += cluster is not None
            outcome.types.setdefault(row["type"] or OTHER, Tally()).add(row)
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
    return replace(found, importance=importance(typed_tree(page), found.labels, model.noise(page)))
