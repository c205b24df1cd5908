"""Draw docs/figures/duplicates.png: probability that two texts are compared; needs the extra ``plot``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from webgrain.duplicates.minhash import MinHash
from webgrain.report.html import PALETTE

THRESHOLDS = (0.5, 0.7, 0.8, 0.9)


def main() -> None:
    """Draw one curve per threshold."""
    similarity = np.linspace(0, 1, 401)
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for threshold, color in zip(THRESHOLDS, PALETTE, strict=False):
        method = MinHash(threshold=threshold)
        name = f"threshold {threshold:g}: {method.bands} bands of {method.rows}"
        axes.plot(similarity, method.probability(similarity), color=color, label=name)
        axes.plot(threshold, method.probability(threshold), "o", color=color, markersize=4)
    axes.set(
        xlabel="similarity of two texts",
        ylabel="probability that they are compared",
        xlim=(0, 1),
        ylim=(0, 1.02),
    )
    axes.grid(color="#dedbd5", linewidth=0.6)
    axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    figure.savefig(Path(__file__).with_name("duplicates.png"), dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
