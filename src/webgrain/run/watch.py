"""What a worker tells the process that watches it: which page it is at, since when, and what that may take.

The two share a few bytes of memory, so that telling costs nothing and what was told last can still be read
when the worker is dead. A page is told by a key of its stage and id: an id can be longer than any place.
"""

from __future__ import annotations

import ctypes
import os
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEY = 16
"""Bytes of a key."""


class Place(ctypes.Structure):
    """Where a worker is: key of the step it takes, what that step may take, and since when; 0: at none."""

    _fields_ = (
        ("key", ctypes.c_ubyte * KEY),
        ("seconds", ctypes.c_double),
        ("memory", ctypes.c_double),
        ("since", ctypes.c_double),
    )


class Step(NamedTuple):
    """A step that a worker takes: its key, its limits (seconds; bytes in memory), seconds since it began."""

    key: bytes
    seconds: float
    memory: float
    taken: float


def key_of(page: str, stage: str) -> bytes:
    """Return the key of a step with a page.

    >>> key_of("a", "read") == key_of("a", "apply")
    False
    """
    return blake2b(f"{stage}\0{page}".encode("utf-8", "surrogatepass"), digest_size=KEY).digest()


@dataclass(slots=True, eq=False)
class Watch:
    """A worker's side: it tells its steps, and leaves out those that must not be taken again.

    Attributes:
        place: shared with the process that watches.
        skip: why a step is not taken again, by its key.

    >>> watch = Watch(Place())
    >>> with watch.step(b"k" * KEY, seconds=2, memory=1e9):
    ...     step_of(watch.place).seconds
    2.0
    >>> step_of(watch.place) is None
    True
    """

    place: Any
    skip: Mapping[bytes, str] = field(default_factory=dict)

    @contextmanager
    def step(self, key: bytes, seconds: float, memory: float) -> Iterator[None]:
        """Tell that a step begins, and that it has ended; a step may be within another."""
        around = bytes(self.place)
        self.place.key[:] = key
        self.place.seconds, self.place.memory = seconds, memory
        self.place.since = time.monotonic()  # last: from here on the rest is read
        try:
            yield
        finally:
            ctypes.memmove(ctypes.addressof(self.place), around, len(around))


def step_of(place: Any) -> Step | None:
    """Return the step that a worker is at; None: at none."""
    since = place.since
    if not since:
        return None
    return Step(bytes(place.key), place.seconds, place.memory, time.monotonic() - since)


_CURRENT: ContextVar[Watch | None] = ContextVar("watch", default=None)


def current() -> Watch | None:
    """Return the watch that this process is under; None: nobody watches."""
    return _CURRENT.get()


@contextmanager
def under(watch: Watch) -> Iterator[None]:
    """Work under a watch."""
    token = _CURRENT.set(watch)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class Memory(NamedTuple):
    """Memory of a process in bytes: what is in use now, and what it has asked for."""

    resident: int
    asked: int


def memory_of(process: int | str = "self") -> Memory | None:
    """Return the memory of a process; None where that is not known: on Linux only, and while it lives.

    >>> use = memory_of()
    >>> use is None or use.asked > 10**6
    True
    """
    try:
        pages = Path(f"/proc/{process}/statm").read_bytes().split()
    except OSError:
        return None
    size = os.sysconf("SC_PAGE_SIZE")
    return Memory(size * int(pages[1]), size * int(pages[5]))
