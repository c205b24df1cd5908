"""Web archives, whole and damaged."""

from __future__ import annotations

import gzip
import os
import random
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.compression import zstd_compress

from webgrain.base.failures import Failure
from webgrain.io.read import read
from webgrain.page.page import Limits, Source

Make = Callable[..., bytes]
Write = Callable[..., Path]


def items(path: Path, limits: Limits | None = None) -> list[Source | Failure]:
    return list(read([path], limits=limits))  # type: ignore[arg-type]


def outline(path: Path) -> list[str]:
    """Ids of the pages, and of the failures with an exclamation mark."""
    return [f"!{item.page}" if isinstance(item, Failure) else item.id for item in items(path)]


@pytest.fixture
def three(record: Make) -> list[bytes]:
    return [
        record(f"http://x/{name}", b"<p>" + random.Random(name).randbytes(3000).hex().encode())
        for name in "abc"
    ]


@pytest.mark.parametrize("name", ["crawl.warc", "crawl.warc.gz", "CRAWL.WARC.GZ"])
def test_pages_have_their_uri_and_the_charset_of_the_header(name: str, record: Make, warc: Write) -> None:
    path = warc(
        record("http://x/a", b"<p>a", "Content-Type: text/html; charset=ISO-8859-2\r\n"),
        record("http://x/b", b"<p>b", 'Content-Type: application/xhtml+xml; q=1; Charset="utf-8"\r\n'),
        record("<http://x/wget>", b"<p>c", "Content-Type: text/html\r\n"),
        record("http://x/untyped", b"<html>", ""),
        name=name,
    )
    assert [(page.id, page.url, page.charset) for page in items(path) if isinstance(page, Source)] == [
        ("http://x/a", "http://x/a", "ISO-8859-2"),
        ("http://x/b", "http://x/b", "utf-8"),
        ("http://x/wget", "http://x/wget", None),
        ("http://x/untyped", "http://x/untyped", None),
    ]


def test_other_records_are_ignored(record: Make, warc: Write) -> None:
    other = record("http://x/r", b"<p>").replace(b"WARC-Type: response", b"WARC-Type: resource")
    path = warc(
        other,
        record("http://x/i", b"\x89PNG", "Content-Type: image/png\r\n"),
        record("http://x/m", b"<p>Moved", status="301 Moved Permanently"),
        record("http://x/e", b"<p>Not here", status="404 Not Found"),
        record("http://x/a", b"<p>"),
        record("dns:x", b"1.2.3.4").replace(b"application/http; msgtype=response", b"text/dns"),
    )
    assert outline(path) == ["http://x/a"]


def test_chunks_and_compression_are_undone(record: Make, warc: Write) -> None:
    text = b"<p>" + b"words " * 50
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (text[:10], text[10:], b""))
    bare = zlib.compressobj(wbits=-15)

    def html(*more: str) -> str:
        return "".join(f"{line}\r\n" for line in ("Content-Type: text/html", *more))

    path = warc(
        record("http://x/chunks", chunks, html("Transfer-Encoding: chunked")),
        record("http://x/joined", text, html("Transfer-Encoding: chunked")),
        record("http://x/gzip", gzip.compress(text), html("Content-Encoding: gzip")),
        record("http://x/plain", text, html("Content-Encoding: gzip")),
        record("http://x/deflate", zlib.compress(text), html("Content-Encoding: deflate")),
        record("http://x/bare", bare.compress(text) + bare.flush(), html("Content-Encoding: deflate")),
        record("http://x/zstd", zstd_compress(text), html("Content-Encoding: zstd")),
        record("http://x/no-zstd", text, html("Content-Encoding: zstd")),
        record("http://x/twice", gzip.compress(zlib.compress(text)), html("Content-Encoding: deflate, gzip")),
    )
    pages = items(path)
    assert len(pages) == 9
    assert {page.body for page in pages if isinstance(page, Source)} == {text}


def test_a_body_that_cannot_be_decompressed_fails_alone(record: Make, warc: Write) -> None:
    packed = gzip.compress(os.urandom(1000))
    header = "Content-Type: text/html\r\nContent-Encoding: {}\r\n"
    path = warc(
        record("http://x/cut", packed[:-20], header.format("gzip")),
        record("http://x/bad", packed[:20] + bytes(50) + packed[70:], header.format("gzip")),
        record("http://x/odd", b"<p>", header.format("rot13")),
        record("http://x/zstd", zstd_compress(b"<p>Hi")[:-2], header.format("zstd")),
        record("http://x/ok", b"<p>"),
    )
    cut, bad, odd, zstd, ok = items(path)
    assert isinstance(zstd, Failure)
    assert zstd.error == "The body is damaged: its zstd data cannot be decompressed."
    assert isinstance(cut, Failure)
    assert cut.error == "The body ends in the middle of its gzip data."
    assert isinstance(bad, Failure)
    assert bad.error == "The body is damaged: its gzip data cannot be decompressed."
    assert isinstance(odd, Failure)
    assert odd.error == "The body is compressed as 'rot13', which is not supported."
    assert isinstance(ok, Source)


def test_an_archive_with_zstd_is_read_beyond_damage(record: Make, tmp_path: Path) -> None:
    members = [zstd_compress(record(f"http://x/{k}", f"<p>Page {k}".encode())) for k in range(4)]
    path = tmp_path / "a.warc.zst"
    path.write_bytes(b"".join(members))
    assert [item.url for item in items(path)] == [f"http://x/{k}" for k in range(4)]
    damaged = members[1][:60] + b"XXXXXXXX" + members[1][68:]
    path.write_bytes(b"".join([members[0], damaged, *members[2:-1], members[-1][:-9]]))
    found = items(path)
    assert [item.url for item in found if isinstance(item, Source)] == ["http://x/0", "http://x/2"]
    assert any(isinstance(item, Failure) for item in found)


def test_a_decompression_bomb_is_truncated(record: Make, warc: Write) -> None:
    bomb = gzip.compress(b"<p>" + b" " * 50_000_000)
    path = warc(record("http://x/a", bomb, "Content-Type: text/html\r\nContent-Encoding: gzip\r\n"))
    (page,) = items(path, Limits(bytes=100_000))
    assert isinstance(page, Source)
    assert len(page.body) == 100_001


def test_damage_costs_the_damaged_record_only(three: list[bytes], warc: Write) -> None:
    path = warc(*three)
    first, second, third = map(gzip.compress, three)
    for spot in (0, 3, 60, len(second) // 2, len(second) - 6):
        damaged = bytearray(second)
        damaged[spot : spot + 3] = bytes(255 - byte for byte in damaged[spot : spot + 3])
        path.write_bytes(first + damaged + third)
        assert outline(path) == ["http://x/a", f"!{path}", "http://x/c"], spot


def test_a_truncated_archive_gives_its_complete_members(three: list[bytes], warc: Write) -> None:
    path = warc(*three)
    whole = path.read_bytes()
    last = len(gzip.compress(three[2]))
    for keep, lost in ((last // 2, "http://x/c"), (60, str(path)), (5, str(path))):
        path.write_bytes(whole[: len(whole) - last + keep])
        assert outline(path) == ["http://x/a", "http://x/b", f"!{lost}"], keep


def test_a_cut_off_plain_archive(three: list[bytes], warc: Write) -> None:
    path = warc(*three, name="crawl.warc")
    whole = path.read_bytes()
    for keep, lost in ((2000, "http://x/c"), (100, str(path)), (5, str(path))):
        path.write_bytes(whole[: len(whole) - len(three[2]) + keep])
        assert outline(path) == ["http://x/a", "http://x/b", f"!{lost}"], keep


@pytest.mark.parametrize("length", [10, 100_000, -5, "many", ""])
def test_a_wrong_length_does_not_hide_what_follows(
    length: object, record: Make, three: list[bytes], warc: Write
) -> None:
    path = warc(three[0], record("http://x/wrong", b"<p>", length=length), three[2], name="crawl.warc")
    found = outline(path)
    assert found[0] == "http://x/a"
    assert found[-1] == "http://x/c"
    assert any(name.startswith("!") for name in found)


def test_a_record_without_http_fails_under_its_uri(record: Make, three: list[bytes], warc: Write) -> None:
    path = warc(three[0], record("http://x/b", b"<p>").replace(b"HTTP/1.1 200 OK", b"what is this"), three[2])
    assert outline(path) == ["http://x/a", "!http://x/b", "http://x/c"]


def test_other_files_are_no_archives(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    for data in (b"<html>", os.urandom(100_000), gzip.compress(b"<html>"), b"\x1f\x8b\x08", b"PK\x03\x04"):
        path.write_bytes(data)
        assert outline(path) == [f"!{path}"], data[:10]
    path.write_bytes(b"")
    assert outline(path) == []


def test_reading_stops_after_many_damaged_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgrain.io.archives.REPAIRS", 20)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"\x1f\x8b\x08 not so " * 100)
    *_, last = items(path)
    assert isinstance(last, Failure)
    assert last.error.startswith("The archive is damaged in too many places")


def test_a_repeated_address_is_numbered(record: Make, warc: Write) -> None:
    path = warc(record("http://x/", b"<p>1"), record("http://x/", b"<p>2"))
    assert outline(path) == ["http://x/", "http://x/ (2)"]
    assert [page.url for page in items(path) if isinstance(page, Source)] == ["http://x/", "http://x/"]


def test_random_damage_never_raises(three: list[bytes], warc: Write) -> None:
    chance = random.Random(0)
    for name in ("crawl.warc", "crawl.warc.gz"):
        path = warc(*three, name=name)
        whole = path.read_bytes()
        for _ in range(30):
            data = bytearray(whole[: chance.randrange(len(whole))])
            for _ in range(chance.randrange(5)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            path.write_bytes(data)
            assert all(isinstance(item, Source | Failure) for item in items(path))
