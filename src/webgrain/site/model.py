"""The model of a site: everything learnt from its pages, its file, and its predictions.

{"format": "webgrain site model", "version": 4, "site": "example.org", "about": {...}, "types": {...},
 "marks": {"type": {"name": "/blog/*", "title": "h1", "main": "main > article"}}, "boilerplate": [...],
 "templates": {"type": {...}}, "cuts": {"type": {...}}, "texts": {...}}

``types`` and each of ``templates`` are as in the files that `webgrain learn` writes; ``texts`` are the
numbers of `SiteTexts`. `SiteWatch` compares the pages that a model reads with those that it was learnt from.
`TypesModel` is a model of page types of any method, also after a reviewer has split a type (`SplitModel`).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from webgrain.base.arrays import Float64, Int8, Int32, Int64
from webgrain.base.estimator import TYPES_MODELS, imported
from webgrain.base.modelfile import format_of, intact, read_model, write_model
from webgrain.base.readonly import ReadOnly
from webgrain.extraction.boilerplate import Boilerplate, boilerplate_probability
from webgrain.extraction.document import Document
from webgrain.extraction.single import SinglePage
from webgrain.extraction.sitetexts import SiteTexts
from webgrain.io.local import replacing
from webgrain.lists.features import RepeatedTexts
from webgrain.lists.ranking import find_lists
from webgrain.lists.records import Listing
from webgrain.page.leaves import TEXT_LEAF, visible_tree
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page, parse
from webgrain.page.segmentation import Segmentation
from webgrain.pagetypes.descriptions import Assignment, TypesModel
from webgrain.pagetypes.pagetypes import TypeModel
from webgrain.segmentation.features.nodes import nodes_of
from webgrain.segmentation.learntcut import CHANCES, decisions
from webgrain.segmentation.segmenter import DEFAULT, ROLES, Segmenter, segmenter
from webgrain.site.pipeline import pages
from webgrain.site.thresholds import CUT_MAJORITY, MIN_TEMPLATE_PAGES, ROLE_MAJORITY
from webgrain.templates.drift import DriftReport, DriftWatch, probabilities
from webgrain.templates.matching import Match
from webgrain.templates.profile import kinds, page_traits
from webgrain.templates.sections import BestSectioner, Sectioner
from webgrain.templates.template import Template, TypedTree, template_from_dict, template_to_dict, typed_tree
from webgrain.templates.thresholds import ALARM

FORMAT, VERSION = "webgrain site model", 4


@dataclass(frozen=True, slots=True)
class Marks:
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


@dataclass(frozen=True, slots=True, eq=False)
class TypeCut(ReadOnly):
    """What the pages of a type have decided together about the segments of a page, by its template.

    Some pages of the type are segmented. A majority (`CUT_MAJORITY`, `ROLE_MAJORITY`) of those that have a
    template node decides about it; each page has one vote, which the places of the node on it share by their
    leaves. Where few pages have the node or there is no majority, each page decides for itself.

    Attributes:
        decided: (m, 4) for each template node the decisions about the cut, see
            `webgrain.segmentation.learntcut.decisions`, and the role of the segments that begin there, a
            place in `ROLES`; -1: none.
        share: (m,) of the pages that voted for this role.
    """

    decided: Int8
    share: Float64

    @classmethod
    def learn(cls, size: int, pages: Iterable[tuple[Page, Int32]], method: Segmenter) -> Self:
        """Return the decisions of pages, given the template node (n,) of each of their nodes, -1 for none.

        size: number of template nodes.
        """
        votes = np.zeros((len(CHANCES) + 1, size, len(ROLES)))
        for page, at in pages:
            found = method.predict(page)
            begins = _begins(found)
            chosen = np.column_stack([decisions(page, found.labels), np.full(len(page.dom), -1)])
            chosen[begins, -1] = [_NAMES.index(name or "content") for name in found.roles]
            weight = np.ones(chosen.shape) * visible_tree(page).to_dom(nodes_of(page).leaves)[:, None]
            weight[begins, -1] = found.role_probability
            node, column = np.nonzero((chosen >= 0) & (at >= 0)[:, None])
            own = np.zeros_like(votes)
            np.add.at(own, (column, at[node], chosen[node, column]), weight[node, column])
            votes += own / np.maximum(own.sum(axis=2, keepdims=True), 1e-9)
        most, voters = votes.max(axis=2), votes.sum(axis=2).round()
        majority = np.array([*[CUT_MAJORITY] * len(CHANCES), ROLE_MAJORITY])[:, None]
        clear = (voters >= MIN_TEMPLATE_PAGES) & (most >= majority * voters)
        decided = np.where(clear, votes.argmax(axis=2), -1).T.astype(np.int8)
        return cls(decided, most[-1] / np.maximum(voters[-1], 1.0))

    def segment(self, page: Page, at: Int32, method: Segmenter) -> Segmentation:
        """Return the segments of a page, given the template node (n,) of each of its nodes."""
        decided = np.where(at[:, None] >= 0, self.decided[at], -1).astype(np.int8)
        found = method.predict(page, decided[:, :-1])
        if found.role_probability is None:
            return found
        begins = _begins(found)
        role = decided[begins, -1]
        roles = zip(role.tolist(), found.roles, strict=True)
        probability = np.where(role >= 0, self.share[at[begins]], found.role_probability)
        names = tuple(_NAMES[k] if k >= 0 else own for k, own in roles)
        return replace(found, roles=names, role_probability=probability)

    def to_dict(self) -> dict[str, Any]:
        """Return the decisions as plain values, for `from_dict`."""
        return {"decided": self.decided.tolist(), "share": self.share.round(4).tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], size: int) -> Self:
        """Return the decisions of a template of this size; wrong values raise one of `DAMAGED`."""
        decided = np.array(values["decided"], np.int8).reshape(size, len(CHANCES) + 1)
        if (decided < -1).any() or (decided.max(axis=0, initial=-1) >= [2, 2, 2, len(ROLES)]).any():
            raise ValueError("it has an unknown decision about segments")
        return cls(decided, np.array(values["share"], np.float64).reshape(size).clip(0.0, 1.0))


_NAMES = tuple(ROLES)


def _begins(found: Segmentation) -> Int64:
    """Return the first node of each segment."""
    labels, first = np.unique(found.labels, return_index=True)
    return first[labels >= 0]


@dataclass(frozen=True, slots=True, eq=False)
class Prediction(Document):
    """The prediction of a site model for a page: its content as a `Document`, its type and its template.

    Attributes:
        tree: its visible tree; assigned: its type, with the confidence.
        type_name: display name of the type; None if unknown.
        template, match: the type whose template the page was matched with, and the match: its own type, or
            the best one if its type is unknown or has no template; None if the site has no template.
        noise: (n,) probability that each leaf of its DOM is boilerplate, 0 at other nodes.
        lists: its lists by decreasing probability; the first is the list of the page.
    """

    tree: TypedTree
    assigned: Assignment
    type_name: str | None
    template: str | None
    match: Match | None
    noise: Float64
    lists: tuple[Listing, ...]

    def __repr__(self) -> str:
        return f"<Prediction of {self.page.id!r:.60}: type {self.type!r:.60}, {self.verdict}>"

    @property
    def type(self) -> str | None:
        """Label of its type; None if unknown."""
        return self.assigned.type

    @property
    def fits(self) -> bool | None:
        """Whether it fits the template of its type; None if unknown."""
        return self.match.accepted if self.match and self.template == self.type else None

    @property
    def template_match(self) -> float | None:
        """How well it matches the template of its type, 0..1; None if unknown."""
        return round(self.match.score, 4) if self.match and self.template == self.type else None

    @property
    def boilerplate_share(self) -> float:
        """The share of its visible characters that is boilerplate of the site."""
        node = self.tree.tree.node[self.tree.tree.kind == TEXT_LEAF]
        start = self.page.dom.text_start
        size = start[node + 1] - start[node]
        return float((size * self.noise[node]).sum() / max(int(size.sum()), 1))

    @property
    def noise_share(self) -> float:
        """The old name of `boilerplate_share`."""
        warnings.warn("noise_share is now boilerplate_share.", DeprecationWarning, stacklevel=2)
        return self.boilerplate_share


@dataclass(slots=True, eq=False)
class SiteModel:
    """The model of a site.

    Attributes:
        site: its host, or another name.
        types: its page types; texts: what its pages have in common.
        templates: the templates of the types that have one, by label.
        marks: properties of the types, by label.
        boilerplate: header, footer, navigation and other parts around the content of the pages.
        repeated: the texts that several pages have.
        cuts: what the types with a template have decided about segments, by label.
        about: number of pages, version of webgrain, parameters.

    >>> from webgrain.site.learning import learn_site
    >>> html = "<title>Page {0}</title><ul><li>Home<li>News</ul><h1>Page {0}</h1><p>"
    >>> html += "Some words on {0}. " * 9
    >>> site = [Source(f"{k}.html", html.format("abcdefgh"[k]).encode()) for k in range(8)]
    >>> model = learn_site(lambda: site, "example.org")
    >>> found = model.predict(html.format("x"))
    >>> found.title, found.verdict, found.text[:15]
    ('Page x', 'article', 'Some words on x')
    """

    site: str
    types: TypesModel
    texts: SiteTexts
    templates: Mapping[str, Template] = field(default_factory=dict)
    marks: Mapping[str, Marks] = field(default_factory=dict)
    boilerplate: Boilerplate = field(default_factory=Boilerplate)
    about: Mapping[str, Any] = field(default_factory=dict)
    repeated: RepeatedTexts = field(default_factory=RepeatedTexts)
    cuts: Mapping[str, TypeCut] = field(default_factory=dict)
    _best: BestSectioner = field(init=False, repr=False)
    _reader: SinglePage = field(init=False, repr=False, default_factory=SinglePage)

    def __post_init__(self) -> None:
        cutters = {label: Sectioner(template=template) for label, template in self.templates.items()}
        self._best = BestSectioner(cutters)

    def predict(
        self, page: Page | Source | bytes | str, lap: Callable[[str], object] = lambda stage: None
    ) -> Prediction:
        """Return the prediction for a page, which may be given as HTML.

        lap: called with the name of each stage after it.
        """
        page = parse(Source("page", page, charset="utf-8")) if isinstance(page, bytes) else as_page(page)
        lap("parse")
        assigned = self.types.assign(page)
        lap("types")
        tree = typed_tree(page)
        name, match, noise = self._best.noise(tree, assigned.type)
        lap("template")
        article = self._reader.predict(page, self.texts)
        noise = boilerplate_probability(page, tree.tree, self.texts, noise)
        lap("text")
        star = np.where(match.labels >= 0, match.template.list_of[match.labels], -1) if match else None
        lists = find_lists(page, repeated=self.repeated, star=star)
        lap("lists")
        called = self.name(assigned.type)
        return Prediction(page, article, tree, assigned, called, name, match, noise, lists)

    def segment(self, page: Page, method: Segmenter | None = None) -> Segmentation:
        """Return the segments of a page, as the template of its type determines them.

        A page without a view is laid out by the estimate. method: None: the default; others than LearntCut
        segment each page on its own, and so do pages of no type with a template.
        """
        page = page if page.view is not None else next(laid_out([page]), page)
        kind, method = self.types.assign(page).type or "", method or segmenter()
        if kind not in self.cuts or method.name != DEFAULT:
            return method.predict(page)
        return self.cuts[kind].segment(page, self._best.cutters[kind].match(page).labels, method)

    def name(self, label: str | None) -> str | None:
        """Return the display name of a type by its label; None for None."""
        return None if label is None else self.marks.get(label, Marks()).name or label

    @property
    def furniture(self) -> Boilerplate:
        """The old name of `boilerplate`."""
        warnings.warn("furniture is now boilerplate.", DeprecationWarning, stacklevel=2)
        return self.boilerplate

    def noise(self, page: Page) -> Float64:
        """Return the probability (n,) that each leaf of a page is boilerplate, 0 at other nodes."""
        tree = typed_tree(page)
        noise = self._best.noise(tree, self.types.assign(page).type)[2]
        return boilerplate_probability(page, tree.tree, self.texts, noise)

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
            "templates": {label: template_to_dict(one) for label, one in self.templates.items()},
            "texts": self.texts.to_dict(),
            "repeated": self.repeated.to_dict(),
            "cuts": {label: cut.to_dict() for label, cut in self.cuts.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SiteModel:
        """Return the model with these values; other values raise one of `DAMAGED`."""
        templates = {str(label): template_from_dict(one) for label, one in values["templates"].items()}
        cuts = values.get("cuts", {})  # absent in older files
        return cls(
            str(values["site"]),
            types_from_dict(values["types"]),
            SiteTexts.from_dict(values["texts"]),
            templates,
            {str(label): _marks(one) for label, one in values["marks"].items()},
            Boilerplate.from_rows(values["boilerplate"]),
            dict(values["about"]),
            RepeatedTexts.from_dict(values["repeated"]) if "repeated" in values else RepeatedTexts(),
            {label: TypeCut.from_dict(cut, len(templates[label])) for label, cut in cuts.items()},
        )


def laid_out(some: Iterable[Page]) -> Iterator[Page]:
    """Yield pages with the layout estimate, by their style sheets if these are known; omit failures."""
    return (page for page in pages(some) if isinstance(page, Page))


def load_model(path: str | Path) -> SiteModel:
    """Read the model of a site from a file; raises `InputError` for other files.

    >>> load_model("nowhere.json")
    Traceback (most recent call last):
    webgrain.base.errors.InputError: Cannot read a model from nowhere.json: No such file or directory.
    """
    values, _ = read_model(Path(path), FORMAT, VERSION)
    with intact(path, FORMAT):
        return SiteModel.from_dict(values)


def _marks(values: Mapping[str, Any]) -> Marks:
    title, main, name = (str(values[key]) for key in ("title", "main", "name"))
    contents, queries = (tuple(map(str, values[key])) for key in ("contents", "queries"))
    return Marks(title, main, contents, name, queries)


@dataclass(frozen=True, slots=True)
class SiteSegmenter:
    """Segments the pages of a site, see `SiteModel.segment`. model: of the site; method: segments a page."""

    model: SiteModel
    method: Segmenter

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""
        return self.model.segment(page, self.method)


class SiteWatch:
    """Compares the pages that a model reads with those that it was learnt from, by type (drift).

    Attributes:
        types: number of pages by type; None: of no known type.
        model: the model.

    >>> from webgrain.site.learning import learn_site
    >>> from webgrain.page.page import Source
    >>> html = "<h1>Page {0}</h1><p>Some words on {0}</p><ul><li>{0}<li>More</ul>"
    >>> site = [Source(f"{k}.html", html.format("abcdefgh"[k]).encode()) for k in range(8)]
    >>> model = learn_site(lambda: site, "example.org")
    >>> watch = SiteWatch(model)
    >>> for letter in "qrstuvwxyz":
    ...     new = f"<h1>Page {letter}</h1><p>Some words on {letter}</p><form><input></form>"
    ...     watch.add(model.predict(new))
    >>> [(drift.level, drift.vanished[0].css) for drift in watch.drift().values()]
    [('alarm', 'html > body > ul')]
    """

    def __init__(self, model: SiteModel) -> None:
        self.model = model
        self.types: Counter[str | None] = Counter()
        self._watches = {label: DriftWatch(template) for label, template in model.templates.items()}
        self._changed = {label: DriftWatch(template) for label, template in model.templates.items()}

    def add(self, found: Prediction) -> None:
        """Add the prediction for a page."""
        self.types[found.type] += 1
        if watch := self._watches.get(found.type or ""):
            watch.add(found.page)
        elif nearest := self._nearest(found.page):
            self._changed[nearest].add(found.page)

    def _nearest(self, page: Page) -> str | None:
        """Return the type whose usual elements a page has most of, by Jaccard similarity; None for none."""
        own = kinds(page_traits(page))
        usual = {label: watch.profile.kinds for label, watch in self._watches.items()}
        near = {label: len(own & some) / len(own | some) for label, some in usual.items() if some}
        return max(near, key=near.__getitem__, default=None)

    def drift(self) -> dict[str, DriftReport]:
        """Return the drift of each type with pages.

        If more pages than before have no type with a template, they count for the most similar types.
        """
        pages, without = sum(self.types.values()), np.zeros(1, np.int64)
        without[0] = pages - sum(n for label, n in self.types.items() if label in self._watches)
        learnt = int(self.model.about.get("learnt_from", 0)) or 1
        expected = np.array([self.model.about.get("without_template", 0)], np.int64)
        _, (more,) = probabilities(expected, learnt, without, max(pages, 1), 1)
        found = {
            label: watch.result(self._changed[label] if more < ALARM else None)
            for label, watch in self._watches.items()
        }
        return {label: report for label, report in found.items() if report.pages}


@dataclass(frozen=True, slots=True, eq=False)
class SplitModel(TypesModel):
    """The types of a site of which one was split.

    Attributes:
        base: the types before; label: the type that was split; part: its types.
    """

    file: ClassVar = "webgrain reviewed page types", 1
    base: TypesModel
    label: str
    part: TypesModel

    @property
    def rules(self) -> Sequence[Any]:
        """The rules of all types."""
        return [*(rule for rule in self.base.rules if rule.label != self.label), *self.part.rules]

    def assign(self, page: Page) -> Assignment:
        """Return the type of a page."""
        found = self.base.assign(page)
        return self.part.assign(page) if found.type == self.label else found

    def relabelled(self, label_of: Mapping[str, str]) -> SplitModel:
        """Return the model with other labels; label_of: the new label of each old one."""
        others = {old: new for old, new in label_of.items() if old != self.label}
        return SplitModel(self.base.relabelled(others), self.label, self.part.relabelled(label_of))

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain values for `from_dict`."""
        models = {"base": self.base, "part": self.part}
        return {"label": self.label} | {name: model.to_dict() for name, model in models.items()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> SplitModel:
        """Return the model of a record; raises one of `webgrain.base.modelfile.DAMAGED` if it is not one."""
        base, part = types_from_dict(record["base"]), types_from_dict(record["part"])
        return cls(base, str(record["label"]), part)


def types_from_dict(record: Mapping[str, Any]) -> TypesModel:
    """Return the types of a record of any method; raises one of `webgrain.base.modelfile.DAMAGED`."""
    if "part" in record:
        return SplitModel.from_dict(record)
    model_class = _types_model("webgrain KeyClus types" if "tabs" in record else TypeModel.file[0])
    return model_class.from_dict(record)


def load_types(path: Path) -> TypesModel:
    """Read types that were learnt, and perhaps changed by verdicts; `InputError` for another file."""
    file_format = format_of(path)
    model_class = SplitModel if file_format == SplitModel.file[0] else _types_model(file_format)
    return model_class.load(path)


def _types_model(file_format: str | None) -> type[TypesModel]:
    """Return the class of the models of a format; that of `PageTypes` for an unknown one."""
    place = TYPES_MODELS.get(file_format or "", TYPES_MODELS[TypeModel.file[0]])
    model_class: type[TypesModel] = imported(place)
    return model_class
