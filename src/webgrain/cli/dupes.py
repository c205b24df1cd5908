"""``webgrain dupes`` and ``webgrain compare``: find near-duplicates, and show two pages side by side."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from webgrain.cli import options
from webgrain.cli.options import layout, option, with_options
from webgrain.errors import InputError

if TYPE_CHECKING:
    from webgrain.duplicates.index import DuplicateIndex
    from webgrain.duplicates.minhash import MinHash
    from webgrain.duplicates.search import Search
    from webgrain.pipeline import Predictor
    from webgrain.site.duplicates import Content


By = Literal["page", "content", "both"]
Main = Literal["segment", "landmark"]
Largest = Literal["text", "area", "leaves"]


@dataclass(frozen=True, slots=True)
class Pages(options.Inputs):
    """The pages to read; optional if there is an index."""

    def __post_init__(self) -> None:
        """Accept missing inputs: the command checks them."""

    @property
    def empty(self) -> bool:
        """Whether no input is named."""
        return not (self.inputs or self.urls)


@dataclass(frozen=True, slots=True)
class ContentMethod(options.Method):
    """The segmentation method that finds the main content.

    Options:
        method: Segmentation method: gcuts, learntcut or cclus. Default: gcuts (its largest segment is the
            main content most often), or the method of the weights.
    """

    method: str | None = option(None, "--method NAME")

    def create(self, default: str | None = "gcuts") -> Predictor:
        """Return the method with the given parameters; `ParameterError` for an invalid one."""
        return options.Method.create(self, default)


@dataclass(frozen=True, slots=True)
class Compared:
    """The texts to compare, and the minimum similarity.

    Options:
        by: Compare the text of the page, its main content, or both.
        content: Main content: segment (the largest segment) or landmark (the main or article element).
        largest: Size of a segment: its text, its area or its number of leaves.
        layouts: Use the articles of this model from webgrain learn layouts as main content.
        template: Use the sections that are not boilerplate according to this template as main content.
        same_template: Also report pairs that share a template but not their content.
    """

    by: By = option("both", "--by TEXT")
    content: Main = option("segment", "--content WHAT")
    largest: Largest = option("text", "--largest SIZE")
    layouts: Path | None = option(None, "--layouts FILE")
    template: Path | None = option(None, "--template FILE")
    threshold: float = options.THRESHOLD
    same_template: bool = option(False, "--same-template")

    def content_finder(self, method: options.Method) -> Content | None:
        """Return the function that finds the main content; None if it is not compared."""
        from webgrain.site.duplicates import Segments, article, informative, landmark

        if self.by == "page":
            return None
        if self.layouts:
            from webgrain.layouts.sitelayouts import read_layouts

            return article(read_layouts(self.layouts).predict)
        if self.template:
            from webgrain.templates.sections import Sectioner
            from webgrain.templates.template import read_template

            sectioner = Sectioner(template=read_template(self.template))
            return informative(lambda page: sectioner.predict(page).segmentation("template"))
        return landmark if self.content == "landmark" else Segments(method.create(), self.largest)

    def search(self) -> Search:
        """Return the criteria of a pair."""
        from webgrain.duplicates.search import Search

        return Search(self.by, self.threshold, self.same_template)


@dataclass(frozen=True, slots=True)
class Indexes:
    """Files of signatures.

    Options:
        index: Add the signatures of the pages to the index in FILE, and search all of it.
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

    def open_older(self, method: MinHash) -> AbstractContextManager[DuplicateIndex | None]:
        """Open the index that is only compared with; None without --against."""
        from webgrain.duplicates.index import DuplicateIndex

        return DuplicateIndex(self.against, method, read_only=True) if self.against else nullcontext()


@with_options
def dupes(
    *,
    inputs: Pages,
    compared: Compared,
    indexes: Indexes,
    method: ContentMethod,
    rendering: options.Rendering,
    browser: options.Browser,
    form: options.Format = options.FORMAT,
    folder: Path | None = options.FOLDER,
    curve: bool = option(False, "--curve"),
    strict: bool = options.STRICT,
) -> None:
    """Find near-duplicates among pages.

    Writes a record per pair to stdout: a, b, verdict (identical, near-duplicate, same-content; with
    --same-template also same-template), similarity, the similarities of the pages, of their main content and
    of the rest, URLs, XPaths of the main content, cluster and representative. A failed page gives a record
    with stage, error and seconds. With -o DIR the records are in DIR/pairs.jsonl and DIR/failures.jsonl. With
    --index and no INPUT, all pairs in the index are reported.

    Example: webgrain dupes site/ --index dupes.db

    Options:
        curve: Only print the probability that two texts are compared, by their similarity.
    """
    from webgrain.cli.output import open_records, run
    from webgrain.duplicates.index import DuplicateIndex
    from webgrain.duplicates.minhash import MinHash
    from webgrain.site import duplicates

    signatures = MinHash(threshold=compared.threshold)
    if curve:
        _print_curve(signatures)
        return
    indexes.check(inputs.empty)
    boxes, content, search = layout(rendering, browser), compared.content_finder(method), compared.search()
    with (
        indexes.open_older(signatures) as older,
        DuplicateIndex(indexes.index, older.method if older else signatures) as index,
        open_records(form, folder, "pairs", _pair) as write,
    ):
        if inputs.empty:
            for record in duplicates.duplicates_of(index, None, older, search):
                write(record)
        else:
            texts = duplicates.page_texts(inputs.read(), content, boxes)
            run(duplicates.duplicate_records(texts, index, older, search), nullcontext(write), strict)


def _pair(result: object) -> dict[str, Any] | None:
    """Return the record of a pair; None for a page that was read."""
    return result if isinstance(result, dict) else None


def _print_curve(method: MinHash) -> None:
    print(f"threshold {method.threshold:g}: {method.bands} bands of {method.rows} hashes")
    print("similarity  probability of being compared")
    for step in range(21):
        probability = float(method.probability(step / 20))
        print(f"{step / 20:10.2f}  {probability:.3f} {'█' * round(40 * probability)}".rstrip())


Form = Literal["text", "html"]


@with_options
def compare(
    *,
    a: str = option(..., "A"),
    b: str = option(..., "B"),
    method: ContentMethod,
    rendering: options.Rendering,
    browser: options.Browser,
    threshold: float = options.THRESHOLD,
    form: Form = option("text", "--format FORMAT"),
    file: Path | None = option(None, "-o --output FILE"),
) -> None:
    """Show two pages side by side and mark the words that differ.

    The first line gives the verdict, and the similarity of the pages, of their main content and of the rest.
    It is the share of shingles (runs of six words) in common. Then follow the texts in two columns: | marks
    lines that differ, < and > mark lines of one page only, [- -] and {+ +} mark words of one page only.

    Example: webgrain compare a.html b.html --format html -o difference.html

    Options:
        a: A page: a file or a URL; - reads stdin.
        b: Another page.
        form: Format of the comparison: text or html (one file).
        file: File for the comparison. Default: stdout.
    """
    import sys
    from shutil import get_terminal_size

    from webgrain.cli.output import check_target
    from webgrain.io.read import read
    from webgrain.report.difference import as_html, as_text
    from webgrain.site.duplicates import Segments, compare_pages, page_texts

    if file is not None:
        check_target(file)
    texts = page_texts(read([a, b]), Segments(method.create()), layout(rendering, browser))
    comparison = compare_pages(texts, threshold)
    if form == "html":
        shown = as_html(comparison)
    else:
        lines = as_text(comparison, get_terminal_size((120, 24)).columns)
        shown = "".join(f"{line}\n" for line in lines)
    if file is None:
        sys.stdout.write(shown)
    else:
        file.write_text(shown, encoding="utf-8", errors="replace")
