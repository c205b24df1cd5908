from __future__ import annotations

import gzip
import random
from contextlib import suppress

import brotli
import pytest

from webgrain.base.errors import ReadError
from webgrain.io.decode import dechunk, decompress, media_type


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, ("", None)),
        ("", ("", None)),
        (" TEXT/html ", ("text/html", None)),
        ("text/html;charset=utf-8", ("text/html", "utf-8")),
        ("text/html; level=1; CHARSET = 'Latin-1' ; x", ("text/html", "Latin-1")),
        ("text/html; charset=", ("text/html", None)),
        ("charset=utf-8", ("charset=utf-8", "utf-8")),
    ],
)
def test_media_types(header: str | None, expected: tuple[str, str | None]) -> None:
    assert media_type(header) == expected


def test_brotli_and_its_bombs() -> None:
    assert decompress(brotli.compress(b"<p>words"), "br", 100) == b"<p>words"
    assert decompress(brotli.compress(bytes(20_000_000), quality=1), "br", 100) == bytes(100)
    with pytest.raises(ReadError, match="damaged"):
        decompress(b"<p>words", "br", 100)


def test_several_gzip_members_are_one_body() -> None:
    assert decompress(gzip.compress(b"<p>") + gzip.compress(b"words"), "gzip", 100) == b"<p>words"


def test_endless_layers_are_refused() -> None:
    body = b"<p>"
    for _ in range(5):
        body = gzip.compress(body)
    assert decompress(body, "gzip, " * 4 + "gzip", 1000) == b"<p>"
    with pytest.raises(ReadError, match="compressed 6 times over"):
        decompress(gzip.compress(body), "gzip, " * 5 + "gzip", 1000)


def test_an_empty_body_is_decoded() -> None:
    for encoding in ("gzip", "deflate", "br", None):
        assert decompress(b"", encoding, 100) == b""
    assert dechunk(b"", 100) == b""


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, br"])
def test_random_bytes_never_raise_anything_else(encoding: str) -> None:
    chance = random.Random(0)
    for _ in range(500):
        body = b"\x1f\x8b\x08" * chance.randrange(2) + chance.randbytes(chance.randrange(40))
        dechunk(body, 100)
        with suppress(ReadError):
            assert len(decompress(body, encoding, 100)) <= 100
