"""``webgrain render``, ``webgrain segment`` and ``webgrain show``: render and segment pages."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from webgrain.base.errors import ParameterError
from webgrain.cli import options
from webgrain.cli.options import layout, option, with_options
from webgrain.cli.output import Write, run, without_failing, write_segments

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from webgrain.base.failures import Failure
    from webgrain.page.page import Page
    from webgrain.report.terminal import OutlineRow
    from webgrain.site.pipeline import Segmented


@with_options
def render_pages(
    *,
    inputs: options.InputOptions,
    output: Path = option(..., "-o --output FILE"),
    screenshots: bool = option(False, "--screenshots"),
    browser: options.Browser,
    strict: bool = options.STRICT,
) -> None:
    """Render pages in Chromium and store them.

    A page is rendered once and used by many commands: every command accepts the page store as input.
    A page that fails gives a record on stdout.

    Example: webgrain render site/ -o pages.parquet

    Options:
        output: Page store to write (.parquet).
        screenshots: Also store a screenshot of every page.
    """
    from webgrain.site import pipeline

    boxes = layout(options.Rendering("chromium"), browser, screenshot=screenshots)
    run(pipeline.pages(inputs.read(), boxes), _open_store(output), strict, place=output, total=inputs.total)


@contextmanager
def _open_store(path: Path) -> Iterator[Write[Page]]:
    """Write pages to a page store and failures to stdout."""
    from webgrain.base.failures import Failure, failure_record
    from webgrain.io.store import open_store
    from webgrain.io.write import open_writer

    if path.suffix.lower() != ".parquet":  # inputs are recognised by their names
        raise ParameterError(f"The name of a page store must end in .parquet, got {path}.")
    with open_store(path) as store, open_writer("jsonl", "-") as failures:

        def write(result: Page | Failure) -> None:
            if isinstance(result, Failure):
                failures.write(failure_record(result))
            else:
                store.write(result)

        yield write


@with_options
def segment_pages(
    *,
    inputs: options.InputOptions,
    method: options.Method,
    model: Path | None = option(None, "--model FILE"),
    rendering: options.Rendering,
    browser: options.Browser,
    output: options.Output,
    strict: bool = options.STRICT,
) -> None:
    """Segment pages into blocks.

    With a model from webgrain audit, the template of a type determines the segments and roles of its pages.

    Writes a record per page to stdout: page, url, notes, method, params, energy, lower_bound, gap,
    segments and blocks. Segments have id, xpath, css, box, text, leaves, role, role_probability and
    confidence; blocks, which are a tree of elements, also parent. A page that fails gives a record with
    stage, error and seconds. With -o DIR the records are in DIR/segments.jsonl and
    DIR/failures.jsonl, the pictures in DIR/overlays/ and DIR/gallery.html.

    Example: webgrain segment site/ -o blocks --html

    Options:
        model: Model of the site from webgrain audit. Default: each page is segmented on its own.
    """
    from webgrain.site import pipeline

    boxes = layout(rendering, browser, screenshot=output.pictures)
    chosen = method.create()
    predictor: pipeline.Predictor = chosen
    if model:  # the module imports all that such a model consists of
        from webgrain.site.model import SiteSegmenter, load_model

        predictor = SiteSegmenter(load_model(model), chosen)
    segmented = pipeline.segment_items(inputs.read(), predictor, boxes)
    write_segments(segmented, output, strict, total=inputs.total)


@with_options
def show(
    *,
    inputs: options.InputOptions,
    method: options.Method,
    rendering: options.Rendering,
    browser: options.Browser,
    depth: int = option(8, "--depth N", min=1),
) -> None:
    """Print the segments of pages as a tree.

    Number and role of a segment are in brackets. A segment with several parts is listed several times.

    Example: webgrain show page.html

    Options:
        depth: Maximum depth of the tree.
    """
    from webgrain.engines.guard import run_step
    from webgrain.site import pipeline

    segmented = pipeline.segment_items(inputs.read(), method.create(), layout(rendering, browser))
    drawn = (run_step(result, "show", partial(_outline, depth=depth)) for result in segmented)
    run(drawn, nullcontext(without_failing(_print)), strict=True)


def _outline(result: Segmented, *, depth: int) -> list[Text]:
    """Return the lines that show the segments of a page."""
    from rich.text import Text

    from webgrain.page.segmentation import segments
    from webgrain.report.terminal import count, outline, plain

    parts = segments(result.page, result.segmentation)
    heading = Text().append(count(len(parts), "segment"), "bold")
    heading.append(f"  {result.segmentation.method}  {plain(result.page.id)}", "dim")
    caption = {segment.id: segment.caption for segment in parts}
    notes = (Text(f"note: {plain(note)}", "dim") for note in result.page.notes)
    return [heading, *notes, *(_line(row, caption) for row in outline(result.page, parts, depth))]


def _print(lines: list[Text]) -> None:
    console = _quiet_console()
    for line in lines:
        line.truncate(console.width, overflow="ellipsis")
        console.print(line, no_wrap=True, crop=True)


def _quiet_console() -> Console:
    """Return a console that ends with exit code 0 if the reader of stdout ends early (``| head``)."""
    from rich.console import Console

    from webgrain.io.write import discard_stdout

    class QuietConsole(Console):
        def on_broken_pipe(self) -> None:
            discard_stdout()
            raise SystemExit(0)

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="replace"
        )  # the charset may lack characters of the page or of the lines
    return QuietConsole(highlight=False, markup=False, emoji=False)


def _line(row: OutlineRow, caption: dict[int, str]) -> Text:

    from rich.text import Text

    from webgrain.report.html import color

    line = Text().append(row.branch, "dim")
    if row.segment is None:
        line.append(row.name, "dim")
    else:
        line.append(f"[{caption[row.segment]}]", f"bold white on {color(row.segment)}")
        line.append(f" {row.name}", "bold")
    return line.append(f"  {row.text}" if row.text else "")
