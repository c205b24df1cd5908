"""What has changed since an earlier audit of a site.

A page has changed if its title or its main text differs; boilerplate does not count. Findings are compared
row by row: a row with the same page and detail is unchanged. Of faults of references, which are grouped by
cause, the page is only an example and does not count; of what is measured, such as seconds, the detail does
not. The templates of the earlier audit are compared with a sample of the pages of today (drift).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from webgrain.base.errors import InputError
from webgrain.base.failures import Failure
from webgrain.io.local import replacing
from webgrain.page.paths import text_key
from webgrain.pagetypes.descriptions import OTHER
from webgrain.report.site import Drift, FindingChange
from webgrain.report.terminal import count
from webgrain.site import thresholds
from webgrain.site.findings import FINDING_TYPES
from webgrain.site.learning import least
from webgrain.site.linktable import FAULTS
from webgrain.site.model import load_model
from webgrain.site.shards import read_shard, shard_ids
from webgrain.site.sitewatch import SiteWatch
from webgrain.site.tables import ColumnTypes, TableRow, read_rows

CHANGE_COLUMNS: ColumnTypes = (("page", "string"), ("change", "string"), ("detail", "string"))
"""Columns of ``changes.parquet``; change: ``new``, ``removed``, ``changed``, or ``other type`` of a page of
which only the type differs."""

_BY_DETAIL = frozenset({*FAULTS, "missing-files"})
"""Findings whose rows are causes, of which the page is an example."""
_BY_PAGE = frozenset(
    {
        "slow-pages", "images-without-alt", "images-without-size", "large-pages", "thin-pages", "deep-pages",
        "misfits", "near-duplicates", "searched-addresses",
    }
)  # fmt: skip
"""Findings whose details are measured."""


@dataclass(slots=True)
class SiteChanges:
    """The differences between two audits of a site.

    Attributes:
        since: the folder of the earlier audit.
        pages: number of pages by change.
        findings: how the rows of each finding with rows in one of the audits differ, by its name.
        types: number of pages of each type before and now, by label.
        drift: level and sentences of each type whose pages no longer fit its earlier template, by label.
    """

    since: Path
    pages: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(["new", "removed", "changed", "other type"], 0)
    )
    findings: dict[str, FindingChange] = field(default_factory=dict)
    types: dict[str, list[int]] = field(default_factory=dict)
    drift: Drift = field(default_factory=dict)

    def sentences(self) -> list[str]:
        """Return the changes in words, for the report and the terminal."""
        numbers = ", ".join(f"{number:,} {change}" for change, number in self.pages.items())
        sentences = [f"Pages since {self.since}: {numbers}."]
        sentences += [
            f"{one.title}: {one.new:,} new, {one.resolved:,} resolved, {one.unchanged:,} unchanged."
            for one in self.findings.values()
            if one.new or one.resolved
        ]
        for label, (level, changes) in self.drift.items():
            sentences.append(f"Type {label}, {level}: {' '.join(changes)}")
        return sentences


_FILES_OF_AUDIT = ("pages.parquet", "site-model.json", "findings")


def check_audit(folder: Path) -> None:
    """Raise `InputError` if a folder does not contain a complete audit of one or several sites."""
    if not folder.is_dir():
        raise InputError(f"The folder of the earlier audit, {folder}, does not exist.")
    if any(map(is_audit, [folder, *filter(Path.is_dir, folder.iterdir())])):
        return
    missing = next(name for name in _FILES_OF_AUDIT if not (folder / name).exists())
    raise InputError(f"{folder} does not contain an audit: {missing} is missing.")


def is_audit(folder: Path) -> bool:
    """Whether a folder contains a complete audit of one site."""
    return all((folder / name).exists() for name in _FILES_OF_AUDIT)


def page_changes(old: Path, new: Path, changes: SiteChanges) -> Iterator[TableRow]:
    """Yield a row for each page that is new, removed or changed, and count them and the pages of the types.

    old, new: ``pages.parquet`` of both audits.
    """
    for row in _page_changes(old, new, changes.types):
        changes.pages[row["change"]] += 1
        yield row


def _page_changes(old: Path, new: Path, types: dict[str, list[int]]) -> Iterator[TableRow]:
    """Yield the rows, and count the pages of each type before and now; types: the counts by label."""
    columns = ["page", "type", "title", "text", "words"]
    contents = {}
    for row in read_rows(old, columns):
        contents[row["page"]] = _content(row)
        types.setdefault(row["type"] or OTHER, [0, 0])[0] += 1
    for row in read_rows(new, columns):
        page = row["page"]
        before = contents.pop(page, None)
        now = _content(row)
        types.setdefault(now.type, [0, 0])[1] += 1
        if before is None:
            yield {"page": page, "change": "new", "detail": row["title"]}
        elif before[:2] != now[:2]:
            yield {"page": page, "change": "changed", "detail": _difference(before, now, row["title"])}
        elif before.type != now.type:
            yield {"page": page, "change": "other type", "detail": f"{before.type} → {now.type}"}
    for page in contents:
        yield {"page": page, "change": "removed", "detail": ""}


class _Content(NamedTuple):
    """Keys of the title and the text of a page, the number of words, and the label of its type."""

    title: int
    text: int
    words: int
    type: str


def _content(row: TableRow) -> _Content:
    title = text_key(" ".join(row["title"].split()))
    text = text_key(" ".join(row["text"].split()))
    return _Content(title, text, row["words"], row["type"] or OTHER)


def _difference(before: _Content, now: _Content, title: str) -> str:
    """Return in words what has changed; title: the new one."""
    parts = []
    if before.title != now.title:
        parts.append(f"title: {title}")
    if before.text != now.text:
        parts.append(f"{before.words:,} → {count(now.words, 'word')}")
    return "; ".join(parts)


def finding_changes(old: Path, new: Path, changes: SiteChanges) -> Iterator[list[str]]:
    """Yield finding, change, page and detail of each row that is new or resolved, and count the rows.

    old, new: folders of the findings.
    """
    for name, finding in FINDING_TYPES.items():
        before = {key for key, _ in _rows(old, name)}
        now = {key for key, _ in _rows(new, name)}
        if not before and not now:
            continue
        change = FindingChange(name, finding.level, finding.title)
        change.unchanged = len(before & now)
        change.new = len(now - before)
        change.resolved = len(before - now)
        changes.findings[name] = change
        for status, folder, others in (("new", new, before), ("resolved", old, now)):
            for key, (page, detail) in _rows(folder, name):
                if key not in others:
                    if len(change.examples) < thresholds.CHANGE_EXAMPLES:
                        change.examples.append((status, page, detail))
                    yield [name, status, page, detail]


def _rows(folder: Path, name: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the key, and page and detail, of each row of a finding; rows with the same key count once."""
    try:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            for page, detail, *_ in islice(csv.reader(file), 1, None):
                compared = [page] * (name not in _BY_DETAIL) + [detail] * (name not in _BY_PAGE)
                yield text_key("\n".join(compared)), (page, detail)
    except FileNotFoundError:
        return


def write_finding_changes(path: Path, rows: Iterable[list[str]]) -> None:
    """Write the rows of `finding_changes` to a CSV file."""
    with replacing(path) as part, part.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["finding", "change", "page", "detail"])
        writer.writerows(rows)


def compare_templates(model: Path, shards: Sequence[Path]) -> Drift:
    """Return level and sentences of the types whose pages differ from their templates in an earlier model."""
    ids = (name for shard in shards for name in shard_ids(shard))
    chosen = set(least(ids, thresholds.WATCHED_PAGES))
    watch = SiteWatch(load_model(model))
    for shard in shards:
        for item in read_shard(shard, chosen):
            if not isinstance(item, Failure) and item.id in chosen:
                watch.add(watch.model.predict(item))
    reports = watch.drift().items()
    return {
        label: (report.level, tuple(report.sentences()))
        for label, report in reports
        if report.level != "none"
    }
