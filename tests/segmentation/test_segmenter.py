from __future__ import annotations

import json

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, read

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.estimator import family, load
from webgrain.page.outline import visible_tree
from webgrain.segmentation.segmenter import (
    DEFAULT,
    FORMAT,
    VERSION,
    Segmenter,
    read_segmenter,
    segmenter,
    trained,
    write_segmenter,
)

pytest.importorskip("sklearn", reason="scikit-learn is not installed")


def learnt(name, layout="lines"):
    """A method fitted to one page, with the packaged description of roles."""
    page = read(BLOG, layout)
    tree = visible_tree(page)
    truth = np.full(len(page.dom), -1)
    truth[tree.leaf_node] = np.arange(len(tree.leaf)) // 3
    method = segmenter(name).method.fit([page], [truth])
    return Segmenter(name, method, trained(page), layout)


def test_every_method_that_cuts_pages_can_be_kept():
    for name in family("segmentation"):
        assert load(name).learnt in load(name)().get_params()
    assert DEFAULT in family("segmentation")


@pytest.mark.parametrize("name", family("segmentation"))
def test_what_is_written_is_read(tmp_path, name):
    page, mine = read(BLOG, "lines"), learnt(name)
    write_segmenter(tmp_path / "a", mine)
    again = read_segmenter(tmp_path / "a")
    assert (again.name, again.layout) == (name, "lines")
    first, second = mine.predict(page), again.predict(page)
    assert first.labels.tolist() == second.labels.tolist()
    assert first.roles == second.roles
    write_segmenter(tmp_path / "b", again)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_pages_of_another_layout_are_cut_with_a_warning():
    mine = learnt("learntcut", "none")
    with pytest.warns(UserWarning, match="layout 'none', and the page has 'lines'"):
        mine.predict(read(BLOG, "lines"))


def test_parameters_can_be_changed_and_the_weights_stay():
    page, mine = read(BLOG * 3, "lines"), learnt("learntcut")
    one = mine.changed(granularity=0.0)
    assert len(one.predict(page)) == 1 < len(mine.predict(page))
    with pytest.raises(ParameterError, match="learntcut has no parameter lam"):
        mine.changed(lam=1.0)


def test_only_what_was_learnt_is_written(tmp_path):
    with pytest.raises(ParameterError, match="was fitted, got 'trained'"):
        write_segmenter(tmp_path / "a", segmenter("gcuts"))
    with pytest.raises(InputError, match="cannot be written"):
        write_segmenter(tmp_path, learnt("learntcut"))


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({}, "it lacks 'method'"),
        ({"method": "gcut", "params": {}}, "lacks 'gcut'"),
        ({"method": "gcuts", "params": {}, "learnt": {}}, "it lacks 'name'"),
        ({"method": "learntcut", "params": 3}, "damaged webgrain segmenter"),
        ({"method": "learntcut", "params": {}, "learnt": []}, "damaged"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, result, message):
    result = {"format": FORMAT, "version": VERSION} | result
    (tmp_path / "a").write_text(json.dumps(result), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_segmenter(tmp_path / "a")


@pytest.mark.parametrize("change", ["cut", "flip"])
def test_damaged_bytes_are_refused(tmp_path, change):
    write_segmenter(tmp_path / "a", learnt("learntcut"))
    data = (tmp_path / "a").read_bytes()
    middle = len(data) // 2
    damaged = data[:middle] if change == "cut" else data[:middle] + b"\xff\x00" * 8 + data[middle + 16 :]
    (tmp_path / "a").write_bytes(damaged)
    with pytest.raises(InputError):
        read_segmenter(tmp_path / "a")
