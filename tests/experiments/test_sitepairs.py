"""The labelled pairs of pages of one site: rules on a small site, and the table."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("scipy")
from experiments.datasets.sitepairs import make_pairs, read_pairs


def words(name: str, n: int = 60) -> str:
    return " ".join(f"{name}{k}" for k in range(n))


def site(pages: dict[str, dict[str, Any]]) -> Any:
    """A site of the bench from the truth of its pages; a page is its own truth."""
    for path, truth in pages.items():
        truth["path"] = path
    return SimpleNamespace(
        name="s",
        truth=pages,
        roles={path: truth["role"] for path, truth in pages.items()},
        types=dict.fromkeys(pages, "t"),
        pages=lambda: (SimpleNamespace(id=path) for path in pages),
    )


def test_verdicts_follow_from_the_ground_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    post = {"role": "article", "title": "A", "text": words("a")}
    pages = {
        "a.html": dict(post),
        "copy/a.html": dict(post),
        "b.html": {"role": "article", "title": "B", "text": words("b")},
        "all.html": {"role": "index", "title": "All", "records": [{"name": words(x)} for x in "abc"]},
    }
    made = site(pages)
    monkeypatch.setattr(
        "experiments.datasets.sitepairs.visible_text",
        lambda page, separator: " ".join(
            [pages[page.id].get("text", ""), *(r["name"] for r in pages[page.id].get("records", []))]
        ),
    )
    found = {(pair.a, pair.b): (pair.kind, pair.verdict) for pair in make_pairs(made)}
    assert found["a.html", "copy/a.html"] == ("address", "duplicate")
    assert found["all.html", "b.html"] == ("listing", "contains")
    assert found["a.html", "b.html"] == ("neighbour", "different")


def test_the_table_has_facts_only() -> None:
    pairs = read_pairs()
    assert len(pairs) > 1000
    assert {pair.verdict for pair in pairs} == {"duplicate", "contains", "either", "different"}
    assert len({(pair.site, frozenset((pair.a, pair.b))) for pair in pairs}) > 0.97 * len(pairs)
