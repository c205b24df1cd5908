"""Completion for shells: candidates for the Tab key, and the script to install."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SHELLS = {
    "bash": "complete -o nosort",
    "zsh": "#compdef webgrain",
    "fish": "complete --no-files --command webgrain",
}


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
    script = ask(_WEBGRAIN_COMPLETE=f"{shell}_source")
    assert SHELLS[shell] in script
    assert f"_WEBGRAIN_COMPLETE={shell}_complete" in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=script, text=True, check=True, timeout=600)


def test_commands_are_completed(ask: Ask) -> None:
    asked = {"COMP_WORDS": "webgrain se", "COMP_CWORD": "1", "_WEBGRAIN_COMPLETE": "bash_complete"}
    assert ask(**asked).split() == ["plain,segment", "plain,sections"]
    asked = {"COMP_WORDS": "webgrain do", "COMP_CWORD": "1", "_WEBGRAIN_COMPLETE": "zsh_complete"}
    assert ask(**asked).splitlines()[1] == "doctor"
    asked = {"COMP_WORDS": "webgrain do", "COMP_CWORD": "do", "_WEBGRAIN_COMPLETE": "fish_complete"}
    assert "doctor" in ask(**asked)


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_installed_once(
    webgrain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shell: str
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    (tmp_path / ".bashrc").write_text("alias l=ls")
    (tmp_path / ".zshrc").write_text("alias l=ls\n")
    for _ in range(2):
        done = webgrain("--install-completion")
        assert (done.code, done.err) == (0, "")
    shown = webgrain("--show-completion").out
    assert [path.read_text() for path in tmp_path.rglob("*webgrain*")] == [shown]
    if shell != "fish":
        lines = (tmp_path / f".{shell}rc").read_text().splitlines()
        assert (len(lines), lines[0]) == (2, "alias l=ls")


def test_a_shell_without_completion(webgrain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/csh")
    done = webgrain("--install-completion")
    assert (done.code, done.out) == (2, "")
    assert done.err == "webgrain: The variable SHELL names no shell with completion (bash, zsh, fish).\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("webgrain segment --gran", ["plain,--granularity"]),
        ("webgrain segment --render ", ["plain,none", "plain,chromium"]),
        ("webgrain learn te", ["plain,template"]),
        ("webgrain segment pa", ["file,pa"]),  # bash then completes the names of files
    ],
)
def test_options_and_their_values(ask: Ask, words: str, expected: list[str]) -> None:
    place = str(words.count(" "))
    assert ask(COMP_WORDS=words, COMP_CWORD=place, _WEBGRAIN_COMPLETE="bash_complete").split() == expected
