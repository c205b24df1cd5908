"""From what an audit found to the report of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webgrain.audit.model import Marks
from webgrain.audit.tables import read_rows
from webgrain.report.site import (
    DriftRow,
    DuplicateRow,
    FurnitureRow,
    PageRow,
    SiteReport,
    StageTime,
    TypeCard,
)
from webgrain.template.drift import FEW
from webgrain.template.outline import outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from webgrain.audit.model import SiteModel
    from webgrain.audit.outputs import Outcome, Samples, Tally

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
        [FurnitureRow(one.name, one.css, one.share) for one in model.furniture.furniture],
        [_drift(kind, tally) for kind, tally in types if kind is not None and tally.matched],
        _notes(model, sum(failure.stage in ("render", "segment") for failure in outcome.failures)),
    )


def _times(outcome: Outcome, model: SiteModel, shown: Samples) -> Iterator[StageTime]:
    """Yield how long each stage took, and for how many pages: some are learnt from, fewer are laid out."""
    drawn = sum(map(len, shown.values()))
    some = {"learn": model.about.get("learnt_from", 0), "lay out": drawn, "segments": drawn}
    for name, seconds in outcome.seconds.items():
        yield StageTime(name, seconds, some.get(name, outcome.pages))


def _pages(table: Path) -> Iterator[PageRow]:
    same = ("url", "type", "verdict", "title", "noise_share", "template_match", "fits", "confidence")
    columns = [*same, "page", "text", "cluster", "nodes"]
    for row in read_rows(table, columns):
        told = {name: row[name] for name in (*same, "cluster", "nodes")}
        yield PageRow(id=row["page"], text=row["text"], **told)


def _card(kind: str | None, tally: Tally, model: SiteModel, shown: Samples, pages: int) -> TypeCard:
    rule = next((rule for rule in model.types.rules if rule.label == kind), None)
    path, marks = rule.key_path if rule else None, model.marks.get(kind or "", Marks())
    template = model.templates.get(kind or "")
    return TypeCard(
        kind,
        tally.pages,
        tally.pages / max(pages, 1),
        path.css if path else "",
        path.xpath if path else "",
        tally.noise / tally.pages,
        tally.match / tally.matched if tally.matched else None,
        outline(template) if template else "",
        marks.title,
        marks.main,
        marks.contents,
        tuple(shown.get(kind, ())),
        model.name(kind) or "",
    )


def _drift(kind: str, tally: Tally) -> DriftRow:
    share = tally.fitting / tally.matched
    if share >= FITTING or tally.matched < FEW:
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
