"""What the estimators of templates share: a learnt template, the matching of pages with it, and its file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from webgrain.base.errors import PageError, ParameterError
from webgrain.base.estimator import Estimator
from webgrain.base.failures import Failure
from webgrain.engines.guard import run_step, run_together
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page, check_pages
from webgrain.templates.matching import Match, TemplateMatcher
from webgrain.templates.template import Template, node_types, template_from_dict, template_to_dict


@dataclass(kw_only=True, eq=False, repr=False)
class TemplateLearner(Estimator):
    """Base of the estimators that learn a template.

    A subclass implements ``_learn``, which passes the template to ``_set``.

    Attributes:
        template_: what was learnt.
        rejected_: reasons by id of the pages that were left out.
        failures_: those of them at which learning failed.
    """

    _guesses: ClassVar[Mapping[str, str]] = {**Estimator._guesses, "transform": "predict"}

    template_: Template | None = field(default=None, init=False, repr=False)
    rejected_: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    failures_: tuple[Failure, ...] = field(default=(), init=False, repr=False)

    def fit(self, pages: Iterable[PageLike]) -> Self:
        """Learn the template of pages; about 15 are enough.

        A page at which learning fails is left out. `ParameterError` without a page, and if no page has
        anything in common with the others.
        """
        self.rejected_ = {}
        self.failures_ = ()
        visible = self._visible_pages(pages)
        names = [page.id for page in visible]
        rejected, failures = run_together(visible, names, "learn", self._learn)
        if rejected is None:
            raise PageError(f"No template can be learnt: {failures[0].error}")
        self.rejected_ |= rejected
        self.failures_ += tuple(failures)
        self.rejected_ |= {failure.page: failure.error for failure in self.failures_}
        return self

    @abstractmethod
    def _learn(self, pages: Sequence[Page]) -> dict[str, str]:
        """Learn the template of pages; return the reasons of those that are left out, by their ids."""

    def predict(self, page: PageLike) -> Match:
        """Return the match of a page; `ParameterError` before ``fit``."""
        return self._matcher().match(page)

    def accepts(self, page: PageLike) -> bool:
        """Return whether a page fits the template: see `Match.accepted`; `ParameterError` before ``fit``."""
        return self.predict(page).accepted

    def _visible_pages(self, pages: Iterable[PageLike]) -> list[Page]:
        """Return the pages that have a visible node, and reject the others; `ParameterError` without any."""
        name = type(self).__name__
        check_pages(pages)
        given = list(map(as_page, pages))
        if not given:
            raise ParameterError(f"{name}: expected pages to learn a template from, got none.")
        visible = []
        for page in given:
            types = run_step(page, "learn", node_types)
            if isinstance(types, Failure):
                self.failures_ += (types,)
            elif len(types.of):
                visible.append(page)
            else:
                self.rejected_[page.id] = "It has no visible node."
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
