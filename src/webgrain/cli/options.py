"""Options: how commands declare them, and the options that several commands share.

A command declares an option as the default of a parameter, ``depth: int = option(8, "--depth N")``, and
describes it in its docstring, below ``Options:``. Options that belong together are the fields of a dataclass,
a group. `parameters_of` replaces each parameter that is a group with its options, so every option is written
once and signatures stay short. `webgrain.cli.commands` makes commands from them.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from webgrain.base.errors import InputError, ParameterError

if TYPE_CHECKING:
    from webgrain.base.failures import Failure
    from webgrain.engines.guard import Guard
    from webgrain.extraction.options import ExtractionOptions
    from webgrain.page.page import Page, Source
    from webgrain.segmentation.segmenter import Segmenter
    from webgrain.site.pipeline import Layout


@dataclass(frozen=True, slots=True)
class Declared:
    """How the command line shows a parameter.

    Attributes:
        names: of an option, such as ``-o`` and ``--output``; none for an argument.
        value: the placeholder of its value; None for a flag.
        help: its description.
        shows_default: whether the help shows the default.
        least, most: limits of a number; None for no limit.
    """

    names: tuple[str, ...]
    value: str | None
    help: str
    shows_default: bool
    least: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a command.

    Attributes:
        name: of the parameter of the function; hint: its type; default: ``...`` if a value must be given.
        declared: how the command line shows it.
    """

    name: str
    hint: Any
    default: Any
    declared: Declared


def option(
    default: Any,
    names: str,
    help: str = "",  # noqa: A002 - as in click
    *,
    min: float | None = None,  # noqa: A002 - as in click
    max: float | None = None,  # noqa: A002 - as in click
) -> Any:
    """Declare an option or, where ``names`` has no hyphen, an argument.

    names: the names and the placeholder of the value, such as "-o --output DIR"; a flag has no placeholder.
    help: description; by default the one in the docstring of the command or group.
    min, max: limits of a number.

    >>> option(8, "--depth N").metadata["declared"].value
    'N'
    """
    words = names.split()
    flags = tuple(word for word in words if word.startswith("-"))
    shown = not any(default is value for value in (..., None, False, True, ""))
    value = None if words[-1].startswith("-") else words[-1]
    declared = Declared(flags, value, help, shown, min, max)
    return field(default=MISSING if default is ... else default, metadata={"declared": declared})


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a function that takes the options of ``command`` in place of its groups, see `parameters_of`.

    >>> @with_options
    ... def hello(browser: Browser) -> None:
    ...     print(browser.timeout)
    >>> [parameter.name for parameter in parameters_of(hello)]
    ['javascript', 'network', 'timeout']
    >>> hello(timeout=3.0)
    3.0
    """

    @functools.wraps(command)
    def flat(**values: Any) -> None:
        for name, group in _groups(command).items():
            given = {each.name: values.pop(each.name) for each in fields(group) if each.name in values}
            values[name] = group(**given)
        from webgrain.engines.guard import Guard, limits

        inputs = next((group for group in values.values() if isinstance(group, InputOptions)), None)
        if inputs is not None:
            inputs.report_absent_limits()
        try:
            with limits(inputs.guard if inputs else Guard()):
                command(**values)
        except ParameterError as error:
            raise ParameterError(_with_option_names(str(error), parameters_of(flat))) from error

    flat.__doc__ = inspect.cleandoc(command.__doc__ or "").partition(_OPTIONS)[0]
    return flat


def parameters_of(command: Callable[..., None]) -> list[Parameter]:
    """Return the parameters of a function that `with_options` has made, each group with its options."""
    function: Callable[..., None] = inspect.unwrap(command)
    groups = _groups(function)
    hints = get_type_hints(function)
    described = _descriptions(function)
    parameters: list[Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in groups:
            types = get_type_hints(groups[name])
            in_group = _descriptions(*reversed(groups[name].__mro__))
            parameters += [
                _parameter(each.name, types[each.name], each, in_group) for each in fields(groups[name])
            ]
        else:
            parameters.append(_parameter(name, hints[name], parameter.default, described))
    return parameters


def _groups(command: Callable[..., None]) -> dict[str, Any]:
    """Return the groups among the parameters of a command."""
    return {name: hint for name, hint in get_type_hints(command).items() if is_dataclass(hint)}


def _with_option_names(message: str, parameters: Sequence[Parameter]) -> str:
    """Return a message about a parameter of a method with the name of the option.

    >>> declared = _parameter("max_depth", int, option(1, "--depth N"), {})
    >>> _with_option_names("Method: max_depth must be at least 1, got 0.", [declared])
    '--depth must be at least 1, got 0.'
    """
    for parameter in parameters:
        if match := re.match(rf"(\w+: )?{parameter.name} must", message):
            return f"{(parameter.declared.names or ('',))[-1]} must{message[match.end() :]}"
    return message


_OPTIONS = "\n\nOptions:\n"


def _descriptions(*documented: Any) -> dict[str, str]:
    """Return the descriptions of options in docstrings, by the names of the parameters."""
    docs = (inspect.cleandoc(each.__doc__ or "").partition(_OPTIONS)[2] for each in documented)
    entries = (entry.partition(":") for doc in docs for entry in re.split(r"^    (?=\w)", doc, flags=re.M))
    return {name: " ".join(text.split()) for name, _, text in entries}


def _parameter(name: str, hint: Any, default: Field[Any], described: dict[str, str]) -> Parameter:
    """Return a parameter of a command; default: what `option` has returned."""
    declared: Declared = default.metadata["declared"]
    described_as = declared.help or described.get(name, "")
    value = ... if default.default is MISSING else default.default
    return Parameter(name, hint, value, replace(declared, help=described_as))


_Render = Literal["none", "chromium"]
Format = Literal["jsonl", "csv", "parquet"]

STDOUT = Path("-")
"""The value of ``-o`` for standard output."""

STRICT = option(False, "--strict", "Exit with code 1 if a page failed.")
FORMAT = option(
    None,
    "--format FORMAT",
    "Format of the records: jsonl, csv or parquet. Default: as the file of -o ends, otherwise jsonl.",
)
FOLDER = option(
    None,
    "-o --output DIR",
    "Folder for the results, or a file that ends in .jsonl, .csv or .parquet. Default: stdout, also for -.",
)
QUERIES = option(
    None,
    "--queries FILE",
    "Search log: CSV or TSV, Search Console (API rows or its zip file), BigQuery, web server log.",
)


@dataclass(frozen=True, slots=True)
class InputOptions:
    """The pages to read.

    Options:
        inputs: HTML files, folders, zip or WARC archives, page stores or URLs; - reads stdin.
        urls: Also fetch the URLs in FILE, one per line.
        root: Folder of the files that pages may load. Default: the input folder.
        only: Read only pages whose id (path, member name or URL) matches. May be repeated.
        skip: Do not read pages whose id matches. May be repeated.
        charset: Charset of the pages, whatever they state; valid UTF-8 is read as UTF-8. Default: as
            stated, otherwise detected.
        page_seconds: Limit of each step with a page in seconds of processor time.
        page_memory: Memory limit of each step with a page in megabytes.
    """

    inputs: list[str] | None = option(None, "INPUT")
    urls: Path | None = option(None, "--urls FILE")
    root: Path | None = option(None, "--root DIR")
    only: list[str] | None = option(None, "--only REGEX")
    skip: list[str] | None = option(None, "--skip REGEX")
    charset: str | None = option(None, "--charset NAME")
    page_seconds: float = option(30.0, "--page-seconds S", min=0.001)
    page_memory: int = option(1024, "--page-memory MB", min=1)

    def read(self, places: Sequence[str] | None = None, first: int = 0) -> Iterator[Source | Page | Failure]:
        """Open the inputs, or other places instead; first: number of pages that are not needed again."""
        from webgrain.io.read import read, selected

        places = self.inputs or [] if places is None else places
        is_selection = self.only or self.skip
        # Without a selection, pages that are not needed are not downloaded either.
        items = read(places, urls=self.urls, root=self.root, first=0 if is_selection else first)
        chosen = selected(items, self.only or (), self.skip or (), self.charset)
        return islice(chosen, first, None) if is_selection else chosen

    @property
    def made_of(self) -> str:
        """The pages that are read, in words."""
        options = [
            *(f"--only {pattern}" for pattern in self.only or []),
            *(f"--skip {pattern}" for pattern in self.skip or []),
            *([f"--charset {self.charset}"] if self.charset else []),
            *([f"--root {self.root}"] if self.root else []),
        ]
        return ", ".join([*(self.inputs or []), *([str(self.urls)] if self.urls else []), *options])

    @property
    def total(self) -> int | None:
        """Number of pages, by the names of their files; None if only reading shows it."""
        from webgrain.io.read import page_count

        is_selection = self.only or self.skip or self.urls
        return None if is_selection else page_count(self.inputs or [])

    @property
    def guard(self) -> Guard:
        """Limits of each step with a page."""
        from webgrain.engines.guard import Guard

        return Guard(self.page_seconds, self.page_memory)

    def report_absent_limits(self) -> None:
        """Print a sentence if the user has set a limit and this system lacks one."""
        from webgrain.engines.guard import Guard, absent_limits

        if self.guard != Guard() and (absent := absent_limits()):
            sentence = f"This system cannot limit the {' and the '.join(absent)} of a page."
            print(f"webgrain: {sentence}", file=sys.stderr)

    def __post_init__(self) -> None:
        if not self.inputs and not self.urls:
            raise InputError("Name at least one input: a file, a folder, an archive, a URL, or - for stdin.")


@dataclass(frozen=True, slots=True)
class Rendering:
    """Whether a browser renders pages.

    Options:
        render: Source of boxes and styles: chromium, or none (HTML and style sheets show what is hidden).
        stylesheets: Read the style sheet files beside a page, if it is not rendered. Default: yes.
    """

    render: _Render = option("none", "--render HOW")
    stylesheets: bool = option(True, "--stylesheets/--no-stylesheets")


@dataclass(frozen=True, slots=True)
class Browser:
    """What the browser may do.

    Options:
        javascript: Run the scripts of pages (needs --render chromium).
        network: Load files of pages from the network (needs a browser).
        timeout: Seconds for one page in the browser.
    """

    javascript: bool = option(False, "--javascript")
    network: bool = option(False, "--network")
    timeout: float = option(20.0, "--timeout S")


def layout(rendering: Rendering, browser: Browser | None = None, screenshot: bool = False) -> Layout:
    """Return the source of boxes; `ParameterError` for options that exclude each other."""
    from webgrain.site.pipeline import Layout

    settings = asdict(browser or Browser())
    return Layout(rendering.render, sheets=rendering.stylesheets, screenshot=screenshot, **settings)


@dataclass(frozen=True, slots=True)
class Method:
    """The segmentation method.

    Options:
        method: learntcut (closest to segments that people mark), or a published method: gcuts (graph cuts),
            cclus (correlation clustering), or their baselines without costs of parent-child edges (gcuts-np)
            or without learnt weights (gcuts-nl, cclus-nl); gcuts-certified is gcuts with fewer labels and a
            proof of its optimum. Default: learntcut, or the method of the weights.
        weights: Weights from webgrain learn segments. Default: the built-in weights.
        granularity: Size of the segments of learntcut, from 0 (one segment) to 1 (each part a segment).
            Default: 0.5.
        lam: Weight of the pair costs in gcuts and cclus. Default: the value in the weights.
        seed: Seed of the random choices in gcuts and cclus.
    """

    method: str | None = option(None, "--method NAME")
    weights: Path | None = option(None, "--weights FILE")
    granularity: float | None = option(None, "--granularity X")
    lam: float | None = option(None, "--lam X")
    seed: int | None = option(None, "--seed N")

    def create(self) -> Segmenter:
        """Return the method with the given parameters; `ParameterError` for an invalid one."""
        from webgrain.segmentation.segmenter import DEFAULT, read_segmenter, segmenter

        given = {"granularity": self.granularity, "lam": self.lam, "random_state": self.seed}
        params = {name: value for name, value in given.items() if value is not None}
        if self.weights is None:
            return segmenter(self.method or DEFAULT, **params)
        learnt = read_segmenter(self.weights)
        if self.method not in (None, learnt.name):
            raise ParameterError(f"The weights in {self.weights} are for {learnt.name}, not {self.method}.")
        return learnt.changed(**params)


@dataclass(frozen=True, slots=True)
class Output:
    """The destination of segments.

    Options:
        overlay: Also draw the segments on a picture of each page (needs a browser and -o).
        html: Also write one HTML file that shows all pages (needs a browser and -o).
    """

    form: Format | None = FORMAT
    folder: Path | None = FOLDER
    overlay: bool = option(False, "--overlay")
    html: bool = option(False, "--html")

    def __post_init__(self) -> None:
        is_file = self.folder is not None and self.folder.suffix in (".jsonl", ".csv", ".parquet")
        if self.pictures and (self.folder in (None, STDOUT) or (is_file and not self.folder.is_dir())):
            raise ParameterError(f"--{'overlay' if self.overlay else 'html'} needs a folder: add -o DIR.")

    @property
    def pictures(self) -> bool:
        """Whether pages need a screenshot."""
        return self.overlay or self.html


@dataclass(frozen=True, slots=True)
class StyleOptions:
    """What is written of an article.

    Options:
        front_matter: Write the metadata as YAML before the text; only with --format markdown.
        comments: Also write comments, replies and reviews; only with the formats text, markdown and html, and
            with --chunks. The posts of a thread are always written.
        first_post: Write only the first post of a thread; only with the formats text, markdown and html, and
            with --chunks.
        mark_index: Begin index pages with !INDEX; only with --format webstemmer.
    """

    front_matter: bool = option(False, "--front-matter")
    comments: bool = option(False, "--comments")
    first_post: bool = option(False, "--first-post")
    mark_index: bool = option(False, "--mark-index")

    @property
    def with_comments(self) -> bool | None:
        """Whether comments are written; None: only the posts of threads."""
        return self.comments or (False if self.first_post else None)

    def check(self, form: str, chunks: bool) -> None:
        """Raise `ParameterError` for an option that has no effect with a format."""
        if self.front_matter and form != "markdown":
            raise ParameterError("--front-matter needs --format markdown.")
        if self.comments and not chunks and form not in ("text", "markdown", "html"):
            raise ParameterError("--comments needs --format text, markdown or html; records have comments.")
        if self.first_post and not chunks and form not in ("text", "markdown", "html"):
            raise ParameterError("--first-post needs --format text, markdown or html.")
        if self.comments and self.first_post:
            raise ParameterError("--comments and --first-post exclude each other.")
        if self.mark_index and form != "webstemmer":
            raise ParameterError("--mark-index needs --format webstemmer.")


@dataclass(frozen=True, slots=True)
class ContentOptions:
    """What is read of a page, and what is written of its content.

    Options:
        include: Read only what is inside elements that match a CSS selector. May be repeated.
        exclude: Leave out elements that match a CSS selector, before anything is decided. May be repeated.
        favor: balance, precision (less text, less boilerplate in it) or recall (more text).
        links: Write links; without them only their texts.
        images: Write images and embedded objects.
    """

    include: list[str] | None = option(None, "--include CSS")
    exclude: list[str] | None = option(None, "--exclude CSS")
    favor: Literal["balance", "precision", "recall"] = option("balance", "--favor WHAT")
    links: bool = option(True, "--links/--no-links")
    images: bool = option(True, "--images/--no-images")

    @property
    def choose_text(self) -> bool:
        """Whether an option changes which text is read."""
        return bool(self.include or self.exclude) or self.favor != "balance"

    def create(self) -> ExtractionOptions:
        """Return the options; `ParameterError` for a selector that is not supported."""
        from webgrain.extraction.options import ExtractionOptions

        return ExtractionOptions(
            tuple(self.include or ()), tuple(self.exclude or ()), self.favor, self.links, self.images
        )


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """Whether records of chunks are written.

    Options:
        chunks: Write a record for each chunk of the main text, along its sections; only with --format jsonl,
            the default, or parquet.
        max_tokens: Greatest number of tokens of a chunk; each six letters of a word and each three other
            signs in a row count as one. Default: 512.
        chunk_text: text or markdown.
    """

    chunks: bool = option(False, "--chunks")
    max_tokens: int | None = option(None, "--max-tokens N", min=1)
    chunk_text: Literal["text", "markdown"] | None = option(None, "--chunk-text FORM")

    def check(self, form: str | None) -> None:
        """Raise `ParameterError` for an option that has no effect."""
        if self.chunks and form not in (None, "jsonl", "csv", "parquet"):
            raise ParameterError("--chunks needs --format jsonl, csv or parquet.")
        for name, value in (("--max-tokens", self.max_tokens), ("--chunk-text", self.chunk_text)):
            if value is not None and not self.chunks:
                raise ParameterError(f"{name} needs --chunks.")


_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds_in(text: str) -> float:
    """Return a duration in seconds; `ParameterError` if ``text`` is not a duration.

    >>> seconds_in("30d"), seconds_in("1.5h"), seconds_in("10")
    (2592000.0, 5400.0, 10.0)
    """
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s?([smhdw]?)", text.strip())
    if match is None:
        raise ParameterError(f"Expected a duration such as 30d, 12h, 45m or 90s, got {text!r}.")
    return float(match[1]) * _UNITS[match[2]]
