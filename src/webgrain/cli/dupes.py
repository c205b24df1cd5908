"""``webgrain dupes``: pages in, pairs of pages that say the same out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from webgrain.cli.options import Browser, Format, Inputs, Method, Rendering, Strict, grouped
from webgrain.errors import InputError

if TYPE_CHECKING:
    from webgrain.cli.output import Write
    from webgrain.duplicates.index import DuplicateIndex
    from webgrain.duplicates.minhash import MinHash
    from webgrain.duplicates.search import Search
    from webgrain.pipeline import Predictor
    from webgrain.site.duplicates import Content


class By(StrEnum):
    """Texts that two pages are compared by."""

    page = "page"
    content = "content"
    both = "both"


class Main(StrEnum):
    """What the main content of a page is."""

    segment = "segment"
    landmark = "landmark"


class Largest(StrEnum):
    """What makes a segment large."""

    text = "text"
    area = "area"
    leaves = "leaves"


@dataclass(frozen=True, slots=True)
class Pages(Inputs):
    """What to read; an index alone is enough."""

    def __post_init__(self) -> None:
        """Leave it to the command whether there must be an input."""


@dataclass(frozen=True, slots=True)
class Cut(Method):
    """How pages are cut to find their main contents."""

    method: Annotated[
        str | None,
        Option(
            "--method",
            metavar="NAME",
            show_default=False,
            help="How pages are cut: gcuts, learntcut or cclus [default: gcuts, whose largest segment is the "
            "main content most often, or that of the weights].",
        ),
    ] = None

    def create(self) -> Predictor:
        """Return the method with the parameters that were given; `ParameterError` for a wrong one."""
        given = self if self.method or self.weights else replace(self, method="gcuts")
        return Method.create(given)


@dataclass(frozen=True, slots=True)
class Compared:
    """Which texts are compared, and how alike they must be."""

    by: Annotated[
        By, Option("--by", metavar="TEXT", help="Compare the text of the page, its main content, or both.")
    ] = By.both
    content: Annotated[
        Main,
        Option(
            "--content",
            metavar="WHAT",
            help="The main content: the largest segment, or the landmark (main or article element).",
        ),
    ] = Main.segment
    largest: Annotated[
        Largest,
        Option("--largest", metavar="SIZE", help="What makes a segment large: its text, area or leaves."),
    ] = Largest.text
    layouts: Annotated[
        Path | None,
        Option(
            "--layouts",
            metavar="FILE",
            show_default=False,
            help="The main content is the article that this model of webgrain learn layouts finds.",
        ),
    ] = None
    template: Annotated[
        Path | None,
        Option(
            "--template",
            metavar="FILE",
            show_default=False,
            help="The main content are the sections that are no noise by this template of the site.",
        ),
    ] = None
    threshold: Annotated[
        float,
        Option("--threshold", metavar="X", help="Share of common shingles from which texts are duplicates."),
    ] = 0.8
    templates: Annotated[
        bool, Option("--all", help="Also pairs of one template that say something else.")
    ] = False

    def finder(self, method: Method) -> Content | None:
        """Return what finds the main content; none where it is not compared."""
        from webgrain.site.duplicates import Segments, article, informative, landmark

        if self.by is By.page:
            return None
        if self.layouts:
            from webgrain.layouts.sitelayouts import read_layouts

            return article(read_layouts(self.layouts).predict)
        if self.template:
            from webgrain.templates.sections import Sectioner
            from webgrain.templates.template import read_template

            sectioner = Sectioner(template=read_template(self.template))
            return informative(lambda page: sectioner.predict(page).segmentation("template"))
        return landmark if self.content is Main.landmark else Segments(method.create(), self.largest.value)

    def signatures(self) -> MinHash:
        """Return how signatures are made; `ParameterError` for a wrong threshold."""
        from webgrain.duplicates.minhash import MinHash

        return MinHash(threshold=self.threshold)

    def search(self) -> Search:
        """Return what is looked for."""
        from webgrain.duplicates.search import Search

        return Search(self.by.value, self.threshold, self.templates)


@dataclass(frozen=True, slots=True)
class Indexes:
    """Where signatures are kept."""

    index: Annotated[
        Path | None,
        Option("--index", metavar="FILE", help="Keep the signatures in FILE, with those that are there."),
    ] = None
    against: Annotated[
        Path | None, Option("--against", metavar="FILE", help="Also compare with the pages of this index.")
    ] = None

    def open_older(self, method: MinHash) -> AbstractContextManager[DuplicateIndex | None]:
        """Open the index that is only compared with; none where there is none."""
        from webgrain.duplicates.index import DuplicateIndex

        if self.against and not self.against.exists():
            raise InputError(f"There is no index {self.against}.")
        return DuplicateIndex(self.against, method, read_only=True) if self.against else nullcontext()

    def check(self, no_input: bool) -> None:
        """Say what is wrong with the index, which alone is enough; `InputError`."""
        if no_input and self.index is None:
            raise InputError("Name at least one input, or an index with --index.")
        if no_input and self.index and not self.index.is_file():
            raise InputError(f"There is no index {self.index}.")

    def open_index(self, method: MinHash) -> DuplicateIndex:
        """Open the index that pages are added to, a temporary one where none is named."""
        from webgrain.duplicates.index import DuplicateIndex

        return DuplicateIndex(self.index, method)


@grouped
def dupes(
    *,
    inputs: Pages,
    compared: Compared,
    indexes: Indexes,
    method: Cut,
    rendering: Rendering,
    browser: Browser,
    format: Annotated[  # noqa: A002 - the option's name
        Format, Option("--format", metavar="FORMAT", help="Format of the records: jsonl, csv or parquet.")
    ] = Format.jsonl,
    folder: Annotated[
        Path | None, Option("-o", "--output", metavar="DIR", help="Write to this folder, not to stdout.")
    ] = None,
    curve: Annotated[
        bool, Option("--curve", help="Print how likely texts meet, by how alike they are, and stop.")
    ] = False,
    strict: Strict = False,
) -> None:
    """Find pages that say the same, whatever surrounds it.

    Writes a record per pair to stdout: a, b, verdict (identical, near-duplicate, same-content, with --all
    also same-template), similarity, the similarities of pages, main contents and frames, addresses and XPaths
    of the main contents, cluster and representative. A page that fails gives a record with stage, error and
    seconds. With -o DIR the records are in DIR/pairs.jsonl and DIR/failures.jsonl. With --index and no INPUT:
    all pairs in the index.

    Example: webgrain dupes site/ --index dupes.db
    """
    from webgrain.cli.output import run
    from webgrain.site import duplicates

    if curve:
        _print_curve(compared.signatures())
        return
    no_input = not (inputs.inputs or inputs.urls)
    indexes.check(no_input)
    layout = browser.layout(rendering, screenshot=False)
    content, search, signatures = compared.finder(method), compared.search(), compared.signatures()
    with (
        indexes.open_older(signatures) as older,
        indexes.open_index(older.method if older else signatures) as index,
        _open_output(format, folder) as write,
    ):
        if no_input:
            for record in duplicates.duplicates_of(index, None, older, search):
                write(record)
            return
        texts = duplicates.page_texts(inputs.read(), content, layout)
        run(duplicates.duplicate_records(texts, index, older, search), nullcontext(write), strict)


def _print_curve(method: MinHash) -> None:
    """Print the bands, and the probability that two texts meet as a bar by every twentieth of resemblance."""
    print(f"threshold {method.threshold:g}: {method.bands} bands of {method.rows} hashes")
    print("resemblance  probability of being compared")
    for step in range(21):
        met = float(method.probability(step / 20))
        print(f"{step / 20:11.2f}  {met:.3f} {'█' * round(40 * met)}".rstrip())


@contextmanager
def _open_output(kind: Format, folder: Path | None) -> Iterator[Write[object]]:
    """Give the function that writes pairs and failures; of a text that was read there is nothing to write."""
    from webgrain.cli.output import make_folder
    from webgrain.io.write import open_writer
    from webgrain.records import failure_record
    from webgrain.results import Failure

    with ExitStack() as stack:
        if folder is None:
            pairs = failures = stack.enter_context(open_writer(kind.value, "-"))
        else:
            make_folder(folder)
            pairs = stack.enter_context(open_writer(kind.value, folder / f"pairs.{kind.value}"))
            failures = stack.enter_context(open_writer(kind.value, folder / f"failures.{kind.value}"))

        def write(result: object) -> None:
            if isinstance(result, Failure):
                failures.write(failure_record(result))
            elif isinstance(result, dict):
                pairs.write(result)

        yield write
