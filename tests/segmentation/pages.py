"""Pages for the tests of segmentation: without a view, with one line per leaf, or with boxes by hand."""

from __future__ import annotations

import numpy as np
from tests.views import with_lines

from webgrain.page.outline import visible_tree
from webgrain.page.page import Page, Source, View
from webgrain.page.parsing import parse

BLOG = """<title>T</title><body><div id=head><h1>Blog</h1><a href=/>Home</a> <a href=/a>About</a></div>
<div id=main><h2>One</h2><p>A first paragraph of some length, with <a href=b>a link</a>.<p>Another one.
<h2>Two</h2><p>And a third, to make it worth while.<img src=x width=300 height=200></div>
<ul style="background: #eee; font-size: 12px"><li><a href=1>Archive</a><li><a href=2>Contact</a></ul>"""

LAYOUTS = ("none", "lines")


def read(html: str | bytes, layout: str = "none") -> Page:
    """A page without a view, or with one line per leaf."""
    page = parse(Source("page", html.encode("utf-8", "replace") if isinstance(html, str) else html))
    return with_lines(page) if layout == "lines" else page


def boxed(boxes, **columns) -> Page:
    """A page of one text per box (l, 4) x, y, width, height; other columns of the View by name."""
    page = read("<br>".join(f"text {i}" for i in range(len(boxes))))
    n, leaves = len(page.dom), np.flatnonzero(page.dom.is_text)
    box = np.zeros((n, 4), np.float32)
    box[leaves] = boxes
    given = {
        "box": box,
        "visible": np.isin(np.arange(n), leaves),
        "display": np.ones(n, np.int8),
        "position": np.zeros(n, np.int8),
        "font": np.zeros(n, np.int32),
        "font_size": np.full(n, 16, np.float32),
        "font_weight": np.full(n, 400, np.int16),
        "italic": np.zeros(n, bool),
        "color": np.zeros((n, 4), np.uint8),
        "background": np.full((n, 4), 255, np.uint8),
        "painter": np.full(n, -1, np.int32),
        "background_image": np.zeros(n, bool),
        "fonts": ("serif",),
        "width": 1366.0,
        "height": 768.0,
        "viewport": (1366, 768),
        "source": "lines",
    }
    return page.with_view(View(**(given | columns)))


def assert_is_a_segmentation(page: Page, labels) -> None:
    """Every leaf is in a segment; who is in one has its descendants with it; ids count up from 0."""
    tree = visible_tree(page)
    assert labels.shape == (len(page.dom),)
    assert labels.dtype == np.int32
    mine = labels[tree.node]
    assert (mine[tree.kind > 0] >= 0).all()
    above = mine[tree.parent[1:]]
    assert ((above == -1) | (above == mine[1:])).all()
    hidden = np.ones(len(labels), bool)
    hidden[tree.node] = False
    assert (labels[hidden] == -1).all()
    first = list(dict.fromkeys(labels[labels >= 0].tolist()))
    assert first == list(range(len(first)))
