"""Segments of pages of new sites, by the models that come with webgrain: ``python -m experiments.new_sites``.

No model has learnt from the sites of the data set ``pages-2``, so nothing is left out. For each layout, a row
for each method, for the baselines (the best parameter on these pages) and for the best cut of the tree: the
fine ARI and the scores of `webgrain.evaluation.training.judge_marked`. `WEBGRAIN_DATA` names the folder of
the data sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from experiments.datasets.blocks import block_examples
from experiments.results import run, table, write_results
from webgrain.base.estimator import create
from webgrain.evaluation.evaluate import evaluate
from webgrain.evaluation.training import judge_marked
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from webgrain.site.pipeline import Predictor

METHODS = ("learntcut", "gcuts-certified", "gcuts", "cclus")
LAYOUTS: tuple[Literal["chromium", "estimate"], ...] = ("chromium", "estimate")


def main() -> str | None:
    """Print and write the scores."""
    rows = []
    for layout in LAYOUTS:
        examples = block_examples(Layout(layout), data="pages-2")
        methods = {name: cast("Predictor", create(name)) for name in METHODS}
        results = evaluate(methods, examples, ["fine"])
        for result in results:
            marked = judge_marked(result, examples)
            share = (result.of("ari") < LOW).mean()
            scores = [result.mean(), float(share), marked.nested, marked.any_level, marked.default_level]
            rows.append([f"{layout}: {result.method}", *scores, marked.unequal, marked.role_f1])
            print(*rows[-1], sep="\t", flush=True)
    columns = ["method", "ARI", "below .5", "nested", "any level", "default level", "unequal", "macro-F1"]
    cells = [[None if cell != cell else cell for cell in row] for row in rows]
    data = "216 labelled pages of 123 sites (pages-2), by the models that come with webgrain."
    write_results("newsites", data, "python -m experiments.new_sites", {"segments": table(columns, cells)})
    return None


LOW = 0.5
"""ARI of a page that counts as low."""

if __name__ == "__main__":
    run(main)
