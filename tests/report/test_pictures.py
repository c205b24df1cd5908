from __future__ import annotations

import base64
import io
import sys
from typing import TYPE_CHECKING, Any

from PIL import Image

from webgrain.report import site
from webgrain.report.site import HEIGHT, WIDTH, Pages, SamplePage, SiteReport, TypeCard, report_record

if TYPE_CHECKING:
    import pytest


def png(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(out, "PNG")
    return out.getvalue()


def record_of(*samples: list[bytes | None]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the record of a report of types with these pictures, and the pictures."""
    types = [
        TypeCard("a", 1, 1.0, samples=tuple(SamplePage({"width": 10, "height": 10}, one) for one in mine))
        for mine in samples
    ]
    return report_record(SiteReport("a", "", (), types), Pages((), ["a"]))


def test_large_pictures_are_made_smaller_but_keep_their_size_on_the_page() -> None:
    record, found = record_of([png(2000, 500)], [png(100, 20_000)])
    shown = [one for card in record["types"] for one in card["samples"]]
    assert record["notes"] == []
    assert [(one["width"], one["height"]) for one in shown] == [(2000, 500), (100, 20_000)]
    for url in found.values():
        with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as image:
            assert image.format == "WEBP"
            assert image.width <= WIDTH
            assert image.height <= HEIGHT


def test_the_first_samples_of_all_types_come_before_the_second_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    one = png(300, 300)
    size = len(record_of([one])[1]["picture-0-0"])
    monkeypatch.setattr(site, "TOTAL", 2 * size)
    record, found = record_of([one, one], [None, one], [one])
    assert list(found) == ["picture-0-0", "picture-2-0"]
    assert record["notes"] == ["Boxes replace 2 screenshots, to keep this file small."]


def test_broken_pictures_are_errors() -> None:
    record, found = record_of([b"no picture", png(5, 5)[:-20], png(5, 5)])
    assert list(found) == ["picture-0-2"]
    assert record["notes"] == ["Boxes replace 2 screenshots that could not be read."]


def test_without_pillow_boxes_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    record, found = record_of([b"any"])
    assert found == {}
    assert "webgrain[render]" in record["notes"][0]
    [sample] = record["types"][0]["samples"]
    assert (sample["width"], sample["height"], sample["picture"]) == (10, 10, None)
