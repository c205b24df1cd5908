"""Stored pages are read exactly, and damaged ones are errors."""

from __future__ import annotations

import os
import random
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgrain.base.errors import InputError, ReadError
from webgrain.base.failures import Failure
from webgrain.io.store import check_store, from_row, open_store, read_store, schema, to_row
from webgrain.page.dom import Dom
from webgrain.page.page import DISPLAY, POSITION, Page, Source, View
from webgrain.page.parsing import parse, parse_html
from webgrain.page.values import ValueTable

if TYPE_CHECKING:
    from pathlib import Path

Rng = np.random.Generator


def offsets(parts: list[str]) -> np.ndarray:
    return np.cumsum([0, *map(len, parts)]).astype(np.int32)


def random_tree(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    parent, end, path = np.full(n, -1, np.int32), np.full(n, n, np.int32), [0]
    for node in range(1, n):
        for closed in path[(keep := rng.integers(1, len(path) + 1)) :]:
            end[closed] = node
        path = path[:keep]
        parent[node] = path[-1]
        path.append(node)
    return parent, end


def random_view(rng: Rng, n: int) -> View:
    def ints(high: int, dtype: Any, *shape: int) -> np.ndarray:
        return rng.integers(0, high, (n, *shape)).astype(dtype)

    return View(
        box=rng.normal(size=(n, 4)).astype(np.float32), visible=ints(2, bool),
        display=ints(len(DISPLAY), np.int8), position=ints(len(POSITION), np.int8),
        font=ints(2, np.int32), font_size=rng.random(n).astype(np.float32),
        font_weight=ints(1000, np.int16), italic=ints(2, bool), color=ints(256, np.uint8, 4),
        background=ints(256, np.uint8, 4), painter=(rng.integers(-1, np.arange(n) + 1)).astype(np.int32),
        background_image=ints(2, bool), fonts=("Arial", "ü"), width=1280.5, height=3e4,
        viewport=(1280, 800), source="chromium",
    )  # fmt: skip


characters = st.text(st.characters(exclude_categories=()), max_size=8)  # with lone surrogates


@st.composite
def pages(draw: st.DrawFn) -> Page:
    n = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parent, end = random_tree(rng, n)
    is_leaf = end == np.arange(1, n + 1)
    tag = np.where(is_leaf & (rng.random(n) < 0.5), 0, rng.integers(1, 3, n)).astype(np.int32)
    texts = [draw(characters) if kind == 0 else "" for kind in tag]
    values = draw(st.lists(characters, max_size=6))
    owners = np.sort(rng.integers(0, n, len(values)))
    table = ValueTable()
    dom = Dom(
        parent, end, tag, ("#text", "html", "p"), "".join(texts), offsets(texts),
        np.searchsorted(owners, np.arange(n + 1)).astype(np.int32),
        rng.integers(0, 2, len(values)).astype(np.int32), ("class", "ü"), table.numbers_of(values), table,
    )  # fmt: skip
    body, shot = draw(st.binary(max_size=9)), draw(st.none() | st.binary(max_size=9))
    source = Source("page", body, "http://x/ü", "utf-8", path="a/b.html")
    view = random_view(rng, n) if draw(st.booleans()) else None
    notes = tuple(draw(st.lists(st.text(max_size=5), max_size=2)))
    hidden = rng.random(n) < 0.5 if view is None and draw(st.booleans()) else None
    return Page("page", dom, view, source.url, "utf-8", notes, source, shot, hidden)


def same_tree(one: Dom, other: Dom) -> None:
    """Compare two trees; their tags, names and values may have different numbers."""
    for name in ("parent", "end", "text_start", "attr_start"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.text == other.text
    nodes = range(len(one))
    assert [one.name(node) for node in nodes] == [other.name(node) for node in nodes]
    for tree in (one, other):
        assert not tree.value.flags.writeable
    names, others = ([tree.names[k] for k in tree.attr_name.tolist()] for tree in (one, other))
    assert names == others
    every = np.arange(len(one.value))
    assert one.values_of(every) == other.values_of(every)


def same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    for field in fields(one):
        ours, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(ours, np.ndarray):
            assert ours.dtype == theirs.dtype, field.name
            assert ours.shape == theirs.shape, field.name
            assert not theirs.flags.writeable
            np.testing.assert_array_equal(ours, theirs)
        elif field.name == "dom":
            same_tree(ours, theirs)
        elif field.name == "view" and ours is not None:
            same(ours, theirs)
        else:
            assert ours == theirs, field.name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stores")


@given(found=st.lists(pages(), max_size=3), html=st.booleans())
@settings(max_examples=10, deadline=None)
def test_pages_come_back_exactly(folder: Path, found: list[Page], html: bool) -> None:
    path = folder / "pages.parquet"
    with open_store(path, html=html) as store:
        for page in found:
            store.write(page)
    read = list(read_store(path))
    assert len(read) == len(found)
    for before, after in zip(found, read, strict=True):
        assert isinstance(after, Page)
        same(before if html else replace(before, source=None), after)


def page(name: str = "a.html", html: bytes = b"<title>Hi</title><p class=x>Some <b>text</b>") -> Page:
    parsed = parse(Source(name, html))
    return parsed.with_view(random_view(np.random.default_rng(0), len(parsed.dom)))


def write(path: Path, *found: Page) -> Path:
    with open_store(path) as store:
        for one in found:
            store.write(one)
    return path


def test_a_store_is_written_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgrain.io.store.GROUP_PAGES", 3)
    path = write(tmp_path / "a.parquet", *(page(f"{k}.html") for k in range(7)))
    assert pq.ParquetFile(path).num_row_groups == 3
    assert [one.id for one in read_store(path) if isinstance(one, Page)] == [f"{k}.html" for k in range(7)]
    monkeypatch.setattr("webgrain.io.store.GROUP_BYTES", 1)
    path = write(path, page(), page())
    assert pq.ParquetFile(path).num_row_groups == 2


def test_an_interrupted_run_leaves_the_old_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", page("old"))

    def write_half() -> None:
        with open_store(path) as store:
            store.write(page("new"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert [one.id for one in read_store(path) if isinstance(one, Page)] == ["old"]
    assert os.listdir(tmp_path) == ["a.parquet"]


def test_ids_that_are_no_text_are_spelt_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", page("a\udc80"))
    assert [one.id for one in read_store(path) if isinstance(one, Page)] == ["a\\udc80"]


def test_a_store_that_cannot_be_written_raises(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no/such/folder/a.parquet"):
        with pytest.raises(InputError), open_store(path):
            pass


def test_what_is_no_store_raises_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    whole = write(path, page()).read_bytes()
    for data in (b"", b"PAR1", b"<html>", whole[:-1], whole[: len(whole) // 2]):
        path.write_bytes(data)
        with pytest.raises(InputError, match="is not a page store, or it is damaged or cut off"):
            read_store(path)
    os.remove(path)
    os.mkfifo(path)
    with pytest.raises(InputError, match="is not a page store"):
        check_store(path)


def test_a_store_without_hidden_nodes_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", replace(page(), view=None))
    table = (
        pq.read_table(path).drop_columns(["hidden"]).cast(schema().remove(schema().get_field_index("hidden")))
    )
    pq.write_table(table.replace_schema_metadata({"webgrain.store": "1"}), path)
    [stored] = read_store(path)
    assert isinstance(stored, Page)
    assert stored.hidden is None
    same(stored.dom, page().dom)


def test_foreign_and_later_files_raise(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match="is a Parquet file, but not a page store"):
        read_store(path)
    empty = pa.Table.from_pylist([], schema())
    pq.write_table(empty.replace_schema_metadata({"webgrain.store": "9"}), path)
    with pytest.raises(InputError, match=r"another version \(9\) than this program reads \(2\)"):
        read_store(path)
    pq.write_table(empty.drop_columns(["dom_end"]), path)
    with pytest.raises(InputError, match="another version"):
        read_store(path)


def test_a_damaged_part_affects_no_other_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgrain.io.store.GROUP_PAGES", 1)
    path = write(tmp_path / "a.parquet", page("a"), page("b"), page("c"))
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    data = bytearray(path.read_bytes())
    middle = column.file_offset or column.data_page_offset
    data[middle + 20] ^= 255
    path.write_bytes(data)
    first, lost, last = read_store(path)
    assert isinstance(first, Page)
    assert isinstance(last, Page)
    assert isinstance(lost, Failure)
    assert lost.error == "1 pages cannot be read: this part of the store is damaged."
    assert lost.page == f"{path} part 2"


def test_a_row_that_is_no_page_fails_without_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rows = [to_row(page(name), html=False) for name in "abc"]
    rows[1]["dom_parent"] = np.array(rows[1]["dom_parent"])[::-1]
    pq.write_table(pa.Table.from_pylist(rows, schema()), path)
    good, bad, fine = read_store(path)
    assert isinstance(good, Page)
    assert isinstance(fine, Page)
    assert isinstance(bad, Failure)
    assert (bad.page, bad.stage) == ("b", "read")
    assert bad.error == "The stored page is damaged: its nodes are not a tree in document order."


@pytest.mark.parametrize("column", schema().names)
def test_no_column_may_be_missing_or_empty(column: str) -> None:
    row = to_row(page(), html=False)
    row[column] = None
    cells = pa.Table.from_pylist([row], schema())
    scalars = {name: cells[name][0] for name in cells.column_names}
    optional = ("url", "charset", "path", "html", "screenshot", "view_box", "hidden")
    if column in optional:
        assert from_row(scalars).id == "a.html"
    else:
        with pytest.raises(ReadError, match=r"The stored page is damaged"):
            from_row(scalars)


def test_random_damage_never_raises_anything_else(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", *(page(f"{k}.html") for k in range(3)))
    whole = path.read_bytes()
    chance = random.Random(0)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            assert all(isinstance(item, Page | Failure) for item in read_store(path))
        except InputError:
            continue


def test_memory_does_not_grow_with_the_number_of_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webgrain.io.store.GROUP_PAGES", 10)
    one = Page("a.html", parse_html(b"<p>" + b"word " * 10_000))
    path = write(tmp_path / "a.parquet", *[one] * 100)
    pool = pa.default_memory_pool()
    held = 0
    for count, _ in enumerate(read_store(path)):
        if count % 10 == 5:
            held = max(held, pool.bytes_allocated())
    assert count == 99
    assert held < 40 * 50_000  # ten pages a group, of all 100 that would be 5 MB
