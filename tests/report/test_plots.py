from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from webgrain.base.errors import InputError, MissingExtraError, ParameterError
from webgrain.report.pictures import Curve, plot_cumulative

if TYPE_CHECKING:
    from pathlib import Path

CURVES = [Curve("gcuts", [0.2, 0.7, float("nan")]), Curve("one segment", [0.4, 0.5, 0.6], grey=True)]


def count(path: Path, color: tuple[int, int, int]) -> int:
    """Pixels of a colour."""
    image = pytest.importorskip("PIL.Image")
    with image.open(path) as picture:
        return int((np.asarray(picture.convert("RGB")) == color).all(axis=2).sum())


def test_methods_are_drawn_in_colours_and_others_in_grey(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot_cumulative({"fine": CURVES}, tmp_path / "a.png")
    plot_cumulative({"fine": CURVES[:1], "top": CURVES[:1]}, tmp_path / "b.png")
    blue, grey = (0x00, 0x72, 0xB2), (0x99, 0x99, 0x99)
    once, twice = (count(tmp_path / name, blue) for name in ("a.png", "b.png"))
    assert twice > 1.9 * once > 100
    assert count(tmp_path / "a.png", grey) > 100 > count(tmp_path / "b.png", grey)


def test_the_same_scores_give_the_same_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("a.png", "b.PNG"):
        plot_cumulative({"fine": [*CURVES, Curve("none", [float("nan")])]}, tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.PNG").read_bytes()


def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match=r"a file \.png, got 1 and 'a\.pdf'"):
        plot_cumulative({"fine": CURVES}, tmp_path / "a.pdf")
    with pytest.raises(ParameterError, match="got 0 and"):
        plot_cumulative({}, tmp_path / "a.png")
    with pytest.raises(InputError, match="cannot be written"):
        plot_cumulative({"fine": CURVES}, tmp_path / "nowhere" / "a.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"webgrain\[plot\]"):
        plot_cumulative({"fine": CURVES}, tmp_path / "a.png")
