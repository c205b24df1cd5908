"""The command ``webgrain``: one verb per file, loaded when it is called for."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any, NoReturn

import typer

from webgrain import __version__
from webgrain.cli.audit import audit
from webgrain.cli.compare import compare
from webgrain.cli.crawl import crawl
from webgrain.cli.doctor import doctor
from webgrain.cli.dupes import dupes
from webgrain.cli.eval import evaluate
from webgrain.cli.extract import extract
from webgrain.cli.label import label
from webgrain.cli.learn import learn
from webgrain.cli.learn_layouts import learn_layouts
from webgrain.cli.learn_template import learn_template
from webgrain.cli.render import render
from webgrain.cli.review import review
from webgrain.cli.sections import sections
from webgrain.cli.seen import seen
from webgrain.cli.segment import segment
from webgrain.cli.show import show
from webgrain.cli.template import template
from webgrain.cli.text import text
from webgrain.cli.types import types
from webgrain.errors import WebgrainError

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


_UsageError: Any = typer.BadParameter.__base__
"""A command that was called wrongly; typer gives it no public name."""


def main() -> None:
    """Run the command line; user mistakes end with one sentence and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            sys.exit(app(prog_name="webgrain", standalone_mode=False))
    except _UsageError as error:
        _end_usage(error)
    except WebgrainError as error:
        _end(str(error))
    except OSError as error:  # a full disk, a folder that may not be written
        name = f"{error.filename}: " if error.filename else ""
        _end(f"{name}{error.strerror or error}.")


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"webgrain: {message}.", file=sys.stderr)


def _end_usage(error: Any) -> NoReturn:
    """End with a sentence on how a command was called; one that was given nothing shows its help."""
    told, context = " ".join(error.format_message().split()), error.ctx
    if context and error.format_message() == context.get_help():
        error.show()
        sys.exit(2)
    told = told.replace("Value error, ", "")  # how the library that checks values begins
    if context and not told.endswith("?"):
        told = f"{told.removesuffix('.')}; see {context.command_path} -h."
    _end(told)


def _end(message: str) -> NoReturn:
    print(f"webgrain: {message}", file=sys.stderr)
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
