"""``webgrain template``: look at templates, compare them, and use them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from webgrain.cli.options import Format, Inputs, Rendering, Strict, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

template = typer.Typer(
    name="template",
    help="Look at the templates of sites, compare them, and use them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

File = Annotated[
    Path, Argument(metavar="FILE", show_default=False, help="Template, as webgrain learn template makes it.")
]
Learnt = Annotated[
    Path, Option("--template", metavar="FILE", show_default=False, help="Template of the site.")
]


class Shown(StrEnum):
    """How a template is shown."""

    text = "text"
    jsonl = "jsonl"


@template.command("show", no_args_is_help=True)
@grouped
def show(
    *,
    file: File,
    format: Annotated[  # noqa: A002 - the option's name
        Shown,
        Option("--format", metavar="FORMAT", help="The expression as text, or a record per node: jsonl."),
    ] = Shown.text,
) -> None:
    """Show a template, as an expression or node by node.

    Example: webgrain template show template.json
    """
    from webgrain.template.expression import OPS, TAG
    from webgrain.template.templatefile import css, read_template

    found = read_template(file)
    if format is Shown.text:
        print(found)
        return
    _write(
        Format.jsonl,
        (
            {
                "css": css(found, node),
                "op": OPS[found.op[found.parent[node]]]
                if node and found.op[found.parent[node]] != TAG
                else "",
                "support": round(float(found.support[node]), 3),
                "noise": [
                    [*feature, round(share, 3)] for feature, share in found.noise.get(node, {}).items()
                ],
            }
            for node in range(len(found))
            if found.op[node] == TAG
        ),
    )


@template.command("diff", no_args_is_help=True)
@grouped
def diff(
    *,
    file: File,
    other: Annotated[
        Path, Argument(metavar="OTHER", show_default=False, help="The template to compare it with.")
    ],
) -> None:
    """Compare two templates: which nodes one of them lacks.

    Writes a line for each node that one template lacks, or half of its pages do, with the share of the pages
    that have it in each template.

    Example: webgrain template diff march.json april.json
    """
    from webgrain.template.drift import diff as compare
    from webgrain.template.templatefile import read_template

    for change in compare(read_template(file), read_template(other)):
        print(f"{change.before:.2f} -> {change.now:.2f}  {change.css}")


@template.command("drift", no_args_is_help=True)
@grouped
def drift(*, inputs: Inputs, template: Learnt, rendering: Rendering, strict: Strict = False) -> None:
    """Say what pages have lost and gained since the template.

    Writes one JSON record: level (none, notice or alarm), pages, accepted (the share that fits), score,
    expected, vanished and appeared, each with css, before and now. An alarm takes ten pages or more; with
    --strict it exits with 1.

    Example: webgrain template drift --template template.json crawl.warc.gz
    """
    from dataclasses import asdict

    from webgrain.cli.run import passed
    from webgrain.pipeline import Layout, pages
    from webgrain.template.drift import drift as measure
    from webgrain.template.templatefile import read_template

    layout = Layout(rendering.render.value, sheets=rendering.sheets)
    found = measure(read_template(template), passed(pages(inputs.read(), layout)))
    _write(Format.jsonl, [{"level": found.level, **asdict(found)}])
    if strict and found.level == "alarm":
        raise typer.Exit(1)


@template.command("records", no_args_is_help=True)
@grouped
def records(
    *,
    inputs: Inputs,
    template: Learnt,
    format: Annotated[  # noqa: A002 - the option's name
        Format, Option("--format", metavar="FORMAT", help="Format of the rows: jsonl, csv or parquet.")
    ] = Format.jsonl,
    selectors: Annotated[
        bool, Option("--selectors", help="The selectors of each list and its fields, not the rows.")
    ] = False,
    rendering: Rendering,
) -> None:
    """Print the lists of pages as tables, a row an item.

    Every row also has page, list (the CSS selector of the list) and item (its number).

    Example: webgrain template records --template template.json shop/page2.html --format csv
    """
    from webgrain.cli.run import passed
    from webgrain.pipeline import Layout, pages
    from webgrain.template.listing import listings
    from webgrain.template.matching import Matcher
    from webgrain.template.templatefile import read_template

    matcher = Matcher(read_template(template))
    layout = Layout(rendering.render.value, sheets=rendering.sheets)
    read = passed(pages(inputs.read(), layout))
    found = ((page.id, listing) for page in read for listing in listings(page, matcher.match(page)))
    if selectors:
        _write(format, ({"page": page, **listing.selectors()} for page, listing in found))
        return
    _write(
        format,
        (
            {"page": page, "list": listing.css, "item": number, **row}
            for page, listing in found
            for number, row in enumerate(listing.records(), 1)
        ),
    )


def _write(format: Format, rows: Iterable[Mapping[str, Any]]) -> None:  # noqa: A002 - as the option
    from webgrain.io.write import open_writer

    with open_writer(format.value, "-") as records:
        for row in rows:
            records.write(row)
