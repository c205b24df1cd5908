"""Drift of a site: whether its pages still look like those that its model was learnt from."""

from __future__ import annotations

from collections import Counter

import numpy as np

from webgrain.page.page import Page
from webgrain.site.model import Prediction, SiteModel
from webgrain.templates.drift import DriftReport, DriftWatch, change_probabilities
from webgrain.templates.profile import drift_traits, kinds
from webgrain.templates.thresholds import ALARM


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

    def add(self, prediction: Prediction) -> None:
        """Add the prediction for a page. A page that raises changes nothing."""
        label = self.nearest(prediction)
        if label:
            watches = self._watches if label == prediction.type else self._changed
            watches[label].add(prediction.page, prediction.match if prediction.template == label else None)
        self.types[prediction.type] += 1

    def nearest(self, prediction: Prediction) -> str | None:
        """Return the type of a page if it has a template, else the most similar type; None for none."""
        if prediction.type in self._watches:
            return prediction.type
        return self._nearest(prediction.page)

    def _nearest(self, page: Page) -> str | None:
        """Return the type whose usual elements a page has most of, by Jaccard similarity; None for none."""
        elements = kinds(drift_traits(page))
        similarity = {}
        for label, watch in self._watches.items():
            usual = watch.profile.kinds
            if usual:
                similarity[label] = len(elements & usual) / len(elements | usual)
        return max(similarity, key=similarity.__getitem__, default=None)

    def drift(self) -> dict[str, DriftReport]:
        """Return the drift of each type with pages.

        If more pages than before have no type with a template, they count for the most similar types.
        """
        has_more = self._probability_of_change() < ALARM
        reports = {}
        for label, watch in self._watches.items():
            report = watch.result(self._changed[label] if has_more else None)
            if report.pages:
                reports[label] = report
        return reports

    def _probability_of_change(self) -> float:
        """Return the probability that chance alone gives the number of pages without a template."""
        pages = sum(self.types.values())
        with_template = sum(number for label, number in self.types.items() if label in self._watches)
        without = np.array([pages - with_template], np.int64)
        learnt_from = int(self.model.about.get("learnt_from", 0)) or 1
        expected = np.array([self.model.about.get("without_template", 0)], np.int64)
        _, (more,) = change_probabilities(expected, learnt_from, without, max(pages, 1), 1)
        return float(more)
