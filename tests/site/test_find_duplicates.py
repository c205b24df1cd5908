"""`find_duplicates`: what it accepts and what it yields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webgrain.base.errors import ParameterError
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.site.duplicates import Pair, find_duplicates

WORDS = " ".join(f"word{k}" for k in range(60))
TEXTS = [WORDS, "Something else.", f"{WORDS.upper()}!"]


def found(items: Any, **options: Any) -> list[tuple[Any, Any, str]]:
    return [(pair.a, pair.b, pair.verdict.value) for pair in find_duplicates(items, **options)]


def html(text: str) -> str:
    return f"<nav>Home</nav><p>{text}"


def test_strings_are_numbered() -> None:
    assert found(TEXTS) == [(0, 2, "same-page")]
    assert found(iter(TEXTS)) == [(0, 2, "same-page")]


def test_pairs_keep_their_ids_of_any_type() -> None:
    assert found(zip(("a", 7, 2.5), TEXTS, strict=True)) == [("a", 2.5, "same-page")]
    assert found([("a", WORDS), ("a", WORDS)]) == [("a", "a", "same-page")]


def test_pages_of_every_kind(tmp_path: Path) -> None:
    file = tmp_path / "c.html"
    file.write_text(html(WORDS))
    sources = [Source("a", html(WORDS).encode()), parse(Source("b", html(TEXTS[2]).encode()))]
    assert found([*sources, html("Else").encode()]) == [("a", "b", "same-page")]
    assert found([sources[0], file]) == [("a", str(file), "same-page")]
    (tmp_path / "d.html").write_text(html(WORDS))
    assert found(tmp_path) == [("c.html", "d.html", "same-page")]


@pytest.mark.parametrize("column", ["id", "page", None])
def test_tables(column: str | None) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"text": TEXTS} | ({column: ["a", "b", "c"]} if column else {})
    ids = ("a", "c") if column else (0, 2)
    assert found(pyarrow.table(columns)) == [(*ids, "same-page")]


@pytest.mark.parametrize(
    "given", ["text", b"<p>", 7, None, {"a": "b"}, [1], ["a", None], [("a", 1)], [("a",)]]
)
def test_other_types_raise(given: Any) -> None:
    with pytest.raises(ParameterError, match=r"^find_duplicates expects texts, .*, got .*\.$"):
        find_duplicates(given)


def test_table_without_text_raises() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(ParameterError, match="got a table with the columns a"):
        find_duplicates(pyarrow.table({"a": ["b"]}))


def test_threshold_out_of_range_raises() -> None:
    with pytest.raises(ParameterError, match="threshold"):
        find_duplicates(TEXTS, threshold=2.0)


def test_failures_are_no_pairs() -> None:
    failures: list[Any] = []
    assert found([*TEXTS, "", ("x", "...")], on_failure=failures.append) == [(0, 2, "same-page")]
    assert [failure.page for failure in failures] == ["3", "x"]
    with pytest.warns(UserWarning, match="2 items are not compared, the first is 3: there is no text"):
        found([*TEXTS, "", ("x", "...")])


def test_pair_has_a_short_repr_and_a_cluster() -> None:
    [pair] = find_duplicates([("x" * 500, WORDS), ("b", WORDS)])
    assert isinstance(pair, Pair)
    assert (pair.similarity, pair.cluster) == (1.0, "x" * 500)
    assert len(repr(pair)) < 200
    assert repr(next(find_duplicates(TEXTS))) == "Pair(0, 2, same-page, similarity=1.0)"


def test_pair_states_what_differs() -> None:
    [pair] = find_duplicates([WORDS, f"{WORDS} and a new end"])
    assert (pair.verdict.value, pair.a_in_b, pair.a_only, pair.b_only) == (
        "same-content",
        1.0,
        "",
        "and a new end",
    )
    assert (pair.a_specific, pair.b_specific) == (55, 59)
