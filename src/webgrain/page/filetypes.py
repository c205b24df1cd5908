"""Recognise files that are HTML by their first bytes, and files that are not read by bytes and names."""

from __future__ import annotations

import re
from pathlib import PurePath

from webgrain.page.thresholds import HEAD

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_LEAD = rb"(?:\xef\xbb\xbf)?(?:\s+|<!--.*?-->|<\?xml\b.*?\?>)*+"
_DOCUMENT = re.compile(_LEAD + rb"<(?:!doctype\s+html|html|head|body|title|meta)(?:[\s>/]|\Z)", re.I | re.S)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MAGIC = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"%PDF-", b"PK\x03\x04", b"PAR1", b"RIFF", GZIP, ZSTD)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_HEADERS = 2**14
"""Bytes of a file in which the headers of MHTML are searched: a title and an address are among them."""
_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?\s*+[a-z][\w-]*+:", re.I)
_MIME = re.compile(rb"^MIME-Version:", re.I | re.M)
_PARTS = re.compile(
    rb"^Content-Type:\s*+multipart/|^Content-Transfer-Encoding:\s*+(?:quoted-printable|base64)", re.I | re.M
)
_LOG = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{\s*+\"log\"\s*+:\s*+\{")
_LOG_KEY = re.compile(rb"\"(?:version|creator|pages|entries)\"\s*+:")
_INSTEAD = {"MHTML": "save the page as HTML", "HAR": "save the pages as HTML or in a web archive"}
"""Formats that are not read, and what to do instead."""


def is_html(head: bytes, declared: bool) -> bool:
    """Return whether the first bytes of a file are HTML.

    If the name or the header has ``declared`` the file HTML, everything that is not binary is accepted (a
    fragment, plain text, an empty file). Otherwise it must begin like a document, after white space, comments
    and ``<?xml ...?>``: with a doctype, ``<html>``, ``<head>``, ``<body>``, ``<title>`` or ``<meta>``.

    >>> is_html(b"<!-- saved --><!DOCTYPE html>", declared=False), is_html(b"body {}", declared=False)
    (True, False)
    >>> is_html(b"Only words.", declared=True), is_html(b"GIF89a...", declared=True)
    (True, False)
    """
    head = head[:HEAD]
    is_utf16 = head.startswith(_UTF16)
    # Without NULs, UTF-16 without a byte order mark and pages with stray NULs look like ASCII.
    if _DOCUMENT.match((head[2:] if is_utf16 else head).replace(b"\0", b"")):
        return True
    return declared and not head.startswith(_MAGIC) and (is_utf16 or not _BINARY.search(head))


def saved_format(body: bytes) -> str:
    r"""Return the format of a file that is not read, ``MHTML`` or ``HAR``, by its first bytes; or nothing.

    MHTML begins with the headers of an electronic mail of several parts, or of an encoded one; HAR is a JSON
    object with a log.

    >>> saved_format(b"From: a browser\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related\r\n")
    'MHTML'
    >>> saved_format(b'{"log": {"version": "1.2"}}'), saved_format(b"<p>MIME-Version: 1.0")
    ('HAR', '')
    """
    if _HEADER.match(body, 0, _MOST_HEADERS):
        headers = body[:_MOST_HEADERS].lstrip().replace(b"\r\n", b"\n").partition(b"\n\n")[0]
        return "MHTML" if _MIME.search(headers) and _PARTS.search(headers) else ""
    return "HAR" if _LOG.match(body, 0, HEAD) and _LOG_KEY.search(body, 0, HEAD) else ""


def why_not_html(name: str, body: bytes, declared: bool) -> str:
    """Return why a file is not read, by its first bytes; empty for HTML.

    name: of the file, with which the sentence begins; declared: as for `is_html`.

    >>> why_not_html("a.html", b"GIF89a...", declared=True)
    'a.html is not HTML.'
    >>> why_not_html("a.html", b'{"log": {"version": "1.2", "entries": []}}', declared=True)
    'a.html is HAR, which is not read: save the pages as HTML or in a web archive.'
    """
    if form := saved_format(body):
        return refusal(name, form)
    return "" if is_html(body, declared) else f"{name} is not HTML."


def refused(path: PurePath) -> str:
    """Return why a file is not read, by the ending of its name; empty for other files.

    >>> refused(PurePath("saved.mhtml"))
    'saved.mhtml is MHTML, which is not read: save the page as HTML.'
    """
    name = path.name.encode("utf-8", "backslashreplace").decode()
    ending = path.suffix.lower()
    if ending in (".mht", ".mhtml"):
        return refusal(name, "MHTML")
    if ending == ".har":
        return refusal(name, "HAR")
    return ""


def refusal(name: str, form: str) -> str:
    """Return the sentence that a file of a format of `saved_format` is not read.

    >>> refusal("a.html", "MHTML")
    'a.html is MHTML, which is not read: save the page as HTML.'
    """
    return f"{name} is {form}, which is not read: {_INSTEAD[form]}."
