"""Run the command in this process, as the entry point does."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.site.sites import Here

from webgrain.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """The JSON records on stdout."""
        return [json.loads(line) for line in self.out.splitlines()]


Webgrain = Callable[..., Outcome]


@pytest.fixture
def webgrain(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Webgrain:
    """Call ``webgrain`` with arguments; returns its exit code, stdout and stderr."""

    def call(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["webgrain", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Outcome(code if isinstance(code, int) else 0, *capsys.readouterr())

    return call


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with two pages."""
    folder = tmp_path / "site"
    (folder / "news").mkdir(parents=True)
    (folder / "index.html").write_text(
        "<!doctype html><title>Home</title><header><a href=/>Home</a> <a href=/news>News</a></header>"
        "<main><h1>Welcome</h1><p>The first paragraph.<p>The second.</main><footer>Imprint</footer>",
        encoding="utf-8",
    )
    (folder / "news" / "one.html").write_text("<!doctype html><p>One<p>Two<img src=x.png>", encoding="utf-8")
    return folder


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the stages of an audit in this process, because starting workers is slower than a small audit."""
    monkeypatch.setattr("webgrain.engines.engine", lambda name, workers: Here())
