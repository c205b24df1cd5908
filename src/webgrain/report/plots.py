"""Plots of scores page by page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from webgrain.errors import ParameterError, require
from webgrain.io.local import replacing
from webgrain.report.html import PALETTE

WIDTH, HEIGHT = 4.8, 4.0
"""Inches of one panel."""

_COLORS, _STROKES = PALETTE[:5], ("-", "--", ":", "-.")  # strokes distinguish the curves without colours
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


class Curve(NamedTuple):
    """A curve of a plot: its name, the scores (p,) of the pages; grey: drawn thin, for comparison."""

    name: str
    scores: Sequence[float]
    grey: bool = False


def plot_cumulative(panels: Mapping[str, Sequence[Curve]], path: Path, measure: str = "ARI") -> None:
    """Draw the share of pages that score at most x: of two methods, the one with the lower curve is better.

    panels: curves by heading, drawn side by side; a score of nan is ignored. path: of the PNG. Raises
    `ParameterError` without a panel or for another kind of file, `MissingExtraError` without Matplotlib.
    Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, figures
    2 to 5.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot_cumulative({"fine": [Curve("gcuts", [0.2, 0.7, 0.9])]}, Path(folder) / "ari.png")
    ...     (Path(folder) / "ari.png").read_bytes()[1:4]
    b'PNG'
    """
    if path.suffix.lower() != ".png" or not panels:
        raise ParameterError(
            f"plot_cumulative expects a panel at least and a file .png, got {len(panels)} and {path.name!r}."
        )
    figures = require("matplotlib.figure", "plot", "plots")
    figure = figures.Figure((WIDTH * len(panels), HEIGHT), layout="constrained")
    for axes, (heading, curves) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
    ):
        _panel(axes, heading, curves, measure)
    with replacing(path) as part:  # without the version of a program: equal scores give equal files
        figure.savefig(part, format="png", dpi=150, metadata={"Software": None})


def _panel(axes: Any, heading: str, curves: Sequence[Curve], measure: str) -> None:
    looks = cycle([(stroke, color) for stroke in _STROKES for color in _COLORS])
    grey = cycle([(stroke, "#999999") for stroke in _STROKES])
    for curve in curves:
        stroke, color = next(grey if curve.grey else looks)
        scores = np.asarray(curve.scores, np.float64)
        scores = scores[~np.isnan(scores)]
        if len(scores):
            axes.ecdf(scores, label=curve.name, color=color, linestyle=stroke, linewidth=2 - curve.grey)
    axes.set(title=heading, xlabel=measure, ylabel="share of the pages, at most", xlim=(0, 1), ylim=(0, 1))
    axes.set_yticks(_SHARES, [f"{share:.0%}" for share in _SHARES])
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(loc="upper left", fontsize="small")
