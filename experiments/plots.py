"""Pictures of the experiments: sweeps of lambda. Cumulative curves: `webgrain.report.pictures`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from matplotlib.figure import Figure

from experiments.protocol import LAMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


def plot_sweeps(panels: Mapping[str, NDArray[np.float64]], marks: Mapping[str, float], path: Path) -> None:
    """Draw mean ARI and NMI (len(LAMS), 2) against lambda; marks: what the paper found best, by panel."""
    figure = Figure((4.8 * len(panels), 4.0), layout="constrained")
    for axes, (name, means) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
    ):
        for column, (measure, stroke) in enumerate((("ARI", "-"), ("NMI", "--"))):
            axes.plot(LAMS, means[:, column], stroke, marker="o", label=measure)
        axes.axvline(marks[name], color="#999999", linestyle=":", label="the paper's best")
        axes.set(title=name, xlabel="lambda", ylabel="mean over the pages", xscale="log", ylim=(0, 1))
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    figure.savefig(path, dpi=150, metadata={"Software": None})
