from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from webgrain.base.errors import InputError, ParameterError
from webgrain.io.contentmarks import ContentMark
from webgrain.io.labels import LabelledSegment
from webgrain.labeling import pages
from webgrain.labeling.pages import ConflictError, LabelStore, PageLabels, everyone

if TYPE_CHECKING:
    from pathlib import Path

SEGMENTS = (
    LabelledSegment(xpath=("/html[1]/body[1]/ul[1]",), role="menu"),
    LabelledSegment(xpath=("/html[1]/body[1]/main[1]",)),
)
MENU, MAIN = PageLabels(SEGMENTS[:1]), PageLabels(SEGMENTS[1:])


def lines(folder: Path, annotator: str = "kim") -> list[Any]:
    return [
        json.loads(line) for line in (folder / f"labels-{annotator}.jsonl").read_text("utf-8").splitlines()
    ]


def test_a_new_store_is_empty_and_writes_no_file(folder: Path) -> None:
    store = LabelStore(folder, "kim")
    assert store.get("a.html") is None
    assert store.last is None
    assert not list(folder.glob("labels-*"))


def test_what_was_saved_is_there_again(folder: Path) -> None:
    LabelStore(folder, "kim").save("a.html", PageLabels(SEGMENTS), 0)
    again = LabelStore(folder, "kim")
    assert again.get("a.html") == PageLabels(SEGMENTS)
    assert lines(folder) == [
        {
            "page": "a.html",
            "annotator": "kim",
            "segments": [
                {"xpath": ["/html[1]/body[1]/ul[1]"], "role": "menu"},
                {"xpath": ["/html[1]/body[1]/main[1]"]},
            ],
        }
    ]


def test_the_page_changed_last_is_the_last_one(folder: Path) -> None:
    store = LabelStore(folder, "kim")
    store.save("a.html", MENU, 0)
    store.save("news/b.html", MAIN, 0)
    assert store.last == "news/b.html"
    store.save("a.html", MAIN, 1)
    assert LabelStore(folder, "kim").last == "a.html"


def test_a_page_without_segments_is_not_labelled(folder: Path) -> None:
    store = LabelStore(folder, "kim")
    store.save("a.html", MENU, 0)
    store.save("a.html", PageLabels(), 1)
    assert lines(folder) == []
    assert store.last is None


def test_an_older_revision_is_an_error_and_changes_nothing(folder: Path) -> None:
    store = LabelStore(folder, "kim")
    store.save("a.html", MENU, 0)
    with pytest.raises(ConflictError, match="another window"):
        store.save("a.html", PageLabels(), 0)
    assert len(lines(folder)) == 1


def test_a_file_that_another_program_wrote_is_not_overwritten(folder: Path) -> None:
    store, other = LabelStore(folder, "kim"), LabelStore(folder, "kim")
    other.save("a.html", MENU, 0)
    with pytest.raises(ConflictError, match="another program"):
        store.save("news/b.html", MAIN, 0)
    assert [record["page"] for record in lines(folder)] == ["a.html"]


def test_a_write_that_fails_leaves_the_old_labels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LabelStore(folder, "kim")
    store.save("a.html", MENU, 0)

    def full_disk(page: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pages, "label_record", full_disk)
    with pytest.raises(OSError, match="No space"):
        store.save("a.html", MAIN, 1)
    monkeypatch.undo()
    assert store.get("a.html") == LabelStore(folder, "kim").get("a.html") == MENU
    assert [name for name in os.listdir(folder) if "labels" in name] == ["labels-kim.jsonl"]
    assert store.save("a.html", MAIN, 1) == 2


def test_many_threads_save_many_pages(folder: Path) -> None:
    store = LabelStore(folder, "kim")
    names = [f"{k}.html" for k in range(20)]
    for page in names:
        (folder / page).write_text("<p>One", encoding="utf-8")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda page: store.save(page, MENU, 0), names))
    assert sorted(record["page"] for record in lines(folder)) == sorted(names)


@pytest.mark.parametrize("name", ["", "../kim", "a/b", ".kim", "-kim", "kim lee", "k\0", "k" * 65, "a\\b"])
def test_a_name_that_cannot_be_part_of_a_file_name_is_an_error(folder: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="annotator must be a name"):
        LabelStore(folder, name)


@pytest.mark.parametrize("name", ["kim", "Zoë", "k.lee@example.org", "kim_2"])
def test_names_of_people_are_taken(folder: Path, name: str) -> None:
    LabelStore(folder, name).save("a.html", MENU, 0)
    assert everyone(folder)["a.html"] == {name: MENU.segments}


@pytest.mark.parametrize("text", ["{", "[]", '{"page": "gone.html", "segments": []}', "\xff"])
def test_a_damaged_file_is_an_error(folder: Path, text: str) -> None:
    (folder / "labels-kim.jsonl").write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=r"labels-kim\.jsonl, line 1"):
        LabelStore(folder, "kim")


def test_two_records_of_a_page_are_refused(folder: Path) -> None:
    record = '{"page": "a.html", "segments": []}\n'
    (folder / "labels-kim.jsonl").write_text(record * 2, encoding="utf-8")
    with pytest.raises(InputError, match=r"two records of the page a\.html"):
        LabelStore(folder, "kim")


def test_everyone_is_found(folder: Path) -> None:
    LabelStore(folder, "kim").save("a.html", MENU, 0)
    LabelStore(folder, "lee").save("a.html", MAIN, 0)
    LabelStore(folder, "lee").save("news/b.html", MAIN, 0)
    assert everyone(folder) == {
        "a.html": {"kim": MENU.segments, "lee": MAIN.segments},
        "news/b.html": {"lee": MAIN.segments},
    }


RECORD = {
    "page": "a.html",
    "annotator": "kim",
    "kind": "article",
    "segments": [
        {"xpath": ["/html[1]/body[1]/ul[1]"], "role": "menu", "confidence": 0.5},
        {"xpath": ["/html[1]/body[1]/main[1]"], "css": ["main"]},
    ],
    "content": [
        {"name": "title", "xpath": ["/html[1]/body[1]/main[1]/h1[1]"], "note": "centred"},
        {"name": "author", "xpath": ["/html[1]/body[1]/main[1]/p[1]"], "span": [0, 3]},
        {"name": "date", "xpath": ["/html[1]/head[1]/meta[1]"], "attribute": "content", "value": "2020"},
    ],
    "absent": ["main"],
    "text": "First Second",
    "url": "https://example.org/a",
    "reviewed": True,
}


def test_a_save_loses_nothing_that_the_tool_does_not_show(folder: Path) -> None:
    (folder / "labels-kim.jsonl").write_text(json.dumps(RECORD), encoding="utf-8")
    store = LabelStore(folder, "kim")
    store.save("news/b.html", MAIN, 0)
    assert lines(folder)[0] == RECORD
    labels = store.get("a.html")
    assert labels
    store.save("a.html", replace(labels, segments=()), 0)
    assert lines(folder)[1] == RECORD | {"segments": []}
    store.save("a.html", replace(labels, content=None, absent=()), 1)
    assert lines(folder)[1] == {key: RECORD[key] for key in RECORD if key not in ("content", "absent")}
    store.save("a.html", labels, 2)
    assert lines(folder)[1] == RECORD


def test_a_page_with_content_only_is_kept_and_not_compared(folder: Path) -> None:
    title = ContentMark("title", ("/html[1]/body[1]/main[1]/h1[1]",))
    for labels in (PageLabels(content=(title,)), PageLabels(absent=("main",)), PageLabels(kind="list")):
        LabelStore(folder, "kim").save("a.html", labels, 0)
        assert LabelStore(folder, "kim").get("a.html") == labels
    assert everyone(folder) == {}


@pytest.mark.parametrize(
    "field",
    [
        {"content": {}},
        {"content": [{"name": "headline", "xpath": ["/html[1]"]}]},
        {"content": [{"name": "title"}]},
        {"content": [{"name": "title", "xpath": ["/html[1]"], "span": [3, 1]}]},
        {"absent": ["headline"]},
    ],
)
def test_a_file_with_invalid_content_is_an_error(folder: Path, field: Any) -> None:
    (folder / "labels-kim.jsonl").write_text(json.dumps(RECORD | field), encoding="utf-8")
    with pytest.raises(InputError, match=r"labels-kim\.jsonl, line 1"):
        LabelStore(folder, "kim")
