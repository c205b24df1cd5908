"""Texts of nodes by the kernel against plain Python, compiled and not."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.uncompiled import uncompiled

from webgrain.page.kernels import nodetext
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.strings import code_points, letters_table
from webgrain.page.text import ELEMENTS, WEBSTEMMER, is_inline, text_blocks, texts_of

SILENT = {"script", "style", "noscript", "template", "noframes", "noembed", "iframe", "datalist"}
SILENT |= {"select", "textarea"}
PIECES = [
    "<div>",
    "</div>",
    "<p>",
    "<b>",
    "</b>",
    "<a href=x>",
    "<a name=x>",
    "</a>",
    "<br>",
    "<select>",
    "</select>",
]
PIECES += [
    "<title>",
    "</title>",
    "<p hidden>",
    "<noscript>",
    "</noscript>",
    "<li>",
    "<table><td>",
    "</table>",
]
PIECES += ["One", " two ", "\u3000", "新闻_x", "&nbsp;", "\n", "a-b", "\U00020000", "\u200b", " "]
HTML = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def plain_blocks(page, rules):
    """Return text, weight and weight outside links of each block, straight from what a block is."""
    dom, seen, run, rows = page.dom, visible_nodes(page), 0, []
    closes = [0] * (len(dom) + 1)
    for node in range(len(dom)):
        run += closes[node]
        above = {dom.name(i) for i in dom.ancestors(node)}
        linked = any(dom.name(i) == "a" and dom.get(i, "href") for i in dom.ancestors(node))
        if rules.is_step(dom.name(node)) or dom.name(node) in ("br", "hr"):
            run += 1
            closes[int(dom.end[node])] += 1
        text = dom.text_of(node) if dom.is_text[node] else ""
        space = text.isspace() and "head" not in above
        if text and not above & SILENT and (seen[node] or "title" in above or space):
            rows.append((run, text, linked))
    blocks = []
    for _, group in groupby(rows, key=lambda row: row[0]):
        own = list(group)
        text = " ".join("".join(text for _, text, _ in own).split())
        heavy = [sum(map(weight_of(rules.wide), t)) for _, t, _ in own]
        if text and sum(heavy) >= rules.least:
            free = sum(w for w, (_, _, linked) in zip(heavy, own, strict=True) if not linked)
            blocks.append((text, sum(heavy), free))
    return blocks


def weight_of(wide):
    def weight(c):
        cjk = 0x3040 <= ord(c) <= 0x30FF or 0x4E00 <= ord(c) <= 0x9FFF
        return (wide if cjk else 1) if c.isalnum() or c == "_" else 0

    return weight


@given(HTML, st.sampled_from([ELEMENTS, WEBSTEMMER]))
def test_blocks_are_those_of_plain_python(html, rules):
    page = parse(Source("a", html.encode()))
    blocks = text_blocks(page, rules)
    weights = blocks.weight.tolist(), blocks.weight_noanchor.tolist()
    assert list(zip(blocks.texts, *weights, strict=True)) == plain_blocks(page, rules)


@pytest.mark.parametrize(
    "html", ["", "<p>One <b> two", "<title>T</title><p>x<a>y z</a><br>新闻 <p> <p hidden>n"]
)
def test_compiled_and_uncompiled_kernels_agree(html):
    plain, dom = uncompiled("page.kernels.nodetext"), parse(Source("a", html.encode())).dom
    assert not plain.COMPILED
    text = code_points(dom.text), dom.text_start
    tree, seen = (dom.parent, dom.end, dom.tag), np.ones(len(dom), np.uint8)
    bits = np.array(
        [5 if tag == "title" else 3 * (tag in ("p", "div")) + 32 * (tag == "a") for tag in dom.tags]
    )[dom.tag]
    for call in (
        lambda kernel: [kernel.has_letters(*text, letters_table())],
        lambda kernel: kernel.cut_blocks(tree, *text, seen, bits.astype(np.uint8), letters_table(2), 1),
        lambda kernel: joined(kernel, dom),
        lambda kernel: [
            kernel.stripped_keys(text[0], letters_table(), dom.text_start[:-1], dom.text_start[1:])
        ],
    ):
        assert [x.tolist() for x in call(plain)] == [x.tolist() for x in call(nodetext)]


def joined(kernel, dom):
    """Return the texts of all nodes, and of the first nodes together, by a kernel; each text is a line."""
    node = dom.is_text.nonzero()[0]
    pieces = np.stack([dom.text_start[node], dom.text_start[node + 1], np.arange(len(node)) // 2])
    spans = [(k, node.searchsorted(k), node.searchsorted(dom.end[k])) for k in range(len(dom))]
    spans += [(len(dom), 0, min(1, len(node))), (len(dom), 0, len(node))]
    tables = pieces.astype(np.int32), np.ascontiguousarray(np.array(spans, np.int32).T)
    return kernel.join_lines(code_points(dom.text), letters_table(), *tables, len(dom) + 2, 10)


def plain_texts(page, groups):
    """Return the text of each group of nodes, a line for each block."""
    dom, runs, run = page.dom, [], 0
    closes = [0] * (len(dom) + 1)
    for node in range(len(dom)):
        run += closes[node]
        if dom.name(node) != "#text" and not is_inline(dom.name(node)):
            run += 1
            closes[int(dom.end[node])] += 1
        runs.append(run)
    seen = visible_nodes(page)
    unseen = SILENT - {"select", "textarea"} | {"head"}
    texts = []
    for group in groups:
        chosen = {inner for node in group for inner in range(node, int(dom.end[node])) if dom.is_text[inner]}
        kept = [
            node
            for node in sorted(chosen)
            if (seen[node] or dom.text_of(node).isspace())
            and not {dom.name(above) for above in dom.ancestors(node)} & unseen
        ]
        lines = ["".join(map(dom.text_of, line)).split() for _, line in groupby(kept, key=runs.__getitem__)]
        texts.append("|".join(" ".join(line) for line in lines if line))
    return texts


@given(HTML, st.randoms(use_true_random=False))
def test_texts_of_groups_are_those_of_plain_python(html, random):
    page = parse(Source("a", html.encode()))
    nodes = range(len(page.dom))
    groups = [[node] for node in nodes] + [random.choices(nodes, k=3) for _ in range(4)] + [[]]
    assert texts_of(page, groups, separator="|") == plain_texts(page, groups)
    assert texts_of(page, groups, separator="<>") == [
        text.replace("|", "<>") for text in plain_texts(page, groups)
    ]


@given(st.lists(st.text(alphabet="ab \n\u3000\U00020000", max_size=6)))
def test_equal_texts_have_equal_keys_but_for_white_space_around(texts):
    end = np.cumsum([len(text) for text in texts], dtype=np.int32)
    start = end - np.array([len(text) for text in texts], np.int32)
    keys = nodetext.stripped_keys(code_points("".join(texts)), letters_table(), start, end).tolist()
    stripped = [text.strip() for text in texts]
    assert len(set(zip(keys, stripped, strict=True))) == len(set(keys)) == len(set(stripped))


def test_sums_of_keys_show_which_texts_have_which_characters():
    end = np.array([2, 4, 6, 8], np.int32)
    keys = nodetext.stripped_keys(code_points("12341432"), letters_table(), end - np.int32(2), end).tolist()
    assert keys[0] + keys[1] != keys[2] + keys[3]
