from __future__ import annotations

from typing import Any

import pytest
from tests.labeling.conftest import view_of

from webgrain.base.errors import ParameterError
from webgrain.io.labels import LabelledSegment
from webgrain.labeling.pages import marks_of, segments_of

HTML = "<ul id=menu><li><a>One</a><li>Two</ul><p>Three"  # parts: html, ul, li, li, p
LI = "/html[1]/body[1]/ul[1]/li[1]"


def test_marks_are_unchanged_after_saving() -> None:
    found = view_of(HTML)
    marks = [
        {"parts": [2, 4], "role": "menu", "lost": [], "paths": []},
        {"parts": [3], "role": None, "lost": ["#gone"], "paths": []},
    ]
    assert marks_of(found, segments_of(found, marks)) == marks


def test_paths_are_those_of_the_topmost_nodes() -> None:
    [segment] = segments_of(view_of(HTML), [{"parts": [2], "role": None, "lost": []}])
    assert segment.xpath == (LI,)


def test_css_and_inner_nodes_mean_the_part_that_has_their_leaves() -> None:
    segments = [LabelledSegment(css=("#menu",)), LabelledSegment(xpath=(f"{LI}/a[1]/text()[1]", LI))]
    assert [mark["parts"] for mark in marks_of(view_of(HTML), segments)] == [[1], [2]]


@pytest.mark.parametrize(
    "path", ["/html[1]/body[1]/nav[1]", "/html[1]/head[1]", "//li", "li:hover", "/html/@id"]
)
def test_paths_of_invisible_elements_are_kept(path: str) -> None:
    found = view_of(HTML)
    segment = LabelledSegment((path,)) if path.startswith("/") else LabelledSegment(css=(path,))
    assert marks_of(found, [segment]) == [{"parts": [], "role": None, "lost": [path], "paths": []}]
    assert segments_of(found, marks_of(found, [segment])) == (segment,)


def test_segments_that_are_not_changed_have_the_paths_of_the_file() -> None:
    found = view_of(HTML)
    segments = (
        LabelledSegment(css=("#gone", "#menu")),
        LabelledSegment((f"{LI}/a[1]", "/html[1]/body[1]/nav[1]", LI), role="x"),
    )
    marks = marks_of(found, segments)
    assert segments_of(found, marks) == segments
    marks[1]["parts"] = [3]  # another part, which has no path in the file
    assert segments_of(found, marks)[1].xpath == ("/html[1]/body[1]/nav[1]", LI.replace("li[1]", "li[2]"))


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        (None, "segments as a list"),
        ({}, "segments as a list"),
        ([1], "a segment as a record"),
        ([{}], "parts as a list"),
        ([{"parts": [5]}], "numbers from 0 to 4"),
        ([{"parts": [-1]}], "numbers from 0 to 4"),
        ([{"parts": [True]}], "numbers from 0 to 4"),
        ([{"parts": [1.0]}], "numbers from 0 to 4"),
        ([{"parts": [[1]]}], "numbers from 0 to 4"),
        ([{"parts": []}], "at least one part"),
        ([{"parts": [1], "role": 3}], "role as a text"),
        ([{"parts": [1], "role": ""}], "role as a text"),
        ([{"parts": [1], "role": "x" * 101}], "role as a text"),
        ([{"parts": [1], "lost": "#gone"}], "lost as a list"),
        ([{"parts": [1], "lost": [""]}], "lost as a list"),
        ([{"parts": [1], "lost": [1]}], "lost as a list"),
        ([{"parts": [1], "paths": [LI]}], "paths as a list of pairs"),
        ([{"parts": [1], "paths": [[1]]}], "paths as a list of pairs"),
        ([{"parts": [1], "paths": [["1", LI]]}], "paths as a list of pairs"),
        ([{"parts": [1], "paths": [[1, ""]]}], "paths as a list of pairs"),
        ([{"parts": [1]}] * 10_001, "at most 10,000"),
    ],
)
def test_values_that_are_no_marks_are_errors(marks: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        segments_of(view_of(HTML), marks)
