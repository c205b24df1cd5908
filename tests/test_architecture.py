"""The rules of the architecture that a machine can check: import order, no cycles, the length of a module."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "webgrain"

# A package imports only packages of lower levels; packages of one level do not import each other. So nothing
# of the product, from site downwards, imports the published methods.
LEVELS = [
    {"cli", "integrations", "api"},
    {"crawler", "labeling", "evaluation", "papers"},
    {"site"},
    {"report"},
    {"fields", "lists"},
    {"duplicates", "extraction", "pagetypes", "segmentation", "templates"},
    {"columns", "documents"},
    {"engines", "io", "rendering"},
    {"page"},
    {"base"},
]
RANK = {part: rank for rank, parts in enumerate(LEVELS) for part in parts}
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
MOST_LINES_OF_A_MODULE = 850


@cache
def imports_of(module: str) -> set[str]:
    """Modules of webgrain that a module imports anywhere, type-only imports included."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "webgrain":
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in MODULES else node.module for name in whole}
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in MODULES}
    return found - {module}


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_imports_point_in_one_direction() -> None:
    wrong = [
        f"{module} must not import {other}"
        for module in MODULES
        for other in {part_of(name) for name in imports_of(module)} - {part_of(module), ""}
        if part_of(module) in RANK and RANK[part_of(module)] >= RANK[other]
    ]
    assert wrong == []


def test_every_package_has_a_level() -> None:
    assert {part_of(name) for name in MODULES} - {"", "__main__"} == set(RANK)


def test_no_import_cycles() -> None:
    graph = {
        name: {other for other in imports_of(name) if part_of(other)} for name in MODULES if part_of(name)
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the cycle


def test_modules_stay_readable() -> None:
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in MODULES.items()}
    assert {name: number for name, number in lines.items() if number > MOST_LINES_OF_A_MODULE} == {}


def test_only_parsing_imports_the_parser() -> None:
    users = {
        name
        for name, path in MODULES.items()
        if re.search(r"^\s*(from|import) selectolax", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert users == {"webgrain.page.parsing"}
