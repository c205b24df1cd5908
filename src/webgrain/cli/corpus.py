"""``webgrain corpus``: the main texts of many pages in one file, without near-duplicates."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from click.exceptions import Exit

from webgrain import engines
from webgrain.base.errors import InputError, ParameterError
from webgrain.cli import options
from webgrain.cli.options import option, with_options
from webgrain.cli.output import check_target, format_of_name, report, report_failure
from webgrain.cli.progress import progress

if TYPE_CHECKING:
    from webgrain.io.read import Item
    from webgrain.site.corpus import CorpusCounts, DocumentFilter


_SHOWN_FAILURES = 10
"""Failures that are printed; --dropped lists all."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which documents belong to the corpus.

    Options:
        language: Keep only documents in this language, such as en. May be repeated. Default: all.
        kind: Keep only documents of this kind: article, thread, product, list, documentation or other. May
            be repeated. Default: all.
        min_length: Keep only texts of at least N characters.
        min_confidence: Keep only documents with at least this confidence, 0 to 1.
        duplicates: Keep near-duplicates; otherwise the first page of each group stays.
    """

    language: list[str] | None = option(None, "--language CODE")
    kind: list[str] | None = option(None, "--kind KIND")
    min_length: int = option(1, "--min-length N", min=0)
    min_confidence: float = option(0.0, "--min-confidence P", min=0, max=1)
    duplicates: bool = option(False, "--keep-duplicates")

    def create(self) -> DocumentFilter:
        """Return the filter; `ParameterError` for an unknown kind."""
        from webgrain.site.corpus import DocumentFilter

        return DocumentFilter(
            languages=tuple(self.language or ()),
            kinds=tuple(self.kind or ()),
            least_length=self.min_length,
            least_confidence=self.min_confidence,
            duplicates=self.duplicates,
        )


@with_options
def make_corpus(
    *,
    inputs: options.InputOptions,
    output: Path = option(..., "-o --output FILE"),
    selection: Selection,
    text: Literal["plain", "markdown"] = option("plain", "--text FORM"),
    dropped: Path | None = option(None, "--dropped FILE"),
    work: Path | None = option(None, "--work DIR"),
    workers: int | None = option(None, "--workers N", min=1),
    engine: engines.EngineName = option("local", "--engine NAME"),
    strict: bool = options.STRICT,
) -> None:
    """Write the main texts of many pages to one file, without near-duplicates.

    The input may contain pages of any number of hosts. Each page is read with the texts that the pages of its
    host share, if there are enough of them. A document is a row with page, url, site, kind, title, text,
    comments, language and other metadata, and the confidence of the extraction. Of near-duplicates, also of
    different hosts, the first page stays. The command prints how many pages were left out, and why. If it is
    interrupted, the same command resumes it.

    Example: webgrain corpus crawl.warc.gz -o corpus.parquet --language en --min-length 300

    Options:
        output: File of the corpus: .parquet, .jsonl or .csv.
        text: Form of the texts: plain or markdown.
        dropped: Also write a table of the pages that were left out, with the reasons, to FILE (.csv).
        work: Folder of intermediate files, which stays: another selection needs no new extraction. Default: a
            folder beside the output, which is removed at the end.
        workers: Processes. Default: one per core.
        engine: local (processes on this machine) or ray (a cluster).
    """
    from webgrain.extraction.options import ExtractionOptions
    from webgrain.report.terminal import count
    from webgrain.site.corpus import CorpusPlan, build_corpus

    form = format_of_name(output)
    if form is None:
        raise ParameterError(f"-o {output}: the name of a corpus ends in .parquet, .jsonl or .csv.")
    if dropped is not None and dropped.suffix.lower() != ".csv":
        raise ParameterError(f"--dropped {dropped}: the name ends in .csv.")
    if dropped is not None and dropped.resolve() == output.resolve():
        raise ParameterError(f"--dropped {dropped}: the corpus is written to this file.")
    for path in filter(None, (output, dropped)):
        check_target(path)
    keep = selection.create()
    plan = CorpusPlan(
        made_of=inputs.made_of,
        markdown=text == "markdown",
        extraction=ExtractionOptions(),
        guard=inputs.guard,
    )
    folder = work or output.with_name(f"{output.name}.work")
    read = _reader(inputs, folder, [path for path in (output, dropped) if path is not None])
    runner = engines.engine(engine, workers)
    try:
        with progress(records=False) as advance:
            counts = build_corpus(
                read,
                output,
                folder,
                plan,
                keep,
                runner,
                form=form,
                dropped=dropped,
                progress=advance,
            )
    except KeyboardInterrupt:
        report("Interrupted: the same command resumes the corpus.")
        raise
    if work is None:
        shutil.rmtree(folder, ignore_errors=True)
    for failure in counts.failures[:_SHOWN_FAILURES]:
        report_failure(failure)
    print("\n".join(_lines(counts, output)))
    if len(counts.failures) == counts.pages:
        raise InputError("Each page failed, so there is no result.")
    if strict and counts.failures:
        report(f"{count(len(counts.failures), 'page')} failed.")
        raise Exit(1)


def _reader(
    inputs: options.InputOptions, folder: Path, targets: list[Path]
) -> Callable[[int], Iterable[Item]]:
    """Return a function that reads the input from a given page on; the archives in folders are read too.

    Raises `InputError` for an invalid input, and for one that a result would replace.
    """
    from webgrain.io.read import warcs_in
    from webgrain.site.audit import check_apart

    if "-" in (inputs.inputs or []):
        raise InputError("A corpus needs many pages, but stdin holds only one page.")
    places = [Path(name) for name in inputs.inputs or []]
    check_apart(places, folder)
    for target in targets:
        if any(target.resolve() == place.resolve() for place in places):
            raise InputError(f"{target} is an input: name another file for the result.")
    names = [name for path in places for name in (str(path), *map(str, warcs_in(path)))]
    inputs.read(names)  # raises an error for an invalid input
    return lambda first: inputs.read(names, first)


def _lines(counts: CorpusCounts, output: Path) -> Iterator[str]:
    """Yield the summary for the terminal."""
    from webgrain.report.terminal import count

    yield (
        f"{output}: {count(counts.documents, 'document')} of {count(counts.pages, 'page')}, "
        f"{count(counts.characters, 'character')}"
    )
    for reason, pages in counts.left_out.most_common():
        yield f"  {pages:8,}  left out: {reason}"
