"""An audit: pages in; page types, templates, texts, segments, duplicates, a model and a report a site out.

    read        pages of any inputs            -> shards by site
    learn       a sample of a site's pages     -> site-model.json
    extract     a shard, the model             -> a part: a row and the signatures of each page
    lay out     some pages of each type        -> a page store, with pictures
    duplicates  the signatures of all parts    -> duplicates.csv
    report      all of it                      -> pages.parquet, segments.jsonl, failures.jsonl, report.html

What a stage has made is not made again, so an audit that was stopped goes on where it was. Memory does not
grow with the number of pages: they pass one by one, or as signatures on disk.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from webgrain.engines import Engine
from webgrain.pipeline import Item
from webgrain.results import Failure
from webgrain.site.duplicates import IndexTask, PageClusters, PairsBySite, build_index, find_clusters
from webgrain.site.learning import empty_model
from webgrain.site.outputs import Outcome, Plan, choose_samples, write_site
from webgrain.site.stages import Apply, LayOut, Learn, apply, lay_out, learn, write_failures
from webgrain.site.tables import Summary, read_summary, write_part
from webgrain.site.workspace import Place, Workspace, shard_ids, take_in


def audit(
    read: Callable[[int], Iterable[Item]],
    folder: Path,
    plan: Plan,
    engine: Engine,
    say: Callable[[str, int], object] = lambda stage, pages: None,
) -> list[Outcome]:
    """Audit the sites whose pages are given, and return what came of each.

    read: gives the pages without so many from their beginning. say: called with a stage and how many pages
    are done with it since the last call. `InputError` where the folder holds another audit, or one that is
    at work.
    """
    space = Workspace(folder)
    with space.locked():
        space.check_plan(plan.told())
        start = time.perf_counter()
        intake = take_in(read, space.work, lambda: say("read", 1))
        space.add_time("", "read", time.perf_counter() - start)
        places = space.places(intake)
        job = _Job(space, plan, engine, say)
        job.learn(places)
        job.extract(places)
        job.lay_out(places)
        clusters = job.duplicates(places)
        if len(places) == 1:
            return [job.report(places[0], clusters, intake.failures)]
        write_failures(folder / "failures.jsonl", intake.failures)
        return [job.report(place, clusters, []) for place in places]


class _Job:
    """The stages of an audit, each for all sites."""

    def __init__(
        self, space: Workspace, plan: Plan, engine: Engine, say: Callable[[str, int], object]
    ) -> None:
        self._space, self._plan, self._engine, self._say = space, plan, engine, say

    def learn(self, places: list[Place]) -> None:
        tasks = [
            Learn(
                site=place.site,
                shards=place.shards,
                model=place.model,
                queries=self._plan.queries,
                sample=self._plan.sample,
                learning=self._plan.learning,
            )
            for place in places
            if not place.model.exists()
        ]
        for place in places:
            place.results.mkdir(parents=True, exist_ok=True)
        for task, seconds in self._engine.map(learn, tasks):
            if isinstance(seconds, Failure):  # its pages are read by themselves
                empty_model(task.site, seconds.error).save(task.model)
            else:
                self._space.add_time(task.site, "learn", seconds)
            self._say("learn", 1)

    def extract(self, places: list[Place]) -> None:
        tasks = [
            Apply(site=place.site, shard=shard, part=part, model=place.model, guard=self._plan.guard)
            for place in places
            for shard, part in zip(place.shards, place.parts, strict=True)
            if not part.exists()
        ]
        for part in {task.part.parent for task in tasks}:
            part.mkdir(parents=True, exist_ok=True)
        for task, done in self._engine.map(apply, tasks):
            summary = _given_up(task, done) if isinstance(done, Failure) else done
            self._say("extract", summary.pages + len(summary.failures))

    def lay_out(self, places: list[Place]) -> None:
        tasks = []
        for place in places:
            if place.samples.exists():
                continue
            chosen = choose_samples(place.parts, self._plan.samples)
            if chosen:
                names = frozenset(name for some in chosen.values() for name in some)
                task = LayOut(
                    shards=place.shards, chosen=names, store=place.samples, layout=self._plan.layout
                )
                tasks.append(task)
        for task, done in self._engine.map(lay_out, tasks):
            if not isinstance(done, Failure):
                self._space.add_time("", "lay out", done)
            self._say("lay out", len(task.chosen))

    def duplicates(self, places: list[Place]) -> PageClusters:
        tasks = [IndexTask(place.parts, place.index) for place in places]
        for task, done in self._engine.map(build_index, tasks):
            seconds = build_index(task) if isinstance(done, Failure) else done
            self._space.add_time("", "duplicates", seconds)
            self._say("duplicates", 1)
        start = time.process_time()
        with PairsBySite({place.site: place.pairs for place in places}) as pairs:
            indexes, between = [place.index for place in places], self._space.work / "pairs"
            found = find_clusters(indexes, self._space.pairs, between, self._engine, pairs.keep)
        self._space.add_time("", "duplicates", time.process_time() - start)
        return found

    def report(self, place: Place, clusters: PageClusters, failures: list[Failure]) -> Outcome:
        outcome = write_site(place, self._plan, clusters, failures, self._seconds(place))
        self._say("report", 1)
        return outcome

    def _seconds(self, place: Place) -> dict[str, float]:
        """Return the seconds of each stage."""
        seconds = defaultdict[str, float](float)
        for stage, took in self._space.times(["", place.site]):
            seconds[stage] += took
        for part in place.parts:
            for stage, took in read_summary(part).seconds.items():
                seconds[stage] += took
        return seconds


def _given_up(task: Apply, failure: Failure) -> Summary:
    """Write the part of a shard that could not be read at all: each of its pages has failed."""
    failures = [Failure(name, failure.stage, failure.error) for name in shard_ids(task.shard)]
    summary = Summary(failures=failures)
    write_part(task.part, [], summary)
    return summary
