"""The page as a reader sees it: without what it hides itself, dialogs and notices about cookies.

    <style>, attributes style, dialogs --> hidden nodes, without folded parts --> Page(hidden)

Linked style sheets are not read, and nothing is fetched. Tabs, accordions and other folded parts are not
hidden, because the reader opens them (`webgrain.page.leaves.folded_parts`), and neither are hidden parts that
are alike, such as the answers to questions, and figures, such as those of a gallery. Some pages hide what
their scripts show: if most of the main text is hidden, all of it counts as visible.

Cost: most pages hide nothing near their main text; for these, lookups of the values of attributes and of
the rules of equal style sheets. For the others, that of `webgrain.rendering.hiding`.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Int32
from webgrain.extraction import thresholds
from webgrain.page.dom import Dom
from webgrain.page.leaves import folded_parts, visible_nodes
from webgrain.page.page import Page
from webgrain.page.strings import has_text, name_set
from webgrain.page.tagtables import AttributeBits, TagSet
from webgrain.page.text import TextBlocks
from webgrain.rendering.hiding import hidden_nodes, may_hide, nodes_hidden_by_rules


def as_seen(page: Page, blocks: TextBlocks, chosen: NDArray[np.intp]) -> Page:
    """Return the page without the nodes that a reader does not see or that lie over the page.

    blocks, chosen: the text blocks of the page, and those of the main text. The same page if no text from the
    first to the last chosen block is hidden. The styles of a page with a view or with known hidden nodes have
    decided already.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<style>.a { display: none }</style><p>Some text<p class=a>b<p style='display: none'>c")
    >>> text_blocks(as_seen(page, text_blocks(page), np.arange(3))).texts
    ('Some text',)
    """
    if not len(chosen):
        return page
    dom = page.dom
    bits = _BITS.of_nodes(dom)
    by_rules: NDArray[np.integer] = _NO_NODES
    if page.view is None and page.hidden is None:
        by_rules = nodes_hidden_by_rules(dom)
    else:
        bits &= ~_STYLED
    text = blocks.first[chosen[0]], blocks.last[chosen[-1]]
    nodes = np.concatenate([bits.nonzero()[0], dom.find_tag("dialog"), by_rules])
    if not _is_any_in(dom, nodes, *text):
        return page
    notices = _outside_of_content(dom, ((bits & _NOTICE) > 0).nonzero()[0])
    dialogs = np.append(_closed_dialogs(dom), ((bits & _DIALOG) > 0).nonzero()[0])
    styled = np.append(((bits & _STYLED) > 0).nonzero()[0], by_rules)
    if not _is_any_in(dom, np.concatenate([notices, dialogs, styled]), *text):
        return page
    hidden = _around(dom, dialogs)
    if len(styled):
        hidden |= _hidden_by_styles(page, styled)
    if _is_most(page, blocks, chosen, hidden):
        hidden[:] = False
    hidden |= _around(dom, notices)
    return _without(page, hidden)


def _is_any_in(dom: Dom, nodes: NDArray[np.integer], first: int, last: int) -> bool:
    """Whether a node ``first`` to ``last`` is one of some nodes or in it."""
    return bool(np.count_nonzero((nodes <= last) & (dom.end[nodes] > first)))


_NOTICE, _DIALOG, _STYLED = 1, 2, 4
"""Bits of elements: notices about cookies, dialogs, and what an attribute ``style`` may hide."""
_NO_NODES = np.zeros(0, np.int64)
_NOTICE_WORDS = re.compile(
    r"(?<![a-z])((cookies?|gdpr|consent)[\w-]*(bar|banner|notice|notification|popup|modal|overlay|dialog)|"
    r"onetrust|cookiebot|didomi-|usercentrics|cookieconsent|cmplz-|cky-|qc-cmp)",
    re.IGNORECASE,
)
_LONGEST_NAMES = 500  # characters of an id or of classes that are read (hand-set)
_DIALOGS = name_set("dialog alertdialog true")
_HAS_NOTICES = TagSet("html", "body", "main", "article")


def _notice_bit(names: str) -> int:
    """Return the bit of the elements with a class or an id: `_NOTICE` or 0."""
    return _NOTICE * (_NOTICE_WORDS.search(names[:_LONGEST_NAMES]) is not None)


def _dialog_bit(value: str) -> int:
    """Return the bit of the elements with a role or ``aria-modal``: `_DIALOG` or 0."""
    return _DIALOG * (not _DIALOGS.isdisjoint(value.lower().split()))


_BITS = AttributeBits(
    {
        "class": _notice_bit,
        "id": _notice_bit,
        "role": _dialog_bit,
        "aria-modal": _dialog_bit,
        "style": lambda value: _STYLED * may_hide(value),
    }
)


def _outside_of_content(dom: Dom, notices: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return the notices that do not contain the page or its content.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<body class=cookie-bar-off><p id=cookie-bar>We use cookies.")
    >>> _outside_of_content(dom, np.array([2, 3])).tolist()
    [3]
    """
    pages = np.flatnonzero(_HAS_NOTICES.of_nodes(dom))
    inner = np.searchsorted(pages, dom.end[notices]) - np.searchsorted(pages, notices)
    outside: NDArray[np.integer] = notices[inner == 0]
    return outside


def _closed_dialogs(dom: Dom) -> NDArray[np.integer]:
    """Return the elements ``<dialog>``, which scripts open; a ``<dialog open>`` is a part of the page."""
    return np.setdiff1d(dom.find_tag("dialog"), dom.find_attribute("open")[1])


def _around(dom: Dom, nodes: NDArray[np.integer]) -> Bool:
    """Return True (n,) at some nodes and at all nodes inside them."""
    marked = np.zeros(len(dom), bool)
    marked[nodes] = True
    marked |= dom.inside(marked)
    return marked


def _hidden_by_styles(page: Page, styled: NDArray[np.integer]) -> Bool:
    """Return True (n,) at what styles hide and no reader opens; styled: nodes that they may hide."""
    dom = page.dom
    hidden = hidden_nodes(dom)
    look = _looks(dom)
    opener = folded_parts(replace(page, hidden=hidden))
    folded = (opener >= 0) & ~_around(dom, _alike_openers(dom, opener, look))
    folded |= _alike_parts(dom, hidden & visible_nodes(page), look)
    folded |= _around(dom, dom.find_tag("figure"))
    return hidden & _around(dom, styled) & ~folded


def _looks(dom: Dom) -> NDArray[np.int64]:
    """Return numbers (n,) of nodes: equal for equal tags and classes."""
    node, number, _ = dom.distinct_values("class")
    look: NDArray[np.int64] = dom.tag.astype(np.int64) * 2**32
    look[node] += number + 1
    return look


def _alike_openers(dom: Dom, opener: Int32, look: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the folded parts whose openers look like them: these are paragraphs beside paragraphs."""
    parts = np.flatnonzero((opener >= 0) & (opener[dom.parent] < 0))
    alike: NDArray[np.intp] = parts[look[parts] == look[opener[parts]]]
    return alike


def _alike_parts(dom: Dom, hidden: Bool, look: NDArray[np.int64]) -> Bool:
    """Return True (n,) in hidden parts that look alike inside elements that look alike, as answers do."""
    parts = np.flatnonzero(hidden & ~dom.is_text & ~hidden[dom.parent])
    keys = np.stack([look[parts], look[dom.parent[parts]]])
    _, key, count = np.unique(keys, axis=1, return_inverse=True, return_counts=True)
    return _around(dom, parts[count[key.ravel()] > 1])


def _is_most(page: Page, blocks: TextBlocks, chosen: NDArray[np.intp], hidden: Bool) -> bool:
    """Whether most letters of the chosen blocks are hidden."""
    text = page.dom.is_text & visible_nodes(page) & has_text(page.dom)
    size = np.diff(page.dom.text_start)
    whole, gone = (np.concatenate([[0], np.cumsum(size * mark)]) for mark in (text, text & hidden))
    first, behind = blocks.first[chosen], blocks.last[chosen] + 1
    lost = (gone[behind] - gone[first]).sum()
    return bool(lost > thresholds.MOST_HIDDEN * (whole[behind] - whole[first]).sum())


def _without(page: Page, hidden: Bool) -> Page:
    """Return a page in which more nodes are hidden."""
    if not (hidden & visible_nodes(page)).any():
        return page
    if page.view is not None:
        return replace(page, view=replace(page.view, visible=page.view.visible & ~hidden))
    return replace(page, hidden=hidden | ~visible_nodes(page))
