"""Figures of trained models as Markdown, for the model card."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from webgrain.base.metrics import Bin
    from webgrain.evaluation.training import Judgement, Learnt, RoleScores, Scores

BEGIN, END = "<!-- figures: make train -->", "<!-- end of figures -->"
"""Markers around the figures in the card."""

LAYOUT = "### Layout: "
"""Begins the figures of a layout."""

METHODS = ("learntcut", "gcuts", "gcuts-certified", "cclus")
"""Names of the methods that are trained."""

KINDS = {"marked": "marked by people", "fine": "of the fine partition", "predicted": "predicted"}


def with_figures(card: str, learnt: Mapping[str, Mapping[str, Learnt]]) -> str:
    """Return the text of a card with the figures of these models, by layout and name of the method.

    Layouts and rows of methods that are not among them stay as they are.

    >>> print(with_figures(f"Figures: {BEGIN} old {END}", {}))
    Figures: <!-- figures: make train -->
    <!-- end of figures -->
    """
    before, _, rest = card.partition(BEGIN)
    former, _, rest = rest.partition(END)
    known = {part.partition("\n")[0]: f"{LAYOUT}{part}".rstrip() + "\n" for part in former.split(LAYOUT)[1:]}
    made = {layout: _section(layout, models, former) for layout, models in learnt.items()}
    sections = "\n".join((known | made).values())
    return f"{before}{BEGIN}\n{sections}{END}{rest}"


def _section(layout: str, models: Mapping[str, Learnt], former: str) -> str:
    scores = {name: one.scores for name, one in models.items() if one.scores}
    kept = _other_rows(former.partition(f"{LAYOUT}{layout}\n")[2].partition("### ")[0], models)
    judged = next(iter(scores))
    first = scores[judged].judgement
    parts = [
        f"{LAYOUT}{layout}",
        "Segments: mean over the pages, with the standard error.",
        _table(
            ("method", "pages", "ARI fine", "NMI fine", "ARI blocks", "segments"),
            [*map(_row, scores.items()), *(row for row in kept if len(row) == 6)],
        ),
        f"Roles; on predicted segments, those of {judged}.",
        *_roles(first),
        "Confidence in predicted segments:",
        _table(
            ("method", "segments", "right", "area under the ROC curve", "calibration error"),
            [
                *((name, *_confidence_row(one)) for name, one in scores.items()),
                *(row for row in kept if len(row) == 5),
            ],
        ),
        f"Reliability of the confidence, of {judged}:",
        _bins(first.confidence.bins),
    ]
    return "\n\n".join(parts) + "\n"


def _other_rows(section: str, models: Mapping[str, Learnt]) -> list[list[str]]:
    r"""Return the cells of the rows of other segmentation methods in the text of a section.

    >>> _other_rows("| learntcut | .7 |\n| gcuts | .6 |\n| predicted | .1 |", {})
    [['learntcut', '.7'], ['gcuts', '.6']]
    """
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] in METHODS and row[0] not in models]


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
        str(len(scores.fine.pages)),
        ari,
        nmi,
        f"{_figure(blocks['ari'])} ± {_figure(blocks['ari_se'])}",
        f"{fine['segments']:.1f}",
    )


def _role_row(scores: RoleScores) -> Sequence[str]:
    shares = (scores.macro_f1, scores.accuracy, scores.majority, scores.calibration_error)
    return str(scores.segments), *map(_figure, shares)


def _confidence_row(scores: Scores) -> Sequence[str]:
    confidence = scores.judgement.confidence
    shares = (confidence.right, confidence.area_under_curve, confidence.calibration_error)
    return str(confidence.segments), *map(_figure, shares)


def _bins(bins: Sequence[Bin]) -> str:
    columns = [(_figure(one.probability), _figure(one.right), str(one.things)) for one in bins]
    rows = list(zip(("predicted", "right", "segments"), *columns, strict=True))
    return _table(rows[0], rows[1:])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _figure(value: float) -> str:
    return "-" if value != value else f"{value:.3f}".replace("0.", ".", 1)
