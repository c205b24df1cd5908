"""The model of a site: everything learnt from its pages, its file, and its predictions.

{"format": "webgrain site model", "version": 4, "site": "example.org", "about": {...}, "types": {...},
 "marks": {"type": {"name": "/blog/*", "title": "h1", "main": "main > article"}}, "boilerplate": [...],
 "templates": {"type": {...}}, "cuts": {"type": {...}}, "texts": {...}, "fields": {"type": [...]},
 "learnt_pages": {...}}

``types`` and each of ``templates`` are as in the files that `webgrain learn` writes; ``texts`` are the
numbers of `SiteTable`. `webgrain.site.learning` learns a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Float64
from webgrain.base.errors import PageError, WebgrainError
from webgrain.base.failures import Failure
from webgrain.base.modelfile import intact, read_model, write_model
from webgrain.columns.sitetable import SiteTable
from webgrain.documents.article import Article
from webgrain.extraction.boilerplate import Boilerplate, boilerplate_probability
from webgrain.extraction.document import Document
from webgrain.extraction.options import ExtractionOptions
from webgrain.extraction.single import SinglePage
from webgrain.fields.field import Fields
from webgrain.io.local import replacing
from webgrain.lists.ranking import find_lists
from webgrain.lists.records import KnownSelectors, Listing
from webgrain.page.leaves import TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page, parse
from webgrain.page.segmentation import Segmentation
from webgrain.page.turns import Steps, alone, in_turns, page_bytes, page_groups
from webgrain.pagetypes.descriptions import Assignment, TypesModel
from webgrain.pagetypes.newtypes import LearntPages
from webgrain.report.blocks import presented
from webgrain.segmentation.segmenter import DEFAULT, Segmenter, segmenter
from webgrain.site.pipeline import pages
from webgrain.site.typecut import TypeCut
from webgrain.site.typemodels import types_from_dict
from webgrain.templates.matching import Match
from webgrain.templates.sections import BestSectioner, Sectioner
from webgrain.templates.template import Template, template_from_dict, template_to_dict

FORMAT, VERSION = "webgrain site model", 6


@dataclass(slots=True, eq=False)
class SiteModel:
    """The model of a site.

    Attributes:
        site: its host, or another name.
        types: its page types; texts: what its pages have in common.
        templates: the templates of the types that have one, by label.
        marks: properties of the types, by label.
        boilerplate: header, footer, navigation and other parts around the content of the pages.
        cuts: what the types with a template have decided about segments, by label.
        about: number of pages, version of webgrain, parameters.
        fields: the fields of the pages of the types with a template, by label.
        learnt_pages: some of the pages that the types were learnt from, by which new types are recognised.

    >>> from webgrain.site.learning import learn_site
    >>> html = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>"
    >>> html += "Some words on {0}. " * 9
    >>> site = [Source(f"{k}.html", html.format("abcdefgh"[k]).encode()) for k in range(8)]
    >>> model = learn_site(lambda: site, "example.org")
    >>> prediction = model.predict(html.format("x"))
    >>> prediction.title, prediction.verdict, prediction.text[:15]
    ('Page x', 'article', 'Some words on x')
    """

    site: str
    types: TypesModel
    texts: SiteTable
    templates: Mapping[str, Template] = field(default_factory=dict)
    marks: Mapping[str, TypeMarks] = field(default_factory=dict)
    boilerplate: Boilerplate = field(default_factory=Boilerplate)
    about: Mapping[str, Any] = field(default_factory=dict)
    cuts: Mapping[str, TypeCut] = field(default_factory=dict)
    fields: dict[str, Fields] = field(default_factory=dict)
    learnt_pages: LearntPages = field(default_factory=LearntPages)
    _best: BestSectioner = field(init=False, repr=False)
    _reader: SinglePage = field(init=False, repr=False, default_factory=SinglePage)
    _selectors: KnownSelectors = field(init=False, repr=False, default_factory=KnownSelectors)

    def __post_init__(self) -> None:
        cutters = {label: Sectioner(template=template) for label, template in self.templates.items()}
        self._best = BestSectioner(cutters)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The pages that could not be learnt from."""
        return tuple(
            Failure(str(page), str(stage), str(error), url=None if url is None else str(url))
            for page, stage, error, url in self.about.get("failures", ())
        )

    def predict(self, page: Page | Source | bytes | str, article: Article | None = None) -> Prediction:
        """Return the prediction for a page, which may be given as HTML.

        Its type, template, noise and lists are computed when they are asked for.

        article: of the page, if it was read before with the texts of this model.
        """
        page = parse(Source("page", page, charset="utf-8")) if isinstance(page, bytes) else as_page(page)
        return alone(self.steps(page, article))

    def steps(self, page: Page, article: Article | None = None) -> Steps[Prediction]:
        """Return the prediction for a page, as `predict` does, in steps."""
        if article is None:
            article = yield from self._reader.steps(page, self.texts)
        return Prediction(page, article, self)

    def predictions(self, pages: Iterable[Page]) -> Iterator[Prediction]:
        """Yield the prediction for each page, as `predict` returns it; some pages are read in turns.

        Raises `PageError`, which names the page, if one cannot be read.
        """
        for group in page_groups(pages, page_bytes):
            for page, prediction in zip(group, in_turns(map(self.steps, group)), strict=True):
                if isinstance(prediction, WebgrainError):
                    raise prediction
                if isinstance(prediction, Exception):
                    error = f"{type(prediction).__name__}: {prediction}"
                    raise PageError(
                        f"{page.id:.200} cannot be read: internal error: {error}."
                    ) from prediction
                yield prediction

    def extract(self, page: Page, options: ExtractionOptions) -> Prediction:
        """Return the prediction for a page, whose content is extracted with some options.

        Its type, its template and its lists are those of the whole page.
        """
        return alone(self.extraction_steps(page, options))

    def extraction_steps(self, page: Page, options: ExtractionOptions) -> Steps[Prediction]:
        """Return the prediction for a page, as `extract` does, in steps."""

        def predicted(page: Page, article: Article) -> Prediction:
            return Prediction(page, article, self)

        return (yield from options.steps(page, self.texts, predicted))

    def segment(self, page: Page, method: Segmenter | None = None) -> Segmentation:
        """Return the segments of a page, as the template of its type determines them.

        Of a page without a view, what HTML and style sheets hide is left out. method: None: the default;
        others than LearntCut segment each page on its own, and so do pages of no type with a template.
        """
        return alone(self.segment_steps(page, method))

    def segment_steps(self, page: Page, method: Segmenter | None = None) -> Steps[Segmentation]:
        """Return the segments of a page, as `segment` does, in steps."""
        page = laid_out(page)
        method = method or segmenter()
        label = self.types.assign(page).type or ""
        yield "types"
        if label not in self.cuts or method.name != DEFAULT:
            return presented((yield from method.steps(page)), page)
        labels = self._best.cutters[label].labels(page)
        yield "template"
        return presented((yield from self.cuts[label].steps(page, labels, method)), page)

    def fields_of(self, page: Page | Source) -> tuple[str | None, dict[str, Any]]:
        """Return the label of the type of a page, and its row of fields; empty if the type has no fields."""
        page = as_page(page)
        label = self.types.assign(page).type
        return label, self.fields[label].row(page) if label and label in self.fields else {}

    def name(self, label: str | None) -> str | None:
        """Return the display name of a type by its label; None for None."""
        if label is None:
            return None
        return self.marks.get(label, TypeMarks()).name or label

    def matched(self, page: Page, label: str | None) -> TemplateMatch:
        """Return the match of a page with the template of a type, or with the best template.

        label: of the type; the best one is taken if it is None, or the type has no template.
        """
        return TemplateMatch(*self._best.noise(page, label))

    def noise(self, page: Page) -> Float64:
        """Return the probability (n,) that each leaf of a page is boilerplate, 0 at other nodes."""
        matched = self.matched(page, self.types.assign(page).type)
        return boilerplate_probability(page, self.texts, matched.noise)

    def lists(self, page: Page, match: Match | None = None) -> tuple[Listing, ...]:
        """Return the lists of a page by decreasing probability; match: with a template of the site."""
        star = np.where(match.labels >= 0, match.template.list_of[match.labels], -1) if match else None
        return find_lists(page, repeated=self.texts, star=star, known=self._selectors)

    def save(self, path: Path) -> None:
        """Write the model to a file, which appears when it is complete; equal models give equal bytes."""
        with replacing(path) as part:
            write_model(part, FORMAT, VERSION, self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values, see `from_dict`."""
        return {
            "site": self.site,
            "about": dict(self.about),
            "types": self.types.to_dict(),
            "marks": {label: marks.to_dict() for label, marks in self.marks.items()},
            "boilerplate": self.boilerplate.to_rows(),
            "templates": {label: template_to_dict(template) for label, template in self.templates.items()},
            "texts": self.texts.to_dict(),
            "cuts": {label: cut.to_dict() for label, cut in self.cuts.items()},
            "fields": {label: fields.to_rows() for label, fields in self.fields.items() if fields},
            "learnt_pages": self.learnt_pages.to_dict(),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SiteModel:
        """Return the model with these values; other values raise one of `DAMAGED`."""
        templates = {str(label): template_from_dict(item) for label, item in values["templates"].items()}
        cuts = {
            str(label): TypeCut.from_dict(cut, len(templates[str(label)]))
            for label, cut in values["cuts"].items()
        }
        rows_of_types = values.get("fields", {})  # models of earlier versions have none
        fields = {str(label): Fields.from_rows(rows) for label, rows in rows_of_types.items()}
        pages = values.get("learnt_pages")  # models of earlier versions have none
        model = cls(
            site=str(values["site"]),
            types=types_from_dict(values["types"]),
            texts=SiteTable.from_dict(values["texts"]),
            templates=templates,
            marks={str(label): TypeMarks.from_dict(item) for label, item in values["marks"].items()},
            boilerplate=Boilerplate.from_rows(values["boilerplate"]),
            about=dict(values["about"]),
            cuts=cuts,
            fields=fields,
            learnt_pages=LearntPages() if pages is None else LearntPages.from_dict(pages),
        )
        _ = model.failures  # raises if they are damaged
        return model


_FACTS = _TYPE, _TEMPLATE, _NOISE, _LISTS = "the page type", "the template", "the boilerplate", "the lists"
"""Names of the facts that a model states."""
_NO_TYPE = Assignment(None, None, None)


class TemplateMatch(NamedTuple):
    """The match of a page with a template of its site.

    Attributes:
        template: the type that has the template; match: the match; None if the site has no template.
        noise: (n,) how sure it is that each node differs in nothing between pages; NaN if it is not known.
    """

    template: str | None
    match: Match | None
    noise: Float64


@dataclass(frozen=True, slots=True, eq=False)
class Prediction(Document):
    """The prediction of a site model for a page: its content as a `Document`, its type and its template.

    Type, template, noise and lists are computed when they are asked for, each once; a fact that cannot be
    computed is missing, and a note states it. A pickled prediction has all facts, and not the model.

    Attributes:
        model: the model; None if it was pickled.
    """

    _guesses: ClassVar[Mapping[str, str]] = {
        **{name: instead for name, instead in Document._guesses.items() if name not in ("lists", "type")},
        "boilerplate": "noise or boilerplate_share",
        **dict.fromkeys(("cluster", "label", "page_type"), "type"),
        **dict.fromkeys(("type_confidence", "type_probability", "key_path"), "assigned"),
    }

    model: SiteModel | None = field(repr=False)

    def __repr__(self) -> str:
        return f"<Prediction of {self.page.id!r:.60}: type {self.type!r:.60}, {self.verdict}>"

    def computed(self) -> Self:
        """Return the prediction after all that the model states was computed."""
        alone(self.steps())
        return self

    def steps(self) -> Steps[None]:
        """Compute all that the model states, in steps."""
        _ = self.assigned
        yield "types"
        _ = self.match
        yield "template"
        _ = self.noise
        yield "text"
        _ = self.lists
        yield "lists"

    def checked(self) -> Self:
        """Return the prediction if its type and template could be computed; otherwise raise `PageError`."""
        _ = self.match
        notes = (*self._facts[_TYPE].notes, *self._facts[_TEMPLATE].notes)
        if notes:
            raise PageError(notes[0])
        return self

    def record_steps(self) -> Steps[None]:
        """Compute all facts that a record contains, in steps."""
        yield from self.steps()
        yield from Document.record_steps(self)

    def _failed_facts(self) -> tuple[str, ...]:
        self.computed()
        notes = Document._failed_facts(self)
        of_model = [note for name in _FACTS for note in self._facts[name].notes]
        return tuple(dict.fromkeys([*of_model, *notes]))

    def __getstate__(self) -> list[Any]:
        """Return what is pickled."""
        self.computed()
        return [*Document.__getstate__(self), None]

    @property
    def _of(self) -> SiteModel:
        assert self.model is not None  # a pickled prediction has all that is computed of it
        return self.model

    @property
    def _typed(self) -> tuple[Assignment, str | None]:
        """Its type with the confidence, and the display name of the type."""

        def typed(_: list[str]) -> tuple[Assignment, str | None]:
            assigned = self._of.types.assign(self.page)
            return assigned, self._of.name(assigned.type)

        return self._fact(_TYPE, typed, lambda: (_NO_TYPE, None))

    @property
    def assigned(self) -> Assignment:
        """Its type, with the confidence."""
        return self._typed[0]

    @property
    def type_name(self) -> str | None:
        """Display name of its type; None if unknown."""
        return self._typed[1]

    @property
    def _matched(self) -> TemplateMatch:
        """The match with the template of its type, or with the best one."""

        def matched(_: list[str]) -> TemplateMatch:
            return self._of.matched(self.page, self.type)

        def unknown() -> TemplateMatch:
            return TemplateMatch(None, None, np.full(len(self.page.dom), np.nan))

        return self._fact(_TEMPLATE, matched, unknown)

    @property
    def template(self) -> str | None:
        """The type whose template the page was matched with; None if the site has no template.

        It is its own type, or the best one if its type is unknown or has no template.
        """
        return self._matched.template

    @property
    def match(self) -> Match | None:
        """The match with the template; None if the site has no template."""
        return self._matched.match

    @property
    def noise(self) -> Float64:
        """(n,) probability that each leaf of its DOM is boilerplate, 0 at other nodes."""

        def noise(_: list[str]) -> Float64:
            return boilerplate_probability(self.page, self._of.texts, self._matched.noise)

        return self._fact(_NOISE, noise, lambda: np.zeros(len(self.page.dom)))

    @property
    def lists(self) -> tuple[Listing, ...]:
        """Its lists by decreasing probability; the first is the list of the page."""
        return self._fact(_LISTS, lambda _: self._of.lists(self.page, self.match), tuple)

    @property
    def type(self) -> str | None:
        """Label of its type; None if unknown."""
        return self.assigned.type

    @property
    def fits(self) -> bool | None:
        """Whether it fits the template of its type; None if unknown."""
        return self.match.accepted if self.match and self.template == self.type else None

    @property
    def fit_probability(self) -> float | None:
        """The probability that it is a page of its type by the template, 0..1; None if unknown.

        A page in the language of the template fits, whatever its probability.
        """
        return round(self.match.probability, 4) if self.match and self.template == self.type else None

    @property
    def exact(self) -> bool | None:
        """Whether it is in the language of the template of its type; None if unknown."""
        return self.match.exact if self.match and self.template == self.type else None

    @property
    def differences(self) -> tuple[str, ...]:
        """In what it differs most from the pages of its type, in words; empty if it fits."""
        return self.match.reasons if self.match and self.template == self.type else ()

    @property
    def template_match(self) -> float | None:
        """How well it matches the template of its type, 0..1; None if unknown."""
        return round(self.match.score, 4) if self.match and self.template == self.type else None

    @property
    def boilerplate_share(self) -> float:
        """The share of its visible characters that is boilerplate of the site."""
        node = (leaf_kinds(self.page) == TEXT_LEAF).nonzero()[0]
        start = self.page.dom.text_start
        size = start[node + 1] - start[node]
        return float((size * self.noise[node]).sum() / max(int(size.sum()), 1))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a record of ``webgrain extract`` with a model, ready for JSON."""
        share = round(self.boilerplate_share, 4)
        return Document.to_dict(self) | {
            "type_name": self.type_name,
            "type": self.type,
            "type_confidence": self.assigned.confidence,
            "template_match": self.template_match,
            "fits": self.fits,
            "fit_probability": self.fit_probability,
            "exact": self.exact,
            "differences": list(self.differences),
            "boilerplate_share": share,
            "noise_share": share,  # the former name
            "lists": [each.to_dict() for each in self.lists],
        }


@dataclass(frozen=True, slots=True)
class TypeMarks:
    """Properties of the pages of a type.

    Attributes:
        title, main: CSS selectors of their title and their main text; empty if unknown.
        contents: the text at the key path on some of them.
        name: display name of the type, see `webgrain.pagetypes.descriptions`; empty for none.
        queries: those of the search log that led to them most often.
    """

    title: str = ""
    main: str = ""
    contents: tuple[str, ...] = ()
    name: str = ""
    queries: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the properties as plain values."""
        return {"name": self.name, **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the properties with these values; other values raise one of `DAMAGED`."""
        return cls(
            title=str(values["title"]),
            main=str(values["main"]),
            contents=tuple(map(str, values["contents"])),
            name=str(values["name"]),
            queries=tuple(map(str, values["queries"])),
        )


def load_model(path: str | Path) -> SiteModel:
    """Read the model of a site from a file; raises `InputError` for other files.

    >>> load_model("nowhere.json")
    Traceback (most recent call last):
    webgrain.base.errors.InputError: Cannot read a model from nowhere.json: No such file or directory.
    """
    values, _ = read_model(Path(path), FORMAT, VERSION)
    with intact(path, FORMAT):
        return SiteModel.from_dict(values)


def shared_model(path: Path) -> SiteModel:
    """Return the model in a file, which each process reads once."""
    return _shared_model(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _shared_model(path: Path, changed: int) -> SiteModel:
    return load_model(path)


def laid_out(page: Page) -> Page:
    """Return a page whose hidden nodes are known, by its style sheets if these are known.

    Raises `PageError` if they cannot be computed.
    """
    [shown] = pages([page])
    if isinstance(shown, Failure):
        raise PageError(shown.error)
    return shown


@dataclass(frozen=True, slots=True)
class SiteSegmenter:
    """Segments the pages of a site, see `SiteModel.segment`. model: of the site; method: segments a page."""

    model: SiteModel
    method: Segmenter

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""
        return self.model.segment(page, self.method)

    def steps(self, page: Page) -> Steps[Segmentation]:
        """Return the segments of a page, in steps."""
        return self.model.segment_steps(page, self.method)
