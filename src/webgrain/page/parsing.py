"""Parsing: from bytes to a Dom, as a browser that runs no scripts builds it.

Only this module and its kernels depend on the HTML parser (selectolax with Lexbor). The tree is the tree that
Chromium builds from the same bytes under ``Content-Security-Policy: script-src 'none'``: the contents of
``<noscript>`` are one text, the contents of ``<template>`` are not its children, and nesting ends at the
depth where Chromium ends it. Departures: a declarative shadow root, ``<template shadowrootmode>``, is an
element ``shadow-root`` at its place, with its contents; ``<selectedcontent>`` and a misplaced ``<textarea>``
in a table are parsed in a simpler way than in Chromium.

The parser's tree is read by one of two functions with the same result. The native one reads Lexbor's nodes
directly, through functions that the library of selectolax exports but does not document; it is used only with
tested versions of selectolax, and only if it reads a sample correctly. The other uses the public API. `WALK`
is ``"native"`` or ``"public"``.

The charset of a page is stated by a BOM, the HTTP header or ``<meta>``, or detected, in this order. Source:
HTML Standard, 13.2.3, and Encoding Standard, 4.2 (labels); detection is left to uchardet (`cchardet`).
Departure: bytes that are almost valid UTF-8 are read as UTF-8, since most such pages are UTF-8 with errors.
Libraries with the same purpose were compared and are less exact: resiliparse maps Shift_JIS, GB2312 and
EUC-KR to Python's narrower codecs and has no x-mac-cyrillic; w3lib accepts labels that no browser knows
(utf-7, base64), and reads ``<meta>`` in comments and beyond the first 1 024 bytes.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import cchardet
import numpy as np
import selectolax
from selectolax import lexbor
from selectolax.lexbor import LexborHTMLParser

from webgrain.base.arrays import Bool, Int32, Int64
from webgrain.base.errors import InputError, ParameterError, ReadError
from webgrain.page import thresholds
from webgrain.page.dom import Dom
from webgrain.page.filetypes import is_html, refusal, refused, saved_format
from webgrain.page.kernels.domwalk import affordable
from webgrain.page.kernels.domwalk import walk as public_walk
from webgrain.page.page import Limits, Page, Source
from webgrain.page.selects import with_multiple, without_multiple

__all__ = ["WALK", "as_page", "parse", "parse_html"]

Fields = tuple[Any, ...]
Walk = Callable[[object, int, int], tuple[Fields, bool]]

_URLS = ("http://", "https://")
_FILES = (".html", ".htm", ".xhtml", ".zip", ".warc", ".warc.gz", ".warc.zst")


_USUAL_LIMITS = Limits()
PageLike = Page | Source | str | bytes | Path
"""A page, or what `parse` accepts: HTML or the path of a file."""


def as_page(value: PageLike) -> Page:
    """Return a page unchanged and parse anything else that `parse` accepts.

    >>> as_page("<p>Hello").dom.text
    'Hello'
    """
    return value if isinstance(value, Page) else parse(value)


def as_pages(values: Iterable[PageLike]) -> Iterator[Page]:
    """Yield the pages of an iterable of anything that `as_page` accepts.

    HTML without an id gets the id ``page-1``, ``page-2``, ..., its position. The iterable is checked at the
    call.

    >>> [page.id for page in as_pages(["<p>Hello", "<p>World"])]
    ['page-1', 'page-2']
    """
    check_pages(values)
    return (_numbered(as_page(value), value, k) for k, value in enumerate(values, 1))


def check_pages(values: object) -> None:
    """Raise `ParameterError` if ``values`` is not an iterable of pages."""
    if isinstance(values, str | bytes | Path | Source | Page) or not isinstance(values, Iterable):
        raise ParameterError(f"Expected a list of pages, got {type(values).__name__}.")


def _numbered(page: Page, value: object, number: int) -> Page:
    return replace(page, id=f"page-{number}") if isinstance(value, str | bytes) else page


def parse(source: Source | str | bytes | Path, limits: Limits | None = None) -> Page:
    r"""Parse a page: a Source, HTML as text or bytes, or the path of an HTML file.

    The charset of bytes is found as a browser finds it; ``page.notes`` reports what was cut off or replaced.

    Raises:
        ParameterError: the argument has another type, or is a text that looks like a path or a URL.
        InputError: the file cannot be read, or is not HTML.
        ReadError: the bytes are MHTML or HAR.

    >>> parse("<h1>Hi</h1>").dom.text
    'Hi'
    >>> page = parse(b"<meta charset=latin1><p>caf\xe9", Limits(nodes=4))
    >>> page.charset, page.notes
    ('windows-1252', ('The page has more than 4 nodes: only the first 4 are kept.',))
    """
    limits = limits or _USUAL_LIMITS
    source = _as_source(source)
    if form := saved_format(source.body):
        raise ReadError(refusal("The page", form))
    text, charset, mended = _text(source.body, source.charset, limits)
    dom, cut = _tree(text, limits)
    return Page(source.id, dom, url=source.url, charset=charset, notes=(*mended, *cut), source=source)


def _as_source(value: Source | str | bytes | Path) -> Source:
    """Source of anything that `parse` accepts."""
    match value:
        case Source():
            return value
        case bytes():
            return Source("page", value)
        case str():
            if _is_address(value):
                raise ParameterError(
                    f"Expected HTML, got what looks like a file path or a URL, {value!r}: "
                    "pass pathlib.Path(...) for a file, and use webgrain.read(...) for an archive or a URL."
                )
            return Source("page", value.encode("utf-8", "replace"), charset="utf-8")
        case Path():
            return Source(str(value), _html_in(value))
    raise ParameterError(
        f"Expected a Page, a Source, HTML as str or bytes, or a Path, got {type(value).__name__}."
    )


def _html_in(path: Path) -> bytes:
    """Return the bytes of an HTML file; other kinds of files raise `InputError`."""
    if reason := refused(path):
        raise InputError(reason)
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if form := saved_format(body):
        raise InputError(refusal(str(path), form))
    if not is_html(body, declared=True):
        raise InputError(f"{path} is not HTML; webgrain.read(...) reads archives and compressed files.")
    return body


def _is_address(text: str) -> bool:
    """Whether a text is a file path or a URL rather than HTML."""
    text = text.strip()
    if "<" in text or not 0 < len(text) < thresholds.LONGEST_PATH or "\n" in text or "\0" in text:
        return False
    return text.lower().startswith(_URLS) or text.lower().endswith(_FILES) or os.path.exists(text)


def parse_html(body: bytes | str, *, limits: Limits | None = None, charset: str | None = None) -> Dom:
    """Tree of a page; never raises an error for any markup.

    body: the page as bytes or as text. limits: how much is read. charset: that of the HTTP header; otherwise
    the BOM, a ``<meta>`` or the bytes determine it. Empty input gives html, head and body.

    >>> dom = parse_html("<p>Hello <b>world</b>")
    >>> dom.tags[dom.tag[3]], dom.text_of(3)
    ('p', 'Hello world')
    """
    limits = limits or _USUAL_LIMITS
    return _tree(_text(body, charset, limits)[0], limits)[0]


def _text(body: bytes | str, charset: str | None, limits: Limits) -> tuple[str, str, list[str]]:
    """Text of a page, its charset, and notes."""
    notes = []
    if len(body) > limits.bytes:
        unit = "bytes" if isinstance(body, bytes) else "characters"
        notes.append(f"The page has more than {limits.bytes:,} {unit}: only the first are read.")
        body = body[: limits.bytes]
    if isinstance(body, str):
        return body, "utf-8", notes
    decoded = _decoded(body, charset)
    if decoded.charset != (decoded.declared or decoded.charset):
        read = f"it is read as {decoded.charset}."
        notes.append(f"The declared charset {decoded.declared} is not that of the page: {read}")
    if decoded.broken:
        notes.append(
            f"{decoded.broken:,} characters could not be read as {decoded.charset} and were replaced."
        )
    return decoded.text, decoded.charset, notes


def _tree(text: str, limits: Limits) -> tuple[Dom, list[str]]:
    """Tree of a page, and notes on what was cut off."""
    notes = []
    html = text.encode("utf-8", "replace")
    if b"shadowrootmode" in html:
        html = with_shadow_roots(html)
    dom, cut = _tree_of_options(html, limits) or (None, False)
    if dom is None:
        size = _affordable(html, limits)
        if size < len(html):
            notes.append(
                f"The page has {len(html):,} bytes of tangled tags: only the first {size:,} are parsed."
            )
        dom, cut = _parsed(html[:size], limits)
    if cut:
        notes.append(f"The page has more than {limits.nodes:,} nodes: only the first {len(dom):,} are kept.")
    deepest = int(np.maximum.reduce(dom.depth))
    if deepest > limits.depth:
        dom = _flatten(dom, limits.depth)
        notes.append(
            f"The page is nested {deepest:,} deep: deeper nodes are attached at depth {limits.depth:,}."
        )
    return dom, notes


def _tree_of_options(html: bytes, limits: Limits) -> tuple[Dom, bool] | None:
    """Tree of a page with many options, and whether it was cut at a limit; None for other pages."""
    changed, added = with_multiple(html)
    if not added or _affordable(changed, limits) < len(changed):
        return None
    dom, cut = _parsed(changed, limits)
    unchanged = without_multiple(dom, added)
    return None if unchanged is None else (unchanged, cut)


def _parsed(html: bytes, limits: Limits) -> tuple[Dom, bool]:
    """Tree of HTML, and whether it was cut at a limit."""
    root = LexborHTMLParser(html, scripting=True).root
    fields, cut = read_tree(root, limits.nodes, thresholds.MAX_CHARS)
    return Dom(*fields), cut


def _affordable(html: bytes, limits: Limits) -> int:
    """Return how many bytes of a page the parser reads in a time in proportion to its size."""
    if len(html) < thresholds.CHEAP:
        return len(html)
    steps = max(thresholds.FREE_STEPS, thresholds.STEPS_PER_BYTE * len(html))
    size: int = affordable(html, min(steps, thresholds.MAX_STEPS), thresholds.MAX_COPIES * limits.nodes)
    return size


def with_shadow_roots(html: bytes) -> bytes:
    """Return HTML in which declarative shadow roots are elements ``shadow-root``, which are parsed as others.

    >>> with_shadow_roots(b"<a-b><template shadowrootmode=open><template></template></template></a-b>")
    b'<a-b><shadow-root shadowrootmode=open><template></template></shadow-root></a-b>'
    """
    is_root: list[bool] = []

    def renamed(match: re.Match[bytes]) -> bytes:
        tag: bytes = match[0]
        start = match["start"]
        if start is None:
            return tag  # a comment or an element of raw text
        if start == b"<":
            is_root.append(_IS_SHADOW_ROOT.search(tag) is not None)
        shown = is_root.pop() if start == b"</" and is_root else start == b"<" and is_root[-1]
        return tag.replace(match["name"], b"shadow-root", 1) if shown else tag

    return _TEMPLATES.sub(renamed, html)


_TEMPLATES = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|textarea|title)\b.*?(?:</(?P=raw)|\Z)|"
    rb"(?P<start></?)(?P<name>template)\b[^>]*",
    re.IGNORECASE | re.DOTALL,
)
_IS_SHADOW_ROOT = re.compile(rb"\sshadowrootmode\s*=\s*[\"']?(?:open|closed)\b", re.IGNORECASE)


def read_tree(root: object, max_nodes: int, max_chars: int) -> tuple[Fields, bool]:
    """Fields of the Dom below a selectolax node, and whether they were cut at a limit.

    >>> fields, cut = read_tree(lexbor.LexborHTMLParser("<p>Hello").root, 100, 100)
    >>> fields[0].tolist(), fields[4], cut
    ([-1, 0, 0, 2, 3], 'Hello', False)
    """
    walk: Walk = native_walk or public_walk
    try:
        return walk(root, max_nodes, max_chars)
    except UnicodeDecodeError:  # raised by the native walk for invalid UTF-8
        return public_walk(root, max_nodes, max_chars)  # type: ignore[no-any-return]


_TESTED_VERSIONS = ("1.0.1", "1.0.2")
_SAMPLE = """<!doctype html><!-- a --><html lang=en><head><title>Sämple</title><script>1 < 2</script>
<body class="a b" hidden id=''>text <p>\U0001f600 &amp; more<!-- c -->apart<b one two=2>bold</b><my-own:Tag>
<svg viewBox="0 0 1 1"><linearGradient xlink:href="#a"/><![CDATA[data]]></svg><template><i>in</i></template>
<noscript><img></noscript><table><td>cell<tr></table><br><input value="ö"><pre>\n\nlines</pre>"""


def _find_native_walk() -> Walk | None:
    """Native walk, if it is compiled, tested with this selectolax version, and reads the sample correctly."""
    if selectolax.__version__ not in _TESTED_VERSIONS:
        return None
    try:
        from webgrain.page.kernels.lexborwalk import Walker

        walker = Walker(lexbor.__file__)
    except (ImportError, OSError, AttributeError):
        return None
    root = LexborHTMLParser(_SAMPLE, scripting=True).root
    native, public = walker(root, 1000, 1000)[0], public_walk(root, 1000, 1000)[0]
    return walker if all(map(np.array_equal, native, public)) else None


native_walk = _find_native_walk()
WALK = "public" if native_walk is None else "native"
"""The function in use."""


def _flatten(dom: Dom, limit: int) -> Dom:
    """Attach elements that are too deep as Chromium does: as children of their ancestor at ``limit - 1``.

    Texts stay in their elements; the texts of an element that lost its child elements become one text.
    """
    depth, index, is_text = dom.depth, np.arange(len(dom)), dom.is_text
    last_open = np.maximum.accumulate(np.where((depth == limit - 1) & ~is_text, index, 0))
    parent = np.where((depth > limit) & ~is_text, last_open, dom.parent)
    # In the new order a text that was too deep follows its parent directly: both have the same key.
    key = np.where((depth > limit) & is_text, dom.parent, index)
    order = np.argsort(key, kind="stable")
    again = is_text[order] & np.append(False, is_text[order[:-1]] & (key[order[1:]] == key[order[:-1]]))
    node = order[~again]
    rank = np.zeros(len(dom) + 1, np.int32)
    rank[node] = np.arange(len(node))
    reach = np.where(depth >= limit, key + 1, dom.end)
    end = np.searchsorted(key[node], reach[node])
    text, text_start = _joined(dom, order, again)
    attr_start = np.append(0, np.cumsum(np.diff(dom.attr_start)[node]))
    return replace(
        dom,
        parent=np.where(node > 0, rank[parent[node]], -1).astype(np.int32),
        end=np.where(is_text[node], np.arange(1, len(node) + 1), end).astype(np.int32),
        tag=dom.tag[node],
        text=text,
        text_start=text_start,
        attr_start=attr_start.astype(np.int32),
    )


def _joined(dom: Dom, order: Int64, again: Bool) -> tuple[str, Int32]:
    """Text of nodes in this order (n,), and its offsets; again (n,): the text belongs to the node before."""
    pieces = [dom.text[dom.text_start[i] : dom.text_start[i + 1]] for i in order[dom.is_text[order]].tolist()]
    start = np.append(0, np.cumsum(np.diff(dom.text_start)[order]))
    return "".join(pieces), start[np.append(np.flatnonzero(~again), len(order))].astype(np.int32)


_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_MARKS = tuple(mark for mark, _ in _BOMS)
_PRESCAN = 1024
"""Bytes in which a ``<meta>`` is looked for (HTML Standard, 13.2.3.2)."""
_FALLBACK = "windows-1252"

# Labels with another meaning on the web than in Python's codecs.
_LABELS = """
windows-1252: ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 latin1 l1 x-cp1252
windows-1254: iso-8859-9 iso8859-9 latin5 l5 x-cp1254
windows-874: iso-8859-11 iso8859-11 tis-620 dos-874
gb18030: gb2312 gbk x-gbk gb_2312-80 chinese
cp932: shift_jis shift-jis sjis x-sjis ms_kanji windows-31j
cp949: euc-kr korean ks_c_5601-1987 ksc5601 uhc windows-949
big5hkscs: big5 big5-hkscs x-x-big5 cn-big5
iso-8859-8: iso-8859-8-i logical visual
utf-8: utf8 unicode-1-1-utf-8 x-unicode20utf8
utf-16-le: utf-16 unicode ucs-2 iso-10646-ucs-2
windows-1250: x-cp1250
windows-1251: x-cp1251
euc-jp: x-euc-jp
mac-roman: macintosh x-mac-roman
mac-cyrillic: x-mac-cyrillic
"""
_CHARSET_OF = {
    label: name
    for name, labels in (row.split(": ") for row in _LABELS.split("\n") if row)
    for label in labels.split()
}
# Charsets of the web among Python's codecs: not utf-7, base64 or idna.
_ALLOWED = re.compile(
    r"utf-8|utf-16-[lb]e|windows-(874|125\d)|cp(866|874|932|949|125\d)|iso-?8859-\d+(-[a-z]+)?|iso-2022-jp|"
    r"koi8-[ru]|gb18030|big5(hkscs)?|euc[-_]jp|mac-(roman|cyrillic)"
)

_META = re.compile(rb"<!--.*?(?:-->|\Z)|<meta[\s/]((?:[^>\"']|\"[^\"]*\"|'[^']*')*)", re.I | re.S)
_ATTRIBUTE = re.compile(rb"(?<![^\s=/\"'>])([^\s=/\"'>]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_TAG, _TAG_BYTES = re.compile(r"<[a-zA-Z/!]"), re.compile(rb"<\0?[a-zA-Z/!]")
_IN_CONTENT = re.compile(rb"charset\s*+=\s*+[\"']?+\s*+([^\s;\"']++)", re.I)


def known_charset(label: str | bytes | None) -> str | None:
    """Charset of a label on the web, None for an unknown label: latin-1 means windows-1252.

    >>> known_charset(" Latin1 "), known_charset("utf8"), known_charset("base64")
    ('windows-1252', 'utf-8', None)
    """
    if label is None:
        return None
    return (
        _known_charset(label) if len(label) <= thresholds.LONGEST_KEY else _known_charset.__wrapped__(label)
    )


@lru_cache(maxsize=2**8)  # the pages of a site have the same
def _known_charset(label: str | bytes) -> str | None:
    name = label.decode("latin-1") if isinstance(label, bytes) else label
    name = name.strip().strip("\"'").lower()
    name = _CHARSET_OF.get(name, name)
    try:
        return name if _ALLOWED.fullmatch(name) and codecs.lookup(name) else None
    except LookupError:
        return None


def meta_charset(body: bytes) -> str | None:
    """Charset that a ``<meta>`` in the first 1 024 bytes declares, or None.

    The bytes are readable as ASCII, so a declared utf-16 is read as utf-8.

    >>> meta_charset(b"<meta http-equiv=content-type content='text/html; charset=KOI8-R'>")
    'koi8-r'
    """
    for match in _META.finditer(body[:_PRESCAN]):
        values: dict[bytes, bytes] = {}
        for name, *quoted in _ATTRIBUTE.findall(match[1] or b""):
            values.setdefault(name.lower(), b"".join(quoted))
        label = values.get(b"charset")
        if label is None and values.get(b"http-equiv", b"").lower() == b"content-type":
            declared = _IN_CONTENT.search(values.get(b"content", b""))
            label = declared[1] if declared else None
        charset = known_charset(label)
        if charset:
            return "utf-8" if charset.startswith("utf-16") else charset
    return None


def find_charset(body: bytes, header: str | None = None) -> str:
    """Charset of a page: BOM, HTTP header, meta, detection; otherwise windows-1252.

    Many pages declare a charset that is not theirs. Valid UTF-8 is not read in a single-byte charset that the
    header or ``<meta>`` declares. The charset of bytes that are declared as UTF-8 is detected if more than
    two thirds of their characters beyond ASCII are not valid.

    header: the charset of the HTTP header, if any; an unknown charset is ignored.

    >>> find_charset("Grüße".encode()), find_charset(b"<meta charset=big5>"), find_charset(b"", "latin1")
    ('utf-8', 'big5hkscs', 'windows-1252')
    >>> find_charset("<meta charset=latin1>Grüße".encode())
    'utf-8'
    """
    return _decoded(body, header).charset


class _Decoded(NamedTuple):
    """Text of a page, the charset it was read in, the declared one, and the number of replaced characters."""

    text: str
    charset: str
    declared: str | None
    broken: int


def _decoded(body: bytes, header: str | None) -> _Decoded:
    """Text of a page; see `find_charset`."""
    marked = None
    if body.startswith(_MARKS):
        marked = next(charset for mark, charset in _BOMS if body.startswith(mark))
    declared = None
    for candidate in (marked, known_charset(header), _utf16_of(body), meta_charset(body)):
        if candidate and _keeps_markup(body, candidate):
            declared = candidate
            break
    charset = declared or _detect(body)
    if charset.startswith(_SINGLE_BYTE) and _is_utf8(body):
        charset = "utf-8"
    text, broken = decode(body, charset)
    is_stated = declared == "utf-8" and not marked
    if broken and is_stated and broken > 2 * (_beyond_ascii(text) - broken):
        charset = _detect(body)
        if charset != "utf-8":
            text, broken = decode(body, charset)
    return _Decoded(text, charset, declared, broken)


def _beyond_ascii(text: str) -> int:
    """Return the number of characters that are not ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))


def _is_utf8(body: bytes) -> bool:
    """Whether bytes have characters beyond ASCII, as valid UTF-8, which may be cut off within a character."""
    try:
        _, valid = codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return False
    return not body[:valid].isascii()


def decode(body: bytes, charset: str) -> tuple[str, int]:
    r"""Text of a page without its BOM, and the number of its replacement characters for undecodable bytes.

    >>> decode(b"a\xffb", "utf-8")
    ('a\ufffdb', 1)
    """
    for mark, marked in _BOMS:
        if marked == charset:
            body = body.removeprefix(mark)
    try:
        return body.decode(charset), 0
    except UnicodeDecodeError:
        text = body.decode(charset, "replace")
        return text, text.count("\ufffd") - body.decode(charset, "ignore").count("\ufffd")


def _detect(body: bytes) -> str:
    """Charset of bytes without a declaration: utf-8 if they are valid UTF-8, or almost."""
    try:
        body.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError as error:
        first = error.start
    text, broken = decode(body, "utf-8")
    if 10 * broken <= _beyond_ascii(text):
        return "utf-8"
    guess = cchardet.detect(body[first : first + thresholds.DETECTED])
    charset = known_charset(guess["encoding"]) if guess["confidence"] >= thresholds.CONFIDENT else None
    return charset if charset and _keeps_markup(body, charset) else _FALLBACK


def _utf16_of(body: bytes) -> str | None:
    """UTF-16 if most tags in the first bytes begin with a NUL beside the ``<``, else None."""
    start = body[:_PRESCAN]
    if b"\0" not in start:
        return None
    for charset, tag in (("utf-16-le", b"<\0"), ("utf-16-be", b"\0<")):
        if 2 * start.count(tag) > start.count(b"<") and _keeps_markup(body, charset):
            return charset
    return None


_SINGLE_BYTE = ("windows-", "iso-8859-", "koi8-", "mac-")
"""How names of charsets begin in which each byte is a character."""

_WITH_ASCII = ("utf-8", "windows-", "iso-8859-", "koi8-")
"""Charsets in which every byte of ASCII is itself, so that no tag is lost."""


def _keeps_markup(body: bytes, charset: str) -> bool:
    """Whether the text in a charset has most of the tags that the bytes have."""
    if charset.startswith(_WITH_ASCII):
        return True
    start = body[: thresholds.DETECTED]
    return 2 * len(_TAG.findall(start.decode(charset, "ignore"))) >= len(_TAG_BYTES.findall(start))
