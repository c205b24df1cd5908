"""Archives of pages: the files of a tar archive, one at a time."""

from __future__ import annotations

import lzma
import tarfile
import zlib
from typing import TYPE_CHECKING

from webgrain.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MAX_FILE = 2**24
"""Size of a file up to which it is read; longer ones are left out."""


def members(archive: Path, wanted: Callable[[str], bool] | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of an archive, in its order; `InputError` where it is damaged.

    wanted: whether a file of that name is read; None: all are.

    >>> from pathlib import Path
    >>> list(members(Path("nowhere.tar.xz")))
    Traceback (most recent call last):
    webgrain.errors.InputError: nowhere.tar.xz cannot be read: No such file or directory.
    """
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if member.isfile() and member.size <= MAX_FILE and (wanted is None or wanted(name)):
                    file = tar.extractfile(member)
                    if file is not None:
                        yield name, file.read()
    except OSError as error:
        raise InputError(f"{archive} cannot be read: {error.strerror or error}.") from error
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError) as error:
        raise InputError(f"{archive} cannot be read: {error}.") from error
