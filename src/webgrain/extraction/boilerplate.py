"""Boilerplate of a site: the probability of each text, and the parts around the content, each named once.

Boosted trees estimate the probability that a text is boilerplate from the texts and paths that the pages of
the site share, the noise confidence of the template, and features of the text block. They are trained by
``experiments/training/boilerplate.py`` on sites of all kinds.

The outermost elements that contain little else than boilerplate are the parts of the site, and so are those
inside them named after another purpose. Each is represented by the shortest selector, from the element
upwards, that selects little else on pages of all types: so it is found on pages of unknown types, too.

Source: Friedman, Greedy function approximation: a gradient boosting machine, 2001 (the trees).

====================  ==================================================================  ================
quantity              here                                                                shape, unit
====================  ==================================================================  ================
size of a node        characters of its text; an image counts as 10, another leaf as 5    (n,)
noise of an element   mean probability of its leaves to be boilerplate, weighted by size  0..1
share                 pages that have the boilerplate part                                0..1
====================  ==================================================================  ================

Names come from the element (its ARIA role, tag, id and classes), otherwise from the share of links in it and
from its position before or after the content; the name on most pages counts.

Cost: the features of text blocks, which are also those of the reader; learning parts takes a few passes over
the arrays of each page and a walk over its few dozen candidates; all selectors are matched with a page in one
pass of a kernel.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from webgrain.base.arrays import Bool, Float32, Float64, Int32, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.trees import BoostedTrees, packaged_trees
from webgrain.columns import blocks as features
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction import thresholds
from webgrain.extraction.context import OWN
from webgrain.extraction.sitetexts import site_features, site_names
from webgrain.page.addresses import Selectors
from webgrain.page.dom import Dom
from webgrain.page.leaves import IMAGE, TEXT_LEAF, VisibleTree, leaf_kinds
from webgrain.page.page import Page
from webgrain.page.paths import element_types
from webgrain.page.strings import bounded_cache
from webgrain.page.tagtables import TagSet
from webgrain.page.values import Question

_NAMES = "header navigation breadcrumb search aside meta social notice advertisement footer"
BOILERPLATE_NAMES = tuple(_NAMES.split())
"""Names of boilerplate parts; meta is information about an article: its author, date and categories."""

_ROLES = {
    "banner": "header", "navigation": "navigation", "search": "search", "complementary": "aside",
    "contentinfo": "footer", "alertdialog": "notice",
}  # fmt: skip
NAME_OF_TAG = {"header": "header", "nav": "navigation", "aside": "aside", "footer": "footer"}
_WORDS = {
    "notice": "cookies?|consent|gdpr|notice",
    "advertisement": r"ads?|adverts?|advertis\w+|sponsors?|sponsored|adsense",
    "breadcrumb": "breadcrumbs?|crumbs?|pathway",
    "search": r"search\w*|srch|suche",
    "social": "social|share|sharing|follow",
    "meta": r"meta|byline|date|time|author|posted|submitted|tags?|categor\w+",
    "footer": r"foot\w*|bottom|copyright|colophon|legal",
    "navigation": r"nav\w*|menus?|toc|tabs|pager|pagination|sitemap|topnav|sidenav",
    "header": r"head|header\w*|masthead|top|topbar|banner|logo|branding",
    "aside": r"aside|side\w*|widgets?|rail|related|blogroll",
}
_HINT = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _WORDS.items()))
_WORD_ENDS = re.compile(r"(?<=[a-z])(?=[A-Z])|[-_]+")
_LARGE = "html body main article"  # never boilerplate, whatever they contain
_SMALL = "#text a b br em font h1 h2 h3 i img li option p small span strong tbody td th tr"
_IS_EXCLUDED = TagSet(*_LARGE.split(), *_SMALL.split())
_DISTINCTIVE = frozenset((*NAME_OF_TAG, "body"))
_PLAIN_NAME = re.compile(r"-?[a-z_][a-z_-]*", re.IGNORECASE)
_NAME_LENGTH = 500  # characters of an id or class that are used


FORMAT = "webgrain boilerplate"
_OF_SITE = (
    *("text", "text on", "path", "tag path", "same", "same at tags", "varies", "varies at tags", "times"),
    *("letters", "links", "linked", "heading", "text within"),
    *(f"{name} in {k}" for k in (0, 1, 3) for name in ("text", "same", "varies", "heading")),
)
_SITE_COLUMNS = [site_names().index(f"site {name}") for name in _OF_SITE]
_BLOCK_COLUMNS = [features.block_names().index(name) for name in OWN]


def boilerplate_names() -> tuple[str, ...]:
    """Return the names of the features of a text: its noise confidence, those of its site and its block.

    >>> boilerplate_names()[:2]
    ('noise', 'text')
    """
    return ("noise", *_OF_SITE, *(f"block {name}" for name in OWN))


@cache
def trained_boilerplate() -> BoostedTrees:
    """Return the trees for the probability that a text is boilerplate."""
    names = {"boilerplate": boilerplate_names()}
    return packaged_trees("webgrain.extraction", "boilerplate.model", names, FORMAT)["boilerplate"]


def boilerplate_features(
    page: Page, tree: VisibleTree, site: SiteTable, noise: Float64
) -> tuple[Int64, Float32] | None:
    """Return the visible texts of a page (t,) and their features (t, f); None if the site is unknown.

    tree: the visible tree of the page; noise: (n,) the noise confidence of each node, NaN without a template.
    """
    facts = features.page_facts(page)
    of_site = site_features(page, site) if len(facts.letters) else None
    if of_site is None:
        return None
    node = tree.node[tree.kind == TEXT_LEAF].astype(np.int64)
    block = np.maximum(np.searchsorted(facts.blocks.first, node, side="right") - 1, 0)
    of_blocks = features.block_features(page)
    columns = np.concatenate([of_site.T[_SITE_COLUMNS], of_blocks.T[_BLOCK_COLUMNS]])
    return node, np.concatenate([noise[None, node], columns.take(block, axis=1)], dtype=np.float32).T


def boilerplate_probability(page: Page, tree: VisibleTree, site: SiteTable, noise: Float64) -> Float64:
    """Return the probability (n,) that each leaf of a page is boilerplate of its site; 0 at other nodes.

    tree: the visible tree of the page; noise: (n,) the noise confidence of each node by the template of its
    type, NaN without a template. It is kept for leaves that are no text, and for pages that the site does not
    know.
    """
    probability = np.where(np.isnan(noise), 0.0, noise)
    if (known := boilerplate_features(page, tree, site, noise)) is not None:
        probability[known[0]] = trained_boilerplate().probability(known[1])
    return probability


@dataclass(frozen=True, slots=True)
class BoilerplatePart:
    """A part of a site around its content.

    Attributes:
        name: one of `BOILERPLATE_NAMES`.
        css: its selector.
        share: of the pages that it was learnt from, those that have it, 0..1.
    """

    name: str
    css: str
    share: float


@dataclass(frozen=True)
class Boilerplate:
    """The boilerplate of a site, in the order in which it occurs on the pages.

    >>> from webgrain.page.parsing import parse_html
    >>> found = Boilerplate((BoilerplatePart("navigation", "nav", 1.0),))
    >>> found.find(parse_html(b"<nav><a href=/>Home</a></nav><p>Text")).tolist()
    [-1, -1, -1, 0, 0, 0, -1, -1]
    >>> Boilerplate.from_rows(found.to_rows()) == found
    True
    """

    parts: tuple[BoilerplatePart, ...] = ()

    def __len__(self) -> int:
        return len(self.parts)

    @cached_property
    def _selectors(self) -> Selectors:
        return Selectors([part.css for part in self.parts])

    def find(self, dom: Dom) -> Int32:
        """Return the boilerplate part that each node (n,) is in, the innermost one; -1 for none."""
        part_of = np.full(len(dom.tag), -1, np.int32)
        for node, number in zip(*(column.tolist() for column in self._selectors.find(dom)), strict=True):
            part_of[node : dom.end[node]] = number
        return part_of

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the parts as plain values; see `from_rows`."""
        return [{"name": part.name, "css": part.css, "share": part.share} for part in self.parts]

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Boilerplate:
        """Return the parts of `to_rows`; other values raise one of `webgrain.base.modelfile.DAMAGED`."""
        return cls(tuple(BoilerplatePart(str(r["name"]), str(r["css"]), float(r["share"])) for r in rows))


class BoilerplateElements:
    """The boilerplate elements of one page, by the probability (n,) of its nodes to be boilerplate.

    `ParameterError` if there is another number of them.

    Attributes:
        size, noisy, linked: (n,) sums over what is in each node: size, size times noise, size in links.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<nav>Home</nav><p>Text")
    >>> BoilerplateElements(page, np.array([0, 0, 0, 0, 1.0, 0, 0])).elements  # the fifth is the text in nav
    [(3, 'navigation')]
    """

    def __init__(self, page: Page, noise: Float64) -> None:
        self.dom = dom = page.dom
        if np.shape(noise) != (len(dom),):
            raise ParameterError(f"Expected a noise for each of {len(dom)} nodes, got {np.shape(noise)}.")
        kinds, length, link = leaf_kinds(page), np.diff(dom.text_start), dom.links()
        weight = np.select([kinds == TEXT_LEAF, kinds == IMAGE, kinds > 0], [length, 10, 5], 0).astype(
            np.float64
        )
        self.size, self.noisy = dom.subtree_sum(weight), dom.subtree_sum(weight * noise)
        self.linked = dom.subtree_sum(weight * (dom.inside(link) | link))
        content = np.where(dom.is_leaf, self.size - self.noisy, 0.0)
        self._content_before = np.append(0.0, np.cumsum(content))  # (n + 1,)
        self._own_names = _own_names(dom)
        self._in_article = dom.inside(self._tagged("article"))
        headings = self._tagged("h1", "h2")
        repeated = np.where(self._tagged("h1"), thresholds.NOISY_ELEMENT, thresholds.NOISY_NAMED) * self.size
        self._has_own_heading = dom.subtree_sum(headings & (self.noisy < repeated)) > 0

    def _tagged(self, *names: str) -> Bool:
        return self.dom.tagged(*names)

    @cached_property
    def elements(self) -> list[tuple[int, str]]:
        """The boilerplate elements, in order, with their names."""
        dom, elements = self.dom, list[tuple[int, str]]()
        around: list[tuple[int, str]] = []  # ends and names of the elements around a node
        small = _IS_EXCLUDED.of_nodes(dom)
        possible = ~small & (self.size > 0) & (self.noisy >= thresholds.NOISY_NAMED * self.size)
        for node in np.flatnonzero(possible).tolist():
            while around and around[-1][0] <= node:
                around.pop()
            name = self._name(node)
            new = not around or (name != around[-1][1] and self._own_names[node])
            if name and new and len(elements) < thresholds.MOST_ELEMENTS:
                around.append((int(dom.end[node]), name))
                elements.append((node, name))
        return elements

    @cached_property
    def names(self) -> Int32:
        """(n,) the name of the innermost boilerplate element around each node, by its number; -1 for none."""
        names = np.full(len(self.dom), -1, np.int32)
        for node, name in self.elements:
            names[node : self.dom.end[node]] = BOILERPLATE_NAMES.index(name)
        return names

    def _name(self, node: int) -> str:
        """Return the name of an element; empty if it is not boilerplate.

        Header and footer are at the edges of the content; those of an article are information about it. An
        element without a name among the content may be a label of it. An element that contains the title of
        an article is not boilerplate.
        """
        name = self._own_names[node]
        name = "meta" if name in ("header", "footer") and self._in_article[node] else name
        if self._has_own_heading[node] and name not in ("navigation", "aside"):
            return ""
        if name in ("header", "footer"):
            return self._edge(node, thresholds.EDGE)
        if name or self.noisy[node] < thresholds.NOISY_ELEMENT * self.size[node]:
            return name
        linked = self.linked[node] >= thresholds.NAVIGATION_LINKED * self.size[node]
        menu = linked and self.size[node] >= thresholds.NAVIGATION_SIZE
        return "navigation" if menu else self._edge(node, thresholds.EDGE / 2)

    def _edge(self, node: int, share: float) -> str:
        """Return ``header`` or ``footer`` if little content comes before or after an element, else ""."""
        content = self._content_before
        before, after = content[node], content[-1] - content[self.dom.end[node]]
        least = share * content[-1]
        return "header" if before <= least else "footer" if after <= least else ""


def _own_names(dom: Dom) -> list[str]:
    """Return the name (n,) that role, tag, id and classes give each element; empty for none."""
    types = element_types(dom)
    hints = [_hint_of(*both) for both in zip(types.ids, types.classes, strict=True)]
    tags = [dom.tags[tag] for tag in types.tag.tolist()]
    chosen = [_chosen(NAME_OF_TAG.get(tag, ""), hint) for tag, hint in zip(tags, hints, strict=True)]
    names = [chosen[type_] for type_ in types.of.tolist()]
    attributes, nodes = dom.find_attribute("role")
    for node, name in zip(nodes.tolist(), dom.ask(_NAME_OF_ROLE, attributes).tolist(), strict=True):
        if name:
            names[node] = _chosen(name, hints[types.of[node]])
    return names


def _chosen(name: str, hint: str) -> str:
    """Return the name of an element; name: by role or tag, hint: by id and classes."""
    return hint if hint and name in ("", "navigation", "aside") else name


_NAME_OF_ROLE = Question(lambda role: _ROLES.get(role.lower(), ""))


@bounded_cache(4096)  # the pages of a site have the same ids and classes
def _hint_of(id_: str | None, classes: str | None) -> str:
    """Return the purpose that the id and the classes of an element name; empty for none."""
    return _hint(f"{id_ or ''} {classes or ''}"[:_NAME_LENGTH])


def _hint(names: str) -> str:
    """Return the purpose that ids or classes name; empty for none.

    >>> _hint("site-footer"), _hint("col-md-8")
    ('footer', '')
    """
    match = _HINT.search(_WORD_ENDS.sub(" ", names).lower())
    return (match.lastgroup or "") if match else ""


def find_boilerplate(pages: Sequence[BoilerplateElements]) -> Boilerplate:
    """Return the boilerplate of a site, from the elements of some pages of each of its types.

    >>> from webgrain.page.parsing import parse
    >>> html = "<div id=top><b>My site</b></div><p>Text {0}</p><div class=end>Some rights reserved</div>"
    >>> site = [parse(html.format(k)) for k in range(3)]
    >>> noise = np.array([0, 0, 0, 0, 0, 1.0, 0, 0, 0, 1.0])  # of the texts in both div
    >>> found = find_boilerplate([BoilerplateElements(page, noise) for page in site])
    >>> [(part.name, part.css) for part in found.parts]
    [('header', '#top'), ('footer', 'div.end')]
    """
    occurs: dict[tuple[tuple[str, ...], str], list[tuple[int, float]]] = defaultdict(list)
    for number, page in enumerate(pages):
        for node, name in page.elements:
            place = float(page.dom.text_start[node] / max(len(page.dom.text), 1))
            occurs[_selectors(page.dom, node), name].append((number, place))
    precise = _precise(pages, sorted({(css, name) for selectors, name in occurs for css in selectors}))
    merged: dict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for (selectors, name), places in occurs.items():
        if css := next((css for css in selectors if (css, name) in precise), ""):
            merged[css, name] += places
    rows = []
    for (css, name), places in merged.items():
        pages_with = len({number for number, _ in places})
        if pages_with >= max(thresholds.SITE_PAGES, thresholds.SITE_SHARE * len(pages)):
            place = round(float(np.median([place for _, place in places])), 3)
            rows.append((place, css, name, round(pages_with / len(pages), 3)))
    return Boilerplate(tuple(BoilerplatePart(name, css, share) for _, css, name, share in sorted(rows)))


def _selectors(dom: Dom, node: int) -> tuple[str, ...]:
    """Return selectors of an element, the shortest first: tag or class with a purpose, chains of steps."""
    tag, chain = dom.name(node), _step(dom, node)
    selectors = [chain]
    if chain[0] != "#":
        named = [f"{tag}.{name}" for name in chain.split(".")[1:] if _hint(name)]
        selectors = [*([tag] if tag in NAME_OF_TAG else []), *named, chain]
    for above in dom.ancestors(node)[: thresholds.SELECTOR_STEPS - 1]:
        if "#" in chain or chain.startswith("body"):
            break
        chain = f"{_step(dom, above)} > {chain}"
        selectors.append(chain)
    # A selector of tags only is used if content does not have these tags.
    return tuple(s for s in selectors if "#" in s or "." in s or s.partition(" ")[0] in _DISTINCTIVE)


def _step(dom: Dom, node: int) -> str:
    """Return an element as a step of a selector: its id, else its tag and classes, without numbers."""
    values = dom.attributes(node)
    identity, tag = values.get("id", "")[:_NAME_LENGTH].strip(), dom.name(node)
    if _PLAIN_NAME.fullmatch(identity):
        return f"#{identity}"
    classes = set() if tag == "body" else set(values.get("class", "")[:_NAME_LENGTH].split())
    return tag + "".join(f".{name}" for name in sorted(filter(_PLAIN_NAME.fullmatch, classes)))


def _precise(pages: Sequence[BoilerplateElements], tried: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the selectors, each with a name, that select almost only boilerplate of that name."""
    selectors = Selectors([css for css, _ in tried])
    wanted = np.array([BOILERPLATE_NAMES.index(name) for _, name in tried], np.int64)
    selected, right = np.zeros(len(tried)), np.zeros(len(tried))
    for page in pages:
        node, number = selectors.find(page.dom)
        selected += np.bincount(number, page.size[node], len(tried))
        fits = page.names[node] == wanted[number]
        right += np.bincount(number, page.size[node] * fits, len(tried))
    return {
        tried[k]
        for k in np.flatnonzero((right > 0) & (right >= thresholds.SELECTOR_PRECISION * selected)).tolist()
    }
