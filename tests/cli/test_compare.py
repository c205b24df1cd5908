from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

Webgrain = Callable[..., Any]
SITE = ROOT / "examples" / "site"
A = SITE / "en" / "harbour" / "the-boat-that-came-back.html"
B = SITE / "partner" / "coast-wire" / "the-boat-that-came-back.html"


def test_side_by_side(webgrain: Webgrain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    done = webgrain("compare", A, B)
    assert (done.code, done.err) == (0, "")
    first, *lines = done.out.splitlines()
    assert first.startswith("near-duplicate: most of what is specific to each page is on the other; ")
    assert any(re.fullmatch(r"< \d+ of \d+ words shared", line) for line in lines)
    assert any(" | " in line for line in lines)


def test_as_html(webgrain: Webgrain, tmp_path: Path) -> None:
    done = webgrain("compare", A, B, "--format", "html", "-o", tmp_path / "a.html")
    assert (done.code, done.out, done.err) == (0, "", "")
    html = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<mark>" in html
    assert html == webgrain("compare", A, B, "--format", "html").out


def test_a_page_with_itself(webgrain: Webgrain) -> None:
    done = webgrain("compare", A, A)
    assert done.out.startswith("same-page: the text is the same; 100 % alike\n")


def test_wrong_arguments_give_one_sentence(webgrain: Webgrain, tmp_path: Path) -> None:
    (tmp_path / "b.html").write_bytes(b"GIF89a\x00")
    for arguments, expected in {
        (A, tmp_path / "no.html"): "no.html",
        (A, tmp_path / "b.html"): "b.html cannot be compared: ",
        (A, SITE / "en" / "harbour"): "Expected two pages to compare, got ",
        (A, B, "--threshold", "2"): "threshold must be above 0 and at most 1, got 2.0.",
    }.items():
        done = webgrain("compare", *arguments)
        assert (done.code, done.out) == (2, "")
        assert expected in done.err
        assert done.err.count("\n") == 1
