"""Path keys and merged paths against plain Python, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.uncompiled import uncompiled

from webgrain.page.kernels import treepass as pathtable
from webgrain.page.parsing import parse_html
from webgrain.page.paths import tag_key
from webgrain.page.strings import code_points

HTML = """<body class="b a b"><div id=" x " class=''><p class=c>One<p class=c>two<p></div>
<ul><li>1<li>2<li id=ö>3<b>4</b></ul><div id=x><p class="c d">five</div>"""


@pytest.fixture
def tree():
    dom = parse_html(HTML)
    keys = [dom.parent, dom.tag, np.array([tag_key(tag) for tag in dom.tags], np.uint64)]
    for name in ("id", "class"):
        attributes, nodes = dom.find_attribute(name)
        values = dom.values_of(attributes)
        of_values = [pathtable.value_key(code_points(value), name == "class") for value in values]
        keys.append((nodes, dom.value[attributes], np.array(of_values, np.uint64)))
    (_, path), *_, step = pathtable.places(*keys)
    return dom, keys, np.where(dom.tag > 0, step[path], np.uint64(0))


def plain_paths(dom):
    """Return the path of each element as a tuple of tag, id and set of classes."""
    paths = {-1: ()}
    for node in range(len(dom)):
        own = dom.attributes(node)
        name = (
            dom.name(node),
            "".join(own.get("id", "").split()),
            tuple(sorted(own.get("class", "").split())),
        )
        paths[node] = paths[int(dom.parent[node])] + ((name,) if dom.tag[node] else ())
    return [paths[node] for node in range(len(dom))]


def test_nodes_share_a_path_if_their_steps_are_equal(tree):
    dom, keys, step = tree
    of, up, first, count, only = pathtable.merge_paths(dom.parent, step)
    (_, path), _, rows, *_ = pathtable.places(*keys)
    assert path.tolist() == of.tolist()
    assert rows.tolist() == [up.tolist(), first.tolist(), count.tolist()]
    paths = plain_paths(dom)
    assert len(set(of.tolist())) == len(set(paths))
    assert all((of[i] == of[j]) == (paths[i] == paths[j]) for i in range(len(dom)) for j in range(i))
    elements = dom.tag != 0
    assert count.tolist() == np.bincount(of[elements]).tolist()
    assert (up[1:] < np.arange(1, len(up))).all()
    assert all(of[first] == np.arange(len(first)))
    alone = [
        all(
            sum(dom.tag[c] != 0 for c in dom.children(i)) == 1
            for i in np.flatnonzero((of == r) & elements).tolist()
        )
        for r in range(len(up))
    ]
    assert only.astype(bool).tolist() == alone


def test_keys_do_not_depend_on_the_table(tree):
    dom, _, step = tree
    _, up, first, *_ = pathtable.merge_paths(dom.parent, step)
    one = pathtable.path_keys(up, step[first], np.array([0, len(up)]))
    two = pathtable.path_keys(np.tile(up, 2), np.tile(step[first], 2), np.array([0, len(up), 2 * len(up)]))
    assert two.tolist() == one.tolist() * 2
    assert len(set(one.tolist())) == len(up)


def test_sums_climb_to_the_paths_above():
    up = np.array([-1, 0, 1, 0], np.int32)
    assert pathtable.climb(up, np.array([[1], [2], [3], [4]])).ravel().tolist() == [10, 5, 3, 4]


def test_texts_have_keys_without_white_space():
    codes = code_points("a b ab  long text")
    start, end = np.array([0, 4, 6, 8], np.int32), np.array([3, 6, 8, 17], np.int32)
    keys = pathtable.span_keys(codes, start, end, 4).tolist()
    assert keys[0] == keys[1] != 0
    assert keys[2:] == [0, 0]


def test_compiled_and_uncompiled_kernels_agree(tree):
    dom, keys, step = tree
    plain = uncompiled("page.kernels.treepass")
    assert not plain.COMPILED
    assert all(map(np.array_equal, plain.places(*keys), pathtable.places(*keys)))
    for value in (" b a  b\t", "ö x", "", " "):
        for split in (False, True):
            codes = code_points(value)
            assert plain.value_key(codes, split) == pathtable.value_key(codes, split)
    merged, expected = plain.merge_paths(dom.parent, step), pathtable.merge_paths(dom.parent, step)
    assert all(map(np.array_equal, merged, expected))
    _, up, first, *_ = expected
    bounds = np.array([0, len(up)])
    assert np.array_equal(
        plain.path_keys(up, step[first], bounds), pathtable.path_keys(up, step[first], bounds)
    )
    spans = (code_points(dom.text), dom.text_start[:-1].copy(), dom.text_start[1:].copy(), 40)
    assert np.array_equal(plain.span_keys(*spans), pathtable.span_keys(*spans))
    ones = np.ones((len(up), 2), np.int32)
    assert np.array_equal(plain.climb(up, ones), pathtable.climb(up, ones))
