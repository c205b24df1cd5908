"""Progress of commands on stderr."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from webgrain.cli import progress
from webgrain.cli.progress import LINE_SECONDS, StageProgress
from webgrain.io.read import page_count


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_lines_are_printed_now_and_then() -> None:
    clock = Clock()
    lines: list[str] = []
    advance = progress._Lines(lines.append, clock)
    for _ in range(20):
        clock.now += LINE_SECONDS / 10
        advance("read", 3)
    assert lines == ["read: 30, 1.0 per second", "read: 60, 1.0 per second"]


def test_a_stage_begins_at_the_end_of_the_one_before() -> None:
    clock = Clock()
    lines: list[str] = []
    advance = progress._Lines(lines.append, clock)
    clock.now = 10.0
    advance("read", 100)
    clock.now = 40.0
    advance("extract", 60, 100)
    assert lines == ["extract: 60 of 100, 2.0 per second, 0:20 left"]


def test_a_total_that_is_too_small_is_left_out() -> None:
    stage = StageProgress(0.0)
    stage.add(5, 4)
    assert stage.text("read", 1.0) == "read: 5, 5.0 per second"


def test_short_commands_print_no_progress(webgrain: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Hello")
    done = webgrain("extract", "--single", str(tmp_path))
    assert (done.code, done.err) == (0, "")


def test_the_last_line_names_counts_and_place(webgrain: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Hello")
    result = tmp_path / "result.jsonl"
    done = webgrain("extract", "--single", str(tmp_path / "a.html"), "-o", str(result))
    assert done.err == f"webgrain: 1 page, 0 failures; the results are in {result}.\n"


def test_a_terminal_shows_bars_with_totals(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.html").write_text("<p>Hello")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "webgrain", "segment", str(tmp_path), "-o", str(tmp_path / "out.jsonl")]
    with subprocess.Popen(command, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the process has ended
            pass
    os.close(ours)
    assert process.returncode == 0
    assert re.search(rb"pages: 3 of 3", shown)


def test_an_interrupted_audit_states_how_to_resume(
    webgrain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text("<p>Hello")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webgrain.site.audit.audit", stop)
    done = webgrain("audit", str(tmp_path / "site"), "-o", str(tmp_path / "result"))
    assert (done.code, done.err) == (130, "webgrain: Interrupted: the same command resumes the audit.\n")


def test_pages_are_counted_by_the_names_of_files(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in "a.html", "b.txt", "sub/c.htm", ".d.html":
        (tmp_path / name).write_text("<p>Hello")
    assert page_count([str(tmp_path)]) == 2
    assert page_count([str(tmp_path), str(tmp_path / "a.html")]) == 3
    assert page_count([str(tmp_path / "b.txt")]) is None
    assert page_count(["http://example.org/a.html"]) is None
