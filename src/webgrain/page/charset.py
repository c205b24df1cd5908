"""The charset of a page: BOM, HTTP header, ``<meta>``, detection, in this order.

Source: HTML Standard, 13.2.3, and Encoding Standard, 4.2 (labels); detection is left to uchardet
(`cchardet`). Departure: bytes that are almost valid UTF-8 are read as UTF-8, since most such pages are UTF-8
with errors.

Libraries with the same purpose were compared and are less exact: resiliparse maps Shift_JIS, GB2312 and
EUC-KR to Python's narrower codecs and has no x-mac-cyrillic; w3lib accepts labels that no browser knows
(utf-7, base64), and reads ``<meta>`` in comments and beyond the first 1 024 bytes.
"""

from __future__ import annotations

import codecs
import re

import cchardet

from webgrain.page.thresholds import CONFIDENT, DETECTED

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
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
_ATTRIBUTE = re.compile(rb"([^\s=/\"'>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_TAG, _TAG_BYTES = re.compile(r"<[a-zA-Z/!]"), re.compile(rb"<\0?[a-zA-Z/!]")
_IN_CONTENT = re.compile(rb"charset\s*=\s*[\"']?\s*([^\s;\"']+)", re.I)


def known_charset(label: str | bytes | None) -> str | None:
    """Charset of a label on the web, None for an unknown label: latin-1 means windows-1252.

    >>> known_charset(" Latin1 "), known_charset("utf8"), known_charset("base64")
    ('windows-1252', 'utf-8', None)
    """
    if label is None:
        return None
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

    header: the charset of the HTTP header, if any; an unknown charset is ignored.

    >>> find_charset("Grüße".encode()), find_charset(b"<meta charset=big5>"), find_charset(b"", "latin1")
    ('utf-8', 'big5hkscs', 'windows-1252')
    """
    marks = (charset for mark, charset in _BOMS if body.startswith(mark))
    declared = (*marks, known_charset(header), _utf16_of(body), meta_charset(body))
    return next((one for one in declared if one and _keeps_markup(body, one)), None) or _detect(body)


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
    if 10 * broken <= len(text) - len(text.encode("ascii", "ignore")):
        return "utf-8"
    guess = cchardet.detect(body[first : first + DETECTED])
    charset = known_charset(guess["encoding"]) if guess["confidence"] >= CONFIDENT else None
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


def _keeps_markup(body: bytes, charset: str) -> bool:
    """Whether the text in a charset has most of the tags that the bytes have."""
    start = body[:DETECTED]
    return 2 * len(_TAG.findall(start.decode(charset, "ignore"))) >= len(_TAG_BYTES.findall(start))
