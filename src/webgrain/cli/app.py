"""The command line: the list of all commands."""

from __future__ import annotations

from typing import Annotated

import typer

from webgrain import __version__
from webgrain.cli.audit import audit
from webgrain.cli.crawl import crawl, drop_pages, list_pages
from webgrain.cli.doctor import doctor
from webgrain.cli.dupes import compare, dupes
from webgrain.cli.eval import evaluate
from webgrain.cli.extract import extract, text
from webgrain.cli.label import label
from webgrain.cli.learn import learn_layouts, learn_segments, learn_template
from webgrain.cli.segment import render, segment, show
from webgrain.cli.table import table
from webgrain.cli.template import diff, drift, sections, show_template
from webgrain.cli.types import review_types, types

app = typer.Typer(
    name="webgrain",
    help="Analyse web sites: page types, templates, text, segments and duplicates.",
    epilog="Example: webgrain audit site/ -o result",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    *(audit, segment, show, sections, extract, text, table, render),
    *(types, dupes, compare, crawl, label),
):
    app.command(no_args_is_help=True)(command)
app.command("eval")(evaluate)
app.command()(doctor)

GROUPS = {
    ("learn", "Learn a model from your own pages."): {
        "segments": learn_segments,
        "template": learn_template,
        "layouts": learn_layouts,
    },
    ("review", "Review results and save verdicts."): {"types": review_types},
    ("template", "Show, compare and apply templates."): {
        "show": show_template,
        "diff": diff,
        "drift": drift,
    },
    ("crawl-state", "List or remove the pages that earlier crawls have stored."): {
        "list": list_pages,
        "drop": drop_pages,
    },
}
for (name, summary), members in GROUPS.items():
    group = typer.Typer(name=name, help=summary, no_args_is_help=True, rich_markup_mode=None)
    for member, command in members.items():
        group.command(member, no_args_is_help=True)(command)
    app.add_typer(group)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"webgrain {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
