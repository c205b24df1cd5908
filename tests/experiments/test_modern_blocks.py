from __future__ import annotations

import numpy as np
import pytest
from experiments.datasets.blocks import ARCHIVES, LABELS, read_blocks, read_records
from experiments.datasets.marking import names_of
from experiments.modern_blocks import agreement

from webgrain.evaluation.datasets import Example, data_folder
from webgrain.evaluation.training import unequal_groups
from webgrain.io.contentmarks import PAGE_KINDS, content_of
from webgrain.io.labels import LabelledSegment, truth_of
from webgrain.page.parsing import parse
from webgrain.page.segmentation import Segmentation
from webgrain.segmentation.segmenter import ROLES


def labelled(css, roles):
    page = parse("<ul><li>One<li>Two</ul><p>Three")
    segments = tuple(LabelledSegment(css=(path,), role=role) for path, role in zip(css, roles, strict=True))
    return Example(page, truth_of(page, segments), segments)


def test_agreement_compares_the_segments_with_the_same_leaves():
    one = labelled(["html > body > ul", "html > body > p"], ["menu", "content"])
    other = labelled(["html > body > ul", "html > body > p"], ["linklist", "content"])
    assert agreement([one], [other]) == ([1.0], 1, 2)


@pytest.mark.parametrize(("labels", "unequal"), [([0, 0, 1, 1, 2, 2], 0), ([0, 0, 1, 1, 2, 3], 1)])
def test_groups_that_are_cut_unequally(labels, unequal):
    page = parse("<div>" + "<section><b>x</b><i>y</i></section>" * 3 + "</div>")
    found = np.full(len(page.dom), -1, np.int32)
    found[page.dom.is_text] = labels
    assert unequal_groups(page, Segmentation(found, "test")) == (unequal, 1)


FILES = [
    ("blocks", "a"),
    ("blocks", "first"),
    ("blocks", "second"),
    ("pages-2", "a"),
    ("pages-2", "first"),
    ("pages-2", "second"),
]


@pytest.mark.parametrize(("data", "annotator"), FILES)
def test_labels_have_known_roles_and_each_page_once(data, annotator):
    lines = (LABELS / f"{data}-{annotator}.jsonl").read_text().splitlines()
    records = read_records(annotator, data)
    assert len(records) == len(lines)
    assert {segment["role"] for record in records.values() for segment in record["segments"]} <= set(ROLES)


@pytest.mark.parametrize("annotator", ["a", "first", "second"])
def test_content_is_labelled_or_absent(annotator):
    for record in read_records(annotator, "pages-2").values():
        marks, absent = content_of(record)
        names = {mark.name for mark in marks} | set(absent)
        assert record["kind"] in PAGE_KINDS
        assert names >= {"title", "author", "date", "main"}
        assert all(mark.value for mark in marks if mark.name == "date" and "comment" not in names)


def test_all_pages_of_the_second_set_are_labelled():
    path = data_folder() / "pages-2/index.tsv"
    if not path.exists():
        pytest.skip("the data set pages-2 is not there: set WEBGRAIN_DATA")
    assert set(names_of("pages-2")) == set(read_records("a", "pages-2"))


@pytest.mark.parametrize(
    ("data", "annotator", "number"), [("blocks", "a", 183), ("blocks", "second", 32), ("pages-2", "a", 216)]
)
@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.full)])
def test_every_label_exists_on_its_page(data, annotator, number, step):
    if not (data_folder() / ARCHIVES[data]).exists():
        pytest.skip(f"the data set {data} is not there: set WEBGRAIN_DATA")
    pages = read_blocks(annotator, data)
    assert len(pages) == number
    for page in pages[::step]:
        dom = parse(page.source).dom
        marks = [*page.segments, *(page.content or ())]
        assert all(len(mark.nodes(dom)) == len(mark.xpath) for mark in marks)
