"""Rows on disk, sorted into buckets: what one step of a calculation in parts leaves for the next.

A writer sorts each run of rows that it is given; a reader takes one bucket of one run or of all, and no more
is read from the disk. Two files, complete when the second is there:

    NAME              the rows, run by run, in each by bucket
    NAME.starts.npy   (runs, buckets + 1) int64: where in the first file the rows of each bucket begin
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray


class Buckets:
    """Writes runs of rows; `written` gives one.

    file: where rows go; count: number of buckets.
    """

    def __init__(self, file: Any, count: int) -> None:
        self._file, self._count = file, count
        self._starts: list[NDArray[np.int64]] = []
        self._end = 0

    def write(self, bucket: NDArray[np.integer[Any]], rows: NDArray[Any]) -> None:
        """Write a run: rows (n,) and the bucket of each; in a bucket they keep their order."""
        order = np.argsort(bucket, kind="stable")
        sizes = np.bincount(bucket, minlength=self._count)
        self._starts.append(self._end + np.concatenate([[0], np.cumsum(sizes)]))
        self._end += len(rows)
        self._file.write(rows[order].tobytes())

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where buckets begin (runs, buckets + 1)."""
        return np.array(self._starts, np.int64).reshape(-1, self._count + 1)


@contextmanager
def written(path: Path, count: int) -> Iterator[Buckets]:
    """Write rows in so many buckets; the files appear when all is written, in place of older ones.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written(Path(folder) / "rows", 2) as buckets:
    ...         buckets.write(np.array([1, 0, 1]), np.array([10, 20, 30]))
    ...         buckets.write(np.array([1]), np.array([40]))
    ...     [bucket_of(Path(folder) / "rows", np.dtype(np.int64), 1, run).tolist() for run in (0, 1)]
    [[10, 30], [40]]
    """
    with replacing(path) as part, part.open("wb") as file:
        buckets = Buckets(file, count)
        yield buckets
    with replacing(starts_of(path)) as part, part.open("wb") as file:
        np.save(file, buckets.starts)


def bucket_of(path: Path, dtype: np.dtype[Any], bucket: int, run: int) -> NDArray[Any]:
    """Return the rows (n,) of one bucket of one run."""
    start, end = np.load(starts_of(path), mmap_mode="r")[run, bucket : bucket + 2].tolist()
    return np.fromfile(path, dtype, count=end - start, offset=start * dtype.itemsize)


def bucket_of_all(path: Path, dtype: np.dtype[Any], bucket: int) -> Iterator[NDArray[Any]]:
    """Go through the rows (n,) of one bucket, run by run."""
    for run in range(len(np.load(starts_of(path), mmap_mode="r"))):
        yield bucket_of(path, dtype, bucket, run)


def starts_of(path: Path) -> Path:
    """Return the second file: that is there when both are."""
    return path.with_name(f"{path.name}.starts.npy")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write a file under; once it is complete it takes the name ``path``."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
