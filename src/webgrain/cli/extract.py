"""``webgrain extract``: title and main text of the pages of a site."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path  # noqa: TC003 - read at run time
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from webgrain.cli.learn_layouts import Failures, Learning, reopened, summary
from webgrain.cli.options import Inputs, grouped
from webgrain.cli.textout import open_text
from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webgrain.cli.run import Write
    from webgrain.page.page import Page
    from webgrain.pipeline import Item
    from webgrain.results import Article, Failure
    from webgrain.template.webstemmer import Webstemmer


class Format(StrEnum):
    """Formats of articles."""

    text = "text"
    jsonl = "jsonl"
    markdown = "markdown"
    html = "html"


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


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A page and what it says."""

    page: Page
    article: Article

    @property
    def id(self) -> str:
        """Id of the page."""
        return self.page.id

    @property
    def url(self) -> str | None:
        """Address of the page, where known."""
        return self.page.url


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
            help="What webgrain learn layouts wrote, or a pattern file [default: learn from the input].",
        ),
    ] = None,
    reading: Reading,
    learning: Learning,
    format: Annotated[  # noqa: A002 - the option's name
        Format, Option("--format", metavar="FORMAT", help="Format: text, jsonl, markdown or html.")
    ] = Format.text,
    folder: Annotated[
        Path | None,
        Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Write to this folder, not to stdout: articles.txt or .jsonl, a file a page for the others.",
        ),
    ] = None,
    fail: Annotated[bool, Option("--fail", help="Exit with 1 if any page failed.")] = False,
) -> None:
    """Extract title and main text of the pages of a site, by its layouts.

    Without --model the layouts are learnt from the pages themselves. A record (--format jsonl) has page, url,
    verdict (article, index, unknown), title, text, code, comments, sub, blocks, layout and confidence.

    Example: webgrain extract site/ --format markdown -o articles
    """
    from webgrain.cli.run import run
    from webgrain.pipeline import Layout, attempt, pages

    open_again = reopened(inputs)
    method = _method(model, reading, learning, open_again)

    read = pages(open_again(), Layout(render="none"))
    found = (attempt(page, "extract", lambda page: Found(page, method.predict(page))) for page in read)
    run(found, _open(format, folder), fail)


def _method(
    model: Path | None, reading: Reading, learning: Learning, open_again: Callable[[], Iterable[Item]]
) -> Webstemmer:
    """Return the method that was learnt before, or is learnt now."""
    from webgrain.template.modelstore import read_layouts

    if model is not None:
        if learning != Learning():
            raise ParameterError(
                "With --model nothing is learnt: leave out the preset and what goes with it."
            )
        return read_layouts(model, **reading.given())
    method = learning.create(**reading.given())
    method.fit(Failures().passed(open_again()))
    print(f"webgrain: {summary(method)}", file=sys.stderr)
    return method


@contextmanager
def _open(form: Format, folder: Path | None) -> Iterator[Write[Found]]:
    """Give the function that writes what one page says; that a page failed is only said on stderr."""
    from webgrain.cli.output import make_folder
    from webgrain.io.write import open_writer

    if folder is not None:
        make_folder(folder)
    if form is Format.jsonl:
        with open_writer("jsonl", folder / "articles.jsonl" if folder else "-") as records:
            yield partial(_write_record, records.write)
    elif folder is not None and form is not Format.text:
        yield partial(_write_file, form, folder)
    else:
        with open_text(folder / "articles.txt" if folder else None) as say:
            yield partial(_write_text, form, say)


def _write_record(write: Callable[[dict[str, Any]], None], result: Found | Failure) -> Failure | None:
    from webgrain.pipeline import attempt
    from webgrain.records import failure_record
    from webgrain.report.articles import article_record
    from webgrain.results import Failure

    record = attempt(result, "record", lambda found: article_record(found.page, found.article))
    write(failure_record(record) if isinstance(record, Failure) else record)
    return record if isinstance(record, Failure) else None


def _write_file(form: Format, folder: Path, result: Found | Failure) -> None:
    from webgrain.cli.output import safe_name

    if isinstance(result, Found) and result.article.verdict == "article":
        ending = "md" if form is Format.markdown else "html"
        with open_text(folder / f"{safe_name(result.id)}.{ending}") as say:
            say(_told(form, result))


def _write_text(form: Format, say: Callable[[str], object], result: Found | Failure) -> None:
    if isinstance(result, Found) and (form is Format.text or result.article.verdict == "article"):
        say(_told(form, result) + "\n")


def _told(form: Format, result: Found) -> str:
    from webgrain.report.articles import article_lines, html, markdown

    if form is Format.text:
        return article_lines(result.page, result.article)
    return (markdown if form is Format.markdown else html)(result.article)
