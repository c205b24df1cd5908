"""MHTML and HAR are recognised by their first bytes, whatever their name is, and refused by name."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import webgrain
from webgrain.base.errors import InputError, ReadError
from webgrain.base.failures import Failure
from webgrain.io.read import read
from webgrain.page.filetypes import saved_format
from webgrain.page.page import Source
from webgrain.page.parsing import parse

HEADERS = (
    "From: <Saved by a browser>",
    "Snapshot-Content-Location: https://example.org/a",
    "Subject: A page",
    "MIME-Version: 1.0",
    'Content-Type: multipart/related; type="text/html"; boundary="b"',
)
PARTS = "\r\n".join([*HEADERS, "", "--b", "Content-Type: text/html", "", "<!doctype html><p>Hello", "--b--"])
ENCODED = "mime-version: 1.0\nContent-Transfer-Encoding: quoted-printable\n\n<p class=3Da>Hello"
LOG = json.dumps(
    {"log": {"version": "1.2", "creator": {"name": "A"}, "entries": [{"text": "<html><p>Hello"}]}}
)
SAVED = {"MHTML": PARTS.encode(), "encoded MHTML": ENCODED.encode(), "HAR": LOG.encode()}


def form_of(name: str) -> str:
    return name.rpartition(" ")[2]


@pytest.fixture(params=SAVED)
def saved(request: pytest.FixtureRequest) -> tuple[str, bytes]:
    """The name of a format, and a file of it."""
    return form_of(request.param), SAVED[request.param]


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (b"\xef\xbb\xbf" + SAVED["MHTML"], "MHTML"),
        (b"\r\n" + SAVED["MHTML"], "MHTML"),
        (b"Subject: " + b"x" * 9_000 + b"\r\n" + SAVED["MHTML"], "MHTML"),
        (b'\n{ "log" :\n{ "pages": [] } }', "HAR"),
        (b"", ""),
        (b"<p>MIME-Version: 1.0\nContent-Type: multipart/related", ""),
        (b"MIME-Version: 1.0\nContent-Type: text/html\n\n<html><p>With the headers of a server", ""),
        (b"Note: a page about mail.\n\nMIME-Version: 1.0\nContent-Type: multipart/related", ""),
        (b'{"log": {"level": 3}}', ""),
        (b'{"logs": {"version": 3}}', ""),
    ],
)
def test_formats_are_recognised_by_their_first_bytes(body: bytes, form: str) -> None:
    assert saved_format(body) == form


@pytest.mark.parametrize("name", ["a.html", "a.txt", "a"])
def test_a_file_is_refused_by_name(name: str, saved: tuple[str, bytes], tmp_path: Path) -> None:
    form, body = saved
    path = tmp_path / name
    path.write_bytes(body)
    [failure] = read(path)
    assert isinstance(failure, Failure)
    assert failure.error.startswith(f"{path} is {form}, which is not read: save the page")
    with pytest.raises(InputError, match=f"is {form}, which is not read"):
        parse(path)


def test_files_of_a_folder_and_an_archive_are_refused_by_name(
    saved: tuple[str, bytes], tmp_path: Path
) -> None:
    form, body = saved
    site = tmp_path / "site"
    site.mkdir()
    files = {"a.html": body, "b.json": body, "c.html": b"<p>Hello", "d.json": b'{"log": 3}'}
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as packed:
        for name, content in files.items():
            (site / name).write_bytes(content)
            packed.writestr(name, content)
    for place in (site, tmp_path / "site.zip"):
        first, second, page = read(place)
        for name, failure in (("a.html", first), ("b.json", second)):
            assert isinstance(failure, Failure)
            assert failure.page == name
            assert failure.error.startswith(f"{name} is {form}, which is not read")
        assert isinstance(page, Source)


def test_standard_input_is_refused_by_name(saved: tuple[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(saved[1])))
    [failure] = read("-")
    assert isinstance(failure, Failure)
    assert failure.error.startswith(f"Standard input is {saved[0]}, which is not read")


def test_a_record_of_a_web_archive_is_refused_by_name(
    saved: tuple[str, bytes], record: Callable[..., bytes], warc: Callable[..., Path]
) -> None:
    [failure, page] = read(warc(record("http://x/a", saved[1]), record("http://x/b", b"<p>Hello")))
    assert isinstance(failure, Failure)
    assert failure.page == "http://x/a"
    assert failure.error.startswith(f"The record is {saved[0]}, which is not read")
    assert isinstance(page, Source)


@pytest.mark.parametrize(
    "function", [webgrain.parse, webgrain.extract, webgrain.segment, webgrain.find_lists]
)
def test_bytes_and_texts_are_refused_by_name(
    function: Callable[[Any], object], saved: tuple[str, bytes]
) -> None:
    for given in (saved[1], saved[1].decode(), Source("a", saved[1])):
        with pytest.raises(ReadError, match=f"^The page is {saved[0]}, which is not read"):
            function(given)


def test_a_site_is_learnt_from_the_other_pages(saved: tuple[str, bytes]) -> None:
    html = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>" + "Some words on {0}. " * 9
    site = webgrain.Site.fit([*(html.format(letter) for letter in "abcdefgh"), saved[1]])
    [failure] = site.failures
    assert (failure.page, failure.stage) == ("page-9", "read")
    assert failure.error.startswith(f"The page is {saved[0]}")
