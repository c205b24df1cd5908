"""Recognise files that are HTML by their first bytes, and files that are not read by their names."""

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


def refused(path: PurePath) -> str:
    """Return why a file is not read, by the ending of its name; empty for other files.

    >>> refused(PurePath("saved.mhtml"))
    'saved.mhtml is MHTML, which is not read: save the page as HTML.'
    """
    name = path.name.encode("utf-8", "backslashreplace").decode()
    ending = path.suffix.lower()
    if ending in (".mht", ".mhtml"):
        return f"{name} is MHTML, which is not read: save the page as HTML."
    if ending == ".har":
        return f"{name} is HAR, which is not read: save the pages as HTML or in a web archive."
    return ""
