"""Lists of the sample site: the items of one are in one section, with little else."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np
from tests.quality.gate import check
from tests.quality.test_sample_site import EXAMPLES, elements, find

from webgrain import Page, read
from webgrain.page.outline import visible_tree
from webgrain.papers.regextree import RegexTree
from webgrain.site.pipeline import Layout, pages
from webgrain.templates.sections import Sectioner, Sections

if TYPE_CHECKING:
    from webgrain.page.dom import Dom

FOREIGN = 0.1
"""Share of other leaves that a list's section may have."""

FEWEST = 2
"""Items that a list has."""


def leaves_below(page: Page, nodes: list[int]) -> list[int]:
    seen = visible_tree(page)
    leaf = seen.leaf_node
    return [int(one) for one in leaf if any(node <= one < page.dom.end[node] for node in nodes)]


def whole(page: Page, found: Sections, items: list[int]) -> bool:
    """Whether the leaves of a list are in one section, which has at most a tenth of others."""
    mine = leaves_below(page, items)
    ((section, n),) = Counter(found.labels[mine].tolist()).most_common(1)
    seen = visible_tree(page)
    size = int((found.labels[seen.leaf_node] == section).sum())
    return n == len(mine) and size - n <= FOREIGN * size


def visible_items(page: Page, css: str) -> list[int]:
    dom: Dom = page.dom
    return [node for node in elements(dom, find(dom, css)) if leaves_below(page, [node])]


def test_lists_are_sections() -> None:
    result = {
        page["page"]: page for page in json.loads((EXAMPLES / "truth.json").read_text("utf-8"))["pages"]
    }
    by_template: dict[str, list[Page]] = defaultdict(list)
    for page in pages(read([str(EXAMPLES / "site")]), Layout()):
        assert isinstance(page, Page)
        if page.id in result:
            by_template[result[page.id]["template"]].append(page)
    right = []
    for kind in by_template.values():
        learnt = RegexTree().fit(kind[:15])
        assert learnt.template_ is not None
        cutter = Sectioner(template=learnt.template_)
        for page in kind:
            found = cutter.predict(page)
            lists = [visible_items(page, one["css"]) for one in result[page.id]["records"]]
            right += [whole(page, found, items) for items in lists if len(items) >= FEWEST]
    check("sample site, lists", {"whole": float(np.mean(right))})
