"""Statistics: what later pages are compared with: texts and items of the nodes, features of the match, paths.

Read by `webgrain.templates.acceptance` (statistics, usual features) and `webgrain.templates.drift` (profile).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from webgrain.base.arrays import Float64, Int32, Int64
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import TEXT_LEAF
from webgrain.templates.acceptance import FitFeatures, usual
from webgrain.templates.crx import TAG
from webgrain.templates.profile import Profile, Use
from webgrain.templates.template import STATISTICS, Template, TypedTree


def with_statistics(template: Template, pages: Sequence[TypedTree], places: Sequence[Int32]) -> Template:
    """Return a template with ``statistics``, ``profile`` and ``usual`` of the pages that it was learnt from.

    places: the template node (k,) of each node of each page.
    """
    lists = [Use("list", css) for css in template.item_selectors()]
    template = replace(
        template,
        statistics=learn_statistics(template, pages, places),
        profile=Profile.learn([page.page for page in pages], lists),
    )
    return replace(template, usual=usual(FitFeatures(template).left_out(pages, places)))


def learn_statistics(template: Template, pages: Sequence[TypedTree], places: Sequence[Int32]) -> Float64:
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
    pairs = np.unique(np.stack([node, text]), axis=1)
    result[:, 2] = (np.bincount(pairs[0], minlength=len(template)) - 1) / np.maximum(number - 1, 1)
    pairs = np.unique(np.stack([node, text, page]), axis=1)[:2]
    pairs, times = np.unique(pairs, axis=1, return_counts=True)
    np.maximum.at(result[:, 3], pairs[0], times)
    result[:, 3] /= np.maximum(template.page_support, 1)
    for group in (np.arange(len(template)), template.list_of):  # the items of a STAR below one parent
        used = group[node] >= 0
        groups, times = np.unique(np.stack([group[node], page, above])[:, used], axis=1, return_counts=True)
        distinct, first = np.unique(groups[0], return_index=True)
        if len(distinct):
            result[distinct, 4] = [np.median(part) for part in np.split(times, first[1:])]
    result[:, :4][template.op != TAG] = 0.0
    return np.maximum(result, 0.0)


def _texts(page: TypedTree, at: Int32, number: int) -> tuple[Int64, ...]:
    """Return node, page, parent, characters, characters in links and key of the text of all placed nodes."""
    tree, dom = page.tree, page.page.dom
    start, used = dom.text_start[tree.node], np.flatnonzero(at >= 0)
    length = np.where(tree.kind == TEXT_LEAF, dom.text_start[tree.node + 1] - start, 0)
    is_link = np.array([tag == "a" for tag, _ in page.types], np.uint8)[page.type]
    in_link = np.where(innermost(tree.parent, is_link) >= 0, length, 0)
    leaves = np.flatnonzero(length)
    keys = np.zeros(len(length), np.int64)
    begins, lengths = start[leaves].tolist(), length[leaves].tolist()
    keys[leaves] = [crc32(dom.text[a : a + n].strip().encode()) for a, n in zip(begins, lengths, strict=True)]
    sums = (np.append(0, np.cumsum(x)) for x in (length, in_link, keys))
    below = ((x[tree.end] - x[:-1])[used] for x in sums)
    columns = at[used], np.full(len(used), number), tree.parent[used], *below
    return tuple(column.astype(np.int64) for column in columns)
