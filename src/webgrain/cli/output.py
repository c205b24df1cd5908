"""Output of commands: failures on stderr, a progress bar, and results on stdout or in a folder.

A command writes its results with `run`, which takes an output: a context manager that returns a function that
writes one result and returns a `Failure` if that was impossible.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar, cast

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from typer import Exit

from webgrain.cli.options import Output
from webgrain.engines.guard import run_step
from webgrain.errors import InputError, naming, require, writing
from webgrain.io.local import safe_name
from webgrain.io.write import Writer, open_writer
from webgrain.page.page import Page
from webgrain.pipeline import Segmented
from webgrain.report.documents import open_gallery
from webgrain.report.pictures import overlay
from webgrain.report.terminal import plain
from webgrain.results import Failure, Segmentation, failure_record, segmentation_record, segments

Record = Callable[[Page, Segmentation], dict[str, Any]]

T = TypeVar("T")
Write = Callable[[T | Failure], Failure | None]


def run(results: Iterable[T | Failure], output: AbstractContextManager[Write[T]], strict: bool) -> None:
    """Write all results to an output; failures also get a line on stderr.

    Raises `InputError` if there is no result but failures, otherwise `Exit` with code 1 if there are failures
    and ``strict`` is set.
    """
    pages = failed = 0
    with output as write, progress() as advance:
        for result in results:
            pages += 1
            failure = write(result) or (result if isinstance(result, Failure) else None)
            if failure:
                failed += 1
                report_failure(failure)
            advance("page", 1)
    if not pages:
        raise InputError("The input contains no page.")
    if failed == pages:
        raise InputError("Each page failed, so there is no result.")
    if strict and failed:
        raise Exit(1)


def report(message: str) -> None:
    """Print a message on stderr."""
    print(f"webgrain: {message}", file=sys.stderr)


def report_failure(failure: Failure) -> None:
    """Print a failure on stderr, as one line that is safe for a terminal."""
    report(f"{plain(failure.page, 200)}: {failure.stage}: {plain(failure.error, 500)}")


def report_notes(page: str, notes: Iterable[str]) -> None:
    """Print the notes about a page on stderr, for output formats without a field for them."""
    for note in notes:
        report(f"{plain(page, 200)}: {note}")


def without_failures(items: Iterable[T | Failure], failures: list[Failure] | None = None) -> Iterator[T]:
    """Yield the items that are not failures; failures get a line on stderr or are added to ``failures``."""
    for item in items:
        if isinstance(item, Failure):
            report_failure(item) if failures is None else failures.append(item)
        else:
            yield item


@contextmanager
def progress(records: bool = True) -> Iterator[Callable[[str, int], None]]:
    """Give a function to call with a stage and a number of pages; on a terminal it moves a progress bar.

    records: whether records go to stdout meanwhile; there is no bar if they go to the same terminal.
    """
    if not sys.stderr.isatty() or (records and sys.stdout.isatty()):
        yield lambda stage, pages: None
        return

    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed}"), TimeElapsedColumn())
    # If stdout were redirected, the bar would delete the records.
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        tasks: dict[str, Any] = {}

        def advance(stage: str, pages: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=None)
            bar.advance(tasks[stage], pages)

        yield advance


def without_failing(write: Callable[[T], object]) -> Write[T]:
    """Return a function that writes results but not failures, which `run` reports on stderr."""

    def write_result(result: T | Failure) -> None:
        if not isinstance(result, Failure):
            write(result)

    return write_result


def write_records(form: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records to stdout in a format of `webgrain.io.write.open_writer`."""
    with open_writer(form, "-") as writer:
        for record in records:
            writer.write(record)


@contextmanager
def open_records(
    form: str, folder: Path | None, name: str, record: Callable[[T], dict[str, Any] | None]
) -> Iterator[Write[T]]:
    """Write a record per result and per failure: to stdout, or to ``NAME.*`` and ``failures.*`` in a folder.

    record: makes the record of a result; None writes nothing.
    """
    with ExitStack() as stack:
        if folder is None:
            records = failures = stack.enter_context(open_writer(form, "-"))
        else:
            make_folder(folder)
            records = stack.enter_context(open_writer(form, folder / f"{name}.{form}"))
            failures = stack.enter_context(open_writer(form, folder / f"failures.{form}"))
        yield record_writer(records, failures, record)


def record_writer(
    records: Writer, failures: Writer, record: Callable[[T], Mapping[str, Any] | None]
) -> Write[T]:
    """Return a function that writes the record of a result to ``records``, or a failure to ``failures``."""

    def write(result: T | Failure) -> Failure | None:
        made = run_step(cast("Any", result), "record", record)
        if isinstance(made, Failure):
            failures.write(failure_record(made))
            return made
        if made is not None:
            records.write(made)
        return None

    return write


@contextmanager
def open_segments(
    output: Output, name: str = "segments", record: Record = segmentation_record
) -> Iterator[Write[Segmented]]:
    """Write the segments of pages; in a folder also ``overlays/*.png`` and ``gallery.html``."""

    def as_record(result: Segmented) -> dict[str, Any]:
        return record(result.page, result.segmentation)

    if output.pictures:
        require("PIL", "render", "Pictures")
    with ExitStack() as stack:
        write_record = stack.enter_context(open_records(output.form, output.folder, name, as_record))
        pictures = Pictures(output, stack)

        def write(result: Segmented | Failure) -> Failure | None:
            failure = write_record(result)
            if failure is None:
                drawn = run_step(result, "picture", pictures.draw)
                failure = write_record(drawn) if isinstance(drawn, Failure) else None
            if failure and pictures.gallery:
                pictures.gallery.add_failure(failure)
            return failure

        yield write


class Pictures:
    """Pictures of segments in a folder: ``overlays/*.png`` and ``gallery.html``, where wanted."""

    def __init__(self, output: Output, stack: ExitStack) -> None:
        folder = output.folder or Path()
        self.overlays = folder / "overlays" if output.overlay else None
        self.gallery = stack.enter_context(open_gallery(folder / "gallery.html")) if output.html else None
        if self.overlays:
            make_folder(self.overlays)

    def draw(self, result: Segmented) -> Failure | None:
        """Draw the segments of a page; return the reason if there is no screenshot."""
        if result.picture is None or isinstance(result.picture, Failure):
            return result.picture
        blocks = segments(result.page, result.segmentation)
        if self.overlays:
            (self.overlays / f"{safe_name(result.id)}.png").write_bytes(overlay(result.picture, blocks))
        if self.gallery:
            self.gallery.add(result.picture, result.segmentation, blocks)
        return None


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that could control a terminal."""


@contextmanager
def open_text(path: Path | None) -> Iterator[Callable[[str], object]]:
    """Give a function that writes a text without control characters to a file, or to stdout if None.

    If the reader of stdout ends early (``| head``), the block ends quietly.
    """
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


def discard_stdout() -> None:
    """Discard the text that is still in the buffer of stdout, since writing it at exit would fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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


def make_folder(path: Path) -> None:
    """Make a folder for results; `InputError` if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=path).close()
    except OSError as error:
        raise InputError(f"The folder {path} cannot be written: {error.strerror}.") from error
