from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]


def test_a_store_is_an_input_with_pictures(
    webgrain: Webgrain, site: Path, tmp_path: Path, browser_path: str
) -> None:
    (site / "broken.html").write_bytes(b"GIF89a\x00")
    store = tmp_path / "pages.parquet"
    done = webgrain("render", site, "-o", store, "--screenshots", "--strict")
    assert done.code == 1
    assert [(record["page"], record["stage"]) for record in done.records] == [("broken.html", "read")]
    stored = webgrain("segment", store).records
    direct = webgrain("segment", site, "--render", "chromium", "--skip", "broken").records
    assert stored == direct
    assert webgrain("segment", store, "-o", tmp_path / "out", "--overlay").code == 0
    assert len(list((tmp_path / "out/overlays").iterdir())) == 2


@pytest.mark.full
def test_a_store_without_screenshots_has_no_pictures(
    webgrain: Webgrain, site: Path, tmp_path: Path, browser_path: str
) -> None:
    store = tmp_path / "pages.parquet"
    webgrain("render", site, "-o", store)
    done = webgrain("segment", store, "-o", tmp_path / "out", "--overlay")
    assert done.code == 0
    assert "--screenshots" in done.err
    assert len((tmp_path / "out/segments.jsonl").read_text().splitlines()) == 2
