"""Site: learn a web site from its pages, and read new pages with what was learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self, overload
from urllib.parse import urlsplit

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.failures import Failure
from webgrain.base.guesses import NamesGuesses
from webgrain.base.htmltable import html_table
from webgrain.base.modelfile import check_path
from webgrain.columns.sitetable import SiteTable
from webgrain.engines.guard import run_step
from webgrain.extraction.document import Document
from webgrain.extraction.options import ExtractionOptions
from webgrain.extraction.single import Favor, page_table
from webgrain.fields.field import Fields
from webgrain.io.queries import SearchLog, read_queries
from webgrain.io.read import Item, is_html_text, read
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page
from webgrain.pagetypes.descriptions import OTHER
from webgrain.pagetypes.newtypes import NewPage
from webgrain.site.growth import Growth
from webgrain.site.learning import learn_site, least
from webgrain.site.model import Prediction, SiteModel, TypeMarks, load_model
from webgrain.site.sitewatch import SiteWatch
from webgrain.templates.drift import DriftReport
from webgrain.templates.template import Template


class Site(NamesGuesses):
    """Everything learnt from the pages of a web site.

    Attributes:
        model: the learnt types, templates, texts and boilerplate.
        failures: the pages that could not be read, or not be learnt from, by `fit`.

    >>> html = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>"
    >>> html += "Some words on {0}. " * 9
    >>> site = Site.fit([html.format(letter) for letter in "abcdefgh"])
    >>> site
    <Site: 1 page type from 8 pages>
    >>> site.predict(html.format("x")).title
    'Page x'
    """

    _guesses: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("template", "templates"), "types[k].template"),
        **dict.fromkeys(("fields", "labels"), "types[k].fields or types[k].label"),
        **dict.fromkeys(("classify", "transform", "apply", "fit_predict", "type_of", "assign"), "predict"),
        "predict_proba": "predict(page).assigned",
        **dict.fromkeys(("train", "learn", "fit_transform", "from_pages"), "fit"),
        **dict.fromkeys(("partial_fit", "add", "refit"), "update"),
        **dict.fromkeys(("drift", "changes"), "update(pages).drift"),
        **dict.fromkeys(("page_types", "clusters", "clusters_", "classes_", "labels_"), "types"),
        **dict.fromkeys(("dump", "to_json", "to_file", "write", "export"), "save"),
        **dict.fromkeys(("from_file", "from_json", "open", "read"), "load"),
        "segment": "model.segment(page)",
        **dict.fromkeys(("lists", "find_lists", "table"), "predict(page).lists"),
        **dict.fromkeys(("text", "parse"), "extract(page).text"),
        "boilerplate": "model.boilerplate",
        "pages": 'model.about["pages"]',
        "texts": "model.texts",
        **dict.fromkeys(("name", "host"), "model.site"),
        **dict.fromkeys(("report", "audit"), "webgrain.audit"),
    }

    def __init__(self, model: SiteModel, failures: Iterable[Failure] = ()) -> None:
        if not isinstance(model, SiteModel):
            raise ParameterError(
                f"Site expects a SiteModel, got {type(model).__name__}: call Site.fit or Site.load."
            )
        self.model = model
        self.failures = (*failures, *model.failures)

    @classmethod
    def fit(
        cls,
        pages: Any,
        queries: Any = None,
        *,
        name: str | None = None,
        sample: int = 600,
        random_state: int = 0,
    ) -> Self:
        """Learn a site from its pages.

        Args:
            pages: a folder, an archive or a page store (`str` or `Path`), or an iterable of pages: HTML
                (`str` or `bytes`), `Path`, `Source` or `Page`.
            queries: a search log: the path of a file, a pandas or pyarrow table with the columns ``page`` and
                ``query``, or a mapping from page ids or URLs to their queries. It has no effect on the types:
                see `SiteType.queries`.
            name: the name of the site; None: its host or folder.
            sample: the maximal number of pages that are learnt from.
            random_state: the seed of random choices.

        Raises:
            ParameterError: an argument has the wrong type, or there is no page.
            InputError: no page could be read.
        """
        if isinstance(sample, bool) or not isinstance(sample, int) or sample < 1:
            raise ParameterError(f"sample must be an integer of at least 1, got {sample!r:.80}.")
        log: SearchLog | None = None if queries is None else read_queries(queries)
        failures: list[Failure] = []
        if is_html_text(pages):
            raise ParameterError("pages must be a folder or an iterable of pages, got the HTML of one page.")
        source = pages if isinstance(pages, str | Path) else _listed(pages)
        chosen = set(least((item.id for item in _readable(source, failures)), sample))

        def items() -> Iterator[Item]:
            return (item for item in _readable(source, []) if item.id in chosen)

        first = next(iter(items()), None)
        if first is None:
            reason = f": {failures[0].page}: {failures[0].error}" if failures else "."
            raise InputError(f"No page could be read, so nothing can be learnt{reason}")
        host = urlsplit(first.url or "").netloc
        folder = Path(pages).name if isinstance(pages, str | Path) else ""
        return cls(learn_site(items, name or host or folder, log, random_state), failures)

    def update(self, pages: Any) -> SiteUpdate:
        """Add new pages to a site: their texts, and the types of new parts of the site.

        Texts that several of the pages have, or that the site has already, are recognised as repeated from
        then on. At least three pages that are alike, and unlike the pages that the types were learnt from,
        are a new type, also if they are from several calls. It has a label, a name and, from three pages of a
        call on, a template. The other types keep their labels and templates: learn the site again if the
        drift of a type is an alarm. It also is one if all pages of the type have become a new type. Pages
        that were added or learnt from before count twice in the texts. Of texts without links, those that a
        single page of a call has are not kept, so add many pages at a time.

        Args:
            pages: as for `fit`. They are read a second time if there is a new type.

        Returns:
            What the pages have in common with the site. A page that fails is in its ``failures``.

        Raises:
            ParameterError: the pages have the wrong type.
            InputError: no page could be read.

        >>> html = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>"
        >>> html += "Some words on {0}. " * 9
        >>> site = Site.fit([html.format(letter) for letter in "abcdefgh"])
        >>> site.update([html.format(letter) for letter in "qrstuvwxyz"])
        <SiteUpdate: 10 pages, 0 of no type, 0 changed types>
        """
        failures: list[Failure] = []
        if is_html_text(pages):
            raise ParameterError("pages must be a folder or an iterable of pages, got the HTML of one page.")
        source = pages if isinstance(pages, str | Path) else _listed(pages)
        watch = SiteWatch(self.model)
        growth = Growth(failures=failures)
        tables: list[SiteTable] = []
        for item in _readable(source, failures):
            page = run_step(item, "read", as_page)
            watched = self._watched(page, watch)
            table = run_step(page, "learn", page_table)
            new = run_step(page, "types", NewPage.of)
            failed = next((step for step in (watched, table, new) if isinstance(step, Failure)), None)
            if failed is not None:
                failures.append(failed)
            if isinstance(table, SiteTable):
                tables.append(table)
            if isinstance(new, NewPage):
                growth.pages.append(new)
        if not tables:
            raise InputError(f"No page could be read{f': {failures[0].error}' if failures else '.'}")
        added = SiteTable.merged(tables).shared()
        model = replace(self.model, texts=SiteTable.merged([self.model.texts, added]))
        self.model, labels = growth.grown(model, lambda: _readable(source, []))
        drift = watch.drift()
        if labels:  # their pages are no drift of another type, unless all of its pages have become them
            watch = SiteWatch(self.model)
            for item in _readable(source, []):
                self._watched(run_step(item, "read", as_page), watch)
            drift |= watch.drift()
        self.failures = (*self.failures, *failures)
        return SiteUpdate(dict(watch.types), drift, tuple(failures), labels)

    def _watched(self, page: Page | Failure, watch: SiteWatch) -> Failure | None:
        """Add a page to a watch; return the failure of the page, or of a step."""
        return run_step(run_step(page, "extract", self._matched), "drift", watch.add)

    def _matched(self, page: Page) -> Prediction:
        """Return the prediction for a page after its type and its template were computed."""
        return self.model.predict(page).checked()

    @property
    def types(self) -> tuple[SiteType, ...]:
        """The page types, largest first; pages that fit no type form the type ``other``, which is last."""
        sizes: Counter[str] = Counter()  # a merged type has several rules
        for rule in self.model.types.rules:
            sizes[rule.label] += rule.size
        first_rules = {rule.label: rule for rule in reversed(self.model.types.rules)}
        types = []
        for label, rule in first_rules.items():
            marks = self.model.marks.get(label, TypeMarks())
            site_type = SiteType(
                label=label,
                name=marks.name or label,
                size=sizes[label],
                key_path=rule.key_path.css if rule.key_path else None,
                title=marks.title,
                main=marks.main,
                template=self.model.templates.get(label),
                queries=marks.queries,
                fields=self.model.fields.setdefault(label, Fields()),  # corrections are kept
            )
            types.append(site_type)
        return tuple(sorted(types, key=lambda type_: (type_.label == OTHER, -type_.size)))

    @overload  # a str is also an Iterable[str]
    def predict(self, page: Page | Source | str | bytes | Path) -> Prediction: ...  # type: ignore[overload-overlap]

    @overload
    def predict(self, page: Iterable[Page | Source | str | bytes | Path]) -> list[Prediction]: ...

    def predict(self, page: Any) -> Prediction | list[Prediction]:
        """Return the type, the template match, the title, the text and the lists of a page.

        What a prediction states besides title and text is computed when it is asked for.

        page: a page, or an iterable of pages, of which a list of predictions is returned, in their order.
        """
        if isinstance(page, Page | Source | str | bytes | Path) or not isinstance(page, Iterable):
            return self.model.predict(as_page(page))
        if isinstance(page, Mapping | Set):
            name = type(page).__name__
            raise ParameterError(f"Site.predict: expected a page or pages in an order, got a {name}.")
        return list(self.model.predictions(map(as_page, page)))

    def extract(
        self,
        page: Page | Source | str | bytes | Path,
        *,
        include: str | Sequence[str] = (),
        exclude: str | Sequence[str] = (),
        favor: Favor = "balance",
        links: bool = True,
        images: bool = True,
        comments: bool | None = None,
    ) -> Document:
        """Return the content of a page, extracted with everything known about the site.

        The options are those of `webgrain.extract`.
        """
        options = ExtractionOptions(include, exclude, favor, links, images, comments)
        return self.model.extract(as_page(page), options)

    def save(self, path: str | Path) -> None:
        """Write the site to a JSON file. Raises `InputError` if the file cannot be written."""
        self.model.save(check_path(path))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a site from a file. Raises `InputError` if the file does not contain one."""
        return cls(load_model(check_path(path)))

    def __repr__(self) -> str:
        pages = sum(type_.size for type_ in self.types)
        name = f" {self.model.site!r:.60}" if self.model.site else ""
        types = sum(type_.label != OTHER for type_ in self.types)
        return f"<Site{name}: {types} page type{'' if types == 1 else 's'} from {pages} pages>"

    def _repr_html_(self) -> str:
        """Return a table of the page types for notebooks."""
        rows = [
            (type_.name, type_.label, type_.size, type_.key_path or "", type_.title, type_.main)
            for type_ in self.types
        ]
        return html_table(("type", "label", "pages", "key path", "title", "main text"), rows)


@dataclass(frozen=True, slots=True)
class SiteUpdate:
    """What new pages have in common with a site, see `Site.update`.

    Attributes:
        types: the number of pages by the label of their type; None: of no known type.
        drift: whether the pages of each type, by its label, differ from its template, and where.
        failures: the pages that could not be read.
        new_types: the labels of types that the site did not have before.
    """

    types: Mapping[str | None, int]
    drift: Mapping[str, DriftReport]
    failures: tuple[Failure, ...] = ()
    new_types: tuple[str, ...] = ()

    @property
    def pages(self) -> int:
        """The number of pages that were read."""
        return sum(self.types.values())

    def __repr__(self) -> str:
        changed = sum(report.level == "alarm" for report in self.drift.values())
        pages = f"{self.pages} page{'' if self.pages == 1 else 's'}"
        types = f"{changed} changed type{'' if changed == 1 else 's'}"
        new = f", {len(self.new_types)} new" if self.new_types else ""
        return f"<SiteUpdate: {pages}, {self.types.get(None, 0)} of no type, {types}{new}>"


@dataclass(frozen=True, slots=True)
class SiteType(NamesGuesses):
    """A page type of a site.

    Attributes:
        label: a name that is stable between runs; name: the display name.
        size: the number of pages that it was learnt from.
        key_path: the CSS selector of the key path; None if the type has none.
        title, main: the CSS selectors of the title and the main text; empty if unknown.
        template: the template; None for types of fewer than three pages and for ``other``.
        queries: those of the search log that led to its pages most often.
        fields: what differs from page to page: titles, prices, dates; empty for types without a template.
    """

    _guesses: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("pages", "count"), "size"),
        **dict.fromkeys(("id", "type"), "label"),
        **dict.fromkeys(("css", "selector", "xpath"), "key_path"),
        "text": "main",
        **dict.fromkeys(("to_dataframe", "to_pandas", "records", "rows"), "table(pages)"),
    }

    label: str
    name: str
    size: int
    key_path: str | None
    title: str = ""
    main: str = ""
    template: Template | None = None
    queries: tuple[str, ...] = ()
    fields: Fields = field(default_factory=Fields)

    def table(self, pages: Any) -> list[dict[str, Any]]:
        """Return a row for each page: ``page``, ``url`` and the values of the fields of this type.

        pages: as in `Site.fit`. All pages are read, also those of other types; pages that cannot be read
        are left out.
        """
        source = pages if isinstance(pages, str | Path) else _listed(pages)
        return self.fields.table(_readable(source, []))

    def __repr__(self) -> str:
        return f"<SiteType {self.label!r:.60}: {self.name:.60}, {self.size} pages>"


def _listed(pages: Any) -> list[Any]:
    """Return pages as a list, which can be read several times."""
    if isinstance(pages, bytes | Source | Page) or not isinstance(pages, Iterable):
        raise ParameterError(f"pages must be a folder or an iterable of pages, got {type(pages).__name__}.")
    listed = list(pages.items()) if isinstance(pages, Mapping) else list(pages)
    if not listed:
        raise ParameterError("Expected at least one page, got none.")
    return listed


def _readable(source: Any, failures: list[Failure]) -> Iterator[Source | Page]:
    """Yield the pages and collect the failures."""
    for item in read(source):
        if isinstance(item, Failure):
            failures.append(item)
        else:
            yield item
