"""Reading what may be hostile from the local disk: pipes, devices, huge files, names that are no text.

Files that a page may load while it is rendered: those beside it, and nothing else.

Implementations of `webgrain.page.page.Assets`. A request path names what a browser asked for (still
percent-encoded, with its query); mirrors made by wget keep queries in file names and append ``.css`` or
``.html``, so several names are tried for one path.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import secrets
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import BinaryIO
from urllib.parse import unquote

from webgrain.errors import InputError, ReadError
from webgrain.page.page import Source
from webgrain.results import Failure


def read_page(page: str, read: Callable[[], Source], url: str | None = None) -> Source | Failure:
    """Read one page; what goes wrong becomes a `Failure` that names it.

    >>> read_page("a.html", lambda: open("/missing")).error
    'No such file or directory.'
    """
    start = perf_counter()
    try:
        return read()
    except ReadError as error:
        reason = str(error)
    except OSError as error:
        reason = f"{error.strerror or error}."
    return Failure(page, ReadError.stage, reason, perf_counter() - start, url)


def printable(name: str) -> str:
    r"""Return a name as text that any program can write: bytes that were no UTF-8 are spelt out.

    >>> printable("caf\udce9.html")
    'caf\\udce9.html'
    """
    return name.encode("utf-8", "backslashreplace").decode()


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; pipes and devices are not even opened.

    Raises:
        ReadError: ``path`` is something else than a regular file.
        OSError: it cannot be opened or read.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a").write_text("abc")
    ...     with open_regular(Path(folder) / "a") as file:
    ...         file.read()
    b'abc'
    """
    _check_regular(path, os.stat(path))
    # O_NONBLOCK: should the path have become a pipe since, opening it does not wait for a writer.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = open(handle, "rb")  # noqa: SIM115 - the caller closes it
    try:
        _check_regular(path, os.fstat(handle))
    except ReadError:
        file.close()
        raise
    return file


def read_regular(path: Path, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a regular file; raises as `open_regular` does.

    >>> from pathlib import Path
    >>> len(read_regular(Path(os.__file__), limit=100))
    100
    """
    with open_regular(path) as file:
        # Python reserves memory for all that is asked for; some files of the system say they are empty.
        size = os.fstat(file.fileno()).st_size
        return file.read(min(limit, size) if size else limit)


def _check_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ReadError(f"{printable(path.name)} is not a regular file.")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write a file under; once it is complete it takes the name ``path``.

    So a run that is killed or fails leaves no half file under the real name, and an older one stays.
    `InputError` where no file can be made there.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a") as part:
    ...         _ = part.write_text("abc")
    ...     (Path(folder) / "a").read_text(), len(os.listdir(folder))
    ('abc', 1)
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: expected the name of a file.")
    part = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        part.touch()
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from error
    try:
        yield part
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()


def safe_name(page_id: str) -> str:
    """Return a file name for a page that any system takes: its id, with a hash where that had to be changed.

    >>> safe_name("index.html"), safe_name("../a b.html")
    ('index.html', 'a_b.html-7d3e79cd')
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", page_id).strip("._")[-100:] or "page"
    return name if name == page_id else f"{name}-{hashlib.sha256(page_id.encode()).hexdigest()[:8]}"


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
