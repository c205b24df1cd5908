"""Audit a site: from pages to page types, templates, texts, segments, near-duplicates, a model and a report.

    read        the pages of any inputs        -> shards by site
    learn       a sample of a site's pages     -> site-model.json
    extract     a shard and the model          -> a part: a row and the sketch of each page
    lay out     some pages of each type        -> a page store, with screenshots
    duplicates  the sketches of all parts    -> duplicates.csv
    report      all of these                   -> pages.parquet, segments.jsonl, failures.jsonl, report.html

`learn`, `apply`, `lay_out` and `build_index` are tasks: they read and write files and return a small
summary. Any engine can run them, on any machine that has access to the files. A stage does not repeat what is
complete, so an interrupted audit resumes where it stopped. Pages are processed one by one, or as sketches on
disk; the main process keeps about 1 kB of each: addresses, titles, and which pages it links to.
"""

from __future__ import annotations

import heapq
import json
import pickle
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from webgrain.base.errors import InputError
from webgrain.base.estimator import check_integer
from webgrain.base.failures import EXCLUDED, Failure, failure_record
from webgrain.duplicates.sketches import make_sketch
from webgrain.engines import Engine
from webgrain.engines.guard import Guard, limits, run_step
from webgrain.engines.local import Local
from webgrain.io.local import replacing
from webgrain.io.queries import SearchLog, read_queries
from webgrain.io.store import open_store, read_store
from webgrain.io.write import open_writer
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.paths import text_key
from webgrain.page.segmentation import Segmentation, segmentation_record
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.report import site as report
from webgrain.segmentation.segmenter import Segmenter
from webgrain.site import duplicates, learning, thresholds
from webgrain.site.checks import link_columns, page_checks
from webgrain.site.findings import (
    CHANGE_COLUMNS,
    FIRST_PASS,
    Changes,
    Findings,
    PageChecks,
    Usual,
    add_failures,
    add_links,
    add_searched,
    check_audit,
    compare_findings,
    compare_templates,
    page_changes,
)
from webgrain.site.links import LINK_COLUMNS, Answer, LinkTable, SiteLinks, collect_answers
from webgrain.site.model import Marks, SiteModel, load_model
from webgrain.site.pipeline import Item, Layout, pages
from webgrain.site.workspace import (
    COLUMNS,
    OF_SITE,
    PART_COLUMNS,
    Place,
    Row,
    Summary,
    Workspace,
    folder_of,
    page_row,
    read_rows,
    read_shard,
    read_summary,
    shard_ids,
    site_of,
    sketch_row,
    storable_cells,
    take_in,
    write_rows,
)
from webgrain.templates.sections import importance
from webgrain.templates.template import outline, typed_tree


class Clock:
    """Sums up seconds of processor time by stage: a lap begins where the previous one ended.

    >>> clock = Clock()
    >>> clock.start()
    >>> clock.lap("parse")
    >>> list(clock.seconds)
    ['parse']
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.start()

    def start(self) -> None:
        """Begin a lap; the time before it is not counted."""
        self._last = time.process_time()

    def lap(self, stage: str) -> None:
        """End a lap, and begin the next one."""
        now = time.process_time()
        self.seconds[stage] += now - self._last
        self._last = now


def learn(step: LearningStep, plan: Plan, nodes: int, job: tuple[Place, str]) -> float | Failure:
    """Run a step of learning a site within the limits, and return the seconds.

    The work is limited by the nodes of the sample, not by time: equal pages give equal bytes on any machine.
    The steps are those of `webgrain.site.learning.Groups`; their results are files in `Place.learning`.

    step: with the part of the work that it does; nodes: of the sample, at most; job: a site and that part.
    """
    (place, part), start = job, time.process_time()
    name = Source(f"{place.site or 'the site'} (pages of at most {nodes:,} nodes)", b"")
    guard = Guard(None, thresholds.LEARN_MEGABYTES)
    with limits(plan.guard):
        done = guard.call(name, "learn", lambda _: step(plan, place, nodes, part))
    return done or time.process_time() - start


def _learn_groups(plan: Plan, place: Place, nodes: int, _: str) -> Failure | None:
    """Learn the types of a site, and write the pages that the rest is learnt from, in groups."""
    log = None if plan.queries is None else read_queries(plan.queries)
    chosen = learning.least((name for shard in place.shards for name in shard_ids(shard)), plan.sample)
    sample = read_sample(place.shards, chosen, nodes)
    method = PageTypes(random_state=plan.random_state)
    try:
        learnt = learning.learn_types(lambda: sample, method, log)
    except InputError as error:
        return Failure(place.site, "learn", str(error))
    if plan.verdicts:
        verdicts = learning.read_verdicts(plan.verdicts)
        learnt = learning.apply_verdicts(learnt, verdicts, lambda: sample, method)[0]
    before = plan.since and _earlier(place, plan.since) / "site-model.json"
    if before and before.exists():
        learnt = learnt.renamed(load_model(before).types)
    found = learning.Groups.of(learnt)
    shutil.rmtree(place.learning, ignore_errors=True)
    place.learning.mkdir(parents=True)
    _keep(place, "groups", found)
    for kind, groups in found.pages(sample).items():
        for number, group in enumerate(groups):
            _keep(place, f"{kind:04}-{number:03}.pages", group)
    return None


def _learn_texts(plan: Plan, place: Place, nodes: int, group: str) -> None:
    _keep(place, f"{group}.texts", learning.group_texts(_kept(place, f"{group}.pages")))


def _join_texts(plan: Plan, place: Place, nodes: int, _: str) -> None:
    groups = (_kept(place, f"{group}.texts") for group in _groups(place))
    _keep(place, "texts", _kept(place, "groups").join(groups))


def _learn_type(plan: Plan, place: Place, nodes: int, group: str) -> None:
    texts, kind = _kept(place, "texts")[0], int(group.partition("-")[0])
    found = _kept(place, "groups").learn_type(kind, _kept(place, f"{group}.pages"), texts)
    _keep(place, f"{group}.type", found)


def _join_model(plan: Plan, place: Place, nodes: int, _: str) -> None:
    """Write the model of a site, and remove the files of the steps."""
    types = {int(name.partition("-")[0]): _kept(place, f"{name}.type") for name in _groups(place, "*.type")}
    _kept(place, "groups").model(place.site, *_kept(place, "texts"), types).save(place.model)
    shutil.rmtree(place.learning)


def _groups(place: Place, names: str = "*.pages") -> list[str]:
    """Return the groups of a site, the largest first: numbers of the type and of the group, as 0003-000."""
    size = {path.stem: path.stat().st_size for path in place.learning.glob(names)}
    return sorted(size, key=lambda name: (-size[name], name))


def _keep(place: Place, name: str, value: object) -> None:
    """Write a result of a step for the next ones, which read no file of an earlier run."""
    with replacing(place.learning / name) as part:
        part.write_bytes(pickle.dumps(value))


def _kept(place: Place, name: str) -> Any:
    return pickle.loads((place.learning / name).read_bytes())


LearningStep = Callable[["Plan", Place, int, str], Failure | None]

LEARNING: tuple[tuple[LearningStep, Callable[[Place], list[str]]], ...] = (
    (_learn_groups, lambda place: [""]),
    (_learn_texts, _groups),
    (_join_texts, lambda place: [""]),
    (_learn_type, partial(_groups, names="*-000.pages")),
    (_join_model, lambda place: [""]),
)
"""The steps of learning a site, each with the parts of its work, which run in parallel."""


def read_sample(shards: Iterable[Path], chosen: Sequence[str], nodes: int) -> list[Page]:
    """Return the pages that a site is learnt from, parsed, in the order of the shards.

    chosen: their ids in the order in which they are used until they have more than ``nodes`` nodes, so that a
    small sample has the same kinds of pages as a large one. Very large pages are left out.
    """
    order = {name: k for k, name in enumerate(chosen)}
    kept, total, end = dict[int, Page](), 0, len(order)
    for item in (item for shard in shards for item in read_shard(shard, order)):
        if isinstance(item, Failure):
            continue
        number = order.get(item.id, end)
        page = run_step(item, "read", _tree) if number < end and number not in kept else None
        if isinstance(page, Page) and len(page.dom) <= nodes // thresholds.LARGEST_SHARE:
            kept[number] = page
            total += len(page.dom)
        while total > nodes:
            end = max(kept)
            total -= len(kept.pop(end).dom)
    return list(kept.values())


def _tree(item: Source | Page) -> Page:
    """Return a page without its bytes and its view."""
    page = parse(item) if isinstance(item, Source) else item
    return replace(page, source=None, view=None, screenshot=None)


def apply(guard: Guard, part: tuple[Place, int]) -> Summary:
    """Read the pages of a shard with the model of their site, and write their rows.

    part: a site and the number of its shard; guard: limits for a page.
    """
    (place, number), summary = part, Summary()
    rows = _part_rows(place, place.shards[number], guard, summary)
    write_rows(place.parts[number], rows, PART_COLUMNS, summary)
    return summary


def _part_rows(place: Place, shard: Path, guard: Guard, summary: Summary) -> Iterator[Row]:
    """Yield the rows of the pages of a shard, and count them."""
    model = _model(place.model, place.model.stat().st_mtime_ns)
    clock = Clock()
    exists = lru_cache(maxsize=2**15)(lambda assets, path: bool(assets.exists(path)))

    def page_with_sketch(item: Source | Page) -> Row:
        found = model.predict(item, clock.lap)
        sketch = make_sketch(duplicates.text_of(found.page, place.site))
        clock.lap("sketches")
        row = page_row(found, place.site)
        row |= page_checks(found.page, found, row["text"])
        row |= link_columns(found.page, found, item, exists)
        clock.lap("links")
        return storable_cells(row) | sketch_row(sketch)

    for item in read_shard(shard):
        clock.lap("read")
        row = guard.call(item, "extract", page_with_sketch)
        clock.start()
        if isinstance(row, Failure):
            summary.failures.append(row)
        else:
            summary.pages += 1
            yield row
        clock.lap("write")
    summary.seconds = dict(clock.seconds)


@lru_cache(maxsize=4)
def _model(path: Path, changed: int) -> SiteModel:
    """Return the model in a file; each process reads it once."""
    return load_model(path)


def lay_out(layout: Layout, sample: tuple[Place, frozenset[str]]) -> float:
    """Render some pages, write them to a page store with their screenshots, and return the seconds.

    sample: a site and the ids of its sample pages. The failures are written to a file beside the store.
    """
    place, chosen = sample
    start, failures = time.perf_counter(), []
    items = (item for shard in place.shards for item in read_shard(shard, chosen))
    with open_store(place.samples) as store:
        for page in pages(items, layout):
            if isinstance(page, Failure):
                failures.append(page)
            else:
                store.write(page)
        write_failures(not_laid_out(place.samples), failures)
    return time.perf_counter() - start


def not_laid_out(store: Path) -> Path:
    """Return the file of the pages that could not be rendered."""
    return store.with_suffix(".failures.jsonl")


def write_failures(path: Path, failures: Iterable[Failure]) -> None:
    """Write failures, one JSON record per line."""
    with replacing(path) as part, open_writer("jsonl", part) as records:
        for failure in failures:
            records.write(failure_record(failure))


def read_failures(path: Path) -> list[Failure]:
    """Return the failures in a file; none if the file does not exist."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [Failure(**json.loads(line)) for line in lines]


Progress = Callable[[str, int], object]
"""Called with a stage and the number of pages that it has completed since the last call."""

Samples = dict[str, list[report.SamplePage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The settings of an audit.

    Attributes:
        made_of: the input, in words; name: of a site whose pages have no address.
        method: the segmentation method for the pages that are shown.
        queries: file of the site's search log; verdicts: file of verdicts on its types.
        sample: pages of a site that are learnt from, at most.
        samples: pages of each type that are laid out and segmented, at most.
        layout: source of their boxes.
        random_state: seed of the random choices.
        guard: limits for a page.
        archives: web archives, for the answers of the server that are not pages.
        crawl_log: file of the addresses that a crawl could not fetch.
        since: folder of an earlier audit of the same site, to compare with.
    """

    made_of: str
    name: str = ""
    method: Segmenter
    queries: Path | None = None
    verdicts: Path | None = None
    sample: int = thresholds.SAMPLE
    samples: int = thresholds.SAMPLE_PAGES
    layout: Layout = field(default_factory=Layout)
    random_state: int = 0
    guard: Guard = field(default_factory=Guard)
    archives: tuple[Path, ...] = ()
    crawl_log: Path | None = None
    since: Path | None = None

    def __post_init__(self) -> None:
        check_integer(self, "sample", low=1)
        check_integer(self, "samples", low=0)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that must not change when an audit resumes, by the names of the options."""
        files = {name: getattr(self, name) for name in ("queries", "verdicts", "since")}
        return {
            "input": self.made_of,
            **{name: None if path is None else str(path.absolute()) for name, path in files.items()},
            "sample": self.sample,
            "shown": self.samples,
            "layout": asdict(self.layout),
            "learning": {"random_state": self.random_state},
        }


@dataclass(slots=True)
class Tally:
    """Sums over the pages of a type.

    Attributes:
        pages: number of pages; matched: those that were matched with a template; fitting: those that fit it.
        boilerplate, match: sums of their boilerplate shares and of their template matches.
        clicks: in the search log.
    """

    pages: int = 0
    matched: int = 0
    fitting: int = 0
    boilerplate: float = 0.0
    match: float = 0.0
    clicks: int = 0

    def add(self, row: Row) -> None:
        """Count a page."""
        self.pages += 1
        self.clicks += row["search_clicks"] or 0
        self.boilerplate += row["boilerplate_share"]
        if row["template_match"] is not None:
            self.matched += 1
            self.fitting += row["fits"]
            self.match += row["template_match"]


@dataclass(slots=True)
class Outcome:
    """The results of the audit of a site.

    Attributes:
        site, folder: its name, and the folder of its results.
        pages, grouped: number of pages, and of those in a cluster of near-duplicates.
        failures: pages that failed, and stages.
        types: sums over the pages of each type, the largest first; pages that fit no type last.
        names: display names of the types, by label.
        learnt_from: number of pages that the model was learnt from.
        warnings: sentences about learning, for example on a search log that has no row of this site.
        findings: what the owner of the site should look at, the most important first.
        links: number of links by outcome, see `webgrain.site.links`.
        changes: what has changed since an earlier audit; None for no comparison.
        seconds: of each stage; those of the report itself are not in the report.
    """

    site: str
    folder: Path
    pages: int = 0
    grouped: int = 0
    failures: list[Failure] = field(default_factory=list)
    types: dict[str, Tally] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    learnt_from: int = 0
    warnings: tuple[str, ...] = ()
    findings: list[report.Finding] = field(default_factory=list)
    links: dict[str, int] = field(default_factory=dict)
    changes: Changes | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def table(self) -> Path:
        """The table of the pages."""
        return self.folder / "pages.parquet"

    @property
    def report(self) -> Path:
        """The report."""
        return self.folder / "report.html"


def audit(
    read: Callable[[int], Iterable[Item]],
    folder: Path,
    plan: Plan,
    engine: Engine,
    progress: Progress = lambda stage, pages: None,
) -> list[Outcome]:
    """Audit the sites of the pages and return the results of each.

    read: returns the pages after the first n. Raises `InputError` if the folder belongs to a different audit,
    or to one that is running.
    """
    space = Workspace(folder)
    # Starting processes takes a second, so they stay for all tasks.
    local = engine.pool() if isinstance(engine, Local) else nullcontext(engine)
    with space.locked(), local as engine:
        space.check_plan(plan.to_dict())
        start = time.perf_counter()
        intake = take_in(read, space.work, lambda: progress("read", 1))
        space.add_time("", "read", time.perf_counter() - start)
        places = space.places(intake)
        _learn(space, plan, engine, progress, places)
        _extract(plan, engine, progress, places)
        _lay_out(space, plan, engine, progress, places)
        clusters = _find_duplicates(space, engine, progress, places)
        unread = intake.failures
        if len(places) != 1:
            write_failures(folder / "failures.jsonl", unread)
            unread = []
        outcomes, answers = [], collect_answers(plan.archives, plan.crawl_log)
        log = None if plan.queries is None else read_queries(plan.queries)
        for place in places:
            own = {url: answer for url, answer in answers.items() if site_of(url) == place.site}
            seconds = _seconds(space, place)
            outcomes.append(
                write_site(place, plan, engine, clusters, unread, own, seconds, log and log.again())
            )
            progress("report", 1)
        return outcomes


def _learn(space: Workspace, plan: Plan, engine: Engine, progress: Progress, places: list[Place]) -> None:
    """Learn the sites, from fewer pages if the memory is not sufficient; otherwise the model is empty."""
    waiting, reasons = [place for place in places if not place.model.exists()], dict[Path, str]()
    for nodes in thresholds.LEARNT_NODES:
        left, failed = waiting, set[Path]()
        for step, parts in LEARNING:
            left = [place for place in left if place.model not in failed]
            jobs = [(place, part) for place in left for part in parts(place)]
            for (place, _), done in engine.map(partial(learn, step, plan, nodes), jobs):
                if isinstance(done, Failure):
                    failed.add(place.model)
                    reasons.setdefault(place.model, done.error)
                else:
                    space.add_time(place.site, "learn", done)
        waiting = [place for place in waiting if place.model in failed]
    for place in waiting:  # each page is read on its own then
        shutil.rmtree(place.learning, ignore_errors=True)
        learning.empty_model(place.site, reasons[place.model]).save(place.model)
    for _ in places:
        progress("learn", 1)


def _extract(plan: Plan, engine: Engine, progress: Progress, places: list[Place]) -> None:
    waiting = [(place, k) for place in places for k, part in enumerate(place.parts) if not part.exists()]
    for place, _ in waiting:
        place.parts[0].parent.mkdir(parents=True, exist_ok=True)
    for (place, number), summary in engine.map(partial(apply, plan.guard), waiting):
        if isinstance(summary, Failure):  # the whole shard failed: so did each of its pages
            names = shard_ids(place.shards[number])
            summary = Summary(failures=[Failure(page, summary.stage, summary.error) for page in names])
            write_rows(place.parts[number], [], PART_COLUMNS, summary)
        progress("extract", summary.pages + len(summary.failures))


def _lay_out(space: Workspace, plan: Plan, engine: Engine, progress: Progress, places: list[Place]) -> None:
    samples = []
    for place in places:
        chosen = {} if place.samples.exists() else choose_samples(place.parts, plan.samples)
        if chosen:
            samples.append((place, frozenset(name for some in chosen.values() for name in some)))
    for (_, names), seconds in engine.map(partial(lay_out, plan.layout), samples):
        if not isinstance(seconds, Failure):
            space.add_time("", "lay out", seconds)
        progress("lay out", len(names))


def _find_duplicates(
    space: Workspace, engine: Engine, progress: Progress, places: list[Place]
) -> duplicates.PageClusters:
    for place, done in engine.map(duplicates.build_index, places):
        seconds = duplicates.build_index(place) if isinstance(done, Failure) else done
        space.add_time("", "duplicates", seconds)
        progress("duplicates", 1)
    start = time.process_time()
    clusters = duplicates.find_clusters(places, space.folder / "duplicates.csv", space.work / "pairs", engine)
    space.add_time("", "duplicates", time.process_time() - start)
    return clusters


def _seconds(space: Workspace, place: Place) -> dict[str, float]:
    """Return the seconds of each stage for a site."""
    seconds = defaultdict[str, float](float)
    for stage, took in space.times(["", place.site]):
        seconds[stage] += took
    for part in place.parts:
        for stage, took in read_summary(part).seconds.items():
            seconds[stage] += took
    return seconds


def choose_samples(parts: Iterable[Path], most: int) -> dict[str, list[str]]:
    """Return the ids of at most ``most`` pages of each of the largest types, the most typical first.

    Pages that fit the template of their type come first, then those with the smallest hash: the choice
    depends on no order.
    """
    size = defaultdict[str, int](int)
    best = defaultdict[str, list[tuple[bool, int, str]]](list)
    for part in parts:
        for row in read_rows(part, ["page", "type", "fits", "nodes"]):
            kind = row["type"] or OTHER
            size[kind] += 1
            if row["nodes"] <= thresholds.MAX_SHOWN_NODES:
                rank = (row["fits"] is False, text_key(row["page"]), row["page"])
                best[kind] = heapq.nsmallest(most, [*best[kind], rank])
    largest = heapq.nlargest(thresholds.SHOWN_TYPES, best, key=lambda kind: (size[kind], kind))
    return {kind: [name for _, _, name in best[kind]] for kind in largest if best[kind]}


def write_site(
    place: Place,
    plan: Plan,
    engine: Engine,
    clusters: duplicates.PageClusters,
    unread: Sequence[Failure],
    answers: Mapping[str, Answer],
    seconds: Mapping[str, float],
    log: SearchLog | None,
) -> Outcome:
    """Write the results of one site.

    clusters: cluster of near-duplicates by page id; unread: pages of the input that could not be read;
    answers: of the server of the site, other than pages; log: the search log, of which no page was looked up.
    """
    clock, model = Clock(), load_model(place.model)
    place.results.mkdir(parents=True, exist_ok=True)
    with replacing(place.results / "site-model.json") as part:
        shutil.copyfile(place.model, part)
    outcome = Outcome(place.site or plan.name or plan.made_of, place.results, seconds=dict(seconds))
    with Findings(place.results / "findings") as found:
        outcome.failures = [*unread, *_unanswered(answers)]
        outcome.failures += [failure for part in place.parts for failure in read_summary(part).failures]
        add_failures(found, outcome.failures)
        _write_tables(place, clusters, outcome, answers, found, log)
        outcome.findings = found.found()
    by_size = sorted(outcome.types.items(), key=lambda item: (item[0] == OTHER, -item[1].pages, item[0]))
    outcome.types = dict(by_size)
    outcome.names = {kind: model.name(kind) or kind for kind in outcome.types}
    outcome.learnt_from = int(model.about.get("learnt_from", 0))
    outcome.warnings = tuple(_warnings(outcome, model, plan.sample))
    if plan.since is not None:
        outcome.changes = _write_changes(place, _earlier(place, plan.since), outcome)
    chosen = choose_samples(place.parts, plan.samples)
    clock.lap("tables")
    shown, failed, outcome.seconds["segments"] = _write_segments(place, plan, engine, chosen)
    clock.start()
    outcome.seconds |= clock.seconds
    unlearnt = [Failure(outcome.site, "learn", model.about["reason"])] if "reason" in model.about else []
    outcome.failures += [*unlearnt, *failed]
    write_failures(place.results / "failures.jsonl", outcome.failures)
    report.write_site_report(outcome.report, site_report(outcome, plan.made_of, model, shown, place.pairs))
    clock.lap("report")
    outcome.seconds |= clock.seconds
    return outcome


def _earlier(place: Place, since: Path) -> Path:
    """Return the folder of the site in an earlier audit, which may be of several sites."""
    inner = since / folder_of(place.site)
    return inner if inner.is_dir() else since


def _write_changes(place: Place, since: Path, outcome: Outcome) -> Changes | None:
    """Compare a site with an earlier audit; None if that has no such site."""
    try:
        check_audit(since)
    except InputError as error:
        outcome.warnings += (str(error),)
        return None
    changes, path = Changes(since), place.results / "changes.parquet"
    write_rows(path, page_changes(since / "pages.parquet", outcome.table, changes), CHANGE_COLUMNS)
    changes.findings = compare_findings(since / "findings", place.results / "findings")
    changes.drift = compare_templates(since / "site-model.json", place.shards)
    return changes


def _unanswered(answers: Mapping[str, Answer]) -> list[Failure]:
    """Return the addresses that a crawl could not fetch."""
    return [
        Failure(url, EXCLUDED if answer.excluded else "crawl", answer.error, url=url)
        for url, answer in answers.items()
        if answer.status is None or answer.status >= 400
    ]


def _write_tables(
    place: Place,
    clusters: duplicates.PageClusters,
    outcome: Outcome,
    answers: Mapping[str, Answer],
    found: Findings,
    log: SearchLog | None,
) -> None:
    """Write the links and the pages of a site, and add what they show to the findings."""
    path = place.results / "links.parquet"
    site = SiteLinks(_cells(place, ["page", "addresses", "refresh"]), answers)
    links, usual = LinkTable(site), Usual(_cells(place, FIRST_PASS))
    write_rows(path, links.rows(place.parts), LINK_COLUMNS)
    complete = add_links(found, links, read_rows(path, where=("outcome", ("broken", "redirect"))))
    checks = PageChecks(found, usual, site, complete=complete)
    write_rows(outcome.table, _rows(place, clusters, outcome, links, checks, log), (*COLUMNS, *OF_SITE))
    if log and complete:
        add_searched(found, site, log)
    outcome.links = dict(links.counts)


def _cells(place: Place, columns: Sequence[str]) -> Iterator[Row]:
    for part in place.parts:
        yield from read_rows(part, columns)


def _rows(
    place: Place,
    clusters: duplicates.PageClusters,
    outcome: Outcome,
    links: LinkTable,
    checks: PageChecks,
    log: SearchLog | None,
) -> Iterator[Row]:
    """Yield the rows of all pages, count them, and check them."""
    names, depth = [*(name for name, _ in COLUMNS), "addresses"], links.depth().tolist()
    for number, row in enumerate(_cells(place, names)):
        cluster, first = clusters.get(row["page"], (None, None))
        outcome.pages += 1
        outcome.grouped += cluster is not None
        clicks, searched = log.clicks_on(row["page"], row["addresses"] or ()) if log else (None, [])
        row |= {"cluster": cluster, "representative": first, "search_clicks": clicks}
        row |= storable_cells({"queries": searched})
        outcome.types.setdefault(row["type"] or OTHER, Tally()).add(row)
        row |= {"incoming_links": int(links.incoming[number]), "broken_links": int(links.broken_on[number])}
        row["depth"] = depth[number] if depth[number] >= 0 else None
        checks.add(number, row)
        del row["addresses"]
        yield row


def _write_segments(
    place: Place, plan: Plan, engine: Engine, chosen: Mapping[str, Sequence[str]]
) -> tuple[Samples, list[Failure], float]:
    """Segment the sample pages, write the segments; return pages for the report, failures and seconds."""
    rank_of = {name: (kind, rank) for kind, names in chosen.items() for rank, name in enumerate(names)}
    failed, total = read_failures(not_laid_out(place.samples)), 0.0
    found, task = dict[int, Segmented | Failure](), partial(segment, plan, place.model, rank_of)
    stored = read_store(place.samples) if place.samples.exists() else ()
    for (number, page), done in engine.map(task, enumerate(stored)):
        found[number] = done
        if isinstance(done, Failure) and isinstance(page, Page) and done.stage == "run":  # its process died
            found[number] = Failure(page.id, "segment", done.error)
    shown: dict[str, dict[int, report.SamplePage]] = {}
    with open_writer("jsonl", place.results / "segments.jsonl") as records:
        for _, one in sorted(found.items()):
            if isinstance(one, Failure):
                failed.append(one)
                continue
            (kind, rank), record, sample, seconds = one
            records.write(record | {"type": kind})
            total += seconds
            if sample:
                shown.setdefault(kind, {})[rank] = sample
    return {kind: [some[rank] for rank in sorted(some)] for kind, some in shown.items()}, failed, total


Segmented = tuple[tuple[str, int], Row, report.SamplePage | None, float]
"""The type of a page and its rank in the type, its record, how the report shows it, and the seconds."""


def segment(
    plan: Plan, model: Path, rank_of: Mapping[str, tuple[str, int]], job: tuple[int, Page | Failure]
) -> Segmented | Failure:
    """Segment a sample page; model: file of the model of the site; job: the number of the page, and it."""
    start, site = time.process_time(), _model(model, model.stat().st_mtime_ns)

    def cut(page: Page) -> tuple[Page, Segmentation]:
        found = site.segment(page, plan.method)
        return page, replace(found, importance=importance(typed_tree(page), found.labels, site.noise(page)))

    done = plan.guard.call(job[1], "segment", cut)
    if isinstance(done, Failure):
        return done
    page, found = done
    drawn = rank_of[page.id][1] < thresholds.PICTURES and page.view is not None
    sample = report.sample_page(page, found) if drawn else None
    return rank_of[page.id], segmentation_record(page, found), sample, time.process_time() - start


def site_report(
    outcome: Outcome, made_of: str, model: SiteModel, shown: Samples, pairs: Path
) -> report.SiteReport:
    """Return the report of a site; shown: sample pages by type; pairs: file of its similar pages."""
    similar = sorted(duplicates.read_pairs(pairs), key=lambda pair: pair.cluster is None)
    texts = ((row["page"], row["text"]) for row in read_rows(outcome.table, ["page", "text"]))
    drawn, stages = sum(map(len, shown.values())), outcome.seconds.items()
    pages = {"learn": model.about.get("learnt_from", 0), "lay out": drawn, "segments": drawn}
    missing = sum(failure.stage in ("render", "segment") for failure in outcome.failures)
    return report.SiteReport(
        outcome.site,
        made_of,
        _page_rows(outcome.table),
        [_card(kind, tally, model, shown, outcome.pages) for kind, tally in outcome.types.items()],
        duplicates.with_differences(similar, texts) if similar else [],
        outcome.failures,
        [(name, took, pages.get(name, outcome.pages)) for name, took in stages],
        model.boilerplate.parts,
        {kind: _drift(tally) for kind, tally in outcome.types.items() if kind != OTHER and tally.matched},
        _notes(outcome, model, missing),
        outcome.findings,
        outcome.changes.sentences() if outcome.changes else (),
    )


def _page_rows(table: Path) -> Iterator[report.PageRow]:
    names = [each.name for each in fields(report.PageRow)][1:]
    for row in read_rows(table, ["page", *names]):
        yield report.PageRow(row["page"], **{name: row[name] for name in names})


def _card(kind: str, tally: Tally, model: SiteModel, shown: Samples, pages: int) -> report.TypeCard:
    path = next((rule.key_path for rule in model.types.rules if rule.label == kind), None)
    template, marks = model.templates.get(kind), model.marks.get(kind, Marks())
    return report.TypeCard(
        kind,
        tally.pages,
        tally.pages / max(pages, 1),
        path.css if path else "",
        path.xpath if path else "",
        tally.boilerplate / tally.pages,
        tally.match / tally.matched if tally.matched else None,
        outline(template) if template else "",
        *(marks.title, marks.main, marks.contents),
        tuple(shown.get(kind, ())),
        OTHER if kind == OTHER else model.name(kind) or "",
        tally.clicks,
        marks.queries,
    )


def _drift(tally: Tally) -> tuple[str, tuple[str, ...]]:
    """Return the level of the drift of a type, and what has changed."""
    share, misfits = tally.fitting / tally.matched, tally.matched - tally.fitting
    if share >= thresholds.FITTING or tally.matched < thresholds.MIN_DRIFT_PAGES:
        return "none", ()
    changes = f"{misfits:,} of {tally.matched:,} pages do not fit the template of their type."
    return "alarm" if share <= thresholds.MISFITTING else "notice", (changes,)


def _warnings(outcome: Outcome, model: SiteModel, sample: int) -> Iterator[str]:
    """Yield sentences about what was learnt of a site."""
    if "reason" in model.about:
        yield f"Nothing could be learnt of the site: {model.about['reason']}"
        return
    if outcome.learnt_from < max(thresholds.FEW_PAGES, thresholds.FEW_SHARE * min(sample, outcome.pages)):
        pages = f"{outcome.learnt_from:,} of {outcome.pages:,} pages"
        yield f"The site was learnt from few pages ({pages}), so types and boilerplate are uncertain."
    if model.about.get("unused_log"):
        yield str(model.about["unused_log"])


def _notes(outcome: Outcome, model: SiteModel, missing: int) -> list[str]:
    notes = list(outcome.warnings)
    if "queries" in model.about:
        queries = str(model.about["queries"]).removeprefix("pseudo-queries: ")
        pages = f"{outcome.learnt_from:,} of {outcome.pages:,} pages"
        notes.insert(0, f"Learnt from {pages}. Page types: {queries}.")
    if missing:
        notes.append(f"{missing:,} of the pages to be shown could not be laid out: see the failures.")
    return notes
