"""Learn all there is to know of a site: types, templates, layouts, places of titles and texts, furniture.

Every method learns from a sample of the pages that its caller bounds, so time and memory do not grow with the
site. One pass for the search log or what stands in for it, one for the paths, one for templates and layouts.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webgrain import __version__
from webgrain.audit.model import Marks, SiteModel
from webgrain.audit.typepages import TypePages
from webgrain.cluster.keyclus import KeyClus
from webgrain.cluster.pathrules import PathRules
from webgrain.cluster.typemodel import TypeModel
from webgrain.cluster.vocabulary import SharedValues
from webgrain.extract.furniture import find_furniture
from webgrain.page.paths import text_key
from webgrain.pagetypes import learn_types
from webgrain.pipeline import Layout, pages
from webgrain.results import Failure
from webgrain.template.webstemmer import Webstemmer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from webgrain.io.queries import SearchLog
    from webgrain.page.page import Page
    from webgrain.pipeline import Item

TEMPLATE_PAGES = 15
"""Pages of a type that its template is learnt from: more teach little, see `webgrain.template.regextree`."""

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
    types = {labels[kind]: TypePages.learn(some, layouts) for kind, some in sorted(kept.items())}
    says = {kind.label: kind.contents for kind in learnt.clustering.types}
    names = learnt.names({label: one.articles for label, one in types.items()})
    marks = {label: Marks(*one.places(), says[label], names[label]) for label, one in types.items()}
    templates = {label: one.cutter.template for label, one in types.items() if one.cutter}
    about = {
        "webgrain": __version__,
        "learnt_from": len(of_page),
        "queries": learnt.source,
        "params": dict(learnt.clustering.params),
    }
    furniture = find_furniture(pair for one in types.values() for pair in one.noisy())
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
