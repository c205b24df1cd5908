"""What has changed since an earlier audit of a site.

A page has changed if its title or its main text differs; boilerplate does not count. Findings are compared
row by row. The templates of the earlier audit are compared with a sample of the pages of today (drift).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from webgrain.base.errors import InputError
from webgrain.base.failures import Failure
from webgrain.page.paths import text_key
from webgrain.report.site import Drift
from webgrain.report.terminal import count
from webgrain.site import thresholds
from webgrain.site.findings import FINDING_TYPES
from webgrain.site.learning import least
from webgrain.site.model import load_model
from webgrain.site.shards import read_shard, shard_ids
from webgrain.site.sitewatch import SiteWatch
from webgrain.site.tables import ColumnTypes, TableRow, read_rows

CHANGE_COLUMNS: ColumnTypes = (("page", "string"), ("change", "string"), ("detail", "string"))
"""Columns of ``changes.parquet``; change: ``new``, ``removed`` or ``changed``."""


@dataclass(slots=True)
class SiteChanges:
    """The differences between two audits of a site.

    Attributes:
        since: the folder of the earlier audit.
        pages: number of pages by change.
        findings: numbers of new and of resolved rows by name of the finding.
        drift: level and sentences of each type whose pages no longer fit its earlier template, by label.
    """

    since: Path
    pages: dict[str, int] = field(default_factory=lambda: {"new": 0, "removed": 0, "changed": 0})
    findings: dict[str, tuple[int, int]] = field(default_factory=dict)
    drift: Drift = field(default_factory=dict)

    def sentences(self) -> list[str]:
        """Return the changes in words, for the report and the terminal."""
        numbers = ", ".join(f"{number:,} {change}" for change, number in self.pages.items())
        sentences = [f"Pages since {self.since}: {numbers}."]
        for name, (new, resolved) in self.findings.items():
            sentences.append(f"{FINDING_TYPES[name].title}: {new:,} new, {resolved:,} resolved.")
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
    """Yield a row for each page that is new, removed or changed, and count them.

    old, new: ``pages.parquet`` of both audits.
    """
    for row in _page_changes(old, new):
        changes.pages[row["change"]] += 1
        yield row


def _page_changes(old: Path, new: Path) -> Iterator[TableRow]:
    columns = ["page", "title", "text", "words"]
    contents = {row["page"]: _content(row) for row in read_rows(old, columns)}
    for row in read_rows(new, columns):
        page = row["page"]
        before = contents.pop(page, None)
        now = _content(row)
        if before is None:
            yield {"page": page, "change": "new", "detail": row["title"]}
        elif before != now:
            yield {"page": page, "change": "changed", "detail": _difference(before, now, row["title"])}
    for page in contents:
        yield {"page": page, "change": "removed", "detail": ""}


class _Content(NamedTuple):
    """Keys of the title and the text of a page, and the number of words."""

    title: int
    text: int
    words: int


def _content(row: TableRow) -> _Content:
    title = text_key(" ".join(row["title"].split()))
    text = text_key(" ".join(row["text"].split()))
    return _Content(title, text, row["words"])


def _difference(before: _Content, now: _Content, title: str) -> str:
    """Return in words what has changed; title: the new one."""
    parts = []
    if before.title != now.title:
        parts.append(f"title: {title}")
    if before.text != now.text:
        parts.append(f"{before.words:,} → {count(now.words, 'word')}")
    return "; ".join(parts)


def compare_findings(old: Path, new: Path) -> dict[str, tuple[int, int]]:
    """Return the numbers of new and of resolved rows of each finding that has some, by name.

    old, new: folders of the findings.
    """
    changes = {}
    for name in FINDING_TYPES:
        before = _row_keys(old / f"{name}.csv")
        now = _row_keys(new / f"{name}.csv")
        if before != now:
            changes[name] = len(now - before), len(before - now)
    return changes


def _row_keys(path: Path) -> set[int]:
    """Return a key of each row of a finding."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = islice(csv.reader(file), 1, None)
            return {text_key("\n".join(row[:2])) for row in rows}
    except FileNotFoundError:
        return set()


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
