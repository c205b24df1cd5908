"""Zip archives as hostile people make them."""

from __future__ import annotations

import gzip
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from webgrain.base.failures import Failure
from webgrain.io.read import read
from webgrain.page.page import Limits, Page, Source

MakeZip = Callable[..., Path]


def by_id(path: Path, limits: Limits | None = None) -> dict[str, Source | Failure]:
    return {
        item.page if isinstance(item, Failure) else item.id: item
        for item in read([path], limits=limits)
        if not isinstance(item, Page)
    }


def error(item: Source | Failure) -> str:
    assert isinstance(item, Failure), item
    assert item.stage == "read"
    return item.error


def test_members_are_pages_as_files_are(make_zip: MakeZip) -> None:
    path = make_zip(
        {
            "b/index.html": "<p>b",
            "a.html": "<p>a",
            "page": "<!doctype html>",
            "main.css": "p { }",
            ".git/x.html": "<p>",
            "__MACOSX/._a.html": b"\0\5\x16\7",
            "folder.html/": "",
            "inner.zip": b"PK\x03\x04<html>",
            "broken.html": b"\x89PNG\r\n",
            "packed.html.gz": gzip.compress(b"<p>packed"),
            "cut.html.gz": gzip.compress(b"<p>packed")[:-9],
        }
    )
    with pytest.warns(UserWarning, match=r"are not read: \.git/x\.html$"):
        found = by_id(path)
    assert list(found) == ["b/index.html", "a.html", "page", "broken.html", "packed.html.gz", "cut.html.gz"]
    assert error(found["broken.html"]) == "broken.html is not HTML."
    assert error(found["cut.html.gz"]) == "The body ends in the middle of its gzip data."
    packed = found["packed.html.gz"]
    assert isinstance(packed, Source)
    assert packed.body == b"<p>packed"
    page = found["b/index.html"]
    assert isinstance(page, Source)
    assert (page.body, page.path) == (b"<p>b", "b/index.html")
    assert page.assets is not None
    assert page.assets.read("main.css") == b"p { }"


@pytest.mark.parametrize(
    "name", ["../../evil.html", "/etc/evil.html", "a/../../evil.html", "..\\evil.html", "C:/evil.html"]
)
def test_names_outside_of_the_folder_fail_and_nothing_is_unpacked(
    name: str, make_zip: MakeZip, tmp_path: Path
) -> None:
    found = by_id(make_zip({name: "<p>", "good.html": "<p>"}))
    (evil,) = found.keys() - {"good.html"}
    assert error(found[evil]) == "The name of the member leads out of the archive."
    assert ".." not in evil
    assert not evil.startswith("/")
    assert isinstance(found["good.html"], Source)
    assert [path.name for path in tmp_path.iterdir()] == ["site.zip"]


def test_a_decompression_bomb_fails_and_a_long_page_is_truncated(make_zip: MakeZip) -> None:
    noise = random.Random(0).randbytes(300_000).hex()
    found = by_id(
        make_zip({"bomb.html": b"<p>" + bytes(5_000_000), "long.html": noise, "good.html": "<p>"}),
        Limits(bytes=100_000),
    )
    assert error(found["bomb.html"]) == "The member would unpack to 5000003 bytes: a zip bomb."
    page = found["long.html"]
    assert isinstance(page, Source)
    assert len(page.body) == 100_001
    assert isinstance(found["good.html"], Source)


def test_a_decompression_bomb_with_a_false_size_fails(make_zip: MakeZip) -> None:
    path = make_zip({"bomb.html": b"<p>" + bytes(5_000_000)})
    size = (5_000_003).to_bytes(4, "little")
    data = path.read_bytes()
    assert data.count(size) == 2
    path.write_bytes(data.replace(size, (100).to_bytes(4, "little")))
    assert error(by_id(path)["bomb.html"]) == "The member is damaged."


def test_an_encrypted_member_fails_alone(make_zip: MakeZip) -> None:
    path = make_zip({"a.html": "<p>a", "b.html": "<p>b"})
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    data[6] |= 1
    path.write_bytes(data)
    found = by_id(path)
    assert error(found["a.html"]) == "The member is encrypted."
    assert isinstance(found["b.html"], Source)


def test_a_damaged_member_fails_alone(make_zip: MakeZip) -> None:
    noise = random.Random(0).randbytes(1000).hex()
    path = make_zip({"a.html": noise, "b.html": "<p>b"})
    data = bytearray(path.read_bytes())
    data[100:110] = bytes(10)
    path.write_bytes(data)
    found = by_id(path)
    assert error(found["a.html"]) == "The member is damaged."
    assert isinstance(found["b.html"], Source)


def test_exotic_compression_fails(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.html", "<p>")
    assert (
        error(by_id(tmp_path / "a.zip")["a.html"])
        == "The member is compressed in a way that is not supported."
    )


@pytest.mark.parametrize("keep", [0, 10, -30])
def test_a_truncated_archive_fails(keep: int, make_zip: MakeZip) -> None:
    path = make_zip({"a.html": "<p>" * 100})
    path.write_bytes(path.read_bytes()[:keep])
    assert error(by_id(path)[str(path)]) == f"{path} is not a zip archive, or it is cut off."


def test_two_members_may_have_one_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.html", "<p>1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.html", "<p>2")
    found = by_id(tmp_path / "a.zip")
    assert [item.body for item in found.values() if isinstance(item, Source)] == [b"<p>1", b"<p>2"]
    assert list(found) == ["a.html", "a.html (2)"]


def test_a_member_without_a_name_harms_no_other(make_zip: MakeZip) -> None:
    path = make_zip({"a.html": "<p>a", "x": "<!doctype html>"})
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"PK\x01\x02")  # of the second one: its name becomes an extra field
    content[entry + 28 : entry + 32] = b"\0\0\1\0"
    path.write_bytes(content)
    assert isinstance(by_id(path)["a.html"], Source)


def test_random_damage_never_raises(make_zip: MakeZip) -> None:
    chance = random.Random(0)
    path = make_zip({f"{k}.html": "<p>" + chance.randbytes(50).hex() for k in range(5)})
    whole = path.read_bytes()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        assert all(isinstance(item, Source | Failure) for item in by_id(path).values())
