"""The gate itself: it fails where it must, and nothing in it lies idle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.quality import gate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def floors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {"ari": {"measured": 0.61, "at least": 0.6}, "low": {"measured": 0.1, "at most": 0.125}}
    (tmp_path / "floors.json").write_text(json.dumps({"pages": {"pages": "0", "figures": figures}}))
    monkeypatch.setattr(gate, "FLOORS", tmp_path / "floors.json")


@pytest.mark.usefixtures("floors")
def test_what_got_worse_is_named() -> None:
    gate.check("pages", {"ari": 0.6, "low": 0.125})
    with pytest.raises(AssertionError, match=r"pages:\nari: expected at least 0.6, got 0.5999$"):
        gate.check("pages", {"ari": 0.5999, "low": 0.1})
    both = r"ari: expected at least 0\.6, got nan\nlow: expected at most 0\.125, got 0\.2"
    with pytest.raises(AssertionError, match=both):
        gate.check("pages", {"ari": float("nan"), "low": 0.2})
    with pytest.raises(AssertionError, match=r"nmi: has no floor; measured 0\.8"):
        gate.check("pages", {"nmi": 0.8})


@pytest.mark.usefixtures("floors")
def test_figures_of_other_pages_are_not_compared() -> None:
    with pytest.raises(AssertionError, match="measured on pages of hash 0, got e3b0c44298fc1c14"):
        gate.check_pages("pages", [])


def test_every_floor_was_reached_when_it_was_set() -> None:
    for corpus in json.loads(gate.FLOORS.read_text("utf-8")).values():
        for name, told in corpus["figures"].items():
            assert told.keys() in ({"measured", "at least"}, {"measured", "at most"}), name
            low, high = told.get("at least", told["measured"]), told.get("at most", told["measured"])
            assert low <= told["measured"] <= high, name
