"""``webgrain template``: look at templates, compare them, and use them."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from webgrain.cli.options import Format, Inputs, Rendering, Strict, grouped
from webgrain.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from webgrain.cli.run import Write
    from webgrain.page.page import Page
    from webgrain.template.expression import Template
    from webgrain.template.matching import Matcher

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
    import numpy as np

    from webgrain.template.expression import TAG
    from webgrain.template.templatefile import read_template

    found = read_template(file)
    if format is Shown.text:
        print(found)
    else:
        nodes = np.flatnonzero(found.op == TAG).tolist()
        _write(Format.jsonl, (_node_record(found, node) for node in nodes))


def _node_record(template: Template, node: int) -> dict[str, Any]:
    from webgrain.template.expression import OPS, TAG
    from webgrain.template.templatefile import css

    above = template.op[template.parent[node]] if node else TAG
    noise = template.noise.get(node, {})
    return {
        "css": css(template, node),
        "op": "" if above == TAG else OPS[above],
        "support": round(float(template.support[node]), 3),
        "noise": [[*feature, round(share, 3)] for feature, share in noise.items()],
    }


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
    if not found.pages:
        raise InputError("No page could be read, so there is nothing to compare with the template.")
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
    from webgrain.cli.run import run
    from webgrain.pipeline import Layout, pages
    from webgrain.run.attempt import attempt
    from webgrain.template.matching import Matcher
    from webgrain.template.templatefile import read_template

    step = partial(_rows, Matcher(read_template(template)), selectors)
    layout = Layout(rendering.render.value, sheets=rendering.sheets)
    found = (attempt(page, "records", step) for page in pages(inputs.read(), layout))
    run(found, _open_rows(format), strict=False)


def _rows(matcher: Matcher, selectors: bool, page: Page) -> list[dict[str, Any]]:
    """Return the rows of all lists of a page; selectors: a row for each list."""
    from webgrain.template.listing import listings

    found = listings(page, matcher.match(page))
    if selectors:
        return [{"page": page.id, **one.selectors()} for one in found]
    return [
        {"page": page.id, "list": one.css, "item": number, **row}
        for one in found
        for number, row in enumerate(one.records(), 1)
    ]


@contextmanager
def _open_rows(format: Format) -> Iterator[Write[list[dict[str, Any]]]]:  # noqa: A002 - as the option
    """Give the function that writes the rows of a page; that one failed is only said on stderr."""
    from webgrain.io.write import open_writer
    from webgrain.results import Failure

    with open_writer(format.value, "-") as records:

        def write(rows: list[dict[str, Any]] | Failure) -> None:
            for row in [] if isinstance(rows, Failure) else rows:
                records.write(row)

        yield write


def _write(format: Format, rows: Iterable[Mapping[str, Any]]) -> None:  # noqa: A002 - as the option
    from webgrain.io.write import open_writer

    with open_writer(format.value, "-") as records:
        for row in rows:
            records.write(row)
