"""Segments of pages of new sites: ``python -m experiments.new_sites``.

LearntCut and the roles are learnt from the data set ``blocks`` and judged on ``pages-2``, whose sites are
others; the methods of the paper have the weights that come with webgrain, learnt from front pages. For each
layout, a row for each method, for the baselines (the best parameter on these pages) and for the best cut of
the tree: the fine ARI and the scores of `webgrain.evaluation.training.judge_marked`. `WEBGRAIN_DATA` names
the folder of the data sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from experiments.datasets.blocks import block_examples
from experiments.results import run, table, write_results
from webgrain.base.estimator import create
from webgrain.evaluation.evaluate import evaluate, fit_examples
from webgrain.evaluation.training import concatenate, fine_rows, judge_marked, marked_rows
from webgrain.segmentation import segmenter
from webgrain.segmentation.learntcut import LearntCut
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.evaluation.datasets import Example
    from webgrain.site.pipeline import Predictor

PAPER = ("gcuts-certified", "gcuts", "cclus")
LAYOUTS = {"chromium": Layout("chromium"), "html": Layout("none")}


def main() -> str | None:
    """Print and write the scores."""
    rows = []
    for name, layout in LAYOUTS.items():
        cut, roles = learnt(block_examples(layout))
        examples = block_examples(layout, data="pages-2")
        methods = {method: cast("Predictor", create(method)) for method in PAPER}
        results = evaluate({"learntcut": cut} | methods, examples, ["fine"])
        for result in results:
            marked = judge_marked(result, examples, roles)
            share = (result.of("ari") < LOW).mean()
            scores = [result.mean(), float(share), marked.nested, marked.any_level, marked.default_level]
            rows.append([f"{name}: {result.method}", *scores, marked.unequal, marked.role_f1])
            print(*rows[-1], sep="\t", flush=True)
    columns = ["method", "ARI", "below .5", "nested", "any level", "default level", "unequal", "macro-F1"]
    cells = [[None if cell != cell else cell for cell in row] for row in rows]
    data = "216 labelled pages of 123 sites (pages-2); learnt from 183 pages of 47 other sites (blocks)."
    write_results("newsites", data, "python -m experiments.new_sites", {"segments": table(columns, cells)})
    return None


def learnt(examples: Sequence[Example]) -> tuple[LearntCut, segmenter.RoleModel]:
    """Return the cut and the model of roles that are learnt from labelled pages."""
    rows = concatenate([make(example) for make in (marked_rows, fine_rows) for example in examples])
    roles = segmenter.fit_roles(rows.features, rows.roles)
    assert roles is not None
    return fit_examples(LearntCut(), examples), roles


LOW = 0.5
"""ARI of a page that counts as low."""

if __name__ == "__main__":
    run(main)
