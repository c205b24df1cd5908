"""Marked parts of templates on pages of the bench: how much of each role is content of the page.

For the four largest types of each site with seven pages or more, a template is learnt from 15 pages (half of
them if there are fewer than 30) and up to five other pages are aligned with it. Each text of a page has the
role of the marked part that it is in. A text is content if the title, the main text, the comments or the
records of the page contain it. Nothing is learnt from the truth; the thresholds were chosen by reading
templates of six sites (whisky, opendcl, nbn, crawlwiki, openehr, lgazette).

Columns: pages; share of the characters of content in parts marked content, items or table; of the characters
of each role, the share that is content (navigation and frame together); share of all characters in no part.

    WEBGRAIN_DATA=folder python -m experiments.marked_parts [site ...]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np

from experiments.datasets.bench import bench_names, read_bench
from experiments.sections_bench import left_out_pages, normal
from webgrain.page.leaves import TEXT_LEAF
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.template import PART_ROLES, Template

TYPES, LEARNT, JUDGED = 4, 15, 5
VARYING, FIXED = ("content", "items", "table"), ("navigation", "frame")

Counts = Counter[tuple[str, bool]]
"""Characters by role, "" for none, and whether they are content."""


def characters(template: Template, page: Page, truth: str) -> Counts:
    """Return the characters of the texts of a page by their role."""
    role_at = [""] * (len(template) + 1)  # the last entry is for texts outside of the template
    for part in template.marked:
        role_at[part.node : template.end[part.node]] = [part.role] * (template.end[part.node] - part.node)
    tree, at = visible_tree(page), TemplateMatcher(template).align(page).at
    counts = Counts()
    for leaf in np.flatnonzero(tree.kind == TEXT_LEAF).tolist():
        text = normal(page.dom.text_of(int(tree.node[leaf])))
        around = leaf
        while around >= 0 and at[around] < 0:
            around = int(tree.parent[around])
        counts[role_at[at[around]] if around >= 0 else "", text in truth] += len(text)
    return counts


def row(counts: Counts) -> list[float]:
    """Return the figures of some pages; nan where there is nothing to count."""
    groups = [VARYING, *((role,) for role in PART_ROLES if role not in FIXED), FIXED]

    def total(roles: Sequence[str], *states: bool) -> int:
        return sum(counts[role, state] for role in roles for state in states)

    content = total((*PART_ROLES, ""), True)
    shares = [_share(total(roles, True), total(roles, True, False)) for roles in groups[1:]]
    return [
        _share(total(VARYING, True), content),
        *shares,
        _share(total(("",), True, False), sum(counts.values())),
    ]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def main(names: Sequence[str]) -> None:
    """Print a row for each site, and the mean of the sites."""
    print(
        "| site | pages | content found | content | items | table | label | navigation, frame | in no part |"
    )
    rows = []
    for site in read_bench(list(names)):
        counts, pages = Counts(), 0
        for template, page, truth in left_out_pages(site, TYPES, LEARNT, JUDGED):
            counts += characters(template, page, truth)
            pages += 1
        if pages:
            rows.append(row(counts))
            print(f"| {site.name} | {pages} |", " | ".join(f"{x:.2f}" for x in rows[-1]), "|", flush=True)
    print(f"| mean of {len(rows)} sites | |", " | ".join(f"{x:.3f}" for x in np.nanmean(rows, axis=0)), "|")


if __name__ == "__main__":
    main(sys.argv[1:] or bench_names())
