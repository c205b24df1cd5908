"""``webgrain learn template``: the template of a site from some of its pages.

``webgrain learn layouts``: the layouts of a site, from its pages.

``webgrain learn``: models from pages of one's own; one file per kind of model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from webgrain.cli.options import Inputs, Rendering, grouped
from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from webgrain.evaluation.datasets import Example
    from webgrain.evaluation.training import Learnt, Scores
    from webgrain.layouts.sitelayouts import SiteLayouts
    from webgrain.layouts.webstemmer import Webstemmer
    from webgrain.page.page import Page, Source
    from webgrain.pipeline import Item
    from webgrain.results import Failure


@grouped
def learn_template(
    *,
    inputs: Inputs,
    output: Annotated[
        Path,
        Option(
            "-o",
            "--output",
            metavar="FILE",
            show_default=False,
            help="Write the template to FILE; with --types, one template of each type to a folder.",
        ),
    ],
    pages: Annotated[
        int, Option("--pages", metavar="N", min=1, help="Learn from so many pages, drawn at random.")
    ] = 15,
    seed: Annotated[int, Option("--seed", metavar="N", min=0, help="Seed of the draw.")] = 0,
    types: Annotated[
        Path | None,
        Option(
            "--types",
            metavar="FILE",
            help="Types of the pages (.jsonl, .csv or .tsv with page and type): a template for each.",
        ),
    ] = None,
    rendering: Rendering,
) -> None:
    """Learn the template of a site from some of its pages.

    The pages should be of one kind, articles, say; those that have little in common with the others are left
    out, and it is said why. Prints the template.

    Example: webgrain learn template site/news -o template.json
    """
    from webgrain.cli.output import check_target, make_folder, passed
    from webgrain.cli.template import learn_templates
    from webgrain.io.write import draw, read_types
    from webgrain.pipeline import Layout

    of_page = read_types(types) if types else None
    if of_page is None:
        check_target(output)
    else:
        make_folder(output)
    readable: Iterator[Source | Page] = passed(inputs.read())
    drawn = draw(readable, pages, seed, of_page)
    layout = Layout(rendering.render.value, sheets=rendering.sheets)
    learn_templates(drawn, layout, output, one_each=of_page is not None)


class Preset(StrEnum):
    """Ways to learn layouts."""

    default = "default"
    documented = "documented"
    original = "original"


@dataclass(frozen=True, slots=True)
class Learning:
    """How layouts are learnt."""

    preset: Annotated[
        Preset,
        Option(
            "--preset",
            metavar="NAME",
            help="default (by frames and containers), documented (Webstemmer's description) or original (its "
            "program).",
        ),
    ] = Preset.default
    cluster_threshold: Annotated[
        float | None,
        Option(
            "--cluster-threshold",
            metavar="X",
            show_default=False,
            help="Least similarity of the pages of a layout [default: 0.97; by frames 0.6].",
        ),
    ] = None
    title_threshold: Annotated[
        float,
        Option("--title-threshold", metavar="X", help="Least likeness of a title to what links say."),
    ] = 0.6
    pattern_threshold: Annotated[
        float | None,
        Option(
            "--pattern-threshold",
            metavar="X",
            show_default=False,
            help="Least score of a layout of articles [default: 100; by containers 0].",
        ),
    ] = None
    mangle: Annotated[
        str | None,
        Option(
            "--mangle",
            metavar="REGEX",
            show_default=False,
            help="In patterns keep only this of attributes, as [a-z]+.",
        ),
    ] = None

    def create(self, **thresholds: Any) -> SiteLayouts | Webstemmer:
        """Return the method; `ParameterError` for a wrong threshold."""
        from webgrain.layouts.sitelayouts import METHODS
        from webgrain.layouts.webstemmer import check_mangle

        if self.mangle is not None:
            check_mangle(self.mangle)
        given: dict[str, Any] = {
            "cluster_threshold": self.cluster_threshold,
            "title_threshold": self.title_threshold,
            "pattern_threshold": self.pattern_threshold,
            "mangle": None if self.preset is Preset.default else self.mangle,
        }
        given |= thresholds
        return METHODS[self.preset.value](**{name: x for name, x in given.items() if x is not None})


@grouped
def learn_layouts(
    *,
    inputs: Inputs,
    output: Annotated[
        Path, Option("-o", "--output", metavar="FILE", show_default=False, help="Write the layouts to FILE.")
    ],
    pattern: Annotated[
        Path | None,
        Option("--pattern", metavar="FILE", help="Also write them as a pattern file of Webstemmer to FILE."),
    ] = None,
    learning: Learning,
) -> None:
    """Learn the layouts of a site from its pages.

    webgrain extract reads pages by them. Links between the pages tell their titles, so give pages of one
    site, lists of articles among them.

    Example: webgrain learn layouts site/ -o layouts.json
    """
    from webgrain.cli.output import check_target
    from webgrain.errors import InputError
    from webgrain.layouts.original import write_patterns
    from webgrain.layouts.sitelayouts import SiteLayouts, write_layouts

    for path in filter(None, (output, pattern)):
        check_target(path)
    method, open_again = learning.create(), reopened(inputs)
    failed = Failures()
    method.fit(failed.passed(open_again()))
    failed.tell()
    if not method.n_pages_:
        raise InputError("There is no page to learn layouts from.")
    write_layouts(output, method)
    if pattern:
        if isinstance(method, SiteLayouts):
            patterns: Webstemmer = method.patterns(Failures().passed(open_again()), mangle=learning.mangle)
        else:
            patterns = method
        write_patterns(pattern, patterns, " ".join(inputs.inputs or []))
    print(f"webgrain: {summary(method)}", file=sys.stderr)


class Failures:
    """Keeps back the pages that failed."""

    def __init__(self) -> None:
        self._failures: list[Failure] = []

    def passed(self, items: Iterable[Item]) -> Iterator[Page]:
        """Read pages, and give those that could be read."""
        from webgrain.pipeline import Layout, pages
        from webgrain.results import Failure

        for page in pages(items, Layout(render="none")):
            if isinstance(page, Failure):
                self._failures.append(page)
            else:
                yield page

    def tell(self) -> None:
        """Say on stderr which pages failed."""
        from webgrain.cli.output import say

        for failure in self._failures:
            say(failure)


def reopened(inputs: Inputs) -> Callable[[], Iterable[Item]]:
    """Return what opens the inputs, as often as it is called; what can be read only once is kept."""
    from webgrain.io.fetch import is_url

    once = inputs.urls or any(name == "-" or is_url(name) for name in inputs.inputs or [])
    kept = list(inputs.read()) if once else None
    return lambda: inputs.read() if kept is None else kept


def summary(method: SiteLayouts | Webstemmer) -> str:
    """Return what was learnt of some pages, in one sentence."""
    from webgrain.layouts.sitelayouts import SiteLayouts
    from webgrain.report.terminal import count

    pages = count(method.n_pages_, "page")
    if not isinstance(method, SiteLayouts):
        return f"learnt {count(len(method.patterns_ or ()), 'pattern')} from {pages}."
    layouts = method.layouts_ or ()
    articles = sum(map(method.is_article, layouts))
    if not articles:
        return f"no layout of articles in {pages}: each is read by itself."
    return f"learnt {count(len(layouts), 'layout')}, {articles} of articles from {pages}."


learn = typer.Typer(
    name="learn",
    help="Learn a model from pages of your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class LearnPreset(StrEnum):
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
        LearnPreset,
        Option("--preset", metavar="NAME", help="learnt (learntcut, the default of segment) or paper."),
    ] = LearnPreset.learnt,
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
    from webgrain.estimator import create
    from webgrain.evaluation.datasets import load_examples
    from webgrain.evaluation.training import learn as learn_from
    from webgrain.pipeline import Layout
    from webgrain.segmentation.segmenter import Segmenter, write_segmenter

    if method is not None and preset is not LearnPreset.paper:
        raise ParameterError(f"--method {method.value} is one of the paper: use --preset paper.")
    check_target(output)
    name = "learntcut" if preset is LearnPreset.learnt else (method or Paper.gcuts).value
    layout = Layout(rendering.render.value, sheets=rendering.sheets)
    examples = load_examples(labels, layout)
    _check(labels, examples)
    learnt = learn_from(create(name), examples)
    write_segmenter(output, Segmenter(name, learnt.method, learnt.describer, layout.render))
    print("\n".join(_report(name, layout.render, output, examples, learnt)))


def _check(labels: Path, examples: Sequence[Example]) -> None:
    """Say what is missing to learn from."""
    from webgrain.report.terminal import count

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
