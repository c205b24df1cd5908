"""``webgrain show``: one page's segments as a tree in the terminal."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

from typer import Option

from webgrain.cli.options import Browser, Inputs, Method, Rendering, grouped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from webgrain.pipeline import Segmented
    from webgrain.report.outline import Row


@grouped
def show(
    *,
    inputs: Inputs,
    method: Method,
    rendering: Rendering,
    browser: Browser,
    depth: Annotated[
        int, Option("--depth", metavar="N", min=1, help="Levels of the tree that are shown.")
    ] = 8,
) -> None:
    """Print the segments of pages as a tree.

    In brackets stand number and role of the segment; one of several parts comes up several times.

    Example: webgrain show page.html
    """
    from webgrain import pipeline
    from webgrain.cli.run import run
    from webgrain.results import Failure

    layout = browser.layout(rendering, screenshot=False)
    cutter = method.create()

    def write(result: Segmented | Failure) -> None:
        if not isinstance(result, Failure):
            _print(result, depth)

    run(pipeline.segment(inputs.read(), cutter, layout), nullcontext(write), strict=True)


def _print(result: Segmented, depth: int) -> None:
    from rich.text import Text

    from webgrain.records import segments
    from webgrain.report.outline import count, outline, plain

    found, console = segments(result.page, result.segmentation), _console()
    heading = Text().append(count(len(found), "segment"), "bold")
    heading.append(f"  {result.segmentation.method}  {plain(result.page.id)}", "dim")
    caption = {segment.id: segment.caption for segment in found}
    notes = (Text(f"note: {plain(note)}", "dim") for note in result.page.notes)
    for line in [heading, *notes, *(_line(row, caption) for row in outline(result.page, found, depth))]:
        line.truncate(console.width, overflow="ellipsis")
        console.print(line, no_wrap=True, crop=True)


def _console() -> Console:
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            """End as the other commands do where the reader goes away (``| head``): with exit code 0."""
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0)

    return Quiet(highlight=False, markup=False, emoji=False)


def _line(row: Row, caption: dict[int, str]) -> Text:
    from rich.text import Text

    from webgrain.report.colors import color

    line = Text().append(row.branch, "dim")
    if row.segment is None:
        line.append(row.name, "dim")
    else:
        line.append(f"[{caption[row.segment]}]", f"bold white on {color(row.segment)}")
        line.append(f" {row.name}", "bold")
    return line.append(f"  {row.text}" if row.text else "")
