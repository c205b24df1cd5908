"""Output of articles: records, plain text, Markdown, HTML or the format of Webstemmer.

Imported by `webgrain.cli.extract` when the command runs, because these imports take long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgrain.cli.output import check_target, make_folder, open_text, record_writer, report, report_notes
from webgrain.engines.guard import run_step
from webgrain.errors import InputError, require
from webgrain.extraction.document import Document, article_lines, article_text, document_record
from webgrain.io.local import safe_name
from webgrain.io.write import open_writer
from webgrain.report.terminal import count, plain
from webgrain.results import Failure
from webgrain.site.model import Prediction

if TYPE_CHECKING:
    from webgrain.cli.output import Write

_ENDINGS = {"markdown": "md", "html": "html"}
"""Formats that have a file per page in a folder, and the endings of their names; others have one file."""


def check_articles(form: str, folder: Path | None) -> None:
    """Check before any computation that articles can be written; make the folder."""
    if form == "parquet":
        require("pyarrow", "store", "Parquet files")
    if folder is not None:
        make_folder(folder)
        if form not in _ENDINGS:
            check_target(_file(form, folder))


@contextmanager
def open_articles(form: str, folder: Path | None, front_matter: bool = False) -> Iterator[Write[Document]]:
    """Give a function that writes the article of a page to a folder, or to stdout if None."""
    target = _file(form, folder) if folder else None
    if form in ("jsonl", "parquet"):
        with open_writer(form, target or "-") as records:
            write: Write[Any] = record_writer(records, records, _record)
            yield write
    elif form == "webstemmer":
        with open_text(target) as put:
            yield lambda result: _write_lines(put, result)
    else:
        with _documents(form, folder, front_matter) as write_document:
            yield write_document


def _file(form: str, folder: Path) -> Path:
    return folder / f"articles.{form if form in ('jsonl', 'parquet') else 'txt'}"


def _record(found: Document) -> dict[str, Any]:
    record = document_record(found)
    if not isinstance(found, Prediction):
        return record
    return record | {
        "type_name": found.type_name,
        "type": found.type,
        "type_confidence": found.assigned.confidence,
        "template_match": found.template_match,
        "fits": found.fits,
        "boilerplate_share": round(found.boilerplate_share, 4),
        "noise_share": round(found.boilerplate_share, 4),  # the former name
        "lists": [each.to_dict() for each in found.lists],
    }


def _write_lines(put: Callable[[str], object], result: Document | Failure) -> None:
    if not isinstance(result, Failure):
        report_notes(result.page)
        put(f"{article_lines(result.page, result.article)}\n")


@contextmanager
def _documents(form: str, folder: Path | None, front_matter: bool) -> Iterator[Write[Document]]:
    """Write pages as documents; report at the end how many pages have no main text.

    Raises `InputError` if no page has any.
    """
    written = without_text = 0
    with _files(form, folder) if folder and form in _ENDINGS else _stream(form, folder) as put:

        def form_text(document: Document) -> str:
            if form == "text":
                return article_text(document.article)
            if form == "html":
                return document.html
            return f"{document.front_matter}\n{document.markdown}" if front_matter else document.markdown

        def write(result: Document | Failure) -> Failure | None:
            nonlocal written, without_text
            if isinstance(result, Failure):
                return None
            if result.article.verdict != "article" and not result.article.text:
                without_text += 1
                return None
            text = run_step(result, "extract", form_text)
            if isinstance(text, Failure):
                return text
            written += 1
            report_notes(result.page)
            put(result.id, text)
            return None

        yield write
    if without_text and not written:
        raise InputError("No page has a main text; --format jsonl has all pages.")
    if without_text:
        report(f"{count(without_text, 'page')} without main text left out; --format jsonl has all pages.")


@contextmanager
def _files(form: str, folder: Path) -> Iterator[Callable[[str, str], None]]:
    """Give a function that writes a file per page."""

    def put(page: str, text: str) -> None:
        with open_text(folder / f"{safe_name(page)}.{_ENDINGS[form]}") as write:
            write(text)

    yield put


@contextmanager
def _stream(form: str, folder: Path | None) -> Iterator[Callable[[str, str], None]]:
    """Give a function that writes pages in sequence, separated by a blank line.

    Several plain texts have the name of the page above them, in the style of `head`; so the first text is
    written when the second follows.
    """
    with open_text(_file(form, folder) if folder else None) as write:
        first: tuple[str, str] | None = None
        several = False

        def put(page: str, text: str) -> None:
            nonlocal first, several
            if first is None:
                first = page, text
                return
            if not several:
                write(with_heading(*first))
            several = True
            write("\n" + with_heading(page, text))

        def with_heading(page: str, text: str) -> str:
            return f"==> {plain(page, 200)} <==\n\n{text}" if form == "text" else text

        yield put
        if first and not several:
            write(first[1])
