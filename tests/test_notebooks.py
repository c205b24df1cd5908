"""The notebooks are run, cell by cell, as Jupyter does it."""

from __future__ import annotations

import ast
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table
from tests.conftest import ROOT

FOLDER = ROOT / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
SLOW = ("corpus-builder", "site-auditor")
RUN = [pytest.param(path, id=path.stem, marks=[pytest.mark.full] * (path.stem in SLOW)) for path in NOTEBOOKS]


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; return the value of its last expression, unless it ends with a semicolon."""
    tree, value = ast.parse(source), None
    if isinstance(tree.body[-1], ast.Expr) and not source.endswith(";"):
        value = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(value, "cell", "eval"), names) if value else None


@pytest.mark.parametrize("path", RUN)
def test_a_notebook_runs_and_ends_with_a_table_or_a_picture(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(FOLDER)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names: dict[str, Any] = {"__name__": "__main__"}
    result = None
    for cell in cells(path, "code"):
        plt.close("all")
        result = run_cell("".join(cell["source"]), names)
    if isinstance(result, Table):
        assert result.row_count > 1
    else:
        [axes] = [axes for axes in plt.gcf().axes if axes.get_title()]
        assert axes.has_data()
    plt.close("all")


@EACH
def test_a_notebook_starts_with_a_question_and_contains_its_output(path: Path) -> None:
    assert "?" in "".join(cells(path, "markdown")[0]["source"]).split("\n")[0]
    code = cells(path, "code")
    assert {"image/png", "text/html"} & set(code[-1]["outputs"][-1]["data"])
    for output in (output for cell in code for output in cell["outputs"]):
        assert output["output_type"] != "error"
        assert output.get("name") != "stderr"


def test_the_manual_lists_all_notebooks() -> None:
    manual = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 5
    assert all(f"(notebooks/{path.name})" in manual for path in NOTEBOOKS)
