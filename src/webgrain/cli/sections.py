"""``webgrain sections``: pages and the template of their site in, sections and their importance out."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - read at run time
from typing import Annotated

from typer import Option

from webgrain.cli.options import Browser, Inputs, Output, Rendering, Strict, grouped


@grouped
def sections(
    *,
    inputs: Inputs,
    template: Annotated[
        Path,
        Option(
            "--template",
            metavar="FILE",
            show_default=False,
            help="Template of the site, as webgrain learn template makes it, or a folder of several: each "
            "page takes the one that it fits best.",
        ),
    ],
    threshold: Annotated[
        float, Option("--threshold", metavar="X", help="Sections of less importance are noisy, 0..1.")
    ] = 0.25,
    area: Annotated[
        float, Option("--area", metavar="X", help="Parts of more than this share of the page are cut, 0..1.")
    ] = 0.15,
    rendering: Rendering,
    browser: Browser,
    output: Output,
    strict: Strict = False,
) -> None:
    """Cut pages into sections by the template of their site.

    Writes a record per page to stdout: page, url, notes, template, match (how well the page fits, 0..1),
    accepted and sections, each with id, xpath, css, box, text, leaves, importance (0..1), noisy and list.
    With -o DIR the records are in DIR/sections.jsonl, the pictures in DIR/overlays/ and DIR/gallery.html:
    content is blue there, noise orange.

    Example: webgrain sections --template template.json site/ -o blocks --html
    """
    from webgrain import pipeline
    from webgrain.cli.output import open_output
    from webgrain.cli.run import run
    from webgrain.cli.templates import best_sectioner
    from webgrain.records import sections_record

    layout = browser.layout(rendering, screenshot=output.pictures)
    found = pipeline.segment(inputs.read(), best_sectioner(template, area, threshold), layout)
    run(found, open_output(output, "sections", sections_record), strict)
