"""Train the models that come with webgrain and write their figures into the model card: ``make train``.

    python experiments/training/segmentation.py [learntcut | roles] [html | chromium]

The models are learnt from all labelled pages, once without boxes and once with those of Chromium; the figures
are those of cross-validation over sites. The same data and the same versions of the libraries give the same
files. With ``learntcut`` only LearntCut, the roles, blocks and sections are learnt; what was learnt for the
other methods stays in the files and in the card. With ``roles`` only the roles are learnt, and no figure is
written. ``html`` and ``chromium`` learn for one layout.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))

from experiments.datasets.blocks import ARCHIVES, block_examples, family_of
from experiments.datasets.snapshots import kreuzer_examples
from experiments.results import read_results, table, write_results
from experiments.training.modelcard import METHODS, with_figures
from webgrain.base.estimator import create
from webgrain.evaluation.training import learn_method, learn_roles
from webgrain.papers.weights import Weights, write_weights
from webgrain.segmentation.learntcut import write_blocks
from webgrain.segmentation.segmenter import RoleClassifier, read_classifier, write_classifier
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webgrain.evaluation.datasets import Example
    from webgrain.evaluation.training import Learnt

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "webgrain"
FOLDER = PACKAGE / "segmentation" / "trained"
PAPERS = PACKAGE / "papers" / "trained"
CARD = ROOT / "docs" / "model-card.md"
LAYOUTS = {"html": Layout("none"), "chromium": Layout("chromium")}
"""Layouts of the training pages, by the name in the files of the models."""
BASELINES = ("gcuts-np", "gcuts-nl", "cclus-nl")
"""Names of the baselines of the paper, whose lambda is chosen."""


RARE_ROLES = frozenset(("ad", "author", "image", "video"))
"""Roles that are rare on the labelled modern pages."""


def train_all(
    examples: Sequence[Example], modern: Sequence[Example] = (), methods: Sequence[str] = METHODS
) -> dict[str, Learnt]:
    """Return the trained model of LearntCut and of the other ``methods`` by their names.

    examples: the front pages of the Kreuzer data set, from which the methods of the paper learn; modern: the
    labelled modern pages, from which LearntCut and the roles learn, with the segments of `RARE_ROLES` of the
    front pages; without them LearntCut learns from the front pages.
    """
    rare = rare_roles(examples) if modern else []
    sites = [family_of(example) for example in modern] if modern else None
    learnt = {"learntcut": learn_method(create("learntcut"), modern or examples, rare, sites)}
    return learnt | {name: learn_method(create(name), examples) for name in methods if name not in learnt}


def rare_roles(examples: Sequence[Example]) -> list[Example]:
    """Return examples in which only segments of `RARE_ROLES` have roles."""
    return [with_roles(example, RARE_ROLES) for example in examples]


def with_roles(example: Example, roles: frozenset[str]) -> Example:
    """Return an example in which the roles of all other segments are unknown."""
    segments = tuple(one if one.role in roles else replace(one, role=None) for one in example.segments)
    known = tuple(role if role in roles else None for role in example.truth.roles)
    return replace(example, truth=replace(example.truth, roles=known), segments=segments)


def baseline_parameters(examples: Sequence[Example]) -> dict[str, Mapping[str, float]]:
    """Return the parameters that each baseline chooses, by its name."""
    pages = [example.page for example in examples]
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    fitted = {name: create(name).fit(pages, truths) for name in BASELINES}
    return {name: method.weights_.parameters[name] for name, method in fitted.items()}


def write_models(
    learnt: Mapping[str, Learnt],
    baselines: Mapping[str, Mapping[str, float]],
    layout: str,
    folder: Path,
    papers: Path,
) -> None:
    """Write the models of the learnt methods, and parameters of baselines, for one layout into two folders.

    folder: for LearntCut, roles and confidence; papers: for the weights of the methods of the paper, if all
    were learnt. The confidence in other methods stays.
    """
    former = folder / f"{layout}.roles"
    known = read_classifier(former).confidence if former.exists() and len(learnt) < len(METHODS) else {}
    confidence = {name: trust for one in learnt.values() for name, trust in one.classifier.confidence.items()}
    roles = next(iter(learnt.values())).classifier.roles
    write_classifier(former, RoleClassifier(roles, {**known, **confidence}))
    write_blocks(folder / f"blocks-{layout}.json", replace(learnt["learntcut"].method.model_, name="trained"))
    if set(learnt) == set(METHODS):
        weights = [learnt[name].method.weights_ for name in METHODS[1:]]
        write_paper(papers / f"weights-{layout}.json", weights, baselines)


def write_paper(path: Path, learnt: Sequence[Weights], baselines: Mapping[str, Mapping[str, float]]) -> None:
    """Write the weights of the methods of the paper, the same but for their parameters."""
    parameters = {name: values for weights in learnt for name, values in weights.parameters.items()}
    write_weights(path, replace(learnt[0], name="trained", parameters=parameters | baselines))


def read_examples(layout: str) -> tuple[list[Example], list[Example]]:
    """Return the front pages and the modern pages in a layout."""
    examples = list(kreuzer_examples(LAYOUTS[layout]))
    modern = [example for data in ARCHIVES for example in block_examples(LAYOUTS[layout], data=data)]
    print(f"{layout}: {len(examples)} and {len(modern)} pages", flush=True)
    return examples, modern


def write_roles(layouts: Sequence[str]) -> None:
    """Learn the roles for some layouts, and write them into the files of the models."""
    for name in layouts:
        examples, modern = read_examples(name)
        path = FOLDER / f"{name}.roles"
        roles = learn_roles([*modern, *rare_roles(examples)])
        write_classifier(path, replace(read_classifier(path), roles=roles))


def main(methods: Sequence[str], layouts: Sequence[str]) -> None:
    """Train for some layouts, write the models, and write their figures into the card."""
    trained = {}
    for name in layouts:
        examples, modern = read_examples(name)
        trained[name] = train_all(examples, modern, methods)
        baselines = baseline_parameters(examples) if len(methods) > 1 else {}
        write_models(trained[name], baselines, name, FOLDER, PAPERS)
    CARD.write_text(with_figures(CARD.read_text(encoding="utf-8"), trained), encoding="utf-8")
    write_results("trained", DATA, COMMAND, {"modern": modern_table(trained)})


DATA = (
    "Labelled modern pages of both sets; their sites were left out of training, families of sites together."
)
COMMAND = "python experiments/training/segmentation.py"


def modern_table(trained: Mapping[str, Mapping[str, Learnt]]) -> dict[str, object]:
    """Return the scores of LearntCut and of the roles for each layout as a table.

    Rows of layouts that are not among them stay as they are.
    """
    former: list[list[object]] = read_results("trained")["tables"]["modern"]["rows"]
    rows = [row for row in former if row[0] not in trained]
    for name, learnt in trained.items():
        scores = learnt["learntcut"].scores
        assert scores is not None
        fine = scores.fine.record(scores.fine)
        judged = scores.judgement
        rows.append(
            [name, fine["pages"], fine["ari"], fine["ari_se"], scores.blocks.mean(), judged.marked.macro_f1,
             judged.predicted.macro_f1]
        )  # fmt: skip
    columns = ["layout", "pages", "ARI fine", "error", "ARI blocks", "macro-F1", "macro-F1 of cuts"]
    return table(columns, rows)


if __name__ == "__main__":
    chosen = [name for name in LAYOUTS if name in sys.argv[1:]] or list(LAYOUTS)
    if "roles" in sys.argv[1:]:
        write_roles(chosen)
    else:
        main(METHODS[:1] if "learntcut" in sys.argv[1:] else METHODS, chosen)
