"""Build a corpus: the main texts of the pages of any number of sites, without near-duplicates.

`build_corpus` works in five stages. The two that read pages are divided into tasks, for a site or a shard,
which an engine can run on any machine that has access to the files:

    read        pages           shards of at most some hundred pages, by site
    learn       shards          the texts that the pages of a site share, if it has enough pages
    extract     shards          a part for each: the document and the sketch of each page
    duplicates  parts           an index of the documents that the filter accepts, and their clusters
    write       parts           the corpus, and on request what was left out

The first three stages do not repeat what is complete. So the same call resumes an interrupted one, and
another filter needs no new extraction. A page of a site with few pages is read on its own.
"""

from __future__ import annotations

import heapq
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from webgrain import __version__
from webgrain.base.errors import InputError, ParameterError
from webgrain.base.failures import Failure
from webgrain.columns.sitetable import SiteTable
from webgrain.duplicates.index import DuplicateIndex, storable
from webgrain.duplicates.sketches import site_name
from webgrain.engines import Engine
from webgrain.engines.groups import run_in_turns
from webgrain.engines.guard import Guard, limits
from webgrain.engines.local import Local
from webgrain.extraction.document import METADATA_FIELDS, Document, comment_records
from webgrain.extraction.options import ExtractionOptions
from webgrain.io.contentmarks import PAGE_KINDS
from webgrain.io.local import replacing
from webgrain.io.read import Item
from webgrain.io.write import Record, Writer, open_writer
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page
from webgrain.page.paths import text_key
from webgrain.page.turns import Steps, page_bytes, page_groups
from webgrain.site import thresholds
from webgrain.site.auditrun import Progress
from webgrain.site.duplicates import SKETCH_COLUMNS, duplicates_of, read_sketches, sketch_cells
from webgrain.site.shards import read_shard, shard_ids, write_failed_part
from webgrain.site.stages.reading import take_in
from webgrain.site.tables import ColumnTypes, Summary, TableRow, read_rows, read_summary, write_rows
from webgrain.site.texts import item_tables, page_of_site
from webgrain.site.workspace import SiteFiles, Workspace

CORPUS_COLUMNS: ColumnTypes = (
    ("page", "string"),
    ("url", "string"),
    ("site", "string"),
    ("kind", "string"),
    ("title", "string"),
    ("text", "string"),
    ("comments", "string"),
    *((name, "list" if name == "tags" else "string") for name in METADATA_FIELDS),
    ("confidence", "float64"),
    ("notes", "list"),
)
"""Columns of a corpus; ``comments``: author, date and text of the comments, as JSON. ``language`` is
detected if the page does not state it and the extra ``language`` is installed."""

NO_TEXT = "no main text"
DUPLICATE = "near-duplicate"
"""Reasons why a page is left out; others are those of `DocumentFilter` and the stage of a failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Which documents belong to a corpus.

    Attributes:
        languages: codes as ``en``; a document in ``en-GB`` matches ``en``; empty: all languages, and none.
        kinds: as in `Document.kind`; empty: all kinds.
        least_length: characters of the text, at least.
        least_confidence: of the extraction, 0..1, at least.
        duplicates: whether near-duplicates stay.

    >>> DocumentFilter(languages=("de",)).reason({"text": "Hello", "language": "en-GB"})
    'language'
    """

    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    least_length: int = 1
    least_confidence: float = 0.0
    duplicates: bool = False

    def __post_init__(self) -> None:
        unknown = sorted(set(self.kinds) - set(PAGE_KINDS))
        if unknown:
            raise ParameterError(f"A kind must be one of {', '.join(PAGE_KINDS)}, got {unknown[0]!r:.40}.")
        if self.least_length < 0:
            raise ParameterError(f"least_length must be at least 0, got {self.least_length}.")
        if not 0 <= self.least_confidence <= 1:
            raise ParameterError(f"least_confidence must be from 0 to 1, got {self.least_confidence}.")

    def reason(self, row: TableRow) -> str | None:
        """Return why a document is left out; None if it belongs to the corpus."""
        text = row["text"] or ""
        if not text.strip():
            return NO_TEXT
        if self.kinds and row["kind"] not in self.kinds:
            return "kind"
        if self.languages and not self._has_language(row["language"]):
            return "language"
        if len(text) < self.least_length:
            return "length"
        if self.least_confidence and (row["confidence"] or 0.0) < self.least_confidence:
            return "confidence"
        return None

    def _has_language(self, language: str | None) -> bool:
        stated = (language or "").lower().replace("_", "-")
        return any(f"{stated}-".startswith(f"{code.lower()}-") for code in self.languages)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusPlan:
    """The settings of a corpus.

    Attributes:
        made_of: the input, in words.
        markdown: whether texts are Markdown.
        extraction: options for the content of a page.
        guard: limits for a page.
    """

    made_of: str
    markdown: bool = False
    extraction: ExtractionOptions = field(default_factory=ExtractionOptions)
    guard: Guard = field(default_factory=Guard)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that the intermediate files depend on."""
        return {
            "input": self.made_of,
            "markdown": self.markdown,
            "extraction": repr(self.extraction),
            "guard": repr(self.guard),
            "version": __version__,
        }


@dataclass(slots=True)
class CorpusCounts:
    """What became of the pages of the input.

    Attributes:
        documents: number of documents in the corpus; characters: of their texts.
        left_out: number of pages that were left out, by reason.
        failures: pages that could not be read.
    """

    documents: int = 0
    characters: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    @property
    def pages(self) -> int:
        """Number of pages of the input."""
        return self.documents + sum(self.left_out.values())


def build_corpus(
    read: Callable[[int], Iterable[Item]],
    output: Path,
    work: Path,
    plan: CorpusPlan,
    keep: DocumentFilter,
    engine: Engine,
    *,
    form: str = "parquet",
    dropped: Path | None = None,
    progress: Progress = lambda stage, pages, total=None: None,
) -> CorpusCounts:
    """Write a corpus, and return what became of the pages.

    Args:
        read: returns the pages after the first n.
        output: the file of the corpus.
        work: the folder of intermediate files.
        plan: the settings of reading.
        keep: which documents belong to the corpus.
        engine: runs the tasks.
        form: the format of the file, ``parquet``, ``jsonl`` or ``csv``.
        dropped: a CSV file of the pages that were left out, each with the reason, the page that stays
            instead, and the error; None for none.
        progress: called when pages are done.

    Raises `InputError` if the folder belongs to another corpus or audit, or to one that is running, and if
    the input has no page; an earlier corpus stays then.
    """
    workspace = Workspace(work, "corpus")
    workers = engine.pool() if isinstance(engine, Local) else nullcontext(engine)
    with workspace.locked(), workers as tasks:
        workspace.check_settings(plan.to_dict())
        intake = take_in(read, workspace.work, lambda: progress("read", 1), _site_of)
        if not intake.items:
            _remove_work(workspace)
            raise InputError("The input contains no page.")
        sites = workspace.site_files(intake.shards)
        _learn(sites, plan, tasks, progress)
        _extract(sites, plan, tasks, progress)
        counts = CorpusCounts(failures=list(intake.failures))
        duplicates = (
            {} if keep.duplicates else _duplicates(sites, keep, workspace.work / "corpus.db", progress)
        )
        columns = [name for name, _ in CORPUS_COLUMNS]
        with open_writer(form, output, columns) as writer, _open_dropped(dropped) as note:
            _write(sites, keep, duplicates, writer, counts, note)
    return counts


def _remove_work(workspace: Workspace) -> None:
    """Remove the intermediate files, and the folder if it contains nothing else: the next run starts anew."""
    shutil.rmtree(workspace.work)
    with suppress(OSError):
        workspace.folder.rmdir()


def _site_of(item: Source | Page) -> str:
    return site_name(item.id, item.url)


def _learn(sites: Sequence[SiteFiles], plan: CorpusPlan, engine: Engine, progress: Progress) -> None:
    """Write the texts of each site that has enough pages."""
    waiting = [site for site in sites if not _texts_file(site).exists()]
    for site, failure in engine.map(partial(_learn_site, plan.guard), waiting):
        if isinstance(failure, Failure):  # its pages are read on their own
            _write_texts(site, None)
        progress("learn", 1, len(waiting))


def _learn_site(guard: Guard, site: SiteFiles) -> None:
    """Write the texts that the pages of a site share, or nothing if it has too few pages.

    They are learnt from the pages whose ids have the smallest hashes: the choice depends on no order.
    """
    names = [name for shard in site.shards for name in shard_ids(shard)]
    chosen = frozenset(heapq.nsmallest(thresholds.TEXT_PAGES, names, key=text_key))
    tables: list[SiteTable] = []
    if len(names) >= thresholds.LEAST_TEXT_PAGES:
        with limits(guard):
            items = (item for shard in site.shards for item in read_shard(shard, chosen))
            tables = [table for table in item_tables(items) if isinstance(table, SiteTable)]
    enough = len(tables) >= thresholds.LEAST_TEXT_PAGES
    _write_texts(site, SiteTable.merged(tables).shared() if enough else None)


def _texts_file(site: SiteFiles) -> Path:
    return site.work / "texts.json"


def _write_texts(site: SiteFiles, texts: SiteTable | None) -> None:
    site.work.mkdir(parents=True, exist_ok=True)
    with replacing(_texts_file(site)) as part:
        part.write_text(json.dumps(None if texts is None else texts.to_dict()), encoding="utf-8")


def _shared_texts(path: Path) -> SiteTable | None:
    """Return the texts in a file, which each process reads once."""
    return _read_texts(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read_texts(path: Path, changed: int) -> SiteTable | None:
    values = json.loads(path.read_text(encoding="utf-8"))
    return None if values is None else SiteTable.from_dict(values)


def _extract(sites: Sequence[SiteFiles], plan: CorpusPlan, engine: Engine, progress: Progress) -> None:
    """Write a part for each shard that has none."""
    waiting = [
        (site, number) for site in sites for number, part in enumerate(site.parts) if not part.exists()
    ]
    total = sum(len(shard_ids(site.shards[number])) for site, number in waiting)
    for (site, number), summary in engine.map(partial(_extract_shard, plan), waiting):
        if isinstance(summary, Failure):  # the whole shard failed: so did each of its pages
            summary = write_failed_part(site.shards[number], site.parts[number], _PART_COLUMNS, summary)
        progress("extract", summary.pages + len(summary.failures), total)


_PART_COLUMNS: ColumnTypes = (*CORPUS_COLUMNS, *SKETCH_COLUMNS)


def _extract_shard(plan: CorpusPlan, job: tuple[SiteFiles, int]) -> Summary:
    """Write the documents of a shard; job: a site and the number of its shard."""
    site, number = job
    summary = Summary()
    part = site.parts[number]
    part.parent.mkdir(parents=True, exist_ok=True)
    write_rows(part, _document_rows(site, site.shards[number], plan, summary), _PART_COLUMNS, summary)
    return summary


def _document_rows(site: SiteFiles, shard: Path, plan: CorpusPlan, summary: Summary) -> Iterator[TableRow]:
    """Yield the rows of the pages of a shard, and count them."""
    texts = _shared_texts(_texts_file(site))
    steps = partial(_row_steps, plan, site.site, texts)
    for group in page_groups(read_shard(shard), page_bytes):
        with limits(plan.guard):
            rows = run_in_turns(group, "extract", steps)
        for row in rows:
            if isinstance(row, Failure):
                summary.failures.append(row)
            else:
                summary.pages += 1
                yield row


def _row_steps(plan: CorpusPlan, site: str, texts: SiteTable | None, item: Source | Page) -> Steps[TableRow]:
    """Return the cells of a page in the columns of a part, in steps; texts: those of its site."""
    page = as_page(item)
    yield "parse"
    _, below = page_of_site(page)
    document = yield from plan.extraction.steps(below, texts, Document)
    yield from document.record_steps()
    metadata = document.metadata
    cells = {
        "page": page.id,
        "url": page.url,
        "site": site,
        "kind": document.kind,
        "title": document.title,
        "text": document.markdown if plan.markdown else document.text,
        "comments": json.dumps(comment_records(document.comments), ensure_ascii=False),
        **{name: metadata.get(name) for name in METADATA_FIELDS},
        "language": document.language or metadata.get("detected_language"),
        "tags": list(metadata.get("tags", ())),
        "confidence": round(document.confidence, 4),
        "notes": list(document.notes),
    }
    yield "row"
    return cells | sketch_cells(page, site)


def _duplicates(
    sites: Sequence[SiteFiles], keep: DocumentFilter, path: Path, progress: Progress
) -> dict[str, str]:
    """Return the page that stays instead of each near-duplicate, by its id, among accepted documents."""
    path.unlink(missing_ok=True)
    first_of: dict[str, str] = {}
    with DuplicateIndex(path) as index:
        for site in sites:
            for part in site.parts:
                _add_accepted(index, part, keep)
                progress("duplicates", 1, sum(len(site.parts) for site in sites))
        for pair in duplicates_of(index):
            if pair["cluster"] is not None:
                for name in (pair["a"], pair["b"]):
                    if name != pair["representative"]:
                        first_of[name] = pair["representative"]
    path.unlink()
    return first_of


def _add_accepted(index: DuplicateIndex, part: Path, keep: DocumentFilter) -> None:
    """Add the sketches of the documents of a part that a filter accepts."""
    accepted = {row["page"] for row in read_rows(part, _FILTERED_COLUMNS) if keep.reason(row) is None}
    for name, url, sketch in read_sketches(part):
        if name in accepted:
            index.add_sketch(name, url, sketch)


_FILTERED_COLUMNS = ("page", "text", "kind", "language", "confidence")


def _write(
    sites: Sequence[SiteFiles],
    keep: DocumentFilter,
    first_of: Mapping[str, str],
    writer: Writer,
    counts: CorpusCounts,
    note: Callable[[Record], object],
) -> None:
    """Write the documents, and count what was left out."""

    def leave_out(
        page: str, url: str | None, reason: str, duplicate_of: str | None = None, error: str | None = None
    ) -> None:
        counts.left_out[reason] += 1
        note({"page": page, "url": url, "reason": reason, "duplicate_of": duplicate_of, "error": error})

    for failure in counts.failures:
        leave_out(failure.page, failure.url, failure.stage, error=failure.error)
    names = [name for name, _ in CORPUS_COLUMNS]
    for part in (part for site in sites for part in site.parts):
        failures = read_summary(part).failures
        counts.failures += failures
        for failure in failures:
            leave_out(failure.page, failure.url, failure.stage, error=failure.error)
        for row in read_rows(part, names):
            reason = keep.reason(row)
            if reason is None and storable(row["page"]) in first_of:
                leave_out(row["page"], row["url"], DUPLICATE, first_of[storable(row["page"])])
            elif reason is not None:
                leave_out(row["page"], row["url"], reason)
            else:
                counts.documents += 1
                counts.characters += len(row["text"])
                writer.write(row)


_DROPPED_COLUMNS = ("page", "url", "reason", "duplicate_of", "error")


@contextmanager
def _open_dropped(path: Path | None) -> Iterator[Callable[[Record], object]]:
    """Give a function that writes a record of a page that was left out."""
    if path is None:
        yield lambda record: None
        return
    with open_writer("csv", path, _DROPPED_COLUMNS) as writer:
        yield writer.write
