"""Zip archives of textcrawler, the crawler of Webstemmer, and filters of pages."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from webgrain.base.errors import ParameterError
from webgrain.io.archives import read_linkinfo
from webgrain.io.read import read, selected
from webgrain.page.page import Source

LINKINFO = """('200511210103/www.a.org/', [u'Home', 'Home', u'caf\\xe9'])
('200511210103/www.a.org/never-fetched.html', ['x'])
not a literal
('200511210103/www.a.org/b?c=1', 5)
__import__('os').system('false')
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive as textcrawler writes it."""
    path = tmp_path / "a.200511210103.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("200511210103/www.a.org/", "<title>Home</title><p>caf\xe9".encode("latin-1"))
        file.writestr("200511210103/www.a.org/b?c=1", "<p>b <a href=/>Home</a>")
        file.writestr("200511210103/www.a.org:8080/folder/", "<p>folder")
        file.writestr("linkinfo", LINKINFO)
    return path


def sources(path: Path) -> dict[str, Source]:
    return {item.id: item for item in read([path]) if isinstance(item, Source)}


def test_members_that_end_in_a_slash_are_pages_with_addresses(archive: Path) -> None:
    found = sources(archive)
    assert {name: source.url for name, source in found.items()} == {
        "200511210103/www.a.org/": "http://www.a.org/",
        "200511210103/www.a.org/b?c=1": "http://www.a.org/b?c=1",
        "200511210103/www.a.org:8080/folder/": "http://www.a.org:8080/folder/",
    }


def test_texts_of_links_are_read_as_literals(archive: Path) -> None:
    found = read_linkinfo(archive)
    assert found["200511210103/www.a.org/"] == {"Home": 2, "caf\xe9": 1}
    assert len(found) == 2
    assert next(iter(read_linkinfo(archive, "x/"))) == "x/200511210103/www.a.org/"


def test_folders_of_other_archives_are_no_pages(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        file.writestr("folder/", "")
        file.writestr("folder/a.html", "<p>a")
    assert [(name, page.url) for name, page in sources(tmp_path / "a.zip").items()] == [
        ("folder/a.html", None)
    ]
    assert read_linkinfo(tmp_path / "a.zip") == {}


def test_pages_are_filtered_by_their_names() -> None:
    pages = [("a/1", "<p>"), ("a/2", "<p>"), ("b/1", "<p>")]
    assert [page.id for page in selected(read(pages), only=["^a/", "^b/"], skip=["2$"])] == ["a/1", "b/1"]
    assert [page.id for page in selected(read(pages), only=["(?i)^A/"], skip=["2$"])] == ["a/1"]
    assert [page.id for page in selected(read(pages), skip=["^a"])] == ["b/1"]
    with pytest.raises(ParameterError, match="regular expression"):
        selected(read(pages), only=["("])


def test_a_charset_replaces_that_of_the_page(archive: Path) -> None:
    [page] = selected(read([archive]), only=["org/$"], charset="iso-8859-2")
    assert isinstance(page, Source)
    assert page.charset == "iso-8859-2"
    with pytest.raises(ParameterError, match="utf-7"):
        selected(read([archive]), charset="utf-7")
