"""The command ``webgrain``: runs the command line and turns errors into one sentence and an exit code."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from webgrain.base.errors import WebgrainError
from webgrain.base.garbage import collect_seldom

if TYPE_CHECKING:
    from click import UsageError

RENAMED = {
    "--sheets": "--stylesheets",
    "--no-sheets": "--no-stylesheets",
    "--shown": "--examples",
    "--fail": "--strict",
    "--seen": "--state",
    "--all": "--same-template",
}
"""Options by their old names, which are accepted in this release."""

RENAMED_COMMANDS = {"seen": "crawl-state"}

COMPLETION = "_WEBGRAIN_COMPLETE"
"""The variable by which the script of a shell asks for candidates."""

DIVIDED_COMMANDS = {"eval": ("segments", "extraction")}
"""Commands that became groups, with the commands in them; a call without one of these is of the first."""


def main() -> None:
    """Run the command line; mistakes of the user end with one sentence and exit code 2."""
    collect_seldom()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            _run(list(_current_names(sys.argv[1:])))
    except WebgrainError as error:
        _end(str(error))
    except OSError as error:  # a full disk, a folder that must not be written
        name = f"{error.filename}: " if error.filename else ""
        _end(f"{name}{error.strerror or error}.")
    except MemoryError:
        _end("The memory is not sufficient; fewer --workers or a smaller input need less.")
    except KeyboardInterrupt:
        sys.exit(130)


def _run(arguments: list[str]) -> NoReturn:
    # Imported here, because this takes most of the time of a short command and Ctrl-C may come meanwhile.
    from click import UsageError
    from click.exceptions import Exit

    from webgrain.cli.app import app, called

    command_line = app(called(arguments))
    if instruction := os.environ.get(COMPLETION):
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(command_line, {}, "webgrain", COMPLETION, instruction))
    try:
        with command_line.make_context("webgrain", arguments) as context:
            command_line.invoke(context)
    except Exit as end:
        sys.exit(end.exit_code)
    except UsageError as error:
        _end_usage(error)
    except BrokenPipeError:  # the reader of stdout ended (``| head``)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the end
    sys.exit(0)


def _current_names(arguments: list[str]) -> Iterator[str]:
    """Yield the arguments with the current names of commands and options; an old name prints a line."""
    arguments = _with_member(arguments)
    options = True
    for place, argument in enumerate(arguments):
        options = options and argument != "--"
        old, equals, value = argument.partition("=")
        new = RENAMED.get(old) if options else None
        if place == 0:
            new = RENAMED_COMMANDS.get(old)
        if new:
            print(f"webgrain: {old} is deprecated and will be removed: use {new}.", file=sys.stderr)
        yield f"{new}{equals}{value}" if new else argument


def _with_member(arguments: list[str]) -> list[str]:
    """Return the arguments with the command of a group that an old call does not name."""
    name, *others = arguments or [""]
    members = DIVIDED_COMMANDS.get(name, ())
    if not members or (others and others[0] in (*members, "-h", "--help")):
        return arguments
    new = f"{name} {members[0]}"
    print(f"webgrain: {name} is deprecated and will be removed: use {new}.", file=sys.stderr)
    return [name, members[0], *others]


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"webgrain: {message}.", file=sys.stderr)


def _end_usage(error: UsageError) -> NoReturn:
    """End with a sentence on an incorrect call; a command without arguments shows its help."""
    from webgrain.cli.guesses import named_instead  # needed for errors only

    message, context = " ".join(error.format_message().split()), error.ctx
    if context and error.format_message() == context.get_help():
        error.show()
        sys.exit(2)
    message = re.sub(
        r"Invalid value for '(--[a-z-]+)': (\S+) is not in the range x>=(\S+)\.",
        r"\1 must be at least \3, got \2.",
        message,
    )
    message = re.sub(r"is not a valid (integer|float) range\.", r"is not a valid \1.", message)
    message, shown = named_instead(message, context), message
    if context and message == shown and not message.endswith(("?", "?)")):  # it names what may be meant
        message = f"{message.removesuffix('.')}; see {context.command_path} -h."
    _end(message)


def _end(message: str) -> NoReturn:
    print(f"webgrain: {message}", file=sys.stderr)
    sys.exit(2)
