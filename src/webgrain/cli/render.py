"""``webgrain render``: render pages once and store them."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - read at run time
from typing import Annotated

from typer import Option

from webgrain.cli.options import Browser, Inputs, Render, Rendering, Strict, grouped


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
    from webgrain.cli.output import open_rendered
    from webgrain.cli.run import run

    layout = browser.layout(Rendering(Render.chromium), screenshot=screenshots)
    run(pipeline.pages(inputs.read(), layout), open_rendered(output), strict)
