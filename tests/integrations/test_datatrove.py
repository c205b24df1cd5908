"""The example for datatrove, its steps called as datatrove calls them, on documents as it has them."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import ROOT
from tests.integrations.conftest import PAGE

if TYPE_CHECKING:
    from pathlib import Path

SITE = ROOT / "examples" / "site" / "en"
HARBOUR, SHOP = str(SITE / "harbour"), str(SITE / "shop")


@dataclass
class Document:
    """What a document of datatrove has."""

    text: str
    id: str
    metadata: dict[str, Any] = field(default_factory=dict)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    data = ModuleType("datatrove.data")
    data.Document = Document  # type: ignore[attr-defined]
    if importlib.util.find_spec("datatrove") is None:
        monkeypatch.setitem(sys.modules, "datatrove", ModuleType("datatrove"))
        monkeypatch.setitem(sys.modules, "datatrove.data", data)
    spec = importlib.util.spec_from_file_location(
        "datatrove_filter", ROOT / "examples" / "datatrove_filter.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "datatrove_filter", module)
    spec.loader.exec_module(module)
    return module


def run(pipeline: list[Any], tasks: int = 1) -> list[Any]:
    """Call the steps as the executors of datatrove do; steps are sent to other processes."""
    found = []
    for rank in range(tasks):
        data = None
        for step in pickle.loads(pickle.dumps(pipeline)):
            data = step(data, rank, tasks)
        found += data or []
    return found


def test_pages_become_texts(steps: ModuleType) -> None:
    found = {one.id: one for one in run([steps.ReadPages([HARBOUR]), steps.ExtractText()])}
    boat = found["the-boat-that-came-back.html"]
    assert boat.metadata["title"] == "The boat that came back"
    assert "The Little Auk was fourteen feet long" in boat.text
    assert "<p" not in boat.text


def test_pages_of_a_known_site(steps: ModuleType, model: str) -> None:
    document = Document(PAGE.format("x"), "x", {"url": "http://example.org/x.html"})
    [step] = pickle.loads(pickle.dumps([steps.ExtractText(model)]))
    [found] = step([document])
    assert found.text.startswith("Some words about x")
    assert found.metadata["title"] == "Number x"
    assert found.metadata["type"]


def test_each_task_has_its_own_inputs(steps: ModuleType) -> None:
    inputs = [HARBOUR, SHOP, str(SITE / "about.html")]
    names = [one.id for one in run([steps.ReadPages(inputs[:1])]) + run([steps.ReadPages(inputs[1:])])]
    assert len(names) == 20
    assert len(run([steps.ReadPages(inputs)], tasks=5)) == len(names)  # two of the tasks have nothing to do


def test_failures_are_passed_on_with_their_reason(steps: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (tmp_path / "b.warc").write_bytes(b"WARC/1.0\r\n")
    documents = run(
        [steps.ReadPages([str(path) for path in sorted(tmp_path.iterdir())]), steps.ExtractText()]
    )
    assert documents
    assert all(one.text == "" and one.metadata["error"] for one in documents)


def test_a_filter(steps: ModuleType) -> None:
    documents = [
        Document("a", "1", {"verdict": "article", "type": "x"}),
        Document("b", "2", {"error": "none"}),
    ]
    assert list(steps.Keep(verdict="article")(documents)) == documents[:1]
    assert list(steps.Keep(verdict="article", type="y")(documents)) == []
