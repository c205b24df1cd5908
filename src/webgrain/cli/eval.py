"""``webgrain eval``: how good methods are on labelled pages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from typer import Argument, Option

from webgrain.cli.options import Rendering, grouped
from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from webgrain.evaluation.datasets import Example
    from webgrain.evaluation.evaluate import Result
    from webgrain.pipeline import Predictor


class Kinds(StrEnum):
    """Partitions of the truth."""

    fine = "fine"
    blocks = "blocks"
    top = "top"


class Table(StrEnum):
    """Formats of the figures."""

    text = "text"
    csv = "csv"
    jsonl = "jsonl"


DEFAULTS = ("learntcut", "gcuts", "cclus")

COLUMNS = (
    ("ari", "ARI"), ("ari_se", "±"), ("nmi", "NMI"), ("nmi_se", "±"), ("b3_leaves", "B³"),
    ("b3_characters", "B³ char"), ("b3_area", "B³ area"), ("segments", "segments"), ("low", "<.3"),
    ("high", ">.6"), ("difference", "diff"), ("difference_se", "±"),
)  # fmt: skip
"""Columns of the text: field of the record and heading."""


@grouped
def evaluate(
    *,
    data: Annotated[
        Path | None,
        Argument(
            metavar="DATA",
            show_default=False,
            help="Labels (.jsonl) or a folder of the Kreuzer data set [default: segmentation in "
            "WEBGRAIN_DATA, else in ../shared/data].",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        Option(
            "--method",
            metavar="NAME",
            show_default=False,
            help="Method, perhaps with parameters, as cclus:local_search=true,lam=0.7; may be repeated "
            "[default: learntcut, gcuts and cclus, unless there are weights].",
        ),
    ] = None,
    rendering: Rendering,
    kind: Annotated[
        list[Kinds] | None,
        Option(
            "--kind",
            metavar="KIND",
            show_default=False,
            help="True segments: fine (innermost), blocks (those without segments inside) or top "
            "(outermost); may be repeated [default: all].",
        ),
    ] = None,
    cross_validate: Annotated[
        int,
        Option(
            "--cross-validate",
            metavar="K",
            show_default=False,
            help="Learn methods that can be learnt anew for each of K folds, from the pages of the others.",
        ),
    ] = 0,
    weights: Annotated[
        list[Path] | None,
        Option(
            "--weights",
            metavar="FILE",
            show_default=False,
            help="Also what webgrain learn segments wrote to FILE; may be repeated.",
        ),
    ] = None,
    part: Annotated[
        str | None,
        Option("--part", metavar="NAME", show_default=False, help="Only this part of the data's split.json."),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        Table, Option("--format", metavar="FORMAT", help="Format of the figures: text, csv or jsonl.")
    ] = Table.text,
    pages: Annotated[
        bool, Option("--pages", help="A row for each page, not their means (csv, jsonl).")
    ] = False,
    plot: Annotated[
        Path | None,
        Option(
            "--plot",
            metavar="FILE",
            show_default=False,
            help="Also draw which share of the pages scores at most which ARI (.png).",
        ),
    ] = None,
) -> None:
    """Score methods on labelled pages, beside trivial rules.

    ARI, NMI (geometric mean), B-cubed F1 by leaf, character and area, with standard errors over pages; the
    number of segments; the share of pages with an ARI under .3 and over .6; the difference of the ARI to the
    first method, page by page. Pages that Chromium rendered are kept in the cache.

    The models that come with webgrain have learnt from the pages of the Kreuzer data set: on these, only
    --cross-validate tells how good a method is. All pages of a host are in one fold.

    Example: webgrain eval --cross-validate 5 --render chromium
    """
    from webgrain.evaluation.datasets import KINDS
    from webgrain.evaluation.evaluate import evaluate as score
    from webgrain.segmentation.segmenter import read_segmenter

    if pages and format is Table.text:
        raise ParameterError("--pages needs --format csv or jsonl.")
    if plot is not None:
        _check_plot(plot)
    methods = {given: _method(given) for given in method or ([] if weights else DEFAULTS)}
    methods |= {str(path): read_segmenter(path).method for path in weights or []}
    examples = _examples(data, rendering, part)
    results = score(methods, examples, [k for k in KINDS if not kind or k in kind], cross_validate)
    if plot is not None:
        _plot(results, set(methods), plot)
    first = {r.kind: r for r in results if r.method == next(iter(methods))}
    if pages:
        _write(format, (row for result in results for row in result.page_records()))
    elif format is Table.text:
        print("\n\n".join(_text([r for r in results if r.kind == k], first[k]) for k in first))
    else:
        _write(format, (result.record(first[result.kind]) for result in results))


def _method(given: str) -> Predictor:
    """Return the method that was named, with its parameters.

    >>> _method("cclus:local_search=true,lam=0.7").get_params()["lam"]
    0.7
    """
    from webgrain.estimator import create
    from webgrain.segmentation.segmenter import check_method

    name, _, told = given.partition(":")
    check_method(name)
    pairs = [pair.partition("=") for pair in told.split(",")] if told else []
    return cast("Predictor", create(name, **{key.strip(): _value(value) for key, _, value in pairs}))


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _examples(data: Path | None, rendering: Rendering, part: str | None) -> list[Example]:
    from webgrain.evaluation.datasets import data_folder, load_examples, read_split
    from webgrain.pipeline import Layout

    examples = load_examples(data, Layout(rendering.render.value, sheets=rendering.sheets))
    if part is None:
        return examples
    split = read_split(data or data_folder() / "segmentation")
    if part not in split:
        raise InputError(
            f"--part must be one of {', '.join(split) or 'none: the data has none'}, got {part}."
        )
    return [example for example in examples if example.page.id in split[part]]


def _check_plot(path: Path) -> None:
    """Say before anything is computed that no plot can be drawn."""
    from webgrain.cli.output import check_target
    from webgrain.errors import require

    if path.suffix.lower() != ".png":
        raise ParameterError(f"--plot expects the name of a .png file, got {path}.")
    check_target(path)
    require("matplotlib.figure", "plot", "plots")


def _plot(results: list[Result], methods: set[str], path: Path) -> None:
    """Draw the ARI of the methods, and beside them the best of the trivial rules and the best cut."""
    from webgrain.evaluation.evaluate import ORACLE
    from webgrain.report.plots import Curve, plot_cumulative

    panels: dict[str, list[Curve]] = {}
    for kind in dict.fromkeys(result.kind for result in results):
        own = [result for result in results if result.kind == kind]
        beside = [result for result in own if result.method not in methods]
        cut = next(result for result in beside if result.method == ORACLE)
        rule = max((result for result in beside if result is not cut), key=lambda result: result.mean())
        shown = [*(result for result in own if result.method in methods), cut, rule]
        panels[_heading(own)] = [
            Curve(result.method, result.of("ari").tolist(), result.method not in methods) for result in shown
        ]
    plot_cumulative(panels, path)


def _heading(results: list[Result]) -> str:
    from webgrain.report.terminal import count

    folds = max(result.folds for result in results)
    learnt = f", {folds} folds" if folds else ""
    return f"{results[0].kind}, {count(len(results[0].pages), 'page')}{learnt}"


def _write(table: Table, rows: Iterable[dict[str, Any]]) -> None:
    from webgrain.io.write import open_writer

    with open_writer(table.value, "-") as records:
        for row in rows:
            records.write(row)


def _text(results: list[Result], reference: Result) -> str:
    """Return the figures of one kind as lines of text."""
    rows = [result.record(reference) for result in results]
    head = [_heading(results), *(heading for _, heading in COLUMNS)]
    lines = [head, *([row["method"], *(_figure(name, row[name]) for name, _ in COLUMNS)] for row in rows)]
    width = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(_cells(line, width)).rstrip() for line in lines)


def _cells(line: list[str], width: list[int]) -> Iterator[str]:
    yield line[0].ljust(width[0])
    yield from (cell.rjust(wide) for cell, wide in zip(line[1:], width[1:], strict=True))


def _figure(name: str, value: float) -> str:
    if value != value:  # nan: there is no such figure
        return "-"
    if name == "segments":
        return f"{value:.1f}"
    return f"{round(value, 3) + 0.0:.3f}".replace("0.", ".", 1)  # + 0.0: no minus before zero
