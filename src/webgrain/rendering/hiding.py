"""Which nodes of a page its HTML and style sheets hide, without a browser.

    style sheets --rules--> those that declare display or visibility --selectors--> nodes --cascade--> hidden

A node is hidden if ``display`` is ``none`` at it or around it, or ``visibility`` is ``hidden`` or
``collapse`` at it. In increasing order, these decide:

    browser      elements that are not displayed, such as <script>, and the attribute ``hidden``
    sheets       rules of style sheets, by specificity, then by order; then the attribute ``style``
    important    the same, declared ``!important``
    always       elements that no browser shows, hidden inputs, the inside of a closed <details>

Source: CSS 2.2, section 6.4; the rendering section of the HTML standard. Departures: scripts do not run, but
what they would show is visible: hidden parts that React sent, and text with ``visibility: hidden`` that is
most of the text of a page (`REVEALED`). Values with ``var()`` are not read. What is transparent, empty,
clipped or outside the page is not found: this needs boxes.

Cost: linear in nodes, and in characters of style sheets; equal style sheets are read once per process, and of
their rules only those that declare one of both properties are compared with nodes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Int8, Int32
from webgrain.page.addresses import Selectors
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import never_shown, show_streamed
from webgrain.page.strings import name_set
from webgrain.page.tagtables import TagTable
from webgrain.page.values import Question
from webgrain.rendering import thresholds
from webgrain.rendering.sheets import ReadSheet, page_rules, rules

WIDTH = 1366
"""Width of the screen in px, for media queries; the same as in `webgrain.rendering.chromium`."""


def hidden_nodes(dom: Dom, sheets: ReadSheet | None = None) -> Bool:
    """Return True (n,) at the nodes that are hidden, and at all nodes inside them; read-only.

    sheets: returns the text of the style sheet at the ``href`` of a link, or None (see
    `webgrain.site.pipeline.linked_sheets`); by default, linked style sheets are ignored.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<style>.a { display: none }</style><p>One<p class=a>Two<p hidden>Three")
    >>> [dom.text_of(node) for node in np.flatnonzero(~hidden_nodes(dom) & dom.is_text)]
    ['One']
    """
    dom = show_streamed(dom)
    declared = _declared(dom, sheets)
    not_displayed = _cascaded(_browser_default(dom), declared, DISPLAY) == HIDES
    not_displayed |= _never_displayed(dom)
    not_displayed |= dom.inside(not_displayed)
    hidden: Bool = not_displayed | _revealed(dom, not_displayed, _invisible(dom, declared))
    hidden.setflags(write=False)
    return hidden


def nodes_hidden_by_rules(dom: Dom) -> NDArray[np.integer]:
    """Return the nodes, in any order, that a rule in ``<style>`` may hide; fast.

    Other declarations may show these nodes again; `hidden_nodes` decides.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<style>.a { display: none }</style><p class=a>One<p style='display: none'>Two")
    >>> [dom.text_of(node) for node in nodes_hidden_by_rules(dom).tolist()]
    ['One']
    """
    css = page_rules(dom, WIDTH) if len(dom.find_tag("style")) else ""
    if not css or not _has_hiding_rule(css):
        return _NOTHING[0]
    selectors, states = hiding_rules(css)
    hides = (states == HIDES).any(axis=(1, 2))
    if not hides.any():
        return _NOTHING[0]
    node, rule = selectors.find(dom, thresholds.COMPARISONS)
    nodes: NDArray[np.integer] = node[hides[rule]]
    return nodes


def may_hide(style: str) -> bool:
    """Whether an attribute ``style`` may hide its element.

    >>> may_hide("display: none"), may_hide("color: red")
    (True, False)
    """
    return HIDES in sum(read_states(style), ())


@lru_cache(256)
def _has_hiding_rule(css: str) -> bool:
    """Whether style sheets may hide something."""
    return _HIDING_RULE.search(css.lower()) is not None


_HIDING_RULE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)")

UNSET, SHOWS, HIDES, INHERITS = -1, 0, 1, 2
"""What a declaration states about a node."""
DISPLAY, VISIBILITY = 0, 1
"""Columns of `Declared.states`."""


class Declared(NamedTuple):
    """What rules and attributes declare: nodes (m,), in the order of the cascade, and states (m, 2)."""

    node: NDArray[np.integer]
    states: Int8


def _declared(dom: Dom, sheets: ReadSheet | None) -> Declared:
    """Return all declarations of a page: first the normal ones, then the important ones."""
    selectors, states = hiding_rules(page_rules(dom, WIDTH, sheets))
    node, rule = selectors.find(dom, thresholds.COMPARISONS) if len(states) else _NOTHING
    attribute, styled = dom.find_attribute("style")
    of_style = dom.ask(_STATES_OF_STYLE, attribute)
    parts = [states[rule, 0], of_style[:, 0], states[rule, 1], of_style[:, 1]]
    return Declared(np.concatenate([node, styled, node, styled]), np.concatenate(parts))


_NOTHING: tuple[Int32, Int32] = (np.zeros(0, np.int32), np.zeros(0, np.int32))


def _cascaded(state: Int8, declared: Declared, column: int) -> Int8:
    """Return the states (n,) of nodes: those given, or the last ones that are declared."""
    is_set = declared.states[:, column] != UNSET
    state[declared.node[is_set]] = declared.states[is_set, column]
    return state


def _invisible(dom: Dom, declared: Declared) -> Bool:
    """Return True (n,) at nodes that are not visible; a node without a declaration is as its parent."""
    state = _cascaded(np.full(len(dom), UNSET, np.int8), declared, VISIBILITY)
    nearest = innermost(dom.parent, ((state == SHOWS) | (state == HIDES)).view(np.uint8))
    invisible: Bool = (nearest >= 0) & (state[nearest] == HIDES)
    return invisible


def _revealed(dom: Dom, not_displayed: Bool, invisible: Bool) -> Bool:
    """Return the invisible nodes (n,), none if they have most of the text that is displayed."""
    letters = np.where(dom.is_text & ~not_displayed, np.diff(dom.text_start), 0)
    visible = letters[~invisible].sum()
    return np.zeros_like(invisible) if letters.sum() > (1.0 + thresholds.REVEALED) * visible else invisible


_NOT_DISPLAYED = name_set(
    "area base basefont datalist dialog frame link meta noembed noframes optgroup option param rp track"
)
"""Elements that a browser does not display unless a style sheet does; see also `never_shown`."""
_AUDIO, _DIALOG, _DETAILS, _SUMMARY, _INPUT = 1, 2, 3, 4, 5
_KIND = {"audio": _AUDIO, "dialog": _DIALOG, "details": _DETAILS, "summary": _SUMMARY, "input": _INPUT}
_KINDS = TagTable(lambda tag: _KIND.get(tag, 0), np.int8)
_STATE_OF_TAGS = TagTable(lambda tag: HIDES if tag in _NOT_DISPLAYED else SHOWS, np.int8)
_IS_UNTIL_FOUND = Question(lambda value: value.lower() == "until-found", np.bool_)
_IS_HIDDEN = Question(lambda value: value.lower() == "hidden", np.bool_)


def _browser_default(dom: Dom) -> Int8:
    """Return the states (n,) of nodes by their tags and by the attribute ``hidden``."""
    state: Int8 = _STATE_OF_TAGS.of_nodes(dom)
    kinds = _KINDS.of_nodes(dom)
    state[(kinds == _AUDIO) & ~_having(dom, "controls")] = HIDES
    state[(kinds == _DIALOG) & _having(dom, "open")] = SHOWS
    attribute, owner = dom.find_attribute("hidden")
    state[owner[~dom.ask(_IS_UNTIL_FOUND, attribute)]] = HIDES
    return state


def _never_displayed(dom: Dom) -> Bool:
    """Return True (n,) at nodes that no style sheet can show."""
    never = never_shown(dom)
    kinds = _KINDS.of_nodes(dom)
    hidden = dom.nodes_where("type", _IS_HIDDEN)
    never[hidden[kinds[hidden] == _INPUT]] = True
    closed = (kinds == _DETAILS) & ~_having(dom, "open")
    folded = (dom.parent >= 0) & closed[dom.parent] & (kinds != _SUMMARY)
    never |= folded
    return never


def _having(dom: Dom, attribute: str) -> Bool:
    """Return True (n,) at elements that have an attribute."""
    having = np.zeros(len(dom), bool)
    having[dom.find_attribute(attribute)[1]] = True
    return having


@lru_cache(64)
def hiding_rules(css: str) -> tuple[Selectors, Int8]:
    """Return the selectors of the rules that declare ``display`` or ``visibility``, and what they state.

    css: all style sheets of a page, joined. States (r, 2, 2): of each rule, normal and important ones, by
    property. Results are cached, because the pages of a site often have the same sheets.

    >>> hiding_rules("p { color: red } q { display: none } b { visibility: hidden !important }")[1].tolist()
    [[[1, -1], [-1, -1]], [[-1, -1], [-1, 1]]]
    """
    chosen, states, left = [], [], thresholds.MAX_SELECTORS
    for selector, body in rules(css, WIDTH):
        left -= 1 + selector.count(",")
        if left < 0:
            break
        if _HIDING.search(body):
            chosen.append(selector)
            states.append(read_states(body))
    return Selectors(chosen), _stack(states)


_HIDING = re.compile("display|visibility", re.IGNORECASE)
_STATES = (
    dict.fromkeys(
        name_set(
            "inline block inline-block list-item flex inline-flex grid inline-grid table inline-table"
            " table-row table-cell table-caption table-row-group table-header-group table-footer-group"
            " table-column table-column-group contents flow-root ruby math -webkit-box -webkit-inline-box"
            " -webkit-flex -webkit-inline-flex inherit initial unset"
        ),
        SHOWS,
    )
    | {"none": HIDES},
    {"visible": SHOWS, "initial": SHOWS, "hidden": HIDES, "collapse": HIDES}
    | {"inherit": INHERITS, "unset": INHERITS},
)
"""What the values of ``display`` and ``visibility`` state; other values are invalid and have no effect."""
_PROPERTIES = {"display": DISPLAY, "visibility": VISIBILITY}
States = tuple[tuple[int, int], tuple[int, int]]


def read_states(block: str) -> States:
    """Return what a block of declarations states: normally, and ``!important``, each by property.

    Only the first `MAX_STYLE` characters are read.

    >>> read_states("display: none; display: nonsense; visibility: visible !important")
    ((1, -1), (-1, 0))
    """
    states = [[UNSET, UNSET], [UNSET, UNSET]]
    for part in block[: thresholds.MAX_STYLE].split(";"):
        name, _, value = part.partition(":")
        column = _PROPERTIES.get(name.strip().lower())
        if column is None:
            continue
        value, mark, word = value.lower().partition("!")
        state = _STATES[column].get(value.strip())
        if state is not None and (not mark or word.strip() == "important"):
            states[bool(mark)][column] = state
    normal, important = states
    return (normal[0], normal[1]), (important[0], important[1])


_STATES_OF_STYLE = Question(read_states, (np.int8, (2, 2)))
"""What the values of the attribute ``style`` state."""


def _stack(states: list[States]) -> Int8:
    return np.array(states, np.int8).reshape(-1, 2, 2)
