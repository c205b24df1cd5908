"""Each statement of SECURITY.md names tests, and these exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
STATEMENTS = PAGE.partition("## Statements without a test")[0].partition("## Trusted")[2]


def test_all_named_tests_exist() -> None:
    known = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 50
    assert named - known == set()


def test_each_statement_names_a_test() -> None:
    rows = [line for line in STATEMENTS.splitlines() if line.startswith("| ")][1:]
    statements = re.split(r"\n(?=- |\n|\|)", STATEMENTS)
    points = [text for text in statements if text.startswith("- ")]
    assert len(rows) > 10
    assert len(points) > 20
    for statement in [*rows, *points]:
        assert re.search(r"`test_\w+`", statement), statement
