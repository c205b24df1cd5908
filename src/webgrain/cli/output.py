"""Output of commands: failures on stderr, a progress bar, and results on stdout or in a folder.

A command writes its results with `run`, which takes an output: a context manager that returns a function that
writes one result or failure.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from click.exceptions import Exit

from webgrain.base.errors import InputError, ParameterError, naming, require, writing
from webgrain.cli.options import STDOUT, Output
from webgrain.cli.progress import progress

if TYPE_CHECKING:
    from webgrain.base.failures import Failure
    from webgrain.page.page import Page
    from webgrain.page.segmentation import Segmentation
    from webgrain.report.documents import Gallery
    from webgrain.site.pipeline import Segmented

T = TypeVar("T")
Write = Callable[["T | Failure"], object]


def run(
    results: Iterable[T | Failure | None],
    output: AbstractContextManager[Write[T]],
    strict: bool,
    empty: str | None = None,
    place: Path | None = None,
    total: int | None = None,
) -> None:
    """Write all results to an output; failures also get a line on stderr.

    results: None for a page of which nothing is written; empty: the message if all results are empty;
    place: file or folder of the results, which the last line on stderr names, None for stdout; total: number
    of pages, None if unknown.

    Raises `InputError` if all results are failures, or all are empty and ``empty`` is given; otherwise `Exit`
    with code 1 if there are failures and ``strict`` is set.
    """
    from webgrain.base.failures import Failure
    from webgrain.report.terminal import count

    pages = failed = full = 0
    to_stdout = place is None or place == STDOUT
    try:
        with output as write, progress(records=to_stdout) as advance:
            for result in results:
                pages += 1
                if isinstance(result, Failure):
                    failed += 1
                    report_failure(result)
                else:
                    full += bool(result)
                if result is not None:
                    write(result)
                advance("pages", 1, total)
    except KeyboardInterrupt:
        report(f"Interrupted after {count(pages, 'page')}.")
        raise
    if pages and not to_stdout:
        report(f"{count(pages, 'page')}, {count(failed, 'failure')}; the results are in {place}.")
    if not pages:
        raise InputError("The input contains no page.")
    if failed == pages:
        raise InputError("Each page failed, so there is no result.")
    if empty and not full:
        raise InputError(empty)
    if strict and failed:
        raise Exit(1)


def report(message: str) -> None:
    """Print a message on stderr."""
    print(f"webgrain: {message}", file=sys.stderr)


def report_failure(failure: Failure) -> None:
    """Print a failure on stderr, as one line that is safe for a terminal."""
    from webgrain.report.terminal import plain

    report(f"{plain(failure.page, 200)}: {failure.stage}: {plain(failure.error, 500)}")


def report_notes(page: str, notes: Iterable[str]) -> None:
    """Print the notes about a page on stderr, for output formats without a field for them."""
    from webgrain.report.terminal import plain

    for note in notes:
        report(f"{plain(page, 200)}: {note}")


def without_failures(items: Iterable[T | Failure], failures: list[Failure] | None = None) -> Iterator[T]:
    """Yield the items that are not failures; failures get a line on stderr or are added to ``failures``."""
    from webgrain.base.failures import Failure

    for item in items:
        if isinstance(item, Failure):
            report_failure(item) if failures is None else failures.append(item)
        else:
            yield item


def without_failing(write: Callable[[T], object]) -> Write[T]:
    """Return a function that writes results but not failures, which `run` reports on stderr."""
    from webgrain.base.failures import Failure

    def write_result(result: T | Failure) -> None:
        if not isinstance(result, Failure):
            write(result)

    return write_result


def write_records(form: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records to stdout in a format of `webgrain.io.write.open_writer`."""
    from webgrain.io.write import open_writer

    with open_writer(form, "-") as writer:
        for record in records:
            writer.write(record)


def names_file(path: Path, form: str) -> bool:
    """Return whether ``-o`` names a file for a format, by its ending, and not a folder.

    Raises `ParameterError` if the ending is that of another format or of none, and `InputError` if the file
    cannot be written.

    >>> names_file(Path("results"), "jsonl"), names_file(Path("new.jsonl"), "jsonl")
    (False, True)
    """
    ending = path.suffix.lower()
    if ending not in _ENDINGS or path.is_dir():
        return False
    if form not in _ENDINGS[ending]:
        if f".{form}" == ending:
            raise ParameterError(
                f"--format {form} writes a file per page: name a folder after -o, or write > {path}."
            )
        if ending in OTHER_ENDINGS:
            raise ParameterError(f"-o {path}: no command writes files that end in {ending}; see --format.")
        raise ParameterError(
            f"-o {path} has not the ending of --format {form}: change one, or name a folder."
        )
    check_target(path)
    return True


_DOCUMENTS = (".docx", ".doc", ".odt", ".pdf", ".epub", ".xlsx", ".xls", ".ods")
OTHER_ENDINGS = (".json", ".tsv", ".xml", ".gz", ".zst", ".bz2", ".xz", ".zip", *_DOCUMENTS)
"""Endings of files that people ask for and no command writes."""

_TEXTS = ("text", "webstemmer", "decisions")
_ENDINGS = {
    ".jsonl": ("jsonl",),
    ".csv": ("csv",),
    ".parquet": ("parquet",),
    ".txt": _TEXTS,
    ".md": ("markdown",),
    **dict.fromkeys((".html", *OTHER_ENDINGS), ()),
}
"""Endings of names of files, and the formats of which all pages are in a file with this ending."""


_FORMATS: dict[str, Literal["jsonl", "csv", "parquet"]]
_FORMATS = {".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet"}


def format_of_name(path: Path | None) -> Literal["jsonl", "csv", "parquet"] | None:
    """Return the format of records that the name of a file after ``-o`` has as its ending, or None.

    >>> format_of_name(Path("new.CSV")), format_of_name(Path("new.txt")), format_of_name(Path("results"))
    ('csv', None, None)
    """
    if path is None or path.is_dir():
        return None
    return _FORMATS.get(path.suffix.lower())


@contextmanager
def open_records(form: str | None, folder: Path | None, name: str) -> Iterator[Write[Mapping[str, Any]]]:
    """Write records, and a record per failure: to stdout, to a file, or to two files in a folder.

    form: None: as the name of the file ends, otherwise jsonl; folder: a folder, whose files are ``NAME.*``
    and ``failures.*``; or the file, see `names_file`.
    """
    from webgrain.base.failures import Failure, failure_record
    from webgrain.io.write import open_writer

    form = form or format_of_name(folder) or "jsonl"
    with ExitStack() as stack:
        if folder is None or folder == STDOUT:
            records = failures = stack.enter_context(open_writer(form, "-"))
        elif names_file(folder, form):
            records = failures = stack.enter_context(open_writer(form, folder))
        else:
            make_folder(folder)
            records = stack.enter_context(open_writer(form, folder / f"{name}.{form}"))
            failures = stack.enter_context(open_writer(form, folder / f"failures.{form}"))

        def write(result: Mapping[str, Any] | Failure) -> None:
            if isinstance(result, Failure):
                failures.write(failure_record(result))
            else:
                records.write(result)

        yield write


def write_segments(
    results: Iterable[Segmented | Failure],
    output: Output,
    strict: bool,
    name: str = "segments",
    record: Callable[[Page, Segmentation], dict[str, Any]] | None = None,
    total: int | None = None,
) -> None:
    """Write the segments of pages; in a folder also ``overlays/*.png`` and ``gallery.html``.

    record: returns the record of a page; None: that of its segmentation; total: number of pages, None if
    unknown.
    """
    from webgrain.page.segmentation import segmentation_record

    if output.pictures:
        require("PIL", "render", "Pictures")
    made = _segment_records(results, output, record or segmentation_record)
    run(made, open_records(output.form, output.folder, name), strict, place=output.folder, total=total)


def _segment_records(
    results: Iterable[Segmented | Failure],
    output: Output,
    record: Callable[[Page, Segmentation], dict[str, Any]],
) -> Iterator[dict[str, Any] | Failure]:
    """Yield the record of each page, and a failure if its picture cannot be drawn."""
    from webgrain.base.failures import Failure
    from webgrain.engines.guard import run_step
    from webgrain.io.local import safe_name
    from webgrain.page.segmentation import segments

    folder = output.folder or Path()
    overlays = folder / "overlays"
    with _gallery(folder / "gallery.html") if output.html else nullcontext() as gallery:
        if output.overlay:
            make_folder(overlays)

        def draw(result: Segmented) -> Failure | None:
            if result.picture is None or isinstance(result.picture, Failure):
                return result.picture
            blocks = segments(result.page, result.segmentation)
            if output.overlay:
                from webgrain.report.pictures import overlay

                (overlays / f"{safe_name(result.id)}.png").write_bytes(overlay(result.picture, blocks))
            if gallery:
                gallery.add(result.picture, result.segmentation, blocks)
            return None

        for result in results:
            made = run_step(result, "record", lambda result: record(result.page, result.segmentation))
            yield made
            is_drawn = output.pictures and not isinstance(made, Failure)
            failure = run_step(result, "picture", draw) if is_drawn else made
            if not isinstance(failure, Failure):
                continue
            if gallery:
                gallery.add_failure(failure)
            if failure is not made:
                yield failure


def _gallery(path: Path) -> AbstractContextManager[Gallery]:
    """Return the file of a gallery, open for writing."""
    from webgrain.report.documents import open_gallery

    return open_gallery(path)


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that could control a terminal."""


@contextmanager
def open_text(path: Path | None) -> Iterator[Callable[[str], object]]:
    """Give a function that writes a text without control characters to a file, or to stdout if None.

    If the reader of stdout ends early (``| head``), the block ends quietly.
    """
    from webgrain.io.write import discard_stdout

    if path is not None:
        with naming(path), path.open("w", encoding="utf-8", errors="replace") as file:
            yield lambda text: file.write(_CONTROL.sub("", text))
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        yield lambda text: sys.stdout.write(
            _CONTROL.sub("", text).encode(encoding, "replace").decode(encoding)
        )
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()


def check_target(path: Path) -> None:
    """Check before any computation that a file can be written; `InputError` otherwise."""
    folder = path.absolute().parent
    if path.is_dir() or not folder.is_dir():
        raise InputError(f"Expected the name of a file in an existing folder, got {path}.")
    with writing(path):
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():  # opening a device or a pipe could end it
            TemporaryFile(dir=folder).close()


def check_json_target(path: Path, name: str = "-o") -> None:
    """Check as `check_target` that a file of JSON can be written; name: of the option that names it.

    Raises `ParameterError` if the file has the ending of another format.
    """
    ending = path.suffix.lower()
    if ending in _ENDINGS and ending != ".json":
        raise ParameterError(f"{name} {path}: the file is written as JSON; choose a name that ends in .json.")
    check_target(path)


def make_folder(path: Path) -> None:
    """Make a folder for results; `InputError` if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=path).close()
    except OSError as error:
        raise InputError(f"The folder {path} cannot be written: {error.strerror}.") from error
