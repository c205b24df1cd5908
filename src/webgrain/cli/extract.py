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
from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webgrain.audit.model import Prediction
    from webgrain.audit.watch import SiteWatch
    from webgrain.cli.run import Write
    from webgrain.page.page import Page
    from webgrain.pipeline import Item
    from webgrain.results import Article, Failure


class Format(StrEnum):
    """Formats of articles."""

    text = "text"
    jsonl = "jsonl"
    parquet = "parquet"
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
    """A page, what it says, and what else the model of its site says of it."""

    page: Page
    article: Article
    said: Prediction | None = None

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
            help="What webgrain audit or learn layouts wrote, or a pattern file [default: learn from the "
            "input].",
        ),
    ] = None,
    reading: Reading,
    learning: Learning,
    format: Annotated[  # noqa: A002 - the option's name
        Format, Option("--format", metavar="FORMAT", help="text, jsonl, parquet, markdown or html.")
    ] = Format.text,
    folder: Annotated[
        Path | None,
        Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Write to this folder, not to stdout: articles.txt, .jsonl or .parquet, else a file a page.",
        ),
    ] = None,
    fail: Annotated[bool, Option("--fail", help="Exit with 1 if any page failed.")] = False,
) -> None:
    """Extract title and main text of the pages of a site.

    With the model that webgrain audit wrote, a page is read by all that is known of its site: type, template,
    layouts. Pages of a type that no longer fits its template are told of on stderr. Without --model the
    layouts are learnt from the pages themselves. A page of no known layout is read by itself.

    A record (--format jsonl) has page, url, verdict (article, index, unknown), title, text, code, comments,
    sub, blocks, layout and confidence; with the model of a site also type, type_confidence, template_match,
    fits, noise_share and lists.

    Example: webgrain extract --model result/site-model.json new-pages/ --format markdown -o articles
    """
    from webgrain.audit.model import FORMAT
    from webgrain.cli.run import run
    from webgrain.modelfile import format_of
    from webgrain.pipeline import Layout, pages
    from webgrain.run.attempt import attempt

    if model is not None and learning != Learning():
        raise ParameterError("With --model nothing is learnt: leave out the preset and what goes with it.")
    open_again = reopened(inputs)
    of_site = model is not None and format_of(model) == FORMAT
    if of_site and reading != Reading():
        raise ParameterError("The model of a site has its own thresholds: leave those of layouts out.")
    reader = _site(model, folder) if model and of_site else _layouts(model, reading, learning, open_again)
    with reader as read:
        parsed = pages(open_again(), Layout(render="none"))
        run((attempt(page, "extract", read) for page in parsed), _open(format, folder), fail)


@contextmanager
def _site(path: Path, folder: Path | None) -> Iterator[Callable[[Page], Found]]:
    """Give the function that reads a page by the model of its site; say at the end what has changed there."""
    from webgrain.audit.model import load_model
    from webgrain.audit.watch import SiteWatch

    model = load_model(path)
    watch = SiteWatch(model)

    def read(page: Page) -> Found:
        found = model.predict(page)
        watch.add(found)
        return Found(page, found.article, found)

    yield read
    _tell(watch, folder)


def _tell(watch: SiteWatch, folder: Path | None) -> None:
    """Say which types have changed; with a folder also write it there, a record a type."""
    from dataclasses import asdict

    from webgrain.io.write import open_writer
    from webgrain.report.outline import plain

    drifts = watch.drift()
    if folder is not None:
        with open_writer("jsonl", folder / "drift.jsonl") as records:
            for kind, drift in drifts.items():
                records.write({"type": kind, "level": drift.level, **asdict(drift)})
    for kind, drift in drifts.items():
        if drift.level == "alarm":
            gone = [f"{plain(change.css, 100)} is gone" for change in drift.vanished[:3]]
            told = "; ".join([f"{drift.accepted:.0%} of {drift.pages:,} pages fit the template", *gone])
            print(f"webgrain: type {plain(kind, 80)} has changed: {told}.", file=sys.stderr)
    if watch.types[None]:
        print(f"webgrain: {watch.types[None]:,} pages are of no type that the model knows.", file=sys.stderr)


@contextmanager
def _layouts(
    model: Path | None, reading: Reading, learning: Learning, open_again: Callable[[], Iterable[Item]]
) -> Iterator[Callable[[Page], Found]]:
    """Give the function that reads a page by layouts that were learnt before, or are now."""
    from webgrain.extract.article import Evidence, join
    from webgrain.modelfile import format_of
    from webgrain.template.modelstore import FORMAT, read_layouts

    if model is not None:
        if format_of(model) not in (None, FORMAT):
            told = "expected what webgrain audit or learn layouts wrote, or a pattern file"
            raise InputError(f"{model} is a file of {format_of(model)}: {told}.")
        method = read_layouts(model, **reading.given())
    else:
        method = learning.create(**reading.given())
        method.fit(Failures().passed(open_again()))
        print(f"webgrain: {summary(method)}", file=sys.stderr)

    def read(page: Page) -> Found:
        told = method.predict(page)
        if told.verdict == "unknown" and method.preset == "default" and not reading.strict:
            told = join(page, Evidence(told))
        return Found(page, told)

    yield read


@contextmanager
def _open(form: Format, folder: Path | None) -> Iterator[Write[Found]]:
    """Give the function that writes what one page says; that a page failed is only said on stderr."""
    from webgrain.cli.output import make_folder
    from webgrain.io.write import open_writer

    if folder is not None:
        make_folder(folder)
    if form in (Format.jsonl, Format.parquet):
        with open_writer(form.value, folder / f"articles.{form.value}" if folder else "-") as records:
            yield partial(_write_record, records.write)
    elif folder is not None and form is not Format.text:
        yield partial(_write_file, form, folder)
    else:
        with open_text(folder / "articles.txt" if folder else None) as say:
            yield partial(_write_text, form, say)


def _write_record(write: Callable[[dict[str, Any]], None], result: Found | Failure) -> Failure | None:
    from webgrain.records import failure_record
    from webgrain.results import Failure
    from webgrain.run.attempt import attempt

    record = attempt(result, "record", _record)
    write(failure_record(record) if isinstance(record, Failure) else record)
    return record if isinstance(record, Failure) else None


def _record(found: Found) -> dict[str, Any]:
    from webgrain.report.articles import article_record

    record = article_record(found.page, found.article)
    said = found.said
    if said is None:
        return record
    return record | {
        "type": said.type,
        "type_confidence": said.assigned.confidence,
        "template_match": said.template_match,
        "fits": said.fits,
        "noise_share": round(said.noise_share, 4),
        "lists": [one.told() for one in said.lists],
    }


def _write_file(form: Format, folder: Path, result: Found | Failure) -> None:
    from webgrain.io.local import safe_name

    if isinstance(result, Found) and _is_told(result):
        ending = "md" if form is Format.markdown else "html"
        with open_text(folder / f"{safe_name(result.id)}.{ending}") as say:
            say(_told(form, result))


def _write_text(form: Format, say: Callable[[str], object], result: Found | Failure) -> None:
    if isinstance(result, Found) and (form is Format.text or _is_told(result)):
        say(_told(form, result) + "\n")


def _is_told(found: Found) -> bool:
    """Whether a page becomes a document: an article, or any text by the model of its site."""
    return found.article.verdict == "article" or (found.said is not None and bool(found.article.text))


def _told(form: Format, result: Found) -> str:
    from webgrain.report.articles import article_lines, markdown
    from webgrain.report.mainhtml import main_html

    if form is Format.text:
        return article_lines(result.page, result.article)
    return markdown(result.article) if form is Format.markdown else main_html(result.page, result.article)
