"""The folder of an audit: shards of the input, a journal, tables of results, and the paths of all files.

A shard holds some pages of a site in one Parquet file: bytes with the location of their style sheets and
other files, or, for pages from a page store, a page store. Reading the input is the first stage: pages wait
in memory until there are `WAITING_PAGES`, then they are written to shards, and a line of the journal records
the number of items that were read. An interrupted run resumes after the last line; shards that the journal
does not contain are removed. A lock prevents that two audits work in one folder.

The results have a row for each page: in a part for each shard, with the sketches of the pages and a summary
with the failures, and in ``pages.parquet``. A file appears when it is complete.
"""

from __future__ import annotations

import json
import math
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from webgrain.base.errors import InputError, require, writing
from webgrain.base.failures import Failure
from webgrain.duplicates.index import storable
from webgrain.duplicates.sketches import FACTS, Sketch
from webgrain.extraction.document import METADATA_FIELDS, comment_records
from webgrain.io.local import FolderAssets, ZipAssets, replacing, safe_name
from webgrain.io.store import open_store, read_store
from webgrain.page.page import Assets, Page, Source
from webgrain.site import thresholds
from webgrain.site.checks import CHECKS, LINKS
from webgrain.site.model import Prediction
from webgrain.site.pipeline import Item

Row = dict[str, Any]

T = TypeVar("T")

COLUMNS = (
    ("page", "string"),
    ("url", "string"),
    ("site", "string"),
    ("type_name", "string"),
    ("type", "string"),
    ("type_confidence", "float64"),
    ("template_match", "float64"),
    ("fits", "bool_"),
    ("verdict", "string"),
    ("title", "string"),
    ("text", "string"),
    ("comments", "string"),
    *((name, "list" if name == "tags" else "string") for name in METADATA_FIELDS),
    ("boilerplate_share", "float64"),
    ("noise_share", "float64"),
    ("lists", "string"),
    ("confidence", "float64"),
    ("nodes", "int64"),
    ("notes", "list"),
    *CHECKS,
)
"""Columns of a page in a part; ``lists``: the records of its lists, as JSON; ``comments``: author, date and
text of its comments, as JSON. ``noise_share``: the old name of ``boilerplate_share``, for one release."""

OF_SITE = (
    *(("cluster", "int64"), ("representative", "string"), ("incoming_links", "int64")),
    *(("broken_links", "int64"), ("depth", "int64"), ("search_clicks", "int64"), ("queries", "list")),
)
"""Columns that only ``pages.parquet`` has: the number of a cluster of near-duplicates, and its first page;
pages that link to the page, broken links on it, and clicks from the start page, None if no links lead there;
clicks on it in the search log, None without a log, and the queries of most of them.
"""

_SKETCH = (("facts", "binary"), ("hashes", "binary"))
PART_COLUMNS = (*COLUMNS, *LINKS, *_SKETCH)
"""Columns of a part: with the links and the sketches of the pages."""

_SUMMARY = b"webgrain audit"


@dataclass(slots=True)
class Summary:
    """The summary of a part: number of pages, seconds of each stage, and failures."""

    pages: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


def page_row(found: Prediction, site: str) -> Row:
    """Return the row of a page."""
    confidence, known = found.assigned.confidence, found.metadata
    lists = [each.to_dict() for each in found.lists]
    return {
        "page": found.id,
        "url": found.url,
        "site": site,
        "type_name": found.type_name,
        "type": found.type,
        "type_confidence": None if confidence is None else round(confidence, 4),
        "template_match": found.template_match,
        "fits": found.fits,
        "verdict": found.verdict,
        "title": found.title,
        "text": found.text,
        "comments": _as_json(comment_records(found.comments)),
        **{name: known.get(name) for name in METADATA_FIELDS},
        "tags": list(known.get("tags", ())),
        "boilerplate_share": round(found.boilerplate_share, 4),
        "noise_share": round(found.boilerplate_share, 4),
        "lists": _as_json(lists),
        "confidence": round(found.confidence, 4),
        "nodes": len(found.page.dom),
        "notes": list(found.page.notes),
    }


def _as_json(records: Sequence[Row]) -> str | None:
    return json.dumps(records, ensure_ascii=False) if records else None


def storable_cells(cells: Row) -> Row:
    """Return cells whose texts can be stored."""

    def stored(value: Any) -> Any:
        if isinstance(value, str):
            return storable(value)
        return list(map(storable, value)) if isinstance(value, list) else value

    return {name: stored(value) for name, value in cells.items()}


def sketch_row(sketch: Sketch) -> Row:
    """Return the sketch of a page as cells."""
    return {"facts": sketch.facts.tobytes(), "hashes": sketch.hashes.astype("<u8").tobytes()}


def read_sketches(path: Path) -> Iterator[tuple[str, str | None, Sketch]]:
    """Yield the id, the URL and the sketch of each page of a part."""
    for row in read_rows(path, ["page", "url", *(name for name, _ in _SKETCH)]):
        facts = np.frombuffer(row["facts"], FACTS)[0]
        yield row["page"], row["url"], Sketch(facts, np.frombuffer(row["hashes"], "<u8"))


def write_rows(
    path: Path, rows: Iterable[Row], columns: Sequence[tuple[str, str]], summary: Summary | None = None
) -> None:
    """Write rows to a Parquet file, which appears when it is complete; the summary is written last."""
    arrow = require("pyarrow", "store", "Audits")
    texts = arrow.list_(arrow.string())
    kinds = [(name, texts if kind == "list" else getattr(arrow, kind)()) for name, kind in columns]
    schema = arrow.schema(kinds)
    parquet = require("pyarrow.parquet", "store", "Audits")
    with replacing(path) as part, parquet.ParquetWriter(part, schema, compression="zstd") as file:
        for batch in batches(rows, math.inf, _row_size, thresholds.BATCH_CHARACTERS):
            file.write_table(arrow.Table.from_pylist(batch, schema))
        if summary is not None:
            file.add_key_value_metadata({_SUMMARY: json.dumps(asdict(summary))})


def _row_size(row: Row) -> int:
    """Return the characters and bytes of a row, see `CELL_CHARACTERS`."""
    return thresholds.CELL_CHARACTERS * len(row) + sum(map(_cell_size, row.values()))


def _cell_size(cell: Any) -> int:
    """Return the characters or bytes of a cell, of all texts of a list."""
    kind = type(cell)  # of each cell of a table, so it is not compared with a union of types
    if kind is str or kind is bytes:
        return len(cell)
    return sum(map(_cell_size, cell)) if kind is list else 0


def batches(
    items: Iterable[T], most: float, size: Callable[[T], int] = lambda item: 0, room: float = math.inf
) -> Iterator[list[T]]:
    """Yield lists of at most ``most`` items; a list also ends when the sum of their sizes reaches ``room``.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    batch, total = list[T](), 0
    for item in items:
        batch.append(item)
        total += size(item)
        if len(batch) >= most or total >= room:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def read_rows(
    path: Path, columns: Sequence[str] | None = None, *, where: tuple[str, Sequence[str]] | None = None
) -> Iterator[Row]:
    """Yield the rows of a table.

    columns: None for all. where: a column and the values that the rows have there, for a table of short rows.
    """
    with _open(path) as file:
        size = thresholds.BATCH_ROWS if where is None else thresholds.SHORT_ROWS
        for batch in file.iter_batches(size, columns=columns):
            if where is None:
                yield from batch.to_pylist()
            else:
                column, values = where
                chosen = np.isin(batch[column].to_numpy(zero_copy_only=False), values)
                yield from batch.filter(chosen).to_pylist()


def read_summary(path: Path) -> Summary:
    """Return the summary of a part."""
    with _open(path) as file:
        record = json.loads(file.metadata.metadata[_SUMMARY])
    return Summary(record["pages"], record["seconds"], [Failure(**row) for row in record["failures"]])


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    """Open a Parquet file; raises `InputError` if it is damaged."""
    arrow, parquet = (require(name, "store", "Audits") for name in ("pyarrow", "pyarrow.parquet"))
    try:
        with parquet.ParquetFile(path) as file:
            yield file
    except (OSError, ValueError, arrow.ArrowException) as error:
        damaged = "the folder" if path.name.endswith((STORED, RAW)) else "it"
        raise InputError(f"{path} is damaged: remove {damaged} and start the audit again.") from error


STORED = ".pages.parquet"
"""Ending of the name of a shard that is a page store; other shards end in `RAW`."""

RAW = ".raw.parquet"

_COLUMNS = (
    *((name, "string") for name in ("id", "url", "charset", "path", "assets")),
    ("body", "large_binary"),
)


def write_shard(stem: Path, items: Sequence[Source | Page]) -> Path:
    """Write pages, all sources or all parsed, to a shard; return its path, of which stem is the beginning.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_shard(Path(folder) / "00000", [Source("a.html", b"<p>Hi")])
    ...     path.name, [(page.id, page.body) for page in read_shard(path)]
    ('00000.raw.parquet', [('a.html', b'<p>Hi')])
    """
    if items and isinstance(items[0], Page):
        path = stem.with_name(stem.name + STORED)
        with open_store(path) as store:
            for item in items:
                if isinstance(item, Page):
                    store.write(item)
    else:
        path = stem.with_name(stem.name + RAW)
        write_rows(path, (_row(item) for item in items if isinstance(item, Source)), _COLUMNS)
    return path


def read_shard(path: Path, only: Collection[str] | None = None) -> Iterator[Source | Page | Failure]:
    """Yield the pages of a shard; only: their ids, None for all pages."""
    if path.name.endswith(STORED):
        for item in read_store(path):
            if only is None or isinstance(item, Failure) or item.id in only:
                yield item
        return
    for row in read_rows(path):
        if only is None or row["id"] in only:
            assets = _assets(row["assets"])
            yield Source(row["id"], row["body"], row["url"], row["charset"], assets, row["path"])


def shard_ids(path: Path) -> list[str]:
    """Return the ids of the pages in a shard, in order."""
    return [row["id"] for row in read_rows(path, ["id"])]


def _row(source: Source) -> Row:
    return {
        "id": storable(source.id),
        "url": source.url and storable(source.url),
        "charset": source.charset and storable(source.charset),
        "path": storable(source.path),
        "assets": _location(source.assets),
        "body": source.body,
    }


def _location(assets: Assets | None) -> str | None:
    """Return the location of the files of a page; None if they cannot be opened again."""
    if isinstance(assets, FolderAssets):
        return f"folder {assets.root.absolute()}"
    return f"zip {assets.path.absolute()}" if isinstance(assets, ZipAssets) else None


def _assets(location: str | None) -> Assets | None:
    kind, _, path = (location or "").partition(" ")
    if kind == "folder":
        return FolderAssets(Path(path))
    return ZipAssets(Path(path)) if kind == "zip" else None


_JOURNAL = "read.jsonl"
_END = "end"


@dataclass(slots=True)
class Intake:
    """The part of the input that has been read.

    Attributes:
        items: number of items that were read.
        shards: the shards of each site, by its name, in order; paths relative to the folder.
        failures: items that could not be read.
        complete: whether the whole input has been read.
    """

    items: int = 0
    shards: dict[str, list[str]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    complete: bool = False

    def add(self, line: Mapping[str, Any]) -> None:
        """Add what a line of the journal states."""
        self.items += line["items"]
        for site, shard in line["shards"]:
            self.shards.setdefault(site, []).append(shard)
        self.failures += [Failure(**failure) for failure in line["failures"]]
        self.complete = line[_END]


def take_in(
    read: Callable[[int], Iterable[Item]], folder: Path, advance: Callable[[], object] = lambda: None
) -> Intake:
    """Write the pages of the input to shards in a folder, or resume an interrupted call.

    read: returns the items of the input after the first n; advance: called after each item.

    >>> import tempfile
    >>> from pathlib import Path
    >>> pages = [Source("a", b"<p>One", url="http://www.example.org/"), Source("b", b"<p>Two")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = take_in(lambda first: pages[first:], Path(folder))
    >>> done.items, sorted(done.shards)
    (2, ['', 'example.org'])
    """
    path, done = folder / _JOURNAL, Intake()
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
        journal = path.open("a+b")
    with journal:
        journal.seek(0)
        whole = [line for line in journal if line.endswith(b"\n")]  # a process that dies leaves part of one
        journal.truncate(sum(map(len, whole)))
        for line in whole:
            done.add(json.loads(line))
        _remove_unknown(folder, done)

        if done.complete:
            return done
        most, room = thresholds.WAITING_PAGES, thresholds.WAITING_BYTES
        waiting = batches(_announced(read(done.items), advance), most, _size, room)
        for some in chain(waiting, [[]]):  # no items: the end
            record = {
                "items": len(some),
                "shards": _write_shards(folder, some, done.items),
                "failures": [asdict(item) for item in some if isinstance(item, Failure)],
                _END: not some,
            }
            journal.write((json.dumps(record) + "\n").encode())
            journal.flush()
            os.fsync(journal.fileno())
            done.add(record)
            some.clear()  # before the next ones are read
    return done


def _announced(items: Iterable[Item], advance: Callable[[], object]) -> Iterator[Item]:
    for item in items:
        advance()
        yield item


def _write_shards(folder: Path, items: Iterable[Item], start: int) -> list[tuple[str, str]]:
    """Write pages to shards named after the number of their first item; return site and path of each."""
    by_site = defaultdict[tuple[str, bool], list[Source | Page]](list)
    for item in items:
        if not isinstance(item, Failure):
            by_site[site_of(item.url), isinstance(item, Page)].append(item)
    written = []
    for (site, _), pages in by_site.items():
        shards = folder / "sites" / folder_of(site) / "shards"
        shards.mkdir(parents=True, exist_ok=True)
        for k in range(0, len(pages), thresholds.SHARD_PAGES):
            path = write_shard(shards / f"{start + k:09}", pages[k : k + thresholds.SHARD_PAGES])
            written.append((site, path.relative_to(folder).as_posix()))
    return written


def site_of(url: str | None) -> str:
    """Return the site of an address: its host without ``www.``; empty for none.

    >>> site_of("https://www.Example.org:8080/a")
    'example.org:8080'
    """
    try:
        host = urlsplit(url or "").netloc.rpartition("@")[2].lower()
    except ValueError:  # not a valid URL
        return ""
    return host.removeprefix("www.")


def folder_of(site: str) -> str:
    """Return the name of the folder of a site; an underscore for pages without an address.

    >>> folder_of("example.org:8080"), folder_of("")
    ('example.org_8080-9e2c0280', '_')
    """
    return safe_name(site) if site else "_"


def _remove_unknown(folder: Path, done: Intake) -> None:
    """Remove the shards of an incomplete batch, since its pages are read again."""
    known = {shard for shards in done.shards.values() for shard in shards}
    for path in folder.glob("sites/*/shards/*"):
        if path.relative_to(folder).as_posix() not in known:
            path.unlink()


def _size(item: Item) -> int:
    if isinstance(item, Source):
        return len(item.body)
    return 100 * len(item.dom) + len(item.screenshot or b"") if isinstance(item, Page) else 0


_PLAN, _LOCK, _TIMES = "plan.json", "lock", "times.jsonl"


@dataclass(frozen=True, slots=True)
class Place:
    """The paths of one site.

    Attributes:
        site: its name; empty for pages without an address.
        shards: its pages, in order.
        work: folder of intermediate files; results: folder of the results.
    """

    site: str
    shards: tuple[Path, ...]
    work: Path
    results: Path

    @property
    def model(self) -> Path:
        """The model of the site; it is copied to the results."""
        return self.work / "site-model.json"

    @property
    def parts(self) -> tuple[Path, ...]:
        """A part for each shard."""
        return tuple(self.work / "parts" / f"{shard.name.partition('.')[0]}.parquet" for shard in self.shards)

    @property
    def index(self) -> Path:
        """The sketches of its pages."""
        return self.work / "duplicates.db"

    @property
    def pairs(self) -> Path:
        """The pairs of similar pages with a page of the site."""
        return self.work / "pairs.jsonl"

    @property
    def learning(self) -> Path:
        """The folder of what has been learnt so far, while the site is learnt."""
        return self.work / "learning"

    @property
    def samples(self) -> Path:
        """The page store of the sample pages."""
        return self.work / "samples.parquet"


class Workspace:
    """The folder of an audit, created if it does not exist; raises `InputError` if that fails."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.work = folder, folder / "work"
        try:
            self.work.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"The folder {folder} cannot be created: {error.strerror}.") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder; raises `InputError` if another audit is running in it."""
        try:
            import fcntl
        except ImportError:  # not a Unix system: no lock
            yield
            return
        with (self.work / _LOCK).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(f"Another audit is running in {self.folder}.") from error
            yield

    def check_plan(self, plan: Mapping[str, Any]) -> None:
        """Record the settings of the audit; raises `InputError` if the folder has a different audit."""
        path, settings = self.work / _PLAN, json.loads(json.dumps(plan))
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            with replacing(path) as part:
                part.write_text(json.dumps(settings, indent=1), encoding="utf-8")
            return
        except ValueError:
            before = None
        if before != settings:
            known = before if isinstance(before, dict) else {}
            other = f"{self.folder} contains a different audit{_difference(known, settings)}"
            raise InputError(f"{other}: name another folder, or remove it to start again.")

    def places(self, intake: Intake) -> list[Place]:
        """Return the paths of the sites; the results of a single site are in the folder itself."""
        alone = len(intake.shards) == 1
        return [
            Place(
                site,
                tuple(self.work / shard for shard in shards),
                self.work / "sites" / folder_of(site),
                self.folder if alone else self.folder / folder_of(site),
            )
            for site, shards in sorted(intake.shards.items())
        ]

    def add_time(self, site: str, stage: str, seconds: float) -> None:
        """Record the duration of a stage."""
        with (self.work / _TIMES).open("a", encoding="utf-8") as file:
            file.write(json.dumps([site, stage, seconds]) + "\n")

    def times(self, sites: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Yield the stages of some sites with their seconds; incomplete lines are ignored."""
        try:
            lines = (self.work / _TIMES).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            with suppress(ValueError):
                site, stage, seconds = json.loads(line)
                if site in sites:
                    yield stage, seconds


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return in words how two plans differ; an empty text if the first is unknown.

    >>> before, now = ({"sample": most, "layout": {"render": "none"}} for most in (600, 9))
    >>> _difference(before, now)
    ' (sample was 600, is 9)'
    """
    old, new = _flat(before), _flat(now)
    changes = [
        f"{name} was {json.dumps(old.get(name))}, is {json.dumps(new.get(name))}"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]
    return f" ({'; '.join(changes)})" if old and changes else ""


def _flat(plan: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return a plan without nested plans: their names are joined."""
    found: dict[str, Any] = {}
    for name, value in plan.items():
        known = f"{above}{name.replace('_', ' ')}"
        found |= _flat(value, f"{known} ") if isinstance(value, dict) else {known: value}
    return found
