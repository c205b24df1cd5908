"""Stage ``extract``: each page is read with the model of its site, which gives its row and its sketch.

A task reads a shard and writes a part. Each of the `PAGE_STEPS` adds columns to the rows.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from webgrain.base.failures import Failure, fact
from webgrain.engines.guard import Guard
from webgrain.extraction.document import METADATA_FIELDS, comment_records
from webgrain.lists.records import Listing
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page
from webgrain.page.turns import Steps, alone, in_turns, page_groups
from webgrain.site.auditrun import AuditRun, Clock
from webgrain.site.checks import CHECK_COLUMNS, check_cells
from webgrain.site.duplicates import SKETCH_COLUMNS, sketch_cells
from webgrain.site.model import Prediction, shared_model
from webgrain.site.references import REFERENCE_COLUMNS, KnownFiles, reference_cells
from webgrain.site.samplefiles import KnownPages
from webgrain.site.shards import item_bytes, numbered_items, shard_ids, write_failed_part
from webgrain.site.tables import (
    LIST_TYPES,
    ColumnTypes,
    Summary,
    TableRow,
    write_rows,
)
from webgrain.site.workspace import SiteFiles


def extract_sites(run: AuditRun) -> None:
    """Write a part for each shard that has none."""
    waiting = []
    for site in run.sites:
        if site.site not in run.learnt:  # only what this run has written is read
            shutil.rmtree(site.known, ignore_errors=True)
        for number, part in enumerate(site.parts):
            if not part.exists():
                part.parent.mkdir(parents=True, exist_ok=True)
                waiting.append((site, number))
    total = sum(len(shard_ids(site.shards[number])) for site, number in waiting)
    for (site, number), summary in run.engine.map(partial(extract_shard, run.plan.guard), waiting):
        if isinstance(summary, Failure):  # the whole shard failed: so did each of its pages
            summary = write_failed_part(site.shards[number], site.parts[number], PART_COLUMNS, summary)
        run.progress("extract", summary.pages + len(summary.failures), total)


def extract_shard(guard: Guard, job: tuple[SiteFiles, int]) -> Summary:
    """Read the pages of a shard with the model of their site, and write their rows.

    guard: limits for a page; job: a site and the number of its shard.
    """
    site, number = job
    summary = Summary()
    rows = _page_rows(site, number, guard, summary)
    write_rows(site.parts[number], rows, PART_COLUMNS, summary)
    return summary


def _page_rows(site: SiteFiles, shard: int, guard: Guard, summary: Summary) -> Iterator[TableRow]:
    """Yield the rows of the pages of a shard, and count them. shard: its number."""
    model = shared_model(site.model)
    known = KnownPages(site, shard)
    clock = Clock()
    files = KnownFiles()

    def row_steps(position: int, item: Source | Page) -> Steps[TableRow]:
        """Return the cells of a page; those of a step that fails are empty, and a note states it."""
        whole, article = known.read(position, item, model.texts)
        parsed = as_page(whole)
        yield "parse"
        prediction = yield from model.steps(parsed, article)
        yield from prediction.steps()
        _ = prediction.metadata
        yield "links"
        page = ReadPage(item, prediction, prediction.text, site.site, files)
        cells: TableRow = {}
        notes: list[str] = []
        for step in PAGE_STEPS:
            empty: TableRow = {name: [] if form in LIST_TYPES else None for name, form in step.columns}
            compute = partial(step.cells, page)
            cells |= fact(step.name, compute, empty, notes) if step.name else compute()
            yield step.stage
        cells["notes"] += notes
        return cells

    def group_rows(group: list[tuple[int, Any]]) -> list[TableRow | Failure]:
        """Return the rows of pages that take turns; group: their positions, and what they are read from."""

        def together(numbers: Sequence[int]) -> list[TableRow | Exception]:
            return in_turns((row_steps(*group[number]) for number in numbers), clock.lap)

        def singly(number: int) -> TableRow:
            return alone(row_steps(*group[number]), clock.lap)

        return guard.call_all([item for _, item in group], "extract", together, singly)

    for group in page_groups(numbered_items(site.shards[shard]), lambda numbered: item_bytes(numbered[1])):
        clock.lap("read")
        rows = group_rows(group)
        clock.start()
        for row in rows:
            if isinstance(row, Failure):
                summary.failures.append(row)
            else:
                summary.pages += 1
                yield row
        clock.lap("write")
    summary.seconds = dict(clock.seconds)


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page that was read with the model of its site.

    Attributes:
        item: what it was read from.
        prediction: of the model; text: its main text.
        site: its name.
        files: those that references to local files lead to.
    """

    item: Source | Page
    prediction: Prediction
    text: str
    site: str
    files: KnownFiles


class PageStep(NamedTuple):
    """A step of extraction.

    Attributes:
        stage: to which its time belongs.
        columns: that it adds; cells: returns the cells of a page in these columns.
        name: of the facts, which may be unknown; empty if a page without them fails.
    """

    stage: str
    columns: ColumnTypes
    cells: Callable[[ReadPage], TableRow]
    name: str = ""


CONTENT_COLUMNS: ColumnTypes = (
    ("page", "string"),
    ("url", "string"),
    ("site", "string"),
    ("type_name", "string"),
    ("type", "string"),
    ("type_confidence", "float64"),
    ("template_match", "float64"),
    ("fits", "bool_"),
    ("fit_probability", "float64"),
    ("exact", "bool_"),
    ("differences", "list"),
    ("verdict", "string"),
    ("kind", "string"),
    ("title", "string"),
    ("text", "string"),
    ("comments", "string"),
    *((name, "list" if name == "tags" else "string") for name in METADATA_FIELDS),
    ("boilerplate_share", "float64"),
    ("noise_share", "float64"),
    ("lists", "string"),
    ("confidence", "float64"),
    ("nodes", "int64"),
    ("notes", "list"),
)
"""Columns of ``pages.parquet`` with the content of a page; ``lists``: the records of its lists, as JSON;
``comments``: author, date and text of its comments, as JSON. ``noise_share``: the old name of
``boilerplate_share``, for one release."""

PAGE_STEPS = (
    PageStep("links", CONTENT_COLUMNS, lambda page: content_cells(page.prediction, page.text, page.site)),
    PageStep("links", CHECK_COLUMNS, lambda page: check_cells(page.prediction, page.text), "the checks"),
    PageStep(
        "links",
        REFERENCE_COLUMNS,
        lambda page: reference_cells(page.prediction, page.item, page.files),
        "the links",
    ),
    PageStep("sketches", SKETCH_COLUMNS, lambda page: sketch_cells(page.prediction.page, page.site)),
)
"""The steps of extraction, after the prediction of the model: each adds columns to the rows of a part."""

PAGE_COLUMNS: ColumnTypes = (*CONTENT_COLUMNS, *CHECK_COLUMNS)
"""Columns of a part that ``pages.parquet`` has too."""

PART_COLUMNS: ColumnTypes = tuple(column for step in PAGE_STEPS for column in step.columns)
"""Columns of a part."""


def content_cells(prediction: Prediction, text: str, site: str) -> TableRow:
    """Return the cells of a page in the columns `CONTENT_COLUMNS`; text: its main text; site: its name."""
    type_confidence = prediction.assigned.confidence
    metadata = prediction.metadata
    boilerplate_share = round(prediction.boilerplate_share, 4)
    return {
        "page": prediction.id,
        "url": prediction.url,
        "site": site,
        "type_name": prediction.type_name,
        "type": prediction.type,
        "type_confidence": None if type_confidence is None else round(type_confidence, 4),
        "template_match": prediction.template_match,
        "fits": prediction.fits,
        "fit_probability": prediction.fit_probability,
        "exact": prediction.exact,
        "differences": list(prediction.differences),
        "verdict": prediction.verdict,
        "kind": prediction.kind,
        "title": prediction.title,
        "text": text,
        "comments": _as_json(comment_records(prediction.comments)),
        **{name: metadata.get(name) for name in METADATA_FIELDS},
        "tags": list(metadata.get("tags", ())),
        "boilerplate_share": boilerplate_share,
        "noise_share": boilerplate_share,
        "lists": _lists_as_json(prediction.lists),
        "confidence": round(prediction.confidence, 4),
        "nodes": len(prediction.page.dom),
        "notes": list(prediction.notes),
    }


def _as_json(records: Sequence[dict[str, Any]]) -> str | None:
    return json.dumps(records, ensure_ascii=False) if records else None


def _lists_as_json(lists: Sequence[Listing]) -> str | None:
    return f"[{', '.join([listing.to_json() for listing in lists])}]" if lists else None
