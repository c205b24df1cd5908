"""The segments of the sample pages of a site, and how the report shows these pages."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from webgrain.base.failures import Failure
from webgrain.io.store import read_store
from webgrain.io.write import Record, open_writer
from webgrain.page.page import Page
from webgrain.page.segmentation import Segmentation, segmentation_record
from webgrain.report.site import SamplePage, sample_page
from webgrain.site import thresholds
from webgrain.site.auditrun import AuditPlan, AuditRun
from webgrain.site.model import shared_model
from webgrain.site.samplefiles import remember_chances
from webgrain.site.tables import read_failures
from webgrain.site.workspace import SiteFiles
from webgrain.templates.sections import importance


@dataclass(slots=True)
class SegmentedSamples:
    """The sample pages of a site, after their segmentation.

    Attributes:
        pages: those that the report shows, by the label of their type, the most typical first.
        failures: pages that could not be rendered or segmented.
        seconds: of the segmentation.
    """

    pages: dict[str, list[SamplePage]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SegmentedPage:
    """A sample page that was segmented.

    Attributes:
        label, rank: its type, and its place among the sample pages of the type.
        record: its segments.
        shown: how the report shows it; None if it does not.
        seconds: of the segmentation.
    """

    label: str
    rank: int
    record: Record
    shown: SamplePage | None
    seconds: float


def segment_samples(run: AuditRun, site: SiteFiles, chosen: Mapping[str, Sequence[str]]) -> SegmentedSamples:
    """Segment the sample pages of a site, and write the segments; chosen: their ids by type."""
    samples = SegmentedSamples(failures=read_failures(site.sample_failures))
    shown: dict[str, dict[int, SamplePage]] = {}
    with open_writer("jsonl", site.segments) as records:
        for page in _segmented_pages(run, site, chosen):
            if isinstance(page, Failure):
                samples.failures.append(page)
                continue
            records.write({**page.record, "type": page.label})
            samples.seconds += page.seconds
            if page.shown:
                shown.setdefault(page.label, {})[page.rank] = page.shown
    for label, page_of_rank in shown.items():
        samples.pages[label] = [page_of_rank[rank] for rank in sorted(page_of_rank)]
    return samples


def _segmented_pages(
    run: AuditRun, site: SiteFiles, chosen: Mapping[str, Sequence[str]]
) -> list[SegmentedPage | Failure]:
    """Return the sample pages in the order of their store."""
    places = {name: (label, rank) for label, names in chosen.items() for rank, name in enumerate(names)}
    stored = read_store(site.samples) if site.samples.exists() else ()
    results: dict[int, SegmentedPage | Failure] = {}
    task = partial(segment_sample, run.plan, site, places)
    for (number, page), result in run.engine.map(task, enumerate(stored)):
        results[number] = result
        if isinstance(result, Failure) and isinstance(page, Page) and result.stage == "run":
            results[number] = Failure(page.id, "segment", result.error)  # its process died
    return [results[number] for number in sorted(results)]


def segment_sample(
    plan: AuditPlan, site: SiteFiles, places: Mapping[str, tuple[str, int]], job: tuple[int, Page | Failure]
) -> SegmentedPage | Failure:
    """Segment a sample page of a site.

    places: type and rank of each sample page; job: the number of the page, and it.
    """
    start = time.process_time()
    model = shared_model(site.model)

    def segmented(page: Page) -> tuple[Page, Segmentation]:
        remember_chances(site, page)
        segmentation = model.segment(page, plan.method)
        shares = importance(page, segmentation.labels, model.noise(page))
        return page, replace(segmentation, importance=shares)

    _, item = job
    result = plan.guard.call(item, "segment", segmented)
    if isinstance(result, Failure):
        return result
    page, segmentation = result
    label, rank = places[page.id]
    is_shown = rank < thresholds.PICTURES
    shown = sample_page(page, segmentation) if is_shown else None
    record = segmentation_record(page, segmentation)
    return SegmentedPage(label, rank, record, shown, time.process_time() - start)
