from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from webgrain.cli import doctor as checks
from webgrain.cli.doctor import Check, browser, kernels, libraries, machine

if TYPE_CHECKING:
    from pathlib import Path

Webgrain = Callable[..., Any]


def found(*result: Check) -> Callable[[], list[Check]]:
    return lambda: list(result)


@pytest.mark.browser
@pytest.mark.usefixtures("browser_path")
def test_everything_that_is_installed_works(webgrain: Webgrain) -> None:
    done = webgrain("doctor", "--json")
    record = json.loads(done.out)
    assert {check["name"] for check in record["checks"]} >= {
        "python",
        "kernels",
        "browser",
        "extra render",
        "cache",
    }
    assert record["ok"] is (done.code == 0)
    assert [
        check for check in record["checks"] if check["state"] == "broken" and check["name"] != "kernels"
    ] == []


def test_what_is_merely_not_installed_is_no_fault(
    webgrain: Webgrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = Check("extra fly", "missing", "no wings", "pip install 'webgrain[fly]'")
    monkeypatch.setattr(checks, "checks", found(Check("python", "ok", "3.11"), absent))
    done = webgrain("doctor")
    assert done.code == 0
    assert done.out.splitlines()[1].split(maxsplit=3)[3] == (
        "no wings. To fix this: pip install 'webgrain[fly]'"
    )


def test_failures_end_with_exit_code_1(webgrain: Webgrain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "checks", found(Check("browser", "broken", "it does not start")))
    assert webgrain("doctor").code == 1
    done = webgrain("doctor", "--json")
    assert (done.code, json.loads(done.out)["ok"]) == (1, False)


def test_libraries_by_extra() -> None:
    result = list(
        libraries(["numpy>=2.0", 'numpy>=999; extra == "later"', 'nowhere[x]>=1; extra == "fly"', "gone"])
    )
    assert [(check.name, check.state) for check in result] == [
        ("libraries", "broken"),  # `gone` is needed, and is not there
        ("extra later", "broken"),
        ("extra fly", "missing"),
    ]
    assert result[1].found.endswith("needs 999")
    assert result[0].remedy == "pip install 'webgrain'"


def test_extras_of_developers_are_left_out() -> None:
    assert list(libraries(['nowhere; extra == "dev"', 'webgrain[render]; extra == "all"'])) == []


def test_a_kernel_that_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    from webgrain.papers.solvers import mincut
    from webgrain.templates import crx

    assert not hasattr(crx, "COMPILED")  # no hot loop in there: nothing to compile
    monkeypatch.setattr(mincut, "COMPILED", False)
    check = kernels()
    assert check.state == "broken"
    assert "mincut" in check.found


def test_a_program_that_is_no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBGRAIN_BROWSER", str(tmp_path / "nothing"))
    assert browser().state == "broken"
    monkeypatch.delenv("WEBGRAIN_BROWSER")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    check = browser()
    assert (check.state, check.remedy.split()[:2]) == ("missing", ["install", "Chromium"])


@pytest.mark.browser
def test_a_browser_that_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("WEBGRAIN_BROWSER", str(program))
    check = browser()
    assert check.state == "broken"
    assert check.found.count("does not start") == 1


@pytest.mark.browser
def test_a_browser_without_a_sandbox_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho 'No usable sandbox! If this is a Debian' >&2\nexit 1\n", "ascii")
    program.chmod(0o755)
    monkeypatch.setenv("WEBGRAIN_BROWSER", str(program))
    assert "its sandbox needs user namespaces" in browser().found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")
def test_the_machine() -> None:
    cores, memory = machine().found.split(", ")
    assert int(cores.removeprefix("cores: ")) >= 1
    assert float(memory.split()[0]) > 0
