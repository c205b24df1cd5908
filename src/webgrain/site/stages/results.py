"""Stage ``report``: the results of each site, from the parts of its pages to the report.

`_write_site` has the steps for one site in their order; `webgrain.site.stages.segments` and
`webgrain.site.stages.sitereport` have the last two.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from webgrain.base.arrays import Int64
from webgrain.base.failures import EXCLUDED, Failure
from webgrain.engines.guard import run_step
from webgrain.io.archives import StoredAnswer
from webgrain.io.local import SiteFolder, replacing
from webgrain.io.queries import SearchLog, read_queries
from webgrain.page.page import Source
from webgrain.pagetypes.descriptions import OTHER
from webgrain.report.site import write_site_report
from webgrain.site import thresholds
from webgrain.site.actions import with_selectors
from webgrain.site.answertimes import AnswerTimes
from webgrain.site.auditrun import (
    TALLY_COLUMNS,
    AuditPlan,
    AuditRun,
    Clock,
    PageClusters,
    SiteResults,
    TypeTally,
)
from webgrain.site.changes import (
    CHANGE_COLUMNS,
    SiteChanges,
    compare_templates,
    finding_changes,
    is_audit,
    page_changes,
    write_finding_changes,
)
from webgrain.site.checks import check_cells
from webgrain.site.errorpages import PageContent, content_of
from webgrain.site.findings import (
    CHECKED_COLUMNS,
    USUAL_COLUMNS,
    Findings,
    PageChecks,
    UsualOfTypes,
    add_entries,
    add_failures,
    add_links,
    add_probes,
    add_searched,
    missing_files,
)
from webgrain.site.links import Answer, Answers, LinkResolver, collect_answers
from webgrain.site.linktable import LINK_COLUMNS, LinkTable, open_addresses
from webgrain.site.model import SiteModel, shared_model
from webgrain.site.sitemaps import SiteRules, archive_rules, folder_rules
from webgrain.site.stages.extraction import PAGE_COLUMNS
from webgrain.site.stages.samples import choose_samples
from webgrain.site.stages.segments import segment_samples
from webgrain.site.stages.sitereport import site_report
from webgrain.site.stylesheets import StyleSheets
from webgrain.site.tables import (
    ColumnTypes,
    TableRow,
    read_batches,
    read_rows,
    read_summary,
    storable_cells,
    write_columns,
    write_failures,
    write_rows,
)
from webgrain.site.workspace import SiteFiles, Workspace, host_site

SITE_COLUMNS: ColumnTypes = (
    ("cluster", "int64"),
    ("representative", "string"),
    ("incoming_links", "int64"),
    ("broken_links", "int64"),
    ("depth", "int64"),
    ("answer_seconds", "float64"),
    ("search_clicks", "int64"),
    ("queries", "list"),
)
"""Columns that only ``pages.parquet`` has: the number of a cluster of near-duplicates, and its first page;
pages that link to the page, broken links on it, and clicks from the start page, None if no links lead there;
seconds until the server began to answer, None if not known;
clicks on it in the search log, None without a log, and the queries of most of them.
"""


@dataclass(frozen=True, slots=True)
class SiteInputs:
    """What the results of a site need besides its files.

    Attributes:
        clusters: near-duplicates of all sites.
        unread: items of the input that could not be read.
        answers: of the server of the site.
        log: the search log, of which no page was looked up; None for none.
        rules: the sitemaps and the robots.txt of the site.
        gone: the answers of addresses of other sites and of files that do not exist.
        folders: of a site without a host; none for other input.
    """

    clusters: PageClusters
    unread: Sequence[Failure]
    answers: Answers
    log: SearchLog | None
    rules: SiteRules
    gone: Mapping[str, Answer]
    folders: Sequence[SiteFolder] = ()


def write_results(run: AuditRun) -> None:
    """Write the results of all sites, one site after the other."""
    plan = run.plan
    unread = run.unread
    if len(run.sites) != 1:
        write_failures(run.workspace.folder / "failures.jsonl", unread)
        unread = []
    answers = collect_answers(plan.archives, plan.crawl_log)
    gone = _requested_answers(run, answers)
    log = None if plan.queries is None else read_queries(plan.queries)
    for site in run.sites:
        answers_of_site = _answers_of(site, answers)
        log_of_site = None if log is None else log.again()
        rules = _site_rules(plan, site)
        folders = () if site.site else plan.folders
        inputs = SiteInputs(run.clusters, unread, answers_of_site, log_of_site, rules, gone, folders)
        run.results.append(_write_site(run, site, inputs))
        run.progress("report", 1, len(run.sites))


def _requested_answers(run: AuditRun, answers: Answers) -> dict[str, Answer]:
    """Request other sites and the files of the sites; return the answers of addresses that do not exist.

    answers: those in archives, which may be of several sites.
    """
    by_url = answers.by_url
    files: set[str] = set()
    wanted = _most_open(run, answers, "external", run.plan.external, files)
    wanted += _most_open(run, answers, "unknown", run.plan.files, files)
    known = {url: by_url[url] for url in wanted if url in by_url and by_url[url].status in _GONE_STATUSES}
    others = [url for url in wanted if url not in known]
    requested = run.find_gone(others, files) if run.find_gone and others else {}
    return known | {url: Answer(None, "", reason) for url, reason in requested.items()}


def _most_open(run: AuditRun, answers: Answers, outcome: str, most: int, files: set[str]) -> list[str]:
    """Return the addresses with an outcome to which most pages of all sites refer.

    most: their number. files: gets the addresses of images and other files.
    """
    pages: Counter[str] = Counter()
    for site in run.sites if run.find_gone and most else ():
        resolver = _resolver(site, _answers_of(site, answers).by_url, answers.files)
        addresses = open_addresses(resolver, site.parts, outcome)
        pages += addresses.pages
        files |= addresses.files
    return sorted(pages, key=lambda url: (-pages[url], url))[:most]


_GONE_STATUSES = (404, 410)
"""Statuses of addresses that do not exist."""


def _answers_of(site: SiteFiles, answers: Answers) -> Answers:
    return answers.where(lambda url: host_site(url) == site.site)


def _resolver(site: SiteFiles, answers: Mapping[str, Answer], files: Set[str]) -> LinkResolver:
    return LinkResolver(_part_rows(site, ["page", "addresses", "refresh"]), answers, files)


def _site_rules(plan: AuditPlan, site: SiteFiles) -> SiteRules:
    """Return the sitemaps and the robots.txt of a site: of a host in archives, or of a folder."""
    if site.site:
        return archive_rules(plan.archives, site.site)
    return SiteRules() if plan.site_folder is None else folder_rules(plan.site_folder)


def _write_site(run: AuditRun, site: SiteFiles, inputs: SiteInputs) -> SiteResults:
    """Write the results of one site."""
    clock = Clock()
    plan = run.plan
    model = shared_model(site.model)
    results = SiteResults(site.site or plan.name or plan.made_of, site)
    results.seconds = _stage_seconds(run.workspace, site)
    _copy_model(site)
    results.failures = _failures(site, inputs)
    with Findings(site.findings) as findings:
        _write_tables(site, results, findings, inputs, model)
        results.findings = findings.with_rows()
        results.actions = with_selectors(findings.actions(), site.shards)
    results.types = _largest_first(results.types)
    results.names = {label: model.name(label) or label for label in results.types}
    results.learnt_from = int(model.about.get("learnt_from", 0))
    results.warnings = tuple(_warnings(results, model, plan.sample))
    if plan.since is not None:
        results.changes = _write_changes(site, site.earlier(plan.since), results)
    chosen = choose_samples(site.parts, plan.samples)
    clock.lap("tables")

    examples = segment_samples(run, site, chosen)
    shutil.rmtree(site.known, ignore_errors=True)
    results.seconds["segments"] = examples.seconds
    results.seconds |= clock.seconds  # the report shows them
    clock.start()
    results.failures += _not_learnt(results, model)
    results.failures += _left_out(results, model)
    results.failures += examples.failures
    write_failures(site.failures, results.failures)
    write_site_report(site.report, site_report(results, plan.made_of, model, examples.pages))
    clock.lap("report")
    results.seconds |= clock.seconds
    return results


def _stage_seconds(workspace: Workspace, site: SiteFiles) -> dict[str, float]:
    """Return the seconds of each stage before this one."""
    seconds = defaultdict[str, float](float)
    for stage, taken in workspace.times(["", site.site]):
        seconds[stage] += taken
    for part in site.parts:
        for stage, taken in read_summary(part).seconds.items():
            seconds[stage] += taken
    return dict(seconds)


def _copy_model(site: SiteFiles) -> None:
    site.results.mkdir(parents=True, exist_ok=True)
    with replacing(site.site_model) as part:
        shutil.copyfile(site.model, part)


def _failures(site: SiteFiles, inputs: SiteInputs) -> list[Failure]:
    """Return what could not be read, fetched or extracted."""
    failures = [*inputs.unread, *_unanswered(inputs.answers.by_url)]
    for part in site.parts:
        failures += read_summary(part).failures
    return failures


def _unanswered(answers: Mapping[str, Answer]) -> Iterator[Failure]:
    """Yield the addresses that a crawl could not fetch."""
    for url, answer in answers.items():
        if answer.status is None or answer.status >= 400:
            stage = EXCLUDED if answer.excluded else "crawl"
            yield Failure(url, stage, answer.error, url=url)


def _not_learnt(results: SiteResults, model: SiteModel) -> list[Failure]:
    """Return the failure of a site of which nothing could be learnt."""
    if "reason" not in model.about:
        return []
    return [Failure(results.site, "learn", model.about["reason"])]


def _left_out(results: SiteResults, model: SiteModel) -> Iterator[Failure]:
    """Yield the pages that could not be learnt from, without those that could not be read either."""
    failed = {failure.page for failure in results.failures}
    for failure in model.failures:
        if failure.page not in failed:
            yield failure


def _write_tables(
    site: SiteFiles, results: SiteResults, findings: Findings, inputs: SiteInputs, model: SiteModel
) -> None:
    """Write the links and the pages of a site, and add what they show to the findings."""
    answers = inputs.answers
    resolver = _resolver(site, {**inputs.gone, **answers.by_url}, answers.files)
    sheets = StyleSheets(answers.sheets, inputs.folders)
    links = LinkTable(resolver, site.parts, _clicks(site, inputs.log), sheets)
    probes = _probe_contents(answers.probes, model)
    usual = UsualOfTypes(_part_rows(site, USUAL_COLUMNS), resolver, probes)
    times = AnswerTimes(_part_rows(site, ["url", "type"]), answers.seconds)
    write_columns(site.links, links.tables(), LINK_COLUMNS)
    complete = add_links(findings, links)
    add_failures(findings, results.failures, links.broken_addresses)
    add_probes(findings, resolver, answers.probes)
    listed = add_entries(findings, resolver, inputs.rules, complete=complete)
    checks = PageChecks(
        findings, usual, resolver, complete=complete, rules=inputs.rules, listed=listed, times=times
    )
    tables = _page_tables(site, results, links, checks, inputs)
    write_columns(site.table, tables, (*PAGE_COLUMNS, *SITE_COLUMNS))
    checks.list_misfits()
    if inputs.log and complete:
        add_searched(findings, resolver, inputs.log)
    results.links = dict(links.counts)
    results.missing = missing_files(links)


def _probe_contents(probes: Iterable[StoredAnswer], model: SiteModel) -> Iterator[PageContent]:
    """Yield the pages that the server sent for addresses that do not exist."""
    for probe in probes:
        if probe.page is None:
            continue
        content = run_step(probe.page, "extract", partial(_probe_content, model))
        if not isinstance(content, Failure):
            yield content


def _probe_content(model: SiteModel, source: Source) -> PageContent:
    prediction = model.predict(source)
    row = {"url": source.url, "type": prediction.type, **check_cells(prediction, prediction.text)}
    return content_of(row, prediction.text)


def _clicks(site: SiteFiles, log: SearchLog | None) -> Int64 | None:
    """Return the clicks (n,) on each page in a search log, in the order of the parts; None for no log."""
    if log is None:
        return None
    rows = _part_rows(site, ["page", "addresses"])
    clicks = [log.clicks_on(row["page"], row["addresses"] or ())[0] for row in rows]
    return np.array(clicks, np.int64)


def _part_rows(site: SiteFiles, columns: Sequence[str]) -> Iterator[TableRow]:
    for part in site.parts:
        yield from read_rows(part, columns)


def _page_tables(
    site: SiteFiles, results: SiteResults, links: LinkTable, checks: PageChecks, inputs: SiteInputs
) -> Iterator[dict[str, Any]]:
    """Yield the columns of ``pages.parquet``, some pages at a time, count the pages, and check them."""
    names = [name for name, _ in PAGE_COLUMNS]
    depth = links.depth().tolist()
    number = 0
    for part in site.parts:
        for batch in read_batches(part, [*names, "addresses"]):
            cells: list[TableRow] = []
            texts = batch["text"]
            for place, row in enumerate(batch.select(_READ_COLUMNS).to_pylist()):
                added = _cluster_cells(row["page"], inputs.clusters)
                added |= _search_cells(row["page"], row["addresses"] or (), inputs.log)
                added["incoming_links"] = int(links.incoming[number])
                added["broken_links"] = int(links.broken_on[number])
                added["depth"] = depth[number] if depth[number] >= 0 else None
                added["answer_seconds"] = inputs.answers.seconds.get(row["url"])
                row |= added
                results.pages += 1
                results.grouped += row["cluster"] is not None
                results.types.setdefault(row["type"] or OTHER, TypeTally()).add(row)
                checks.add(number, row, texts[place].as_py)
                cells.append(added)
                number += 1
            of_site = {name: [added[name] for added in cells] for name, _ in SITE_COLUMNS}
            yield {name: batch[name] for name in names} | of_site


_READ_COLUMNS = list(dict.fromkeys((*TALLY_COLUMNS, *CHECKED_COLUMNS)))
"""Columns of a part that are read while ``pages.parquet`` is written; the others are copied."""


def _cluster_cells(page: str, clusters: PageClusters) -> TableRow:
    cluster, first = clusters.get(page, (None, None))
    return {"cluster": cluster, "representative": first}


def _search_cells(page: str, addresses: Sequence[str], log: SearchLog | None) -> TableRow:
    if log is None:
        return {"search_clicks": None, "queries": []}
    clicks, queries = log.clicks_on(page, addresses)
    return storable_cells({"search_clicks": clicks, "queries": queries})


def _largest_first(types: Mapping[str, TypeTally]) -> dict[str, TypeTally]:
    """Return types by the number of their pages, `OTHER` last."""

    def order(item: tuple[str, TypeTally]) -> tuple[Any, ...]:
        label, tally = item
        return label == OTHER, -tally.pages, label

    return dict(sorted(types.items(), key=order))


def _warnings(results: SiteResults, model: SiteModel, sample: int) -> Iterator[str]:
    """Yield sentences about what was learnt of a site."""
    if "reason" in model.about:
        yield f"Nothing could be learnt of the site: {model.about['reason']}"
        return
    expected = thresholds.FEW_SHARE * min(sample, results.pages)
    if results.learnt_from < max(thresholds.FEW_PAGES, expected):
        pages = f"{results.learnt_from:,} of {results.pages:,} pages"
        yield f"The site was learnt from few pages ({pages}), so types and boilerplate are uncertain."
    if model.about.get("unused_log"):
        yield str(model.about["unused_log"])


def _write_changes(site: SiteFiles, since: Path, results: SiteResults) -> SiteChanges | None:
    """Compare a site with an earlier audit; None if that has no such site."""
    if not is_audit(since):
        results.warnings += (f"The earlier audit in {since} has no site {results.site}.",)
        return None
    changes = SiteChanges(since)
    rows = page_changes(since / "pages.parquet", site.table, changes)
    write_rows(site.changes, rows, CHANGE_COLUMNS)
    write_finding_changes(site.changed_findings, finding_changes(since / "findings", site.findings, changes))
    changes.drift = compare_templates(since / "site-model.json", site.shards)
    return changes
