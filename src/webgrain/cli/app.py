"""The command line: the list of all commands, whose modules are imported when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from webgrain import __version__

COMMANDS = {
    "audit": "audit.audit",
    "segment": "segment.segment",
    "show": "segment.show",
    "sections": "template.sections",
    "extract": "extract.extract",
    "text": "extract.text",
    "table": "extract.table",
    "render": "segment.render",
    "types": "types.types",
    "dupes": "dupes.dupes",
    "compare": "dupes.compare",
    "crawl": "crawl.crawl",
    "label": "label.label",
    "eval": "eval.evaluate",
    "doctor": "doctor.doctor",
    "learn segments": "learn.learn_segments",
    "learn template": "learn.learn_template",
    "learn layouts": "learn.learn_layouts",
    "review types": "types.review_types",
    "template show": "template.show_template",
    "template diff": "template.diff",
    "template drift": "template.drift",
    "crawl-state list": "crawl.list_pages",
    "crawl-state drop": "crawl.drop_pages",
}
"""The commands: module and function of each."""

GROUPS = {
    "learn": "Learn a model from your own pages.",
    "review": "Review results and save verdicts.",
    "template": "Show, compare and apply templates.",
    "crawl-state": "List or remove the pages that earlier crawls have stored.",
}


def app(first: str = "") -> typer.Typer:
    """Return the command line. first: the first argument; only the module of that command is imported."""
    top = typer.Typer(
        name="webgrain",
        help="Analyse web sites: page types, templates, text, segments and duplicates.",
        epilog="Example: webgrain audit site/ -o result",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    top.callback()(_top)
    if first == "--version":
        return top
    groups: dict[str, typer.Typer] = {}
    known = first in {name.partition(" ")[0] for name in COMMANDS}
    for name, place in COMMANDS.items():
        group, _, member = name.rpartition(" ")
        if known and first not in (group, name):
            continue
        module, _, function = place.partition(".")
        command = getattr(import_module(f"webgrain.cli.{module}"), function)
        if group and group not in groups:
            groups[group] = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
            top.add_typer(groups[group], name=group, help=GROUPS[group])
        parent = groups[group] if group else top
        parent.command(member, no_args_is_help=name not in ("eval", "doctor"))(command)
    return top


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"webgrain {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
