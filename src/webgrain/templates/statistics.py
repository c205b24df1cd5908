"""Statistics: what later pages are compared with: texts, items, choices, features of the match, paths.

Read by `webgrain.templates.acceptance` (statistics, choices, usual features) and `webgrain.templates.drift`
(profile).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from webgrain.base.arrays import Float64, Int32, Int64, UInt64
from webgrain.page.kernels.nodetext import stripped_keys
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import TEXT_LEAF
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.strings import letters_table, text_codes
from webgrain.templates.acceptance import FitFeatures, usual
from webgrain.templates.crx import TAG
from webgrain.templates.likelihood import choices_of_pages, learn_choices
from webgrain.templates.profile import Profile, Use
from webgrain.templates.template import STATISTICS, Template


def with_statistics(template: Template, pages: Sequence[Page], places: Sequence[Int32]) -> Template:
    """Return a template with statistics, choices, profile and usual features of its pages.

    places: the template node (k,) of each node of each page.
    """
    lists = [Use("list", css) for css in template.item_selectors()]
    of_pages = choices_of_pages(template, pages, places)
    template = replace(
        template,
        statistics=learn_statistics(template, pages, places),
        profile=Profile.learn(pages, lists),
        choices=learn_choices(template, of_pages),
    )
    return replace(template, usual=usual(FitFeatures(template).left_out(pages, places, of_pages)))


def learn_statistics(template: Template, pages: Sequence[Page], places: Sequence[Int32]) -> Float64:
    """Return the statistics (m, 5) of the nodes of a template, columns `STATISTICS`; see `Template`.

    places: the template node (k,) of each node of each page.
    """
    rows = [_texts(page, at, number) for number, (page, at) in enumerate(zip(pages, places, strict=True))]
    node, page, above, size, linked, text = (np.concatenate(column) for column in zip(*rows, strict=True))
    result = np.zeros((len(template), len(STATISTICS)))
    number = np.maximum(np.bincount(node, minlength=len(template)), 1)
    total = np.bincount(node, size, len(template))
    result[:, 0] = total / number
    result[:, 1] = np.bincount(node, linked, len(template)) / np.maximum(total, 1)
    n_pages = len(pages)
    _, text = np.unique(text, return_inverse=True)  # numbers of the texts
    texts = node * (int(text.max(initial=0)) + 1) + text
    texts_of_pages, texts = np.unique(texts, return_inverse=True)
    owner = np.zeros(len(texts_of_pages), np.int64)
    owner[texts] = node
    result[:, 2] = (np.bincount(owner, minlength=len(template)) - 1) / np.maximum(number - 1, 1)
    times = np.bincount(np.unique(texts * n_pages + page) // n_pages, minlength=len(owner))
    np.maximum.at(result[:, 3], owner, times)
    result[:, 3] /= np.maximum(template.page_support, 1)
    _, above = np.unique(page * (int(above.max(initial=0)) + 2) + above + 1, return_inverse=True)  # parents
    for group in (np.arange(len(template)), template.list_of):  # the items of a STAR below one parent
        is_used = group[node] >= 0
        width = int(above.max(initial=0)) + 1
        parents, times = np.unique((group[node] * width + above)[is_used], return_counts=True)
        distinct, median = _medians(parents // width, times)
        result[distinct, 4] = median
    result[:, :4][template.op != TAG] = 0.0
    return np.maximum(result, 0.0)


def _medians(group: Int64, x: Int64) -> tuple[Int64, Float64]:
    """Return the groups of numbers, ascending, and the median of each; group, x: (m,)."""
    order = np.lexsort((x, group))
    groups, first, size = np.unique(group[order], return_index=True, return_counts=True)
    low, high = x[order][first + (size - 1) // 2], x[order][first + size // 2]
    return groups, (low + high) / 2.0


def _texts(page: Page, at: Int32, number: int) -> tuple[Int64, ...]:
    """Return node, page, parent, characters, characters in links and key of the text of all placed nodes."""
    tree, dom = visible_tree(page), page.dom
    start, used = dom.text_start[tree.node], np.flatnonzero(at >= 0)
    length = np.where(tree.kind == TEXT_LEAF, dom.text_start[tree.node + 1] - start, 0)
    is_link = np.equal(dom.tag, dom.tag_number("a"))[tree.node].view(np.uint8)
    in_link = np.where(innermost(tree.parent, is_link) >= 0, length, 0)
    keys: UInt64 = stripped_keys(text_codes(dom), letters_table(), start, start + length)
    sums = np.zeros((3, len(length) + 1), np.int64)
    np.cumsum([length, in_link, keys.view(np.int64)], axis=1, out=sums[:, 1:])
    length_below, linked, text = sums[:, tree.end[used]] - sums[:, used]
    parent = tree.parent[used].astype(np.int64)
    return at[used].astype(np.int64), np.full(len(used), number), parent, length_below, linked, text
