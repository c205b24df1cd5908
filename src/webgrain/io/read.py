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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from webgrain.errors import InputError, ParameterError, ReadError
from webgrain.io.archives import read_warc, read_zip
from webgrain.io.decode import HEAD, has_html_name, is_html, unpack
from webgrain.io.fetch import Patience, fetch, is_url
from webgrain.io.local import FolderAssets, printable, read_page, read_regular
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
    return read_page(page, lambda: place.read(path, page, has_html_name(path.name)))


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

    return read_page("-", read)


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
            yield read_page(page, partial(_read_below, real, path, page, declared, place))


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

Input = str | Path | bytes | Source | Page | Failure | tuple[str, str | bytes]
"""A path, a URL, HTML, or a page."""

Inputs = Input | Iterable[Input] | Mapping[str, str | bytes]
"""What `read` accepts."""

_EXPECTED = "Expected a path, a URL, or a list of paths, URLs, HTML, (id, HTML) pairs, Sources or Pages"
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
_MAX_ADDRESS = 8192


@dataclass(frozen=True, slots=True)
class _Settings:
    limits: Limits
    root: Path | None
    patience: Patience
    several: bool


def read(
    inputs: Inputs,
    *,
    urls: Path | None = None,
    limits: Limits | None = None,
    root: Path | None = None,
    patience: Patience | None = None,
    first: int = 0,
) -> Iterator[Item]:
    """Yield the pages of one or several inputs; only the current page is kept in memory.

    Args:
        inputs: a file, a folder or a URL, as `str` or `Path` (see the table above), or a list of inputs. In a
            list, an input is also HTML as `bytes` or as a `str` that contains ``<``, a pair of a page id and
            HTML, a `Source`, a `Page` or a `Failure`. HTML without an id gets the id ``page-1``, ``page-2``,
            ..., its position in the list. A mapping is read as a list of pairs.
        urls: a text file with one URL per line; blank lines and lines that begin with ``#`` are ignored.
        limits: how much of a page is read.
        root: the folder whose files the pages may load; by default the folder that was given, or the folder
            of a single file.
        patience: how long the download of a page may take.
        first: number of pages to skip at the beginning; URLs of ``urls`` among them are not fetched.

    A page that cannot be read becomes a `Failure`; the others are read.

    Raises:
        InputError: an input does not exist, is not below ``root``, or is not a page store. A list is checked
            when `read` is called, an iterator as it is read.
        ParameterError: an input has another type.

    >>> [(page.id, page.body) for page in read(["<p>Hi", ("a.html", b"<p>Hello")])]
    [('page-1', b'<p>Hi'), ('a.html', b'<p>Hello')]
    """
    given = _given(inputs)
    if not isinstance(given, Iterator):
        if not given and urls is None:
            raise ParameterError("read expects at least one input, got none.")
        for item in given:
            _check(item, root)
        if sum(isinstance(item, str) and item == "-" for item in given) > 1:
            raise InputError("Standard input can be read only once, but - is given more than once.")
    if urls is not None and (not urls.exists() or urls.is_dir()):
        raise InputError(f"The list of addresses {urls} is not a file.")
    several = isinstance(given, Iterator) or len(given) + (urls is not None) > 1
    settings = _Settings(limits or Limits(), root, patience or Patience(), several)
    items = _Counted(
        chain.from_iterable(_open(item, number, settings) for number, item in enumerate(given, 1))
    )
    listed = _fetched(urls, settings, lambda: first - items.count) if urls else ()
    return islice(_unique(chain(items, listed)), first, None)


def as_sources(pages: Inputs) -> Iterator[Item]:
    """Yield the pages that were passed to a method: what `read` accepts, without options.

    >>> [page.id for page in as_sources(["<h1>A</h1>", "<h1>B</h1>"])]
    ['page-1', 'page-2']
    """
    return read(pages)


def _given(inputs: Inputs) -> list[Any] | Iterator[Any]:
    """Return inputs as a list; an iterator stays one."""
    if isinstance(inputs, str | Path | bytes | Source | Page | Failure):
        return [inputs]
    if isinstance(inputs, Mapping):
        return list(inputs.items())
    if isinstance(inputs, Iterator):
        return inputs
    if isinstance(inputs, Iterable):
        return list(inputs)
    raise ParameterError(f"{_EXPECTED}, got {type(inputs).__name__}.")


def _is_html(given: str) -> bool:
    return "<" in given and not os.path.lexists(given)


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


def _check(given: object, root: Path | None) -> None:
    """Raise `ParameterError` or `InputError` for an input that cannot be opened at all."""
    if isinstance(given, bytes | Source | Page | Failure):
        return
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        if isinstance(given[1], str | bytes):
            return
    elif isinstance(given, str | Path):
        if isinstance(given, Path) or not _is_html(given):
            _check_path(str(given), root)
        return
    raise ParameterError(f"{_EXPECTED}, got {given!r:.60}.")


def _check_path(given: str, root: Path | None) -> None:
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


def _open(given: Any, number: int, settings: _Settings) -> Iterator[Item]:
    _check(given, settings.root)
    if isinstance(given, Source | Page | Failure):
        return iter([given])
    if isinstance(given, tuple):
        return iter([_source(printable(given[0]), given[1])])
    if isinstance(given, bytes) or (isinstance(given, str) and _is_html(given)):
        return iter([_source(f"page-{number}", given)])
    return _open_path(str(given), settings)


def _source(page: str, html: str | bytes) -> Source:
    if isinstance(html, bytes):
        return Source(page, html)
    return Source(page, html.encode("utf-8", "replace"), charset="utf-8")


def _open_path(given: str, settings: _Settings) -> Iterator[Item]:
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
