"""Pages from whatever the user names: files, folders, standard input.

What an input is follows from how it is written: ``-`` is standard input, an existing folder a folder,
anything else a file with one page.

Every page gets an id: the path as typed, or the path below the given folder. When there are several inputs,
folders are put before the paths below them (``site/a.html``); should two pages still come under one id,
the second gets ``" (2)"`` behind it, and so on, so that an id is never given twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from webgrain.errors import InputError, ParameterError
from webgrain.io.assets import FolderAssets
from webgrain.io.files import Place, read_file, read_folder, read_stdin
from webgrain.io.local import printable
from webgrain.page.page import Limits, Page, Source
from webgrain.results import Failure

Item = Source | Page | Failure
"""What reading gives: a page's bytes, a page from a store, or why there is none."""


def read(
    inputs: Sequence[str | Path],
    *,
    limits: Limits = Limits(),  # noqa: B008 - immutable
    root: Path | None = None,
) -> Iterator[Item]:
    """Read pages one after the other; only the one at hand is kept in memory.

    Args:
        inputs: files, folders, ``-`` for standard input.
        limits: how much of a page is read.
        root: the folder whose files the pages may load; by default the folder that was given, or the one that
            a single file lies in.

    Raises:
        InputError: an input does not exist, or does not lie below ``root``; before anything is read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "index.html").write_text("<p>Hi")
    ...     [(page.id, page.body) for page in read([folder])]
    [('index.html', b'<p>Hi')]
    """
    if isinstance(inputs, str | Path):
        raise ParameterError(f"read expects a list of inputs, got the single {inputs!r}.")
    for given in inputs:
        _check(str(given), root)
    return _unique(item for given in inputs for item in _open(str(given), limits, root, len(inputs) > 1))


def _check(given: str, root: Path | None) -> None:
    if given == "-":
        return
    path = Path(given)
    if not path.exists() and not path.is_symlink():
        raise InputError(f"{given} does not exist.")
    if root is not None and not path.absolute().is_relative_to(root.absolute()):
        raise InputError(f"{given} does not lie below the root {root}.")


def _open(given: str, limits: Limits, root: Path | None, several: bool) -> Iterator[Item]:
    path = Path(given)
    if given == "-":
        yield read_stdin(limits, FolderAssets(root) if root else None)
    elif path.is_dir():
        prefix = printable(path.as_posix()) + "/" if several else ""
        yield from read_folder(path, prefix, Place(FolderAssets(root or path), limits))
    else:
        yield read_file(path, printable(given), Place(FolderAssets(root or path.parent), limits))


def _unique(items: Iterator[Item]) -> Iterator[Item]:
    """Put numbers behind the ids that come again: ``a``, ``a (2)``, ``a (3)``."""
    seen: dict[int, int] = {}  # hash of an id -> times; a hash is all that is kept of a page
    for item in items:
        first = name = item.page if isinstance(item, Failure) else item.id
        while (key := hash(name)) in seen:
            seen[hash(first)] += 1
            name = f"{first} ({seen[hash(first)]})"
        seen[key] = 1
        if name == first:
            yield item
        else:
            yield replace(item, page=name) if isinstance(item, Failure) else replace(item, id=name)
