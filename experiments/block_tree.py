"""The tree of blocks on left-out sites: ``python -m experiments.block_tree``.

The cut, the roles and the probability that people mark a unit are learnt from the labelled pages of other
sites, in five folds, without a browser. ``levels``: for each threshold of this probability, the share of the
marked segments that a block or a segment equals (Jaccard index of the leaves of at least .8), the share of
the blocks that a marked segment equals, and their number, as means over pages. ``roles``: macro-F1 of the
roles of predicted segments, and the share of the groups of three or more similar sibling segments with
different roles, without and with blocks. ``confidence``: of units with a probability of at least .3.
`WEBGRAIN_DATA` names the folder of the data sets.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from experiments.datasets.blocks import ARCHIVES, block_examples, family_of
from experiments.results import run, table, write_results
from webgrain.base.metrics import area_under_curve, calibration_error
from webgrain.evaluation.evaluate import folds_by_site
from webgrain.evaluation.training import (
    LabelledRows,
    concatenate,
    fine_rows,
    fit_marks,
    mark_rows,
    mark_shares,
    marked_rows,
    predicted_rows,
    role_scores,
)
from webgrain.page.outline import leaf_outline
from webgrain.segmentation.blocks import confidence_of_units, whole_units
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.units import alike_siblings, page_unit_features
from webgrain.segmentation.learntcut import LearntCut, UnitChance
from webgrain.segmentation.segmenter import RoleClassifier, RoleModel, Roles, fit_roles
from webgrain.segmentation.thresholds import MARKED, SAME_SEGMENT
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.base.arrays import Bool, Float64
    from webgrain.evaluation.datasets import Example
    from webgrain.page.segmentation import Segmentation

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
SIBLINGS = 3
"""Segments of a group of similar siblings."""


class Models(NamedTuple):
    """What a fold has learnt."""

    cut: LearntCut
    roles: RoleModel
    marks: UnitChance


class PageScores(NamedTuple):
    """Results for a page.

    levels (t, 3): recall, precision and number of blocks by threshold; default: recall of the segments;
    confidence, is_marked: of units with a probability of at least `MARKED`; judged: predicted segments with
    their roles, without and with blocks; unequal (2, 2): groups of siblings with different roles and all
    groups, without and with blocks.
    """

    levels: Float64
    default: float
    confidence: Float64
    is_marked: Bool
    judged: tuple[tuple[LabelledRows, Roles], ...]
    unequal: Float64


def main() -> str | None:
    """Print and write the scores."""
    examples = [example for data in ARCHIVES for example in block_examples(Layout("none"), data=data)]
    folds = folds_by_site([family_of(example) for example in examples])
    scores: list[PageScores] = []
    for fold in np.unique(folds).tolist():
        models = learnt([examples[k] for k in np.flatnonzero(folds != fold).tolist()])
        held_out = [examples[k] for k in np.flatnonzero(folds == fold).tolist()]
        scores += [scores_of(example, models) for example in held_out if len(leaf_outline(example.page))]
        print(f"fold {fold}: {len(scores)} pages", flush=True)
    marked = [score for score in scores if len(score.levels)]
    levels = np.mean([score.levels for score in marked], axis=0)
    rows: list[list[object]] = [["segments only", float(np.mean([s.default for s in marked])), None, None]]
    rows += [[f"{least:g}", *values] for least, values in zip(THRESHOLDS, levels.tolist(), strict=True)]
    roles: list[list[object]] = []
    for place, name in enumerate(("without blocks", "with blocks")):
        macro_f1 = role_scores([score.judged[place] for score in scores]).macro_f1
        unequal, groups = np.sum([score.unequal[place] for score in scores], axis=0).tolist()
        roles.append([name, macro_f1, unequal / groups, int(groups)])
    confidence = np.concatenate([score.confidence for score in scores])
    is_marked = np.concatenate([score.is_marked for score in scores])
    weight = np.concatenate([np.full(len(s.confidence), 1 / max(len(s.confidence), 1)) for s in scores])
    trust = [
        ["blocks", area_under_curve(confidence, is_marked, weight),
         calibration_error(confidence, is_marked, weight)]
    ]  # fmt: skip
    tables = {
        "levels": table(
            ["probability at least", "marked segments in the tree", "blocks marked", "blocks"], rows
        ),
        "roles": table(["roles", "macro-F1", "unequal", "groups"], roles),
        "confidence": table(["confidence", "AUC", "calibration error"], trust),
    }
    for content in tables.values():
        print(content["columns"], *content["rows"], sep="\n")
    data = "Labelled modern pages of both sets without a browser, sites and families of sites left out."
    write_results("blocktree", data, "python -m experiments.block_tree", tables)
    return None


def learnt(examples: Sequence[Example]) -> Models:
    """Return the models that are learnt from labelled pages."""
    pages = [example.page for example in examples]
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    rows = concatenate([make(example) for make in (marked_rows, fine_rows) for example in examples])
    roles = fit_roles(rows.features, rows.roles)
    marks = fit_marks(examples)
    assert roles is not None
    assert marks is not None
    return Models(LearntCut().fit(pages, truths), roles, marks)


def scores_of(example: Example, models: Models) -> PageScores:
    """Return the scores of a page that the models have not seen."""
    page = example.page
    facts = facts_of(page, False)
    cut = models.cut.predict(page)
    label = cut.labels[facts.nodes]
    whole = whole_units(facts.outline, label)
    probability = confidence_of_units(facts, page_unit_features(page, False), models.marks)
    _, is_marked, _ = mark_rows(example)
    shares, of_segments = mark_shares(example, cut)
    levels, default = [], 0.0
    if shares.size:
        default = float((of_segments >= SAME_SEGMENT).mean())
        for least in THRESHOLDS:
            chosen = (probability >= least) | (whole >= 0)
            in_tree = np.maximum(shares[:, chosen].max(axis=1, initial=0.0), of_segments) >= SAME_SEGMENT
            precise = shares[:, chosen].max(axis=0, initial=0.0) >= SAME_SEGMENT
            levels.append([in_tree.mean(), precise.mean() if len(precise) else 1.0, chosen.sum()])
    plain = RoleClassifier(models.roles).classify(page, cut)
    even = RoleClassifier(models.roles, {}, models.marks).classify(page, cut)
    rows = predicted_rows(example, cut)
    group = alike_siblings(facts)
    likely = probability >= MARKED
    return PageScores(
        levels=np.array(levels),
        default=default,
        confidence=probability[likely],
        is_marked=is_marked[likely],
        judged=tuple((rows, roles_of(result)) for result in (plain, even)),
        unequal=np.array([unequal_roles(result, whole, group) for result in (plain, even)], np.float64),
    )


def roles_of(segmentation: Segmentation) -> Roles:
    """Return the roles of a segmentation."""
    assert segmentation.role_probability is not None
    return Roles(tuple(map(str, segmentation.roles)), segmentation.role_probability)


def unequal_roles(segmentation: Segmentation, whole: np.ndarray, group: np.ndarray) -> tuple[int, int]:
    """Return the number of groups of similar sibling segments with different roles, and of all groups.

    whole (u,): the segment that is each unit; group (u,): of `alike_siblings`.
    """
    roles = defaultdict[int, list[str | None]](list)
    for unit in np.flatnonzero(whole >= 0).tolist():
        roles[int(group[unit])].append(segmentation.roles[whole[unit]])
    groups = [names for names in roles.values() if len(names) >= SIBLINGS]
    return sum(len(set(names)) > 1 for names in groups), len(groups)


if __name__ == "__main__":
    run(main)
