"""Stage ``learn``: the model of each site, learnt from a sample of its pages.

The steps are those of `webgrain.site.learning.SampleGroups`. Steps that need all pages of the sample are one
task for a site, the others one task for each group of pages. The results of a step are files in
`SiteFiles.learning`, which the next steps read; they are removed at the end.
"""

from __future__ import annotations

import pickle
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from webgrain.base.errors import InputError
from webgrain.base.failures import Failure
from webgrain.engines.guard import Guard, limits, run_step
from webgrain.io.local import replacing
from webgrain.io.queries import read_queries
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.site import thresholds, typelearning
from webgrain.site.auditrun import AuditPlan, AuditRun
from webgrain.site.learning import SampleGroups, empty_model, group_texts, least
from webgrain.site.model import load_model
from webgrain.site.shards import read_shard, shard_ids
from webgrain.site.typelearning import LearntTypes
from webgrain.site.verdicts import apply_verdicts, read_verdicts
from webgrain.site.workspace import SiteFiles


def learn_sites(run: AuditRun) -> None:
    """Write the model of each site that has none.

    A site is learnt from fewer pages if the memory is not sufficient for all. If nothing can be learnt, its
    model is empty.
    """
    waiting = [site for site in run.sites if not site.model.exists()]
    reasons: dict[str, str] = {}
    for nodes in thresholds.LEARNT_NODES:
        failed = _learn_waiting(run, waiting, nodes)
        reasons = failed | reasons
        waiting = [site for site in waiting if site.site in failed]
    for site in waiting:  # each page is read on its own then
        shutil.rmtree(site.learning, ignore_errors=True)
        empty_model(site.site, reasons[site.site]).save(site.model)
    for _ in run.sites:
        run.progress("learn", 1)


def _learn_waiting(run: AuditRun, sites: Sequence[SiteFiles], nodes: int) -> dict[str, str]:
    """Learn sites from samples of at most N nodes; return the reason of each that failed, by name."""
    failed: dict[str, str] = {}
    for step in LEARNING_STEPS:
        sites = [site for site in sites if site.site not in failed]
        jobs = [(site, part) for site in sites for part in step.parts(site)]
        task = partial(learn_part, step.run, run.plan, nodes)
        for (site, _), seconds in run.engine.map(task, jobs):
            if isinstance(seconds, Failure):
                failed.setdefault(site.site, seconds.error)
            else:
                run.workspace.add_time(site.site, "learn", seconds)
    return failed


def learn_part(
    run_part: PartLearner, plan: AuditPlan, nodes: int, job: tuple[SiteFiles, str]
) -> float | Failure:
    """Run a part of a step of learning a site within the limits, and return the seconds.

    The work is limited by the nodes of the sample, not by time: equal pages give equal bytes on any machine.

    run_part: of the step; nodes: of the sample, at most; job: a site and the part.
    """
    site, part = job
    start = time.process_time()
    name = Source(f"{site.site or 'the site'} (pages of at most {nodes:,} nodes)", b"")
    guard = Guard(None, thresholds.LEARN_MEGABYTES)
    with limits(plan.guard):
        failure = guard.call(name, "learn", lambda _: run_part(plan, site, nodes, part))
    return failure or time.process_time() - start


def _learn_groups(plan: AuditPlan, site: SiteFiles, nodes: int, _: str) -> Failure | None:
    """Learn the types of a site, and write the pages that the rest is learnt from, in groups."""
    ids = (name for shard in site.shards for name in shard_ids(shard))
    sample = read_sample(site.shards, least(ids, plan.sample), nodes)
    log = None if plan.queries is None else read_queries(plan.queries)
    method = PageTypes(random_state=plan.random_state)
    try:
        learnt = typelearning.learn_types(lambda: sample, method, log)
    except InputError as error:
        return Failure(site.site, "learn", str(error))
    groups = SampleGroups.of(_reviewed(learnt, plan, site, sample, method))
    shutil.rmtree(site.learning, ignore_errors=True)
    site.learning.mkdir(parents=True)
    _save(site, "groups", groups)
    for type_number, pages_of_groups in groups.pages(sample).items():
        for group_number, pages in enumerate(pages_of_groups):
            _save(site, f"{type_number:04}-{group_number:03}.pages", pages)
    return None


def _reviewed(
    learnt: LearntTypes, plan: AuditPlan, site: SiteFiles, sample: Sequence[Page], method: PageTypes
) -> LearntTypes:
    """Return types after the verdicts of a reviewer, with the labels of an earlier audit."""
    if plan.verdicts:
        learnt, _ = apply_verdicts(learnt, read_verdicts(plan.verdicts), lambda: sample, method)
    if plan.since:
        before = site.earlier(plan.since) / "site-model.json"
        if before.exists():
            learnt = learnt.renamed(load_model(before).types)
    return learnt


def _learn_texts(plan: AuditPlan, site: SiteFiles, nodes: int, group: str) -> None:
    """Write the texts of a group of pages."""
    _save(site, f"{group}.texts", group_texts(_load(site, f"{group}.pages")))


def _join_texts(plan: AuditPlan, site: SiteFiles, nodes: int, _: str) -> None:
    """Write the texts of the site."""
    texts_of_groups = (_load(site, f"{group}.texts") for group in _groups(site))
    groups: SampleGroups = _load(site, "groups")
    _save(site, "texts", groups.join(texts_of_groups))


def _learn_type(plan: AuditPlan, site: SiteFiles, nodes: int, group: str) -> None:
    """Write what is learnt of a type from its first group of pages."""
    texts, _ = _load(site, "texts")
    groups: SampleGroups = _load(site, "groups")
    learnt = groups.learn_type(_type_number(group), _load(site, f"{group}.pages"), texts)
    _save(site, f"{group}.type", learnt)


def _join_model(plan: AuditPlan, site: SiteFiles, nodes: int, _: str) -> None:
    """Write the model of a site, and remove the files of the steps."""
    types = {_type_number(group): _load(site, f"{group}.type") for group in _groups(site, "*.type")}
    texts, repeated = _load(site, "texts")
    groups: SampleGroups = _load(site, "groups")
    groups.model(site.site, texts, repeated, types).save(site.model)
    shutil.rmtree(site.learning)


def _whole_site(site: SiteFiles) -> list[str]:
    return [""]


def _groups(site: SiteFiles, files: str = "*.pages") -> list[str]:
    """Return the groups of a site, the largest first: numbers of the type and of the group, as 0003-000."""
    size = {path.stem: path.stat().st_size for path in site.learning.glob(files)}
    return sorted(size, key=lambda name: (-size[name], name))


def _first_groups(site: SiteFiles) -> list[str]:
    """Return the first group of each type."""
    return _groups(site, "*-000.pages")


PartLearner = Callable[[AuditPlan, SiteFiles, int, str], Failure | None]
"""A function of the plan, a site, the number of nodes of its sample, and a part of the work."""


class LearningStep(NamedTuple):
    """A step of learning a site. run: does a part of its work; parts: returns the parts, by name."""

    run: PartLearner
    parts: Callable[[SiteFiles], list[str]]


LEARNING_STEPS = (
    LearningStep(_learn_groups, _whole_site),
    LearningStep(_learn_texts, _groups),
    LearningStep(_join_texts, _whole_site),
    LearningStep(_learn_type, _first_groups),
    LearningStep(_join_model, _whole_site),
)
"""The steps of learning a site; the parts of a step run in parallel."""


def _type_number(group: str) -> int:
    return int(group.partition("-")[0])


def _save(site: SiteFiles, name: str, value: object) -> None:
    """Write a result of a step for the next ones, which read no file of an earlier run."""
    with replacing(site.learning / name) as part:
        part.write_bytes(pickle.dumps(value))


def _load(site: SiteFiles, name: str) -> Any:
    return pickle.loads((site.learning / name).read_bytes())


def read_sample(shards: Iterable[Path], chosen: Sequence[str], nodes: int) -> list[Page]:
    """Return the pages that a site is learnt from, parsed, in the order of the shards.

    chosen: their ids in the order in which they are used until they have more than ``nodes`` nodes, so that a
    small sample has the same kinds of pages as a large one. Very large pages are left out.
    """
    order = {name: number for number, name in enumerate(chosen)}
    kept: dict[int, Page] = {}
    total = 0
    end = len(order)
    for item in _chosen_items(shards, order):
        number = order.get(item.id, end)
        if number >= end or number in kept:
            continue
        page = run_step(item, "read", _tree)
        if isinstance(page, Page) and len(page.dom) <= nodes // thresholds.LARGEST_SHARE:
            kept[number] = page
            total += len(page.dom)
        while total > nodes:
            end = max(kept)
            total -= len(kept.pop(end).dom)
    return list(kept.values())


def _chosen_items(shards: Iterable[Path], chosen: dict[str, int]) -> Iterator[Source | Page]:
    for shard in shards:
        for item in read_shard(shard, chosen):
            if not isinstance(item, Failure):
                yield item


def _tree(item: Source | Page) -> Page:
    """Return a page without its bytes and its view."""
    page = parse(item) if isinstance(item, Source) else item
    return replace(page, source=None, view=None, screenshot=None)
