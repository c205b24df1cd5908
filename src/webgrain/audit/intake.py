"""The first stage of an audit: pages of any inputs become shards by site, and none is read twice.

Pages wait in memory until there are `WAITING` of them; then all are written, and a line in the journal says
how many items of the input have been dealt with. A run that was killed goes on behind the last such line:
shards that it does not name are removed.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webgrain.audit.shards import write_shard
from webgrain.errors import InputError
from webgrain.io.local import safe_name
from webgrain.page.page import Page, Source
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from webgrain.pipeline import Item

SHARD = 128
"""Pages in a shard, at most."""

WAITING = 1024
"""Items that wait to be written, at most."""

WAITING_BYTES = 64 * 2**20

_JOURNAL = "read.jsonl"
_END = "end"


@dataclass(slots=True)
class Intake:
    """What has been read so far.

    Attributes:
        items: items of the input that have been dealt with.
        shards: the shards of each site, by its name, in order; paths below the folder.
        failures: what could not be read.
        complete: whether that is all.
    """

    items: int = 0
    shards: dict[str, list[str]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    complete: bool = False


def take_in(
    read: Callable[[int], Iterable[Item]], folder: Path, advance: Callable[[], object] = lambda: None
) -> Intake:
    """Write the pages of the input to shards in a folder, or go on where an earlier call was stopped.

    read: gives the items of the input without so many from its beginning; advance: called after each item.

    >>> import tempfile
    >>> from pathlib import Path
    >>> pages = [Source("a", b"<p>One", url="http://www.example.org/"), Source("b", b"<p>Two")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = take_in(lambda first: pages[first:], Path(folder))
    >>> done.items, sorted(done.shards)
    (2, ['', 'example.org'])
    """
    done = read_journal(folder)
    _remove_unknown(folder, done)
    if done.complete:
        return done
    with _Journal(folder, done) as journal:
        for item in read(done.items):
            journal.add(item)
            advance()
    return done


def read_journal(folder: Path) -> Intake:
    """Return what the journal in a folder tells; a last line that was cut off does not count."""
    done = Intake()
    try:
        lines = (folder / _JOURNAL).read_text(encoding="utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return done
    for line in lines:
        if not line.endswith("\n"):
            break
        _apply(done, json.loads(line))
    return done


def site_of(item: Source | Page) -> str:
    """Return the site that a page belongs to: the host of its address without ``www.``; empty for none.

    >>> site_of(Source("a", b"", url="https://www.Example.org:8080/a"))
    'example.org:8080'
    """
    return site_at(item.url)


def site_at(url: str | None) -> str:
    """Return the site that an address belongs to, as `site_of` does."""
    try:
        host = urlsplit(url or "").netloc.rpartition("@")[2].lower()
    except ValueError:  # no address, whatever it looks like
        return ""
    return host.removeprefix("www.")


def folder_of(site: str) -> str:
    """Return the name of the folder of a site; of pages without an address an underscore.

    >>> folder_of("example.org:8080"), folder_of("")
    ('example.org_8080-9e2c0280', '_')
    """
    return safe_name(site) if site else "_"


class _Journal:
    """Writes shards and says so."""

    def __init__(self, folder: Path, done: Intake) -> None:
        self._folder, self._done = folder, done
        self._waiting: list[Item] = []
        self._bytes = 0

    def __enter__(self) -> _Journal:
        path = self._folder / _JOURNAL
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            size = sum(map(len, _whole_lines(path)))
            self._file = path.open("ab")
            self._file.truncate(size)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from error
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._checkpoint(_END)
        self._file.close()

    def add(self, item: Item) -> None:
        self._waiting.append(item)
        self._bytes += _size(item)
        if len(self._waiting) >= WAITING or self._bytes >= WAITING_BYTES:
            self._checkpoint()

    def _checkpoint(self, end: str = "") -> None:
        """Write all that waits, then the line that says so."""
        by_site = defaultdict[tuple[str, bool], list[Source | Page]](list)
        for item in self._waiting:
            if not isinstance(item, Failure):
                by_site[site_of(item), isinstance(item, Page)].append(item)
        written = [
            [site, self._write(site, pages[start : start + SHARD], start)]
            for (site, _), pages in by_site.items()
            for start in range(0, len(pages), SHARD)
        ]
        told = {
            "items": len(self._waiting),
            "shards": written,
            "failures": [asdict(item) for item in self._waiting if isinstance(item, Failure)],
            _END: bool(end),
        }
        self._file.write((json.dumps(told) + "\n").encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        _apply(self._done, told)
        self._waiting, self._bytes = [], 0

    def _write(self, site: str, pages: list[Source | Page], start: int) -> str:
        """Write a shard; its number is that of the item that its batch began with."""
        folder = self._folder / "sites" / folder_of(site) / "shards"
        folder.mkdir(parents=True, exist_ok=True)
        path = write_shard(folder / f"{self._done.items + start:09}", pages)
        return path.relative_to(self._folder).as_posix()


def _whole_lines(path: Path) -> list[bytes]:
    try:
        with path.open("rb") as file:
            return [line for line in file if line.endswith(b"\n")]
    except FileNotFoundError:
        return []


def _apply(done: Intake, told: dict[str, Any]) -> None:
    done.items += told["items"]
    for site, shard in told["shards"]:
        done.shards.setdefault(site, []).append(shard)
    done.failures += [Failure(**failure) for failure in told["failures"]]
    done.complete = told[_END]


def _remove_unknown(folder: Path, done: Intake) -> None:
    """Remove shards of a batch that was not finished: its pages come again."""
    known = {shard for shards in done.shards.values() for shard in shards}
    for path in folder.glob("sites/*/shards/*"):
        if path.relative_to(folder).as_posix() not in known:
            path.unlink()


def _size(item: Item) -> int:
    if isinstance(item, Source):
        return len(item.body)
    return 100 * len(item.dom) + len(item.screenshot or b"") if isinstance(item, Page) else 0
