"""Figures of trained models as Markdown, for the model card.

The models that come with webgrain: made from all labelled pages, for each layout and each method.

    examples --learn_all--> per method: Learnt --ship--> segment/trained/<layout>.*

The same pages give the same files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from webgrain.estimator import create
from webgrain.evaluation.datasets import Example
from webgrain.evaluation.training import Judgement, Learnt, RoleScores, Scores, learn
from webgrain.metrics import Bin
from webgrain.segmentation.costs import write_weights
from webgrain.segmentation.learntcut import write_blocks
from webgrain.segmentation.roles import Describer, write_describer

BEGIN, END = "<!-- figures: make train -->", "<!-- end of figures -->"
"""What the figures stand between."""

KINDS = {"marked": "marked by people", "fine": "of the fine partition", "predicted": "predicted"}


def with_figures(card: str, learnt: Mapping[str, Mapping[str, Learnt]]) -> str:
    """Return the text of a card with the figures of these models, by layout and name of the method.

    >>> print(with_figures(f"Figures: {BEGIN} old {END}", {}))
    Figures: <!-- figures: make train -->
    <!-- end of figures -->
    """
    before, _, rest = card.partition(BEGIN)
    sections = "\n".join(_section(layout, models) for layout, models in learnt.items())
    return f"{before}{BEGIN}\n{sections}{END}{rest.partition(END)[2]}"


def _section(layout: str, models: Mapping[str, Learnt]) -> str:
    scores = {name: one.scores for name, one in models.items() if one.scores}
    judged = next(iter(scores))
    first = scores[judged].judgement
    parts = [
        f"### Layout: {layout}",
        "Segments: mean over the pages, with the standard error.",
        _table(("method", "ARI fine", "NMI fine", "ARI blocks", "segments"), map(_row, scores.items())),
        f"Roles; on predicted segments, those of {judged}.",
        *_roles(first),
        "Confidence in predicted segments:",
        _table(
            ("method", "segments", "right", "area under the ROC curve", "calibration error"),
            ((name, *_confidence_row(one)) for name, one in scores.items()),
        ),
        f"Reliability of the confidence, of {judged}:",
        _bins(first.confidence.bins),
    ]
    return "\n\n".join(parts) + "\n"


def _roles(judgement: Judgement) -> tuple[str, ...]:
    each = ", ".join(f"{name} {_figure(f1)}" for name, f1 in judgement.marked.f1.items())
    return (
        _table(
            ("segments", "number", "macro-F1", "accuracy", "commonest role", "calibration error"),
            ((name, *_role_row(getattr(judgement, kind))) for kind, name in KINDS.items()),
        ),
        f"F1 of each role with 20 segments or more, on marked segments: {each}.",
        "Reliability of the roles, on marked segments:",
        _bins(judgement.marked.bins),
    )


def _row(named: tuple[str, Scores]) -> Sequence[str]:
    name, scores = named
    fine, blocks = scores.fine.record(scores.fine), scores.blocks.record(scores.blocks)
    ari, nmi = (f"{_figure(fine[one])} ± {_figure(fine[one + '_se'])}" for one in ("ari", "nmi"))
    return (
        name,
        ari,
        nmi,
        f"{_figure(blocks['ari'])} ± {_figure(blocks['ari_se'])}",
        f"{fine['segments']:.1f}",
    )


def _role_row(scores: RoleScores) -> Sequence[str]:
    shares = (scores.macro_f1, scores.accuracy, scores.majority, scores.calibration_error)
    return str(scores.segments), *map(_figure, shares)


def _confidence_row(scores: Scores) -> Sequence[str]:
    told = scores.judgement.confidence
    shares = (told.right, told.area_under_curve, told.calibration_error)
    return str(told.segments), *map(_figure, shares)


def _bins(bins: Sequence[Bin]) -> str:
    columns = [(_figure(one.probability), _figure(one.right), str(one.things)) for one in bins]
    rows = list(zip(("told", "right", "segments"), *columns, strict=True))
    return _table(rows[0], rows[1:])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _figure(value: float) -> str:
    return "-" if value != value else f"{value:.3f}".replace("0.", ".", 1)


METHODS = ("learntcut", "gcuts", "cclus")
"""Methods that models are made for, by name."""


def learn_all(examples: Sequence[Example]) -> dict[str, Learnt]:
    """Return what each method learns from labelled pages, by its name."""
    return {name: learn(create(name), examples) for name in METHODS}


def ship(learnt: Mapping[str, Learnt], layout: str, folder: Path) -> None:
    """Write what was learnt, by name of the method, into a folder: the files of one layout."""
    confidence = {name: trust for one in learnt.values() for name, trust in one.describer.confidence.items()}
    roles = next(iter(learnt.values())).describer.roles
    write_describer(folder / f"{layout}.roles", Describer(roles, confidence))
    write_blocks(folder / f"blocks-{layout}.json", replace(learnt["learntcut"].method.model_, name="trained"))
    paper = [learnt[name].method.weights_ for name in ("gcuts", "cclus")]
    parameters = {method: values for weights in paper for method, values in weights.parameters.items()}
    write_weights(folder / f"{layout}.json", replace(paper[0], name="trained", parameters=parameters))
