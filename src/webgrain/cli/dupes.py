"""``webgrain dupes`` and ``webgrain compare``: find near-duplicates, and show two pages side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Literal

from webgrain.base.errors import InputError, ParameterError
from webgrain.cli import options
from webgrain.cli.options import option, with_options
from webgrain.cli.output import check_target, open_records, open_text, run

if TYPE_CHECKING:
    from webgrain.base.failures import Failure
    from webgrain.duplicates.index import DuplicateIndex

By = Literal["specific", "shingles"]


@dataclass(frozen=True, slots=True)
class PageOptions(options.InputOptions):
    """The pages to read; optional if there is an index."""

    def __post_init__(self) -> None:
        """Accept missing inputs: the command checks them."""

    @property
    def empty(self) -> bool:
        """Whether no input is named."""
        return not (self.inputs or self.urls)


@dataclass(frozen=True, slots=True)
class Indexes:
    """Files of sketches.

    Options:
        index: Add the sketches of the pages to the index in FILE, and search all of it.
        against: Also compare with the pages of this index.
    """

    index: Path | None = option(None, "--index FILE")
    against: Path | None = option(None, "--against FILE")

    def check(self, no_input: bool) -> None:
        """Check that there is something to compare; `InputError` otherwise."""
        if no_input and self.index is None:
            raise InputError("Name at least one input, or an index with --index.")
        for path in (self.index if no_input else None, self.against):
            if path and not path.is_file():
                raise InputError(f"There is no index {path}.")

    def open_older(self) -> AbstractContextManager[DuplicateIndex | None]:
        """Open the index that is only compared with; None without --against."""
        from webgrain.duplicates.index import DuplicateIndex

        return DuplicateIndex(self.against, read_only=True) if self.against else nullcontext()


@with_options
def dupes(
    *,
    inputs: PageOptions,
    method: By = option("specific", "--method NAME"),
    indexes: Indexes,
    threshold: float | None = option(None, "--threshold X"),
    same_template: bool = option(False, "--same-template"),
    clusters: Path | None = option(None, "--clusters FILE"),
    form: options.Format | None = options.FORMAT,
    folder: Path | None = options.FOLDER,
    strict: bool = options.STRICT,
) -> None:
    """Find near-duplicates among pages.

    Pages are compared by the runs of six words that are specific to them: those that few pages of their site
    have. Writes a record per pair to stdout: a, b, verdict (same-page, same-content,
    near-duplicate, contains; with --same-template also same-template and too-little-text), similarity, a_in_b
    and b_in_a (share of what is specific to one page that the other contains), a_specific and b_specific
    (numbers of these runs), a_only and b_only (the beginning of the text that the other page lacks), URLs,
    cluster and representative. A failed page gives a record with stage, error and seconds. With -o DIR the
    records are in DIR/pairs.jsonl and DIR/failures.jsonl. With --index and no INPUT, all pairs in the index
    are reported.

    Example: webgrain dupes site/ --clusters keep.csv

    Options:
        method: specific (text that is specific to a page within its site) or shingles (the published test:
            at least 4 of the 8 smallest shingles of the largest segment).
        threshold: Similarity from which pages are near-duplicates, above 0 to 1. Default: as learnt for
            pages of one site, 0.5 on a site of few pages, 0.15 for others.
        same_template: Also report pairs that share a template but not their content, or have too little text.
        clusters: Write whether to keep each page (page, keep, cluster, representative) to FILE: .jsonl, .csv
            or .parquet.
    """
    from webgrain.duplicates.index import DuplicateIndex
    from webgrain.duplicates.search import Search
    from webgrain.duplicates.shingles import Shingles
    from webgrain.papers.gcuts import GCuts
    from webgrain.site import duplicates
    from webgrain.site.duplicates import largest_segment, published_records

    indexes.check(inputs.empty)
    search = Search(duplicates.check_threshold(threshold), same_template)
    output = open_records(form, folder, "pairs")
    if method == "shingles":
        if inputs.empty or indexes.index or indexes.against:
            raise ParameterError("--method shingles needs inputs and takes no index.")
        published = published_records(inputs.read(), largest_segment(GCuts()), Shingles())
        run(_pairs(published), output, strict)
        return
    if clusters and (inputs.empty or clusters.suffix[1:] not in ("jsonl", "csv", "parquet")):
        raise ParameterError("--clusters needs an input and a file that ends in .jsonl, .csv or .parquet.")
    if clusters:
        check_target(clusters)  # before the work: a failure at its end would lose the pairs
    with indexes.open_older() as older, DuplicateIndex(indexes.index) as index:
        if inputs.empty:
            with output as write:
                for record in duplicates.duplicates_of(index, None, older, search):
                    write(record)
            return
        texts = duplicates.texts_to_compare(inputs.read())
        pairs = duplicates.duplicate_records(texts, index, older, search)
        run(_pairs(pairs, clusters), output, strict)


def _pairs(results: Iterable[Any], clusters: Path | None = None) -> Iterator[dict[str, Any] | Failure | None]:
    """Yield failures and the records of pairs; None for a page that was read.

    clusters: a file; at the end, whether to keep each page is written to it.
    """
    from webgrain.duplicates.sketches import PageText
    from webgrain.io.write import open_writer
    from webgrain.page.page import Page
    from webgrain.site import duplicates

    names: list[str] = []
    pairs: list[dict[str, Any]] = []
    for result in results:
        if isinstance(result, Page | PageText):
            if clusters:
                names.append(result.id)
            yield None
            continue
        if clusters and isinstance(result, dict):
            pairs.append({name: result[name] for name in ("a", "b", "cluster", "representative")})
        yield result
    if clusters:
        columns = ("page", "keep", "cluster", "representative")
        with open_writer(clusters.suffix[1:], clusters, columns) as table:
            for row in duplicates.keep_rows(pairs, names):
                table.write(row)


_Form = Literal["text", "html"]


@with_options
def show_differences(
    *,
    a: str = option(..., "A"),
    b: str = option(..., "B"),
    threshold: float | None = option(None, "--threshold X"),
    form: _Form = option("text", "--format FORMAT"),
    file: Path | None = option(None, "-o --output FILE"),
) -> None:
    """Show two pages side by side and mark the words that differ.

    The first line gives the verdict and the similarity, the share of shingles (runs of six words) in common;
    the sites of the pages are not known here. Then follow the texts in two columns: | marks lines that
    differ, < and > mark lines of one page only, [- -] and {+ +} mark words of one page only.

    Example: webgrain compare a.html b.html --format html -o difference.html

    Options:
        a: A page: a file or a URL; - reads stdin.
        b: Another page.
        threshold: Similarity from which pages are near-duplicates, above 0 to 1. Default: 0.5 for pages of
            one site, 0.15 for others.
        form: Format of the comparison: text or html (one file).
        file: File for the comparison. Default: stdout.
    """
    from webgrain.io.read import read
    from webgrain.report.difference import as_html, as_text
    from webgrain.site.duplicates import compare_pages, texts_to_compare

    if file is not None:
        check_target(file)
    comparison = compare_pages(texts_to_compare(read([a, b])), threshold)
    with open_text(file) as write:
        if form == "html":
            write(as_html(comparison))
        else:
            for line in as_text(comparison, get_terminal_size((120, 24)).columns):
                write(f"{line}\n")
