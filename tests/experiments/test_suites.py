"""Test suites of other programs: built from repositories made here, read, and the real ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from experiments.datasets import build as building
from experiments.datasets.suites import SUITES, read_suites, truths
from tests.experiments.test_build import repository

from webgrain.base.errors import InputError

PAGE = "<p>One two"
RECIPES = Path(building.__file__).parent / "recipes" / "main-content" / "suites"
SOURCES: dict[str, dict[str, str]] = {
    "readability": {
        "test/test-pages/a/source.html": PAGE,
        "test/test-pages/a/expected.html": "<div><p>One</p> <p>two</p></div>",
        "test/test-pages/a/expected-metadata.json": json.dumps(
            {"title": "T", "byline": "Kim", "lang": "en", "excerpt": "One", "publishedTime": None}
        ),
    },
    "trafilatura": {
        "tests/eval/a": PAGE,
        "tests/evaldata.json": json.dumps(
            {
                "https://example.org/a": {
                    "file": "a", "with": ["One"], "without": ["No"], "title": "T", "author": "", "date": "",
                    "comments": ["Yes"], "license": "", "region": "DE",
                }
            }
        ),
    },
    "htmldate": {
        "tests/test_set/a": PAGE,
        "tests/eval_default.json": json.dumps({"https://example.org/b": {"file": "b", "date": "2020-01-01"}}),
        "tests/eval_mediacloud_2020.json": json.dumps(
            {"https://example.org/a": {"file": "a", "date": "2020-03-04"}}
        ),
    },
    "newspaper4k": {
        "tests/data/html/a.html": PAGE,
        "tests/data/txt/a.txt": "One two",
        "tests/data/metadata/a.json": json.dumps(
            {"url": "https://example.org/a", "title": "T", "authors": ["Kim", "Lee"], "meta_lang": "en",
             "publish_date": "2020-03-04T05:06:07+00:00"}
        ),
    },
    "goose3": {
        "tests/data/content/a.html": PAGE,
        "tests/data/content/a.json": json.dumps(
            {"url": "https://example.org/a", "expected": {"title": "T", "meta_lang": "en",
             "meta_description": "D", "cleaned_text": "One"}}
        ),
    },
}  # fmt: skip


def built(folder: Path, suite: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build a suite of one page, with the patterns of its recipe, and return the folder of the suites."""
    recipe = json.loads((RECIPES / f"{suite}.json").read_text(encoding="utf-8")) | {"ids": ["a"]}
    place = folder / "recipes" / "main-content" / "suites"
    place.mkdir(parents=True)
    (place / f"{suite}.json").write_text(json.dumps(recipe))
    monkeypatch.setattr(building, "RECIPES", folder / "recipes")
    source = repository(folder / "source.tar.gz", files, "repository-1a2b/")
    building.build(f"main-content/suites/{suite}", [source], folder)
    return folder / "main-content" / "suites"


@pytest.mark.parametrize("suite", SOURCES)
def test_a_suite_is_built_and_read(suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = built(tmp_path, suite, SOURCES[suite], monkeypatch)
    (page,) = read_suites(folder)
    assert (page.group, page.source.id, page.source.body) == (suite, f"{suite}/0000.html", PAGE.encode())
    assert page.source.url == (None if suite == "readability" else "https://example.org/a")
    known: dict[str, dict[str, Any]] = {
        "readability": {"title": "T", "authors": ("Kim",), "language": "en", "description": None},
        "trafilatura": {
            "included": ("One",), "excluded": ("No",), "in_comments": ("Yes",), "authors": (), "date": "",
        },
        "htmldate": {"date": "2020-03-04", "authors": None},
        "newspaper4k": {"text": "One two", "authors": ("Kim, Lee",), "date": "2020-03-04T05:06:07+00:00"},
        "goose3": {"opening": "One", "description": "D", "date": None},
    }  # fmt: skip
    assert {name: getattr(page, name) for name in known[suite]} == known[suite]
    if suite == "readability":
        assert page.html == SOURCES[suite]["test/test-pages/a/expected.html"]
        assert page.text
        assert page.text.split() == ["One", "two"]


@pytest.mark.parametrize(
    ("suite", "missing", "message"),
    [
        ("goose3", "tests/data/content/a.html", "The page a of goose3 is not in the source."),
        ("htmldate", "tests/eval_default.json", "The truths of htmldate are not in the source as expected"),
    ],
)
def test_a_source_without_a_file_is_an_error(
    suite: str, missing: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {path: text for path, text in SOURCES[suite].items() if path != missing}
    with pytest.raises(InputError, match=message):
        built(tmp_path, suite, files, monkeypatch)


def test_metadata_that_were_not_annotated_are_not_known() -> None:
    assert "authors" not in truths("trafilatura", {"w": ["One"], "annot": False})
    assert truths("trafilatura", {"w": ["One"], "annot": True})["date"] == ""
    assert "description" not in truths("postlight", {"description": "D"})


def test_a_damaged_suite_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "goose3.jsonl.xz").write_bytes(b"no")
    with pytest.raises(InputError, match=r"goose3\.jsonl\.xz cannot be read"):
        list(read_suites(tmp_path))


@pytest.mark.data
@pytest.mark.full  # checks files that no change of the code changes
def test_the_real_suites(data_dir: Path) -> None:
    folder = data_dir / "main-content" / "suites"
    if not folder.is_dir():
        pytest.skip(f"no test suites: the folder {folder} does not exist")
    pages = list(read_suites(folder))
    assert Counter(page.group for page in pages) == {
        "readability": 66, "trafilatura": 495, "htmldate": 511, "postlight": 76, "newspaper4k": 16,
        "goose3": 39,
    }  # fmt: skip
    assert set(SUITES) == {page.group for page in pages}
    for name in SOURCES:
        recipe = json.loads((RECIPES / f"{name}.json").read_text(encoding="utf-8"))
        assert len(recipe["ids"]) == sum(page.group == name for page in pages)
    assert sum(page.authors == () for page in pages) == 156
    assert sum(page.date == "" for page in pages) == 56
