"""Stage ``lay out``: some pages of each type are rendered, with boxes and screenshots for the report."""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from webgrain.base.failures import Failure
from webgrain.io.store import open_store
from webgrain.page.page import Page, Source
from webgrain.page.paths import text_key
from webgrain.pagetypes.descriptions import OTHER
from webgrain.site import thresholds
from webgrain.site.auditrun import AuditRun
from webgrain.site.pipeline import Layout, pages
from webgrain.site.shards import read_shard
from webgrain.site.tables import read_rows, write_failures
from webgrain.site.workspace import SiteFiles


def lay_out_samples(run: AuditRun) -> None:
    """Write the sample pages of each site that has none."""
    jobs = []
    for site in run.sites:
        if site.samples.exists():
            continue
        chosen = choose_samples(site.parts, run.plan.samples)
        if chosen:
            names = tuple(sorted(name for names in chosen.values() for name in names))
            jobs.append((site, names))
    total = sum(len(names) for _, names in jobs)
    for (site, names), seconds in run.engine.map(partial(lay_out, run.plan.layout), jobs):
        if isinstance(seconds, Failure):  # its processes died
            failures = (Failure(name, "lay out", seconds.error) for name in names)
            write_failures(site.sample_failures, failures)
        else:
            run.workspace.add_time("", "lay out", seconds)
        run.progress("lay out", len(names), total)


def choose_samples(parts: Iterable[Path], most: int) -> dict[str, list[str]]:
    """Return the ids of at most ``most`` pages of each of the largest types, the most typical first.

    Pages that fit the template of their type come first, then those with the smallest hash: the choice
    depends on no order.
    """
    size: defaultdict[str, int] = defaultdict(int)
    best: defaultdict[str, list[tuple[bool, int, str]]] = defaultdict(list)
    for part in parts:
        for row in read_rows(part, ["page", "type", "fits", "nodes"]):
            label = row["type"] or OTHER
            size[label] += 1
            if row["nodes"] <= thresholds.MAX_SHOWN_NODES:
                rank = (row["fits"] is False, text_key(row["page"]), row["page"])
                best[label] = heapq.nsmallest(most, [*best[label], rank])
    largest = heapq.nlargest(thresholds.SHOWN_TYPES, best, key=lambda label: (size[label], label))
    return {label: [name for _, _, name in best[label]] for label in largest if best[label]}


def lay_out(layout: Layout, job: tuple[SiteFiles, tuple[str, ...]]) -> float:
    """Render some pages, write them to a page store with their screenshots, and return the seconds.

    job: a site and the ids of its sample pages. The failures are written to a file beside the store.
    """
    site, names = job
    chosen = frozenset(names)
    start = time.perf_counter()
    failures = []
    with open_store(site.samples) as store:
        for page in pages(_chosen_items(site, chosen), layout, boxes_required=False):
            if isinstance(page, Failure):
                failures.append(page)
                continue
            if layout.render == "chromium" and page.view is None:
                failures.append(Failure(page.id, "render", page.notes[-1], url=page.url))
            store.write(page)
        write_failures(site.sample_failures, failures)
    return time.perf_counter() - start


def _chosen_items(site: SiteFiles, chosen: frozenset[str]) -> Iterator[Source | Page | Failure]:
    for shard in site.shards:
        yield from read_shard(shard, chosen)
