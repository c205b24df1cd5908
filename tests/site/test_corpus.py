"""A corpus: documents of many sites, filtered, without near-duplicates, resumable."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.papers.articles import words
from tests.site.sites import Here

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.failures import Failure
from webgrain.columns.sitetable import SiteTable
from webgrain.engines import engine
from webgrain.io.read import Item
from webgrain.page.page import Source
from webgrain.site import corpus
from webgrain.site.corpus import DUPLICATE, NO_TEXT, CorpusCounts, CorpusPlan, DocumentFilter, build_corpus


def page(host: str, number: int, seed: int | None = None, extra: str = "", language: str = "en") -> Source:
    """Return an article of a host; pages with equal seeds have equal texts."""
    seed = number if seed is None else seed
    rng = Random(seed)
    body = "".join(f"<p>{words(rng, 40)}" for _ in range(4))
    menu = "<nav><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul></nav>"
    head = f"<html lang={language}><title>Story {seed} - {host}</title>"
    html = f"{head}{menu}<main><h1>Story {seed}</h1>{body}{extra}"
    return Source(f"{host}/{number}.html", html.encode(), url=f"http://{host}/{number}.html")


PAGES: list[Item] = [
    *(page("a.example.org", number) for number in range(12)),
    *(page("b.example.com", number, seed=100 + number) for number in range(3)),
    page("b.example.com", 50, seed=4, extra="<p>Printed before on another site.</p>"),
    page("b.example.com", 51, seed=200, language="de"),
    Source("b.example.com/empty.html", b"<title>Nothing</title>", url="http://b.example.com/empty.html"),
    Failure("b.example.com/broken.html", "read", "it is not HTML."),
]


def build(
    folder: Path,
    keep: DocumentFilter | None = None,
    pages: Iterable[Item] = PAGES,
    workers: int = 1,
    read: Callable[[int], Iterable[Item]] | None = None,
    **settings: Any,
) -> tuple[CorpusCounts, list[dict[str, Any]]]:
    """Build a corpus in a folder, and return the counts and the documents."""
    listed = list(pages)
    plan = CorpusPlan(made_of="a test", markdown=settings.pop("markdown", False))
    output = folder / "corpus.jsonl"
    counts = build_corpus(
        read or (lambda first: listed[first:]),
        output,
        folder / "work",
        plan,
        keep or DocumentFilter(),
        settings.pop("engine", engine("local", workers)),
        form="jsonl",
        **settings,
    )
    return counts, [json.loads(line) for line in output.read_text("utf-8").splitlines()]


def test_documents_of_several_sites(tmp_path: Path) -> None:
    counts, documents = build(tmp_path, dropped=tmp_path / "dropped.csv")
    assert [document["page"] for document in documents] == [
        *sorted((f"a.example.org/{number}.html" for number in range(12)), key=len),
        *(f"b.example.com/{number}.html" for number in (0, 1, 2, 51)),
    ]
    assert counts.left_out == {DUPLICATE: 1, NO_TEXT: 1, "read": 1}
    assert (counts.documents, counts.pages) == (16, 19)
    assert counts.characters == sum(len(document["text"]) for document in documents)
    assert all("Home" not in document["text"] for document in documents)
    assert documents[3]["title"] == "Story 3"
    assert {document["language"] for document in documents} == {"en", "de"}
    with (tmp_path / "dropped.csv").open(newline="") as file:
        dropped = {row["page"]: (row["reason"], row["duplicate_of"]) for row in csv.DictReader(file)}
    assert dropped == {
        "b.example.com/50.html": (DUPLICATE, "a.example.org/4.html"),
        "b.example.com/empty.html": (NO_TEXT, ""),
        "b.example.com/broken.html": ("read", ""),
    }


def test_another_filter_needs_no_new_extraction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path)
    monkeypatch.setattr(corpus, "_document_rows", None)
    counts, documents = build(tmp_path, DocumentFilter(languages=("de",)))
    assert [document["page"] for document in documents] == ["b.example.com/51.html"]
    assert counts.left_out["language"] == 16
    counts, documents = build(tmp_path, DocumentFilter(duplicates=True))
    assert (len(documents), counts.left_out[DUPLICATE]) == (17, 0)
    counts, documents = build(tmp_path, DocumentFilter(least_length=10**6))
    assert (documents, counts.left_out["length"]) == ([], 17)
    counts, documents = build(tmp_path, DocumentFilter(kinds=("thread",)))
    assert (documents, counts.left_out["kind"]) == ([], 17)
    counts, documents = build(tmp_path, DocumentFilter(least_confidence=1.0))
    assert counts.left_out["confidence"] + len(documents) + counts.left_out[DUPLICATE] == 17


def test_a_duplicate_of_a_page_that_is_left_out_stays(tmp_path: Path) -> None:
    first = page("a.example.org", 1, seed=7, language="de")
    second = page("b.example.com", 1, seed=7)
    _, documents = build(tmp_path, DocumentFilter(languages=("en",)), [first, second])
    assert [document["page"] for document in documents] == ["b.example.com/1.html"]


def test_an_interrupted_corpus_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = build(tmp_path / "at-once")[1]
    original = corpus._extract_shard

    def stop(*arguments: Any) -> Any:
        if arguments[1][0].site == "b.example.com":
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(corpus, "_extract_shard", stop)
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "resumed", engine=Here())
    monkeypatch.setattr(corpus, "_extract_shard", original)
    calls: list[int] = []

    def read(first: int) -> Iterable[Item]:
        calls.append(first)
        return PAGES[first:]

    assert build(tmp_path / "resumed", engine=Here(), read=read)[1] == expected
    assert calls == []  # the input was read completely before


def test_workers_and_order_change_nothing(tmp_path: Path) -> None:
    expected = build(tmp_path / "a")[1]
    assert build(tmp_path / "b", workers=2)[1] == expected
    backwards = build(tmp_path / "c", pages=PAGES[::-1])[1]
    texts = {document["page"]: document["text"] for document in expected}
    for document in backwards:
        assert document["text"] == texts.get(document["page"], document["text"])


def test_ids_and_addresses_with_lone_surrogates(tmp_path: Path) -> None:
    body = b"<title>A</title><h1>A</h1><p>" + b"A sentence on boats and nets. " * 9
    pages = [Source("a\ud800", body, url="http://h\ud800.example/a"), Source("b\udfff", b"<p>" + body)]
    counts, _ = build(tmp_path, DocumentFilter(duplicates=True), pages)
    assert (counts.documents, counts.failures) == (2, [])


def test_the_language_is_detected_if_none_is_stated(tmp_path: Path) -> None:
    pytest.importorskip("py3langid")
    text = "The boat needs new paint, and the people of the town have brought it to the harbour. " * 4
    pages = [Source("a", f"<title>Boats</title><h1>Boats</h1><p>{text}".encode())]
    _, documents = build(tmp_path, DocumentFilter(languages=("en",)), pages)
    assert [document["language"] for document in documents] == ["en"]


def test_markdown(tmp_path: Path) -> None:
    pages = [
        page("a.example.org", 1, extra="<h2>More</h2><p>Some <b>bold</b> words in the end of the text.</p>")
    ]
    _, [document] = build(tmp_path, pages=pages, markdown=True)
    assert document["text"].startswith("# Story 1\n")
    assert "## More\n" in document["text"]


def test_a_page_that_fails_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = corpus.sketch_cells

    def fail(page: Any, site: str) -> Any:
        if page.id.endswith("/2.html"):
            raise ValueError("no")
        return original(page, site)

    monkeypatch.setattr(corpus, "sketch_cells", fail)
    counts, _ = build(tmp_path, engine=Here())
    assert counts.left_out["extract"] == 2
    assert [failure.error for failure in counts.failures[1:]] == ["internal error: ValueError: no"] * 2


def test_texts_of_a_file_that_has_changed_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "texts.json"
    path.write_text(json.dumps(SiteTable().to_dict()))
    os.utime(path, ns=(1, 1))
    assert corpus._shared_texts(path) is not None
    path.write_text("null")
    os.utime(path, ns=(2, 2))
    assert corpus._shared_texts(path) is None


def test_another_input_needs_another_folder(tmp_path: Path) -> None:
    build(tmp_path)
    with pytest.raises(InputError, match="different"):
        build(tmp_path, markdown=True)


@pytest.mark.parametrize("wrong", [{"kinds": ("poem",)}, {"least_length": -1}, {"least_confidence": 2.0}])
def test_wrong_filters(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        DocumentFilter(**wrong)


@pytest.mark.full
@pytest.mark.xdist_group("ray")
@pytest.mark.usefixtures("ray_cluster")
def test_ray_gives_the_same(tmp_path: Path) -> None:
    expected = build(tmp_path / "local")[1]
    assert build(tmp_path / "ray", engine=engine("ray", 1))[1] == expected
