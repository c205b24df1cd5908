"""Furniture of a site: header, footer, navigation and what else stands around the content, named once.

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
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.extract.pieces import NAME_OF_TAG, NAMES, hints_at, measured
from webgrain.page.selectors import Selectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.extract.pieces import Seen
    from webgrain.page.dom import Dom
    from webgrain.page.page import Page

    Floats = NDArray[np.float64]
    Int32 = NDArray[np.int32]
    Ways = tuple[str, ...]

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
        name: one of `webgrain.extract.pieces.NAMES`.
        css: its selector.
        share: of the pages that it was learnt from, those that have it, 0..1.
    """

    name: str
    css: str
    share: float


@dataclass(frozen=True)
class Furnishing:
    """The furniture of a site, in the order in which it stands on the pages.

    >>> from webgrain.page.parse import parse_html
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
        found = np.full(len(dom), -1, np.int32)
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


def find_furniture(pages: Iterable[tuple[Page, Floats]]) -> Furnishing:
    """Return the furniture of a site, from some pages of each of its types.

    pages: each with the noise confidence (n,) of its nodes, 0..1, as the template of its type gives it.
    `ParameterError` where a noise has another length.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
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
