"""Go through the results of a run: progress and failures.

Where results go: to stdout, into a folder with pictures, into a page store.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, TypeVar

from typer import Exit

from webgrain.engines.guard import run_step
from webgrain.errors import InputError, ParameterError, require
from webgrain.io.local import safe_name
from webgrain.io.store import open_store
from webgrain.io.write import open_writer
from webgrain.records import failure_record, segmentation_record
from webgrain.report.boxes import overlay
from webgrain.report.documents import open_gallery
from webgrain.report.terminal import plain
from webgrain.results import Failure, segments

if TYPE_CHECKING:
    from webgrain.cli.options import Output
    from webgrain.io.write import Writer
    from webgrain.page.page import Page
    from webgrain.pipeline import Segmented
    from webgrain.results import Segmentation

    Record = Callable[[Page, Segmentation], dict[str, Any]]


T = TypeVar("T")

Write = Callable[[T | Failure], Failure | None]
"""Writes one result; returns a failure if something went wrong in writing it."""


def run(results: Iterable[T | Failure], output: AbstractContextManager[Write[T]], strict: bool) -> None:
    """Write all results to an output; failures also get a line on stderr, and with ``strict`` exit code 1."""
    found = failed = False
    with output as write, _progress() as advance:
        for result in results:
            found = True
            failure = write(result) or (result if isinstance(result, Failure) else None)
            if failure:
                failed = True
                say(failure)
            advance()
    if not found:
        print("webgrain: there is no page in the input.", file=sys.stderr)
    if strict and failed:
        raise Exit(1)


def passed(items: Iterable[T | Failure]) -> Iterator[T]:
    """Yield what did not fail; failures get a line on stderr."""
    for item in items:
        if isinstance(item, Failure):
            say(item)
        else:
            yield item


def say(failure: Failure) -> None:
    """Say on stderr that a page failed."""
    print(f"webgrain: {describe(failure)}", file=sys.stderr)


def describe(failure: Failure) -> str:
    """Return a failure as one line that is safe for a terminal."""
    return f"{plain(failure.page, 200)}: {failure.stage}: {plain(failure.error, 500)}"


@contextmanager
def _progress() -> Iterator[Callable[[], None]]:
    """Give a function to call after each page; the bar is shown only where it disturbs nothing."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("page {task.completed}"), TimeElapsedColumn())
    # Were stdout redirected, the bar would swallow the records.
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=None)
        yield lambda: bar.advance(task)


@contextmanager
def open_output(
    output: Output, name: str = "segments", record: Record = segmentation_record
) -> Iterator[Write[Segmented]]:
    """Give the function that writes the segments of one page, and returns why if it cannot.

    name: of the file in the folder; record: makes what is written of a page.
    """
    if output.pictures:
        require("PIL", "render", "Pictures")
    with ExitStack() as stack:
        if output.folder is None:
            yield Stream(stack.enter_context(open_writer(output.format.value, "-")), record).write
        else:
            yield Folder(output.folder, name, record, output, stack).write


@contextmanager
def open_rendered(path: Path) -> Iterator[Write[Page]]:
    """Give the function that puts a page into the store, or a failure on stdout."""
    if path.suffix.lower() != ".parquet":  # inputs are told apart by their names
        raise ParameterError(f"The name of a page store must end in .parquet, got {path}.")
    with open_store(path) as store, open_writer("jsonl", "-") as failures:

        def write(result: Page | Failure) -> None:
            if isinstance(result, Failure):
                failures.write(failure_record(result))
            else:
                store.write(result)

        yield write


class Stream:
    """One stream of records: pages and failures in the order in which they come."""

    def __init__(self, records: Writer, record: Record) -> None:
        self._records = records
        self._record = record

    def write(self, result: Segmented | Failure) -> Failure | None:
        """Write one result."""
        record = as_record(result, self._record)
        self._records.write(failure_record(record) if isinstance(record, Failure) else record)
        return record if isinstance(record, Failure) else None


class Folder:
    """A folder of results: ``NAME.jsonl``, ``failures.jsonl``, ``overlays/*.png``, ``gallery.html``."""

    def __init__(self, folder: Path, name: str, record: Record, output: Output, stack: ExitStack) -> None:
        ending = output.format.value
        self._record = record
        self._overlays = folder / "overlays" if output.overlay else None
        for path in filter(None, (folder, self._overlays)):
            make_folder(path)
        self._records = stack.enter_context(open_writer(ending, folder / f"{name}.{ending}"))
        self._failures = stack.enter_context(open_writer(ending, folder / f"failures.{ending}"))
        self._gallery = stack.enter_context(open_gallery(folder / "gallery.html")) if output.html else None

    def write(self, result: Segmented | Failure) -> Failure | None:
        """Write one result; its pictures may fail, its record is there all the same."""
        record = as_record(result, self._record)
        if isinstance(record, Failure):
            return self._fail(record)
        self._records.write(record)
        drawn = run_step(result, "picture", self._draw)
        return self._fail(drawn) if isinstance(drawn, Failure) else None

    def _fail(self, failure: Failure) -> Failure:
        self._failures.write(failure_record(failure))
        if self._gallery:
            self._gallery.add_failure(failure)
        return failure

    def _draw(self, result: Segmented) -> Failure | None:
        if result.picture is None or isinstance(result.picture, Failure):
            return result.picture
        blocks = segments(result.page, result.segmentation)
        if self._overlays:
            (self._overlays / f"{safe_name(result.id)}.png").write_bytes(overlay(result.picture, blocks))
        if self._gallery:
            self._gallery.add(result.picture, result.segmentation, blocks)
        return None


def as_record(result: Segmented | Failure, record: Record) -> dict[str, Any] | Failure:
    """Return the record of a page, or why there is none."""
    return run_step(result, "record", lambda found: record(found.page, found.segmentation))


def check_target(path: Path) -> None:
    """Say before anything is computed that a file cannot be written: `InputError`."""
    folder = path.absolute().parent
    if path.is_dir() or not folder.is_dir():
        raise InputError(f"Expected the name of a file in a folder that exists, got {path}.")
    try:
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():  # a device or a pipe is left alone: to open it may be to end it
            TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from error


def make_folder(path: Path) -> None:
    """Make a folder to write to; `InputError` where that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder {path} cannot be made: {error.strerror}.") from error
    try:
        TemporaryFile(dir=path).close()
    except OSError as error:
        raise InputError(f"The folder {path} cannot be written: {error.strerror}.") from error
