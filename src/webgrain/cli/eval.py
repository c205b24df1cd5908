"""``webgrain eval`` scores methods on known pages; ``webgrain data`` has the data sets behind the figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from click.exceptions import Exit

from webgrain.base.errors import InputError, ParameterError, require
from webgrain.cli.options import Rendering, layout, option, with_options
from webgrain.cli.output import check_target, report, write_records
from webgrain.cli.progress import progress

if TYPE_CHECKING:
    from webgrain.evaluation.datakit import DataSet
    from webgrain.evaluation.datasets import Example
    from webgrain.evaluation.evaluate import Result
    from webgrain.evaluation.extraction import PageCounts, ScoreTable
    from webgrain.report.pictures import Curve
    from webgrain.site.pipeline import Predictor

ScoredPart = StrEnum("ScoredPart", ["fine", "blocks", "top", "marked"])
_Table = Literal["text", "csv", "jsonl"]

DEFAULTS = ("learntcut", "gcuts", "cclus")

_COLUMNS = (
    ("ari", "ARI"), ("ari_se", "±"), ("nmi", "NMI"), ("nmi_se", "±"), ("b3_leaves", "B³"),
    ("b3_characters", "B³ char"), ("b3_area", "B³ area"), ("segments", "segments"), ("low", "<.3"),
    ("high", ">.6"), ("difference", "diff"), ("difference_se", "±"),
)  # fmt: skip
"""Columns of the text table: field of the record, and heading."""


@with_options
def evaluate_segments(
    *,
    data: Path | None = option(None, "DATA"),
    method: list[str] | None = option(None, "--method NAME"),
    rendering: Rendering,
    kind: list[ScoredPart] | None = option(None, "--kind KIND"),
    cross_validate: int = option(0, "--cross-validate K"),
    weights: list[Path] | None = option(None, "--weights FILE"),
    part: str | None = option(None, "--part NAME"),
    root: Path | None = option(None, "--root DIR"),
    form: _Table = option("text", "--format FORMAT"),
    pages: bool = option(False, "--pages"),
    plot: Path | None = option(None, "--plot FILE"),
) -> None:
    """Score segmentation methods and baselines on labelled pages.

    The scores are ARI, NMI (geometric mean) and B-cubed F1 by leaf, character and area, with standard errors
    over pages; the number of segments; the share of pages with an ARI under .3 and over .6; the mean
    difference of the ARI to the first method. Pages rendered by Chromium are kept in the cache.

    The scores of the kind marked do not depend on a partition: nested, the mean Jaccard index of each marked
    segment with the closest segment of any granularity; any_level and default_level, the share of the marked
    segments with an index of at least .8 at any granularity, and at the default one; unequal, the share of
    groups of similar siblings that are cut differently; role_f1, the macro-F1 of the roles; the fine ARI on
    the pages of each annotator; for pages with a text, the word F1 of the closest union of segments by kind
    of page.

    The built-in models are trained on the pages of the Kreuzer data set: on this data set, only the scores
    with --cross-validate are valid. All pages of a host are in one fold.

    Example: webgrain eval segments --cross-validate 5 --render chromium

    Options:
        data: Labels (.jsonl) or a folder of the Kreuzer data set. Default: the folder segmentation in
            WEBGRAIN_DATA or in ../shared/data.
        method: Method, optionally with parameters: cclus:trials=5,lam=0.7. May be repeated. Default:
            learntcut, gcuts and cclus, or only the --weights.
        kind: True segments: fine (innermost), blocks (without inner segments), top (outermost), or marked
            (all of them). May be repeated. Default: all, but csv and jsonl without marked.
        cross_validate: Train each method on K-1 of K folds and score it on the remaining fold.
        weights: Also score this file from webgrain learn segments. May be repeated.
        part: Use only this part of the split.json of the data.
        root: Folder of the site, if the labels are in a part of it. Default: the folder of the labels.
        form: Format of the scores: text, csv or jsonl.
        pages: Write a row per page instead of the means (csv and jsonl only).
        plot: Also plot the cumulative distribution of the ARI over pages (.png).
    """
    from webgrain.evaluation.evaluate import evaluate as score
    from webgrain.evaluation.training import judge_marked
    from webgrain.io.labels import KINDS
    from webgrain.segmentation.segmenter import read_segmenter

    _check_pages(pages, form)
    if plot is not None:
        _check_plot(plot)
    methods = {given: _method(given) for given in method or ([] if weights else DEFAULTS)}
    methods |= {str(path): read_segmenter(path).method for path in weights or []}
    examples = _examples(data, rendering, part, root)
    parts = [k for k in KINDS if not kind or k in kind]
    if not parts and (form == "csv" or pages or plot):
        raise ParameterError("--format csv, --pages and --plot need a --kind other than marked.")
    results = score(methods, examples, parts or KINDS[:1], cross_validate)
    if not any(result.pages for result in results):
        raise InputError("No page has two marked segments or more, so there is nothing to score.")
    first = {result.kind: result for result in results if result.method == next(iter(methods))}
    chosen = [result for result in results if result.kind == next(iter(first)) and result.levels]
    wants_marked = "marked" in kind if kind else form == "text"
    marked = [judge_marked(result, examples).record() for result in chosen] if wants_marked else []
    if plot is not None:
        _plot(results, set(methods), plot)
    if pages:
        write_records(form, chain.from_iterable(result.page_records() for result in results))
    elif form == "text":
        tables = [_table([result for result in results if result.kind == k], first[k]) for k in parts]
        if marked:
            tables.append(_lines(_marked_table(marked)))
        print("\n\n".join(tables))
    else:
        scores = (result.record(first[result.kind]) for result in results if result.kind in parts)
        write_records(form, chain(scores, marked if form == "jsonl" else ()))


def _check_pages(pages: bool, form: str) -> None:
    if pages and form == "text":
        raise ParameterError("--pages needs --format csv or jsonl.")


def _method(given: str) -> Predictor:
    """Return a method with its parameters.

    >>> _method("cclus:trials=5,lam=0.7").get_params()["lam"]
    0.7
    """
    from webgrain.base.estimator import create
    from webgrain.segmentation.segmenter import check_method

    name, _, params = given.partition(":")
    check_method(name)
    values = {}
    for pair in params.split(",") if params else ():
        key, _, value = pair.partition("=")
        values[key.strip()] = _value(value)
    return cast("Predictor", create(name, **values))


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _examples(data: Path | None, rendering: Rendering, part: str | None, root: Path | None) -> list[Example]:
    from webgrain.evaluation.datasets import data_folder, from_checkout, load_examples

    examples = load_examples(data, layout(rendering), root)
    if part is None:
        return examples
    split = from_checkout("kreuzer", "--part").read_split(data or data_folder() / "segmentation")
    if part not in split:
        known = f"one of {', '.join(split)}" if split else "omitted: the data has no split.json"
        raise InputError(f"--part must be {known}, got {part}.")
    return [example for example in examples if example.page.id in split[part]]


def _check_plot(path: Path) -> None:
    """Check before any computation that the plot can be drawn."""
    if path.suffix.lower() != ".png":
        raise ParameterError(f"--plot must be the name of a .png file, got {path}.")
    check_target(path)
    require("matplotlib.figure", "plot", "plots")


def _plot(results: list[Result], methods: set[str], path: Path) -> None:
    """Plot the ARI of the methods, of the best baseline and of the best possible cut."""
    from webgrain.evaluation.evaluate import ORACLE, Result
    from webgrain.report.pictures import Curve, plot_cumulative

    panels: dict[str, list[Curve]] = {}
    for kind in dict.fromkeys(result.kind for result in results):
        panel = [result for result in results if result.kind == kind]
        chosen = [result for result in panel if result.method in methods]
        oracle = next(result for result in panel if result.method == ORACLE)
        baselines = [result for result in panel if result not in chosen and result is not oracle]
        best = max(baselines, key=Result.mean)
        curves = [Curve(result.method, result.of("ari").tolist()) for result in chosen]
        curves += [Curve(result.method, result.of("ari").tolist(), grey=True) for result in (oracle, best)]
        panels[_heading(panel)] = curves
    plot_cumulative(panels, path)


def _heading(results: list[Result]) -> str:
    from webgrain.report.terminal import count

    folds = max(result.folds for result in results)
    heading = f"{results[0].kind}, {count(len(results[0].pages), 'page')}"
    return f"{heading}, {folds} folds" if folds else heading


def _table(results: list[Result], reference: Result) -> str:
    """Return the scores for one kind of true segments as lines of text."""
    lines = [[_heading(results), *(heading for _, heading in _COLUMNS)]]
    for result in results:
        row = result.record(reference)
        lines.append([row["method"], *(figure(row[name], name) for name, _ in _COLUMNS)])
    return _lines(lines)


def _marked_table(records: list[dict[str, Any]]) -> list[list[str]]:
    from webgrain.report.terminal import plain

    names = list(records[0])[2:]
    head = ["marked", *(plain(name, 80) for name in names)]
    rows = [[record["method"], *(figure(record[name]) for name in names)] for record in records]
    return [head, *rows]


def _lines(lines: list[list[str]]) -> str:
    """Return a table as text, with aligned columns."""
    width = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(_cells(line, width)).rstrip() for line in lines)


def _cells(line: list[str], width: list[int]) -> Iterator[str]:
    yield line[0].ljust(width[0])
    yield from (cell.rjust(wide) for cell, wide in zip(line[1:], width[1:], strict=True))


def figure(value: float, name: str = "") -> str:
    """Return a score as text: three digits, one from 10; a hyphen if it is undefined (nan)."""
    if value != value:
        return "-"
    if name == "segments" or value >= 10:
        return f"{value:.1f}"
    return f"{round(value, 3) + 0.0:.3f}".replace("0.", ".", 1)  # + 0.0: no minus sign before zero


@with_options
def evaluate_extraction(
    *,
    data: Path | None = option(None, "DATA"),
    suite: list[str] | None = option(None, "--suite NAME"),
    form: _Table = option("text", "--format FORMAT"),
    pages: bool = option(False, "--pages"),
) -> None:
    """Score the extraction of text, elements, posts and metadata on pages with known results.

    The rows are webgrain, with the page alone, and trivial baselines: all visible text of a page, and its
    largest text container. Each suite has separate rows. Only what is known of the pages of a suite is
    measured: the words of the text, texts that must be in it or not, whole containers of the page that are
    wrong or lost, headings, items, cells, links, pictures and other elements, posts and comments, authors,
    dates, titles and languages. The manual defines the measures.

    The suites were made for the programs that they come from: compare programs on several suites.

    Example: webgrain eval extraction --suite readability

    Options:
        data: File of truths (.jsonl, a record per page beside its pages) or a folder with the test suites.
            Default: the folder main-content/suites in WEBGRAIN_DATA or in ../shared/data.
        suite: Use only this suite of a folder: readability, trafilatura, htmldate, postlight, newspaper4k or
            goose3. May be repeated.
        form: Format of the scores: text, csv or jsonl.
        pages: Write a row per page instead of the means (csv and jsonl only).
    """
    from webgrain.evaluation.extraction import evaluate_extractors as compare_extractors
    from webgrain.evaluation.extraction import load_reference_pages, record, score_tables, summaries
    from webgrain.evaluation.extractors import baselines, webgrain_alone
    from webgrain.report.terminal import plain

    _check_pages(pages, form)
    references = load_reference_pages(data, suite or ())
    results = []
    with progress(records=pages) as advance:
        for result in compare_extractors(references, [webgrain_alone(), *baselines()]):
            if result.error is not None:
                report(f"{plain(result.page, 200)}: {result.extractor} failed: {plain(result.error, 500)}")
            results.append(result)
            advance(result.extractor, 1)
    if not results:
        raise InputError("The data contains no page.")
    if pages:
        write_records(form, map(_page_row, results))
        return
    sums = summaries(results)
    if form == "text":
        tables = list(score_tables(sums))
        if not tables:
            raise InputError("Nothing is known about the pages that can be measured.")
        print("\n\n".join(_lines(_score_lines(table)) for table in tables))
    else:
        rows = ({"suite": suite, "program": name} | record(counts) for (suite, name), counts in sums.items())
        write_records(form, rows)


def _page_row(result: PageCounts) -> dict[str, Any]:
    from webgrain.evaluation.extraction import record

    names = {"suite": result.group, "program": result.extractor, "page": result.page, "error": result.error}
    return names | record(result.counts)


def _score_lines(table: ScoreTable) -> list[list[str]]:
    """Return the cells of a table, with a head of the name and the measures."""
    from webgrain.report.terminal import plain

    names = table.columns
    if table.name.endswith("elements"):
        names = tuple(name.rpartition("_")[0] for name in names)
    lines = [[table.name, "pages", *(name.replace("_", " ") for name in names)]]
    for suite, name, pages, values in table.rows:
        cells = ("-" if value is None else figure(value) for value in values)
        program = plain(f"{suite}: {name}" if suite else name, 200)
        lines.append([program, str(pages), *cells])
    return lines


@dataclass(frozen=True, slots=True)
class Kit:
    """The data sets, and their folder.

    Options:
        names: Groups, such as bench, sets, such as bench/voc, or all. Default: all.
        folder: Folder of the data sets; downloads are in its folder downloads. Default: WEBGRAIN_DATA, else
            ../shared/data if it exists, else the folder data of the cache.
        catalogue: Another catalogue in the format of webgrain/evaluation/catalogue.json.
    """

    names: list[str] | None = option(None, "NAME")
    folder: Path | None = option(None, "--folder DIR")
    catalogue: Path | None = option(None, "--catalogue FILE")

    @property
    def place(self) -> Path:
        """The data folder."""
        from webgrain.evaluation.datasets import data_folder

        return self.folder or data_folder()

    def sets(self) -> list[DataSet]:
        """Return the chosen data sets."""
        from webgrain.evaluation.datakit import read_catalogue, select

        return select(read_catalogue(self.catalogue)[1], self.names or ())


@with_options
def list_sets(*, kit: Kit, check: bool = option(False, "--check")) -> None:
    """List the data sets: state, name, licence, source with revision.

    The state is built, fetched (the sources are there, but not the files), missing, or with --check also
    differs (the contents are not those behind the figures). The last lines state what rests on each group.

    Example: webgrain data list bench

    Options:
        check: Compare the contents with the recorded SHA-256. Default: only look for the files.
    """
    from webgrain.evaluation.datakit import read_catalogue

    sets, states = kit.sets(), list[str]()
    for dataset in sets:
        states.append(_state(dataset, kit.place, check))
        sources = ", ".join(f"{x.url}{x.note and f' ({x.note})'}" for x in dataset.sources)
        print(f"{states[-1]:8} {dataset.name:30} {dataset.about}; {dataset.licence}; {sources}")
    shown = {dataset.name.partition("/")[0] for dataset in sets}
    for group, figures in read_catalogue(kit.catalogue)[0].items():
        if group in shown:
            print(f"{group}: {figures}")
    report(f"{kit.place}: {', '.join(f'{states.count(state)} {state}' for state in sorted(set(states)))}")
    if "differs" in states:
        raise Exit(1)


def _state(dataset: DataSet, folder: Path, check: bool) -> str:
    if not dataset.is_built(folder):
        return "fetched" if dataset.is_fetched(folder) else "missing"
    return "differs" if check and dataset.sha256 not in (None, dataset.contents(folder)) else "built"


@with_options
def fetch_sets(*, kit: Kit) -> None:
    """Download the sources of data sets that are not built yet.

    It needs the extra data. Files with a fixed SHA-256 are checked; the contents of other files are compared
    when they are built.

    Example: webgrain data fetch bench/voc

    Options:
    """
    from webgrain.evaluation.datakit import fetch_source

    def fetched(dataset: DataSet) -> bool:
        for source in dataset.sources:
            report(f"{dataset.name}: {fetch_source(source, kit.place)}")
        return True

    _each(_not_built(kit), fetched)


@with_options
def build_sets(*, kit: Kit) -> None:
    """Build data sets from their downloaded sources. Needs a checkout of webgrain.

    Sets that are built are left unchanged. The contents are compared with those behind the figures; the exit
    code is 1 if they differ.

    Example: webgrain data build bench/voc

    Options:
    """
    from webgrain.evaluation.datakit import build

    def built(dataset: DataSet) -> bool:
        same = build(dataset, kit.place)
        difference = "" if same else ", but its contents differ from those behind the figures"
        report(f"{dataset.name}: built{difference}")
        return same

    _each(_not_built(kit), built)


def _each(sets: Sequence[DataSet], action: Callable[[DataSet], bool]) -> None:
    """Apply an action to each set; the exit code is 1 if one fails after another had a result."""
    succeeded: list[bool] = []
    for dataset in sets:
        try:
            succeeded.append(action(dataset))
        except InputError as error:
            if not any(succeeded):  # probably nothing is within reach
                raise
            report(str(error))
            succeeded.append(False)
    if not all(succeeded):
        raise Exit(1)


def _not_built(kit: Kit) -> Sequence[DataSet]:
    sets = kit.sets()
    left = [dataset for dataset in sets if not dataset.is_built(kit.place)]
    if len(left) < len(sets):
        report(f"{kit.place}: {len(sets) - len(left)} of {len(sets)} data sets are built already")
    return left
