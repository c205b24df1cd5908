"""``webgrain learn layouts``: the layouts of a site, from its pages."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - read at run time
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from webgrain.cli.options import Inputs, grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webgrain.page.page import Page
    from webgrain.pipeline import Item
    from webgrain.results import Failure
    from webgrain.template.webstemmer import Webstemmer


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

    def create(self, **thresholds: Any) -> Webstemmer:
        """Return the method; `ParameterError` for a wrong threshold."""
        from webgrain.template.webstemmer import Webstemmer

        return Webstemmer(
            preset=self.preset.value,
            cluster_threshold=self.cluster_threshold,
            title_threshold=self.title_threshold,
            pattern_threshold=self.pattern_threshold,
            mangle=self.mangle,
            **thresholds,
        )


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
    from webgrain.template.modelstore import write_layouts
    from webgrain.template.patternfile import write_patterns

    for path in filter(None, (output, pattern)):
        check_target(path)
    method, open_again = learning.create(), reopened(inputs)
    failed = Failures()
    method.fit(failed.passed(open_again()))
    failed.tell()
    if not method.model or not method.model.pages:
        raise InputError("There is no page to learn layouts from.")
    write_layouts(output, method)
    if pattern:
        write_patterns(
            pattern, method.patterns(Failures().passed(open_again())), " ".join(inputs.inputs or [])
        )
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
        from webgrain.cli.run import say

        for failure in self._failures:
            say(failure)


def reopened(inputs: Inputs) -> Callable[[], Iterable[Item]]:
    """Return what opens the inputs, as often as it is called; what can be read only once is kept."""
    from webgrain.io.fetch import is_url

    once = inputs.urls or any(name == "-" or is_url(name) for name in inputs.inputs or [])
    kept = list(inputs.read()) if once else None
    return lambda: inputs.read() if kept is None else kept


def summary(method: Webstemmer) -> str:
    """Return what was learnt of some pages, in one sentence."""
    from webgrain.report.outline import count
    from webgrain.template.sitemodel import SiteModel

    model = method.model
    assert model is not None
    if isinstance(model, SiteModel):
        layouts = model.layouts
        articles = sum(layout.is_article(method.thresholds) for layout in layouts)
        if not articles:
            return f"no layout of articles in {count(model.pages, 'page')}: each is read by itself."
        told = f"{count(len(layouts), 'layout')}, {articles} of articles"
    else:
        told = count(len(model.patterns), "pattern")
    return f"learnt {told} from {count(model.pages, 'page')}."
