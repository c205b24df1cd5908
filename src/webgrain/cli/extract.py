"""Text out, to a file or to standard output.

Where titles and texts go: tables and records, documents, to stdout or into a folder.

``webgrain extract``: title and main text of the pages of a site.

``webgrain text``: the plain text of pages.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from typer import Option

from webgrain.cli.learn import Failures, Learning, reopened, summary
from webgrain.cli.options import Inputs, Strict, grouped
from webgrain.cli.output import check_target, make_folder
from webgrain.engines.guard import Named, run_step
from webgrain.errors import InputError, ParameterError, require
from webgrain.extraction.html import main_html
from webgrain.extraction.markdown import article_lines, article_record, article_text, markdown
from webgrain.io.local import safe_name
from webgrain.io.write import open_writer
from webgrain.page.page import PageResult
from webgrain.records import failure_record
from webgrain.report.terminal import count, plain
from webgrain.results import Failure
from webgrain.site.model import Prediction

if TYPE_CHECKING:
    from webgrain.cli.output import Write
    from webgrain.layouts.sitelayouts import SiteLayouts
    from webgrain.layouts.webstemmer import Webstemmer
    from webgrain.page.page import Page
    from webgrain.pipeline import Item
    from webgrain.results import Article
    from webgrain.site.model import SiteWatch
    from webgrain.templates.drift import Drift


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What could steer a terminal; pages are written by strangers."""


@contextmanager
def open_text(path: Path | None) -> Iterator[Callable[[str], object]]:
    """Give the function that writes a text to a file, or to standard output for None, without controls.

    When the reader of standard output goes away (``| head``), the block ends quietly.
    """
    if path is not None:
        with path.open("w", encoding="utf-8", errors="replace") as file:
            yield lambda text: file.write(_CONTROL.sub("", text))
        return
    try:
        yield _say
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer would otherwise be written, and fail, when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_notes(page: Page) -> None:
    """Say on stderr what was cut off of a page or mended: a text has no place for that."""
    for note in page.notes:
        print(f"webgrain: {plain(page.id, 200)}: {note}", file=sys.stderr)


def _say(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(_CONTROL.sub("", text).encode(encoding, "replace").decode(encoding))


RECORDS = ("jsonl", "parquet")
"""Formats that are records of pages; all others are texts."""

FILES = ("markdown", "html")
"""Formats that have a file for each page in a folder; all others have one for all."""


class Found(Named, Protocol):
    """A page, and what it says: a `Read`, or a `Prediction` of the model of its site."""

    @property
    def page(self) -> Page:
        """The page."""

    @property
    def article(self) -> Article:
        """What it says."""


@dataclass(frozen=True, slots=True, eq=False)
class Read(PageResult):
    """A page, and what it says by layouts."""

    article: Article


def check_articles(form: str, folder: Path | None) -> None:
    """Say before anything is learnt what cannot be written; a folder is made."""
    if form == "parquet":
        require("pyarrow", "store", "Parquet files")
    if folder is not None:
        make_folder(folder)
        if form not in FILES:
            check_target(folder / _name(form))


@contextmanager
def open_articles(form: str, folder: Path | None) -> Iterator[Write[Found]]:
    """Give the function that writes what one page says; that a page failed is only said on stderr."""
    if form in RECORDS:
        with open_writer(form, folder / _name(form) if folder else "-") as records:
            yield partial(_write_record, records.write)
    elif form == "webstemmer":
        with open_text(folder / _name(form) if folder else None) as say:
            yield partial(_write_lines, say)
    else:
        with _documents(form, folder) as write:
            yield write


def _name(form: str) -> str:
    return f"articles.{form if form in RECORDS else 'txt'}"


def _write_record(write: Callable[[dict[str, Any]], None], result: Found | Failure) -> Failure | None:
    record = run_step(result, "record", _record)
    write(failure_record(record) if isinstance(record, Failure) else record)
    return record if isinstance(record, Failure) else None


def _record(found: Found) -> dict[str, Any]:
    record = article_record(found.page, found.article)
    if not isinstance(found, Prediction):
        return record
    return record | {
        "type_name": found.type_name,
        "type": found.type,
        "type_confidence": found.assigned.confidence,
        "template_match": found.template_match,
        "fits": found.fits,
        "boilerplate_share": round(found.boilerplate_share, 4),
        "noise_share": round(found.boilerplate_share, 4),
        "lists": [one.to_dict() for one in found.lists],
    }


def _write_lines(say: Callable[[str], object], result: Found | Failure) -> None:
    if not isinstance(result, Failure):
        say_notes(result.page)
        say(f"{article_lines(result.page, result.article)}\n")


@contextmanager
def _documents(form: str, folder: Path | None) -> Iterator[Write[Found]]:
    """Give the function that writes a page as a document, and say at the end how many pages are none."""
    left_out = 0
    with _one_stream(form, folder) if folder is None or form not in FILES else _files(form, folder) as put:

        def write(result: Found | Failure) -> None:
            nonlocal left_out
            if not isinstance(result, Failure):
                if result.article.verdict == "article" or result.article.text:
                    say_notes(result.page)
                    put(result.id, _told(form, result))
                else:
                    left_out += 1

        yield write
    if left_out:
        told = f"{count(left_out, 'page')} without main text left out"
        print(f"webgrain: {told}; --format jsonl has all pages.", file=sys.stderr)


def _told(form: str, found: Found) -> str:
    if form == "html":
        return main_html(found.page, found.article)
    return markdown(found.article, found.page) if form == "markdown" else article_text(found.article)


@contextmanager
def _files(form: str, folder: Path) -> Iterator[Callable[[str, str], None]]:
    """Give the function that writes a file for each page."""
    ending = "md" if form == "markdown" else "html"

    def put(page: str, text: str) -> None:
        with open_text(folder / f"{safe_name(page)}.{ending}") as say:
            say(text)

    yield put


@contextmanager
def _one_stream(form: str, folder: Path | None) -> Iterator[Callable[[str, str], None]]:
    """Give the function that writes pages one after the other, a blank line between them.

    Plain texts have the names of their pages above them, as `head` does it, unless there is one alone: so the
    first one waits for the second.
    """
    with open_text(folder / _name(form) if folder else None) as say:
        first: tuple[str, str] | None = None
        several = False

        def put(page: str, text: str) -> None:
            nonlocal first, several
            if first is None:
                first = page, text
                return
            if not several:
                say(_headed(form, *first))
            several = True
            say("\n" + _headed(form, page, text))

        yield put
        if first and not several:
            say(first[1])


def _headed(form: str, page: str, text: str) -> str:
    return f"==> {plain(page, 200)} <==\n\n{text}" if form == "text" else text


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
    template_match, fits, boilerplate_share and lists.

    Example: webgrain extract --model result/site-model.json new-pages/ --format markdown -o articles
    """
    from webgrain.cli.output import run
    from webgrain.engines.guard import run_step
    from webgrain.modelfile import format_of
    from webgrain.pipeline import Layout, pages
    from webgrain.site.model import FORMAT

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
        found: Iterator[Found | Failure] = (run_step(page, "extract", read) for page in parsed)
        run(found, open_articles(form.value, folder), fail)


@contextmanager
def _site(path: Path, folder: Path | None) -> Iterator[Callable[[Page], Prediction]]:
    """Give the function that reads a page by the model of its site; say at the end what has changed there."""
    from webgrain.site.model import SiteWatch, load_model

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
    from webgrain.report.terminal import count, plain

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
    from webgrain.report.terminal import count, plain

    fit = f"{round(drift.accepted * drift.pages):,} of {count(drift.pages, 'page')} fit the template"
    return "; ".join([fit, *(f"{plain(change.css, 100)} is gone" for change in drift.vanished[:3])])


@contextmanager
def _layouts(
    model: Path | None, reading: Reading, learning: Learning, open_again: Callable[[], Iterable[Item]]
) -> Iterator[Callable[[Page], Read]]:
    """Give the function that reads a page by layouts that were learnt before, or are now."""
    from webgrain.extraction.article import Evidence, join
    from webgrain.layouts.sitelayouts import SiteLayouts

    method = _known(model, reading) if model else _learnt(reading, learning, open_again)

    def read(page: Page) -> Read:
        told = method.predict(page)
        if isinstance(method, SiteLayouts) and not reading.strict:
            told = join(page, Evidence(told))  # there is text wherever some can be seen
        return Read(page, told)

    yield read


def _known(model: Path, reading: Reading) -> SiteLayouts | Webstemmer:
    """Return the layouts in a file."""
    from webgrain.layouts.sitelayouts import FORMAT, read_layouts
    from webgrain.modelfile import format_of

    if format_of(model) not in (None, FORMAT):
        told = "expected what webgrain audit or learn layouts wrote, or a pattern file"
        raise InputError(f"{model} is a file of {format_of(model)}: {told}.")
    return read_layouts(model, **reading.given())


def _learnt(
    reading: Reading, learning: Learning, open_again: Callable[[], Iterable[Item]]
) -> SiteLayouts | Webstemmer:
    """Learn the layouts of the pages, and say what they are."""
    method = learning.create(**reading.given())
    method.fit(Failures().passed(open_again()))
    if method.n_pages_:
        print(f"webgrain: {summary(method)}", file=sys.stderr)
    return method


@grouped
def text(*, inputs: Inputs, strict: Strict = False) -> None:
    """Print the plain text of pages, one block a line.

    A blank line is between pages. All that can be read is printed, menus and the like too; webgrain extract
    finds the main text.

    Example: webgrain text page.html
    """
    from webgrain.cli.output import run
    from webgrain.engines.guard import run_step
    from webgrain.extraction.markdown import page_text
    from webgrain.pipeline import Layout, pages

    def read(page: Page) -> str:
        say_notes(page)
        return page_text(page)

    found = pages(inputs.read(), Layout(render="none"))
    run((run_step(page, "text", read) for page in found), _open(), strict)


@contextmanager
def _open() -> Iterator[Write[str]]:

    with open_text(None) as say:
        first = True

        def write(result: object) -> None:
            nonlocal first
            if isinstance(result, str):
                say(result if first else f"\n{result}")
                first = False

        yield write
