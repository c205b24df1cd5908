from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing"], "missing is not a folder"),
        (["{site}/index.html"], "is not a folder"),
        (["{empty}"], "There is no page in"),
        (["{site}", "--annotator", "../kim"], "annotator must be a name"),
        (["{site}", "--port", "70000"], "--port"),
        (["{site}", "--timeout", "0"], "timeout must be"),
        ([], "FOLDER"),
    ],
)
def test_wrong_input_gives_one_sentence(
    webgrain: Webgrain, site: Path, tmp_path: Path, arguments: list[str], message: str, browser_path: str
) -> None:
    (tmp_path / "empty").mkdir()
    given = [one.format(site=site, empty=tmp_path / "empty") for one in arguments]
    outcome = webgrain("label", *given, "--no-open")
    assert outcome.code == 2
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_without_a_browser_the_error_names_what_is_needed(
    webgrain: Webgrain, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEBGRAIN_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr("webgrain.rendering.chromium._PLACES", ())
    outcome = webgrain("label", site, "--no-open")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("webgrain: No browser was found: install Chromium")


def test_ctrl_c_ends_the_tool(
    webgrain: Webgrain, site: Path, browser_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(server: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webgrain.labeling.app.LabelServer.serve_forever", stop)
    outcome = webgrain("label", site, "--no-open")
    assert (outcome.code, outcome.out) == (0, "")
    assert re.fullmatch(
        r"Open http://127\.0\.0\.1:\d+/\?token=\S+ in a browser; Ctrl-C ends\.\n\n", outcome.err
    )


@pytest.mark.full
@pytest.mark.browser
def test_it_serves_until_ctrl_c(site: Path, browser_path: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "webgrain", "label", site, "--no-open", "--annotator", "kim"],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"WEBGRAIN_BROWSER": browser_path},
        start_new_session=True,  # as in a terminal: Ctrl-C reaches the whole group
    )
    assert process.stderr is not None
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", process.stderr.readline())
        assert found
        with urllib.request.urlopen(found[0], timeout=PATIENCE) as answer:
            assert b"<title>Label pages" in answer.read()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(found[0].partition("?")[0], timeout=PATIENCE)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.stderr.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--template", "t.json"], "--template and --summary need --review"),
        (["--summary"], "--template and --summary need --review"),
        (["--review"], "--review needs either --template FILE"),
        (["--review", "--summary", "--template", "t.json"], "--review needs either --template FILE"),
        (["--review", "--summary"], "There are no verdicts in"),
    ],
)
def test_wrong_reviews_give_one_sentence(
    webgrain: Webgrain, tmp_path: Path, arguments: list[str], message: str
) -> None:
    outcome = webgrain("label", tmp_path, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_the_summary_of_reviews_is_printed(webgrain: Webgrain, tmp_path: Path) -> None:
    section = '{"xpath": ["/html[1]"], "importance": 0.1, "noisy": true, "cut": true, "class": false}'
    for name in ("kim", "lee"):
        record = f'{{"page": "a.html", "template": "news", "sections": [{section}]}}\n'
        (tmp_path / f"reviews-{name}.jsonl").write_text(record, encoding="utf-8")
    outcome = webgrain("label", tmp_path, "--review", "--summary")
    assert outcome.code == 0
    rows = [line.split() for line in outcome.out.splitlines()]
    assert rows[1] == ["kim", "1", "1", "0.000", "-", "1.000"]
    assert rows[5:] == [
        ["kim,", "lee", "cut", "1", "1.000", "-"],
        ["kim,", "lee", "class", "1", "1.000", "-"],
    ]
