"""The command ``webgrain``: one verb per file, loaded when it is called for."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from webgrain import __version__
from webgrain.cli.eval import evaluate
from webgrain.cli.label import label
from webgrain.cli.render import render
from webgrain.cli.segment import segment
from webgrain.cli.show import show
from webgrain.errors import WebgrainError

app = typer.Typer(
    name="webgrain",
    help="Find the grain of the web: which blocks a page is made of.",
    epilog="Example: webgrain segment page.html",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(no_args_is_help=True)(segment)
app.command(no_args_is_help=True)(show)
app.command(no_args_is_help=True)(render)
app.command(no_args_is_help=True)(label)
app.command("eval")(evaluate)


def main() -> None:
    """Run the command line; user mistakes end with one sentence and exit code 2."""
    try:
        app(prog_name="webgrain")
    except (WebgrainError, OSError) as error:  # OSError: a full disk, a folder that may not be written
        print(f"webgrain: {error}", file=sys.stderr)
        sys.exit(2)


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
