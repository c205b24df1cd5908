"""Is it HTML? By the name where the name says so, else by the first bytes.

Undo chunks and compression, of HTTP on its way or of a file on the disk, never beyond a limit.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib

from fastwarc.stream_io import BrotliReader, ChunkedReader

from webgrain.errors import ReadError

HEAD = 1024
"""How many bytes are looked at: as many as a browser looks at for a charset."""

HTML_NAMES = (".html", ".htm", ".xhtml", ".xht", ".shtml")
"""Endings of names that stand for HTML. Not before a query: mirrors hold pictures as ``index.html?w=80``."""

_PACKED = re.compile(r"\.(?:gz|br)\Z", re.I)
"""Endings of files that were compressed by themselves, behind the name that says what they are."""

HTML_TYPES = ("text/html", "application/xhtml+xml")
"""Media types that stand for HTML."""

_LEAD = rb"(?:\xef\xbb\xbf)?(?:\s+|<!--.*?-->|<\?xml\b.*?\?>)*+"
_DOCUMENT = re.compile(_LEAD + rb"<(?:!doctype\s+html|html|head|body|title|meta)(?:[\s>/]|\Z)", re.I | re.S)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAGIC = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b"RIFF")


def has_html_name(name: str) -> bool:
    """Tell whether a file name ends as those of HTML files do, compressed or not.

    >>> has_html_name("a/INDEX.HTM"), has_html_name("a.html.gz"), has_html_name("main.css")
    (True, True, False)
    """
    return _PACKED.sub("", name).lower().endswith(HTML_NAMES)


def is_html(head: bytes, declared: bool) -> bool:
    """Tell from the first bytes whether they begin an HTML page.

    Where the name or the header has ``declared`` them HTML, anything that is not binary is believed to be
    HTML (a fragment, plain text, nothing at all). Otherwise they must begin as a document does, after white
    space, comments and ``<?xml ...?>``: with a doctype, ``<html>``, ``<head>``, ``<body>``, ``<title>`` or
    ``<meta>``.

    >>> is_html(b"<!-- saved --><!DOCTYPE html>", declared=False), is_html(b"body {}", declared=False)
    (True, False)
    >>> is_html(b"Only words.", declared=True), is_html(b"GIF89a...", declared=True)
    (True, False)
    """
    head = head[:HEAD]
    # NULs dropped, UTF-16 without a byte order mark and pages with stray NULs read as ASCII does.
    plain = head[2:].replace(b"\0", b"") if head.startswith(_UTF16) else head.replace(b"\0", b"")
    if _DOCUMENT.match(plain):
        return True
    return declared and not head.startswith(_MAGIC) and (head.startswith(_UTF16) or not _BINARY.search(head))


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
