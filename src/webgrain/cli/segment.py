"""``webgrain render``: render pages once and store them.

``webgrain segment``: pages in, their segments out.

``webgrain show``: one page's segments as a tree in the terminal.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from webgrain.cli.options import Browser, Inputs, Method, Output, Render, Rendering, Strict, grouped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from webgrain.pipeline import Segmented
    from webgrain.report.terminal import Row


@grouped
def render(
    *,
    inputs: Inputs,
    output: Annotated[
        Path, Option("-o", "--output", metavar="FILE", help="The page store to write (Parquet).")
    ],
    screenshots: Annotated[bool, Option("--screenshots", help="Also store a picture of every page.")] = False,
    browser: Browser,
    strict: Strict = False,
) -> None:
    """Render pages in Chromium and store them.

    So each page is rendered once and used often: every command takes the store as an input.
    Pages that fail give a record on stdout.

    Example: webgrain render site/ -o pages.parquet
    """
    from webgrain import pipeline
    from webgrain.cli.output import open_rendered, run

    layout = browser.layout(Rendering(Render.chromium), screenshot=screenshots)
    run(pipeline.pages(inputs.read(), layout), open_rendered(output), strict)


@grouped
def segment(
    *,
    inputs: Inputs,
    method: Method,
    rendering: Rendering,
    browser: Browser,
    output: Output,
    strict: Strict = False,
) -> None:
    """Cut pages into their segments.

    Writes a record per page to stdout: page, url, notes, method, params, energy, lower_bound, gap and
    segments, each with id, xpath, css, box, text, leaves, role, role_probability and confidence. A page that
    fails gives a record with stage, error and seconds, and the others go on. With -o DIR the records are in
    DIR/segments.jsonl and DIR/failures.jsonl, the pictures in DIR/overlays/ and DIR/gallery.html.

    Example: webgrain segment site/ -o blocks --html
    """
    from webgrain import pipeline
    from webgrain.cli.output import open_output, run

    layout = browser.layout(rendering, screenshot=output.pictures)
    cutter = method.create()
    run(pipeline.segment(inputs.read(), cutter, layout), open_output(output), strict)


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
    from webgrain.cli.output import run
    from webgrain.results import Failure

    layout = browser.layout(rendering, screenshot=False)
    cutter = method.create()

    def write(result: Segmented | Failure) -> None:
        if not isinstance(result, Failure):
            _print(result, depth)

    run(pipeline.segment(inputs.read(), cutter, layout), nullcontext(write), strict=True)


def _print(result: Segmented, depth: int) -> None:
    from rich.text import Text

    from webgrain.report.terminal import count, outline, plain
    from webgrain.results import segments

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

    from webgrain.report.html import color

    line = Text().append(row.branch, "dim")
    if row.segment is None:
        line.append(row.name, "dim")
    else:
        line.append(f"[{caption[row.segment]}]", f"bold white on {color(row.segment)}")
        line.append(f" {row.name}", "bold")
    return line.append(f"  {row.text}" if row.text else "")
