"""Train the models that come with webgrain and write their figures into the model card: ``make train``.

    python experiments/training/segmentation.py

The models are learnt from all labelled pages of the public data set, once per layout; the figures are those
of cross-validation. The same data and the same versions of the libraries give the same files.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.training.modelcard import with_figures
from webgrain.estimator import create
from webgrain.evaluation.datasets import load_examples
from webgrain.evaluation.training import learn
from webgrain.pipeline import Layout
from webgrain.segmentation.costs import write_weights
from webgrain.segmentation.learntcut import write_blocks
from webgrain.segmentation.segmenter import RoleClassifier, write_classifier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webgrain.evaluation.datasets import Example
    from webgrain.evaluation.training import Learnt

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "src" / "webgrain" / "segmentation" / "trained"
CARD = ROOT / "docs" / "model-card.md"
METHODS = ("learntcut", "gcuts", "cclus")
"""Names of the methods that are trained."""


def train_all(examples: Sequence[Example]) -> dict[str, Learnt]:
    """Return the trained model of each method by its name."""
    return {name: learn(create(name), examples) for name in METHODS}


def write_models(learnt: Mapping[str, Learnt], layout: str, folder: Path) -> None:
    """Write the models of all methods for one layout into a folder."""
    confidence = {name: trust for one in learnt.values() for name, trust in one.classifier.confidence.items()}
    roles = next(iter(learnt.values())).classifier.roles
    write_classifier(folder / f"{layout}.roles", RoleClassifier(roles, confidence))
    write_blocks(folder / f"blocks-{layout}.json", replace(learnt["learntcut"].method.model_, name="trained"))
    paper = [learnt[name].method.weights_ for name in ("gcuts", "cclus")]
    parameters = {method: values for weights in paper for method, values in weights.parameters.items()}
    write_weights(folder / f"{layout}.json", replace(paper[0], name="trained", parameters=parameters))


def main() -> None:
    """Train on both layouts, write the models, and write their figures into the card."""
    trained = {}
    for layout in ("chromium", "estimate"):
        examples = load_examples(None, Layout(layout))
        print(f"{layout}: {len(examples)} pages", flush=True)
        trained[layout] = train_all(examples)
        write_models(trained[layout], layout, FOLDER)
    CARD.write_text(with_figures(CARD.read_text(encoding="utf-8"), trained), encoding="utf-8")


if __name__ == "__main__":
    main()
