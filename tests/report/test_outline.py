from __future__ import annotations

import numpy as np
import pytest

from webgrain.page.outline import visible_tree
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.segmentation import Segmentation, segments
from webgrain.report.terminal import OutlineRow, outline, plain


def rows(html: str, labels: list[int], depth: int = 8) -> list[OutlineRow]:
    page = parse(Source("a", html.encode()))
    tree = visible_tree(page)
    of_node = np.full(len(tree), -1, np.int32)
    of_node[tree.leaf] = labels
    return list(outline(page, segments(page, Segmentation(tree.to_dom(of_node), "by hand")), depth))


def test_every_segment_has_a_line() -> None:
    found = rows("<header>Top</header><main><p>One<aside>Two</aside><p>Three</main>", [0, 1, 2, 1])
    assert [(row.segment, row.name, row.text) for row in found] == [
        (None, "html > body", ""),
        (0, "header", "Top"),
        (None, "main", ""),
        (1, "p", "One"),
        (2, "aside", "Two"),
        (1, "p", "Three"),
    ]


def test_branches_lead_to_their_parents() -> None:
    found = rows("<div><p>One<p>Two</div><div><p>Three<p>Four</div>", [0, 1, 2, 3])
    assert [row.branch for row in found] == [
        "",
        "├── ",
        "│   ├── ",
        "│   └── ",
        "└── ",
        "    ├── ",
        "    └── ",
    ]


def test_what_is_too_deep_is_summed_up() -> None:
    found = rows("<div><p>One<p>Two</div><p>Three", [0, 1, 2], depth=1)
    assert [(row.name, row.text) for row in found][1:] == [("div", "… 2 segments"), ("p", "Three")]


def test_one_segment_is_one_line() -> None:
    assert [(row.segment, row.text) for row in rows("<p>One<p>Two", [0, 0])] == [(0, "One Two")]


def test_an_empty_page_has_no_lines() -> None:
    assert rows("", []) == []


@pytest.mark.parametrize("evil", ["\x1b]0;title\x07", "\x9b31m", "\x00", "\u202e", "\r", "\u2028", "\ud800"])
def test_control_characters_are_taken_out(evil: str) -> None:
    assert plain(f"a{evil}b").isprintable()


def test_long_text_is_cut() -> None:
    assert plain("x" * 50, 10) == "x" * 9 + "…"


def test_words_of_all_scripts_stay() -> None:
    assert plain("می\u200cخواهم 日本語 e\u0301") == "می\u200cخواهم 日本語 e\u0301"
