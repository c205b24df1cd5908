"""Reading what may be hostile from the local disk: pipes, devices, huge files, names that are no text."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from contextlib import contextmanager, suppress
from time import perf_counter
from typing import TYPE_CHECKING, BinaryIO

from webgrain.errors import InputError, ReadError
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from webgrain.page.page import Source


def attempt(page: str, read: Callable[[], Source], url: str | None = None) -> Source | Failure:
    """Read one page; what goes wrong becomes a `Failure` that names it.

    >>> attempt("a.html", lambda: open("/missing")).error
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
