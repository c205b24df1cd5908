"""Pieces of furniture on one page: which of its elements are furniture, and what they are called.

See `webgrain.extraction.boilerplate`, which finds the furniture of a site by them.

Furniture of a site: header, footer, navigation and what else stands around the content, named once.

Text that stands in the same place of many pages is noise of the site. The uppermost elements that hold
little else are its furniture, and so are those in them that say what else they are for. Each is known by the
shortest selector, from the element upwards, that finds hardly anything but noise on pages of all types: so it
is found on a page of a type that nobody has seen, too.

====================  ===================================================================  ================
what                  here                                                                 shape, unit
====================  ===================================================================  ================
size of a node        letters of its text; an image counts as 10, another leaf as 5        (n,)
noise of an element   mean noise confidence of its leaves, by size                         0..1
share                 pages that have the furniture                                        0..1
====================  ===================================================================  ================

Names come from the element (its ARIA role, tag, id and classes), else from how much of it is in links and
whether the content comes before or behind it; most places decide.

Cost: learning takes a few passes over the arrays of each page and a walk over its few dozen candidates; a
page is matched with all selectors by one pass of a kernel.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from webgrain.arrays import Bool, Float64, Int32
from webgrain.errors import ParameterError
from webgrain.page.addresses import Selectors
from webgrain.page.dom import Dom
from webgrain.page.leaves import IMAGE, TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page

Ways = tuple[str, ...]


NAMES = (
    "header", "navigation", "breadcrumb", "search", "aside", "meta", "social", "notice", "advertisement",
    "footer",
)  # fmt: skip
"""What furniture is called; meta is what is said of an article: who wrote it, when, under which headings."""

NOISY, NAMED = 0.8, 0.3
"""Noise from which on an element is furniture, and one that says so: a site may have several languages."""
LINKED, LINKS = 0.6, 20
"""Share of an element in links, and size, from which on it is navigation."""
EDGE = 0.1
"""Share of the content before or behind an element up to which it is at the top or the bottom; half of that
where it does not say so."""
MOST = 200
"""Pieces of furniture on a page, at most."""

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
_APART = re.compile(r"(?<=[a-z])(?=[A-Z])|[-_]+")
_OUTER = frozenset(("html", "body", "main", "article"))
"""Elements that are no furniture, whatever stands in them."""
_INNER = frozenset(
    (
        *("#text", "a", "b", "br", "em", "font", "h1", "h2", "h3", "i", "img", "li", "option", "p", "small"),
        *("span", "strong", "tbody", "td", "th", "tr"),
    )
)
"""Elements too small to be furniture."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A page as furniture is looked for on it; sums over what is in each node (n,)."""

    dom: Dom
    size: Float64
    noisy: Float64
    linked: Float64

    @cached_property
    def pieces(self) -> list[tuple[int, str]]:
        """The elements that are furniture, in order, and what they are called."""
        dom, found = self.dom, list[tuple[int, str]]()
        around: list[tuple[int, str]] = []  # where the pieces that a node is in end, and their names
        for node in np.flatnonzero(self._possible()).tolist():
            while around and around[-1][0] <= node:
                around.pop()
            name = self._name(node)
            if name and (not around or (name != around[-1][1] and _said(dom, node))) and len(found) < MOST:
                around.append((int(dom.end[node]), name))
                found.append((node, name))
        return found

    @cached_property
    def called(self) -> Int32:
        """(n,) what the innermost piece is called that a node is in, as a number of `NAMES`; -1 for none."""
        called = np.full(len(self.dom), -1, np.int32)
        for node, name in self.pieces:
            called[node : self.dom.end[node]] = NAMES.index(name)
        return called

    def place(self, node: int) -> float:
        """Return where on its page an element stands, 0..1."""
        return float(self.dom.text_start[node] / max(len(self.dom.text), 1))

    def _possible(self) -> Bool:
        """(n,) True at elements that may be furniture."""
        dom = self.dom
        small = np.array([tag in _OUTER or tag in _INNER for tag in dom.tags])[dom.tag]
        found: Bool = ~small & (self.size > 0) & (self.noisy >= NAMED * self.size)
        return found

    def _name(self, node: int) -> str:
        """Return what an element is called; empty for one that is no furniture.

        Header and footer stand at the edges of the content, those of an article say what it is of. What has
        no name among the content may be a label of it; what holds the title of an article is no furniture.
        """
        said = _said(self.dom, node)
        said = "meta" if said in ("header", "footer") and self._in_article[node] else said
        titled = self._headed if said == "meta" else self._titled
        if titled[node] and said not in ("navigation", "aside"):
            return ""
        if said in ("header", "footer"):
            return self._edge(node, EDGE)
        if said or self.noisy[node] < NOISY * self.size[node]:
            return said
        linked = self.size[node] >= LINKS and self.linked[node] >= LINKED * self.size[node]
        return "navigation" if linked else self._edge(node, EDGE / 2)

    def _edge(self, node: int, share: float) -> str:
        """Return ``header`` or ``footer`` where hardly any content comes before or behind; else nothing."""
        before, behind = self._content[node], self._content[-1] - self._content[self.dom.end[node]]
        least = share * self._content[-1]
        return "header" if before <= least else "footer" if behind <= least else ""

    @cached_property
    def _in_article(self) -> Bool:
        """(n,) True at what stands in an article."""
        return self.dom.inside(self._tagged("article"))

    @cached_property
    def _headed(self) -> Bool:
        """(n,) True at what holds a main heading."""
        found: Bool = self.dom.subtree_sum(self._tagged("h1", "h2")) > 0
        return found

    @cached_property
    def _titled(self) -> Bool:
        """(n,) True at what holds a main heading that is not nearly the same everywhere."""
        same = np.where(self._tagged("h1"), NOISY, NAMED) * self.size
        told = self._tagged("h1", "h2") & (self.noisy < same)
        found: Bool = self.dom.subtree_sum(told) > 0
        return found

    def _tagged(self, *names: str) -> Bool:
        return np.array([tag in names for tag in self.dom.tags])[self.dom.tag]

    @cached_property
    def _content(self) -> Float64:
        """(n + 1,) how much of the content comes before each node."""
        return np.append(0.0, np.cumsum(np.where(self.dom.is_leaf, self.size - self.noisy, 0.0)))


def measured(page: Page, noise: Float64) -> Seen:
    """Return a page with its noise (n,) per node, 0..1; `ParameterError` for another length.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<nav>Home</nav><p>Text"))
    >>> measured(page, np.array([0, 0, 0, 0, 1.0, 0, 0])).pieces  # of html, head, body, nav, text, p, text
    [(3, 'navigation')]
    """
    dom = page.dom
    if np.shape(noise) != (len(dom),):
        raise ParameterError(f"Expected a noise for each of {len(dom)} nodes, got {np.shape(noise)}.")
    kind = leaf_kinds(page)
    length = np.diff(dom.text_start)
    own = np.select([kind == TEXT_LEAF, kind == IMAGE, kind > 0], [length, 10, 5], 0).astype(np.float64)
    anchor = np.array([tag == "a" for tag in dom.tags])[dom.tag]
    linked = own * (dom.inside(anchor) | anchor)
    return Seen(dom, *(dom.subtree_sum(x) for x in (own, own * noise, linked)))


def _said(dom: Dom, node: int) -> str:
    """Return the name that an element gives itself; empty for none."""
    told = dom.attributes(node)
    name = _ROLES.get(told.get("role", "").lower(), "") or NAME_OF_TAG.get(dom.name(node), "")
    hint = _HINT.search(_words(f"{told.get('id', '')} {told.get('class', '')}"[:500]))
    if name in ("", "navigation", "aside") and hint:
        return hint.lastgroup or name
    return name


def _words(names: str) -> str:
    return _APART.sub(" ", names).lower()


def hints_at(name: str) -> bool:
    """Whether a class says what an element is for.

    >>> hints_at("site-footer"), hints_at("col-md-8")
    (True, False)
    """
    return _HINT.search(_words(name)) is not None


SURE = 0.85
"""Share of what a selector finds, by size, that must be furniture."""
SHARE, LEAST = 0.1, 3
"""Furniture stands on so large a share of the pages, and on so many of them."""
DEEPEST = 6
"""Steps of a selector, at most."""

LONGEST = 500
"""Letters of an id or class that are looked at."""

_TELLING = frozenset((*NAME_OF_TAG, "body"))
_PLAIN = re.compile(r"-?[a-z_][a-z_-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Furniture:
    """A part of a site that stands around its content.

    Attributes:
        name: one of `webgrain.extraction.boilerplate.NAMES`.
        css: its selector.
        share: of the pages that it was learnt from, those that have it, 0..1.
    """

    name: str
    css: str
    share: float


@dataclass(frozen=True)
class Furnishing:
    """The furniture of a site, in the order in which it stands on the pages.

    >>> from webgrain.page.parsing import parse_html
    >>> furnishing = Furnishing((Furniture("navigation", "nav", 1.0),))
    >>> furnishing.find(parse_html(b"<nav><a href=/>Home</a></nav><p>Text")).tolist()
    [-1, -1, -1, 0, 0, 0, -1, -1]
    >>> Furnishing.made_from(furnishing.told()) == furnishing
    True
    """

    furniture: tuple[Furniture, ...] = ()

    def __len__(self) -> int:
        return len(self.furniture)

    @cached_property
    def _selectors(self) -> Selectors:
        return Selectors([one.css for one in self.furniture])

    def find(self, dom: Dom) -> Int32:
        """Return the piece of furniture that each node (n,) stands in, the innermost one; -1 for none."""
        found = np.full(len(dom.tag), -1, np.int32)
        for node, number in zip(*(column.tolist() for column in self._selectors.find(dom)), strict=True):
            found[node : dom.end[node]] = number
        return found

    def told(self) -> list[dict[str, Any]]:
        """Return it as plain values, from which `made_from` makes it again."""
        return [{"name": one.name, "css": one.css, "share": one.share} for one in self.furniture]

    @classmethod
    def made_from(cls, told: Sequence[Mapping[str, Any]]) -> Furnishing:
        """Return the furniture that was told; other values raise one of `webgrain.modelfile.DAMAGED`."""
        return cls(tuple(Furniture(str(one["name"]), str(one["css"]), float(one["share"])) for one in told))


def find_furniture(pages: Iterable[tuple[Page, Float64]]) -> Furnishing:
    """Return the furniture of a site, from some pages of each of its types.

    pages: each with the noise confidence (n,) of its nodes, 0..1, as the template of its type gives it.
    `ParameterError` where a noise has another length.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> html = "<div id=top><b>My site</b></div><p>Text {0}</p><div class=end>Some rights reserved</div>"
    >>> site = [parse(Source(f"{k}", html.format(k).encode())) for k in range(3)]
    >>> noise = np.array([0, 0, 0, 0, 0, 1.0, 0, 0, 0, 1.0])  # of the texts in both div
    >>> [(one.name, one.css) for one in find_furniture((page, noise) for page in site).furniture]
    [('header', '#top'), ('footer', 'div.end')]
    """
    seen = [measured(*pair) for pair in pages]
    found: dict[Ways, _Candidate] = defaultdict(_Candidate)
    for number, page in enumerate(seen):
        for node, name in page.pieces:
            found[_ways(page.dom, node)].add(number, name, page.place(node))
    tried = sorted({(css, one.name) for ways, one in found.items() for css in ways})
    sure = _sure(seen, tried)
    merged: dict[tuple[str, str], _Candidate] = defaultdict(_Candidate)
    for ways, one in found.items():
        if css := next((css for css in ways if (css, one.name) in sure), ""):
            merged[css, one.name].join(one)
    wanted = max(LEAST, SHARE * len(seen))
    usual = [(one.place, css, name, one) for (css, name), one in merged.items() if len(one.pages) >= wanted]
    inorder = sorted(usual, key=lambda row: row[:3])
    return Furnishing(tuple(Furniture(name, css, one.share(len(seen))) for _, css, name, one in inorder))


@dataclass(slots=True)
class _Candidate:
    """Where elements with the same steps stand, and what they are called there."""

    pages: set[int] = field(default_factory=set)
    names: Counter[str] = field(default_factory=Counter)
    places: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        return max(self.names, key=lambda name: (self.names[name], name))

    @property
    def place(self) -> float:
        return round(float(np.median(self.places)), 3)

    def share(self, pages: int) -> float:
        return round(len(self.pages) / pages, 3)

    def add(self, page: int, name: str, place: float) -> None:
        self.pages.add(page)
        self.names[name] += 1
        self.places.append(place)

    def join(self, other: _Candidate) -> None:
        self.pages |= other.pages
        self.names += other.names
        self.places += other.places


def _ways(dom: Dom, node: int) -> Ways:
    """Return selectors that find an element, the shortest first."""
    chain = _step(dom, node)
    ways = [*_brief(dom, node), chain]
    for above in dom.ancestors(node)[: DEEPEST - 1]:
        if "#" in chain or chain.startswith("body"):
            break
        chain = f"{_step(dom, above)} > {chain}"
        ways.append(chain)
    return tuple(filter(_telling, ways))


def _step(dom: Dom, node: int) -> str:
    """Return an element as a step of a selector: its id, else its tag and classes, without numbers."""
    told = {name: value[:LONGEST] for name, value in dom.attributes(node).items() if name in ("id", "class")}
    identity = told.get("id", "").strip()
    if _PLAIN.fullmatch(identity):
        return f"#{identity}"
    tag = dom.name(node)
    classes = sorted(filter(_PLAIN.fullmatch, set(told.get("class", "").split()))) if tag != "body" else []
    return tag + "".join(f".{name}" for name in classes)


def _brief(dom: Dom, node: int) -> list[str]:
    """Return selectors of a tag or one class that say what an element is for; none where it has an id."""
    tag, step = dom.name(node), _step(dom, node)
    told = [f"{tag}.{name}" for name in step.split(".")[1:] if hints_at(name)]
    return [] if step[0] == "#" else [tag] * (tag in NAME_OF_TAG) + told


def _telling(css: str) -> bool:
    """Whether a selector asks for more than tags that content has too."""
    return "#" in css or "." in css or css.partition(" ")[0] in _TELLING


def _sure(seen: Sequence[Seen], tried: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return which selectors, each with a name, find hardly anything but furniture of that name."""
    selectors = Selectors([css for css, _ in tried])
    wanted = np.array([NAMES.index(name) for _, name in tried], np.int64)
    found, right = np.zeros(len(tried)), np.zeros(len(tried))
    for one in seen:
        node, number = selectors.find(one.dom)
        found += np.bincount(number, one.size[node], len(tried))
        fit = one.called[node] == wanted[number]
        right += np.bincount(number, one.size[node] * fit, len(tried))
    return {tried[k] for k in np.flatnonzero((right > 0) & (right >= SURE * found)).tolist()}
