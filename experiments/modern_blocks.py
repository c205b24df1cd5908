"""LearntCut on the labelled modern pages, sites left out: ``python -m experiments.modern_blocks``.

Prints for each layout the mean ARI over pages and the shares of very good and very bad pages, the roles, the
share of groups of similar siblings that are cut unequally, and the pages of lowest ARI; then the agreement of
the two annotators, and the F1 of the closest union of segments to the main text of pages of other sites, by
kind of page. `WEBGRAIN_DATA` names the folder of the data sets.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from experiments.datasets.blocks import block_examples
from experiments.datasets.maincontent import read_main_pages
from experiments.results import table, write_results
from webgrain.evaluation.datasets import data_folder
from webgrain.evaluation.evaluate import (
    best_cut,
    folds_by_site,
    held_out_results,
    score,
    score_method,
    site_of_page,
)
from webgrain.evaluation.training import best_union, judge, unequal_groups
from webgrain.labeling.app import agreements
from webgrain.page.page import Page
from webgrain.segmentation.learntcut import LearntCut
from webgrain.site.pipeline import Layout, pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webgrain.evaluation.datasets import Example

FOLDS = 5
UNION_PAGES = 60
"""Pages of each kind of the data set WCXB, whose closest unions of segments are scored."""


def agreement(first: Iterable[Example], second: Iterable[Example]) -> tuple[list[float], int, int]:
    """Return the ARI of two annotators on each page that both labelled, and equal roles of equal segments."""
    known = {example.page.id: example for example in first}
    scores, same, segments = [], 0, 0
    for other in second:
        one = known[other.page.id]
        [pair] = agreements(one.page, {"first": one.segments, "second": other.segments})
        scores.append(pair.ari)
        roles, others = _roles(one), _roles(other)
        common = roles.keys() & others.keys()
        segments += len(common)
        same += sum(roles[nodes] == others[nodes] for nodes in common)
    return scores, same, segments


def _roles(example: Example) -> dict[tuple[int, ...], str | None]:
    """Return the role of each segment by its leaves."""
    leaf, end = example.truth.leaf, example.page.dom.end
    found = {}
    for segment in example.segments:
        spans = [np.searchsorted(leaf, [node, end[node]]) for node in segment.nodes(example.page.dom)]
        found[tuple(k for low, high in spans for k in range(low, high))] = segment.role
    return found


def report(layout: str, examples: Sequence[Example]) -> list[str | float]:
    """Print and return the scores for one layout; no page is segmented by a model that has seen its site."""
    pages = [example.page for example in examples]
    folds = folds_by_site([site_of_page(page) for page in pages], FOLDS)
    print(f"{layout}: training on {FOLDS} folds of {len(pages)} pages", file=sys.stderr, flush=True)
    found = held_out_results(LearntCut(), examples, folds)
    fine, blocks = (score_method("learntcut", found, examples, kind) for kind in ("fine", "blocks"))
    best = score_method("best", [best_cut(example, "fine") for example in examples], examples)
    scores = fine.of("ari")
    print(f"\n{layout}, {len(pages)} pages of {len({site_of_page(page) for page in pages})} sites")
    print(f"ARI fine {fine.mean():.3f}, blocks {blocks.mean():.3f}, best cut of the tree {best.mean():.3f}")
    print(f"pages above .9: {(scores > 0.9).mean():.2f}, below .3: {(scores < 0.3).mean():.2f}")
    roles = judge(examples, folds, found)
    for name in ("marked", "predicted"):
        result = getattr(roles, name)
        print(f"roles of {name} segments: macro-F1 {result.macro_f1:.3f}, accuracy {result.accuracy:.3f}")
    counts = np.array([unequal_groups(page, cut) for page, cut in zip(pages, found, strict=True)]).sum(axis=0)
    print(f"groups of similar siblings that are cut unequally: {counts[0]} of {counts[1]}")
    worst = sorted(
        (score(cut.labels, example.truth, "fine").ari, example.page.id)
        for cut, example in zip(found, examples, strict=True)
    )
    for value, name in worst[:20]:
        print(f"  {value:.2f} {name}")
    marked, share = roles.marked.macro_f1, counts[0] / counts[1]
    return [layout, fine.mean(), blocks.mean(), best.mean(), marked, roles.predicted.macro_f1, share]


def unions() -> list[list[str | float]]:
    """Return for each kind of pages of WCXB the pages and the mean F1 of the closest union of segments.

    The models have not seen these sites; the first `UNION_PAGES` pages of each kind count.
    """
    found = defaultdict[str, list[float]](list)
    for main in read_main_pages(data_folder() / "main-content"):
        if main.text and len(found[main.kind]) < UNION_PAGES:
            (page,) = pages([main.source])
            if isinstance(page, Page):
                found[main.kind].append(best_union(page, LearntCut().predict(page), main.text))
    return [[kind, len(scores), float(np.mean(scores))] for kind, scores in sorted(found.items())]


def main() -> None:
    """Print the scores for both layouts, the agreement of the annotators, and the unions of segments."""
    layouts = {"chromium": Layout("chromium"), "html": Layout("none")}
    rows = [report(name, block_examples(layout)) for name, layout in layouts.items()]
    plain = Layout("none")
    scores, same, segments = agreement(block_examples(plain, "first"), block_examples(plain, "second"))
    labels = Counter(one.role for example in block_examples(plain, "a") for one in example.segments)
    print(f"\nlabels: {sum(labels.values())}, {', '.join(f'{role} {n}' for role, n in labels.most_common())}")
    print(
        f"annotators on {len(scores)} pages: ARI mean {np.mean(scores):.3f}, median {np.median(scores):.3f}"
    )
    print(f"  lowest {min(scores):.3f}; the same role for {same} of {segments} equal segments")
    kinds = unions()
    for kind, number, value in kinds:
        print(f"closest union of segments to the main text, {number} pages of the kind {kind}: {value:.3f}")
    columns = ["layout", "fine", "blocks", "best cut", "macro-F1", "macro-F1 of cuts", "unequal groups"]
    agreed = table(["pages", "ARI", "lowest ARI"], [[len(scores), float(np.mean(scores)), min(scores)]])
    data = "Labelled modern pages; their sites were left out of training."
    command = "python -m experiments.modern_blocks"
    tables = {"layouts": table(columns, rows), "annotators": agreed}
    write_results("blocks", data, command, tables | {"unions": table(["kind", "pages", "F1"], kinds)})


if __name__ == "__main__":
    main()
