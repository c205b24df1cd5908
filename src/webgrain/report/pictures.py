"""Screenshots as data URLs, made small enough for a file with many of them."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any, NamedTuple

from webgrain._extras import require
from webgrain.errors import MissingExtraError
from webgrain.report.outline import count
from webgrain.report.siterecord import ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.report.site import TypeCard

WIDTH, HEIGHT = 1024, 12_000
"""Pictures are made smaller until they fit, in pixels; WebP allows 16 383."""

TOTAL = 16_000_000
"""Characters that all pictures of one report may have."""

QUALITY = 60


class Picture(NamedTuple):
    """A picture as a data URL, and its width and height in CSS px, which may be more than its own pixels."""

    url: str
    width: int
    height: int


def data_url(image: Any) -> str:
    """Return a Pillow image, made to fit, as a data URL."""
    small = image.convert("RGB")
    small.thumbnail((WIDTH, HEIGHT))
    out = io.BytesIO()
    small.save(out, "WEBP", quality=QUALITY, method=2)
    return f"data:image/webp;base64,{base64.b64encode(out.getvalue()).decode()}"


def sample_pictures(
    types: Sequence[TypeCard], total: int = TOTAL
) -> tuple[dict[tuple[int, int], Picture], list[str]]:
    """Return the screenshots of samples as data URLs, and sentences on those that had to be left out.

    The keys are the numbers of the type and of the sample in it. At most ``total`` characters: the first
    samples of all types come before the second ones.

    >>> sample_pictures([])
    ({}, [])
    """
    waiting = [(place, sample.picture) for place, sample in ranked(types) if sample.picture]
    if not waiting:
        return {}, []
    try:
        pillow = require("PIL.Image", "render", "Pictures")
    except MissingExtraError as error:
        return {}, [f"Boxes stand for screenshots: {error}."]
    found: dict[tuple[int, int], Picture] = {}
    left = 0
    for place, picture in waiting:
        one = _read(pillow, picture) if total > 0 else None
        if one and len(one.url) <= total:
            found[place] = one
            total -= len(one.url)
        elif one or not total:
            total, left = 0, left + 1
    return found, _told(len(waiting) - len(found) - left, left)


def _read(pillow: Any, picture: bytes) -> Picture | None:
    """Return a picture; None for one that is broken or too large."""
    try:
        with pillow.open(io.BytesIO(picture)) as image:
            return Picture(data_url(image), *image.size)
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        return None


def _told(broken: int, left: int) -> list[str]:
    told = [f"Boxes stand for {count(broken, 'screenshot')} that could not be read."] if broken else []
    told += [f"Boxes stand for {count(left, 'screenshot')}, to keep this file small."] if left else []
    return told
