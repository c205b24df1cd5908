"""The quality gate fails when it must, and its bounds are consistent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.quality import gate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {"ari": {"measured": 0.61, "at least": 0.6}, "low": {"measured": 0.1, "at most": 0.125}}
    (tmp_path / "scores.json").write_text(json.dumps({"pages": {"pages": "0", "figures": figures}}))
    monkeypatch.setattr(gate, "SCORES", tmp_path / "scores.json")


@pytest.mark.usefixtures("scores")
def test_worse_scores_fail() -> None:
    gate.check("pages", {"ari": 0.6, "low": 0.125})
    with pytest.raises(AssertionError, match=r"pages:\nari: expected at least 0.6, got 0.5999$"):
        gate.check("pages", {"ari": 0.5999, "low": 0.1})
    both = r"ari: expected at least 0\.6, got nan\nlow: expected at most 0\.125, got 0\.2"
    with pytest.raises(AssertionError, match=both):
        gate.check("pages", {"ari": float("nan"), "low": 0.2})
    with pytest.raises(AssertionError, match=r"nmi: has no bound; measured 0\.8"):
        gate.check("pages", {"nmi": 0.8})


@pytest.mark.usefixtures("scores")
def test_scores_of_other_pages_are_not_compared() -> None:
    with pytest.raises(AssertionError, match="measured on pages of hash 0, got e3b0c44298fc1c14"):
        gate.check_pages("pages", [])


def test_measured_scores_reach_their_bounds() -> None:
    for corpus in json.loads(gate.SCORES.read_text("utf-8")).values():
        for name, score in corpus["figures"].items():
            assert score.keys() in ({"measured", "at least"}, {"measured", "at most"}), name
            low, high = score.get("at least", score["measured"]), score.get("at most", score["measured"])
            assert low <= score["measured"] <= high, name
