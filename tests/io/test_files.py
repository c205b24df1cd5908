"""A folder may hold anything."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import brotli
import pytest
from tests.compression import zstd_compress

from webgrain.base.errors import InputError
from webgrain.base.failures import Failure
from webgrain.io.read import read
from webgrain.page.page import Limits, Page, Source

if TYPE_CHECKING:
    import pytest


def by_id(*inputs: Path) -> dict[str, Source | Failure]:
    return {
        item.page if isinstance(item, Failure) else item.id: item
        for item in read(inputs)
        if not isinstance(item, Page)
    }


def error(item: Source | Failure) -> str:
    assert isinstance(item, Failure), item
    assert item.stage == "read"
    return item.error


def test_other_files_are_ignored_and_pages_without_a_name_are_found(tmp_path: Path) -> None:
    for name in ("a.css", "b.js", "c.txt", ".git/page.html", ".hidden.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<p>no page")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n<html>")
    (tmp_path / "page").write_text("<!-- saved -->\n<!DOCTYPE html><p>")
    (tmp_path / "view.php?id=3").write_text("<html><p>")
    (tmp_path / "index.html?id=3").write_text("<html>")
    (tmp_path / "index.html?w=80").write_bytes(b"GIF89a")
    with pytest.warns(UserWarning, match=r"are not read: \.git, \.hidden\.html$"):
        assert list(by_id(tmp_path)) == ["index.html?id=3", "page", "view.php?id=3"]


def test_a_named_file_that_is_no_html_fails(tmp_path: Path) -> None:
    style, picture, good = tmp_path / "a.css", tmp_path / "b.html", tmp_path / "c.html"
    style.write_text("p { }")
    picture.write_bytes(b"GIF89a" + bytes(100))
    good.write_text("<p>")
    found = by_id(style, picture, good)
    assert error(found[str(style)]) == f"{style} is not HTML."
    assert error(found[str(picture)]) == f"{picture} is not HTML."
    assert isinstance(found[str(good)], Source)


def test_links_stay_inside(tmp_path: Path) -> None:
    site, outside = tmp_path / "site", tmp_path / "outside.html"
    (site / "deep").mkdir(parents=True)
    outside.write_text("<p>secret")
    (site / "real.html").write_text("<p>real")
    (site / "inside.html").symlink_to("real.html")
    (site / "leak.html").symlink_to(outside)
    (site / "leak").symlink_to("/etc")
    (site / "self.html").symlink_to("self.html")
    (site / "deep/loop").symlink_to("..")
    (site / "gone.html").symlink_to("nowhere")
    found = by_id(site)
    assert [name for name, item in found.items() if isinstance(item, Source)] == ["inside.html", "real.html"]
    assert error(found["leak.html"]) == "leak.html is a link that leads out of the folder."
    assert error(found["leak"]) == error(found["deep/loop"]) == "Links to folders are not followed."
    assert error(found["self.html"]) == "Too many levels of symbolic links."
    assert error(found["gone.html"]) == "gone.html is a link that leads out of the folder." or (
        error(found["gone.html"]) == "No such file or directory."
    )


def test_pipes_and_devices_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.html").write_text("<p>")
    found = by_id(tmp_path)
    assert list(found) == ["a.html", "pipe.html"]
    assert error(found["pipe.html"]) == "pipe.html is not a regular file."
    for path in (Path("/dev/zero"), tmp_path / "pipe"):
        assert "is not a regular file" in error(by_id(path)[str(path)])


def test_a_folder_may_be_called_like_a_page(tmp_path: Path) -> None:
    (tmp_path / "x.html").mkdir()
    (tmp_path / "x.html/y.html").write_text("<p>")
    assert list(by_id(tmp_path)) == ["x.html/y.html"]
    assert list(by_id(tmp_path / "x.html")) == ["y.html"]


def test_a_file_that_cannot_be_opened_fails_without_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.html", "b.html", "secret/c.html", "z.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<p>")
    # Tests may run as root, whom no permission stops.
    open_file, list_folder = os.open, os.listdir

    def refuse(path: os.PathLike[str], *rest: int) -> int:
        if os.fspath(path).endswith("b.html"):
            raise PermissionError(13, "Permission denied")
        return open_file(path, *rest)

    def refuse_folder(path: os.PathLike[str]) -> list[str]:
        if os.fspath(path).endswith("secret"):
            raise PermissionError(13, "Permission denied")
        return list_folder(path)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(os, "listdir", refuse_folder)
    found = by_id(tmp_path)
    assert [name for name, item in found.items() if isinstance(item, Source)] == ["a.html", "z.html"]
    assert error(found["b.html"]) == error(found["secret"]) == "Permission denied."


def test_names_that_are_no_text_are_spelt_out(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.html")).write_text("<p>")
    (tmp_path / "line\nend.html").write_text("<p>")
    found = by_id(tmp_path)
    assert list(found) == ["caf\\udce9.html", "line\nend.html"]
    for item in found.values():
        assert isinstance(item, Source)
        item.id.encode()
        item.path.encode()


def test_a_deep_folder_is_read(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(300):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "a.html").write_text("<p>")
    assert list(by_id(tmp_path)) == ["d/" * 300 + "a.html"]


def test_an_empty_file_and_an_empty_folder(tmp_path: Path) -> None:
    assert by_id(tmp_path) == {}
    (tmp_path / "a.html").touch()
    page = by_id(tmp_path)["a.html"]
    assert isinstance(page, Source)
    assert page.body == b""


def test_compressed_pages_are_read_and_what_is_damaged_of_them_fails(tmp_path: Path) -> None:
    packed = gzip.compress(b"<p>" + b"words " * 100)
    (tmp_path / "a.html.gz").write_bytes(packed)
    (tmp_path / "b.HTM.GZ").write_bytes(packed[:-20])
    (tmp_path / "c.xhtml.gz").write_bytes(packed[:20] + b"\xff" * 20)
    (tmp_path / "d.html").write_bytes(packed)  # as some mirrors keep what a server sent
    (tmp_path / "e.html.br").write_bytes(brotli.compress(b"<p>words"))
    (tmp_path / "f.html.br").write_bytes(brotli.compress(b"<p>words")[:-4])
    (tmp_path / "g.html.gz").write_bytes(gzip.compress(b"\x89PNG\r\n\x1a\n"))
    (tmp_path / "h.css.gz").write_bytes(gzip.compress(b"p { }"))
    found = by_id(tmp_path)
    pages = {name: item.body for name, item in found.items() if isinstance(item, Source)}
    whole = b"<p>" + b"words " * 100
    assert pages == {"a.html.gz": whole, "d.html": whole, "e.html.br": b"<p>words"}
    assert error(found["b.HTM.GZ"]) == "The body ends in the middle of its gzip data."
    assert error(found["c.xhtml.gz"]) == "The body is damaged: its gzip data cannot be decompressed."
    assert error(found["f.html.br"]).startswith("The body")
    assert error(found["g.html.gz"]) == "g.html.gz is not HTML."
    assert "h.css.gz" not in found


def test_a_compressed_page_is_unpacked_to_the_limit_only(tmp_path: Path) -> None:
    (tmp_path / "bomb.html.gz").write_bytes(gzip.compress(b"<p>" + b"x" * 10_000_000))
    tracemalloc.start()
    (page,) = read([tmp_path], limits=Limits(bytes=1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(page, Source)
    assert page.body == b"<p>" + b"x" * 998
    assert peak < 2**20


def test_files_with_zstd_are_decompressed(tmp_path: Path) -> None:
    (tmp_path / "a.html.zst").write_bytes(zstd_compress(b"<p>Hello"))
    page = by_id(tmp_path)["a.html.zst"]
    assert isinstance(page, Source)
    assert page.body == b"<p>Hello"


@pytest.mark.parametrize(("name", "form"), [("saved.mhtml", "MHTML"), ("b.MHT", "MHTML"), ("c.har", "HAR")])
def test_archives_of_browsers_are_refused_by_name(name: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"From: <Saved by a browser>\nContent-Type: text/html\n\n<p>Hello")
    with pytest.raises(InputError, match=f"{name} is {form}, which is not read"):
        list(read(path))
    assert f"{name} is {form}, which is not read" in error(by_id(tmp_path)[name])
