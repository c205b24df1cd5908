from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import InputError, ParameterError
from webgrain.io.labels import LabelledPage, LabelledSegment, read_labels, truth_of, write_labels
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.segmentation import segmentation_record
from webgrain.papers.gcuts import GCuts

if TYPE_CHECKING:
    from pathlib import Path

HTML = "<div><ul><li>One<li>Two</ul><p>Text</div><p>End"


def test_labels_are_written_and_read(tmp_path: Path) -> None:
    (tmp_path / "a b.html").write_text(HTML)
    segments = (
        LabelledSegment(xpath=("/html[1]/body[1]/div[1]", "/html[1]/body[1]/p[1]"), role="menü"),
        LabelledSegment(css=("html > body > div > ul",)),
    )
    pages = [LabelledPage(Source("a b.html", b""), segments, who) for who in ("kim", None)]
    write_labels(tmp_path / "labels.jsonl", pages)
    read = list(read_labels(tmp_path / "labels.jsonl"))
    assert [(page.segments, page.annotator) for page in read] == [(segments, "kim"), (segments, None)]
    assert read[0].source.body == HTML.encode()


def test_segments_of_a_method_are_labels(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(HTML)
    page = parse(Source("a.html", HTML.encode()))
    found = GCuts(invisibility=0.0).predict(page)
    (tmp_path / "labels.jsonl").write_text(json.dumps(segmentation_record(page, found)))
    [labelled] = read_labels(tmp_path / "labels.jsonl")
    truth = truth_of(page, labelled.segments)
    assert truth.fine.tolist() == found.labels[truth.leaf].tolist()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "labels.jsonl, line 1 is no record of labels: Expecting property name"),
        ("[" * 100_000, "line 1 is no record of labels: "),
        ("[]", "expected a record with the path of a page as page"),
        ('{"page": "../x.html", "segments": []}', "a page below the folder of the labels, got '../x.html'"),
        ('{"page": "none.html", "segments": []}', "the page 'none.html' is not there"),
        ('{"page": "a.html"}', "expected segments, a list of at most 10,000 records"),
        ('{"page": "a.html", "segments": [3]}', "expected a segment as a record, got 3"),
        ('{"page": "a.html", "segments": [{"role": "menu"}]}', "expected a segment with xpath or css"),
        ('{"page": "a.html", "segments": [{"css": [1]}]}', "expected css as a path or a list of paths"),
        ('{"page": "a.html", "segments": [{"css": "p", "role": 1}]}', "expected role as a text, got 1"),
    ],
)
def test_invalid_records_raise(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "a.html").write_text(HTML)
    (tmp_path / "labels.jsonl").write_text(line)
    with pytest.raises(InputError) as raised:
        list(read_labels(tmp_path / "labels.jsonl"))
    assert message in str(raised.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        list(read_labels(tmp_path / "labels.jsonl"))


def test_the_root_of_a_site_has_the_files_of_its_pages(tmp_path: Path) -> None:
    (tmp_path / "news").mkdir()
    (tmp_path / "style.css").write_bytes(b"p { color: red }")
    (tmp_path / "news" / "a.html").write_bytes(b"<p>One")
    page = LabelledPage(Source("a.html", b""), (LabelledSegment(css=("html > body > p",)),))
    write_labels(tmp_path / "news" / "labels.jsonl", [page])
    [read] = read_labels(tmp_path / "news" / "labels.jsonl", tmp_path)
    assert (read.source.id, read.source.path, read.source.body) == ("a.html", "news/a.html", b"<p>One")
    assert read.source.assets is not None
    assert read.source.assets.read("style.css") == b"p { color: red }"
    with pytest.raises(ParameterError, match="must be a folder that contains"):
        list(read_labels(tmp_path / "news" / "labels.jsonl", tmp_path / "other"))
