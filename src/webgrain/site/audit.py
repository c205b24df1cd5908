"""Audit a site: from pages to page types, templates, texts, segments, near-duplicates, a model and a report.

`audit` runs the `STAGES` one after the other. A stage reads and writes files, the paths of which are
attributes of `SiteFiles`. It divides its work into tasks, for a site, a shard or a page, which an engine can
run on any machine that has access to the files. A stage does not repeat what is complete, so an interrupted
audit resumes where it stopped. Pages are processed one by one, or as sketches on disk; the main process keeps
about 1 kB of each: addresses, titles, and which pages it links to.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from webgrain.base.errors import InputError
from webgrain.engines import Engine
from webgrain.engines.local import Local
from webgrain.io.read import Item
from webgrain.site.auditrun import AuditPlan, AuditRun, FindGone, Progress, SiteResults
from webgrain.site.stages.duplicates import find_duplicate_pages
from webgrain.site.stages.extraction import extract_sites
from webgrain.site.stages.learning import learn_sites
from webgrain.site.stages.reading import read_input
from webgrain.site.stages.results import write_results
from webgrain.site.stages.samples import lay_out_samples
from webgrain.site.workspace import Workspace


class Stage(NamedTuple):
    """A stage of an audit.

    Attributes:
        name: as in the progress and in the report; run: does its work for all sites.
        reads, writes: the files of a site, by their names in `SiteFiles`.
    """

    name: str
    run: Callable[[AuditRun], None]
    reads: tuple[str, ...]
    writes: tuple[str, ...]


STAGES = (
    # The pages of the input, by site.
    Stage("read", read_input, (), ("shards",)),
    # What a sample of the pages of a site has in common: its types, templates, texts and boilerplate.
    Stage("learn", learn_sites, ("shards",), ("model", "known")),
    # A row and the sketch of each page, by the model of its site.
    Stage("extract", extract_sites, ("shards", "model", "known"), ("parts",)),
    # Some pages of each type with their boxes, and with screenshots if a browser renders them.
    Stage("lay out", lay_out_samples, ("shards", "parts"), ("samples", "sample_failures")),
    # Pages with the same content, also of different sites.
    Stage("duplicates", find_duplicate_pages, ("parts",), ("index", "pairs")),
    # The tables of pages, links and findings, the segments of the sample pages, and the report.
    Stage(
        "report",
        write_results,
        ("shards", "model", "known", "parts", "samples", "sample_failures", "pairs"),
        (
            "site_model",
            "table",
            "links",
            "findings",
            "changes",
            "changed_findings",
            "segments",
            "failures",
            "report",
        ),
    ),
)
"""The stages of an audit, in the order in which they run."""


def audit(
    read: Callable[[int], Iterable[Item]],
    folder: Path,
    plan: AuditPlan,
    engine: Engine,
    progress: Progress = lambda stage, pages, total=None: None,
    find_gone: FindGone | None = None,
) -> list[SiteResults]:
    """Audit the sites of the pages and return the results of each.

    read: returns the pages after the first n. find_gone: requests addresses of other sites and of files.

    Raises `InputError` if the folder belongs to a different audit, or to one that is running.
    """
    workspace = Workspace(folder)
    # Starting processes takes a second, so they stay for all tasks.
    workers = engine.pool() if isinstance(engine, Local) else nullcontext(engine)
    with workspace.locked(), workers as engine:
        workspace.check_settings(plan.to_dict())
        run = AuditRun(plan, engine, progress, read, workspace, find_gone)
        for stage in STAGES:
            stage.run(run)
        return run.results


def check_apart(places: Iterable[Path], folder: Path) -> None:
    """Raise `InputError` if the folder for the results is inside an input."""
    for place in places:
        if folder.resolve().is_relative_to(place.resolve()):
            raise InputError(f"The folder for the results, {folder}, must not be inside the input {place}.")


def check_some_page(results: Iterable[SiteResults], folder: Path) -> None:
    """Raise `InputError` if no page was read, and remove the folder ``work``: the next audit starts anew."""
    if any(outcome.pages for outcome in results):
        return
    shutil.rmtree(folder / "work")
    failures = folder / "failures.jsonl"
    reason = f": see {failures}" if failures.exists() and failures.stat().st_size else ""
    raise InputError(f"No page could be read, so there is nothing to audit{reason}.")
