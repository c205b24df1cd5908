"""Compiled kernels of another source than the one beside them: they crash, or give wrong results quietly."""

from __future__ import annotations

import hashlib
import sysconfig
from pathlib import Path

_SOURCE_SUM = b"\nsource sha256 "
"""What precedes the checksum of the source at the end of a kernel that ``setup.py`` compiles in place."""


def stale_kernels(folder: Path) -> list[str]:
    """Return the sources in a folder, by their paths, whose compiled kernels have another checksum.

    Kernels without a checksum, such as those of a wheel, are left out.
    """
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    stale = []
    for compiled in sorted(folder.rglob(f"*{suffix}")):
        stem = compiled.name.removesuffix(suffix)
        sources = [path for end in (".py", ".pyx") if (path := compiled.with_name(stem + end)).is_file()]
        head, _, known = compiled.read_bytes()[-100:].rpartition(_SOURCE_SUM)
        if head and sources and known.decode("ascii", "replace") != _checksum(sources[0]):
            stale.append(sources[0].relative_to(folder).as_posix())
    return stale


def _checksum(source: Path) -> str:
    return hashlib.sha256(source.read_bytes()).hexdigest()
