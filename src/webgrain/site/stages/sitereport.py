"""The report of a site, from its results, its model and its sample pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from webgrain.pagetypes.descriptions import OTHER
from webgrain.report.site import Comparison, Drift, DuplicateRow, PageRow, SamplePage, SiteReport, TypeCard
from webgrain.report.terminal import count
from webgrain.site import thresholds
from webgrain.site.auditrun import SiteResults, TypeTally
from webgrain.site.findings import FINDING_LEVELS
from webgrain.site.model import SiteModel, TypeMarks
from webgrain.site.stages.duplicates import read_pairs, with_differences
from webgrain.site.tables import read_rows
from webgrain.templates.template import outline_rows

ShownPages = Mapping[str, Sequence[SamplePage]]
"""The sample pages that the report shows, by the label of their type."""


def site_report(results: SiteResults, made_of: str, model: SiteModel, shown: ShownPages) -> SiteReport:
    """Return the report of a site; made_of: the input, in words."""
    return SiteReport(
        site=results.site,
        made_of=made_of,
        pages=_page_rows(results.table),
        types=[
            _type_card(label, tally, model, shown.get(label, ()), results.pages)
            for label, tally in results.types.items()
        ],
        duplicates=_duplicate_rows(results),
        failures=results.failures,
        boilerplate=model.boilerplate.parts,
        drift=_drift(results),
        notes=_notes(results, model),
        findings=results.findings,
        comparison=_comparison(results, model),
        summary=_summary(results),
        actions=results.actions,
    )


def _comparison(results: SiteResults, model: SiteModel) -> Comparison | None:
    """Return the comparison with an earlier audit; None for none."""
    changes = results.changes
    if changes is None:
        return None
    largest_first = sorted(changes.types.items(), key=lambda item: (item[0] == OTHER, -max(item[1]), item[0]))
    return Comparison(
        str(changes.since),
        changes.pages,
        sorted(changes.findings.values(), key=lambda change: FINDING_LEVELS.index(change.level)),
        [
            (label, OTHER if label == OTHER else model.name(label) or label, before, now)
            for label, (before, now) in largest_first
        ],
    )


def _summary(results: SiteResults) -> str:
    """Return a sentence about a site: its pages, its types and what was found."""
    types = sum(label != OTHER for label in results.types)
    levels = Counter(finding.level for finding in results.findings)
    numbers = ", ".join(count(levels[level], level) for level in FINDING_LEVELS if levels[level])
    findings = f"Findings: {numbers}." if numbers else "There are no findings."
    sentences = [f"{count(results.pages, 'page')} of {count(types, 'type')}.", findings, results.about_input]
    return " ".join(filter(None, sentences))


def _page_rows(table: Path) -> Iterator[PageRow]:
    names = [field.name for field in fields(PageRow)]
    names.remove("id")
    for row in read_rows(table, ["page", *names]):
        yield PageRow(row["page"], **{name: row[name] for name in names})


def _type_card(
    label: str, tally: TypeTally, model: SiteModel, samples: Sequence[SamplePage], pages: int
) -> TypeCard:
    """Return the card of a type; pages: number of pages of the site."""
    paths = [rule.key_path for rule in model.types.rules if rule.label == label]
    key_path = paths[0] if paths else None
    template = model.templates.get(label)
    marks = model.marks.get(label, TypeMarks())
    return TypeCard(
        label=label,
        size=tally.pages,
        share=tally.pages / max(pages, 1),
        key_path_css=key_path.css if key_path else "",
        key_path_xpath=key_path.xpath if key_path else "",
        boilerplate=tally.boilerplate / tally.pages,
        match=tally.match / tally.matched if tally.matched else None,
        outline=tuple(outline_rows(template)) if template else (),
        title_css=marks.title,
        main_css=marks.main,
        contents=marks.contents,
        samples=tuple(samples),
        name=OTHER if label == OTHER else model.name(label) or "",
        clicks=tally.clicks,
        queries=marks.queries,
    )


def _duplicate_rows(results: SiteResults) -> list[DuplicateRow]:
    """Return the similar pages, those in clusters first, with the text that only one of them has."""
    pairs = sorted(read_pairs(results.files.pairs), key=lambda pair: pair.cluster is None)
    if not pairs:
        return []
    texts = ((row["page"], row["text"]) for row in read_rows(results.table, ["page", "text"]))
    return with_differences(pairs, texts)


def _drift(results: SiteResults) -> Drift:
    """Return the drift of each type with a template."""
    return {
        label: _type_drift(tally)
        for label, tally in results.types.items()
        if label != OTHER and tally.matched
    }


def _type_drift(tally: TypeTally) -> tuple[str, tuple[str, ...]]:
    """Return the level of the drift of a type, and what has changed."""
    fitting_share = tally.fitting / tally.matched
    if fitting_share >= thresholds.FITTING or tally.matched < thresholds.MIN_DRIFT_PAGES:
        return "none", ()
    misfits = tally.matched - tally.fitting
    change = f"{misfits:,} of {tally.matched:,} pages do not fit the template of their type."
    level = "alarm" if fitting_share <= thresholds.MISFITTING else "notice"
    return level, (change,)


def _notes(results: SiteResults, model: SiteModel) -> list[str]:
    """Return sentences for the head of the report."""
    notes = list(results.warnings)
    if "queries" in model.about:
        queries = str(model.about["queries"]).removeprefix("pseudo-queries: ")
        pages = f"{results.learnt_from:,} of {results.pages:,} pages"
        notes.insert(0, f"Learnt from {pages}. Page types: {queries}.")
    missing = sum(failure.stage in ("render", "segment") for failure in results.failures)
    if missing:
        notes.append(f"{missing:,} of the pages to be shown could not be laid out: see the failures.")
    return notes
