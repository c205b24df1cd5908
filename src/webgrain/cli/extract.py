"""``webgrain extract``, ``text`` and ``table``: the main text of pages, all text, and lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from webgrain.base.errors import InputError, ParameterError, require
from webgrain.cli import options
from webgrain.cli.layouts import LayoutLearning, known_links, layout_summary, reopened, report_rejected
from webgrain.cli.options import (
    STRICT,
    ChunkOptions,
    ContentOptions,
    InputOptions,
    StyleOptions,
    option,
    with_options,
)
from webgrain.cli.output import (
    OTHER_ENDINGS,
    Write,
    check_target,
    format_of_name,
    make_folder,
    names_file,
    open_text,
    report,
    report_failure,
    report_notes,
    run,
    without_failing,
    without_failures,
)
from webgrain.cli.progress import announced

if TYPE_CHECKING:
    from webgrain.base.failures import Failure
    from webgrain.columns.sitetable import SiteTable
    from webgrain.documents.article import Article
    from webgrain.engines.guard import Guard
    from webgrain.extraction.document import Document
    from webgrain.extraction.options import ExtractionOptions
    from webgrain.io.read import Item
    from webgrain.lists.records import Listing
    from webgrain.page.page import Page
    from webgrain.page.turns import Steps
    from webgrain.papers.webstemmer2007 import LayoutMethod
    from webgrain.site.model import Prediction
    from webgrain.site.sitewatch import SiteWatch

_RECORDS = ("jsonl", "csv", "parquet")
"""Formats with a record for each page."""

_Form = Literal["text", "jsonl", "csv", "parquet", "markdown", "html", "webstemmer", "decisions"]


@dataclass(frozen=True, slots=True)
class LayoutUse:
    """How layouts are applied to a page; None: the value in the model.

    Options:
        match_threshold: Minimum similarity of a page and its layout of Webstemmer. Default: the value in the
            model (0.8).
        diff_threshold: Minimum DiffScore of text that differs between pages. Default: the value in the model
            (0.5).
        main_threshold: Minimum MainScore of main text, in characters per page. Default: the value in the
            model (50).
        all_sections: Reject pages that do not have all sections of their layout.
    """

    match_threshold: float | None = option(None, "--match-threshold X")
    diff_threshold: float | None = option(None, "--diff-threshold X")
    main_threshold: float | None = option(None, "--main-threshold X")
    all_sections: bool = option(False, "--all-sections")

    def parameters(self) -> dict[str, Any]:
        """Return the given parameters of `Webstemmer`."""
        names = ("match_threshold", "diff_threshold", "main_threshold")
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return given | ({"strict": True} if self.all_sections else {})


@with_options
def extract_articles(
    *,
    inputs: InputOptions,
    model: Path | None = option(None, "--model FILE"),
    single: bool = option(False, "--single"),
    workers: int | None = option(None, "--workers N", min=1),
    use: LayoutUse,
    learning: LayoutLearning,
    form: _Form | None = option(None, "--format FORMAT"),
    folder: Path | None = option(None, "-o --output DIR"),
    content: ContentOptions,
    chunking: ChunkOptions,
    style: StyleOptions,
    strict: bool = STRICT,
) -> None:
    """Extract the title and the main text of pages.

    With a model from webgrain audit, a page is read with the texts and the page types of its site. Warns on
    stderr when the pages of a type have changed.
    Without --model, the texts of each host with at least 10 pages are learnt from up to 200 of its pages;
    pages of other hosts are read on their own. With --preset, layouts of Webstemmer are learnt instead.

    The formats text, markdown and html contain title and main text; webstemmer writes the lines of Webstemmer
    (TITLE: ..., MAIN-1: ...); decisions, with --single, has a line for each text block of a page: the part
    that it became, its probability of main text with the blocks at its place and without them, that of a
    comment, the number of blocks at its place, its element and its text.

    The text of a thread has all posts in order; with --first-post only the first one. The comments of an
    article are separate, see --comments.

    A record (--format jsonl) has page, url, verdict (article, index, unknown), kind (article, thread,
    product, list, documentation, other), kinds (the probability of each), title, text (with code),
    comments, code, sub, author, published, modified, description, language, image, canonical, site_name,
    tags, licence, paywall, detected_language, content (the tree), layout and confidence; with a model from
    webgrain audit also type_name, type, type_confidence, template_match, fits, fit_probability,
    exact, differences, boilerplate_share and lists.
    A record of --chunks has id, page, url, number, headings, text, tokens and xpath.

    Example: webgrain extract --model result/site-model.json new-pages/ --format markdown -o articles

    Options:
        model: Model from webgrain audit or webgrain learn layouts, or a pattern file. Default: learn the
            texts of hosts from the input.
        single: Read each page on its own: nothing is learnt, and each input is read once.
        workers: Processes; only with --single. The order of the results is that of the pages. Default: one
            per core if there are many pages.
        form: text, jsonl, csv (without the tree of the content), parquet, markdown, html, webstemmer or
            decisions. Default: as a file of -o that ends in .jsonl, .csv, .parquet or .md, otherwise text;
            with a pattern file webstemmer.
        folder: Folder for the results: articles.txt, .jsonl, .csv or .parquet, or chunks of these names; for
            markdown and html a file per page. Or a file with all pages that ends in .txt, .jsonl, .csv,
            .parquet or .md. Default: stdout.
    """
    from webgrain.site.pipeline import parsed_pages

    format_ = _format(model)
    of_site = _is_of_site(format_)
    _check_combination(model, of_site, single, workers, use, learning, form)
    chunking.check(form)
    usual: _Form = "jsonl" if chunking.chunks else "webstemmer" if model and format_ is None else "text"
    folder = None if folder == options.STDOUT else folder
    form = form or _format_of_articles(folder) or usual
    style.check(form, chunking.chunks)
    wanted = content.create()
    if content.choose_text and (learning.preset or (model and not of_site)):
        raise ParameterError("--include, --exclude and --favor have no effect on layouts of Webstemmer.")
    name = "chunks" if chunking.chunks else "articles"
    _check_articles(form, folder, name)
    if chunking.chunks:
        make: Make = partial(_made_chunks, chunking=chunking, comments=style.with_comments)
    else:
        make = partial(_made, form=form, style=style)
    output = _open_articles(form, folder, name)
    if single:
        run(_each_alone(inputs, wanted, make, workers), output, strict, place=folder, total=inputs.total)
        return
    if model and of_site:
        from webgrain.site.model import load_model
        from webgrain.site.sitewatch import SiteWatch

        watch = SiteWatch(load_model(model))
        read = partial(watch.model.extraction_steps, options=wanted)
        articles = _extracted(inputs.read(), read, make, partial(_watched, watch))
        run(articles, output, strict, place=folder, total=inputs.total)
        _report_drift(watch, folder)
        return
    read_again = inputs.read if model else reopened(inputs)
    if model:
        read_page = _by_layouts(_read_layouts(model, format_, use), wanted)
    elif learning.preset:
        parsed = without_failures(parsed_pages(announced(read_again(), "learn", inputs.total)), [])
        layouts = learning.create(**use.parameters()).fit(parsed, known_links(inputs))
        report_rejected(layouts.rejected_)
        report(layout_summary(layouts))
        read_page = _by_layouts(layouts, wanted)
    else:
        from webgrain.site.texts import learn_texts

        texts = learn_texts(announced(read_again(), "learn", inputs.total), report_failure)
        read_page = _reader(texts, wanted)
    run(_extracted(read_again(), read_page, make), output, strict, place=folder, total=inputs.total)


def _format(model: Path | None) -> str | None:
    """Return the format of a model; None if it has none."""
    if model is None:
        return None
    from webgrain.base.modelfile import format_of

    return format_of(model)


def _is_of_site(format_: str | None) -> bool:
    """Whether a format is that of the model of a site."""
    if format_ is None:  # the module imports all that such a model consists of
        return False
    from webgrain.site.model import FORMAT

    return format_ == FORMAT


def _check_combination(
    model: Path | None,
    of_site: bool,
    single: bool,
    workers: int | None,
    use: LayoutUse,
    learning: LayoutLearning,
    form: str | None,
) -> None:
    """Raise `ParameterError` for options that exclude each other; of_site: for the model of a site."""
    learns = learning != LayoutLearning()
    if model is not None and learns:
        raise ParameterError("--model excludes --preset and the other options for learning layouts.")
    if learns and not learning.preset:
        raise ParameterError("The options for learning layouts need --preset.")
    if form == "decisions" and not single:
        raise ParameterError("--format decisions needs --single.")
    if single and (model or learns):
        raise ParameterError("--single excludes --model and --preset.")
    if workers is not None and not single:
        raise ParameterError("--workers needs --single.")
    if use != LayoutUse() and of_site:
        raise ParameterError(
            "With a model from webgrain audit, the thresholds of layouts and --all-sections have no effect."
        )
    if use != LayoutUse() and not (model or learns):
        raise ParameterError("The thresholds of layouts and --all-sections need --model or --preset.")


@dataclass(frozen=True, slots=True)
class Made:
    """What is written of a page: a record, or a text; None if it has no main text.

    Attributes:
        id, notes: of the page.
    """

    id: str
    notes: tuple[str, ...]
    value: Any


Make = Callable[["Document"], "Steps[Made]"]
Read = Callable[["Page"], "Steps[Document]"]


def _made(document: Document, form: str, style: StyleOptions) -> Steps[Made]:
    """Return what is written of a document in a format, in steps."""
    from webgrain.extraction.document import article_lines, article_text

    has_metadata = style.front_matter or form in (*_RECORDS, "html")
    if has_metadata:
        yield from document.record_steps()
    article = document.article
    value: Any = None
    if form in _RECORDS:
        value = document.to_dict()
        if form == "csv":  # a tree does not fit into a cell
            del value["content"]
    elif form == "webstemmer":
        value = f"{article_lines(document.page, article, style.mark_index)}\n"
    elif form == "decisions":
        from webgrain.extraction.decisions import decision_lines

        value = decision_lines(document.page, article)
    elif article.verdict == "article" or article.text:
        if form == "text":
            value = article_text(article, style.with_comments)
        elif form == "html":
            value = document.as_html(style.with_comments)
        else:
            head = f"{document.front_matter}\n" if style.front_matter else ""
            value = head + document.as_markdown(style.with_comments)
    notes = document.notes if has_metadata else (*document.page.notes, *article.notes)
    return Made(document.id, notes, value)


def _made_chunks(document: Document, chunking: ChunkOptions, comments: bool | None) -> Steps[Made]:
    """Return the records of the chunks of a document, in steps."""
    yield from document.record_steps()
    chunks = document.chunks(
        chunking.max_tokens or 512, as_markdown=chunking.chunk_text == "markdown", comments=comments
    )
    return Made(document.id, document.notes, [chunk.to_dict() for chunk in chunks])


def _extracted(
    items: Iterable[Item], read: Read, make: Make, watch: Callable[[Document], Document] | None = None
) -> Iterator[Made | Failure]:
    """Yield what is written of each page; pages take turns.

    items: pages that wait for each other are a tuple. watch: called with each document, in order.
    """
    from webgrain.engines.groups import run_in_turns
    from webgrain.engines.guard import run_step
    from webgrain.page.page import results_kept
    from webgrain.page.turns import PATIENCE
    from webgrain.site.pipeline import parsed_groups

    patience = math.inf if isinstance(items, tuple) else PATIENCE
    for pages in parsed_groups(items, patience):
        with results_kept():
            documents = run_in_turns(pages, "extract", read)
            if watch:  # a page is counted once, so this step is not repeated
                documents = [run_step(document, "extract", watch) for document in documents]
            made = run_in_turns(documents, "record", make)
        yield from made


_BATCH, _BATCH_BYTES = 32, 2**22  # pages and bytes that a worker gets at a time, at most
_ROUND = 8  # batches per worker whose results are kept until they are written, in order


def _each_alone(
    inputs: InputOptions, wanted: ExtractionOptions, make: Make, workers: int | None
) -> Iterator[Made | Failure]:
    """Yield what is written of each page, read on its own, in order; with processes if there are many pages.

    Each page is read once, and memory does not grow with the number of pages.
    """
    from webgrain.base.failures import Failure
    from webgrain.engines.local import Pool, cores

    number = workers or cores()
    batches = _batches(inputs.read())
    size = number * _ROUND
    read_alone = partial(_alone, wanted=wanted, make=make, guard=inputs.guard)
    waiting = list(islice(batches, size))
    if number == 1 or (workers is None and len(waiting) < size):
        yield from chain.from_iterable(map(read_alone, chain(waiting, batches)))
        return
    with Pool(number) as pool:
        while waiting:
            results = {id(batch): result for batch, result in pool.map(read_alone, waiting)}
            for batch in waiting:
                result = results[id(batch)]
                if isinstance(result, Failure):
                    yield from (_lost(item, result) for item in batch)
                else:
                    yield from result
            waiting = list(islice(batches, size))


def _lost(item: Item, reason: Failure) -> Failure:
    """Return the failure of a page whose batch was lost."""
    from webgrain.base.failures import Failure

    return item if isinstance(item, Failure) else replace(reason, page=item.id, url=item.url)


def _batches(items: Iterable[Item]) -> Iterator[tuple[Item, ...]]:
    """Yield pages in batches, without the files that they may load."""
    from webgrain.io.read import Item
    from webgrain.page.page import Source

    batch, size = list[Item](), 0
    for item in items:
        if isinstance(item, Source):
            size += len(item.body)
            item = replace(item, assets=None)
        batch.append(item)
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield tuple(batch)
            batch, size = [], 0
    yield from [tuple(batch)] if batch else ()


def _alone(
    items: Iterable[Item], wanted: ExtractionOptions, make: Make, guard: Guard
) -> list[Made | Failure]:
    """Return what is written of some pages, each read on its own, within limits."""
    from webgrain.engines.guard import limits

    with limits(guard):
        return list(_extracted(items, _reader({}, wanted), make))


def _watched(watch: SiteWatch, prediction: Prediction) -> Prediction:
    """Watch for drift, and return the prediction."""
    watch.add(prediction)
    return prediction


def _report_drift(watch: SiteWatch, folder: Path | None) -> None:
    """Report changed types on stderr; in a folder also write drift.jsonl, a record per type."""
    from webgrain.io.write import open_writer
    from webgrain.report.terminal import count, plain

    drifts = watch.drift()
    if folder is not None and folder.is_dir():
        with open_writer("jsonl", folder / "drift.jsonl") as records:
            for label, drift in drifts.items():
                records.write({"type_name": watch.model.name(label), "type": label, **drift.to_dict()})
    for label, drift in drifts.items():
        if drift.level == "alarm":
            name = f"{plain(watch.model.name(label) or label, 80)} [{plain(label, 80)}]"
            changes = "; ".join(plain(sentence, 200) for sentence in drift.sentences()[:3])
            report(f"type {name} has changed ({count(drift.pages, 'page')}): {changes}.")
    if watch.types[None]:
        report(f"{count(watch.types[None], 'page')} of no known type, extracted without a template.")


def _reader(sites: Mapping[str, SiteTable], wanted: ExtractionOptions) -> Read:
    """Return a function that extracts a page with the texts of its site, or on its own."""
    from webgrain.extraction.document import Document
    from webgrain.site.texts import page_of_site

    def read(page: Page) -> Steps[Document]:
        site, below = page_of_site(page)

        def completed(part: Page, article: Article) -> Document:
            return Document(page if part is below else replace(page, notes=part.notes), article)

        return wanted.steps(below, sites.get(site), completed)

    return read


def _read_layouts(path: Path, format_: str | None, use: LayoutUse) -> LayoutMethod:
    """Return the layouts in a file of a format: a model, or None for a pattern file."""
    from webgrain.base.estimator import FORMAT as ESTIMATOR
    from webgrain.papers.webstemmer2007 import read_layouts

    if format_ not in (None, ESTIMATOR):
        raise InputError(f"{path} is a {format_} file, {_EXPECTED_MODEL}")
    if format_ is None and _is_page(path):
        raise InputError(f"{path} is a page, {_EXPECTED_MODEL}")
    return read_layouts(path, **use.parameters())


_EXPECTED_MODEL = "expected a model from webgrain audit or webgrain learn layouts, or a pattern file."


def _is_page(path: Path) -> bool:
    """Whether a file is an HTML page."""
    from webgrain.page.filetypes import is_html
    from webgrain.page.thresholds import HEAD

    with suppress(OSError), path.open("rb") as file:
        return is_html(file.read(HEAD), declared=False)
    return False


def _by_layouts(method: LayoutMethod, wanted: ExtractionOptions) -> Read:
    """Return a function that extracts a page with layouts."""
    from webgrain.engines.groups import single_step
    from webgrain.extraction.document import Document

    return single_step(lambda page: Document(page, wanted.shown(method.predict(page))))


_ENDINGS = {"markdown": "md", "html": "html"}
"""Formats that have a file per page in a folder, and the endings of their names; others have one file."""


def _format_of_articles(path: Path | None) -> _Form | None:
    """Return the format that the name of a file after ``-o`` has as its ending, or None."""
    if path is not None and path.suffix.lower() == ".md" and not path.is_dir():
        return "markdown"
    return format_of_name(path)


def _check_articles(form: str, folder: Path | None, name: str) -> None:
    """Check before any computation that articles can be written; make the folder."""
    if form == "parquet":
        require("pyarrow", "store", "Parquet files")
    if folder is not None and not names_file(folder, form):
        make_folder(folder)
        if form not in _ENDINGS:
            check_target(_file(form, folder, name))


@contextmanager
def _open_articles(form: str, folder: Path | None, name: str) -> Iterator[Write[Made]]:
    """Give a function that writes pages to a folder, or to stdout if None; name: of the file.

    Documents: reports at the end how many pages have no main text. Raises `InputError` if no page has any.
    """
    from webgrain.base.failures import Failure, failure_record
    from webgrain.io.write import open_writer
    from webgrain.report.terminal import count

    if form in _RECORDS:
        with open_writer(form, _file(form, folder, name) if folder else "-") as records:

            def write_records(made: Made | Failure) -> None:
                value = failure_record(made) if isinstance(made, Failure) else made.value
                if isinstance(made, Made) and isinstance(value, list):  # chunks, which have no notes
                    report_notes(made.id, made.notes)
                for record in value if isinstance(value, list) else [value]:
                    records.write(record)

            yield write_records
        return
    written = without_text = 0
    is_folder = folder is not None and form in _ENDINGS and not names_file(folder, form)
    with _files(form, folder) if folder and is_folder else _stream(form, folder) as put:

        def write(made: Made) -> None:
            nonlocal written, without_text
            report_notes(made.id, made.notes)
            if made.value is None:
                without_text += 1
                return
            written += 1
            put(made.id, made.value)

        yield without_failing(write)
    if without_text and not written:
        raise InputError("No page has a main text; --format jsonl has all pages.")
    if without_text:
        report(f"{count(without_text, 'page')} without main text left out; --format jsonl has all pages.")


def _file(form: str, folder: Path, name: str = "articles") -> Path:
    """Return the file for all pages: in a folder, or the path itself if it names a file."""
    is_file = names_file(folder, form)
    return folder if is_file else folder / f"{name}.{form if form in _RECORDS else 'txt'}"


@contextmanager
def _files(form: str, folder: Path) -> Iterator[Callable[[str, str], None]]:
    """Give a function that writes a file per page."""
    from webgrain.io.local import safe_name

    def put(page: str, text: str) -> None:
        with open_text(folder / f"{safe_name(page)}.{_ENDINGS[form]}") as write:
            write(text)

    yield put


@contextmanager
def _stream(form: str, folder: Path | None) -> Iterator[Callable[[str, str], None]]:
    """Give a function that writes pages in sequence, separated by a blank line except in webstemmer.

    Several plain texts have the name of the page above them, in the style of `head`; so the first text is
    written when the second follows.
    """
    from webgrain.report.terminal import plain

    pages, first = 0, ("", "")
    with open_text(_file(form, folder) if folder else None) as write:

        def put(page: str, text: str) -> None:
            nonlocal pages, first
            heading = f"==> {plain(page, 200)} <==\n\n" if form in ("text", "decisions") else ""
            pages += 1
            if form == "webstemmer":
                write(text)
            elif pages == 1:
                first = heading, text
            else:
                if pages == 2:
                    write("".join(first))
                write(f"\n{heading}{text}")

        yield put
        if pages == 1:
            write(first[1])


@with_options
def text(*, inputs: InputOptions, strict: bool = STRICT) -> None:
    """Print all text of pages, one block per line.

    A blank line separates pages. The text includes menus and other boilerplate; webgrain extract prints the
    main text.

    Example: webgrain text page.html
    """
    from webgrain.base.failures import Failure
    from webgrain.engines.groups import run_in_turns, single_step
    from webgrain.page.text import page_text
    from webgrain.site.pipeline import parsed_groups

    read = single_step(page_text)

    def texts() -> Iterator[str | Failure]:
        for pages in parsed_groups(inputs.read()):
            for page, text in zip(pages, run_in_turns(pages, "text", read), strict=True):
                if not isinstance(page, Failure):
                    report_notes(page.id, page.notes)
                yield text

    run(texts(), _open_texts(), strict, "No page has visible text.", total=inputs.total)


@contextmanager
def _open_texts() -> Iterator[Write[str]]:
    """Write texts to stdout, separated by a blank line."""
    separators = chain([""], repeat("\n"))
    with open_text(None) as put:
        yield without_failing(lambda text: put(next(separators) + text))


@with_options
def table(
    *,
    inputs: options.InputOptions,
    model: Path | None = option(None, "--model FILE"),
    number: str = option("1", "--list N"),
    selectors: bool = option(False, "--selectors"),
    form: options.Format | None = option(None, "--format FORMAT"),
    output: Path | None = option(None, "-o --output FILE"),
    strict: bool = options.STRICT,
) -> None:
    """Extract the lists of pages as a table, a row per item.

    A page may contain several lists; the first is the list that readers visit the page for, such as its
    products or articles. Every row has page, list (1 for the first), item (the number of the row),
    probability (that the row is a record of the list and not, for example, a heading) and the fields of the
    item, such as name, link, date, price and image.

    Example: webgrain table shop/ -o products.csv

    Options:
        model: Model of the site from webgrain audit. Without it, each page is read on its own.
        number: Which list of a page: 1 for the first, 2 for the second, or all.
        selectors: Write the CSS selectors and XPaths of the lists and of their fields instead of the rows,
            the probability of the list, and next_page: the address of the next page of the list.
        form: jsonl, csv or parquet. Default: as the name of the file ends, otherwise csv.
        output: File for the table. Default: stdout.
    """
    from webgrain.engines.groups import run_in_turns
    from webgrain.site.pipeline import parsed_groups

    if number != "all" and not (number.isdecimal() and int(number) >= 1):
        raise ParameterError(f"--list must be a number of at least 1, or all, got {number!r:.40}.")
    if output and output.suffix.lower() in OTHER_ENDINGS:
        raise ParameterError(f"-o {output}: a table is written as .csv, .parquet or .jsonl.")
    ending = format_of_name(output)
    if output and form and ending and form != ending:
        raise ParameterError(f"--format {form} contradicts the name {output.name}.")
    if output is not None:
        check_target(output)
    find = _finder(model)

    def rows(page: Page) -> Steps[list[dict[str, Any]]]:
        lists = yield from find(page)
        return list(_rows(page, lists, number, selectors))

    def results() -> Iterator[list[dict[str, Any]] | Failure]:
        for pages in parsed_groups(inputs.read()):
            yield from run_in_turns(pages, "lists", rows)

    table_file = _open_rows(form or ending or "csv", output)
    run(results(), table_file, strict, "No page has a list.", output, inputs.total)


def _finder(model: Path | None) -> Callable[[Page], Steps[tuple[Listing, ...]]]:
    """Return a function that finds the lists of a page, in steps."""
    if model is None:
        from webgrain.lists.ranking import list_steps

        return list_steps

    from webgrain.base.failures import fact
    from webgrain.site.model import load_model

    format_ = _format(model)
    if format_ is not None and not _is_of_site(format_):
        raise InputError(f"{model} is a {format_} file, expected a model from webgrain audit.")
    site = load_model(model)

    def lists(page: Page) -> Steps[tuple[Listing, ...]]:
        notes: list[str] = []
        label = fact("the page type", lambda: site.types.assign(page).type, None, notes)
        yield "types"
        match = fact("the template", lambda: site.matched(page, label).match, None, notes)
        yield "template"
        found = site.lists(page, match)
        report_notes(page.id, notes)
        return found

    return lists


def _rows(page: Page, lists: tuple[Listing, ...], number: str, selectors: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of the chosen lists of a page, or a row of selectors per list."""
    from webgrain.lists.paging import next_page

    following = next_page(page) if selectors else None
    for k, each in enumerate(lists, 1):
        if number not in ("all", str(k)):
            continue
        head: dict[str, Any] = {"page": page.id, "list": k}
        if selectors:
            selected = each.selectors()
            about = {"probability": each.probability, "next_page": following, "css": selected.pop("list")}
            yield head | about | selected
            continue
        rows = zip(each.records(), each.row_probabilities, strict=True)
        for item, (record, probability) in enumerate(rows, 1):
            fields = {f"{name}_2" if name in _HEAD else name: x for name, x in record.items()}
            yield head | {"item": item, "probability": probability} | fields


_HEAD = ("page", "list", "item", "probability")


@contextmanager
def _open_rows(form: str, target: Path | None) -> Iterator[Write[list[dict[str, Any]]]]:
    """Write the rows of pages; failures are reported on stderr only."""
    from webgrain.io.write import open_writer

    with open_writer(form, target or "-", () if form == "jsonl" else _HEAD) as writer:

        def write(rows: list[dict[str, Any]]) -> None:
            for row in rows:
                writer.write(row)

        yield without_failing(write)
