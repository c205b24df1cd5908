"""The command line in a separate process: pipes, signals, standard input."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import pytest

from webgrain import __version__
from webgrain.base.garbage import NEW_OBJECTS
from webgrain.cli import app

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMMAND = [sys.executable, "-m", "webgrain"]


def test_standard_input(webgrain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<p>Hello")))
    [record] = webgrain("segment", "-").records
    assert (record["page"], record["segments"][0]["text"]) == ("-", "Hello")


def test_version(webgrain: Callable[..., Any]) -> None:
    assert webgrain("--version").out == f"webgrain {__version__}\n"


def test_a_command_searches_for_garbage_less_often() -> None:
    code = "import atexit, gc\nfrom webgrain.cli.main import main\n"
    code += "atexit.register(lambda: print(gc.get_threshold()[0]))\nmain()"
    call = [sys.executable, "-c", code, "--version"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["webgrain", __version__, str(NEW_OBJECTS)]


@pytest.mark.parametrize("command", ["segment", "show", "extract", "text"])
@pytest.mark.parametrize("charset", ["ascii", "cp1252"])
def test_a_charset_that_lacks_characters(command: str, charset: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Two " + "Żółw 字 " * 40, encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, command, tmp_path], capture_output=True, env={**os.environ, "PYTHONIOENCODING": charset}
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert b"Two" in done.stdout


@pytest.mark.parametrize("command", ["segment", "show"])
def test_a_broken_pipe_prints_nothing(command: str, tmp_path: Path) -> None:
    for k in range(10):  # more than the buffer of a pipe
        (tmp_path / f"{k}.html").write_text("<p>" + "Some words. " * 2000)
    with subprocess.Popen(
        [*COMMAND, command, tmp_path], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("command", ["--help", "types", "text"])
def test_a_reader_that_stops_before_the_first_line_gives_no_message(command: str, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<h1>Hello</h1>")
    arguments = [*COMMAND, *command.split(), *([str(page)] if command in ("types", "text") else [])]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("/dev/full", "No space left on device."),
        ("&-", "Standard output is closed: there is nowhere to write to."),
    ],
)
def test_an_output_that_cannot_be_written_gives_one_sentence(
    target: str, message: str, tmp_path: Path
) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>Hello")
    call = f"{shlex.join([*COMMAND, 'segment', str(page)])} >{target}"
    done = subprocess.run(call, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, f"webgrain: {message}\n")


def test_a_tree_that_cannot_be_written_gives_one_sentence(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>Hello")
    call = shlex.join([*COMMAND, "show", str(page)])
    full = subprocess.run(f"{call} >/dev/full", shell=True, capture_output=True, text=True)
    assert (full.returncode, full.stderr) == (2, "webgrain: No space left on device.\n")
    closed = subprocess.run(f"{call} >&-", shell=True, capture_output=True, text=True)
    assert "Traceback" not in closed.stderr


def test_a_warning_is_one_line(webgrain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        app, "app", lambda *_, **__: sys.exit(warnings.warn("Something is odd", stacklevel=1))
    )
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert webgrain("segment", "a.html").err == "webgrain: Something is odd.\n"


def test_a_lack_of_memory_is_one_sentence(
    webgrain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object, **named: object) -> None:
        raise MemoryError

    monkeypatch.setattr(app, "app", lambda *_, **__: fail())
    result = webgrain("segment", "a.html")
    assert (
        result.err
        == "webgrain: The memory is not sufficient; fewer --workers or a smaller input need less.\n"
    )
    assert result.code == 2


def test_ctrl_c_during_the_import_prints_no_traceback(
    webgrain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "app", stop)
    done = webgrain("segment", "a.html")
    assert (done.code, done.out, done.err) == (130, "", "")


def test_ctrl_c_prints_no_traceback(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>Hello")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, "segment", str(page), "-"], **pipes) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the first page is done: next it waits for the second on its input
        process.send_signal(signal.SIGINT)
        # This ends the input: a signal just before the wait for it is seen after the wait only.
        assert process.communicate() == (b"", b"webgrain: Interrupted after 1 page.\n")
    assert process.returncode == 130
