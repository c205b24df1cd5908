"""The rules of the house that a machine can check."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "webgrain"

# Higher layers import lower ones only; method folders stand beside each other.
LAYERS = [
    {"cli"},
    {"integrations"},
    {"audit"},
    {"train"},
    {"evaluate", "label"},
    {"floors", "datasets", "duplicates", "pagetypes"},
    {"maincontent"},
    {"pipeline"},
    {"report"},
    {"records", "crawl"},
    {"run"},
    {"segment", "template", "cluster", "dedup", "extract", "io", "render"},
    {"methods", "articleblocks"},
    {"estimator", "results", "modelfile"},
    {"page"},
    {"kernels", "metrics"},
    {"_extras"},
    {"errors"},
]
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in RANK)


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found |= {name.split(".")[1] for name in names if name.startswith("webgrain.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    mine = part_of(path)
    for other in imported_parts(path) - {mine}:
        assert RANK[mine] < RANK[other], f"{path.name}: {mine} must not import {other}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_stay_readable(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    most = 700 if part_of(path) == "kernels" else 400
    assert len(lines) <= most, f"{path.name} has {len(lines)} lines: split it by meaning"


def test_only_parsing_imports_the_parser() -> None:
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(r"^\s*(from|import) selectolax", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert users == {"page/parse.py", "page/walk.py"}  # the second reads what the first has parsed
