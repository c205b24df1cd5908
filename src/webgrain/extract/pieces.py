"""Pieces of furniture on one page: which of its elements are furniture, and what they are called.

See `webgrain.extract.furniture`, which finds the furniture of a site by them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webgrain.errors import ParameterError
from webgrain.page.leaves import IMAGE, TEXT_LEAF, leaf_kinds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.dom import Dom
    from webgrain.page.page import Page

    Floats = NDArray[np.float64]
    Int32 = NDArray[np.int32]
    Mask = NDArray[np.bool_]

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
    size: Floats
    noisy: Floats
    linked: Floats

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

    def _possible(self) -> Mask:
        """(n,) True at elements that may be furniture."""
        dom = self.dom
        small = np.array([tag in _OUTER or tag in _INNER for tag in dom.tags])[dom.tag]
        found: Mask = ~small & (self.size > 0) & (self.noisy >= NAMED * self.size)
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
    def _in_article(self) -> Mask:
        """(n,) True at what stands in an article."""
        return self.dom.inside(self._tagged("article"))

    @cached_property
    def _headed(self) -> Mask:
        """(n,) True at what holds a main heading."""
        found: Mask = self.dom.subtree_sum(self._tagged("h1", "h2")) > 0
        return found

    @cached_property
    def _titled(self) -> Mask:
        """(n,) True at what holds a main heading that is not nearly the same everywhere."""
        same = np.where(self._tagged("h1"), NOISY, NAMED) * self.size
        told = self._tagged("h1", "h2") & (self.noisy < same)
        found: Mask = self.dom.subtree_sum(told) > 0
        return found

    def _tagged(self, *names: str) -> Mask:
        return np.array([tag in names for tag in self.dom.tags])[self.dom.tag]

    @cached_property
    def _content(self) -> Floats:
        """(n + 1,) how much of the content comes before each node."""
        return np.append(0.0, np.cumsum(np.where(self.dom.is_leaf, self.size - self.noisy, 0.0)))


def measured(page: Page, noise: Floats) -> Seen:
    """Return a page with its noise (n,) per node, 0..1; `ParameterError` for another length.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
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
