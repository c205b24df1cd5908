"""Templates in files and folders: learnt and read.

``webgrain template``: look at templates, compare them, and use them.

``webgrain sections``: pages and the template of their site in, sections and their importance out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from webgrain import pipeline
from webgrain.cli.options import Browser, Format, Inputs, Output, Rendering, Strict, grouped
from webgrain.cli.output import passed
from webgrain.errors import InputError
from webgrain.io.local import safe_name
from webgrain.report.terminal import plain
from webgrain.templates.regextree import RegexTree
from webgrain.templates.sections import BestSectioner, Sectioner
from webgrain.templates.template import read_template, write_template

if TYPE_CHECKING:
    from webgrain.cli.output import Write
    from webgrain.page.page import Page, Source
    from webgrain.pipeline import Layout
    from webgrain.templates.regextree import Matcher
    from webgrain.templates.template import Template


def read_templates(path: Path) -> dict[str, Template]:
    """Return the template in a file, or all in the ``.json`` files of a folder, by the name of the file.

    `InputError` where there is none.

    >>> from pathlib import Path
    >>> read_templates(Path("nowhere.json"))
    Traceback (most recent call last):
    webgrain.errors.InputError: Cannot read a model from nowhere.json: No such file or directory.
    """
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"The folder {path} holds no template (.json).")
    return {file.stem: read_template(file) for file in files}


def best_sectioner(path: Path, area: float = 0.15, threshold: float = 0.25) -> BestSectioner:
    """Return what cuts pages with the template in a file, or with the best of those in a folder."""
    templates = read_templates(path).items()
    return BestSectioner(
        {name: Sectioner(template=one, area=area, threshold=threshold) for name, one in templates}
    )


def learn_templates(
    drawn: Mapping[str, Iterable[Source | Page]], layout: Layout, path: Path, one_each: bool
) -> None:
    """Learn a template from the pages of each type, write it, and print it.

    one_each: write each to a file of its own in the folder ``path``, else the only one to the file ``path``.
    """
    if not drawn:
        raise InputError("There is no page to learn a template from.")
    for kind, items in drawn.items():
        template = _learn(kind, items, layout)
        write_template(path / f"{safe_name(kind)}.json" if one_each else path, template)
        print(f"{plain(kind, 80)}: {template}" if one_each else template)


def _learn(kind: str, items: Iterable[Source | Page], layout: Layout) -> Template:
    pages = list(passed(pipeline.pages(items, layout)))
    if not pages:
        of_type = f" of type {plain(kind, 80)}" if kind else ""
        raise InputError(f"There is no page{of_type} to learn a template from.")
    learnt = RegexTree()
    try:
        learnt.fit(pages)
    finally:  # where all are left out, too
        for page_id, reason in learnt.rejected_.items():
            print(f"webgrain: {plain(page_id, 200)} is left out: {reason}", file=sys.stderr)
    assert learnt.template_ is not None
    return learnt.template_


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

    from webgrain.templates.template import TAG, read_template

    found = read_template(file)
    if format is Shown.text:
        print(found)
    else:
        nodes = np.flatnonzero(found.op == TAG).tolist()
        _write(Format.jsonl, (_node_record(found, node) for node in nodes))


def _node_record(template: Template, node: int) -> dict[str, Any]:
    from webgrain.templates.template import OPS, TAG

    above = template.op[template.parent[node]] if node else TAG
    noise = template.noise.get(node, {})
    return {
        "css": template.css(node),
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
    from webgrain.templates.drift import diff as compare
    from webgrain.templates.template import read_template

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

    from webgrain.cli.output import passed
    from webgrain.pipeline import Layout, pages
    from webgrain.templates.drift import drift as measure
    from webgrain.templates.template import read_template

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
    from webgrain.cli.output import run
    from webgrain.engines.guard import run_step
    from webgrain.pipeline import Layout, pages
    from webgrain.templates.regextree import Matcher
    from webgrain.templates.template import read_template

    step = partial(_rows, Matcher(read_template(template)), selectors)
    layout = Layout(rendering.render.value, sheets=rendering.sheets)
    found = (run_step(page, "records", step) for page in pages(inputs.read(), layout))
    run(found, _open_rows(format), strict=False)


def _rows(matcher: Matcher, selectors: bool, page: Page) -> list[dict[str, Any]]:
    """Return the rows of all lists of a page; selectors: a row for each list."""
    from webgrain.templates.records import listings

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
    from webgrain.cli.output import open_output, run
    from webgrain.records import sections_record

    layout = browser.layout(rendering, screenshot=output.pictures)
    found = pipeline.segment(inputs.read(), best_sectioner(template, area, threshold), layout)
    run(found, open_output(output, "sections", sections_record), strict)
