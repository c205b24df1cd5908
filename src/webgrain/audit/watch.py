"""Watch the pages that a site's model reads: which types have changed since they were learnt."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from webgrain.template.drift import DriftWatch

if TYPE_CHECKING:
    from webgrain.audit.model import Prediction, SiteModel
    from webgrain.template.drift import Drift


ALIKE = 0.5
"""Match with a template from which on a page of no known type is one of that type that has changed."""


class SiteWatch:
    """Counts how the pages that a model reads fit the templates of their types.

    Attributes:
        types: pages by type; None: of no type that the model knows.
        model: what reads the pages.

    >>> from webgrain.audit.learning import learn_site
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

    def add(self, found: Prediction) -> None:
        """Take in what the model said of a page."""
        self.types[found.type] += 1
        match, own = found.match, found.template == found.type
        if match and found.template and (own or (found.type is None and match.score >= ALIKE)):
            self._watches[found.template].add(found.tree, match)

    def drift(self) -> dict[str, Drift]:
        """Return how the pages of each type that was seen differ from those that it was learnt from."""
        found = {label: watch.result() for label, watch in self._watches.items()}
        return {label: drift for label, drift in found.items() if drift.pages}
