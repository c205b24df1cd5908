"""Pages from a zip archive. Nothing is unpacked to the disk, so no name in it can do harm there.

Pages from a web archive (WARC, ISO 28500); reading goes on behind what is damaged in it.
"""

from __future__ import annotations

import gzip
import posixpath
import re
import zlib
from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipInfo

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from webgrain.errors import ReadError
from webgrain.io.decode import (
    HEAD,
    HTML_TYPES,
    dechunk,
    decompress,
    has_html_name,
    is_html,
    media_type,
    unpack,
)
from webgrain.io.local import PIECEWISE, UNREADABLE, ZipAssets, is_inside, open_regular, printable, read_page
from webgrain.page.page import Limits, Source
from webgrain.results import Failure

BOMB_RATIO = 100
"""A member longer than the limit that was compressed to less than a hundredth is a bomb: HTML reaches 30."""

_ENCRYPTED = 0x1


def read_zip(path: Path, page: str, prefix: str, limits: Limits) -> Iterator[Source | Failure]:
    """Read the HTML members of a zip archive in the order of its directory.

    Members are pages as files in a folder are. A damaged or encrypted member, one whose name leads out of the
    archive, a bomb: each becomes a `Failure`; an archive without a readable directory becomes one as a whole.

    Args:
        path: the archive.
        page: id of the failure of the whole archive.
        prefix: put before the name of a member to make the id of a page.
        limits: a body is read up to one byte more than ``limits.bytes``.

    >>> import tempfile, zipfile
    >>> from pathlib import Path
    >>> from webgrain.page.page import Limits
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with zipfile.ZipFile(Path(folder) / "site.zip", "w") as made:
    ...         made.writestr("a.html", "<p>Hi")
    ...         made.writestr("main.css", "p { }")
    ...     [item.id for item in read_zip(Path(folder) / "site.zip", "site.zip", "", Limits())]
    ['a.html']
    """
    assets = ZipAssets(path)
    try:
        open_regular(path).close()
        members = assets.archive.infolist()
    except (ReadError, *UNREADABLE):
        yield Failure(page, ReadError.stage, f"{page} is not a zip archive, or it is cut off.")
        return
    for member in members:
        name = printable(posixpath.normpath("/" + _slashes(member)).lstrip("/"))
        hidden = any(part.startswith(".") for part in name.split("/"))
        folder = member.filename.endswith("/")  # `ZipInfo.is_dir` raises where the name is empty
        if not folder and not hidden and (has_html_name(name) or _is_document(assets, member)):
            yield read_page(prefix + name, partial(_read, assets, member, name, prefix, limits))


def _slashes(member: ZipInfo) -> str:
    # Some programs for Windows write its own separators, against the standard.
    return member.filename.replace("\\", "/")


def _is_document(assets: ZipAssets, member: ZipInfo) -> bool:
    try:
        return is_html(_start(assets, member, HEAD), declared=False)
    except ReadError:
        return False


def _read(assets: ZipAssets, member: ZipInfo, name: str, prefix: str, limits: Limits) -> Source:
    if not is_inside(_slashes(member)):
        raise ReadError("The name of the member leads out of the archive.")
    body = _start(assets, member, limits.bytes + 1)
    if len(body) > limits.bytes and member.file_size > BOMB_RATIO * max(member.compress_size, 1):
        raise ReadError(f"The member would unpack to {member.file_size} bytes: a zip bomb.")
    body = unpack(body, name, limits.bytes + 1)
    if not is_html(body, has_html_name(name)):
        raise ReadError(f"{name} is not HTML.")
    return Source(prefix + name, body, assets=assets, path=name)


def _start(assets: ZipAssets, member: ZipInfo, limit: int) -> bytes:
    if member.flag_bits & _ENCRYPTED:
        raise ReadError("The member is encrypted.")
    if member.compress_type not in PIECEWISE:
        raise ReadError("The member is compressed in a way that is not supported.")
    try:
        with assets.archive.open(member) as file:
            return file.read(limit)
    except UNREADABLE as error:
        raise ReadError("The member is damaged.") from error


REPAIRS = 1000
"""How many places are tried where a record might begin behind a damaged one."""

_BEGINNING = re.compile(rb"\x1f\x8b\x08|(?<=\n)WARC/\d")
_PIECE = 2**20


def read_warc(path: Path, page: str, limits: Limits) -> Iterator[Source | Failure]:
    """Read the HTML pages of a web archive; the id of each is its target URI.

    A page is a ``response`` record with a status of 200 to 299 whose Content-Type says HTML or, without one,
    whose body begins as HTML does. A damaged record becomes a `Failure` under its URI where that can be read,
    under ``page`` where it cannot; the next record that is whole is looked for behind it.

    Args:
        path: the archive.
        page: id of what fails without a URI.
        limits: a body is read up to one byte more than ``limits.bytes``, counted after decompression.

    >>> from pathlib import Path
    >>> from webgrain.page.page import Limits
    >>> [failure.error for failure in read_warc(Path("missing.warc.gz"), "missing.warc.gz", Limits())]
    ['No such file or directory.']
    """
    try:
        file = open_regular(path)
    except (ReadError, OSError) as error:
        yield Failure(page, ReadError.stage, f"{getattr(error, 'strerror', error)}.")
        return
    start: int | None = 0
    with file:
        for _ in range(REPAIRS):
            broken = yield from _read_on(file, start or 0, page, limits)
            start = None if broken is None else _beginning(file, broken + 1)
            if start is None:
                return
    yield Failure(page, ReadError.stage, f"The archive is damaged all over: given up at byte {start}.")


def _read_on(
    file: BinaryIO, start: int, page: str, limits: Limits
) -> Generator[Source | Failure, None, int | None]:
    """Yield the pages from byte ``start`` on; return where the last record began if the archive breaks.

    A break is told once: not again when the records tried behind it turn out to be broken, too.
    """
    at, name, told = start, page, start > 0
    file.seek(start)
    try:
        for record in ArchiveIterator(file, parse_http=False):
            at = record.stream_pos
            if _is_page(record):
                name = _uri(record)
                body = _body(record, limits)
                yield read_page(name, partial(_source, record, body, limits), name)
            name, told = page, False
        _check_end(file, at)
    except (OSError, EOFError, zlib.error) as error:
        if not told:
            reason = str(error).rstrip(".")
            yield Failure(name, ReadError.stage, f"The archive is damaged behind byte {at}: {reason}.")
        return at
    return None


def _is_page(record: WarcRecord) -> bool:
    if "Content-Length" not in record.headers:
        raise OSError("a record has no length")
    if record.record_type != WarcRecordType.response or not record.is_http:
        return False
    record.parse_http()
    headers = record.http_headers
    if headers is None or headers.status_code is None:
        return True  # what becomes of it is told under its URI
    kind = media_type(headers.get("Content-Type"))[0]
    return 200 <= headers.status_code < 300 and (not kind or kind in HTML_TYPES)


def _uri(record: WarcRecord) -> str:
    # Wget puts the address between angle brackets, as an early draft of the standard did.
    return printable(record.headers.get("WARC-Target-URI") or "unknown address").strip("<>")


def _body(record: WarcRecord, limits: Limits) -> bytes:
    body: bytes = record.reader.read(limits.bytes + 1)
    if len(body) < min(record.content_length, limits.bytes + 1):
        raise OSError(f"a record ends after {len(body)} of {record.content_length} bytes")
    return body


def _source(record: WarcRecord, body: bytes, limits: Limits) -> Source:
    headers = record.http_headers
    if headers is None or headers.status_code is None:
        raise ReadError("The record holds no HTTP response.")
    kind, charset = media_type(headers.get("Content-Type"))
    if "chunked" in (headers.get("Transfer-Encoding") or "").lower():
        body = dechunk(body, limits.bytes + 1)
    body = decompress(body, headers.get("Content-Encoding"), limits.bytes + 1)
    if not is_html(body, declared=bool(kind)):
        raise ReadError("The record is not HTML.")
    uri = _uri(record)
    return Source(uri, body, url=uri, charset=charset)


def _check_end(file: BinaryIO, at: int) -> None:
    # The library takes a gzip member that is cut off for the end of the archive; Python's reader does not.
    file.seek(at)
    if file.read(2) == b"\x1f\x8b":
        file.seek(at)
        with gzip.GzipFile(fileobj=file) as rest:
            while rest.read(_PIECE):
                pass


def _beginning(file: BinaryIO, start: int) -> int | None:
    """Return where the next record may begin, at byte ``start`` or behind it."""
    overlap = b""
    file.seek(start)
    while piece := file.read(_PIECE):
        window = overlap + piece
        if found := _BEGINNING.search(window):
            return file.tell() - len(window) + found.start()
        overlap = window[-8:]
    return None
