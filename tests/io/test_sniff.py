from __future__ import annotations

import pytest

from webgrain.io.decode import has_html_name
from webgrain.page.filetypes import is_html


@pytest.mark.parametrize(
    "head",
    [
        b"<!DOCTYPE html>",
        b"\xef\xbb\xbf  <HTML lang=de>",
        b"<?xml version='1.0'?><!DOCTYPE html PUBLIC>",
        b"<!-- a -->\n<!-- b --><head>",
        b"<title>",
        "<!doctype html>".encode("utf-16"),
        "<!doctype html>".encode("utf-16-le"),
        b"<html>\0\x01\x02",
    ],
)
def test_what_begins_as_a_document_is_html(head: bytes) -> None:
    assert is_html(head, declared=False)
    assert is_html(head, declared=True)


@pytest.mark.parametrize(
    "head",
    [b"", b"words", b"<p>words", b"p { color: red }", b"<?php echo 1 ?>", b"<svg>", b"<headline>", b"{}"],
)
def test_other_text_is_html_only_where_it_is_declared(head: bytes) -> None:
    assert not is_html(head, declared=False)
    assert is_html(head, declared=True) is True


@pytest.mark.parametrize(
    "head",
    [b"\x89PNG\r\n\x1a\n", b"GIF89a", b"%PDF-1.7", b"PK\x03\x04", b"\x1f\x8b\x08", b"\x7fELF\x02\x01\x01\0"],
)
def test_what_is_binary_is_never_html(head: bytes) -> None:
    assert not is_html(head, declared=True)


def test_a_thousand_comments_take_little_time() -> None:
    assert not is_html(b"<!--" * 100_000, declared=False)
    assert not is_html(b"<!---->" * 100_000, declared=False)


def test_names() -> None:
    assert all(map(has_html_name, ["a.html", "A.HTM", "x/y.xhtml", "view.php?id=3.html", "a.HTML.GZ"]))
    assert not any(map(has_html_name, ["a.css", "html", "a.css.gz", "a.php?x", "index.html?w=80", ""]))
