"""Tasks that behave badly: workers are other processes, which import them from here."""

from __future__ import annotations

import gc
import mmap
import os
import signal
import time
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from webgrain.base.failures import Failure
from webgrain.engines.guard import Guard
from webgrain.page.page import Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Found = str | tuple[str, str]


def once(folder: Path, name: str) -> bool:
    """Whether this is the first call, in any process."""
    try:
        (folder / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def square(number: int) -> int:
    return number * number


def process_id(number: int) -> int:
    return os.getpid()


def environment(name: str) -> str | None:
    return os.environ.get(name)


def new_objects(_: object) -> int:
    """Return the number of new objects after which this process searches for cyclic garbage."""
    return gc.get_threshold()[0]


def wrong(number: int) -> int:
    raise ValueError(f"{number} is wrong")


def unsendable(number: int) -> object:
    return lambda: number


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_once(folder: Path, number: int) -> int:
    return die(number) if once(folder, str(number)) else number


def lose_the_engine_once(folder: Path, number: int) -> int:
    """Kill the process that this one works for."""
    if once(folder, str(number)):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)
    return number


def die_and_do(folder: Path, task: Callable[[Any], Any], argument: Any) -> Any:
    """Do a task; but the first time with each argument this process is killed."""
    if once(folder, blake2b(repr(argument).encode(), digest_size=8).hexdigest()):
        die(0)
    return task(argument)


def lose_the_engine_and_do(folder: Path, task: Callable[[Any], Any], argument: Any) -> Any:
    """Do a task; but once the process is killed that this one works for."""
    lose_the_engine_once(folder, 0)
    return task(argument)


def wait_for_end(path: Path) -> None:
    path.write_text(str(os.getpid()))
    time.sleep(600)


def hang(source: Source) -> str:
    """Hang like a loop in C, without handling signals."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    while True:
        time.sleep(0.01)


def crash(source: Source) -> str:
    os.abort()


def grow(source: Source) -> str:
    """Take memory that the limit of the process does not see."""
    shared = mmap.mmap(-1, 400 * 2**20)
    for _ in range(400):
        shared.write(bytes(2**20))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    while True:
        time.sleep(0.01)


STEPS = {"hang": hang, "crash": crash, "grow": grow}


def shard(folder: Path, names: tuple[str, ...]) -> list[Found]:
    """Take a step with each page of a shard; what happens depends on its name."""

    def step(source: Source) -> str:
        kind = source.id.split("-")[0]
        if kind == "killed" and once(folder, source.id):
            die(0)
        return STEPS[kind](source) if kind in STEPS else source.id.upper()

    def guard(name: str) -> Guard:
        """Return limits that are soon reached by pages that reach them, and never by others."""
        return Guard(seconds=1 if name.startswith(("hang", "grow")) else 300, megabytes=100)

    found = (guard(name).call(Source(name, b""), "apply", step) for name in names)
    return [(one.page, one.error) if isinstance(one, Failure) else one for one in found]


def shard_together(folder: Path, names: tuple[str, ...]) -> list[Found]:
    """Take a step with all pages of a shard together; a file in the folder for each process that dies."""

    def step(number: int) -> str:
        name = names[number]
        if name.startswith("crash"):
            (folder / f"{os.getpid()}").touch()
            crash(Source(name, b""))
        return name.upper()

    pages = [Source(name, b"") for name in names]
    done = Guard(seconds=300).call_all(pages, "apply", lambda numbers: [step(k) for k in numbers], step)
    return [(one.page, one.error) if isinstance(one, Failure) else one for one in done]
