"""The quality gate: what was measured once may not get worse.

``floors.json`` holds, by name of the pages, their hash and the figures: what was measured, and what must
be reached ("at least", "at most"), about half a standard error from it. Lowering a floor is a change of that
file, which a reader sees.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webgrain.evaluation.datasets import Example

FLOORS = Path(__file__).with_name("floors.json")


def check(corpus: str, figures: Mapping[str, float]) -> None:
    """Fail where a figure is beyond its floor ("at least") or ceiling ("at most"), or has none."""
    told = json.loads(FLOORS.read_text("utf-8"))[corpus]["figures"]
    found = {name: _verdict(told.get(name, {}), value) for name, value in figures.items()}
    wrong = [f"{name}: {verdict}" for name, verdict in found.items() if verdict]
    assert not wrong, f"{FLOORS.name}, {corpus}:\n" + "\n".join(wrong)


def check_pages(corpus: str, examples: Sequence[Example]) -> None:
    """Fail where the pages, or what is true of them, are not those on which the figures were measured."""
    expected, found = json.loads(FLOORS.read_text("utf-8"))[corpus]["pages"], pages_hash(examples)
    assert found == expected, f"{FLOORS.name}, {corpus}: measured on pages of hash {expected}, got {found}"


def pages_hash(examples: Sequence[Example]) -> str:
    """Return a hash of the names, texts and true segments of pages."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(f"\0{example.page.id}\0{example.page.dom.text}\0".encode("utf-8", "replace"))
        digest.update(example.truth.fine.tobytes())
    return digest.hexdigest()[:16]


def _verdict(floor: Mapping[str, float], value: float) -> str:
    """Return what is wrong with a figure, nothing if it is as it must be."""
    low, high = floor.get("at least"), floor.get("at most")
    if low is None and high is None:
        return f"has no floor; measured {value:.4f}"
    if low is not None and not value >= low:
        return f"expected at least {low}, got {value:.4f}"
    if high is not None and not value <= high:
        return f"expected at most {high}, got {value:.4f}"
    return ""
