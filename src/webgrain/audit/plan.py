"""What an audit does with which pages."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from webgrain.audit.learning import Learning
from webgrain.audit.stages import SAMPLE
from webgrain.estimator import check_integer
from webgrain.pipeline import Layout
from webgrain.run.guard import Guard

if TYPE_CHECKING:
    from pathlib import Path

    from webgrain.pipeline import Predictor

SAMPLES = 5
"""Pages of each type that are laid out and cut into segments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to do with which pages.

    Attributes:
        made_of: what the pages are from, in words; name: of a site whose pages have no address.
        method: how the pages that are shown are cut into segments.
        queries: file of the site's search log; None: none.
        sample: pages of a site that are learnt from, at most.
        samples: pages of each type that are shown, at most.
        layout: where the boxes of those come from.
        learning: how a site is learnt.
        guard: the most that a page may take.
    """

    made_of: str
    name: str = ""
    method: Predictor
    queries: Path | None = None
    sample: int = SAMPLE
    samples: int = SAMPLES
    layout: Layout = field(default_factory=Layout)
    learning: Learning = field(default_factory=Learning)
    guard: Guard = field(default_factory=Guard)

    def __post_init__(self) -> None:
        check_integer(self, "sample", low=1)
        check_integer(self, "samples", low=0)

    def told(self) -> dict[str, Any]:
        """Return what must be the same for an audit to go on, as plain values by the names of options."""
        return {
            "input": self.made_of,
            "queries": None if self.queries is None else str(self.queries.absolute()),
            "sample": self.sample,
            "shown": self.samples,
            "layout": asdict(self.layout),
            "learning": asdict(self.learning),
        }
