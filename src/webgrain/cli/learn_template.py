"""``webgrain learn template``: the template of a site from some of its pages."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - read at run time
from typing import TYPE_CHECKING, Annotated

from typer import Option

from webgrain.cli.options import Inputs, Rendering, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webgrain.page.page import Page, Source


@grouped
def learn_template(
    *,
    inputs: Inputs,
    output: Annotated[
        Path,
        Option(
            "-o",
            "--output",
            metavar="FILE",
            show_default=False,
            help="Write the template to FILE; with --types, one template of each type to a folder.",
        ),
    ],
    pages: Annotated[
        int, Option("--pages", metavar="N", min=1, help="Learn from so many pages, drawn at random.")
    ] = 15,
    seed: Annotated[int, Option("--seed", metavar="N", min=0, help="Seed of the draw.")] = 0,
    types: Annotated[
        Path | None,
        Option(
            "--types",
            metavar="FILE",
            help="Types of the pages (.jsonl, .csv or .tsv with page and type): a template for each.",
        ),
    ] = None,
    rendering: Rendering,
) -> None:
    """Learn the template of a site from some of its pages.

    The pages should be of one kind, articles, say; those that have little in common with the others are left
    out, and it is said why. Prints the template.

    Example: webgrain learn template site/news -o template.json
    """
    from webgrain.cli.output import check_target, make_folder
    from webgrain.cli.run import passed
    from webgrain.cli.templates import learn_templates
    from webgrain.io.draw import draw, read_types
    from webgrain.pipeline import Layout

    of_page = read_types(types) if types else None
    if of_page is None:
        check_target(output)
    else:
        make_folder(output)
    readable: Iterator[Source | Page] = passed(inputs.read())
    drawn = draw(readable, pages, seed, of_page)
    layout = Layout(rendering.render.value, sheets=rendering.sheets)
    learn_templates(drawn, layout, output, one_each=of_page is not None)
