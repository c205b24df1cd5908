"""Boilerplate of a site: the probability of each text, and the parts around the content, each named once.

Boosted trees estimate the probability that a text is boilerplate from the texts and paths that the pages of
the site share, the noise confidence of the template, features of the text block, and what the reader finds
of it: the probabilities of main text and of a comment, and where the block is relative to the main text. They
are trained by ``experiments/training/boilerplate.py`` on sites of all kinds.

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

Cost: the features of text blocks and their probabilities are those of the reader, and are not computed
again; learning parts takes a few passes over the arrays of each page and a walk over its few dozen
candidates; all selectors are matched with a page in one pass of a kernel.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Float32, Float64, Int32, Int64
from webgrain.base.errors import ParameterError
from webgrain.base.properties import cached_property
from webgrain.base.trees import BoostedTrees, packaged_trees
from webgrain.columns import blocks as features
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction import thresholds
from webgrain.extraction.boilerplatekernel import (
    ARTICLE,
    EXCLUDED,
    FIRST_HEADING,
    HEADING,
    boilerplate_elements,
)
from webgrain.extraction.judgements import JUDGEMENTS, judgements_with_site
from webgrain.extraction.sitetexts import OWN, site_features, site_names
from webgrain.page.addresses import Selectors
from webgrain.page.dom import Dom
from webgrain.page.leaves import TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page
from webgrain.page.paths import places
from webgrain.page.strings import bounded_cache, name_set
from webgrain.page.tagtables import TagTable
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
_LARGE = name_set("html body main article")  # never boilerplate, whatever they contain
_SMALL = name_set("#text a b br em font h1 h2 h3 i img li option p small span strong tbody td th tr")
_DISTINCTIVE = frozenset((*NAME_OF_TAG, "body"))
_PLAIN_NAME = re.compile(r"-?[a-z_][a-z_-]*", re.IGNORECASE)
_NAME_LENGTH = 500  # characters of an id or class that are used


def _number_of(name: str) -> int:
    """Return the number of a name of a boilerplate part; -1 for none."""
    return BOILERPLATE_NAMES.index(name) if name else -1


def _bits_of(tag: str) -> int:
    """Return what the kernel knows of a tag."""
    bits = EXCLUDED if tag in _LARGE or tag in _SMALL else 0
    bits |= ARTICLE if tag == "article" else 0
    bits |= FIRST_HEADING if tag == "h1" else 0
    return bits | (HEADING if tag in ("h1", "h2") else 0)


_BITS_OF_TAGS = TagTable(_bits_of, np.uint8)
_NAME_OF_TAGS = TagTable(lambda tag: _number_of(NAME_OF_TAG.get(tag, "")), np.int32)
_NAME_OF_ROLE = Question(lambda role: _number_of(_ROLES.get(role.lower(), "")), np.int32)
_NO_NAMES = None, None
_YIELDS = np.isin((*BOILERPLATE_NAMES, ""), ("navigation", "aside", ""))
"""By the number of a name, the last of which is that of none: whether the hint of an element replaces it."""
_LIMITS = (
    thresholds.NOISY_ELEMENT,
    thresholds.NOISY_NAMED,
    thresholds.NAVIGATION_LINKED,
    thresholds.NAVIGATION_SIZE,
    thresholds.EDGE,
    thresholds.MOST_ELEMENTS,
)

FORMAT = "webgrain boilerplate"
_OF_SITE = (
    *("text", "text on", "path", "tag path", "same", "same at tags", "varies", "varies at tags", "times"),
    *("letters", "links", "linked", "heading", "text within"),
    *(f"{name} in {k}" for k in (0, 1, 3) for name in ("text", "same", "varies", "heading")),
)
_SITE_COLUMNS = [site_names().index(f"site {name}") for name in _OF_SITE]
_BLOCK_COLUMNS = [features.block_names().index(name) for name in OWN]


def boilerplate_names() -> tuple[str, ...]:
    """Return the names of the features of a text: its noise confidence, and those of its block.

    They state what the site has at its place, the block itself, and what the reader finds of it.

    >>> boilerplate_names()[:2]
    ('noise', 'text')
    """
    return ("noise", *_OF_SITE, *(f"block {name}" for name in OWN), *(f"read {name}" for name in JUDGEMENTS))


@cache
def trained_boilerplate() -> BoostedTrees:
    """Return the trees for the probability that a text is boilerplate."""
    names = {"boilerplate": boilerplate_names()}
    return packaged_trees("webgrain.extraction", "boilerplate.model", names, FORMAT)["boilerplate"]


class BoilerplateTexts(NamedTuple):
    """What is known of the visible texts of a page without the template of its type.

    Attributes:
        node: (t,) int64, the texts; block: (t,) int64, the text block of each.
        columns: (f - 1, b) float32, the features of the text blocks, without the noise confidence.
    """

    node: Int64
    block: Int64
    columns: Float32

    @classmethod
    def of(cls, page: Page, site: SiteTable) -> Self | None:
        """Return the texts of a page; None if the site does not know the page."""
        facts = features.page_facts(page)
        judged = judgements_with_site(page, site)
        of_site = None if judged is None else site_features(page, site)
        if judged is None or of_site is None:
            return None
        node = (leaf_kinds(page) == TEXT_LEAF).nonzero()[0]
        block = np.maximum(np.searchsorted(facts.blocks.first, node, side="right") - 1, 0)
        of_blocks = features.block_features(page)
        of_page = of_site.T[_SITE_COLUMNS], of_blocks.T[_BLOCK_COLUMNS], judged
        columns = np.concatenate(of_page, dtype=np.float32)
        return cls(node, block, columns)

    def features(self, noise: Float64) -> Float32:
        """Return the features (t, f) of the texts; noise: (n,) the noise confidence of each node."""
        of_blocks = self.columns.take(self.block, axis=1)
        return np.concatenate([noise[None, self.node], of_blocks], dtype=np.float32).T


def boilerplate_probability(page: Page, site: SiteTable, noise: Float64) -> Float64:
    """Return the probability (n,) that each leaf of a page is boilerplate of its site; 0 at other nodes.

    noise: (n,) the noise confidence of each node by the template of its type, NaN without a template. It is
    kept for leaves that are no text, and for pages that the site does not know.
    """
    return probability_of_texts(BoilerplateTexts.of(page, site), noise)


def probability_of_texts(texts: BoilerplateTexts | None, noise: Float64) -> Float64:
    """Return `boilerplate_probability` of a page whose texts are known; None: its site does not know it."""
    probability = np.where(np.isnan(noise), 0.0, noise)
    if texts is not None:
        probability[texts.node] = trained_boilerplate().probability(texts.features(noise))
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

    Header and footer are at the edges of the content; those of an article are information about it. An
    element without a name among the content may be a label of it. An element that contains the title of an
    article is not boilerplate.

    Attributes:
        dom: the tree of the page; size: (n,) of what is in each node.
        node, name: (e,) int32, the elements in order, and the number of the name of each.
        inside: (n,) int32, the name of the innermost element around each node; -1 for none.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<nav>Home</nav><p>Text")
    >>> BoilerplateElements(page, np.array([0, 0, 0, 0, 1.0, 0, 0])).elements  # the fifth is the text in nav
    [(3, 'navigation')]
    """

    def __init__(self, page: Page, noise: Float64) -> None:
        self.dom = dom = page.dom
        if np.shape(noise) != (len(dom),):
            raise ParameterError(f"Expected a noise for each of {len(dom)} nodes, got {np.shape(noise)}.")
        self.size, self.node, self.name, self.inside = boilerplate_elements(
            (dom.parent, dom.end, dom.text_start),
            leaf_kinds(page),
            dom.links().view(np.uint8),
            _BITS_OF_TAGS.of_nodes(dom),
            own_names(dom),
            np.asarray(noise, np.float64),
            _LIMITS,
        )

    @property
    def elements(self) -> list[tuple[int, str]]:
        """The boilerplate elements, in order, with their names."""
        names = map(BOILERPLATE_NAMES.__getitem__, self.name.tolist())
        return list(zip(self.node.tolist(), names, strict=True))


def own_names(dom: Dom) -> Int32:
    """Return the number (n,) of the name that role, tag, id and classes give each element; -1 for none.

    >>> from webgrain.page.parsing import parse_html
    >>> [BOILERPLATE_NAMES[k] for k in own_names(parse_html("<nav><p class=breadcrumb>")).tolist() if k >= 0]
    ['navigation', 'breadcrumb']
    """
    types = places(dom)
    pairs = zip(types.ids, types.classes, strict=True)
    hints = np.array([_hint_of(*pair) if pair != _NO_NAMES else -1 for pair in pairs], np.int32)
    names: Int32 = _chosen(_NAME_OF_TAGS.values(dom.tags)[types.tag], hints)[types.type]
    attributes, nodes = dom.find_attribute("role")
    if len(nodes):
        roles = dom.ask(_NAME_OF_ROLE, attributes)
        of_roles = _chosen(roles, hints[types.type[nodes]])
        names[nodes] = np.where(roles >= 0, of_roles, names[nodes])
    return names


def _chosen(name: Int32, hint: Int32) -> Int32:
    """Return the names of elements; name: by role or tag, hint: by id and classes; -1 for none."""
    chosen: Int32 = np.where((hint >= 0) & _YIELDS[name], hint, name)
    return chosen


@bounded_cache(4096)  # the pages of a site have the same ids and classes
def _hint_of(id_: str | None, classes: str | None) -> int:
    """Return the number of the purpose that the id and the classes of an element name; -1 for none."""
    return _number_of(_hint(f"{id_ or ''} {classes or ''}"[:_NAME_LENGTH]))


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
        dom = page.dom
        places = (dom.text_start[page.node] / max(len(dom.text), 1)).tolist()
        steps = _Steps(dom)
        for (node, name), place in zip(page.elements, places, strict=True):
            occurs[steps.selectors(node), name].append((number, place))
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


class _Steps:
    """The steps of the selectors of a page."""

    def __init__(self, dom: Dom) -> None:
        self._dom = dom
        types = places(dom)
        self._of = types.type.tolist()
        self._names = list(zip(types.ids, types.classes, strict=True))
        self._parent = dom.parent.tolist()
        self._known: dict[int, str] = {}

    def selectors(self, node: int) -> tuple[str, ...]:
        """Return selectors of an element, the shortest first: tag, class with a purpose, chains of steps."""
        tag, chain = self._dom.name(node), self._step(node)
        selectors = [chain]
        if chain[0] != "#":
            named = [f"{tag}.{name}" for name in chain.split(".")[1:] if _hint(name)]
            selectors = [*([tag] if tag in NAME_OF_TAG else []), *named, chain]
        for _ in range(thresholds.SELECTOR_STEPS - 1):
            node = self._parent[node]
            if node < 0 or "#" in chain or chain.startswith("body"):
                break
            chain = f"{self._step(node)} > {chain}"
            selectors.append(chain)
        # A selector of tags only is used if content does not have these tags.
        return tuple([s for s in selectors if "#" in s or "." in s or s.partition(" ")[0] in _DISTINCTIVE])

    def _step(self, node: int) -> str:
        """Return an element as a step of a selector."""
        number = self._of[node]
        step = self._known.get(number)
        if step is None:
            id_, classes = self._names[number]
            step = self._known[number] = _step(self._dom.name(node), id_ or "", classes or "")
        return step


@bounded_cache(4096)
def _step(tag: str, id_: str, classes: str) -> str:
    """Return an element as a step of a selector: its id, else its tag and classes, without numbers."""
    identity = id_[:_NAME_LENGTH].strip()
    if _PLAIN_NAME.fullmatch(identity):
        return f"#{identity}"
    names = set() if tag == "body" else set(classes[:_NAME_LENGTH].split())
    return tag + "".join([f".{name}" for name in sorted(filter(_PLAIN_NAME.fullmatch, names))])


def _precise(pages: Sequence[BoilerplateElements], tried: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the selectors, each with a name, that select almost only boilerplate of that name."""
    selectors = Selectors([css for css, _ in tried])
    wanted = np.array([BOILERPLATE_NAMES.index(name) for _, name in tried], np.int32)
    selected, right = np.zeros(len(tried)), np.zeros(len(tried))
    for page in pages:
        node, number = selectors.find(page.dom)
        selected += np.bincount(number, page.size[node], len(tried))
        fits = page.inside[node] == wanted[number]
        right += np.bincount(number, page.size[node] * fits, len(tried))
    return {
        tried[k]
        for k in np.flatnonzero((right > 0) & (right >= thresholds.SELECTOR_PRECISION * selected)).tolist()
    }
