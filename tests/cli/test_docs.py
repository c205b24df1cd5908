from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from webgrain.cli.app import app

ROOT = Path(__file__).parents[2]
COMMANDS = {
    f"{name} {own}".strip(): below
    for name, command in get_command(app()).commands.items()  # type: ignore[attr-defined]
    for own, below in getattr(command, "commands", {"": command}).items()
}


def test_the_documentation_is_up_to_date() -> None:
    subprocess.run([sys.executable, ROOT / "docs/make_cli.py", "--check"], check=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_an_example(name: str) -> None:
    assert "Example: webgrain " + name in COMMANDS[name].help
    assert all(param.help for param in COMMANDS[name].params)
