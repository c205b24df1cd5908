"""Spans of time as people write them: ``30d``, ``12h``.

Options that several commands share, in groups.

A group is a dataclass whose fields are options; `grouped` lets a command take whole groups, so that an option
is written down once and a command stays readable.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from typer import Argument, Option

from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from webgrain.page.page import Page, Source
    from webgrain.pipeline import Layout, Predictor
    from webgrain.results import Failure


_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds_in(text: str) -> float:
    """Return a span of time in seconds; `ParameterError` for anything else.

    >>> seconds_in("30d"), seconds_in("1.5h"), seconds_in("10")
    (2592000.0, 5400.0, 10.0)
    """
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s?([smhdw]?)", text.strip())
    if found is None:
        raise ParameterError(f"A span of time like 30d, 12h, 45m or 90s was expected, got {text!r}.")
    return float(found[1]) * _UNITS[found[2]]


_KIND = inspect.Parameter.KEYWORD_ONLY


class Render(StrEnum):
    """Where boxes and styles come from."""

    estimate = "estimate"
    chromium = "chromium"
    none = "none"


Strict = Annotated[bool, Option("--strict", help="Exit with 1 if any page failed.")]
Queries = Annotated[
    Path | None,
    Option(
        "--queries",
        metavar="LOG",
        help="Search log: CSV or TSV, Search Console (API rows or its zip), BigQuery, web server.",
    ),
]


class Format(StrEnum):
    """Formats of the output."""

    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


@dataclass(frozen=True, slots=True)
class Inputs:
    """What to read."""

    inputs: Annotated[
        list[str] | None,
        Argument(
            metavar="INPUT",
            show_default=False,
            help="HTML files, folders, zip or WARC archives, page stores, URLs; - is the standard input.",
        ),
    ] = None
    urls: Annotated[
        Path | None, Option("--urls", metavar="FILE", help="Also fetch the URLs in FILE, one a line.")
    ] = None
    root: Annotated[
        Path | None,
        Option(
            "--root", metavar="DIR", help="The folder whose files pages may load; default: the input folder."
        ),
    ] = None

    def read(self) -> Iterator[Source | Page | Failure]:
        """Open the inputs."""
        from webgrain.io.read import read

        return read(self.inputs or [], urls=self.urls, root=self.root)

    def __post_init__(self) -> None:
        if not self.inputs and not self.urls:
            raise InputError("Name at least one input: a file, a folder, an archive, a URL, or - for stdin.")


@dataclass(frozen=True, slots=True)
class Rendering:
    """Where boxes and styles come from."""

    render: Annotated[
        Render,
        Option(
            "--render",
            metavar="HOW",
            help="Layout from an estimate (the same on every machine), from chromium, or none.",
        ),
    ] = Render.estimate
    sheets: Annotated[
        bool,
        Option(
            "--sheets/--no-sheets",
            help="Estimate with the style sheets that lie beside a page [default], or without.",
        ),
    ] = True


@dataclass(frozen=True, slots=True)
class Browser:
    """What the browser may do."""

    javascript: Annotated[
        bool, Option("--javascript", help="Let pages run their scripts (--render chromium only).")
    ] = False
    network: Annotated[
        bool, Option("--network", help="Let pages load files from the network (browser only).")
    ] = False
    timeout: Annotated[
        float, Option("--timeout", metavar="S", help="Seconds that a page may take in the browser.")
    ] = 20.0

    def layout(self, rendering: Rendering, screenshot: bool) -> Layout:
        """Return where boxes come from; `ParameterError` for options that do not go together."""
        from webgrain.pipeline import Layout

        return Layout(
            render=rendering.render.value,
            sheets=rendering.sheets,
            screenshot=screenshot,
            javascript=self.javascript,
            network=self.network,
            timeout=self.timeout,
        )


@dataclass(frozen=True, slots=True)
class Method:
    """How pages are cut."""

    method: Annotated[
        str | None,
        Option(
            "--method",
            metavar="NAME",
            show_default=False,
            help="learntcut (most like what people mark), gcuts (graph cuts) or cclus (correlation "
            "clustering) [default: learntcut, or that of the weights].",
        ),
    ] = None
    weights: Annotated[
        Path | None,
        Option(
            "--weights",
            metavar="FILE",
            show_default=False,
            help="Weights that webgrain learn segments wrote [default: those that come with webgrain].",
        ),
    ] = None
    granularity: Annotated[
        float | None,
        Option(
            "--granularity",
            metavar="X",
            show_default=False,
            help="From 0, one segment, to 1, a segment for every part; of learntcut [default: 0.5, as people "
            "mark].",
        ),
    ] = None
    lam: Annotated[
        float | None,
        Option(
            "--lam",
            metavar="X",
            show_default=False,
            help="Weight of the pair costs of gcuts and cclus [default: that of the weights].",
        ),
    ] = None
    seed: Annotated[
        int | None,
        Option(
            "--seed",
            metavar="N",
            show_default=False,
            help="Seed of what is random in gcuts and cclus [default: the method's].",
        ),
    ] = None

    def create(self) -> Predictor:
        """Return the method with the parameters that were given; `ParameterError` for a wrong one."""
        from webgrain.segmentation.segmenter import DEFAULT, read_segmenter, segmenter

        given = {"granularity": self.granularity, "lam": self.lam, "random_state": self.seed}
        params = {name: value for name, value in given.items() if value is not None}
        if self.weights is None:
            return segmenter(self.method or DEFAULT, **params)
        learnt = read_segmenter(self.weights)
        if self.method not in (None, learnt.name):
            raise ParameterError(
                f"The weights in {self.weights} are those of {learnt.name}, not {self.method}."
            )
        return learnt.changed(**params)


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go."""

    format: Annotated[
        Format, Option("--format", metavar="FORMAT", help="Format of the records: jsonl, csv or parquet.")
    ] = Format.jsonl
    folder: Annotated[
        Path | None, Option("-o", "--output", metavar="DIR", help="Write to this folder, not to stdout.")
    ] = None
    overlay: Annotated[
        bool, Option("--overlay", help="Also draw each page with its segments (browser; needs -o).")
    ] = False
    html: Annotated[
        bool,
        Option(
            "--html", help="Also write all pages with their segments as one HTML file (browser; needs -o)."
        ),
    ] = False

    def __post_init__(self) -> None:
        if self.pictures and self.folder is None:
            raise ParameterError(
                f"--{'overlay' if self.overlay else 'html'} needs a folder for the pictures: -o DIR."
            )

    @property
    def pictures(self) -> bool:
        """Whether pages need a screenshot."""
        return self.overlay or self.html


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Replace parameters of ``command`` that are groups by the options in them.

    >>> @grouped
    ... def hello(browser: Browser) -> None:
    ...     print(browser.timeout)
    >>> list(inspect.signature(hello).parameters)
    ['javascript', 'network', 'timeout']
    >>> hello(timeout=3.0)
    3.0
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        parameters += (
            _options_of(groups[name])
            if name in groups
            else [parameter.replace(annotation=hints[name], kind=_KIND)]
        )

    @functools.wraps(command)
    def flat(**given: Any) -> None:
        for name, kind in groups.items():
            own = {f.name: given.pop(f.name) for f in fields(kind) if f.name in given}
            given[name] = kind(**own)
        command(**given)

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    return flat


def _options_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(f.name, _KIND, default=f.default, annotation=hints[f.name]) for f in fields(group)
    ]
