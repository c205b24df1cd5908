"""Which charset a page is in: BOM, HTTP header, meta, detection, in this order."""

from __future__ import annotations

import codecs
import re

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_PRESCAN = 1024
_DETECTED = 64 * 1024
_SURE = 0.5
_LAST_RESORT = "windows-1252"

# Labels that mean on the web something else than in Python's codecs (WHATWG Encoding Standard, 4.2).
_ON_THE_WEB = {
    **dict.fromkeys(
        ("ascii", "us-ascii", "ansi_x3.4-1968", "iso-8859-1", "iso8859-1", "latin1", "l1", "x-cp1252"),
        "windows-1252",
    ),
    **dict.fromkeys(("iso-8859-9", "iso8859-9", "latin5", "l5", "x-cp1254"), "windows-1254"),
    **dict.fromkeys(("iso-8859-11", "iso8859-11", "tis-620", "dos-874"), "windows-874"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk", "gb_2312-80", "chinese"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-kr", "korean", "ks_c_5601-1987", "ksc5601", "uhc", "windows-949"), "cp949"),
    **dict.fromkeys(("big5", "big5-hkscs", "x-x-big5", "cn-big5"), "big5hkscs"),
    **dict.fromkeys(("iso-8859-8-i", "logical", "visual"), "iso-8859-8"),
    **dict.fromkeys(("utf8", "unicode-1-1-utf-8", "x-unicode20utf8"), "utf-8"),
    **dict.fromkeys(("utf-16", "unicode", "ucs-2", "iso-10646-ucs-2"), "utf-16-le"),
    "x-cp1250": "windows-1250",
    "x-cp1251": "windows-1251",
    "x-euc-jp": "euc-jp",
    "macintosh": "mac-roman",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
}
# Only these of Python's codecs are charsets of the web: not utf-7, not base64, not idna.
_ALLOWED = re.compile(
    r"utf-8|utf-16-[lb]e|windows-(874|125\d)|cp(866|874|932|949|125\d)|iso-?8859-\d+(-[a-z]+)?|iso-2022-jp|"
    r"koi8-[ru]|gb18030|big5(hkscs)?|euc[-_]jp|mac-(roman|cyrillic)"
)

_META = re.compile(rb"<!--.*?(?:-->|\Z)|<meta[\s/]((?:[^>\"']|\"[^\"]*\"|'[^']*')*)", re.I | re.S)
_ATTRIBUTE = re.compile(rb"([^\s=/\"'>]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_IN_CONTENT = re.compile(rb"charset\s*=\s*[\"']?\s*([^\s;\"']+)", re.I)


def known_charset(label: str | bytes | None) -> str | None:
    """Name of the charset that a label means on the web, None for no or an unknown one.

    Source: WHATWG Encoding Standard, 4.2: a page that says latin-1 is read as windows-1252.

    >>> known_charset(" Latin1 "), known_charset("utf8"), known_charset("base64")
    ('windows-1252', 'utf-8', None)
    """
    if label is None:
        return None
    name = label.decode("latin-1") if isinstance(label, bytes) else label
    name = name.strip().strip("\"'").lower()
    name = _ON_THE_WEB.get(name, name)
    if not _ALLOWED.fullmatch(name):
        return None
    try:
        codecs.lookup(name)
    except LookupError:
        return None
    return name


def meta_charset(body: bytes) -> str | None:
    """Charset that a ``<meta>`` in the first 1 024 bytes declares, None without one.

    Source: HTML Standard, 13.2.3.2, without its walk over other tags' attributes. Markup that can be read as
    ASCII is not in utf-16, so a meta that says so means utf-8.

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
    """Charset of a page: BOM, HTTP header, meta, detection; windows-1252 as the last resort.

    header: the charset of the HTTP header, where there was one; an unknown one is passed over.

    >>> find_charset("Grüße".encode()), find_charset(b"<meta charset=big5>"), find_charset(b"", "latin1")
    ('utf-8', 'big5hkscs', 'windows-1252')
    """
    for mark, charset in _BOMS:
        if body.startswith(mark):
            return charset
    return known_charset(header) or meta_charset(body) or _detect(body)


def decode(body: bytes, charset: str) -> tuple[str, int]:
    r"""Text of a page without its BOM, and how many characters stand for bytes that could not be decoded.

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
    """Charset of bytes that nobody declared: utf-8 if they are valid as such, or nearly so."""
    try:
        body.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError as error:
        first = error.start
    text, broken = decode(body, "utf-8")
    if 10 * broken <= len(text) - len(text.encode("ascii", "ignore")):
        return "utf-8"
    import cchardet

    found = cchardet.detect(body[first : first + _DETECTED])
    return (found["confidence"] >= _SURE and known_charset(found["encoding"])) or _LAST_RESORT
