"""The base of all methods that segment pages: pages in, segments out, and a score.

A method has a name in the registry (`webgrain.base.estimator.METHODS`), by which all others create it. What
`fit` learns is the value of one of its parameters, so that a learnt method can be written to a file and read
again without knowing its class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from webgrain.base.errors import ParameterError, RenderError
from webgrain.base.estimator import Estimator
from webgrain.base.metrics import ari
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page, check_pages
from webgrain.page.segmentation import Segmentation

Labels = NDArray[np.integer]

TRAINED = "trained"
"""Name of the shipped weights and models: one file for pages with boxes, one for pages without."""


@dataclass(kw_only=True, eq=False, repr=False)
class SegmentationMethod(Estimator):
    """Base of the methods that segment pages: input of pages and the score."""

    _guesses: ClassVar[Mapping[str, str]] = {
        **Estimator._guesses,
        **dict.fromkeys(("segment", "transform", "apply"), "predict"),
    }

    method: ClassVar[str]
    """Name of the method."""
    learnt: ClassVar[str]
    """The parameter whose value `fit` learns; the learnt value has the same name with an underscore."""

    def predict(self, page: PageLike) -> Segmentation:
        """Return the segments of ``page``: an id per node, -1 for none."""
        return self._segment(as_page(page))

    def score(self, pages: Iterable[PageLike], labels: Sequence[Labels]) -> float:
        """Return the mean adjusted Rand index (ARI) of the predicted segments over pages.

        labels: an array (n,) per page, the true segment of each node, -1 if unknown.
        """
        parsed = training_pages(pages, labels)
        return mean_ari([self._segment(page).labels for page in parsed], labels)

    def _segment(self, page: Page) -> Segmentation:
        raise NotImplementedError

    @staticmethod
    def to_values(learnt: Any) -> dict[str, Any]:
        """Return a value of the parameter ``learnt`` as plain values."""
        raise NotImplementedError

    @staticmethod
    def from_values(values: Mapping[str, Any]) -> Any:
        """Return the value of `to_values`; wrong ones raise one of `webgrain.base.modelfile.DAMAGED`."""
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        value = getattr(self, f"{self.learnt}_")
        if value is None:
            raise ParameterError(f"{type(self).__name__} has learnt nothing: call fit before save.")
        return {self.learnt: self.to_values(value)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        setattr(self, f"{self.learnt}_", self.from_values(state[self.learnt]))


def training_pages(pages: Iterable[PageLike], labels: Sequence[Labels]) -> list[Page]:
    """Return parsed pages; `ParameterError` unless there are pages, and labels (n,) for each of them."""
    check_pages(pages)
    parsed = [as_page(page) for page in pages]
    check_labels(parsed, labels)
    return parsed


def check_labels(pages: Sequence[Page], labels: Sequence[Labels]) -> None:
    """Raise `ParameterError` unless there are pages, and labels (n,) for each of them."""
    if not isinstance(labels, Sequence | np.ndarray) or isinstance(labels, str | bytes):
        raise ParameterError(f"labels must be a list of integer arrays, got {type(labels).__name__}.")
    if not len(pages) or len(pages) != len(labels):
        raise ParameterError(f"Expected pages and labels for each page, got {len(pages)} and {len(labels)}.")
    for page, label in zip(pages, labels, strict=True):
        array = np.asarray(label, None if isinstance(label, np.ndarray) else object)
        if array.shape != (len(page.dom),):
            raise ParameterError(
                f"labels must contain a label per node of {page.id}, an array of shape ({len(page.dom)},), "
                f"got {array.shape}."
            )
        if np.asarray(label).dtype.kind not in "iu":
            raise ParameterError(f"labels of {page.id} must be integers, got {np.asarray(label).dtype}.")


def check_views(pages: Sequence[Page]) -> None:
    """Raise `ParameterError` unless all pages have a view, or none has: their features differ."""
    without = [page.id for page in pages if page.view is None]
    if 0 < len(without) < len(pages):
        raise ParameterError(
            f"Expected pages that all have a view, or none: {len(without)} of {len(pages)} have none, "
            f"such as {without[0]}."
        )


def check_boxes(page: Page, needed: bool) -> None:
    """Raise `RenderError` if boxes are needed and the page has no view."""
    if needed and page.view is None:
        raise RenderError(
            "the model was learnt from pages with boxes, and this page has none: use --render chromium."
        )


def mean_ari(predicted: Sequence[Labels], truths: Sequence[Labels]) -> float:
    """Return the mean ARI over pages, on the nodes whose segment is known.

    predicted, truths: arrays (n,) over the nodes of each page; a node with the prediction -1 is a
    separate segment.

    >>> mean_ari([np.array([-1, 0, 0, 1])], [np.array([-1, 5, 5, 7])])
    1.0
    """
    values = []
    for labels, truth in zip(predicted, truths, strict=True):
        known = np.asarray(truth) >= 0
        single = labels.max(initial=-1) + 1 + np.arange(len(labels))
        values.append(ari(np.asarray(truth)[known], np.where(labels >= 0, labels, single)[known]))
    return float(np.mean(values))


def rendering(page: Page) -> str:
    """Return the name of the shipped models for a page: ``chromium`` with boxes, ``html`` without."""
    return "html" if page.view is None else "chromium"
