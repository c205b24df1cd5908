from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

Webgrain = Callable[..., Any]


def test_the_tree_has_every_segment(webgrain: Webgrain, site: Path) -> None:
    done = webgrain("show", site / "index.html")
    count = len(webgrain("segment", site / "index.html").records[0]["segments"])
    assert done.code == 0
    assert done.out.startswith(f"{count} segment")
    roles = [segment["role"] for segment in webgrain("segment", site / "index.html").records[0]["segments"]]
    assert all(f"[{k} {role}]" in done.out for k, role in zip(range(count), roles, strict=True))


def test_it_fits_on_eighty_columns(webgrain: Webgrain, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (site / "long.html").write_text("<p>" + "word " * 300 + "<p>" + "字" * 300, encoding="utf-8")
    out = webgrain("show", site).out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_a_hostile_page_cannot_talk_to_the_terminal(webgrain: Webgrain, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(
        "<p id='\x1b[2J'>a\x1b]0;owned&#7;b &#27;[31m &#x9b;1m [red]c[/red]<p>\u202eevil", encoding="utf-8"
    )
    out = webgrain("show", page).out
    assert all(line.isprintable() for line in out.splitlines())
    assert "[red]c[/red]" in out


def test_truncated_texts_are_marked(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<i>" * 600 + "x")
    assert "note: The page is nested 602 deep" in webgrain("show", tmp_path / "a.html").out


def test_no_result_ends_with_two(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"\x89PNG\r\n\x00")
    done = webgrain("show", tmp_path / "a.html")
    assert (done.code, done.out) == (2, "")
    assert "a.html: read:" in done.err
