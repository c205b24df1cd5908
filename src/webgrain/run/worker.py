"""A process that does arguments of a task one after another, and how the one that started it sees it.

A worker ends with the process that started it, however that ends: on Linux at once, elsewhere when it has
done the argument that it is at.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webgrain.run.interrupts import ignore_interrupts, start_deaf
from webgrain.run.watch import Place, Watch, memory_of, step_of, under

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    Task = Callable[[Any], Any]

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


@dataclass(slots=True, eq=False)
class Job:
    """An argument that is to be done.

    Attributes:
        argument: as it was given.
        skip: steps with pages that must not be taken again, and why not.
        suspects: steps at which a worker died; it may have died for another reason.
        deaths: how many workers died while they were at no page.
        reason: what the last of them died of.
    """

    argument: Any
    skip: dict[bytes, str] = field(default_factory=dict)
    suspects: set[bytes] = field(default_factory=set)
    deaths: int = 0
    reason: str = ""

    def blame(self, step: bytes | None, reason: str, *, sure: bool) -> None:
        """Take note that a worker died at a step; None: at no page.

        sure: because of that step. Else it is only skipped when it happens there again: the machine may have
        run out of memory, or somebody has ended the worker.
        """
        self.reason = reason
        if step is None:
            self.deaths += 1
        elif sure or step in self.suspects:
            self.skip[step] = reason
        else:
            self.suspects.add(step)


class Worker:
    """A process that works, seen from the one that started it.

    Attributes:
        connection: can be read from when there is an answer, or the process is dead.
        job: what it is at; None: nothing.
        begun: how many arguments it was given.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # what is forked from a process with threads can hang
        self.connection, theirs = context.Pipe()
        self.job: Job | None = None
        self.begun = 0
        self._place = context.RawValue(Place)
        self._process = context.Process(target=_work, args=(theirs, self._place), daemon=True)
        with _one_thread():
            start_deaf(self._process)
        theirs.close()

    def begin(self, task: Task, job: Job) -> None:
        """Give it something to do."""
        self.job = job
        self.begun += 1
        with suppress(ConnectionError):  # it is dead, which asking for the answer will show
            self.connection.send((task, job.argument, job.skip))

    def answer(self) -> tuple[bool, Any]:
        """Return whether its job was done, and the result or what was raised; `EOFError`: it is dead."""
        done, told = self.connection.recv()
        self.job = None
        return done, told

    def blame_death(self) -> None:
        """Note on its job at which step it died."""
        self._process.join(timeout=5)  # it may live on, though it does not answer any more
        step, code = step_of(self._place), self._process.exitcode or 0
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        if self.job:
            self.job.blame(step and step.key, f"the process that worked on it ended {how}.", sure=False)

    def blame_excess(self) -> bool:
        """Note on its job if the step that it is at goes beyond its hard limits."""
        step, use = step_of(self._place), memory_of(self._process.pid or 0)
        if step is None or self.job is None:
            return False
        if step.taken > step.seconds:
            reason = f"it takes longer than {step.seconds:g} s and heeds no interruption."
        elif use and use.resident > step.memory:
            reason = f"the process that worked on it grew beyond {step.memory / 2**20:.0f} MB."
        else:
            return False
        self.job.blame(step.key, reason, sure=True)
        return True

    def end(self) -> None:
        """End it now."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.connection.close()


def _work(connection: Connection[Any, Any], place: Any) -> None:
    """Do what is asked for: all that the new process does."""
    ignore_interrupts()
    _end_with_parent()
    while True:
        try:
            task, argument, skip = connection.recv()
        except EOFError:  # nobody asks any more
            return
        except Exception as error:  # the task cannot be found by its name
            connection.send((False, _portable(error)))
            continue
        try:
            with under(Watch(place, skip)):
                connection.send((True, task(argument)))
        except Exception as error:
            connection.send((False, _portable(error)))


def _portable(error: Exception) -> Exception:
    """Return an error that survives the way to the other process."""
    error.add_note("".join(traceback.format_exception(error)).rstrip())
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is None or not parent.is_alive():
        os._exit(1)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that are started now calculate with one thread each: there is one for each core."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
