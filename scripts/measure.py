"""Print measures of the structure of the package: ``python scripts/measure.py``.

=========================  ========================================================================
modules, lines             Python files of ``src/webgrain``, and their lines
levels                     rows of ``LEVELS`` in ``tests/test_architecture.py``
longest chain              modules of the longest chain of imports
operations per line        calls, operators, comparisons, subscripts and comprehensions per line of code
names defined twice        public functions, classes and constants that several modules define; not type
                           variables, types of kernels, COMPILED, FORMAT and VERSION
words                      bindings of names to avoid: found, own, one, some, kind
longest function           lines of the longest function, and the median
=========================  ========================================================================
"""

from __future__ import annotations

import ast
import statistics
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "webgrain"
FILE_CONSTANTS = ("FORMAT", "VERSION")
WORDS = ("found", "own", "one", "some", "kind")
OPERATIONS = (
    ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Subscript, ast.IfExp,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda,
)  # fmt: skip


def modules() -> dict[str, ast.Module]:
    """Return the trees of all modules by their dotted names."""
    trees = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        trees[name.removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return trees


def imports(trees: dict[str, ast.Module], name: str) -> set[str]:
    """Return the modules of webgrain that a module imports."""
    imported = set()
    for node in ast.walk(trees[name]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("webgrain"):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                imported.add(whole if whole in trees else str(node.module))
    return {module for module in imported if module in trees} - {name}


def longest_chain(trees: dict[str, ast.Module]) -> int:
    """Return the number of modules of the longest chain of imports."""

    @cache
    def length(name: str) -> int:
        return 1 + max((length(other) for other in imports(trees, name) if other != "webgrain"), default=0)

    return max(length(name) for name in trees if name != "webgrain")


def code_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines with code, without docstrings."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        is_docstring = isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
        if isinstance(node, ast.stmt) and not is_docstring:
            lines |= {child.lineno for child in ast.walk(node) if hasattr(child, "lineno")}
    return lines


def public_names(tree: ast.Module) -> Iterator[str]:
    """Yield the public names that a module defines, without those that each module of a form has."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign) and not is_local_name(node.value):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        else:
            names = []
        for name in names:
            if not name.startswith("_") and name not in FILE_CONSTANTS:
                yield name


def is_local_name(value: ast.expr) -> bool:
    """Return whether a value is a type variable or is taken from the module ``cython``."""
    source = ast.unparse(value)
    return source.startswith(("TypeVar(", "cython."))


def bound_words(tree: ast.Module) -> int:
    """Return how often one of `WORDS` is bound."""
    number = 0
    for node in ast.walk(tree):
        is_bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in WORDS
        is_argument = isinstance(node, ast.arg) and node.arg in WORDS
        number += is_bound or is_argument
    return number


def main() -> None:
    """Print the measures."""
    trees = modules()
    lines = {name: code_lines(tree) for name, tree in trees.items()}
    operations = sum(isinstance(node, OPERATIONS) for tree in trees.values() for node in ast.walk(tree))
    total = sum(map(len, lines.values()))
    counts = Counter(name for tree in trees.values() for name in set(public_names(tree)))
    repeated = sorted(name for name, number in counts.items() if number > 1)
    functions = [
        node.end_lineno - node.lineno + 1
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None
    ]
    architecture = (ROOT / "tests" / "test_architecture.py").read_text(encoding="utf-8")
    levels = architecture.partition("LEVELS = [")[2].partition("]")[0].count("{")
    measures = {
        "modules": len(trees),
        "lines of code": total,
        "levels": levels,
        "longest chain": longest_chain(trees),
        "operations per line": f"{operations / total:.2f}",
        "public names defined twice": len(repeated),
        "bindings of words to avoid": sum(map(bound_words, trees.values())),
        "lines of a function, median and most": f"{statistics.median(functions):.0f}, {max(functions)}",
    }
    for name, value in measures.items():
        print(f"{name:38} {value}")


if __name__ == "__main__":
    main()
