"""The tree of blocks on left-out sites: ``python -m experiments.block_tree``.

The cut, the roles and the probability that people mark a unit are learnt from the labelled pages of other
sites, in five folds, without a browser. ``levels``: for each threshold of this probability, the share of the
marked segments that a block or a segment equals (Jaccard index of the leaves of at least .8), the share of
the blocks that a marked segment equals, and their number, as means over pages; all sections count, and the
first row is without them. ``missing``: what the marked
segments are that neither a block nor a segment equals. ``roles``: macro-F1 of the roles of predicted
segments, and the share of the groups of three or more similar sibling segments with different roles, without
and with blocks; macro-F1 of the blocks that a marked segment equals. ``confusions``: the most frequent pairs
of a true and another role of predicted segments, both ways. ``confidence``: of units with a probability of at
least .3, and of sections.
`WEBGRAIN_DATA` names the folder of the data sets.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from experiments.datasets.blocks import ARCHIVES, block_examples, family_of
from experiments.results import run, table, write_results
from webgrain.base.metrics import area_under_curve, calibration_error
from webgrain.evaluation.evaluate import fit_examples, folds_by_site
from webgrain.evaluation.marks import marked_segments, span_shares
from webgrain.evaluation.training import (
    LabelledRows,
    concatenate,
    fine_rows,
    fit_sections,
    mark_rows,
    mark_shares,
    marked_rows,
    predicted_rows,
    role_scores,
)
from webgrain.page.outline import leaf_outline
from webgrain.segmentation.blocks import whole_spans
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.units import alike_siblings
from webgrain.segmentation.learntcut import LearntCut, page_marks
from webgrain.segmentation.segmenter import (
    SECTIONS,
    ConfidenceModel,
    RoleClassifier,
    RoleModel,
    Roles,
    fit_roles,
)
from webgrain.segmentation.thresholds import MARKED, SAME_SEGMENT
from webgrain.site.pipeline import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.base.arrays import Bool, Float64
    from webgrain.evaluation.datasets import Example
    from webgrain.page.segmentation import Segmentation
    from webgrain.segmentation.features.facts import UnitFacts

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
CONFUSIONS = 10
"""Rows of the table of confusions."""
SIBLINGS = 3
"""Segments of a group of similar siblings."""


class Models(NamedTuple):
    """What a fold has learnt."""

    cut: LearntCut
    roles: RoleModel
    sections: ConfidenceModel


class PageScores(NamedTuple):
    """Results for a page.

    levels (t + 1, 3): recall, precision and number of blocks with a probability of at least `MARKED` without
    sections, and by threshold with them; default: recall of the segments; missing: of `missing`, for each
    marked segment that is not in the tree; confidence, is_marked: of units with a probability of at least
    `MARKED`, and of sections; judged: predicted segments with
    their roles, without and with blocks; of_blocks: the same of the blocks that marked segments equal;
    unequal (2, 2): groups of siblings with different roles and all groups, without and with blocks.
    """

    levels: Float64
    default: float
    missing: tuple[str, ...]
    confidence: tuple[Float64, Float64]
    is_marked: tuple[Bool, Bool]
    judged: tuple[tuple[LabelledRows, Roles], ...]
    of_blocks: tuple[LabelledRows, Roles]
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
    marked = [page for page in scores if len(page.levels)]
    levels = np.mean([page.levels for page in marked], axis=0)
    rows: list[list[object]] = [["segments only", float(np.mean([s.default for s in marked])), None, None]]
    names = [f"{MARKED:g}, no sections", *(f"{least:g}" for least in THRESHOLDS)]
    rows += [[name, *values] for name, values in zip(names, levels.tolist(), strict=True)]
    roles: list[list[object]] = []
    for place, name in enumerate(("without blocks", "with blocks")):
        macro_f1 = role_scores([page.judged[place] for page in scores]).macro_f1
        unequal, groups = np.sum([page.unequal[place] for page in scores], axis=0).tolist()
        roles.append([name, macro_f1, unequal / groups, int(groups)])
    roles.append(
        ["blocks that are marked", role_scores([page.of_blocks for page in scores]).macro_f1, None, None]
    )
    trust = [[name, *trust_scores(scores, place)] for place, name in enumerate(("elements", "sections"))]
    tables = {
        "levels": table(
            ["probability at least", "marked segments in the tree", "blocks marked", "blocks"], rows
        ),
        "missing": table(["what is missing", "number"], missing_rows(marked)),
        "roles": table(["roles", "macro-F1", "unequal", "groups"], roles),
        "confusions": table(["roles", "number"], confusions([page.judged[1] for page in scores])),
        "confidence": table(["confidence", "AUC", "calibration error"], trust),
    }
    for content in tables.values():
        print(content["columns"], *content["rows"], sep="\n")
    data = "Labelled modern pages of both sets without a browser, sites and families of sites left out."
    write_results("blocktree", data, "python -m experiments.block_tree", tables)
    return None


def trust_scores(scores: Sequence[PageScores], place: int) -> tuple[float, float]:
    """Return the area under the curve and the calibration error of a confidence; pages count equally."""
    confidence = np.concatenate([page.confidence[place] for page in scores])
    is_marked = np.concatenate([page.is_marked[place] for page in scores])
    sizes = [len(page.confidence[place]) for page in scores]
    weight = np.concatenate([np.full(size, 1 / max(size, 1)) for size in sizes])
    return (
        area_under_curve(confidence, is_marked, weight),
        calibration_error(confidence, is_marked, weight),
    )


def missing_rows(scores: Sequence[PageScores]) -> list[list[object]]:
    """Return the number of missing marked segments by `missing`, the most frequent first."""
    counts = Counter(name for page in scores for name in page.missing)
    return [[name, number] for name, number in counts.most_common()]


def confusions(judged: Sequence[tuple[LabelledRows, Roles]]) -> list[list[object]]:
    """Return the number of the most frequent pairs of a true and another predicted role, both ways."""
    pairs = [pair for rows, roles in judged for pair in zip(rows.roles, roles.names, strict=True)]
    counts = Counter(" and ".join(sorted((true, name))) for true, name in pairs if true not in (None, name))
    return [[names, number] for names, number in counts.most_common(CONFUSIONS)]


def learnt(examples: Sequence[Example]) -> Models:
    """Return the models that are learnt from labelled pages."""
    rows = concatenate([make(example) for make in (marked_rows, fine_rows) for example in examples])
    roles = fit_roles(rows.features, rows.roles)
    sections = fit_sections(examples)
    assert roles is not None
    assert sections is not None
    return Models(fit_examples(LearntCut(), examples), roles, sections)


def scores_of(example: Example, models: Models) -> PageScores:
    """Return the scores of a page that the models have not seen."""
    page = example.page
    facts = facts_of(page, False)
    cut = models.cut.predict(page)
    label = cut.labels[facts.nodes]
    whole = whole_spans(facts.outline.low, facts.outline.high, label)
    marks = models.cut.model_.marked
    probability = page_marks(page, marks)
    _, is_marked, _ = mark_rows(example)
    shares, of_segments = mark_shares(example, cut)
    plain = RoleClassifier(models.roles).classify(page, cut)
    even = RoleClassifier(models.roles, {SECTIONS: models.sections}, marks).classify(page, cut)
    is_section, of_blocks = block_shares(example, facts, even)
    levels, default, missed = [], 0.0, list[str]()
    if shares.size:
        default = float((of_segments >= SAME_SEGMENT).mean())
        for least, has_sections in ((MARKED, False), *((least, True) for least in THRESHOLDS)):
            chosen = (probability >= least) | (whole >= 0)
            of_chosen = np.hstack([shares[:, chosen], of_blocks[:, is_section & has_sections]])
            in_tree = np.maximum(of_chosen.max(axis=1, initial=0.0), of_segments) >= SAME_SEGMENT
            precise = of_chosen.max(axis=0, initial=0.0) >= SAME_SEGMENT
            levels.append([in_tree.mean(), precise.mean() if len(precise) else 1.0, len(precise)])
        chosen = (probability >= MARKED) | (whole >= 0)
        of_chosen = np.hstack([shares[:, chosen], of_blocks[:, is_section]])
        greatest = np.maximum(of_chosen.max(axis=1, initial=0.0), of_segments)
        members = [member for member, _ in marked_segments(example, facts)]
        rest = np.flatnonzero(greatest < SAME_SEGMENT).tolist()
        missed = [missing(facts, members[k], shares[k]) for k in rest]
    assert even.tree is not None
    rows = predicted_rows(example, cut)
    group = alike_siblings(facts)
    likely = probability >= MARKED
    return PageScores(
        levels=np.array(levels),
        default=default,
        missing=tuple(missed),
        confidence=(probability[likely], even.tree.confidence[is_section]),
        is_marked=(
            is_marked[likely],
            of_blocks[:, is_section].max(axis=0, initial=0.0) >= SAME_SEGMENT,
        ),
        judged=tuple((rows, roles_of(result)) for result in (plain, even)),
        of_blocks=block_roles(example, facts, of_blocks, even),
        unequal=np.array([unequal_roles(result, whole, group) for result in (plain, even)], np.float64),
    )


def missing(facts: UnitFacts, member: Bool, shares: Float64) -> str:
    """Return what a marked segment is; member (l,): its leaves; shares (u,): Jaccard index with each unit."""
    outline, leaves = facts.outline, np.flatnonzero(member)
    unit = int(shares.argmax())
    if shares[unit] >= SAME_SEGMENT:
        if len(leaves) <= 2:
            return "elements of two leaves" if len(leaves) == 2 else "single leaves"
        is_alike = (alike_siblings(facts) == alike_siblings(facts)[unit]).sum() >= SIBLINGS
        return "three and more siblings that look alike, of more leaves" if is_alike else "other elements"
    first, last = int(leaves[0]), int(leaves[-1]) + 1
    around = np.flatnonzero((outline.low <= first) & (outline.high >= last))[-1]
    children = np.flatnonzero(outline.parent == around)
    is_whole = first in outline.low[children] and last in outline.high[children]
    if len(leaves) == last - first and is_whole:
        return "several sibling elements without an element around them"
    return "adjacent leaves that are no whole siblings, or leaves that lie apart"


def block_shares(example: Example, facts: UnitFacts, segmentation: Segmentation) -> tuple[Bool, Float64]:
    """Return which blocks (b,) are sections, and the Jaccard index (t, b) of marked segments with each."""
    tree = segmentation.tree
    assert tree is not None
    low = np.searchsorted(facts.nodes, tree.node).astype(np.int32)
    high = np.searchsorted(facts.nodes, facts.dom.end[tree.ends]).astype(np.int32)
    return tree.ends != tree.node, span_shares(example, facts, low, high)


def block_roles(
    example: Example, facts: UnitFacts, of_blocks: Float64, segmentation: Segmentation
) -> tuple[LabelledRows, Roles]:
    """Return the marked segments that a block equals, with their roles, and the roles of the blocks.

    of_blocks (t, b): of `block_shares`.
    """
    tree = segmentation.tree
    assert tree is not None
    assert tree.role_probability is not None
    same = np.flatnonzero(of_blocks.max(axis=1, initial=0.0) >= SAME_SEGMENT)
    block = of_blocks[same].argmax(axis=1) if len(same) else same
    known = [role for _, role in marked_segments(example, facts)]
    rows = LabelledRows(np.zeros((len(same), 0)), tuple(known[k] for k in same.tolist()), same >= 0)
    return rows, Roles(tuple(tree.roles[k] for k in block.tolist()), tree.role_probability[block])


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
