"""``webgrain extract``: title and main text of the pages of a site."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - read at run time
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from webgrain.cli.learn_layouts import Failures, Learning, reopened, summary
from webgrain.cli.options import Inputs, grouped
from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from webgrain.audit.model import Prediction
    from webgrain.audit.watch import SiteWatch
    from webgrain.cli.articles import Found, Read
    from webgrain.page.page import Page
    from webgrain.pipeline import Item
    from webgrain.results import Failure
    from webgrain.template.drift import Drift
    from webgrain.template.webstemmer import Webstemmer


class Format(StrEnum):
    """Formats of articles."""

    text = "text"
    jsonl = "jsonl"
    parquet = "parquet"
    markdown = "markdown"
    html = "html"
    webstemmer = "webstemmer"


@dataclass(frozen=True, slots=True)
class Reading:
    """What pages are read by; None: what the model was learnt with."""

    match_threshold: Annotated[
        float | None,
        Option(
            "--match-threshold",
            metavar="X",
            show_default=False,
            help="Least similarity of a page to its layout [default: that of the model: 0.8; by frames 0.4].",
        ),
    ] = None
    diff_threshold: Annotated[
        float | None,
        Option(
            "--diff-threshold",
            metavar="X",
            show_default=False,
            help="Least DiffScore of what is not the same on all pages [default: that of the model: 0.5].",
        ),
    ] = None
    main_threshold: Annotated[
        float | None,
        Option(
            "--main-threshold",
            metavar="X",
            show_default=False,
            help="Least MainScore, letters a page, of main text [default: that of the model: 50].",
        ),
    ] = None
    strict: Annotated[bool, Option("--strict", help="Reject pages that lack a section of their layout.")] = (
        False
    )

    def given(self) -> dict[str, Any]:
        """Return the thresholds that were given."""
        names = ("match_threshold", "diff_threshold", "main_threshold")
        told = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return told | ({"strict": True} if self.strict else {})


@grouped
def extract(
    *,
    inputs: Inputs,
    model: Annotated[
        Path | None,
        Option(
            "--model",
            metavar="FILE",
            show_default=False,
            help="What webgrain audit or learn layouts wrote, or a pattern file [default: learn from the "
            "input].",
        ),
    ] = None,
    reading: Reading,
    learning: Learning,
    format: Annotated[  # noqa: A002 - the option's name
        Format | None,
        Option(
            "--format",
            metavar="FORMAT",
            show_default=False,
            help="text, jsonl, parquet, markdown, html or webstemmer [default: text; with a pattern file "
            "webstemmer].",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Write to this folder, not to stdout: articles.txt, .jsonl or .parquet, else a file a page.",
        ),
    ] = None,
    fail: Annotated[bool, Option("--fail", help="Exit with 1 if any page failed.")] = False,
) -> None:
    """Extract title and main text of the pages of a site.

    With the model that webgrain audit wrote, a page is read by all that is known of its site: type, template,
    layouts. A type whose pages, ten or more, no longer fit its template is told of on stderr. Without --model
    the layouts are learnt from the pages themselves. A page that they do not know is read by itself.

    As text, markdown or html a page has its title and main text; webstemmer gives the lines of Webstemmer
    (TITLE: ..., MAIN-1: ...).

    A record (--format jsonl) has page, url, verdict (article, index, unknown), title, text, code, comments,
    sub, blocks, layout and confidence; with the model of a site also type_name, type, type_confidence,
    template_match, fits, noise_share and lists.

    Example: webgrain extract --model result/site-model.json new-pages/ --format markdown -o articles
    """
    from webgrain.audit.model import FORMAT
    from webgrain.cli.articles import check_articles, open_articles
    from webgrain.cli.run import run
    from webgrain.modelfile import format_of
    from webgrain.pipeline import Layout, pages
    from webgrain.run.attempt import attempt

    if model is not None and learning != Learning():
        raise ParameterError("With --model nothing is learnt: leave out the preset and what goes with it.")
    kind = model and format_of(model)
    if kind == FORMAT and reading != Reading():
        raise ParameterError("The model of a site has its own thresholds: leave those of layouts out.")
    form = format or (Format.webstemmer if model and kind is None else Format.text)
    check_articles(form.value, folder)
    open_again = reopened(inputs)
    reader: AbstractContextManager[Callable[[Page], Found]] = (
        _site(model, folder) if model and kind == FORMAT else _layouts(model, reading, learning, open_again)
    )
    with reader as read:
        parsed = pages(open_again(), Layout(render="none"))
        found: Iterator[Found | Failure] = (attempt(page, "extract", read) for page in parsed)
        run(found, open_articles(form.value, folder), fail)


@contextmanager
def _site(path: Path, folder: Path | None) -> Iterator[Callable[[Page], Prediction]]:
    """Give the function that reads a page by the model of its site; say at the end what has changed there."""
    from webgrain.audit.model import load_model
    from webgrain.audit.watch import SiteWatch

    model = load_model(path)
    watch = SiteWatch(model)

    def read(page: Page) -> Prediction:
        found = model.predict(page)
        watch.add(found)
        return found

    yield read
    _tell(watch, folder)


def _tell(watch: SiteWatch, folder: Path | None) -> None:
    """Say which types have changed; with a folder also write it there, a record a type."""
    from webgrain.report.outline import count, plain

    drifts = watch.drift()
    if folder is not None:
        _write_drifts(folder / "drift.jsonl", watch, drifts)
    for kind, drift in drifts.items():
        if drift.level == "alarm":
            name = f"{plain(watch.model.name(kind) or kind, 80)} [{plain(kind, 80)}]"
            print(f"webgrain: type {name} has changed: {_changes(drift)}.", file=sys.stderr)
    if watch.types[None]:
        told = f"{count(watch.types[None], 'page')} of no type that the model knows"
        print(f"webgrain: {told}, read by what else is known.", file=sys.stderr)


def _write_drifts(path: Path, watch: SiteWatch, drifts: Mapping[str, Drift]) -> None:
    from dataclasses import asdict

    from webgrain.io.write import open_writer

    with open_writer("jsonl", path) as records:
        for kind, drift in drifts.items():
            named = {"type_name": watch.model.name(kind), "type": kind}
            records.write({**named, "level": drift.level, **asdict(drift)})


def _changes(drift: Drift) -> str:
    from webgrain.report.outline import count, plain

    fit = f"{round(drift.accepted * drift.pages):,} of {count(drift.pages, 'page')} fit the template"
    return "; ".join([fit, *(f"{plain(change.css, 100)} is gone" for change in drift.vanished[:3])])


@contextmanager
def _layouts(
    model: Path | None, reading: Reading, learning: Learning, open_again: Callable[[], Iterable[Item]]
) -> Iterator[Callable[[Page], Read]]:
    """Give the function that reads a page by layouts that were learnt before, or are now."""
    from webgrain.cli.articles import Read
    from webgrain.extract.article import Evidence, join

    method = _known(model, reading) if model else _learnt(reading, learning, open_again)

    def read(page: Page) -> Read:
        told = method.predict(page)
        if method.preset == "default" and not reading.strict:
            told = join(page, Evidence(told))  # there is text wherever some can be seen
        return Read(page, told)

    yield read


def _known(model: Path, reading: Reading) -> Webstemmer:
    """Return the layouts in a file."""
    from webgrain.modelfile import format_of
    from webgrain.template.modelstore import FORMAT, read_layouts

    if format_of(model) not in (None, FORMAT):
        told = "expected what webgrain audit or learn layouts wrote, or a pattern file"
        raise InputError(f"{model} is a file of {format_of(model)}: {told}.")
    return read_layouts(model, **reading.given())


def _learnt(reading: Reading, learning: Learning, open_again: Callable[[], Iterable[Item]]) -> Webstemmer:
    """Learn the layouts of the pages, and say what they are."""
    method = learning.create(**reading.given())
    method.fit(Failures().passed(open_again()))
    if method.model and method.model.pages:
        print(f"webgrain: {summary(method)}", file=sys.stderr)
    return method
