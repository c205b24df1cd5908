"""Stage ``learn``: the model of each site, learnt from a sample of its pages.

The steps are those of `webgrain.site.learning.SampleGroups`. Steps that need all pages of the sample are one
task for a site, the others one task for some shards, for a group of pages or for a part of it. The results of
a step are files in `SiteFiles.learning`, which the next steps read; they are removed at the end. What the
stage ``extract`` can use is in `SiteFiles.known`, see `webgrain.site.samplefiles`.
"""

from __future__ import annotations

import math
import pickle
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Self

from webgrain.base.errors import InputError
from webgrain.base.failures import Failure
from webgrain.engines.guard import Guard, limits
from webgrain.io.queries import read_queries
from webgrain.page.page import Source
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.traits import page_traits
from webgrain.site import thresholds, typelearning
from webgrain.site.auditrun import AuditPlan, AuditRun
from webgrain.site.learning import (
    GroupTexts,
    PageReading,
    SampleGroups,
    TypeJob,
    TypePages,
    empty_model,
    join_texts,
    least,
    read_pages,
)
from webgrain.site.model import load_model
from webgrain.site.samplefiles import (
    KnownArticle,
    KnownChances,
    KnownPage,
    PagePlace,
    sample_pages,
    stored_pages,
    write_articles,
    write_chances,
    write_facts,
    write_pages,
)
from webgrain.site.shards import shard_ids, shard_size
from webgrain.site.tables import batches
from webgrain.site.typelearning import CountedPages, LearntTypes
from webgrain.site.verdicts import apply_verdicts, read_verdicts
from webgrain.site.workspace import SiteFiles


def learn_sites(run: AuditRun) -> None:
    """Write the model of each site that has none.

    A site is learnt from fewer pages if the memory is not sufficient for all. If nothing can be learnt, its
    model is empty.
    """
    waiting = [site for site in run.sites if not site.model.exists()]
    run.learnt = {site.site for site in waiting}
    reasons: dict[str, str] = {}
    for nodes in thresholds.LEARNT_NODES:
        failed = _learn_waiting(run, waiting, nodes)
        reasons = failed | reasons
        waiting = [site for site in waiting if site.site in failed]
    for site in waiting:  # each page is read on its own then
        _remove_files(site)
        empty_model(site.site, reasons[site.site]).save(site.model)


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
            run.progress(f"learn, {step.name}", 1, len(jobs))
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


def _choose_pages(plan: AuditPlan, site: SiteFiles, nodes: int, _: str) -> None:
    """Write which pages of each shard are learnt from, in bundles of about a shard."""
    _remove_files(site)
    site.learning.mkdir(parents=True)
    ids_of_shards = [shard_ids(shard) for shard in site.shards]
    chosen = least(chain.from_iterable(ids_of_shards), plan.sample)
    order = {name: number for number, name in enumerate(chosen)}
    orders = []
    for shard, ids in enumerate(ids_of_shards):
        order_of_shard = {name: order[name] for name in ids if name in order}
        if order_of_shard:
            orders.append((shard, order_of_shard))
    bundles = batches(orders, math.inf, lambda item: len(item[1]), shard_size(len(order)))
    for number, bundle in enumerate(bundles):
        _save(site, f"{number:06}.chosen", bundle)


def _count_pages(plan: AuditPlan, site: SiteFiles, nodes: int, bundle: str) -> None:
    """Parse the chosen pages of some shards, and write them and what is counted of them."""
    orders: list[tuple[int, dict[str, int]]] = _load(site, f"{bundle}.chosen")
    counted = [CountedShard.of(site, shard, order, nodes) for shard, order in orders]
    _save(site, f"{bundle}.counted", counted)


def _learn_groups(plan: AuditPlan, site: SiteFiles, nodes: int, _: str) -> Failure | None:
    """Learn the types of a site, and write where the pages are that the rest is learnt from, in groups."""
    shards: list[CountedShard] = []
    for bundle in _parts(site, "counted"):
        shards += _load(site, f"{bundle}.counted")
    places, counted = joined_counts(site, shards, nodes)
    log = None if plan.queries is None else read_queries(plan.queries)
    if log is not None:
        for page in stored_pages(site, places.values()):
            counted.look_up(page, log)
    method = PageTypes(random_state=plan.random_state)
    try:
        learnt = typelearning.learn_counted(counted, method, log)
    except InputError as error:
        return Failure(site.site, "learn", str(error))
    groups = SampleGroups.of(_reviewed(learnt, plan, site, places, method))
    _save(site, "groups", groups)
    for type_number, ids_of_groups in groups.ids.items():
        for group_number, ids in enumerate(ids_of_groups):
            group = PageGroup(groups.type_job(type_number), [places[name] for name in ids])
            _save(site, f"{type_number:04}-{group_number:03}.group", group)
    return None


class CountedPage(NamedTuple):
    """A page that was counted. number: in the order in which pages are chosen; nodes: number of its nodes."""

    id: str
    number: int
    nodes: int
    place: PagePlace


@dataclass(frozen=True, slots=True)
class CountedShard:
    """The chosen pages of a shard.

    Attributes:
        pages: those that are used, in the order of the shard.
        end: the number of the first page that was too many; None for none.
        counted: what was counted of the pages.
    """

    pages: list[CountedPage]
    end: int | None
    counted: CountedPages

    @classmethod
    def of(cls, site: SiteFiles, shard: int, order: Mapping[str, int], nodes: int) -> Self:
        """Parse and count the chosen pages of a shard, and write what later steps and stages need of them.

        shard: its number; order, nodes: see `sample_pages`.
        """
        sample, end = sample_pages(site.shards[shard], order, nodes)
        places = write_pages(site, shard, sample)
        counted = CountedPages(PageTypes().new_counts())
        counted.add_in_turns([page for _, _, page in sample])
        failed = {failure.page for failure in counted.failures}
        facts = {
            position: KnownPage(places[position], page_traits(page))
            for _, position, page in sample
            if page.id not in failed
        }
        write_facts(site, shard, facts)
        pages = [
            CountedPage(page.id, number, len(page.dom), places[position]) for number, position, page in sample
        ]
        return cls(pages, end, counted)


def joined_counts(
    site: SiteFiles, shards: Sequence[CountedShard], nodes: int
) -> tuple[dict[str, PagePlace], CountedPages]:
    """Return the places of the pages of the sample by id, and what was counted of them.

    nodes: of all pages, at most; the first pages in the order in which they are chosen are used.
    """
    end = _end(shards, nodes)
    places: dict[str, PagePlace] = {}
    counted = CountedPages(PageTypes().new_counts())
    for shard in shards:
        kept = {page.id: page.place for page in shard.pages if page.number < end and page.id not in places}
        if len(kept) == len(shard.pages):
            counted.merge(shard.counted)
        else:
            for page in stored_pages(site, kept.values()):
                counted.add(page)
        places |= kept
    return places, counted


def _end(shards: Sequence[CountedShard], nodes: int) -> float:
    """Return the number of the first page that is left out, so that the others have at most N nodes."""
    nodes_of = {page.number: page.nodes for shard in shards for page in shard.pages}
    total = 0
    for number in sorted(nodes_of):
        total += nodes_of[number]
        if total > nodes:
            return min([number, *_ends(shards)])
    return min(_ends(shards), default=math.inf)


def _ends(shards: Sequence[CountedShard]) -> list[int]:
    return [shard.end for shard in shards if shard.end is not None]


class PageGroup(NamedTuple):
    """Some pages of a type. job: how the type is learnt; places: where the pages are."""

    job: TypeJob
    places: list[PagePlace]


def _reviewed(
    learnt: LearntTypes,
    plan: AuditPlan,
    site: SiteFiles,
    places: Mapping[str, PagePlace],
    method: PageTypes,
) -> LearntTypes:
    """Return types after the verdicts of a reviewer, with the labels of an earlier audit."""
    if plan.verdicts:
        verdicts = read_verdicts(plan.verdicts)
        learnt, _ = apply_verdicts(learnt, verdicts, lambda: stored_pages(site, places.values()), method)
    if plan.since:
        before = site.earlier(plan.since) / "site-model.json"
        if before.exists():
            learnt = learnt.renamed(load_model(before).types)
    return learnt


def _learn_texts(plan: AuditPlan, site: SiteFiles, nodes: int, name: str) -> None:
    """Write the texts of a group of pages."""
    group: PageGroup = _load(site, f"{name}.group")
    pages = stored_pages(site, group.places)
    _save(site, f"{name}.texts", GroupTexts.of(pages, is_judged=name.endswith(_FIRST)))


def _join_texts(plan: AuditPlan, site: SiteFiles, nodes: int, _: str) -> None:
    """Write the texts of the site."""
    of_types: defaultdict[str, list[GroupTexts]] = defaultdict(list)
    for name in _parts(site, "texts"):
        of_types[name.partition("-")[0]].append(_load(site, f"{name}.texts"))
    groups = list(chain.from_iterable(of_types.values()))
    _save(site, "texts", join_texts([group.texts for group in of_type] for of_type in of_types.values()))
    _save(site, "text_failures", [failure for group in groups for failure in group.failures])


def _read_pages(plan: AuditPlan, site: SiteFiles, nodes: int, part: str) -> None:
    """Write what is learnt from each of some pages of the first group of a type, and their articles."""
    name, _, first = part.rpartition("-")
    group: PageGroup = _load(site, f"{name}.group")
    places = group.places[int(first) : int(first) + thresholds.READ_PAGES]
    texts = _load(site, "texts")
    articles: dict[PagePlace, KnownArticle] = {}
    chances: dict[str, KnownChances] = {}
    readings: list[PageReading | Failure] = []
    read_items = read_pages(stored_pages(site, places), texts, group.job)
    for place, item in zip(places, read_items, strict=True):
        if isinstance(item, Failure):
            readings.append(item)
            continue
        article, reading = item
        articles[place] = KnownArticle.of(article, reading.judged)
        if reading.hidden is not None and reading.chances is not None:
            chances[place.page] = KnownChances(reading.hidden, reading.chances)
        readings.append(replace(reading, judged=None, chances=None))
    write_articles(site, part, articles)
    write_chances(site, part, chances)
    _save(site, f"{part}.readings", readings)


def _learn_type(plan: AuditPlan, site: SiteFiles, nodes: int, name: str) -> None:
    """Write what is learnt of a type from its first group of pages."""
    group: PageGroup = _load(site, f"{name}.group")
    pages = list(stored_pages(site, group.places))
    learnt = TypePages.learn(pages, _readings(site, name, group), group.job)
    _save(site, f"{name}.type", learnt)


def _readings(site: SiteFiles, name: str, group: PageGroup) -> list[PageReading | Failure]:
    """Return what was learnt from each page of a group."""
    firsts = range(0, len(group.places), thresholds.READ_PAGES)
    parts = (_load(site, f"{name}-{first}.readings") for first in firsts)
    return list(chain.from_iterable(parts))


def _join_model(plan: AuditPlan, site: SiteFiles, nodes: int, _: str) -> None:
    """Write the model of a site, and remove the files of the steps."""
    types = {int(name.partition("-")[0]): _load(site, f"{name}.type") for name in _first_groups(site)}
    groups: SampleGroups = _load(site, "groups")
    failures: list[Failure] = _load(site, "text_failures")
    groups.model(site.site, _load(site, "texts"), types, failures).save(site.model)
    shutil.rmtree(site.learning)


def _remove_files(site: SiteFiles) -> None:
    """Remove what this or an earlier run has written."""
    for folder in (site.learning, site.known):
        shutil.rmtree(folder, ignore_errors=True)


def _whole_site(site: SiteFiles) -> list[str]:
    return [""]


def _parts(site: SiteFiles, ending: str) -> list[str]:
    """Return the names of the files with an ending, in order."""
    return sorted(path.stem for path in site.learning.glob(f"*.{ending}"))


def _bundles(site: SiteFiles) -> list[str]:
    """Return the bundles of chosen pages."""
    return _parts(site, "chosen")


def _groups(site: SiteFiles) -> list[str]:
    """Return the groups of a site, the largest first: numbers of the type and of the group, as 0003-000."""
    return _largest_first(site, _parts(site, "group"))


def _first_groups(site: SiteFiles) -> list[str]:
    """Return the first group of each type, the largest first."""
    return [name for name in _groups(site) if name.endswith(_FIRST)]


_FIRST = "-000"
"""How the name of the first group of a type ends."""


def _largest_first(site: SiteFiles, names: Sequence[str]) -> list[str]:
    size = {}
    for name in names:
        group: PageGroup = _load(site, f"{name}.group")
        size[name] = sum(place.size for place in group.places)
    return sorted(size, key=lambda name: (-size[name], name))


def _read_parts(site: SiteFiles) -> list[str]:
    """Return parts of the first groups: the group and the number of the first page."""
    parts = []
    for name in _first_groups(site):
        group: PageGroup = _load(site, f"{name}.group")
        parts += [f"{name}-{first}" for first in range(0, len(group.places), thresholds.READ_PAGES)]
    return parts


PartLearner = Callable[[AuditPlan, SiteFiles, int, str], Failure | None]
"""A function of the plan, a site, the number of nodes of its sample, and a part of the work."""


class LearningStep(NamedTuple):
    """A step of learning a site.

    name: as in the progress; run: does a part of its work; parts: returns the parts, by name.
    """

    name: str
    run: PartLearner
    parts: Callable[[SiteFiles], list[str]]


LEARNING_STEPS = (
    LearningStep("choose pages", _choose_pages, _whole_site),
    LearningStep("count paths", _count_pages, _bundles),
    LearningStep("find types", _learn_groups, _whole_site),
    LearningStep("compare texts", _learn_texts, _groups),
    LearningStep("join texts", _join_texts, _whole_site),
    LearningStep("read pages", _read_pages, _read_parts),
    LearningStep("learn types", _learn_type, _first_groups),
    LearningStep("write the model", _join_model, _whole_site),
)
"""The steps of learning a site; the parts of a step run in parallel."""


def _save(site: SiteFiles, name: str, value: object) -> None:
    """Write a result of a step for the next ones, which begin when all tasks of the step have ended."""
    (site.learning / name).write_bytes(pickle.dumps(value))


def _load(site: SiteFiles, name: str) -> Any:
    return pickle.loads((site.learning / name).read_bytes())
