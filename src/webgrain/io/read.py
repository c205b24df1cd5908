"""Pages from whatever the user names: files, folders, archives, addresses, stores.

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
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from webgrain.errors import InputError, ParameterError
from webgrain.io.assets import FolderAssets
from webgrain.io.fetch import Patience, fetch, is_url
from webgrain.io.files import Place, read_file, read_folder, read_stdin
from webgrain.io.local import printable
from webgrain.io.store import check_store, read_store
from webgrain.io.warc import read_warc
from webgrain.io.zips import read_zip
from webgrain.page.page import Limits, Page, Source
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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
