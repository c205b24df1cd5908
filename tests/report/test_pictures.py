from __future__ import annotations

import base64
import io
import sys
from typing import TYPE_CHECKING

from PIL import Image

from webgrain.report.site import HEIGHT, WIDTH, SamplePage, TypeCard, sample_pictures

if TYPE_CHECKING:
    import pytest


def png(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(out, "PNG")
    return out.getvalue()


def types(*samples: list[bytes | None]) -> list[TypeCard]:
    return [TypeCard("a", 1, 1.0, samples=tuple(SamplePage({}, one) for one in mine)) for mine in samples]


def test_large_pictures_are_made_smaller_but_keep_their_size_on_the_page() -> None:
    found, result = sample_pictures(types([png(2000, 500)], [png(100, 20_000)]))
    assert result == []
    assert [(one.width, one.height) for one in found.values()] == [(2000, 500), (100, 20_000)]
    for one in found.values():
        with Image.open(io.BytesIO(base64.b64decode(one.url.partition(",")[2]))) as image:
            assert image.format == "WEBP"
            assert image.width <= WIDTH
            assert image.height <= HEIGHT


def test_the_first_samples_of_all_types_come_before_the_second_ones() -> None:
    one = png(300, 300)
    size = len(sample_pictures(types([one]))[0][0, 0].url)
    found, result = sample_pictures(types([one, one], [None, one], [one]), total=2 * size)
    assert list(found) == [(0, 0), (2, 0)]
    assert result == ["Boxes replace 2 screenshots, to keep this file small."]


def test_broken_pictures_are_errors() -> None:
    found, result = sample_pictures(types([b"no picture", png(5, 5)[:-20], png(5, 5)]))
    assert list(found) == [(0, 2)]
    assert result == ["Boxes replace 2 screenshots that could not be read."]


def test_without_pillow_boxes_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    found, result = sample_pictures(types([b"any"]))
    assert found == {}
    assert "webgrain[render]" in result[0]
