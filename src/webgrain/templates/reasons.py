"""Reasons: in words, how a page differs from the pages of a template, with the place of each difference.

    missing    an element that nearly all pages of the template have
    moved      an element that follows another one, which it precedes on all pages of the template
    new        an element that no page of the template has at this place
    names      an element with an id or classes that no page of the template has at this place
    length     a list that is much longer or shorter than on all pages of the template

The differences that concern the largest part of the page, or of the template, come first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Float64, Int32, Int64
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.templates.acceptance import Fit
from webgrain.templates.crx import TAG
from webgrain.templates.likelihood import Likelihood
from webgrain.templates.matchkernel import LENGTH
from webgrain.templates.template import Symbol, Template, node_types
from webgrain.templates.thresholds import CORE, MAX_REASONS, MAX_STEPS, RARE_LENGTH

IS_NEW = " is new"
"""How the sentence of a new element ends."""


class Differences(NamedTuple):
    """Differences of a page: their sizes, as shares of the page or of the template, and how to state each.

    A page may have as many differences as nodes, so the sentences are made for the largest only.
    """

    sizes: Float64
    sentence: Callable[[int], str]


def misfit_reasons(
    template: Template, likelihood: Likelihood | None, page: Page, at: Int32, fit: Fit
) -> tuple[str, ...]:
    """Return the largest differences between a page and the pages of a template, `MAX_REASONS` at most.

    likelihood: by the choices of the template, None if it has none; at (k,): the template nodes of the page;
    fit: how the page fits.
    """
    groups = [_missing(template, fit.missing), _new(template, page, at, fit.unknown)]
    if likelihood:
        groups.append(_moved(template, likelihood, page, at))
        groups.append(_renamed(template, likelihood, page, at))
        groups.append(_lengths(template, likelihood, page, at))
    group = np.repeat(np.arange(len(groups)), [len(each.sizes) for each in groups])
    number = np.concatenate([np.arange(len(each.sizes)) for each in groups])
    largest = np.argsort(-np.concatenate([each.sizes for each in groups]), kind="stable")
    sentences: dict[str, None] = {}
    for difference in largest:
        sentences[groups[group[difference]].sentence(int(number[difference]))] = None
        if len(sentences) == MAX_REASONS:
            break
    return tuple(sentences)


def _missing(template: Template, missing: Int32) -> Differences:
    is_core = (template.op == TAG) & (template.support >= CORE)
    before = np.append(0, np.cumsum(is_core))
    sizes = (before[template.end[missing]] - before[missing]) / before[-1]
    return Differences(sizes, partial(_missing_sentence, template, missing))


def _missing_sentence(template: Template, missing: Int32, number: int) -> str:
    node = int(missing[number])
    what = _selector(template, node)
    if template.symbols[node][0].tag == "#text":
        what = f"the text of {what}"
    return f"{what} is missing, which {template.support[node]:.0%} of the pages have"


def _leaf_shares(page: Page) -> Float64:
    """Return the share (k,) of the leaves of a page that are in each node."""
    before = np.append(0, np.cumsum(visible_tree(page).kind > 0))
    shares: Float64 = (before[visible_tree(page).end] - before[:-1]) / max(int(before[-1]), 1)
    return shares


def _moved(template: Template, likelihood: Likelihood, page: Page, at: Int32) -> Differences:
    nodes, places, befores = likelihood.moved(page, at)

    def sentence(number: int) -> str:
        if befores[number] < 0:
            return _elsewhere(template, page, at, int(nodes[number]))
        return _moved_sentence(template, int(places[number]), int(befores[number]))

    return Differences(_leaf_shares(page)[nodes], sentence)


def _elsewhere(template: Template, page: Page, at: Int32, node: int) -> str:
    return f"{_address(template, page, at, node)} is at another place than on the other pages"


def _moved_sentence(template: Template, place: int, before: int) -> str:
    what = _content(template, place)
    if before <= place:
        return f"{what} is there more than once"
    return f"{what} follows {_content(template, before)}, which it precedes on the other pages"


def _new(template: Template, page: Page, at: Int32, unknown: Int32) -> Differences:
    return Differences(_leaf_shares(page)[unknown], partial(_new_sentence, template, page, at, unknown))


def _new_sentence(template: Template, page: Page, at: Int32, unknown: Int32, number: int) -> str:
    return f"{_address(template, page, at, int(unknown[number]))}{IS_NEW}"


def _renamed(template: Template, likelihood: Likelihood, page: Page, at: Int32) -> Differences:
    nodes = np.flatnonzero(likelihood.of_symbols(page, at)[1])
    nodes = nodes[~np.isin(nodes, likelihood.moved(page, at)[0])]
    return Differences(_leaf_shares(page)[nodes], partial(_renamed_sentence, template, page, at, nodes))


def _renamed_sentence(template: Template, page: Page, at: Int32, nodes: Int64, number: int) -> str:
    node = int(nodes[number])
    what = _address(template, page, at, node)
    usual = _step(template.symbols[at[node]][0])
    return f"{what} has other names than on the other pages, where it is {usual}"


def _lengths(template: Template, likelihood: Likelihood, page: Page, at: Int32) -> Differences:
    shares = _leaf_shares(page)
    runs = likelihood.steps(page, at).of(LENGTH)
    rare = likelihood.of_steps(runs) < np.log(RARE_LENGTH)
    sizes = []
    sentences = []
    for node, part, length in zip(*(column[rare].tolist() for column in runs[1:]), strict=True):
        usual = np.flatnonzero(template.choices.lengths[part])
        if len(usual) and (length < usual[0] or length > usual[-1]):
            bounds = 2 ** usual[0], 2 ** (usual[-1] + 1) - 1
            sizes.append(shares[node] / 2.0)
            sentences.append(partial(_length_sentence, template, page, at, node, part, bounds))
    return Differences(np.array(sizes, np.float64), lambda number: sentences[number]())


def _length_sentence(
    template: Template, page: Page, at: Int32, node: int, part: int, bounds: tuple[int, int]
) -> str:
    tree = visible_tree(page)
    inside = slice(node + 1, int(tree.end[node]))
    is_item = (tree.parent[inside] == node) & (at[inside] >= 0) & (template.part[at[inside]] == part)
    item = _selector(template, template.tags(part)[0])
    return f"{np.sum(is_item)} of {item}, on the other pages {bounds[0]} to {bounds[1]}"


def _content(template: Template, place: int) -> str:
    """Return the selector of a place, of a text with the words that it is one."""
    css = _selector(template, place)
    return f"the text in {css}" if template.symbols[place][0].tag == "#text" else css


def _selector(template: Template, node: int) -> str:
    """Return a short selector of a TAG, from the nearest element with an id on, of `MAX_STEPS` steps at most.

    Names with digits, which stand for any digits, are left out.
    """
    steps: list[str] = []
    while node >= 0 and len(steps) < MAX_STEPS:
        symbol = template.symbols[node][0]
        if symbol.tag != "#text":
            steps.append(_step(symbol))
            if "#" in steps[-1]:
                break
        node = int(template.owner[node])
    return " > ".join(reversed(steps))


def _step(symbol: Symbol) -> str:
    names = [name for name in symbol.names if "0" not in name]
    ids = [name for name in names if name[0] == "#"]
    return str(Symbol(symbol.tag, tuple(ids[:1] or names[:2])))


def _address(template: Template, page: Page, at: Int32, node: int) -> str:
    """Return a selector of a node of a page, below the nearest element that has a template node."""
    types = node_types(page)
    steps: list[str] = []
    above = node
    while above >= 0 and (above == node or at[above] < 0):
        tag, names = types.types[types.of[above]]
        if tag != "#text":
            steps.append(_step(Symbol(tag, tuple(sorted(names)))))
        above = int(visible_tree(page).parent[above])
    head = [_selector(template, int(at[above]))] if above >= 0 else []
    css = " > ".join([*head, *reversed(steps)])
    return f"a text in {css}" if types.types[types.of[node]][0] == "#text" else css
