"""What commands import: help needs no numbers, and a command only what it uses."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from webgrain.cli.app import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = ("numpy", "pyarrow", "selectolax", "urllib3", "asyncio", "rich", "scrapy", "webgrain.page")
NOT_FOR_TEXT = (
    "pyarrow", "urllib3", "asyncio", "rich", "webgrain.rendering.chromium", "webgrain.extraction",
    "webgrain.documents", "webgrain.segmentation", "webgrain.pagetypes", "webgrain.templates",
    "webgrain.papers",
)  # fmt: skip


def imported(code: str, *arguments: str) -> set[str]:
    """Return the modules that a new process has imported after some code."""
    code = f"{code}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    call = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_the_help_of_no_command_needs_numpy() -> None:
    modules = imported("from webgrain.cli.app import app\napp()")
    assert {f"webgrain.cli.{place.partition('.')[0]}" for place, _ in COMMANDS.values()} <= modules
    assert modules.isdisjoint(HEAVY)


@pytest.mark.parametrize("arguments", [["--help"], ["text", "--help"], ["eval", "segments", "--help"]])
def test_help_needs_no_numpy(arguments: list[str]) -> None:
    modules = imported(RUN, *arguments)
    assert "webgrain.cli.app" in modules
    assert modules.isdisjoint(HEAVY)


def test_text_imports_what_reads_and_parses_pages(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>Text")
    modules = imported(RUN, "text", str(page))
    assert "webgrain.page.parsing" in modules
    assert modules.isdisjoint(NOT_FOR_TEXT)


def test_segment_imports_no_model_of_a_site_without_one(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>Text")
    modules = imported(RUN, "segment", str(page))
    assert "webgrain.segmentation.segmenter" in modules
    assert modules.isdisjoint({"webgrain.site.model", "webgrain.templates.template", "webgrain.fields"})


RUN = """
from webgrain.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""
