"""``webgrain audit``: a site in, all that can be said of it out."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Exit, Option

from webgrain.cli.crawl import Crawling, crawl_into
from webgrain.cli.options import Browser, Inputs, Method, Queries, Render, Rendering, Strict, grouped
from webgrain.errors import InputError

if TYPE_CHECKING:
    from webgrain.pipeline import Item, Layout
    from webgrain.site.audit import Outcome, Plan


class Engine(StrEnum):
    """What runs the stages."""

    local = "local"
    ray = "ray"


@dataclass(frozen=True, slots=True)
class Work:
    """Who works, and how much a page may take."""

    workers: Annotated[
        int | None,
        Option(
            "--workers",
            metavar="N",
            min=1,
            show_default=False,
            help="Processes [default: one for each core].",
        ),
    ] = None
    engine: Annotated[
        Engine,
        Option("--engine", metavar="NAME", help="local: processes of this machine; ray: a cluster."),
    ] = Engine.local
    seconds: Annotated[
        float,
        Option(
            "--page-seconds",
            metavar="S",
            min=0.001,
            help="Seconds that a page may take, else it is given up.",
        ),
    ] = 30.0
    megabytes: Annotated[
        int,
        Option(
            "--page-memory", metavar="MB", min=1, help="Memory that a page may take, else it is given up."
        ),
    ] = 1024


@dataclass(frozen=True, slots=True)
class Learnt:
    """How the site is learnt."""

    queries: Queries = None
    sample: Annotated[
        int, Option("--sample", metavar="N", min=1, help="Pages of a site that are learnt from, at most.")
    ] = 600
    shown: Annotated[
        int,
        Option(
            "--shown", metavar="N", min=0, help="Pages of each type that are cut into segments and shown."
        ),
    ] = 5
    tabs: Annotated[
        bool, Option("--tabs", help="Tell types of pages apart by what their open tab says, too.")
    ] = False


@grouped
def audit(
    *,
    inputs: Inputs,
    folder: Annotated[
        Path, Option("-o", "--output", metavar="DIR", help="Write the results to this folder.")
    ] = Path("audit"),
    learning: Learnt,
    rendering: Rendering,
    browser: Browser,
    method: Method,
    work: Work,
    crawling: Crawling,
    strict: Strict = False,
) -> None:
    """Say what a site is made of: types, templates, texts, duplicates.

    A site is a folder (of pages or of WARC archives), a zip or WARC archive, a page store, a list of URLs
    (--urls), or a URL, which is crawled first (--depth, --pages, --delay). Pages of several hosts are audited
    host by host.

    Writes to DIR: report.html, to look at; pages.parquet, a row for each page with its type, title, text,
    noise, duplicates; site-model.json, all that was learnt, for webgrain extract --model; segments.jsonl of
    the pages that are shown; duplicates.csv; failures.jsonl. The boxes of the pages that are shown are
    estimated; with --render chromium they have screenshots. Stopped at any point, the same command goes on
    where it was; DIR/work holds what that takes, and can be removed afterwards.

    Example: webgrain audit site/ --queries log.csv -o result
    """
    from webgrain.engines import engine
    from webgrain.site.audit import audit as run_audit

    layout = browser.layout(rendering, screenshot=rendering.render is Render.chromium)
    plan = _plan(inputs, learning, layout, method, work)
    runner = engine(work.engine.value, work.workers)
    with _progress() as say:
        read = _reader(inputs, folder, crawling, say)
        outcomes = run_audit(read, folder, plan, runner, say)
    for outcome in outcomes:
        print("\n".join(_lines(outcome)))
    if not any(outcome.pages for outcome in outcomes):
        raise _nothing_read(folder)
    if strict and any(outcome.failures for outcome in outcomes):
        raise Exit(1)


def _plan(inputs: Inputs, learnt: Learnt, layout: Layout, method: Method, work: Work) -> Plan:
    from webgrain.engines.guard import Guard
    from webgrain.io.queries import read_queries
    from webgrain.site.audit import Plan
    from webgrain.site.learning import Learning

    if learnt.queries is not None:
        read_queries(learnt.queries)  # says at once what is wrong with it
    return Plan(
        made_of=", ".join([*(inputs.inputs or []), *([str(inputs.urls)] if inputs.urls else [])]),
        name=Path(inputs.inputs[0]).resolve().name if inputs.inputs else "",
        method=method.create(),
        queries=learnt.queries,
        sample=learnt.sample,
        samples=learnt.shown,
        layout=layout,
        learning=Learning(tabs=learnt.tabs, random_state=method.seed or 0),
        guard=Guard(work.seconds, work.megabytes),
    )


def _nothing_read(folder: Path) -> InputError:
    """Forget the audit, so that the same command begins anew once its mistake is mended."""
    shutil.rmtree(folder / "work")
    why = folder / "failures.jsonl"
    told = f": {why} says why" if why.exists() and why.stat().st_size else ""
    return InputError(f"No page could be read, so there is nothing to audit{told}.")


def _reader(
    inputs: Inputs, folder: Path, crawling: Crawling, say: Callable[[str, int], object]
) -> Callable[[int], Iterable[Item]]:
    """Return what gives the pages of the input without so many from their beginning; URLs are crawled."""
    from webgrain.io.fetch import is_url
    from webgrain.io.read import read, warcs_in

    given = inputs.inputs or []
    urls, places = [name for name in given if is_url(name)], [name for name in given if not is_url(name)]
    _check(places, folder)
    named = [each for name in places for each in (name, *map(str, warcs_in(Path(name))))]
    archive = folder / "work" / "crawl.warc.gz"

    def again(first: int) -> Iterable[Item]:
        if urls:
            crawl_into(archive, urls, crawling, lambda: say("crawl", 1))
        archives = [str(archive)] if urls else []
        return read([*named, *archives], urls=inputs.urls, root=inputs.root, first=first)

    if not urls:
        read(named, urls=inputs.urls, root=inputs.root)  # says at once what is wrong with the input
    return again


def _check(places: Sequence[str], folder: Path) -> None:
    """Say at once which input cannot be audited: `InputError`."""
    if "-" in places:
        raise InputError("An audit needs the pages of a site; the standard input holds only one.")
    for name in places:
        if folder.resolve().is_relative_to(Path(name).resolve()):
            raise InputError(f"The results must not be among the pages: {folder} lies in {name}.")


def _lines(outcome: Outcome) -> Iterator[str]:
    """Return what an audit found, in a few lines for a terminal."""
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.report.terminal import count, plain

    known = sum(kind != OTHER for kind in outcome.types)
    yield (
        f"{plain(outcome.site, 80)}: {count(outcome.pages, 'page')} of {count(known, 'type')}, "
        f"{outcome.grouped:,} in groups of duplicates, {count(len(outcome.failures), 'failure')}"
    )
    for kind, tally in list(outcome.types.items())[:12]:
        share = f"{tally.boilerplate / tally.pages:4.0%} boilerplate"
        name = OTHER if kind == OTHER else f"{plain(outcome.names[kind], 80)}  [{plain(kind, 60)}]"
        yield f"  {tally.pages:6,}  {share}  {name}"
    if len(outcome.types) > 12:
        yield f"          and {len(outcome.types) - 12:,} more types"
    yield f"  report: {outcome.report}"


@contextmanager
def _progress() -> Iterator[Callable[[str, int], None]]:
    """Give a function to call with a stage and how many pages are done with it; shown on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda stage, pages: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}: {task.completed}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        tasks = {}

        def advance(stage: str, pages: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=None)
            bar.advance(tasks[stage], pages)

        yield advance
