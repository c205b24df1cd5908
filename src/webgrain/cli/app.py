"""The command line: all commands with their summaries; their modules are imported when they are used."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

import click

from webgrain import __version__
from webgrain.cli.commands import OrderedGroup, command
from webgrain.cli.completion import install_completion, show_completion

COMMANDS = {
    "audit": ("audit.audit_site", "Analyse a site: page types, templates, text and duplicates."),
    "segment": ("segment.segment_pages", "Segment pages into blocks."),
    "show": ("segment.show", "Print the segments of pages as a tree."),
    "sections": ("template.divide_pages", "Divide pages into sections with the template of their site."),
    "extract": ("extract.extract_articles", "Extract the title and the main text of pages."),
    "text": ("extract.text", "Print all text of pages, one block per line."),
    "table": ("extract.table", "Extract the lists of pages as a table, a row per item."),
    "corpus": (
        "corpus.make_corpus",
        "Write the main texts of many pages to one file, without near-duplicates.",
    ),
    "render": ("segment.render_pages", "Render pages in Chromium and store them."),
    "types": ("types.types", "Learn the page types of a site, each with its key path."),
    "fields": (
        "fields.fields",
        "Write the pages of each type of a site as a table: a row per page, a column per field.",
    ),
    "dupes": ("dupes.dupes", "Find near-duplicates among pages."),
    "compare": ("dupes.show_differences", "Show two pages side by side and mark the words that differ."),
    "crawl": ("crawl.crawl_sites", "Crawl sites into a web archive that every command reads."),
    "label": ("learn.label", "Label the segments of pages and their roles in a browser."),
    "eval segments": (
        "eval.evaluate_segments",
        "Score segmentation methods and baselines on labelled pages.",
    ),
    "eval extraction": (
        "eval.evaluate_extraction",
        "Score the extraction of text, elements, posts and metadata on pages with known results.",
    ),
    "doctor": (
        "doctor.doctor",
        "Report which dependencies are installed, which are missing, and how to install them.",
    ),
    "learn segments": ("learn.learn_segments", "Learn segmentation weights and roles from labelled pages."),
    "learn site": ("learn.learn_site", "Learn the model of a site, or add new pages to a model."),
    "learn template": ("learn.learn_template", "Learn the template of a page type from some of its pages."),
    "learn layouts": ("learn.learn_layouts", "Learn the layouts of a site from its pages with Webstemmer."),
    "review types": ("types.review_types", "Review the page types of a site."),
    "template show": ("template.show_template", "Show what the parts of a template are."),
    "template diff": ("template.diff_templates", "Compare two templates."),
    "template drift": (
        "template.report_drift",
        "Report what the pages of a site have lost and gained since its template was learnt.",
    ),
    "template repair": (
        "template.repair_selectors",
        "Propose new selectors for those that no longer work since a template was learnt.",
    ),
    "data list": ("eval.list_sets", "List the data sets: state, name, licence, source with revision."),
    "data fetch": ("eval.fetch_sets", "Download the sources of data sets that are not built yet."),
    "data build": ("eval.build_sets", "Build data sets from their downloaded sources."),
    "crawl-state list": ("crawl.list_pages", "List the pages in a crawl state, the oldest first."),
    "crawl-state drop": (
        "crawl.drop_pages",
        "Remove pages from a crawl state, so that the next crawl fetches them again.",
    ),
}
"""The commands: module and function of each, and the first sentence of its help."""

WITHOUT_ARGUMENTS = ("eval segments", "eval extraction", "doctor", "data list")
"""The commands that have a result without arguments; others show their help."""

GROUPS = {
    "eval": "Score methods and baselines on pages with known results.",
    "learn": "Learn a model from your own pages.",
    "review": "Review results and save verdicts.",
    "template": "Show, compare and apply templates.",
    "data": "List, download and build the public data sets behind the figures.",
    "crawl-state": "List or remove the pages that earlier crawls have stored.",
}


def app(called_command: str | None = None) -> click.Group:
    """Return the command line.

    called_command: the arguments, as one line. Only the command that they call is imported; the others have
        only their summaries, which help and completion print. Default: all commands are imported.
    """
    top = OrderedGroup(
        "webgrain",
        help="Analyse web sites: page types, templates, text, segments and duplicates.",
        epilog="Example: webgrain audit site/ -o result",
        no_args_is_help=True,
        params=_options(),
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    groups = {
        name: OrderedGroup(name, help=summary, no_args_is_help=True) for name, summary in GROUPS.items()
    }
    for name, (place, summary) in COMMANDS.items():
        group, _, member = name.rpartition(" ")
        if called_command is None or f"{called_command} ".startswith(f"{name} "):
            module, _, function = place.partition(".")
            imported = getattr(import_module(f"webgrain.cli.{module}"), function)
            made = command(member, imported, no_args_is_help=name not in WITHOUT_ARGUMENTS)
        else:
            made = click.Command(member, help=summary)
        (groups[group] if group else top).add_command(made)
    for each in groups.values():
        top.add_command(each)
    return top


def called(arguments: list[str]) -> str:
    """Return the arguments that name a command; from a shell that completes a line, those of the line.

    >>> called(["--", "segment", "site/"])
    'segment site/'
    """
    line = os.environ.get("COMP_WORDS", "")
    words = line.split()[1:] if "_WEBGRAIN_COMPLETE" in os.environ else arguments
    return " ".join([word for word in words if not word.startswith("-")][:2])


def _options() -> list[click.Parameter]:
    """Return the options without a command: each prints or does something, and ends."""
    return [
        _option("--version", _print_version, "Show the version and exit."),
        _option("--install-completion", install_completion, "Install completion for the current shell."),
        _option(
            "--show-completion",
            show_completion,
            "Show completion for the current shell, to copy it or customize the installation.",
        ),
    ]


def _option(name: str, act: Callable[[], None], description: str) -> click.Option:
    def call(context: click.Context, _: click.Parameter, is_given: bool) -> None:
        if is_given and not context.resilient_parsing:
            act()
            context.exit()

    return click.Option(
        [name], is_flag=True, is_eager=True, expose_value=False, callback=call, help=description
    )


def _print_version() -> None:
    click.echo(f"webgrain {__version__}")
