"""``webgrain learn``: models from pages of one's own; one file per kind of model."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - read at run time
from typing import Annotated

import typer
from typer import Argument, Option

from webgrain.cli.options import Rendering, grouped

learn = typer.Typer(
    name="learn",
    help="Learn a model from pages of your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


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
    rendering: Rendering,
) -> None:
    """Learn from labelled pages how pages are cut into segments.

    Example: webgrain learn segments site/labels-kim.jsonl -o weights.json
    """
    from webgrain.datasets.load import load_examples
    from webgrain.pipeline import Layout
    from webgrain.segment.learning import fit_weights
    from webgrain.segment.models import write_weights

    examples = load_examples(labels, Layout(rendering.render.value, sheets=rendering.sheets))
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    write_weights(output, fit_weights([example.page for example in examples], truths, name=output.stem))
