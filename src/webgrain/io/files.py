"""Pages from one file, a folder or standard input."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from webgrain.errors import ReadError
from webgrain.io.decode import unpack
from webgrain.io.local import attempt, printable, read_regular
from webgrain.io.sniff import HEAD, has_html_name, is_html
from webgrain.page.page import Limits, Source
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webgrain.io.assets import FolderAssets


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

    >>> from webgrain.io.assets import FolderAssets
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
    >>> from webgrain.io.assets import FolderAssets
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
