"""Read hostile files from the local disk, write files atomically, and find the files that a page may load.

Hostile files are pipes, devices, huge files, and names that are not text.

`FolderAssets` and `ZipAssets` implement `webgrain.page.page.Assets`. A request path is what a browser
requested, still percent-encoded and with its query. Mirrors made by wget keep queries in file names and
append ``.css`` or ``.html``, so several names are tried for one path.
"""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
import secrets
import stat
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import IO, Any, BinaryIO, TypeVar
from urllib.parse import unquote

from webgrain.base.errors import InputError, ParameterError, ReadError, naming, writing
from webgrain.base.failures import Failure
from webgrain.base.modelfile import DAMAGED
from webgrain.io.folderfiles import FolderFiles
from webgrain.io.thresholds import MAX_ASSET, MAX_RECORD
from webgrain.page.links import local_path
from webgrain.page.page import Source

T = TypeVar("T")

ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError)
"""Exceptions of `zipfile` for damaged, encrypted or unusual archives."""


def read_page(page: str, read: Callable[[], Source], url: str | None = None) -> Source | Failure:
    """Call ``read``; return a `Failure` with the id ``page`` if it raises `ReadError` or `OSError`.

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
    r"""Return a file name as valid text: bytes that are not UTF-8 become escapes.

    >>> printable("caf\udce9.html")
    'caf\\udce9.html'
    """
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; pipes and devices are not opened.

    Raises:
        ReadError: ``path`` is not a regular file.
        OSError: it cannot be opened.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a").write_text("abc")
    ...     with open_regular(Path(folder) / "a") as file:
    ...         file.read()
    b'abc'
    """
    _check_regular(path, os.stat(path))
    # O_NONBLOCK: if the path has become a pipe since, opening it does not wait for a writer.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = open(handle, "rb")  # noqa: SIM115 - the caller closes it
    try:
        _check_regular(path, os.fstat(handle))
    except ReadError:
        file.close()
        raise
    return file


def _check_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ReadError(f"{printable(path.name)} is not a regular file.")


def read_regular(path: Path, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a regular file; raises like `open_regular`.

    >>> from pathlib import Path
    >>> len(read_regular(Path(os.__file__), limit=100))
    100
    """
    with open_regular(path) as file:
        # `read` reserves memory for the whole limit; some system files report the size 0.
        size = os.fstat(file.fileno()).st_size
        return file.read(min(limit, size) if size else limit)


def json_lines(path: Path, what: str, parse: Callable[[Any], T]) -> Iterator[T]:
    """Yield ``parse(record)`` for each line of a file of JSON records; blank lines are ignored.

    what: the contents of the file, for messages. Raises `InputError` if the file cannot be read, or with the
    number of a line that is too long, no JSON, or rejected by ``parse`` with one of `DAMAGED`.
    """
    try:
        file = open_regular(path)
    except (OSError, ReadError) as error:
        reason = str(getattr(error, "strerror", None) or error).rstrip(".")
        raise InputError(f"The {what} {path} cannot be read: {reason}.") from error
    with file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_RECORD + 1), b""), 1):
            if not line.strip():
                continue
            try:
                if len(line) > MAX_RECORD:
                    raise ValueError(f"a record has at most {MAX_RECORD:,} bytes")
                parsed = parse(json.loads(line))
            except (*DAMAGED, RecursionError) as error:
                reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
                raise InputError(f"{path}, line {number} is no record of {what}: {reason}.") from error
            yield parsed


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; when the block ends without error, it is renamed to ``path``.

    A run that fails or is killed leaves no incomplete file, and keeps an older one; the next run removes the
    temporary file of a killed one. Raises `InputError` if no file can be created there. An `OSError` while
    writing names ``path``.

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
    begin = f".{path.name[:200]}."
    part = path.with_name(f"{begin}{secrets.token_hex(4)}.part")
    with writing(path):
        lock = part.open("wb")
    with lock:
        _is_free(lock)
        for name in os.listdir(path.parent):
            if name.startswith(begin) and name.endswith(".part") and len(name) == len(part.name):
                _remove_abandoned(path.with_name(name))
        try:
            with naming(path):
                yield part
                part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink()


def _remove_abandoned(part: Path) -> None:
    """Remove the temporary file of a run that was killed: nobody has it locked."""
    with suppress(OSError), part.open("rb") as file:
        if _is_free(file):
            part.unlink()


def _is_free(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; return whether it was free. False where files cannot be locked."""
    try:
        fcntl = import_module("fcntl")  # Unix only
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (OSError, ImportError):
        return False
    return True


def safe_name(page_id: str) -> str:
    """Return a file name for a page id that every system accepts; a changed id gets a hash.

    >>> safe_name("index.html"), safe_name("../a b.html")
    ('index.html', 'a_b.html-7d3e79cd')
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", page_id).strip("._")[-100:] or "page"
    if name == page_id:
        return name
    # A lone surrogate, as in the address of a broken link, has no bytes otherwise.
    digest = hashlib.sha256(page_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name}-{digest[:8]}"


def is_hidden(name: str) -> bool:
    """Return whether a file or one of its folders is hidden by a dot.

    >>> is_hidden("a/.git/x.html"), is_hidden("a.b/c.html")
    (True, False)
    """
    return any(part.startswith(".") for part in name.split("/"))


def warn_of_hidden(place: str, names: list[str]) -> None:
    """Warn about hidden files that may be pages."""
    if names:
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        shown = ", ".join(printable(name[:100]) for name in names[:3])
        warnings.warn(f"Hidden files of {place} are not read: {shown}{more}", stacklevel=3)


def is_inside(name: str) -> bool:
    r"""Return whether a relative name stays inside the folder it is resolved in.

    >>> is_inside("css/a.css"), is_inside("../a"), is_inside("/a"), is_inside("a\\..\\b"), is_inside("C:a")
    (True, False, False, False, False)
    """
    parts = name.split("/")
    drive = len(name) > 1 and name[1] == ":"
    return bool(parts[0]) and ".." not in parts and "\\" not in name and "\0" not in name and not drive


def stored_names(path: str) -> Iterator[str]:
    """Yield the names under which the file for a request path may be stored, best first.

    Names that lead outside are left out: a browser has resolved such paths before it sends a request.

    >>> list(stored_names("a%20b.css?v=3"))[:3]
    ['a%20b.css?v=3', 'a b.css?v=3', 'a%20b.css?v=3.css']
    >>> list(stored_names("%2e%2e/secret"))
    ['%2e%2e/secret', '%2e%2e/secret.css', '%2e%2e/secret.html', '%2e%2e/secret/index.html']
    """
    bare = path.partition("?")[0]
    names = [name + ending for ending in ("", ".css", ".html") for name in (path, unquote(path))]
    names += [bare, unquote(bare)]
    names += [posixpath.join(name, "index.html") for name in (bare, unquote(bare))]
    yield from filter(is_inside, dict.fromkeys(names))


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a member of a zip archive; raises `ReadError`."""
    if member.flag_bits & _ENCRYPTED:
        raise ReadError("The member is encrypted.")
    if member.compress_type not in _PIECEWISE:
        raise ReadError("The member is compressed in a way that is not supported.")
    try:
        with archive.open(member) as file:
            return file.read(limit)
    except ZIP_ERRORS as error:
        raise ReadError("The member is damaged.") from error


_ENCRYPTED = 0x1
_PIECEWISE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods that `zipfile` decompresses piece by piece; the others can expand at once."""


@dataclass(frozen=True)
class FolderAssets:
    """Regular files inside the folder ``root``, with symbolic links resolved.

    >>> from pathlib import Path
    >>> FolderAssets(Path("/missing")).read("css/main.css") is None
    True
    """

    root: Path

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file for a request path, or None."""
        names = filter(self._files.look_up, stored_names(path))
        return next((body for body in map(self._read, names) if body is not None), None)

    def exists(self, path: str) -> bool:
        """Whether there is a regular file for a request path; each folder is listed once."""
        if "%" in path or "?" in path or not is_inside(path):
            return any(map(self._files.has, stored_names(path)))
        return self._files.has_page(path)

    @cached_property
    def _files(self) -> FolderFiles:
        return FolderFiles(self.root)

    def _read(self, name: str) -> bytes | None:
        real = self._files.real(name)
        try:
            body = read_regular(real, MAX_ASSET + 1) if real else None
        except (OSError, ReadError):
            return None
        return body if body is not None and len(body) <= MAX_ASSET else None


def assets_in(path: Path) -> FolderAssets | ZipAssets:
    """Return the files of a folder or of a zip archive.

    >>> assets_in(Path("/missing.zip")).read("a") is None
    True
    """
    return FolderAssets(path) if path.is_dir() else ZipAssets(path)


@dataclass(frozen=True)
class SiteFolder:
    """A folder or a zip archive with pages of a site, and the addresses of its files.

    Attributes:
        files: those of the folder or the archive, or of the root of the site around the folder.
        prefix: how the ids of the pages begin, before their paths below the folder.
        above: the path from the root of the site to the folder.

    >>> SiteFolder.of("site/en/a.html", "en/a.html", FolderAssets(Path("site"))).prefix
    'site/'
    >>> SiteFolder.of("a.html", "en/a.html", FolderAssets(Path("site"))).above
    'en/'
    """

    files: FolderAssets | ZipAssets
    prefix: str = ""
    above: str = ""

    @classmethod
    def of(cls, page: str, path: str, files: FolderAssets | ZipAssets) -> SiteFolder | None:
        """Return the folder of a page by its id and its path below the root; None if they do not agree."""
        if page.endswith(path):
            return cls(files, page[: len(page) - len(path)])
        if path.endswith(f"/{page}"):
            return cls(files, above=path[: len(path) - len(page)])
        return None

    @cached_property
    def start(self) -> str:
        """How the paths of the addresses of the pages begin, see `webgrain.page.links.local_path`."""
        return local_path(self.prefix)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file for a request path below the folder, or from the root of the site."""
        return next((body for body in map(self.files.read, self._names(path)) if body is not None), None)

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""
        return any(map(self.files.exists, self._names(path)))

    def _names(self, path: str) -> tuple[str, ...]:
        return (self.above + path, path) if self.above else (path,)


def site_files(folder: Path, root: Path | None = None) -> tuple[FolderAssets, str]:
    """Return the files of the site that a folder of pages belongs to, and the path from its root to them.

    root: folder of the site; None: ``folder``. Raises `ParameterError` if ``folder`` is not in it.

    >>> site_files(Path("/site/news"), Path("/site"))[1], site_files(Path("/site"))[1]
    ('news/', '')
    """
    if root is None:
        return FolderAssets(folder), ""
    try:
        inside = folder.resolve().relative_to(root.resolve())
    except ValueError:
        raise ParameterError(f"The root must be a folder that contains {folder}, got {root}.") from None
    return FolderAssets(root), "" if inside == Path() else f"{inside.as_posix()}/"


class ZipAssets:
    """Members of a zip archive, read when they are requested; nothing is unpacked to disk.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with zipfile.ZipFile(Path(folder) / "site.zip", "w") as archive:
    ...         archive.writestr("css/main.css", "p { }")
    ...     assets = ZipAssets(Path(folder) / "site.zip")
    ...     assets.read("css/main.css?v=3"), assets.read("../etc/passwd")
    (b'p { }', None)
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __getstate__(self) -> dict[str, object]:
        # Another process opens the archive again.
        return {"path": self.path}

    @cached_property
    def archive(self) -> zipfile.ZipFile:
        """The open archive; raises one of `ZIP_ERRORS`."""
        return zipfile.ZipFile(self.path)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the member for a request path, or None."""
        return next((body for body in map(self._read, stored_names(path)) if body is not None), None)

    def exists(self, path: str) -> bool:
        """Whether there is a member for a request path."""
        return any(name in self._names for name in stored_names(path))

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.archive.namelist())

    def _read(self, name: str) -> bytes | None:
        try:
            member = self.archive.getinfo(name)
            if name.endswith("/") or member.file_size > MAX_ASSET:
                return None
            return read_member(self.archive, member, MAX_ASSET)
        except (KeyError, ReadError, *ZIP_ERRORS):
            return None
