"""Where titles and texts go: tables and records, documents, to stdout or into a folder."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from webgrain._extras import require
from webgrain.audit.model import Prediction
from webgrain.cli.output import check_target, make_folder
from webgrain.cli.textout import open_text, say_notes
from webgrain.io.local import safe_name
from webgrain.io.write import open_writer
from webgrain.page.page import OfPage
from webgrain.records import failure_record
from webgrain.report.articles import article_lines, article_record, article_text
from webgrain.report.mainhtml import main_html
from webgrain.report.markdown import markdown
from webgrain.report.outline import count, plain
from webgrain.results import Failure
from webgrain.run.attempt import Named, attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from webgrain.cli.run import Write
    from webgrain.page.page import Page
    from webgrain.results import Article


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
class Read(OfPage):
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
    record = attempt(result, "record", _record)
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
        "noise_share": round(found.noise_share, 4),
        "lists": [one.told() for one in found.lists],
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
