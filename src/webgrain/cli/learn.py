"""``webgrain learn``: models from pages of one's own; one file per kind of model."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path  # noqa: TC003 - read at run time
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from webgrain.cli.options import Rendering, grouped
from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webgrain.datasets.load import Example
    from webgrain.train.learn import Learnt, Scores

learn = typer.Typer(
    name="learn",
    help="Learn a model from pages of your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Preset(StrEnum):
    """What is learnt."""

    learnt = "learnt"
    paper = "paper"


class Paper(StrEnum):
    """Methods of the paper."""

    gcuts = "gcuts"
    cclus = "cclus"


@learn.command("segments", no_args_is_help=True)
@grouped
def learn_segments(
    *,
    labels: Annotated[
        Path,
        Argument(
            metavar="LABELS",
            show_default=False,
            help="Labels (.jsonl, as webgrain label writes them) or a folder of the Kreuzer data set.",
        ),
    ],
    output: Annotated[
        Path, Option("-o", "--output", metavar="FILE", show_default=False, help="Write the weights to FILE.")
    ],
    preset: Annotated[
        Preset,
        Option("--preset", metavar="NAME", help="learnt (learntcut, the default of segment) or paper."),
    ] = Preset.learnt,
    method: Annotated[
        Paper | None,
        Option(
            "--method",
            metavar="NAME",
            show_default=False,
            help="Of the paper: gcuts (graph cuts) or cclus (correlation clustering) [default: gcuts].",
        ),
    ] = None,
    rendering: Rendering,
) -> None:
    """Learn from labelled pages how pages are cut, and their roles.

    Writes a file for webgrain segment --weights, and prints what was learnt and how good that is on pages
    held out: each of five parts of the sites (hosts; pages without an address stand alone) in turn. Needs
    more than one page; a hundred segments or more, of ten pages or more, make for weights worth having.

    Example: webgrain learn segments site/labels-kim.jsonl -o weights.zip
    """
    from webgrain.cli.output import check_target
    from webgrain.datasets.load import load_examples
    from webgrain.methods import create
    from webgrain.pipeline import Layout
    from webgrain.segment.segmenter import Segmenter, write_segmenter
    from webgrain.train.learn import learn as learn_from

    if method is not None and preset is not Preset.paper:
        raise ParameterError(f"--method {method.value} is one of the paper: use --preset paper.")
    check_target(output)
    name = "learntcut" if preset is Preset.learnt else (method or Paper.gcuts).value
    layout = Layout(rendering.render.value, sheets=rendering.sheets)
    examples = load_examples(labels, layout)
    _check(labels, examples)
    learnt = learn_from(create(name), examples)
    write_segmenter(output, Segmenter(name, learnt.method, learnt.describer, layout.render))
    print("\n".join(_report(name, layout.render, output, examples, learnt)))


def _check(labels: Path, examples: Sequence[Example]) -> None:
    """Say what is missing to learn from."""
    from webgrain.report.outline import count

    if len({example.page.id for example in examples}) < 2:
        raise InputError(f"{labels} labels {count(len(examples), 'page')}: two are the least to learn from.")
    if not any((example.truth.fine >= 0).any() for example in examples):
        raise InputError(f"{labels} marks no segment that can be found on its pages.")


def _report(
    name: str, layout: str, output: Path, examples: Sequence[Example], learnt: Learnt
) -> Iterator[str]:
    """Yield the lines that say what was learnt and how good it is."""
    segments = sum(len(example.segments) for example in examples)
    roles = learnt.describer.roles
    yield f"Learnt from {len(examples)} pages (layout: {layout}) with {segments} marked segments:"
    yield f"  segments    {name}"
    yield f"  roles       {', '.join(roles.linear.classes) if roles else 'none: too few segments have one'}"
    yield f"  confidence  {'yes' if learnt.describer.confidence else 'none: all pages are of one site'}"
    if learnt.scores is None:
        yield "No scores: all pages are of one site, so none could be held out."
    else:
        yield from _scores(learnt.scores)
    yield f"Written to {output}: use it with webgrain segment --weights {output}"


def _scores(scores: Scores) -> Iterator[str]:
    """Yield the scores; a figure that there is none of is a dash."""
    from webgrain.cli.eval import _figure as figure

    yield f"On pages held out, {scores.folds} folds:"
    for kind, result in (("fine", scores.fine), ("blocks", scores.blocks)):
        row = result.record(result)
        yield (
            f"  {kind:10}  ARI {figure('ari', row['ari'])} ± {figure('ari', row['ari_se'])}, "
            f"NMI {figure('nmi', row['nmi'])}, {row['pages']} pages"
        )
    told = scores.judgement.predicted
    yield (
        f"  roles       right for {figure('', told.accuracy)} of the {told.segments} predicted segments that "
        f"match a marked one (the commonest role: {figure('', told.majority)})"
    )
    sure = scores.judgement.confidence
    yield (
        f"  confidence  {figure('', sure.right)} of {sure.segments} segments are right, "
        f"calibration error {figure('', sure.calibration_error)}"
    )
