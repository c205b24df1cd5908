"""A web archive (WARC, ISO 28500) that is written one whole record at a time.

A record is put together in memory and handed over in one piece, so that what a killed process leaves behind
can be read. Bodies are stored as they are after decompression, and the headers that told of it are left out.
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

_NO_MORE = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class Answer(NamedTuple):
    """What a server answered: ``status`` as in ``"200 OK"``, headers, body, and the IP address it has."""

    url: str
    status: str
    headers: Iterable[tuple[str, str]]
    body: bytes
    ip: str = ""


class Archive:
    """An archive that is added to.

    path: of the file; compressed if its name ends in ``.gz``. length: bytes of it that are kept; what stands
    behind them was not finished.

    `InputError` where the file is shorter than that.

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
        self._zipped = path.name.endswith(".gz")
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 - open until `close`
        if os.fstat(self._file.fileno()).st_size < length:
            self._file.close()
            raise InputError(f"{path} is shorter than when it was written: this crawl cannot go on.")
        self._file.truncate(length)
        self.length = length
        if not length:
            self._write(self._about(path.name))

    def write(self, answer: Answer) -> None:
        """Write one answer; when this returns, it is on disk."""
        headers = [pair for pair in answer.headers if pair[0].lower() not in _NO_MORE]
        headers.append(("Content-Length", str(len(answer.body))))
        output = BytesIO()
        writer = WARCWriter(output, gzip=self._zipped)
        record = writer.create_warc_record(
            answer.url,
            "response",
            payload=BytesIO(answer.body),
            length=len(answer.body),
            http_headers=StatusAndHeaders(answer.status, headers, protocol="HTTP/1.1"),
            warc_headers_dict={"WARC-IP-Address": answer.ip} if answer.ip else {},
        )
        writer.write_record(record)
        self._write(output.getvalue())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _about(self, name: str) -> bytes:
        output = BytesIO()
        writer = WARCWriter(output, gzip=self._zipped)
        told = {"software": f"webgrain/{__version__}", "format": "WARC File Format 1.0"}
        writer.write_record(writer.create_warcinfo_record(name, told))
        return output.getvalue()

    def _write(self, record: bytes) -> None:
        rest = memoryview(record)
        while rest:
            rest = rest[self._file.write(rest) :]
        os.fsync(self._file.fileno())
        self.length += len(record)
