"""Decode the bytes of files and HTTP bodies: chunks and compression, up to a limit."""

from __future__ import annotations

import gzip
import io
import re
import zlib

from fastwarc.stream_io import BrotliReader, ChunkedReader, ZstdReader

from webgrain.base.errors import ReadError
from webgrain.io.thresholds import LAYERS
from webgrain.page.filetypes import GZIP, ZSTD

HTML_NAMES = (".html", ".htm", ".xhtml", ".xht", ".shtml")
"""File name endings of HTML. Not followed by a query: mirrors store pictures as ``index.html?w=80``."""

HTML_TYPES = ("text/html", "application/xhtml+xml")
"""Media types of HTML."""

_COMPRESSED = re.compile(r"\.(?:gz|br|zst)\Z", re.I)
_CHARSET = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.I)


def has_html_name(name: str) -> bool:
    """Return whether a file name has an ending of HTML files, compressed or not.

    >>> has_html_name("a/INDEX.HTM"), has_html_name("a.html.gz"), has_html_name("main.css")
    (True, True, False)
    """
    return _COMPRESSED.sub("", name).lower().endswith(HTML_NAMES)


def media_type(header: str | None) -> tuple[str, str | None]:
    """Split a Content-Type header into media type and charset.

    >>> media_type('Text/HTML; charset="ISO-8859-2"'), media_type(None)
    (('text/html', 'ISO-8859-2'), ('', None))
    """
    header = header or ""
    charset = _CHARSET.search(header)
    return header.partition(";")[0].strip().lower(), charset.group(1) if charset else None


def dechunk(body: bytes, limit: int) -> bytes:
    r"""Join the chunks of a body with chunked transfer encoding; a body without chunks is returned unchanged.

    Archives often keep the header of the encoding and store the joined body.

    >>> dechunk(b"3\r\nabc\r\n0\r\n\r\n", limit=100), dechunk(b"<p>joined", limit=100)
    (b'abc', b'<p>joined')
    """
    try:
        joined: bytes = ChunkedReader(io.BytesIO(body)).read(limit)
    except OSError:
        return body
    return joined


def decompress(body: bytes, encodings: str | None, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a body, decompressed according to its Content-Encoding header.

    A body that is declared as gzip or zstd but is not is returned unchanged.

    Raises:
        ReadError: the body is damaged, incomplete, or has an unknown encoding.

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


def decompress_file(body: bytes, name: str, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a file, decompressed if it is named ``.br``, or is gzip or zstd.

    Raises:
        ReadError: the file is damaged or incomplete.

    >>> decompress_file(gzip.compress(b"<p>Hi"), "a.html.gz", limit=100)
    b'<p>Hi'
    """
    encoding = "zstd" if body.startswith(ZSTD) else "gzip"
    return decompress(body, "br" if name.lower().endswith(".br") else encoding, limit)


def _decompress(body: bytes, encoding: str, limit: int) -> bytes:
    if encoding in ("", "identity") or not body:
        return body
    if encoding in ("gzip", "x-gzip"):
        return gzip.GzipFile(fileobj=io.BytesIO(body)).read(limit) if body.startswith(GZIP) else body
    if encoding == "zstd" and not body.startswith(ZSTD):
        return body
    if encoding in ("br", "zstd"):
        reader = BrotliReader if encoding == "br" else ZstdReader
        plain: bytes = reader(io.BytesIO(body)).read(limit)
        return plain
    if encoding != "deflate":
        raise ReadError(f"The body is compressed as {encoding!r}, which is not supported.")
    # The standard requires the zlib format, but some servers send a raw stream; the first bytes differ.
    has_header = body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
    stream = zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
    plain = stream.decompress(body, limit)
    if not stream.eof and len(plain) < limit:
        raise EOFError
    return plain
