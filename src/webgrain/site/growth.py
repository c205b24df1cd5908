"""Add new page types to the model of a site: their templates, texts, fields, labels and names.

    new pages --find_new_types--> types --TypePages--> templates, selectors, fields --> SiteModel

The new types get what `webgrain.site.learning` learns of a type, from the pages of the call; they have no key
path and no boilerplate elements. Everything that is known of the earlier types stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from webgrain.base.failures import Failure
from webgrain.engines.guard import run_together
from webgrain.io.read import Item
from webgrain.page.page import Page
from webgrain.pagetypes.newtypes import NewPage, NewTypes, find_new_types
from webgrain.pagetypes.pagetypes import TypeModel
from webgrain.pagetypes.typenames import TypeFacts, name_types
from webgrain.site.learning import TypeJob, TypePages, least, read_pages
from webgrain.site.model import SiteModel, TypeMarks
from webgrain.site.thresholds import SAMPLE, TEMPLATE_PAGES
from webgrain.site.typelearning import select_pages


@dataclass(slots=True)
class Growth:
    """New pages of a site, of which some may be of new types.

    Attributes:
        pages: what is read of the pages; of more than `SAMPLE`, those with the smallest marks count.
        failures: pages at which a step fails.
    """

    pages: list[NewPage] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def grown(
        self, model: SiteModel, read: Callable[[], Iterable[Item]]
    ) -> tuple[SiteModel, tuple[str, ...]]:
        """Return a model with the new types, and their labels.

        model: with the texts of the pages. read: returns the pages once more; it is called if there is a new
        type.
        """
        types = model.types
        if not isinstance(types, TypeModel) or not len(model.learnt_pages):
            return model, ()
        pages = sorted(self.pages, key=lambda page: page.mark)[:SAMPLE]
        names = [page.id for page in pages]
        step = partial(find_new_types, types, model.learnt_pages)
        compared, failures = run_together(pages, names, "types", step)
        self.failures += failures
        if compared is None:
            return model, ()
        left_out = {failure.page for failure in failures}
        kept = [page for page in pages if page.id not in left_out]
        grown = replace(model, types=compared.model, learnt_pages=compared.learnt)
        if not compared.labels:
            return grown, ()
        return self._described(grown, kept, compared, read), compared.labels

    def _described(
        self, model: SiteModel, pages: Sequence[NewPage], new: NewTypes, read: Callable[[], Iterable[Item]]
    ) -> SiteModel:
        """Return the model with what is learnt of the new types."""
        of_label: defaultdict[str, list[NewPage]] = defaultdict(list)
        for page, number in zip(pages, new.types.tolist(), strict=True):
            if number >= 0:
                of_label[new.model.rules[number].label].append(page)
        chosen = {label: least([page.id for page in of_label[label]], TEMPLATE_PAGES) for label in new.labels}
        wanted = {name for ids in chosen.values() for name in ids}
        page_of = {page.id: page for page in select_pages(read(), wanted)}
        learnt = {}
        for label, ids in chosen.items():
            learnt[label] = self._learnt([page_of[name] for name in sorted(ids) if name in page_of], model)
        facts = {
            label: TypeFacts([page.url or page.id for page in of_type]) for label, of_type in of_label.items()
        }
        for label, of_type in learnt.items():
            articles = of_type.articles
            facts[label] = replace(
                facts[label],
                titles=[article.title for article in articles],
                kinds=[article.kind for article in articles],
            )
        names_of = name_types(facts)
        marks = {
            label: TypeMarks(title=of_type.title, main=of_type.main, name=names_of[label])
            for label, of_type in learnt.items()
        }
        templates = {label: of_type.template for label, of_type in learnt.items() if of_type.template}
        cuts = {label: of_type.cut for label, of_type in learnt.items() if of_type.cut}
        fields = {label: of_type.fields for label, of_type in learnt.items() if of_type.fields}
        return replace(
            model,
            marks={**model.marks, **marks},
            templates={**model.templates, **templates},
            cuts={**model.cuts, **cuts},
            fields={**model.fields, **fields},
        )

    def _learnt(self, pages: Sequence[Page], model: SiteModel) -> TypePages:
        """Return what is learnt of a new type from some of its pages."""
        job = TypeJob(pages=len(pages))
        items = read_pages(pages, model.texts, job)
        readings = [item if isinstance(item, Failure) else item[1] for item in items]
        learnt = TypePages.learn(pages, readings, job)
        self.failures += learnt.failures
        return learnt
