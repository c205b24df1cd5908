"""Pages drawn at random."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import InputError
from webgrain.io.write import draw, read_types
from webgrain.page.page import Source

if TYPE_CHECKING:
    from pathlib import Path


def pages(n: int) -> list[Source]:
    return [Source(f"{k:03}", b"") for k in range(n)]


def test_every_page_may_be_drawn_and_none_twice() -> None:
    count = Counter(page.id for seed in range(300) for page in draw(pages(20), 5, seed)[""])
    assert len(count) == 20
    assert sum(count.values()) == 1500
    assert all(40 < n < 115 for n in count.values())
    assert len({page.id for page in draw(pages(20), 5)[""]}) == 5


def test_the_same_seed_draws_the_same() -> None:
    assert draw(pages(50), 7, seed=3) == draw(pages(50), 7, seed=3)
    assert draw(pages(50), 7, seed=3) != draw(pages(50), 7, seed=4)


def test_fewer_pages_are_all_drawn() -> None:
    assert [page.id for page in draw(pages(3), 15)[""]] == ["000", "001", "002"]
    assert draw([], 15) == {}


def test_the_same_number_of_pages_is_drawn_from_each_type() -> None:
    types = {f"{k:03}": "even" if k % 2 == 0 else "odd" for k in range(30)}
    drawn = draw(pages(40), 5, types=types)
    assert {kind: len(found) for kind, found in drawn.items()} == {"even": 5, "odd": 5}
    assert all(types[page.id] == kind for kind, found in drawn.items() for page in found)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("types.tsv", "path\ttype\nb\tpost\na b\tpage\n"),
        ("types.csv", "type,page,more\npost,b,1\npage,a b,2\n"),
        ("types.jsonl", '{"page": "b", "type": "post"}\n\n{"page": "a b", "type": "page", "x": 1}\n'),
        ("types.csv", "\ufefftype,page\npost,b\npage,a b\n"),
    ],
)
def test_types_are_read(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    assert read_types(tmp_path / name) == {"b": "post", "a b": "page"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("types.jsonl", b"not json", "contains no page types"),
        ("types.jsonl", b"[1]\n", "row 1: expected the fields"),
        ("types.jsonl", b'{"page": "a", "type": null}\n', "row 1: expected the fields"),
        ("types.csv", b"a,b\n1,2\n", "row 1: expected the fields"),
        ("types.csv", b"page,type\na\n", "row 1: expected the fields"),
        ("types.tsv", b"\xff\xfe\x00", "contains no page types"),
    ],
)
def test_a_file_without_types_gives_one_sentence(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_types(tmp_path / name)


def test_a_missing_file_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Cannot read page types"):
        read_types(tmp_path / "none.csv")
