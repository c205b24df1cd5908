"""Is it HTML? By the name where the name says so, else by the first bytes."""

from __future__ import annotations

import re

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
