"""``webgrain extract`` and ``webgrain text``: the main text of pages, and all of their text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from webgrain.cli.learn import LayoutLearning, parsed, reopened, summary
from webgrain.cli.options import STRICT, Inputs, option, with_options
from webgrain.errors import InputError, ParameterError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from webgrain.cli.output import Write
    from webgrain.extraction.document import Document
    from webgrain.extraction.sitetexts import PageTexts, SiteTexts
    from webgrain.page.page import Page, Source
    from webgrain.pipeline import Item
    from webgrain.site.model import Prediction, SiteWatch

Form = Literal["text", "jsonl", "parquet", "markdown", "html", "webstemmer"]


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
def extract(
    *,
    inputs: Inputs,
    model: Path | None = option(None, "--model FILE"),
    single: bool = option(False, "--single"),
    use: LayoutUse,
    learning: LayoutLearning,
    form: Form | None = option(None, "--format FORMAT"),
    folder: Path | None = option(None, "-o --output DIR"),
    front_matter: bool = option(False, "--front-matter"),
    strict: bool = STRICT,
) -> None:
    """Extract the title and the main text of pages.

    With a model from webgrain audit, a page is read with the texts and the page types of its site. Warns on
    stderr when the pages of a type have changed.
    Without --model, the texts of each host with at least 10 pages are learnt from up to 200 of its pages;
    pages of other hosts are read on their own. With --preset, layouts of Webstemmer are learnt instead.

    The formats text, markdown and html contain title and main text; webstemmer writes the lines of Webstemmer
    (TITLE: ..., MAIN-1: ...).

    A record (--format jsonl) has page, url, verdict (article, index, unknown), title, text (with code),
    comments, code, sub, author, published, modified, description, language, image, canonical, site_name,
    tags, licence, content (the tree), layout and confidence; with a model from webgrain audit also type_name,
    type, type_confidence, template_match, fits, boilerplate_share and lists.

    Example: webgrain extract --model result/site-model.json new-pages/ --format markdown -o articles

    Options:
        model: Model from webgrain audit or webgrain learn layouts, or a pattern file. Default: learn the
            texts of hosts from the input.
        single: Read each page on its own: nothing is learnt, and each input is read once.
        form: text, jsonl, parquet, markdown, html or webstemmer. Default: text; with a pattern file
            webstemmer.
        folder: Folder for the results: articles.txt, .jsonl or .parquet; for markdown and html a file per
            page. Default: stdout.
        front_matter: Write the metadata as YAML before the text; only with --format markdown.
    """
    from webgrain.cli.articles import check_articles, open_articles
    from webgrain.cli.output import run
    from webgrain.engines.guard import run_step
    from webgrain.modelfile import format_of
    from webgrain.pipeline import Layout, pages
    from webgrain.site.model import FORMAT

    if model is not None and learning != LayoutLearning():
        raise ParameterError("--model excludes --preset and the other options for learning layouts.")
    if learning != LayoutLearning() and not learning.preset:
        raise ParameterError("The options for learning layouts need --preset.")
    if single and (model or learning.preset):
        raise ParameterError("--single excludes --model and --preset.")
    kind = model and format_of(model)
    if kind == FORMAT and use != LayoutUse():
        raise ParameterError(
            "With a model from webgrain audit, the thresholds of layouts and --all-sections have no effect."
        )
    if use != LayoutUse() and not (model or learning.preset):
        raise ParameterError("The thresholds of layouts and --all-sections need --model or --preset.")
    name = form or ("webstemmer" if model and kind is None else "text")
    if front_matter and name != "markdown":
        raise ParameterError("--front-matter needs --format markdown.")
    check_articles(name, folder)
    read_again = inputs.read if model or single else reopened(inputs)
    extractor: AbstractContextManager[Callable[[Page], Document]]
    if model and kind == FORMAT:
        extractor = _with_site(model, folder)
    elif model or learning.preset:
        extractor = _with_layouts(model, use, learning, read_again)
    else:
        extractor = _with_reader({} if single else _learn_texts(read_again()))
    with extractor as extract_page:
        source = pages(read_again(), Layout(render="none"))
        results: Iterator[Any] = (run_step(page, "extract", extract_page) for page in source)
        run(results, open_articles(name, folder, front_matter), strict)


@contextmanager
def _with_site(path: Path, folder: Path | None) -> Iterator[Callable[[Page], Prediction]]:
    """Give a function that extracts a page with the model of its site; report drift at the end."""
    from webgrain.site.model import SiteWatch, load_model

    model = load_model(path)
    watch = SiteWatch(model)

    def extract_page(page: Page) -> Prediction:
        prediction = model.predict(page)
        watch.add(prediction)
        return prediction

    yield extract_page
    _report_drift(watch, folder)


def _report_drift(watch: SiteWatch, folder: Path | None) -> None:
    """Report changed types on stderr; in a folder also write drift.jsonl, a record per type."""
    from webgrain.cli.output import report
    from webgrain.io.write import open_writer
    from webgrain.report.terminal import count, plain

    drifts = watch.drift()
    if folder is not None:
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


@contextmanager
def _with_reader(sites: Mapping[str, SiteTexts]) -> Iterator[Callable[[Page], Document]]:
    """Give a function that extracts a page with the texts of its site, or on its own."""
    from webgrain.duplicates.sketches import site_name
    from webgrain.extraction.document import Document
    from webgrain.extraction.single import SinglePage

    reader = SinglePage()
    yield lambda page: Document(page, reader.predict(page, sites.get(site_name(page.id, page.url))))


def _learn_texts(items: Iterable[Item]) -> dict[str, SiteTexts]:
    """Return the texts of each site with enough pages, learnt from pages drawn at random.

    Only drawn pages are parsed, and only their texts and paths are kept in memory, as numbers.
    """
    from webgrain.cli.output import without_failures
    from webgrain.duplicates.sketches import site_name
    from webgrain.engines.guard import run_step
    from webgrain.extraction.single import own_texts
    from webgrain.extraction.sitetexts import SiteTexts
    from webgrain.results import Failure
    from webgrain.site.thresholds import LEAST_TEXT_PAGES, TEXT_PAGES

    drawn: dict[str, dict[int, PageTexts]] = defaultdict(dict)
    count, rng = Counter[str](), Random(0)
    readable: Iterator[Source | Page] = without_failures(items, [])
    for item in readable:
        site = site_name(item.id, item.url)
        place = count[site] if count[site] < TEXT_PAGES else rng.randrange(count[site] + 1)
        count[site] += 1
        if place < TEXT_PAGES:
            for page in parsed([item], []):
                texts = run_step(page, "extract", own_texts)
                if not isinstance(texts, Failure):
                    drawn[site][place] = texts
    return {
        site: SiteTexts.learn(list(texts.values()))
        for site, texts in drawn.items()
        if len(texts) >= LEAST_TEXT_PAGES
    }


@contextmanager
def _with_layouts(
    path: Path | None, use: LayoutUse, learning: LayoutLearning, read_again: Callable[[], Iterable[Item]]
) -> Iterator[Callable[[Page], Document]]:
    """Give a function that extracts a page with layouts: those in a file, or learnt from the input."""
    from webgrain.cli.output import report
    from webgrain.estimator import FORMAT
    from webgrain.extraction.document import Document
    from webgrain.layouts.webstemmer import read_layouts
    from webgrain.modelfile import format_of

    if path is None:
        method = learning.create(**use.parameters()).fit(parsed(read_again(), []))
        report(summary(method))
    elif (kind := format_of(path)) not in (None, FORMAT):
        raise InputError(
            f"{path} is a {kind} file, expected a model from webgrain audit or webgrain learn layouts, or a "
            "pattern file."
        )
    else:
        method = read_layouts(path, **use.parameters())
    yield lambda page: Document(page, method.predict(page))


@with_options
def text(*, inputs: Inputs, strict: bool = STRICT) -> None:
    """Print all text of pages, one block per line.

    A blank line separates pages. The text includes menus and other boilerplate; webgrain extract prints the
    main text.

    Example: webgrain text page.html
    """
    from webgrain.cli.output import report_notes, run
    from webgrain.engines.guard import run_step
    from webgrain.extraction.document import page_text
    from webgrain.pipeline import Layout, pages

    def read(page: Page) -> str:
        report_notes(page)
        return page_text(page)

    source = pages(inputs.read(), Layout(render="none"))
    run((run_step(page, "text", read) for page in source), _open_texts(), strict)


@contextmanager
def _open_texts() -> Iterator[Write[str]]:
    """Write texts to stdout, separated by a blank line."""
    from webgrain.cli.output import open_text, without_failing

    separators = chain([""], repeat("\n"))
    pages = written = 0

    def write(text: str) -> None:
        nonlocal pages, written
        pages += 1
        written += len(text)
        put(next(separators) + text)

    with open_text(None) as put:
        yield without_failing(write)
    if pages and not written:
        raise InputError("No page has visible text.")
