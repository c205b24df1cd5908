"""Make the models that come with webgrain, and the figures of the model card: ``make train``.

All labelled pages of the public data set are learnt from; the figures are those of cross-validation. The same
data and versions give the same files.
"""

from __future__ import annotations

from pathlib import Path

from webgrain.evaluation.datasets import load_examples
from webgrain.evaluation.shipping import learn_all, ship, with_figures
from webgrain.pipeline import Layout

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "src" / "webgrain" / "segment" / "trained"
CARD = ROOT / "docs" / "model-card.md"


def main() -> None:
    """Learn, write the models, and write their figures into the card."""
    FOLDER.mkdir(exist_ok=True)
    learnt = {}
    for layout in ("chromium", "estimate"):
        examples = load_examples(None, Layout(layout))
        print(f"{layout}: {len(examples)} pages", flush=True)
        learnt[layout] = learn_all(examples)
        ship(learnt[layout], layout, FOLDER)
    CARD.write_text(with_figures(CARD.read_text(encoding="utf-8"), learnt), encoding="utf-8")


if __name__ == "__main__":
    main()
