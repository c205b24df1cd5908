"""Which regular files a folder has: its folders are listed, so that a file is not looked up by name."""

from __future__ import annotations

import os
import posixpath
import stat
import sys
from pathlib import Path
from typing import NamedTuple

from webgrain.io.thresholds import MAX_LISTED

_NAMES_ARE_EXACT = sys.platform == "linux"
"""Whether a file has one name only: elsewhere, capital letters may not matter, so each name is looked up."""


class _Listing(NamedTuple):
    """The names in a folder: of regular files inside the root, of symbolic links, and of folders."""

    files: frozenset[str]
    links: frozenset[str]
    folders: frozenset[str]


_NOTHING = _Listing(frozenset(), frozenset(), frozenset())


class FolderFiles:
    """The regular files inside a folder, with symbolic links resolved.

    A folder is listed when it is asked about for the first time; one with very many names, or one that may
    not be listed, is asked about each name. Files that appear later are not known.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.png").write_bytes(b"")
    ...     files = FolderFiles(Path(folder))
    ...     files.has("a.png"), files.has("b.png"), files.has("sub/a.png")
    (True, False, False)
    """

    def __init__(self, root: Path) -> None:
        self._root_name = str(root)
        self._real_root = os.path.realpath(root)
        self._real_prefix = os.path.join(self._real_root, "")
        self._listings: dict[str, _Listing | None] = {}
        self._names = 0
        self._is_folder_inside: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Whether there is a regular file with a name, which contains no ``..``."""
        folder, _, file = name.rpartition("/")
        listing = self._listing(folder)
        if listing is None:
            return self.look_up(name)
        return file in listing.files or (file in listing.links and self._is_linked(name))

    def has_page(self, path: str) -> bool:
        """Whether there is a file for a path: under its name, with an ending, or an index page.

        It has the same result as `has` for each of these names.
        """
        folder, _, name = path.rpartition("/")
        names = (name, f"{name}.css", f"{name}.html")
        listing = self._listing(folder)
        if listing is None or not listing.links.isdisjoint(names):
            before = f"{folder}/" if folder else ""
            if any(self.has(f"{before}{file}") for file in names):
                return True
        elif not listing.files.isdisjoint(names):
            return True
        elif name not in ("", ".") and name not in listing.folders:
            return False
        return self.has(f"{path}{'' if name == '' else '/'}index.html")

    def real(self, name: str) -> Path | None:
        """Return the path of a file inside the root, with symbolic links resolved; None for others."""
        try:
            real = os.path.realpath(os.path.join(self._root_name, name), strict=True)
        except (OSError, ValueError):
            return None
        is_inside = real == self._real_root or real.startswith(self._real_prefix)
        return Path(real) if is_inside else None

    def _listing(self, folder: str) -> _Listing | None:
        """Return what is in a folder; None if names are to be looked up."""
        if folder in self._listings:
            return self._listings[folder]
        above, _, name = folder.rpartition("/")
        around = self._listings.get(above)
        if around and name not in ("", ".") and name not in around.folders and name not in around.links:
            return _NOTHING
        if self._names > MAX_LISTED:
            self._listings.clear()
            self._names = 0
        listing = self._listings[folder] = self._list(folder) if _NAMES_ARE_EXACT else None
        self._names += 1 + (sum(map(len, listing)) if listing else 0)
        return listing

    def _list(self, folder: str) -> _Listing | None:
        """List a folder; return None if it has too many names, or may not be listed."""
        files: set[str] = set()
        links: set[str] = set()
        folders: set[str] = set()
        try:
            with os.scandir(f"{self._root_name}/{folder}") as entries:
                for number, entry in enumerate(entries):
                    if number == MAX_LISTED:
                        return None
                    if entry.is_symlink():
                        links.add(entry.name)
                    elif entry.is_dir():
                        folders.add(entry.name)
                    elif entry.is_file():
                        files.add(entry.name)
        except PermissionError:
            return None
        except (OSError, ValueError):
            return _NOTHING
        if files and self.real(folder) is None:  # a symbolic link leads outside
            files.clear()
        return _Listing(frozenset(files), frozenset(links), frozenset(folders))

    def look_up(self, name: str) -> bool:
        """Whether there is a regular file with a name; to resolve each name would take much longer."""
        try:
            mode = os.lstat(f"{self._root_name}/{name}").st_mode
        except (OSError, ValueError):
            return False
        if stat.S_ISLNK(mode):
            return self._is_linked(name)
        if not stat.S_ISREG(mode):
            return False
        folder = posixpath.dirname(name)
        if folder not in self._is_folder_inside:
            self._is_folder_inside[folder] = self.real(folder) is not None
        return self._is_folder_inside[folder]

    def _is_linked(self, name: str) -> bool:
        """Whether a symbolic link leads to a regular file inside the root."""
        real = self.real(name)
        return real is not None and real.is_file()
