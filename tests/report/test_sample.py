from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.report.conftest import shown

from webgrain.report import site as siterecord
from webgrain.report.html import NAME
from webgrain.report.site import ROOTS, sample_page

if TYPE_CHECKING:
    from tests.report.conftest import Shown


def test_segments_come_with_boxes_texts_and_paths(two_blocks: Shown) -> None:
    page, segmentation, _ = two_blocks
    sample = sample_page(page, segmentation)
    found = sample.record["segments"]
    assert (sample.record["id"], sample.picture) == (page.id, page.screenshot)
    assert [one["text"] for one in found] == ["First words", "Second words"]
    assert [one["xpath"] for one in found] == [["/html[1]/body[1]/p[1]"], ["/html[1]/body[1]/p[2]"]]
    assert all(one["boxes"] for one in found)


def test_a_segment_of_many_roots_shows_the_number_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siterecord, "BOXES", 2)
    n = ROOTS + 3
    page, segmentation, _ = shown("<p>One<p>Two" * n, [0, 1] * n)
    first = sample_page(page, segmentation).record["segments"][0]
    assert (len(first["xpath"]), len(first["css"]), first["more"]) == (ROOTS, ROOTS, 3)
    assert len(first["boxes"]) == 2


def test_an_image_shows_its_alternative_text() -> None:
    page, segmentation, _ = shown("<p>Words</p><img alt='A boat' width=50 height=50>", [0, 1])
    found = sample_page(page, segmentation).record["segments"]
    assert [one["text"] for one in found] == ["Words", "A boat"]


def test_everything_of_a_page_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siterecord, "SEGMENTS", 3)
    long = "x" * 3_000
    page, segmentation, _ = shown(f"<p id={long}>{long}" * 5, [*range(5)], page_id=long)
    record = sample_page(page, segmentation).record
    assert len(json.dumps(record["segments"])) < 3 * 7_000
    assert (len(record["segments"]), record["more"]) == (3, 2)
    assert len(record["id"]) <= NAME


def test_a_page_without_a_view_has_segments_without_boxes(two_blocks: Shown) -> None:
    page, segmentation, _ = two_blocks
    record = sample_page(replace(page, view=None, screenshot=None), segmentation).record
    assert (record["width"], record["height"]) == (0, 0)
    assert [(one["text"], one["boxes"]) for one in record["segments"]] == [
        ("First words", []),
        ("Second words", []),
    ]
