"""Text out, to a file or to standard output."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from webgrain.report.outline import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from webgrain.page.page import Page

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What could steer a terminal; pages are written by strangers."""


@contextmanager
def open_text(path: Path | None) -> Iterator[Callable[[str], object]]:
    """Give the function that writes a text to a file, or to standard output for None, without controls.

    When the reader of standard output goes away (``| head``), the block ends quietly.
    """
    if path is not None:
        with path.open("w", encoding="utf-8", errors="replace") as file:
            yield lambda text: file.write(_CONTROL.sub("", text))
        return
    try:
        yield _say
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer would otherwise be written, and fail, when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_notes(page: Page) -> None:
    """Say on stderr what was cut off of a page or mended: a text has no place for that."""
    for note in page.notes:
        print(f"webgrain: {plain(page.id, 200)}: {note}", file=sys.stderr)


def _say(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(_CONTROL.sub("", text).encode(encoding, "replace").decode(encoding))
