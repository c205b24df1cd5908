"""Passes over trees by the kernel against plain Python, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.uncompiled import uncompiled

from webgrain.page.kernels import treepass
from webgrain.page.parsing import parse_html
from webgrain.page.paths import TAG_KEYS

HTML = """<body class="a b"><p id=x class=c>1<p class=c id=x>2<p class=c>3<p class="c "><p id=c>4<div><p>5
<p class><i>6</i><b>7</b><i>8</i></div><ul>""" + "".join(
    f"<li class='k{k % 3}'><i>{k}</i>" for k in range(40)
)


KERNELS = [treepass, uncompiled("page.kernels.treepass")]


@pytest.fixture
def dom():
    return parse_html(HTML)


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_what_is_above(kernel, dom):
    flag = dom.tag == dom.tags.index("ul")
    found = kernel.any_above(dom.parent, flag.view(np.uint8)).tolist()
    assert found == [any(flag[i] for i in dom.ancestors(node)) for node in range(len(dom))]
    assert sum(found) > 40


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_depths_are_numbers_of_ancestors(kernel, dom):
    assert kernel.depths(dom.parent).tolist() == [len(dom.ancestors(node)) for node in range(len(dom))]


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_an_element_that_is_a_leaf_hides_the_leaves_in_it(kernel, dom):
    of_tag = {"#text": 1, "i": 2}
    kinds = np.array([of_tag.get(tag, 0) for tag in dom.tags], np.int8)
    visible, filled = np.random.default_rng(0).integers(0, 4, (2, len(dom))).astype(bool).view(np.uint8)
    found = kernel.leaf_kinds(dom.parent, dom.tag, kinds, visible, filled).tolist()
    own = np.where(visible & (~dom.is_text | filled), kinds[dom.tag], 0).tolist()
    within = [any(own[i] and dom.name(i) == "i" for i in dom.ancestors(node)) for node in range(len(dom))]
    assert found == [0 if inside else kind for inside, kind in zip(within, own, strict=True)]
    assert {1, 2} <= set(found)


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_types_have_a_tag_an_id_and_a_class(kernel, dom):
    columns = [dom.find_attribute(name) for name in ("id", "class")]
    values = [(nodes, dom.value[attributes], np.ones(len(nodes), np.uint64)) for attributes, nodes in columns]
    (of, _), (tag, *values), *_ = kernel.places(dom.parent, dom.tag, TAG_KEYS.values(dom.tags), *values)
    expected = [(dom.name(node), dom.get(node, "id"), dom.get(node, "class")) for node in range(len(dom))]
    texts = [[None if k < 0 else dom.values.texts[k] for k in numbers.tolist()] for numbers in values]
    types = list(zip([dom.tags[k] for k in tag.tolist()], *texts, strict=True))
    assert types == list(dict.fromkeys(expected))  # in the order of their first nodes
    assert [types[k] for k in of.tolist()] == expected


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_a_pruned_tree_has_the_chosen_nodes_and_their_ancestors(kernel, dom):
    kind = (dom.tag == dom.tags.index("b")).astype(np.int8) + (dom.tag == dom.tags.index("li"))
    rows, leaf, kinds = kernel.units_above(dom.parent, dom.end, kind, False)
    node, last, parent, end, low, high, level = rows.tolist()
    wanted = set(np.flatnonzero(kind).tolist())
    assert node == sorted(wanted.union(*(dom.ancestors(one) for one in wanted)))
    assert [node[above] if above >= 0 else -1 for above in parent] == dom.parent[node].tolist()
    assert end == np.searchsorted(node, dom.end[node]).tolist()
    assert last == node
    assert kinds.tolist() == kind[node].tolist()
    assert leaf.tolist() == np.flatnonzero(kinds).tolist()
    assert low == [sum(kinds[:k] > 0) for k in range(len(node))]
    assert high == [sum(kinds[:k] > 0) for k in end]
    assert level == [len(dom.ancestors(one)) for one in node]
    assert not kernel.units_above(dom.parent, dom.end, np.zeros(len(dom), np.int8), False)[0].size


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_what_is_nearest(kernel, dom):
    mark = (dom.tag == dom.tags.index("p")) | (dom.tag == dom.tags.index("div"))
    found = kernel.innermost(dom.parent, mark.view(np.uint8)).tolist()
    ways = [[node, *dom.ancestors(node)] for node in range(len(dom))]
    assert found == [next((i for i in way if mark[i]), -1) for way in ways]


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_places_among_siblings(kernel, dom):
    place, number = kernel.sibling_numbers(dom.parent, dom.tag)
    for node in range(1, len(dom)):
        alike = [i for i in dom.children(int(dom.parent[node])) if dom.tag[i] == dom.tag[node]]
        assert (alike.index(node), len(alike)) == (place[node], number[node])


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_attributes_are_sorted_by_name(kernel, dom):
    attributes, nodes, begin = kernel.attributes_by_name(dom.attr_start, dom.attr_name, len(dom.names))
    order = np.argsort(dom.attr_name, kind="stable")
    assert attributes.tolist() == order.tolist()
    assert nodes.tolist() == np.repeat(np.arange(len(dom)), np.diff(dom.attr_start))[order].tolist()
    assert begin.tolist() == np.searchsorted(dom.attr_name[order], np.arange(len(dom.names) + 1)).tolist()
    nothing = parse_html("a")
    assert kernel.attributes_by_name(nothing.attr_start, nothing.attr_name, 3)[2].tolist() == [0] * 4


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
def test_tables_are_merged_like_single_ones(kernel):
    rng = np.random.default_rng(0)
    tables = []
    for size in (1, 30, 0, 50, 50):
        up = np.array([-1, *(rng.integers(-1, k) for k in range(1, size))][:size], np.int32)
        tables.append((up, rng.integers(0, 4, size).astype(np.uint64)))
    start = np.append(0, np.cumsum([len(up) for up, _ in tables]))
    joined = [np.where(up >= 0, up + begin, -1) for (up, _), begin in zip(tables, start, strict=False)]
    steps = np.concatenate([step for _, step in tables])
    of, above, first, new = kernel.merge_tables(np.concatenate(joined).astype(np.int32), steps, start)
    for table, (up, step) in enumerate(tables):
        expected_of, expected_up, expected_first, *_ = treepass.merge_paths(up, step)
        low, high, begin = new[table], new[table + 1], start[table]
        rows = of[begin : start[table + 1]]
        assert np.where(rows >= 0, rows - low, -1).tolist() == expected_of.tolist()
        assert np.where(above[low:high] >= 0, above[low:high] - low, -1).tolist() == expected_up.tolist()
        assert (first[low:high] - begin).tolist() == expected_first.tolist()
    assert new[-1] == len(above) == len(first) > 60
