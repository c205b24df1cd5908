"""Commands, options and values that users of other programs guess, and what to write instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webgrain.base.guesses import by_guess

if TYPE_CHECKING:
    from click import Context

COMMANDS = by_guess(
    {
        "extract": "content article articles main boilerplate markdown parse metadata chunks chunk",
        "table": "lists list tables records rows",
        "types": "clusters cluster page-types classify",
        "segment": "blocks segments partition",
        "dupes": "duplicates duplicate dedupe deduplicate near-duplicates",
        "compare": "diff",
        "crawl": "scrape spider download fetch get",
        "learn site": "fit train",
        "audit": "analyze analyse report site run",
        "doctor": "info check version",
    }
)

OPTIONS = by_guess(
    {
        "--output": "--out --output-dir --output-file --outfile --dest --to --save-to",
        "--format": "-f --form --output-format --type",
        "--format jsonl": "--json --jsonl --with-metadata --metadata",
        "--format csv": "--csv",
        "--format markdown": "--markdown --md",
        "--format html": "--html",
        "--format parquet": "--parquet",
        "--workers": "-j --jobs --threads --processes --parallel -p",
        "--model": "-m --site --template",
        "--pages": "--max-pages --limit -n",
        "--depth": "--max-depth -d",
        "--delay": "--wait --sleep",
        "--urls": "--url-file --url-list --input-file --list",
        "--first-post": "--no-replies",
        "--favor": "--precision --recall --precise --fast --favor-precision --favor-recall",
        "--comments": "--include-comments --with-comments",
        "--seed": "--random-state",
        "--page-seconds": "--page-timeout",
        "--charset": "--encoding",
        "INPUT": "-i --input --inputs --file --folder --url -u --path",
    }
)
"""Options; INPUT: the argument with the pages. What a command lacks is not proposed."""


def named_instead(message: str, context: Context | None) -> str:
    """Return the message on an incorrect call with what may be meant; unchanged if that is not known.

    >>> named_instead("No such command 'scrape'.", None)
    "No such command 'scrape': use crawl."
    >>> named_instead("Invalid value for '--format': 'json' is not one of 'text', 'jsonl', 'csv'.", None)
    "Invalid value for '--format': 'json' is not one of 'text', 'jsonl', 'csv'. Did you mean 'jsonl'?"
    """
    if unknown := re.match(r"No such (command|option):? '?([^\s'.;]++)", message):
        sort, name = unknown.groups()
        is_of_group = context is not None and context.parent is not None
        instead = (
            _option(name, context) if sort == "option" else "" if is_of_group else COMMANDS.get(name, "")
        )
        return f"No such {sort} '{name}': use {instead}." if instead else message
    if wrong := re.match(r"Invalid value for [^:]*+: '([^']*+)' is not one of ('.*')\.\Z", message):
        from difflib import get_close_matches  # needed for errors only

        near = get_close_matches(wrong[1], re.findall(r"'([^']*)'", wrong[2]), 1)
        return f"{message} Did you mean '{near[0]}'?" if near else message
    return message


def _option(name: str, context: Context | None) -> str:
    """Return what to write instead of an option that a command lacks, if the command has that."""
    instead = OPTIONS.get(name, "")
    parameters = context.command.params if context else []
    if instead == "INPUT":
        inputs = [each for each in parameters if each.param_type_name == "argument"]
        return f"{inputs[0].human_readable_name.strip('[].')} without an option" if inputs else ""
    option, _, value = instead.partition(" ")
    for each in parameters:
        if option in each.opts:
            choices = getattr(each.type, "choices", [value])
            return instead if value in ("", *choices) else ""
    return ""
