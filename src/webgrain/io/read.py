"""Pages from one file, a folder or standard input.

Pages from whatever the user names: files, folders, archives, addresses, stores.

What an input is follows from how it is written:

==================  ==============================================  ========================================
input               pages                                           id of a page
==================  ==============================================  ========================================
``a.html[.gz]``     the file                                        the path as typed
a folder            its HTML files, at any depth, sorted by name    the path below the folder
``-``               standard input                                  ``-``
``*.zip``           its HTML members                                the member's name
``*.warc[.gz]``     its HTML responses                              the target URI
``*.parquet``       rendered pages that were stored                 as when they were stored
``http[s]://...``   what the server answers                         the address as typed
==================  ==============================================  ========================================

When there are several inputs, folders and zip archives are put before the names in them (``site/a.html``).
Should two pages still come under one id, the second gets ``" (2)"`` behind it: no id is given twice.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from webgrain.errors import InputError, ParameterError, ReadError
from webgrain.io.archives import read_warc, read_zip
from webgrain.io.decode import HEAD, has_html_name, is_html, unpack
from webgrain.io.fetch import Patience, fetch, is_url
from webgrain.io.local import FolderAssets, attempt, printable, read_regular
from webgrain.io.store import check_store, read_store
from webgrain.page.page import Limits, Page, Source
from webgrain.results import Failure


@dataclass(frozen=True)
class Place:
    """Where the files of one input lie and how they are read.

    Attributes:
        assets: the folder whose files the pages may load.
        limits: a body is read up to one byte more than ``limits.bytes``, counted after decompression, so
            that the cut can be told.
    """

    assets: FolderAssets
    limits: Limits

    def read(self, path: Path, page: str, declared: bool) -> Source:
        """Read the page at ``path`` under the id ``page``; `ReadError` where it is not HTML."""
        limit = self.limits.bytes + 1
        body = unpack(read_regular(path, limit), path.name, limit)
        if not is_html(body[:HEAD], declared):
            raise ReadError(f"{page} is not HTML.")
        below = Path(os.path.abspath(path)).relative_to(os.path.abspath(self.assets.root))
        return Source(page, body, assets=self.assets, path=printable(below.as_posix()))


def read_file(path: Path, page: str, place: Place) -> Source | Failure:
    """Read one file that the user named.

    >>> from webgrain.io.local import FolderAssets
    >>> place = Place(FolderAssets(Path("/missing")), Limits())
    >>> read_file(Path("/missing/a.html"), "a.html", place).error
    'No such file or directory.'
    """
    return attempt(page, lambda: place.read(path, page, has_html_name(path.name)))


def read_stdin(
    limits: Limits, assets: FolderAssets | None, stdin: BinaryIO | None = None
) -> Source | Failure:
    """Read one page from standard input; its id is ``-``.

    >>> import io
    >>> read_stdin(Limits(), None, io.BytesIO(b"<p>Hi")).body
    b'<p>Hi'
    """

    def read() -> Source:
        limit = limits.bytes + 1
        body = unpack((stdin or sys.stdin.buffer).read(limit), "", limit)
        if not is_html(body[:HEAD], declared=True):
            raise ReadError("Standard input is not HTML.")
        return Source("-", body, assets=assets)

    return attempt("-", read)


def read_folder(folder: Path, prefix: str, place: Place) -> Iterator[Source | Failure]:
    """Read the HTML files below a folder, sorted by name, sub-folders at their place in the order.

    A file is a page if its name ends as HTML names do (``.gz`` or ``.br`` may follow) or if it begins as an
    HTML document; other files and hidden ones (``.git``) are passed over. A link to a file inside the folder
    is followed; a link to a folder or to anything outside becomes a `Failure`, as does what cannot be read.

    Args:
        folder: where to look.
        prefix: put before the path below ``folder`` to make the id of a page.
        place: how to read.

    >>> import tempfile
    >>> from webgrain.io.local import FolderAssets
    >>> with tempfile.TemporaryDirectory() as name:
    ...     for file in "b.html", "a.html", "main.css":
    ...         _ = (Path(name) / file).write_text("")
    ...     [page.path for page in read_folder(Path(name), "", Place(FolderAssets(Path(name)), Limits()))]
    ['a.html', 'b.html']
    """
    real = folder.resolve()
    for path, reason in _walk(folder):
        page = prefix + printable(path.relative_to(folder).as_posix())
        declared = has_html_name(path.name)
        if reason:
            yield Failure(page, ReadError.stage, reason)
        elif declared or _is_document(path):
            yield attempt(page, partial(_read_below, real, path, page, declared, place))


def warcs_in(path: Path) -> list[Path]:
    """Return the web archives below a folder, sorted by name; nothing for what is no folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     for file in "b.warc.gz", "a.warc", "c.html":
    ...         _ = (Path(name) / file).write_text("")
    ...     [found.name for found in warcs_in(Path(name))]
    ['a.warc', 'b.warc.gz']
    """
    if not path.is_dir():
        return []
    found = (file for file, reason in _walk(path) if not reason)
    return [file for file in found if file.name.lower().endswith((".warc", ".warc.gz"))]


def _walk(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """Yield the files below a folder in order, each with the reason not to read it, where there is one."""
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        if path.is_symlink() and path != folder:
            yield path, "Links to folders are not followed." if path.is_dir() else None
        elif not path.is_dir():
            yield path, None
        else:
            try:
                names = sorted(os.listdir(path), reverse=True)
            except OSError as error:
                yield path, f"{error.strerror}."
                continue
            waiting.extend(path / name for name in names if not name.startswith("."))


def _is_document(path: Path) -> bool:
    try:
        return is_html(read_regular(path, HEAD), declared=False)
    except (OSError, ReadError):
        return False


def _read_below(root: Path, path: Path, page: str, declared: bool, place: Place) -> Source:
    if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(root):
        raise ReadError(f"{page} is a link that leads out of the folder.")
    return place.read(path, page, declared)


Item = Source | Page | Failure
"""What reading gives: the bytes of a page, a page from a store, or why there is none."""

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
_MAX_ADDRESS = 8192


@dataclass(frozen=True, slots=True)
class _Settings:
    limits: Limits
    root: Path | None
    patience: Patience
    several: bool


def read(
    inputs: Sequence[str | Path],
    *,
    urls: Path | None = None,
    limits: Limits | None = None,
    root: Path | None = None,
    patience: Patience | None = None,
    first: int = 0,
) -> Iterator[Item]:
    """Read pages one after the other; only the one at hand is kept in memory.

    inputs: what to read, see above. urls: a text file with one address a line; blank lines and those that
    begin with ``#`` are passed over. limits: how much of a page is read. root: the folder whose files the
    pages may load; by default the folder that was given, or the one that a single file lies in. patience: how
    long an address may take. first: so many pages are left out at the beginning, as an earlier call has given
    them; listed addresses among them are not fetched again.

    What cannot be read becomes a `Failure`, and the others go on. `InputError` is raised at once, before
    anything is read, when an input does not exist, does not lie below ``root`` or is no page store.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "index.html").write_text("<p>Hi")
    ...     [(page.id, page.body) for page in read([folder])]
    [('index.html', b'<p>Hi')]
    """
    if isinstance(inputs, str | Path):
        raise ParameterError(f"read expects a list of inputs, got the single {str(inputs)!r}.")
    given = [str(name) for name in inputs]
    if not given and urls is None:
        raise ParameterError("read expects at least one input, got none.")
    for name in given:
        _check(name, root)
    if given.count("-") > 1:
        raise InputError("Standard input can be read only once, but - is given more than once.")
    if urls is not None and (not urls.exists() or urls.is_dir()):
        raise InputError(f"The list of addresses {urls} is not a file.")
    settings = _Settings(
        limits or Limits(), root, patience or Patience(), len(given) + (urls is not None) > 1
    )
    items = _Counted(chain.from_iterable(_open(name, settings) for name in given))
    listed = _fetched(urls, settings, lambda: first - items.count) if urls else ()
    return islice(_unique(chain(items, listed)), first, None)


class _Counted:
    """Items, and how many there have been."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items, self.count = items, 0

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            self.count += 1
            yield item


def _fetched(urls: Path, settings: _Settings, left_out: Callable[[], int]) -> Iterator[Item]:
    """Fetch the addresses in a list; those that are left out are only named."""
    addresses = _addresses(urls)
    for address in islice(addresses, max(0, left_out())):
        yield Failure(address, "fetch", "it was fetched before.")
    yield from fetch(addresses, settings.limits, settings.patience)


def _check(given: str, root: Path | None) -> None:
    if not given:
        raise InputError("An input is empty: expected a file, a folder, an address or -.")
    if given == "-" or is_url(given):
        return
    path = Path(given)
    if not os.path.lexists(path):
        if _SCHEME.match(given):
            raise InputError(f"Only http and https addresses are fetched, got {given}.")
        raise InputError(f"{given} does not exist.")
    if path.suffix.lower() == ".parquet":
        check_store(path)
    if root is not None and not Path(os.path.abspath(path)).is_relative_to(os.path.abspath(root)):
        raise InputError(f"{given} does not lie below the root {root}.")


def _open(given: str, settings: _Settings) -> Iterator[Item]:
    path, page, limits = Path(given), printable(given), settings.limits
    prefix = printable(path.as_posix()) + "/" if settings.several else ""
    if given == "-":
        return iter([read_stdin(limits, FolderAssets(settings.root) if settings.root else None)])
    if is_url(given):
        return fetch([page], limits, settings.patience)
    if path.is_dir():
        return read_folder(path, prefix, Place(FolderAssets(settings.root or path), limits))
    name = path.name.lower()
    if name.endswith(".parquet"):
        return read_store(path)
    if name.endswith(".zip"):
        return read_zip(path, page, prefix, limits)
    if name.endswith((".warc", ".warc.gz")):
        return read_warc(path, page, limits)
    return iter([read_file(path, page, Place(FolderAssets(settings.root or path.parent), limits))])


def _addresses(urls: Path) -> Iterator[str]:
    with open(urls, encoding="utf-8-sig", errors="replace") as file:
        while line := file.readline(_MAX_ADDRESS):
            if line.strip() and not line.startswith("#"):
                yield printable(line.strip())


def _unique(items: Iterable[Item]) -> Iterator[Item]:
    """Put numbers behind the ids that come again: ``a``, ``a (2)``, ``a (3)``."""
    seen: dict[int, int] = {}  # hash of an id -> how often; nothing else is kept of a page
    for item in items:
        first = name = item.page if isinstance(item, Failure) else item.id
        while hash(name) in seen:
            seen[hash(first)] += 1
            name = f"{first} ({seen[hash(first)]})"
        seen[hash(name)] = 1
        if name == first:
            yield item
        else:
            yield replace(item, page=name) if isinstance(item, Failure) else replace(item, id=name)
