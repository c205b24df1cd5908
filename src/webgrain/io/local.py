"""Reading what may be hostile from the local disk: pipes, devices, huge files, names that are no text."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from webgrain.errors import ReadError
from webgrain.page.page import Source
from webgrain.results import Failure


def attempt(page: str, read: Callable[[], Source], url: str | None = None) -> Source | Failure:
    """Read one page; what goes wrong becomes a `Failure` that names it.

    >>> attempt("a.html", lambda: Source("a.html", Path("/missing").read_bytes())).error
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
    r"""Return a file name as text: bytes that are not UTF-8 are written out.

    >>> printable("caf\udce9.html")
    'caf\\xe9.html'
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def read_regular(path: Path, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a regular file; pipes and devices are not even opened.

    Raises:
        ReadError: ``path`` is something else than a regular file.
        OSError: it cannot be opened or read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a").write_text("abc")
    ...     read_regular(Path(folder) / "a", limit=2)
    b'ab'
    """
    _check_regular(path, os.stat(path))
    # O_NONBLOCK: should the path have become a pipe since, opening it does not wait for a writer.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        _check_regular(path, os.fstat(handle))
        return file.read(limit)


def _check_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ReadError(f"{printable(path.name)} is not a regular file.")
