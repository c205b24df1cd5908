"""Pages of a type that are looked at closely: its template, where its titles and texts are, what is noise."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from webgrain.errors import ParameterError
from webgrain.page.address import css_paths
from webgrain.results import MAIN_KINDS
from webgrain.template.forest import Symbol, marked
from webgrain.template.regextree import RegexTree
from webgrain.template.sections import Sectioner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from webgrain.page.dom import Dom
    from webgrain.page.page import Page
    from webgrain.results import Article
    from webgrain.template.forest import Marked
    from webgrain.template.matching import Match
    from webgrain.template.webstemmer import Webstemmer

FEWEST = 3
"""Pages from which on a type has a template: what two pages share says little."""


@dataclass(frozen=True, slots=True, eq=False)
class TypePages:
    """Some pages of a type.

    Attributes:
        pages: what can be seen of each; articles: what the layouts of the site say of it.
        cutter: cuts them by the template of the type; None: the type has no template.
        matches: how each fits that; none without one.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.template.webstemmer import Webstemmer
    >>> html = "<ul><li>Home<li>News</ul><h1>Page {0}</h1><p>Some words on {0}"
    >>> pages = [parse(Source(name, html.format(name).encode())) for name in "abc"]
    >>> found = TypePages.learn(pages, Webstemmer().fit(pages))
    >>> print(found.cutter.template)
    html[body[ul[(li[#text])*] h1[#text] p[#text]]]
    >>> [match.score for match in found.matches]
    [1.0, 1.0, 1.0]
    """

    pages: tuple[Marked, ...]
    articles: tuple[Article, ...]
    cutter: Sectioner | None
    matches: tuple[Match, ...]

    @classmethod
    def learn(cls, pages: Sequence[Page], layouts: Webstemmer) -> Self:
        """Return what is known of some pages of a type."""
        trees = tuple(map(marked, pages))
        cutter = _cutter(trees)
        matches = tuple(map(cutter.match, trees)) if cutter else ()
        return cls(trees, tuple(map(layouts.predict, pages)), cutter, matches)

    def noisy(self) -> Iterator[tuple[Page, NDArray[np.float64]]]:
        """Yield the pages with the noise (n,) of their leaves; nothing where there is no template."""
        for tree, match in zip(self.pages, self.matches, strict=False):
            if self.cutter:
                yield tree.page, self.cutter.noise(tree, match)

    def places(self) -> tuple[str, str]:
        """Return where most of the pages have their title and their main text, as selectors."""
        titles, mains = Counter[str](), Counter[str]()
        matches = self.matches or [None] * len(self.pages)
        for tree, article, match in zip(self.pages, self.articles, matches, strict=True):
            title = [block.node for block in article.blocks if block.kind == "title"]
            main = [block.node for block in article.blocks if block.kind in MAIN_KINDS]
            titles.update(_selector(tree.page, node, match) for node in title)
            if main:
                mains[_selector(tree.page, _around(tree.page.dom, main), match)] += 1
        return _usual(titles), _usual(mains)


def _cutter(trees: Sequence[Marked]) -> Sectioner | None:
    """Return what cuts the pages of a type; None where they are too few, or have nothing in common."""
    if len(trees) < FEWEST:
        return None
    try:
        template = RegexTree().fit(trees).template_
    except ParameterError:
        return None
    return Sectioner(template=template) if template else None


def _selector(page: Page, node: int, match: Match | None) -> str:
    """Return a selector of a node that holds for other pages too: by what the template knows of it."""
    if match is None:
        return css_paths(page.dom, [node])[0]
    while match.labels[node] < 0 <= page.dom.parent[node]:
        node = int(page.dom.parent[node])
    steps: list[str] = []
    at, template = int(match.labels[node]), match.template
    while at >= 0 and not (steps and "#" in steps[-1]):
        if template.symbols[at][0].tag != "#text":
            steps.append(_step(template.symbols[at]))
        at = int(template.owner[at])
    return " > ".join(reversed(steps))


def _step(symbols: Sequence[Symbol]) -> str:
    """Return the step of a selector for what all symbols of a place in a template have in common.

    A template takes all digits as 0, so marks with one are left out.

    >>> _step([Symbol("div", ("#post-0", "post", "wide")), Symbol("div", ("#post-0", "post"))])
    'div.post'
    """
    tags = {symbol.tag for symbol in symbols}
    common = set.intersection(*(set(symbol.marks) for symbol in symbols))
    marks = tuple(mark for mark in symbols[0].marks if mark in common and "0" not in mark)
    return str(Symbol(tags.pop() if len(tags) == 1 else "*", marks))


def _usual(found: Counter[str]) -> str:
    """Return the most frequent selector, the first by name of several; empty for none."""
    return min(found, key=lambda css: (-found[css], css), default="")


def _around(dom: Dom, nodes: Sequence[int]) -> int:
    """Return the lowest node that some nodes are in."""
    around, last = min(nodes), max(nodes)
    while dom.end[around] <= last:
        around = int(dom.parent[around])
    return around
