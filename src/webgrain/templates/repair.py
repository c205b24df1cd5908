"""Repair: new selectors for those that no longer select anything on the pages of a type.

A selector in use belongs to nodes of the template (`selected_nodes`). Where are their elements on new pages?

    place     at the elements that the alignment with the template gives to these nodes
    values    above the leaves with texts, images and links that many pages had below these nodes

The steps to these elements that half of the pages have in common give the new selector. It is verified on the
other pages: it works on a page if it selects these elements and nothing else; by values, which few elements
have, if it selects all of them. A proposal works on most of these pages (`REPAIRED`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from webgrain.page.addresses import Selectors
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import Path, Step
from webgrain.templates.crx import TAG
from webgrain.templates.drift import failing_uses
from webgrain.templates.leaffeatures import LeafFeatures
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.profile import Profile, Use, count_uses
from webgrain.templates.template import Template
from webgrain.templates.thresholds import MAX_NAMES, REPAIRED, USUAL

Elements = frozenset[int]


@dataclass(frozen=True, slots=True)
class Repair:
    """A proposal for a selector that no longer works.

    Attributes:
        name, old: what the selector is for, and the selector.
        css, xpath: the proposal; empty if none works.
        evidence: ``place`` or ``values``; empty without a proposal.
        pages, works: pages on which the proposal was verified, and those on which it works.
    """

    name: str
    old: str
    css: str = ""
    xpath: str = ""
    evidence: str = ""
    pages: int = 0
    works: int = 0

    def __str__(self) -> str:
        old = f"the selector of the {self.name}, {self.old}"
        if not self.css:
            return f"{old}, selects nothing, and no other selector was found"
        return f"{old}: {self.css} works on {self.works} of {self.pages} pages"

    def to_dict(self) -> dict[str, Any]:
        """Return the proposal as plain values."""
        return asdict(self)


def repairs(template: Template, pages: Sequence[Page]) -> list[Repair]:
    """Return a proposal for each selector of a template that selects something on fewer pages than before.

    pages: new pages of the type; half of them verify the proposals.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> html = "<h1>{0}</h1><div class={1}>" + "<p>Text {0}" * 3 + "</div>"
    >>> old, new = ([parse(html.format(n, name)) for n in range(15)] for name in ("text", "body"))
    >>> for repair in repairs(SiteTemplate().fit(old).template_, new):
    ...     print(repair)
    the selector of the list, html > body > div.text > p: html > body > div.body > p works on 7 of 7 pages
    """
    profile = template.profile
    new = Profile(len(pages), {}, count_uses(pages, list(profile.uses)))
    return propose_repairs(template, failing_uses(profile, new), pages)


def propose_repairs(template: Template, uses: Sequence[Use], pages: Sequence[Page]) -> list[Repair]:
    """Return a proposal for each selector, by pages of the type; half of them verify it.

    uses: selectors of the template's profile that no longer work.
    """
    matcher = TemplateMatcher(template)
    trees = [page for page in pages if len(visible_tree(page))]
    places = [matcher.align(tree).at for tree in trees]
    features = [LeafFeatures(tree) for tree in trees]
    repairs = []
    for use in uses:
        nodes = selected_nodes(template, use.css)
        by_place = [_at_place(tree, at, nodes) for tree, at in zip(trees, places, strict=True)]
        stored = _stored_values(template, nodes)
        by_value = [_with_values(tree, leaf, stored) for tree, leaf in zip(trees, features, strict=True)]
        proposals = [_proposal(use, "place", trees, by_place), _proposal(use, "values", trees, by_value)]
        working = [x for x in proposals if x.pages and x.works >= REPAIRED * x.pages]
        repairs.append(max(working, key=lambda x: x.works / x.pages, default=Repair(use.name, use.css)))
    return repairs


_STEP = re.compile(r"([\w*-]++)((?:[#.][^#.\s>]++)*+)")


def selected_nodes(template: Template, css: str) -> list[int]:
    """Return the TAGs whose elements a selector selects, of steps with tags, an id and classes.

    The selector may begin at any element, and ``*`` is any tag. Of another selector, no TAG.

    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> template = SiteTemplate().fit(["<div class='a b'><p>One"]).template_
    >>> [template.css(k) for css in ("div.a > p", "html > body > p") for k in selected_nodes(template, css)]
    ['html > body > div.a.b > p']
    """
    steps = [_STEP.fullmatch(step) for step in css.split(" > ")]
    if not all(steps):
        return []
    tags = [(step[1], frozenset(re.findall(r"#[^#.]+|(?<=\.)[^#.]+", step[2]))) for step in steps if step]
    chosen = []
    for node in np.flatnonzero(template.op == TAG).tolist():
        above = node
        for tag, names in reversed(tags):
            if above < 0 or not _has_step(template, above, tag, names):
                break
            above = int(template.owner[above])
        else:
            chosen.append(node)
    return chosen


def _has_step(template: Template, node: int, tag: str, names: frozenset[str]) -> bool:
    symbols = [symbol for symbol in template.symbols[node] if symbol.tag != "#text"]
    return any(tag in ("*", symbol.tag) and names <= set(symbol.names) for symbol in symbols)


def _at_place(tree: Page, at: np.ndarray[Any, np.dtype[np.int32]], nodes: Sequence[int]) -> Elements:
    return frozenset(visible_tree(tree).node[np.isin(at, nodes)].tolist())


def _stored_values(template: Template, nodes: Sequence[int]) -> dict[tuple[str, str], int]:
    """Return the features that most pages have at leaves below some TAGs, and the levels in between."""
    values: dict[tuple[str, str], int] = {}
    for node in nodes:
        for leaf in range(node, int(template.end[node])):
            for feature, share in template.noise.get(leaf, {}).items():
                if share >= USUAL and feature[0] in ("text", "image", "link"):
                    values[feature] = _levels(template, leaf, node)
    return values


def _levels(template: Template, leaf: int, node: int) -> int:
    levels = 0
    while leaf != node:
        leaf = int(template.owner[leaf])
        levels += 1
    return levels


def _with_values(tree: Page, features: LeafFeatures, stored: dict[tuple[str, str], int]) -> Elements:
    """Return the elements of a page that are as many levels above a leaf with a stored value."""
    elements = set()
    for leaf in visible_tree(tree).leaf.tolist() if stored else ():
        for feature in features.of(leaf):
            if feature in stored:
                above = leaf
                for _ in range(stored[feature]):
                    above = int(visible_tree(tree).parent[above]) if above >= 0 else -1
                if above >= 0:
                    elements.add(int(visible_tree(tree).node[above]))
    return frozenset(elements)


def _proposal(use: Use, evidence: str, trees: Sequence[Page], elements: Sequence[Elements]) -> Repair:
    """Return the selector of some elements by every other page that has any, verified on the rest."""
    rows = [(tree, nodes) for tree, nodes in zip(trees, elements, strict=True) if nodes]
    path = _common_path([(tree, nodes) for tree, nodes in rows[::2]])
    if path is None:
        return Repair(use.name, use.css)
    selectors = Selectors([path.css])
    works = 0
    for tree, nodes in rows[1::2]:
        selected = frozenset(selectors.find(tree.dom)[0].tolist())
        works += nodes == selected if evidence == "place" else nodes <= selected
    return Repair(use.name, use.css, path.css, path.xpath, evidence, len(rows[1::2]), works)


def _common_path(rows: Sequence[tuple[Page, Elements]]) -> Path | None:
    """Return the path that most elements have, with the names that all of them have; None for no elements."""
    by_tags: dict[tuple[str, ...], list[list[frozenset[str]]]] = {}
    for page, nodes in rows:
        for node in sorted(nodes):
            steps = list(_steps(page, node))[::-1]
            by_tags.setdefault(tuple(tag for tag, _ in steps), []).append([names for _, names in steps])
    if not by_tags:
        return None
    count = Counter({tags: len(names) for tags, names in by_tags.items()})
    tags = max(sorted(count), key=lambda tags: count[tags])
    shared = [frozenset.intersection(*names) for names in zip(*by_tags[tags], strict=True)]
    return Path(tuple(map(_step, tags, shared)))


def _steps(page: Page, node: int) -> Iterator[tuple[str, frozenset[str]]]:
    dom = page.dom
    while node >= 0:
        if not dom.is_text[node]:
            attributes = dom.attributes(node)
            id_, classes = attributes.get("id"), attributes.get("class")
            names = [f"#{id_}"] if id_ else []
            yield dom.name(node), frozenset([*names, *(classes or "").split()[:MAX_NAMES]])
        node = int(dom.parent[node])


def _step(tag: str, names: frozenset[str]) -> Step:
    ids = sorted(name[1:] for name in names if name[0] == "#")
    return Step(tag, ids[0] if ids else "", tuple(sorted(name for name in names if name[0] != "#")))
