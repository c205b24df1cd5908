"""What has changed since an earlier audit: pages, findings, and the templates of types.

A page has changed if its title or its main text differs; boilerplate does not count. Findings are compared
row by row. The templates of the earlier audit are compared with a sample of the pages of today (drift).
"""

from __future__ import annotations

import csv
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from webgrain.errors import InputError
from webgrain.page.paths import text_key
from webgrain.report.terminal import count
from webgrain.results import Failure
from webgrain.site.findings import RULES
from webgrain.site.model import SiteWatch, load_model
from webgrain.site.thresholds import WATCHED_PAGES
from webgrain.site.workspace import Row, read_rows, read_shard, shard_ids

CHANGE_COLUMNS = (("page", "string"), ("change", "string"), ("detail", "string"))
"""Columns of ``changes.parquet``; change: ``new``, ``removed`` or ``changed``."""


@dataclass(slots=True)
class Changes:
    """The differences between two audits of a site.

    Attributes:
        since: the folder of the earlier audit.
        pages: number of pages by kind of change.
        findings: numbers of new and of resolved rows by name of the finding.
        drift: level and sentences of each type whose pages no longer fit its earlier template, by label.
    """

    since: Path
    pages: dict[str, int] = field(default_factory=lambda: {"new": 0, "removed": 0, "changed": 0})
    findings: dict[str, tuple[int, int]] = field(default_factory=dict)
    drift: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def sentences(self) -> list[str]:
        """Return the changes in words, for the report and the terminal."""
        what = ", ".join(f"{n:,} {kind}" for kind, n in self.pages.items())
        found = [f"Pages since {self.since}: {what}."]
        for name, (new, resolved) in self.findings.items():
            found.append(f"{RULES[name].title}: {new:,} new, {resolved:,} resolved.")
        for label, (level, changes) in self.drift.items():
            found.append(f"Type {label}, {level}: {' '.join(changes)}")
        return found


def check_audit(folder: Path) -> None:
    """Raise `InputError` if a folder does not contain a complete audit."""
    for name in ("pages.parquet", "site-model.json", "findings"):
        if not (folder / name).exists():
            raise InputError(f"{folder} does not contain an audit of one site: {name} is missing.")


def page_changes(old: Path, new: Path, changes: Changes) -> Iterator[Row]:
    """Yield a row for each page that is new, removed or changed, and count them.

    old, new: ``pages.parquet`` of both audits.
    """
    columns = ["page", "title", "text", "words"]
    before = {row["page"]: _content(row) for row in read_rows(old, columns)}
    for row in read_rows(new, columns):
        content = before.pop(row["page"], None)
        if content is None:
            yield _counted(changes, row["page"], "new", row["title"])
        elif content != (now := _content(row)):
            parts = [f"title: {row['title']}"] if content[0] != now[0] else []
            parts += [f"{content[2]:,} → {count(now[2], 'word')}"] if content[1] != now[1] else []
            yield _counted(changes, row["page"], "changed", "; ".join(parts))
    for page in before:
        yield _counted(changes, page, "removed", "")


def _content(row: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return keys of the title and the text, and the number of words."""
    return text_key(" ".join(row["title"].split())), text_key(" ".join(row["text"].split())), row["words"]


def _counted(changes: Changes, page: str, change: str, detail: str) -> Row:
    changes.pages[change] += 1
    return {"page": page, "change": change, "detail": detail}


def compare_findings(old: Path, new: Path) -> dict[str, tuple[int, int]]:
    """Return the numbers of new and of resolved rows of each finding that has some, by name."""
    found = {}
    for name in RULES:
        before, now = (_row_keys(folder / f"{name}.csv") for folder in (old, new))
        if before != now:
            found[name] = len(now - before), len(before - now)
    return found


def _row_keys(path: Path) -> set[int]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return {text_key("\n".join(row)) for row in islice(csv.reader(file), 1, None)}
    except FileNotFoundError:
        return set()


def compare_templates(model: Path, shards: Sequence[Path]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return level and sentences of the types whose pages differ from their templates in an earlier model."""
    names = (name for shard in shards for name in shard_ids(shard))
    chosen = set(heapq.nsmallest(WATCHED_PAGES, names, key=text_key))
    watch = SiteWatch(load_model(model))
    items: Iterable[Any] = (item for shard in shards for item in read_shard(shard, chosen))
    for item in items:
        if not isinstance(item, Failure) and item.id in chosen:
            watch.add(watch.model.predict(item))
    reports = watch.drift().items()
    return {label: (one.level, tuple(one.sentences())) for label, one in reports if one.level != "none"}
