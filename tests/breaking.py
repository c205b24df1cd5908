"""Make functions of webgrain raise an error for a marked page."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, FunctionType
from typing import Any

from webgrain.page.dom import Dom
from webgrain.page.page import Source

MARK = "which breaks a step"
"""A text that only the marked page contains."""

ERROR = "this page is broken"
_PARAMETERS = 3  # parameters of a function that may be the page
_ALL_ARGUMENTS = 0x04 | 0x08  # flags of a function with *args and **kwargs
_NAMING = frozenset(("id", "add"))
"""A failure needs the name of its page; and `CountedPages.add` only stores what a guarded step reads."""


def marked(page: Source) -> Source:
    """Return a page with the mark at its end."""
    return Source(page.id, page.body + f"<p>{MARK}".encode(), page.url)


def is_marked(value: Any) -> bool:
    """Return whether an argument is the marked page, or belongs to it."""
    for name in ("page", "dom"):  # of an object that is being made, they may be missing
        value = getattr(value, name, value)
    if isinstance(value, list | tuple) and len(value) == 1:
        return is_marked(value[0])
    if isinstance(value, Source):
        return MARK.encode() in getattr(value, "body", b"")
    return isinstance(value, Dom) and MARK in getattr(value, "text", "")


def functions_with_the_page(run: Callable[[], object]) -> list[FunctionType]:
    """Return the functions of webgrain that get the marked page, in the order of their first calls."""
    codes: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if (
            event != "call"
            or code in codes
            or code.co_name in _NAMING
            or not frame.f_globals.get("__name__", "").startswith("webgrain.")
        ):
            return
        given = [frame.f_locals.get(name) for name in code.co_varnames[: min(code.co_argcount, _PARAMETERS)]]
        if any(map(is_marked, given)):
            codes[code] = None

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    functions = {each.__code__: each for each in gc.get_objects() if isinstance(each, FunctionType)}
    return [functions[code] for code in codes if code in functions and not code.co_freevars]


@contextmanager
def broken(function: FunctionType) -> Iterator[list[str]]:
    """Let a function raise an error for the marked page, by whatever name it is called; give its calls."""
    calls: list[str] = []
    code, defaults, keywords = function.__code__, function.__defaults__, function.__kwdefaults__
    original = FunctionType(code, function.__globals__, function.__name__, defaults)
    original.__kwdefaults__ = keywords

    def replaced(*given: Any, **named: Any) -> Any:
        if any(map(is_marked, given)):
            calls.append(function.__qualname__)
            raise ValueError(ERROR)
        return original(*given, **named)

    name = f"_broken_{id(function)}"
    function.__globals__[name] = replaced
    function.__code__ = _calling(name)
    function.__defaults__ = function.__kwdefaults__ = None
    try:
        yield calls
    finally:
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, keywords
        del function.__globals__[name]


def _calling(name: str) -> CodeType:
    """Return the code of a function that calls a global one with all its arguments."""
    made: dict[str, Any] = {}
    exec(f"def call(*given, **named):\n    return {name}(*given, **named)", made)
    code: CodeType = made["call"].__code__
    assert code.co_flags & _ALL_ARGUMENTS
    return code
