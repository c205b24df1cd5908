"""Completion for shells: candidates for the Tab key, and the script to install."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

SHELLS = {"bash": "complete -o default", "zsh": "#compdef webgrain", "fish": "complete --command webgrain"}


Ask = Callable[..., str]


@pytest.fixture
def ask(webgrain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return what the command prints with some environment variables."""

    def answer(**environment: str) -> str:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        done = webgrain()
        assert done.err == ""
        return str(done.out)

    return answer


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell(ask: Ask, shell: str) -> None:
    script = ask(_WEBGRAIN_COMPLETE=f"source_{shell}")
    assert SHELLS[shell] in script
    assert f"_WEBGRAIN_COMPLETE=complete_{shell}" in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=script, text=True, check=True, timeout=600)


def test_commands_are_completed(ask: Ask) -> None:
    asked = {"COMP_WORDS": "webgrain se", "COMP_CWORD": "1", "_WEBGRAIN_COMPLETE": "complete_bash"}
    assert ask(**asked).split() == ["segment", "sections"]
    asked = {"_TYPER_COMPLETE_ARGS": "webgrain do", "_WEBGRAIN_COMPLETE": "complete_zsh"}
    assert '"doctor"' in ask(**asked)
    asked = {"_TYPER_COMPLETE_ARGS": "webgrain do", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert ask(**asked, _WEBGRAIN_COMPLETE="complete_fish").startswith("doctor\t")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("webgrain segment --gran", ["--granularity"]),
        ("webgrain segment --render ", ["none", "chromium"]),
        ("webgrain learn te", ["template"]),
        ("webgrain segment pa", []),  # bash then completes the names of files
    ],
)
def test_options_and_their_values(ask: Ask, words: str, expected: list[str]) -> None:
    place = str(words.count(" "))
    assert ask(COMP_WORDS=words, COMP_CWORD=place, _WEBGRAIN_COMPLETE="complete_bash").split() == expected
