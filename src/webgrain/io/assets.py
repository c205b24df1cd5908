"""Files that a page may load while it is rendered: those beside it, and nothing else.

Implementations of `webgrain.page.page.Assets`. A request path names what a browser asked for (still
percent-encoded, with its query); mirrors made by wget keep queries in file names and append ``.css`` or
``.html``, so several names are tried for one path.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote

from webgrain.errors import ReadError
from webgrain.io.local import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MAX_ASSET = 32 * 2**20
"""Larger files are not given to a page at all: half a picture is of no use."""


PIECEWISE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods that Python's zip reader undoes piece by piece; the others can blow up at once."""


def stored_names(path: str) -> Iterator[str]:
    """Yield the names under which the file for a request path may be stored, best first.

    Names with ``..``, a backslash or a NUL are never yielded, nor are absolute ones: a browser has resolved
    such paths before it asks, so what still holds them is a trick.

    >>> list(stored_names("a%20b.css?v=3"))[:3]
    ['a%20b.css?v=3', 'a b.css?v=3', 'a%20b.css?v=3.css']
    >>> list(stored_names("%2e%2e/secret"))
    ['%2e%2e/secret', '%2e%2e/secret.css', '%2e%2e/secret.html', '%2e%2e/secret/index.html']
    """
    bare = path.partition("?")[0]
    full = dict.fromkeys((path, unquote(path)))
    names = [name + ending for ending in ("", ".css", ".html") for name in full]
    names += [bare, unquote(bare)]
    names += [posixpath.join(name, "index.html") for name in dict.fromkeys((bare, unquote(bare)))]
    yield from (name for name in dict.fromkeys(names) if is_inside(name))


def is_inside(name: str) -> bool:
    r"""Tell whether a relative name stays below the folder it is resolved in.

    >>> is_inside("css/a.css"), is_inside("../a"), is_inside("/a"), is_inside("a\\..\\b"), is_inside("C:a")
    (True, False, False, False, False)
    """
    parts = name.split("/")
    drive = len(name) > 1 and name[1] == ":"
    return bool(parts[0]) and ".." not in parts and "\\" not in name and "\0" not in name and not drive


def _first(path: str, read: Callable[[str], bytes | None]) -> bytes | None:
    """Return what the first of the names for a request path holds."""
    return next((body for body in map(read, stored_names(path)) if body is not None), None)


@dataclass(frozen=True)
class FolderAssets:
    """Files below the folder ``root``, symbolic links resolved; never a pipe or a device.

    >>> from pathlib import Path
    >>> FolderAssets(Path("/missing")).read("css/main.css") is None
    True
    """

    root: Path
    limit: int = MAX_ASSET

    def read(self, path: str) -> bytes | None:
        """Bytes of the file for a request path, None where there is none."""
        return _first(path, self._read)

    def _read(self, name: str) -> bytes | None:
        try:
            real = (self.root / name).resolve(strict=True)
            if not real.is_relative_to(self._real_root):
                return None
            body = read_regular(real, self.limit + 1)
        except (OSError, ReadError, ValueError, RuntimeError):  # RuntimeError: a loop of links
            return None
        return body if len(body) <= self.limit else None

    @cached_property
    def _real_root(self) -> Path:
        return self.root.resolve()


UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)
"""What Python's zip reader raises on damaged, encrypted or exotic archives."""


class ZipAssets:
    """Members of a zip archive, read from it when they are asked for; nothing is unpacked to the disk.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with zipfile.ZipFile(Path(folder) / "site.zip", "w") as made:
    ...         made.writestr("css/main.css", "p { }")
    ...     assets = ZipAssets(Path(folder) / "site.zip")
    ...     assets.read("css/main.css?v=3"), assets.read("../etc/passwd")
    (b'p { }', None)
    """

    def __init__(self, path: Path, limit: int = MAX_ASSET) -> None:
        self.path = path
        self.limit = limit

    def __getstate__(self) -> dict[str, object]:
        # Another process opens the archive anew.
        return {"path": self.path, "limit": self.limit}

    @cached_property
    def archive(self) -> zipfile.ZipFile:
        """The open archive; raises one of `UNREADABLE`."""
        return zipfile.ZipFile(self.path)

    def read(self, path: str) -> bytes | None:
        """Bytes of the member for a request path, None where there is none."""
        return _first(path, self._read)

    def _read(self, name: str) -> bytes | None:
        try:
            member = self.archive.getinfo(name)
            if name.endswith("/") or member.file_size > self.limit or member.compress_type not in PIECEWISE:
                return None
            with self.archive.open(member) as file:
                return file.read()
        except (KeyError, *UNREADABLE):
            return None
