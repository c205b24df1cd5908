from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import InputError, ParameterError
from webgrain.labeling.pages import ConflictError
from webgrain.labeling.reviews import Judged, Review, ReviewStore, everyones_reviews

if TYPE_CHECKING:
    from pathlib import Path

MENU = Judged(("/html[1]/body[1]/ul[1]",), 0.1, boilerplate=True, cut=True, category=False)
MAIN = Judged(("/html[1]/body[1]/main[1]",), 1.0, boilerplate=False)


def test_verdicts_are_there_again_and_the_last_page_is_known(tmp_path: Path) -> None:
    store = ReviewStore(tmp_path, "kim")
    store.save("a.html", Review("news", (MENU, MAIN)), 0)
    store.save("b.html", Review("news", (MENU,)), 0)
    store.save("a.html", Review("news", (MENU,)), 1)
    again = ReviewStore(tmp_path, "kim")
    assert again.last == "a.html"
    assert again.get("a.html") == again.get("b.html") == Review("news", (MENU,))


def test_the_file_contains_annotator_template_and_verdicts(tmp_path: Path) -> None:
    ReviewStore(tmp_path, "kim").save("a.html", Review("news", (MENU, MAIN)), 0)
    record = json.loads((tmp_path / "reviews-kim.jsonl").read_text("utf-8"))
    assert record == {
        "page": "a.html",
        "annotator": "kim",
        "template": "news",
        "sections": [
            {
                "xpath": list(MENU.xpath),
                "importance": 0.1,
                "boilerplate": True,
                "noisy": True,
                "cut": True,
                "class": False,
            },
            {
                "xpath": list(MAIN.xpath),
                "importance": 1.0,
                "boilerplate": False,
                "noisy": False,
                "cut": None,
                "class": None,
            },
        ],
    }


def test_judges_have_a_file_each(tmp_path: Path) -> None:
    for name in ("kim", "lee"):
        ReviewStore(tmp_path, name).save("a.html", Review(name, (MENU,)), 0)
    found = everyones_reviews(tmp_path)
    assert {name: reviews["a.html"].template for name, reviews in found.items()} == {
        "kim": "kim",
        "lee": "lee",
    }


def test_what_another_window_wrote_is_not_overwritten(tmp_path: Path) -> None:
    store = ReviewStore(tmp_path, "kim")
    store.save("a.html", Review("news", (MENU,)), 0)
    with pytest.raises(ConflictError, match="another window"):
        store.save("a.html", None, 0)
    assert ReviewStore(tmp_path, "kim").get("a.html") is not None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1"),
        ("[]", "expected a record with page and template"),
        ('{"page": "a", "template": "t"}', "expected sections"),
        ('{"page": "a", "template": "t", "sections": [1]}', "expected a section as a record"),
        ('{"page": "a", "template": "t", "sections": [{"xpath": [1]}]}', "expected xpath"),
        ('{"page": "a", "template": "t", "sections": [{"xpath": [], "importance": 2}]}', "importance"),
        ('{"page": "a", "template": "t", "sections": [{"xpath": [], "importance": 1}]}', "boilerplate"),
        (
            '{"page": "a", "template": "t", "sections":'
            ' [{"xpath": [], "importance": 1, "boilerplate": true, "cut": 1}]}',
            "expected cut and class",
        ),
    ],
)
def test_a_damaged_file_is_an_error(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "reviews-kim.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        ReviewStore(tmp_path, "kim")


def test_a_judge_must_have_a_name_for_a_file(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="annotator must be a name"):
        ReviewStore(tmp_path, "../kim")
