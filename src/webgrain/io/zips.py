"""Pages from a zip archive. Nothing is unpacked to the disk, so no name in it can do harm there."""

from __future__ import annotations

import posixpath
from functools import partial
from typing import TYPE_CHECKING

from webgrain.errors import ReadError
from webgrain.io.assets import PIECEWISE, UNREADABLE, ZipAssets, is_inside
from webgrain.io.decode import unpack
from webgrain.io.local import attempt, open_regular, printable
from webgrain.io.sniff import HEAD, has_html_name, is_html
from webgrain.page.page import Limits, Source
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from zipfile import ZipInfo

BOMB_RATIO = 100
"""A member longer than the limit that was compressed to less than a hundredth is a bomb: HTML reaches 30."""

_ENCRYPTED = 0x1


def read_zip(path: Path, page: str, prefix: str, limits: Limits) -> Iterator[Source | Failure]:
    """Read the HTML members of a zip archive in the order of its directory.

    Members are pages as files in a folder are. A damaged or encrypted member, one whose name leads out of the
    archive, a bomb: each becomes a `Failure`; an archive without a readable directory becomes one as a whole.

    Args:
        path: the archive.
        page: id of the failure of the whole archive.
        prefix: put before the name of a member to make the id of a page.
        limits: a body is read up to one byte more than ``limits.bytes``.

    >>> import tempfile, zipfile
    >>> from pathlib import Path
    >>> from webgrain.page.page import Limits
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with zipfile.ZipFile(Path(folder) / "site.zip", "w") as made:
    ...         made.writestr("a.html", "<p>Hi")
    ...         made.writestr("main.css", "p { }")
    ...     [item.id for item in read_zip(Path(folder) / "site.zip", "site.zip", "", Limits())]
    ['a.html']
    """
    assets = ZipAssets(path)
    try:
        open_regular(path).close()
        members = assets.archive.infolist()
    except (ReadError, *UNREADABLE):
        yield Failure(page, ReadError.stage, f"{page} is not a zip archive, or it is cut off.")
        return
    for member in members:
        name = printable(posixpath.normpath("/" + _slashes(member)).lstrip("/"))
        hidden = any(part.startswith(".") for part in name.split("/"))
        folder = member.filename.endswith("/")  # `ZipInfo.is_dir` raises where the name is empty
        if not folder and not hidden and (has_html_name(name) or _is_document(assets, member)):
            yield attempt(prefix + name, partial(_read, assets, member, name, prefix, limits))


def _slashes(member: ZipInfo) -> str:
    # Some programs for Windows write its own separators, against the standard.
    return member.filename.replace("\\", "/")


def _is_document(assets: ZipAssets, member: ZipInfo) -> bool:
    try:
        return is_html(_start(assets, member, HEAD), declared=False)
    except ReadError:
        return False


def _read(assets: ZipAssets, member: ZipInfo, name: str, prefix: str, limits: Limits) -> Source:
    if not is_inside(_slashes(member)):
        raise ReadError("The name of the member leads out of the archive.")
    body = _start(assets, member, limits.bytes + 1)
    if len(body) > limits.bytes and member.file_size > BOMB_RATIO * max(member.compress_size, 1):
        raise ReadError(f"The member would unpack to {member.file_size} bytes: a zip bomb.")
    body = unpack(body, name, limits.bytes + 1)
    if not is_html(body, has_html_name(name)):
        raise ReadError(f"{name} is not HTML.")
    return Source(prefix + name, body, assets=assets, path=name)


def _start(assets: ZipAssets, member: ZipInfo, limit: int) -> bytes:
    if member.flag_bits & _ENCRYPTED:
        raise ReadError("The member is encrypted.")
    if member.compress_type not in PIECEWISE:
        raise ReadError("The member is compressed in a way that is not supported.")
    try:
        with assets.archive.open(member) as file:
            return file.read(limit)
    except UNREADABLE as error:
        raise ReadError("The member is damaged.") from error
