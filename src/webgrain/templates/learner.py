"""What the estimators of templates share: a learnt template, the matching of pages with it, and its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from webgrain.base.errors import ParameterError
from webgrain.base.estimator import Estimator
from webgrain.page.parsing import check_pages
from webgrain.templates.matching import Match, TemplateMatcher
from webgrain.templates.template import (
    AnyPage,
    Template,
    TypedTree,
    template_from_dict,
    template_to_dict,
    typed_tree,
)


@dataclass(kw_only=True, eq=False, repr=False)
class TemplateLearner(Estimator):
    """Base of the estimators that learn a template.

    A subclass implements ``fit``, which passes the template to ``_set``.

    Attributes:
        template_: what was learnt.
        rejected_: reasons by id of the pages that were left out.
    """

    template_: Template | None = field(default=None, init=False, repr=False)
    rejected_: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def predict(self, page: AnyPage) -> Match:
        """Return the match of a page; `ParameterError` before ``fit``."""
        return self._matcher().match(page)

    def accepts(self, page: AnyPage) -> bool:
        """Return whether a page fits the template: see `Match.accepted`; `ParameterError` before ``fit``."""
        return self.predict(page).accepted

    def _visible_pages(self, pages: Iterable[AnyPage]) -> list[TypedTree]:
        """Return the pages that have a visible node, and reject the others; `ParameterError` without any."""
        name = type(self).__name__
        check_pages(pages)
        typed = [typed_tree(page) for page in pages]
        if not typed:
            raise ParameterError(f"{name}: expected pages to learn a template from, got none.")
        self.rejected_ = {page.page.id: "It has no visible node." for page in typed if not len(page)}
        visible = [page for page in typed if len(page)]
        if not visible:
            raise ParameterError(f"{name}: expected pages that have something in common, got none.")
        return visible

    def _set(self, template: Template) -> None:
        self.template_ = template
        self._prepared = TemplateMatcher(template)

    def _matcher(self) -> TemplateMatcher:
        if self.template_ is None:
            raise ParameterError(f"{type(self).__name__}: expected fit to have been called before.")
        return self._prepared

    def _state(self) -> dict[str, Any]:
        return {"template": template_to_dict(self._matcher().template)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._set(template_from_dict(state["template"]))
