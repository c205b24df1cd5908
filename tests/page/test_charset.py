"""Charsets: BOM, HTTP header, meta, detection, in this order, and labels as the web means them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webgrain.page.page import Source
from webgrain.page.parsing import decode, find_charset, known_charset, meta_charset, parse

RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 20


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        ("utf-8", "utf-8"),
        ("UTF8", "utf-8"),
        (" Latin1 ", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("ISO-8859-9", "windows-1254"),
        ("gb2312", "gb18030"),
        ("Shift_JIS", "cp932"),
        ("euc-kr", "cp949"),
        ("'koi8-r'", "koi8-r"),
        ("utf-16", "utf-16-le"),
        ("utf-7", None),
        ("base64", None),
        ("idna", None),
        ("rot13", None),
        ("unicode_escape", None),
        ("iso-8859-99", None),
        ("ö", None),
        ("", None),
        (None, None),
    ],
)
def test_labels_mean_what_they_mean_on_the_web(label, charset):
    assert known_charset(label) == charset


@pytest.mark.parametrize(
    ("head", "charset"),
    [
        (b"<meta charset=utf-8>", "utf-8"),
        (b"<META\nCharSet = 'windows-1251' >", "windows-1251"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=\"big5\"'>", "big5hkscs"),
        (b"<meta content='text/html;charset=koi8-u' http-equiv=\"content-type\"/>", "koi8-u"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=nonsense><meta charset=koi8-r>", "koi8-r"),
        (b"<!-- <meta charset=big5> --><meta charset=koi8-r>", "koi8-r"),
        (b"<!-- <meta charset=big5>", None),
        (b"<meta name='a>b' charset=koi8-r>", "koi8-r"),
        (b"<meta content='text/html; charset=koi8-r'>", None),
        (b"<meta name=charset content=koi8-r>", None),
        (b"<metal charset=koi8-r>", None),
        (b" " * 1024 + b"<meta charset=koi8-r>", None),
        (b"", None),
    ],
)
def test_meta_is_read_as_browsers_do(head, charset):
    assert meta_charset(head) == charset


def test_each_source_goes_before_the_next():
    meta = b"<meta charset=koi8-r>"
    assert find_charset(b"\xef\xbb\xbf" + meta, "big5") == "utf-8"
    assert find_charset("\ufeffx".encode("utf-16-le"), "big5") == "utf-16-le"
    assert find_charset("\ufeffx".encode("utf-16-be")) == "utf-16-be"
    assert find_charset(meta, "big5") == "big5hkscs"
    assert find_charset(meta, "nonsense") == "koi8-r"
    assert find_charset(meta + "é".encode("latin-1")) == "koi8-r"


@pytest.mark.parametrize("declared", ["windows-1252", "iso-8859-2", "koi8-r", "mac-roman"])
@pytest.mark.parametrize("where", ["header", "meta"])
def test_valid_utf_8_is_not_read_in_a_single_byte_charset(declared: str, where: str) -> None:
    header = declared if where == "header" else None
    meta = b"" if header else f"<meta charset={declared}>".encode()
    page = parse(Source("a", meta + "<p>Grüße – “Anna”".encode(), charset=header))
    assert (page.charset, page.dom.text) == ("utf-8", "Grüße – “Anna”")
    name = known_charset(declared)
    assert page.notes == (f"The declared charset {name} is not that of the page: it is read as utf-8.",)
    for other in ("Grüße".encode("latin-1"), b"only ASCII"):
        assert find_charset(meta + other, header) == name


def test_valid_utf_8_may_be_cut_off_within_a_character() -> None:
    assert find_charset("<meta charset=latin1>Grüße – ".encode()[:-2]) == "utf-8"


@pytest.mark.parametrize("where", ["header", "meta"])
def test_bytes_that_are_declared_as_utf_8_and_are_not_valid_are_detected(where: str) -> None:
    header = "utf-8" if where == "header" else None
    meta = b"" if header else b"<meta charset=utf-8>"
    page = parse(Source("a", meta + b"<p>" + RUSSIAN.encode("windows-1251"), charset=header))
    assert (page.charset, page.dom.text) == ("windows-1251", RUSSIAN)
    assert page.notes == ("The declared charset utf-8 is not that of the page: it is read as windows-1251.",)
    page = parse(Source("a", meta + "<p>café crème".encode("latin-1"), charset=header))
    assert page.dom.text == "café crème"


@pytest.mark.parametrize("where", ["header", "meta"])
def test_few_wrong_characters_of_utf_8_are_replaced(where: str) -> None:
    header = "utf-8" if where == "header" else None
    meta = b"" if header else b"<meta charset=utf-8>"
    page = parse(Source("a", meta + b"<p>caf\xe9 " + "crème brûlée".encode(), charset=header))
    assert (page.charset, page.dom.text) == ("utf-8", "caf\ufffd crème brûlée")
    assert page.notes == ("1 characters could not be read as utf-8 and were replaced.",)


def test_utf_8_with_a_byte_order_mark_stays_utf_8() -> None:
    page = parse(Source("a", b"\xef\xbb\xbf<p>caf\xe9"))
    assert page.charset == "utf-8"
    assert page.notes == ("1 characters could not be read as utf-8 and were replaced.",)


@pytest.mark.parametrize("charset", ["utf-8", "windows-1251", "koi8-r"])
def test_what_nobody_declares_is_detected(charset):
    body = RUSSIAN.encode(charset)
    assert decode(body, find_charset(body)) == (RUSSIAN, 0)


def test_western_bytes_are_windows_1252_in_the_end():
    assert find_charset("café crème".encode("latin-1")) == "windows-1252"
    assert find_charset(bytes(range(128, 256))) == "windows-1252"


def test_utf_8_with_a_few_broken_bytes_is_still_utf_8():
    body = RUSSIAN.encode()
    assert find_charset(body[:-3]) == "utf-8"
    assert find_charset(body[:100] + b"\xff" + body[100:]) == "utf-8"


def test_the_bom_is_no_part_of_the_text():
    assert decode(b"\xef\xbb\xbfx", "utf-8") == ("x", 0)
    assert decode("\ufeffx".encode("utf-16-be"), "utf-16-be") == ("x", 0)


def test_characters_that_were_always_replacements_do_not_count():
    assert decode("�".encode() + b"\xff", "utf-8") == ("��", 1)


@given(st.binary(max_size=200), st.none() | st.text(max_size=12))
def test_any_bytes_and_any_header_give_a_text(body, header):
    text, broken = decode(body, find_charset(body, header))
    assert 0 <= broken <= text.count("\ufffd")


@given(st.lists(st.sampled_from([b"<meta ", b"charset", b"=", b"'", b'"', b">", b"<!--", b" ", b"utf-8"])))
def test_any_meta_gives_a_charset_or_none(pieces):
    assert meta_charset(b"".join(pieces)) in (None, "utf-8")
