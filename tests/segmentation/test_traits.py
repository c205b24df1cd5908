from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, LAYOUTS, boxed, read

from webgrain.page.leaves import IMAGE, TEXT_LEAF, visible_tree
from webgrain.segmentation.features.nodes import Traits

LISTS = """<div id=a class="Nav x"><ul><li class=i><a>1</a><li class=i><a>2</a><li>3</ul></div>
<div class=nav><ul><li class=i><a>4</a></ul></div>"""


def traits_of(html, layout="none"):
    page = read(html, layout)
    return Traits(page, visible_tree(page))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("html", [BLOG, LISTS, "<p>x"])
def test_columns_of_the_tree_against_their_definitions(html, layout):
    traits = traits_of(html, layout)
    tree = traits.tree
    children = [[v for v in range(len(tree)) if tree.parent[v] == u] for u in range(len(tree))]
    tags = [traits.page.dom.name(node) for node in tree.node]
    paths = []
    for u in range(len(tree)):
        up = tree.parent[u]
        paths.append(([] if up < 0 else paths[up]) + [tags[u]])
        below = range(u, tree.end[u])
        assert traits.children[u] == len(children[u])
        assert [traits.place[v] for v in children[u]] == list(range(len(children[u])))
        assert traits.depth[u] == len(paths[u]) - 1
        assert traits.leaves[u] == sum(tree.kind[v] > 0 for v in below)
        assert traits.height[u] == max(traits.depth[v] for v in below) - traits.depth[u]
        marks = Counter(traits.signature[v] for v in children[u]).values()
        assert traits.repetition[u] == pytest.approx(max(marks, default=0) / max(len(children[u]), 1))
    same = np.equal.outer(traits.path, traits.path)
    assert same.tolist() == [[a == b for b in paths] for a in paths]


def test_the_signature_is_the_tag_with_its_first_class():
    traits = traits_of(LISTS)
    items = traits.signature[traits.tagged(("li",))]
    assert items[0] == items[1] == items[3] != items[2]
    assert len(set(traits.signature[traits.tagged(("div",))])) == 2  # Nav is not nav


def test_names_are_class_and_id():
    traits = traits_of(LISTS)
    assert traits.named(re.compile("nav")).sum() == 2
    assert next(name for name in traits.names if name) == "nav x a"
    assert [value for value in traits.ids if value] == ["a"]


def test_texts_are_counted_in_characters_words_and_sentences():
    traits = traits_of(
        "<p>a b\n c\U0001f600</p><img src=x alt=text><p>One. Two! three</p><p>\u6f22\u5b57\u3002"
    )
    characters, words, sentences = traits.text
    texts = traits.tree.kind == TEXT_LEAF
    assert characters[texts].tolist() == [4, 13, 3]
    assert words[texts].tolist() == [3, 3, 2]
    assert sentences[texts].tolist() == [1, 2, 1]
    assert traits.length[traits.tree.kind == IMAGE].tolist() == [10]
    assert not traits.length[traits.tree.kind == 0].any()


def test_a_heading_is_marked_as_one_or_short_and_large():
    boxes = np.array([[0, 30 * k, 300, 20] for k in range(4)])
    page = boxed(boxes)
    size = np.full(len(page.dom), 16, np.float32)
    size[np.flatnonzero(page.dom.is_text)[1]] = 20
    page = boxed(boxes, font_size=size)
    assert Traits(page, visible_tree(page)).headings[visible_tree(page).leaves].tolist() == [0, 1, 0, 0]
    marked = traits_of("<h2>a <b>b</b></h2><p>c")
    assert marked.headings[marked.tree.leaves].tolist() == [1, 1, 0]
