from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from experiments.datasets.snapshots import Snapshots, embed

from webgrain.base.errors import InputError
from webgrain.page.parsing import parse_html

if TYPE_CHECKING:
    from pathlib import Path


def snapshot(html: str) -> dict[str, Any]:
    """All nodes of a page but white space, as in a snapshot."""
    dom = parse_html(html)
    kept = [node for node in range(len(dom)) if not dom.is_text[node] or dom.text_of(node).strip()]
    return {
        "parent": [kept.index(int(dom.parent[node])) if node else -1 for node in kept],
        "tag": [dom.name(node) for node in kept],
        "id": [dom.get(node, "id") or "" for node in kept],
        "cls": [(dom.get(node, "class") or "")[:200] for node in kept],
        "text": [dom.text_of(node)[:300] if dom.is_text[node] else "alt" for node in kept],
    }


def test_hidden_twins_are_skipped() -> None:
    dom = parse_html("<ul><li><b>one</b><li> <b>two</b><li class=x><b>two</b></ul>")
    shown = snapshot("<ul><li><b>two</b></ul>")
    place = embed(shown, dom)
    assert [dom.text_of(node).strip() for node in place[-3:]] == ["two"] * 3
    assert dom.get(int(place[-3]), "class") is None


def test_traces_long_classes_and_ids_of_forms() -> None:
    names = "a" * 190 + " " + "b" * 100
    shown = snapshot(f"<form id=clobbered><p class='{names}'>{'x y ' * 100}")
    dom = parse_html(f"<form id=search><p class='highlight {names}'>{'x  y ' * 100}")
    assert embed(shown, dom).tolist() == [0, 1, 2, 3, 4, 5]


def test_another_page_does_not_fit() -> None:
    assert (embed(snapshot("<p>one"), parse_html("<p>two")) == -1).all()


def test_damaged_archives_raise(tmp_path: Path) -> None:
    (tmp_path / "snapshots.tar.xz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"snapshots.tar.xz cannot be read"):
        Snapshots.read(tmp_path)
    with pytest.raises(InputError, match="no snapshot of a"):
        Snapshots({}).truth("a", parse_html(""))
