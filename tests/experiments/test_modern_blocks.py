from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from experiments.datasets.blocks import LABELS, read_blocks
from experiments.modern_blocks import agreement

from webgrain.evaluation.datasets import Example, LabelledSegment, data_folder, truth_of
from webgrain.evaluation.training import unequal_groups
from webgrain.page.parsing import parse
from webgrain.results import Segmentation
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


@pytest.mark.parametrize("annotator", ["a", "b"])
def test_labels_have_known_roles_and_each_page_once(annotator):
    records = [json.loads(line) for line in (LABELS / f"blocks-{annotator}.jsonl").read_text().splitlines()]
    assert max(Counter(record["page"] for record in records).values()) == 1
    assert {one["role"] for record in records for one in record["segments"]} <= set(ROLES)


def test_every_label_exists_on_its_page():
    if not (data_folder() / "blocks/pages.tar.xz").exists():
        pytest.skip("the data set blocks is not there: set WEBGRAIN_DATA")
    pages = read_blocks("b")
    assert len(pages) == 32
    for one in pages:
        dom = parse(one.source).dom
        assert all(len(segment.nodes(dom)) == len(segment.xpath) for segment in one.segments)
