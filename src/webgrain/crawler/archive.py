"""Write a web archive (WARC, ISO 28500), one complete record at a time.

A record is built in memory and written at once, so that the archive of a killed process is readable. Bodies
are stored decompressed, without the headers that describe the transfer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webgrain import __version__
from webgrain.errors import InputError

_TRANSFER_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class Answer(NamedTuple):
    """A response of a server; ``status`` as in ``"200 OK"``, ``ip`` is the address of the server."""

    url: str
    status: str
    headers: Iterable[tuple[str, str]]
    body: bytes
    ip: str = ""


class Archive:
    """An archive to which records are appended.

    path: the file; it is compressed if the name ends in ``.gz``. length: number of bytes to keep; the rest of
    the file was not completed and is cut off.

    Raises `InputError` if the file is shorter.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     archive = Archive(Path(folder) / "a.warc", 0)
    ...     archive.write(Answer("http://example.org/", "200 OK", [("Content-Type", "text/html")], b"<p>Hi"))
    ...     archive.close()
    ...     archive.length == (Path(folder) / "a.warc").stat().st_size
    True
    """

    def __init__(self, path: Path, length: int) -> None:
        self._output = BytesIO()
        self._writer = WARCWriter(self._output, gzip=path.name.endswith(".gz"))
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - open until `close`
        if os.fstat(self._file.fileno()).st_size < length:
            self._file.close()
            raise InputError(f"{path} is shorter than when it was written: this crawl cannot be continued.")
        self._file.truncate(length)
        self.length = length
        if not length:
            info = {"software": f"webgrain/{__version__}", "format": "WARC File Format 1.0"}
            self._write(self._writer.create_warcinfo_record(path.name, info))

    def write(self, answer: Answer) -> None:
        """Write one response to disk."""
        headers = [pair for pair in answer.headers if pair[0].lower() not in _TRANSFER_HEADERS]
        headers.append(("Content-Length", str(len(answer.body))))
        record = self._writer.create_warc_record(
            answer.url,
            "response",
            payload=BytesIO(answer.body),
            length=len(answer.body),
            http_headers=StatusAndHeaders(answer.status, headers, protocol="HTTP/1.1"),
            warc_headers_dict={"WARC-IP-Address": answer.ip} if answer.ip else {},
        )
        self._write(record)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, record: object) -> None:
        self._output.seek(0)
        self._output.truncate()
        self._writer.write_record(record)
        rest = memoryview(self._output.getvalue())
        self.length += len(rest)
        while rest:
            rest = rest[self._file.write(rest) :]
        os.fsync(self._file.fileno())
