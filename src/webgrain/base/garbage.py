"""Cyclic garbage in the processes of the command line."""

from __future__ import annotations

import gc

NEW_OBJECTS = 10_000
"""Objects that may be new before Python searches for cyclic garbage; hand-set. Facts about pages form few
cycles: most objects are freed without a search, and with the usual 700 objects, searches took 2.8 % of the
time of an audit in place of .6 % (newspaper, 250 pages)."""


def collect_seldom() -> None:
    """Let this process search for cyclic garbage less often; only for processes of the command line.

    >>> import gc
    >>> before = gc.get_threshold()
    >>> collect_seldom()
    >>> gc.get_threshold()[0] == NEW_OBJECTS, gc.get_threshold()[1:] == before[1:]
    (True, True)
    >>> gc.set_threshold(*before)
    """
    _, *older = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, *older)
