"""The command ``webgrain``: runs the command line and turns errors into one sentence and an exit code."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn

from webgrain.base.errors import WebgrainError

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

DIVIDED_COMMANDS = {"eval": ("segments", "extraction")}
"""Commands that became groups, with the commands in them; a call without one of these is of the first."""


def main() -> None:
    """Run the command line; mistakes of the user end with one sentence and exit code 2."""
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


def _run(arguments: list[str]) -> None:
    # Imported here, because this takes most of the time of a short command and Ctrl-C may come meanwhile.
    import typer

    from webgrain.cli.app import app, called

    usage_error: Any = typer.BadParameter.__base__  # has no public name
    try:
        sys.exit(app(called(arguments))(arguments, prog_name="webgrain", standalone_mode=False))
    except usage_error as error:
        _end_usage(error)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # the reader of stdout ended (``| head``)
            end.code = 0
        raise


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


def _end_usage(error: Any) -> NoReturn:
    """End with a sentence on an incorrect call; a command without arguments shows its help."""
    message, context = " ".join(error.format_message().split()), error.ctx
    if context and error.format_message() == context.get_help():
        error.show()
        sys.exit(2)
    # The words of the library that validates values.
    message = message.replace("Value error, ", "").replace(
        "Input should be greater than or equal to", "must be at least"
    )
    message = re.sub(r"^Invalid value for '(--[a-z-]+)': must be", r"\1 must be", message)
    if context and not message.endswith("?"):
        message = f"{message.removesuffix('.')}; see {context.command_path} -h."
    _end(message)


def _end(message: str) -> NoReturn:
    print(f"webgrain: {message}", file=sys.stderr)
    sys.exit(2)
