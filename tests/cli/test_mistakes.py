from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from click import Group

from webgrain.cli import guesses, output
from webgrain.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["segment", "missing.html"], "missing.html does not exist"),
        (["extract", "{page}", "--out", "a"], "No such option '--out': use --output."),
        (["extract", "{page}", "--json"], "No such option '--json': use --format jsonl."),
        (["table", "{page}", "-f", "csv"], "No such option '-f': use --format."),
        (["table", "{page}", "--markdown"], "No such option '--markdown'; see webgrain table -h."),
        (["extract", "{page}", "--threads=2"], "No such option '--threads': use --workers."),
        (["extract", "-i", "{page}"], "No such option '-i': use INPUT without an option."),
        (["crawl", "http://e.org", "--max-pages", "5"], "No such option '--max-pages': use --pages."),
        (
            ["extract", "{page}", "--format", "json"],
            "is not one of 'text', 'jsonl', 'csv', 'parquet', 'markdown', ",
        ),
        (["extract", "{page}", "--format", "json"], "'decisions'. Did you mean 'jsonl'?"),
        (["scrape", "http://e.org"], "No such command 'scrape': use crawl."),
        (["learn", "scrape"], "No such command 'scrape'; see webgrain learn -h."),
        (["segment", "{page}", "--method", "gcut"], "method must be one of gcuts, cclus"),
        (
            ["segment", "{page}", "--method", "webstemmer"],
            "gcuts, cclus, learntcut, gcuts-certified, gcuts-np, gcuts-nl, cclus-nl, got 'webstemmer'",
        ),
        (["types", "{page}", "-o", "{page}/types.json"], "a file in an existing folder"),
        (["review", "types", "{page}", "-o", "{page}/verdicts.jsonl"], "a file in an existing folder"),
        (["learn", "template", "{page}", "-o", "{page}/template.json"], "a file in an existing folder"),
        (["learn", "layouts", "{page}", "-o", "{page}/layouts.json"], "a file in an existing folder"),
        (["segment", "{page}", "--method", "gcuts", "--lam", "-1"], "lam must be at least 0"),
        (["segment", "{page}", "--render", "webkit"], "chromium"),
        (["segment", "{page}", "--javascript"], "javascript needs the browser"),
        (["segment", "{page}", "--timeout", "0", "--render", "chromium"], "timeout must be"),
        (["segment", "{page}", "--html"], "--html needs a folder"),
        (["segment", "{page}", "--overlay"], "--overlay needs a folder"),
        (["segment", "{page}", "-o", "{page}/out"], "cannot be written"),
        (["segment", ""], "An input is empty"),
        (["segment", "{page}", "-o", ""], "'-o' / '--output': the name of a file or a folder is empty; see"),
        (["audit", "{page}", "--output", ""], "the name of a file or a folder is empty; see"),
        (["extract", "{page}", "--model", "{page}"], "is a page, expected a model from webgrain audit"),
        (["audit", "{page}", "--since", "docs"], "docs does not contain an audit: pages.parquet is missing"),
        (["types", "{page}", "-o", "types.md"], "-o types.md: the file is written as JSON"),
        (["types", "{page}", "-o", "types.CSV"], "-o types.CSV: the file is written as JSON"),
        (["learn", "template", "{page}", "-o", "a.txt"], "-o a.txt: the file is written as JSON"),
        (["learn", "layouts", "{page}", "-o", "a.html"], "-o a.html: the file is written as JSON"),
        (["fields", "{page}", "--save", "a.csv"], "--save a.csv: the file is written as JSON"),
        (["extract", "{page}", "--only", "["], "--only must be a regular expression, got '[': unterminated"),
        (
            ["extract", "{page}", "--skip", "(?<=a*)b"],
            "--skip must be a regular expression, got '(?<=a*)b': look",
        ),
        (
            ["extract", "{page}", "--only", "a{{99999999999}}"],
            "--only must be a regular expression, got 'a{9999",
        ),
        (["extract", "{page}", "--only", "(" * 9999], "--only must be a regular expression, got '((("),
        (
            ["crawl", "http://e.org", "-o", "a.warc", "--deny", "*"],
            "--deny must be a regular expression, got '*'",
        ),
        (["segment", "--strict"], "Name at least one input"),
        (["segment", "{page}", "--colour"], "--colour"),
        (["audit", "{page}", "--examples", "-1"], "--examples"),
        (["audit", "{page}", "--workers", "0"], "--workers"),
        (["audit", "{page}", "--page-seconds", "0"], "--page-seconds"),
        (["compare", "{page}", "{page}", "-o", "{page}/x.html"], "a file in an existing folder"),
        (["show", "missing.html"], "missing.html does not exist"),
        (["render", "{page}", "-o", "pages"], "must end in .parquet"),
        (["render", "{page}"], "Missing option '-o' / '--output'; see webgrain render -h."),
        (["compare", "{page}"], "Missing argument 'B'; see webgrain compare -h."),
        (["segment", "{page}", "--method"], "Option '--method' requires an argument"),
        (["segment", "{page}", "--stric"], "--strict"),
        (["segment", "{page}", "--render", "web"], "'web' is not one of 'none', 'chromium'; see"),
        (["audit", "{page}", "--workers", "two"], "'--workers': 'two' is not a valid integer; see"),
        (["doctor", "{page}"], "unexpected extra argument"),
        (["divide"], "No such command 'divide'; see webgrain -h."),
        (["segmnt"], "No such command 'segmnt'. Did you mean 'segment'?\n"),
        (["learn", "tmplate"], "Did you mean 'template'?"),
    ],
)
def test_a_wrong_argument_gives_one_sentence(
    webgrain: Webgrain, site: Path, arguments: list[str], message: str
) -> None:
    done = webgrain(*(argument.format(page=site / "index.html") for argument in arguments))
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert done.err.startswith("webgrain: ")
    assert len(done.err.splitlines()) == 1
    assert done.out == ""


@pytest.mark.parametrize("command", ["", "segment", "learn", "learn template"])
def test_a_command_that_is_given_nothing_shows_its_help(webgrain: Webgrain, command: str) -> None:
    done = webgrain(*command.split())
    helped = webgrain(*command.split(), "--help")
    assert (done.code, done.out, helped.code, helped.err) == (2, "", 0, "")
    assert done.err.strip() == helped.out.strip()


def test_pictures_without_a_browser(
    webgrain: Webgrain, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBGRAIN_BROWSER", str(tmp_path / "no-browser"))
    done = webgrain("segment", site, "--html", "-o", tmp_path / "out")
    assert done.code == 2
    assert "WEBGRAIN_BROWSER" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "command",
    [
        "types site -o FILE",
        "types site --html FILE",
        "compare site/index.html site/index.html -o FILE",
        "learn template site -o FILE",
        "learn layouts site -o FILE",
        "learn layouts site -o layouts.json --pattern FILE",
        "review types site -o FILE",
        "eval segments labels.jsonl --plot FILE.png",
        "extract site -o FOLDER",
        "segment site -o FOLDER",
        "dupes site -o FOLDER",
    ],
)
def test_an_impossible_output_file_is_an_error_before_pages_are_read(
    webgrain: Webgrain, site: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def refuse(**_: object) -> None:  # tests may run as root, whom no permission stops
        raise OSError(30, "Read-only file system")

    def unread(*_: object) -> None:
        raise AssertionError("A page was read.")

    (site.parent / "sub").mkdir()
    monkeypatch.chdir(site.parent)
    monkeypatch.setattr(output, "TemporaryFile", refuse)
    monkeypatch.setattr("webgrain.io.read.read_regular", unread)
    done = webgrain(*command.replace("FILE", "sub/file").replace("FOLDER", "sub").split())
    assert done.code == 2
    assert done.err.endswith(" cannot be written: Read-only file system.\n")
    assert len(done.err.splitlines()) == 1
    assert done.out == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["segment", "{page}", "--no-sheets"], ["segment", "{page}", "--no-stylesheets"]),
        (["dupes", "{page}", "--all"], ["dupes", "{page}", "--same-template"]),
        (["extract", "{page}", "--fail"], ["extract", "{page}", "--strict"]),
        (["seen", "list", "no.db"], ["crawl-state", "list", "no.db"]),
        (["eval", "no.jsonl"], ["eval", "segments", "no.jsonl"]),
        (["eval", "--kind", "fine", "no.jsonl"], ["eval", "segments", "--kind", "fine", "no.jsonl"]),
    ],
)
def test_old_names_are_accepted_with_a_line_on_stderr(
    webgrain: Webgrain, site: Path, old: list[str], new: list[str]
) -> None:
    before, now = (
        webgrain(*(argument.format(page=site / "index.html") for argument in arguments))
        for arguments in (old, new)
    )
    line, _, rest = before.err.partition("\n")
    assert line.startswith("webgrain: ")
    assert "is deprecated and will be removed: use" in line
    assert (before.code, before.out, rest) == (now.code, now.out, now.err)


def test_a_pipe_that_is_named_as_output_is_not_opened_to_try(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    output.check_target(tmp_path / "pipe")  # would wait for a reader for ever


def test_guesses_lead_to_commands_and_options_that_exist() -> None:
    """No name that exists is a guess, and what to write instead exists."""
    top = app()
    commands = dict(top.commands)
    groups = {name: each.commands for name, each in commands.items() if isinstance(each, Group)}
    commands |= {
        f"{name} {member}": each for name, members in groups.items() for member, each in members.items()
    }
    assert guesses.COMMANDS.keys().isdisjoint(commands)
    assert set(guesses.COMMANDS.values()) <= commands.keys()
    options = {name for each in commands.values() for option in each.params for name in option.opts}
    assert {instead.partition(" ")[0] for instead in guesses.OPTIONS.values()} <= {*options, "INPUT"}
