"""Parts of a page: the page that remains without some elements, as if they were not in its HTML."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64
from webgrain.page.dom import Dom
from webgrain.page.page import Page, View


class PagePart(NamedTuple):
    """A part of a page.

    Attributes:
        page: the part, as a page.
        node: (k,) the nodes of the whole page that are in the part; of texts that became one, the first.
    """

    page: Page
    node: Int64


def page_part(page: Page, kept: Bool) -> PagePart:
    """Return the part of a page with some of its nodes; boxes and hidden nodes stay as they are.

    kept: (n,) True at these nodes; the ancestors of a kept node must be kept. Texts that a removed element
    separated become one, as in a page without the element.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>One <b>ad</b>two")  # html, head, body, p, text, b, text, text
    >>> part = page_part(page, ~page.dom.tagged("b") & ~page.dom.inside(page.dom.tagged("b")))
    >>> part.page.dom.text_of(4), part.node.tolist()
    ('One two', [0, 1, 2, 3, 4])
    """
    dom = page.dom
    node = np.flatnonzero(kept)
    is_text, parent = dom.is_text[node], dom.parent[node]
    joined = np.zeros(len(node), bool)
    joined[1:] = is_text[1:] & is_text[:-1] & (parent[1:] == parent[:-1])
    node = node[~joined]
    rank = np.full(len(dom), -1, np.int32)
    rank[node] = np.arange(len(node), dtype=np.int32)
    view = None if page.view is None else _part_of_view(page.view, node, rank)
    hidden = None if page.hidden is None else page.hidden[node]
    return PagePart(replace(page, dom=_part_of_dom(dom, kept, node, rank), view=view, hidden=hidden), node)


def _part_of_dom(dom: Dom, kept: Bool, node: Int64, rank: Int32) -> Dom:
    """Return a tree of some nodes. kept: (n,) with texts that become one; rank: (n,) the new numbers."""
    texts = np.flatnonzero(kept & dom.is_text).tolist()
    size = np.zeros(len(dom) + 1, np.int64)
    size[1:] = np.cumsum(np.where(kept, np.diff(dom.text_start), 0))
    attributes = np.diff(dom.attr_start)
    of_kept = np.repeat(rank >= 0, attributes)
    parent = dom.parent[node]
    return replace(
        dom,
        parent=np.where(parent >= 0, rank[parent], -1).astype(np.int32),
        end=np.searchsorted(node, dom.end[node]).astype(np.int32),
        tag=dom.tag[node],
        text="".join([dom.text_of(text) for text in texts]),
        text_start=size[np.append(node, len(dom))].astype(np.int32),
        attr_start=np.append(0, np.cumsum(attributes[node])).astype(np.int32),
        attr_name=dom.attr_name[of_kept],
        value=dom.value[of_kept],
    )


def _part_of_view(view: View, node: Int64, rank: Int32) -> View:
    """Return the boxes and styles of some nodes."""
    columns = {field.name: getattr(view, field.name) for field in fields(view)}
    columns = {name: column[node] for name, column in columns.items() if isinstance(column, np.ndarray)}
    painter = columns["painter"]
    columns["painter"] = np.where(painter >= 0, rank[painter], -1).astype(np.int32)
    return replace(view, **columns)
