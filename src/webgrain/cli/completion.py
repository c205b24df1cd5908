"""Completion of commands and options with Tab: the script for a shell, and its installation."""

from __future__ import annotations

import os
from pathlib import Path

import click

from webgrain.base.errors import InputError

_SCRIPTS = {
    "bash": ".bash_completions/webgrain.sh",
    "zsh": ".zfunc/_webgrain",
    "fish": ".config/fish/completions/webgrain.fish",
}
"""The file of the script of each shell, in the home of the user."""
_START_FILES = {
    "bash": (".bashrc", "source ~/.bash_completions/webgrain.sh"),
    "zsh": (".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
}
"""The file that a shell reads when it starts, and the line there that reads the script; fish needs none."""


def show_completion() -> None:
    """Print the script for the shell of the user."""
    click.echo(_script(_shell()), nl=False)


def install_completion() -> None:
    """Write the script for the shell of the user, and the line that reads it when the shell starts."""
    shell = _shell()
    script = Path.home() / _SCRIPTS[shell]
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(_script(shell), encoding="utf-8")
    if shell in _START_FILES:
        name, line = _START_FILES[shell]
        _add_line(Path.home() / name, line)
    click.echo(f"Completion for {shell} is in {script}; it works in new shells.")


def _shell() -> str:
    """Return the shell of the user; `InputError` if there is no completion for it."""
    shell = Path(os.environ.get("SHELL", "")).name
    if shell not in _SCRIPTS:
        known = ", ".join(_SCRIPTS)
        raise InputError(f"The variable SHELL names no shell with completion ({known}).")
    return shell


def _script(shell: str) -> str:
    """Return the script that asks webgrain for candidates."""
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None  # click knows these shells
    return made(click.Group(), {}, "webgrain", "_WEBGRAIN_COMPLETE").source()


def _add_line(path: Path, line: str) -> None:
    """Add a line to the end of a file that lacks it."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if line in text.splitlines():
        return
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n")
