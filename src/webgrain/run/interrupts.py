"""Ctrl-C reaches all processes of a terminal, and is meant for the one that was called.

Those that it starts are ended by it. Until they can say that they ignore the signal they import for a while,
and would end with a traceback; so they are started with the signal held back.
"""

from __future__ import annotations

import signal
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess


def start_deaf(process: BaseProcess) -> None:
    """Start a process that does not hear Ctrl-C until it calls `ignore_interrupts`; this one does, after."""
    if not hasattr(signal, "pthread_sigmask"):
        process.start()
        return
    resource_tracker.ensure_running()  # else it is started below, which lets the signal through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C in this process; one that was held back is forgotten."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
