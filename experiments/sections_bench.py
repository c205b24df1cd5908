"""Sections of the pages of the bench: how many mix content with boilerplate, and how many span their page.

For the two largest types of each site with seven pages or more, a template is learnt from ten pages (half of
them if there are fewer than 20) and three other pages are cut, without boxes. A text of three
words or more is content if it is in the title, the main text, the comments or the records of the page,
otherwise boilerplate. A section is mixed if at least a tenth of its characters belong to each. Nothing is
learnt from the truth. Columns: pages; sections of a page; share of the sections with content that are mixed;
share of the characters that are in mixed sections; share of the pages with their first and last text in one
section.

    WEBGRAIN_DATA=folder python -m experiments.sections_bench [site ...]
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.datasets.bench import BenchSite, bench_names, read_bench
from webgrain.base.arrays import Int32
from webgrain.page.leaves import TEXT_LEAF
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.templates.sections import Sectioner
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.template import Template

TYPES, LEARNT, JUDGED, SEED = 2, 10, 3, 0


class Score(NamedTuple):
    """Of a page: number of sections, of those with content and of the mixed ones; characters; spans."""

    sections: int
    informative: int
    mixed: int
    characters: int
    in_mixed: int
    spans: bool


def true_text(record: Mapping[str, Any]) -> str:
    """Return all content of a page, each text between spaces."""
    texts = [record.get("title"), record.get("text"), record.get("comments"), record.get("records")]
    found, work = [], list[Any](texts)
    while work:
        value = work.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, Mapping):
            work.extend(value.values())
        elif isinstance(value, Sequence):
            work.extend(value)
    return normal(" ".join(reversed(found)))


def normal(text: str) -> str:
    """Return a text in lower case without white space."""
    return "".join(text.lower().split())


def score(page: Page, labels: Int32, truth: str) -> Score:
    """Return the score of the sections (n,) of a page."""
    dom, tree = page.dom, visible_tree(page)
    leaves = tree.node[tree.kind == TEXT_LEAF].tolist()
    leaves = [leaf for leaf in leaves if labels[leaf] >= 0]
    size = defaultdict[int, list[int]](lambda: [0, 0])
    for leaf in leaves:
        text = dom.text_of(leaf)
        if len(text.split()) >= 3:
            size[int(labels[leaf])][normal(text) in truth] += len(text)
    mixed = [noise + own for noise, own in size.values() if min(noise, own) >= 0.1 * (noise + own)]
    return Score(
        int(labels.max(initial=-1)) + 1,
        sum(own > 0 for _, own in size.values()),
        len(mixed),
        sum(map(sum, size.values())),
        sum(mixed),
        len(leaves) > 1 and labels[leaves[0]] == labels[leaves[-1]],
    )


def left_out_pages(
    site: BenchSite, types: int, learnt: int, judged: int
) -> Iterator[tuple[Template, Page, str]]:
    """Yield pages with the template of their type, which is learnt from others, and with their content.

    types: the number of largest types, if they have seven pages. learnt: the most pages of a type that its
    template is learnt from, at most half of them. judged: the most pages of a type that are yielded.
    """
    by_type = defaultdict[str, list[Page]](list)
    for page in site.pages():
        by_type[site.types[page.id]].append(page)
    rng = np.random.default_rng(SEED)
    for pages in sorted(by_type.values(), key=len)[-types:]:
        if len(pages) < 7:
            continue
        order = rng.permutation(len(pages)).tolist()
        size = min(learnt, len(pages) // 2)
        template = SiteTemplate().fit([pages[k] for k in order[:size]]).template_
        assert template is not None
        for k in order[size : size + judged]:
            yield template, pages[k], true_text(site.truth[pages[k].id])


def main(names: Sequence[str]) -> None:
    """Print a row for each site, and the mean of the sites."""
    print("| site | pages | sections | mixed | characters in mixed | spanning |")
    rows = []
    for site in read_bench(list(names)):
        scores = [
            score(page, Sectioner(template=template).predict(page).labels, truth)
            for template, page, truth in left_out_pages(site, TYPES, LEARNT, JUDGED)
        ]
        if scores:
            rows.append(row(scores))
            print(
                f"| {site.name} | {len(scores)} |", " | ".join(f"{x:.2f}" for x in rows[-1]), "|", flush=True
            )
    print(f"| mean of {len(rows)} sites | |", " | ".join(f"{x:.3f}" for x in np.mean(rows, axis=0)), "|")


def row(scores: Sequence[Score]) -> tuple[float, ...]:
    """Return the figures of a site."""
    total = Score(*(sum(column) for column in zip(*scores, strict=True)))
    return (
        total.sections / len(scores),
        total.mixed / max(total.informative, 1),
        total.in_mixed / max(total.characters, 1),
        total.spans / len(scores),
    )


if __name__ == "__main__":
    main(sys.argv[1:] or bench_names())
