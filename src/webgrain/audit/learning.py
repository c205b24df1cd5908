"""Learn all there is to know of a site: types, templates, layouts, places of titles and texts, furniture.

Every method learns from a sample of the pages that its caller bounds, so time and memory do not grow with the
site. One pass for the search log or what stands in for it, one for the paths, one for templates and layouts.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webgrain import __version__
from webgrain.audit.model import Marks, SiteModel
from webgrain.cluster.keyclus import KeyClus
from webgrain.cluster.sitepaths import PathRules
from webgrain.cluster.typemodel import TypeModel
from webgrain.cluster.typenames import Kind, name_types
from webgrain.cluster.vocabulary import SharedValues
from webgrain.errors import ParameterError
from webgrain.extract.furniture import find_furniture
from webgrain.page.address import css_paths
from webgrain.page.paths import text_key
from webgrain.pagetypes import learn_types
from webgrain.pipeline import Layout, pages
from webgrain.results import MAIN_KINDS, Failure
from webgrain.template.forest import Symbol, marked
from webgrain.template.matching import Matcher
from webgrain.template.regextree import RegexTree
from webgrain.template.sections import Sectioner
from webgrain.template.webstemmer import Webstemmer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from webgrain.io.queries import SearchLog
    from webgrain.page.dom import Dom
    from webgrain.page.page import Page
    from webgrain.pagetypes import Learnt
    from webgrain.pipeline import Item
    from webgrain.results import Article
    from webgrain.template.expression import Template
    from webgrain.template.matching import Match

TEMPLATE_PAGES = 15
"""Pages of a type that its template is learnt from: more teach little, see `webgrain.template.regextree`."""

FEWEST = 3
"""Pages from which on a type has a template: what two pages share says little."""

LAYOUT_PAGES = 200
"""Pages that the layouts are learnt from, of each type in proportion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """How a site is learnt.

    Attributes:
        tabs: tell pages apart by what their open tab says, too.
        random_state: seed of what is random.
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

    read: gives the pages that are learnt from, from their beginning each time. log: its search log; None:
    anchor texts, titles and headings stand in for it. `InputError` where there is no page.

    See `webgrain.audit.model.SiteModel` for an example.
    """
    learning = learning or Learning()
    learnt = learn_types(read, KeyClus(tabs=learning.tabs, random_state=learning.random_state), log)
    of_page = dict(zip(learnt.clustering.pages, learnt.clustering.labels.tolist(), strict=True))
    labels = [kind.label for kind in learnt.clustering.types]
    for_template, for_layouts = _chosen(of_page)
    kept: dict[int, list[Page]] = defaultdict(list)
    collected = _collect(read(), of_page, for_template, for_layouts, kept)
    layouts = Webstemmer().fit(collected, learnt.anchors)
    templates = {labels[kind]: found for kind, some in sorted(kept.items()) if (found := _template(some))}
    articles = {kind: [layouts.predict(page) for page in some] for kind, some in sorted(kept.items())}
    says = [kind.contents for kind in learnt.clustering.types]
    names = _names(learnt, of_page, articles)
    marks = {
        labels[kind]: Marks(
            *_places(found, kept[kind], templates.get(labels[kind])), says[kind], names[labels[kind]]
        )
        for kind, found in articles.items()
    }
    about = {
        "webgrain": __version__,
        "learnt_from": len(of_page),
        "queries": learnt.source,
        "params": dict(learnt.clustering.params),
    }
    furniture = find_furniture(_noisy(templates, {labels[kind]: some for kind, some in sorted(kept.items())}))
    return SiteModel(site, learnt.model, layouts, templates, marks, furniture, about)


def empty_model(site: str, reason: str) -> SiteModel:
    """Return the model of a site of which nothing could be learnt: it reads each page by itself."""
    types = TypeModel(PathRules(SharedValues(frozenset(), frozenset()), frozenset()), (), 1, 0, 0.0, ())
    return SiteModel(site, types, Webstemmer().fit([]), about={"webgrain": __version__, "reason": reason})


def least(names: Iterable[str], most: int) -> list[str]:
    """Return at most so many names, those of the least hashes: the same ones whatever their order.

    >>> least(["a", "b", "c", "d"], 2) == least(["d", "c", "b", "a"], 2)
    True
    """
    return heapq.nsmallest(most, names, key=text_key)


def _chosen(of_page: Mapping[str, int]) -> tuple[set[str], set[str]]:
    """Return the pages that templates are learnt from, and those for the layouts."""
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
    """Yield the pages that layouts are learnt from, and keep those for the templates of the types."""
    wanted = (item for item in items if not isinstance(item, Failure) and item.id in for_layouts)
    for page in pages(wanted, Layout(render="none")):
        if isinstance(page, Failure):
            continue
        if page.id in for_template:
            kept[of_page[page.id]].append(page)
        yield page


def _template(some: Sequence[Page]) -> Template | None:
    """Return the template of the pages of a type; None where they are too few, or have nothing in common."""
    if len(some) < FEWEST:
        return None
    try:
        return RegexTree().fit(some).template_
    except ParameterError:
        return None


def _noisy(
    templates: Mapping[str, Template], kept: Mapping[str, Sequence[Page]]
) -> Iterator[tuple[Page, NDArray[np.float64]]]:
    """Yield pages of the types that have a template, with the noise of their leaves."""
    for label, template in templates.items():
        cutter = Sectioner(template=template)
        for tree in map(marked, kept[label]):
            yield tree.page, cutter.noise(tree, cutter.match(tree))


def _names(
    learnt: Learnt, of_page: Mapping[str, int], articles: Mapping[int, Sequence[Article]]
) -> dict[str, str]:
    """Return the names of the types, by label."""
    addresses: dict[int, list[str]] = defaultdict(list)
    for page, kind in of_page.items():
        addresses[kind].append(learnt.urls.get(page, page))
    kinds = {
        one.label: Kind(
            addresses[kind],
            [article.title for article in articles.get(kind, ())],
            [article.verdict for article in articles.get(kind, ())],
            one.key_path,
        )
        for kind, one in enumerate(learnt.clustering.types)
    }
    return name_types(kinds)


def _places(articles: Sequence[Article], some: Sequence[Page], template: Template | None) -> tuple[str, str]:
    """Return where most of the pages of a type have their title and their main text, as selectors."""
    titles, mains = Counter[str](), Counter[str]()
    matcher = Matcher(template) if template else None
    for page, article in zip(some, articles, strict=True):
        match = matcher.match(page) if matcher else None
        title = [block.node for block in article.blocks if block.kind == "title"]
        main = [block.node for block in article.blocks if block.kind in MAIN_KINDS]
        titles.update(_selector(page, node, match) for node in title)
        if main:
            mains[_selector(page, _around(page.dom, main), match)] += 1
    return _usual(titles), _usual(mains)


def _selector(page: Page, node: int, match: Match | None) -> str:
    """Return a selector of a node that holds for other pages too: by what the template knows of it.

    A template takes all digits as 0, so marks with one are left out.
    """
    if match is None:
        return css_paths(page.dom, [node])[0]
    while match.labels[node] < 0 <= page.dom.parent[node]:
        node = int(page.dom.parent[node])
    steps: list[str] = []
    at, template = int(match.labels[node]), match.template
    while at >= 0 and not (steps and "#" in steps[-1]):
        tag, marks = template.symbols[at][0]
        if tag != "#text":
            steps.append(str(Symbol(tag, tuple(mark for mark in marks if "0" not in mark))))
        at = int(template.owner[at])
    return " > ".join(reversed(steps))


def _usual(found: Counter[str]) -> str:
    """Return the most frequent selector, the first by name of several; empty for none."""
    return min(found, key=lambda css: (-found[css], css), default="")


def _around(dom: Dom, nodes: Sequence[int]) -> int:
    """Return the lowest node that some nodes are in."""
    around, last = min(nodes), max(nodes)
    while dom.end[around] <= last:
        around = int(dom.parent[around])
    return around
