"""The quality gate: measured scores must not get worse.

``scores.json`` contains, by name of the pages, their hash and the scores: the measured value and the bound
that must be reached ("at least" or "at most"), about half a standard error from it. A change of a bound is a
visible change of that file.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webgrain.evaluation.datasets import Example

SCORES = Path(__file__).with_name("scores.json")


def check(corpus: str, figures: Mapping[str, float]) -> None:
    """Fail if a score is below its bound "at least", above its bound "at most", or has no bound."""
    bounds = json.loads(SCORES.read_text("utf-8"))[corpus]["figures"]
    errors = {name: _error(bounds.get(name, {}), value) for name, value in figures.items()}
    wrong = [f"{name}: {error}" for name, error in errors.items() if error]
    assert not wrong, f"{SCORES.name}, {corpus}:\n" + "\n".join(wrong)


def check_pages(corpus: str, examples: Sequence[Example]) -> None:
    """Fail if the pages or their ground truth are not those on which the scores were measured."""
    expected, found = json.loads(SCORES.read_text("utf-8"))[corpus]["pages"], pages_hash(examples)
    assert found == expected, f"{SCORES.name}, {corpus}: measured on pages of hash {expected}, got {found}"


def pages_hash(examples: Sequence[Example]) -> str:
    """Return a hash of the names, texts and true segments of pages."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(f"\0{example.page.id}\0{example.page.dom.text}\0".encode("utf-8", "replace"))
        digest.update(example.truth.fine.tobytes())
    return digest.hexdigest()[:16]


def _error(bound: Mapping[str, float], value: float) -> str:
    """Return why a score fails; an empty string if it passes."""
    low, high = bound.get("at least"), bound.get("at most")
    if low is None and high is None:
        return f"has no bound; measured {value:.4f}"
    if low is not None and not value >= low:
        return f"expected at least {low}, got {value:.4f}"
    if high is not None and not value <= high:
        return f"expected at most {high}, got {value:.4f}"
    return ""
