"""All commands of the command line: one verb per file."""

from __future__ import annotations

from typing import Annotated

import typer

from webgrain import __version__
from webgrain.cli.audit import audit
from webgrain.cli.compare import compare
from webgrain.cli.crawl import crawl, seen
from webgrain.cli.doctor import doctor
from webgrain.cli.dupes import dupes
from webgrain.cli.eval import evaluate
from webgrain.cli.extract import extract, text
from webgrain.cli.label import label
from webgrain.cli.learn import learn, learn_layouts, learn_template
from webgrain.cli.review import review
from webgrain.cli.segment import render, segment, show
from webgrain.cli.template import sections, template
from webgrain.cli.types import types

app = typer.Typer(
    name="webgrain",
    help="Find the grain of the web: what sites and pages are made of.",
    epilog="Example: webgrain audit site/ -o result",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(no_args_is_help=True)(audit)
app.command(no_args_is_help=True)(segment)
app.command(no_args_is_help=True)(show)
app.command(no_args_is_help=True)(sections)
app.command(no_args_is_help=True)(extract)
app.command(no_args_is_help=True)(text)
app.command(no_args_is_help=True)(render)
app.command(no_args_is_help=True)(types)
app.command(no_args_is_help=True)(dupes)
app.command(no_args_is_help=True)(compare)
app.command(no_args_is_help=True)(crawl)
app.command(no_args_is_help=True)(label)
app.command("eval")(evaluate)
app.command()(doctor)
learn.command("template", no_args_is_help=True)(learn_template)
learn.command("layouts", no_args_is_help=True)(learn_layouts)
app.add_typer(learn)
app.add_typer(review)
app.add_typer(template)
app.add_typer(seen)


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
