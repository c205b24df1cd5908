"""Read pages from files, folders, archives, page stores and URLs, or from HTML and pages in memory.

The kind of an input follows from its type and name:

==========================  ==========================================  ======================================
input                       pages                                       id of a page
==========================  ==========================================  ======================================
``a.html[.gz]``             the file                                    the path as given
a folder                    its HTML files, recursively, in order of    the path below the folder
                            their names
``-``                       standard input                              ``-``
``*.zip``                   its HTML members                            the name of the member
``*.warc[.gz|.zst]``        its HTML responses                          the target URI
``*.parquet``               the pages of a page store                   the id in the store
``http[s]://...``           the response of the server                  the URL as given
bytes, or a str with ``<``  HTML                                        ``page-1``, ... (position in the list)
(id, HTML)                  HTML                                        the id
a Source, Page or Failure   itself                                      its id
==========================  ==========================================  ======================================

If there are several inputs, the ids of folders and zip archives begin with the path of the input
(``site/a.html``). Ids are unique: the second page with the same id gets the suffix ``" (2)"``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from webgrain.base.errors import InputError, ParameterError, ReadError
from webgrain.base.expressions import given_expression
from webgrain.base.failures import Failure
from webgrain.base.iterators import OneAtATime
from webgrain.io.decode import decompress_file, has_html_name
from webgrain.io.local import (
    FolderAssets,
    SiteFolder,
    assets_in,
    is_hidden,
    printable,
    read_page,
    read_regular,
    warn_of_hidden,
)
from webgrain.io.thresholds import MAX_URL
from webgrain.io.urls import Timeouts, is_url
from webgrain.page.filetypes import is_html, refused, saved_format, why_not_html
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import known_charset
from webgrain.page.thresholds import HEAD

Item = Source | Page | Failure
"""What `read` yields: the bytes of a page, a page of a store, or a failure."""

Input = str | Path | bytes | Source | Page | Failure | tuple[str, str | bytes]
"""A path, a URL, HTML, or a page."""

Inputs = Input | Iterable[Input] | Mapping[str, str | bytes]
"""What `read` accepts."""

_EXPECTED = "Expected a path, a URL, or a list of paths, URLs, HTML, (id, HTML) pairs, Sources or Pages"
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class _Settings:
    limits: Limits
    root: Path | None
    timeouts: Timeouts
    several: bool


def read(
    inputs: Inputs,
    *,
    urls: Path | None = None,
    limits: Limits | None = None,
    root: Path | None = None,
    timeouts: Timeouts | None = None,
    first: int = 0,
) -> Iterator[Item]:
    """Yield the pages of one or several inputs; only the current page is kept in memory.

    Args:
        inputs: one input of the table above, or a list of inputs. HTML as a `str` must be in a list or
            contain ``<``; a mapping is read as a list of pairs.
        urls: a text file with one URL per line; blank lines and lines that begin with ``#`` are ignored.
        limits: how much of a page is read.
        root: the folder whose files the pages may load; by default the folder that was given, or the folder
            of a single file.
        timeouts: how long the download of a page may take.
        first: number of pages to skip at the beginning; URLs of ``urls`` among them are not downloaded.

    A page that cannot be read becomes a `Failure`; the others are read.

    Raises:
        InputError: an input does not exist, is not below ``root``, or is not a page store. A list is checked
            when `read` is called, an iterator as it is read.
        ParameterError: an input has another type.

    >>> [(page.id, page.body) for page in read(["<p>Hi", ("a.html", b"<p>Hello")])]
    [('page-1', b'<p>Hi'), ('a.html', b'<p>Hello')]
    """
    given = _as_list(inputs)
    if isinstance(given, list):
        if not given and urls is None:
            raise ParameterError("read expects at least one input, got none.")
        for item in given:
            _check(item, root)
        stdins = [item for item in given if isinstance(item, str | Path) and str(item) == "-"]
        if len(stdins) > 1:
            raise InputError("Standard input can be read only once, but - is given more than once.")
    if urls is not None and (not urls.exists() or urls.is_dir()):
        raise InputError(f"The list of URLs {urls} is not a file.")
    several = not isinstance(given, list) or len(given) + (urls is not None) > 1
    settings = _Settings(limits or Limits(), root, timeouts or Timeouts(), several)
    items = _unique(_items(given, urls, first, settings))
    return OneAtATime(islice(items, first, None), "pages", "read")


def page_count(inputs: Iterable[str]) -> int | None:
    """Return the number of pages in files and folders by the names of the files, None for other inputs.

    Archives, page stores, URLs and stdin have to be read to count their pages, and files without an ending of
    HTML to know whether they are pages.

    >>> page_count(["-"]) is None
    True
    """
    count = 0
    for name in inputs:
        path = Path(name)
        if not is_url(name) and path.is_dir():
            files = (file.name for file, reason in _walk(path, []) if not reason)
            count += sum(map(has_html_name, files))
        elif has_html_name(name) and not is_url(name):
            count += 1
        else:
            return None
    return count


def selected(
    items: Iterable[Item], only: Sequence[str] = (), skip: Sequence[str] = (), charset: str | None = None
) -> Iterator[Item]:
    """Return the items whose id matches one of ``only`` (if there are any) and none of ``skip``.

    only, skip: regular expressions; charset: of all pages, whatever they state; None: as they state.

    Raises `ParameterError` for an invalid expression or an unknown charset.

    >>> [page.id for page in selected(read([("a", "<p>"), ("b", "<p>")]), skip=["^b"])]
    ['a']
    """
    wanted = [given_expression("only", pattern) for pattern in only]
    unwanted = [given_expression("skip", pattern) for pattern in skip]
    if charset is not None and known_charset(charset) is None:
        raise ParameterError(f"charset must be a charset of the web such as utf-8, got {charset!r:.60}.")

    def select() -> Iterator[Item]:
        for item in items:
            name = item.page if isinstance(item, Failure) else item.id
            if wanted and not any(pattern.search(name) for pattern in wanted):
                continue
            if any(pattern.search(name) for pattern in unwanted):
                continue
            yield replace(item, charset=charset) if charset and isinstance(item, Source) else item

    return select()


def _as_list(inputs: Inputs) -> list[Any] | Iterator[Any]:
    """Return inputs as a list; an iterator is returned unchanged."""
    if isinstance(inputs, str | Path | bytes | Source | Page | Failure):
        return [inputs]
    if isinstance(inputs, Mapping):
        return list(inputs.items())
    if isinstance(inputs, Iterable):
        return inputs if isinstance(inputs, Iterator) else list(inputs)
    raise ParameterError(f"{_EXPECTED}, got {type(inputs).__name__}.")


def _check(given: object, root: Path | None) -> None:
    """Raise `ParameterError` or `InputError` for an input that cannot be opened at all."""
    if isinstance(given, bytes | Source | Page | Failure) or is_html_text(given):
        return
    if isinstance(given, tuple) and len(given) == 2:
        if isinstance(given[0], str) and isinstance(given[1], str | bytes):
            return
    elif isinstance(given, str | Path):
        _check_path(str(given), root)
        return
    raise ParameterError(f"{_EXPECTED}, got {given!r:.60}.")


def _check_path(given: str, root: Path | None) -> None:
    if not given:
        raise InputError("An input is empty: expected a file, a folder, a URL or -.")
    if given == "-" or is_url(given):
        return
    path = Path(given)
    if not os.path.lexists(path):
        if _SCHEME.match(given):
            raise InputError(f"Only http and https addresses are fetched, got {given}.")
        raise InputError(f"{given} does not exist.")
    if reason := refused(path):
        raise InputError(reason)
    if path.suffix.lower() == ".parquet":
        from webgrain.io.store import check_store

        check_store(path)
    if root is not None and not Path(os.path.abspath(path)).is_relative_to(os.path.abspath(root)):
        raise InputError(f"{given} does not lie below the root {root}.")


def is_html_text(given: object) -> bool:
    """Return whether an input is HTML as text, not the name of a file."""
    return isinstance(given, str) and "<" in given and not os.path.lexists(given)


def _items(given: Iterable[Any], urls: Path | None, first: int, settings: _Settings) -> Iterator[Item]:
    """Yield the pages of the inputs and of the URLs in a file; skipped URLs become placeholders."""
    count = 0
    for number, item in enumerate(given, 1):
        for page in _open(item, number, settings):
            count += 1
            yield page
    if urls is not None:
        listed = _listed(urls)
        for url in islice(listed, max(0, first - count)):
            yield Failure(url, "fetch", "skipped.")
        from webgrain.io.fetch import fetch

        yield from fetch(listed, settings.limits, settings.timeouts)


def _open(given: Any, number: int, settings: _Settings) -> Iterable[Item]:
    _check(given, settings.root)
    if isinstance(given, Source | Page | Failure):
        return [given]
    if isinstance(given, tuple):
        return [_source(printable(given[0]), given[1])]
    if isinstance(given, bytes) or is_html_text(given):
        return [_source(f"page-{number}", given)]
    name = str(given).lower()
    path = Path(given)
    page = printable(str(given))
    limits = settings.limits
    prefix = _prefix(path, several=settings.several)
    if name == "-":
        return [read_page(page, partial(_read_stdin, settings.root, limits))]
    if is_url(name):
        from webgrain.io.fetch import fetch

        return fetch([page], limits, settings.timeouts)
    if path.is_dir():
        return _read_folder(path, prefix, FolderAssets(settings.root or path), limits)
    if name.endswith(".parquet"):
        from webgrain.io.store import read_store

        return read_store(path)
    if name.endswith(".zip") or is_warc(path):
        from webgrain.io.archives import read_warc, read_zip

        return read_warc(path, page, limits) if is_warc(path) else read_zip(path, page, prefix, limits)
    assets = FolderAssets(settings.root or path.parent)
    return [read_page(page, partial(_read_file, path, page, has_html_name(name), assets, limits))]


def _source(page: str, html: str | bytes) -> Source:
    if isinstance(html, bytes):
        return Source(page, html)
    return Source(page, html.encode("utf-8", "replace"), charset="utf-8")


def _listed(urls: Path) -> Iterator[str]:
    with open(urls, encoding="utf-8-sig", errors="replace") as file:
        while line := file.readline(MAX_URL):
            if line.strip() and not line.startswith("#"):
                yield printable(line.strip())


def _unique(items: Iterable[Item]) -> Iterator[Item]:
    """Append numbers to repeated ids: ``a``, ``a (2)``, ``a (3)``."""
    counts: dict[int, int] = {}  # by hash, so that memory does not grow with the length of ids
    for item in items:
        first = name = item.page if isinstance(item, Failure) else item.id
        while hash(name) in counts:
            counts[hash(first)] += 1
            name = f"{first} ({counts[hash(first)]})"
        counts[hash(name)] = 1
        if name == first:
            yield item
        else:
            yield replace(item, page=name) if isinstance(item, Failure) else replace(item, id=name)


def _read_file(path: Path, page: str, declared: bool, assets: FolderAssets, limits: Limits) -> Source:
    """Return the page at ``path`` with the id ``page``; raise `ReadError` if it is not HTML.

    assets: the folder whose files the page may load. The body is read up to ``limits.bytes + 1`` bytes,
    counted after decompression, so that the parser can detect whether it was cut.
    """
    body = decompress_file(read_regular(path, limits.bytes + 1), path.name, limits.bytes + 1)
    if reason := why_not_html(page, body, declared):
        raise ReadError(reason)
    below = Path(os.path.abspath(path)).relative_to(os.path.abspath(assets.root))
    return Source(page, body, assets=assets, path=printable(below.as_posix()))


def _read_stdin(root: Path | None, limits: Limits) -> Source:
    body = decompress_file(sys.stdin.buffer.read(limits.bytes + 1), "", limits.bytes + 1)
    if reason := why_not_html("Standard input", body, declared=True):
        raise ReadError(reason)
    return Source("-", body, assets=FolderAssets(root) if root else None)


def _read_folder(
    folder: Path, prefix: str, assets: FolderAssets, limits: Limits
) -> Iterator[Source | Failure]:
    """Yield the HTML files below a folder, sorted by name; subfolders are in the same order.

    A file is a page if its name has an ending of HTML (``.gz`` or ``.br`` may follow) or if it begins like an
    HTML document; other files are ignored. Hidden files and folders (``.git``) are not read; a warning names
    those that may contain pages. A link to a file inside the folder is followed. A link to a folder or out of
    the folder becomes a `Failure`, and so does an unreadable file.

    prefix: the id of a page is this text and the path below ``folder``.
    """
    real = folder.resolve()
    hidden: list[str] = []
    for path, reason in _walk(folder, hidden):
        page = prefix + printable(path.relative_to(folder).as_posix())
        declared = has_html_name(path.name)
        if reason or (reason := refused(path)):
            yield Failure(page, ReadError.stage, reason)
        elif not (declared or _is_document(path)):
            continue
        elif path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(real):
            yield Failure(page, ReadError.stage, f"{page} is a link that leads out of the folder.")
        else:
            yield read_page(page, partial(_read_file, path, page, declared, assets, limits))
    warn_of_hidden(printable(str(folder)), hidden)


def warcs_in(path: Path) -> list[Path]:
    """Return the web archives below a folder, sorted by name; nothing if ``path`` is not a folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     for file in "b.warc.gz", "a.warc", "c.html":
    ...         _ = (Path(name) / file).write_text("")
    ...     [found.name for found in warcs_in(Path(name))]
    ['a.warc', 'b.warc.gz']
    """
    if not path.is_dir():
        return []
    return [file for file, reason in _walk(path, []) if not reason and is_warc(file)]


def whole_site(places: Sequence[str | Path]) -> Path | None:
    """Return the folder or zip archive of a site; None if the input is something else, or has several parts.

    >>> whole_site(["https://example.org/"]) is None, whole_site(["a", "b"]) is None
    (True, True)
    """
    if len(places) != 1 or is_url(str(places[0])):
        return None
    path = Path(places[0])
    return path if path.is_dir() or path.suffix.lower() == ".zip" else None


def site_folders(places: Sequence[str | Path], root: Path | None = None) -> tuple[SiteFolder, ...]:
    """Return the folders and zip archives among inputs, and the folders of files among them.

    places: all inputs, as for `read`; root: as for `read`. Inputs that are not below it are left out.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     (Path(name) / "en").mkdir()
    ...     [folder] = site_folders([Path(name) / "en"], Path(name))
    >>> folder.prefix, folder.above
    ('', 'en/')
    """
    folders = dict[SiteFolder, None]()
    for place in places:
        path = Path(place)
        is_store = path.suffix.lower() == ".parquet"
        if is_url(str(place)) or str(place) == "-" or is_store or is_warc(path):
            continue
        is_folder = path.is_dir()
        prefix = _prefix(path if is_folder else path.parent, several=len(places) > 1 or not is_folder)
        if path.suffix.lower() == ".zip":
            folders[SiteFolder(assets_in(path), _prefix(path, several=len(places) > 1))] = None
            continue
        inner = Path(os.path.abspath(path if is_folder else path.parent))
        around = inner if root is None else Path(os.path.abspath(root))
        if not inner.is_relative_to(around):
            continue
        below = printable((inner.relative_to(around) / "-").as_posix())
        files = FolderAssets(root or (path if is_folder else path.parent))
        folder = SiteFolder.of(f"{prefix}-", below, files)
        if folder is not None:
            folders[folder] = None
    return tuple(folders)


def _prefix(path: Path, *, several: bool) -> str:
    """Return how the ids of the pages in a folder or a zip archive begin.

    several: whether there are several inputs.
    """
    return printable(path.as_posix()) + "/" if several else ""


def is_warc(path: Path) -> bool:
    """Return whether the name of a file is that of a web archive."""
    return path.name.lower().endswith((".warc", ".warc.gz", ".warc.zst"))


def _walk(folder: Path, hidden: list[str]) -> Iterator[tuple[Path, str | None]]:
    """Yield the files below a folder in order, each with the reason why it is not read, or None.

    Hidden folders, and hidden files with names of pages, are added to ``hidden``.
    """
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
            waiting.extend(path / name for name in names if not is_hidden(name))
            dotted = filter(is_hidden, reversed(names))
            hidden += [name for name in dotted if has_html_name(name) or (path / name).is_dir()]


def _is_document(path: Path) -> bool:
    """Return whether a file begins like an HTML document, or like one that is refused by name."""
    try:
        head = read_regular(path, HEAD)
    except (OSError, ReadError):
        return False
    return is_html(head, declared=False) or bool(saved_format(head))
