"""Learn the model of a site: types, templates, layouts, selectors of titles and texts, boilerplate.

The methods learn from a sample of the pages, so time and memory do not grow with the site. The sample is read
in three passes: for the search log or pseudo-queries, for the paths, and for templates and layouts.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from webgrain import __version__
from webgrain.arrays import Float64
from webgrain.errors import ParameterError
from webgrain.extraction.boilerplate import find_boilerplate
from webgrain.io.queries import SearchLog
from webgrain.layouts.sitelayouts import SiteLayouts
from webgrain.page.addresses import css_paths
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.paths import text_key
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.keyclus import TypeModel
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.sitepaths import PathRules, SharedValues
from webgrain.pipeline import Item, Layout, pages
from webgrain.results import MAIN_KINDS, Article, Failure
from webgrain.site.model import Marks, SiteModel
from webgrain.site.thresholds import LAYOUT_PAGES, MIN_TEMPLATE_PAGES, TEMPLATE_PAGES
from webgrain.site.types import learn_types
from webgrain.templates.regextree import Match, RegexTree
from webgrain.templates.sections import Sectioner
from webgrain.templates.template import Symbol, TypedTree, typed_tree


@dataclass(frozen=True, slots=True, eq=False)
class TypePages:
    """Some pages of a type.

    Attributes:
        pages: their visible trees; articles: their articles according to the layouts of the site.
        cutter: sections them by the template of the type; None: the type has no template.
        matches: the match of each page with the template; empty without one.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.layouts.sitelayouts import SiteLayouts
    >>> html = "<ul><li>Home<li>News</ul><h1>Page {0}</h1><p>Some words on {0}"
    >>> pages = [parse(Source(name, html.format(name).encode())) for name in "abc"]
    >>> found = TypePages.learn(pages, SiteLayouts().fit(pages))
    >>> print(found.cutter.template)
    html[body[ul[(li[#text])*] h1[#text] p[#text]]]
    >>> [match.score for match in found.matches]
    [1.0, 1.0, 1.0]
    """

    pages: tuple[TypedTree, ...]
    articles: tuple[Article, ...]
    cutter: Sectioner | None
    matches: tuple[Match, ...]

    @classmethod
    def learn(cls, pages: Sequence[Page], layouts: SiteLayouts, *, template: bool = True) -> Self:
        """Return the results for some pages of a type; template: whether to learn a template."""
        trees = tuple(map(typed_tree, pages))
        cutter = _cutter(trees) if template else None
        matches = tuple(map(cutter.match, trees)) if cutter else ()
        return cls(trees, tuple(map(layouts.predict, pages)), cutter, matches)

    def noisy(self) -> Iterator[tuple[Page, Float64]]:
        """Yield the pages with the noise confidence (n,) of their leaves; none without a template."""
        for tree, match in zip(self.pages, self.matches, strict=False):
            if self.cutter:
                yield tree.page, self.cutter.noise(tree, match)

    def places(self) -> tuple[str, str]:
        """Return the selectors of the title and of the main text on most of the pages."""
        titles, mains = Counter[str](), Counter[str]()
        matches = self.matches or [None] * len(self.pages)
        for tree, article, match in zip(self.pages, self.articles, matches, strict=True):
            title = [block.node for block in article.blocks if block.kind == "title"]
            main = [block.node for block in article.blocks if block.kind in MAIN_KINDS]
            titles.update(_selector(tree.page, node, match) for node in title)
            if main:
                mains[_selector(tree.page, _around(tree.page.dom, main), match)] += 1
        return _usual(titles), _usual(mains)


def _cutter(trees: Sequence[TypedTree]) -> Sectioner | None:
    """Return the sectioner of a type; None if it has too few pages, or pages without common structure."""
    if len(trees) < MIN_TEMPLATE_PAGES:
        return None
    try:
        template = RegexTree().fit(trees).template_
    except ParameterError:
        return None
    return Sectioner(template=template) if template else None


def _selector(page: Page, node: int, match: Match | None) -> str:
    """Return a selector of a node that is valid on other pages too, according to the template."""
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
    """Return the step of a selector that all symbols of a template node share.

    A template replaces digits by 0, so marks with a digit are omitted.

    >>> _step([Symbol("div", ("#post-0", "post", "wide")), Symbol("div", ("#post-0", "post"))])
    'div.post'
    """
    tags = {symbol.tag for symbol in symbols}
    common = set.intersection(*(set(symbol.names) for symbol in symbols))
    marks = tuple(mark for mark in symbols[0].names if mark in common and "0" not in mark)
    return str(Symbol(tags.pop() if len(tags) == 1 else "*", marks))


def _usual(found: Counter[str]) -> str:
    """Return the most frequent selector, the first in alphabetical order of several; empty for none."""
    return min(found, key=lambda css: (-found[css], css), default="")


def _around(dom: Dom, nodes: Sequence[int]) -> int:
    """Return the lowest common ancestor of some nodes."""
    around, last = min(nodes), max(nodes)
    while dom.end[around] <= last:
        around = int(dom.parent[around])
    return around


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """Settings of learning a site.

    Attributes:
        tabs: separate types by the text of the open tab, too.
        random_state: seed of the random numbers.
    """

    tabs: bool = False
    random_state: int = 0


def learn_site(
    read: Callable[[], Iterable[Item]],
    site: str,
    log: SearchLog | None = None,
    learning: Learning | None = None,
) -> SiteModel:
    """Return the model of a site.

    read: returns an iterator of the pages, each time from the first one. log: the search log; None: anchor
    texts, titles and headings serve as pseudo-queries. Raises `InputError` without a page.

    See `webgrain.site.model.SiteModel` for an example.
    """
    learning = learning or Learning()
    learnt = learn_types(read, PageTypes(tabs=learning.tabs, random_state=learning.random_state), log)
    of_page = dict(zip(learnt.clustering.pages, learnt.clustering.labels.tolist(), strict=True))
    labels = [kind.label for kind in learnt.clustering.types]
    for_template, for_layouts = _chosen(of_page)
    kept: dict[int, list[Page]] = defaultdict(list)
    collected = _collect(read(), of_page, for_template, for_layouts, kept)
    layouts = SiteLayouts().fit(collected, learnt.anchors)
    types = {
        labels[kind]: TypePages.learn(some, layouts, template=labels[kind] != OTHER)
        for kind, some in sorted(kept.items())
    }
    says = {kind.label: kind.contents for kind in learnt.clustering.types}
    names = learnt.names({label: one.articles for label, one in types.items()})
    marks = {
        label: Marks(*(one.places() if label != OTHER else ("", "")), says[label], names[label])
        for label, one in types.items()
    }
    templates = {label: one.cutter.template for label, one in types.items() if one.cutter}
    about = {
        "webgrain": __version__,
        "learnt_from": len(of_page),
        "queries": learnt.source,
        "params": dict(learnt.clustering.params),
    }
    furniture = find_boilerplate(pair for one in types.values() for pair in one.noisy())
    return SiteModel(site, learnt.model, layouts, templates, marks, furniture, about)


def empty_model(site: str, reason: str) -> SiteModel:
    """Return the model of a site from which nothing could be learnt: it reads each page on its own."""
    types = TypeModel(PathRules(SharedValues(frozenset(), frozenset()), frozenset()), (), 1, 0, 0.0, ())
    return SiteModel(site, types, SiteLayouts().fit([]), about={"webgrain": __version__, "reason": reason})


def least(names: Iterable[str], most: int) -> list[str]:
    """Return the ``most`` names with the smallest hashes: the same ones in any order.

    >>> least(["a", "b", "c", "d"], 2) == least(["d", "c", "b", "a"], 2)
    True
    """
    return heapq.nsmallest(most, names, key=text_key)


def _chosen(of_page: Mapping[str, int]) -> tuple[set[str], set[str]]:
    """Return the pages from which templates are learnt, and those for the layouts."""
    by_type: dict[int, list[str]] = defaultdict(list)
    for name, kind in of_page.items():
        by_type[kind].append(name)
    share = min(1.0, LAYOUT_PAGES / max(len(of_page), 1))
    templates = {name for some in by_type.values() for name in least(some, TEMPLATE_PAGES)}
    layouts = {
        name
        for some in by_type.values()
        for name in least(some, max(TEMPLATE_PAGES, round(share * len(some))))
    }
    return templates, layouts


def _collect(
    items: Iterable[Item],
    of_page: Mapping[str, int],
    for_template: set[str],
    for_layouts: set[str],
    kept: dict[int, list[Page]],
) -> Iterator[Page]:
    """Yield the pages from which layouts are learnt, and keep those for the templates of the types."""
    wanted = (item for item in items if not isinstance(item, Failure) and item.id in for_layouts)
    for page in pages(wanted, Layout(render="none")):
        if isinstance(page, Failure):
            continue
        if page.id in for_template:
            kept[of_page[page.id]].append(page)
        yield page
