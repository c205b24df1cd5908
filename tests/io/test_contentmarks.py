"""Marks of content in files of labels."""

from __future__ import annotations

import json

import pytest

from webgrain.base.errors import InputError
from webgrain.io.contentmarks import ContentMark, main_text, truths_of
from webgrain.io.labels import LabelledPage, LabelledSegment, read_labels, write_labels
from webgrain.page.page import Source
from webgrain.page.parsing import parse

BODY = "/html[1]/body[1]"
MARKS = (
    ContentMark("main", (f"{BODY}/p[2]", f"{BODY}/p[3]")),
    ContentMark("author", (f"{BODY}/p[1]",), span=(3, 10)),
    ContentMark("date", (f"{BODY}/p[1]",), attribute="title", value="2014-05-03"),
    ContentMark("value", (f"{BODY}/p[3]",), span=(6, 11), label=(f"{BODY}/p[3]",), label_span=(0, 4)),
)
HTML = "<p title='May 3'>By Ann Lee<p>Text<p>Size: 12 cm<p style=display:none>Never"


def test_marks_of_content_are_read_as_they_were_written(tmp_path):
    (tmp_path / "a.html").write_text(HTML)
    page = LabelledPage(
        Source("a.html", b""), (LabelledSegment((BODY,)),), "kim", "article", None, MARKS, ("title",)
    )
    write_labels(tmp_path / "labels.jsonl", [page])
    [again] = read_labels(tmp_path / "labels.jsonl")
    assert again.content == MARKS
    assert (again.kind, again.absent, again.annotator) == ("article", ("title",), "kim")


def test_a_page_without_marks_differs_from_a_page_that_was_not_labelled(tmp_path):
    (tmp_path / "a.html").write_text(HTML)
    for content, known in (((), ()), (None, None)):
        write_labels(
            tmp_path / "labels.jsonl", [LabelledPage(Source("a.html", b""), (), None, None, None, content)]
        )
        [again] = read_labels(tmp_path / "labels.jsonl")
        assert again.content == known


@pytest.mark.parametrize(
    ("mark", "text"),
    list(zip(MARKS, ["Text Size: 12 cm", "Ann Lee", "May 3", "12 cm"], strict=True)),
)
def test_the_text_of_a_mark(mark, text):
    assert mark.text(parse(HTML)) == text


@pytest.mark.parametrize(
    "record",
    [
        {"content": {}},
        {"content": [{"name": "headline", "xpath": [BODY]}]},
        {"content": [{"name": "title"}]},
        {"content": [{"name": "title", "xpath": [BODY], "span": [3, 1]}]},
        {"content": [{"name": "title", "xpath": [BODY], "span": "all"}]},
        {"content": [{"name": "title", "xpath": [BODY], "value": 5}]},
        {"content": [{"name": "date", "xpath": [BODY], "value": "May 3"}]},
        {"content": [{"name": "date", "xpath": [BODY], "value": "2014-13"}]},
        {"content": [{"name": ["title"], "xpath": [BODY]}]},
        {"content": [], "absent": ["headline"]},
        {"content": [], "absent": [["title"]]},
    ],
)
def test_an_invalid_mark_is_an_error_that_names_the_line(tmp_path, record):
    (tmp_path / "a.html").write_text(HTML)
    (tmp_path / "labels.jsonl").write_text(json.dumps({"page": "a.html", "segments": [], **record}))
    with pytest.raises(InputError, match="expected"):
        list(read_labels(tmp_path / "labels.jsonl"))


def truths(*marks, absent=(), kind="article"):
    return truths_of(parse(HTML), marks, absent, kind)


def test_what_is_not_labelled_is_not_known():
    known = truths(ContentMark("title", (f"{BODY}/p[1]",)))
    assert known == {"kind": "article", "thread": False, "title": "By Ann Lee"}
    assert truths(absent=["main"])["text"] == ""
    assert truths(kind="thread", absent=["main"])["posts"] == ()
    assert "text" not in truths(kind="thread", absent=["main"])


@pytest.mark.parametrize("mark", [("author", f"{BODY}/p[9]", None), ("author", f"{BODY}/p[1]", (50, 60))])
def test_a_mark_without_text_is_an_error(mark):
    name, path, span = mark
    with pytest.raises(ValueError, match="has no text on the page"):
        truths(ContentMark(name, (path,), span))


def test_a_date_inside_a_paragraph_does_not_remove_the_paragraph():
    page = parse("<p>On May 3 the boat came back with a hole in its side.")
    date = ContentMark("date", (f"{BODY}/p[1]",), span=(3, 8), value="2014-05-03")
    main = ContentMark("main", (f"{BODY}/p[1]",))
    assert main_text(page, [main, date]).startswith("On May 3 the boat")
