"""The command ``webgrain``: calls a command of `webgrain.cli.app`, and ends as it should whatever happens."""

from __future__ import annotations

import sys
import warnings
from typing import Any, NoReturn

from webgrain.errors import WebgrainError


def main() -> None:
    """Run the command line; user mistakes end with one sentence and exit code 2."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            _run()
    except WebgrainError as error:
        _end(str(error))
    except OSError as error:  # a full disk, a folder that may not be written
        name = f"{error.filename}: " if error.filename else ""
        _end(f"{name}{error.strerror or error}.")
    except KeyboardInterrupt:
        sys.exit(130)


def _run() -> None:
    # Imported here, for this takes most of the time of a short command, and Ctrl-C may come meanwhile.
    import typer

    from webgrain.cli.app import app

    usage_error: Any = typer.BadParameter.__base__  # a command that was called wrongly; it has no public name
    try:
        sys.exit(app(prog_name="webgrain", standalone_mode=False))
    except usage_error as error:
        _end_usage(error)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # the reader went away (``| head``), as it may
            end.code = 0
        raise


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
