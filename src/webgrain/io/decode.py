"""Undo chunks and compression, of HTTP on its way or of a file on the disk, never beyond a limit."""

from __future__ import annotations

import gzip
import io
import re
import zlib

from fastwarc.stream_io import BrotliReader, ChunkedReader

from webgrain.errors import ReadError

LAYERS = 5
"""A body that is compressed more often than this was made to keep its reader busy."""

_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.I)


def media_type(header: str | None) -> tuple[str, str | None]:
    """Split a Content-Type header into media type and charset.

    >>> media_type('Text/HTML; charset="ISO-8859-2"'), media_type(None)
    (('text/html', 'ISO-8859-2'), ('', None))
    """
    header = header or ""
    charset = _CHARSET.search(header)
    return header.partition(";")[0].strip().lower(), charset.group(1) if charset else None


def dechunk(body: bytes, limit: int) -> bytes:
    r"""Join the chunks of a body that was sent in chunks; a body without chunks is returned as it is.

    Archives often keep the header that announces chunks and yet store the body joined.

    >>> dechunk(b"3\r\nabc\r\n0\r\n\r\n", limit=100), dechunk(b"<p>joined", limit=100)
    (b'abc', b'<p>joined')
    """
    try:
        joined: bytes = ChunkedReader(io.BytesIO(body)).read(limit)
    except OSError:
        return body
    return joined


def decompress(body: bytes, encodings: str | None, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a body, decompressed as its Content-Encoding header says.

    A body that is announced as gzip and is none was decompressed before; it is returned as it is.

    Raises:
        ReadError: the body is damaged, ends early or is compressed in an unknown way.

    >>> decompress(gzip.compress(b"abc" * 1000), "gzip", limit=5)
    b'abcab'
    """
    layers = [name.strip().lower() for name in (encodings or "").split(",")]
    if len(layers) > LAYERS:
        raise ReadError(f"The body is compressed {len(layers)} times over.")
    for encoding in reversed(layers):
        try:
            body = _decompress(body, encoding, limit)
        except EOFError as error:
            raise ReadError(f"The body ends in the middle of its {encoding} data.") from error
        except (OSError, zlib.error) as error:
            raise ReadError(f"The body is damaged: its {encoding} data cannot be decompressed.") from error
    return body[:limit]


def unpack(body: bytes, name: str, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a file: decompressed if it is called ``.br`` or begins as gzip does.

    Raises:
        ReadError: the file is damaged or ends early.

    >>> unpack(gzip.compress(b"<p>Hi"), "a.html.gz", limit=100), unpack(b"<p>Hi", "a.html", limit=100)
    (b'<p>Hi', b'<p>Hi')
    """
    return decompress(body, "br" if name.lower().endswith(".br") else "gzip", limit)


def _decompress(body: bytes, encoding: str, limit: int) -> bytes:
    if encoding in ("", "identity") or not body:
        return body
    if encoding in ("gzip", "x-gzip"):
        return gzip.GzipFile(fileobj=io.BytesIO(body)).read(limit) if body.startswith(b"\x1f\x8b") else body
    if encoding == "deflate":
        return _inflate(body, limit)
    if encoding == "br":
        plain: bytes = BrotliReader(io.BytesIO(body)).read(limit)
        return plain
    raise ReadError(f"The body is compressed as {encoding!r}, which is not supported.")


def _inflate(body: bytes, limit: int) -> bytes:
    # The standard means zlib's format, but some servers send the bare stream; zlib's first byte tells.
    zlib_header = body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
    stream = zlib.decompressobj(zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS)
    plain = stream.decompress(body, limit)
    if not stream.eof and len(plain) < limit:
        raise EOFError
    return plain
