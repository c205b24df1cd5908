"""Learn the model of a site: types, templates, texts, selectors of titles and texts, boilerplate.

`learn_site` learns everything, from a sample of the pages, so time and memory do not grow with the site. It
reads the sample twice: for the types (`webgrain.site.typelearning`), and for templates and texts. It parses
most pages once. Its steps are those of `SampleGroups`.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from webgrain import __version__
from webgrain.base.arrays import Bool, Float32, Int32
from webgrain.base.errors import ParameterError
from webgrain.base.failures import Failure
from webgrain.columns.sitetable import SiteTable
from webgrain.documents.article import Article
from webgrain.engines.groups import run_in_turns
from webgrain.engines.guard import run_together
from webgrain.extraction.boilerplate import (
    Boilerplate,
    BoilerplateElements,
    BoilerplateTexts,
    find_boilerplate,
    probability_of_texts,
)
from webgrain.extraction.judgements import judgements_with_site
from webgrain.extraction.single import SinglePage, table_steps
from webgrain.fields.field import Fields
from webgrain.fields.learning import learn_fields
from webgrain.fields.places import KnownPage
from webgrain.fields.values import stated_values
from webgrain.io.queries import SearchLog
from webgrain.io.read import Item
from webgrain.page.addresses import css_paths
from webgrain.page.dom import Dom
from webgrain.page.leaves import visible_nodes
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import Path, text_key
from webgrain.page.segmentation import Segmentation
from webgrain.page.turns import Steps, alone, page_bytes, page_groups
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.newtypes import LearntPages, NewPage
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.segmentation.learntcut import Chances, find_blocks, page_chances
from webgrain.segmentation.method import TRAINED
from webgrain.segmentation.segmenter import segmenter, trained
from webgrain.site.model import SiteModel, TypeMarks, laid_out
from webgrain.site.pipeline import parsed_pages
from webgrain.site.thresholds import LEARNT_NODES, MIN_TEMPLATE_PAGES, TEMPLATE_PAGES, TEXT_PAGES
from webgrain.site.typecut import TypeCut
from webgrain.site.typelearning import LearntTypes, learn_types, select_pages
from webgrain.templates.profile import Use
from webgrain.templates.sections import Sectioner
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.template import Symbol, Template

T = TypeVar("T")


def learn_site(
    read: Callable[[], Iterable[Item]], site: str, log: SearchLog | None = None, random_state: int = 0
) -> SiteModel:
    """Return the model of a site.

    read: returns an iterator of the pages, each time from the first one. log: the search log, for the queries
    of each type. Raises `InputError` without a page.

    See `webgrain.site.model.SiteModel` for an example, and `SampleGroups` for the steps.
    """
    kept: dict[int, Page] = {}
    learnt = learn_types(lambda: _kept_pages(read(), kept), PageTypes(random_state=random_state), log)
    return learn_from_types(learnt, lambda: (kept.pop(k, item) for k, item in enumerate(read())), site)


def _kept_pages(items: Iterable[Item], kept: dict[int, Page]) -> Iterator[Page | Failure]:
    """Yield the pages of items, and keep those of `LEARNT_NODES` nodes together, by their numbers."""
    room = LEARNT_NODES[0]
    for number, page in enumerate(parsed_pages(items)):
        if isinstance(page, Page) and len(page.dom) <= room:
            room -= len(page.dom)
            kept[number] = page
        yield page


def learn_from_types(learnt: LearntTypes, read: Callable[[], Iterable[Item]], site: str) -> SiteModel:
    """Return the model of a site whose types are learnt; see `learn_site`."""
    groups = SampleGroups.of(learnt)
    pages = groups.pages(read())
    texts_of_types = [
        [GroupTexts.of(group, is_judged=number == 0) for number, group in enumerate(groups_of_type)]
        for groups_of_type in pages.values()
    ]
    texts = join_texts([group.texts for group in texts_of_type] for texts_of_type in texts_of_types)
    failures = [failure for group in chain.from_iterable(texts_of_types) for failure in group.failures]
    types = {}
    for number, (first, *_) in pages.items():
        job = groups.type_job(number)
        items = read_pages(first, texts, job)
        readings = [item if isinstance(item, Failure) else item[1] for item in items]
        types[number] = TypePages.learn(first, readings, job)
    return groups.model(site, texts, types, failures)


def empty_model(site: str, reason: str) -> SiteModel:
    """Return the model of a site from which nothing could be learnt: it reads each page on its own."""
    about = {"webgrain": __version__, "reason": reason}
    return SiteModel(site, TypeModel(()), SiteTable(), about=about)


@dataclass(slots=True)
class SampleGroups:
    """Pages of a sample by type, from which the texts, templates and other facts of the site are learnt.

    `learn_site` learns a site in steps, of which an audit runs those of groups, pages and types in parallel:

    1. the types, and these groups;
    2. the texts of each group (`GroupTexts`), of which the models judge the first one of each type;
    3. the texts of the site (`join_texts`);
    4. the article and the segments of each page of the first group of each type (`read_pages`);
    5. the template and other facts of each type (`TypePages`), from these pages;
    6. the model (`SampleGroups.model`).

    A page at which a step fails is left out of that step and named in the failures of the model; the others
    are learnt from.

    Attributes:
        learnt: the types.
        about: of the model, see `SiteModel`.
        ids: of the pages of each group, by the number of the type; each group is in the order of the sample.
        learnt_pages: of the model, see `SiteModel`.
    """

    learnt: LearntTypes
    about: dict[str, Any]
    ids: dict[int, list[list[str]]]
    learnt_pages: LearntPages = field(default_factory=LearntPages)

    @classmethod
    def of(cls, learnt: LearntTypes) -> Self:
        """Return groups of pages by type: first those for its template, then further ones for the texts."""
        clustering = learnt.clustering
        by_type: defaultdict[int, list[str]] = defaultdict(list)
        for name, number in zip(clustering.pages, clustering.labels.tolist(), strict=True):
            by_type[number].append(name)
        order = {name: place for place, name in enumerate(clustering.pages)}
        share = min(1.0, TEXT_PAGES / max(len(clustering.pages), 1))
        ids = {}
        for number, names in sorted(by_type.items()):
            chosen = least(names, max(TEMPLATE_PAGES, round(share * len(names))))
            groups = [chosen[at : at + TEMPLATE_PAGES] for at in range(0, len(chosen), TEMPLATE_PAGES)]
            ids[number] = [sorted(group, key=order.__getitem__) for group in groups]
        about = {
            "webgrain": __version__,
            "learnt_from": len(clustering.pages),
            "queries": learnt.source,
            "unused_log": learnt.unused_log,
            "params": dict(clustering.params),
        }
        return cls(replace(learnt, counts=None, log=None), about, ids, _learnt_pages(learnt))

    def pages(self, sample: Iterable[Item]) -> dict[int, list[list[Page]]]:
        """Return the pages of each group."""
        wanted = {name for groups in self.ids.values() for group in groups for name in group}
        pages = {page.id: page for page in select_pages(sample, wanted)}
        pages_of_types = {}
        for number, groups in self.ids.items():
            pages_of_types[number] = [[pages[name] for name in group if name in pages] for group in groups]
        return pages_of_types

    def type_job(self, number: int) -> TypeJob:
        """Return how a type is learnt from its first group of pages."""
        type_ = self.learnt.clustering.types[number]
        return TypeJob(type_.key_path, type_.label != OTHER, len(self.ids[number][0]))

    def model(
        self,
        site: str,
        texts: SiteTable,
        types: Mapping[int, TypePages],
        failures: Iterable[Failure] = (),
    ) -> SiteModel:
        """Return the model of the site.

        types: what was learnt of each, by its number; failures: pages whose texts could not be learnt.
        """
        clustering = self.learnt.clustering
        labels = {number: clustering.types[number].label for number in sorted(types)}
        names = self.learnt.names({label: types[number].articles for number, label in labels.items()})
        marks: dict[str, TypeMarks] = {}
        templates: dict[str, Template] = {}
        cuts: dict[str, TypeCut] = {}
        fields: dict[str, Fields] = {}
        elements: list[BoilerplateElements] = []
        for number, label in labels.items():
            learnt = types[number]
            marks[label] = TypeMarks(
                title=learnt.title,
                main=learnt.main,
                contents=clustering.types[number].contents,
                name=names[label],
                queries=self.learnt.queries(number),
            )
            if learnt.template:
                templates[label] = learnt.template
            if learnt.cut:
                cuts[label] = learnt.cut
            if learnt.fields:
                fields[label] = learnt.fields
            elements += learnt.elements
        names_of_pages = [page for learnt in types.values() for page in learnt.pages_of_elements]
        boilerplate, left_out = run_together(elements, names_of_pages, "learn", find_boilerplate)
        label_of_pages = [clustering.types[number].label for number in clustering.labels.tolist()]
        without_template = sum(label not in templates for label in label_of_pages)
        failures = [*self.learnt.failures, *failures, *left_out]
        failures += [failure for learnt in types.values() for failure in learnt.failures]
        about = {**self.about, "without_template": without_template}
        if failures:
            about["failures"] = [
                [failure.page, failure.stage, failure.error, failure.url] for failure in distinct(failures)
            ]
        return SiteModel(
            site=site,
            types=self.learnt.model,
            texts=texts,
            templates=templates,
            marks=marks,
            boilerplate=boilerplate or Boilerplate(),
            about=about,
            cuts=cuts,
            fields=fields,
            learnt_pages=self.learnt_pages,
        )


def _learnt_pages(learnt: LearntTypes) -> LearntPages:
    """Return some of the pages that the types were learnt from; none for other methods than `PageTypes`."""
    model, counts = learnt.model, learnt.counts
    if not isinstance(model, TypeModel) or not isinstance(counts, PathCounts):
        return LearntPages()
    rows = zip(counts.ids, counts.traits, counts.words, strict=True)
    pages = [NewPage(name, None, traits, words) for name, traits, words in rows]
    return LearntPages.of(pages, model.assign_traits(counts.traits)[0])


def distinct(failures: Iterable[Failure]) -> list[Failure]:
    """Return the first failure of each page: a later step often fails for the same reason."""
    first: dict[str, Failure] = {}
    for failure in failures:
        first.setdefault(failure.page, failure)
    return list(first.values())


class GroupTexts(NamedTuple):
    """The table of the texts of some pages. failures: pages whose texts are not in it."""

    texts: SiteTable
    failures: list[Failure]

    @classmethod
    def of(cls, pages: Iterable[Page], *, is_judged: bool) -> Self:
        """Return the texts of some pages; is_judged: with what the models find of them."""
        read = list(_read_in_turns(pages, partial(table_steps, is_judged=is_judged)))
        failures = [table for table in read if isinstance(table, Failure)]
        return cls(SiteTable.merged(table for table in read if not isinstance(table, Failure)), failures)


def _read_in_turns(pages: Iterable[Page], steps: Callable[[Page], Steps[T]]) -> Iterator[T | Failure]:
    """Yield the result of the steps of each page; pages take turns."""
    for group in page_groups(pages, page_bytes):
        yield from run_in_turns(group, "learn", steps)


def join_texts(types: Iterable[Sequence[SiteTable]]) -> SiteTable:
    """Return the table of the site from those of the groups of each type, of which the first one is judged.

    The pages of the first group stand for all pages of their type.
    """
    groups_of_types = list(types)
    judged = []
    for first, *others in groups_of_types:
        if first.pages:
            judged.append((first, 1.0 + sum(group.pages for group in others) / first.pages))
    return SiteTable.merged(chain.from_iterable(groups_of_types)).judged_by(judged).shared()


class TypeJob(NamedTuple):
    """How a type is learnt.

    Attributes:
        key_path: of the type.
        is_common: whether the pages have a template, a title and a main text in common.
        pages: number of pages that the template is learnt from.
    """

    key_path: Path | None = None
    is_common: bool = True
    pages: int = TEMPLATE_PAGES

    @property
    def has_template(self) -> bool:
        """Whether a template is learnt."""
        return self.is_common and self.pages >= MIN_TEMPLATE_PAGES


@dataclass(frozen=True, slots=True, eq=False)
class PageReading:
    """What is learnt from a page by itself.

    Attributes:
        article: its title and verdict, with the texts of the site; without its blocks.
        titles: the elements of its title; main: those of the lines of its main content.
        judged: what the models find of its blocks, see `judgements_with_site`; None if the site does not know
            the page.
        texts: what is known of its texts without a template; None if it was not segmented, or if the site
            does not know the page.
        hidden: (n,) the nodes that its style sheets hide; None if it was not segmented.
        segmentation: its segments; None if it was not segmented, or could not be.
        chances: what its segmentation has found of its units, see `page_chances`; None if not segmented.
        stated: the values of fields that it states, see `stated_values`; empty if it was not segmented.
    """

    article: Article
    titles: tuple[int, ...]
    main: tuple[int, ...]
    judged: Float32 | None = None
    texts: BoilerplateTexts | None = None
    hidden: Bool | None = None
    segmentation: Segmentation | None = None
    chances: Chances | None = None
    stated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, page: Page, article: Article, texts: SiteTable, *, is_segmented: bool) -> Self:
        """Return what is learnt from a page; article: its content with the texts of the site."""
        return alone(cls.steps(page, article, texts, is_segmented=is_segmented))

    @classmethod
    def steps(cls, page: Page, article: Article, texts: SiteTable, *, is_segmented: bool) -> Steps[Self]:
        """Return what is learnt from a page, as `of` does, in steps."""
        titles = tuple(block.node for block in article.titles)
        judged = judgements_with_site(page, texts)
        known = replace(article, blocks=()), titles, tuple(article.nodes), judged
        if not is_segmented:
            return cls(*known)
        known_texts = BoilerplateTexts.of(page, texts)
        yield "texts"
        stated = stated_values(page, article)
        yield "stated values"
        hidden = laid_out(page).hidden
        shown = _shown(page, hidden)
        yield "hidden nodes"
        without_blocks = replace(trained(shown), blocks=None)
        segmentation = replace(segmenter(), classifier=without_blocks).predict(shown)
        is_seen = len(visible_tree(shown)) > 0
        yield "segments"
        chances = shown.cached(page_chances, find_blocks(TRAINED, shown)) if is_seen else None
        return cls(*known, known_texts, hidden, segmentation, chances, stated)


def read_pages(
    pages: Iterable[Page], texts: SiteTable, job: TypeJob
) -> Iterator[tuple[Article, PageReading] | Failure]:
    """Yield the article of each page of a type, and what is learnt from it; texts: those of the site."""

    def read(page: Page) -> Steps[tuple[Article, PageReading]]:
        article = yield from SinglePage().steps(page, texts)
        reading = yield from PageReading.steps(page, article, texts, is_segmented=job.has_template)
        return article, reading

    return _read_in_turns(pages, read)


@dataclass(frozen=True, slots=True, eq=False)
class TypePages:
    """What is learnt from some pages of a type.

    Attributes:
        articles: titles and verdicts of the pages, without their texts.
        template: of the type; None for too few pages, or pages without common structure.
        title, main: the selectors of the title and of the main text on most of the pages; empty for none.
        elements: the boilerplate elements of each page; none without a template. pages_of_elements: their
            ids.
        cut: what the pages decide about segments; None without a template.
        fields: of the pages; none without a template.
        failures: pages that were left out.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> html = "<ul><li>Home<li>News</ul><h1>Page {0}</h1><p>Some words on {0}"
    >>> pages = [parse(Source(name, html.format(name).encode())) for name in "abc"]
    >>> texts = SiteTable()
    >>> articles = [SinglePage().predict(page, texts) for page in pages]
    >>> readings = [PageReading.of(*read, texts, is_segmented=True) for read in zip(pages, articles)]
    >>> learnt = TypePages.learn(pages, readings, TypeJob())
    >>> print(learnt.template)
    html[body[ul[(li[#text])*] h1[#text] p[#text]]]
    >>> learnt.title
    'html > body > h1'
    """

    articles: tuple[Article, ...]
    template: Template | None
    title: str
    main: str
    elements: tuple[BoilerplateElements, ...] = ()
    cut: TypeCut | None = None
    pages_of_elements: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    fields: Fields = field(default_factory=Fields)

    @classmethod
    def learn(cls, pages: Sequence[Page], readings: Sequence[PageReading | Failure], job: TypeJob) -> Self:
        """Return the results for some pages of a type; readings: of the pages."""
        failures = [reading for reading in readings if isinstance(reading, Failure)]
        rows = [
            (page, reading)
            for page, reading in zip(pages, readings, strict=True)
            if not isinstance(reading, Failure)
        ]
        names = [page.id for page, _ in rows]
        learnt, left_out = run_together(rows, names, "learn", partial(cls._learn, job=job))
        if learnt is None:
            learnt = cls._learn(rows, job._replace(is_common=False))
        return replace(learnt, failures=(*failures, *left_out, *learnt.failures))

    @classmethod
    def _learn(cls, rows: Sequence[tuple[Page, PageReading]], job: TypeJob) -> Self:
        """Return the results for some pages of a type and their readings."""
        pages = [page for page, _ in rows]
        readings = [reading for _, reading in rows]
        articles = tuple(reading.article for reading in readings)
        if not job.is_common:
            return cls(articles, None, "", "")
        sectioner, labels, failures = _sectioner(pages)
        if failures:  # whatever else reads these pages may fail, too
            failed = {failure.page for failure in failures}
            learnt = cls._learn([row for row in rows if row[0].id not in failed], job)
            return replace(learnt, articles=articles, failures=(*failures, *learnt.failures))
        if sectioner is None:
            title, main = _selectors(pages, readings, None, [None] * len(pages))
            return cls(articles, None, title, main)
        title, main = _selectors(pages, readings, sectioner.template, labels)
        elements = []
        for page, of_page, reading in zip(pages, labels, readings, strict=True):
            noise = probability_of_texts(reading.texts, sectioner.noise(page, of_page))
            elements.append(BoilerplateElements(page, noise))
        key_path = job.key_path.css if job.key_path else ""
        watched = {"key path": key_path, "title": title, "main text": main}
        uses = [Use(name, css) for name, css in watched.items() if css]
        profile = sectioner.template.profile.with_uses(pages, uses)
        template = replace(sectioner.template, profile=profile)
        cut = TypeCut.learn(len(template), _segmented(pages, readings, sectioner, labels))
        names = tuple(page.id for page in pages)
        known = list(map(_known_page, pages, labels, readings))
        fields, left_out = run_together(known, names, "learn fields", partial(learn_fields, template))
        return cls(
            articles, template, title, main, tuple(elements), cut, names, tuple(left_out), fields or Fields()
        )


def _known_page(page: Page, labels: Int32, reading: PageReading) -> KnownPage:
    """Return what fields are learnt from; labels: the template node (n,) of each node of the page."""
    main = _around(page.dom, reading.main) if reading.main else -1
    return KnownPage(page, labels, reading.stated, reading.titles, main)


def _segmented(
    pages: Sequence[Page], readings: Sequence[PageReading], sectioner: Sectioner, labels: Sequence[Int32]
) -> Iterator[tuple[Page, Int32, Segmentation]]:
    """Yield the pages that were segmented, with the template node (n,) of each node, and the segments.

    labels: the template node (n,) of each node of each page, whose style sheets are not known.
    """
    for page, reading, at in zip(pages, readings, labels, strict=True):
        if reading.segmentation is not None:
            shown = _shown(page, reading.hidden)
            yield shown, at if shown is page else sectioner.labels(shown), reading.segmentation


def _shown(page: Page, hidden: Bool | None) -> Page:
    """Return a page with these hidden nodes; the page itself if they are known: its facts are used again."""
    if hidden is None or np.array_equal(visible_nodes(page), ~hidden):
        return page
    return replace(page, hidden=hidden)


def _sectioner(
    pages: Sequence[Page],
) -> tuple[Sectioner | None, list[Int32], tuple[Failure, ...]]:
    """Return the sectioner of a type, the template node (n,) of each node of each page, and failures.

    Without a sectioner if the type has too few pages, pages without common structure, or failures: pages that
    the template could not be learnt from.
    """
    if len(pages) < MIN_TEMPLATE_PAGES:
        return None, [], ()
    try:
        method = SiteTemplate().fit(pages)
    except ParameterError:
        return None, [], ()
    if method.template_ is None or method.failures_:
        return None, [], method.failures_
    sectioner = Sectioner(template=method.template_)
    labels = []
    for page in pages:
        at = method.places_.get(page.id)
        labels.append(sectioner.labels(page) if at is None else visible_tree(page).to_dom(at))
    return sectioner, labels, ()


def _selectors(
    pages: Sequence[Page],
    readings: Sequence[PageReading],
    template: Template | None,
    labels: Sequence[Int32 | None],
) -> tuple[str, str]:
    """Return the selectors of the title and of the main text on most of the pages.

    template: of their type; labels: the template node (n,) of each node of each page; None if there is none.
    """
    titles: Counter[str] = Counter()
    mains: Counter[str] = Counter()
    for page, reading, at in zip(pages, readings, labels, strict=True):
        for node in reading.titles:
            css = _selector(page, node, template, at)
            is_in_head = css == "html" or "head" in css.split(" > ")[1:2]
            if not is_in_head:
                titles[css] += 1
        if reading.main:
            mains[_selector(page, _around(page.dom, reading.main), template, at)] += 1
    return _usual(titles), _usual(mains)


def _selector(page: Page, node: int, template: Template | None, labels: Int32 | None) -> str:
    """Return a selector of a node that is valid on other pages too, according to the template."""
    if template is None or labels is None:
        return css_paths(page.dom, [node])[0]
    while labels[node] < 0 <= page.dom.parent[node]:
        node = int(page.dom.parent[node])
    steps: list[str] = []
    at = int(labels[node])
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


def _usual(selectors: Counter[str]) -> str:
    """Return the most frequent selector, the first in alphabetical order of several; empty for none."""
    return min(selectors, key=lambda css: (-selectors[css], css), default="")


def _around(dom: Dom, nodes: Sequence[int]) -> int:
    """Return the lowest common ancestor of some nodes."""
    around = min(nodes)
    last = max(nodes)
    while dom.end[around] <= last:
        around = int(dom.parent[around])
    return around


def least(names: Iterable[str], most: int) -> list[str]:
    """Return the ``most`` names with the smallest hashes: the same ones in any order.

    >>> least(["a", "b", "c", "d"], 2) == least(["d", "c", "b", "a"], 2)
    True
    """
    return heapq.nsmallest(most, names, key=text_key)
