from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["segment", "missing.html"], "missing.html does not exist"),
        (["segment", "{page}", "--method", "gcut"], "method must be one of gcuts, cclus"),
        (["segment", "{page}", "--method", "webstemmer"], "gcuts, cclus, learntcut, got 'webstemmer'"),
        (["types", "{page}", "-o", "{page}/types.json"], "a file in a folder that exists"),
        (["review", "types", "{page}", "-o", "{page}/verdicts.jsonl"], "a file in a folder that exists"),
        (["learn", "template", "{page}", "-o", "{page}/template.json"], "a file in a folder that exists"),
        (["learn", "layouts", "{page}", "-o", "{page}/layouts.json"], "a file in a folder that exists"),
        (["segment", "{page}", "--method", "gcuts", "--lam", "-1"], "lam must be at least 0"),
        (["segment", "{page}", "--render", "webkit"], "estimate"),
        (["segment", "{page}", "--javascript"], "javascript needs the browser"),
        (["segment", "{page}", "--timeout", "0", "--render", "chromium"], "timeout must be"),
        (["segment", "{page}", "--html"], "--html needs a folder"),
        (["segment", "{page}", "--overlay"], "--overlay needs a folder"),
        (["segment", "{page}", "-o", "{page}/out"], "cannot be made"),
        (["segment", ""], "An input is empty"),
        (["segment", "--strict"], "Name at least one input"),
        (["segment", "{page}", "--colour"], "--colour"),
        (["audit", "{page}", "--shown", "-1"], "--shown"),
        (["audit", "{page}", "--workers", "0"], "--workers"),
        (["audit", "{page}", "--page-seconds", "0"], "--page-seconds"),
        (["compare", "{page}", "{page}", "-o", "{page}/x.html"], "a file in a folder that exists"),
        (["show", "missing.html"], "missing.html does not exist"),
        (["render", "{page}"], "-o"),
        (["render", "{page}", "-o", "pages"], "must end in .parquet"),
        (["divide"], "divide"),
    ],
)
def test_a_mistake_ends_with_one_sentence(
    webgrain: Webgrain, site: Path, arguments: list[str], said: str
) -> None:
    done = webgrain(*(argument.format(page=site / "index.html") for argument in arguments))
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) <= 4  # usage errors say how to get help before they say what is wrong
    assert done.out == ""


def test_pictures_without_a_browser(
    webgrain: Webgrain, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBGRAIN_BROWSER", str(tmp_path / "no-browser"))
    done = webgrain("segment", site, "--html", "-o", tmp_path / "out")
    assert done.code == 2
    assert "WEBGRAIN_BROWSER" in done.err
    assert len(done.err.splitlines()) == 1
