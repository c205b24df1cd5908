"""The example of retrieval, with a stand-in for the database if it is not installed."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
HARBOUR = EXAMPLES / "site" / "en" / "harbour"


class Collection:
    """What the example uses of a collection of Chroma; texts with more words of a question are nearer."""

    def __init__(self) -> None:
        self.stored: dict[str, tuple[str, dict[str, Any]]] = {}
        self.written = 0

    def get(self, where: dict[str, Any], include: list[str]) -> dict[str, Any]:
        assert include == []
        matches = [key for key, (_, fields) in self.stored.items() if where.items() <= fields.items()]
        return {"ids": matches}

    def upsert(self, ids: list[str], documents: list[str], metadatas: list[dict[str, Any]]) -> None:
        assert len(set(ids)) == len(ids) == len(documents) == len(metadatas)
        assert all(isinstance(value, str | int) for fields in metadatas for value in fields.values())
        for key, text, fields in zip(ids, documents, metadatas, strict=True):
            self.written += self.stored.get(key) != (text, fields)
            self.stored[key] = text, fields

    def delete(self, ids: list[str]) -> None:
        for key in ids:
            del self.stored[key]

    def query(self, query_texts: list[str], n_results: int) -> dict[str, Any]:
        wanted = set(query_texts[0].lower().split())
        ordered = sorted(
            self.stored.values(), key=lambda entry: -len(wanted & set(entry[0].lower().split()))
        )[:n_results]
        return {
            "documents": [[text for text, _ in ordered]],
            "metadatas": [[fields for _, fields in ordered]],
        }


@pytest.fixture
def example() -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / "retrieval.py"))


@pytest.fixture
def collection() -> Any:
    try:
        import chromadb  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return Collection()
    return chromadb.EphemeralClient().get_or_create_collection("pages")  # pragma: no cover


def test_pages_are_stored_and_found(example: dict[str, Any], collection: Any) -> None:
    number = example["store_pages"](collection, [str(HARBOUR)], max_tokens=120)
    assert number == len(list(HARBOUR.glob("*.html")))
    hits = list(example["search"](collection, "ninety-four steps in the light on the North Mole"))
    assert len(hits) == 5
    assert any(hit["page"].endswith("keeper-of-the-north-mole.html") for hit in hits)
    assert all(hit["text"].startswith(hit["headings"]) for hit in hits)


def test_a_second_run_writes_nothing_and_removes_old_chunks(example: dict[str, Any], tmp_path: Path) -> None:
    stored = Collection()
    page = tmp_path / "page.html"
    text = "The lamp on the mole is lit at dusk, and nobody knows who pays for it. " * 3
    page.write_text(f"<title>Lamp</title><h1>Lamp</h1><h2>A</h2><p>{text}<h2>B</h2><p>{text}")
    store = example["store_pages"]
    assert store(stored, [str(tmp_path)], max_tokens=60) == 1
    before = stored.written
    store(stored, [str(tmp_path)], max_tokens=60)
    assert stored.written == before > 1
    page.write_text(f"<title>Lamp</title><h1>Lamp</h1><h2>A</h2><p>{text}")
    store(stored, [str(tmp_path)], max_tokens=60)
    assert not any("B" in fields["headings"].split(" > ") for _, fields in stored.stored.values())
