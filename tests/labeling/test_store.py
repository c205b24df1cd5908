from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from webgrain.errors import InputError, ParameterError
from webgrain.evaluation.datasets import LabelledSegment
from webgrain.labeling import pages
from webgrain.labeling.pages import ConflictError, LabelStore, everyone

if TYPE_CHECKING:
    from pathlib import Path

MENU = LabelledSegment(xpath=("/html[1]/body[1]/ul[1]",), role="menu")
MAIN = LabelledSegment(xpath=("/html[1]/body[1]/main[1]",))


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
    LabelStore(folder, "kim").save("a.html", (MENU, MAIN), 0)
    again = LabelStore(folder, "kim")
    assert again.get("a.html") == (MENU, MAIN)
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
    store.save("a.html", (MENU,), 0)
    store.save("news/b.html", (MAIN,), 0)
    assert store.last == "news/b.html"
    store.save("a.html", (MAIN,), 1)
    assert LabelStore(folder, "kim").last == "a.html"


def test_a_page_without_segments_is_not_labelled(folder: Path) -> None:
    store = LabelStore(folder, "kim")
    store.save("a.html", (MENU,), 0)
    store.save("a.html", (), 1)
    assert lines(folder) == []
    assert store.last is None


def test_an_older_revision_is_an_error_and_changes_nothing(folder: Path) -> None:
    store = LabelStore(folder, "kim")
    store.save("a.html", (MENU,), 0)
    with pytest.raises(ConflictError, match="another window"):
        store.save("a.html", (), 0)
    assert len(lines(folder)) == 1


def test_a_file_that_another_program_wrote_is_not_overwritten(folder: Path) -> None:
    store, other = LabelStore(folder, "kim"), LabelStore(folder, "kim")
    other.save("a.html", (MENU,), 0)
    with pytest.raises(ConflictError, match="another program"):
        store.save("news/b.html", (MAIN,), 0)
    assert [record["page"] for record in lines(folder)] == ["a.html"]


def test_a_write_that_fails_leaves_the_old_labels(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LabelStore(folder, "kim")
    store.save("a.html", (MENU,), 0)

    def full_disk(page: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pages, "label_record", full_disk)
    with pytest.raises(OSError, match="No space"):
        store.save("a.html", (MAIN,), 1)
    monkeypatch.undo()
    assert store.get("a.html") == LabelStore(folder, "kim").get("a.html") == (MENU,)
    assert [name for name in os.listdir(folder) if "labels" in name] == ["labels-kim.jsonl"]
    assert store.save("a.html", (MAIN,), 1) == 2


def test_many_threads_save_many_pages(folder: Path) -> None:
    store = LabelStore(folder, "kim")
    names = [f"{k}.html" for k in range(20)]
    for page in names:
        (folder / page).write_text("<p>One", encoding="utf-8")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda page: store.save(page, (MENU,), 0), names))
    assert sorted(record["page"] for record in lines(folder)) == sorted(names)


@pytest.mark.parametrize("name", ["", "../kim", "a/b", ".kim", "-kim", "kim lee", "k\0", "k" * 65, "a\\b"])
def test_a_name_that_cannot_be_part_of_a_file_name_is_an_error(folder: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="annotator must be a name"):
        LabelStore(folder, name)


@pytest.mark.parametrize("name", ["kim", "Zoë", "k.lee@example.org", "kim_2"])
def test_names_of_people_are_taken(folder: Path, name: str) -> None:
    LabelStore(folder, name).save("a.html", (MENU,), 0)
    assert everyone(folder)["a.html"] == {name: (MENU,)}


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
    LabelStore(folder, "kim").save("a.html", (MENU,), 0)
    LabelStore(folder, "lee").save("a.html", (MAIN,), 0)
    LabelStore(folder, "lee").save("news/b.html", (MAIN,), 0)
    assert everyone(folder) == {"a.html": {"kim": (MENU,), "lee": (MAIN,)}, "news/b.html": {"lee": (MAIN,)}}
