from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, LAYOUTS, boxed, read

from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.outline import visible_tree
from webgrain.papers.features.treenodes import nodes_of

LISTS = """<div id=a class="Nav x"><ul><li class=i><a>1</a><li class=i><a>2</a><li>3</ul></div>
<div class=nav><ul><li class=i><a>4</a></ul></div>"""


def nodes_in(html, layout="none"):
    return nodes_of(read(html, layout))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("html", [BLOG, LISTS, "<p>x"])
def test_columns_of_the_tree_against_their_definitions(html, layout):
    nodes = nodes_in(html, layout)
    tree = nodes.tree
    children = [[v for v in range(len(tree)) if tree.parent[v] == u] for u in range(len(tree))]
    tags = [nodes.dom.name(node) for node in tree.node]
    paths = []
    for u in range(len(tree)):
        up = tree.parent[u]
        paths.append(([] if up < 0 else paths[up]) + [tags[u]])
        below = range(u, tree.end[u])
        assert nodes.children[u] == len(children[u])
        assert [nodes.place[v] for v in children[u]] == list(range(len(children[u])))
        assert nodes.depth[u] == len(paths[u]) - 1
        assert nodes.leaves[u] == sum(tree.kind[v] > 0 for v in below)
        assert nodes.height[u] == max(nodes.depth[v] for v in below) - nodes.depth[u]
        marks = Counter(nodes.signature[v] for v in children[u]).values()
        assert nodes.repetition[u] == pytest.approx(max(marks, default=0) / max(len(children[u]), 1))
    same = np.equal.outer(nodes.path, nodes.path)
    assert same.tolist() == [[a == b for b in paths] for a in paths]


def test_the_signature_is_the_tag_with_its_first_class():
    nodes = nodes_in(LISTS)
    items = nodes.signature[nodes.tagged(("li",))]
    assert items[0] == items[1] == items[3] != items[2]
    assert len(set(nodes.signature[nodes.tagged(("div",))])) == 2  # Nav is not nav


def test_names_are_class_and_id():
    nodes = nodes_in(LISTS)
    assert nodes.named(re.compile("nav")).sum() == 2
    assert nodes.named(re.compile("^nav x a$")).sum() == 1
    assert [value for value in nodes.ids if value] == ["a"]


def test_texts_are_counted_in_characters_words_and_sentences():
    nodes = nodes_in(
        "<p>a b\n c\U0001f600</p><img src=x alt=text><p>One. Two! three</p><p>\u6f22\u5b57\u3002"
    )
    characters, words, sentences = nodes.text
    texts = nodes.tree.kind == TEXT_LEAF
    assert characters[texts].tolist() == [4, 13, 3]
    assert words[texts].tolist() == [3, 3, 2]
    assert sentences[texts].tolist() == [1, 2, 1]
    assert nodes.length[nodes.tree.kind == IMAGE].tolist() == [10]
    assert not nodes.length[nodes.tree.kind == 0].any()


def test_a_heading_is_marked_as_one_or_short_and_large():
    boxes = np.array([[0, 30 * k, 300, 20] for k in range(4)])
    page = boxed(boxes)
    size = np.full(len(page.dom), 16, np.float32)
    size[np.flatnonzero(page.dom.is_text)[1]] = 20
    page = boxed(boxes, font_size=size)
    assert nodes_of(page).headings[visible_tree(page).leaf].tolist() == [0, 1, 0, 0]
    marked = nodes_in("<h2>a <b>b</b></h2><p>c")
    assert marked.headings[marked.tree.leaf].tolist() == [1, 1, 0]
