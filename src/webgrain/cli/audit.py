"""``webgrain audit``: analyse a whole site."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from click.exceptions import Exit

from webgrain import engines
from webgrain.base.errors import InputError
from webgrain.cli import options
from webgrain.cli.crawl import Crawling, crawl_into, crawl_log, find_gone
from webgrain.cli.options import layout, option, with_options
from webgrain.cli.output import report
from webgrain.cli.progress import Advance, progress

if TYPE_CHECKING:
    from webgrain.io.read import Item
    from webgrain.site.auditrun import AuditPlan, SiteResults


Level = Literal["error", "warning", "notice"]
"""Levels of findings, the highest first."""


@dataclass(frozen=True, slots=True)
class Learning:
    """How the site model is learnt.

    Options:
        verdicts: Merge and split page types as in FILE, written by webgrain review types.
        sample: Maximum number of pages to learn from.
        examples: Pages of each type to segment and show in the report.
        since: Compare with the earlier audit in DIR, and keep the labels of its types.
    """

    queries: Path | None = options.QUERIES
    verdicts: Path | None = option(None, "--verdicts FILE")
    sample: int = option(600, "--sample N", min=1)
    examples: int = option(5, "--examples N", min=0)
    since: Path | None = option(None, "--since DIR")


@with_options
def audit_site(
    *,
    inputs: options.InputOptions,
    folder: Path = option(Path("audit"), "-o --output DIR"),
    learning: Learning,
    rendering: options.Rendering,
    browser: options.Browser,
    method: options.Method,
    workers: int | None = option(None, "--workers N", min=1),
    engine: engines.EngineName = option("local", "--engine NAME"),
    crawling: Crawling,
    external: int = option(0, "--external N", min=0),
    files: int | None = option(None, "--files N", min=0),
    fail_on: Level | None = option(None, "--fail-on LEVEL"),
    strict: bool = options.STRICT,
) -> None:
    """Analyse a site: page types, templates, text and duplicates.

    The input is a folder (of pages or of WARC archives), a zip or WARC archive, a page store, a list of URLs
    (--urls), or a URL, which is crawled first (--depth, --pages, --delay). Each host is
    analysed separately.

    Writes to DIR: report.html, the report; findings, a CSV file for each kind of fault; pages.parquet, a row
    per page with its type, title, text, checks and duplicates; links.parquet, a row per link or other
    reference; site-model.json, the learnt model, for webgrain extract --model; segments.jsonl, the
    segments of the example pages; duplicates.csv; failures.jsonl. With --render chromium, the report shows
    pictures of the example pages. If the command is interrupted, the same command resumes it; DIR/work holds
    the intermediate results and can be removed afterwards.

    Example: webgrain audit site/ --queries log.csv -o result

    Options:
        folder: Folder for the results.
        workers: Processes. Default: one per core.
        engine: local (processes on this machine) or ray (a cluster).
        external: Also request the N addresses of other sites to which most pages refer, and report those that
            do not exist. Default: nothing is requested.
        files: Also request the N images, style sheets and other files of the site to which most pages refer,
            and report those that do not exist. Default: 500 if the input is a URL, otherwise 0.
        fail_on: End with code 1 if there are findings of this level or a higher one: error, warning or
            notice. With --since, only new rows count.
    """
    from webgrain.report.terminal import plain
    from webgrain.site.audit import audit as run_audit
    from webgrain.site.audit import check_some_page

    plan = _plan(inputs, folder, learning, rendering, browser, method)
    plan = replace(plan, external=external, files=_number_of_files(inputs) if files is None else files)
    runner = engines.engine(engine, workers)
    try:
        with progress(records=False) as advance:
            read = _reader(inputs, folder, crawling, advance, stylesheets=rendering.stylesheets)

            def gone(urls: list[str], files: Set[str]) -> dict[str, str]:
                work = _archive(folder).parent
                total = len(urls)
                return find_gone(urls, files, work, crawling, lambda: advance("check addresses", 1, total))

            outcomes = run_audit(read, folder, plan, runner, advance, gone)
    except KeyboardInterrupt:
        report("Interrupted: the same command resumes the audit.")
        raise
    for outcome in outcomes:
        print("\n".join(_lines(outcome)))
        for warning in outcome.warnings:
            report(f"{plain(outcome.site, 80)}: {warning}")
    check_some_page(outcomes, folder)
    failing = [] if fail_on is None else [line for outcome in outcomes for line in _failing(outcome, fail_on)]
    for line in failing:
        report(line)
    nothing = not any(outcome.learnt_from for outcome in outcomes)
    if nothing or failing or (strict and any(outcome.failures for outcome in outcomes)):
        raise Exit(1)


def _failing(outcome: SiteResults, level: Level) -> Iterator[str]:
    """Yield a line for each finding of a level or a higher one; after a comparison, only for new rows."""
    from webgrain.report.terminal import count, plain

    levels = get_args(Level)
    site = plain(outcome.site, 80)
    for finding in outcome.findings:
        if levels.index(finding.level) > levels.index(level):
            continue
        if outcome.changes is None:
            yield f"{site}: {finding.level}: {finding.title}: {count(finding.rows, 'row')}."
        elif new := outcome.changes.findings[finding.name].new:
            yield f"{site}: {finding.level}: {finding.title}: {count(new, 'new row')}."


def _plan(
    inputs: options.InputOptions,
    folder: Path,
    learning: Learning,
    rendering: options.Rendering,
    browser: options.Browser,
    method: options.Method,
) -> AuditPlan:
    from webgrain.io.read import is_warc, site_folders, whole_site
    from webgrain.site.auditrun import AuditPlan

    places = [*map(str, _paths(inputs)), *_crawled(inputs, folder)]
    if inputs.urls:
        places.append(str(inputs.urls))  # the ids of several inputs begin with their names
    plan = AuditPlan(
        made_of=inputs.made_of,
        name=Path(inputs.inputs[0]).resolve().name if inputs.inputs else "",
        method=method.create(),
        queries=learning.queries,
        verdicts=learning.verdicts,
        sample=learning.sample,
        samples=learning.examples,
        since=learning.since,
        layout=layout(rendering, browser, screenshot=rendering.render == "chromium"),
        random_state=method.seed or 0,
        guard=inputs.guard,
        archives=tuple(path for path in [*_paths(inputs), _archive(folder)] if is_warc(path)),
        site_folder=whole_site([inputs.root] if inputs.root else inputs.inputs or []),
        folders=site_folders(places, inputs.root),
        crawl_log=crawl_log(_archive(folder)),
    )
    plan.check_files(folder)
    return plan


def _number_of_files(inputs: options.InputOptions) -> int:
    """Return how many files of the site are requested unless it is given."""
    from webgrain.io.urls import is_url
    from webgrain.site.thresholds import REQUESTED_FILES

    return REQUESTED_FILES if any(map(is_url, inputs.inputs or [])) else 0


def _archive(folder: Path) -> Path:
    """Return the archive to which URLs are crawled."""
    return folder / "work" / "crawl.warc.gz"


def _crawled(inputs: options.InputOptions, folder: Path) -> list[str]:
    """Return the archive to which the URLs of the input are crawled; empty for none."""
    from webgrain.io.urls import is_url

    return [str(_archive(folder))] if any(map(is_url, inputs.inputs or [])) else []


def _paths(inputs: options.InputOptions) -> list[Path]:
    """Return the inputs that are no URLs, and the web archives in folders."""
    from webgrain.io.read import warcs_in
    from webgrain.io.urls import is_url

    places = [Path(name) for name in inputs.inputs or [] if not is_url(name)]
    return [path for place in places for path in (place, *warcs_in(place))]


def _reader(
    inputs: options.InputOptions, folder: Path, crawling: Crawling, advance: Advance, *, stylesheets: bool
) -> Callable[[int], Iterable[Item]]:
    """Return a function that reads the input from a given page on; URLs are crawled first.

    stylesheets: whether the crawl stores them.
    """
    from webgrain.io.urls import is_url
    from webgrain.site.audit import check_apart

    given = inputs.inputs or []
    urls, places = [name for name in given if is_url(name)], [name for name in given if not is_url(name)]
    if "-" in places:
        raise InputError("An audit needs the pages of a site, but stdin holds only one page.")
    check_apart(map(Path, places), folder)
    paths = list(map(str, _paths(inputs)))
    archive = _archive(folder)

    def read_from(first: int) -> Iterable[Item]:
        if urls:
            crawl_into(archive, urls, crawling, lambda: advance("crawl", 1), stylesheets=stylesheets)
        return inputs.read([*paths, *_crawled(inputs, folder)], first)

    if not urls:
        inputs.read(paths)  # raises an error for an invalid input
    return read_from


def _lines(outcome: SiteResults) -> Iterator[str]:
    """Yield the summary of a site for the terminal."""
    from webgrain.pagetypes.descriptions import OTHER
    from webgrain.report.terminal import count, plain
    from webgrain.site.actions import action_text

    known = sum(label != OTHER for label in outcome.types)
    yield (
        f"{plain(outcome.site, 80)}: {count(outcome.pages, 'page')} of {count(known, 'type')}, "
        f"{outcome.grouped:,} in groups of duplicates, {count(len(outcome.failures), 'failure')}, "
        f"learnt from {count(outcome.learnt_from, 'page')}"
    )
    if outcome.about_input:
        yield f"  {outcome.about_input}"
    for sentence in outcome.changes.sentences()[:8] if outcome.changes else ():
        yield f"  {plain(sentence, 200)}"
    for action in outcome.actions:
        yield f"  {action.level:8}{action_text(action, lambda label: outcome.names.get(label, label))}"
    shown = {action.finding for action in outcome.actions}
    if more := sum(finding.name not in shown for finding in outcome.findings):
        yield f"          and {count(more, 'more finding')}"
    for label, tally in list(outcome.types.items())[:12]:
        name = OTHER if label == OTHER else f"{plain(outcome.names[label], 80)}  [{plain(label, 60)}]"
        clicks = f", {count(tally.clicks, 'search click')}" if tally.clicks else ""
        yield f"  {tally.pages:6,}  {name}{clicks}"
    if len(outcome.types) > 12:
        yield f"          and {len(outcome.types) - 12:,} more types"
    yield f"  report: {outcome.report}"
