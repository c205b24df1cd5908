from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from webgrain.cli import app as table
from webgrain.cli.app import app

ROOT = Path(__file__).parents[2]
COMMANDS = {
    f"{name} {own}".strip(): below
    for name, command in app().commands.items()
    for own, below in getattr(command, "commands", {"": command}).items()
}


def test_the_documentation_is_up_to_date() -> None:
    make_cli = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == make_cli["page"]()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_an_example(name: str) -> None:
    assert "Example: webgrain " + name in COMMANDS[name].help
    assert all(param.help for param in COMMANDS[name].params)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_is_the_first_sentence_of_the_help(name: str) -> None:
    assert table.COMMANDS[name][1] == COMMANDS[name].get_short_help_str(200)


def test_the_summaries_give_the_same_help() -> None:
    for command in ("", "learn", "template"):
        pages = []
        for top in (app(), app(command)):
            done = CliRunner().invoke(top, [*command.split(), "--help"])
            assert done.exit_code == 0
            pages.append(done.output)
        assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("arguments", "line", "modules"),
    [
        ("-h", "", "commands completion options"),
        ("template -h", "", "commands completion options"),
        ("-- doctor -h", "", "commands completion doctor options"),
        ("", "webgrain se", "commands completion options"),
        ("template show -h", "", "commands completion options output progress template"),
        ("", "webgrain doctor --js", "commands completion doctor options"),
    ],
)
def test_only_the_command_in_use_is_imported(arguments: str, line: str, modules: str) -> None:
    code = """
import atexit, sys
from webgrain.cli.main import main
atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))
main()"""
    completion = {
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
        "_WEBGRAIN_COMPLETE": "bash_complete",
    }
    call = [sys.executable, "-c", code, *arguments.split()]
    environment = os.environ | (completion if line else {})
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=True)
    imported = re.findall(r"\bwebgrain\.cli\.(\w+)", done.stderr)
    assert " ".join(name for name in imported if name not in ("app", "main")) == modules
    assert "doctor" in modules or "numpy" not in done.stderr
