"""Compressed bodies for tests."""

from __future__ import annotations

import io

from fastwarc.stream_io import ZstdWriter


def zstd_compress(body: bytes) -> bytes:
    """Return a body in the format of zstd."""
    packed = io.BytesIO()
    writer = ZstdWriter(packed)
    writer.write(body)
    writer.close()
    return packed.getvalue()
